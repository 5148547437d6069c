"""What an error says has mutants where something that catches it reads it, and nowhere else."""

from __future__ import annotations

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate, witnesses
from pbt_generator.ports import Harness

CODED = "class Done(Exception):\n    def __init__(self, words, code):\n        self.words, self.code = words, code\n"
SPLIT = "class Done(Exception):\n    def __init__(self, words, code):\n        super().__init__(words)\n{}"
PLAIN = "class Done(Exception):\n    pass\n"
TRY = "def f(n):\n    try:\n        return g(n)\n    except {} as e:\n        {}\n"
RAISING = "def g(n):\n    if n < 9: raise {}\n    return n\n"
OWN = "        self.code = code\n"


def changes(source: str) -> set[str]:
    return {each.change for each in mutate(source, "f").mutants}


@pytest.mark.parametrize(
    ("head", "kinds", "answer", "raised"),
    [
        (PLAIN, "Done", "return e.args[0]", "Done(n // 40)"),
        (PLAIN, "(KeyError, Done)", "return str(e)", "Done(f'so {n // 40}')"),
        (PLAIN, "Exception", "words = f'{e}'\n        return words", "Done(n // 40) from None"),
        ("", "ValueError", "return e", "ValueError(n // 40)"),
        ("", "ERRORS", "return e", "ValueError(n // 40)"),
        (CODED, "Done", "return e.code", "Done('no', n // 40)"),
        (SPLIT.format(OWN), "Done", "return e.code", "Done('no', code=n // 40)"),
        (SPLIT.format(OWN), "Done", "return str(e)", "Done(n // 40, 1)"),
        ("def made(n):\n    return ValueError(n)\n", "ValueError", "return str(e)", "made(n // 40)"),
        ("class Base(Exception):\n    pass\nclass Done(Base):\n    pass\n", "Base", "return str(e)", "Done(n // 40)"),
        ("import sys\n", "KeyError", "return sys.exc_info()[1].args", "KeyError(n // 40)"),
        ("", "AssertionError", "return str(e)", "KeyError\n    assert n > 20, n // 40"),
        # One is made of the other.
        ("def h(n):\n    try:\n        return f(n)\n    except KeyError as e:\n        return str(e)\n",
         "ValueError", "raise KeyError(str(e))", "ValueError(n // 40)"),
    ],
)  # fmt: skip
def test_what_an_error_says_has_mutants_where_it_is_read(head: str, kinds: str, answer: str, raised: str) -> None:
    source = "ERRORS = (ValueError, KeyError)\n" * (kinds == "ERRORS") + head + TRY.format(kinds, answer)
    found = changes(source + RAISING.format(raised) + ("f(h)\n" if "def h" in head else ""))
    assert {"n // 40 → n // 41", "n // 40 → n // 39"} <= found


@pytest.mark.parametrize(
    ("head", "kinds", "answer", "raised"),
    [
        ("", "ValueError", "return None", "ValueError(n // 40)"),
        ("", "ValueError", "return isinstance(e, KeyError), type(e).__name__", "ValueError(n // 40)"),
        ("", "ValueError", "log.warning('no %s', e)\n        return 0", "ValueError(n // 40)"),
        ("", "ValueError", "raise KeyError(n) from e", "ValueError(n // 40)"),
        ("", "ValueError", "words = str(e)\n        raise KeyError(words)", "ValueError(n // 40)"),
        ("", "KeyError", "return str(e)", "ValueError(n // 40)"),
        (PLAIN, "KeyError", "return str(e)", "Done(n // 40)"),
        (CODED, "Done", "return e.code", "Done(n // 40, 1)"),
    ],
)
def test_words_that_nothing_reads_have_none(head: str, kinds: str, answer: str, raised: str) -> None:
    source = head + TRY.format(kinds, answer) + RAISING.format(raised)
    assert not [change for change in changes(source) if "n // 40" in change]


def test_a_change_of_what_an_error_says_is_another_answer(harness: Harness) -> None:
    source = PLAIN + TRY.format("Done", "return e.args") + RAISING.format("Done(n // 3, 'ab')")
    program = mutate(source, "f")
    space: dict[str, object] = {"__name__": "__main__"}
    exec(compile(with_harness(program.source, "f", harness.mutate), "program", "exec"), space)
    given: list[object] = []
    for change in ("", "n // 3 → n // 4", "'ab' → 'abx'"):
        space["_ts_M"] = next((each.number for each in program.mutants if each.change == change), 0)
        entry = space["f"]
        assert callable(entry)
        given.append(entry(7))
    assert given == [(2, "ab"), (1, "ab"), (2, "abx")]
    assert len(witnesses(source, "f").mutants) == len(program.mutants)
