"""Programs that are built from their Go modules once a machine: where one lies, and how it is brought."""

from __future__ import annotations

import importlib.util
import shlex
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from touchstone_local.errors import LocalError
from touchstone_local.settings import environment, setting
from touchstone_runtime.building import GoProgram, build_go
from touchstone_runtime.errors import TouchstoneError


def find(program: GoProgram, cache: Path) -> Path | None:
    """The program that its setting names, the one on the PATH, or the one that was built; else None.

    Raises:
        LocalError: the setting names no file.
    """
    named = setting(program.setting)
    if named:
        if not Path(named).is_file():
            raise LocalError("no such program", thing=f"{program.setting}={named}", way_out="correct or unset it")
        return Path(named)
    found = shutil.which(program.binary)
    built = program.place(cache)
    return Path(found) if found else built if built.is_file() else None


def build(
    program: GoProgram, cache: Path, tell: Callable[[str], None], variables: Mapping[str, str] | None = None
) -> Path:  # fmt: skip
    """Build the program where it is not built yet, with the network.

    Args:
        program: What to build.
        cache: Folder for caches.
        tell: Told how far it is.
        variables: What the command `go` is given beside, over what it is given else; for parts in C.

    Raises:
        LocalError: it cannot be built.
    """
    try:
        with tempfile.TemporaryDirectory() as scratch:
            go = toolchain() if not variables else _with(variables, toolchain(), Path(scratch, "go"))
            return build_go(program, cache, go, environment(), tell)
    except TouchstoneError as error:
        raise LocalError(error.message, thing=error.thing, way_out=error.way_out) from error


def _with(variables: Mapping[str, str], command: Path, target: Path) -> Path:
    """A command that is another one with these variables."""
    words = " ".join(f"{name}={shlex.quote(value)}" for name, value in variables.items())
    target.write_text(f'#!/bin/sh\nexec env {words} {shlex.quote(str(command))} "$@"\n')
    target.chmod(stat.S_IRWXU)
    return target


def toolchain() -> Path:
    """The command `go`: of `TOUCHSTONE_GO_ROOT`, or of its package.

    Raises:
        LocalError: there is none.
    """
    root = setting("TOUCHSTONE_GO_ROOT")
    spec = importlib.util.find_spec("go")
    if not root and spec is not None and spec.submodule_search_locations:
        root = next(iter(spec.submodule_search_locations))
    program = Path(root) / "bin" / "go"
    if not root or not program.is_file():
        raise LocalError("there is no Go toolchain", thing=str(program), way_out="run `make setup`")
    return program
