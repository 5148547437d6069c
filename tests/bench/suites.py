"""From packages to released suites: funnel, yield, coverage, mutation scores and CPU-seconds, without a model.

    python tests/bench/suites.py [--each N] [--workers N] [--list FILE] [--form F] [--draw NAME --packages N]
    python tests/bench/suites.py … [--sample FILE] [PACKAGE ...]

Takes the newest release of each package (needs the package index), keeps the functions that pass every filter,
duplicates left out, and builds a suite for a sample of at most N a package (0: all), drawn evenly over its files.
Ground truths run in a sandbox of this run's own. Prints JSON lines; `--list` adds a line for each function to a file.

`--sample` writes the functions of the sample to a file, or reads them from it where it is there: two versions of the
generator can be measured on the same functions.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from drawn import add_without, drawn
from newest import InMemory, newest

from ingester.adapters.encoding import source_ref, to_contract
from ingester.domain.analysis import FileAnalysis, FoundFunction, analyse_file
from ingester.domain.filters import Limits
from ingester.domain.identity import function_id, source_id, version_id
from ingester.domain.libraries import default_libraries
from ingester.domain.packages import Package
from ingester.domain.places import is_test, vendored
from ingester.ports import Extracted, Source, SourceFile, SourceVersion
from ingester.usecases.ingestion import Callers, own_names
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_contracts.events import FunctionExtracted
from touchstone_runtime.forms import MADE_FORMS

PACKAGES = [
    "babel", "boltons", "dateparser", "docutils", "humanize", "inflect", "jinja2", "markdown", "mistune",
    "more-itertools", "networkx", "packaging", "pygments", "pyparsing", "python-slugify", "sqlparse", "sympy",
    "tabulate", "textdistance", "toolz", "wcwidth", "werkzeug",
]  # fmt: skip
# Measured by us on what the authors of the method released.
PAPER_CPU_S_PER_SUITE = 16.7
AIM = {"SC": 0.85, "WSC": 0.70}


def functions_of(name: str, version: SourceVersion, files: Iterator[SourceFile], funnel: Counter[str]) -> Iterator[str]:
    """Every candidate of a package as the text of its event, with the calls that the package's tests write down."""
    source = Source(source_id("package", name, ""), "package", name)
    seen: set[str] = set()
    opened = list(files)
    package = Package(InMemory({file.path: file.content for file in opened}), default_libraries())
    limits, callers = Limits(own_names=own_names(source)), Callers()
    analysed: list[tuple[str, FileAnalysis]] = []
    for file in opened:
        if vendored(file.path):
            continue
        analysis = analyse_file(file.content, file.path, limits=limits, sketch=False, package=package)
        callers.note(file.path, analysis)
        if not is_test(file.path):
            analysed.append((file.path, analysis))
    for path, analysis in analysed:
        for found in map(callers.told, analysis.functions):
            if found.form == "class":
                continue
            if found.form in MADE_FORMS:
                funnel[f"{found.form}s"] += 1
            else:
                funnel["functions"] += 1
                funnel[found.classification] += 1
            if found.rejected_by:
                funnel[f"rejected: {found.rejected_by}"] += 1
            elif found.code in seen:
                funnel["rejected: duplicate"] += 1
            else:
                seen.add(found.code)
                funnel["candidates"] += 1
                yield as_event(source, version, path, found)


def every_function(name: str, version: SourceVersion, files: Iterator[SourceFile]) -> Iterator[str]:
    """As `functions_of`, for those who count nothing."""
    return functions_of(name, version, files, Counter())


def as_event(source: Source, version: SourceVersion, path: str, found: FoundFunction) -> str:
    identifier = function_id(version_id(source.source_id, version.version), path, found)
    item = Extracted(identifier, path, found, found.rejected_by, found.rejection, None)
    function = to_contract(item, source_ref(source, version, ""))
    return FunctionExtracted(function=function, task_candidate=item.task_candidate).model_dump_json()


def candidates(
    packages: Sequence[str], each: int, funnel: Counter[str], form: str | None = None
) -> Iterator[tuple[str, str]]:
    """Package and event of every candidate in the sample."""
    for name in packages:
        with newest(name) as (version, files):
            found = list(functions_of(name, version, files, funnel))
            if form:
                found = [event for event in found if _form(event) == form]
        step = max(1.0, len(found) / each) if each else 1.0
        for place in range(len(found) if not each else min(each, len(found))):
            yield name, found[int(place * step)]


def _form(event: str) -> str:
    """The form of a candidate; "function" for all that were not made of one."""
    form = json.loads(event)["function"]["form"]
    return form if form in MADE_FORMS else "function"


def build(event: str, address: str) -> dict[str, Any]:
    """One function through the command that a user has, in this process."""
    from contextlib import redirect_stdout
    from io import StringIO

    from pbt_generator.offline import try_function

    try:
        with redirect_stdout(StringIO()) as printed:
            code = asyncio.run(try_function(event, address, None))
    except Exception as error:  # noqa: BLE001  a defect of ours: told, counted, and the rest goes on
        return _fault(event, f"{type(error).__name__}: {error}")
    return json.loads(printed.getvalue()) if code == 0 else _fault(event, f"exit code {code}")


