"""Finds and fetches archives of Java by jgo's resolver: POMs are read, archives are kept, nothing of them is run.

Run as a program in a sandbox with network: `lock` reads `{"repository": …, "wanted": [coordinates]}` from its standard
input and writes `lock.json`: what is needed, with its one version each. `fetch` reads `{"repository": …, "locked":
[…]}`, fetches just that, each archive proved by a digest of the repository, and writes `fetched.json`. What is refused
is one line of the error stream that begins with `touchstone-refused`; `touchstone-missing` names what is not there, and
`touchstone-away` says that the repository, asked for it, gave neither it nor that it has none.
"""

from __future__ import annotations

import email.utils
import hashlib
import importlib
import json
import os
import sys
import types
import zipfile
import zlib
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

_STARTS = ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "pty.spawn", "subprocess.Popen")
# By how they begin, and by what loaders take for a library: machine code of this kind of machine.
_ELF = b"\x7fELF"
_LIBRARIES = (".so", ".dll", ".dylib", ".jnilib", ".exe")
# The strongest that the repository has.
_DIGESTS = ("sha512", "sha256", "sha1")
_SCOPES = ("compile", "runtime")
_ARCHIVE_BYTES = 256 * 1024 * 1024
# A file's name may have 255 bytes.
_LONGEST_NAME = 200
_LONGEST_THING = 200
# How often a repository may ask us to wait, and how long.
_WAITS = 3
_LONGEST_WAIT_S = 60


def refuse(kind: str, thing: str) -> NoReturn:
    """Say what is refused, and end."""
    os.write(2, f"\ntouchstone-refused {json.dumps([kind, thing[:_LONGEST_THING]])}\n".encode())
    os._exit(1)


def away() -> NoReturn:
    """Say that the repository does not answer, and end: a resolver takes that for an archive that is not there."""
    os.write(2, b"\ntouchstone-away\n")
    os._exit(1)


def guard(repository: str) -> None:
    """From here on nothing can start a program, no other server is asked, and a repository that is away ends it."""

    def started(event: str, _details: Any) -> None:
        if event in _STARTS:
            raise PermissionError(event)

    sys.addaudithook(started)
    requests = importlib.import_module("requests")
    adapter = requests.adapters.HTTPAdapter
    send, only = adapter.send, urlsplit(repository)
    waits: dict[str, int] = {}

    def checked(self: Any, request: Any, *rest: Any, **more: Any) -> Any:
        asked = urlsplit(request.url)
        if (asked.scheme, asked.netloc) != (only.scheme, only.netloc):
            # A redirection, too: where the archives lie is what the operator says; callers hear no name of it.
            refuse("address", "")
        try:
            answer = send(self, request, *rest, **more)
        except (requests.ConnectionError, requests.Timeout):
            away()
        if answer.status_code == requests.codes.too_many:
            waits[request.url] = waits.get(request.url, 0) + 1
            wait = answer.headers.get("Retry-After", "")
            if waits[request.url] <= _WAITS and wait.isdecimal() and int(wait) <= _LONGEST_WAIT_S:
                # jgo waits, and asks again.
                return answer
        if not (answer.is_redirect or answer.status_code in (requests.codes.ok, requests.codes.not_found)):
            away()
        return answer

    adapter.send = checked


def lock(context: Any, wanted: list[str]) -> list[dict[str, str]]:
    """What is needed to use these, themselves included, with the versions that Maven's rules choose."""
    asked = [context.create_dependency(_with_version(context, each)) for each in wanted]
    inputs, rest = context.resolver.resolve(asked)
    found: dict[tuple[str, str, str], dict[str, str]] = {}
    for dependency in [*inputs, *rest]:
        if dependency not in inputs and (dependency.optional or (dependency.scope or "compile") not in _SCOPES):
            continue
        artifact = dependency.artifact
        component = artifact.component
        name, version = f"{component.groupId}:{component.artifactId}", str(component.version)
        if artifact.packaging == "pom":
            continue
        if artifact.packaging not in ("jar", "bundle", "test-jar"):
            refuse("kind", f"{name} {version}")
        if version.endswith("-SNAPSHOT"):
            refuse("moves", f"{name} {version}")
        classifier = artifact.classifier or ""
        found[name, version, classifier] = {"name": name, "version": version, "classifier": classifier}
    return [found[key] for key in sorted(found)]


