"""Sessions of the sandbox-executor, as terminals in which tests are repaired."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeVar

from annotator.adapters.calls import OUTPUT_BYTES, RefusedError, asked, run_of
from annotator.domain.execution import ProgramRun
from annotator.errors import SandboxFaultError
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone_runtime.errors import TouchstoneError

R = TypeVar("R")

_SHELL = ("/bin/sh", "-c")
_CALL_S = 60.0
# A session lives in one replica of the executor. Calls take turns among replicas, and whoever is wrong does nothing.
_ELSEWHERE = "lives in another replica"
_TRIES = 16


@asynccontextmanager
async def open_terminal(
    stub: Any, request: pb.OpenSessionRequest, files: Mapping[str, str], step_s: float, wait_s: float
) -> AsyncGenerator[GrpcTerminal]:
    """A session for commands, which is closed with the block.

    Args:
        stub: The sandbox-executor.
        request: What to open; the files are added to it.
        files: Text by path in the working folder.
        step_s: Longest run of one command, in seconds.
        wait_s: Longest wait for the sandbox to have room, in seconds.
    """
    request.files.extend(pb.File(path=path, content=_bytes(text)) for path, text in files.items())
    try:
        opened = await asked(lambda: stub.OpenSession(request, timeout=wait_s))
    except RefusedError as error:
        raise SandboxFaultError(
            f"opens no session: {error}", thing="sandbox-executor", way_out="see `touchstone doctor`"
        ) from error
    try:
        yield GrpcTerminal(stub, opened.session_id, step_s)
    finally:
        # One that is not closed ends by itself, when nothing was asked of it for a while.
        with suppress(TouchstoneError, RefusedError):
            close = pb.CloseSessionRequest(session_id=opened.session_id)
            await _at_home(lambda: stub.CloseSession(close, timeout=_CALL_S))


class GrpcTerminal:
    """One session; see the port `Terminal`."""

    def __init__(self, stub: Any, session_id: str, step_s: float) -> None:
        self._stub = stub
        self._session_id = session_id
        self._step_s = step_s

    async def command(self, line: str) -> ProgramRun:
        """Run one line of `sh`."""
        request = pb.ExecuteInSessionRequest(
            session_id=self._session_id,
            # What a model says may hold halves of letters, and the end of an argument in its midst.
            command=pb.Command(argv=[*_SHELL, _bytes(line.replace("\0", " ")).decode()]),
            timeout_s=self._step_s,
            output_bytes=OUTPUT_BYTES,
        )

        async def collect() -> list[pb.ExecuteInSessionResponse]:
            return [answer async for answer in self._stub.ExecuteInSession(request, timeout=self._step_s + _CALL_S)]

        try:
            events = await _at_home(collect)
        except RefusedError as error:
            return ProgramRun("killed", detail=str(error))
        return run_of(events, "ExecuteInSession")

    async def write(self, path: str, text: str) -> None:
        """Put a file into the working folder."""
        request = pb.WriteFileRequest(session_id=self._session_id, file=pb.File(path=path, content=_bytes(text)))
        with suppress(RefusedError):
            await _at_home(lambda: self._stub.WriteFile(request, timeout=_CALL_S))

    async def read(self, path: str) -> str | None:
        """The text of a file of the working folder."""
        request = pb.ReadFileRequest(session_id=self._session_id, path=path)
        try:
            answer = await _at_home(lambda: self._stub.ReadFile(request, timeout=_CALL_S))
            return answer.file.content.decode()
        except (RefusedError, UnicodeDecodeError):
            return None


async def _at_home(call: Callable[[], Awaitable[R]]) -> R:
    """Ask until the replica answers that holds the session."""

    for _ in range(_TRIES):
        try:
            return await asked(call)
        except (RefusedError, TouchstoneError) as error:
            if _ELSEWHERE not in str(error):
                raise
    return await asked(call)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")
