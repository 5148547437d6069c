"""Fakes that implement the service's ports, as fixtures."""

from __future__ import annotations

import ast
import asyncio
import atexit
import functools
import hashlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import touchstone_values as values
from pbt_generator.adapters.harness_texts import load_harness
from pbt_generator.adapters.store import storable_decision
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.domain.foreign import IMPORTERS
from pbt_generator.domain.refusals import Refusal
from pbt_generator.domain.task.record import AMENDED, BuiltTask, Subject
from pbt_generator.domain.trial import Trial
from pbt_generator.ports import (
    CaseOutcome,
    CasesResult,
    Failure,
    ForeignProgram,
    Harness,
    Judgement,
    ReleaseRow,
    RunLimits,
)
from pbt_generator.usecases.build import Candidate, Workshop
from pbt_generator.usecases.serve import Decision, StoredRefusal, StoredTask
from touchstone_contracts.suite import Suite
from touchstone_runtime.storable import storable

RUNNER = Path(__file__).with_name("case_runner.py")


def pytest_addoption(parser: pytest.Parser) -> None:
    """How many random programs the proofs are held against."""
    parser.addoption("--programs", type=int, default=120)


@functools.cache
def runner(hash_seed: int) -> str:
    """Starts what runs programs with this seed of hashes; gives the address of its socket."""
    folder = tempfile.mkdtemp()
    address = str(Path(folder) / "socket")
    environment = {
        "PYTHONHASHSEED": str(hash_seed),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PATH": "/usr/bin:/bin",
    }
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen(64)
        child = subprocess.Popen(
            [sys.executable, str(RUNNER), str(listener.fileno())], env=environment, pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def end() -> None:
        child.kill()
        child.wait()
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(end)
    return address


async def run_in_child(request: bytes, hash_seed: int, timeout_s: float) -> bool:
    """Runs a program in a process of its own; whether it ended in time."""
    reader, writer = await asyncio.open_unix_connection(runner(hash_seed))
    child = 0
    try:
        writer.write(request)
        writer.write_eof()
        child = int(await reader.readline())
        ended = await asyncio.wait_for(reader.read(), timeout_s)
        child = 0
        return not ended
    except TimeoutError:
        return False
    finally:
        if child:
            # What it forked goes with it: a program that never ends would take a core from all later tests.
            os.killpg(child, signal.SIGKILL)
            await reader.read()
        writer.close()


class ChildSandbox:
    """Runs programs of the tests in a child process without any isolation; only trusted ones may come here."""

    def __init__(self, offered: tuple[str, ...] = ("python",)) -> None:
        self.offered = offered
        self.jobs = 0
        self.programs: list[ForeignProgram] = []

    async def run_cases(
        self, program: ForeignProgram, inputs: Sequence[str], *, limits: RunLimits, hash_seed: int = 1, stop: int = 0
    ) -> CasesResult:
        self.jobs += 1
        self.programs.append(program)
        request = {"source": program.source, "entry_point": program.entry_point, "inputs": list(inputs), "stop": stop}
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "answer.json"
            body = json.dumps({**request, "answer": str(path)}).encode("utf-8", "surrogatepass")
            if not await run_in_child(body, hash_seed, limits.total_timeout_s or 60):
                return CasesResult((CaseOutcome("timed_out"),) * len(inputs), 0.0)
            if not path.exists():
                return CasesResult((CaseOutcome("exited"),) * len(inputs), 0.0)
            answer = json.loads(path.read_bytes())
        outcomes = [CaseOutcome(*outcome) for outcome in answer["outcomes"]]
        outcomes += [CaseOutcome("exited")] * (len(inputs) - len(outcomes))
        return CasesResult(tuple(outcomes), answer["cpu_s"])

    async def judge(
        self,
        program: ForeignProgram,
        suite: bytes,
        *,
        limits: RunLimits,
        hash_seed: int = 1,
        stop_after_failures: int = 0,
    ) -> Judgement:
        cases = Suite.from_bytes(suite)
        result = await self.run_cases(
            program,
            [case.arguments for case in cases.cases],
            limits=limits,
            hash_seed=hash_seed,
            stop=stop_after_failures,
        )
        failures: list[Failure] = []
        for index, (case, outcome) in enumerate(zip(cases.cases, result.outcomes, strict=True)):
            if outcome.outcome != "returned":
                failures.append(Failure(index, outcome.outcome, f"{outcome.error_type}: {outcome.error_message}"))
            else:
                difference = values.compare(case.expected, outcome.value, cases.comparison)
                if difference is not None:
                    failures.append(Failure(index, "wrong_output", str(difference)))
        verdict = failures[0].outcome if failures else "passed"
        return Judgement(
            verdict, len(cases.cases), len(cases.cases) - len(failures), tuple(failures[:50]), result.cpu_s
        )

    async def languages(self) -> tuple[str, ...]:
        return self.offered


class MemoryBlobs:
    """A blob store in memory."""

    def __init__(self) -> None:
        self.stored: dict[str, bytes] = {}

    async def put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.stored[digest] = data
        return digest

    async def get(self, digest: str) -> bytes:
        return self.stored[digest]


class MemoryDecisions:
    """Decisions in memory; see `Decisions`."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], tuple[str, Decision, dict[str, Any]]] = {}
        self.notes: dict[str, str] = {}

    async def find(self, function_id: str, builder: str) -> Decision | None:
        found = self.kept.get((function_id, builder))
        return found and found[1]

    async def save(
        self, function_id: str, builder: str, kind: str, decision: Decision, function: dict[str, Any], cpu_s: float
    ) -> Decision:
        return self.kept.setdefault((function_id, builder), (kind, storable_decision(decision), function))[1]

    def _stored(self) -> list[StoredTask]:
        return [
            StoredTask(decision, function, self.notes.get(decision.task_id, ""))
            for _, decision, function in self.kept.values()
            if isinstance(decision, BuiltTask)
        ]

    async def tasks(self, kind: str = "", limit: int = 0, *, imported: bool = False) -> list[StoredTask]:
        asked = {
            decision.task_id
            for (_, builder), (_, decision, _) in self.kept.items()
            if isinstance(decision, BuiltTask) and builder.startswith(IMPORTERS) is imported
        }
        stored = [each for each in self._stored() if each.task.task_id in asked]
        standing = [each for each in stored if not each.retracted and kind in ("", each.task.kind)]
        return standing[: limit or None]

    async def refusals(self, reason: str = "", limit: int = 0) -> list[StoredRefusal]:
        found = [
            StoredRefusal(kind, decision, function)
            for kind, decision, function in self.kept.values()
            if isinstance(decision, Refusal) and reason in ("", decision.reason.value)
        ]
        return found[::-1][: limit or None]

    async def retracted(self) -> list[tuple[str, str]]:
        return sorted((each.task.task_id, each.retracted) for each in self._stored() if each.retracted)

    async def matching(self, prefix: str) -> list[StoredTask]:
        found = [each for each in self._stored() if each.task.task_id.startswith(prefix)]
        return sorted(found, key=lambda each: each.task.task_id)[:2]

    async def retract(self, task_id: str, reason: str) -> str:
        return self.notes.setdefault(task_id, storable(reason))

    async def supersede(
        self, task_id: str, note: str, builder: str, task: BuiltTask, function: dict[str, Any]
    ) -> BuiltTask | None:
        if not any(each.task.task_id == task_id and not each.retracted for each in self._stored()):
            return None
        self.notes[task_id] = note
        kept = self.kept.setdefault((task.function_id, builder), (task.kind, task, function))[1]
        return kept if isinstance(kept, BuiltTask) else None

    async def amended(self) -> list[StoredTask]:
        asked = {
            decision.task_id
            for (_, builder), (_, decision, _) in self.kept.items()
            if isinstance(decision, BuiltTask) and AMENDED in builder and not builder.startswith(IMPORTERS)
        }
        return [each for each in self._stored() if each.task.task_id in asked and not each.retracted]

    async def counts(self) -> dict[str, int]:
        return dict(
            Counter(
                decision.reason.value
                if isinstance(decision, Refusal)
                else ("retracted" if decision.task_id in self.notes else "tasks")
                for (_, builder), (_, decision, _) in self.kept.items()
                if not builder.startswith(IMPORTERS)
            )
        )


class MemoryKillPatterns:
    """Kill patterns in memory; see `KillPatterns`."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, int], str] = {}

    async def find(self, task_id: str, version: int) -> str:
        return self.kept.get((task_id, version), "")

    async def save(self, task_id: str, version: int, digest: str) -> None:
        self.kept.setdefault((task_id, version), digest)


class MemoryTraces:
    """Traces in memory; see `Traces`."""

    def __init__(self) -> None:
        self.kept: dict[str, tuple[str, float, str]] = {}

    async def find(self, version_id: str) -> str:
        return self.kept.get(version_id, ("", 0.0, ""))[0]

    async def save(self, version_id: str, digest: str, cpu_s: float, problem: str) -> None:
        self.kept.setdefault(version_id, (digest, cpu_s, problem))


class MemoryTrials:
    """Trials in memory; see `Trials`."""

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], tuple[Trial, str]] = {}

    async def save(self, trial: Trial, digest: str) -> None:
        self.kept[trial.task_id, trial.model] = trial, digest

    async def solved_by(self) -> dict[str, dict[str, str]]:
        found: dict[str, dict[str, str]] = {}
        for (task_id, model), (trial, _) in sorted(self.kept.items()):
            found.setdefault(task_id, {})[model] = trial.words
        return found


