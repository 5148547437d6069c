"""gRPC in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from pbt_generator import metrics
from pbt_generator.domain.exercises.exercise import VERSION
from pbt_generator.domain.foreign import ForeignSet, ForeignTask
from pbt_generator.domain.release import Selection
from pbt_generator.ports import ReleaseRow
from pbt_generator.usecases.exercises import ExerciseDesk
from pbt_generator.usecases.importing import Importer
from pbt_generator.usecases.kill_patterns import PatternDesk
from pbt_generator.usecases.releases import ReleaseDesk
from pbt_generator.usecases.serve import StoredRefusal, StoredTask, TaskDesk, similar_tasks
from pbt_generator.usecases.trial import TrialDesk, Tried
from touchstone.common.v1 import code_pb2, progress_pb2
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone.pbt_generator.v1 import pbt_generator_pb2_grpc
from touchstone_contracts.licences import licence_of
from touchstone_contracts.suite import Case, Suite
from touchstone_runtime.bus import Bus
from touchstone_runtime.gate import need
from touchstone_runtime.llm import Ledger, spending
from touchstone_runtime.model_names import asked_at

_EXAMPLES = 5
_MOST_CASES = 100
_RELEASED = ("tasks", "retracted")
_PIECE_BYTES = 1 << 20
_SOLUTIONS = 3


class PbtGeneratorServicer(pbt_generator_pb2_grpc.PbtGeneratorServiceServicer):
    """Answers for the generator."""

    def __init__(
        self, desk: TaskDesk, releases: ReleaseDesk, exercises: ExerciseDesk, bus: Bus, trials: TrialDesk,
        importer: Importer, patterns: PatternDesk, ledger: Ledger | None = None,
    ) -> None:  # fmt: skip
        self._importer = importer
        self._patterns = patterns
        self._desk = desk
        self._releases = releases
        self._exercises = exercises
        self._bus = bus
        self._ledger = ledger
        self._trials = trials

    async def ListTasks(self, request: pb.ListTasksRequest, context: Any) -> pb.ListTasksResponse:
        """Tasks that stand, oldest first: our own, or the imported ones."""
        stored = await self._desk.decisions.tasks(request.kind, request.limit, imported=request.imported)
        counts = await self._desk.decisions.counts()
        refusals = _refusals(counts)
        solved = await self._trials.solved_by()
        every = await self._desk.decisions.tasks(request.kind) if request.limit else stored
        alike = {} if request.imported else similar_tasks(every)
        return pb.ListTasksResponse(
            tasks=[_encode(each, solved, alike) for each in stored],
            refused=sum(refusals.values()),
            retracted=counts.get("retracted", 0),
            refusals=refusals,
        )

    async def ListRefusals(self, request: pb.ListRefusalsRequest, context: Any) -> pb.ListRefusalsResponse:
        """Candidates that gave no task, newest first."""
        found = await self._desk.decisions.refusals(request.reason, request.limit)
        return pb.ListRefusalsResponse(refusals=[_refusal(each) for each in found])

    async def GetTask(self, request: pb.GetTaskRequest, context: Any) -> pb.GetTaskResponse:
        """One task with its certificate, its ground truth, and its first cases or those that are named."""
        stored = await self._desk.find(request.task_id)
        certificate = await self._desk.blobs.get(stored.task.certificate_digest)
        truth = await self._desk.blobs.get(stored.task.ground_truth_digest)
        suite = Suite.from_bytes(await self._desk.blobs.get(stored.task.suite_digest))
        return pb.GetTaskResponse(
            task=_encode(stored, await self._trials.solved_by()),
            certificate_json=certificate.decode(),
            ground_truth=truth.decode(),
            example_cases=[case.model_dump_json() for case in _chosen(suite, request.cases)],
        )

    async def Progress(self, request: pb.ProgressRequest, context: Any) -> pb.ProgressResponse:
        """What is decided and what is going on."""
        counts = await self._desk.decisions.counts()
        total = sum(counts.values())
        counters = {
            "candidates_decided": total,
            "tasks": counts.get("tasks", 0),
            "tasks_retracted": counts.get("retracted", 0),
            "refused": sum(_refusals(counts).values()),
        }
        progress = progress_pb2.Progress(
            counters=[progress_pb2.Counter(name=name, value=value) for name, value in counters.items()],
            lag=await self._bus.lag(),
            activities=[*self._desk.busy, *self._bus.activities],
            spent=await spending(self._ledger, request.with_spending),
        )
        return pb.ProgressResponse(progress=progress)

    async def RetractTask(self, request: pb.RetractTaskRequest, context: Any) -> pb.RetractTaskResponse:
        """A task taken back."""
        stored, already, releases = await self._releases.retract(request.task_id, request.note)
        return pb.RetractTaskResponse(task=_encode(stored), already=already, releases=releases)

    async def TrialTasks(self, request: pb.TrialTasksRequest, context: Any) -> AsyncIterator[pb.TrialTasksResponse]:
        """One answer a task, as they are done."""
        solutions = request.solutions or _SOLUTIONS
        if request.act:
            need("operate", "a trial that acts")
        if asked_at(request.model)[1]:
            need("operate", "a model at an address")
        async for tried in self._trials.run(request.model, solutions, request.task_ids, act=request.act):
            yield _trial(tried)

    async def CreateRelease(self, request: pb.CreateReleaseRequest, context: Any) -> pb.CreateReleaseResponse:
        """A frozen set of tasks."""
        selection = Selection(
            request.kind, tuple(request.languages), request.since, tuple(request.task_ids), request.band
        )
        row, already = await self._releases.create(request.name, selection)
        return pb.CreateReleaseResponse(release=_release(row), already=already)

    async def ImportTask(self, request: pb.ImportTaskRequest, context: Any) -> pb.ImportTaskResponse:
        """A task of somebody else's set."""
        whose = ForeignSet(request.set, request.set_version, request.licence, request.origin)
        taken = await self._importer.take(whose, _foreign(request))
        return pb.ImportTaskResponse(
            task_id=taken.task.task_id if taken.task else "",
            inputs=taken.inputs,
            cases=taken.cases,
            problems=taken.problems,
            weak=taken.weak,
            passes=taken.passes,
        )

    async def ListReleases(self, request: pb.ListReleasesRequest, context: Any) -> pb.ListReleasesResponse:
        """Every release, oldest first."""
        return pb.ListReleasesResponse(releases=[_release(row) for row in await self._releases.list()])

    async def GetRelease(self, request: pb.GetReleaseRequest, context: Any) -> pb.GetReleaseResponse:
        """One release with its manifest."""
        shown = await self._releases.show(request.name)
        retractions = [pb.Retraction(task_id=key, note=note) for key, note in sorted(shown.row.retractions.items())]
        return pb.GetReleaseResponse(
            release=_release(shown.row), manifest_json=shown.data.decode(), retractions=retractions
        )

    async def VerifyRelease(
        self, request: pb.VerifyReleaseRequest, context: Any
    ) -> AsyncIterator[pb.VerifyReleaseResponse]:
        """One answer a task, as they are done."""
        async for checked in self._releases.verify(request.name, list(request.languages), full=request.full):
            if checked.task_id and checked.problems:
                metrics.CERTIFICATES_FAILED.labels("released").inc()
            yield pb.VerifyReleaseResponse(**asdict(checked))

    async def ExportRelease(
        self, request: pb.ExportReleaseRequest, context: Any
    ) -> AsyncIterator[pb.ExportReleaseResponse]:
        """The files of an export, in pieces."""
        async for file in self._releases.export(request.name, request.format):
            for start in range(0, max(1, len(file.data)), _PIECE_BYTES):
                yield pb.ExportReleaseResponse(path=file.path, data=file.data[start : start + _PIECE_BYTES])

    async def ListExercises(self, request: pb.ListExercisesRequest, context: Any) -> pb.ListExercisesResponse:
        """Of some tasks those that can be posed so."""
        found = await self._exercises.posable(request.track, list(request.task_ids))
        return pb.ListExercisesResponse(task_ids=found.task_ids, version=VERSION, left_out=found.left_out)

    async def PoseExercise(self, request: pb.PoseExerciseRequest, context: Any) -> pb.PoseExerciseResponse:
        """A task as an exercise."""
        found = await self._exercises.pose(request.task_id, request.track, request.version)
        return pb.PoseExerciseResponse(**asdict(found))

    async def GetKillPatterns(self, request: pb.GetKillPatternsRequest, context: Any) -> pb.GetKillPatternsResponse:
        """How a task's mutants fail its suite."""
        found = await self._patterns.patterns(request.task_id)
        return pb.GetKillPatternsResponse(patterns=[pb.KillPattern(**asdict(each)) for each in found])


