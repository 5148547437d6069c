"""One sandbox as the sessions see it; every backend has its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol

from sandbox_executor.domain.outcomes import Ending, Usage
from sandbox_executor.errors import SandboxFaultError


@dataclass(frozen=True)
class Command:
    """A program to start in a sandbox.

    Attributes:
        mode: `exec` starts the argument vector; `cases` and `program` continue a warm Python interpreter with
            the harness, or with the file in `argv`.
        argv: Argument vector.
        environment: All variables.
        rlimits: Resource limits by name, without `RLIMIT_`.
    """

    mode: Literal["exec", "cases", "program"]
    argv: tuple[str, ...]
    environment: Mapping[str, str]
    rlimits: Mapping[str, int] = field(default_factory=dict[str, int])


def prove_own(usage: Usage) -> None:
    """Refuse to judge by what happened while the machine ran out of memory: whatever ended then, or went wrong.

    Raises:
        SandboxFaultError: it did.
    """
    if usage.foreign_kills > 0:
        raise SandboxFaultError(
            "the machine ran out of memory, not the job", thing="memory", way_out="allow fewer or smaller jobs"
        )


class Sandbox(Protocol):
    """A running sandbox; one program at a time, files survive from one to the next (from a compiler, from a step)."""

    @property
    def control(self) -> int:
        """Descriptor that becomes readable when a program ended."""
        ...

    @property
    def alive(self) -> bool:
        """Whether it can run programs, as far as is known; what is lost does not come back."""
        ...

    def start(self, command: Command, descriptors: list[int]) -> None:
        """Start a program with these as its descriptors 0, 1, 2 and so on; the caller closes its copies."""
        ...

    def ended(self) -> bool:
        """Whether the message that made `control` readable says that the program ended."""
        ...

    def ending(self) -> Ending:
        """How the program ended; waits for it."""
        ...

    def stop(self) -> None:
        """Kill the program and whatever it started, and wait for their end; harmless when there is none."""
        ...

    def processes(self) -> list[int]:
        """The host's processes that make it up, by their numbers here."""
        ...

    def usage(self) -> Usage:
        """What everything in it has used since it was made."""
        ...

    def collect(self, paths: tuple[str, ...], most_bytes: int) -> list[tuple[str, bytes]]:
        """Read regular files of the working folder; what is none, or cannot be opened safely, is left out."""
        ...

    def close(self) -> None:
        """End everything in it and remove it."""
        ...
