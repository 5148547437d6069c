"""Runs the tests of a package once, in the sandbox, to see what its functions are really called with."""

from __future__ import annotations

import asyncio
import json
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol
from weakref import WeakValueDictionary

from pbt_generator.domain.inputs.needs_of_tests import declared_needs
from pbt_generator.domain.inputs.traced import MalformedTraceError, Seen, Trace, read_trace
from pbt_generator.errors import SandboxRefusedError
from pbt_generator.ports import Blobs, Programs, RunLimits, Traces

# What projects call the packages that their tests need, where they declare them.
_EXTRAS = "[test,tests,testing]"
# Starting, laying out files and importing are not the tests' time.
_AROUND_S = 60.0
_WRITE_S = 5.0
_MEMORY_BYTES = 2 << 30
_OUTPUT_BYTES = 16 << 20
_LEFT = "calls.json"
# Traces that are held in memory.
_HELD = 8


class Callers(Protocol):
    """Knows what a function is really called with."""

    async def seen(self, function: Mapping[str, Any]) -> Seen:
        """What was seen of a function, by its record.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
        """
        ...


class CallTracer:
    """Traces the tests of each source version once.

    Args:
        programs: Where foreign code runs.
        blobs: Where tests lie, and records go.
        traces: Which versions were traced already.
        program: The text of the program that runs and watches the tests.
        most_s: Wall-clock seconds that the tests of one version may take; 0 runs none.
    """

    def __init__(self, programs: Programs, blobs: Blobs, traces: Traces, program: str, most_s: float) -> None:
        self._programs = programs
        self._blobs = blobs
        self._traces = traces
        self._program = program
        self._most_s = most_s
        self._held: OrderedDict[str, Trace] = OrderedDict()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def seen(self, function: Mapping[str, Any]) -> Seen:
        """What was seen of a function; see `Callers`."""
        source: Mapping[str, Any] = function["source"]
        if self._most_s <= 0:
            return Seen("tests were not run: it is switched off")
        if not source.get("tests_digest"):
            return Seen("tests were not run: the source brings none")
        if source["kind"] != "package":
            return Seen(f"tests were not run: a {source['kind']} cannot be installed from an index")
        version = source["source_version_id"]
        turn = self._turns.setdefault(version, asyncio.Lock())
        # Candidates of one version that come at a time wait for one run.
        async with turn:
            trace = await self._of(version, source)
        return trace.seen(function["path"], function["qualname"])

    async def _of(self, version: str, source: Mapping[str, Any]) -> Trace:
        if version in self._held:
            self._held.move_to_end(version)
            return self._held[version]
        digest = await self._traces.find(version)
        if digest:
            trace = read_trace(await self._blobs.get(digest))
        else:
            tests = await self._blobs.get(source["tests_digest"])
            trace = await trace_tests(
                self._programs, self._program, source["name"], source["version"], tests, self._most_s
            )
            record = trace.to_json()
            await self._traces.save(version, await self._blobs.put(record), trace.cpu_s, trace.problem)
            # What is answered now is what will be answered from the record.
            trace = read_trace(record)
        self._held[version] = trace
        while len(self._held) > _HELD:
            self._held.popitem(last=False)
        return trace


async def trace_tests(programs: Programs, program: str, name: str, version: str, tests: bytes, most_s: float) -> Trace:
    """Install a release with what its tests declare to need, and run them.

    Args:
        programs: Where foreign code runs.
        program: The text of the program that runs and watches the tests.
        name: The package.
        version: Its release.
        tests: Its tests, a zip archive.
        most_s: Wall-clock seconds that they may take.

    Raises:
        SandboxUnavailableError: the sandbox cannot be reached or broke down.
    """
    environment, problem = "", ""
    # With all that the project says its tests need, or with less of it where that cannot be had.
    full, bare = f"{name}{_EXTRAS}=={version}", f"{name}=={version}"
    needs = declared_needs(tests)
    for wanted in dict.fromkeys(((full, "pytest", *needs), (full, "pytest"), (bare, "pytest"))):
        try:
            environment, problem = await programs.prepare(wanted)
        except SandboxRefusedError as error:
            problem = str(error)
        if environment:
            break
    if not environment:
        return Trace(problem=f"tests were not run: not installed: {_line(problem)}")
    plan = json.dumps({"distribution": name, "most_s": most_s, "write_s": _WRITE_S}).encode()
    limits = RunLimits(total_timeout_s=most_s + _AROUND_S, memory_bytes=_MEMORY_BYTES, output_bytes=_OUTPUT_BYTES)
    try:
        ran = await programs.run_program(program, {"plan.json": plan, "tests.zip": tests}, _LEFT, environment, limits)
    except SandboxRefusedError as error:
        return Trace(problem=f"tests were not run: {_line(str(error))}")
    if ran.left is None:
        return Trace(problem=f"tests left nothing: {ran.outcome}: {_line(ran.detail)}", cpu_s=ran.cpu_s)
    try:
        trace = read_trace(ran.left)
    except MalformedTraceError as error:
        return Trace(problem=f"tests left no record: {error}", cpu_s=ran.cpu_s)
    ended = trace.problem if ran.outcome == "returned" else f"tests ended early: {ran.outcome}"
    return replace(trace, problem=ended, cpu_s=ran.cpu_s)


def _line(words: str) -> str:
    return " ".join("".join(letter if letter.isprintable() else " " for letter in words).split())[:240]


__all__ = ["CallTracer", "Callers", "trace_tests"]
