"""Runs all parts of the tests, whatever comes of each, and says at the end which failed: `make test`.

Tests of what an executor leaves behind look at all of their process, so executors of other tests get processes of
their own. Two parts run at a time, for tests wait more than they compute, and the next one begins when one has ended:
what the first one prints is seen at once, what the others print when they have ended. Of the part that waits most
several files run at a time.

A few tests that fail are run a second time, by themselves, when all else has ended. What passes then is named as
unsteady in the table: a defect of the test, or a race in what it tests, to be mended; what fails again fails the whole.
The table stands last, and before it what each failure said at the end: of a long output that is often all that is kept.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from xml.etree import ElementTree

import psutil

ROOT = Path(__file__).resolve().parents[1]
_EXECUTOR = "services/sandbox-executor"
_LANGUAGES = f"{_EXECUTOR}/tests/languages"
_BACKENDS = "tests/contract/sandbox_backend"
_GENERATOR = "services/pbt-generator"
# The longest first. Whatever is in no other part is in the rest.
PARTS = {
    "rest": [],
    "servers": ["tests/e2e", "tests/contract", "--ignore", _BACKENDS],
    "executor": [_EXECUTOR, "--ignore", _LANGUAGES],
    "languages": [_LANGUAGES],
    "backends": [_BACKENDS],
    "attacks": ["tests/attacks"],
    "generator": [_GENERATOR],
}
_FOLDERS = (_EXECUTOR, _GENERATOR, "tests/contract", "tests/e2e", "tests/attacks")
# Tests of servers and services mostly wait. All tests of a file are run by one process, for they share what it started;
# files begin in the order of the words above, the longest first.
_TOGETHER = {"servers": ["-n", "3", "--dist", "loadfile", "--no-loadscope-reorder"]}
PARTS["rest"] += [word for folder in _FOLDERS for word in ("--ignore", folder)]
_AT_A_TIME = 2
_REPORTS = ROOT / ".state" / "tests"
# What pytest says when tests failed.
_FAILED = 1
# More failures than these are no accident.
_TRIED_AGAIN = 3
# Lines of a failure, and failures of a part, that are told once more before the table.
_LAST_LINES, _MOST_TOLD = 30, 10
# Names the run of a part to all that it starts.
_MARK, _COMMAND_LENGTH = "TESTS_OF_PART", 150
_END_WITHIN_S = 5.0
_printing = threading.Lock()


@dataclass(frozen=True)
class Outcome:
    """What came of a part.

    Attributes:
        part: One of `PARTS`.
        code: pytest's exit status; 0 when all passed.
        counts: How many `tests`, `failures`, `errors` and `skipped` there were.
        failed: The names of those that failed, each with what it said.
        seconds: How long it took.
        left: Commands of processes that it left running.
    """

    part: str
    code: int
    counts: dict[str, int]
    failed: dict[str, str]
    seconds: float
    left: Sequence[str] = ()

    @property
    def unsteady(self) -> bool:
        """Whether so few failed that it may be an accident."""
        return self.code == _FAILED and 0 < len(self.failed) <= _TRIED_AGAIN


def run(part: str, options: Sequence[str], name: str, output: TextIO | None = None) -> Outcome:
    """Run one part.

    Args:
        part: One of `PARTS`.
        options: For pytest.
        name: Of the report.
        output: Where pytest writes; this program's own output when None.
    """
    report = _REPORTS / f"{name}.xml"
    report.unlink(missing_ok=True)
    # Parts that run at the same time would overwrite what the other keeps of its failures.
    kept = ["-o", f"cache_dir={_REPORTS / 'cache' / part}"]
    mark = f"{name}-{time.time_ns()}"
    # A file that cannot be read fails, and keeps none of the others from being run.
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--continue-on-collection-errors",
        *kept,
        *_TOGETHER.get(part, []),
        *options,
        f"--junitxml={report}",
        *PARTS[part],
    ]
    began = time.monotonic()
    code = subprocess.run(
        command,
        cwd=ROOT,
        check=False,
        stdout=output,
        stderr=output and subprocess.STDOUT,
        env=os.environ | {_MARK: mark},
    ).returncode
    left = _end_what_is_left(mark)
    counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    failed: dict[str, str] = {}
    if report.is_file():
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            for count in counts:
                counts[count] += int(suite.get(count, 0))
            for case in suite.iter("testcase"):
                if said := [each.text or "" for each in (*case.iterfind("failure"), *case.iterfind("error"))]:
                    failed[f"{case.get('classname')}::{case.get('name')}"] = "\n".join(said)
    return Outcome(part, code, counts, failed, time.monotonic() - began, left)


def _end_what_is_left(mark: str) -> list[str]:
    """End processes that tests began and left running, which would slow down all others; what was ended."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.environ().get(_MARK) == mark:
                found.append(process)
    # What helps a process ends shortly after it.
    _, found = psutil.wait_procs(found, timeout=_END_WITHIN_S)
    told: list[str] = []
    for process in found:
        with suppress(psutil.Error):
            told.append(" ".join(process.cmdline())[:_COMMAND_LENGTH])
            process.kill()
    return told