def _fault(event: str, detail: str) -> dict[str, Any]:
    function = json.loads(event)["function"]
    return {"released": False, "reason": FAULT, "detail": detail, "kind": function["classification"]}


FAULT = "fault"
# What the heuristic in place of the paper's judge of suitability refuses: inputs that data cannot make, results without
# a portable form.
UNSUITABLE = {"unconstructible_input", "inexpressible_signature", "unportable_result"}


def summary(rows: Sequence[dict[str, Any]], kind: str) -> dict[str, Any]:
    tried = [row for row in rows if row["kind"] == kind]
    released = [row for row in tried if row["released"]]
    suitable = sum(row["reason"] not in UNSUITABLE for row in tried)
    line: dict[str, Any] = {
        "bench": "suites",
        "kind": kind,
        "tried": len(tried),
        "released": len(released),
        "yield": round(len(released) / len(tried), 3) if tried else None,
        "yield_of_suitable": round(len(released) / suitable, 3) if suitable else None,
        "aim": AIM[kind],
        "refused": dict(Counter(row["reason"] for row in tried if not row["released"]).most_common()),
    }
    if released:
        cpu = [row["cpu_s"] for row in released]
        scores = [row["mutation_score"] for row in released]
        counted = [row["mutants"] - row["proved"] for row in released]
        line |= {
            "cpu_s_median": round(statistics.median(cpu), 2),
            "cpu_s_mean": round(statistics.mean(cpu), 2),
            "cpu_s_bars": [3, 10],
            "cpu_median_to_authors": round(statistics.median(cpu) / PAPER_CPU_S_PER_SUITE, 3),
            "branch_coverage_least": min(row["branch_coverage"] for row in released),
            "mutation_score_mean": round(statistics.mean(scores), 4),
            "mutation_score_least": min(scores),
            "mutants_quartiles": statistics.quantiles(counted, n=4) if len(counted) > 1 else counted,
            "on_fewer_than_ten": round(sum(count < 10 for count in counted) / len(counted), 3),
            "cases_median": statistics.median(row["cases"] for row in released),
        }
    return line


def main() -> None:
    """Build suites for the sample and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--list", type=Path)
    parser.add_argument("--draw", help="take packages of a draw instead, see drawn.py")
    parser.add_argument("--packages", dest="count", type=int, default=12)
    add_without(parser)
    parser.add_argument("--form", choices=["function", *sorted(MADE_FORMS)], help="candidates of this form alone")
    parser.add_argument("--sample", type=Path)
    asked = parser.parse_args()
    if asked.draw:
        asked.packages = drawn(asked.draw, asked.count, asked.without)
    funnel, rows, began = Counter[str](), list[dict[str, Any]](), time.monotonic()
    if asked.sample and asked.sample.exists():
        chosen = [tuple(json.loads(line)) for line in asked.sample.read_text().splitlines()]
    else:
        chosen = list(candidates(asked.packages, asked.each, funnel, asked.form))
        if asked.sample:
            asked.sample.write_text("".join(json.dumps(pair) + "\n" for pair in chosen))
    line = {
        "bench": "suites_funnel",
        "packages": len(asked.packages),
        **dict(funnel.most_common()),
        "sample": len(chosen),
    }
    print(json.dumps(line), flush=True)
    with sandbox_address() as address, ProcessPoolExecutor(asked.workers) as pool:
        waiting = {pool.submit(build, event, address): (name, event) for name, event in chosen}
        for done in as_completed(waiting):
            name, event = waiting[done]
            row = done.result()
            rows.append(row)
            if asked.list:
                function = json.loads(event)["function"]
                shown = {"package": name, "qualname": function["qualname"], "path": function["path"]}
                kept = (
                    "released",
                    "reason",
                    "detail",
                    "kind",
                    "cases",
                    "mutation_score",
                    "cpu_s",
                    "mutants",
                    "killed",
                    "proved",
                    "evidence",
                    "survivors",
                    "returning",
                    "raising",
                    "dead",
                )
                if row["released"]:
                    shown["alive"] = row["certificate"]["mutation"]["survivors"]
                    shown["told_apart"] = [
                        f"{each['rule']}: {each['change']}"
                        for each in row["certificate"]["readings"]
                        if each["told_apart"]
                    ]
                with asked.list.open("a") as stream:
                    stream.write(
                        json.dumps(shown | {key: row.get(key) for key in kept} | {"code": function["code"]}) + "\n"
                    )
            left = (time.monotonic() - began) / len(rows) * (len(chosen) - len(rows))
            sys.stderr.write(f"\r{len(rows)} of {len(chosen)}, {left:.0f} s left ")
    sys.stderr.write("\n")
    for kind in AIM:
        print(json.dumps(summary(rows, kind)))
    if faults := [row["detail"] for row in rows if row["reason"] == FAULT]:
        sys.exit(f"{len(faults)} of {len(rows)} ended in a fault of ours: {'; '.join(faults[:3])}")


if __name__ == "__main__":
    main()
