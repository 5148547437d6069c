"""A source's own tests as one archive, for those who run them to see what callers send."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

from ingester.domain.places import is_run

# Of all files together before they are packed, and how many; what comes after is left out.
MOST_BYTES = 16 << 20
MOST_FILES = 4000
# No date, so that the same files always make the same archive.
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def packed(files: Iterable[tuple[str, bytes]]) -> bytes:
    """The files as a zip archive; empty where no test is among them. One whose name is no text is left out.

    Args:
        files: Path with slashes and content of each, in order.

    Example:
        >>> packed([("tests/test_a.py", b"")]) == packed([("tests/test_a.py", b"")]), packed([])
        (True, b'')
    """
    made = io.BytesIO()
    room, count, tests = MOST_BYTES, 0, False
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files:
            if count >= MOST_FILES or len(content) > room or not _is_text(path):
                continue
            room, count, tests = room - len(content), count + 1, tests or is_run(path)
            entry = zipfile.ZipInfo(path, _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
    return made.getvalue() if tests else b""


def _is_text(path: str) -> bool:
    """Whether an archive can name a file; names of files are bytes, and not all of them are UTF-8."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return False
    return True
