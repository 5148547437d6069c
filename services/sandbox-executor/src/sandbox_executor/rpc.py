"""gRPC in: decode, one use case, encode."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import asdict
from typing import Any

from sandbox_executor.domain.datasets import Dataset
from sandbox_executor.domain.egress import Destination, Refusal, parse_destinations
from sandbox_executor.domain.jobs import CasesJob, File, JobError, Printed, ProgramEvent, ProgramJob
from sandbox_executor.domain.judging import Verdict
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.domain.sessions import SessionJob, Step
from sandbox_executor.errors import JobRefusedError
from sandbox_executor.ports import LanguageStatus, StoredSuite
from sandbox_executor.usecases import Described, Executor, Sessions
from touchstone.common.v1 import progress_pb2
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_runtime.tokens import token_id

LANGUAGE_NAMES: dict[int, str] = {
    pb.LANGUAGE_UNSPECIFIED: "python",
    pb.LANGUAGE_PYTHON: "python",
    pb.LANGUAGE_JAVASCRIPT: "javascript",
    pb.LANGUAGE_TYPESCRIPT: "typescript",
    pb.LANGUAGE_JAVA: "java",
    pb.LANGUAGE_GO: "go",
    pb.LANGUAGE_PHP: "php",
}
LANGUAGE_NUMBERS = {name: pb.Language.Value(f"LANGUAGE_{name.upper()}") for name in LANGUAGE_NAMES.values()}
OUTCOMES = {outcome: pb.Outcome.Value(f"OUTCOME_{outcome.name}") for outcome in Outcome}
LoadSuite = Callable[[str], Awaitable[StoredSuite]]
ReadSuite = Callable[[bytes], StoredSuite]


class SandboxServicer(rpc.SandboxServiceServicer):
    """Answers `touchstone.sandbox.v1.SandboxService`.

    Args:
        executor: Runs jobs.
        sessions: Keeps sessions.
        load_suite: Reads a suite by digest.
        read_suite: Reads a suite from its bytes.
        lag: Messages on the service's topics that it has not finished.
        activities: What the service is busy with.
        knows_callers: Whether whoever comes in has shown a token that is known.
    """

    def __init__(
        self,
        executor: Executor,
        sessions: Sessions,
        load_suite: LoadSuite,
        read_suite: ReadSuite,
        lag: Callable[[], Awaitable[int]],
        activities: Callable[[], list[str]],
        *,
        knows_callers: bool = False,
    ) -> None:
        self._executor = executor
        self._sessions = sessions
        self._load_suite = load_suite
        self._read_suite = read_suite
        self._lag = lag
        self._activities = activities
        self._knows_callers = knows_callers

    async def RunCases(self, request: pb.RunCasesRequest, context: Any) -> AsyncIterator[pb.RunCasesResponse]:
        """Call one entry point on many inputs."""
        job = CasesJob(
            language=_language(request.language),
            source=request.source,
            entry_point=request.entry_point,
            inputs=tuple(request.inputs),
            limits=self._limits(request.limits),
            environment_id=request.environment_id,
            hash_seed=request.hash_seed or 1,
            stop_after_failures=request.stop_after_failures,
            type_check=request.type_check,
            nothing_returned=request.nothing_returned,
            datasets=_datasets(request.datasets),
            egress=_egress(request.egress),
        )
        async with contextlib.aclosing(self._executor.run_cases(job, request.backend, self._caller(context))) as groups:
            async for group in groups:
                for result in group:
                    yield _case(result)

    async def Execute(self, request: pb.ExecuteRequest, context: Any) -> AsyncIterator[pb.ExecuteResponse]:
        """Run a whole program."""
        job = ProgramJob(
            language=_language(request.language),
            source=request.source,
            files=tuple(File(file.path, file.content) for file in request.files),
            stdin=request.stdin,
            arguments=tuple(request.arguments),
            limits=self._limits(request.limits),
            environment_id=request.environment_id,
            artefacts=tuple(request.artefacts),
            type_check=request.type_check,
            datasets=_datasets(request.datasets),
            egress=_egress(request.egress),
        )
        async with contextlib.aclosing(
            self._executor.run_program(job, request.backend, self._caller(context))
        ) as groups:
            async for group in groups:
                for event in group:
                    yield pb.ExecuteResponse(**_event(event))

    async def Judge(self, request: pb.JudgeRequest, context: Any) -> pb.JudgeResponse:
        """Run a candidate on a suite, compare outside."""
        by_digest = request.WhichOneof("suite") == "suite_digest"
        suite = await self._load_suite(request.suite_digest) if by_digest else self._read_suite(request.suite_json)
        job = CasesJob(
            language=_language(request.language),
            source=request.source,
            entry_point=request.entry_point or suite.entry_point,
            inputs=(),
            limits=self._limits(request.limits),
            environment_id=request.environment_id,
            hash_seed=request.hash_seed or 1,
            datasets=_datasets(request.datasets),
        )
        place = request.backend, request.stop_after_failures, self._caller(context)
        return _verdict(await self._executor.judge(job, suite, *place))

    async def OpenSession(self, request: pb.OpenSessionRequest, context: Any) -> pb.OpenSessionResponse:
        """Open a sandbox that outlives one program."""
        files = tuple(File(file.path, file.content) for file in request.files)
        job = SessionJob(
            _language(request.language),
            self._limits(request.limits),
            request.environment_id,
            files,
            _datasets(request.datasets),
            egress=_egress(request.egress),
        )
        opened = await self._sessions.open(
            job,
            idle_s=request.idle_timeout_s,
            lifetime_s=request.lifetime_s,
            backend=request.backend,
            caller=self._caller(context),
        )
        times = opened.times
        return pb.OpenSessionResponse(
            session_id=opened.session_id,
            limits=_limits(opened.limits),
            idle_timeout_s=times.idle_s,
            lifetime_s=times.lifetime_s,
        )

    async def ExecuteInSession(
        self, request: pb.ExecuteInSessionRequest, context: Any
    ) -> AsyncIterator[pb.ExecuteInSessionResponse]:
        """Run one step."""
        step = Step(
            timeout_s=request.timeout_s,
            output_bytes=request.output_bytes,
            source=request.source,
            command=tuple(request.command.argv),
            stdin=request.stdin,
            arguments=tuple(request.arguments),
            artefacts=tuple(request.artefacts),
        )
        place = request.session_id, step, self._caller(context)
        async with contextlib.aclosing(self._sessions.execute(*place)) as groups:
            async for group in groups:
                for event in group:
                    yield pb.ExecuteInSessionResponse(**_event(event))

    async def WriteFile(self, request: pb.WriteFileRequest, context: Any) -> pb.WriteFileResponse:
        """Write a file of a session."""
        file = File(request.file.path, request.file.content)
        await self._sessions.write(request.session_id, file, self._caller(context))
        return pb.WriteFileResponse()

    async def ReadFile(self, request: pb.ReadFileRequest, context: Any) -> pb.ReadFileResponse:
        """Read a file of a session."""
        file = await self._sessions.read(request.session_id, request.path, self._caller(context))
        return pb.ReadFileResponse(file=pb.File(path=file.path, content=file.content))

    async def CloseSession(self, request: pb.CloseSessionRequest, context: Any) -> pb.CloseSessionResponse:
        """End a session."""
        await self._sessions.close(request.session_id, self._caller(context))
        return pb.CloseSessionResponse()

    async def AddDataset(self, request: pb.AddDatasetRequest, context: Any) -> pb.AddDatasetResponse:
        """Store a dataset."""
        return pb.AddDatasetResponse(digest=await self._executor.add_dataset(request.content))

    async def Prepare(self, request: pb.PrepareRequest, context: Any) -> pb.PrepareResponse:
        """Build a dependency environment."""
        wanted = tuple(request.requirements)
        answer = await self._executor.prepare(_language(request.language), wanted, self._caller(context))
        packages = [
            pb.PreparedPackage(name=p.name, version=p.version, sha256=p.sha256, integrity=p.integrity)
            for p in answer.packages
        ]
        return pb.PrepareResponse(
            ready=answer.ready, environment_id=answer.environment_id, packages=packages, detail=answer.detail
        )

    async def Describe(self, request: pb.DescribeRequest, context: Any) -> pb.DescribeResponse:
        """Languages, isolation, limits, queue."""
        described = await self._executor.describe()
        load = self._executor.load
        languages = {status.name: status for backend in described for status in backend.languages}
        return pb.DescribeResponse(
            languages=[_language_support(status) for status in languages.values()],
            backends=[_backend(backend) for backend in described],
            default_limits=_limits(self._executor.default_limits),
            maximum_limits=_limits(self._executor.maximum_limits),
            queued=load.queued,
            running=load.running,
            workers=load.workers,
            sessions=self._sessions.count,
            maximum_sessions=self._sessions.quotas.open_sessions,
        )

    async def SelfTest(self, request: pb.SelfTestRequest, context: Any) -> pb.SelfTestResponse:
        """Attack the sandbox."""
        checks = await self._executor.self_test(request.backend)
        return pb.SelfTestResponse(
            passed=all(check.passed for check in checks),
            checks=[pb.SelfTestCheck(name=c.name, passed=c.passed, detail=c.detail) for c in checks],
        )

    async def Progress(self, request: pb.ProgressRequest, context: Any) -> pb.ProgressResponse:
        """What was done and what waits."""
        load = self._executor.load
        counters = [
            progress_pb2.Counter(name="jobs_done", value=load.done),
            progress_pb2.Counter(name="jobs_running", value=load.running),
            progress_pb2.Counter(name="jobs_queued", value=load.queued),
        ]
        progress = progress_pb2.Progress(counters=counters, lag=await self._lag(), activities=self._activities())
        return pb.ProgressResponse(progress=progress)

    def _caller(self, context: Any) -> str:
        """Who calls: by the token that was shown, else by the address; jobs of callers take turns by it."""
        if context is None:
            return ""
        shown = next((value for key, value in context.invocation_metadata() or () if key == "authorization"), "")
        known = token_id(shown.removeprefix("Bearer ").strip()) if self._knows_callers else ""
        if known:
            return known
        return hashlib.sha256(shown.encode()).hexdigest()[:16] if shown else str(context.peer()).rsplit(":", 1)[0]

    def _limits(self, asked: pb.Limits) -> Limits:
        return self._executor.limits({field.name: value for field, value in asked.ListFields()})


def _language(number: int) -> str:
    name = LANGUAGE_NAMES.get(number)
    if name is None:
        raise JobRefusedError("no such language", thing=str(number))
    return name


def _datasets(asked: Iterable[pb.Dataset]) -> tuple[Dataset, ...]:
    return tuple(Dataset(dataset.path, dataset.digest) for dataset in asked)


def _egress(asked: Iterable[str]) -> tuple[Destination, ...]:
    try:
        return parse_destinations(tuple(asked))
    except JobError as error:
        raise JobRefusedError(str(error), thing="egress") from error


def _refused(refusals: Iterable[Refusal]) -> list[pb.RefusedConnection]:
    return [pb.RefusedConnection(target=refusal.target, reason=refusal.reason) for refusal in refusals]


def _case(result: CaseResult) -> pb.RunCasesResponse:
    return pb.RunCasesResponse(
        index=result.index,
        outcome=OUTCOMES[result.outcome],
        value=result.value,
        error_type=result.error_type,
        error_message=result.error_message,
        wall_s=result.wall_s,
        cpu_s=result.cpu_s,
        memory_bytes=result.memory_bytes,
        output=result.output,
        job_cpu_s=result.job_cpu_s,
        refused=_refused(result.refused),
    )


def _event(event: ProgramEvent) -> dict[str, Any]:
    """The one field of a response that says it."""
    if isinstance(event, Printed):
        return {event.stream: event.data}
    if isinstance(event, File):
        return {"artefact": pb.File(path=event.path, content=event.content)}
    result = pb.ExecuteResult(
        outcome=OUTCOMES[event.outcome],
        exit_code=event.exit_code,
        wall_s=event.wall_s,
        cpu_s=event.cpu_s,
        memory_bytes=event.memory_bytes,
        detail=event.detail,
        refused=_refused(event.refused),
    )
    return {"result": result}


def _language_support(status: LanguageStatus) -> pb.LanguageSupport:
    return pb.LanguageSupport(
        language=LANGUAGE_NUMBERS[status.name],
        version=status.version,
        available=status.available,
        detail=status.detail,
    )


def _backend(backend: Described) -> pb.Backend:
    layers = [pb.IsolationLayer(name=x.name, in_force=x.in_force, detail=x.detail) for x in backend.layers]
    return pb.Backend(name=backend.name, available=backend.available, layers=layers, detail=backend.detail,
                      egress=backend.egress)  # fmt: skip


def _limits(limits: Limits) -> pb.Limits:
    return pb.Limits(**asdict(limits))


def _verdict(verdict: Verdict) -> pb.JudgeResponse:
    return pb.JudgeResponse(
        verdict=verdict.outcome,
        cases=verdict.cases,
        passed=verdict.passed,
        failures=[pb.CaseFailure(index=f.index, outcome=f.outcome, detail=f.detail) for f in verdict.failures],
        wall_s=verdict.wall_s,
        cpu_s=verdict.cpu_s,
        memory_bytes=verdict.memory_bytes,
    )
