"""Programs by other hands: folders of tasks, their suites, and what becomes of a program on them.

The format is in `corpus/README.md`. Everything foreign runs in a sandbox of the run's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pbt_generator.adapters.harness_texts import load_harness
from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.ports import ForeignProgram, Judgement, RunLimits
from pbt_generator.settings import PbtGeneratorSettings
from pbt_generator.usecases.build import BuiltSuite, Candidate, RefusedSuite, Workshop, build_suite
from touchstone_runtime.grpc_server import channel
from touchstone_values import compare

CORPUS = Path(__file__).with_name("corpus")
_LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=120.0)


@dataclass(frozen=True)
class CorpusTask:
    """One folder: a ground truth, and programs written for it."""

    name: str
    folder: Path
    entry_point: str
    kind: str
    source: str
    imports: tuple[str, ...]

    @property
    def portable(self) -> bool:
        """Whether the task is for five languages."""
        return self.kind == "SC"


def tasks_in(folder: Path) -> Iterator[CorpusTask]:
    """The tasks of a corpus, by name."""
    for described in sorted(folder.glob("*/task.json")):
        told: dict[str, Any] = json.loads(described.read_text())
        path, _, entry = str(told["function"]).partition("::")
        source = (described.parent / path).read_text()
        imports = tuple(told.get("imports", ()))
        yield CorpusTask(described.parent.name, described.parent, entry, told["kind"], source, imports)


@dataclass
class Bench:
    """Builds suites and runs programs on them.

    Args:
        address: Where the sandbox listens.
    """

    address: str
    cpu_s: float = field(default=0.0, init=False)

    async def __aenter__(self) -> Bench:
        self._connection = channel(self.address, PbtGeneratorSettings().identity())  # pyright: ignore[reportCallIssue]
        self.sandbox = GrpcSandbox(self._connection, self.address)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._connection.close()

    async def build(self, task: CorpusTask) -> BuiltSuite | RefusedSuite:
        """The suite of a task, as `touchstone try` builds it without a model."""
        candidate = Candidate(task.name, task.entry_point, task.entry_point, task.source, task.imports, task.kind)
        built = await build_suite(
            candidate, Workshop(self.sandbox, load_harness(), ContractFreezer(), TablePrograms(), None)
        )
        self.cpu_s += built.cpu_s
        return built

    async def judged(self, built: BuiltSuite, source: str, language: str = "python") -> Judgement:
        """What becomes of a program on a suite."""
        program = ForeignProgram(source, built.program.entry_point, language)
        return await self.sandbox.judge(program, built.suite.data, limits=_LIMITS, stop_after_failures=1)

    async def really_wrong(self, task: CorpusTask, wrong: str, witness: object) -> bool:
        """Whether a witness shows a program wrong: the ground truth returns, and the program does not return that."""
        text = json.dumps(witness)
        results = [
            (await self.sandbox.run_cases(ForeignProgram(source, task.entry_point), [text], limits=_LIMITS)).outcomes[0]
            for source in ("\n".join((*task.imports, task.source)), wrong)
        ]
        truth, other = results
        if truth.outcome != "returned":
            return False
        mode = "portable" if task.portable else "exact"
        return other.outcome != "returned" or compare(truth.value, other.value, mode) is not None
