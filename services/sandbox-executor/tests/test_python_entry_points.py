"""What the harness of Python calls by the name of an entry point."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sandbox_executor.harness.python.harness import EntryPointError, load

SOURCE = """
MADE = []


def f(x):
    return [x, len(MADE)]


class Solution:
    def __init__(self):
        MADE.append(self)
        self.seen = []
        self.late = lambda x: [x, *self.seen]

    def run(self, x):
        self.seen.append(x)
        return [*self.seen, len(MADE)]

    @property
    def chosen(self):
        return self.run

    @staticmethod
    def plain(x):
        return [x, len(MADE)]

    @classmethod
    def own(cls, x):
        return [cls.__name__, x, len(MADE)]

    class Inner:
        def __init__(self):
            self.seen = []

        def run(self, x):
            self.seen.append(x)
            return self.seen

    count = 3


class Heir(Solution):
    pass


class Needing:
    def __init__(self, base):
        self.base = base

    @staticmethod
    def plain(x):
        return x

    def run(self, x):
        return self.base + x
"""


@pytest.fixture
def loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    """The entry point of a program by its name; what the harness changes of its process is as it was afterwards."""
    path = tmp_path / "candidate.py"
    path.write_text(SOURCE)
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setitem(sys.modules, "candidate", None)
    return lambda entry: load(str(path), entry)


@pytest.mark.parametrize("entry", ["Solution.run", "Heir.run"])
def test_each_case_has_a_new_instance(entry: str, loaded: Callable[[str], Any]) -> None:
    call = loaded(entry)
    assert [call(1), call(x=2), call(3)] == [[1, 1], [2, 2], [3, 3]]


@pytest.mark.parametrize(
    ("entry", "results"),
    [
        ("f", [[1, 0], [2, 0]]),
        ("Solution.plain", [[1, 0], [2, 0]]),
        ("Solution.own", [["Solution", 1, 0], ["Solution", 2, 0]]),
        ("Solution.late", [[1], [2]]),
        ("Solution.Inner.run", [[1], [2]]),
        ("Needing.plain", [1, 2]),
    ],
)
def test_no_case_sees_what_the_one_before_set_up(
    entry: str, results: list[object], loaded: Callable[[str], Any]
) -> None:
    call = loaded(entry)
    assert [call(1), call(2)] == results


def test_a_method_that_a_property_gives_is_of_a_new_instance_too(loaded: Callable[[str], Any]) -> None:
    call = loaded("Solution.chosen")
    assert [call(1)[:-1], call(2)[:-1]] == [[1], [2]]


@pytest.mark.parametrize(
    "entry", ["g", "Solution.other", "Solution.mro", "Solution.Inner.other", "Solution.count", "MADE"]
)
def test_what_is_none_is_said_when_the_program_is_loaded(entry: str, loaded: Callable[[str], Any]) -> None:
    with pytest.raises(EntryPointError, match=r"cannot be called|the candidate defines no .*; it has f, Solution.run"):
        loaded(entry)


def test_a_class_that_cannot_be_made_raises_where_it_is_called(loaded: Callable[[str], Any]) -> None:
    with pytest.raises(TypeError, match="base"):
        loaded("Needing.run")(1)
