"""The process that reads and compares large answers, under limits of its own; `examining` starts it.

Its requests and replies are lengths and texts on standard input and output. What an answer does to it, by its size or
its shape, ends this process and nobody else. Where that is for want of memory, it says so before.
"""

from __future__ import annotations

import resource
import struct
import sys
from typing import BinaryIO, Literal

from sandbox_executor.domain.frames import fault
from sandbox_executor.domain.judging import difference
from touchstone_values import MalformedValueError

LENGTHS = struct.Struct(">cQQ")
REPLY = struct.Struct(">cI")
PROVE, PORTABLE, EXACT = b"v", b"p", b"e"
# A reply has the words that were asked for, or those on a faulty suite, or says that there is no memory for the answer.
FOUND, SUITE, MEMORY = b"f", b"s", b"m"
_MODES: dict[bytes, Literal["portable", "exact"]] = {PORTABLE: "portable", EXACT: "exact"}


def serve(requests: BinaryIO, replies: BinaryIO, memory_bytes: int, cpu_s: int) -> None:
    """Answer requests until they end.

    Args:
        requests: Kind, two lengths, two texts.
        replies: Kind of reply, a length, words.
        memory_bytes: Address space that this process may use.
        cpu_s: CPU-seconds that one request may take.
    """
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while head := requests.read(LENGTHS.size):
        kind, first, second = LENGTHS.unpack(head)
        used = resource.getrusage(resource.RUSAGE_SELF)
        _, hard = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + cpu_s + 1, hard))
        # Where there is not even room for the suite's own text, this ends without a reply.
        left = requests.read(first).decode("utf-8", "surrogatepass")
        try:
            right = requests.read(second).decode("utf-8", "surrogatepass")
        except MemoryError:
            _reply(replies, MEMORY, "")
            # The rest of the request is still there: nothing that comes now is a beginning.
            return
        try:
            _reply(replies, FOUND, fault(right) if kind == PROVE else difference(left, right, _MODES[kind]))
        except MalformedValueError as error:
            _reply(replies, SUITE, str(error))


def _reply(replies: BinaryIO, sort: bytes, words: str) -> None:
    data = words[:2000].encode("utf-8", "replace")
    replies.write(REPLY.pack(sort, len(data)) + data)
    replies.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer, int(sys.argv[1]), int(sys.argv[2]))
