"""Which lines of which Python files a change touches, as git tells."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

from touchstone_cli.errors import CliError

_HUNK = re.compile(rb"^@@ -\d+(?:,\d+)? \+(\d+)(?:,(\d+))? @@", re.MULTILINE)
# What a change is made to in most repositories.
_USUAL = ("origin/main", "main", "origin/master", "master")


def top_of(folder: Path) -> Path:
    """The top of the working tree that a folder lies in.

    Raises:
        CliError: it lies in none.
    """
    if b"not a git repository" in _asked(folder, "rev-parse", "--show-toplevel").stderr:
        raise CliError(f"{folder}: is not a git repository; name a folder of one with --folder")
    return Path(_git(folder, "rev-parse", "--show-toplevel").decode().rstrip("\n"))


def committed(top: Path) -> set[str]:
    """The files of a working tree that its newest commit holds; none where nothing was committed."""
    listed = _asked(top, "ls-tree", "-r", "-z", "--name-only", "HEAD").stdout
    return {name.decode("utf-8", "surrogateescape") for name in listed.split(b"\0") if name}


def history(top: Path) -> list[str]:
    """The commits that HEAD of a working tree comes from, newest first; none where nothing was committed."""
    return _asked(top, "rev-list", "HEAD").stdout.decode("ascii", "replace").split()


def touched(top: Path, base: str) -> dict[str, list[range]]:
    """Lines that were changed since a branch left its base, by file; what is not committed counts too.

    Args:
        top: Top of the working tree.
        base: A branch or commit, for example `origin/main`.

    Returns:
        For each Python file its ranges of line numbers, from 1; where lines were only taken out, the ones around.

    Raises:
        CliError: git does not know the base, or nothing was committed that came of it.
    """
    if not _knows(top, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"):
        raise CliError(f"{top}: has no commit yet; a change is told from a branch or commit")
    if not _knows(top, "merge-base", "--", base, base):
        raise CliError(f"--base {base}: git knows no such branch or commit; {_another(top, base)}")
    if not _knows(top, "merge-base", "--", base, "HEAD"):
        raise CliError(
            f"--base {base}: has no commit in common with HEAD; fetch the whole history, or {_another(top, base)}"
        )
    since = _git(top, "merge-base", "--", base, "HEAD").decode().strip()
    plain = ("diff", "--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
    names = _git(top, *plain, "--name-only", "-z", "--diff-filter=AM", since, "--", "*.py").split(b"\0")
    found: dict[str, list[range]] = {}
    for name in filter(None, names):
        file = name.decode("utf-8", "surrogateescape")
        text = _git(top, *plain, "--unified=0", since, "--", f":(literal){file}")
        found[file] = list(_ranges(text))
    return found


def _another(top: Path, base: str) -> str:
    """What to name as base instead, for people."""
    known = _git(top, "for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/remotes")
    names = {name for name in known.decode("utf-8", "replace").split() if "/HEAD" not in name and name != base}
    chosen = next((name for name in _USUAL if name in names), "HEAD")
    return f"name another, such as `--base {chosen}`"


def _knows(folder: Path, *arguments: str) -> bool:
    """Whether git answers a question at all."""
    return _asked(folder, *arguments).returncode == 0


def _ranges(text: bytes) -> Iterable[range]:
    for hunk in _HUNK.finditer(text):
        first, count = int(hunk[1]), int(hunk[2] or 1)
        yield range(first, first + count) if count else range(first, first + 2)


def _asked(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", *arguments], cwd=folder, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise CliError("git: no such program; a change is told by git") from error


def _git(folder: Path, *arguments: str) -> bytes:
    done = _asked(folder, *arguments)
    if done.returncode != 0:
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CliError(f"git {arguments[0]}: {words[-1] if words else f'exit code {done.returncode}'}")
    return done.stdout
