"""What an installed platform bears on a real node, after `make cluster` or on a plain one that it brings up itself.

    python tests/cluster/run.py --only balance,rolling --seconds 30

prints one JSON line a step, and at the end one about all of them. What was done for this commit without a finding is
not done again: its line is printed as it was. The exit code is 1 when something was found.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import attacked
import backup
import brought
import clocks
import composed
import disturbing
import installed
import loaded
import policed
import releases
import scaled
import walled

from touchstone_local.cluster import node, policies
from touchstone_local.errors import LocalError
from touchstone_local.settings import folders

ROOT = Path(__file__).resolve().parents[2]
RATE = 50.0
REPLICAS = 3
# Of the calls that three replicas answer, the one with most has so many times those of the one with fewest.
MOST_APART = 1.2
# Searches go on for so long at most while pods are replaced, and so long behind it.
RESTARTED_WITHIN_S, AFTERWARDS_S = 300.0, 5.0
# How long nobody embeds, and what ranks then.
AWAY_S, WORDS = 30.0, "text"
Line = dict[str, Any]


def demonstration(_seconds: float) -> Line:
    """The chart's own tests."""
    told, problem = installed.chart_tests()
    return {"told": told, "problem": problem}


def balance(seconds: float) -> Line:
    """Fifty searches a second for three replicas, behind a name with an address for each."""
    installed.scale("retriever", REPLICAS)
    # At rest: read one after the other under load, each pod's count would begin at another search.
    before = {pod["metadata"]["name"]: installed.searches(pod) for pod in installed.pods("retriever")}
    came = installed.Load(RATE, seconds, REPLICAS).ended()
    answered = [
        installed.searches(pod) - before[pod["metadata"]["name"]]
        for pod in installed.pods("retriever")
        if pod["metadata"]["name"] in before
    ]
    apart = round(max(answered) / min(answered), 3) if len(answered) == REPLICAS and min(answered) else None
    problem = "" if apart and apart <= MOST_APART and not came["failed"] else "calls are not shared alike, or failed"
    return {**came, "by_replica": answered, "apart": apart, "problem": problem}


def rolling(_seconds: float) -> Line:
    """New pods in the place of three retrievers, one by one, under fifty searches a second."""
    return _restarted_under_searches("retriever", REPLICAS)


def alone(_seconds: float) -> Line:
    """The same with one retriever: its successor is there before it goes."""
    return _restarted_under_searches("retriever", 1)


def embedder(_seconds: float) -> Line:
    """The same with the service that each search needs for its question."""
    return _restarted_under_searches("embedder", 1)


def away(_seconds: float) -> Line:
    """No embedder for half a minute, under fifty searches a second: words alone rank, and models again afterwards."""
    load = installed.Load(RATE, RESTARTED_WITHIN_S, len(installed.pods("retriever")))
    load.begun()
    try:
        installed.scale("embedder", 0)
        time.sleep(AWAY_S)
    finally:
        installed.scale("embedder", 1)
    time.sleep(AFTERWARDS_S)
    load.over()
    came = load.ended()
    return {**came, "away_s": AWAY_S, "problem": _unranked(came)}


def _unranked(came: Line) -> str:
    """What is wrong with searches during which the embedder was away; empty where nothing is."""
    by_words = came["ranked_by"].get(WORDS, 0)
    if came["failed"]:
        return "searches failed"
    return "" if 0 < by_words < came["searches"] else "none was ranked by words alone, or none by models"


def _restarted_under_searches(service: str, replicas: int) -> Line:
    installed.scale(service, replicas)
    names = [pod["metadata"]["name"] for pod in installed.pods(service)]
    load = installed.Load(RATE, RESTARTED_WITHIN_S, len(installed.pods("retriever")))
    load.begun()
    began = time.monotonic()
    installed.restart(service)
    took = round(time.monotonic() - began, 1)
    time.sleep(AFTERWARDS_S)
    load.over()
    came = load.ended()
    problem = "" if not came["failed"] and installed.replaced(names, service) else "searches failed"
    if took > RESTARTED_WITHIN_S:
        problem = problem or "the restart outlasted the searches"
    return {**came, "what": service, "replicas": replicas, "restart_s": took, "problem": problem}


