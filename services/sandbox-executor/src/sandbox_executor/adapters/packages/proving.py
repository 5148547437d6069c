"""Whether a folder of npm's packages holds what their archives hold and nothing else.

Run as a program where npm ran, with the standard library alone: reads `{path: [name, version, SHA-512 in hex]}` as JSON
from its standard input, and writes `[[path, what is wrong], …]` to the file of its argument.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import sys
import tarfile
from pathlib import Path, PurePosixPath

_SHRINKWRAP = "npm-shrinkwrap.json"


def prove(environment: Path, cache: Path, locked: dict[str, tuple[str, str, str]]) -> list[tuple[str, str]]:
    """Compare what was installed with the archives that the registry proved.

    Args:
        environment: Holds `node_modules`.
        cache: npm's, which keeps archives by what they hold.
        locked: By folder: name, version, and the SHA-512 of the archive in hexadecimal.

    Returns:
        Folders or files, and what is wrong with each; empty when every file is of the archive of its package.
    """
    wrong: list[tuple[str, str]] = []
    known: dict[str, dict[str, set[str]]] = {}
    for path, (name, version, digest) in locked.items():
        if not (environment / path).is_dir():
            # For another kind of machine.
            continue
        kept = cache / "_cacache" / "content-v2" / "sha512" / digest[:2] / digest[2:4] / digest[4:]
        try:
            data = kept.read_bytes()
            if hashlib.sha512(data).hexdigest() != digest:
                raise ValueError
            known[path], manifest = _content(data)
            said = json.loads(manifest)
            same = said["name"] == name and _plain(str(said["version"])) == _plain(version)
        except (OSError, ValueError, KeyError, TypeError, EOFError, RecursionError, tarfile.TarError):
            wrong.append((path, "its archive is not the one that the registry names"))
            continue
        if not same:
            wrong.append((path, "its archive holds another package than its name and version say"))
        if _SHRINKWRAP in known[path]:
            wrong.append((path, f"its archive brings {_SHRINKWRAP}, which would say by itself what is installed"))
    return wrong or _strangers(environment, known)


def _content(data: bytes) -> tuple[dict[str, set[str]], bytes]:
    found: dict[str, set[str]] = {}
    manifest = b""
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            stream = archive.extractfile(member) if member.isfile() else None
            if stream is None:
                continue
            content = stream.read()
            inner = PurePosixPath(*member.name.split("/")[1:])
            found.setdefault(str(inner), set()).add(_digest(content))
            if inner.name == ".gitignore":
                # npm renames it.
                found.setdefault(str(inner.with_name(".npmignore")), set()).add(_digest(content))
            if str(inner) == "package.json":
                manifest = content
    return found, manifest


def _strangers(environment: Path, known: dict[str, dict[str, set[str]]]) -> list[tuple[str, str]]:
    wrong: list[tuple[str, str]] = []
    top = environment / "node_modules"
    for folder, folders, files in os.walk(top):
        if Path(folder).name == "node_modules" and ".bin" in folders:
            # Links that npm makes for programs.
            folders.remove(".bin")
        for each in (*files, *(name for name in folders if (Path(folder) / name).is_symlink())):
            file = Path(folder) / each
            if file == top / ".package-lock.json":
                continue
            path = PurePosixPath(file.relative_to(environment))
            owner = next((parent for parent in path.parents if str(parent) in known), None)
            if owner is None:
                wrong.append((str(path), "no package of the registry brings it"))
            elif file.is_symlink() or _digest(file.read_bytes()) not in known[str(owner)].get(
                str(path.relative_to(owner)), ()
            ):
                wrong.append((str(owner), "more is installed in its folder than its archive holds"))
    return wrong


def _digest(content: bytes) -> str:
    # npm mends the ends of lines of programs.
    return hashlib.sha256(content.replace(b"\r\n", b"\n")).hexdigest()


def _plain(version: str) -> str:
    return version.strip().lstrip("v=").partition("+")[0]


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    answer = prove(Path("/work/environment"), Path("/tmp/npm"), asked)
    Path(sys.argv[1]).write_text(json.dumps(answer[:20]))
