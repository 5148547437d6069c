"""Which functions become task candidates, and what the others are told."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ingester.domain.analysis import FoundFunction, analyse_file
from ingester.domain.filters import FILTERS, Limits

Analyse = Callable[[str], dict[str, FoundFunction]]

CASES = re.findall(
    r"^### (.*)\n((?:(?!### ).*\n)*)", (Path(__file__).parent / "data/filters.txt").read_text(), re.MULTILINE
)


def cases(kind: str) -> list[Any]:
    """Cases that are to become candidates, or not."""
    split = [(header.split(" | "), text) for header, text in CASES]
    return [pytest.param(*parts[1:], text, id=parts[1]) for parts, text in split if parts[0] == kind]


@pytest.mark.parametrize(("name", "text"), cases("candidate"))
def test_candidates(analyse: Analyse, name: str, text: str) -> None:
    found = next(each for each in analyse(text).values() if each.name == "f")
    assert (found.rejected_by, found.rejection) == ("", "")
    assert found.name_key == "f"
    assert len(found.tree_key) == 32


@pytest.mark.parametrize(("name", "words", "text"), cases("rejected"))
def test_rejections_name_filter_and_reason(analyse: Analyse, name: str, words: str, text: str) -> None:
    found = next(each for each in analyse(text).values() if each.name in ("f", "test_f"))
    assert found.rejected_by == name.split()[0]
    assert found.rejected_by in FILTERS
    assert words in found.rejection
    assert not found.tree_key


def test_a_library_gives_no_tasks_that_use_itself() -> None:
    text = b"import networkx as nx\ndef f(x):\n    return nx.Graph(x) if x else None\n"
    limits = Limits(own_names=frozenset({"networkx"}))
    (own,) = analyse_file(text, "m.py", limits=limits).functions
    (other,) = analyse_file(text, "m.py").functions
    assert (own.rejected_by, other.rejected_by) == ("own_library", "")


def test_the_range_of_complexity_is_a_setting() -> None:
    text = b"def f(x):\n    return x + 1\n"
    (found,) = analyse_file(text, "m.py", limits=Limits(least_complexity=1)).functions
    assert found.rejected_by == ""


def test_text_that_python_does_not_take_is_no_candidate(analyse: Analyse) -> None:
    found = analyse("def f(x):\n    return `x` if x else 1\n")["f"]
    assert found.rejected_by == "syntax"


def test_a_very_long_expression_is_judged_and_spoils_no_neighbour() -> None:
    long = "+".join(["x"] * 5000)
    text = f"def f(x):\n    if x:\n        return {long}\n    return 1\ndef g(x):\n    return x if x else 1\n"
    first, second = analyse_file(text.encode(), "m.py").functions
    assert first.rejected_by in ("", "syntax")
    assert first.classification == second.classification == "SC"
    assert second.rejected_by == ""


@pytest.mark.parametrize("complexity", [2, 10, 11, 20])
def test_functions_up_to_twenty_are_candidates(complexity: int) -> None:
    branches = "".join(f"    if x > {number}:\n        y += {number}\n" for number in range(1, complexity))
    (found,) = analyse_file(f"def f(x):\n    y = x\n{branches}    return y\n".encode(), "m.py").functions
    assert (found.complexity, found.rejected_by) == (complexity, "")
