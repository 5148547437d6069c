"""How many certified tasks are told by their author's words, and which rule refuses the others.

    python tests/bench/wording.py --draw NAME [--packages N] [--each N] [--form F] [--without DRAW:N ...]
        [--kept FOLDER] [--out FOLDER] [--model NAME@URL] [--tests SECONDS]

Takes candidates of packages that are drawn by hash (needs the package index; `--without` leaves those of other draws
out) whose docstring holds at least the words that the rules ask for, builds their suites in a sandbox of this run's
own, and words them without a model. `--kept` keeps what was built, so that two versions of the rules are asked about
the same suites. `--out` writes every instruction to a file of its own, numbered in an order of hashes, described ones
and others apart: for readers who judge them before they see any code. Prints a line a task and the sum, with how many
readings (mutants and misreadings that cases tell apart) the shown examples decide, and how many ways they take.
With `--tests` the tests of each package are run first, as the platform does, so that suites hold what callers were seen
to send, and a line for each package tells how they went; such suites are kept in a folder of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import pickle
import re
import traceback
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path
from typing import Any

from corpora import trace_of
from drawn import add_without, drawn
from newest import with_tests
from piecewise import add_platform
from suites import candidates

from pbt_generator.adapters.harness_texts import load_harness
from pbt_generator.adapters.publisher import to_subject
from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.domain.inputs.traced import Seen, Trace
from pbt_generator.domain.task.record import BuiltTask
from pbt_generator.domain.task.wording.examples import decided
from pbt_generator.domain.task.wording.instruction import visible
from pbt_generator.domain.task.wording.prose import LEAST_WORDS
from pbt_generator.offline import advisor_named
from pbt_generator.ports import Advisor, Sandbox
from pbt_generator.settings import PbtGeneratorSettings
from pbt_generator.usecases.build import BuiltSuite, RefusedSuite, Workshop, build_suite
from pbt_generator.usecases.tasks import TaskBuilder, to_candidate
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_contracts.events import FunctionExtracted
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.forms import MADE_FORMS
from touchstone_runtime.grpc_server import channel


def build(event: str, address: str, seen: Seen | None = None) -> BuiltSuite | str:
    """A suite, or why there is none; `seen` is what running the package's tests showed of the function."""

    async def built() -> BuiltSuite | str:
        connection = channel(address, PbtGeneratorSettings().identity())  # pyright: ignore[reportCallIssue]
        try:
            subject = to_subject(FunctionExtracted.model_validate_json(event).function)
            subject = replace(subject, seen=seen) if seen is not None else subject
            shop = Workshop(GrpcSandbox(connection, address), load_harness(), ContractFreezer(), TablePrograms())
            suite = await build_suite(to_candidate(subject), shop)
            return suite.refusal.reason.value if isinstance(suite, RefusedSuite) else suite
        except TouchstoneError as error:
            return f"fault: {error}"
        finally:
            await connection.close()

    return asyncio.run(built())


def traced(missing: Sequence[tuple[str, str]], address: str, most_s: float) -> dict[str, Seen]:
    """By its event what running the tests of its package shows of each candidate; the tests of a release run once."""

    async def ran(package: str, version: str) -> Trace:
        connection = channel(address, PbtGeneratorSettings().identity())  # pyright: ignore[reportCallIssue]
        try:
            with with_tests(package, version) as (_, _, tests):
                return await trace_of(GrpcSandbox(connection, address), package, version, tests, most_s)
        finally:
            await connection.close()

    traces: dict[tuple[str, str], Trace] = {}
    found: dict[str, Seen] = {}
    for _, event in missing:
        function = FunctionExtracted.model_validate_json(event).function
        release = function.source.name, function.source.version
        if release not in traces:
            traces[release] = trace = asyncio.run(ran(*release))
            line = {"bench": "wording_tests", "package": release[0], "tests": trace.note}
            print(json.dumps(line | {"functions_called": len(trace.functions)}), flush=True)
        found[event] = traces[release].seen(function.path, function.qualname)
    return found


def worded(event: str, built: BuiltSuite) -> BuiltTask:
    """The task of a suite by its author's words alone; nothing runs for it."""
    nowhere: Any = None
    return asyncio.run(_finished(event, built, nowhere, None))


def worded_by(model: str, built: Sequence[tuple[str, BuiltSuite]]) -> list[BuiltTask]:
    """The tasks of suites, side by side, with a model that words them and writes each back."""

    async def finished(address: str) -> list[BuiltTask]:
        connection = channel(address, PbtGeneratorSettings().identity())  # pyright: ignore[reportCallIssue]
        sandbox, advisor = GrpcSandbox(connection, address), advisor_named(model)
        try:
            return list(await asyncio.gather(*(_finished(*each, sandbox, advisor) for each in built)))
        finally:
            await connection.close()

    with sandbox_address() as address:
        return asyncio.run(finished(address))


async def _finished(event: str, built: BuiltSuite, sandbox: Sandbox, advisor: Advisor | None) -> BuiltTask:
    subject = to_subject(FunctionExtracted.model_validate_json(event).function)
    shop = Workshop(sandbox, load_harness(), ContractFreezer(), TablePrograms())
    return await TaskBuilder(shop, BlobStore("memory://wording"), advisor).finish(subject, built)


