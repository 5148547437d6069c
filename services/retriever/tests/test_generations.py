"""Generations: a question meets one, a new one takes over when it is whole, an earlier one can be gone back to."""

import base64
from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from retriever.adapters.records import entry_of
from retriever.domain.code import SearchFilter
from retriever.domain.ensemble import Weights
from retriever.domain.generations import Later
from retriever.errors import BadRequestError, EmbedderAwayError, ModelsGoneError
from retriever.handlers import on_functions_embedded
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.by_generation import SearchByGeneration
from retriever.usecases.generations import GenerationEmbedder
from retriever.usecases.index import IndexFunctions
from retriever.usecases.plain import PlainSearch
from retriever.usecases.question import SearchQuestion
from retriever.usecases.search import Search
from touchstone_contracts.events import FunctionEmbedded, Vector

MODELS_ONLY = (Weights({"mini": 1.0}, text=0, crowding=0), Weights({"big": 1.0, "mini": 1.0}, text=0, crowding=0))


class World:
    """A retriever without servers."""

    def __init__(self, index, readings, generations, server, function, direction, lag):
        self.index, self.generations, self.server = index, generations, server
        self._function, self._direction = function, direction
        self._take = on_functions_embedded(IndexFunctions(index, readings), generations)
        self._lag = lag
        self.embedder = GenerationEmbedder(generations, server)
        self.of = SearchByGeneration(self.search_by, generations)
        self.search = self._search(self.embedder, generations.active)

    def _search(self, embedder, by):
        plain = PlainSearch(self.index, embedder, (), by)
        return Search(self.index, plain, AugmentedSearch(self.index, embedder, None, {}), self._lag)

    def search_by(self, name):
        """Answers by another generation than the one that answers."""
        embedder = GenerationEmbedder(self.generations, self.server, name)
        return self._search(embedder, partial(self.generations.named, name) if name else self.generations.active)

    async def asked(self, **more):
        """What a caller gets, who may name nothing."""
        question = SearchQuestion("what is near to 0", **more)
        return await (await self.of(question))(question)

    async def embed(self, names, degrees, identities=None, text_form=None):
        """Events of the embedder's models come in, as they would be now."""
        identities = self.server.identities() if identities is None else identities
        form = self.server.text_form if text_form is None else text_form
        await self._take([self.event(name, degrees, identities, form) for name in names])

    def event(self, name, degrees, identities, text_form):
        turned = degrees + float(name.lstrip("f"))
        data = base64.b64encode(self._direction(turned).tobytes()).decode()
        vectors = tuple(Vector(model=m, identity=i, dimensions=2, data=data) for m, i in identities)
        return FunctionEmbedded(function=self._function(name, docstring="Near."), vectors=vectors, text_form=text_form)

    async def answer(self, **more):
        answer = await self.search(SearchQuestion("what is near to 0", **more))
        return answer.generation, [one.hit.code.qualname for one in answer.results], answer.note

    async def status(self):
        return {one.generation.name: (one.active, one.pinned, one.current, one.lacking)
                for one in await self.generations.report()}  # fmt: skip


@pytest.fixture
def world(memory_index, memory_readings, memory_generations, models, function, direction, lag, generations_over):
    def make(server=None, **more):
        server = server or models(mini="1")
        made = generations_over(memory_index, server, memory_generations, **{"weights": MODELS_ONLY, **more})
        return World(memory_index, memory_readings, made, server, function, direction, lag)

    return make


async def test_what_came_while_a_new_generation_is_built_counts_as_not_yet_searchable(world):
    """By models that is, until that one answers; words and exact questions find it."""
    here = world()
    await here.generations.look()
    await here.embed([f"f{degrees}" for degrees in range(10, 30)], 0)
    here.server.spare, here.server.digests = here.server.digests, {"big": "2"}
    await here.generations.look()
    await here.embed(["f1", "f2", "f3"], 0)
    answer = await here.asked(limit=100)
    assert len(answer.results) == 20 and answer.indexed == 23 and answer.functions_behind == 5 + 3
    assert (await here.asked(parts=("text",))).functions_behind == 5
    listed = await here.search(SearchQuestion("", SearchFilter(symbol="f1")))
    assert len(listed.results) == 1 and listed.functions_behind == 5
    here._lag = type("Unknown", (), {"functions_behind": -1})()
    assert (await here.asked()).functions_behind == -1
    await here.embed([f"f{degrees}" for degrees in range(10, 30)], 0)
    await here.generations.look()
    here._lag = type("Nothing", (), {"functions_behind": 0})()
    answer = await here.asked(limit=100)
    assert len(answer.results) == 23 and answer.functions_behind == 0


