"""A rolling restart of two retrievers under fifty searches a second: the end-to-end test of it, as one JSON line."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
TEST = "tests/e2e/test_search_services.py::test_a_rolling_restart_under_searches_loses_none"


def read(report: str) -> dict[str, Any]:
    """What pytest's report of the test says."""
    (case,) = ElementTree.fromstring(report).iter("testcase")
    told = {each.get("name", ""): json.loads(each.get("value", "null")) for each in case.iter("property")}
    faults = [found for kind in ("failure", "error", "skipped") for found in case.iter(kind)]
    problem = (faults[0].get("message") or faults[0].tag).splitlines()[0] if faults else ""
    return {"chaos": "rolling restart", "what": "retriever", **told, "problem": problem}


def main() -> int:
    """Run the test and say what it saw."""
    with tempfile.TemporaryDirectory(prefix="rolling-") as made:
        report = Path(made) / "report.xml"
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", TEST, f"--junitxml={report}"],
            cwd=ROOT,
            stdout=sys.stderr,
            check=False,
        )
        if not report.is_file():
            return done.returncode or 1
        line = read(report.read_text())
    sys.stdout.write(json.dumps(line) + "\n")
    return done.returncode


if __name__ == "__main__":
    raise SystemExit(main())
