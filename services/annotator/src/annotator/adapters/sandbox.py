"""The sandbox-executor over gRPC."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import grpc

from annotator.adapters.calls import OUTPUT_BYTES, RefusedError, asked, outcome_of, run_of
from annotator.adapters.terminal import open_terminal
from annotator.domain.execution import CaseRun, ProgramRun
from annotator.errors import SandboxFaultError
from annotator.ports import Preparation, Terminal
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc

_LANGUAGES = {
    "python": pb.LANGUAGE_PYTHON,
    "javascript": pb.LANGUAGE_JAVASCRIPT,
    "typescript": pb.LANGUAGE_TYPESCRIPT,
    "java": pb.LANGUAGE_JAVA,
    "go": pb.LANGUAGE_GO,
    "php": pb.LANGUAGE_PHP,
}
# Bulk jobs may stand before ours in the sandbox's queue.
_QUEUE_S = 300.0
_PREPARE_S = 600.0


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What one execution may take."""

    case_timeout_s: float = 5.0
    program_timeout_s: float = 30.0
    memory_bytes: int = 512 * 1024 * 1024


class GrpcSandbox:
    """Runs code in the sandbox-executor; see the port.

    Args:
        channel: To the sandbox-executor.
        limits: What one execution may take.
    """

    def __init__(self, channel: grpc.aio.Channel, limits: SandboxLimits) -> None:
        self._stub = rpc.SandboxServiceStub(channel)
        self._limits = limits
        self._spoken: frozenset[int] | None = None

    async def speaks(self, language: str) -> bool:
        """Whether programs in a language can run here."""
        if self._spoken is None:
            answer = await asked(lambda: self._stub.Describe(pb.DescribeRequest(), timeout=30.0))
            self._spoken = frozenset(support.language for support in answer.languages if support.available)
        return _LANGUAGES[language] in self._spoken

    async def call(
        self, language: str, source: str, entry_point: str, inputs: Sequence[str], environment_id: str,
        nothing_returned: bool = False,
    ) -> tuple[CaseRun, ...]:  # fmt: skip
        """Call one function on each input."""
        request = pb.RunCasesRequest(
            language=_LANGUAGES[language],
            source=source,
            entry_point=entry_point,
            inputs=list(inputs),
            limits=self._pb_limits(self._limits.case_timeout_s),
            environment_id=environment_id,
            nothing_returned=nothing_returned,
        )

        async def collect() -> list[pb.RunCasesResponse]:
            return [answer async for answer in self._stub.RunCases(request, timeout=self._deadline_s)]

        try:
            answers = await asked(collect)
        except RefusedError as error:
            return tuple(CaseRun("compile_error", message=str(error)) for _ in inputs)
        if [answer.index for answer in answers] != list(range(len(inputs))):
            raise SandboxFaultError(
                f"answered {len(answers)} of {len(inputs)} cases",
                thing="RunCases",
                way_out="look into the sandbox's log",
            )
        return tuple(
            CaseRun(outcome_of(answer.outcome), answer.value, answer.error_type, answer.error_message, answer.wall_s)
            for answer in answers
        )

    async def run(self, language: str, source: str, environment_id: str) -> ProgramRun:
        """Run a whole program."""
        request = pb.ExecuteRequest(
            language=_LANGUAGES[language],
            source=source,
            limits=self._pb_limits(self._limits.program_timeout_s),
            environment_id=environment_id,
        )

        async def collect() -> list[pb.ExecuteResponse]:
            return [answer async for answer in self._stub.Execute(request, timeout=self._deadline_s)]

        try:
            events = await asked(collect)
        except RefusedError as error:
            return ProgramRun("compile_error", detail=str(error))
        return run_of(events, "Execute")

    async def prepare(self, language: str, requirements: Sequence[str]) -> Preparation:
        """Put packages in place for later runs."""
        request = pb.PrepareRequest(language=_LANGUAGES[language], requirements=list(requirements))
        try:
            answer = await asked(lambda: self._stub.Prepare(request, timeout=_PREPARE_S))
        except RefusedError as error:
            return Preparation("", problem=str(error))
        if not answer.ready:
            return Preparation("", problem=answer.detail or "no reason was given")
        installed = tuple(
            f"{package.name}=={package.version} {package.sha256 or package.integrity}" for package in answer.packages
        )
        return Preparation(answer.environment_id, installed)

    def terminal(
        self, language: str, files: Mapping[str, str], environment_id: str
    ) -> AbstractAsyncContextManager[Terminal]:
        """A sandbox for commands."""
        request = pb.OpenSessionRequest(
            language=_LANGUAGES[language],
            limits=self._pb_limits(self._limits.program_timeout_s),
            environment_id=environment_id,
        )
        return open_terminal(self._stub, request, files, self._limits.program_timeout_s, self._deadline_s)

    @property
    def _deadline_s(self) -> float:
        return self._limits.program_timeout_s + _QUEUE_S

    def _pb_limits(self, case_timeout_s: float) -> pb.Limits:
        return pb.Limits(
            case_timeout_s=case_timeout_s,
            total_timeout_s=self._limits.program_timeout_s,
            memory_bytes=self._limits.memory_bytes,
            output_bytes=OUTPUT_BYTES,
        )
