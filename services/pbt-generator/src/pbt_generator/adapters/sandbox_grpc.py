"""The sandbox behind its port: speaks `touchstone.sandbox.v1`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import grpc

from pbt_generator.errors import SandboxAwayError, SandboxRefusedError, SandboxUnavailableError
from pbt_generator.ports import CaseOutcome, CasesResult, Failure, ForeignProgram, Judgement, ProgramRun, RunLimits
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_runtime.errors import PermanentError, RetryableError
from touchstone_runtime.faults import FaultKinds, rpc_fault
from touchstone_runtime.members import member_name

_LANGUAGES = {
    "python": pb.LANGUAGE_PYTHON,
    "javascript": pb.LANGUAGE_JAVASCRIPT,
    "typescript": pb.LANGUAGE_TYPESCRIPT,
    "java": pb.LANGUAGE_JAVA,
    "go": pb.LANGUAGE_GO,
    "php": pb.LANGUAGE_PHP,
}
# Outcomes that say something of the sandbox, not of the program.
_FAULT = pb.OUTCOME_PLATFORM_FAULT


class GrpcSandbox:
    """Implements the `Sandbox` port over a channel.

    Args:
        channel: A gRPC channel to the sandbox-executor.
        address: Its address, for error messages.
        deadline_s: How long one job may take in all, waiting for a worker included.
    """

    def __init__(self, channel: grpc.aio.Channel, address: str, deadline_s: float = 300.0) -> None:
        self._stub: rpc.SandboxServiceAsyncStub = rpc.SandboxServiceStub(channel)  # type: ignore[assignment]
        self._address = address
        self._deadline_s = deadline_s
        self._languages: tuple[str, ...] | None = None

    async def run_cases(
        self, program: ForeignProgram, inputs: Sequence[str], *, limits: RunLimits, hash_seed: int = 1
    ) -> CasesResult:
        """Call a program's entry point on every input."""
        request = pb.RunCasesRequest(
            language=_LANGUAGES[program.language],
            source=program.source,
            entry_point=program.entry_point,
            inputs=inputs,
            limits=_limits(limits),
            hash_seed=hash_seed,
        )
        outcomes: list[CaseOutcome] = []
        cpu_s = 0.0
        try:
            async for answer in self._stub.RunCases(request, timeout=self._deadline_s):
                if answer.outcome == _FAULT:
                    raise SandboxUnavailableError(
                        f"the sandbox failed: {answer.error_message or 'no detail'}",
                        thing=self._address,
                        way_out="see `touchstone sandbox selftest`",
                    )
                cpu_s = max(cpu_s, answer.job_cpu_s)
                name = member_name(pb.Outcome, answer.outcome, "OUTCOME_")
                outcomes.append(CaseOutcome(name, answer.value, answer.error_type, answer.error_message))
        except grpc.aio.AioRpcError as error:
            raise self._fault(error) from error
        if len(outcomes) != len(inputs):
            raise SandboxUnavailableError(
                f"{len(outcomes)} outcomes for {len(inputs)} inputs",
                thing=self._address,
                way_out="is it the same version?",
            )
        return CasesResult(tuple(outcomes), cpu_s)

    async def judge(
        self,
        program: ForeignProgram,
        suite: bytes,
        *,
        limits: RunLimits,
        hash_seed: int = 1,
        stop_after_failures: int = 0,
    ) -> Judgement:
        """Run a program on a suite and compare outside."""
        request = pb.JudgeRequest(
            language=_LANGUAGES[program.language],
            source=program.source,
            entry_point=program.entry_point,
            suite_json=suite,
            limits=_limits(limits),
            hash_seed=hash_seed,
            stop_after_failures=stop_after_failures,
        )
        try:
            answer = await self._stub.Judge(request, timeout=self._deadline_s)
        except grpc.aio.AioRpcError as error:
            raise self._fault(error) from error
        if answer.verdict == "platform_fault":
            raise SandboxUnavailableError("the sandbox failed while judging", thing=self._address)
        failures = tuple(Failure(failure.index, failure.outcome, failure.detail) for failure in answer.failures)
        return Judgement(answer.verdict, answer.cases, answer.passed, failures, answer.cpu_s)

    async def prepare(self, requirements: Sequence[str]) -> tuple[str, str]:
        """Have packages of Python installed; see `Programs`."""
        request = pb.PrepareRequest(language=pb.LANGUAGE_PYTHON, requirements=requirements)
        try:
            answer = await self._stub.Prepare(request, timeout=self._deadline_s)
        except grpc.aio.AioRpcError as error:
            raise self._fault(error) from error
        return answer.environment_id if answer.ready else "", answer.detail

    async def run_program(
        self, source: str, files: Mapping[str, bytes], left: str, environment: str, limits: RunLimits
    ) -> ProgramRun:
        """Run a whole program; see `Programs`."""
        request = pb.ExecuteRequest(
            language=pb.LANGUAGE_PYTHON,
            source=source,
            files=[pb.File(path=path, content=content) for path, content in files.items()],
            limits=_limits(limits),
            environment_id=environment,
            artefacts=[left],
        )
        kept: bytes | None = None
        result: pb.ExecuteResult | None = None
        try:
            async for event in self._stub.Execute(request, timeout=self._deadline_s):
                match event.WhichOneof("event"):
                    case "artefact":
                        kept = event.artefact.content
                    case "result":
                        result = event.result
                    case _:
                        # What the program prints is nobody's business.
                        pass
        except grpc.aio.AioRpcError as error:
            raise self._fault(error) from error
        if result is None or result.outcome == _FAULT:
            raise SandboxUnavailableError("the sandbox failed while running a program", thing=self._address)
        name = member_name(pb.Outcome, result.outcome, "OUTCOME_")
        return ProgramRun(name, result.detail, kept, result.cpu_s)

    async def languages(self) -> tuple[str, ...]:
        """The languages that the sandbox can run; asked once."""
        if self._languages is None:
            try:
                answer = await self._stub.Describe(pb.DescribeRequest(), timeout=60.0)
            except grpc.aio.AioRpcError as error:
                raise self._fault(error) from error
            names = {number: name for name, number in _LANGUAGES.items()}
            self._languages = tuple(
                names[support.language]
                for support in answer.languages
                if support.available and support.language in names
            )
        return self._languages

    def _fault(self, error: grpc.aio.AioRpcError) -> RetryableError | PermanentError:
        kinds = FaultKinds(SandboxAwayError, SandboxUnavailableError, SandboxRefusedError)
        return rpc_fault(error, self._address, kinds=kinds, way_out="is the sandbox-executor running?")


def _limits(limits: RunLimits) -> pb.Limits:
    return pb.Limits(
        case_timeout_s=limits.case_timeout_s,
        total_timeout_s=limits.total_timeout_s,
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
    )
