"""Go: the standard library compiled once, our two packages, and the builder that runs in the sandbox."""

from __future__ import annotations

import shutil
from pathlib import Path

from sandbox_executor.adapters.toolchains.building import content_key, run_tool
from sandbox_executor.adapters.toolchains.runtimes import Runtime
from touchstone_runtime.building import build_once

_RECIPE = "1"
_LIST = "{{if .Export}}{{.ImportPath}} {{.Export}}{{end}}"
_PACKAGES = "packages.txt"


def build(runtime: Runtime, harness: Path, root: Path) -> Path:
    """Have what Go candidates are built with.

    Args:
        runtime: The Go toolchain.
        harness: Folder of the harness's Go packages.
        root: Folder of all toolchains.
    """
    library = build_once(root / f"golib-{runtime.version}-{_RECIPE}", lambda folder: _standard_library(runtime, folder))
    sources = [file for package in ("values", "serve", "build") for file in _sources(harness / package)]
    key = content_key(sources, runtime.version, library.name, _RECIPE)
    return build_once(root / f"go-{key}", lambda folder: _own_packages(runtime, harness, library, folder))


def _sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.go") if not path.name.endswith("_test.go"))


def _standard_library(runtime: Runtime, folder: Path) -> None:
    """Compile every package of the standard library; about a minute, once for each version of Go."""
    assert runtime.folder is not None
    # Beside the folder: what an interrupted build compiled is kept for the next one.
    scratch = folder.parent / f".golib-{runtime.version}-{_RECIPE}.work"
    scratch.mkdir(exist_ok=True)
    environment = {
        "GOROOT": str(runtime.folder),
        "GOCACHE": str(scratch / "cache"),
        "GOPATH": str(scratch / "path"),
        "GOENV": "off",
        "GOFLAGS": "-mod=mod",
        "GOPROXY": "off",
        "GOTOOLCHAIN": "local",
        "CGO_ENABLED": "0",
        "HOME": str(scratch),
    }
    command = [str(runtime.executable), "list", "-trimpath", "-export", "-f", _LIST, "std"]
    lines: list[str] = []
    for line in run_tool(command, environment=environment, cwd=scratch).splitlines():
        name, _, archive = line.strip().rpartition(" ")
        target = f"{len(lines)}.a"
        shutil.move(archive, folder / target)
        lines.append(f"{name} {target}")
    shutil.rmtree(scratch)
    (folder / _PACKAGES).write_text("\n".join(lines) + "\n")


def _own_packages(runtime: Runtime, harness: Path, library: Path, folder: Path) -> None:
    assert runtime.folder is not None
    (tools,) = (runtime.folder / "pkg" / "tool").iterdir()
    config = folder / "importcfg"
    packages = [line.split() for line in (library / _PACKAGES).read_text().splitlines()]
    lines = [f"{name} ../{library.name}/{file}" for name, file in packages]
    config.write_text("".join(f"packagefile {name}={library / file}\n" for name, file in packages))
    common = ["-complete", "-pack", "-dwarf=false", "-trimpath", f"{harness}=>", "-importcfg", str(config)]
    for package in ("values", "serve"):
        target = folder / f"{package}.a"
        files = [str(path) for path in _sources(harness / package)]
        run_tool([str(tools / "compile"), "-o", str(target), "-p", f"touchstone/{package}", *common, *files])
        lines.append(f"touchstone/{package} {target.name}")
        with config.open("a") as stream:
            stream.write(f"packagefile touchstone/{package}={target}\n")
    builder = folder / "builder.a"
    run_tool(
        [str(tools / "compile"), "-o", str(builder), "-p", "main", *common, *map(str, _sources(harness / "build"))]
    )
    link = ["-buildmode=exe", "-s", "-w", "-importcfg", str(config), str(builder)]
    run_tool([str(tools / "link"), "-o", str(folder / "gobuild"), *link])
    builder.unlink()
    config.unlink()
    (folder / _PACKAGES).write_text("\n".join(lines) + "\n")
