"""Ids that are hashes of what they name, so that doing a thing twice gives the same row."""

from __future__ import annotations

import hashlib
import json

from ingester.domain.analysis import FoundFunction


def _hash(*parts: str | int) -> str:
    text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def source_id(kind: str, name: str, revision: str) -> str:
    """Id of a source.

    Example:
        >>> source_id("package", "humanize", "") == source_id("package", "humanize", "")
        True
    """
    return _hash("source", kind, name, revision)


def version_id(source: str, version: str) -> str:
    """Id of one version of a source."""
    return _hash("version", source, version)


def function_id(version: str, path: str, found: FoundFunction) -> str:
    """Id of a function in a version; two of one name in one file differ by place and text."""
    return _hash("function", version, path, found.qualname, found.line_start, found.code)
