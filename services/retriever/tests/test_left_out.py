"""Models of the index that take no part in an answer: the others rank, and the answer names what was left out."""

import pytest

from retriever.domain.code import SearchFilter
from retriever.domain.ensemble import Weights
from retriever.errors import EmbedderAwayError, EmbedderUnavailableError
from retriever.ports import AgentStep
from retriever.rpc import _response
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.comparing import Retrievers
from retriever.usecases.generations import GenerationEmbedder
from retriever.usecases.plain import PlainSearch
from retriever.usecases.question import SearchQuestion
from retriever.usecases.search import Search

BOTH = {"mini": "1", "big": "1"}
WEIGHTS = Weights({"mini": 1.0, "big": 1.0}, text=0.1, crowding=-0.1)


class Agent:
    """A language model that enriches and writes code."""

    room = 5000

    async def step(self, query, repository, notes, meter, *, may_look_up):
        return AgentStep(augmented="more about 10")

    async def write_code(self, augmented, language, meter):
        return "def a():\n    return ( 40 )\n"

    async def order(self, query, augmented, snippets, meter):
        return list(range(1, len(snippets) + 1))


class World:
    """An index of two models, and who searches it."""

    def __init__(self, index, generations, server, lag):
        self.index, self.generations, self.server = index, generations, server
        self.embedder = GenerationEmbedder(generations, server)
        plain = PlainSearch(index, self.embedder, (), generations.active)
        augmented = AugmentedSearch(index, self.embedder, Agent(), {})
        self.search = Search(index, plain, augmented, lag)
        self.retrievers = Retrievers(index, self.embedder, plain, {}, augmented)

    async def asked(self, query="near 0", **more):
        return await self.search(SearchQuestion(query, **more))

    def without_big(self, how):
        """The second model is being loaded, or is not there any more."""
        if how == "loading":
            self.server.loading = ("big",)
        else:
            self.server.digests = {"mini": "1"}

    def whole_again(self):
        self.server.loading, self.server.digests = (), dict(BOTH)


@pytest.fixture
async def world(memory_index, models, generations_over, entry, direction, lag):
    server = models(**BOTH)
    generations = generations_over(memory_index, server, weights=(WEIGHTS,))
    await generations.look()
    [made] = [one.generation for one in await generations.report()]

    def placed(degrees, *names):
        # The second model puts them the other way round.
        rows = {"mini": direction(degrees), "big": direction(80 - degrees)}
        return {space.key: rows[space.model] for space in made.spaces if space.model in names}

    entries = [
        entry(f"f{degrees}", vectors=placed(degrees, "mini", "big"), docstring="Near.") for degrees in range(0, 90, 10)
    ]
    await memory_index.upsert([*entries, entry("young", vectors=placed(45, "mini"), docstring="Near.", path="new.py")])
    await generations.switch(made.name, anyway=True)
    return World(memory_index, generations, server, lag)


def names(answer):
    return [one.hit.code.qualname for one in answer.results]


async def test_the_models_that_are_ready_rank_while_another_one_is_loaded(world):
    whole = await world.asked()
    assert set(whole.parts) == {"mini", "big", "text", "crowding"} and not (whole.note or whole.left_out)
    world.without_big("loading")
    answer = await world.asked()
    assert set(answer.parts) == {"mini", "text", "crowding"} and names(answer)[0] == "f0"
    assert "ranked without big" in answer.note and "still loading" in answer.note and "ask again" in answer.note
    assert list(_response(answer).left_out) == ["big"] and answer.generation == whole.generation
    merged = await world.asked(merge_duplicates=True)
    assert merged.left_out == ("big",) and merged.note == answer.note
    as_code = await world.asked("def f0(): 0", query_is_code=True)
    assert as_code.left_out == ("big",)
    world.whole_again()
    assert (await world.asked()).parts == whole.parts


async def test_who_names_models_gets_those_and_is_told_of_one_that_is_loaded(world):
    world.without_big("loading")
    answer = await world.asked(parts=("mini", "text"))
    assert answer.parts == ("mini", "text") and not (answer.note or answer.left_out)
    with pytest.raises(EmbedderAwayError, match="still loading big"):
        await world.asked(parts=("mini", "big"))


async def test_who_finds_nothing_is_told_all_the_same_that_a_model_was_left_out(world):
    world.without_big("loading")
    answer = await world.asked(chosen=SearchFilter(repositories=("nobody",)))
    assert not answer.results and answer.left_out == ("big",) and "still loading" in answer.note


