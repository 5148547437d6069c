"""Programs by other hands: folders of tasks, their suites, and what becomes of a program on them.

The format is in `corpus/README.md`. Everything foreign runs in a sandbox of the run's own.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from newest import release, with_tests
from suites import every_function

from pbt_generator.adapters.harness_texts import load_harness
from pbt_generator.adapters.publisher import to_subject
from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.domain.inputs.traced import Trace
from pbt_generator.domain.task.record import BuiltTask, Subject
from pbt_generator.ports import Advisor, ForeignProgram, Judgement, RunLimits
from pbt_generator.settings import PbtGeneratorSettings
from pbt_generator.usecases.build import BuiltSuite, Candidate, RefusedSuite, Workshop, build_suite
from pbt_generator.usecases.explore import Effort
from pbt_generator.usecases.tasks import TaskBuilder, to_candidate
from pbt_generator.usecases.tracing import trace_tests
from touchstone_contracts.events import Function, FunctionExtracted
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.grpc_server import channel
from touchstone_values import compare
from touchstone_values.limits import MAX_PLAIN_INT

CORPUS = Path(__file__).with_name("corpus")
_LIMITS = RunLimits(case_timeout_s=5.0, total_timeout_s=120.0)


@dataclass(frozen=True)
class CorpusTask:
    """One folder: a ground truth, and programs written for it."""

    name: str
    folder: Path
    subject: Subject
    function: Function | None = None

    @property
    def candidate(self) -> Candidate:
        """The ground truth as the suite builder takes it."""
        return to_candidate(self.subject)

    @property
    def portable(self) -> bool:
        """Whether the task is for five languages."""
        return self.subject.kind == "SC"


def tasks_in(folder: Path, done: Set[str] = frozenset()) -> Iterator[CorpusTask]:
    """The tasks of a corpus, package by package; ground truths of packages are fetched from the package index.

    Args:
        folder: The corpus.
        done: Names of tasks that are left out; a package that none of the others needs is not fetched.

    Raises:
        LookupError: a package does not hold the function any more as it was when programs were written for it.
    """
    named: dict[tuple[str, str], list[tuple[Path, dict[str, Any]]]] = defaultdict(list)
    for described in sorted(folder.glob("*/task.json")):
        if described.parent.name in done:
            continue
        told: dict[str, Any] = json.loads(described.read_text())
        if "package" in told:
            named[told["package"], told["version"]].append((described.parent, told))
        else:
            yield _own(described.parent, told)
    for (package, version), wanted in sorted(named.items()):
        yield from _of_package(package, version, wanted)


def _own(folder: Path, told: dict[str, Any]) -> CorpusTask:
    path, _, entry = str(told["function"]).partition("::")
    source = (folder / path).read_text()
    imports = tuple(told.get("imports", ()))
    function = next(node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == entry)
    docstring = ast.get_docstring(function) or ""
    subject = Subject(folder.name, entry, entry, told["kind"], source, imports, docstring=docstring)
    return CorpusTask(folder.name, folder, subject)


def _of_package(package: str, version: str, wanted: list[tuple[Path, dict[str, Any]]]) -> Iterator[CorpusTask]:
    functions: dict[tuple[str, str], FunctionExtracted] = {}
    with release(package, version) as (found, files):
        for text in every_function(package, found, files):
            event = FunctionExtracted.model_validate_json(text)
            functions[event.function.qualname, digest(event.function.code)] = event
    for folder, told in wanted:
        event = functions.get((told["qualname"], told["code"]))
        if event is None:
            raise LookupError(f"{package} {version} has no {told['qualname']} with the code {told['code'][:12]}")
        yield CorpusTask(folder.name, folder, to_subject(event.function), event.function)


def digest(code: str) -> str:
    """SHA-256 of a function's code: what `code` of a `task.json` names."""
    return hashlib.sha256(code.encode()).hexdigest()


def written_task(folder: Path, package: str, function: Function) -> Path:
    """Make the folder of a task with its `task.json`, under a name that is made of its package and function."""
    place = folder / task_name(package, function)
    place.mkdir(parents=True, exist_ok=True)
    pinned = {"package": package, "version": function.source.version, "qualname": function.qualname}
    (place / "task.json").write_text(json.dumps(pinned | {"code": digest(function.code)}, indent=1) + "\n")
    return place


