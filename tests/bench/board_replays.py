"""Whether boards come out byte for byte where the evaluator's events are met again in other orders.

JSON lines; `python tests/bench/board_replays.py [--shuffles 20]`: the events of
`tests/contract/test_evaluator_replay.py` (runs of every kind, with pauses, withdrawals, deletions, retractions and
verdicts of two versions), each shuffle on an empty memory and on an empty PostgreSQL, which it starts itself.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

TEST = Path(__file__).parents[1] / "contract" / "test_evaluator_replay.py"


class Counted:
    """Counts the replays by what became of them."""

    def __init__(self) -> None:
        self.outcomes = Counter[str]()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take one report; what fails before its replay begins has failed too."""
        if report.when == "call" or report.failed:
            self.outcomes[report.outcome] += 1


def main() -> int:
    """Replay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shuffles", type=int, default=20)
    shuffles = parser.parse_args().shuffles
    counted, began, told = Counted(), time.monotonic(), io.StringIO()
    with contextlib.redirect_stdout(told):
        ended = pytest.main(["-q", "-p", "no:cacheprovider", f"--shuffles={shuffles}", str(TEST)], [counted])
    line = {"what": "replays on an empty memory and an empty PostgreSQL", "same": counted.outcomes["passed"]}
    line |= {"differ": counted.outcomes["failed"], "seconds": round(time.monotonic() - began)}
    sys.stdout.write(json.dumps(line) + "\n")
    if ended:
        sys.stderr.write(told.getvalue())
    return int(ended)


if __name__ == "__main__":
    raise SystemExit(main())
