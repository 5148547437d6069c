"""Passes that were cut short, and sources that are taken in again: nothing is lost, and nothing silently stays."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ingester.domain import following
from touchstone_runtime.errors import RetryableError

SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1 if x < 0 else 0\n"
CLAMP = "def clamp(x, low, high):\n    return low if x < low else high if x > high else x\n"


@pytest.mark.parametrize("kind", ["package", "git"])
async def test_what_an_earlier_version_told_nobody_of_is_told_by_the_next(world, kind):
    world.shelf.files = {"a.py": SIGN, "b.py": CLAMP}
    world.shelf.dates = dict.fromkeys(world.shelf.files, [world.now] * 9)
    source = await world.ingestion.add(kind, "shelf")
    world.heard.fail_after = 0
    with pytest.raises(RetryableError):
        await world.ingestion.ingest(source.source_id)
    world.heard.fail_after = -1
    world.shelf.version = replace(world.shelf.version, version="1.1")
    # Moved: at another place of its source nothing tells it for the same function.
    world.shelf.files = {"a.py": SIGN, "moved.py": CLAMP}
    world.shelf.dates = dict.fromkeys(world.shelf.files, [world.now] * 9)
    await world.ingestion.ingest(source.source_id)
    assert {item.found.name: item.rejected_by for item in world.heard.functions} == {"sign": "", "clamp": ""}
    world.shelf.version = replace(world.shelf.version, version="1.2")
    world.heard.functions.clear()
    await world.ingestion.ingest(source.source_id)
    assert {item.rejected_by for item in world.heard.functions} == {"unchanged"}


class Killed(BaseException):
    """The process ends, wherever it is."""


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("place", ["a.py", "moved.py"])
async def test_what_may_have_been_told_is_no_second_candidate_of_a_newer_version(world, times, place):
    class Dying(type(world.store)):
        left = times

        async def told(self, function_ids):
            if self.left:
                self.left -= 1
                raise Killed
            await super().told(function_ids)

    world.store = Dying()
    world.shelf.files = {"a.py": SIGN, "b.py": CLAMP}
    source = await world.ingestion.add("package", "shelf")
    for nth in range(times):
        with pytest.raises(Killed):
            await world.ingestion.ingest(source.source_id)
        world.shelf.version = replace(world.shelf.version, version=f"1.{nth + 1}")
        # What is gone from the newer version is claimed by nobody at last.
        world.shelf.files = {place: SIGN}
    assert (await world.ingestion.ingest(source.source_id)).state == "ingested"
    told = [item for item in world.heard.functions if item.found.name == "sign"]
    assert len(told) == times + 1 and {item.rejected_by for item in told} == {""}
    assert len({item.function_id for item in told}) == 1
    world.heard.functions.clear()
    world.shelf.version = replace(world.shelf.version, version="2.0")
    await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["unchanged"]
    world.shelf.files = {"c.py": CLAMP, "d.py": SIGN}
    other = await world.ingestion.add("package", "other")
    assert (await world.ingestion.ingest(other.source_id)).reasons == {"duplicate_name": 1}


async def test_what_is_written_is_written_with_its_claims_or_not_at_all(world):
    world.shelf.files = {"a.py": SIGN}
    source = await world.ingestion.add("package", "shelf")
    store = world.store
    seen = []
    whole = store.take

    async def take(*given):
        taken = await whole(*given)
        seen.append((set(store.keys.values()), set(store.functions)))
        return taken

    store.take = take
    await world.ingestion.ingest(source.source_id)
    ((owners, written),) = seen
    assert owners and owners <= written and written == store.heard_of


async def test_a_wider_window_takes_the_same_version_in_again(world):
    world.shelf.files = {"a.py": SIGN}
    world.shelf.past = {"0.9": (world.now - timedelta(days=500), {"a.py": SIGN})}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["outside_window"]
    assert (await world.ingestion.ingest(source.source_id)).state == "unchanged"
    world.heard.functions.clear()
    await world.ingestion.add("package", "shelf", window_days=730)
    assert (await world.ingestion.ingest(source.source_id)).state == "ingested"
    assert [item.rejected_by for item in world.heard.functions] == [""]
    # Named again without a window, it keeps the one that it has.
    assert (await world.ingestion.add("package", "shelf")).window_days == 730
    assert (await world.ingestion.ingest(source.source_id)).state == "unchanged"


@pytest.mark.parametrize("changed", ["licences", "rules"])
async def test_other_rules_take_the_same_version_in_again(world, monkeypatch, changed):
    world.shelf.files = {"a.py": SIGN}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    if changed == "rules":
        monkeypatch.setattr(following, "RULES", following.RULES + 1)
    else:
        world.policy = replace(world.policy, licences=("Apache-2.0",))
    world.heard.functions.clear()
    assert (await world.ingestion.ingest(source.source_id)).state == "ingested"
    assert [item.rejected_by for item in world.heard.functions] == ["licence" if changed == "licences" else ""]
    assert (await world.ingestion.ingest(source.source_id)).state == "unchanged"
    assert (await world.store.get(source.source_id)).rules.startswith(f"rules {following.RULES}, 365 days")
