"""What every store of generations does."""

from dataclasses import replace

from retriever.domain.ensemble import Weights
from retriever.domain.generations import Generation, Space

FIRST = Generation("first", (Space("mini", "mini", ""),), "", Weights({"mini": 1.5}, text=0.2, crowding=-0.3), "whole")
SECOND = Generation("second", (Space("b:2@code-1", "b", "b:2"), Space("a:1@code-1", "a", "a:1")), "code-1")


async def test_generations_are_kept_in_their_order_and_one_answers(store):
    assert await store.known() == ([], "", False)
    await store.add(SECOND)
    await store.add(FIRST)
    await store.add(replace(SECOND, text_form="other"))
    kept, active, pinned = await store.known()
    assert (active, pinned) == ("", False)
    assert [replace(one, made_at="") for one in kept] == [SECOND, FIRST] and all(one.made_at for one in kept)
    await store.choose("first", pinned=False)
    assert (await store.known())[1:] == ("first", False)
    await store.choose("second", pinned=True)
    assert (await store.known())[1:] == ("second", True)
    await store.choose("second", pinned=False)
    assert (await store.known())[1:] == ("second", False)


async def test_a_dropped_generation_is_built_anew_when_it_comes_back(store):
    await store.add(SECOND)
    await store.set_state("second", "whole")
    await store.add(SECOND)
    assert [one.state for one in (await store.known()).all] == ["whole"]
    await store.set_state("second", "dropped")
    assert [one.state for one in (await store.known()).all] == ["dropped"]
    await store.add(SECOND)
    assert [one.state for one in (await store.known()).all] == ["building"]


async def test_what_was_taken_over_learns_its_models(store):
    await store.add(FIRST)
    bound = replace(FIRST, spaces=(Space("mini", "mini", "mini:7"),), text_form="code-1")
    await store.add(SECOND)
    await store.bind(bound, ["second"])
    [kept] = (await store.known()).all
    assert replace(kept, made_at="") == bound and kept.bound and not FIRST.bound
