"""`touchstone classify`: class and reason of each function, without a running service."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import print_json, print_table, say, shown
from touchstone_cli.settings import offline_environment


def classify(
    path: Annotated[Path, typer.Argument(help="Python file, folder, or source archive.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> None:
    """Print each function's class (SC, WSC or discarded), its complexity, and why it is a candidate for a task or none.

    What needs fixed definitions of its own source is taken with them, a method that goes by its object's fields as a
    function of these, and a class whose methods are called in turn as one of a list of calls: the reason says so.
    Nothing of the code is run, and no service is needed.

    Example: touchstone classify src/ --json
    """
    functions = functions_of(path, top=_repository_of(path))
    if as_json:
        print_json(functions)
        return
    rows = [
        (
            one["path"],
            one["line"],
            one["qualname"],
            one["class"],
            one["complexity"],
            "yes" if one["task_candidate"] else one["rejected_by"],
            _why(one),
        )
        for one in functions
    ]
    columns = ("file", "line", "function", "class", "complexity", "candidate", "reason")
    print_table(columns, rows, right=("line", "complexity"))
    if not all(one["task_candidate"] for one in functions):
        say("candidate names the filter where a function is none; `touchstone explain FILTER` says what it means")


def functions_of(
    path: Path, way_out: str = "name a folder, file or archive that holds some", top: Path | None = None
) -> list[dict[str, Any]]:
    """What the ingester says of each Python function of a file, folder or archive.

    Args:
        path: Where to look.
        way_out: What to do where it holds none.
        top: The folder above from which places are told; tests and vendored copies are known by them.

    Raises:
        CliError: there is no such path, or it holds no Python function.
    """
    if not path.exists():
        raise CliError(f"{path}: no such file or folder")
    below = () if top is None else ("--top", str(top))
    command = [sys.executable, "-m", "ingester", "classify", str(path), *below, "--json"]
    functions = offline(command, "the ingester")
    if not functions:
        raise CliError(f"{path}: no Python function here; {way_out}")
    return functions


def _repository_of(path: Path) -> Path | None:
    """The working tree of git that a path lies in."""
    return next((folder for folder in path.resolve().parents if (folder / ".git").exists()), None)


def _why(function: dict[str, Any]) -> str:
    """Why it has its class where that makes it no candidate, else what the filter says, else the class's reason."""
    if function["rejected_by"] == "dependencies":
        return function["reason"]
    return function["rejection"] or function["reason"]


class OfflineError(CliError):
    """An offline command failed.

    Attributes:
        ended: Its exit code; negative where a signal ended it.
    """

    def __init__(self, message: str, ended: int) -> None:
        super().__init__(message)
        self.ended = ended


def offline(command: Sequence[str], who: str) -> list[dict[str, Any]]:
    """Run a service's offline command and read the JSON array that it prints.

    Raises:
        OfflineError: it fails, with its own last line.
        CliError: it prints something else.
    """
    done = subprocess.run(command, capture_output=True, env=offline_environment(), check=False)
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        words = lines[-1] if lines else f"{who} ended with exit code {done.returncode}"
        raise OfflineError(words, done.returncode)
    sys.stderr.write(shown(done.stderr.decode("utf-8", "replace")))
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        raise CliError(f"{who} printed no JSON: {done.stdout[:80]!r}") from error
    return answer if isinstance(answer, list) else [answer]
