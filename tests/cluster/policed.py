"""Network policies enforced: what the platform needs passes, and what it does not need is refused."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

import disturbing
import installed
import walled

from touchstone_local.cluster import installing, policies
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
    """A stranger, a runner and the executor reach what they may; a thousand functions and new answers get through.

    Raises:
        RuntimeError: where nothing is enforced a stranger is refused already, so that a refusal would show nothing.
    """
    layout = installed.layout()
    pods_too = walled.has_pods()
    installed.kubectl("apply", "--filename", str(installed.HERE.parents[1] / POLICIES))
    _stranger()
    told: list[str] = []
    try:
        open_to_strangers = _reached(STRANGERS, STRANGERS, WITHIN)
        if len(open_to_strangers) != len(WITHIN):
            raise RuntimeError(f"with no policy enforced a stranger reaches {open_to_strangers} alone")
        with policies.enforced(layout, lambda _words: None):
            installed.until(
                "a stranger is refused", lambda: not _reached(STRANGERS, STRANGERS, WITHIN), SETTLED_WITHIN_S
            )
            line = _seen(pods_too)
            status = installing.test(layout, told.append)
            # What the chart's tests certify and judge, they do once.
            judged = walled.judged()
            taken = disturbing.taken_in("policed", lambda _functions: [0])
    finally:
        installed.call("kubectl", "delete", "namespace", STRANGERS, "--wait=false", "--ignore-not-found")
        installed.kubectl("delete", "--filename", str(installed.HERE.parents[1] / POLICIES), "--ignore-not-found")
    problem = line.pop("problem") or ("helm test" if status else "") or judged.pop("problem") or taken.pop("problem")
    return {
        "open_before": open_to_strangers, **line, "told": [json.loads(each) for each in told if each.startswith("{")],
        "judged": judged, **taken, "problem": problem,
    }  # fmt: skip


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
        line["runner"], expected["runner"] = (
            _reached(walled.RUNNERS, free["metadata"]["name"], WITHIN | API | metrics),
            [],
        )
    wrong = [who for who, reached in line.items() if reached != expected[who]]
    return {**line, "problem": f"reaches what it should not, or less: {', '.join(wrong)}" if wrong else ""}


def _reached(namespace: str, pod: str, asked: Mapping[str, tuple[str, int]]) -> list[str]:
    words = ("exec", pod, "--", "python", "-c", REACH, json.dumps(asked), str(REFUSED_AFTER_S))
    lines = installed.call("env", "KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false", "kubectl", "-n", namespace, *words)
    reached: list[str] = json.loads(lines.strip().splitlines()[-1])
    return reached


def _stranger() -> None:
    """A pod that is none of the platform's, in a namespace of its own."""
    container = {
        "name": "stranger",
        "image": installed.pods("evaluator")[0]["spec"]["containers"][0]["image"],
        "imagePullPolicy": "Never",
        "command": ["sleep", "3600"],
        "securityContext": {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}},
    }
    spec = {
        "automountServiceAccountToken": False, "enableServiceLinks": False, "terminationGracePeriodSeconds": 1,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 10001, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [container],
    }  # fmt: skip
    made = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": STRANGERS}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": STRANGERS, "namespace": STRANGERS}, "spec": spec},
    ]
    listed = {"apiVersion": "v1", "kind": "List", "items": made}
    # Its account comes a moment after the namespace.
    end = time.monotonic() + SETTLED_WITHIN_S
    while True:
        try:
            installed.call("kubectl", "apply", "--filename", "-", given=json.dumps(listed))
            break
        except RuntimeError:
            if time.monotonic() > end:
                raise
            time.sleep(1)
    installed.call(
        "kubectl",
        "-n",
        STRANGERS,
        "wait",
        "--for=condition=Ready",
        f"pod/{STRANGERS}",
        f"--timeout={SETTLED_WITHIN_S:g}s",
    )