async def test_a_new_model_is_built_beside_the_old_one_and_takes_over_when_it_is_whole(world, models):
    here = world()
    await here.generations.look()
    await here.embed(["f10", "f40", "f70"], 0)
    [first] = await here.status()
    assert await here.answer() == (first, ["f10", "f40", "f70"], "")

    # The same name with other weights, which turn everything the other way round.
    here.server.digests = {"mini": "2"}
    await here.generations.look()
    await here.embed(["f70", "f40"], -80)
    await here.generations.look()
    status = await here.status()
    [second] = set(status) - {first}
    assert status == {first: (True, False, False, 0), second: (False, False, True, 1)}
    # The weights that made the old vectors are gone: words find, and no vector of the new ones is compared with them.
    name, found, note = await here.answer()
    assert (name, sorted(found)) == (first, ["f10", "f40", "f70"]) and "ranked without mini" in note
    with pytest.raises(ModelsGoneError, match=first):
        await here.embedder.embed(["0"], "query")
    await here.embed(["f10"], -80)
    await here.generations.look()
    assert await here.status() == {first: (False, False, False, 0), second: (True, False, True, 0)}
    assert await here.answer() == (second, ["f70", "f40", "f10"], "")


async def test_a_question_can_name_another_generation_as_long_as_there_is_one(world):
    here = world()
    await here.generations.look()
    await here.embed(["f10", "f40"], 0)
    [first] = await here.status()
    # The same weights over another form of the text, as without the bodies of callees.
    here.server.text_form = "code-2"
    await here.generations.look()
    await here.embed(["f10", "f40"], -60)
    await here.generations.look()
    [second] = set(await here.status()) - {first}

    async def names(name, **more):
        answer = await here.search_by(name)(SearchQuestion("what is near to 0", generation=name, **more))
        return answer.generation, [one.hit.code.qualname for one in answer.results]

    assert await names(first) == (first, ["f10", "f40"])
    assert await names(second) == (second, ["f40", "f10"]) == (await here.answer())[:2]
    cursor = (await here.search_by(first)(SearchQuestion("0", generation=first, limit=1))).next_cursor
    with pytest.raises(BadRequestError, match="another question"):
        await here.search_by(second)(SearchQuestion("0", generation=second, limit=1, cursor=cursor))
    await here.generations.drop(first)
    for name in (first, "nobody"):
        with pytest.raises(BadRequestError, match="no such generation"):
            await names(name)


@pytest.fixture
async def two(world):
    """A world with two whole generations, the second of which answers, and their names."""
    here = world()
    await here.generations.look()
    await here.embed(["f10", "f40", "f70"], 0)
    [first] = await here.status()
    here.server.text_form = "code-2"
    await here.generations.look()
    await here.embed(["f10", "f40", "f70"], -80)
    await here.generations.look()
    [second] = set(await here.status()) - {first}
    return here, first, second


async def test_a_question_keeps_its_generation_whatever_takes_over_while_it_goes_on(two):
    here, first, second = two
    embed = here.server.embed

    async def slowly(texts, models, role):
        rows = await embed(texts, models, role)
        await here.generations.switch(first)
        return rows

    here.server.embed = slowly
    answer = await here.asked()
    assert (answer.generation, [one.hit.code.qualname for one in answer.results]) == (second, ["f70", "f40", "f10"])
    here.server.embed = embed
    assert (await here.asked()).generation == first


async def test_the_next_page_is_of_the_generation_that_gave_the_first(two):
    here, first, second = two
    page = await here.asked(limit=1)
    await here.generations.switch(first)
    rest = await here.asked(cursor=page.next_cursor)
    found = [one.hit.code.qualname for answer in (page, rest) for one in answer.results]
    assert (rest.generation, found) == (second, ["f70", "f40", "f10"])
    here.server.text_form = "code-1"
    await here.generations.look()
    await here.generations.drop(second)
    with pytest.raises(BadRequestError, match="begin without it"):
        await here.asked(cursor=page.next_cursor)


