"""Offline commands of services: each runs as a process, and prints JSON."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import Any

from touchstone_cli.errors import CliError
from touchstone_cli.settings import offline_environment


def answer_of(service: str, *command: str, fault: str) -> Any:
    """The one JSON value that a command prints; its progress and its errors are shown by itself.

    Raises:
        CliError: it fails.
    """
    done = subprocess.run(
        [sys.executable, "-m", service, *command],
        env=offline_environment(),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise CliError(fault, exit_code=1)
    return json.loads(done.stdout)


def answers_of(service: str, *command: str, who: str) -> Iterator[dict[str, Any]]:
    """The JSON lines that a command prints, as they come.

    Raises:
        CliError: it fails, with its own last line.
    """
    with tempfile.TemporaryFile() as words:
        process = subprocess.Popen(
            [sys.executable, "-m", service, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=words,
            env=offline_environment(),
        )
        assert process.stdout is not None
        try:
            with process.stdout:
                for line in process.stdout:
                    yield json.loads(line)
            if process.wait() != 0:
                words.seek(0)
                said = words.read().decode("utf-8", "replace").strip().splitlines()
                raise CliError(said[-1] if said else f"{who} ended with exit code {process.returncode}")
        finally:
            if process.poll() is None:
                process.terminate()
            process.wait()
