"""What is nearest to a question among the objects that a filter of Weaviate's admits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from weaviate.classes.query import MetadataQuery

from retriever.adapters.weaviate_objects import vector_name
from retriever.domain.scoring import DIGITS
from retriever.domain.text import K1


async def nearest(collection: Any, key: str, vector: NDArray[np.float32], filters: Any, depth: int) -> dict[str, float]:
    """Cosines of the nearest codes of a space, by id; none where there is no filter.

    Args:
        collection: Of the client.
        key: Of the space.
        vector: (d,) float32, L2-normalised.
        filters: What may be found.
        depth: Most codes.
    """
    if filters is None:
        return {}
    answer = await collection.query.near_vector(
        near_vector=vector.tolist(),
        target_vector=vector_name(key),
        limit=depth,
        filters=filters,
        return_properties=["function_id"],
        return_metadata=MetadataQuery(distance=True),
    )
    # The distance is the negative product, and vectors have length one.
    return {str(one.properties["function_id"]): round(-one.metadata.distance, DIGITS) for one in answer.objects}


async def by_text(collection: Any, asked: Sequence[str], filters: Any, depth: int) -> dict[str, float]:
    """BM25 of the codes that are best by these words, by id; none without a word."""
    if not asked:
        return {}
    answer = await collection.query.bm25(
        query=" ".join(asked),
        query_properties=["words"],
        limit=depth,
        filters=filters,
        return_properties=["function_id"],
        return_metadata=MetadataQuery(score=True),
    )
    # Its form leaves out the constant numerator.
    scores = {str(one.properties["function_id"]): one.metadata.score * (K1 + 1) for one in answer.objects}
    return {function_id: round(score, DIGITS) for function_id, score in scores.items()}


def best(scores: Mapping[str, float], depth: int) -> dict[str, float]:
    """The highest scores, equal ones by id."""
    return dict(sorted(scores.items(), key=lambda one: (-one[1], one[0]))[:depth])
