"""A pair that is to be judged for an evaluation, and its judgement."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PairAsked:
    """A query and a code of a query set, by id and by text."""

    query_id: str
    code_id: str
    words: str
    text: str
    language: str


@dataclass(frozen=True, slots=True)
class Judgement:
    """What was said of a pair.

    Attributes:
        outcome: "yes", "no" or "undecided".
        fresh: Whether it was judged for this evaluation; else it had its label before, unknown to the query set.
    """

    query_id: str
    code_id: str
    outcome: str
    fresh: bool
