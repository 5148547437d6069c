"""How manifests of releases are written, digested and named, whatever they hold."""

from __future__ import annotations

import hashlib
import json
import re

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")


def canonical(content: object) -> bytes:
    """The one way to write some JSON: sorted keys, no spaces, ASCII, a line end."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"


def sha256(data: bytes) -> str:
    """SHA-256 in hexadecimal, as the blob store names things."""
    return hashlib.sha256(data).hexdigest()


def well_named(name: str) -> bool:
    """Whether a text can be a release's name: small letters, digits, dots, dashes and underscores.

    Example:
        >>> well_named("2026-06"), well_named("June 2026"), well_named("../x")
        (True, False, False)
    """
    return _NAME.fullmatch(name) is not None
