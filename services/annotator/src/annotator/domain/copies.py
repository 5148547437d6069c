"""Codes that are the very same: what was judged of one for a query holds of the others."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

from annotator.domain.record import PERSON
from annotator.domain.release import Json
from touchstone_contracts.identities import code_id, pair_id


async def copies_of(codes: AsyncIterator[Json]) -> dict[str, list[str]]:
    """For each code whose text and language others have too, the ids of these."""
    ids: dict[bytes, list[str]] = {}
    async for row in codes:
        text = bytes.fromhex(code_id(row["code"], row["language"]))
        ids.setdefault(text, []).append(row["function_id"])
    alike = [each for each in ids.values() if len(each) > 1]
    return {one: [other for other in each if other != one] for each in alike for one in each}


async def with_copies(labels: AsyncIterator[Json], copies: Mapping[str, Sequence[str]]) -> AsyncIterator[Json]:
    """The labels, and those of pairs that nobody judged since the code of another pair of the query is the very same.

    Who finds such a copy has found what was judged.

    Args:
        labels: Rows in the order of queries.
        copies: What `copies_of` gives.
    """
    async for query_id, rows in by_query(labels):
        held = {row["function_id"] for row in rows}
        for row in rows:
            yield row
        # A person's word stands first, as it does where two pairs have one text; what nobody decided, last.
        for row in sorted(rows, key=lambda row: (row["label"] is None, row["decided_by"] != PERSON)):
            for other in copies.get(row["function_id"], ()):
                if other not in held:
                    held.add(other)
                    yield row | {"function_id": other, "pair_id": pair_id(query_id, other)}


async def by_query(rows: AsyncIterator[Json]) -> AsyncIterator[tuple[str, list[Json]]]:
    """Rows that come in the order of queries, query by query."""
    held: list[Json] = []
    async for row in rows:
        if held and held[0]["query_id"] != row["query_id"]:
            yield held[0]["query_id"], held
            held = []
        held.append(row)
    if held:
        yield held[0]["query_id"], held
