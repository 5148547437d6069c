"""Drafts run in the sandbox-executor."""

from __future__ import annotations

from collections.abc import Sequence

import grpc

from evaluator.errors import SandboxFailedError, SandboxUnusableError
from evaluator.ports import CallRun
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_runtime.faults import FaultKinds, refused, rpc_fault
from touchstone_runtime.members import member_name

_KINDS = FaultKinds(away=SandboxUnusableError, failed=SandboxFailedError)


class GrpcSandbox:
    """Implements `ports.Sandbox`.

    Args:
        channel: To the sandbox-executor.
        case_timeout_s: Longest run of one call, in seconds.
        deadline_s: Longest wait for all of them, queueing included.
    """

    def __init__(self, channel: grpc.aio.Channel, *, case_timeout_s: float = 5.0, deadline_s: float = 300.0) -> None:
        self._stub = rpc.SandboxServiceStub(channel)
        self._case_timeout_s = case_timeout_s
        self._deadline_s = deadline_s

    async def run_calls(
        self, source: str, entry_point: str, inputs: Sequence[str], language: str = "python"
    ) -> list[CallRun]:
        """Call an entry point on inputs, each a JSON array of arguments; one outcome each, in order.

        Raises:
            SandboxUnusableError: The sandbox is away.
            SandboxFailedError: It failed, or did not tell how each call ended.
        """
        request = pb.RunCasesRequest(
            language=pb.Language.Value(f"LANGUAGE_{language.upper()}"),
            source=source,
            entry_point=entry_point,
            inputs=inputs,
            limits=pb.Limits(case_timeout_s=self._case_timeout_s),
        )
        runs: list[CallRun] = []
        try:
            async for response in self._stub.RunCases(request, timeout=self._deadline_s):
                runs.append(_run_of(response))
        except grpc.aio.AioRpcError as error:
            if words := refused(error):
                # Too large, or otherwise impossible: the draft's fault, and the model may learn from it.
                return [CallRun("refused", error_message=words)] * len(inputs)
            raise rpc_fault(
                error, "sandbox-executor", kinds=_KINDS, way_out="`touchstone doctor` says what is missing"
            ) from error
        if len(runs) != len(inputs):
            # Whatever becomes of a program, each of its calls has an end: where one lacks, the sandbox broke off.
            raise SandboxFailedError(
                f"the sandbox told how {len(runs)} of {len(inputs)} calls of a draft ended",
                thing="sandbox-executor",
                way_out="`touchstone doctor` says what is missing",
            )
        return runs


def _run_of(response: pb.RunCasesResponse) -> CallRun:
    outcome = member_name(pb.Outcome, response.outcome, "OUTCOME_")
    if response.outcome in (pb.OUTCOME_PLATFORM_FAULT, pb.OUTCOME_UNSPECIFIED):
        raise SandboxFailedError(
            f"the sandbox failed while running a draft: {response.error_message or outcome}",
            thing="sandbox-executor",
            way_out="`touchstone doctor` says what is missing",
        )
    return CallRun(outcome, response.value, response.error_type, response.error_message)
