"""Chooses, fetches and compiles packages of Go's modules by Go's own tool; nothing of them is run.

Run as a program in a sandbox with network, with the standard library alone. Both steps read `{"go": path of the tool,
"wanted": ["path" or "path@version"]}` from the standard input and write `fetched.json`. `lock` chooses one version of
each module and fetches those whose packages are needed, each proved by the checksum database: module, version, sum and
moment of publication. `build` compiles the packages into the folder `environment`, with `packages.txt` beside them.
What is refused is one line of the error stream that begins with `touchstone-refused`.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

_WORK = Path("/work/modules")
_AT_A_TIME = 2
_WORDS = 1000
_LIST = "ImportPath,Name,Standard,Module,Export,SFiles,SysoFiles"


def refuse(kind: str, thing: str) -> NoReturn:
    """Say what is refused, and end."""
    os.write(2, f"\ntouchstone-refused {json.dumps([kind, thing[:200]])}\n".encode())
    os._exit(1)


class Go:
    """Go's tool, held to mirrors and to what is here.

    Args:
        program: Its path.
    """

    def __init__(self, program: str) -> None:
        self._program = program
        self._variables = {
            **os.environ,  # noqa: TID251  the sandbox's own
            "GOENV": "off", "GOFLAGS": f"-mod=mod -modcacherw -p={_AT_A_TIME}", "GOTOOLCHAIN": "local",
            # A sandbox has room for so many threads, and Go takes some for each processor and each package in work.
            "GOWORK": "off", "GOMAXPROCS": str(_AT_A_TIME), "CGO_ENABLED": "0", "GOCACHE": "/tmp/go-build",
            "GOMODCACHE": "/tmp/go-modules", "GOPATH": "/tmp/go",
            # No program of a version control starts, and nobody but mirrors is asked, for private modules either.
            "GOVCS": "*:off", "GONOPROXY": "none",
        }  # fmt: skip
        told = self._variables.get("GOPROXY") or self("env", "GOPROXY").strip()
        mirrors = [each for each in re.split(r"[,|]", told) if each.strip() not in ("", "direct", "off")]
        if not mirrors:
            refuse("proxy", "")
        self._variables["GOPROXY"] = ",".join(mirrors)

    def __call__(self, *arguments: str) -> str:
        """Run it; its words on the error stream, and the end, where it fails."""
        done = subprocess.run(
            [self._program, *arguments],
            cwd=_WORK,
            env=self._variables,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode:
            words = " ".join(done.stderr.decode(errors="replace").split())
            # Where the tool itself breaks off, its first words say why, and hundreds of lines on its threads follow.
            words = words if len(words) <= _WORDS else f"{words[: _WORDS // 2]} … {words[-_WORDS // 2 :]}"
            os.write(2, f"\ntouchstone-go: {done.returncode}: {words}\n".encode())
            os._exit(1)
        return done.stdout.decode()

    def packages(self, wanted: list[str], *options: str) -> list[dict[str, Any]]:
        """These packages and all that they import, the standard library's left out."""
        told = self("list", *options, "-deps", f"-json={_LIST}", "--", *wanted)
        return [each for each in _objects(told) if not each.get("Standard")]


def _objects(text: str) -> list[dict[str, Any]]:
    decoder, place, found = json.JSONDecoder(), 0, list[dict[str, Any]]()
    while place < len(text):
        each, end = decoder.raw_decode(text, place)
        found.append(each)
        place = len(text) - len(text[end:].lstrip())
    return found


def lock(go: Go, wanted: list[str]) -> list[dict[str, str]]:
    """Choose versions and fetch; the modules whose packages are needed."""
    (_WORK / "go.mod").write_text("module environment\n")
    go("get", "--", *(each if "@" in each else f"{each}@latest" for each in wanted))
    paths = [each.partition("@")[0] for each in wanted]
    packages = go.packages(paths)
    for each in packages:
        if each["ImportPath"] in paths and each["Name"] == "main":
            refuse("program", each["ImportPath"])
    sums = {tuple(line.split()[:2]): line.split()[2] for line in (_WORK / "go.sum").read_text().splitlines() if line}
    found: dict[str, dict[str, str]] = {}
    for each in packages:
        module = each["Module"]
        path, version = module["Path"], module["Version"]
        if (path, version) not in sums:
            refuse("digest", path)
        told = {"module": path, "version": version, "sum": sums[path, version], "published": module.get("Time", "")}
        found[path] = told
    return [found[path] for path in sorted(found)]


def build(go: Go, wanted: list[str], target: Path) -> list[dict[str, Any]]:
    """Compile what a lock chose."""
    target.mkdir()
    lines: list[str] = []
    found: list[dict[str, Any]] = []
    for each in go.packages([path.partition("@")[0] for path in wanted], "-export", "-trimpath"):
        name = f"{len(lines)}.a"
        shutil.copyfile(each["Export"], target / name)
        lines.append(f"{each['ImportPath']} {name}\n")
        native = bool(each.get("SFiles") or each.get("SysoFiles"))
        found.append({"file": name, "module": each["Module"]["Path"], "native": native})
    (target / "packages.txt").write_text("".join(lines))
    return found


def main() -> None:
    """Do one step."""
    asked = json.load(sys.stdin)
    _WORK.mkdir(exist_ok=True)
    go = Go(asked["go"])
    step = lock(go, asked["wanted"]) if sys.argv[1] == "lock" else build(go, asked["wanted"], Path("/work/environment"))
    Path("/work/fetched.json").write_text(json.dumps(step))


if __name__ == "__main__":
    main()
