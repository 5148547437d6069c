"""Lines that a user brings, from a file or a stream: one thing a line, as JSON objects or as plain text."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

from touchstone_cli.errors import CliError
from touchstone_cli.output import say

T = TypeVar("T")
# Characters of one call: a token may be allowed no more than some megabytes.
_BATCH_SIZE = 500_000


def lines_of(file: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line that is not empty; `-` is standard input.

    Raises:
        CliError: the file cannot be read, or is no UTF-8.
    """
    try:
        if str(file) == "-":
            yield from _numbered(sys.stdin)
            return
        # A mark of the encoding, as some editors write it, is no part of the first line.
        with file.open(encoding="utf-8-sig") as stream:
            yield from _numbered(stream)
    except UnicodeDecodeError as error:
        raise CliError(f"{file}: is no UTF-8 text") from error
    except OSError as error:
        raise CliError(f"{file}: cannot be read ({error.strerror})") from error


def _numbered(stream: Any) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(stream, 1):
        if line.strip():
            yield number, line.rstrip("\n")


def how_many(file: Path) -> int:
    """How many lines are not empty; 0 for standard input, of which nobody knows.

    Raises:
        CliError: as `lines_of`.
    """
    return 0 if str(file) == "-" else sum(1 for _ in lines_of(file))


def object_of(file: Path, number: int, line: str) -> dict[str, Any]:
    """A line as a JSON object.

    Raises:
        CliError: it is none.
    """
    try:
        found: object = json.loads(line)
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise CliError(f"{file}:{number}: holds half of a letter (a lone surrogate), which is no text") from error
    except RecursionError as error:
        raise CliError(f"{file}:{number}: is nested too deeply") from error
    except ValueError as error:
        raise CliError(f"{file}:{number}: is no JSON ({error})") from error
    if not isinstance(found, dict):
        raise CliError(f"{file}:{number}: is no JSON object")
    return cast("dict[str, Any]", found)


def in_batches(things: Iterator[T], most: int, size_of: Callable[[T], int] = lambda _thing: 0) -> Iterator[list[T]]:
    """Things in lists of at most so many, and of no more than `_BATCH_SIZE` together unless one alone is larger."""
    waiting: list[T] = []
    held = 0
    for thing in things:
        size = size_of(thing)
        if waiting and (len(waiting) == most or held + size > _BATCH_SIZE):
            yield waiting
            waiting, held = [], 0
        waiting.append(thing)
        held += size
    if waiting:
        yield waiting


def say_if_cut(answers: Sequence[Any], limit: int, what: str) -> None:
    """Say that a list holds less than there is, on standard error: a script must not take a part for all.

    Args:
        answers: Of a list that goes by cursor, as `pages` gives them.
        limit: How many things were asked for; 0 is all.
        what: What they are, for example "pairs".
    """
    if limit and answers and answers[-1].next_page_token:
        say(f"the first {limit} {what} of more; --limit 0 gives all")


def pages(ask: Any, limit: int, most: int = 500) -> Iterator[Any]:
    """Answers of a list that goes by cursor, until so many things were asked for.

    Args:
        ask: Takes the size of a page and the token; gives the answer and how many things it holds.
        limit: How many things in all; 0 is all of them.
        most: Things of one page, at most.
    """
    token, left = "", limit
    while True:
        answer, count = ask(min(most, left) if limit else most, token)
        yield answer
        token, left = answer.next_page_token, left - count
        if not token or (limit and left <= 0):
            return
