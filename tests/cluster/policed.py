"""Network policies enforced: what the platform needs passes, and what it does not need is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import disturbing
import installed
import walled

from touchstone_local.cluster import policies
from touchstone_local.cluster.installing import NAMESPACE, RELEASE

POLICIES = "k8s/network-policies.yaml"
STRANGERS = "strangers"
SERVICES = f"{NAMESPACE}.svc"
# By name and port, as a program would ask for them.
WITHIN = {
    "database": (f"{RELEASE}-demo-postgres.{SERVICES}", 5432),
    "broker": (f"{RELEASE}-demo-kafka.{SERVICES}", 9092),
    "bucket": (f"{RELEASE}-demo-s3.{SERVICES}", 7070),
    "retriever": (f"{RELEASE}-retriever.{SERVICES}", 7100),
    "evaluator": (f"{RELEASE}-evaluator.{SERVICES}", 7100),
}
API = {"the cluster's API": ("kubernetes.default.svc", 443)}
EXECUTORS = ["database", "broker", "bucket", *API]
REFUSED_AFTER_S = 3.0
SETTLED_WITHIN_S = 60.0
# Which of some names and ports answer: from within a pod.
REACH = """
import json, socket, sys
reached = []
for what, place in json.loads(sys.argv[1]).items():
    try:
        socket.create_connection(tuple(place), float(sys.argv[2])).close()
        reached.append(what)
    except OSError:
        pass
print(json.dumps(reached))
"""


def policed(_seconds: float) -> dict[str, Any]:
    """A stranger, a runner and the executor reach what they may; hundreds of functions and new answers get through.

    Raises:
        RuntimeError: where nothing is enforced a stranger is refused already, so that a refusal would show nothing.
    """
    pods_too = installed.has_pods()
    installed.kubectl("apply", "--filename", str(installed.HERE.parents[1] / POLICIES))
    _stranger()
    try:
        open_to_strangers = _reached(STRANGERS, STRANGERS, WITHIN)
        if len(open_to_strangers) != len(WITHIN):
            raise RuntimeError(f"with no policy enforced a stranger reaches {open_to_strangers} alone")
        with policies.enforced(installed.layout(), lambda _words: None):
            installed.until(
                "a stranger is refused", lambda: not _reached(STRANGERS, STRANGERS, WITHIN), SETTLED_WITHIN_S
            )
            line = _seen(pods_too)
            told, untested = installed.chart_tests()
            # What the chart's tests certify and judge, they do once.
            judged = walled.judged()
            taken = disturbing.taken_in("policed", lambda _functions: [0])
    finally:
        installed.call("kubectl", "delete", "namespace", STRANGERS, "--wait=false", "--ignore-not-found")
        installed.kubectl("delete", "--filename", str(installed.HERE.parents[1] / POLICIES), "--ignore-not-found")
    problem = line["problem"] or untested or judged["problem"] or taken["problem"]
    return {"open_before": open_to_strangers, **line, "told": told, "judged": judged, **taken, "problem": problem}


def _seen(pods_too: bool) -> dict[str, Any]:
    """What each reaches now, and what is wrong with it."""
    metrics = {"metrics": (installed.pods("retriever")[0]["status"]["podIP"], 8080)}
    executor = installed.pods(walled.EXECUTOR)[0]["metadata"]["name"]
    line = {
        "stranger": _reached(STRANGERS, STRANGERS, WITHIN | metrics),
        "executor": _reached(NAMESPACE, executor, WITHIN | API),
    }
    expected = {"stranger": list(metrics), "executor": EXECUTORS}
    if pods_too:
        free = installed.until("a runner is ready", walled.free, every_s=2.0)
        line["runner"] = _reached(walled.RUNNERS, free["metadata"]["name"], WITHIN | API | metrics)
        expected["runner"] = []
    wrong = [who for who, reached in line.items() if reached != expected[who]]
    return {**line, "problem": f"reaches what it should not, or less: {', '.join(wrong)}" if wrong else ""}


def _reached(namespace: str, pod: str, asked: Mapping[str, tuple[str, int]]) -> list[str]:
    words = ("exec", pod, "--", "python", "-c", REACH, json.dumps(asked), str(REFUSED_AFTER_S))
    lines = installed.call(*installed.kubectl_in(namespace), *words)
    reached: list[str] = json.loads(lines.strip().splitlines()[-1])
    return reached


def _stranger() -> None:
    """A pod that is none of the platform's, in a namespace of its own."""
    around = {"name": STRANGERS, "namespace": STRANGERS}
    container = {"command": ["sleep", "3600"]}
    pod = installed.restricted_pod(around, container, {"terminationGracePeriodSeconds": 1})
    installed.call("kubectl", "create", "namespace", STRANGERS)
    # Its account, without which no pod is admitted, comes a moment after it.
    account = ("get", "serviceaccounts", "default", "--ignore-not-found", "--output", "name")
    there = (*installed.kubectl_in(STRANGERS), *account)
    installed.until("strangers have an account", lambda: installed.call(*there), SETTLED_WITHIN_S)
    installed.call("kubectl", "create", "--filename", "-", given=json.dumps(pod))
    ready = ("wait", "--for=condition=Ready", f"pod/{STRANGERS}", f"--timeout={SETTLED_WITHIN_S:g}s")
    installed.call(*installed.kubectl_in(STRANGERS), *ready)
