"""What the executor must know of a language to run a candidate written in it.

A definition is data: argument vectors with placeholders, file names, variables. The backend fills the
placeholders in, mounts what is named, and starts the commands inside the sandbox; nothing here does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Command = tuple[str, ...]

_MIB = 1024 * 1024
_TEXT_LIMIT = 2000
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
# Variables that every program may see; nothing of the host's.
COMMON_ENVIRONMENT = {
    "HOME": "/work",
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/bin:/bin",
    "TMPDIR": "/tmp",
    "TZ": "UTC",
}


@dataclass(frozen=True)
class DeathSign:
    """Words on the standard error stream by which a runtime says why it ended.

    They only make the report clearer: a candidate that forges them describes its own death wrongly.

    Attributes:
        words: Regular expression searched in the last lines.
        outcome: `memory`, `raised` or `exited`.
        error_type: What to report as the type.
        while_loading: Outcome to report instead, when the candidate was not loaded yet; empty for the same.
    """

    words: str
    outcome: str
    error_type: str
    while_loading: str = ""


@dataclass(frozen=True)
class Language:
    """One language.

    Placeholders in commands and variables: `{source}` the candidate's file, `{entry}` the entry point, `{harness}`
    the folder with a folder of each language's harness, `{runtime}` the runtime's executable, `{root}` the runtime's
    own folder, `{toolchain}` the folder with what was built for this language beforehand, `{heap_mib}` the heap that
    the memory limit leaves.

    Attributes:
        name: As in the proto, lower case.
        source_file: The candidate's file name in the working folder.
        runtime: Which runtime must be mounted: `python`, `node`, `java`, `go`, `php`.
        run: Starts the harness.
        execute: Runs the source as a whole program; the caller's arguments are appended.
        environment: Every variable that the processes see.
        build: Commands to run before the harness; exit code other than 0 is a compile error.
        build_checked: The same with a type check, where the language has one apart from compilation.
        execute_build: Commands to run before `execute`.
        execute_build_checked: The same with a type check.
        compile_error_types: Types of `load_error` that mean: it did not compile, or has no such entry point.
        memory_error_types: Types of exceptions that mean: the memory limit was reached.
        death_signs: How the runtime's last words are read.
        memory_floor_bytes: Least memory limit with which the runtime starts.
        processes_floor: Threads and processes that the runtime itself needs.
        heap_share: Part of the memory limit that the runtime may use as its heap.
    """

    name: str
    source_file: str
    runtime: str
    run: Command
    execute: Command
    environment: Mapping[str, str] = field(default_factory=dict[str, str])
    build: tuple[Command, ...] = ()
    build_checked: tuple[Command, ...] | None = None
    execute_build: tuple[Command, ...] = ()
    execute_build_checked: tuple[Command, ...] | None = None
    compile_error_types: frozenset[str] = frozenset({"CompileError", "EntryPointError"})
    memory_error_types: frozenset[str] = frozenset()
    death_signs: tuple[DeathSign, ...] = ()
    memory_floor_bytes: int = 32 * _MIB
    processes_floor: int = 1
    heap_share: float = 0.75

    def heap_mib(self, memory_bytes: int) -> int:
        """Heap size that a memory limit leaves room for, in MiB; at least 8."""
        return max(8, int(memory_bytes * self.heap_share) // _MIB)


@dataclass(frozen=True)
class Death:
    """Why a process ended without an answer, in the runtime's own words."""

    outcome: str
    error_type: str
    message: str


def fill(command: Command, values: Mapping[str, str]) -> list[str]:
    """Replace the placeholders of a command.

    Raises:
        KeyError: a placeholder has no value.
    """
    return [_PLACEHOLDER.sub(lambda found: values[found[1]], part) for part in command]


def read_death(language: Language, stderr: str, *, loading: bool = False) -> Death | None:
    """Look for a runtime's last words.

    Args:
        language: Whose runtime it was.
        stderr: What the process wrote to its standard error stream.
        loading: The candidate was not loaded yet.

    Returns:
        What they say, or None when they say nothing known.
    """
    tail = stderr[-40_000:]
    for sign in language.death_signs:
        found = re.search(sign.words, tail)
        if found is not None:
            line = tail[tail.rfind("\n", 0, found.start()) + 1 :].split("\n", 1)[0].strip()
            outcome = (sign.while_loading if loading else "") or sign.outcome
            return Death(outcome, sign.error_type, line[:_TEXT_LIMIT])
    return None
