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
    ("def cut(n, most=42):\n    return min(n, most)\ndef f(n):\n    return cut(n)\n",
     {"cut(most = 43)", "cut(most = 41)"}),
    ("cut = lambda n, most=42: min(n, most)\ndef f(n):\n    return cut(n)\n",
     {"cut(most = 43)", "cut(most = 41)"}),
    ("MOST = 42\ndef cut(n, most=MOST):\n    return min(n, most)\ndef f(n):\n    return cut(n)\n",
     {"cut(most = 43)", "cut(most = 41)"}),
    ("def cut(n, *, most=42):\n    return min(n, most)\ndef f(n):\n    return cut(n) if n else cut(1, most=7)\n",
     {"cut(most = 43)", "cut(most = 41)"}),
    ("class Cut:\n    def __init__(self, most=42):\n        self.most = most\n"
     "def f(n):\n    return min(n, Cut().most)\n",
     {"Cut(most = 43)", "Cut(most = 41)"}),
    ("class Cut:\n    def of(self, n, most=42):\n        return min(n, most)\ndef f(n):\n    return Cut().of(n)\n",
     {"of(most = 43)", "of(most = 41)"}),
    ("class Cut:\n    def pop(self, n, most=42):\n        return min(n, most)\n    def of(self, n):\n"
     "        return self.pop(n)\ndef f(n):\n    return Cut().of(n)\n", {"pop(most = 43)", "pop(most = 41)"}),
    ("from dataclasses import dataclass\n@dataclass\nclass Cut:\n    least: int\n    most: int = 42\n"
     "def f(n):\n    return min(n, Cut(1).most)\n", {"Cut(most = 43)", "Cut(most = 41)"}),
    ("from typing import NamedTuple\nclass Cut(NamedTuple):\n    most: int = 42\n"
     "def f(n):\n    return min(n, Cut().most)\n",
     {"Cut(most = 43)", "Cut(most = 41)"}),
    ("import enum\n@enum.unique\nclass Limits(enum.Enum):\n    MOST = 42\n"
     "def f(n):\n    return min(n, Limits.MOST.value)\n",
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


# What a table keeps, where a function reads it, and what each mutant has in its place.
TABLES = [
    ("{1: 'one', 5: 'crowd', 2: 'pair'}", "T.get(n, 'some')", {
        " without 1": "{5: 'crowd', 2: 'pair'}", " without 2": "{1: 'one', 5: 'crowd'}",
        "[1] = 'onex'": "{1: 'onex', 5: 'crowd', 2: 'pair'}",
        "[5] = 'crowdx'": "{1: 'one', 5: 'crowdx', 2: 'pair'}", "[2] = 'pairx'": "{1: 'one', 5: 'crowd', 2: 'pairx'}"}),
    ("{1: None, 5: None, 2: None}", "n in T", {
        " without 1": "{5: None, 2: None}", " without 5": "{1: None, 2: None}", " without 2": "{1: None, 5: None}"}),
    ("'105'", "str(n)[0] in T", {" = ''": "''", " = '05'": "'05'", " = '10'": "'10'"}),
    ("'105'", "str(n).strip(T)", {" = ''": "''", " = '05'": "'05'", " = '10'": "'10'"}),
    ("{'step': 5}", "n // T['step']", {"['step'] = 6": "{'step': 6}", "['step'] = 4": "{'step': 4}"}),
    ("dict(step=5)", "n // T['step']", {"['step'] = 6": "{'step': 6}", "['step'] = 4": "{'step': 4}"}),
    ("('a', 'b', 'c')", "T[n % len(T)]", {
        " without 'a'": "('b', 'c')", " without 'c'": "('a', 'b')", "[0] = 'ax'": "('ax', 'b', 'c')",
        "[1] = 'bx'": "('a', 'bx', 'c')", "[2] = 'cx'": "('a', 'b', 'cx')"}),
    ("frozenset({0, 5, 100})", "n in T", {
        " without 0": "{5, 100}", " without 5": "{0, 100}", " without 100": "{0, 5}"}),
    ("[('kb', 5), ('b', -1)]", "[unit for unit, least in T if n > least]", {
        " without ('kb', 5)": "[('b', -1)]", " without ('b', -1)": "[('kb', 5)]",
        "[0][0] = 'kbx'": "[('kbx', 5), ('b', -1)]", "[0][1] = 6": "[('kb', 6), ('b', -1)]",
        "[0][1] = 4": "[('kb', 4), ('b', -1)]", "[1][0] = 'bx'": "[('kb', 5), ('bx', -1)]",
        "[1][1] = 1": "[('kb', 5), ('b', 1)]", "[1][1] = -2": "[('kb', 5), ('b', -2)]"}),
]  # fmt: skip


@pytest.mark.parametrize("kept", ["T = {}\n", "class K:\n    T = {}\n    def of(self, n):\n        return {}\n"])
@pytest.mark.parametrize(("table", "read", "changes"), TABLES)
def test_each_entry_of_a_table_has_mutants(
    kept: str, table: str, read: str, changes: dict[str, str], harness: Harness
) -> None:
    call = "K().of(n)" if "class" in kept else read
    program = kept + f"def f(n):\n    return {call}\n"
    source = program.format(table, read.replace("T", "self.T"))
    written = mutate(source, "f")
    found = {each.change: each.number for each in written.mutants if each.operator == "module constant"}
    assert found.keys() == {f"T{words}" for words in changes}
    for words, other in changes.items():
        expected = results(program.format(other, read.replace("T", "self.T")), "", 0)
        assert results(written.source, harness.mutate, found[f"T{words}"]) == expected


def test_a_table_that_a_call_is_left_to_has_them_as_well() -> None:
    source = "def g(n, marks='ab'):\n    return n.strip(marks)\ndef f(n):\n    return g(n)\n"
    found = {each.change for each in mutate(source, "f").mutants if each.operator == "module constant"}
    assert found == {"g(marks = '')", "g(marks = 'b')", "g(marks = 'a')"}
    source = "def g(n, table=('a', 'b')):\n    return table[n]\ndef f(n):\n    return g(n)\n"
    found = {each.change for each in mutate(source, "f").mutants if each.operator == "module constant"}
    assert {"g(table without 'a')", "g(table[1] = 'bx')"} <= found


def test_large_tables_lose_no_entry() -> None:
    for many in (41, 400):
        source = f"T = {list(range(many))}\nS = {set(range(many))}\ndef f(n):\n    return T[n] in S\n"
        assert not [each for each in mutate(source, "f").mutants if each.operator == "module constant"]


@pytest.mark.parametrize(
    "source",
    [
        CLASS.format("Limits.MOST = 7\n", ""),
        CLASS.format("", " + setattr(Limits, 'MOST', 7)"),
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


# A function that the entry makes, with the default 42, and a call of it.
MADE = [
    ("    def cut(n, most=42):\n        return min(n, most)\n", "cut(n)"),
    ("    def cut(n, *, most=42):\n        return min(n, most)\n", "[cut(n, most=7), cut(n)]"),
    ("    def cut(n, most=42, /):\n        return min(n, most)\n", "list(map(cut, [n]))"),
    ("    def cut(n, most=42):\n        return min(n, most)\n", "[cut(*each) for each in [(n,)]]"),
    ("    cut = lambda n, most=42: min(n, most)\n", "cut(n)"),
    ("", "list(map(lambda n, most=42: min(n, most), [n]))"),
    ("    class Cut:\n        def of(self, n, most=42):\n            return min(n, most)\n", "Cut().of(n)"),
    ("    class Cut:\n        def __init__(self, most=42):\n            self.most = most\n", "min(n, Cut().most)"),
    ("    class Cut:\n        @staticmethod\n        def of(n, most=42):\n            return min(n, most)\n",
     "[Cut.of(n, 7), Cut.of(n)]"),
]  # fmt: skip


@pytest.mark.parametrize(("made", "call"), MADE)
@pytest.mark.parametrize("helper", ["", "def f(n):\n    return g(n)\n"])
def test_a_default_of_a_function_that_is_made_when_the_program_is_called_has_mutants(
    made: str, call: str, helper: str, harness: Harness
) -> None:
    source = f"{helper}def {'g' if helper else 'f'}(n):\n{made}    return {call}\n"
    program = mutate(source, "f")
    found = {each.change: each.number for each in program.mutants}
    assert results(program.source, harness.mutate, 0) == results(source, "", 0)
    for near in ("43", "41"):
        expected = results(source.replace("42", near), "", 0)
        assert results(program.source, harness.mutate, found[f"42 → {near}"]) == expected
    assert len(witnesses(source, "f").mutants) == len(program.mutants)


@pytest.mark.parametrize(
    "source",
    [
        "def f(n):\n    def cut(n, most=42):\n        return min(n, most)\n    return cut(n, 7) + cut(n, most=n)\n",
        "def f(n):\n    cut = lambda n, most=42: min(n, most)\n    return cut(n, n)\n",
        "def f(n):\n    class Cut:\n        def __init__(self, most=42):\n            self.most = most\n"
        "        def of(self, n, most=42):\n            return min(n, most)\n    return Cut(n).of(n, n)\n",
    ],
)
def test_a_default_that_every_call_gives_another_value_has_none(source: str) -> None:
    assert not [each for each in mutate(source, "f").mutants if each.change.startswith("42")]
