"""SPDX expressions, read with their brackets."""

from __future__ import annotations

import re
from collections.abc import Collection

_TOKEN = re.compile(r"\s*(?:([()])|([A-Za-z0-9.+:-]+))")
_WORDS = frozenset({"and", "or", "with"})


class _NotReadError(Exception):
    """The text is no expression."""


class _Reader:
    """Reads one expression, and says whether a list of licences satisfies it; OR binds weaker than AND, AND than WITH.

    Source: SPDX specification 2.3, annex D.
    """

    def __init__(self, text: str, names: Collection[str]) -> None:
        self._tokens: list[str] = []
        self._names = names
        self._place = 0
        end = 0
        for match in _TOKEN.finditer(text):
            if match.start() != end:
                raise _NotReadError
            self._tokens.append(match[1] or match[2])
            end = match.end()
        if text[end:].strip():
            raise _NotReadError

    def read(self) -> bool:
        """The answer for the whole text."""
        found = self._either()
        if self._place < len(self._tokens):
            raise _NotReadError
        return found

    def _takes(self, word: str) -> bool:
        if self._place < len(self._tokens) and self._tokens[self._place].lower() == word:
            self._place += 1
            return True
        return False

    def _either(self) -> bool:
        found = self._both()
        while self._takes("or"):
            found |= self._both()
        return found

    def _both(self) -> bool:
        found = self._one()
        while self._takes("and"):
            found &= self._one()
        return found

    def _one(self) -> bool:
        if self._takes("("):
            found = self._either()
            if not self._takes(")"):
                raise _NotReadError
            return found
        found = self._name() in self._names
        if self._takes("with"):
            self._name()
        return found

    def _name(self) -> str:
        name = self._tokens[self._place].lower() if self._place < len(self._tokens) else "("
        if name in _WORDS or name in ("(", ")"):
            raise _NotReadError
        self._place += 1
        return name


def is_expression(text: str) -> bool:
    """Whether a text is an SPDX expression, as far as its form goes.

    Example:
        >>> is_expression("(MIT OR Apache-2.0) AND GPL-3.0-only"), is_expression("MIT License"), is_expression("")
        (True, False, False)
    """
    try:
        _Reader(text, ()).read()
    except (_NotReadError, RecursionError):
        return False
    return True


def satisfied(text: str, names: Collection[str]) -> bool:
    """Whether an expression can be satisfied from a list of licences; one that does not parse cannot.

    Example:
        >>> satisfied("(MIT OR Apache-2.0) AND GPL-3.0-only", ["MIT"])
        False
    """
    try:
        return _Reader(text, {name.lower() for name in names}).read()
    except (_NotReadError, RecursionError):
        return False
