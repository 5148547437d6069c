"""What all calls of the sandbox-executor share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypeVar, cast

import grpc

from annotator.domain.execution import Outcome, ProgramRun
from annotator.errors import SandboxFaultError
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone_runtime.faults import FaultKinds, refused, rpc_fault
from touchstone_runtime.members import member_name

R = TypeVar("R")

OUTPUT_BYTES = 256 * 1024


class RefusedError(Exception):
    """The sandbox does not take this job as it is."""


async def asked(call: Callable[[], Awaitable[R]]) -> R:
    """Call the sandbox; what it says about the job is told from what it says about itself."""
    try:
        return await call()
    except grpc.aio.AioRpcError as error:
        if words := refused(error):
            raise RefusedError(words) from error
        raise rpc_fault(
            error, "sandbox-executor", kinds=FaultKinds(failed=SandboxFaultError), way_out="see `touchstone doctor`"
        ) from error


def outcome_of(value: Any) -> Outcome:
    """How a call or a program ended, by name.

    Raises:
        SandboxFaultError: the sandbox failed on its own account.
    """
    name = member_name(pb.Outcome, value, "OUTCOME_")
    if name in {"unspecified", "platform_fault"}:
        raise SandboxFaultError(
            "an execution ended by a fault of the sandbox", thing="sandbox-executor", way_out="look into its log"
        )
    return cast("Outcome", name)


def run_of(events: Sequence[Any], call: str) -> ProgramRun:
    """How a program ended, from the pieces of its output and the one result among them.

    Args:
        events: All answers of a stream.
        call: The call that they answer, for people.

    Raises:
        SandboxFaultError: there is no result, or more than one; or the sandbox failed on its own account.
    """
    results = [event.result for event in events if event.WhichOneof("event") == "result"]
    if len(results) != 1:
        raise SandboxFaultError("gave no result", thing=call, way_out="look into the sandbox's log")
    return ProgramRun(
        outcome_of(results[0].outcome),
        results[0].exit_code,
        b"".join(event.stdout for event in events).decode(errors="replace"),
        b"".join(event.stderr for event in events).decode(errors="replace"),
        results[0].detail,
        results[0].wall_s,
    )
