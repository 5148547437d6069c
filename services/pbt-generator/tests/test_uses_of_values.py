"""What a value that decides is for, said of the task's parameters, with what happens at it."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.task.wording.constants import (
    deciding_constants,
    given_keys,
    possible_keys,
    sentences,
    unexplained,
)
from pbt_generator.domain.task.wording.observed import Observed, observe, with_keys, words
from pbt_generator.domain.task.wording.phrases import Phrases


def told(body: str, values: list[object] | None = None, before: str = "", head: str = "s, n=0") -> list[str]:
    program = f"{before}def f({head}):\n    {body}\n"
    return sentences(program, deciding_constants(program) if values is None else values, ["s", "n"], ["s"])


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("len(s) > 40", "the length of `s` is above `40`"),
        ("40 > len(s)", "the length of `s` is below `40`"),
        ("0 <= n <= 40", "`n` is `40` or less"),
        ("n % 100 == 40", "the remainder of `n` by `100` is `40`"),
        ("s[0] == 'Z'", 'the first character of `s` is `"Z"`'),
        ("'Z' in s.lower()", '`"Z"` is in `s` in lower case'),
        ("any(c == 'Z' for c in s)", 'a character of `s` is `"Z"`'),
        ("any(at > 40 for at, c in enumerate(s))", "a position in `s` is above `40`"),
        ("any(p.startswith('Z') for p in s.split())", 'a piece of `s` begins with `"Z"`'),
        ("g(s) * n > 40", "a value made of `n` and `s` is above `40`"),
        ("s == 'Z' or s == 'Y'", '`s` is `"Z"` or `"Y"`'),
    ],
)
def test_what_is_compared_is_said_and_on_which_side_of_the_value_it_matters(test: str, said: str) -> None:
    """`A value is compared with "Z"` told no reader which value, and what happens at it."""
    assert f"It matters whether {said}." in told(f"return {test}")


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("return n * 1000", "`n` is multiplied by `1000`."),
        ("return 1000 - n", "`n` is subtracted from `1000`."),
        ("return 1000 / n", "`1000` is divided by `n`."),
        ("return n & 1000", "Of the bits of `n` those of `1000` are kept."),
        ("return max(n, 1000)", "`n` counts as `1000` at least."),
        ("s += 'x'\n    return s", '`"x"` is added to `s`.'),
        ("return int(s, 16)", "`s` is read as a number of base `16`."),
        ("return s.get('k', 'none')", 'Where an entry is missing, `"none"` stands for it.'),
        ("return s or 'none'", 'Where a value is zero, false, empty or nothing, `"none"` stands for it.'),
        ("return f'{s} of {n}'", 'A text is put together: `"… of …"`, where … stands for another part.'),
        ("return {'kind': 'part', 'at': n}", 'The result may be `{"kind": "part", "at": …}`.'),
        ("match s:\n        case 'x' | 'y':\n            return 1", 'It matters whether `s` is `"x"` or `"y"`.'),
        ("a = 'x'\n    if n:\n        a = 'y'\n    return a", 'The result may be `"x"` or `"y"`.'),
        ("return json.dumps(s, indent=17)", "`indent` of `dumps` is `17`."),
    ],
)
def test_what_is_done_with_a_value_is_said_of_what(body: str, said: str) -> None:
    """`A factor is 1000` told no reader a factor of what."""
    assert said in told(body)


def test_a_value_that_a_helper_uses_is_told_by_its_use_there() -> None:
    before = "def cut(text, mark, most=40):\n    return text.split(mark) if len(text) > most else 'short'\n"
    assert told("return cut(s, ';')", None, before) == [
        "It matters whether the length of `s` is above `40`.",
        'The result may be `"short"`.',
        '`s` is split at `";"`.',
    ]


def test_where_no_sentence_tells_a_use_the_parameters_beside_it_are_told() -> None:
    """`Values that decide` is said of none of which a reader may know more."""
    assert told("return g(s, 'secret')") == ['What is made of `s` depends on `"secret"`.']
    assert unexplained("def f(s):\n    return g(s, 'secret')\n", ["secret"]) == ["secret"]
    assert told("return g('secret')") == ['Values that decide: `"secret"`.']


def test_what_stands_elsewhere_or_is_the_program_s_own_is_told_no_second_time() -> None:
    """A default stands with its parameter; a group's name is how the program looks at its matches."""
    assert told("return s", head="s, n='xyz'") == []
    body = "words = 'no'\n    if not s:\n        raise ValueError(words)\n    return m.group('a')"
    program = f"T = TypeVar('T')\ndef f(s):\n    {body}\n"
    assert deciding_constants(program) == []


def test_keys_that_stand_in_cases_by_chance_are_no_part_of_a_type() -> None:
    """Cases are drawn from a program's own texts: names of parameters became keys of its maps."""
    program = "def f(held):\n    return {'held': held, 'at': held.get('at')}\n"
    keys = possible_keys(program)
    assert keys == {"at"} and given_keys(program) == {"held", "at"}
    seen = observe([{}, *({"at": 1, "held": 2, "HELD": 3} for _ in range(9))])
    assert words(with_keys(seen, keys)) == 'a map with "at" (an integer; may be missing)'
    assert words(with_keys(seen, [])) == "a map from texts to integers"
    assert words(with_keys(seen, keys, ["held"])).startswith('a map with "at" (an integer; may be missing), "held"')
    assert with_keys(Observed("text"), []) == Observed("text")


@pytest.mark.parametrize(
    ("code", "phrase"),
    [
        ("for a, b in s.items():\n        x = a", "a key of `s`"),
        ("for a, b in s.items():\n        x = b", "a value of `s`"),
        ("for a, b in zip(s, n):\n        x = b", "an item of `n`"),
        ("for a, b in s:\n        x = b", "a value made of `s`"),
        ("a, b = s.split('=')\n    x = b", "a piece of `s`"),
        ("x = abs(n)", "the absolute value of `n`"),
        ("x = s['k'].year", 'the `year` of the entry `"k"` of `s`'),
        ("x = s\n    x = x.replace('a', '')", "`s` with replacements"),
        ("x = 1\n    x = x + n", "the sum of `1` and `n`"),
        ("x = y = z = g()", "a value"),
        ("x = g(s, n, p, q)", "a value"),
        ("x = s[2:][3]", "the fourth character of a part of `s`"),
    ],
)
def test_an_expression_is_a_phrase_on_parameters(code: str, phrase: str) -> None:
    tree = ast.parse(f"def f(s, n, p, q):\n    {code}\n    return x\n")
    (read,) = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    assert Phrases(tree, ["s", "n", "p", "q"], ["s"]).of(read) == phrase


def test_what_stands_in_a_default_is_no_value_of_its_own() -> None:
    source = "def f(x, low=float('-inf'), step=-40, cut=(700, 800)):\n    return max(x, low) // step + cut[0]\n"
    assert deciding_constants(source) == [-40, 700, 800]
    assert sentences(source, [*deciding_constants(source), "-inf"]) == []
