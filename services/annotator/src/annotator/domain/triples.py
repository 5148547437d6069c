"""Triples for fine-tuning a search model: a query, a code that answers it, and a found one that does not.

Neither a query, nor a repository, nor a code's text is on both sides of the split, so that what the kept side measures
was never seen. Queries are told apart by their words alone. A text that stands in places of both sides, as forks and
vendored copies do, is on neither: to put all its places on one side would join ever more repositories, by functions
that everybody copies, until one side had all.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from touchstone_contracts.identities import code_words

Side = Literal["train", "kept"]

# Of so many queries one is kept back, and of so many repositories.
KEPT_ONE_OF = 4
# Triples of one correct code, at most.
NEGATIVES = 3


@dataclass(frozen=True, slots=True)
class Triple:
    """Ids of a query, of a code that answers it, and of one that does not."""

    query_id: str
    positive: str
    negative: str


def side_of(name: str) -> Side:
    """The side of a repository, or of what else has a name; the same one in every release."""
    return "kept" if int(_digest("split", name)[:8], 16) % KEPT_ONE_OF == 0 else "train"


def side_of_query(text: str) -> Side:
    """The side of a query: that of its words, without signs and capitals.

    Example:
        >>> side_of_query("Sort a list.") == side_of_query("sort  a list")
        True
    """
    return side_of(" ".join(re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())) or text)


class Places:
    """Where the text of each code stands, for the side of each code."""

    def __init__(self) -> None:
        self._text_of: dict[str, bytes] = {}
        self._sides: dict[bytes, set[Side]] = {}

    def add(self, code: Mapping[str, Any]) -> None:
        """Take a code in; white space does not make a text another one."""
        text = hashlib.blake2b("".join(code["code"].split()).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        self._text_of[code["function_id"]] = text
        sides = self._sides.setdefault(text, set())
        if code["repository"]:
            sides.add(side_of(code["repository"]))

    def sides(self) -> dict[str, Side]:
        """The side of each code by its id; none where its text stands on both.

        A text that stands in no repository has a side of its own.
        """
        found: dict[str, Side] = {}
        for function_id, text in self._text_of.items():
            match sorted(self._sides[text]):
                case []:
                    found[function_id] = side_of(text.hex())
                case [side]:
                    found[function_id] = side
                case _:
                    pass
        return found

    @property
    def copies(self) -> int:
        """How many codes have the text of another one."""
        return len(self._text_of) - len(self._sides)


def triples_of(
    query_id: str,
    labels: Sequence[Mapping[str, Any]],
    sides: Mapping[str, Side],
    wanted: Side,
    codes: Mapping[str, str],
) -> Iterator[Triple]:
    """The triples of one query.

    A negative is a code that was proposed for the query and labelled 0: a hard one, which some retriever took for an
    answer. Undecided pairs are neither, and no code is the negative of its own copy, which methods may label otherwise.

    Args:
        query_id: The query.
        labels: Its rows of a release.
        sides: Side of each code; one without is on neither.
        wanted: Side of the query.
        codes: Text of each code.
    """
    usable = [row for row in labels if row["label"] is not None and sides.get(row["function_id"]) == wanted]
    wrong = {row["function_id"]: _words(codes, row) for row in usable if row["label"] == 0}
    for row in usable:
        if row["label"] == 1:
            positive, own = row["function_id"], _words(codes, row)
            others = [other for other, words in wrong.items() if words != own]
            chosen = sorted(others, key=lambda other, mine=positive: _digest(mine, other))[:NEGATIVES]
            yield from (Triple(query_id, positive, negative) for negative in chosen)


def _words(codes: Mapping[str, str], row: Mapping[str, Any]) -> str:
    # What verifies a folder lays out whatever it holds: a code without a text is like no other.
    identifier = row["function_id"]
    return code_words(codes[identifier]) if identifier in codes else identifier


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()