class MemoryReleases:
    """Releases in memory; see `Releases`."""

    def __init__(self, decisions: MemoryDecisions) -> None:
        self._decisions = decisions
        self.kept: dict[str, tuple[ReleaseRow, tuple[str, ...]]] = {}

    async def save(self, row: ReleaseRow, task_ids: Sequence[str]) -> tuple[ReleaseRow, bool]:
        new = row.name not in self.kept
        self.kept.setdefault(row.name, (replace(row, created_at="2026-01-01T00:00:00+00:00"), tuple(task_ids)))
        found = await self.find(row.name)
        assert found
        return found, new

    async def find(self, name: str) -> ReleaseRow | None:
        if name not in self.kept:
            return None
        row, task_ids = self.kept[name]
        notes = self._decisions.notes
        return replace(row, retractions={task_id: notes[task_id] for task_id in task_ids if task_id in notes})

    async def all(self) -> list[ReleaseRow]:
        return [row for name in self.kept if (row := await self.find(name))]

    async def holding(self, task_id: str) -> list[str]:
        return sorted(name for name, (_, task_ids) in self.kept.items() if task_id in task_ids)


class RecordingAnnouncer:
    """Remembers what was announced; see `Announcer`."""

    def __init__(self) -> None:
        self.said: list[tuple[str, ...]] = []

    async def built(self, task: BuiltTask, function: dict[str, Any], *, again: bool = False) -> None:
        self.said.append(("again" if again else "built", task.task_id))

    async def refused(self, subject: Subject, refusal: Refusal) -> None:
        self.said.append(("refused", subject.function_id, refusal.reason.value))

    async def retracted(self, task_id: str, reason: str) -> None:
        self.said.append(("retracted", task_id, reason))


