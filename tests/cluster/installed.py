"""The platform that `make cluster` installed on the node here: its pods, its data, and load from one of its pods."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from touchstone_local.cluster import disks, images, installing, node
from touchstone_local.cluster.installing import NAMESPACE, RELEASE
from touchstone_local.cluster.layout import NAME, Layout
from touchstone_local.settings import folders

HERE = Path(__file__).resolve().parent
DATABASE, BROKER, STORE = f"{RELEASE}-demo-postgres-0", f"{RELEASE}-demo-kafka-0", f"{RELEASE}-demo-s3-0"
BROKER_PORT = 9092
PATIENCE_S = 900.0
_SEARCH = "/touchstone.retriever.v1.RetrieverService/Search"
_RESTRICTED = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}


def kubectl_in(namespace: str) -> tuple[str, ...]:
    """The command for objects of a namespace."""
    # Over web sockets what a short command says is lost now and then: "Unknown stream id 1, discarding message".
    return ("env", "KUBECTL_REMOTE_COMMAND_WEBSOCKETS=false", "kubectl", "--namespace", namespace)


KUBECTL = kubectl_in(NAMESPACE)


def layout() -> Layout:
    """The node of this checkout."""
    here = folders()
    return Layout(here.state / "cluster", here.cache)


def call(*command: str, given: str | None = None) -> str:
    """Run a command in the node.

    Raises:
        RuntimeError: it failed; what it said is in the message.
    """
    done = subprocess.run(
        node.inside(layout(), command), input=given, capture_output=True, text=True, check=False, cwd="/"
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)[:200]}: {done.stderr.strip()[-900:]}")
    return done.stdout


def kubectl(*words: str, given: str | None = None) -> str:
    """Run kubectl in the platform's namespace."""
    return call(*KUBECTL, *words, given=given)


def last_line(pod: str, script: str, *words: str) -> str:
    """The last line that a Python script says in a pod.

    Raises:
        RuntimeError: it failed, or said nothing: a command whose connection is lost ends without an error.
    """
    lines = kubectl("exec", pod, "--", "python", "-c", script, *words).strip().splitlines()
    if not lines:
        raise RuntimeError(f"a script in {pod} said nothing: its connection was lost, or its process ended")
    return lines[-1]


def chart_tests() -> tuple[list[Any], str]:
    """What the chart's own tests tell, and what is wrong; empty where they pass."""
    told: list[str] = []
    status = installing.test(layout(), told.append)
    return [json.loads(line) for line in told if line.startswith("{")], "helm test" if status else ""


def said(*words: str) -> str:
    """What kubectl says beside its answer, for example its warnings."""
    command = node.inside(layout(), [*KUBECTL, *words])
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd="/").stderr


def until(what: str, condition: Callable[[], Any], seconds: float = PATIENCE_S, every_s: float = 1.0) -> Any:
    """Wait until a condition gives something.

    Raises:
        RuntimeError: it never did.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(every_s)
    raise RuntimeError(f"not within {seconds:g} s: {what}")


def sql(text: str) -> str:
    """What the platform's database answers its administrator, unaligned, without a head."""
    words = ("psql", "-U", RELEASE, "-d", RELEASE, "-h", "/tmp", "-At", "-v", "ON_ERROR_STOP=1", "-c", text)
    return kubectl("exec", DATABASE, "--", *words).strip()


def pods(service: str) -> list[dict[str, Any]]:
    """Pods of a service that are not about to end."""
    return [pod for pod in _listed(service) if "deletionTimestamp" not in pod["metadata"]]


def gone(service: str) -> bool:
    """Whether a service has no pod, none that is about to end either: such a one may still take what comes."""
    return not _listed(service)


def _listed(service: str) -> list[dict[str, Any]]:
    words = ("get", "pods", "-l", f"app.kubernetes.io/name={service}", "-o", "json")
    listed: list[dict[str, Any]] = json.loads(kubectl(*words))["items"]
    return listed


def is_ready(pod: dict[str, Any]) -> bool:
    """Whether a pod takes work."""
    return any(one["type"] == "Ready" and one["status"] == "True" for one in pod["status"].get("conditions", []))


