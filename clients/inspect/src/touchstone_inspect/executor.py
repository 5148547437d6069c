"""The sandbox-executor that judges answers and holds sessions.

It is the one that `TOUCHSTONE_SANDBOX_ADDRESS` names. Inspect runs on asyncio or on trio, so calls block threads and no
event loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

import anyio
import anyio.to_thread
import grpc

from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_inspect.settings import InspectSettings
from touchstone_runtime.dialling import Identity, answered, dial_blocking
from touchstone_runtime.faults import rpc_fault
from touchstone_runtime.members import member_name

T = TypeVar("T")

# One message of all cases, compilation and waiting for a worker included.
_JUDGE_S = 1800.0
_CALL_S = 120.0
# Sessions are few, and samples wait for one another's to end.
_ROOM_WITHIN_S = 3600.0
_PAUSE_S = 1.0
# What a step may take longer than its own time: it waits for a worker, and what it printed travels.
_MARGIN_S = 300.0


class NoVerdictError(RuntimeError):
    """The sandbox gave no verdict; that is nobody's wrong answer."""


@dataclass(frozen=True)
class Verdict:
    """What became of a program.

    Attributes:
        outcome: "passed", or how the first failed case ended.
        cases: Of the suite.
        passed: How many passed.
        detail: What is wrong with the first failed case, in words.
        cpu_s: CPU-seconds of the job.
    """

    outcome: str
    cases: int
    passed: int
    detail: str
    cpu_s: float


@dataclass(frozen=True)
class Printed:
    """What a step printed, and how it ended; `outcome` is an outcome's name in lower case."""

    outcome: str
    exit_code: int
    stdout: bytes
    stderr: bytes
    detail: str


class Executor:
    """A connection to a sandbox-executor.

    Args:
        address: `host:port` or `unix:PATH`.
        identity: What is shown to it and trusted of it.
    """

    def __init__(self, address: str, identity: Identity) -> None:
        self._address = address
        self._stub: Any = rpc.SandboxServiceStub(dial_blocking(address, identity))

    async def judge(self, source: str, language: str, suite: bytes) -> Verdict:
        """Run a program on a suite as the platform judges its own runs: compared outside of the sandbox.

        Args:
            source: The whole program.
            language: Its language, lower case.
            suite: The frozen suite, as an export has it.

        Raises:
            NoVerdictError: The sandbox failed.
            TouchstoneError: It cannot be reached, or refuses the program.
        """
        request = pb.JudgeRequest(
            language=pb.Language.Value(f"LANGUAGE_{language.upper()}"),
            source=source.encode("utf-8", "replace").decode(),
            suite_json=suite,
        )
        answer = await self._answer("Judge", request, _JUDGE_S)
        if answer.verdict in ("", "platform_fault"):
            words = answer.failures[0].detail if answer.failures else ""
            raise NoVerdictError(f"the sandbox failed: {words or 'it says no more'}")
        detail = answer.failures[0].detail if answer.failures else ""
        return Verdict(answer.verdict, answer.cases, answer.passed, detail, answer.cpu_s)

    async def most(self) -> pb.Limits:
        """What a step may take at most."""
        return (await self._answer("Describe", pb.DescribeRequest(), _CALL_S)).maximum_limits

    async def open_session(self, request: pb.OpenSessionRequest) -> str:
        """Open a session once there is room for one; gives its id.

        Raises:
            TouchstoneError: There is none within an hour, or the request is refused.
        """
        end = time.monotonic() + _ROOM_WITHIN_S
        while True:
            try:
                return (await self._asked("OpenSession", request, _ROOM_WITHIN_S)).session_id
            except grpc.RpcError as error:
                if not _is_full(error) or time.monotonic() > end:
                    raise self._fault(error) from error
            await anyio.sleep(_PAUSE_S)

    async def step(self, request: pb.ExecuteInSessionRequest) -> Printed:
        """Run one step of a session to its end; a caller that goes away ends it.

        Raises:
            TouchstoneError: There is no such session any more, or the step is refused.
        """
        call = self._stub.ExecuteInSession(request, timeout=request.timeout_s + _MARGIN_S)
        try:
            return await _in_thread(lambda: _printed(call))
        except grpc.RpcError as error:
            raise self._fault(error) from error
        finally:
            # Harmless where it has ended.
            call.cancel()

    async def close_session(self, session_id: str) -> None:
        """End a session; one that has ended is as good."""
        request = pb.CloseSessionRequest(session_id=session_id)
        try:
            await self._asked("CloseSession", request, _CALL_S)
        except grpc.RpcError as error:
            if not isinstance(error, grpc.Call) or error.code() is not grpc.StatusCode.NOT_FOUND:
                raise self._fault(error) from error

    def _fault(self, error: Any) -> Exception:
        named = "name it and a token by TOUCHSTONE_SANDBOX_ADDRESS and TOUCHSTONE_TOKEN_FILE"
        return rpc_fault(
            error, f"the sandbox-executor at {self._address}", way_out=f"start it (`make run`), or {named}"
        )

    async def _answer(self, method: str, request: Any, within_s: float) -> Any:
        """Call a method; its faults are told in words."""
        try:
            return await self._asked(method, request, within_s)
        except grpc.RpcError as error:
            raise self._fault(error) from error

    async def _asked(self, method: str, request: Any, within_s: float) -> Any:
        """Call a method; a caller that goes away takes its request back, so that no session is opened for nobody."""
        call = getattr(self._stub, method).future(request, timeout=within_s)
        try:
            return await _in_thread(call.result)
        finally:
            call.cancel()


async def _in_thread(call: Callable[[], T]) -> T:
    return await anyio.to_thread.run_sync(call, abandon_on_cancel=True)


def _printed(call: Any) -> Printed:
    parts: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    result = None
    # To the end of the stream: until then the session is busy with this step.
    for event in call:
        kind = event.WhichOneof("event")
        if kind == "result":
            result = event.result
        elif kind in parts:
            parts[kind].append(getattr(event, kind))
    if result is None:
        raise NoVerdictError("the sandbox ended a step without a result")
    outcome = member_name(pb.Outcome, result.outcome, "OUTCOME_")
    stdout, stderr = b"".join(parts["stdout"]), b"".join(parts["stderr"])
    return Printed(outcome, result.exit_code, stdout, stderr, result.detail)


def _is_full(error: grpc.RpcError) -> bool:
    """Whether a session is refused for want of room, which passes; a service that is away says that it is."""
    if not isinstance(error, grpc.Call):
        return False
    heard = answered(error) or "connect" not in (error.details() or "").lower()
    return error.code() is grpc.StatusCode.UNAVAILABLE and heard


@cache
def executor() -> Executor:
    """The executor of this process, by its settings; nothing is sent to it yet.

    Raises:
        OSError: The certificates cannot be read.
    """
    settings = InspectSettings()
    return Executor(settings.sandbox_address, settings.identity())
