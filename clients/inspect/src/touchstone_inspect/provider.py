"""The sandbox as Inspect's sandbox provider: `sandbox="touchstone"`, a session of the sandbox-executor for each sample.

Files are read and written by programs of the session itself: nothing of what a candidate left is opened from outside.
"""

from __future__ import annotations

import errno
from typing import Literal, overload

import anyio
from inspect_ai.util import (
    ExecResult,
    OutputLimitExceededError,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    SandboxEnvironmentLimits,
    SandboxUserUnsupportedError,
    sandboxenv,
)
from pydantic import BaseModel

from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone_inspect.executor import Executor, NoVerdictError, Printed, executor

# What an executor lets one caller have open by default.
_SESSIONS = 4
_IDLE_S, _LIFETIME_S = 3600.0, 6 * 3600.0
_FILES_S = 120.0
_MIB = 1024 * 1024
# How a shell says that a program may not be run, and that there is none.
_NOT_EXECUTABLE = 126
# The exit codes of both scripts are numbers of errors; their own programs end with 1.
_READ = f"""\
if [ -d "$1" ]; then exit {errno.EISDIR}; fi
if [ ! -e "$1" ]; then exit {errno.ENOENT}; fi
if [ ! -r "$1" ]; then exit {errno.EACCES}; fi
if [ "$(stat -L -c %s -- "$1")" -gt "$2" ]; then exit {errno.EFBIG}; fi
exec cat -- "$1"
"""
_WRITE = f"""\
if [ -d "$1" ]; then exit {errno.EISDIR}; fi
if [ -e "$1" ] && [ ! -w "$1" ]; then exit {errno.EACCES}; fi
mkdir -p -- "$(dirname -- "$1")" && exec cat > "$1"
"""
_DENIED = ("Permission denied", "Read-only file system", "Operation not permitted")


class SessionConfig(BaseModel, frozen=True):
    """What sessions are opened with; what is empty or zero is the executor's default.

    Attributes:
        language: Of the runtime that is found first, lower case.
        memory_mb: Memory of all processes of a session, in MiB.
        environment: Prepared dependencies, from `touchstone sandbox prepare`.
        backend: "local" or "gvisor".
    """

    language: str = "python"
    memory_mb: int = 0
    environment: str = ""
    backend: str = ""


