"""Cursors: where the next page begins, for the question that was asked."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from retriever.errors import BadRequestError

T = TypeVar("T")


def question_digest(*parts: object) -> str:
    """Tells one question from another; a cursor bears it."""
    return hashlib.sha256(repr(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def page_of(
    ordered: Sequence[T], key: Callable[[T], Sequence[Any]], question: str, cursor: str, limit: int
) -> tuple[list[T], str]:
    """One page, and the cursor of the next; empty where there is none.

    A page begins behind the last one shown, wherever that would stand now: what entered or left the index between two
    pages neither repeats nor hides a result behind it.

    Args:
        ordered: All results in ascending order of their keys.
        key: A result's key: numbers and texts.
        question: `question_digest` of what was asked.
        cursor: Where to begin; empty for the first page.
        limit: Results of a page.

    Raises:
        BadRequestError: the cursor is none, or another question's.
    """
    after = _read(cursor, question) if cursor else None
    try:
        rest = [one for one in ordered if after is None or list(key(one)) > after]
    except TypeError as error:
        raise BadRequestError("is no cursor", thing=cursor[:40], way_out="take next_cursor as it came") from error
    page = rest[:limit]
    return page, _written(question, key(page[-1])) if len(rest) > limit else ""


def _written(question: str, last: Sequence[Any]) -> str:
    return base64.urlsafe_b64encode(json.dumps([question, list(last)]).encode()).decode().rstrip("=")


def _read(cursor: str, question: str) -> list[Any]:
    try:
        padded = cursor + "=" * (-len(cursor) % 4)
        read: Any = json.loads(base64.b64decode(padded.encode("ascii"), altchars=b"-_", validate=True))
        asked, last = str(read[0]), list(read[1])
    except (binascii.Error, ValueError, TypeError, LookupError, RecursionError) as error:
        raise BadRequestError("is no cursor", thing=cursor[:40], way_out="take next_cursor as it came") from error
    if asked != question:
        raise BadRequestError(
            "the cursor belongs to another question", thing="cursor", way_out="change nothing else, or begin without it"
        )
    return last