def task_name(package: str, function: Function) -> str:
    """The name of a function's folder."""
    return re.sub(r"\W+", "_", f"{package}_{function.qualname}").lower()


async def trace_of(sandbox: GrpcSandbox, name: str, version: str, tests: bytes, most_s: float) -> Trace:
    """What running a release's own tests shows; it says so where there are none."""
    if not tests:
        return Trace(problem="tests were not run: the source brings none")
    return await trace_tests(sandbox, load_harness().trace, name, version, tests, most_s)


def _shared(value: object) -> bool:
    """Whether all whole numbers of a value are the same in five languages: no such task has others.

    Narrower than what a case must be (`shared_by_languages`): a witness that is deeper than any case still counts.
    """
    match value:
        case int():
            return abs(value) <= MAX_PLAIN_INT
        case {"$": "int"}:
            return False
        case list():
            return all(map(_shared, cast("list[object]", value)))
        case dict():
            return all(map(_shared, cast("dict[str, object]", value).values()))
        case _:
            return True


@dataclass
class Bench:
    """Builds suites and runs programs on them.

    Args:
        address: Where the sandbox listens.
        effort: How much is tried.
        advisor: A model that makes up wrong programs, proposes inputs and words tasks; None asks nobody.
    """

    address: str
    effort: Effort = field(default_factory=Effort)
    advisor: Advisor | None = None
    cpu_s: float = field(default=0.0, init=False)
    traces: dict[tuple[str, str], Trace] = field(default_factory=dict[tuple[str, str], Trace], init=False)

    async def __aenter__(self) -> Bench:
        self._connection = channel(self.address, PbtGeneratorSettings().identity())  # pyright: ignore[reportCallIssue]
        self.sandbox = GrpcSandbox(self._connection, self.address)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._connection.close()

    async def build(self, task: CorpusTask) -> BuiltSuite | RefusedSuite:
        """The suite of a task, as `touchstone try` builds it."""
        built = await build_suite(task.candidate, self._shop())
        self.cpu_s += built.cpu_s
        return built

    async def with_callers(self, task: CorpusTask, most_s: float) -> CorpusTask:
        """The task with what callers were seen to send while the tests of its release ran, as the platform runs them.

        Args:
            task: Of a package; one of our own is left as it is.
            most_s: Wall-clock seconds that the tests of a release may take.
        """
        if task.function is None:
            return task
        version = task.function.source.name, task.function.source.version
        if version not in self.traces:
            with with_tests(*version) as (_, _, tests):
                self.traces[version] = await trace_of(self.sandbox, *version, tests, most_s)
        seen = self.traces[version].seen(task.function.path, task.function.qualname)
        return replace(task, subject=replace(task.subject, seen=seen))

    async def worded(self, task: CorpusTask, built: BuiltSuite) -> BuiltTask:
        """The task as a solver gets it."""
        return await TaskBuilder(self._shop(), BlobStore("memory://bench"), self.advisor).finish(task.subject, built)

    def _shop(self) -> Workshop:
        return Workshop(self.sandbox, load_harness(), ContractFreezer(), TablePrograms(), self.advisor, self.effort)

    async def judged(self, built: BuiltSuite, source: str, language: str = "python") -> Judgement:
        """What becomes of a program on a suite."""
        program = ForeignProgram(source, built.program.entry_point, language)
        return await self.sandbox.judge(program, built.suite.data, limits=_LIMITS, stop_after_failures=1)

    async def really_wrong(self, task: CorpusTask, built: BuiltSuite, wrong: str, witness: object) -> bool:
        """Whether a witness shows a program wrong: the ground truth returns, and the program does not return that.

        The ground truth is the one that the suite was built for: in it objects may have become maps, as a solver has
        them. A witness that five languages do not share shows nothing of a task for five.
        """
        if task.portable and not _shared(witness):
            return False
        text, entry_point = json.dumps(witness), built.program.entry_point
        results = [
            (await self.sandbox.run_cases(ForeignProgram(source, entry_point), [text], limits=_LIMITS)).outcomes[0]
            for source in (built.program.source, wrong)
        ]
        truth, other = results
        if truth.outcome != "returned":
            return False
        mode = "portable" if task.portable else "exact"
        return other.outcome != "returned" or compare(truth.value, other.value, mode) is not None
