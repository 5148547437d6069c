"""Prometheus' tool for rules and queries, built from its Go module once a machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from touchstone_local import go_programs
from touchstone_runtime.building import GoProgram

PROGRAM = GoProgram(
    name="Promtool",
    version="v0.316.0",
    module=Path(__file__).parent / "go_modules" / "promtool",
    package="github.com/prometheus/prometheus/cmd/promtool",
    binary="promtool",
    # Without the discovery of targets, and the clients of all clouds that it brings along.
    tags="remove_all_sd",
    disk_bytes=3 << 30,
    setting="TOUCHSTONE_PROMTOOL",
)


def find(cache: Path) -> Path | None:
    """The program that `TOUCHSTONE_PROMTOOL` names, the one on the PATH, or the one that was built; else None.

    Raises:
        LocalError: the setting names no file.
    """
    return go_programs.find(PROGRAM, cache)


def ensure(cache: Path, tell: Callable[[str], None]) -> Path:
    """Have the program; built where it is not there yet: some minutes and the network.

    Raises:
        LocalError: it cannot be built.
    """
    return find(cache) or go_programs.build(PROGRAM, cache, tell)
