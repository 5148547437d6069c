"""Literals that classes, fields and defaults keep have mutants wherever they count, like those of the module."""

from __future__ import annotations

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.mutants import mutate, witnesses
from pbt_generator.ports import Harness

CLASS = "class Limits:\n    MOST = 42\n{}def f(n):\n    return min(n, Limits.MOST){}\n"
KEPT = [
    (CLASS.format("", ""), {"MOST = 43", "MOST = 41"}),
    ("class Cut:\n    most = 42\n    def of(self, n):\n        return min(n, self.most)\n"
     "def f(n):\n    return Cut().of(n)\n",
     {"most = 43", "most = 41"}),
    ("def cut(n, most=42):\n    return min(n, most)\ndef f(n):\n    return cut(n)\n", {"cut(most=43)", "cut(most=41)"}),
    ("MOST = 42\ndef cut(n, most=MOST):\n    return min(n, most)\ndef f(n):\n    return cut(n)\n",
     {"cut(most=43)", "cut(most=41)"}),
    ("def cut(n, *, most=42):\n    return min(n, most)\ndef f(n):\n    return cut(n) if n else cut(1, most=7)\n",
     {"cut(most=43)", "cut(most=41)"}),
    ("class Cut:\n    def __init__(self, most=42):\n        self.most = most\n"
     "def f(n):\n    return min(n, Cut().most)\n",
     {"Cut(most=43)", "Cut(most=41)"}),
    ("class Cut:\n    def of(self, n, most=42):\n        return min(n, most)\ndef f(n):\n    return Cut().of(n)\n",
     {"of(most=43)", "of(most=41)"}),
    ("class Cut:\n    def pop(self, n, most=42):\n        return min(n, most)\n    def of(self, n):\n"
     "        return self.pop(n)\ndef f(n):\n    return Cut().of(n)\n", {"pop(most=43)", "pop(most=41)"}),
    ("from dataclasses import dataclass\n@dataclass\nclass Cut:\n    least: int\n    most: int = 42\n"
     "def f(n):\n    return min(n, Cut(1).most)\n", {"Cut(most=43)", "Cut(most=41)"}),
    ("from typing import NamedTuple\nclass Cut(NamedTuple):\n    most: int = 42\n"
     "def f(n):\n    return min(n, Cut().most)\n",
     {"Cut(most=43)", "Cut(most=41)"}),
    ("import enum\nclass Limits(enum.Enum):\n    MOST = 42\ndef f(n):\n    return min(n, Limits.MOST.value)\n",
     {"Limits.MOST.value = 43", "Limits.MOST.value = 41"}),
]  # fmt: skip


def results(source: str, probes: str, mutant: int) -> list[object]:
    space: dict[str, object] = {"__name__": "__main__"}
    exec(compile(with_harness(source, "f", probes), "program", "exec"), space)
    space["_ts_M"] = mutant
    entry = space["f"]
    assert callable(entry)
    return [entry(given) for given in (0, 5, 100)]


@pytest.mark.parametrize(("source", "changes"), KEPT)
def test_a_literal_has_mutants_wherever_it_is_kept(source: str, changes: set[str], harness: Harness) -> None:
    program = mutate(source, "f")
    found = {each.change: each.number for each in program.mutants if each.operator == "module constant"}
    assert changes <= found.keys()
    assert results(program.source, harness.mutate, 0) == results(source, "", 0)
    for change in changes:
        other = source.replace("42", change.rstrip(")")[-2:])
        assert results(program.source, harness.mutate, found[change]) == results(other, "", 0)
    assert len(witnesses(source, "f").mutants) == len(program.mutants)


@pytest.mark.parametrize(
    "source",
    [
        CLASS.format("Limits.MOST = 7\n", ""),
        CLASS.format("", " + setattr(Limits, 'MOST', 7)"),
        CLASS.format("class Other:\n    MOST = 7\n", ""),
        CLASS.replace("class Limits:", "import enum\nclass Limits(enum.IntEnum):").format("", ""),
        CLASS.replace("class Limits:", "import enum\nclass Limits(enum.Enum):").replace(
            "42", "42\n    def __init__(self, n):\n        self._value_ = 2 * n").format("", ".value"),
        CLASS.replace("class Limits:", "class Limits(metaclass=Made):").format("", ""),
        CLASS.replace("42", "[1, 2]").format("", " + Limits.MOST.pop()"),
        "def cut(n, most=42):\n    return min(n, most)\ndef f(n):\n    return cut(n, 7) + cut(*n) + cut(**n)\n",
        "@kept\ndef cut(n, most=42):\n    return min(n, most)\ndef f(n):\n    return cut(n)\n",
        "class Bag:\n    def pop(self, place=42):\n        return place\ndef f(n):\n    return list(n).pop()\n",
        "class Bag:\n    def split(self, n, at=42):\n        return n - at\ndef f(n):\n    return n.split('a')\n",
        "def cut(most=42, /):\n    return most\ndef f(n):\n    return cut()\n",
        "from dataclasses import dataclass\n@dataclass(init=False)\nclass Cut:\n    most: int = 42\n"
        "def f(n):\n    return Cut()\n",
    ],
)  # fmt: skip
def test_what_may_have_another_value_or_is_given_one_has_none(source: str) -> None:
    assert not [each for each in mutate(source, "f").mutants if each.operator == "module constant"]
