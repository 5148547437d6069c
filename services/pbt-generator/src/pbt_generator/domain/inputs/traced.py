"""What callers really sent, as it was seen while a package's own tests ran.

The tests are foreign code, and what they left is hostile: everything here is bounded and checked, and what does not
fit is left out. A forged call costs a case of its own task and nothing else: what the ground truth answers is found
out again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from touchstone_values import MalformedValueError, build, dump, parse

MOST_BYTES = 32 << 20
_MOST_FUNCTIONS = 4000
_MOST_CALLS = 30
_MOST_CHARACTERS = 4000
_MOST_KINDS = 6
_MOST_NAMES = 40
_NAME = 200
_ENDS = ("passed", "failed", "skipped", "errors")
# Forms that the generator can draw and change; arrays, tables and records of classes are counted and left.
_FORMS = frozenset(
    {"int", "float", "str", "tuple", "set", "frozenset", "bytes", "map", "ordered_map", "date", "datetime", "time",
     "timedelta", "decimal", "fraction", "complex"}
)  # fmt: skip


class MalformedTraceError(ValueError):
    """What came back is no record of calls."""


@dataclass(frozen=True)
class TracedCall:
    """One call, as portable texts: arguments by parameter, and the result where it has such a text.

    `raised` names what it raised, or says only that it did. `owner` names the parameter that brought a method's object:
    its argument is a map of the object's fields, those without a portable form left out.
    """

    arguments: str
    result: str = ""
    raised: str = ""
    owner: str = ""

    @property
    def values(self) -> dict[str, object] | None:
        """The arguments; None where one of them is of a form that is not drawn here."""
        tree = cast("dict[str, Any]", json.loads(self.arguments))
        held: Any = tree.get(self.owner)
        if isinstance(held, dict):
            tree[self.owner] = {name: part for name, part in cast("dict[str, Any]", held).items() if drawable(part)}
        if not all(map(drawable, tree.values())):
            return None
        try:
            return {name: build(part) for name, part in tree.items()}
        except MalformedValueError:
            return None


@dataclass(frozen=True)
class TracedFunction:
    """The calls of one function.

    Attributes:
        file: Where it lies in the installed package, with slashes.
        qualname: Its qualified name, `<locals>` included.
        seen: Calls that were looked at.
        calls: Different ones whose arguments are portable.
        kinds: Per parameter how often which type came.
    """

    file: str
    qualname: str
    seen: int
    calls: tuple[TracedCall, ...] = ()
    kinds: Mapping[str, Mapping[str, int]] = field(default_factory=dict[str, Mapping[str, int]])

    @property
    def kind_words(self) -> dict[str, str]:
        """Per parameter the types that callers sent, most frequent first."""
        return {
            name: ", ".join(
                f"{kind} ({count})" for kind, count in sorted(kinds.items(), key=lambda each: (-each[1], each[0]))
            )
            for name, kinds in self.kinds.items()
        }


@dataclass(frozen=True)
class Trace:
    """One run of a package's tests.

    Attributes:
        functions: What was called.
        tests: How many passed, failed, were skipped, and files that could not be collected (`errors`).
        problem: Why they were not run, or ended early; empty when they ran.
        first_error: Why the first file that could not be collected could not.
        cpu_s: CPU-seconds in the sandbox.
    """

    functions: tuple[TracedFunction, ...] = ()
    tests: Mapping[str, int] = field(default_factory=dict[str, int])
    problem: str = ""
    cpu_s: float = 0.0
    first_error: str = ""

    @property
    def note(self) -> str:
        """How it went, for people."""
        went = ", ".join(f"{count} {name}" for name, count in self.tests.items() if count)
        went += f" (the first: {self.first_error})" if went and self.first_error else ""
        if self.problem:
            return f"{self.problem}; until then {went}" if went else self.problem
        return f"tests ran: {went}" if went else "no test was found"

    def seen(self, path: str, qualname: str) -> Seen:
        """What was seen of one function.

        Args:
            path: Its file in the source, which may have folders above the package.
            qualname: Its qualified name.
        """
        ends = f"/{path}"
        for each in self.functions:
            if each.qualname == qualname and ends.endswith(f"/{each.file}"):
                return Seen(self.note, each.calls, each.kind_words)
        return Seen(self.note)

    def to_json(self) -> bytes:
        """The record as bytes that `read_trace` reads; functions beyond what it takes are left out.

        Texts grow when they are written in one form: what was left within bounds need not be within them here.
        """
        record: dict[str, Any] = {
            "tests": self.tests,
            "problem": self.problem,
            "cpu_s": self.cpu_s,
            "first_error": self.first_error,
            "functions": [],
        }
        room = MOST_BYTES - len(_written(record))
        for each in self.functions:
            calls = [
                {"a": call.arguments, "r": call.result, "e": call.raised, **({"o": call.owner} if call.owner else {})}
                for call in each.calls
            ]
            function = {
                "file": each.file,
                "name": each.qualname,
                "seen": each.seen,
                "kinds": each.kinds,
                "calls": calls,
            }
            room -= len(_written(function)) + len(", ")
            if room < 0:
                break
            record["functions"].append(function)
        return _written(record)


@dataclass(frozen=True)
class Seen:
    """What the tests of its package showed of one function; `note` says how they went, or why they did not run."""

    note: str = ""
    calls: tuple[TracedCall, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])


def read_trace(data: bytes) -> Trace:
    """The record of a run.

    Raises:
        MalformedTraceError: it is no such record.
    """
    if len(data) > MOST_BYTES:
        raise MalformedTraceError(f"longer than {MOST_BYTES} bytes")
    try:
        record: Any = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise MalformedTraceError("it is no JSON") from error
    if not isinstance(record, dict):
        raise MalformedTraceError("it is no object")
    fields = cast("dict[str, Any]", record)
    counted = dict(_pairs(fields.get("tests")))
    tests = {name: counted[name] for name in _ENDS if _is_count(counted.get(name))}
    cpu_s = fields.get("cpu_s", 0.0)
    return Trace(
        tuple(_functions(fields.get("functions"))),
        tests,
        _text(fields.get("problem"), 400),
        float(cpu_s) if isinstance(cpu_s, int | float) and 0 <= cpu_s < 1e6 else 0.0,
        _text(fields.get("first_error"), 200),
    )


def _written(node: Mapping[str, Any]) -> bytes:
    return json.dumps(node, sort_keys=True).encode()


def _functions(listed: Any) -> Iterator[TracedFunction]:
    for each in cast("list[Any]", listed)[:_MOST_FUNCTIONS] if isinstance(listed, list) else ():
        if not isinstance(each, dict):
            continue
        entry = cast("dict[str, Any]", each)
        file, name = _text(entry.get("file"), _NAME), _text(entry.get("name"), _NAME)
        seen: Any = entry.get("seen")
        if file and name and _is_count(seen):
            yield TracedFunction(file, name, seen, tuple(_calls(entry.get("calls"))), dict(_kinds(entry.get("kinds"))))


def _calls(listed: Any) -> Iterator[TracedCall]:
    for each in cast("list[Any]", listed)[:_MOST_CALLS] if isinstance(listed, list) else ():
        if not isinstance(each, dict):
            continue
        call = cast("dict[str, Any]", each)
        arguments = _portable(call.get("a"))
        tree: Any = json.loads(arguments) if arguments else None
        if isinstance(tree, dict) and all(map(str.isidentifier, cast("dict[str, Any]", tree))):
            owner = _text(call.get("o"), 80)
            known = owner if isinstance(cast("dict[str, Any]", tree).get(owner), dict) else ""
            yield TracedCall(arguments, _portable(call.get("r")), _text(call.get("e"), 80), known)


def _kinds(listed: Any) -> Iterator[tuple[str, dict[str, int]]]:
    for name, kinds in _pairs(listed)[:_MOST_NAMES]:
        if name.isidentifier():
            found = {_text(kind, 80): count for kind, count in _pairs(kinds)[:_MOST_KINDS] if _is_count(count)}
            yield name[:_NAME], {kind: count for kind, count in found.items() if kind}


def _pairs(node: Any) -> list[tuple[str, Any]]:
    return list(cast("dict[str, Any]", node).items()) if isinstance(node, dict) else []


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 40


def _text(value: Any, most: int) -> str:
    """A text in one line; empty where it is none or holds what cannot be printed."""
    return value[:most] if isinstance(value, str) and value[:most].isprintable() else ""


def _portable(value: Any) -> str:
    """A portable text in its canonical writing; empty where it is none, or too long."""
    if not isinstance(value, str) or not 0 < len(value) <= _MOST_CHARACTERS:
        return ""
    try:
        return dump(parse(value))
    except (MalformedValueError, RecursionError):
        return ""


def drawable(node: Any) -> bool:
    if isinstance(node, list):
        return all(map(drawable, cast("list[Any]", node)))
    if not isinstance(node, dict):
        return True
    fields = cast("dict[str, Any]", node)
    form = fields.get("$")
    if form is None:
        return all(map(drawable, fields.values()))
    if form in ("map", "ordered_map"):
        return all(drawable(part) for pair in fields["v"] for part in pair)
    if form in ("tuple", "set", "frozenset"):
        return all(map(drawable, fields["v"]))
    return form in _FORMS


def sent(calls: Sequence[TracedCall]) -> Iterator[tuple[TracedCall, dict[str, object]]]:
    """The calls whose arguments can be drawn here, with their values."""
    for call in calls:
        values = call.values
        if values is not None:
            yield call, values


__all__ = ["MalformedTraceError", "Seen", "Trace", "TracedCall", "TracedFunction", "read_trace", "sent"]
