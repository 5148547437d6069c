"""The platform on the node: its images, its chart with the demonstration's values, and the chart's own tests."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import yaml

from touchstone_local import models, tools
from touchstone_local.cluster import building, clearing, disks, images, node, runtimes
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_local.settings import checkout, folders

NAMESPACE = RELEASE = "touchstone"
# The user of every pod but the executor's.
_USER = 10001
# Where foreign code can run: the chart's `executor.backend`.
BACKENDS = ("local", "pods")
# Files of the machine that the ingester may take in, as /sources.
SOURCES = "sources"
# Images that are handed to the node side by side.
_AT_A_TIME = 2
Tell = Callable[[str], None]


def give_images(layout: Layout, tell: Tell, root: Path | None = None) -> None:
    """Have every image and hand it to the node's containerd, all under one tag; what no build needs any more goes.

    Args:
        layout: The node.
        tell: Told how far it is.
        root: The folder of another release's sources; this checkout's where it is left out.

    Raises:
        LocalError: the node does not run, or an image cannot be had.
    """
    with building.using(layout):
        _give(layout, tell, root)
    # Another release's images are there for a while, beside this checkout's.
    if root is None:
        clearing.clear(layout, tell)


def _give(layout: Layout, tell: Tell, root: Path | None) -> None:
    archives = building.build(layout, building.IMAGES, tell, root)
    held = _held(layout)
    wanted = {building.DEMO: (building.DEMO, building.build_demo(layout, tell))}
    for image, name in zip(building.IMAGES, _names(root), strict=True):
        wanted[name] = (building.reference(image, root), archives[image.name])
    clearing.note(layout, dict(wanted.values()))
    _import({own: archive for own, archive in wanted.values() if own not in held}, layout, tell)
    for name, (own, _archive) in wanted.items():
        if name not in held and name != own:
            _containerd(layout, "images", "tag", own, name)
    tell(f"{len(wanted)} images are on the node")


def _import(archives: Mapping[str, Path], layout: Layout, tell: Tell) -> None:
    """Hand images to the node, two at a time: each keeps a processor busy with reading, and one with unpacking.

    The first one goes alone: all others stand on the layers of Debian that it brings.
    """
    waiting = [*enumerate(archives.items(), start=1)]

    def hand_over(one: tuple[int, tuple[str, Path]]) -> None:
        number, (name, archive) = one
        tell(f"image {number} of {len(archives)} goes to the node: {name}")
        _containerd(layout, "images", "import", str(archive))

    for one in waiting[:1]:
        hand_over(one)
    with ThreadPoolExecutor(_AT_A_TIME) as pool:
        for _done in pool.map(hand_over, waiting[1:]):
            pass


def tag(root: Path | None = None) -> str:
    """One tag for all images: the digest of the sources of each."""
    names = [building.reference(image, root) for image in building.IMAGES]
    return hashlib.sha256("".join(names).encode()).hexdigest()[:16]


def missing(layout: Layout, root: Path | None = None) -> list[str]:
    """The images of these sources, and of the demonstration, that the node lacks, by the names that the chart asks for.

    A node whose disk is nearly full removes those that nothing runs.

    Args:
        layout: The node.
        root: As for `install`.
    """
    held = _held(layout)
    return [name for name in (*_names(root), building.DEMO) if name not in held]


def have_models(tell: Tell) -> None:
    """Have the embedding models, converted, in the cache.

    Raises:
        LocalError: one cannot be had.
    """
    for tool in tools.catalogue(folders().create()):
        wanted = tool.name in _embedding() or tool.name == "conversion"
        if wanted and not (tool.there is not None and tool.there()):
            tool.get(tell if tool.name == "conversion" else tools.seldom(tell))


def install(
    layout: Layout, backend: str, tell: Tell, more: Sequence[Path] = (), root: Path | None = None
) -> None:  # fmt: skip
    """Install the chart, or upgrade it, and wait until every pod is ready.

    Args:
        layout: The node.
        backend: Where foreign code runs: "local", in the executor's privileged pod, or "pods", in runner pods.
        tell: Told what came of it.
        more: Files of further values, each over those before it.
        root: The folder of another release's sources, whose chart and images these are; this checkout's where it is
            left out.

    Raises:
        LocalError: an image is not on the node, or it does not become ready; what the pods say is in the message.
    """
    # Before the chart asks for them: a pod whose image is missing waits until it is given up.
    if lacking := missing(layout, root):
        raise LocalError(
            f"{len(lacking)} of {len(building.IMAGES) + 1} images are not on the node (other sources, or a full disk)",
            thing=lacking[0],
            way_out="run `make cluster` again, and leave the checkout as it is while its steps run",
        )
    (layout.state / SOURCES).mkdir(exist_ok=True)
    file, around = layout.state / "values.json", layout.state / "around.json"
    file.write_text(json.dumps(values(backend, root), indent=1))
    classes = [runtimes.runtime_class()] if runtimes.are_built(layout) else []
    around.write_text(json.dumps([namespace(backend), *classes, *volumes(layout)], indent=1))
    chart = (root or checkout()) / "helm" / "touchstone"
    files = (around, chart / "demo.yaml", file, *more)
    tell(_release(layout, "install", str(chart), *map(str, files)))


def roll_back(layout: Layout, tell: Tell) -> None:
    """Go back to the release that was installed before, and wait until every pod is ready.

    Raises:
        LocalError: it does not become ready; what the pods say is in the message.
    """
    tell(_release(layout, "rollback"))


def test(layout: Layout, tell: Tell) -> int:
    """Run the chart's tests; gives the exit status of a command."""
    done = subprocess.run(_command(layout, "test"), stdout=subprocess.PIPE, text=True, check=False)
    for line in done.stdout.splitlines():
        tell(line)
    return done.returncode


