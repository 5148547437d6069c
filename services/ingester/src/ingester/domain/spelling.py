"""What a number or a text is, however it is written: formatters and old Pythons spell one value in other ways."""

from __future__ import annotations

import ast
import codecs
import re

_OLD_OCTAL = re.compile(r"0[0-7]+$")
_ESCAPE = re.compile(
    r"\\(?:\n|[\\'\"abfnrtv]|[0-3]?[0-7]{1,2}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^{}]+\})"
)
_OF_TEXT_ALONE = ("\\u", "\\U", "\\N")


def number(text: str) -> str:
    """The shortest spelling of a number.

    Args:
        text: A literal, of an old Python too.

    Example:
        >>> [number(each) for each in ("0XfF", "1_000", "1E3", "0777", "10L")]
        ['255', '1000', '1000.0', '511', '10']
    """
    plain = text.lower().removesuffix("l")
    try:
        return repr(int(plain, 8) if _OLD_OCTAL.match(plain) else ast.literal_eval(plain))
    except (SyntaxError, ValueError):
        # Longer than what is read as a number.
        return plain


def characters(text: str, prefix: str) -> str:
    r"""What a part of a string literal stands for, escapes replaced.

    Args:
        text: The part, without quotes.
        prefix: What stands before the quotes, in lower case.

    Example:
        >>> characters(r"it\'s \x41", ""), characters(r"\d", "r") == characters(r"\\d", ""), characters("{{}}", "f")
        ("it's A", True, '{}')
    """
    if "f" in prefix or "t" in prefix:
        text = text.replace("{{", "{").replace("}}", "}")
    return text if "r" in prefix else _ESCAPE.sub(lambda found: _character(found[0], prefix), text)


def _character(escape: str, prefix: str) -> str:
    if "b" in prefix and escape.startswith(_OF_TEXT_ALONE):
        return escape
    try:
        return codecs.decode(escape, "unicode_escape")
    except UnicodeDecodeError:
        return escape