@pytest.fixture
def decisions() -> MemoryDecisions:
    return MemoryDecisions()


@pytest.fixture
def announcer() -> RecordingAnnouncer:
    return RecordingAnnouncer()


@pytest.fixture
def releases(decisions: MemoryDecisions) -> MemoryReleases:
    return MemoryReleases(decisions)


@pytest.fixture
def traces() -> MemoryTraces:
    return MemoryTraces()


@pytest.fixture
def trials() -> MemoryTrials:
    return MemoryTrials()


@pytest.fixture
def sandbox() -> ChildSandbox:
    return ChildSandbox()


@pytest.fixture
def blobs() -> MemoryBlobs:
    return MemoryBlobs()


@pytest.fixture(scope="session")
def harness() -> Harness:
    return load_harness()


@dataclass(frozen=True)
class Truth:
    """One function of `data/ground_truths.py`, with the imports that it uses."""

    name: str
    code: str
    imports: tuple[str, ...]

    @property
    def source(self) -> str:
        return "\n".join((*self.imports, "", self.code, ""))

    def candidate(self, kind: str = "") -> Candidate:
        chosen = kind or ("WSC" if self.imports else "SC")
        return Candidate(f"id-{self.name}", self.name, self.name, self.code, self.imports, chosen)


@pytest.fixture(scope="session")
def truths() -> dict[str, Truth]:
    text = (Path(__file__).parent / "data" / "ground_truths.py").read_text("utf-8")
    tree = ast.parse(text)
    bound: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            for alias in node.names:
                where = f"from {node.module} " if isinstance(node, ast.ImportFrom) else ""
                bound[alias.asname or alias.name] = f"{where}import {alias.name}"
    found: dict[str, Truth] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            code = ast.get_source_segment(text, node) or ""
            used = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
            found[node.name] = Truth(node.name, code, tuple(line for name, line in bound.items() if name in used))
    return found


@pytest.fixture
def workshop(sandbox: ChildSandbox, harness: Harness) -> Workshop:
    return Workshop(sandbox, harness, ContractFreezer(), TablePrograms())


@pytest.fixture
def measure_branches(tmp_path: Path) -> Callable[[str, str, Sequence[str]], dict[str, list[object]]]:
    """Runs coverage.py on a trusted program in a child process; gives missing branches and lines."""

    def measure(source: str, entry_point: str, inputs: Sequence[str]) -> dict[str, list[object]]:
        program, given, answer = (tmp_path / name for name in ("program.py", "inputs.jsonl", "answer.json"))
        program.write_text(source, "utf-8")
        given.write_text("\n".join(inputs) + "\n", "utf-8")
        runner = Path(__file__).with_name("coverage_runner.py")
        subprocess.run(
            [sys.executable, str(runner), str(program), entry_point, str(given), str(answer)],
            check=True, env={"PYTHONPATH": os.pathsep.join(sys.path)}, timeout=120,
        )  # fmt: skip
        return json.loads(answer.read_text("utf-8"))

    return measure
