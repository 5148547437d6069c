"""When a newcomer sees what: the milestones of a first run of the main job, and of a second one.

    python tests/bench/first_minutes.py [--state FOLDER] [--tasks-limit N] [--queries N] [--bars]

Runs `touchstone run` on a platform of its own in a fresh folder and asks the services meanwhile, as a user in a second
terminal would. Downloads are not counted: the clock starts when the platform begins to start, with all files here
(`make tools`, and one `touchstone up` for the chat model). Then runs it again with nothing new, and stops the platform.
Prints JSON lines: `milestone`, `seconds`, `bar_s`, and the machine's load, for other work makes all of it later.
Beside them stands `cpu_s`, the CPU-seconds that the platform had used by then, and `cpu_by`, which of its programs did:
on two cores that do nothing else, a milestone is not reached before half of them.
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
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil

from touchstone_cli.errors import CliError
from touchstone_cli.services import connect
from touchstone_local import processes
from touchstone_local.errors import LocalError

TOUCHSTONE = str(Path(sys.executable).parent / "touchstone")
# Seconds on two cores that do nothing else.
BARS = {"first_task": 60.0, "first_search_answer": 120.0, "first_verdict": 240.0, "returned": 480.0, "second_run": 30.0}
LOOK_EVERY_S = 2.0
_AN_HOUR = 3600.0


def ask(service: str, method: str, **fields: object) -> Any:
    """What a service answers; None while it does not.

    Asked over gRPC from here: starting the command line every two seconds would take half a core from the platform.
    """
    connection = None
    try:
        connection = connect(service)
        return connection.call(method, getattr(connection.messages, f"{method}Request")(**fields))
    except (CliError, LocalError):
        return None
    finally:
        if connection is not None:
            connection.close()


def first_task() -> bool:
    """Whether a task is listed."""
    answer = ask("pbt-generator", "ListTasks", limit=1)
    return bool(answer and answer.tasks)


def first_search_answer() -> bool:
    """Whether a search finds something."""
    answer = ask("retriever", "Search", query="split a list into pieces", limit=1)
    return bool(answer and answer.results)


def first_verdict() -> bool:
    """Whether the leaderboard rests on a verdict."""
    answer = ask("evaluator", "Leaderboard")
    return any(row.pass_at_1.total for row in answer.rows) if answer else False


SEEN: dict[str, Callable[[], bool]] = {
    "first_task": first_task,
    "first_search_answer": first_search_answer,
    "first_verdict": first_verdict,
}


def watch(state: Path, began: float, over: threading.Event, reached: dict[str, float]) -> None:
    """Note when each milestone is first seen."""
    milestones = dict(SEEN)
    while milestones and not over.is_set():
        # Without addresses of its own, another platform at the usual ports would be asked.
        here = (state / "platform.json").is_file()
        for name in list(milestones):
            if here and milestones[name]():
                reached[name] = time.monotonic() - began
                tell(name, reached[name], **used(state))
                del milestones[name]
        over.wait(LOOK_EVERY_S)


def used(state: Path) -> dict[str, Any]:
    """CPU-seconds of the platform's processes so far, and of each with all its children, those that ended included."""
    running = processes.recall(state / "pids" / "supervisor.pid")
    found: Counter[str] = Counter()
    if running is not None:
        with contextlib.suppress(psutil.Error):
            supervisor = psutil.Process(running.pid)
            for each in supervisor.children():
                with contextlib.suppress(psutil.Error):
                    words = each.cmdline()
                    name = words[words.index("-m") + 1] if "-m" in words else Path(words[0]).name
                    for one in (each, *each.children(recursive=True)):
                        with contextlib.suppress(psutil.Error):
                            times = one.cpu_times()
                            found[name] += times.user + times.system + times.children_user + times.children_system
    shares = {name: round(seconds, 1) for name, seconds in found.most_common()}
    return {"cpu_s": round(found.total(), 1), "cpu_by": shares}


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
        os.environ["TOUCHSTONE_STATE"] = str(state)
        environment = dict(os.environ)
        command = [TOUCHSTONE, "run", "--tasks-limit", str(options.tasks_limit), "--queries", str(options.queries)]
        reached: dict[str, float] = {}
        over = threading.Event()
        try:
            began = time.monotonic()
            watcher = threading.Thread(target=watch, args=(state, began, over, reached))
            watcher.start()
            code = subprocess.run(command, env=environment, stdout=sys.stderr, check=False, timeout=_AN_HOUR).returncode
            reached["returned"] = time.monotonic() - began
            over.set()
            watcher.join()
            tell("returned", reached["returned"], exit_code=code, **used(state))
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
