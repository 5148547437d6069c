"""What a job sees of the file system: system libraries, runtimes, the harness, and nothing else of the host."""

from __future__ import annotations

import importlib.metadata
import sys
import sysconfig
from dataclasses import dataclass, field, replace
from pathlib import Path

import touchstone_values
from sandbox_executor.domain.languages.definition import COMMON_ENVIRONMENT
from sandbox_executor.launcher.messages import RootPlan, WarmUp, dump

PACKAGE = Path(__file__).parent.parent.parent
SITE = "/runtime/site"
LIBRARY = "/library"
ZYGOTE = f"{LIBRARY}/sandbox_executor/launcher/zygote.py"

# The allowed libraries of candidates, with what they need: a job's base environment.
BASE_DISTRIBUTIONS = (
    "numpy",
    "pandas",
    "scipy",
    "networkx",
    "sympy",
    "mpmath",
    "python-dateutil",
    "six",
    "tzdata",
    "regex",
    "sortedcontainers",
    "typing-extensions",
)
# Top-level modules that a warm interpreter may import beforehand, in this order.
PRELOADABLE = ("numpy", "pandas", "scipy", "networkx", "sympy")
# Parts of the standard library that candidates often import; importing them later costs each job anew.
PRELOADED_STDLIB = (
    "abc", "argparse", "array", "ast", "base64", "bisect", "calendar", "cmath", "collections", "collections.abc",
    "colorsys", "contextlib", "copy", "csv", "dataclasses", "datetime", "decimal", "difflib", "enum", "fractions",
    "functools", "hashlib", "heapq", "html", "inspect", "io", "ipaddress", "itertools", "json", "keyword", "logging",
    "math", "numbers", "operator", "os", "pathlib", "pprint", "queue", "random", "re", "shlex", "statistics",
    "string", "struct", "tempfile", "textwrap", "threading", "time", "tokenize", "traceback", "types", "typing",
    "unicodedata", "urllib.parse", "uuid", "warnings", "weakref", "zlib",
)  # fmt: skip

# Variables of a Python candidate, complete. One thread for numeric libraries: they would start one for each core.
PYTHON_ENVIRONMENT = {
    **COMMON_ENVIRONMENT,
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
_SYSTEM_FOLDERS = ("/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/bin", "/usr/share/zoneinfo", "/usr/share/php")
_MERGED = ("/bin", "/lib", "/lib64", "/lib32", "/sbin")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/php")
_ETC = {
    "/etc/passwd": "root:x:0:0:root:/:/usr/sbin/nologin\nsandbox:x:1000:1000:sandbox:/work:/bin/sh\n",
    "/etc/group": "root:x:0:\nsandbox:x:1000:\n",
    "/etc/hosts": "127.0.0.1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
    "/etc/hostname": "sandbox\n",
}


@dataclass(frozen=True)
class Layout:
    """What the private root holds, and what runs in it.

    Attributes:
        binds: Mounts, read-only: (host path, path inside).
        symlinks: (path inside, where it leads).
        python: The interpreter, inside.
        files: Small files by path inside.
        program: The warm interpreter's program, inside.
    """

    binds: tuple[tuple[str, str], ...]
    symlinks: tuple[tuple[str, str], ...]
    python: str
    files: dict[str, str] = field(default_factory=lambda: dict(_ETC))
    program: str = ZYGOTE

    def plan(self, *, mountpoint: Path, environments: Path, views: Path, user_namespace: bool, options: WarmUp,
             environment: dict[str, str]) -> bytes:  # fmt: skip
        """The description that `launcher/root.py` reads."""
        return dump(
            RootPlan(
                str(mountpoint),
                self.binds,
                self.symlinks,
                self.files,
                str(environments),
                str(views),
                user_namespace,
                self.python,
                self.program,
                dump(options).decode(),
                environment,
            )
        )

    def extended(self, binds: list[tuple[str, str]]) -> Layout:
        """The same with more mounts, and with names asked of the network."""
        files = self.files | {
            "/etc/nsswitch.conf": _ETC["/etc/nsswitch.conf"].replace("hosts: files", "hosts: files dns")
        }
        return replace(self, binds=(*self.binds, *binds), files=files)


def build_layout(runtimes: tuple[tuple[str, str], ...], harness: Path = PACKAGE / "harness") -> Layout:
    """Decide what is mounted.

    Args:
        runtimes: Further folders: (host folder, folder inside).
        harness: Folder of the harnesses.
    """
    binds = [(folder, folder) for folder in _SYSTEM_FOLDERS if Path(folder).is_dir()]
    symlinks: list[tuple[str, str]] = []
    for name in _MERGED:
        path = Path(name)
        if path.is_symlink():
            symlinks.append((name, str(path.readlink())))
        elif path.is_dir():
            binds.append((name, name))
    binds += [(name, name) for name in _SYSTEM_FILES if Path(name).exists()]
    base = Path(sys.base_prefix).resolve()
    if not any(base == Path(folder) for folder in ("/usr", "/")):
        # The same path as outside: a shared libpython is found by the absolute path in the binary.
        binds.append((str(base), str(base)))
    binds += [
        (str(PACKAGE / "__init__.py"), f"{LIBRARY}/sandbox_executor/__init__.py"),
        (str(PACKAGE / "launcher"), f"{LIBRARY}/sandbox_executor/launcher"),
        (str(PACKAGE / "harness" / "python"), f"{LIBRARY}/sandbox_executor/harness/python"),
        (str(harness), "/harness"),
        (str(Path(touchstone_values.__file__).parent), f"{LIBRARY}/touchstone_values"),
    ]
    binds += [(str(path), f"{SITE}/{path.name}") for path in site_entries(BASE_DISTRIBUTIONS)]
    binds += runtimes
    symlinks += [
        # Where Node looks for the packages of a program in /work.
        ("/node_modules", "/runtime/environment/node_modules"),
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
    ]
    executable = base / "bin" / f"python{sys.version_info.major}.{sys.version_info.minor}"
    return Layout(tuple(binds), tuple(symlinks), str(executable))


def site_entries(distributions: tuple[str, ...]) -> list[Path]:
    """Files and folders in site-packages that these distributions consist of; one not installed is left out."""
    found: dict[Path, None] = {}
    site = Path(sysconfig.get_path("purelib"))
    for name in distributions:
        try:
            files = importlib.metadata.files(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for file in files:
            top = site / file.parts[0]
            if file.parts[0] not in ("..", "__pycache__") and top.exists():
                found[top] = None
    return list(found)
