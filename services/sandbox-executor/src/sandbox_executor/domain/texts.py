"""Foreign words made fit to be stored, sent and shown: cleaned once, where they become part of a result."""

from __future__ import annotations

# Ends of lines, controls of terminals (C0, C1), and what turns the order of letters around.
_CONTROLS = dict.fromkeys(
    (*range(0x20), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)), "\ufffd"
)


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


def one_line(text: str, longest: int) -> str:
    """Text that is storable and stays one line on a terminal, whatever it says to it.

    Example:
        >>> one_line("a\\x1b[31m\\nb", 20)
        'a\ufffd[31m\ufffdb'
    """
    return storable(text[: longest + 1].translate(_CONTROLS), longest)
