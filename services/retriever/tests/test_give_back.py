"""No code keeps a generation from ever being whole: what the embedder does not know is given back to it."""

import itertools
from dataclasses import replace

import pytest

from retriever.domain.generations import Later
from retriever.errors import EmbedderAwayError, EmbedderRefusedError, EmbedderUnavailableError
from retriever.usecases.give_back import GiveBack

MINI, BIG = "mini:1@code-1", "big:1@code-1"


class Here:
    """An index of whose codes the embedder knows some, two models of which one comes later, and a clock."""

    def __init__(self, index, server, generations, lag, entry):
        self.index, self.server, self.generations, self.lag, self.entry = index, server, generations, lag, entry
        self.now = 0.0
        self.give_back = GiveBack(generations, index, server, lag, patience_s=600, clock=lambda: self.now)

    async def take(self, names, *keys):
        await self.index.upsert([self.entry(name, models=keys) for name in names])

    async def after(self, seconds):
        self.now += seconds
        await self.generations.look()
        given = await self.give_back()
        await self.generations.look()
        return given

    async def stands_still(self):
        """The number of codes is seen, and seen again when it stood still for long enough."""
        await self.after(120)
        return await self.after(600)

    async def answers_by(self):
        return sorted(space.model for space in (await self.generations.active()).spaces)

    async def told(self):
        return {len(one.generation.spaces): (one.lacking, one.left_out) for one in await self.generations.report()}


@pytest.fixture
async def here(memory_index, models, generations_over, lag, entry):
    server = models(mini="1", big="1")
    server.later = Later(frozenset({"big"}), caught_up=True)
    lag.functions_behind = 0
    made = Here(memory_index, server, generations_over(memory_index, server), lag, entry)
    await made.take(["old", "older", "new"], MINI)
    await made.take(["new"], BIG)
    await made.generations.look()
    return made


async def test_what_the_embedder_does_not_know_is_given_to_it_and_both_models_take_over(here):
    assert await here.answers_by() == ["mini"]
    # The embedder has done all that it knows of, and would say so for ever.
    assert await here.after(120) == 0 == await here.after(500) and not here.server.given
    assert await here.after(100) == 2 and here.server.given == [["shapes-1.0:old", "shapes-1.0:older"]]
    assert await here.answers_by() == ["mini"]
    # It knows them now, and has its work before it.
    here.server.later = replace(here.server.later, caught_up=False)
    assert await here.after(6000) == 0
    await here.take(["old", "older"], BIG)
    assert await here.answers_by() == ["mini"]
    here.server.later = replace(here.server.later, caught_up=True)
    assert await here.after(1) == 0
    assert await here.answers_by() == ["big", "mini"] and await here.told() == {1: (0, 0), 2: (0, 0)}
    assert await here.stands_still() == 0 and len(here.server.given) == 1


async def test_what_gets_no_vector_even_then_is_told_and_keeps_nothing_from_taking_over(here):
    assert await here.stands_still() == 2
    await here.take(["old"], BIG)
    assert await here.answers_by() == ["mini"]
    # Not given a second time; it has as long to come as the number stands still.
    assert await here.stands_still() == 0 and await here.answers_by() == ["big", "mini"]
    assert await here.told() == {1: (0, 0), 2: (1, 1)} and len(here.server.given) == 1
    [both] = [one.generation.name for one in await here.generations.report() if one.left_out]
    await here.generations.switch(both)
    # What comes to lack one after that is not meant.
    await here.take(["newest"], MINI)
    assert await here.told() == {1: (0, 0), 2: (2, 1)}
    assert await here.stands_still() == 1 and here.server.given[1:] == [["shapes-1.0:newest"]]


async def test_what_was_given_back_is_given_back_once_more_for_the_next_generation(here):
    assert await here.stands_still() == 2
    await here.take(["old", "older"], BIG)
    # Another model comes, and the embedder is at work until it has done all that it knows of.
    here.server.digests = {"mini": "1", "big": "2"}
    here.server.later = replace(here.server.later, caught_up=False)
    assert await here.after(100) == 0
    await here.take(["new"], "big:2@code-1")
    here.server.later = replace(here.server.later, caught_up=True)
    assert await here.stands_still() == 2 and len(here.server.given) == 2
    assert await here.answers_by() == ["mini"]
    await here.take(["old", "older"], "big:2@code-1")
    assert await here.stands_still() == 0 and await here.answers_by() == ["big", "mini"]


