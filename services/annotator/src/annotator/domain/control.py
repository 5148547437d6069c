"""A code that surely does something else than a query asks for, and a query that it surely answers.

A judge's word on a pair can only be believed if it can be another one. Whoever says yes to everything that comes with
a query, or no to everything, listens to the query and does not judge; and who says yes to a code whatever is asked for
listens to the code.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from annotator.domain.execution import CaseRun
from annotator.domain.pair import Pair
from annotator.domain.program import Case
from touchstone_values import MalformedValueError, decode, encode

_ASKED = "twice a number plus seven"
_CODES = {
    "python": "def compute(number):\n    return 2 * number + 7",
    "javascript": "function compute(number) {\n  return 2 * number + 7;\n}",
    "typescript": "function compute(number: number): number {\n  return 2 * number + 7;\n}",
    "java": "static int compute(int number) {\n    return 2 * number + 7;\n}",
    "go": "func compute(number int) int {\n\treturn 2*number + 7\n}",
    "php": "function compute($number) {\n    return 2 * $number + 7;\n}",
}


def other_code(pair: Pair) -> Pair:
    """The query with a code that does something else; the same one for every pair of the query and the language."""
    return Pair("", pair.query_id, pair.query, "", _CODES[pair.language], pair.language)


def either_query(pair: Pair) -> Pair:
    """A code that does what the query asks for, as the query is one of two wishes, and the other one is met."""
    return replace(other_code(pair), query=f"{_ASKED} (or, just as good: {pair.query})")


def with_other_label(pair: Pair, label: int) -> Pair:
    """What the query's own words must get another label with than this one."""
    return other_code(pair) if label else either_query(pair)


def other_query(pair: Pair) -> Pair:
    """The code with a query that it does not answer."""
    return replace(pair, query=_ASKED)


def runs_of_other(cases: Sequence[Case]) -> tuple[CaseRun, ...]:
    """How each call of the code ends that `other_code` shows."""
    return tuple(_run(case.arguments) for case in cases)


def _run(arguments: str) -> CaseRun:
    try:
        told: object = decode(arguments)
    except MalformedValueError:
        return CaseRun("raised", error_type="ValueError")
    given = list(cast("dict[str, object]", told).values()) if isinstance(told, dict) else told
    if isinstance(given, list):
        match cast("list[object]", given):
            case [int() | float() as number]:
                return CaseRun("returned", encode(2 * number + 7))
            case [_]:
                return CaseRun("raised", error_type="TypeError", message="it is no number")
            case _:
                pass
    return CaseRun("raised", error_type="TypeError", message="compute() takes 1 positional argument")
