"""Finds and fetches archives of Java by jgo's resolver: POMs are read, archives are kept, nothing of them is run.

Run as a program in a sandbox with network: `lock` reads `{"repository": …, "wanted": [coordinates]}` from its standard
input and writes `lock.json`: what is needed, with its one version each. `fetch` reads `{"repository": …, "locked":
[…]}`, fetches just that, each archive proved by a digest of the repository, and writes `fetched.json`. What is refused
is one line of the error stream that begins with `touchstone-refused`.
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
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlsplit

_STARTS = ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "pty.spawn", "subprocess.Popen")
_NATIVE = (".so", ".dll", ".dylib", ".jnilib", ".exe")
# The strongest that the repository has.
_DIGESTS = ("sha512", "sha256", "sha1")
_SCOPES = ("compile", "runtime")
_ARCHIVE_BYTES = 256 * 1024 * 1024


def refuse(kind: str, thing: str) -> NoReturn:
    """Say what is refused, and end."""
    os.write(2, f"\ntouchstone-refused {json.dumps([kind, thing])}\n".encode())
    os._exit(1)


def guard(repository: str) -> None:
    """From here on nothing can start a program, and no other server than the repository's is asked."""

    def started(event: str, _details: Any) -> None:
        if event in _STARTS:
            raise PermissionError(event)

    sys.addaudithook(started)
    adapter = importlib.import_module("requests.adapters").HTTPAdapter
    send, only = adapter.send, urlsplit(repository)

    def checked(self: Any, request: Any, *rest: Any, **more: Any) -> Any:
        asked = urlsplit(request.url)
        if (asked.scheme, asked.netloc) != (only.scheme, only.netloc):
            # A redirection, too: where the archives lie is what the operator says.
            refuse("address", str(asked.hostname))
        return send(self, request, *rest, **more)

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
    # jgo brings it.
    requests = importlib.import_module("requests")
    found: list[dict[str, Any]] = []
    for each in locked:
        group, _, artifact = each["name"].partition(":")
        suffix = f"-{each['classifier']}" if each["classifier"] else ""
        name = f"{artifact}-{each['version']}{suffix}.jar"
        url = f"{repository.rstrip('/')}/{group.replace('.', '/')}/{artifact}/{each['version']}/{name}"
        thing = f"{each['name']} {each['version']}"
        answer = requests.get(url, timeout=120, stream=True)
        if answer.status_code != requests.codes.ok:
            sys.exit(f"touchstone-missing {thing}")
        data = b"".join(_bounded(answer, thing))
        _prove(requests, url, data, thing)
        file = target / f"{group}.{name}"
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


def _prove(requests: Any, url: str, data: bytes, thing: str) -> None:
    """The repository keeps a digest beside each archive; a broken or exchanged one has another."""
    for name in _DIGESTS:
        answer = requests.get(f"{url}.{name}", timeout=60)
        words = answer.text.split() if answer.status_code == requests.codes.ok else []
        if words:
            if hashlib.new(name, data).hexdigest() != words[0].lower():
                refuse("digest", thing)
            return
    refuse("unproved", thing)


def _native(file: Path, thing: str) -> bool:
    try:
        with zipfile.ZipFile(file) as archive:
            return any(name.lower().endswith(_NATIVE) for name in archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError):
        refuse("archive", thing)


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
    if sys.argv[1] == "lock":
        Path("/work/lock.json").write_text(json.dumps(lock(context, asked["wanted"])))
    else:
        target = Path("/work/environment")
        target.mkdir()
        Path("/work/fetched.json").write_text(json.dumps(fetch(repository, asked["locked"], target)))


if __name__ == "__main__":
    main()
