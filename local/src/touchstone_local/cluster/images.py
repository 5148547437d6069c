"""Images without a registry: put together from folders, or built by buildah, and handed to the node's containerd."""

from __future__ import annotations

import hashlib
import io
import json
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from touchstone_local.cluster.layout import CONTAINERD_SOCKET, PAUSE_IMAGE, Layout

# The client of containerd, looking at the images that Kubernetes sees.
CTR = ("ctr", "--address", CONTAINERD_SOCKET, "--namespace", "k8s.io")
_PLATFORM = {"architecture": "amd64", "os": "linux"}
# The container that holds a pod's namespaces does nothing but end when it is told to.
_PAUSE = "trap 'exit 0' TERM INT; while :; do sleep 3600 & wait $!; done"


def import_pause(layout: Layout) -> None:
    """Give the node the image of the container that holds a pod together."""
    archive = layout.state / "pause.tar"
    if not archive.is_file():
        shell = (layout.packages / "bin/busybox").read_bytes()
        files = {"bin/busybox": shell, "bin/sh": "busybox", "bin/sleep": "busybox"}
        write_archive(archive, PAUSE_IMAGE, files, ["/bin/sh", "-c", _PAUSE])
    subprocess.run([*CTR, "images", "import", str(archive)], check=True, capture_output=True, text=True)


def write_archive(
    target: Path, name: str, files: dict[str, bytes | str], entrypoint: list[str], user: str = "65535:65535"
) -> None:  # fmt: skip
    """Write an OCI archive with one layer; the same files give the same bytes.

    Args:
        target: The archive.
        name: Name and tag of the image.
        files: Path in the image to an executable's content, or, as text, to what a symbolic link points to.
        entrypoint: What it runs.
        user: Who runs it; empty: root.
    """
    layer = io.BytesIO()
    with tarfile.open(fileobj=layer, mode="w") as tar:
        for path, content in files.items():
            entry = tarfile.TarInfo(path)
            entry.mode = 0o755
            if isinstance(content, str):
                entry.type, entry.linkname = tarfile.SYMTYPE, content
                tar.addfile(entry)
            else:
                entry.size = len(content)
                tar.addfile(entry, io.BytesIO(content))
    blob = layer.getvalue()
    config = json.dumps(
        _PLATFORM
        | {
            "config": {"Entrypoint": entrypoint, "Env": ["PATH=/bin"], "User": user},
            "rootfs": {"type": "layers", "diff_ids": [_digest(blob)]},
        }
    ).encode()
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": "application/vnd.oci.image.manifest.v1+json",
            "config": _described("application/vnd.oci.image.config.v1+json", config),
            "layers": [_described("application/vnd.oci.image.layer.v1.tar", blob)],
        }
    ).encode()
    described = _described("application/vnd.oci.image.manifest.v1+json", manifest)
    described["annotations"] = {
        "io.containerd.image.name": name,
        "org.opencontainers.image.ref.name": name.rpartition(":")[2],
    }
    parts = {
        "oci-layout": b'{"imageLayoutVersion": "1.0.0"}',
        "index.json": json.dumps({"schemaVersion": 2, "manifests": [described]}).encode(),
        **{f"blobs/sha256/{_digest(part).removeprefix('sha256:')}": part for part in (config, blob, manifest)},
    }
    with tarfile.open(target, "w") as tar:
        for path, part in parts.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(part)
            tar.addfile(entry, io.BytesIO(part))


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def _described(kind: str, content: bytes) -> dict[str, Any]:
    return {"mediaType": kind, "digest": _digest(content), "size": len(content)}
