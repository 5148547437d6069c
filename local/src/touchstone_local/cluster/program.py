"""Kubernetes as one program, built from Go modules once a machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from touchstone_local import go_programs
from touchstone_runtime.building import GoProgram

VERSION = "v1.36.1"
_STAMP = "k8s.io/component-base/version"

KUBERNETES = GoProgram(
    name="Kubernetes",
    version=VERSION,
    module=Path(__file__).parents[1] / "go_modules" / "kubernetes",
    package=".",
    binary="kubernetes",
    linking=f"-s -w -X {_STAMP}.gitVersion={VERSION} -X {_STAMP}.gitMajor=1 -X {_STAMP}.gitMinor=36 "
    f"-X {_STAMP}.gitTreeState=clean",
    disk_bytes=9 << 30,
)


def ensure(cache: Path, tell: Callable[[str], None]) -> Path:
    """Have the program: a quarter of an hour of two processors where it is not there yet.

    Raises:
        LocalError: it cannot be built.
    """
    return go_programs.build(KUBERNETES, cache, tell)
