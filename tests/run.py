"""Runs all parts of the tests, whatever comes of each, and says at the end which failed: `make test`.

Tests of what an executor leaves behind look at all of their process, so executors of other tests get processes of
their own.

A few tests that fail are run a second time, by themselves. What passes then is named as unsteady in the table: a
defect of the test, or a race in what it tests, to be mended; what fails again fails the whole.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[1]
_EXECUTOR = "services/sandbox-executor"
PARTS = {
    "rest": ["--ignore", _EXECUTOR, "--ignore", "tests/attacks", "--ignore", "tests/contract/sandbox_backend"],
    "executor": [f"{_EXECUTOR}/tests", "--ignore", f"{_EXECUTOR}/tests/languages"],
    "languages": [f"{_EXECUTOR}/tests/languages"],
    "backends": ["tests/contract/sandbox_backend"],
    "attacks": ["tests/attacks"],
}
_REPORTS = ROOT / ".state" / "tests"
# What pytest says when tests failed, and when it was stopped by Ctrl-C.
_FAILED = 1
_INTERRUPTED = 2
# More failures than these are no accident.
_TRIED_AGAIN = 3


def run(part: str, options: list[str], name: str = "") -> tuple[int, dict[str, int], list[str]]:
    """Run one part.

    Args:
        part: One of `PARTS`.
        options: For pytest.
        name: Of the report; the part's when empty.

    Returns:
        The exit status, how many tests came out how, and the names of those that failed.
    """
    report = _REPORTS / f"{name or part}.xml"
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "pytest", *options, f"--junitxml={report}", *PARTS[part]]
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    counts = dict.fromkeys(("tests", "failures", "errors", "skipped"), 0)
    failed: list[str] = []
    if report.is_file():
        for suite in ElementTree.parse(report).getroot().iter("testsuite"):
            for name in counts:
                counts[name] += int(suite.get(name, 0))
            for case in suite.iter("testcase"):
                if case.find("failure") is not None or case.find("error") is not None:
                    failed.append(f"{case.get('classname')}::{case.get('name')}")
    return code, counts, failed


def main() -> int:
    """Run the parts and print the table; 1 when one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}; all when left out")
    arguments, options = _split(sys.argv[1:])
    parts = parser.parse_args(arguments).parts
    strange = [part for part in parts if part not in PARTS]
    if strange:
        parser.error(f"unknown: {', '.join(strange)}; known are {', '.join(PARTS)}")
    _REPORTS.mkdir(parents=True, exist_ok=True)
    rows: list[str] = []
    failures: list[str] = []
    unsteady: list[str] = []
    bad = False
    for part in parts or PARTS:
        began = time.monotonic()
        code, counts, failed = run(part, options)
        wrong = counts["failures"] + counts["errors"]
        if code == _FAILED and 0 < len(failed) <= _TRIED_AGAIN:
            print(f"\n{part}: once more, by themselves:", *failed, sep="\n  ", flush=True)
            code, _, again = run(part, [*options, "--last-failed", "--last-failed-no-failures=none"], f"{part}-again")
            unsteady += [name for name in failed if name not in again]
            failed = again
        bad |= code != 0
        failures += failed
        verdict = "passed" if code == 0 else "FAILED"
        rows.append(
            f"{part:<10} {verdict:<7} {counts['tests'] - wrong - counts['skipped']:>6} {wrong:>6} "
            f"{counts['skipped']:>7} {time.monotonic() - began:>8.0f} s"
        )
        if code == _INTERRUPTED:
            rows.append("stopped: the parts after this one were not run")
            break
    print("\n" + f"{'part':<10} {'':<7} {'passed':>6} {'failed':>6} {'skipped':>7} {'time':>10}", *rows, sep="\n")
    if unsteady:
        print("\nunsteady (failed, then passed by themselves):", *unsteady, sep="\n  ")
    if failures:
        print("\nfailed:", *failures, sep="\n  ")
    return 1 if bad else 0


def _split(words: list[str]) -> tuple[list[str], list[str]]:
    """What stands before `--`, and what stands after it."""
    at = words.index("--") if "--" in words else len(words)
    return words[:at], words[at + 1 :]


if __name__ == "__main__":
    sys.exit(main())
