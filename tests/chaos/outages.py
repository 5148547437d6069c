"""Each dependency taken away alone in the middle of a job, and each process killed; prints one JSON line a disturbance.

A line says what was done, what waited meanwhile, whether tasks, verdicts, search results and labels are those of an
undisturbed platform, and how many messages went to the dead letters. Disturbances of different steps share one job, one
after the other; `job` numbers it. The exit code is 1 when anything was lost.

    python tests/chaos/outages.py --seconds 120 --only away:kafka,killed:postgres
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import grpc
import platforms
import psutil
from platforms import STEPS

# What is taken away, and the step of the job at which much of the work still needs it.
AWAY = {
    "kafka": "generating",
    "postgres": "generating",
    "sandbox-executor": "generating",
    "embedder": "before ingesting",
    "model": "before evaluating",
    "blobs": "generating",
    "weaviate": "before ingesting",
}
# What is killed: the step from which on it has work, and whose unfinished messages show that (all: "").
KILLED = {
    "ingester": ("ingesting", "ingester"),
    "embedder": ("ingesting", "embedder"),
    "retriever": ("ingesting", "retriever"),
    "sandbox-executor": ("generating", "pbt-generator"),
    "pbt-generator": ("generating", "pbt-generator"),
    "postgres": ("generating", ""),
    "kafka": ("generating", ""),
    "weaviate": ("ingesting", "retriever"),
    "evaluator": ("evaluating", "evaluator"),
    "annotator": ("labelling", "annotator"),
    # It holds no messages.
    "web": ("evaluating", ""),
}
AWAY_FIRST = "before ingesting"
WEAVIATE = {"TOUCHSTONE_CODE_INDEX": "weaviate"}


class Outage:
    """One dependency away for so long; meanwhile the job goes on, and what waits is noted."""

    def __init__(self, chaos: platforms.Platforms, live: Any, name: str, seconds: float) -> None:
        self.waited: dict[str, str] = {}
        self.problem = ""
        self._chaos, self._live, self._name, self._seconds = chaos, live, name, seconds
        self._give_back = self._take()
        self._thread = threading.Thread(target=self._last)
        self._thread.start()

    def end(self) -> None:
        """Wait until the dependency is back."""
        self._thread.join()

    def _take(self) -> Callable[[], None]:
        if self._name == "model":
            self._chaos.stop_model()
            return self._chaos.start_model
        if self._name == "blobs":
            # A file in its place: nobody can make the folder anew meanwhile.
            blobs, aside = self._live.state / "blobs", self._live.state / "blobs-away"
            blobs.rename(aside)
            blobs.write_text("")

            def put_back() -> None:
                blobs.unlink()
                aside.rename(blobs)

            return put_back
        # Stopped, it neither answers nor hangs up, and the supervisor does not start another.
        stopped = platforms.processes(self._live, self._name)
        for process in stopped:
            process.suspend()

        def go_on() -> None:
            for process in stopped:
                with suppress(psutil.NoSuchProcess):
                    process.resume()

        return go_on

    def _last(self) -> None:
        end = time.monotonic() + self._seconds
        while time.monotonic() < end:
            self.waited |= platforms.waiting(self._live)
            time.sleep(1.0)
        try:
            self._give_back()
        except (OSError, AssertionError) as error:
            self.problem = f"not given back: {error}"


def kill_with_work(live: Any, name: str, whose: str) -> int:
    """`kill -9` a part that has work in flight; gives how many messages were unfinished.

    The part is stopped first, so that its work cannot end between the look and the kill.
    """
    end = time.monotonic() + 300
    while time.monotonic() < end:
        found = platforms.backlog(live, whose) if name == "kafka" else 0
        parts = platforms.processes(live, name)
        for process in parts:
            process.suspend()
        found = found or (platforms.backlog(live, whose) if name != "kafka" else 0)
        if found:
            for process in parts:
                with suppress(psutil.NoSuchProcess):
                    process.kill()
            return found
        for process in parts:
            process.resume()
        time.sleep(0.02)
    raise AssertionError(f"{name} had no work in flight within 300 s")


def jobs(disturbances: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    """Share disturbances out over as few jobs as let each happen alone, at its step, with its work still to do."""
    shared: list[list[tuple[str, str]]] = []
    for each in disturbances:
        fitting = (job for job in shared if not any(_exclude(each, other) for other in job))
        job = next(fitting, None)
        if job is None:
            shared.append([each])
        else:
            job.append(each)
    return [sorted(job, key=lambda each: STEPS.index(_step(each))) for job in shared]


def _step(disturbance: tuple[str, str]) -> str:
    how, name = disturbance
    return AWAY[name] if how == "away" else KILLED[name][0]


def _exclude(one: tuple[str, str], other: tuple[str, str]) -> bool:
    """Whether two disturbances cannot share a job: the first would end when the other's work is done, or they meet."""
    if ("weaviate" in one) != ("weaviate" in other):
        return True
    steps = {_step(one), _step(other)}
    # What is away from the beginning on is so while the tasks are made.
    return len(steps) == 1 or (AWAY_FIRST in steps and bool(steps & {"ingesting", "generating"}))


