"""What is told of values that decide: regular expressions with their use, sets of members, long texts."""

from __future__ import annotations

import json

import pytest

from pbt_generator.domain.task.wording.constants import (
    deciding_constants,
    sentences,
    silent_constants,
    unexplained,
)


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("BLANK = re.compile('a+', re.I | re.S)\ndef f(s):\n    return BLANK.sub('x', s)\n", [
            'In `s` what matches the regular expression `"a+"` is replaced by `"x"`; the case of letters is ignored.'
        ]),
        ("seen = re.compile(r'^\\w.', flags=re.ASCII | re.S | re.M).search\ndef f(s):\n    return seen(s[1:])\n", [
            'A part of `s` is searched for the first match of the regular expression `"^\\\\w."`; '
            "its classes of characters are those of ASCII, `.` matches the end of a line too, "
            "`^` and `$` match at every line."
        ]),
        ("PATTERN = '[a-z]+'\ndef f(s):\n    return re.split(PATTERN, s, flags=re.I)\n", [
            '`s` is split at the matches of the regular expression `"[a-z]+"`; the case of letters is ignored.'
        ]),
        ("P = re.compile('[0-9]+')\ndef f(s):\n    return P.match(s) or P.search(s)\n", [
            'Texts are matched against the regular expression `"[0-9]+"`.'
        ]),
    ],
)  # fmt: skip
def test_a_regular_expression_is_told_with_its_flags_and_with_what_is_done(program: str, told: list[str]) -> None:
    """A solver who is told the expression alone has to guess whether it ignores case."""
    assert sentences(program, silent_constants(program)) == told


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return x in {0, 9, 10, 13, 32}", ["It matters whether `x` is one of `0`, `9`, `10`, `13`, `32`."]),
        ("return x not in MARKS", ['It matters whether `x` is in `"*#~"`.']),
        ("return x in NAMES", ['It matters whether `x` is one of `"up"`, `"down"`.']),
    ],
)
def test_what_is_told_from_all_others_is_told_whatever_examples_hold(body: str, told: list[str]) -> None:
    """Examples may hold every member and still show nobody that there is no other."""
    program = f"MARKS = '*#~'\nNAMES = ('up', 'down')\ndef f(x):\n    {body}\n"
    assert [each for each in sentences(program, silent_constants(program)) if each in told] == told
    other = f"MARKS = '*#~'\nMARKS = '-'\ndef f(x):\n    {body} or len(MARKS)\n"
    assert '`"*#~"`' not in " ".join(sentences(other, silent_constants(other)))


def test_a_long_text_is_told_whole() -> None:
    """Of a template that is cut nobody can write what it makes."""
    template = "line of a template {0}\n" * 60
    program = f"FORM = {template!r}\ndef f(x):\n    return FORM.format(x)\n"
    (told,) = sentences(program, deciding_constants(program))
    assert json.dumps(template) in told and unexplained(program, deciding_constants(program))


@pytest.mark.parametrize(
    ("body", "values"),
    [
        ("if len(x) > 17:\n        raise ValueError(WORDS)", []),
        ("if not x.startswith('v'):\n        raise ValueError(WORDS)", []),
        ("assert len(x) < 17, WORDS", []),
        # The function goes on with what was found, in another branch, or after the error.
        ("if (x := x.strip('v')) == 'w':\n        raise ValueError(WORDS)", ["v", "w"]),
        ("if len(x) > 17:\n        raise ValueError(WORDS)\n    else:\n        x += '!'", ["!", 17]),
        (
            "try:\n        if len(x) > 17:\n            raise ValueError(WORDS)\n    except ValueError:\n        x = 1",
            [17],
        ),
        ("if x > WORDS:\n        raise ValueError(WORDS)\n    x += WORDS", ["no"]),
    ],
)
def test_what_tells_which_inputs_are_refused_is_no_value_that_decides(body: str, values: list[object]) -> None:
    """Inputs that raise are not among the cases: their limits and words were told as values that decide."""
    program = f"WORDS = 'no'\ndef f(x):\n    {body}\n    return x * 5\n"
    assert sorted(deciding_constants(program), key=str) == sorted([*values, 5], key=str)


def test_names_that_only_the_program_has_are_not_told() -> None:
    test = "pc == '_' or len(pc) > 40 or name.lower() == 'q'"
    program = f"def f(name):\n    for pc in name:\n        if {test}:\n            return 1\n"
    told = sentences(program, deciding_constants(program), ["name"], ["name"])
    assert told == [
        'It matters whether a character of `name` is `"_"`.',
        "It matters whether the length of a character of `name` is above `40`.",
        'It matters whether `name` in lower case is `"q"`.',
    ]


def test_characters_that_are_taken_off_are_told_though_an_example_holds_them() -> None:
    """Who is told of white space takes off what else is white, and a newline at the end is one or many."""
    program = "def f(s):\n    s = s.lstrip(' \\t\\f')\n    s = s.rstrip('\\r\\n')\n    return s.strip('-')\n"
    assert sentences(program, silent_constants(program)) == [
        'At the beginning of `s` all characters that are among `" \\t\\f"` are taken off.',
        "At the end of `s` without what is taken off its beginning all characters that are among "
        '`"\\r\\n"` are taken off.',
    ]


@pytest.mark.parametrize(
    ("source", "values", "said"),
    [
        ("def f(n):\n    return n < -66.5\n", [-66.5], "It matters whether `n` is below `-66.5`."),
        ("def f(n):\n    return n == -999\n", [-999], "It matters whether `n` is `-999`."),
        ("def f(n):\n    return max(-273, n)\n", [-273], "`n` counts as `-273` at least."),
        ("LIMIT = -300\ndef f(n):\n    return n > LIMIT\n", [-300], "It matters whether `n` is above `-300`."),
        ("def f(n):\n    return n in (-12, 13)\n", [-12, 13], "It matters whether `n` is one of `-12`, `13`."),
    ],
)
def test_a_value_below_0_is_told_with_its_sign(source: str, values: list[object], said: str) -> None:
    assert deciding_constants(source) == values
    assert sentences(source, values, ["n"]) == [said]