def scale(service: str, replicas: int) -> None:
    """Have so many ready pods of a service; with 0 none at all, none that is about to end either."""
    kubectl("scale", "deployment", f"{RELEASE}-{service}", f"--replicas={replicas}")
    if not replicas:
        until(f"no {service} is there", lambda: gone(service))
        return
    rolled_out(service)
    # Those that are too many are left to end.
    until(f"{replicas} of {service}", lambda: len(pods(service)) == replicas and all(map(is_ready, pods(service))))


def has_pods() -> bool:
    """Whether foreign code has pods of its own."""
    values = layout().state / "values.json"
    return values.is_file() and json.loads(values.read_text())["executor"]["backend"] == "pods"


def processor_s(group: str = "kubepods") -> float:
    """Processor-seconds that a group of the node took, what has ended among it.

    Args:
        group: `kubepods`, all pods; `daemons`, what runs them: containerd, kubelet, etcd, the API's server.
    """
    return int(call("cat", f"/sys/fs/cgroup/cpuacct/{group}/cpuacct.usage")) / 1e9


def restart(service: str) -> None:
    """Put new pods in the place of all of a service, one by one."""
    kubectl("rollout", "restart", "deployment", f"{RELEASE}-{service}")
    rolled_out(service)


def rolled_out(service: str) -> None:
    """Wait until all pods of a service are ready and as they shall be; those before them are left to end."""
    kubectl("rollout", "status", "deployment", f"{RELEASE}-{service}", f"--timeout={PATIENCE_S:g}s")
    until(f"{service} as it shall be", lambda: pods(service) and all(map(is_ready, pods(service))))


def searches(pod: dict[str, Any]) -> int:
    """How many searches a retriever's pod has answered."""
    return counted(pod, "touchstone_runtime_rpcs_handled_total", f'"{_SEARCH}"')


def counted(pod: dict[str, Any], metric: str, label: str = "") -> int:
    """What a service's pod has counted: the sum over the series of a metric whose labels have this text."""
    path = f"/api/v1/namespaces/{NAMESPACE}/pods/{pod['metadata']['name']}:8080/proxy/metrics"
    found = re.findall(rf"^{metric}\{{(.*)\}} (\S+)$", kubectl("get", "--raw", path), re.M)
    return int(sum(float(value) for labels, value in found if label in labels))


def task(pod: str) -> str:
    """The container of a pod, as the node's containerd calls it."""
    named = json.loads(kubectl("get", "pod", pod, "-o", "json"))["status"]["containerStatuses"][0]["containerID"]
    return str(named.rpartition("/")[2])


def kill(container: str) -> None:
    """Kill a container, as a lack of memory would; its pod stays, with its data."""
    call(*images.CTR, "task", "kill", "--signal", "SIGKILL", container)


@contextmanager
def frozen(container: str) -> Iterator[None]:
    """Stop all processes of a container for a while."""
    call(*images.CTR, "task", "pause", container)
    try:
        yield
    finally:
        call(*images.CTR, "task", "resume", container)


@contextmanager
def cut_off(containers: Sequence[str], port: int) -> Iterator[None]:
    """Let no packet of these containers' pods pass to or from a port of others for a while; nobody is told."""
    running = dict(line.split()[:2] for line in call(*images.CTR, "task", "list").splitlines()[1:])

    def rules(verb: str) -> None:
        for container in containers:
            within = ("nsenter", "--target", running[container], "--net", "iptables", verb)
            call(*within, "OUTPUT", "--protocol", "tcp", "--dport", str(port), "--jump", "DROP")
            call(*within, "INPUT", "--protocol", "tcp", "--sport", str(port), "--jump", "DROP")

    rules("--append")
    try:
        yield
    finally:
        rules("--delete")


@contextmanager
def drained() -> Iterator[int]:
    """Evict every pod, as for the node's maintenance, and let it take none for a while; gives how many there were."""
    count = len(kubectl("get", "pods", "--all-namespaces", "-o", "name").split())
    try:
        # Pods of tests and runners belong to nobody who would start them anew.
        kubectl("drain", NAME, "--force", "--ignore-daemonsets", "--delete-emptydir-data", f"--timeout={PATIENCE_S:g}s")
        yield count
    finally:
        kubectl("uncordon", NAME)