async def test_without_a_generation_words_of_the_way_out_come(world):
    here = world()
    answer = await here.asked()
    assert not answer.results and "no generation yet" in answer.note and "add a source" in answer.note
    with pytest.raises(EmbedderAwayError, match="no generation yet"):
        await here.asked(parts=("mini",))


async def test_until_then_the_old_one_answers_with_its_own_model(world):
    here = world()
    await here.generations.look()
    await here.embed(["f10", "f40"], 0)
    [first] = await here.status()
    # Another model by name; the old one is at hand still.
    here.server.spare, here.server.digests = {"mini": "1"}, {"big": "1"}
    await here.generations.look()
    await here.embed(["f40", "f60"], -60)
    await here.generations.look()
    assert await here.answer() == (first, ["f10", "f40"], "")
    assert here.server.asked[-1] == ["mini"]
    await here.embed(["f10"], -60)
    await here.generations.look()
    [second] = set(await here.status()) - {first}
    # f60 has the vectors of the new one only, and is found as soon as that answers.
    assert await here.answer() == (second, ["f60", "f40", "f10"], "")
    assert here.server.asked[-1] == ["big"]
    # Back by name, and there it stays, whatever the embedder makes; f60 lacks a vector of it.
    with pytest.raises(BadRequestError, match="not whole: 1 codes"):
        await here.generations.switch(first)
    await here.generations.switch(first, anyway=True)
    await here.generations.look()
    assert await here.answer() == (first, ["f10", "f40"], "")
    assert (await here.status())[first] == (True, True, False, 1)
    await here.generations.switch("")
    assert (await here.answer())[0] == second


async def test_another_text_form_or_other_weights_make_another_generation(world, models):
    here = world()
    await here.generations.look()
    await here.embed(["f10"], 0)
    here.server.text_form = "code-2"
    await here.generations.look()
    assert [one[3] for one in (await here.status()).values()] == [0, 1]
    server = here.server
    here.server.text_form = "code-1"
    # Weights need no new vectors: the generation shares them, and is whole at once.
    other = world(server, weights=(Weights({"mini": 1.0}, text=0.5, crowding=0),))
    await other.generations.look()
    status = await other.status()
    assert [one[0] for one in status.values()] == [False, False, True]
    assert {one.generation.keys for one in await other.generations.report()} == {
        frozenset({"mini:1@code-1"}), frozenset({"mini:1@code-2"})
    }  # fmt: skip


async def test_a_model_more_shares_the_vectors_that_are_there(world):
    here = world()
    await here.generations.look()
    await here.embed(["f10"], 0)
    here.server.digests = {"mini": "1", "big": "1"}
    await here.generations.look()
    await here.embed(["f10"], 0, identities=(("big", "big:1"),))
    await here.generations.look()
    [one] = [one for one in await here.generations.report() if one.active]
    assert one.generation.keys == {"mini:1@code-1", "big:1@code-1"} and one.lacking == 0


MINI, BOTH = (("mini", "mini:1"),), (("mini", "mini:1"), ("big", "big:1"))


@pytest.fixture
async def young(world, models):
    """A world whose model big comes later, with some functions, and the names of its generations."""
    here = world(models(mini="1", big="1"))
    here.server.later = Later(frozenset({"big"}))
    await here.generations.look()
    await here.embed(["f10", "f40", "f70"], 0, identities=MINI)
    await here.generations.look()
    named = {one.generation.keys: one.generation.name for one in await here.generations.report()}
    return here, named[frozenset({"mini:1@code-1"})], named[frozenset({"mini:1@code-1", "big:1@code-1"})]


async def caught_up(here):
    here.server.later = replace(here.server.later, caught_up=True)
    await here.generations.look()


async def test_the_model_that_embeds_at_once_answers_until_that_of_all_has_come_to_rest(young):
    here, first, both = young
    assert await here.status() == {first: (True, False, True, 0), both: (False, False, True, 3)}
    assert await here.answer() == (first, ["f10", "f40", "f70"], "") and here.server.asked[-1] == ["mini"]
    # All are there for a moment, but more is coming.
    await here.embed(["f10", "f40", "f70"], 0, identities=BOTH)
    await here.generations.look()
    assert (await here.answer())[0] == first
    await caught_up(here)
    assert await here.status() == {first: (False, False, True, 0), both: (True, False, True, 0)}
    assert await here.answer() == (both, ["f10", "f40", "f70"], "")
    assert sorted(here.server.asked[-1]) == ["big", "mini"]


