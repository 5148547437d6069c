"""PHP with the extensions that candidates take for granted; its package brings the libraries that it needs."""

from __future__ import annotations

import os
import platform
import shutil
import tempfile
from pathlib import Path

from sandbox_executor.adapters.toolchains import npm
from sandbox_executor.adapters.toolchains.building import run_tool
from sandbox_executor.adapters.toolchains.runtimes import Runtime
from sandbox_executor.errors import JobRefusedError, SandboxFaultError
from touchstone_runtime.building import build_once

VERSION = "8.4.14"
_PACKAGE = "@libphp/amazon-linux-2023-v84@0.0.8"
_SHA512 = (
    "75d8a2f1db8df0bb0bef4b20a93aabda7df8428d8316764b5bc47e867295a074"
    "d8d5f079caa8df84d4a1f9bc2ab8b88fb9c5c18a748ea1b665bcfd5178946c58"
)
_GLIBC = (2, 34)
_LIBRARIES = (
    "libcrypt.so.2", "libcrypto.so.3", "libedit.so.0", "libgmp.so.10", "liblzma.so.5", "libonig.so.5", "libssl.so.3",
    "libtinfo.so.6", "libxml2.so.2",
)  # fmt: skip
_EXTENSIONS = ("bcmath", "calendar", "ctype", "gmp", "iconv", "mbstring", "posix", "tokenizer")
WAY_OUT = "run `make tools` where the package index can be reached, or name your system's php-cli by TOUCHSTONE_PHP"


def serves() -> bool:
    """Whether the package runs on this machine: x86-64, and a C library that is not too old."""
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
        numbers = tuple(int(part) for part in version.split(".")[:2])
    except (ValueError, OSError):
        return False
    return platform.machine() == "x86_64" and name == "glibc" and numbers >= _GLIBC


def folder(root: Path) -> Path:
    """Where it lies, or will lie, in the folder of all toolchains."""
    return root / f"php-{VERSION}"


def fetch(node: Runtime, root: Path) -> Path:
    """Have PHP; fetched with npm, and proved by its checksum.

    Raises:
        JobRefusedError: it cannot be had, or does not run on this machine.
    """
    return build_once(folder(root), lambda target: _fetch(node, target))


def _fetch(node: Runtime, target: Path) -> None:
    libraries = target / "lib"
    libraries.mkdir()
    with tempfile.TemporaryDirectory() as scratch:
        native = npm.unpack(node, _PACKAGE, _SHA512, Path(scratch), WAY_OUT) / "native"
        shutil.copy2(native / "php" / "php", target / "php")
        for name in _LIBRARIES:
            shutil.copy2(native / "lib" / name, libraries / name)
        for name in _EXTENSIONS:
            shutil.copy2(native / "php" / "modules" / f"{name}.so", libraries / f"{name}.so")
    # The variable is set inside the sandbox and outside, where the folder has different names.
    lines = ["extension_dir = ${LD_LIBRARY_PATH}", *(f"extension = {name}" for name in _EXTENSIONS)]
    (target / "php.ini").write_text("\n".join(lines) + "\n")
    (target / "php").chmod(0o755)
    try:
        run_tool([str(target / "php"), "-r", "exit(ctype_digit('1') ? 0 : 1);"], environment=variables(target))
    except SandboxFaultError as error:
        raise JobRefusedError(f"it does not run on this machine: {error}", thing="php", way_out=WAY_OUT) from error


def variables(root: Path | str) -> dict[str, str]:
    """What PHP must see in its environment to find its libraries."""
    return {"LD_LIBRARY_PATH": f"{root}/lib"}