@pytest.mark.parametrize(
    ("digests", "loading", "left_out", "parts"),
    [
        ({"mini": "1"}, (), ("big",), ()),
        ({"mini": "2", "big": "2"}, (), ("big", "mini"), ("text",)),
        ({"other": "1"}, (), ("big", "mini"), ("text",)),
        ({"mini": "2", "big": "1"}, ("big",), ("big", "mini"), ("text",)),
    ],
)
async def test_whatever_is_found_every_model_that_took_no_part_is_named(world, digests, loading, left_out, parts):
    """Who was told nothing took an answer without models for what the whole index says, and kept it."""
    world.server.digests, world.server.loading = digests, loading
    for query, repositories in (("zebra 0", ("nobody",)), ("near 0", ("nobody",)), ("near 0", ())):
        answer = await world.asked(query, chosen=SearchFilter(repositories=repositories))
        assert set(answer.left_out) == set(left_out) and (answer.parts == parts or not parts)
        assert "without big" in answer.note or "words alone" in answer.note, answer.note
    world.whole_again()
    whole = await world.asked(limit=2)
    world.server.digests, world.server.loading = digests, loading
    with pytest.raises(EmbedderAwayError, match="page before"):
        await world.asked(limit=2, cursor=whole.next_cursor)


async def test_a_run_of_a_retriever_whose_models_are_gone_is_none(world):
    world.server.digests = {"mini": "2"}
    with pytest.raises(EmbedderUnavailableError, match="none of the models"):
        await world.retrievers.run("plain", {"q": "near 0"}, ["mini", "big"])


@pytest.mark.parametrize("how", ["loading", "gone"])
async def test_pages_are_ranked_by_what_ranked_the_first(world, how):
    whole = await world.asked(limit=2)
    world.without_big(how)
    with pytest.raises(EmbedderAwayError, match="page before"):
        await world.asked(limit=2, cursor=whole.next_cursor)
    everything = await world.asked(limit=20)
    assert "ranked without big" in everything.note
    first = await world.asked(limit=2)
    world.whole_again()
    second = await world.asked(limit=20, cursor=first.next_cursor)
    assert names(first) + names(second) == names(everything)
    assert second.left_out == ("big",) and "as on the page before" in second.note


async def test_words_go_on_by_words_where_no_model_of_the_index_was_there(world):
    world.server.digests = {"other": "1"}
    first = await world.asked(limit=2)
    assert first.parts == ("text",) and set(first.left_out) == {"mini", "big"}
    world.whole_again()
    second = await world.asked(limit=20, cursor=first.next_cursor)
    assert second.parts == ("text",) and len({*names(first), *names(second)}) == 10


async def test_a_model_that_answers_is_not_said_to_be_gone_where_no_candidate_has_its_vectors(world):
    answer = await world.asked(chosen=SearchFilter(path="new.py"))
    assert names(answer) == ["young"] and not (answer.note or answer.left_out)


async def test_what_is_like_a_code_without_a_vector_says_whose_vector_that_is(world, code):
    world.without_big("loading")
    whole = await world.asked("", like_function_id=code("f10").function_id)
    assert not (whole.note or whole.left_out)
    answer = await world.asked("", like_function_id=code("young").function_id)
    assert answer.left_out == ("big",) and "that code has no vector of it yet" in answer.note


@pytest.mark.parametrize(("how", "why"), [("loading", "still loading"), ("gone", "does not have")])
async def test_an_augmented_search_compares_by_what_is_there_and_says_so(world, how, why):
    asked = SearchQuestion("near 0", mode="augmented")
    whole = await world.search(asked)
    assert not (whole.note or whole.left_out) and whole.mode == "augmented"
    world.without_big(how)
    pieces = [piece async for piece in world.search.pieces(asked)]
    assert pieces[-1].answer.mode == "augmented" and pieces[-1].answer.results
    for piece in pieces:
        assert piece.answer.left_out == ("big",), piece.step
        assert "without big" in piece.answer.note and why in piece.answer.note
    assert pieces[-1].answer.generation == (await world.generations.active()).name


async def test_a_run_over_queries_in_which_a_text_was_not_compared_is_none(world):
    embed = world.embedder.embed

    async def questions_alone(texts, role):
        if role == "code":
            raise EmbedderAwayError("connection refused")
        return await embed(texts, role)

    world.embedder.embed = questions_alone
    with pytest.raises(EmbedderUnavailableError, match="connection refused"):
        await world.retrievers.run("augmented", {"q": "near 0"}, ["mini", "big"])


async def test_candidates_wait_until_all_models_are_loaded(world):
    world.without_big("loading")
    with pytest.raises(EmbedderAwayError, match="still loading big"):
        await world.retrievers.run("ensemble", {"q": "near 0"}, ["mini", "big"])
