"""Wrong programs that stand in for the code under test: a test that does not fail on them says nothing.

A test counts when it fails on code of the wrong kind: on code that always returns the same, gives its argument back,
or only raises, and on code that does nearly what the code under test does. For cases as data most of this needs no
run at all: what such a stub returns is known. For programs the stub is put in the place of the code.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import cast

from annotator.domain.execution import CaseRun, Report
from annotator.domain.program import Case
from annotator.domain.stub_statements import CALLED, SAME, statements
from annotator.domain.subject import ASYNCHRONOUS, Subject
from touchstone_values import compare

_CONSTANTS = ("null", "true", "false", "0", "1", "-1", '""', "[]", "{}")
_MAX_LITERALS = 6
_EXPECTS_RAISING = re.compile(r"\bassertRaises|\braises\s*\(|\bexcept\b")


# What the program says in the end that gives other results than the code (`harness/another.py`).
_ANOTHER, _NOTHING = "StubGaveAnother", "StubGaveNothing"


@dataclass(frozen=True, slots=True)
class StubRuns:
    """What a stub gives for each case.

    Attributes:
        kind: What the stub is, in words for the record.
        constant: What it gives for every case, a portable value; empty where it gives no constant.
    """

    kind: str
    runs: tuple[CaseRun, ...]
    constant: str = ""

    @property
    def raises(self) -> bool:
        """Whether it gives nothing back."""
        return all(run.outcome == "raised" for run in self.runs)


@dataclass(frozen=True, slots=True)
class StubProgram:
    """A subject whose code was replaced by a stub.

    Attributes:
        kind: What the stub is, in words for the record.
        of_kind: Whether it gives what is of the kind of the code's own result, where it compiles.
        tells: Whether it says in the end whether it could.
    """

    kind: str
    subject: Subject
    of_kind: bool = False
    tells: bool = False

    def gave_other(self, report: Report) -> bool:
        """Whether it gave anything else than the code: only then does it say something of a test that it passes."""
        return not self.tells or _ANOTHER in _told(report)

    def gave_of_kind(self, report: Report) -> bool:
        """Whether a test met another result of the kind of the code's own one.

        Where the code gives nothing at all, stubs that always do stand for that kind: they lack its effects.
        """
        if self.tells:
            told = _told(report)
            return _ANOTHER in told or (_NOTHING in told and SAME not in told)
        return self.of_kind and not report.detail.startswith("compile_error") and SAME not in report.output


def stub_runs(cases: Sequence[Case], runs: Sequence[CaseRun]) -> tuple[StubRuns, ...]:
    """How each stub would have answered the cases.

    Args:
        cases: The test.
        runs: What the code under test really gave; stubs near to it are made from its results.
    """
    found = [
        StubRuns(f"always returns {text[:60]}", tuple(CaseRun("returned", text) for _ in cases), text)
        for text in _constants(cases, runs)
    ]
    arguments = [_arguments(case.arguments) for case in cases]
    for place in dict.fromkeys(name for each in arguments for name in each):
        values = tuple(CaseRun("returned", each.get(place, "null")) for each in arguments)
        found.append(StubRuns(f"returns its argument {place}", values))
    raised = dict.fromkeys([CALLED, *(case.expected for case in cases if case.kind == "raises")])
    found.extend(
        StubRuns(f"always raises {name}", tuple(CaseRun("raised", error_type=name) for _ in cases)) for name in raised
    )
    for kind, change in (("one short", _short), ("turned round", _turned), ("one off", _off)):
        near = tuple(_changed(run, change) for run in runs)
        # A stub that answers every case like the code itself is no stub.
        if any(_differs(one, other) for one, other in zip(near, runs, strict=True)):
            found.append(StubRuns(f"returns the code's own result, {kind}", near))
    return tuple(found)


def stub_programs(subject: Subject, tests: str) -> tuple[StubProgram, ...]:
    """The code replaced by each stub, for a program with assertions; the first one only raises.

    Args:
        subject: The code under test.
        tests: The assertions; their literals are the constants that a stub could have learnt by heart.
    """
    if subject.language == "python":
        return _python_stubs(subject, tests) if subject.entry_point else ()
    if not subject.body:
        return ()
    before, after = subject.code[: subject.body], subject.code[subject.body :]
    # The body of an arrow may be an expression, and that of the stub stands in its place.
    opening, closing = (" true ? (() => {", "})() : ") if before.endswith("=>") else ("", "")
    return tuple(
        StubProgram(
            each.kind,
            replace(subject, code=f"{before}{opening}{each.text}{closing}{after}{each.beside}"),
            each.of_kind,
        )
        for each in statements(subject)
    )


def stand_in(subject: Subject, other: Subject) -> Subject | None:
    """Another code under the names by which tests call the code under test; None where it cannot stand there.

    Args:
        subject: The code under test.
        other: A code of the same language that was found for another query.
    """
    fits = other.entry_point and subject.entry_point and len(other.parameters) == len(subject.parameters)
    if not fits or bool(other.owner) != bool(subject.owner):
        return None
    if subject.language == "python":
        called = "" if other.entry_point == subject.entry_point else f"\n\n{subject.entry_point} = {other.entry_point}"
        code = f"{other.code}{called}"
    else:
        names = {other.entry_point: subject.entry_point, other.owner: subject.owner}
        words = "|".join(re.escape(name) for name in names if name)
        code = re.sub(rf"(?<![\w$])(?:{words})(?![\w$])", lambda found: names[found[0]], other.code)
    imports = tuple(dict.fromkeys((*subject.imports, *other.imports)))
    return replace(other, code=code, entry_point=subject.entry_point, owner=subject.owner, imports=imports)


def _constants(cases: Sequence[Case], runs: Sequence[CaseRun]) -> tuple[str, ...]:
    # As many as there are cases, twice, and the usual ones: of any length, since a long result is learnt by heart as
    # easily as a short one.
    told = [case.expected for case in cases if case.kind == "value"]
    given = [run.value for run in runs if run.outcome == "returned"]
    return tuple(dict.fromkeys([*told, *given, *_CONSTANTS]))


def _arguments(text: str) -> dict[str, str]:
    """Each argument by its place or name, as a portable value."""
    found: object = json.loads(text)
    items: Iterable[tuple[object, object]]
    if isinstance(found, dict):
        items = cast("dict[object, object]", found).items()
    else:
        items = enumerate(cast("list[object]", found), 1)
    return {str(name): json.dumps(value, separators=(",", ":")) for name, value in items}


def _changed(run: CaseRun, change: object) -> CaseRun:
    if run.outcome != "returned" or not callable(change):
        return run
    try:
        value = json.loads(run.value)
    except ValueError:
        return run
    return replace(run, value=json.dumps(change(value), separators=(",", ":")))


def _short(value: object) -> object:
    inner = _inner(value)
    if isinstance(inner, str | list) and inner:
        return _with_inner(value, cast("str | list[object]", inner)[:-1])
    if isinstance(inner, dict) and inner and "$" not in inner:
        fields = cast("dict[str, object]", inner)
        return {name: fields[name] for name in list(fields)[:-1]}
    return value


def _turned(value: object) -> object:
    inner = _inner(value)
    if isinstance(inner, bool):
        return not inner
    if isinstance(inner, str | list):
        return _with_inner(value, cast("str | list[object]", inner)[::-1])
    if isinstance(inner, int | float):
        return -inner
    return value


def _off(value: object) -> object:
    inner = _inner(value)
    if isinstance(inner, bool):
        return value
    if isinstance(inner, int | float):
        return inner + 1
    if isinstance(inner, str):
        return f"{inner} "
    if isinstance(inner, list):
        return _with_inner(value, [*cast("list[object]", inner), None])
    return value


def _inner(value: object) -> object:
    if isinstance(value, dict) and cast("dict[str, object]", value).get("$") == "tuple":
        return cast("dict[str, object]", value).get("v")
    return cast("object", value)


def _with_inner(value: object, inner: object) -> object:
    return {"$": "tuple", "v": inner} if isinstance(value, dict) else inner


def _differs(one: CaseRun, other: CaseRun) -> bool:
    return one.value != other.value and compare(other.value, one.value, "portable") is not None


def _python_stubs(subject: Subject, tests: str) -> tuple[StubProgram, ...]:
    name = subject.entry_point
    waits, awaited = ("async ", "await ") if subject.obstacle == ASYNCHRONOUS else ("", "")
    bodies = [("only raises", f"class {CALLED}(BaseException):\n    pass\n\n", f"raise {CALLED}")]
    bodies += [(f"always returns {text[:60]}", "", f"return {text}") for text in _literals(tests)]
    bodies.append(("returns its argument", "", "return (list(args) + list(kwargs.values()) + [None])[0]"))
    head = f"{waits}def {name}(*args, **kwargs):\n    "
    stubs = [StubProgram(kind, replace(subject, code=f"{before}{head}{body}")) for kind, before, body in bodies]
    # In a namespace of its own, so that no name of the code's or the test's means something else there.
    beside = f"_code_itself, _other_results = {name}, {{}}\nexec({_another()!r}, _other_results)"
    # What gives nothing at all and raises where it is asked to may be all that is wished for.
    for text in (each for each in _literals(tests) if _EXPECTS_RAISING.search(tests) and each != "None"):
        asked = f"{awaited}_code_itself(*map(_other_results['copied'], args), **_other_results['copied'](kwargs))"
        code = f"{subject.code}\n\n{beside}\n\n{head}{asked}\n    return {text}"
        stubs.append(StubProgram(f"raises as the code does, and else returns {text[:60]}", replace(subject, code=code)))
    for kind, turned in (("one short or one off", False), ("turned round", True)):
        body = f"kept = {awaited}_code_itself(*args, **kwargs)\n    return _other_results['another'](kept, {turned})"
        code = f"{subject.code}\n\n{beside}\n\n{head}{body}"
        changed = f"returns the code's own result, {kind}"
        stubs.append(StubProgram(changed, replace(subject, code=code), tells=True))
    return tuple(stubs)


@cache
def _another() -> str:
    """What gives other results beside the code, read as text: this process never imports it."""
    return (files("annotator") / "harness" / "another.py").read_text("utf-8")


def _told(report: Report) -> list[str]:
    """What a stub says in its last line."""
    return (report.output.splitlines() or [""])[-1].split()


def _literals(tests: str) -> tuple[str, ...]:
    """Constants that a stub could give: the usual ones, and those that the assertions name."""
    found: dict[str, None] = {}
    try:
        tree = ast.parse(tests)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.Module([], [])
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                text = _literal(side)
                if text and len(found) < _MAX_LITERALS:
                    found.setdefault(text)
    return tuple(dict.fromkeys([*found, "None", "True", "0", '""', "[]", "()", "{}", "set()"]))


def _literal(node: ast.expr) -> str:
    """A literal as Python writes it; empty for all else, and for what is nested too deeply to be written."""
    try:
        ast.literal_eval(node)
        return ast.unparse(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return ""
