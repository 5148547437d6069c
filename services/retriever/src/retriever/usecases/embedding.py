"""Vectors of a question, for which nobody waits longer than the caller does."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from retriever.domain.code import Vectors
from retriever.errors import EmbedderUnavailableError
from retriever.ports import QueryEmbedder, Role


async def embedded(embedder: QueryEmbedder, texts: Sequence[str], role: Role, within_s: float | None) -> list[Vectors]:
    """Vectors of each text.

    Args:
        embedder: Makes them.
        texts: What is embedded.
        role: Whether they are questions or code.
        within_s: How long is waited, in seconds; None for as long as the embedder takes.

    Raises:
        EmbedderUnavailableError: nobody answers, or not in time.
    """
    try:
        async with asyncio.timeout(within_s):
            return await embedder.embed(texts, role)
    except TimeoutError as error:
        raise EmbedderUnavailableError(
            f"did not answer within {within_s:.3g} s", thing="the embedder", way_out="see `touchstone status`"
        ) from error