async def test_nothing_is_given_back_while_anything_is_under_way(here):
    for behind, later in (
        (3, here.server.later),
        (-1, here.server.later),
        (0, replace(here.server.later, caught_up=False)),
    ):
        here.lag.functions_behind, here.server.later = behind, later
        assert await here.stands_still() == 0 == await here.stands_still()
    here.lag.functions_behind, here.server.later = 0, replace(here.server.later, caught_up=True)
    # The time before counts for nothing, and neither does a number that moved.
    assert await here.after(600) == 0
    await here.take(["old"], BIG)
    assert await here.after(600) == 0 and await here.after(599) == 0 and await here.after(1) == 1


async def test_an_index_without_a_generation_gives_nothing_back(memory_index, models, generations_over, lag, entry):
    lag.functions_behind, server = 0, models()
    made = Here(memory_index, server, generations_over(memory_index, server), lag, entry)
    await made.take(["old"], MINI)
    assert await made.stands_still() == 0 and not server.given


async def test_one_model_alone_gets_what_it_lacks_too(here):
    here.server.digests, here.server.later = {"mini": "2"}, None
    assert await here.stands_still() == 3
    await here.take(["new", "old", "older"], "mini:2@code-1")
    await here.generations.look()
    assert (await here.generations.active()).keys == {"mini:2@code-1"}


async def test_an_embedder_that_goes_away_gets_the_rest_later(here):
    await here.take([f"f{number:02}" for number in range(20)], MINI)
    take, calls = here.server.embed_functions, []

    async def once(records):
        calls.append(len(records))
        if len(calls) == 2:
            raise EmbedderAwayError("does not answer", thing="the embedder")
        await take(records)

    here.server.embed_functions = once
    with pytest.raises(EmbedderAwayError):
        await here.stands_still()
    assert await here.after(120) == 6 and calls == [16, 6, 6]
    assert sorted(itertools.chain(*here.server.given)) == sorted(await here.index.ids_lacking([BIG], "", 99))


async def test_a_code_that_the_embedder_cannot_take_keeps_no_other_one_back(here):
    take = here.server.embed_functions

    async def refuses(records):
        if any("older" in record for record in records):
            raise EmbedderRefusedError("is no function", thing="older")
        await take(records)

    here.server.embed_functions = refuses
    assert await here.stands_still() == 2 and here.server.given == [["shapes-1.0:old"]]
    await here.take(["old"], BIG)
    assert await here.stands_still() == 0 and await here.told() == {1: (0, 0), 2: (1, 1)}


async def test_an_embedder_that_lost_all_that_it_knew_and_rests_is_given_what_it_lacks(here):
    here.server.later = Later(frozenset({"big"}), rests=False)
    assert await here.stands_still() == 0
    here.server.later = Later(frozenset({"big"}), rests=True)
    assert await here.stands_still() == 2 and here.server.given == [["shapes-1.0:old", "shapes-1.0:older"]]
    here.server.later = Later(frozenset({"big"}), done=1, total=2, rests=True)
    assert await here.stands_still() == 0
    await here.take(["old", "older"], BIG)
    here.server.later = Later(frozenset({"big"}), done=2, total=2, rests=True, caught_up=True)
    await here.stands_still()
    assert await here.answers_by() == ["big", "mini"]


@pytest.mark.parametrize("passes", [True, False])
async def test_a_code_at_which_the_embedder_fails_keeps_no_other_one_back_and_is_tried_again(here, passes):
    take, tried = here.server.embed_functions, []

    async def fails(records):
        if any("older" in record for record in records):
            tried.append(len(records))
            if not passes or len(tried) < 4:
                raise EmbedderUnavailableError("failed: INTERNAL", thing="the embedder")
        await take(records)

    here.server.embed_functions = fails
    assert await here.stands_still() == 2 and here.server.given == [["shapes-1.0:old"]]
    await here.take(["old"], BIG)
    for _turn in range(20):
        await here.after(600)
    if passes:
        assert here.server.given == [["shapes-1.0:old"], ["shapes-1.0:older"]]
    else:
        assert tried == [2, 1, 1, 1] and await here.told() == {1: (0, 0), 2: (1, 1)}
        assert await here.answers_by() == ["big", "mini"]
