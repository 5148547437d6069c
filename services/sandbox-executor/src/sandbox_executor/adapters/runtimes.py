"""Finds the runtimes of the languages on this machine."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Runtime:
    """A language's runtime, as seen from inside a sandbox.

    Attributes:
        executable: Path of the executable.
        root: Folder of the runtime.
        toolchain: Folder with what was built for the language beforehand; empty when there is none.
        binds: (host folder, folder inside), to be mounted read-only.
    """

    executable: str
    root: str
    toolchain: str = ""
    binds: tuple[tuple[str, str], ...] = ()


def find_runtimes() -> dict[str, Runtime]:
    """Runtimes that are there, by the names that language definitions use."""
    base = Path(sys.base_prefix).resolve()
    python = Runtime(str(base / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"), str(base))
    return {"python": python}
