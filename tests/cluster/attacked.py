"""Every attack program, and what the contract asks of any sandbox, against the runner pods of the node.

The tests are those that `make test` runs on backends of this machine. Here they run in the node, claim its pods with
the executor's own rights, and speak to the runners in them.
"""

from __future__ import annotations

import collections
import json
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import installed
import walled
import yaml

from touchstone_local.cluster import node
from touchstone_local.cluster.installing import RELEASE
from touchstone_local.settings import checkout

LABELS = f"app.kubernetes.io/name=sandbox-runner,app.kubernetes.io/instance={RELEASE}"
CONTRACT = "tests/contract/sandbox_backend"
FILES = (
    "tests/attacks/test_isolation.py",
    "tests/attacks/test_oracle.py",
    *(f"{CONTRACT}/test_{name}.py" for name in ("cases", "programs", "sessions", "datasets")),
)
# What these count on this machine is in a pod on the node: it goes with it, which is looked at afterwards.
ELSEWHERE = ("test_nothing_is_left_behind", "test_nothing_is_left_of_a_closed_session")
WITHIN_S = 3600.0
_WORDS = 600
# Where gVisor's kernel is short of Linux, and exactly how: its table of sockets shows those of every network namespace.
# A job reads the addresses of its runner and its executor, to which no way leads (docs/threat-model.md).
SHORT_IN_GVISOR = {"test_attack_is_held[pods-read_kernel_files]": "assert \"reached ['/proc/net/tcp']\" == ''"}


def attacked(_seconds: float) -> dict[str, Any]:
    """Send every program of the attacks and of the contract through runner pods, each in a pod of its own."""
    return _sent()


def in_gvisor(_seconds: float) -> dict[str, Any]:
    """The same with every runner on gVisor's kernel."""
    with walled.walled(walled.GVISOR) as seen:
        return {**seen, **_sent(SHORT_IN_GVISOR)}


def without_users(_seconds: float) -> dict[str, Any]:
    """The same with every runner's root nobody on the node."""
    with walled.walled(walled.USERS) as seen:
        return {**seen, **_sent()}


def _sent(short: Mapping[str, str] | None = None) -> dict[str, Any]:
    """What came of all tests.

    Args:
        short: Tests that fail on this kernel and are known to, and what each says then.
    """
    if not installed.has_pods():
        raise RuntimeError("it needs runner pods: run make cluster BACKEND=pods")
    layout = installed.layout()
    report = Path(layout.state, "attacked.xml")
    report.unlink(missing_ok=True)
    installed.until("runners are ready", walled.free)
    began, before = time.monotonic(), installed.processor_s()
    with _as_executor() as kubeconfig:
        chosen = " and ".join(("pods", *(f"not {name}" for name in ELSEWHERE)))
        pytest = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", chosen, f"--junitxml={report}")
        pods = f"--runner-pods={walled.RUNNERS}:{LABELS}"
        around = ("env", "-C", str(checkout()), f"KUBECONFIG={kubeconfig}")
        command = (*around, sys.executable, *pytest, pods, *FILES)
        done = subprocess.run(
            node.inside(layout, command), capture_output=True, text=True, check=False, timeout=WITHIN_S
        )
    if not report.is_file():
        raise RuntimeError(f"no test ran: {done.stdout[-_WORDS:]} {done.stderr[-_WORDS:]}")
    line = told(ElementTree.parse(report).getroot(), short or {})
    line |= {"seconds": round(time.monotonic() - began, 1), "all_pods_s": round(installed.processor_s() - before, 1)}
    # A claimed pod is removed with its job; a free one that ended would have run something.
    installed.until("no claimed pod is left", lambda: not _runners("claimed"), seconds=60)
    again = [
        each["metadata"]["name"] for each in _runners("free") if each["status"]["containerStatuses"][0]["restartCount"]
    ]
    problem = ", ".join(line["failed"]) or ("runners began anew: " * bool(again) + ", ".join(again))
    whole = done.returncode == (1 if line["short"] else 0)
    return line | {"problem": problem or ("" if whole else done.stdout[-_WORDS:])}


def told(report: ElementTree.Element, short: Mapping[str, str]) -> dict[str, Any]:
    """What a report of pytest says: tests that passed by file, those that did not, and the longest.

    Args:
        report: Its root.
        short: As for all tests together; one of them that says anything else failed, and so did one that passed.
    """
    passed: collections.Counter[str] = collections.Counter()
    failed: dict[str, str] = {}
    skipped: list[str] = []
    for case in report.iter("testcase"):
        name = case.get("name", "")
        fault = next((found for kind in ("failure", "error") if (found := case.find(kind)) is not None), None)
        if fault is not None:
            failed[name] = fault.get("message", "")[:_WORDS]
        elif case.find("skipped") is not None:
            skipped.append(name)
        else:
            passed[case.get("classname", "").rpartition(".")[2]] += 1
    shown = [name for name, words in short.items() if words in failed.get(name, "")]
    failed |= {name: "it is held by now" for name in short if name not in failed}
    failed = {name: words for name, words in failed.items() if name not in shown}
    longest = sorted((float(case.get("time", 0)), case.get("name", "")) for case in report.iter("testcase"))[-3:]
    return {"passed": dict(passed), "failed": failed, "short": shown, "skipped": skipped, "longest": longest}


@contextmanager
def _as_executor() -> Iterator[Path]:
    """A file by which the API is reached with the rights of the executor, and no others."""
    layout = installed.layout()
    token = installed.kubectl("create", "token", f"{RELEASE}-{walled.EXECUTOR}", f"--duration={WITHIN_S:g}s").strip()
    found = yaml.safe_load(layout.kubeconfig().read_text())
    for user in found["users"]:
        user["user"] = {"token": token}
    file = layout.kubeconfig("attacked")
    file.touch(0o600)
    try:
        file.write_text(yaml.safe_dump(found))
        yield file
    finally:
        file.unlink()


def _runners(state: str) -> list[dict[str, Any]]:
    words = ("get", "pods", "-l", f"{LABELS},touchstone.dev/runner={state}", "-o", "json")
    listed: list[dict[str, Any]] = json.loads(installed.call(*installed.kubectl_in(walled.RUNNERS), *words))["items"]
    return listed