def values(backend: str, root: Path | None = None) -> dict[str, Any]:
    """What only this node knows: its images, where foreign code runs, and the folders of the cache that hold models.

    Args:
        backend: As the chart's `executor.backend`.
        root: As for `install`.
    """
    own = {"image": building.DEMO, "user": _USER}
    demo = {
        name: own | ({"claim": _claim(name)} if name in disks.NAMES else {})
        for name in ("kafka", "postgres", "s3", "weaviate", "prometheus")
    }
    return {
        "image": {"registry": building.REGISTRY, "tag": tag(root), "pullPolicy": "Never"},
        "demo": demo,
        "executor": {"backend": backend},
        "services": {
            # Claims, not folders of the node: those are no volumes of the restricted level.
            "ingester": _reading(SOURCES),
            "embedder": {
                "settings": _known(
                    "embedder",
                    {
                        "TOUCHSTONE_MODELS_DIR": "/models",
                        "TOUCHSTONE_CONVERTED_MODELS_DIR": "/converted",
                        "TOUCHSTONE_EMBEDDING_MODELS": json.dumps([*_embedding(), "bow-hash-512"]),
                        # What is shown in minutes does not rest for two.
                        "TOUCHSTONE_EMBEDDING_REST_S": "5",
                    },
                    root,
                ),
                **_reading(*model_folders()),
            },
        },
    }


def _known(service: str, settings: dict[str, str], root: Path | None) -> dict[str, str]:
    """Those of a service's settings that the chart of a release knows: an older one refuses what came later."""
    if root is None:
        return settings
    schema = json.loads((root / "helm" / "touchstone" / "values.schema.json").read_text())
    taken = schema["properties"]["services"]["properties"][service]["properties"]["settings"]["properties"]
    return {name: value for name, value in settings.items() if name in taken}


def namespace(backend: str) -> dict[str, Any]:
    """The platform's namespace; where foreign code has pods of its own, none of the platform's may be privileged."""
    wanted: dict[str, Any] = yaml.safe_load((checkout() / "k8s" / "namespace.yaml").read_text())
    if backend == "pods":
        wanted["metadata"]["labels"]["pod-security.kubernetes.io/enforce"] = "restricted"
    return wanted


def model_folders() -> dict[str, Path]:
    """The folders into which models are put and which the embedder reads, by the names of their volumes."""
    here = folders()
    return {"models": here.models, "converted": here.converted_models}


def volumes(layout: Layout) -> list[dict[str, Any]]:
    """The folders of models and folders of the state as volumes, each with the claim that takes it."""
    made: list[dict[str, Any]] = []
    places = model_folders() | {SOURCES: layout.state / SOURCES}
    places |= {name: disks.place(layout, name) for name in disks.NAMES}
    for name, folder in places.items():
        mode = "ReadWriteOnce" if name in disks.NAMES else "ReadOnlyMany"
        common = {"accessModes": [mode], "storageClassName": ""}
        claim = {"name": _claim(name), "namespace": NAMESPACE}
        made += [
            {
                "apiVersion": "v1",
                "kind": "PersistentVolume",
                "metadata": {"name": _claim(name)},
                "spec": {
                    **common,
                    "capacity": {"storage": "10Gi"},
                    "claimRef": claim,
                    "hostPath": {"path": str(folder), "type": "Directory"},
                },
            },
            {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "metadata": claim,
                "spec": {**common, "volumeName": _claim(name), "resources": {"requests": {"storage": "10Gi"}}},
            },
        ]
    return made


def _reading(*names: str) -> dict[str, Any]:
    """Volumes that a service reads, as the chart takes them."""
    return {
        "extraVolumes": [
            {"name": name, "persistentVolumeClaim": {"claimName": _claim(name), "readOnly": True}} for name in names
        ],
        "extraVolumeMounts": [{"name": name, "mountPath": f"/{name}", "readOnly": True} for name in names],
    }


def _embedding() -> list[str]:
    return [model.name for model in models.catalogue().values() if model.kind == "embedding" and model.default]


def _claim(name: str) -> str:
    return f"{RELEASE}-{name}"


def _names(root: Path | None) -> list[str]:
    # The sources of all are read for it.
    of_all = tag(root)
    return [f"{building.REGISTRY}/{image.name}:{of_all}" for image in building.IMAGES]


def _held(layout: Layout) -> list[str]:
    return _containerd(layout, "images", "list", "--quiet").split()


def _release(layout: Layout, *words: str) -> str:
    done = subprocess.run(_command(layout, *words), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LocalError(done.stderr.strip()[-3000:], thing=f"helm {words[0]}")
    return done.stdout.strip()


def _command(layout: Layout, *words: str) -> list[str]:
    return node.inside(layout, [sys.executable, "-m", "touchstone_local.cluster.release", *words])


def _containerd(layout: Layout, *words: str) -> str:
    done = subprocess.run(node.inside(layout, [*images.CTR, *words]), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LocalError(done.stderr.strip()[-900:], thing=f"ctr {' '.join(words[:2])}")
    return done.stdout
