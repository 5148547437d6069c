"""Kafka in: a proposed pair waits for its turn."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from annotator.domain.pair import Pair
from annotator.domain.worth import worth
from annotator.usecases.waiting import PoolWork
from touchstone_contracts.events import PairProposed


def take_proposed(work: PoolWork) -> Callable[[PairProposed], Awaitable[None]]:
    """The handler of `pair.proposed`."""

    async def handle(event: PairProposed) -> None:
        function = event.function
        pair = Pair(
            pair_id=event.pair_id,
            query_id=event.query_id,
            query=event.query,
            function_id=function.function_id,
            code=function.code,
            language=function.language,
            name=function.name,
            imports=function.imports,
            file_imports=function.file_imports,
            repository=function.source.name,
            version=function.source.version,
            path=function.path,
            qualname=function.qualname,
            similarity=event.score,
            licence=function.source.licence,
        )
        await work.enter(pair, worth(event.rank, event.places))

    return handle
