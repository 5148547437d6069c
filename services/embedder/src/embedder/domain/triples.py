"""What a search model is fine-tuned on: triples as a release of labels exports them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from embedder.errors import BadTriplesError

FIELDS = ("anchor", "positive", "negative")


@dataclass(frozen=True, slots=True)
class Triple:
    """A query, a code that answers it, and one that does not."""

    anchor: str
    positive: str
    negative: str


def read_triples(lines: Iterable[str], name: str) -> list[Triple]:
    """Triples of JSON lines.

    Args:
        lines: One object each, with `anchor`, `positive` and `negative`; what else it has is passed over.
        name: Where they come from, for people.

    Raises:
        BadTriplesError: a line is none, or there is no line.
    """
    found: list[Triple] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            content: object = json.loads(line)
        except ValueError as error:
            raise BadTriplesError(f"line {number} is no JSON: {error}", thing=name, way_out=_WAY_OUT) from error
        fields = cast("dict[str, Any]", content) if isinstance(content, dict) else {}
        values = [fields.get(field) for field in FIELDS]
        if not all(isinstance(value, str) and value.strip() for value in values):
            raise BadTriplesError(f"line {number} is not {', '.join(FIELDS)}", thing=name, way_out=_WAY_OUT)
        found.append(Triple(*cast("list[str]", values)))
    if not found:
        raise BadTriplesError("holds no triple", thing=name, way_out=_WAY_OUT)
    return found


_WAY_OUT = "take train.jsonl of `touchstone labels release export NAME --format triples`"
