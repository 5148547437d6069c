"""What of a repaired Python test is taken: whatever its expectations reach stays what it was.

Setup and tests are read statement by statement. A statement that does something stays as it is, and so does what a
name stands for that such a statement, the code under test, or what they reach, uses. What an error says is lacking
may be supplied: a name that stood for nothing, an import that failed, an attribute, a file. All else that is new may
only be imports and names of its own, which touch nothing that was there.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections import Counter
from dataclasses import dataclass

from annotator.domain.fault import Fault
from annotator.domain.repair_additions import Known, adds, grown, harmless, idle
from annotator.domain.repair_calls import STAND_INS, Look, awaits, read, same_calls
from annotator.domain.repair_units import Unit, bindings, parsed, units
from annotator.domain.subject import Subject

_WORD = re.compile(r"[A-Za-z_]\w*")
# What a closed bracket or a colon mends: all but such signs stays.
_SIGNS = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|[^\s()\[\]{},:\\]")
_IMPORT = re.compile(r"^(?:import|from)[ \t][^\n]*\n?", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Parts:
    """The two parts of a test."""

    setup: str
    tests: str


def taken(first: Parts, before: Parts, after: Parts, subject: Subject, fault: Fault) -> Parts:
    """What is taken of a repair: of a part that changes an expectation only imports and new names.

    Args:
        first: The test as it was written; what repairs supplied since may be supplied otherwise.
        before: The test that was run last.
        after: The repaired test.
        subject: The code under test.
        fault: What the last run lacked.
    """
    if after == before:
        return before
    try:
        return _Repair(first, before, subject, fault).taken(after)
    except (RecursionError, MemoryError):
        # What is nested too deeply to be read is not to be compared either.
        return before


class _Repair:
    def __init__(self, first: Parts, before: Parts, subject: Subject, fault: Fault) -> None:
        self._before, self._fault = before, fault
        old = {"setup": units(before.setup), "tests": units(before.tests)}
        self._old = old
        every = [unit for part in old.values() for unit in part or []]
        self._waits = any(awaits(unit.node, subject.entry_point) for unit in every)
        texts = frozenset(
            node.value
            for unit in every
            for node in ast.walk(unit.node)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        )
        path, undefined = fault.file, fault.undefined
        self._old_look = Look(subject.entry_point, path=path, makers=undefined)
        self._new_look = Look(
            subject.entry_point,
            awaits=self._waits,
            path=path,
            kept=texts,
            lacking=fault.attributes,
            makers=undefined | STAND_INS if undefined else frozenset(),
        )
        written = [*(units(first.setup) or []), *(units(first.tests) or [])]
        own, texts_of_first = {name for unit in written for name in unit.names}, {unit.text for unit in written}
        self._loose = frozenset(
            name for unit in every if unit.text not in texts_of_first for name in unit.names if name not in own
        )
        self._freed = frozenset(name for unit in every if _failed(unit, fault) for name in unit.names)
        texts_of = {"setup": before.setup, "tests": before.tests}
        unread = "\n".join(texts_of[name] for name, part in old.items() if part is None)
        self._reached = _reached(every, subject, unread)
        self._times = Counter(name for unit in every for name in unit.names)
        there = {name for unit in every for name in unit.names} | _names_of(subject)
        kept = [
            unit for unit in every if isinstance(unit.node, ast.Assign | ast.AnnAssign) and not _constant(unit.node)
        ]
        self._known = Known(
            names=frozenset((there - self._loose - self._freed) | set(dir(builtins)) | {subject.entry_point}),
            values=frozenset(name for unit in kept for name in unit.names),
            entry_point=subject.entry_point,
        )

    def taken(self, after: Parts) -> Parts:
        setup = self._part("setup", self._before.setup, after.setup)
        tests = self._part("tests", self._before.tests, after.tests)
        if setup is None:
            setup = self._additions(after.setup)
        return Parts(setup, self._before.tests if tests is None else tests)

    def _part(self, name: str, before: str, after: str) -> str | None:
        """A repaired part, where it keeps what it must keep."""
        if before == after:
            return after
        old, new = self._old[name], units(after)
        if new is None:
            return None
        if old is None:
            # It stood for nothing, since it could not be read; what it says must be what it said.
            return after if name == "setup" and _signs(before) == _signs(after) else None
        return after if self._keeps(old, new) else None

    def _keeps(self, old: list[Unit], new: list[Unit]) -> bool:
        required = [unit for unit in old if not idle(unit.node) and not self._free(unit)]
        loose_order = [unit for unit in required if self._anywhere(unit)]
        waiting = [unit for unit in required if not self._anywhere(unit)]
        for unit in new:
            if idle(unit.node):
                continue
            if waiting and self._same(waiting[0], unit):
                waiting.pop(0)
                continue
            match = next((each for each in loose_order if self._same(each, unit)), None)
            if match is not None:
                loose_order.remove(match)
            elif not self._repeats(unit, old) and not self._replaces(unit, old) and not self._adds(unit):
                return False
        return not waiting and not loose_order

    def _additions(self, after: str) -> str:
        """The setup as it was, with what a repaired one adds to it and supplies anew."""
        old, new = self._old["setup"], units(after)
        if old is None or new is None:
            return self._before.setup
        added = [unit for unit in new if not idle(unit.node) and (self._replaces(unit, old) or self._adds(unit))]
        added = [unit for unit in added if not any(each.text == unit.text for each in old)]
        if not added:
            return self._before.setup
        named = {name for unit in added for name in unit.names}
        kept = [unit for unit in old if not (unit.names and unit.names <= named and self._free(unit))]
        theirs = {name for unit in kept for name in unit.names}
        front = [unit for unit in added if not theirs & bindings(unit.node)[1]]
        back = [unit for unit in added if unit not in front]
        return "\n".join(unit.text for unit in (*front, *kept, *back))

    def _free(self, unit: Unit) -> bool:
        """Whether nothing that is expected depends on what a unit's names stand for."""
        return bool(unit.names) and all(
            name in self._loose or name in self._freed or name not in self._reached for name in unit.names
        )

    def _anywhere(self, unit: Unit) -> bool:
        """Whether it does not matter where a unit stands."""
        return unit.declares and all(self._times[name] == 1 for name in unit.names)

    def _same(self, old: Unit, new: Unit) -> bool:
        if old.text == new.text:
            return True
        if isinstance(old.node, ast.Import | ast.ImportFrom):
            return False
        one, its = read(old.node, self._old_look)
        other, others = read(new.node, self._new_look)
        return (one == other and same_calls(its, others, self._fault)) or grown(old.node, new.node, self._fault)

    def _repeats(self, unit: Unit, old: list[Unit]) -> bool:
        return isinstance(unit.node, ast.Import | ast.ImportFrom) and any(each.text == unit.text for each in old)

    def _replaces(self, unit: Unit, old: list[Unit]) -> bool:
        """Whether a unit says anew what names stand for of which nothing depends, or that stood for nothing."""
        theirs = {name for each in old if self._free(each) for name in each.names}
        return bool(unit.names) and unit.names <= theirs and harmless(unit.node, self._known)

    def _adds(self, unit: Unit) -> bool:
        return adds(unit, self._known, self._fault)


