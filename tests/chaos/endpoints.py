"""Runs whose endpoint is dead, silent, locked or broken, beside a healthy run on the same partitions.

    python tests/chaos/endpoints.py

starts a platform of its own and prints one JSON line for each trouble: how much longer the healthy run took than alone,
and how the other one ended. The exit code is 1 when a healthy run was delayed by 5 s or more, or a run in trouble ended
in any other way than outside the scores.
"""

from __future__ import annotations

import contextlib
import json
import socket
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import platforms

from touchstone.evaluator.v1 import evaluator_pb2 as pb

MOST_DELAY_S = 5.0
# How long an endpoint may be away before its run ends, and how long one answer may take: minutes by default.
PATIENCE_S = 20.0
ANSWER_S = 10.0
STEP_TIMEOUT_S = 900.0
SETTINGS = {
    "TOUCHSTONE_EVALUATOR_ENDPOINT_PATIENCE_S": str(PATIENCE_S),
    "TOUCHSTONE_LLM_TIMEOUT_S": str(ANSWER_S),
}


@contextlib.contextmanager
def silent_endpoint() -> Iterator[str]:
    """An address that takes connections and never says a word."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(64)
        held: list[socket.socket] = []

        def hold() -> None:
            with contextlib.suppress(OSError):
                while True:
                    held.append(listener.accept()[0])

        thread = threading.Thread(target=hold, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
        finally:
            # A close alone does not wake who accepts.
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(10)
            for each in held:
                each.close()


class Runs:
    """Runs on all tasks of one platform."""

    def __init__(self, live: Any, address: str) -> None:
        self._live, self._address = live, address
        self._healthy = 0
        self.tasks = len(live.tasks())

    def start(self, model: str) -> str:
        """Start a run; gives its id."""
        request = pb.StartRunRequest(model=model)
        started = self._live.until(
            lambda: (run := self._live.evaluator.StartRun(request)).tasks >= self.tasks and run,
            "all tasks are known",
            STEP_TIMEOUT_S,
        )
        return started.run_id

    def healthy_s(self) -> tuple[float, Counter[str]]:
        """Seconds that a healthy run of a model that nobody asked before takes, and its outcomes."""
        self._healthy += 1
        began = time.monotonic()
        run = self.ended(self.start(f"healthy-{self._healthy}@{self._address}"))
        return time.monotonic() - began, Counter(result.outcome for result in run.results)

    def ended(self, run_id: str) -> Any:
        """The run, when each of its answers has ended."""
        return self._live.until(lambda: self._live.finished(run_id), f"run {run_id} ends", STEP_TIMEOUT_S)

    def finished(self, run_id: str) -> bool:
        """Whether each answer of a run has ended."""
        return bool(self._live.finished(run_id))

    def scores(self, run_id: str) -> tuple[int, int, int]:
        """Answers of a run that count, that passed, and that are outside the scores."""
        listed = self._live.evaluator.ListRuns(pb.ListRunsRequest()).runs
        (found,) = [run for run in listed if run.run_id == run_id]
        return found.judged, found.passed, found.infrastructure


def beside(runs: Runs, what: str, model: str) -> dict[str, Any]:
    """One run in trouble beside a healthy one, and a healthy one alone before and after; gives the line."""
    before, outcomes = runs.healthy_s()
    began = time.monotonic()
    troubled = runs.start(model)
    took, meanwhile = runs.healthy_s()
    still = not runs.finished(troubled)
    runs.ended(troubled)
    ended_s = time.monotonic() - began
    after, _ = runs.healthy_s()
    alone = statistics.mean((before, after))
    judged, passed, outside = runs.scores(troubled)
    problem = ""
    if took - alone >= MOST_DELAY_S:
        problem = "the healthy run was delayed"
    elif meanwhile != outcomes:
        problem = "the healthy run has other verdicts"
    elif (judged, passed, outside) != (0, 0, runs.tasks):
        problem = "the run in trouble did not end outside the scores"
    return {
        "chaos": "endpoint",
        "what": what,
        "tasks": runs.tasks,
        "alone_s": [round(before, 1), round(after, 1)],
        "beside_s": round(took, 1),
        "delay_s": round(took - alone, 1),
        "in_trouble_all_the_while": still,
        "patience_s": PATIENCE_S,
        "ended_after_s": round(ended_s, 1),
        "judged": judged,
        "infrastructure": outside,
        "problem": problem,
    }


def main() -> int:
    """Start a platform, and runs in trouble beside healthy ones."""
    wrong = 0
    with (
        tempfile.TemporaryDirectory(prefix="endpoints-", ignore_cleanup_errors=True) as made,
        silent_endpoint() as mute,
    ):
        chaos = platforms.Platforms(Path(made))
        chaos.start_model()
        try:
            live = chaos.platform("endpoints", SETTINGS)
            try:
                live.ingest(chaos.live.SOURCE)
                live.until(live.generation_is_done, "all tasks are built or refused", platforms.STEP_TIMEOUT_S)
                address = f"http://127.0.0.1:{chaos.port}/v1"
                runs = Runs(live, address)
                # What is loaded once is loaded by it.
                runs.healthy_s()
                (closed,) = chaos.live.ports.free_ports(1)
                for what, model in (
                    ("dead", f"dead@http://127.0.0.1:{closed}/v1"),
                    ("silent", f"silent@{mute}"),
                    ("wrong key", f"locked@{address}"),
                    ("always 500", f"broken@{address}"),
                ):
                    line = beside(runs, what, model)
                    wrong += bool(line["problem"])
                    sys.stdout.write(json.dumps(line) + "\n")
                    sys.stdout.flush()
            finally:
                live.stop()
        finally:
            chaos.stop_model()
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
