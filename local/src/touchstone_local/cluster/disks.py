"""Small disks of the node's own: what fills or freezes one of them leaves the machine's disk alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from touchstone_local.cluster.layout import Layout

# Servers of the demonstration whose data lies on a disk of its own.
NAMES = ("kafka", "postgres", "s3")
# A file with holes: it takes what is written to it.
_BYTES = 3 << 30
_OWNER = 10001


def place(layout: Layout, name: str) -> Path:
    """Where the node sees a disk."""
    return layout.state / "disks" / name


def mount(layout: Layout) -> None:
    """Have every disk and mount it; called by the first process of the node, before anything runs in it.

    The kernel gives the loop device back when the node's mounts end.

    Raises:
        subprocess.CalledProcessError: one cannot be made or mounted.
    """
    for name in NAMES:
        folder = place(layout, name)
        folder.mkdir(parents=True, exist_ok=True)
        image = folder.with_suffix(".img")
        if not image.is_file():
            draft = image.with_suffix(".draft")
            with draft.open("wb") as file:
                file.truncate(_BYTES)
            _call("mkfs.ext4", "-q", "-m", "0", str(draft))
            draft.rename(image)
        _call("mount", "-o", "loop", str(image), str(folder))
        os.chown(folder, _OWNER, _OWNER)


def _call(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True, text=True)
