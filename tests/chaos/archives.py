"""Hostile archives, drawn from seeds: bombs, paths that lead outside, links, devices, lies in headers, damage.

    python tests/chaos/archives.py --count 1000

opens so many as the ingester does, in its limited child, a good archive after every twenty-fifth, and prints one JSON
line: how they ended, and the most memory that a child took. The exit code is 1 when one ended in anything but files
inside its folder or words that say why not.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import random
import resource
import struct
import sys
import tarfile
import tempfile
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from ingester.adapters.archives import UnpackLimits
from ingester.adapters.unpacking import MEMORY_BYTES, unpack_apart
from ingester.errors import SourceRefusedError

LIMITS = UnpackLimits(files=500, total_bytes=24 << 20, file_bytes=1 << 20)
_NAMES = (
    "../../escaped.py",
    "/escaped.py",
    "a/../../escaped.py",
    "..\\escaped.py",
    "a/./b.py",
    "",
    ".",
    "//",
    "a\x00.py",
    "C:\\escaped.py",
    "\udcff\udc80.py",
    "n" * 255,
    "n" * 300,
    "d/" * 180 + "x.py",
    "d/" * 3000 + "x.py",
    "CON",
    "\u202egpj.py",
    "a.py",
    "a.py/b.py",
)
_KINDS = (
    tarfile.SYMTYPE,
    tarfile.LNKTYPE,
    tarfile.CHRTYPE,
    tarfile.BLKTYPE,
    tarfile.FIFOTYPE,
    tarfile.CONTTYPE,
    tarfile.DIRTYPE,
    tarfile.GNUTYPE_SPARSE,
    b"Z",
)


def build(path: Path, rng: random.Random) -> str:
    """Write one hostile archive; gives its kind."""
    make = rng.choice(MAKERS)
    path.write_bytes(make(rng))
    return make.__name__


def good(path: Path) -> None:
    """Write an archive that nothing is wrong with."""
    path.write_bytes(_tar([("p/a.py", tarfile.REGTYPE, b"x = 1\n", "")]))


def _tar(members: list[tuple[str, bytes, bytes, str]], *, kind: int = tarfile.GNU_FORMAT) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz", format=kind, encoding="utf-8", errors="surrogateescape") as archive:
        for name, member_kind, content, link in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.linkname = member_kind, len(content), link
            info.mode = 0o7777
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def strange_names(rng: random.Random) -> bytes:
    """Paths that lead outside, are endless, or are no text; a file where a folder should be."""
    names = [rng.choice(_NAMES) for _ in range(rng.randrange(1, 8))]
    kind = rng.choice((tarfile.GNU_FORMAT, tarfile.PAX_FORMAT))
    return _tar([(name, tarfile.REGTYPE, b"x = 1\n", "") for name in names], kind=kind)


def links_and_devices(rng: random.Random) -> bytes:
    """What is no file, and files written through it."""
    targets = ("/etc", "..", "/dev/zero", "a.py", "/proc/self/mem")
    members: list[tuple[str, bytes, bytes, str]] = []
    for number in range(rng.randrange(1, 6)):
        members.append((f"l{number}", rng.choice(_KINDS), b"", rng.choice(targets)))
        members.append((f"l{number}/escaped.py", tarfile.REGTYPE, b"x", ""))
    return _tar(members)


def bomb(rng: random.Random) -> bytes:
    """Little that becomes much: zeros in a tar, or in a zip, or many empty files."""
    kind = rng.randrange(3)
    if kind == 0:
        return _tar([(f"{number}.py", tarfile.REGTYPE, bytes(1 << 20), "") for number in range(rng.randrange(26, 40))])
    if kind == 1:
        return _tar([(f"{number}.py", tarfile.REGTYPE, b"", "") for number in range(rng.randrange(501, 900))])
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(rng.randrange(30, 50)):
            archive.writestr(f"{number}.py", bytes(1 << 20))
    return out.getvalue()


def long_header(rng: random.Random) -> bytes:
    """A name or a PAX record of many megabytes in a few kilobytes."""
    size = rng.choice((4, 64, 600)) << 20
    kind = rng.choice((tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK, tarfile.XHDTYPE, tarfile.XGLTYPE))
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=1) as stream:
        info = tarfile.TarInfo("././@LongLink")
        info.type, info.size = kind, size
        stream.write(info.tobuf(tarfile.GNU_FORMAT))
        block = b"a" * (1 << 20)
        for _ in range(size >> 20):
            stream.write(block)
        stream.write(tarfile.TarInfo("a.py").tobuf(tarfile.GNU_FORMAT) + bytes(1024))
    return out.getvalue()


def sparse(rng: random.Random) -> bytes:
    """A file that says it has exabytes, nearly all of them holes, or a negative size."""
    info = tarfile.TarInfo("huge.py")
    info.size = rng.choice((8**11 - 1, 1 << 50, 1 << 62))
    info.type = rng.choice((tarfile.REGTYPE, tarfile.GNUTYPE_SPARSE))
    block = bytearray(info.tobuf(tarfile.GNU_FORMAT))
    if rng.random() < 0.4:
        block[124:136] = struct.pack(">I", 0xFFFFFFFF) + struct.pack(">q", -rng.randrange(1, 1 << 40))
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
    return gzip.compress(bytes(block) + bytes(rng.randrange(4096)))


def damaged(rng: random.Random) -> bytes:
    """A good archive with bytes changed, or cut short."""
    body = bytearray(rng.choice((_tar([("a.py", tarfile.REGTYPE, rng.randbytes(3000), "")]), _zip(rng))))
    if rng.random() < 0.4:
        return bytes(body[: rng.randrange(len(body))])
    for _ in range(rng.randrange(1, 12)):
        body[rng.randrange(len(body))] = rng.randrange(256)
    return bytes(body)


def damaged_inside(rng: random.Random) -> bytes:
    """A tar whose headers are damaged under a sound compression."""
    body = bytearray(gzip.decompress(_tar([(f"{n}.py", tarfile.REGTYPE, rng.randbytes(600), "") for n in range(4)])))
    for _ in range(rng.randrange(1, 40)):
        body[rng.randrange(len(body))] = rng.randrange(256)
    return gzip.compress(bytes(body))


def no_archive(rng: random.Random) -> bytes:
    """Bytes that begin like an archive, or like none."""
    head = rng.choice((b"", b"\x1f\x8b\x08", b"PK\x03\x04", b"PK\x05\x06", b"BZh9", b"\xfd7zXZ\x00", b"ustar"))
    return head + rng.randbytes(rng.randrange(2000))


def lying_zip(rng: random.Random) -> bytes:
    """A zip whose directory lies about sizes, names or where its members are."""
    body = bytearray(_zip(rng))
    start = body.find(b"PK\x01\x02")
    for _ in range(rng.randrange(1, 6)):
        body[rng.randrange(start, len(body))] = rng.randrange(256)
    return bytes(body)


def _zip(rng: random.Random) -> bytes:
    out = io.BytesIO()
    with (
        warnings.catch_warnings(action="ignore"),
        zipfile.ZipFile(out, "w", rng.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))) as archive,
    ):
        for _ in range(rng.randrange(1, 5)):
            info = zipfile.ZipInfo(rng.choice(_NAMES).encode("utf-8", "replace").decode() or "a")
            info.external_attr = rng.choice((0, 0o120777, 0o20666, 0o100644)) << 16
            archive.writestr(info, zlib.compress(rng.randbytes(300)))
    return out.getvalue()


MAKERS: tuple[Callable[[random.Random], bytes], ...] = (
    strange_names,
    links_and_devices,
    bomb,
    long_header,
    sparse,
    damaged,
    damaged_inside,
    no_archive,
    lying_zip,
)


def wrong_in(folder: Path, target: Path) -> list[str]:
    """What stands where nothing may: anything beside the target, links and devices in it."""
    wrong = [str(path) for path in folder.rglob("escaped.py") if target not in path.parents]
    for path in target.rglob("*"):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            wrong.append(str(path))
    return wrong


def open_one(folder: Path, seed: str, unpack: Callable[[Path, Path, UnpackLimits], int]) -> tuple[str, str, list[str]]:
    """Build and open one archive; gives its kind, how it ended (empty: unpacked), and what stands where nothing may."""
    folder.mkdir()
    target = folder / "target"
    target.mkdir()
    archive = folder / "hostile.tar.gz"
    kind = build(archive, random.Random(seed))
    words = ""
    try:
        unpack(archive, target, LIMITS)
    except SourceRefusedError as error:
        words = str(error)
    return kind, words, wrong_in(folder, target)


def main() -> int:
    """Open so many, and say how it ended."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    chosen = parser.parse_args()
    ends: Counter[str] = Counter()
    problems: list[str] = []
    with tempfile.TemporaryDirectory(prefix="archives-") as made:
        for number in range(chosen.count):
            folder = Path(made) / str(number)
            try:
                kind, words, wrong = open_one(folder, f"archive {number}", unpack_apart)
            except Exception as error:  # noqa: BLE001  whatever it is, it is what is looked for
                problems.append(f"{number}: {type(error).__name__}: {error}")
                continue
            ends[f"{kind}: {'refused' if words else 'unpacked'}"] += 1
            problems += [f"{number}: {kind}: {each}" for each in wrong]
            if number % 25 == 0:
                good(folder / "good.tar.gz")
                (folder / "other").mkdir()
                if unpack_apart(folder / "good.tar.gz", folder / "other", LIMITS) != 1:
                    problems.append(f"{number}: a good archive did not unpack after it")
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    if peak > MEMORY_BYTES:
        problems.append(f"a child took {peak} bytes")
    line = {"hostile": "archives", "count": chosen.count, "ends": dict(ends), "child_bytes": peak}
    sys.stdout.write(json.dumps(line | {"problems": problems}) + "\n")
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
