"""Builds runsc, gVisor's program, from its Go module: a pinned version, every source held to the sums beside it."""

from __future__ import annotations

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from sandbox_executor.adapters.toolchains.building import build_once, go_variables
from sandbox_executor.adapters.toolchains.runtimes import find_go
from sandbox_executor.errors import SandboxFaultError

VERSION = "20260905.0-160fafc42237"
WAY_TO_PROVISION = (
    "run `python -m sandbox_executor provision-gvisor` (builds it from source: some minutes and the network), "
    "or name one by TOUCHSTONE_SANDBOX_RUNSC"
)
_MODULE = Path(__file__).parent / "module"
_PACKAGE = "gvisor.dev/gvisor/runsc"
_NEEDED_BYTES = 3 << 30
_PROGRESS_EVERY = 25
_WORDS = 1500
_INTERPRETER = 3

Progress = Callable[[str], None]


def place(cache: Path) -> Path:
    """Where runsc lies, or will lie, in a folder for caches."""
    return cache / "bin" / f"gvisor-{VERSION}" / "runsc"


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
        SandboxFaultError: it cannot be built; the compiler's words are in the message.
    """
    target = place(cache)
    if not target.is_file():
        go = find_go(go_root).executable
        build_once(target.parent, lambda folder: _build(go, folder, variables, progress))
    return target


def _build(go: Path, folder: Path, variables: Mapping[str, str], progress: Progress) -> None:
    free = shutil.disk_usage(folder).free
    if free < _NEEDED_BYTES:
        raise SandboxFaultError(
            f"building gVisor needs {_NEEDED_BYTES >> 30} GiB for a while, {free / (1 << 30):.1f} are free",
            thing=str(folder),
            way_out="free some space, or point TOUCHSTONE_CACHE at a larger disk",
        )
    with tempfile.TemporaryDirectory(dir=folder, prefix="scratch") as name:
        scratch = Path(name)
        module = scratch / "module"
        shutil.copytree(_MODULE, module)
        environment = {
            **variables,
            **go_variables(scratch),
            # Read-only: what go.mod and go.sum do not name is not taken.
            "GOFLAGS": "-mod=readonly -modcacherw -trimpath -buildvcs=false",
            # Go finds its mirror in the user's own settings, therefore the real home folder.
            "HOME": str(Path.home()),
            "PATH": "/usr/bin:/bin",
        }
        progress("gVisor: fetching its sources")
        count = len(_run([str(go), "list", "-deps", _PACKAGE], environment, module).splitlines())
        flags = ["-v", "-ldflags", f"-s -w -X {_PACKAGE}/version.version={VERSION}", "-o", str(folder / "runsc")]
        seen = 0

        def built(line: str) -> None:
            nonlocal seen
            if line.startswith("go:") or " " in line.strip():
                return
            seen += 1
            if seen % _PROGRESS_EVERY == 0:
                progress(f"gVisor: {min(seen, count)} of {count} packages compiled")

        nice = shutil.which("nice", path="/usr/bin:/bin")
        gently = [nice, "-n", "10"] if nice else []
        _run([*gently, str(go), "build", *flags, _PACKAGE], environment, module, built)
    if not is_static((folder / "runsc").read_bytes()[: 1 << 16]):
        raise SandboxFaultError("runsc is not statically linked: it would not start in its own root", thing="runsc")
    progress(f"gVisor: runsc {VERSION} is built")


def _run(
    command: list[str], environment: Mapping[str, str], folder: Path, listen: Callable[[str], None] | None = None
) -> str:
    """Run the Go command; gives what it printed, passes on each line of its error stream."""
    words: list[str] = []
    with (
        tempfile.TemporaryFile("w+") as printed,
        subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=printed, stderr=subprocess.PIPE,
            text=True, errors="replace",
        ) as process,
    ):  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            words.append(line)
            if listen is not None:
                listen(line)
        code = process.wait()
        printed.seek(0)
        output = printed.read()
    if code != 0:
        raise SandboxFaultError(
            f"gVisor cannot be built: {''.join(words).strip()[-_WORDS:]}",
            thing=_PACKAGE,
            way_out="run it again where Go modules can be fetched, or name a runsc by TOUCHSTONE_SANDBOX_RUNSC",
        )
    return output


def is_static(head: bytes) -> bool:
    """Whether an ELF program asks for no dynamic linker; `head` is the beginning of its file."""
    if head[:5] != b"\x7fELF\x02":
        return False
    (offset,) = struct.unpack_from("<Q", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    kinds = [struct.unpack_from("<I", head, offset + number * size)[0] for number in range(count)]
    return _INTERPRETER not in kinds
