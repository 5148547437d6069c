"""Paths in the working folder."""

from __future__ import annotations


class JobError(ValueError):
    """A job is not well formed; the words name what."""


def check_path(path: str) -> str:
    """Prove that a path stays in the working folder.

    Raises:
        JobError: it does not.
    """
    parts = path.split("/")
    if not path or len(path) > 400 or "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise JobError(f"path {path[:80]!r} must be relative, without . or .. or empty parts")
    return path
