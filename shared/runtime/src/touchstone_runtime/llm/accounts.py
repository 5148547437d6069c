"""What questions to models took, as a service tells it with its progress."""

# Generated messages of a package without a stub of its own.
# pyright: reportMissingTypeStubs=false

from __future__ import annotations

from touchstone.common.v1 import progress_pb2
from touchstone_runtime.llm.ledger import Ledger


async def spending(ledger: Ledger | None, wanted: bool) -> list[progress_pb2.Spent]:
    """The ledger by day, purpose and model, as messages; nothing where nobody asks, or no model is asked.

    Args:
        ledger: The service's books.
        wanted: Whether the caller asks for them.
    """
    if ledger is None or not wanted:
        return []
    return [
        progress_pb2.Spent(
            model=total.model,
            purpose=total.purpose,
            day=total.day.isoformat() if total.day else "",
            calls=total.usage.calls,
            cached_hits=total.cached_hits,
            tokens_in=total.usage.tokens_in,
            tokens_out=total.usage.tokens_out,
            seconds=total.usage.seconds,
            cost_usd=total.usage.cost_usd,
            thought_tokens=total.usage.thought_tokens,
            lost_tokens=total.usage.lost_tokens,
            # A model without an address in its name is our own, and free unless it is served elsewhere.
            unpriced_tokens=total.unpriced_tokens if "@" in total.model or ledger.unpriced(total.model) else 0,
        )
        for total in await ledger.by_day()
    ]