def _beside(part: str, options: Sequence[str]) -> Outcome:
    """Run one part while another has the terminal, and print what it printed when it has ended."""
    log = _REPORTS / f"{part}.log"
    with log.open("w+", errors="replace") as output:
        outcome = run(part, options, part, output)
        output.seek(0)
        with _printing:
            print(f"\n{part}, after {outcome.seconds:.0f} s:", flush=True)
            for line in output:
                sys.stdout.write(line)
            sys.stdout.flush()
    return outcome


def run_all(parts: Sequence[str], options: Sequence[str]) -> list[Outcome]:
    """Run these parts, the first in sight and the others beside it; what Ctrl-C kept from beginning has no outcome."""
    left = deque(parts)
    outcomes: list[Outcome] = []
    stopped = threading.Event()
    # Ctrl-C reaches the parts too, which end by it; their tables are waited for.
    before = signal.signal(signal.SIGINT, lambda *_: stopped.set())

    def work() -> None:
        while left and not stopped.is_set():
            outcomes.append(_beside(left.popleft(), options))

    try:
        first = left.popleft()
        with ThreadPoolExecutor(max_workers=_AT_A_TIME) as workers:
            working = [workers.submit(work) for _ in range(_AT_A_TIME - 1)]
            outcomes.append(run(first, options, first))
            working.append(workers.submit(work))
            for each in working:
                each.result()
    finally:
        signal.signal(signal.SIGINT, before)
    return sorted(outcomes, key=lambda outcome: parts.index(outcome.part))


def main() -> int:
    """Run the parts and print the table; 1 when one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}; all when left out")
    arguments, options = _split(sys.argv[1:])
    parts = parser.parse_args(arguments).parts or list(PARTS)
    strange = [part for part in parts if part not in PARTS]
    if strange:
        parser.error(f"unknown: {', '.join(strange)}; known are {', '.join(PARTS)}")
    _REPORTS.mkdir(parents=True, exist_ok=True)
    outcomes = run_all(parts, options)
    rows: list[str] = []
    failures: list[str] = []
    unsteady: list[str] = []
    stayed: list[str] = []
    words: list[str] = []
    bad = bool(missing := [part for part in parts if part not in {outcome.part for outcome in outcomes}])
    for outcome in outcomes:
        code, failed = outcome.code, outcome.failed
        words += _last_words("", failed)
        if outcome.unsteady:
            print(f"\n{outcome.part}: once more, by themselves:", *failed, sep="\n  ", flush=True)
            only = [*options, "--last-failed", "--last-failed-no-failures=none"]
            again = run(outcome.part, only, f"{outcome.part}-again")
            unsteady += [name for name in failed if name not in again.failed]
            code, failed = again.code, again.failed
            words += _last_words(", once more", failed)
        failures += failed
        stayed += [f"{outcome.part}: {command}" for command in outcome.left]
        wrong = outcome.counts["failures"] + outcome.counts["errors"]
        passed = outcome.counts["tests"] - wrong - outcome.counts["skipped"]
        rows.append(
            f"{outcome.part:<10} {'FAILED' if code else 'passed':<7} {passed:>6} {wrong:>6} "
            f"{outcome.counts['skipped']:>7} {outcome.seconds:>8.0f} s"
        )
        bad |= code != 0
    if missing:
        rows.append(f"stopped: not run were {', '.join(missing)}")
    print(*words, sep="\n")
    print("\n" + f"{'part':<10} {'':<7} {'passed':>6} {'failed':>6} {'skipped':>7} {'time':>10}", *rows, sep="\n")
    if unsteady:
        print("\nunsteady (failed, then passed by themselves):", *unsteady, sep="\n  ")
    if stayed:
        print("\nleft running by tests, and ended now:", *stayed, sep="\n  ")
    if failures:
        print("\nfailed:", *failures, sep="\n  ")
    return 1 if bad else 0


def _last_words(when: str, failed: dict[str, str]) -> list[str]:
    """The end of what each failure said, under its name."""
    told = list(failed.items())[:_MOST_TOLD]
    return [line for name, said in told for line in (f"\n{name}{when}:", *said.splitlines()[-_LAST_LINES:])]


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """What stands before `--`, and what stands after it."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


if __name__ == "__main__":
    sys.exit(main())
