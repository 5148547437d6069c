"""A sentence on a value says nothing that the program does not do: no step between parameter and value is left out."""

from __future__ import annotations

import time

import pytest

from pbt_generator.domain.task.wording.constants import sentences


def told(body: str, value: object, head: str = "s, n=0") -> list[str]:
    return sentences(f"def f({head}):\n    {body}\n", [value], ["s", "n"], ["s"])


@pytest.mark.parametrize(
    ("test", "said"),
    [
        ("sorted(s)[0] == 40", "the first character of `s` in ascending order is `40`"),
        ("list(reversed(s))[0] == 40", "the first character of `s` in reverse order is `40`"),
        ("len(set(s)) == 40", "the length of the set of `s` is `40`"),
        ("len(s.replace('-', '')) == 40", "the length of `s` with replacements is `40`"),
        ("len(s.encode()) == 40", "the length of the bytes of `s` is `40`"),
        ("len(s.expandtabs()) == 40", "the length of `s` with tabs expanded is `40`"),
        ("int(n) == 40", "`n` as an integer is `40`"),
        ("str(n) == 40", "`n` as a text is `40`"),
        ("(n or 25) == 40", "`n` or else `25` is `40`"),
        ("n // 7 == 40", "the quotient (rounded down) of `n` by `7` is `40`"),
        ("n * (n - 7) == 40", "`n` times (`n` less `7`) is `40`"),
        ("any(n == 40 for n in s)", "a character of `s` is `40`"),
        ("n == 40 and [n for n in s]", "`n` is `40`"),
    ],
)
def test_a_phrase_keeps_every_step_from_its_parameter(test: str, said: str) -> None:
    assert f"It matters whether {said}." in told(f"return {test}", 40)


@pytest.mark.parametrize(
    ("body", "of"),
    [
        ("n = n // 60\n    return n == 40", "the quotient (rounded down) of `n` by `60`"),
        ("if n == 40:\n        return 1\n    n = n // 60\n    return n", "`n`"),
        ("if s:\n        n = n // 60\n    return n == 40", "a value made of `n`"),
        ("if s:\n        n = n // 60\n    else:\n        return n == 40", "`n`"),
        ("if s:\n        return n == 40\n    n = 3\n    return n", "`n`"),
        ("if s:\n        n = n // 60\n        return n\n    return n == 40", "`n`"),
        # What stands for a parameter that is missing is told beside it.
        ("if n is None:\n        n = 25\n    return n == 40", "`n`"),
        ("if not n:\n        n = 25\n    return n == 40", "`n`"),
        ("while n == 40:\n        n = n // 60", "a value made of `n`"),
        ("for n in s:\n        if n == 40:\n            return 1", "a value made of `n` and `s`"),
        ("n = g(s)\n    return n == 40", "a value made of `s`"),
        ("n += 60\n    return n == 40", "a value made of `n`"),
        ("if (n := n // 60) and n == 40:\n        return 1", "a value made of `n`"),
        ("try:\n        n = int(n)\n    except ValueError:\n        return n == 40", "a value made of `n`"),
        ("def g():\n        return n == 40\n    n = n // 60\n    return g()", "a value made of `n`"),
        ("n.sort()\n    return n[0] == 40", "a value made of `n`"),
        ("n[0] = 3\n    return n[0] == 40", "a value made of `n`"),
        ("m = n.copy()\n    m.reverse()\n    return m[0] == 40", "a value made of `n`"),
        # An entry that is taken out leaves the others.
        ("n.pop('k')\n    return n['l'] == 40", 'the entry `"l"` of `n`'),
        ("with n as n:\n        return n == 40", "a value made of `n`"),
        ("m = n\n    m = m // 60\n    return m == 40", "the quotient (rounded down) of `n` by `60`"),
    ],
)
def test_a_parameter_is_itself_only_until_it_is_given_another_value(body: str, of: str) -> None:
    assert f"It matters whether {of} is `40`." in told(body, 40)


