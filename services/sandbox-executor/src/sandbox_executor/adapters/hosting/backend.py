"""What every backend of this machine is: sandboxes with a common file system, and isolation that a first job proves."""

from __future__ import annotations

import contextlib
import threading
from abc import abstractmethod
from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Generic, TypeVar

from sandbox_executor.adapters.arrivals import dating_layer
from sandbox_executor.adapters.hosting.layout import build_layout
from sandbox_executor.adapters.hosting.probe import PROBE, run_probe
from sandbox_executor.adapters.packages.preparing import use_environment
from sandbox_executor.adapters.running import Setting, raised
from sandbox_executor.adapters.sandbox import Sandbox
from sandbox_executor.adapters.sessions import SessionRunner
from sandbox_executor.adapters.toolchains import Toolchains
from sandbox_executor.adapters.views import views_in
from sandbox_executor.domain.languages.definition import Language
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.errors import IsolationMissingError, SandboxFaultError
from sandbox_executor.ports import LanguageStatus, Layer

Seen = TypeVar("Seen")


class HostedBackend(SessionRunner, Generic[Seen]):
    """A backend whose sandboxes run on this machine; `Seen` is what it sees of one from outside.

    Args:
        languages: Definitions by name.
        toolchains: Their runtimes on this machine.
        state_dir: Folder of prepared environments and datasets, the same for all of them.
    """

    name = ""

    def __init__(self, languages: Mapping[str, Language], toolchains: Toolchains, state_dir: Path) -> None:
        super().__init__(languages, toolchains)
        self.environments = state_dir.absolute() / "environments"
        self._views = views_in(state_dir)
        self._layout = build_layout(toolchains.binds())
        self._probing = threading.Lock()
        self._layers: list[Layer] | None = None

    @contextlib.contextmanager
    def open(self, setting: Setting, files: Mapping[str, bytes]) -> Generator[Sandbox]:
        """A fresh sandbox with these files in its working folder; removed when the context ends."""
        with use_environment(self.environments, setting.environment_id, setting.language):
            self.require_layers()
            with self._open(setting, files) as sandbox:
                yield sandbox

    @abstractmethod
    def _open(self, setting: Setting, files: Mapping[str, bytes]) -> AbstractContextManager[Sandbox]:
        """A sandbox, whatever is in force."""

    @abstractmethod
    def _look(self, sandbox: Sandbox) -> Seen:
        """Look from outside at a sandbox in which the probe runs."""

    @abstractmethod
    def _read(self, inside: dict[str, Any], outside: Seen) -> list[Layer]:
        """What the probe tried and what was seen of it, as layers."""

    def _absent(self) -> Layer | None:
        """What is missing before anything can be tried."""
        return None

    def require_layers(self) -> None:
        """Refuse when a layer that must hold is missing.

        Raises:
            IsolationMissingError: names the layers and the way to get them.
        """
        missing = [layer for layer in self.layers() if layer.required and not layer.in_force]
        if missing:
            raise IsolationMissingError(
                "; ".join(f"{layer.name}: {layer.detail}" for layer in missing), thing="isolation"
            )

    def layers(self) -> list[Layer]:
        """What isolates a job here, as seen from inside and outside; a first job is run until one has told."""
        with self._probing:
            if self._layers is None:
                # What failed is tried again each time: a program may be built, or the machine less busy, later.
                absent = self._absent()
                if absent is not None:
                    return [absent]
                try:
                    self._layers = [*self._probe(), dating_layer()]
                except (IsolationMissingError, SandboxFaultError) as error:
                    return [Layer(error.thing or self.name, False, str(error))]
            return self._layers

    def _probe(self) -> list[Layer]:
        language = self._languages["python"]
        setting = Setting(language, "", raised(DEFAULT, language), "", 1, self._toolchains.places("python"))
        with self._open(setting, {language.source_file: PROBE.encode()}) as sandbox:
            command = self.command(setting, language.execute, f"/work/{language.source_file}", "program")
            return self._read(*run_probe(sandbox, command, lambda: self._look(sandbox)))

    def languages(self) -> list[LanguageStatus]:
        """Which languages can be used."""
        return self._toolchains.statuses()
