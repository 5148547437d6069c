"""Text that every store and every message can hold."""

from __future__ import annotations

import json
import re
from typing import Any, cast

# PostgreSQL holds no NUL, and UTF-8 no half of a surrogate pair; a model or a candidate may say either.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with what cannot be stored replaced by U+FFFD.

    Example:
        >>> storable("a\\x00b") == "a\\ufffdb"
        True
    """
    return _UNSTORABLE.sub("�", text)


def spelt_out(text: str) -> str:
    """The text with what cannot be stored written as JSON escapes it, for whoever reads what stands there.

    Example:
        >>> spelt_out("up to the first \\x00") == "up to the first " + chr(92) + "u0000"
        True
    """
    return _UNSTORABLE.sub(lambda found: json.dumps(found[0])[1:-1], text)


def encodable(text: str) -> str:
    """The text with what UTF-8 cannot hold spelt out, and all else as it is: a name of a file may be no text.

    Example:
        >>> encodable("na\\udce9me.py") == "na" + chr(92) + "udce9me.py"
        True
    """
    return text.encode("utf-8", "backslashreplace").decode()


def storable_tree(value: Any) -> Any:
    """The same for every text in a JSON value."""
    match value:
        case str():
            return storable(value)
        case list() | tuple():
            return [storable_tree(item) for item in cast("list[Any]", value)]
        case dict():
            return {storable(str(k)): storable_tree(item) for k, item in cast("dict[Any, Any]", value).items()}
        case _:
            return value


__all__ = ["encodable", "spelt_out", "storable", "storable_tree"]