def _chosen(suite: Suite, numbers: Sequence[int]) -> list[Case]:
    """The cases of these numbers, as many as an answer may hold; the first ones where none is named."""
    if not numbers:
        return list(suite.cases[:_EXAMPLES])
    return [suite.cases[number] for number in numbers[:_MOST_CASES] if 0 <= number < len(suite.cases)]


def _foreign(request: pb.ImportTaskRequest) -> ForeignTask:
    return ForeignTask(
        foreign_id=request.foreign_id,
        entry_point=request.entry_point,
        source=request.source,
        instruction=request.instruction,
        signature=request.signature,
        inputs=tuple(request.inputs),
        asserting=request.asserting,
        prelude=request.prelude,
        expected=tuple(request.expected),
        wording=request.wording,
    )


def _refusals(counts: Mapping[str, int]) -> dict[str, int]:
    """Of the counts of decisions those that are reasons of refusals."""
    return {name: count for name, count in counts.items() if name not in _RELEASED}


def _release(row: ReleaseRow) -> pb.Release:
    return pb.Release(
        name=row.name,
        digest=row.digest,
        manifest_digest=row.manifest_digest,
        tasks=row.tasks,
        retracted=len(row.retractions),
        created_at=row.created_at,
    )


def _refusal(stored: StoredRefusal) -> pb.Refusal:
    return pb.Refusal(
        function_id=stored.function["function_id"],
        kind=stored.kind,
        entry_point=stored.function["qualname"].rpartition(".")[2],
        location=_location(stored.function),
        reason=stored.refusal.reason.value,
        detail=stored.refusal.detail,
    )


