"""`query.imported` and `pair.proposed` on the bus."""

from __future__ import annotations

from collections.abc import Sequence

from retriever.ports import ImportedQuery, Proposal
from touchstone_contracts.events import Function, PairProposed, QueryImported
from touchstone_contracts.topics import PAIR_PROPOSED, QUERY_IMPORTED
from touchstone_runtime.bus import Bus


class BusQueryPublisher:
    """Implements `QueryPublisher`."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def publish(self, queries: Sequence[ImportedQuery]) -> None:
        """Publish; returns when the broker has confirmed all."""
        await self._bus.publish_all(
            QUERY_IMPORTED,
            [
                QueryImported(
                    query_id=query.query_id, text=query.text, origin=query.origin, candidates=query.candidates
                )
                for query in queries
            ],
        )


class BusProposalPublisher:
    """Implements `ProposalPublisher`."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def publish(self, query: ImportedQuery, proposals: Sequence[Proposal]) -> None:
        """Publish; returns when the broker has confirmed all."""
        await self._bus.publish_all(PAIR_PROPOSED, [event_of(query, one) for one in proposals])


def event_of(query: ImportedQuery, proposal: Proposal) -> PairProposed:
    """The event of a candidate pair."""
    return PairProposed(
        pair_id=proposal.pair_id,
        query_id=query.query_id,
        query=query.text,
        function=Function.model_validate_json(proposal.record),
        rank=proposal.rank,
        score=proposal.score,
        places=dict(proposal.places),
    )


def query_of(event: QueryImported) -> ImportedQuery:
    """The query of an event."""
    return ImportedQuery(event.query_id, event.text, event.origin, event.candidates)
