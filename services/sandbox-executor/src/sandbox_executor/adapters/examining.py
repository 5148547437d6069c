"""Large answers are read and compared in processes of their own, whose memory and time are bounded."""

from __future__ import annotations

import contextlib
import queue
import select
import signal
import subprocess
import sys

from sandbox_executor.adapters.examination import EXACT, FOUND, LENGTHS, PORTABLE, PROVE, REPLY
from sandbox_executor.domain.frames import LARGE, fault
from sandbox_executor.domain.judging import difference
from sandbox_executor.errors import SandboxFaultError
from touchstone_values import MalformedValueError, Mode

# A tree of as many values as may be sent takes less; CPU-seconds are of one answer.
MEMORY_BYTES = 3 << 30
CPU_S = 30
# A request that does not use its CPU-seconds up in this time was not let run: the machine's fault, not the answer's.
_WITHIN_S = 600.0


class ProcessExaminer:
    """Reads and compares answers; see the port.

    Args:
        processes: Large answers at a time; others wait.
        memory_bytes: Address space of each process.
        cpu_s: CPU-seconds that one answer may take.
        large: Characters from which a process of its own is used.
    """

    def __init__(
        self, processes: int = 2, memory_bytes: int = MEMORY_BYTES, cpu_s: int = CPU_S, large: int = LARGE
    ) -> None:
        self._limits = (str(memory_bytes), str(cpu_s))
        self._words = f"it takes more than {memory_bytes >> 20} MiB or {cpu_s} s to read"
        self._large = large
        self._places: queue.SimpleQueue[subprocess.Popen[bytes] | None] = queue.SimpleQueue()
        self._processes = processes
        for _ in range(processes):
            self._places.put(None)

    def fault(self, value: str) -> str:
        """Why a text is no portable value; empty when it is one."""
        return fault(value) if len(value) <= self._large else self._ask(PROVE, "", value)

    def difference(self, expected: str, actual: str, mode: Mode) -> str:
        """Where an answer differs from what was expected; empty when it does not.

        Raises:
            MalformedValueError: `expected` is not in the portable form.
            SandboxFaultError: the machine ended the process that should have told.
        """
        if len(expected) + len(actual) <= self._large:
            return difference(expected, actual, mode)
        return self._ask(PORTABLE if mode == "portable" else EXACT, expected, actual)

    def _ask(self, kind: bytes, left: str, right: str) -> str:
        process = self._places.get()
        try:
            if process is None or process.poll() is not None:
                process = self._start()
            reply = _exchange(process, kind, left, right)
            if reply is None:
                process.kill()
                ended = process.wait()
                process = None
                if ended == -signal.SIGKILL:
                    raise SandboxFaultError("a process that reads answers was killed, or given no time", thing="answer")
                return self._words
        finally:
            self._places.put(process)
        sort, words = reply
        if sort != FOUND:
            raise MalformedValueError("$", words)
        return words

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "sandbox_executor.adapters.examination", *self._limits],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={},
            start_new_session=True,
        )

    def close(self) -> None:
        """End the processes."""
        for _ in range(self._processes):
            process = self._places.get()
            if process is not None:
                process.kill()
                process.wait()
            self._places.put(None)


def _exchange(process: subprocess.Popen[bytes], kind: bytes, left: str, right: str) -> tuple[bytes, str] | None:
    """One request and its reply; None when the process ended over it, or did not answer at all."""
    assert process.stdin is not None and process.stdout is not None
    texts = [text.encode("utf-8", "surrogatepass") for text in (left, right)]
    try:
        process.stdin.write(LENGTHS.pack(kind, *map(len, texts)) + b"".join(texts))
        process.stdin.flush()
        poll = select.poll()
        poll.register(process.stdout.fileno(), select.POLLIN)
        head = process.stdout.read(REPLY.size) if poll.poll(_WITHIN_S * 1000) else b""
        if len(head) < REPLY.size:
            # One that ended by itself has said why by its ending.
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1.0)
            return None
        sort, size = REPLY.unpack(head)
        return sort, process.stdout.read(size).decode()
    except BrokenPipeError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
        return None
