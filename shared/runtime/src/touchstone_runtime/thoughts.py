"""What a model thinks aloud before it answers, told apart from its answer."""

from __future__ import annotations

import re

# How models mark what they think aloud before they answer.
_OPENING, _CLOSING = "<think>", "</think>"
# Nobody sees these, and they may stand before a mark.
_UNSEEN = "\u200b\u2060\ufeff"
_OPENED = re.compile(rf"(?<![^\s{_UNSEEN}]){_OPENING}")
# A mark between quotes is spoken of; fences are none.
_CLOSED = re.compile(rf"(?:(?<![`'\"])|(?<=```)){_CLOSING}|{_CLOSING}(?:(?![`'\"])|(?=```))")
# What stands between a thought and the answer; the margin of the answer's first line does not.
_GAP = re.compile(r"(?:[^\S\n]*\n)+| |")
_FENCE = re.compile(r"^[ \t]*(?:`{3}|~{3})", re.MULTILINE)


def spoken(text: str) -> str:
    """What a model answered, without what it may have thought aloud before.

    Some endpoints leave the opening mark to the prompt, so that an answer begins within the thought; some models say a
    word before they think. What a mark in a text of the answer means, is told by who knows what was asked for.

    Example:
        >>> spoken("a draft</think> the answer"), spoken("Sure.\\n<think>a draft</think>\\nThe answer")
        ('the answer', 'Sure.\\nThe answer')
    """
    return thought_apart(text, doubtful=True)[1]


def has_mark(text: str) -> bool:
    """Whether a mark of thoughts stands in a text."""
    return _OPENING in text or _CLOSING in text


def unmarked(text: str) -> str:
    """A text with brackets for marks of thoughts: between the words of a program they would leave none."""
    return text.replace(_OPENING, ")").replace(_CLOSING, ")")


def thought_apart(text: str, *, doubtful: bool = False) -> tuple[str, str]:
    """What a model thought aloud before all else, and what it said then, late or not at all.

    Args:
        text: All that it said.
        doubtful: Whether a thought without an opening mark is one, and one behind words that open no block.

    Example:
        >>> thought_apart("<think>a draft</think> the answer")
        ('<think>a draft', 'the answer')
        >>> thought_apart("a draft</think> the answer")
        ('', 'a draft</think> the answer')
    """
    thought, kept, blanks = "", "", f" \t\r\n{_UNSEEN}"
    if doubtful and not text.lstrip(blanks).startswith(_OPENING):
        closed = _CLOSED.search(text)
        if closed and _OPENING not in text[: closed.start()]:
            thought, text = text[: closed.start()], _behind(text, closed)
    while opened := _OPENED.search(text):
        before = text[: opened.start()]
        first = not before.strip(blanks)
        closed = _CLOSED.search(text, opened.end())
        if not first and (not doubtful or _FENCE.search(before)):
            break
        if closed is None and before.rpartition("\n")[2].strip(blanks):
            break
        thought += text[opened.start() : closed.start() if closed else len(text)]
        kept += "" if first else before
        text = _behind(text, closed) if closed else ""
    return thought, kept + text


def _behind(text: str, closed: re.Match[str]) -> str:
    gap = _GAP.match(text, closed.end())
    return text[gap.end() if gap else closed.end() :]
