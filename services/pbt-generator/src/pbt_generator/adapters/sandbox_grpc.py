"""Foreign code runs in the sandbox-executor."""

from __future__ import annotations

from collections.abc import Sequence

import grpc

from pbt_generator.errors import SandboxRefusedError, SandboxUnavailableError
from pbt_generator.ports import CaseOutcome, CasesResult, Failure, ForeignProgram, Judgement, RunLimits
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc

_WAY_OUT = "`touchstone doctor` says what the sandbox lacks"
_PASSING = frozenset(
    {
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.CANCELLED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.UNKNOWN,
        # A layer of isolation is missing: nothing is wrong with the job, and nothing of it is lost.
        grpc.StatusCode.FAILED_PRECONDITION,
    }
)


class GrpcSandbox:
    """Implements `ports.Sandbox`.

    Args:
        channel: To the sandbox-executor.
        deadline_s: Longest wait for one job, queueing included, in seconds.
    """

    def __init__(self, channel: grpc.aio.Channel, *, deadline_s: float = 600.0) -> None:
        self._stub = rpc.SandboxServiceStub(channel)
        self._deadline_s = deadline_s

    async def run_cases(
        self, program: ForeignProgram, inputs: Sequence[str], *, limits: RunLimits, hash_seed: int = 1
    ) -> CasesResult:
        """Call a program's entry point on every input; see `ports.Sandbox`."""
        request = pb.RunCasesRequest(
            language=_language(program.language),
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
                outcomes.append(_outcome(answer))
                cpu_s = max(cpu_s, answer.job_cpu_s)
        except grpc.aio.AioRpcError as error:
            raise _fault(error) from error
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
        """Run a program on a suite, on the path that candidates take; see `ports.Sandbox`."""
        request = pb.JudgeRequest(
            language=_language(program.language),
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
            raise _fault(error) from error
        failures = tuple(Failure(each.index, each.outcome, each.detail) for each in answer.failures)
        return Judgement(answer.verdict, answer.cases, answer.passed, failures, answer.cpu_s)

    async def languages(self) -> tuple[str, ...]:
        """The languages that the sandbox can run."""
        try:
            described = await self._stub.Describe(pb.DescribeRequest(), timeout=60.0)
        except grpc.aio.AioRpcError as error:
            raise _fault(error) from error
        return tuple(
            pb.Language.Name(each.language).removeprefix("LANGUAGE_").lower()
            for each in described.languages
            if each.available
        )


def _language(name: str) -> pb.Language:
    try:
        return pb.Language.Value(f"LANGUAGE_{name.upper()}")
    except ValueError as error:
        raise SandboxRefusedError("is no language of the sandbox", thing=name) from error


def _limits(limits: RunLimits) -> pb.Limits:
    return pb.Limits(
        case_timeout_s=limits.case_timeout_s,
        total_timeout_s=limits.total_timeout_s,
        memory_bytes=limits.memory_bytes,
        output_bytes=limits.output_bytes,
    )


def _outcome(answer: pb.RunCasesResponse) -> CaseOutcome:
    name = pb.Outcome.Name(answer.outcome).removeprefix("OUTCOME_").lower()
    if answer.outcome in (pb.OUTCOME_PLATFORM_FAULT, pb.OUTCOME_UNSPECIFIED):
        raise SandboxUnavailableError(
            f"failed while running a job: {answer.error_message or name}", thing="sandbox-executor", way_out=_WAY_OUT
        )
    return CaseOutcome(name, answer.value, answer.error_type, answer.error_message)


def _fault(error: grpc.aio.AioRpcError) -> SandboxUnavailableError | SandboxRefusedError:
    words = f"{error.code().name.lower()}: {error.details()}"
    if error.code() in _PASSING:
        return SandboxUnavailableError(f"does not run jobs: {words}", thing="sandbox-executor", way_out=_WAY_OUT)
    return SandboxRefusedError(f"refuses a job: {words}", thing="sandbox-executor", way_out=_WAY_OUT)