def decisions(suite: BuiltSuite, task: BuiltTask) -> dict[str, int]:
    """How many readings and ways the examples of an instruction decide and take, of how many, and how many they are."""
    lines = set(task.instruction.splitlines())
    cases = [(case.arguments, case.expected) for case in suite.cases]
    written = [f"- `{visible(arguments)}` gives `{visible(expected)}`" for arguments, expected in cases]
    shown = [case for case, line in zip(cases, written, strict=True) if line in lines]
    taken = {case.way for case, line in zip(suite.cases, written, strict=True) if line in lines}
    return {
        "readings": len(suite.told_apart),
        "readings_decided": decided(shown, cases, suite.told_apart),
        "ways": len({case.way for case in suite.cases}),
        "ways_taken": len(taken),
        "examples": len(shown),
    }


def sample(asked: argparse.Namespace) -> list[tuple[str, str]]:
    """Package and event of the candidates with enough words; how many there were without is printed."""
    packages = drawn(asked.draw, asked.packages, asked.without)
    found = list(candidates(packages, asked.each, Counter(), asked.form))
    told = [(name, event) for name, event in found if _words(event) >= LEAST_WORDS]
    line = {"bench": "wording_sample", "draw": asked.draw, "candidates": len(found), "with_words": len(told)}
    print(json.dumps(line), flush=True)
    return told


def _words(event: str) -> int:
    return len(re.findall(r"[A-Za-z][A-Za-z'-]+", json.loads(event)["function"]["docstring"]))


def suites(asked: argparse.Namespace) -> list[tuple[str, str, BuiltSuite | str]]:
    """Package, event and suite of every candidate of the sample, from the folder that keeps them where it has them."""
    chosen = asked.kept / f"{asked.draw}.sample" if asked.kept else None
    if chosen is not None and chosen.exists():
        pairs = pickle.loads(chosen.read_bytes())
    else:
        pairs = sample(asked)
        if chosen is not None:
            chosen.parent.mkdir(parents=True, exist_ok=True)
            chosen.write_bytes(pickle.dumps(pairs))
    found: list[tuple[str, str, BuiltSuite | str]] = []
    missing: list[tuple[str, str]] = []
    for name, event in pairs:
        place = _place(asked, event)
        if place is not None and place.exists():
            found.append((name, event, pickle.loads(place.read_bytes())))
        else:
            missing.append((name, event))
    if not missing:
        return found
    with sandbox_address() as address, ProcessPoolExecutor(asked.workers) as pool:
        seen = traced(missing, address, asked.tests) if asked.tests else {}
        waiting = {pool.submit(build, event, address, seen.get(event)): (name, event) for name, event in missing}
        for done in as_completed(waiting):
            name, event = waiting[done]
            failed = done.exception()
            if failed is not None:
                # A defect of ours: the others are worth their words all the same.
                traceback.print_exception(failed)
            suite = done.result() if failed is None else "fault"
            found.append((name, event, suite))
            place = _place(asked, event)
            if place is not None and failed is None:
                place.write_bytes(pickle.dumps(suite))
    return found


def place_of(folder: Path, event: str) -> Path:
    """Where the suite of a candidate is kept."""
    return folder / f"{hashlib.sha256(event.encode()).hexdigest()[:24]}.suite"


def _place(asked: argparse.Namespace, event: str) -> Path | None:
    return place_of(asked.kept, event) if asked.kept else None


def _apart(asked: argparse.Namespace) -> None:
    """Where suites are kept that were built with what tests send: not among the others."""
    if asked.kept and asked.tests:
        asked.kept = asked.kept / "with_tests"


def main() -> None:
    """Word a draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draw", required=True)
    parser.add_argument("--packages", type=int, default=12)
    parser.add_argument("--each", type=int, default=8)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--form", choices=["function", *sorted(MADE_FORMS)], help="candidates of this form alone")
    add_without(parser)
    parser.add_argument("--kept", type=Path)
    parser.add_argument("--out", type=Path)
    add_platform(parser)
    asked = parser.parse_args()
    _apart(asked)
    count, refused, rules, shown = Counter[str](), Counter[str](), Counter[str](), Counter[str]()
    built = sorted(suites(asked), key=lambda each: hashlib.sha256(each[1].encode()).hexdigest())
    certified = [(event, suite) for _, event, suite in built if isinstance(suite, BuiltSuite)]
    tasks = iter(worded_by(asked.model, certified) if asked.model else [worded(*each) for each in certified])
    for number, (name, event, suite) in enumerate(built):
        if isinstance(suite, str):
            refused[suite] += 1
            continue
        task = next(tasks)
        count[task.track] += 1
        told = decisions(suite, task)
        shown.update(told)
        rules.update(
            {re.sub(r"\d+ values", "values", re.sub(r" `.*`| of .*|example .* con", " …", gap)) for gap in task.gaps}
        )
        function = json.loads(event)["function"]
        print(json.dumps({"number": number, "package": name, "qualname": function["qualname"], "track": task.track,
                          "form": function["form"], "gaps": task.gaps, **told}), flush=True)  # fmt: skip
        if asked.out:
            for folder, text in (("told", task.instruction), ("code", suite.program.source)):
                place = asked.out / folder / task.track
                place.mkdir(parents=True, exist_ok=True)
                (place / f"{number:03}.txt").write_text(text)
    share = round(count["described"] / len(certified), 3) if certified else None
    line = {"bench": "wording", "draw": asked.draw, "tried": len(built), "certified": len(certified), **count}
    print(
        json.dumps(
            line | {"share_described": share, "rules": dict(rules.most_common()), "refused": dict(refused), **shown}
        )
    )


if __name__ == "__main__":
    main()