def filled(disk: str, seconds: float) -> int:
    """Leave no room on a disk of the node for a while; gives how often room was found and taken."""
    folder = disks.place(layout(), disk)
    free = ("stat", "--file-system", "--format", "%a %S", str(folder))
    turns = 0
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            blocks, size = map(int, call(*free).split())
            if blocks:
                # Also what others free meanwhile. It takes what it can get, and fails for want of the last blocks.
                turns += 1
                take = f"fallocate --length {blocks * size} {folder}/filler-{turns} || true"
                call("sh", "-c", take)
            time.sleep(0.2)
    finally:
        call("sh", "-c", f"rm --force {folder}/filler-*")
    return turns


def slowed(disk: str, seconds: float, stands_s: float, goes_s: float) -> int:
    """Let a disk stand still again and again for a while; gives how often."""
    folder = str(disks.place(layout(), disk))
    times = 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        call("fsfreeze", "--freeze", folder)
        try:
            time.sleep(stands_s)
        finally:
            call("fsfreeze", "--unfreeze", folder)
        times += 1
        time.sleep(goes_s)
    return times


# A file in the pod that searches.
_OVER = "/tmp/over"


class Load:
    """Searches at a steady rate, from a pod of the cluster.

    Args:
        rate: Searches a second.
        seconds: How long at most.
        replicas: Of the retriever.
    """

    def __init__(self, rate: float, seconds: float, replicas: int) -> None:
        self._name = f"searching-{os.getpid()}-{time.monotonic_ns()}"
        script = {"searching.py": (HERE / "searching.py").read_text()}
        # As a pod of the platform: where policies are enforced, others may not ask.
        labels = {"app.kubernetes.io/part-of": RELEASE}
        around: dict[str, Any] = {"name": self._name, "namespace": NAMESPACE, "labels": labels}
        kubectl("create", "-f", "-", given=json.dumps(_object("v1", "ConfigMap", around) | {"data": script}))
        container = {
            "command": ["python", "/scripts/searching.py", str(rate), str(seconds), str(replicas), _OVER],
            "envFrom": [{"configMapRef": {"name": f"{RELEASE}-settings"}}],
            "volumeMounts": [{"name": "scripts", "mountPath": "/scripts"}, {"name": "tmp", "mountPath": "/tmp"}],
        }
        volumes = [{"name": "scripts", "configMap": {"name": self._name}}, {"name": "tmp", "emptyDir": {}}]
        kubectl("create", "-f", "-", given=json.dumps(restricted_pod(around, container, {"volumes": volumes})))

    def told(self) -> list[dict[str, Any]]:
        """Its lines so far."""
        done = subprocess.run(
            node.inside(layout(), [*KUBECTL, "logs", self._name]),
            capture_output=True, text=True, check=False, cwd="/",
        )  # fmt: skip
        lines = done.stdout.splitlines()
        if any(line.startswith("Traceback") for line in lines):
            raise RuntimeError(done.stdout[-1500:])
        return [json.loads(line) for line in lines if line.startswith("{")]

    def begun(self) -> None:
        """Wait until it searches."""
        until("the searches begin", lambda: any("begun" in line for line in self.told()))

    def over(self) -> None:
        """Let it begin no more searches."""
        kubectl("exec", self._name, "--", "touch", _OVER)

    def ended(self) -> dict[str, Any]:
        """Wait for its end; gives what came of it."""
        try:
            return until("the searches end", lambda: next((each for each in self.told() if "searches" in each), None))
        finally:
            kubectl("delete", "pod,configmap", self._name, "--wait=false", "--ignore-not-found")


def restricted_pod(around: dict[str, Any], container: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """A pod of the restricted level with one container of the platform's image, and without a token.

    Args:
        around: Its metadata.
        container: What it runs, and beside that what else is said of it.
        more: What else is said of the pod.
    """
    contained = {
        "name": "main",
        "image": pods("evaluator")[0]["spec"]["containers"][0]["image"],
        "imagePullPolicy": "Never",
        "securityContext": _RESTRICTED,
        **container,
    }
    spec = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "securityContext": {"runAsNonRoot": True, "runAsUser": 10001, "seccompProfile": {"type": "RuntimeDefault"}},
        "containers": [contained],
        **more,
    }
    return _object("v1", "Pod", around) | {"spec": spec}


def _object(version: str, kind: str, metadata: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": version, "kind": kind, "metadata": metadata}


def replaced(names: Sequence[str], service: str) -> bool:
    """Whether none of these pods of a service is there any more."""
    return not {pod["metadata"]["name"] for pod in pods(service)} & set(names)