def test_a_parameter_of_a_lambda_is_none_of_the_task() -> None:
    assert told("return sorted(s, key=lambda n: n == 40)", 40) == ["It matters whether a value is `40`."]


@pytest.mark.parametrize(
    ("body", "value", "said"),
    [
        ("return range(0, n, 76)", 76, "Numbers are counted in steps of `76`."),
        ("return range(0, n, -2000)", -2000, "Numbers are counted in steps of `-2000`."),
        ("return range(0, 76, n)", 76, "Numbers are counted to `76`, itself left out."),
        ("return range(76)", 76, "Numbers are counted to `76`, itself left out."),
        ("return range(76, n)", 76, "Numbers are counted from `76` on."),
        ("return s.split('::', 1)", "::", '`s` is split at `"::"`, at most once.'),
        ("return s.rsplit('::', maxsplit=2)", "::", '`s` is split at `"::"`, from the right, at most `2` times.'),
        ("return s.split('::', n)", "::", '`s` is split at `"::"`, at most `n` times.'),
        ("return s.split('::', -1)", "::", '`s` is split at `"::"`.'),
        ("return s.replace('foo', 'bar', 1)", "foo", 'In `s` `"foo"` is replaced by `"bar"`, at most once.'),
        ("return s.replace('foo', n, 3)", "foo", 'In `s` `"foo"` is replaced, at most `3` times.'),
        ("return s.startswith('foo', 2)", "foo", 'It matters whether a part of `s` begins with `"foo"`.'),
        ("return s.startswith(('foo', 'b'), 2)", "foo", 'It matters whether a part of `s` begins with `"foo"`, `"b"`.'),
        ("return s.find('foo', n)", "foo", 'A part of `s` is searched for `"foo"`.'),
        ("return itertools.count(10)", 10, "`count` is given `10`."),
        ("return os.replace('foo', s)", "foo", '`replace` is given `"foo"`.'),
        ("return s or 25", 25, "Where a value is zero, false, empty or nothing, `25` stands for it."),
        ("return divmod(n, 60)", 60, "`n` is divided by `60`, down to a whole number, and the remainder is taken."),
        (
            "return re.sub('a+', '', s, 1)", "a+",
            'In `s` what matches the regular expression `"a+"` is replaced by `""`, at most once.',
        ),
        (
            "return re.sub('a+', '', s, count=2)", "a+",
            'In `s` what matches the regular expression `"a+"` is replaced by `""`, at most `2` times.',
        ),
        (
            "return re.sub('a+', '', s, 0, re.I)", "a+",
            'In `s` what matches the regular expression `"a+"` is replaced by `""`; the case of letters is ignored.',
        ),
        ("return re.split('a+', s, 1)", "a+",
         '`s` is split at the matches of the regular expression `"a+"`, at most once.'),
        ("return re.compile('a+').match(s, 3)", "a+",
         'The beginning of a part of `s` is matched against the regular expression `"a+"`.'),
    ],
)  # fmt: skip
def test_what_further_arguments_do_is_told(body: str, value: object, said: str) -> None:
    assert told(body, value) == [said]


@pytest.mark.parametrize(
    "step",
    [
        "    if {at} in xs:\n        n = g(n) + n * n\n",
        "    for n in g(n, m):\n        m = n + m\n        n = m + m\n",
        "    n, m = m + n, n + m\n",
    ],
)
def test_a_parameter_that_changes_often_takes_no_longer_than_it_is_worth(step: str) -> None:
    """The program is foreign: its form may not choose how long its words take."""
    steps = "".join(step.format(at=at) for at in range(60))
    program = f"def f(n, m, xs):\n{steps}    return n > 4000\n"
    begun = time.process_time()
    assert sentences(program, [4000], ["n", "m", "xs"])
    assert time.process_time() - begun < 20
