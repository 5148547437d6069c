"""Runner pods as the cluster's API tells of them: which may be claimed, what a claim writes, what none may hold."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

# The pool's selector asks for `free`: a claim takes a pod out of it, and the cluster starts another in its place.
LABEL = "touchstone.dev/runner"
FREE, CLAIMED = "free", "claimed"
CLAIM = "touchstone.dev/claim"
CLAIMED_BY = "touchstone.dev/claimed-by"


@dataclass(frozen=True)
class RunnerPod:
    """A pod that can be claimed, at the version that was seen of it."""

    name: str
    uid: str
    version: str
    address: str
    exposed: tuple[str, ...]


def find(told: object, *path: str) -> Any:
    """What lies at a path of nested objects; None when it does not."""
    for name in path:
        if not isinstance(told, Mapping):
            return None
        told = cast("Mapping[str, object]", told).get(name)
    return told


def objects(told: object) -> list[Mapping[str, Any]]:
    """The objects in a list, where it is one."""
    items = cast("Iterable[object]", told) if isinstance(told, list) else ()
    return [cast("Mapping[str, Any]", item) for item in items if isinstance(item, Mapping)]


def read_free(told: Mapping[str, Any]) -> RunnerPod | None:
    """The pod, when it may be claimed: free, ready, started once and not on its way out."""
    metadata, status = find(told, "metadata"), find(told, "status")
    ready = any(
        each.get("type") == "Ready" and each.get("status") == "True" for each in objects(find(status, "conditions"))
    )
    name, uid, version = (find(metadata, key) for key in ("name", "uid", "resourceVersion"))
    address = find(status, "podIP")
    free = find(metadata, "labels", LABEL) == FREE and not find(metadata, "deletionTimestamp")
    told_well = all(isinstance(each, str) and each for each in (name, uid, version, address))
    # What ended may have run something: it serves nobody any more.
    if not (free and ready and not has_ended(told) and told_well):
        return None
    return RunnerPod(name, uid, version, address, tuple(exposed(told)))


def exposed(told: Mapping[str, Any]) -> list[str]:
    """What a pod holds that foreign code must never meet, in words."""
    spec = find(told, "spec")
    found: list[str] = []
    if find(spec, "automountServiceAccountToken") is not False:
        found.append("a service account's token")
    found += [
        f"the node's {name.removeprefix('host')}" for name in ("hostNetwork", "hostPID", "hostIPC") if find(spec, name)
    ]
    found += [f"volume {each.get('name')}" for each in objects(find(spec, "volumes")) if "emptyDir" not in each]
    for container in [*objects(find(spec, "containers")), *objects(find(spec, "initContainers"))]:
        found += ["variables of a secret or a config map"] * bool(container.get("envFrom"))
        for variable in objects(container.get("env")):
            source = variable.get("valueFrom")
            if source and not find(source, "fieldRef"):
                found.append(f"variable {variable.get('name')}")
    return found


def claiming(pod: RunnerPod, claim: str, executor: str) -> dict[str, Any]:
    """The merge patch that claims a pod, and only the version of it that was seen.

    Args:
        pod: As it was seen free.
        claim: A random name of this claim, to know it again.
        executor: What the cluster calls the executor's own pod (its uid); empty outside of one.
    """
    return {
        "metadata": {
            "uid": pod.uid,
            "resourceVersion": pod.version,
            "labels": {LABEL: CLAIMED},
            "annotations": {CLAIM: claim, CLAIMED_BY: executor},
            # The pool's no more: its controller shall neither count it nor remove it.
            "ownerReferences": [],
        }
    }


def is_left_behind(told: Mapping[str, Any], executor: str) -> bool:
    """Whether a claimed pod serves nobody any more: its runner ended, as when its executor went.

    Args:
        told: A claimed pod that this executor does not have.
        executor: This executor's own pod: what an earlier life of it had claimed serves nobody either.
    """
    own = bool(executor) and find(told, "metadata", "annotations", CLAIMED_BY) == executor
    return own or has_ended(told)


def has_ended(told: Mapping[str, Any]) -> bool:
    """Whether what runs in a pod, or ran in it, has ended before; what follows may not be the first."""
    phase = find(told, "status", "phase")
    return phase in ("Failed", "Succeeded") or any(
        each.get("restartCount") for each in objects(find(told, "status", "containerStatuses"))
    )


def ended_by(told: Mapping[str, Any]) -> str:
    """Why a pod ended, as the cluster says it; empty when it does not."""
    reason = find(told, "status", "reason")
    if isinstance(reason, str) and reason:
        return reason
    for container in objects(find(told, "status", "containerStatuses")):
        for state in ("state", "lastState"):
            words = find(container, state, "terminated", "reason")
            if isinstance(words, str) and words:
                return words
    return ""
