"""What all calls of the sandbox-executor share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

import grpc

from annotator.domain.execution import Outcome
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
