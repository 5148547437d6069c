"""A Python program finds what the interpreter itself gives every program."""

from collections.abc import Callable

import pytest

from sandbox_executor.domain.outcomes import Outcome

ENDS = {"exit()": 0, "quit(0)": 0, "exit(3)": 3, "quit('words')": 1, "import sys; sys.exit(4)": 4}


@pytest.mark.parametrize("end", ENDS)
def test_a_program_ends_by_the_names_that_python_has(end: str, run_program: Callable) -> None:
    ran = run_program("python", f"print('before')\n{end}\nprint('behind')\n")
    assert (ran.stdout, ran.result.exit_code) == ("before\n", ENDS[end]), ran
    assert "NameError" not in ran.stderr


def test_a_candidate_ends_by_them_as_well(run_cases: Callable) -> None:
    first, second = run_cases("python", "def f(x):\n    return exit(1) if x else 1", "f", ["[0]", "[1]"])
    assert first.value == "1"
    assert second.outcome is Outcome.EXITED


def test_a_program_has_the_names_of_python(run_program: Callable) -> None:
    source = """import builtins
print(__builtins__ is builtins, getattr(__builtins__, "print") is print)
print([hasattr(builtins, name) for name in ("exit", "quit", "copyright", "credits", "license", "help")])
"""
    ran = run_program("python", source)
    assert ran.stdout == f"True True\n{[True] * 6}\n", ran


def test_words_of_any_characters_are_what_was_raised(run_cases: Callable) -> None:
    source = "def f(x):\n    raise ValueError('\\U0001F600' * 3000)"
    (result,) = run_cases("python", source, "f", ["[0]"])
    assert (result.outcome, result.error_type, len(result.error_message)) == (Outcome.RAISED, "ValueError", 2000)
    (result,) = run_cases("python", f"{source}\nf(0)", "f", ["[0]"])
    assert result.error_type == "ValueError"
