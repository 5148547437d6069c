"""What the demonstration brings beside the platform is used: its bucket, its Prometheus, and Weaviate when told to."""

from __future__ import annotations

import json
import re
from typing import Any

import installed

from touchstone_local.cluster.installing import NAMESPACE, RELEASE

_BUCKET = "/var/lib/demo/buckets/touchstone"
_INDEX = "TOUCHSTONE_CODE_INDEX"
_SECONDS, _RATE = 10.0, 10.0
_PRIVILEGED = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "privileged"},
    "spec": {"containers": [{"name": "it", "image": "it", "securityContext": {"privileged": True}}]},
}


def bucket(_seconds: float) -> dict[str, Any]:
    """Blobs lie in the bucket, and in no folder of a service."""
    files = installed.kubectl("exec", installed.STORE, "--", "find", _BUCKET, "-type", "f", "-size", "+0").split()
    url = json.loads(installed.kubectl("get", "configmap", f"{RELEASE}-settings", "-o", "json"))["data"]
    where = url["TOUCHSTONE_BLOB_URL"]
    return {"objects": len(files), "url": where, "problem": "" if files and where.startswith("s3://") else "no blobs"}


def prometheus(_seconds: float) -> dict[str, Any]:
    """Prometheus reads every pod of every service, and has each alert of the chart, silent."""

    def read() -> tuple[dict[str, str], dict[str, str]]:
        targets = _asked(f"{RELEASE}-demo-prometheus-0:9090", "/api/v1/targets")["data"]["activeTargets"]
        groups = _asked(f"{RELEASE}-demo-prometheus-0:9090", "/api/v1/rules")["data"]["groups"]
        jobs = {each["labels"]["job"]: each["health"] for each in targets}
        return jobs, {rule["name"]: rule["state"] for group in groups for rule in group["rules"]}

    deployments = json.loads(
        installed.kubectl("get", "deployments", "-l", f"app.kubernetes.io/part-of={RELEASE}", "-o", "json")
    )["items"]
    wanted = {each["metadata"]["labels"]["app.kubernetes.io/name"] for each in deployments}
    installed.until(
        "Prometheus has read every service",
        lambda: {job for job, state in read()[0].items() if state == "up"} >= wanted,
        120,
    )
    jobs, alerts = read()
    firing = sorted(name for name, state in alerts.items() if state == "firing")
    return {"read": sorted(jobs), "alerts": len(alerts), "firing": firing, "problem": "alerts fire" if firing else ""}


def levels(_seconds: float) -> dict[str, Any]:
    """The level of pod security that the API enforces: pods that pass it, and one that does not is not admitted."""
    name = "pod-security.kubernetes.io/enforce"
    words = ("get", "namespace", NAMESPACE, "-o", "json")
    level = json.loads(installed.kubectl(*words))["metadata"]["labels"][name]
    asked = (
        "label",
        "namespace",
        NAMESPACE,
        "--dry-run=server",
        "--overwrite",
        f"{name}=restricted",
        f"{name}-version=latest",
    )
    # A warning begins with the name of a pod, whose last two parts are of its set and its own.
    pods = re.findall(rf"^Warning: ({RELEASE}-\S+?)(?:: | \()", installed.said(*asked), re.MULTILINE)
    short_of = sorted({pod.rsplit("-", 2)[0] for pod in pods})
    refused = _refused(_PRIVILEGED)
    allowed = [] if level == "restricted" else [f"{RELEASE}-sandbox-executor"]
    problem = "" if short_of == allowed else f"short of restricted: {short_of}"
    if refused != (level == "restricted"):
        problem = problem or "a privileged pod is admitted"
    return {"enforced": level, "short_of_restricted": short_of, "privileged_refused": refused, "problem": problem}


def _refused(pod: dict[str, Any]) -> bool:
    try:
        installed.kubectl("create", "--dry-run=server", "-f", "-", given=json.dumps(pod))
    except RuntimeError as error:
        if "violates PodSecurity" not in str(error):
            raise
        return True
    return False


def weaviate(_seconds: float) -> dict[str, Any]:
    """The retriever told to ask Weaviate fills it from the topics, answers from it, and goes back to PostgreSQL."""
    known = int(installed.sql("SELECT count(*) FROM retriever.codes"))
    try:
        _retriever(f"{_INDEX}=weaviate")
        installed.until("Weaviate holds all codes", lambda: _held() >= known)
        load = installed.Load(_RATE, _SECONDS, 1)
        came = load.ended()
        held = _held()
    finally:
        _retriever(f"{_INDEX}-")
    return {**came, "codes": known, "held": held, "problem": "searches failed" if came["failed"] else ""}


def _retriever(told: str) -> None:
    installed.kubectl("set", "env", f"deployment/{RELEASE}-retriever", told)
    installed.kubectl("rollout", "status", f"deployment/{RELEASE}-retriever", f"--timeout={installed.PATIENCE_S:g}s")
    installed.scale("retriever", 1)


def _held() -> int:
    nodes = _asked(f"{RELEASE}-demo-weaviate-0:8080", "/v1/nodes?output=verbose")["nodes"]
    return sum(shard["objectCount"] for node in nodes for shard in node.get("shards") or ())


def _asked(pod: str, path: str) -> dict[str, Any]:
    answer = installed.kubectl("get", "--raw", f"/api/v1/namespaces/{NAMESPACE}/pods/{pod}/proxy{path}")
    return dict(json.loads(answer))