def _failed(unit: Unit, fault: Fault) -> bool:
    """Whether a unit is an import that failed: what it names stood for nothing."""
    match unit.node:
        case ast.Import(names=[alias]):
            return any(alias.name == module or alias.name.startswith(f"{module}.") for module in fault.modules)
        case ast.ImportFrom(module=module, names=[alias]):
            lacks = any((module or "") == each or (module or "").startswith(f"{each}.") for each in fault.modules)
            return lacks or (module or "", alias.name) in fault.members
        case _:
            return False


def _reached(every: list[Unit], subject: Subject, unread: str) -> frozenset[str]:
    """Names that something uses on which an expectation depends."""
    waiting = {*_WORD.findall(subject.code), *_WORD.findall(unread), subject.entry_point}
    for unit in every:
        if not unit.names or _does(unit.node):
            waiting |= unit.names | bindings(unit.node)[1]
    found: set[str] = set()
    while waiting:
        found |= waiting
        waiting = {name for unit in every if unit.names & found for name in bindings(unit.node)[1]} - found
    return frozenset(found)


def _constant(node: ast.Assign | ast.AnnAssign) -> bool:
    return isinstance(node.value, ast.Constant)


def _does(node: ast.stmt) -> bool:
    """Whether naming something may do more than that."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return any(isinstance(each, ast.Call) for each in ast.walk(node))
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and bool(node.decorator_list)


def _names_of(subject: Subject) -> set[str]:
    """Names that the code and the imports before it stand for."""
    tree = parsed("\n".join((*subject.imports, subject.code)))
    return {name for node in tree.body for name in bindings(node)[0]} if tree else set()


def _signs(text: str) -> list[str]:
    return _SIGNS.findall(_IMPORT.sub("", text))