def disturbed(
    chaos: platforms.Platforms,
    number: int,
    disturbances: list[tuple[str, str]],
    seconds: float,
    expected: platforms.Outcome,
) -> list[dict[str, Any]]:
    """Do the job on a fresh platform with some disturbances, one after the other; gives a line for each."""
    began = time.monotonic()
    lines: list[dict[str, Any]] = []
    outages: list[Outage] = []

    def disturb(step: str) -> None:
        for how, name in disturbances:
            if _step((how, name)) != step:
                continue
            for outage in outages:
                outage.end()
            line: dict[str, Any] = {"chaos": how, "what": name}
            lines.append(line)
            if how == "away":
                outage = Outage(chaos, live, name, seconds)
                outages.append(outage)
                line |= {"seconds": seconds, "waited": outage.waited}
            else:
                line["in_flight"] = kill_with_work(live, name, KILLED[name][1])

    weaviate = any(name == "weaviate" for _, name in disturbances)
    live = chaos.platform(f"job-{number}", WEAVIATE if weaviate else None)
    problem, same, letters = "", False, -1
    counts: dict[str, int] = {}
    try:
        outcome = chaos.job(live, disturb)
        for outage in outages:
            outage.end()
            problem = problem or outage.problem
        counts = {field: len(value) for field, value in asdict(outcome).items()}
        wrong = [field for field, value in asdict(expected).items() if value != asdict(outcome)[field]]
        same = not wrong
        if wrong:
            problem = f"differs: {', '.join(wrong)}"
        found = platforms.dead_letters(live)
        letters = len(found)
        if found:
            problem = f"{problem} {found[0].get('topic', '')}: {found[0].get('reason', '')}".strip()
    except (AssertionError, OSError, psutil.Error, grpc.RpcError) as error:
        problem = str(error)
        sys.stderr.write(f"{problem}\n")
        problem = problem.splitlines()[0]
    finally:
        for outage in outages:
            outage.end()
        live.stop()
    took = {"job": number, "job_took_s": round(time.monotonic() - began, 1), "problem": problem}
    return [line | counts | {"same": same, "dead_letters": letters} | took for line in lines]


def main() -> int:
    """Disturb one platform after another and say what was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--only", default="", help="away:NAME or killed:NAME, or names, separated by commas")
    chosen = parser.parse_args()
    disturbances = [("away", name) for name in AWAY] + [("killed", name) for name in KILLED]
    if chosen.only:
        named = chosen.only.split(",")
        disturbances = [each for each in disturbances if each[1] in named or ":".join(each) in named]
    if not disturbances:
        parser.error(f"nothing is called {chosen.only}")
    lost = 0
    with tempfile.TemporaryDirectory(prefix="chaos-", ignore_cleanup_errors=True) as made:
        chaos = platforms.Platforms(Path(made))
        chaos.start_model()
        try:
            calm = chaos.platform("calm")
            try:
                expected = chaos.job(calm)
            finally:
                calm.stop()
            for number, shared in enumerate(jobs(disturbances), 1):
                lines = disturbed(chaos, number, shared, chosen.seconds, expected)
                lost += len(shared) - len(lines)
                for line in lines:
                    lost += not line["same"] or line["dead_letters"] != 0 or bool(line["problem"])
                    sys.stdout.write(json.dumps(line) + "\n")
                sys.stdout.flush()
        finally:
            chaos.stop_model()
    return 1 if lost else 0


if __name__ == "__main__":
    raise SystemExit(main())
