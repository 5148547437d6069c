"""What files tell without being analysed; imports little, since processes that open archives begin with it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime

# What may hold Python functions, by whatever name they are met later.
PYTHON_ENDINGS = frozenset({".py", ".pyw", ".pyx"})
_DEFINES = re.compile(rb"\bdef\b")
_LAST_SECOND = 253370764800.0


def defines(chunks: Iterable[bytes]) -> bool:
    """Whether a text may define functions; all of it is read."""
    found, before = False, b""
    for chunk in chunks:
        found = found or _DEFINES.search(before + chunk) is not None
        before = chunk[-4:]
    return found


def file_time(seconds: float) -> datetime:
    """A file's time as a date; what no calendar holds is the nearest day that one does."""
    return datetime.fromtimestamp(min(max(0.0, seconds), _LAST_SECOND), UTC)
