"""What a project's tests need beside the project, as far as the project itself declares it."""

from __future__ import annotations

import io
import lzma
import struct
import tomllib
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, cast

# What projects call the group of what their tests need.
_GROUPS = ("test", "tests", "testing", "dev")
_MOST, _LONGEST, _DEEPEST = 30, 200, 4
_MOST_BYTES = 1 << 20
# What an archive that is none, damaged or encrypted, or a text that is no settings, is met with.
_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, ValueError, RuntimeError, EOFError, OSError)


def declared_needs(archive: bytes) -> tuple[str, ...]:
    """Requirements in the `dependency-groups` of the project whose tests an archive holds; none where nothing is said.

    The archive is a stranger's: what is no requirement of an index is left for the sandbox to refuse.

    Source: PEP 735.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as opened:
            named = [each for each in opened.infolist() if each.filename.rpartition("/")[2] == "pyproject.toml"]
            found = min(named, key=lambda each: (each.filename.count("/"), each.filename), default=None)
            if found is None or found.filename.count("/") > 1 or found.file_size > _MOST_BYTES:
                return ()
            text = opened.read(found).decode()
        groups: Any = tomllib.loads(text).get("dependency-groups")
    except _DAMAGED:
        return ()
    if not isinstance(groups, dict):
        return ()
    known = cast("dict[str, Any]", groups)
    needs = dict.fromkeys(need for name in _GROUPS if name in known for need in _listed(known, name, 0))
    return tuple(needs)[:_MOST]


def _listed(groups: dict[str, Any], name: str, depth: int) -> Iterator[str]:
    listed = groups.get(name)
    for each in cast("list[Any]", listed)[:_MOST] if isinstance(listed, list) and depth < _DEEPEST else ():
        if isinstance(each, str) and len(each) <= _LONGEST and "@" not in each and each.isprintable():
            yield each
        elif isinstance(each, dict):
            inner = cast("dict[str, Any]", each).get("include-group")
            if isinstance(inner, str):
                yield from _listed(groups, inner, depth + 1)


__all__ = ["declared_needs"]
