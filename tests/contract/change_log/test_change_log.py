"""What every log of changes does."""

import asyncio

from retriever.adapters.held_index import Change


async def test_changes_come_back_in_order_as_they_were_noted(log):
    assert await log.head() == 0 and await log.after(0, 10) == []
    await log.append(["a", "b"], [], ["mini:1@code-1"])
    await log.append([], ["source"], [])
    assert await log.head() == 2
    expected = [Change(1, ("a", "b"), (), ("mini:1@code-1",)), Change(2, (), ("source",), ())]
    assert await log.after(0, 10) == expected
    assert await log.after(0, 1) == expected[:1] and await log.after(1, 10) == expected[1:]


async def test_writers_side_by_side_leave_no_gap(log):
    await asyncio.gather(*(log.append([f"f{number}"], [], []) for number in range(4)))
    assert [one.number for one in await log.after(0, 10)] == [1, 2, 3, 4]


async def test_old_changes_go_and_numbers_stay(log):
    for number in range(8):
        await log.append([f"f{number}"], [], [])
    assert [one.number for one in await log.after(0, 10)] == [4, 5, 6, 7, 8] and await log.head() == 8
