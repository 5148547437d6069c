"""KEDA on the node: built from its Go module once a machine, and installed by the manifests that its module brings."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

from touchstone_local import go_programs, resources
from touchstone_local.cluster import building, images, node
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_runtime.building import GoProgram, build_once

VERSION = "v2.21.0"
NAMESPACE = "keda"
IMAGE = f"touchstone.test/keda:{VERSION}"
# What a server of metrics is asked by: the autoscaler looks for these in Kubernetes' own API.
METRICS = "v1beta1.external.metrics.k8s.io"
_PACKAGES = "github.com/kedacore/keda/v2"
_READY_WITHIN_S = 300

# The operator, and what answers the autoscaler's questions for metrics. The third program of KEDA, which looks at
# ScaledObjects before they are taken, is left out: the chart's are held against the definitions by tests.
KEDA = GoProgram(
    name="KEDA",
    version=VERSION,
    module=Path(__file__).parents[1] / "go_modules" / "keda",
    package=f"{_PACKAGES}/cmd/operator",
    others=(f"{_PACKAGES}/cmd/adapter",),
    binary="operator",
    linking=f"-s -w -X {_PACKAGES}/version.Version={VERSION.removeprefix('v')}",
    disk_bytes=9 << 30,
)
# Its own manifests, without those of the third program.
_MANIFESTS = resources.Source(
    _PACKAGES,
    VERSION,
    "h1:R6z2HZvstK4RLUMxroNACzBj74xGxt3kG59b5Xc+Xps=",
    "config",
    (
        *(
            f"crd/bases/{group}.sh_{kind}.yaml"
            for group, kind in (
                ("keda", "scaledobjects"), ("keda", "scaledjobs"), ("keda", "triggerauthentications"),
                ("keda", "clustertriggerauthentications"), ("eventing.keda", "cloudeventsources"),
                ("eventing.keda", "clustercloudeventsources"),
            )
        ),
        "general/namespace.yaml", "service_account/service_account.yaml", "rbac/role.yaml", "rbac/role_binding.yaml",
        "manager/manager.yaml", "manager/service.yaml", "metrics-server/role.yaml", "metrics-server/role_binding.yaml",
        "metrics-server/deployment.yaml", "metrics-server/service.yaml", "metrics-server/api_service.yaml",
    ),
)  # fmt: skip
Tell = Callable[[str], None]


def install(layout: Layout, tell: Tell) -> None:
    """Have KEDA on the node, and wait until the API answers by it; what is there is brought up to date.

    Raises:
        LocalError: the node does not run, or KEDA cannot be built or does not come up.
    """
    node.inside(layout, [])
    with building.using(layout):
        made = image(layout, tell)
        tell(f"KEDA {VERSION} goes to the node")
        _call(layout, *images.CTR, "images", "import", str(made))
    wanted = layout.state / "keda.json"
    listed = {"apiVersion": "v1", "kind": "List", "items": list(objects(manifests(layout.cache, tell)))}
    wanted.write_text(json.dumps(listed))
    # By the server: a definition is too long for the note that a client would keep of it.
    _call(layout, "kubectl", "apply", "--server-side", "--force-conflicts", "--filename", str(wanted))
    patience = f"--timeout={_READY_WITHIN_S}s"
    for name in ("keda-operator", "keda-metrics-apiserver"):
        _call(layout, "kubectl", "--namespace", NAMESPACE, "rollout", "status", f"deployment/{name}", patience)
    _call(layout, "kubectl", "wait", "--for=condition=Available", f"apiservice/{METRICS}", patience)
    tell("KEDA answers for metrics")


def archive(layout: Layout) -> Path:
    """Where the archive of KEDA's image lies, or will lie."""
    return layout.cache / "cluster" / "images" / f"keda-{VERSION}.tar"


def image(layout: Layout, tell: Tell) -> Path:
    """Have the archive of an image with KEDA's programs under the names that its own images give them.

    Raises:
        LocalError: it cannot be built.
    """

    def make(draft: Path) -> None:
        operator = go_programs.build(KEDA, layout.cache, tell)
        programs: dict[str, bytes | str] = {
            "keda": operator.read_bytes(),
            "keda-adapter": operator.with_name("adapter").read_bytes(),
        }
        images.write_archive(draft, IMAGE, programs, ["/keda"])

    return building.once(archive(layout), make)


def manifests(cache: Path, tell: Tell) -> Path:
    """Have a folder with KEDA's manifests.

    Raises:
        LocalError: its module cannot be had.
    """
    folder = cache.resolve() / f"keda-manifests-{VERSION}"
    return build_once(folder, lambda target: resources.take([_MANIFESTS], target, tell))


def objects(folder: Path) -> Iterator[dict[str, Any]]:
    """What KEDA's manifests make, with the image that lies on the node, in the order in which it is to be made.

    Args:
        folder: The manifests.
    """
    for name in _MANIFESTS.files:
        for each in yaml.safe_load_all((folder / name.replace("/", "_")).read_text()):
            if each and each["kind"] == "Deployment":
                for container in each["spec"]["template"]["spec"]["containers"]:
                    container |= {"image": IMAGE, "imagePullPolicy": "Never"}
                    # A small node: the pods may take what is free.
                    container["resources"] = {"requests": {"cpu": "10m", "memory": "64Mi"}}
            if each:
                yield each


def _call(layout: Layout, *command: str) -> None:
    done = subprocess.run(node.inside(layout, command), capture_output=True, text=True, check=False, cwd="/")
    if done.returncode != 0:
        raise LocalError(done.stderr.strip()[-900:], thing=" ".join(command[:4]), way_out=f"see {layout.logs}")