async def test_that_of_all_models_waits_for_what_the_index_has_not_taken_in_yet(young):
    here, first, both = young
    await here.embed(["f10", "f40"], 0, identities=BOTH)
    await caught_up(here)
    assert (await here.answer())[0] == first
    await here.embed(["f70"], 0, identities=BOTH)
    await here.generations.look()
    assert (await here.answer())[0] == both


async def test_what_is_new_is_found_by_the_one_model_that_it_has_where_all_answer(young):
    here, _first, both = young
    await here.embed(["f10", "f40", "f70"], 0, identities=BOTH)
    await caught_up(here)
    here.server.later = replace(here.server.later, caught_up=False)
    await here.embed(["f5", "f50"], 0, identities=MINI)
    await here.generations.look()
    assert (await here.status())[both] == (True, False, True, 2)
    assert await here.answer() == (both, ["f5", "f10", "f40", "f50", "f70"], "")


async def test_a_model_that_is_not_there_any_more_leaves_the_other_one_answering(young):
    here, first, both = young
    await here.embed(["f10", "f40", "f70"], 0, identities=BOTH)
    await caught_up(here)
    later, here.server.later = here.server.later, None
    here.server.digests = {"mini": "1"}
    await here.generations.look()
    assert await here.answer() == (first, ["f10", "f40", "f70"], "")
    here.server.digests, here.server.later = {"mini": "1", "big": "1"}, replace(later, caught_up=False)
    await here.generations.look()
    assert (await here.answer())[0] == first
    await caught_up(here)
    assert (await here.answer())[0] == both


async def test_an_older_generation_gives_way_to_the_first_that_is_whole(world, models):
    here = world(models(mini="1", big="1"))
    here.server.text_form, here.server.later = "code-0", Later(frozenset({"big"}))
    await here.generations.look()
    await here.embed(["f10"], 0)
    await caught_up(here)
    old = (await here.answer())[0]
    here.server.text_form, here.server.later = "code-1", Later(frozenset({"big"}))
    await here.generations.look()
    assert (await here.answer())[0] == old
    await here.embed(["f10"], 0, identities=MINI)
    await here.generations.look()
    first = (await here.answer())[0]
    await here.embed(["f10"], 0)
    await caught_up(here)
    assert len({old, first, (await here.answer())[0]}) == 3


async def test_what_was_chosen_by_hand_stays_and_neither_of_the_embedders_generations_is_dropped(young):
    here, first, both = young
    await here.embed(["f10", "f40", "f70"], 0, identities=BOTH)
    await here.generations.switch(first)
    await caught_up(here)
    assert (await here.status())[first] == (True, True, True, 0)
    with pytest.raises(BadRequestError, match="makes now"):
        await here.generations.drop(both)
    await here.generations.switch("")
    assert (await here.answer())[0] == both
    with pytest.raises(BadRequestError, match="makes now"):
        await here.generations.drop(first)


async def test_an_index_of_before_is_taken_over_and_answers(world):
    here = world()
    # As an earlier release wrote it: under the model's name.
    await here.embed(["f10", "f40"], 0, identities=(("mini", ""),), text_form="")
    await here.generations.look()
    assert await here.index.spaces() == {"mini"}
    # It may have been made by other weights than the embedder has: it answers by words until that is known.
    name, found, note = await here.answer()
    assert (name, sorted(found)) == ("taken-over", ["f10", "f40"]) and "ranked without mini" in note
    # The embedder sends again what it has, and it is the same.
    await here.embed(["f10"], 0)
    await here.generations.look()
    status = await here.status()
    assert status["taken-over"] == (True, False, True, 0) and await here.index.spaces() == {"mini"}
    assert await here.answer() == ("taken-over", ["f10", "f40"], "")
    # What comes later goes to the same space, and so does what another generation shares with it.
    await here.embed(["f20"], 0)
    assert await here.index.spaces() == {"mini"}
    assert (await here.answer())[1] == ["f10", "f20", "f40"]
    here.server.digests = {"mini": "1", "big": "1"}
    await here.generations.look()
    assert ["big:1@code-1", "mini"] in [sorted(one.generation.keys) for one in await here.generations.report()]