def _location(function: Mapping[str, Any]) -> code_pb2.CodeLocation:
    source = function["source"]
    return code_pb2.CodeLocation(
        repository=source["name"],
        version=source["version"],
        path=function["path"],
        line_start=function["line_start"],
        line_end=function["line_end"],
        qualname=function["qualname"],
        language=function["language"],
        licence=licence_of(function) or "",
        released_at=source["released_at"] or "",
    )


def _trial(tried: Tried) -> pb.TrialTasksResponse:
    trial = tried.trial
    return pb.TrialTasksResponse(
        task_id=trial.task_id,
        entry_point=tried.stored.task.entry_point,
        track=tried.stored.task.track,
        model=trial.model,
        asked=trial.asked,
        answered=trial.answered,
        solved=trial.solved,
        standing=trial.standing,
        pointed=trial.pointed,
        points=[pb.TrialPoint(**asdict(point)) for point in trial.points],
        replaced_by=tried.replaced_by,
        kept_as=tried.kept_as,
    )


def _encode(
    stored: StoredTask, solved: Mapping[str, Mapping[str, str]] | None = None, alike: Mapping[str, str] | None = None
) -> pb.Task:
    task, function = stored.task, stored.function
    return pb.Task(
        task_id=task.task_id,
        function_id=task.function_id,
        kind=task.kind,
        difficulty=task.difficulty,
        entry_point=task.entry_point,
        location=_location(function),
        cases=task.cases,
        branch_coverage=task.branch_coverage,
        mutation_score=task.mutation_score,
        suite_digest=task.suite_digest,
        certificate_digest=task.certificate_digest,
        instruction=task.instruction,
        libraries=function["libraries"],
        complexity=function["complexity"],
        cpu_s=task.cpu_s,
        judged_by=task.judged_by,
        retracted=stored.retracted,
        form=function.get("form", "function"),
        track=task.track,
        gaps=task.gaps,
        domain=task.domain,
        first_seen=function.get("first_seen") or "",
        dated_by=_dated_by(function.get("dating") or {}),
        real_cases=task.real_cases,
        signatures=task.signatures,
        solved_by=(solved or {}).get(task.task_id, {}),
        similar_to=(alike or {}).get(task.task_id, ""),
    )


def _dated_by(dating: Mapping[str, Any]) -> str:
    """The evidence for a date, in words."""
    match dating.get("by"):
        case "release":
            absent = f", not in {dating['absent_from']}" if dating.get("absent_from") else ""
            open_end = " or before" if dating.get("at_latest") else ""
            return (
                f"release {dating.get('version', '')}{open_end}{absent}; {dating.get('looked_at', 0)} earlier ones read"
            )
        case "history":
            return "the repository's history"
        case "file_time":
            return "the time that its file bears"
        case _:
            return ""
