"""What running the tests of packages gives their tasks: inputs that callers really send, and what it costs.

    python tests/bench/callers.py [PACKAGE ...] [--draw NAME --packages N] [--each N] [--list FILE]

Takes the newest release of each package (needs the package index), runs its own tests in the sandbox with its
functions watched, and builds a sample of at most N candidates a package once without and once with the calls that were
seen. Prints JSON lines: how the tests of each package went, then what became of the candidates. CPU-seconds of tests
stand apart from those of suites. What is merely written in tests is given neither time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from corpora import trace_of
from drawn import drawn
from newest import with_tests
from suites import every_function

from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.domain.inputs.traced import Seen, Trace
from pbt_generator.offline import try_function
from pbt_generator.settings import PbtGeneratorSettings
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_runtime.grpc_server import channel


@dataclass(frozen=True)
class Drawn:
    """A release: its candidates as texts of events, and what running its tests showed."""

    name: str
    candidates: tuple[str, ...]
    trace: Trace

    def seen(self, event: str) -> Seen:
        function = json.loads(event)["function"]
        return self.trace.seen(function["path"], function["qualname"])


async def look(name: str, address: str, most_s: float) -> Drawn:
    connection = channel(address, PbtGeneratorSettings().identity())  # pyright: ignore[reportCallIssue]
    try:
        with with_tests(name) as (version, files, tests):
            candidates = tuple(every_function(name, version, files))
        trace = await trace_of(GrpcSandbox(connection, address), name, version.version, tests, most_s)
        return Drawn(name, candidates, trace)
    finally:
        await connection.close()


def build(event: str, address: str, seen: Seen | None) -> dict[str, Any]:
    with redirect_stdout(StringIO()) as printed:
        code = asyncio.run(try_function(event, address, None, seen=seen))
    return json.loads(printed.getvalue()) if code == 0 else {"released": False, "reason": "fault", "cpu_s": 0.0}


def told(of: Drawn) -> dict[str, Any]:
    called = sum(bool(of.seen(event).calls) for event in of.candidates)
    return {
        "bench": "callers_package", "package": of.name, "tests": of.trace.note, "tests_cpu_s": round(of.trace.cpu_s, 2),
        "functions_called": len(of.trace.functions), "candidates": len(of.candidates), "candidates_called": called,
    }  # fmt: skip


def summary(rows: Sequence[dict[str, Any]], traced: bool) -> dict[str, Any]:
    released = [row for row in rows if row["released"]]
    inputs = [row["certificate"]["inputs"] for row in released]
    cases = Counter({"real": 0, "near": 0, "inferred": 0})
    for each in inputs:
        cases.update({name: each[name] for name in cases})
    return {
        "bench": "callers", "traced": traced, "tried": len(rows), "released": len(released),
        "refused": dict(Counter(row["reason"] for row in rows if not row["released"]).most_common()),
        "with_real_cases": sum(each["real"] > 0 for each in inputs), "cases": dict(cases),
        "results_same": sum(each["traced"]["same"] for each in inputs),
        "results_other": sum(each["traced"]["other"] for each in inputs),
        "cpu_s_median": round(statistics.median(row["cpu_s"] for row in released), 2) if released else None,
    }  # fmt: skip


def main() -> None:
    """Look at each package, build the sample twice, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--draw")
    parser.add_argument("--packages", type=int, default=12)
    parser.add_argument("--each", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--list", type=Path)
    asked = parser.parse_args()
    names = asked.names or drawn(asked.draw or "callers", asked.packages)
    rows: dict[bool, list[dict[str, Any]]] = {False: [], True: []}
    with sandbox_address() as address:
        for name in names:
            of = asyncio.run(look(name, address, asked.seconds))
            print(json.dumps(told(of)), flush=True)
            # Without the calls that stand in the text of tests: what is measured is what running them adds.
            events = [json.dumps(_without_calls(json.loads(event))) for event in of.candidates]
            step = max(1.0, len(events) / asked.each) if asked.each else 1.0
            for place in range(min(asked.each, len(events))):
                event = events[int(place * step)]
                for traced in rows:
                    row = build(event, address, of.seen(event) if traced else None)
                    rows[traced].append(row)
                    if asked.list:
                        where = {"package": name, "qualname": json.loads(event)["function"]["qualname"]}
                        with asked.list.open("a") as stream:
                            stream.write(json.dumps(where | {"traced": traced} | row) + "\n")
                sys.stderr.write(f"\r{name}: {place + 1} ")
    sys.stderr.write("\n")
    for traced, built in rows.items():
        print(json.dumps(summary(built, traced)))


def _without_calls(event: dict[str, Any]) -> dict[str, Any]:
    return event | {"function": event["function"] | {"calls": []}}


if __name__ == "__main__":
    main()
