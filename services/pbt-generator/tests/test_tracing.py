"""Tests of a package run once in the sandbox, and what they send becomes cases."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from pbt_generator.adapters.harness_texts import load_harness
from pbt_generator.domain.inputs.traced import Seen, TracedCall, read_trace
from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.domain.task.record import Subject
from pbt_generator.errors import SandboxRefusedError, SandboxUnavailableError
from pbt_generator.ports import ProgramRun, RunLimits
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite
from pbt_generator.usecases.serve import TaskDesk
from pbt_generator.usecases.tracing import CallTracer

RECORD = json.dumps(
    {
        "tests": {"passed": 4, "failed": 1},
        "functions": [{"file": "shelf/a.py", "name": "cut", "seen": 2, "kinds": {}, "calls": [{"a": '{"x":1}'}]}],
    }
).encode()


@dataclass
class Scripted:
    """Runs nothing; says what it was told to say."""

    run: ProgramRun = field(default_factory=lambda: ProgramRun("returned", "", RECORD, 2.5))
    refuse: tuple[str, ...] = ()
    broken: bool = False
    asked: list[tuple[str, ...]] = field(default_factory=list)
    runs: int = 0

    async def prepare(self, requirements: Sequence[str]) -> tuple[str, str]:
        self.asked.append(tuple(requirements))
        await asyncio.sleep(0)
        if requirements[0] in self.refuse:
            raise SandboxRefusedError("denied\nby a rule")
        return ("", "no wheel") if "no-wheel" in requirements[0] else ("environment", "")

    async def run_program(
        self, source: str, files: Mapping[str, bytes], left: str, environment: str, limits: RunLimits
    ) -> ProgramRun:
        if self.broken:
            raise SandboxUnavailableError("away")
        self.runs += 1
        assert (left, environment, files["tests.zip"]) == ("calls.json", "environment", b"archive")
        return self.run


def function(**source: object) -> dict[str, Any]:
    where = {"kind": "package", "name": "shelf", "version": "1.0", "source_version_id": "v", "tests_digest": "d"}
    return {"source": where | source, "path": "shelf-1.0/shelf/a.py", "qualname": "cut"}


@pytest.fixture
def tracer(blobs, traces):
    blobs.stored["d"] = b"archive"
    return lambda programs, most_s=60.0: CallTracer(programs, blobs, traces, "program", most_s)


async def test_a_version_is_traced_once_whoever_asks(tracer, traces) -> None:
    programs = Scripted()
    first = tracer(programs)
    found = await asyncio.gather(*(first.seen(function()) for _ in range(4)))
    assert {each.note for each in found} == {"tests ran: 4 passed, 1 failed"}
    assert found[0].calls == (TracedCall('{"x":1}'),) and programs.runs == 1
    assert traces.kept["v"][1:] == (2.5, "")
    # Another replica finds the record.
    assert (await tracer(programs).seen(function())) == found[0] and programs.runs == 1
    assert programs.asked == [("shelf[test,tests,testing]==1.0", "pytest")]


async def test_what_its_tests_need_may_be_missing(tracer) -> None:
    programs = Scripted(refuse=("shelf[test,tests,testing]==1.0",))
    assert (await tracer(programs).seen(function())).calls
    assert programs.asked[-1] == ("shelf==1.0", "pytest")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ({"tests_digest": ""}, "tests were not run: the source brings none"),
        ({"kind": "git"}, "tests were not run: a git cannot be installed from an index"),
        ({"name": "no-wheel"}, "tests were not run: not installed: no wheel"),
    ],
)
async def test_where_tests_cannot_run_the_record_says_so(tracer, source: dict[str, str], words: str) -> None:
    programs = Scripted()
    assert await tracer(programs).seen(function(**source)) == Seen(words)
    assert programs.runs == 0


async def test_it_can_be_switched_off(tracer) -> None:
    assert (await tracer(Scripted(), 0.0).seen(function())).note == "tests were not run: it is switched off"


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (ProgramRun("memory", "killed\x1b", None, 1.0), "tests left nothing: memory: killed"),
        (ProgramRun("returned", "", b"no record", 1.0), "tests left no record: it is no JSON"),
        (ProgramRun("timed_out", "", RECORD, 1.0), "tests ended early: timed_out; until then 4 passed, 1 failed"),
    ],
)
async def test_tests_that_end_badly_are_told(tracer, traces, run: ProgramRun, words: str) -> None:
    assert (await tracer(Scripted(run)).seen(function())).note == words
    assert traces.kept["v"][1] == 1.0


async def test_a_sandbox_that_is_away_is_no_answer(tracer, traces) -> None:
    with pytest.raises(SandboxUnavailableError):
        await tracer(Scripted(broken=True)).seen(function())
    assert traces.kept == {}


async def test_a_desk_asks_what_callers_send_before_it_decides(decisions, announcer, blobs) -> None:
    built: list[Subject] = []

    class Builder:
        async def build(self, subject: Subject) -> Refusal:
            built.append(subject)
            return Refusal(Reason.CONSTANT_OUTPUT, "")

    class Callers:
        async def seen(self, function: Mapping[str, Any]) -> Seen:
            return Seen(f"tests of {function['path']}")

    desk = TaskDesk(Builder(), "b", decisions, announcer, blobs, Callers())
    subject = Subject("f", "f", "f", "SC", "def f(x): return x")
    for _ in range(2):
        await desk.decide(subject, {"path": "a.py"})
    assert [each.seen.note for each in built] == ["tests of a.py"]


CUT = "def cut(text, size=3):\n    return text if len(text) <= size else text[:size] + '...'\n"


async def test_calls_that_were_seen_become_cases_and_their_results_are_compared(workshop: Workshop) -> None:
    calls = (
        TracedCall('{"text":"Zanzibar","size":5}', '"Zanzi..."'),
        TracedCall('{"text":"Ulm","size":4}', '"Ulm!"'),
        TracedCall('{"text":"Wien","size":3}', raised="ValueError"),
    )
    seen = Seen("tests ran: 3 passed", calls, {"text": "str (3)"})
    built = await build_suite(Candidate("c", "cut", "cut", CUT, (), "SC", seen=seen), workshop)
    assert isinstance(built, BuiltSuite), built.refusal.words
    told = built.certificate.inputs
    assert told.real == 3 and built.rank.count(0) == 3
    assert (told.traced.calls, told.traced.same, told.traced.other) == (3, 1, 1)
    assert built.certificate.to_dict()["inputs"]["traced"]["kinds"] == {"text": "str (3)"}


PACKAGE = '''
def cut(text, size=3):
    """Cut.

    >>> cut("doctest", 4)
    'doct'
    """
    if size < 0:
        raise ValueError(size)
    return text[:size]


def fold(*parts, last=None):
    return fold(*parts[1:]) + parts[0] if len(parts) > 1 else last or parts[0]


def rows(count):
    yield from range(count)


def count(table):
    return table["books"]


class Shelf:
    def __init__(self, width=3):
        self.width = width
        self._books = []
        self.made = object()
        self.note = "n" * 9000

    @staticmethod
    def place(book):
        return {"at": book}

    @classmethod
    def of(cls, book):
        return [book]

    def put(self, book):
        self._books.append(book)
        return len(self._books)
'''
TESTS = """
import pytest
from collections import OrderedDict, defaultdict, deque, namedtuple
from ..words import Shelf, count, cut, fold, rows