@sandboxenv(name="touchstone")
class TouchstoneSandbox(SandboxEnvironment):
    """One session: files stay from call to call, what a call leaves running ends with it.

    There is one user and no way out to a network. Concurrent calls take turns.

    Args:
        executor: Holds the session.
        session_id: Its id.
        most_output: Bytes that one call may print.
        longest_s: Seconds that one call may take.
    """

    def __init__(self, executor: Executor, session_id: str, most_output: int, longest_s: float) -> None:
        super().__init__()
        self._executor = executor
        self.session_id = session_id
        self._most_output = most_output
        self._longest_s = longest_s
        self._turn = anyio.Lock()

    @classmethod
    def default_concurrency(cls) -> int | None:
        """How many samples have a session at a time."""
        return _SESSIONS

    @classmethod
    def config_deserialize(cls, config: dict[str, object]) -> BaseModel:
        """The configuration of a task, read back from its log."""
        return SessionConfig.model_validate(config)

    @classmethod
    async def task_init(cls, task_name: str, config: SandboxEnvironmentConfigType | None) -> None:
        """Refuse a configuration that is none, and an executor that does not answer, before any model is asked."""
        _config(config)
        await executor().most()

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        """Open a session, once there is room for one."""
        asked, holder = _config(config), executor()
        request = pb.OpenSessionRequest(
            language=pb.Language.Value(f"LANGUAGE_{asked.language.upper()}"),
            limits=pb.Limits(memory_bytes=asked.memory_mb * _MIB),
            environment_id=asked.environment,
            backend=asked.backend,
            idle_timeout_s=_IDLE_S,
            lifetime_s=_LIFETIME_S,
        )
        most = await holder.most()
        return {"default": cls(holder, await holder.open_session(request), most.output_bytes, most.total_timeout_s)}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        """Close the session, and end what still runs in it."""
        for environment in environments.values():
            own = environment.as_type(TouchstoneSandbox)
            # A sample that was cancelled must not leave its session open.
            with anyio.CancelScope(shield=True):
                await own._executor.close_session(own.session_id)

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        """Run a command in the session's working folder.

        Args:
            cmd: Program and arguments.
            input: Its whole standard input.
            cwd: Where it runs, relative to the working folder or absolute.
            env: Variables on top of the session's own.
            user: There is one user; another cannot be had.
            timeout: Seconds; without one the longest that the executor allows.
            timeout_retry: A command is never run twice.
            concurrency: The executor itself bounds what runs.

        Raises:
            TimeoutError: It took longer, and was ended.
            PermissionError: It may not be run.
            SandboxUserUnsupportedError: Another user is asked for.
            OutputLimitExceededError: It prints more than Inspect takes.
            UnicodeDecodeError: It prints what is no UTF-8.
        """
        if user is not None:
            raise SandboxUserUnsupportedError(f"the sandbox has one user; nothing runs in it as {user!r}")
        placed = [f"--chdir={cwd}"] if cwd else []
        placed += [f"{name}={value}" for name, value in (env or {}).items()]
        limit = SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE
        # `env` would take a program with a "=" in its name for a variable.
        argv = ["env", *placed, "sh", "-c", 'exec "$@"', "sh", *cmd] if placed else cmd
        done = await self._run(argv, _bytes(input or b""), float(timeout or 0), limit)
        _check_size(done, limit)
        stdout, stderr = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        if done.exit_code == _NOT_EXECUTABLE and any(words in stderr for words in _DENIED):
            raise PermissionError(f"{cmd[0]}: {stderr.strip()}")
        if done.outcome not in ("returned", "exited"):
            stderr = f"{stderr}{done.outcome}: {done.detail}\n"
        return ExecResult(done.outcome == "returned", done.exit_code, stdout, stderr)

    async def write_file(self, file: str, contents: str | bytes) -> None:
        """Put a file in place of what is there; folders on the way are made.

        Raises:
            PermissionError: It must not be written.
            IsADirectoryError: It is a folder.
            OSError: It cannot be written: no room, or a file on the way.
        """
        done = await self._run(["sh", "-c", _WRITE, "sh", _named(file)], _bytes(contents), _FILES_S, _MIB)
        _raise(done, file)

    @overload
    async def read_file(self, file: str, text: Literal[True] = True) -> str: ...

    @overload
    async def read_file(self, file: str, text: Literal[False]) -> bytes: ...

    async def read_file(self, file: str, text: bool = True) -> str | bytes:
        """Read a file.

        Raises:
            FileNotFoundError: There is none.
            PermissionError: It must not be read.
            IsADirectoryError: It is a folder.
            OutputLimitExceededError: It is larger than Inspect, or the executor, hands out.
            UnicodeDecodeError: It is no UTF-8, and text is asked for.
        """
        limit, words = SandboxEnvironmentLimits.MAX_READ_FILE_SIZE, SandboxEnvironmentLimits.MAX_READ_FILE_SIZE_STR
        if limit > self._most_output:
            limit, words = self._most_output, f"{self._most_output / _MIB:g} MiB"
        done = await self._run(["sh", "-c", _READ, "sh", _named(file), str(limit)], b"", _FILES_S, limit)
        if done.exit_code == errno.EFBIG or done.outcome == "output_limit":
            raise OutputLimitExceededError(words, None)
        _raise(done, file)
        return done.stdout.decode("utf-8") if text else done.stdout

    async def _run(self, argv: list[str], stdin: bytes, timeout_s: float, limit: int) -> Printed:
        """Run a command when it is its turn; `limit` bounds each of its streams, in bytes."""
        request = pb.ExecuteInSessionRequest(
            session_id=self.session_id,
            command=pb.Command(argv=argv),
            stdin=stdin,
            timeout_s=min(timeout_s or self._longest_s, self._longest_s),
            # Both streams together, and one byte that tells what is full from what is more.
            output_bytes=min(2 * limit + 1, self._most_output),
        )
        async with self._turn:
            done = await self._executor.step(request)
        if done.outcome == "timed_out":
            raise TimeoutError(f"{argv[0]}: ended after {request.timeout_s:g} s")
        if done.outcome == "platform_fault":
            raise NoVerdictError(f"the sandbox failed: {done.detail}")
        return done


def _config(config: SandboxEnvironmentConfigType | None) -> SessionConfig:
    """What a task asks for; a text names the backend, as in `--sandbox touchstone:gvisor`."""
    if config is None:
        return SessionConfig()
    if isinstance(config, str):
        return SessionConfig(backend=config)
    if isinstance(config, SessionConfig):
        return config
    raise TypeError(f"the sandbox takes a SessionConfig or the name of a backend, not {type(config).__name__}")


def _check_size(done: Printed, limit: int) -> None:
    if done.outcome == "output_limit" or max(len(done.stdout), len(done.stderr)) > limit:
        kept = b"".join(stream[:limit] for stream in (done.stdout, done.stderr)).decode("utf-8", "replace")
        raise OutputLimitExceededError(SandboxEnvironmentLimits.MAX_EXEC_OUTPUT_SIZE_STR, kept)


def _raise(done: Printed, file: str) -> None:
    """What went wrong with a file, as Inspect wants it told."""
    if done.outcome == "returned":
        return
    said = " ".join(done.stderr.decode("utf-8", "replace").split()) or f"{done.outcome} {done.detail}".strip()
    code = done.exit_code
    if code == 1 and any(words in said for words in _DENIED):
        code = errno.EACCES
    match code:
        case errno.EISDIR:
            raise IsADirectoryError(code, "is a directory", file)
        case errno.ENOENT:
            raise FileNotFoundError(code, "no such file", file)
        case errno.EACCES:
            raise PermissionError(code, "permission denied", file)
        case _:
            raise OSError(errno.EIO, said, file)


def _named(file: str) -> str:
    """A path that no program takes for an option."""
    return f"./{file}" if file.startswith("-") else file


def _bytes(contents: str | bytes) -> bytes:
    return contents.encode("utf-8") if isinstance(contents, str) else contents
