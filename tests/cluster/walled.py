"""Foreign code in runner pods with a wall more, where `make cluster BACKEND=pods RUNTIME=built` brought what they need.

`runner.runtimeClassName: gvisor` gives each a kernel of its own, `runner.hostUsers: false` a root that is nobody on the
node. What the chart asks for is held against what a pod says from within, and what the node sees of its process.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import installed
import loaded

from touchstone_local.cluster import images, installing, runtimes
from touchstone_local.cluster.installing import RELEASE

RUNNERS = f"{RELEASE}-runners"
FREE = "touchstone.dev/runner=free"
EXECUTOR = "sandbox-executor"
# What the chart is told of runners.
GVISOR: dict[str, Any] = {"runtimeClassName": runtimes.RUNTIME_CLASS}
USERS: dict[str, Any] = {"hostUsers": False}
ANSWERS = 2
# One job, whose answer names the kernel; then every attack of the self-test, each in a pod of its own.
ASK = """
import json, time
from touchstone.sandbox.v1 import sandbox_pb2 as pb, sandbox_pb2_grpc as rpc
from touchstone_runtime.dialling import dial_blocking
from touchstone_runtime.settings import ServiceSettings
settings = ServiceSettings()
stub = rpc.SandboxServiceStub(dial_blocking(settings.sandbox_address, settings.identity()))
source = "import os\\ndef kernel(): return os.uname().release"
job = pb.RunCasesRequest(language=pb.LANGUAGE_PYTHON, source=source, entry_point="kernel", inputs=["[]"])
(result,) = stub.RunCases(job, timeout=900, wait_for_ready=True)
backend = next(each for each in stub.Describe(pb.DescribeRequest(), timeout=900).backends if each.name == "pods")
began = time.monotonic()
test = stub.SelfTest(pb.SelfTestRequest(backend="pods"), timeout=3000)
print(json.dumps({
    "job": {"kernel": result.value, "error": result.error_message},
    "absent": {layer.name: layer.detail for layer in backend.layers if not layer.in_force},
    "attacks": len(test.checks), "attacks_s": round(time.monotonic() - began, 1),
    "not_held": {check.name: check.detail for check in test.checks if not check.passed},
}))
"""


def there() -> bool:
    """Whether the node has runtimes that can, and foreign code has pods of its own."""
    return runtimes.are_built(installed.layout()) and installed.has_pods()


def free() -> dict[str, Any]:
    """A free runner, once all are ready; nothing before."""
    return _ready({})


def gvisor(_seconds: float) -> dict[str, Any]:
    """Every runner on gVisor's kernel: tasks certified and judged, attacks held."""
    with walled(GVISOR) as seen:
        line = {**seen, **_through()}
    other = "gvisor" in line["kernel"] and "gvisor" in line["job"]["kernel"]
    return line | {"problem": line["problem"] or ("" if other else "a runner sees the node's kernel")}


def host_users(_seconds: float) -> dict[str, Any]:
    """Every runner's root nobody on the node: tasks certified and judged, attacks held."""
    with walled(USERS) as seen:
        line = {**seen, **_through()}
    inside, outside, _ = map(int, line["users"].split())
    nobody = inside == 0 and outside > 0 and line["node_sees_user"] == outside
    return line | {"problem": line["problem"] or ("" if nobody else "root of a runner is root of the node")}


@contextmanager
def walled(how: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The installation with this setting of its runners, and afterwards as it was; gives what a runner says."""
    layout = installed.layout()
    if not there():
        raise RuntimeError("it needs runner pods and other runtimes: run make cluster BACKEND=pods RUNTIME=built")
    file = Path(layout.state, "walled.json")
    # Nothing of a schema changes, so the jobs that would look are left out.
    file.write_text(json.dumps({"migrations": {"hook": False}, "runner": how}))
    began = time.monotonic()
    try:
        installing.install(layout, "pods", _quiet, [file])
        installed.until("runners as they shall be are ready", lambda: _ready(how), every_s=2.0)
        ready_s = round(time.monotonic() - began, 1)
        # A new one has a runner describe itself, and takes no job before all attacks held.
        installed.restart(EXECUTOR)
        pod = installed.until("runners are ready again", lambda: _ready(how), every_s=2.0)
        yield {"ready_s": ready_s, **_seen(pod)}
    finally:
        installing.install(layout, "pods", _quiet)
        # Those with the wall are gone before others count them in.
        installed.until("runners as they were are ready", lambda: _ready({}, without=how), every_s=2.0)


def _ready(how: dict[str, Any], without: dict[str, Any] | None = None) -> dict[str, Any]:
    """A free runner, once all of them are ready and as they shall be; nothing before."""
    pods = json.loads(installed.call(*_kubectl("get", "pods", "-l", FREE, "-o", "json")))["items"]
    as_asked = [each for each in pods if all(each["spec"].get(name) == value for name, value in how.items())]
    others = [each for each in pods if any(each["spec"].get(name) == value for name, value in (without or {}).items())]
    whole = bool(pods) and len(as_asked) == len(pods) and not others and all(map(installed.is_ready, pods))
    return pods[0] if whole else {}


def _seen(pod: dict[str, Any]) -> dict[str, Any]:
    """What a runner's pod says from within, what it logged, and whom the node sees."""
    name, container = pod["metadata"]["name"], pod["status"]["containerStatuses"][0]["containerID"].rpartition("/")[2]
    within = installed.call(*_kubectl("exec", name, "--", "sh", "-c", "uname -r; cat /proc/self/uid_map")).splitlines()
    logged = [line for line in installed.call(*_kubectl("logs", name)).splitlines() if '"runner_ready"' in line]
    told = json.loads(logged[-1]) if logged else {}
    processes = dict(line.split()[:2] for line in installed.call(*images.CTR, "task", "list").splitlines()[1:])
    user = installed.call("stat", "--format", "%u", f"/proc/{processes[container]}")
    return {
        "kernel": within[0],
        "users": " ".join(re.split(r"\s+", within[1].strip())),
        "node_sees_user": int(user),
        "logged": {name: told.get(name) for name in ("kernel", "root_outside", "absent")},
    }


def _through() -> dict[str, Any]:
    """The chart's tests, new answers judged, and the self-test, through the runners that there are now.

    What the chart's tests certify, they certify once: it is nothing new to a platform that they were run on before.
    """
    told, problem = installed.chart_tests()
    new = judged()
    executor = installed.pods(EXECUTOR)[0]["metadata"]["name"]
    came = json.loads(installed.last_line(executor, ASK))
    problem = problem or ", ".join(came["not_held"]) or new["problem"]
    return {"told": told, "judged": new, **came, "problem": problem}


def judged() -> dict[str, Any]:
    """What came of right answers that nobody has judged before."""
    evaluator = installed.pods("evaluator")[0]["metadata"]["name"]
    asked = (str(ANSWERS), str(int(time.time())), str(loaded.JUDGED_WITHIN_S))
    line: dict[str, Any] = json.loads(installed.last_line(evaluator, loaded.JUDGE, *asked))
    whole = line["passed"] == ANSWERS
    return line | {"problem": "" if whole else f"{line['passed']} of {ANSWERS} right answers passed"}


def _kubectl(*words: str) -> tuple[str, ...]:
    return (*installed.kubectl_in(RUNNERS), *words)


def _quiet(_words: str) -> None:
    """Nobody is told: the step's line says what came of it."""
