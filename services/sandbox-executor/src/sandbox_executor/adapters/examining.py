"""Large answers are read and compared in processes of their own, whose memory and time are bounded.

Two ends of such a process are the answer's doing: its CPU-seconds are used up, and it says that the answer takes more
memory than there is. Any other end is ours, or the machine's: another process is asked, and nobody is judged by it.
"""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence

from sandbox_executor.adapters.examination import EXACT, FOUND, LENGTHS, MEMORY, PORTABLE, PROVE, REPLY, SUITE
from sandbox_executor.domain.frames import LARGE, fault
from sandbox_executor.domain.judging import difference
from sandbox_executor.errors import SandboxFaultError
from touchstone_values import MalformedValueError, Mode

# A tree of as many values as may be sent takes less; CPU-seconds are of one answer.
MEMORY_BYTES = 3 << 30
CPU_S = 30
# A request that does not use its CPU-seconds up in this time was not let run: the machine's fault, not the answer's.
_WITHIN_S = 600.0
# Processes that are asked the same before it is a fault.
_TRIES = 3
COMMAND = (sys.executable, "-m", "sandbox_executor.adapters.examination")


class ProcessExaminer:
    """Reads and compares answers; see the port.

    Args:
        processes: Large answers at a time; others wait.
        memory_bytes: Address space of each process.
        cpu_s: CPU-seconds that one answer may take.
        large: Characters from which a process of its own is used.
        within_s: Seconds after which a process that has not replied is given up.
        command: Starts a process; its limits are appended.
    """

    def __init__(
        self,
        processes: int = 2,
        memory_bytes: int = MEMORY_BYTES,
        cpu_s: int = CPU_S,
        large: int = LARGE,
        within_s: float = _WITHIN_S,
        command: Sequence[str] = COMMAND,
    ) -> None:
        self._command = [*command, str(memory_bytes), str(cpu_s)]
        self._words = f"it takes more than {memory_bytes >> 20} MiB or {cpu_s} s to read"
        self._large = large
        self._within_s = within_s
        self._places: queue.SimpleQueue[subprocess.Popen[bytes] | None] = queue.SimpleQueue()
        self._processes = processes
        for _ in range(processes):
            self._places.put(None)

    def fault(self, value: str) -> str:
        """Why a text is no portable value; empty when it is one.

        Raises:
            SandboxFaultError: the processes that should have told ended otherwise than by the value.
        """
        return fault(value) if len(value) <= self._large else self._ask(PROVE, "", value)

    def difference(self, expected: str, actual: str, mode: Mode) -> str:
        """Where an answer differs from what was expected; empty when it does not.

        Raises:
            MalformedValueError: `expected` is not in the portable form.
            SandboxFaultError: the processes that should have told ended otherwise than by the answer.
        """
        if len(expected) + len(actual) <= self._large:
            return difference(expected, actual, mode)
        return self._ask(PORTABLE if mode == "portable" else EXACT, expected, actual)

    def _ask(self, kind: bytes, left: str, right: str) -> str:
        given_up = time.monotonic() + self._within_s
        ended = ""
        for _ in range(_TRIES):
            with self._process() as process:
                reply = _exchange(process, kind, left, right, self._within_s)
                if isinstance(reply, int):
                    if reply == -signal.SIGXCPU:
                        return self._words
                    ended = f"signal {-reply}" if reply < 0 else f"exit code {reply}"
                    if time.monotonic() >= given_up:
                        break
                    continue
                sort, words = reply
                if sort == SUITE:
                    raise MalformedValueError("$", words)
                return self._words if sort == MEMORY else words
        raise SandboxFaultError(f"a process that reads answers ended with {ended} and no reply", thing="answer")

    @contextlib.contextmanager
    def _process(self) -> Generator[subprocess.Popen[bytes]]:
        """One of the processes, for one request; who did not live through it, or was left in it, is not kept."""
        process = self._places.get()
        kept = None
        try:
            if process is None or process.poll() is not None:
                _end(process)
                process = None
                process = self._start()
            yield process
            kept = process if process.poll() is None else None
        finally:
            if kept is None:
                _end(process)
            self._places.put(kept)

    def _start(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                # So that the code that asks and the code that replies are of one place.
                env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxFaultError(f"a process that reads answers does not start: {error}", thing="answer") from error

    def close(self) -> None:
        """End the processes."""
        for _ in range(self._processes):
            _end(self._places.get())
            self._places.put(None)


def _end(process: subprocess.Popen[bytes] | None) -> None:
    if process is None:
        return
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            # What was not written any more goes with it.
            with contextlib.suppress(OSError):
                stream.close()


def _exchange(
    process: subprocess.Popen[bytes], kind: bytes, left: str, right: str, within_s: float
) -> tuple[bytes, str] | int:
    """One request and its reply; the process's exit status where it gave none, as `Popen` has it."""
    assert process.stdin is not None and process.stdout is not None
    texts = [text.encode("utf-8", "surrogatepass") for text in (left, right)]
    limit = threading.Timer(within_s, process.kill)
    limit.daemon = True
    limit.start()
    try:
        # Who reads no more may have replied: that there is no memory for the answer.
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(LENGTHS.pack(kind, *map(len, texts)))
            for text in texts:
                process.stdin.write(text)
            process.stdin.flush()
        head = process.stdout.read(REPLY.size)
        sort, size = REPLY.unpack(head) if len(head) == REPLY.size else (b"", 0)
        words = process.stdout.read(size)
        if sort in (FOUND, SUITE, MEMORY) and len(words) == size:
            return sort, words.decode("utf-8", "replace")
    finally:
        limit.cancel()
    # One that ended by itself has said why by its ending.
    with contextlib.suppress(subprocess.TimeoutExpired):
        return process.wait(1.0)
    process.kill()
    return process.wait()
