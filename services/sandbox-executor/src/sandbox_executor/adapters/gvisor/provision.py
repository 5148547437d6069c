"""Builds runsc, gVisor's program, from its Go module: a pinned version, every source held to the sums beside it."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from sandbox_executor.adapters.toolchains.runtimes import find_go
from sandbox_executor.errors import SandboxFaultError
from touchstone_runtime.building import GoProgram, Progress, build_go

VERSION = "20260905.0-160fafc42237"
WAY_TO_PROVISION = (
    "run `make tools` or `python -m sandbox_executor provision-gvisor` (builds it from source: some minutes and the "
    "network), or name one by TOUCHSTONE_SANDBOX_RUNSC"
)
_PACKAGE = "gvisor.dev/gvisor/runsc"
_PROGRAM = GoProgram(
    name="gVisor",
    version=VERSION,
    module=Path(__file__).parent / "module",
    package=_PACKAGE,
    binary="runsc",
    linking=f"-s -w -X {_PACKAGE}/version.version={VERSION}",
    setting="TOUCHSTONE_SANDBOX_RUNSC",
)
_INTERPRETER = 3


def place(cache: Path) -> Path:
    """Where runsc lies, or will lie, in a folder for caches."""
    return _PROGRAM.place(cache)


def provision(cache: Path, go_root: Path | None, variables: Mapping[str, str], progress: Progress) -> Path:
    """Have runsc; built where it is not there yet.

    Args:
        cache: Folder for caches.
        go_root: A Go toolchain; None: the one from its wheel.
        variables: What fetching Go modules needs of the environment: proxies, certificates.
        progress: Told, in words, how far it is.

    Returns:
        The program.

    Raises:
        JobRefusedError: there is no Go toolchain.
        RetryableError: it cannot be built; the compiler's words are in the message.
        SandboxFaultError: what was built would not start.
    """
    target = place(cache)
    if target.is_file():
        return target
    build_go(_PROGRAM, cache, find_go(go_root).executable, variables, progress)
    if not is_static(target.read_bytes()[: 1 << 16]):
        target.unlink()
        target.parent.rmdir()
        raise SandboxFaultError("runsc is not statically linked: it would not start in its own root", thing="runsc")
    return target


def is_static(head: bytes) -> bool:
    """Whether an ELF program asks for no dynamic linker; `head` is the beginning of its file."""
    if head[:5] != b"\x7fELF\x02":
        return False
    (offset,) = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    kinds = [struct.unpack_from("<I", head, offset + number * size)[0] for number in range(count)]
    return _INTERPRETER not in kinds
