"""When a newcomer sees what: the milestones of a first run of the main job, and of a second one.

    python tests/bench/first_minutes.py [--state FOLDER] [--tasks-limit N] [--queries N] [--bars]

Runs `touchstone run` on a platform of its own in a fresh folder and asks the services meanwhile, as a user in a second
terminal would. Downloads are not counted: the clock starts when the platform begins to start, with all files here
(`make tools`, and one `touchstone up` for the chat model). Then runs it again with nothing new, and stops the platform.
Prints JSON lines: `milestone`, `seconds`, `bar_s`, and the machine's load, for other work makes all of it later.
Beside them stands `cpu_s`, the CPU-seconds that the platform had used by then: on two cores that do nothing else, a
milestone is not reached before half of them.
With `--bars` the exit code says whether every bar was met.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from touchstone_local import processes

TOUCHSTONE = str(Path(sys.executable).parent / "touchstone")
# Seconds on two cores that do nothing else.
BARS = {"first_task": 60.0, "first_search_answer": 120.0, "first_verdict": 240.0, "returned": 480.0, "second_run": 30.0}
LOOK_EVERY_S = 2.0
_AN_HOUR = 3600.0


def ask(environment: dict[str, str], *arguments: str) -> Any:
    """What a command answers as JSON; None while nothing answers."""
    command = [TOUCHSTONE, "--quiet", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=600)
    try:
        return json.loads(done.stdout) if done.returncode == 0 else None
    except ValueError:
        return None


def seen(environment: dict[str, str]) -> dict[str, Callable[[], bool]]:
    """The milestones, and how a user would see that one is reached."""
    return {
        "first_task": lambda: bool(ask(environment, "tasks", "list", "--limit", "1")),
        "first_search_answer": lambda: bool(ask(environment, "search", "split a list into pieces", "--limit", "1")),
        "first_verdict": lambda: any(
            row["pass_at_1"]["total"] for row in ask(environment, "leaderboard") or [] if row.get("pass_at_1")
        ),
    }


def watch(
    environment: dict[str, str], state: Path, began: float, over: threading.Event, reached: dict[str, float]
) -> None:
    """Note when each milestone is first seen."""
    milestones = seen(environment)
    while milestones and not over.is_set():
        for name in list(milestones):
            if milestones[name]():
                reached[name] = time.monotonic() - began
                tell(name, reached[name], cpu_s=round(cpu_seconds(state), 1))
                del milestones[name]
        over.wait(LOOK_EVERY_S)


def cpu_seconds(state: Path) -> float:
    """CPU-seconds of the platform's processes so far, their children and those that ended included."""
    running = processes.recall(state / "pids" / "supervisor.pid")
    total = 0.0
    if running is not None:
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(running.pid)
            for each in (process, *process.children(recursive=True)):
                with contextlib.suppress(psutil.Error):
                    used = each.cpu_times()
                    total += used.user + used.system + used.children_user + used.children_system
    return total


def tell(milestone: str, seconds: float | None, **more: object) -> None:
    """One JSON line."""
    rounded = None if seconds is None else round(seconds, 1)
    load = round(os.getloadavg()[0], 1)
    line = {"bench": "first_minutes", "milestone": milestone, "seconds": rounded, "bar_s": BARS.get(milestone)}
    print(json.dumps({**line, "load": load, **more}), flush=True)


def main() -> int:
    """Time a first and a second run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", type=Path, help="An empty folder for the platform; a temporary one when left out.")
    parser.add_argument("--tasks-limit", type=int, default=10)
    parser.add_argument("--queries", type=int, default=2)
    parser.add_argument("--bars", action="store_true", help="Exit code 1 where a bar is not met.")
    options = parser.parse_args()
    # Ended from outside, as by `timeout`, it stops its platform all the same.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="first-minutes-") as scratch:
        state = (options.state or Path(scratch) / "state").resolve()
        environment = {**os.environ, "TOUCHSTONE_STATE": str(state)}
        command = [TOUCHSTONE, "run", "--tasks-limit", str(options.tasks_limit), "--queries", str(options.queries)]
        reached: dict[str, float] = {}
        over = threading.Event()
        try:
            began = time.monotonic()
            watcher = threading.Thread(target=watch, args=(environment, state, began, over, reached))
            watcher.start()
            code = subprocess.run(command, env=environment, stdout=sys.stderr, check=False, timeout=_AN_HOUR).returncode
            reached["returned"] = time.monotonic() - began
            over.set()
            watcher.join()
            tell("returned", reached["returned"], exit_code=code, cpu_s=round(cpu_seconds(state), 1))
            for name in BARS:
                if name not in reached and name != "second_run":
                    tell(name, None)
            began = time.monotonic()
            again = subprocess.run(
                command, env=environment, stdout=sys.stderr, check=False, timeout=_AN_HOUR
            ).returncode
            reached["second_run"] = time.monotonic() - began
            tell("second_run", reached["second_run"], exit_code=again)
        finally:
            # Else a run that was ended from outside would go on asking for ever.
            over.set()
            subprocess.run([TOUCHSTONE, "down"], env=environment, stdout=sys.stderr, check=False, timeout=300)
    met = code == again == 0 and all(reached.get(name, float("inf")) <= bar for name, bar in BARS.items())
    return 0 if met or not options.bars else 1


if __name__ == "__main__":
    sys.exit(main())
