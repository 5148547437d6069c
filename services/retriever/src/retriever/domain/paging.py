"""Cursors: where the next page begins, for the question that was asked."""

from __future__ import annotations

import base64
import binascii
import bisect
import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

from retriever.errors import BadRequestError

T = TypeVar("T")


def question_digest(*parts: object) -> str:
    """Tells one question from another; a cursor bears it."""
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def page_of(
    ordered: Sequence[T],
    key: Callable[[T], Sequence[Any]],
    question: str,
    cursor: str,
    limit: int,
    *,
    generation: str = "",
    words_alone: bool = False,
    without: Sequence[str] = (),
) -> tuple[list[T], str]:
    """One page, and the cursor of the next; empty where there is none.

    A page begins behind the last one shown, wherever that stands now: what entered or left the index between two pages
    moves all scores, and where that one left, its key tells its place.

    Args:
        ordered: All results in ascending order of their keys.
        key: A result's key: numbers and texts, the last of which is its id.
        question: `question_digest` of what was asked.
        cursor: Where to begin; empty for the first page.
        limit: Results of a page.
        generation: Name of the generation that gave them.
        words_alone: Whether they are ranked by words alone, as no model could be asked; so are the pages after.
        without: Models without which they are ranked, as these could not be asked; so are the pages after.

    Raises:
        BadRequestError: the cursor is none, or another question's.
    """
    start = _start(ordered, key, question, cursor) if cursor else 0
    page = list(ordered[start : start + limit])
    more = len(ordered) > start + limit
    return page, _written(question, key(page[-1]), generation, words_alone or list(without)) if more else ""


def generation_of(cursor: str) -> str:
    """Name of the generation that gave the page before; empty where no generation did.

    Raises:
        BadRequestError: the cursor is none.
    """
    return _read(cursor).generation


def by_words_alone(cursor: str) -> bool:
    """Whether the page before was ranked by words alone, as no model could be asked.

    Raises:
        BadRequestError: the cursor is none.
    """
    return _read(cursor).words_alone


def left_out_before(cursor: str) -> tuple[str, ...]:
    """Models without which the page before was ranked, as they could not be asked.

    Raises:
        BadRequestError: the cursor is none.
    """
    return _read(cursor).without


class _Cursor(NamedTuple):
    """What a cursor bears."""

    question: str
    last: list[Any]
    generation: str
    words_alone: bool
    without: tuple[str, ...]


def _start(ordered: Sequence[T], key: Callable[[T], Sequence[Any]], question: str, cursor: str) -> int:
    """Where the next page begins."""
    read = _read(cursor)
    if read.question != question:
        raise BadRequestError(
            "the cursor belongs to another question", thing="cursor", way_out="change nothing else, or begin without it"
        )
    for place, one in enumerate(ordered):
        if key(one)[-1] == read.last[-1]:
            return place + 1
    try:
        return bisect.bisect_right(ordered, read.last, key=lambda one: list(key(one)))
    except TypeError as error:
        raise _no_cursor(cursor) from error


def _written(question: str, last: Sequence[Any], generation: str, less: bool | list[str]) -> str:
    borne = [question, list(last), generation, *([less] if less else [])]
    return base64.urlsafe_b64encode(json.dumps(borne).encode()).decode().rstrip("=")


def _read(cursor: str) -> _Cursor:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        read: Any = json.loads(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
        less = read[3] if len(read) > 3 else False
        without = () if isinstance(less, bool) else tuple(map(str, less))
        found = _Cursor(str(read[0]), list(read[1]), str(read[2]), less is True, without)
        # An order has a key.
        found.last[-1]
    except (binascii.Error, ValueError, TypeError, LookupError, RecursionError) as error:
        raise _no_cursor(cursor) from error
    return found


def _no_cursor(cursor: str) -> BadRequestError:
    return BadRequestError("is no cursor", thing=cursor[:40], way_out="take next_cursor as it came")
