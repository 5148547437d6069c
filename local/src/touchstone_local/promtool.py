"""Prometheus' tool for rules and queries, built from its Go module once a machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from touchstone_local.errors import LocalError
from touchstone_local.settings import environment, setting
from touchstone_local.weaviate import go
from touchstone_runtime.building import GoProgram, build_go
from touchstone_runtime.errors import TouchstoneError

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
    named = setting("TOUCHSTONE_PROMTOOL")
    if named:
        if not Path(named).is_file():
            raise LocalError("no such program", thing=f"TOUCHSTONE_PROMTOOL={named}", way_out="correct or unset it")
        return Path(named)
    found = shutil.which("promtool")
    built = PROGRAM.place(cache)
    return Path(found) if found else built if built.is_file() else None


def ensure(cache: Path, tell: Callable[[str], None]) -> Path:
    """Have the program; built where it is not there yet: some minutes and the network.

    Raises:
        LocalError: it cannot be built.
    """
    found = find(cache)
    if found is not None:
        return found
    try:
        return build_go(PROGRAM, cache, go(), environment(), tell)
    except TouchstoneError as error:
        raise LocalError(error.message, thing=error.thing, way_out=error.way_out) from error