STEPS: dict[str, Callable[[float], Line]] = {
    "demonstration": demonstration,
    "bucket": brought.bucket,
    "prometheus": brought.prometheus,
    "levels": brought.levels,
    "killed": disturbing.killed,
    # Behind it there is something to search.
    "balance": balance,
    "rolling": rolling,
    "alone": alone,
    "embedder": embedder,
    "away": away,
    "broker": disturbing.broker,
    "silent": disturbing.silent,
    "partition": disturbing.partition,
    "full": disturbing.full,
    "full_store": disturbing.full_store,
    "slow": disturbing.slow,
    # Before every pod of the node is evicted, its own among them.
    "composed": composed.composed,
    "drained": disturbing.drained,
    "skewed": clocks.skewed,
    "weaviate": brought.weaviate,
    "hpa": scaled.hpa,
    "scaling": scaled.lag,
    "scaling_calls": scaled.calls,
    "policies": policed.policed,
    "backup": backup.restored,
    "loaded": loaded.loaded,
    "labelled": loaded.pairs,
    "changed": releases.changed,
    "gvisor": walled.gvisor,
    "host_users": walled.host_users,
    "attacks": attacked.attacked,
    "attacks_gvisor": attacked.in_gvisor,
    "attacks_host_users": attacked.without_users,
    "counted_again": disturbing.counted_again,
}
# Where `make cluster SCALING=1`, and `make cluster RUNTIME=built`, brought what they need.
SCALING, WALLED = {"scaling", "scaling_calls"}, {"gvisor", "host_users"}
OPTIONAL = SCALING | WALLED
# From here on nothing is timed for some minutes: a build may go on meanwhile.
BUILT_AHEAD_FROM = "broker"
# Begun with another one, and done beside it and those behind it until its own turn comes: it has a namespace of its
# own, and these mostly wait for a broker that is frozen or cut off. Nothing is timed in any of them.
BESIDE = {"composed": "silent"}
# Done where they are named: one builds the images of another release, the others take some ten minutes each, or more.
BY_NAME = {"changed", "loaded", "labelled", "attacks", "attacks_gvisor", "attacks_host_users"}


def chosen(only: str) -> list[str]:
    """The steps to do.

    Args:
        only: Their names, separated by commas; empty: all that this node can carry, but for those of `BY_NAME`.
    """
    return [name for name in only.split(",") if name] or [
        name
        for name in STEPS
        if name not in BY_NAME | OPTIONAL or (name in SCALING and scaled.there()) or (name in WALLED and walled.there())
    ]


def main() -> int:
    """Do the steps that are left, and print the line of each."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help=f"some of: {', '.join(STEPS)}")
    parser.add_argument("--seconds", type=float, default=30.0, help="how long searches go on where nothing ends them")
    arguments = parser.parse_args()
    if strange := set(filter(None, arguments.only.split(","))) - set(STEPS):
        parser.error(f"unknown: {', '.join(sorted(strange))}")
    since = time.monotonic()
    if node.running(installed.layout()) is None and (status := _brought_up()):
        return status
    up_s = round(time.monotonic() - since, 1)
    names = chosen(arguments.only)
    commit = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.strip()
    record = folders().state / "cluster-test" / f"{commit}.jsonl"
    record.parent.mkdir(parents=True, exist_ok=True)
    kept = [json.loads(line) for line in record.read_text().splitlines()] if record.is_file() else []
    done = {line["step"]: line for line in kept if not line["problem"]}
    found = 0
    with ThreadPoolExecutor(1) as pool:
        begun: dict[str, Future[Line]] = {}
        for name in names:
            line = done.get(name)
            if line is None:
                if name == BUILT_AHEAD_FROM and "policies" in names:
                    threading.Thread(target=_built_ahead, daemon=True).start()
                for other in (each for each in names if BESIDE.get(each) == name and each not in done):
                    begun[other] = pool.submit(_measured, other, arguments.seconds)
                line = begun[name].result() if name in begun else _measured(name, arguments.seconds)
                with record.open("a") as file:
                    file.write(json.dumps(line) + "\n")
            found += bool(line["problem"])
            _say(line)
    whole = {"steps": len(names), "with_a_finding": found, "up_s": up_s, "took_s": round(time.monotonic() - since, 1)}
    _say({"commit": commit, **whole})
    return 1 if found else 0


def _measured(name: str, seconds: float) -> Line:
    """The line of a step: what came of it, how long it took, and the machine's load before and behind it."""
    began, load = time.monotonic(), os.getloadavg()[0]
    try:
        line = STEPS[name](seconds)
    except (RuntimeError, LocalError) as error:
        line = {"problem": str(error)}
    took = round(time.monotonic() - began, 1)
    return {"step": name, **line, "took_s": took, "load": [round(load), round(os.getloadavg()[0])]}


def _built_ahead() -> None:
    """Have what `policies` needs; that step waits for it, and tells what goes wrong."""
    with suppress(RuntimeError, LocalError):
        policies.have(installed.layout(), lambda _words: None)


def _brought_up() -> int:
    """Start a plain node with the platform, as `make cluster` does; gives that command's exit code."""
    command = [sys.executable, "-m", "touchstone_local.cluster", "all"]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def _say(line: Line) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    raise SystemExit(main())
