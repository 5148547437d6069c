# ruff: noqa: E501  programs of other languages, as their authors write them
"""JavaScript's functions that take their first argument apart, called by position and by name."""

import json
from collections.abc import Callable

import pytest

# A function, and what it answers to each case; None where it is told that its argument cannot be taken apart.
APART = {
    "an object by name": ("function area({ w, h }) { return w * h; }", {'{"box":{"w":2,"h":3}}': 6, '[{"w":2,"h":3}]': 6, '{"w":2,"h":3}': 6}),
    "an arrow": ("const area = ({ w: width, h = 4 }) => width * h;", {'{"box":{"w":2}}': 8, '{"w":2}': 8, '{"w":2,"h":3}': 6}),
    "several by name": ("function area({ w, h }, by) { return w * h * by; }", {'{"box":{"w":2,"h":3},"by":2}': 12, '[{"w":2,"h":3},2]': 12}),
    "all of them": ("function area({ w, ...rest }) { return Object.keys(rest).length; }", {'{"w":1,"h":2,"d":3}': 2, '[{"w":1,"h":2}]': 1}),
    "the same name within": ("function area({ w }) { return typeof w; }", {'{"w":{"w":1}}': "object", '{"w":1,"h":{"w":1}}': "number"}),
    "length": ("const area = ({ length }) => length;", {"[[1,2]]": 2, '["abc"]': 3, '{"xs":[1,2]}': 2, "[5]": None}),
    "computed": ("const area = ({ length, [length - 1]: last }) => [length, last];", {"[[1,2]]": [2, 2], '["abc"]': [3, "c"]}),
    "places": ("const area = ({ 0: first, 1: second }) => [first, second];", {"[[1,2]]": [1, 2], '["ab"]': ["a", "b"], "[[1]]": None}),
    "methods": ("const area = ({ map }) => typeof map;", {"[[1]]": "function", '["a"]': None}),
    "a default for all": ("const area = ({ a = 1, b } = {}) => a + (b ?? 0);", {"[]": 1, '[{"b":2}]': 3, "[5]": None, "[[1]]": None, "[null]": None}),
    "words": ("function area({ /* a, } */ a = '},{', // b }\n \"b c\": d, 'e'\n: f = [1, { g: 2 }], h = \"//\" }) { return [a, d, f, h]; }",
        {'{"x":{"b c":1}}': ["},{", 1, [1, {"g": 2}], "//"], '{"b c":1,"h":2}': ["},{", 1, [1, {"g": 2}], 2], "[[1]]": None}),
}  # fmt: skip


@pytest.mark.parametrize("name", APART)
def test_what_is_taken_apart_is_the_argument_that_has_it(name: str, harness: Callable) -> None:
    source, answers = APART[name]
    frames = [json.loads(text) for text in harness("javascript", source, "area", list(answers)).frames[1:]]
    assert [frame.get("v") for frame in frames] == list(answers.values()), frames
    assert {frame["t"] for frame in frames if frame["o"] == "raised"} <= {"TypeError"}


def test_typescript_takes_its_arguments_apart_the_same_way(harness: Callable) -> None:
    source = "export function area({ w, h }: { w: number; h: number }): number { return w * h; }"
    assert harness("typescript", source, "area", ['{"box":{"w":2,"h":3}}', '[{"w":2,"h":3}]']).values == ["6", "6"]
