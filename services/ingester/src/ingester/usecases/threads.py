"""Blocking ports from a loop that must go on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from typing import TypeVar

Item = TypeVar("Item")
in_thread = asyncio.to_thread


async def stepwise(items: Iterable[Item]) -> AsyncIterator[Item]:
    """The items of a blocking iterator, each fetched in a thread."""
    iterator = iter(items)
    while True:
        found = await in_thread(lambda: next(iterator, None))
        if found is None:
            return
        yield found
