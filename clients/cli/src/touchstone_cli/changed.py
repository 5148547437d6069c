"""Which lines of which Python files a change touches, as git tells."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from touchstone_cli.errors import CliError

_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def top_of(folder: Path) -> Path:
    """The top of the working tree that a folder lies in.

    Raises:
        CliError: it lies in none.
    """
    return Path(_git(folder, "rev-parse", "--show-toplevel").decode().rstrip("\n"))


def touched(top: Path, base: str) -> dict[str, list[range]]:
    """Lines that were changed since a branch left its base, by file; what is not committed counts too.

    Args:
        top: Top of the working tree.
        base: A branch or commit, for example `origin/main`.

    Returns:
        For each Python file its ranges of line numbers, from 1; where lines were only taken out, the ones around.

    Raises:
        CliError: git does not know the base.
    """
    since = _git(top, "merge-base", "--", base, "HEAD").decode().strip()
    plain = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
    names = _git(top, *plain, "--name-only", "-z", "--diff-filter=AM", since, "--", "*.py").split(b"\0")
    found: dict[str, list[range]] = {}
    for name in filter(None, names):
        file = name.decode("utf-8", "surrogateescape")
        text = _git(top, *plain, "--unified=0", since, "--", f":(literal){file}")
        found[file] = list(_ranges(text))
    return found


def _ranges(text: bytes) -> Iterable[range]:
    for hunk in _HUNK.finditer(text):
        first, count = int(hunk[1]), int(hunk[2] or 1)
        yield range(first, first + count) if count else range(first, first + 2)


def _git(folder: Path, *arguments: str) -> bytes:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise CliError("git: no such program; a change is told by git") from error
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CliError(f"git {arguments[0]}: {words[-1] if words else f'exit code {done.returncode}'}")
    return done.stdout