async def test_an_index_of_before_is_not_taken_for_what_newer_weights_make(world):
    here = world()
    await here.embed(["f10", "f40"], 0, identities=(("mini", ""),), text_form="")
    await here.generations.look()
    # The embedder has other weights under the same name, and so embeds everything anew.
    await here.embed(["f10"], -50)
    await here.generations.look()
    name, _found, note = await here.answer()
    assert name == "taken-over" and "ranked without mini" in note
    await here.embed(["f40"], -50)
    await here.generations.look()
    name, found, note = await here.answer()
    assert (name != "taken-over", found, note) == (True, ["f40", "f10"], "")


async def test_what_is_dropped_goes_with_its_vectors_and_does_not_come_back(world):
    here = world()
    await here.generations.look()
    await here.embed(["f10"], 0)
    [first] = await here.status()
    with pytest.raises(BadRequestError, match="answers now"):
        await here.generations.drop(first)
    here.server.digests = {"big": "1"}
    await here.generations.look()
    [second] = set(await here.status()) - {first}
    with pytest.raises(BadRequestError, match="makes now"):
        await here.generations.drop(second)
    await here.embed(["f10"], 0)
    await here.generations.look()
    await here.generations.drop(first)
    await here.generations.look()
    assert await here.index.spaces() == {"big:1@code-1"} and list(await here.status()) == [second]
    # A late event of the dropped one.
    await here.embed(["f10"], 0, identities=(("mini", "mini:1"),))
    assert await here.index.spaces() == {"big:1@code-1"}
    with pytest.raises(BadRequestError, match="no such generation"):
        await here.generations.switch(first)
    # Its models come back: it is built anew.
    here.server.digests = {"mini": "1"}
    await here.generations.look()
    await here.embed(["f10"], 0)
    await here.generations.look()
    assert (await here.answer())[0] == first


async def test_what_few_codes_have_of_a_dropped_one_is_let_go_of_where_a_sample_of_the_index_does_not_tell(world):
    here = world()
    await here.generations.look()
    await here.embed(["f10", "f20"], 0)
    here.server.digests = {"big": "1"}
    await here.generations.look()
    [first, second] = await here.status()
    await here.embed(["f20"], 0)
    here.server.digests = {"mini": "1"}
    await here.generations.look()
    spaces = here.index.spaces

    async def of_the_first_codes():
        return {"mini:1@code-1"}

    here.index.spaces = of_the_first_codes
    await here.generations.drop(second)
    await here.generations.look()
    assert await spaces() == {"mini:1@code-1"} and list(await here.status()) == [first]


async def test_without_an_embedder_there_is_no_generation_and_words_still_find(world, models):
    here = world(models())
    await here.generations.look()
    assert await here.generations.active() is None and await here.status() == {}
    assert "touchstone status" in (await here.answer())[2]
    await here.embed(["f10"], 0, identities=(("mini", "mini:1"),), text_form="code-1")
    assert (await here.answer(parts=("text",)))[1:] == (["f10"], "")
    generation, found, note = await here.answer()
    assert (generation, found) == ("", ["f10"]) and "words alone" in note and "touchstone status" in note
    listed = await here.search(SearchQuestion("", SearchFilter(symbol="f10")))
    assert [one.hit.code.qualname for one in listed.results] == ["f10"]


async def test_only_wanted_models_make_a_generation(world, models):
    here = world(models(mini="1", big="1"), wanted=("big",))
    await here.generations.look()
    [one] = await here.generations.report()
    assert [space.model for space in one.generation.spaces] == ["big"]
    assert (await world(models(mini="1"), wanted=("none",)).generations.active()) == one.generation


async def test_like_this_compares_in_the_answering_generation_only(world):
    here = world()
    await here.generations.look()
    await here.embed(["f10", "f40"], 0)
    await here.embed(["f10", "f40"], 0, identities=(("big", "big:1"),))
    answer = await here.search(SearchQuestion("", like_function_id="shapes-1.0:f10"))
    [result] = answer.results
    assert result.hit.code.qualname == "f40" and {part.part for part in result.parts} == {"mini"}


def test_vectors_of_an_event_bear_the_key_of_their_space(function):
    data = base64.b64encode(np.array([0, 2], "<f4").tobytes()).decode()
    vector = Vector(model="m", identity="m:1", dimensions=2, data=data)
    entry = entry_of(FunctionEmbedded(function=function(), vectors=(vector,), text_form="code-1"))
    assert {key: row.tolist() for key, row in entry.vectors.items()} == {"m:1@code-1": [0, 1]}
