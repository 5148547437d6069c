from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone_runtime.extraction import Found, extract, parse, with_prelude

PROGRAM = "import math\n\n\ndef area(r):\n    return math.pi * r**2\n"


@pytest.mark.parametrize(
    "answer",
    [
        PROGRAM,
        f"```python\n{PROGRAM}```",
        f"```\n{PROGRAM}```",
        f"~~~py\n{PROGRAM}~~~\n",
        f"Here it is:\r\n\r\n```Python\r\n{PROGRAM}```\r\nIt uses math.".replace("\n", "\r\n").replace("\r\r", "\r"),
        f"1. As asked:\n\n   ```python\n{''.join(f'   {line}' for line in PROGRAM.splitlines(True))}   ```\n",
        f"Use it so:\n```python\nprint(area(2))\n```\nwith\n```python\n{PROGRAM}```",
        f"```python\ndef area(r):\n    ...\n```\nFilled in:\n```python\n{PROGRAM}```",
        f"```python\ndef area(r) return\n```\nBetter:\n```python\n{PROGRAM}```",
        f"Sure, here is the function.\n\n{PROGRAM}\nThis works because of geometry.",
        f"```python\n{PROGRAM}\nprint(area(",
        f"````python\n{PROGRAM}````",
    ],
)
def test_the_program_is_found(answer):
    found = extract(answer, "area")
    assert found.found is Found.PROGRAM
    assert ast.dump(ast.parse(found.code)) == ast.dump(ast.parse(PROGRAM))


def test_the_first_real_definition_wins():
    answer = "```python\ndef f():\n    return 1\n```\nor\n```python\ndef f():\n    return 2\n```"
    assert "return 1" in extract(answer, "f").code


def test_a_placeholder_is_taken_when_there_is_nothing_else():
    found = extract('```python\ndef f():\n    """Does it."""\n    raise NotImplementedError\n```', "f")
    assert found.found is Found.PROGRAM


@pytest.mark.parametrize("program", ["f = lambda x: x", "f: object = len", "class f:\n    pass", "async def f(): pass"])
def test_other_bindings_of_the_name_count(program):
    assert extract(f"```python\n{program}\n```", "f").found is Found.PROGRAM


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("", Found.NOTHING),
        ("I cannot help with that.", Found.NOTHING),
        ("Sorry", Found.NOTHING),
        ("```\n```", Found.NOTHING),
        ("```python\ndef g():\n    return 1\n```", Found.OTHER),
        ("class Solution:\n    def f(self):\n        return 1\n", Found.OTHER),
        ("```python\ndef f(:\n    return 1\n```", Found.UNPARSABLE),
        ("```python\ndef f(x):\n    return (x +", Found.UNPARSABLE),
    ],
)
def test_what_is_no_program_is_told_apart(answer, found):
    assert extract(answer, "f").found is found


def test_only_what_is_worth_running_has_code():
    for answer in ("", "```python\ndef g(): return 1\n```", "```python\ndef f(:\n```", PROGRAM):
        result = extract(answer, "f")
        assert bool(result.code) == result.runnable


@pytest.mark.parametrize(
    "text",
    ["-" * 90_000 + "1", "(" * 90_000, "f = " + "[" * 300, "\x00", "a." * 40_000 + "b", "\ud800 = 1"],
)
def test_hostile_text_does_no_harm(text):
    assert parse(text) is None or isinstance(parse(text), ast.Module)
    extract(text, "f")
    extract(f"```python\n{text}\n```", "f")


@given(st.text())
def test_any_answer_is_classified(answer):
    result = extract(answer, "f")
    assert bool(result.code) == result.runnable


names = (
    st.from_regex(r"[a-z_][a-z0-9_]{0,8}", fullmatch=True)
    .filter(str.isidentifier)
    .filter(lambda name: parse(f"{name} = 1") is not None)
)
prose = st.text(st.characters(blacklist_characters="`~", blacklist_categories=["Cs"]), max_size=80)


@given(names, st.integers(), prose, prose)
def test_a_fenced_program_is_found_whatever_is_said_around_it(name, constant, before, after):
    program = f"def {name}(x):\n    return x + {constant}\n"
    result = extract(f"{before}\n```python\n{program}```\n{after}", name)
    assert result.found is Found.PROGRAM
    assert result.code == program


@pytest.mark.parametrize("tag", ["go", "golang", ""])
def test_other_languages_are_found_by_their_words(tag):
    program = "package main\n\nfunc area(r float64) float64 { return 3 * r * r }\n"
    found = extract(f"Here:\n```{tag}\n{program}```", "area", "go")
    assert found.code == program
    assert extract("```go\nfunc other() {}\n```", "area", "go").found is Found.OTHER
    assert extract("no idea", "area", "go").found is Found.NOTHING


def test_a_prelude_comes_first_but_after_the_future():
    code = "from __future__ import annotations\nimport re\ndef f(x: T): return np.sum(x)\n"
    complete = with_prelude("import numpy as np\n", code)
    assert complete.splitlines()[:2] == ["from __future__ import annotations", "import numpy as np"]
    assert parse(complete) is not None
    assert extract(complete, "f").code == complete
    assert with_prelude("", code) == code


@given(st.sampled_from(["import os", "import re\nimport os", ""]), st.sampled_from([PROGRAM, "def f(:", "x = 1"]))
def test_a_prelude_never_breaks_a_program(prelude, code):
    assert (parse(with_prelude(prelude, code)) is None) == (parse(code) is None)
