"""What files tell without being analysed; imports little, since processes that open archives begin with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

# Templates and copies of Python files too, as `a.py.in` and `a.py.orig`.
_PYTHON_NAME = re.compile(r"\.py[wx]?(?![a-z0-9])", re.IGNORECASE)
_PYTHON_FILE = re.compile(r"\.py[wx]?$", re.IGNORECASE)
_DEFINES = re.compile(rb"\bdef\b")
_LAST_SECOND = 253370764800.0


def defines(chunks: Iterable[bytes]) -> bool:
    """Whether a text may define functions; all of it is read."""
    found, before = False, b""
    for chunk in chunks:
        found = found or _DEFINES.search(before + chunk) is not None
        before = chunk[-4:]
    return found


def python_by_name(name: str) -> bool:
    """Whether a file's name says that it holds Python, by whatever name its functions are met later.

    Example:
        >>> [python_by_name(each) for each in ("a.PY", "a.py.in", "a.pyi", "tool")]
        [True, True, False, False]
    """
    return _PYTHON_NAME.search(name) is not None


def may_hold_python(name: str) -> bool:
    """Whether a file of this name may hold Python: scripts have no ending."""
    return python_by_name(name) or "." not in name.lstrip(".")


def holds_python(name: str, content: bytes) -> bool:
    """Whether a file holds Python functions, as far as its name, its first line and a word tell.

    Example:
        >>> holds_python("tool", b"#!/usr/bin/env python3\\ndef f(): ..."), holds_python("tool", b"#!/bin/ruby\\ndef f")
        (True, False)
    """
    if _PYTHON_FILE.search(name):
        return True
    first = content.partition(b"\n")[0]
    return defines([content]) and b"\0" not in content and (not first.startswith(b"#!") or b"python" in first)


def file_time(seconds: float) -> datetime:
    """A file's time as a date; what no calendar holds is the nearest day that one does."""
    return datetime.fromtimestamp(min(max(0.0, seconds), _LAST_SECOND), UTC)
