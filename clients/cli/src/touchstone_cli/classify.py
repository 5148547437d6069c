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
    """Print each function's class (SC, WSC or discarded), the reason and its complexity.

    Nothing of the code is run, and no service is needed.

    Example: touchstone classify src/ --json
    """
    if not path.exists():
        raise CliError(f"{path}: no such file or folder")
    functions = offline([sys.executable, "-m", "ingester", "classify", str(path), "--json"], "the ingester")
    if as_json:
        print_json(functions)
        return
    rows = [
        (
            _text(function, "path", "file"),
            _text(function, "line", "line_start"),
            _text(function, "qualname", "name"),
            _text(function, "class", "kind", "dependency_class"),
            _text(function, "complexity"),
            _text(function, "reason"),
        )
        for function in functions
    ]
    print_table(("file", "line", "function", "class", "complexity", "reason"), rows, right=("line", "complexity"))
    if not rows:
        say(f"{path}: no functions")


def _text(function: dict[str, Any], *names: str) -> str:
    """The first of the fields that is there."""
    for name in names:
        if function.get(name) is not None:
            return str(function[name])
    return ""


def offline(command: Sequence[str], who: str) -> list[dict[str, Any]]:
    """Run a service's offline command and read the JSON array that it prints.

    Raises:
        CliError: it fails, with its own last line, or prints something else.
    """
    done = subprocess.run(command, capture_output=True, env=offline_environment(), check=False)
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CliError(lines[-1] if lines else f"{who} ended with exit code {done.returncode}")
    sys.stderr.write(shown(done.stderr.decode("utf-8", "replace")))
    try:
        answer = json.loads(done.stdout)
    except ValueError as error:
        raise CliError(f"{who} printed no JSON: {done.stdout[:80]!r}") from error
    return answer if isinstance(answer, list) else [answer]