def _with_version(context: Any, wanted: str) -> str:
    group, artifact, *version = wanted.split(":")
    if version:
        return wanted
    project = context.project(group, artifact)
    project.update()
    if not project.release:
        sys.exit(f"touchstone-missing {wanted} in any version")
    return f"{wanted}:{project.release}"


def fetch(repository: str, locked: list[dict[str, str]], target: Path) -> list[dict[str, Any]]:
    """Fetch what a lock names into a folder."""
    http = importlib.import_module("jgo.util.http")
    found: list[dict[str, Any]] = []
    for each in locked:
        group, _, artifact = each["name"].partition(":")
        suffix = f"-{each['classifier']}" if each["classifier"] else ""
        name = f"{artifact}-{each['version']}{suffix}.jar"
        url = f"{repository.rstrip('/')}/{group.replace('.', '/')}/{artifact}/{each['version']}/{name}"
        thing = f"{each['name']} {each['version']}"
        answer = http.get(url, timeout=120, stream=True)
        if not answer.ok:
            sys.exit(f"touchstone-missing {thing}")
        data = b"".join(_bounded(answer, thing))
        _prove(http, url, data, thing)
        # Groups and names may have dots and versions may have hyphens: only the number tells some archives apart.
        stem = f"{len(found):03}-{group}.{name}".removesuffix(".jar")
        file = target / f"{stem[:_LONGEST_NAME]}.jar"
        file.write_bytes(data)
        told = {"file": file.name, "sha256": hashlib.sha256(data).hexdigest(), "published": _published(answer)}
        found.append(each | told | {"native": _native(file, thing)})
    return found


def _published(answer: Any) -> str:
    try:
        return email.utils.parsedate_to_datetime(answer.headers["Last-Modified"]).isoformat()
    except (KeyError, ValueError):
        return ""


def _bounded(answer: Any, thing: str) -> Any:
    size = 0
    for piece in answer.iter_content(1 << 16):
        size += len(piece)
        if size > _ARCHIVE_BYTES:
            refuse("size", thing)
        yield piece


def _prove(http: Any, url: str, data: bytes, thing: str) -> None:
    """The repository keeps a digest beside each archive; a broken or exchanged one has another."""
    for name in _DIGESTS:
        answer = http.get(f"{url}.{name}", timeout=60)
        if answer.ok:
            if [hashlib.new(name, data).hexdigest()] != answer.text.lower().split()[:1]:
                refuse("digest", thing)
            return
    refuse("unproved", thing)


def _native(file: Path, thing: str) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            return any(_is_native(archive, each) for each in archive.infolist() if not each.is_dir())
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, RuntimeError):
        # The last is said of one with a password, and its kind of a compression that nobody knows.
        refuse("archive", thing)


def _is_native(archive: zipfile.ZipFile, each: zipfile.ZipInfo) -> bool:
    name = each.filename.lower()
    if name.endswith(_LIBRARIES) or ".so." in name.rpartition("/")[2]:
        return True
    with archive.open(each) as content:
        return content.read(len(_ELF)) == _ELF


def main() -> None:
    """Do what the argument says."""
    asked = json.load(sys.stdin)
    # Fetches Java itself, which nobody asks for here, and would bring much along.
    sys.modules["cjdk"] = types.ModuleType("cjdk")
    from jgo.maven import MavenContext

    context = MavenContext(repo_cache=Path("/tmp/maven"), local_repos=[], timeout=60)
    repository = asked["repository"] or next(iter(context.remote_repos.values()))
    context.remote_repos = {"repository": repository.rstrip("/")}
    guard(repository)
    requests = importlib.import_module("requests")
    try:
        if sys.argv[1] == "lock":
            Path("/work/lock.json").write_text(json.dumps(lock(context, asked["wanted"])))
        else:
            target = Path("/work/environment")
            target.mkdir()
            Path("/work/fetched.json").write_text(json.dumps(fetch(repository, asked["locked"], target)))
    except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError):
        # In the middle of an answer.
        away()


if __name__ == "__main__":
    main()
