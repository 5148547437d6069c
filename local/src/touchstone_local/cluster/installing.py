"""The platform on the node: its images, its chart with the demonstration's values, and the chart's own tests."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from touchstone_local import jars, models
from touchstone_local.cluster import building, images, node
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_local.settings import Folders, checkout

NAMESPACE = RELEASE = "touchstone"
# The user of every pod but the executor's.
_USER = 10001
Tell = Callable[[str], None]


def give_images(layout: Layout, tell: Tell) -> None:
    """Have every image and hand it to the node's containerd, all under one tag.

    Raises:
        LocalError: the node does not run, or an image cannot be had.
    """
    archives = building.build(layout, building.IMAGES, tell)
    held = _containerd(layout, "images", "list", "--quiet").split()
    wanted = {building.DEMO: (building.DEMO, building.build_demo(layout, tell))}
    for image in building.IMAGES:
        wanted[f"{building.REGISTRY}/{image.name}:{tag()}"] = (building.reference(image), archives[image.name])
    for number, (name, (own, archive)) in enumerate(wanted.items(), start=1):
        if own not in held:
            tell(f"image {number} of {len(wanted)} goes to the node: {own}")
            _containerd(layout, "images", "import", str(archive))
        if name not in held and name != own:
            _containerd(layout, "images", "tag", own, name)
    tell(f"{len(wanted)} images are on the node")


def tag() -> str:
    """One tag for all images: the digest of the sources of each."""
    return hashlib.sha256("".join(map(building.reference, building.IMAGES)).encode()).hexdigest()[:16]


def install(layout: Layout, tell: Tell) -> None:
    """Install the chart, or upgrade it, and wait until every pod is ready.

    Raises:
        LocalError: it does not become ready; what the pods say is in the message.
    """
    blobs = layout.state / "blobs"
    blobs.mkdir(exist_ok=True)
    os.chown(blobs, _USER, _USER)
    file = layout.state / "values.json"
    file.write_text(json.dumps(values(layout), indent=1))
    tell(_release(layout, "install", str(checkout() / "helm/touchstone/demo.yaml"), str(file)))


def test(layout: Layout, tell: Tell) -> int:
    """Run the chart's tests; gives the exit status of a command."""
    done = subprocess.run(_command(layout, "test"), stdout=subprocess.PIPE, text=True, check=False)
    for line in done.stdout.splitlines():
        tell(line)
    return done.returncode


def values(layout: Layout) -> dict[str, Any]:
    """What only this node knows: its images, and the folders of the cache that stand for volumes."""
    here = Folders(layout.state, layout.cache)
    embedding = [model.name for model in models.catalogue().values() if model.kind == "embedding" and model.default]
    folders = {
        "embedder": {
            "/models": here.cache / "models",
            "/converted": here.cache / "converted",
        },
        "sandbox-executor": {"/cache/sandbox": here.cache / "sandbox", "/cache/jars": here.cache / "jars"},
    }
    settings = {
        "embedder": {
            "TOUCHSTONE_MODELS_DIR": "/models",
            "TOUCHSTONE_CONVERTED_MODELS_DIR": "/converted",
            "TOUCHSTONE_EMBEDDING_MODELS": json.dumps([*embedding, "bow-hash-512"]),
        },
        "sandbox-executor": {
            "TOUCHSTONE_TOOLCHAINS_DIR": "/cache",
            "TOUCHSTONE_ECJ_JAR": f"/cache/jars/ecj/{jars.locked('ecj')[0].name}",
            "TOUCHSTONE_SANDBOX_BACKENDS": "local",
        },
    }
    services: dict[str, Any] = {}
    for name, mounted in folders.items():
        services[name] = {
            "settings": settings[name],
            "extraVolumes": [
                {"name": path.strip("/").replace("/", "-"), "hostPath": {"path": str(folder), "type": "Directory"}}
                for path, folder in mounted.items()
            ],
            "extraVolumeMounts": [{"name": path.strip("/").replace("/", "-"), "mountPath": path} for path in mounted],
        }
    own = {"image": building.DEMO, "user": _USER}
    return {
        "image": {"registry": building.REGISTRY, "tag": tag(), "pullPolicy": "Never"},
        "demo": {"kafka": own, "postgres": own, "folder": str(layout.state / "blobs")},
        "services": services,
    }


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