def test_cut():
    assert cut("abcdef") == "abc"
    with pytest.raises(ValueError):
        cut("x", -1)
    assert list(rows(2)) == [0, 1]

def test_more():
    assert fold("a", "b", last="z")
    assert Shelf.place((1, None)) == {"at": (1, None)}
    cut("y" * 9000)
    cut(object, 1) if False else None
    Shelf.place(object())
    shelf = Shelf(5)
    assert Shelf.of("a") == ["a"] and [shelf.put("a"), shelf.put("b")] == [1, 2]

def test_tables():
    assert count({"books": 1}) == 1
    assert count(defaultdict(int)) == 0
    assert count(defaultdict(None, books=2)) == 2
    assert count({"books": defaultdict(lambda: 8, kept=1)})
    assert count(OrderedDict(books=defaultdict(lambda: 8, kept=2)))
    assert count(OrderedDict(books=deque([defaultdict(lambda: 8, kept=3)])))
    assert count({"books": namedtuple("Row", "one")(defaultdict(lambda: 8, kept=4))})
    assert count(defaultdict(lambda: 7)) == 7

def test_fails():
    assert False
"""


PLUGINS = "pytest_plugins = ['unittest.mock']\n"


@pytest.fixture
def traced_package(tmp_path: Path):
    """Runs the program of the sandbox on a package of three files, in a process of its own; gives the record."""
    site, work = tmp_path / "site", tmp_path / "work"
    (site / "shelf").mkdir(parents=True)
    (site / "shelf" / "__init__.py").write_text("")
    (site / "shelf" / "words.py").write_text(PACKAGE)
    info = site / "shelf-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: shelf\nVersion: 1.0\n")
    (info / "RECORD").write_text("shelf/__init__.py,,\nshelf/words.py,,\n")
    work.mkdir()

    def packed(hang_s: float, conftest: str) -> bytes:
        made = BytesIO()
        with zipfile.ZipFile(made, "w") as archive:
            archive.writestr("shelf-1.0/src/shelf/tests/__init__.py", "")
            archive.writestr("shelf-1.0/src/shelf/tests/test_words.py", TESTS)
            archive.writestr("shelf-1.0/tests/conftest.py", conftest)
            archive.writestr("shelf-1.0/tests/test_broken.py", "import nosuch_helper\n")
            # A module, and a folder of data with its name.
            archive.writestr("shelf-1.0/src/shelf/tests/words.py", "")
            archive.writestr("shelf-1.0/src/shelf/tests/words/data.txt", "x")
            hang = f"import time\ndef test_hang():\n    time.sleep({hang_s})\n"
            archive.writestr("shelf-1.0/tests/test_zz.py", hang)
        return made.getvalue()

    def run(most_s: float, hang_s: float, name: str = "shelf", conftest: str = PLUGINS) -> dict[str, Any]:
        (work / "tests.zip").write_bytes(packed(hang_s, conftest))
        plan = {"distribution": name, "most_s": most_s, "write_s": 0.001}
        (work / "plan.json").write_text(json.dumps(plan))
        (work / "program.py").write_text(load_harness().trace)
        path = os.pathsep.join([str(site), *(each for each in sys.path if each)])
        subprocess.run(
            [sys.executable, "program.py"], cwd=work, env={"PYTHONPATH": path, "PATH": "/usr/bin:/bin"}, timeout=120,
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        trace = read_trace((work / "calls.json").read_bytes())
        return (
            {"problem": trace.problem, "note": trace.note}
            | {each.qualname: each for each in trace.functions}
            | {"tests": trace.tests}
        )

    return run


def test_the_program_of_the_sandbox_writes_down_what_tests_send(traced_package) -> None:
    found = traced_package(60.0, 0.0)
    assert found["tests"] == {"passed": 5, "failed": 1, "skipped": 0, "errors": 1}
    assert found["note"].endswith("(the first: ModuleNotFoundError: No module named 'nosuch_helper')")
    calls = {call.arguments: (call.result, bool(call.raised)) for call in found["cut"].calls}
    assert calls == {
        '{"text":"abcdef","size":3}': ('"abc"', False),
        '{"text":"x","size":-1}': ("", True),
        '{"text":"doctest","size":4}': ('"doct"', False),
    }
    assert [call.arguments for call in found["fold"].calls] == ['{"last":"z","parts":["a","b"]}']
    assert [call.result for call in found["Shelf.place"].calls] == ['{"at":{"$":"tuple","v":[1,null]}}']
    assert found["Shelf.place"].kinds == {"book": {"tuple": 1, "object": 1}}
    assert [(call.arguments, call.owner, call.result) for call in found["Shelf.put"].calls] == [
        ('{"self":{"width":5,"_books":[]},"book":"a"}', "self", "1"),
        ('{"self":{"width":5,"_books":["a"]},"book":"b"}', "self", "2"),
    ]
    assert [(call.arguments, call.owner) for call in found["Shelf.of"].calls] == [('{"book":"a"}', "")]
    assert [(call.arguments, call.owner) for call in found["Shelf.__init__"].calls] == [
        ('{"self":{},"width":5}', "self")
    ]
    # What a map of its own factory would answer is not written down: without it that is another input.
    factories = [json.loads(call.arguments)["table"].get("factory", "plain") for call in found["count"].calls]
    assert factories == ["plain", "int", None] and found["count"].seen == 8
    assert not {"rows", "Shelf", "test_cut"} & set(found)


def test_tests_that_take_too_long_leave_what_was_seen(traced_package) -> None:
    found = traced_package(20.0, 90.0)
    assert "cut" in found and found["tests"]["passed"] < 6


def test_a_program_that_cannot_begin_says_why(traced_package) -> None:
    problem = traced_package(8.0, 0.0, "nosuch")["problem"]
    assert problem.startswith("tests were not run: PackageNotFoundError") and "nosuch" in problem


def test_settings_of_tests_that_cannot_be_loaded_cost_those_tests_alone(traced_package) -> None:
    found = traced_package(60.0, 0.0, conftest="import nosuch_helper\n")
    assert found["tests"]["passed"] >= 3 and found["cut"].calls and "nosuch_helper" in found["note"]
