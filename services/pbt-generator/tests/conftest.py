"""Fakes that implement the service's ports, as fixtures."""

from __future__ import annotations

import ast
import asyncio
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

import touchstone_values as values
from pbt_generator.adapters.harness_texts import load_harness
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.ports import CaseOutcome, CasesResult, Failure, ForeignProgram, Harness, Judgement, RunLimits
from pbt_generator.usecases.build import Candidate, Workshop
from touchstone_contracts.suite import Suite

RUNNER = Path(__file__).with_name("case_runner.py")


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
        environment = {
            "PYTHONHASHSEED": str(hash_seed),
            "PYTHONPATH": os.pathsep.join(sys.path),
            "PATH": "/usr/bin:/bin",
        }
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "answer.json"
            child = await asyncio.create_subprocess_exec(
                sys.executable, str(RUNNER), str(path), env=environment, stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
            )  # fmt: skip
            try:
                await asyncio.wait_for(
                    child.communicate(json.dumps(request).encode("utf-8", "surrogatepass")),
                    limits.total_timeout_s or 60,
                )
            except TimeoutError:
                child.kill()
                await child.wait()
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
