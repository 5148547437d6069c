"""Foreign words made fit to be stored, sent and shown: cleaned once, where they become part of a result."""

from __future__ import annotations


def storable(text: str, longest: int) -> str:
    """Text that every consumer takes: no NUL (JSONB refuses it), no lone surrogate (UTF-8 has none), not too long.

    Example:
        >>> storable("a\\0b\\ud800", 10), storable("abcdef", 4)
        ('a\ufffdb?', 'abc…')
    """
    if len(text) > longest:
        text = text[: longest - 1] + "…"
    if text.isascii() and "\0" not in text:
        return text
    return text.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
