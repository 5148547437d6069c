"""The processes of a platform here in the place of pods, for what the steps of `make cluster-test` do to pods."""

from __future__ import annotations

import json
import subprocess
import sys
import urllib.request
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil

from touchstone_local import postgres
from touchstone_local.cluster.installing import SOURCES

DATABASE = "touchstone-demo-postgres-0"


class Pods:
    """What the steps' `installed` offers, of a platform of processes.

    Args:
        live: The platform.
        folder: Takes the place of the node's state.
    """

    def __init__(self, live: Any, folder: Path) -> None:
        self._live, self._folder = live, folder
        (folder / SOURCES).mkdir()

    def layout(self) -> Any:
        """Where the node keeps its things."""
        return SimpleNamespace(state=self._folder)

    def pods(self, service: str) -> list[dict[str, Any]]:
        """The one pod of a service."""
        ready = [{"type": "Ready", "status": "True"}]
        return [{"metadata": {"name": service, "uid": service}, "status": {"conditions": ready}}]

    def call(self, *command: str, given: str | None = None) -> str:
        """What the control groups would tell: nothing was used."""
        assert given is None and "/sys/fs/cgroup/" in command[-1]
        if command[0] == "cat":
            return "0"
        return "total_rss 0\n---\n" if "/memory/" in command[-1] else "0\n---\n"

    def kubectl(self, *words: str, given: str | None = None) -> str:
        """Run what shall be run in a pod, with the variables of the service's process, or ask its page of metrics.

        Raises:
            RuntimeError: it failed.
        """
        verb, pod, *rest = words
        if (verb, pod) == ("get", "--raw"):
            return self._asked(*rest)
        assert verb == "exec" and given is None
        program, *arguments = rest[rest.index("--") + 1 :]
        arguments = [each.replace(f"/{SOURCES}/", f"{self._folder}/{SOURCES}/", 1) for each in arguments]
        if program == "psql":
            address = json.loads((self._live.state / "platform.json").read_text())["database"].replace("+asyncpg", "")
            command = [str(postgres.binaries() / "psql"), address, *arguments[arguments.index("-At") :]]
            environment = None
        else:
            assert program == "python"
            command = [sys.executable, *arguments]
            # Without tokens at the doors, as the demonstration has none, whoever runs in a pod may do everything.
            token = {"TOUCHSTONE_TOKEN_FILE": str(self._live.state / "token")}
            environment = psutil.Process(self._live.pid(pod)).environ() | token
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip()[-900:])
        return done.stdout

    def _asked(self, path: str) -> str:
        """What a service's process answers in the place of a pod that the API's server asks."""
        pod, _, asked = path.partition("/pods/")[2].partition(":8080/proxy/")
        address = json.loads((self._live.state / "platform.json").read_text())["services"][pod]["http"]
        token = (self._live.state / "token").read_text().strip()
        request = urllib.request.Request(f"http://{address}/{asked}", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return str(answer.read().decode())

    def replace(self, installed: Any, monkeypatch: Any) -> None:
        """Let the steps find these in the place of the node's."""
        for name in ("layout", "pods", "call", "kubectl"):
            monkeypatch.setattr(installed, name, getattr(self, name))
