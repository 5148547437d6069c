"""Helm within the node; started by `installing`.

    python -m touchstone_local.cluster.release install CHART AROUND FILE…
    python -m touchstone_local.cluster.release test | rollback | remove

AROUND holds what must be there before the chart is installed, as a JSON array of the API's objects: a namespace and
volumes. The other files are values, each over those before it.
"""

# Both libraries type little; what comes out of them is text and objects of the API.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import json
import sys
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

import helm_python
import yaml
from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

from touchstone_local.settings import setting

NAMESPACE = RELEASE = "touchstone"
_INSTALL_TIMEOUT_S = 900
_TEST_TIMEOUT_S = 1800


def main() -> int:
    """Read the command line."""
    command, *files = sys.argv[1:]
    with helm_python.Config(kubeconfig_path=setting("KUBECONFIG"), namespace=NAMESPACE) as helm:
        try:
            if command == "install":
                chart, around, *files = files
                _surround(json.loads(Path(around).read_text()))
                values = _merged([yaml.safe_load(Path(file).read_text()) for file in files])
                act = helm.upgrade if _is_there(helm) else helm.install
                release = act(chart, RELEASE, values, wait="watcher", timeout=_INSTALL_TIMEOUT_S)
                print(f"{release['name']} {release.get('revision', '')} {release.get('status', '')}")
            elif command == "rollback":
                helm.rollback(RELEASE, wait="watcher", timeout=_INSTALL_TIMEOUT_S)
            elif command == "remove":
                # One whose installing was refused is none: there is nothing to take away.
                if _is_there(helm):
                    helm.uninstall(RELEASE)
            else:
                print(helm.test(RELEASE, timeout=_TEST_TIMEOUT_S, logs=True)["logs"])
        except helm_python.HelmError as error:
            print(f"{error}\n{_pods()}", file=sys.stderr)
            return 1
    return 0


def _is_there(helm: helm_python.Config) -> bool:
    return RELEASE in [one["name"] for one in helm.list()]


def _merged(parts: list[dict[str, Any]]) -> dict[str, Any]:
    """Values over values, as helm merges several files."""
    whole: dict[str, Any] = {}
    for part in parts:
        _over(whole, part)
    return whole


def _over(below: dict[str, Any], above: dict[str, Any]) -> None:
    for name, value in above.items():
        if isinstance(value, dict) and isinstance(below.get(name), dict):
            _over(below[name], value)
        else:
            below[name] = value


def _surround(objects: list[dict[str, Any]]) -> None:
    """Have objects of the API: what is there is given the labels that it should have, and is else left as it is."""
    config.load_kube_config()
    core: Any = client.CoreV1Api()
    nodes: Any = client.NodeV1Api()
    for wanted in objects:
        name, kind = wanted["metadata"]["name"], wanted["kind"]
        create, patch = {
            "Namespace": (core.create_namespace, core.patch_namespace),
            "RuntimeClass": (nodes.create_runtime_class, nodes.patch_runtime_class),
            "PersistentVolume": (core.create_persistent_volume, core.patch_persistent_volume),
            "PersistentVolumeClaim": (
                partial(core.create_namespaced_persistent_volume_claim, NAMESPACE),
                lambda name, body: core.patch_namespaced_persistent_volume_claim(name, NAMESPACE, body),
            ),
        }[kind]
        try:
            create(wanted)
        except ApiException as error:
            if error.status != HTTPStatus.CONFLICT:
                raise
            patch(name, {"metadata": {"labels": wanted["metadata"].get("labels", {})}})


def _pods() -> str:
    """What each pod that is not ready says, a line or two each."""
    config.load_kube_config()
    core: Any = client.CoreV1Api()
    lines: list[str] = []
    for pod in core.list_namespaced_pod(NAMESPACE).items:
        for status in pod.status.container_statuses or []:
            if not status.ready:
                state = status.state.waiting or status.state.terminated
                words = f"{state.reason}: {state.message}" if state else "runs and is not ready"
                lines.append(f"{pod.metadata.name}: restarted {status.restart_count} times; {words}")
        for condition in pod.status.conditions or []:
            if condition.status == "False" and condition.type == "PodScheduled":
                lines.append(f"{pod.metadata.name}: {condition.message}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
