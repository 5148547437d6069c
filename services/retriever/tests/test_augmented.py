"""Augmented search: its streams, its steps, and what it says of those that were left out."""

import asyncio

import pytest

from retriever.domain.code import CLASS_FORMS, SearchFilter
from retriever.domain.ensemble import Weights
from retriever.errors import AgentAwayError, AgentError, BadRequestError
from retriever.ports import QUESTION_CHARACTERS, AgentStep
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.index import IndexFunctions
from retriever.usecases.plain import PlainSearch
from retriever.usecases.question import SearchQuestion
from retriever.usecases.search import Search

MODELS_ONLY = (Weights({"m": 1.0}, text=0, crowding=0),)


class Agent:
    """A language model that answers as told; keeps what it was asked."""

    def __init__(self, steps=(), code="", order=(), away=False):
        self.steps = list(steps)
        self.code = code
        self.ranking = order
        self.away = away
        self.notes = []
        self.snippets = []

    def _answer(self, value):
        if self.away:
            raise AgentAwayError("no language model is configured")
        if isinstance(value, Exception):
            raise value
        return value

    @property
    def room(self):
        return 5000

    async def step(self, query, repository, notes, meter, *, may_look_up):
        self.notes.append((list(notes), may_look_up))
        meter(10, 1)
        return self._answer(self.steps.pop(0) if self.steps else AgentStep(augmented="more about 0"))

    async def write_code(self, augmented, language, meter):
        self.described = augmented, language
        meter(20, 2)
        return self._answer(self.code)

    async def order(self, query, augmented, snippets, meter):
        self.snippets = list(snippets)
        meter(40, 4)
        return self._answer(self.ranking)


@pytest.fixture
def searching(memory_index, embedder, lag, memory_readings):
    """Makes a `Search` over entries and an agent."""

    async def make(entries, agent=None, weights=MODELS_ONLY, reasons=None):
        await IndexFunctions(memory_index, memory_readings)(entries)
        augmented = AugmentedSearch(memory_index, embedder, agent or Agent(), {})
        plain = PlainSearch(memory_index, embedder, weights)
        return Search(memory_index, plain, augmented, lag, report=(reasons if reasons is not None else []).append)

    return make


def names(answer):
    return [result.hit.code.qualname for result in answer.results]


async def test_an_augmented_search_unites_three_streams_and_takes_the_models_order(searching, entry):
    entries = [entry(f"f{degrees}", degrees) for degrees in range(0, 90, 5)]
    entries.append(entry("K40", 40, form="class"))
    written = "```python\ndef a():\n    return ( 40 )\n\ndef b():\n    return ( 80 )\n```"
    agent = Agent([AgentStep(augmented="about 0")], code=written, order=[2, 1])
    answer = await (await searching(entries, agent))(SearchQuestion("find 70", mode="augmented", limit=20))
    assert answer.mode == "augmented"
    assert answer.augmented_query == "find 70\nabout 0"
    streams = {result.hit.code.qualname: result.streams for result in answer.results}
    # The augmented text points to 0, the whole code to 80, its components to 40 and 80.
    assert streams == {
        "f0": ("query",),
        "f5": ("query",),
        "f10": ("query",),
        "f80": ("code", "component"),
        "f85": ("code",),
        "f75": ("code",),
        "K40": ("class",),
        "f40": ("component",),
    }
    assert len(agent.snippets) == len(answer.results) == 8
    # By cosine f0, f40, f80 come first (1.0, ties by id); the model swaps the first two.
    assert names(answer)[:3] == ["f40", "f0", "f80"]
    assert agent.described == ("find 70\nabout 0", "python")


async def test_two_look_ups_of_one_document_each_are_made_at_once(searching, entry, embedder):
    agent = Agent([AgentStep(look_ups=("see 20", "see 21", "see 60")), AgentStep(augmented="about 30")])
    search = await searching([entry(f"f{degrees}", degrees) for degrees in (0, 20, 25, 60)], agent)
    await search(SearchQuestion("q", mode="augmented"))
    assert [(len(notes), may) for notes, may in agent.notes] == [(0, True), (2, False)]
    assert "def f20" in agent.notes[1][0][0] and "def f25" in agent.notes[1][0][1]
    assert embedder.asked[0] == ("query", ["see 20", "see 21"])


async def test_the_code_and_its_components_go_to_the_models_once(searching, entry, embedder):
    written = "def a():\n    return ( 40 )\n\ndef b():\n    return ( 80 )"
    await (await searching([entry("f", 0), entry("g", 20)], Agent(code=written)))(SearchQuestion("q", mode="augmented"))
    [texts] = [texts for role, texts in embedder.asked if role == "code"]
    assert texts[0] == written and len(texts) == 3


async def test_an_answer_says_what_each_step_took(searching, entry):
    agent = Agent([AgentStep(look_ups=("20",)), AgentStep(augmented="about 0")], code="x = 20", order=[1])
    answer = await (await searching([entry("f", 0), entry("g", 20)], agent))(SearchQuestion("q", mode="augmented"))
    tokens = {one.step: (one.tokens_in, one.tokens_out) for one in answer.steps}
    assert tokens == {"enrich": (20, 2), "look_up": (0, 0), "write": (20, 2), "compare": (0, 0), "rerank": (40, 4)}
    assert all(0 <= one.seconds <= answer.elapsed_s for one in answer.steps)


@pytest.mark.parametrize(
    ("steps", "streams", "asked"),
    [
        (("query",), {"f0": ("query",), "f5": ("query",), "f10": ("query",), "f15": ("query",), "f20": ("query",)}, ()),
        (("code",), {"f75": ("code",), "f80": ("code",), "f85": ("code",)}, ("write",)),
        (("class",), {"K40": ("class",)}, ("write",)),
        (("component",), {"f40": ("component",), "f80": ("component",)}, ("write",)),
        (("code", "rerank"), {"f75": ("code",), "f80": ("code",), "f85": ("code",)}, ("write", "rerank")),
        (("enrich", "class"), {"K40": ("class",)}, ("enrich", "write")),
    ],
)  # fmt: skip
async def test_each_step_can_be_left_out(searching, entry, steps, streams, asked):
    entries = [entry(f"f{degrees}", degrees) for degrees in range(0, 90, 5)]
    entries.append(entry("K40", 40, form="class"))
    agent = Agent(code="def a():\n    return ( 40 )\n\ndef b():\n    return ( 80 )", order=[1])
    question = SearchQuestion("find 0", mode="augmented", limit=20, steps=steps)
    answer = await (await searching(entries, agent))(question)
    assert {result.hit.code.qualname: result.streams for result in answer.results} == streams
    assert tuple(one.step for one in answer.steps if one.tokens_in) == asked and not answer.note
    assert all(may is False for _notes, may in agent.notes)


@pytest.mark.parametrize(
    "question",
    [
        SearchQuestion("q", mode="augmented", steps=("guess",)),
        SearchQuestion("q", mode="augmented", steps=("enrich", "rerank")),
        SearchQuestion("q", steps=("query",)),
    ],
)
async def test_steps_that_find_nothing_are_refused(searching, question):
    with pytest.raises(BadRequestError, match=r"step"):
        await (await searching([]))(question)


@pytest.mark.parametrize("slow", ["write_code", "order"])
async def test_when_the_callers_time_is_over_what_was_done_counts_and_the_rest_is_said(searching, entry, slow):
    async def never(*_arguments):
        await asyncio.Event().wait()

    agent = Agent(code="x = 20", order=[1, 2])
    setattr(agent, slow, never)
    search = await searching([entry("f", 0), entry("g", 20)], agent)
    answer = await search(SearchQuestion("q 0", mode="augmented", within_s=0.2))
    assert answer.mode == "augmented" and names(answer) == ["f", "g"] and answer.elapsed_s < 2
    assert "the time was over" in answer.note and answer.augmented_query == "q 0\nmore about 0"


async def test_functions_are_ordered_whole_as_far_as_the_model_has_room(searching, entry):
    long = "def long(x):\n" + "    x += 1\n" * 1000
    agent = Agent(order=[1])
    await (await searching([entry("f", 0), entry("long", 10, code=long)], agent))(SearchQuestion("0", mode="augmented"))
    assert "def f(x):\n    return x" in agent.snippets[0]
    assert 4500 < sum(map(len, agent.snippets)) <= agent.room


async def test_a_long_question_leaves_the_model_less_room_for_code(searching, entry):
    """What a context cannot hold is refused, or cut by whoever serves the model."""
    long = "def long(x):\n" + "    x += 1\n" * 1000
    agent, asked = Agent(order=[1]), f"{'words ' * 300}0"
    search = await searching([entry("f", 0, code=long), entry("long", 10, code=long)], agent)
    answer = await search(SearchQuestion(asked, mode="augmented"))
    question = len(asked) + len(answer.augmented_query)
    assert agent.snippets and sum(map(len, agent.snippets)) + question <= agent.room + QUESTION_CHARACTERS


async def test_a_model_that_never_writes_leaves_the_question_as_it_is(searching, entry):
    agent = Agent([AgentStep(look_ups=("20",))] * 2, code="x = 20")
    answer = await (await searching([entry("f", 0), entry("g", 20)], agent))(SearchQuestion("q 0", mode="augmented"))
    assert answer.augmented_query == "q 0" and answer.mode == "augmented"
    assert "wrote nothing" in answer.note
    assert len(agent.notes) == 2


@pytest.mark.parametrize(
    ("code", "order", "note"),
    [
        ("", [2, 1], "no code was written: the model wrote nothing"),
        ("```python\n```", [2, 1], "no code was written: the model wrote nothing"),
        ("```", [2, 1], "no code was written: the model wrote nothing"),
        ("x = 0", [], "ordered by similarity alone: the model named none of the results"),
        ("x = 0", [7, 99], "ordered by similarity alone: the model named none of the results"),
        ("x = 0", [7, 2], ""),
    ],
)
async def test_what_the_model_leaves_undone_is_said_and_told(searching, entry, code, order, note):
    reasons = []
    search = await searching([entry("f", 0), entry("g", 20)], Agent(code=code, order=order), reasons=reasons)
    answer = await search(SearchQuestion("q 0", mode="augmented"))
    assert (answer.mode, answer.note, reasons) == ("augmented", note, [note] if note else [])
    streams = {stream for result in answer.results for stream in result.streams}
    assert streams == ({"query"} if "no code" in note else {"query", "code", "component"})


async def test_without_a_model_the_plain_search_answers_and_says_why(searching, entry):
    reasons = []
    search = await searching([entry("f", 10)], Agent(away=True), reasons=reasons)
    answer = await search(SearchQuestion("0", mode="augmented"))
    assert names(answer) == ["f"] and answer.mode == "plain"
    assert "no language model is configured" in answer.note
    assert reasons == ["no language model is configured"]


async def test_steps_at_which_the_model_fails_are_left_out_and_noted(searching, entry):
    broken = AgentError("does not fit the schema")
    agent = Agent([broken], code=broken, order=broken)
    search = await searching([entry(f"f{degrees}", degrees) for degrees in (0, 10, 20, 30, 40, 50)], agent)
    answer = await search(SearchQuestion("q 0", mode="augmented"))
    assert answer.mode == "augmented" and names(answer) == ["f0", "f10", "f20", "f30", "f40"]
    assert answer.note.count("does not fit the schema") == 3


async def test_a_model_that_goes_away_before_the_ranking_leaves_the_order_by_cosine(searching, entry):
    agent = Agent(code="x = 0", order=AgentAwayError("the budget is spent"))
    answer = await (await searching([entry("f", 10), entry("g", 20)], agent))(SearchQuestion("0", mode="augmented"))
    assert names(answer) == ["f", "g"] and "the budget is spent" in answer.note


async def test_a_model_that_takes_too_long_is_not_waited_for(memory_index, embedder, lag, entry):
    class Slow(Agent):
        async def step(self, query, repository, notes, meter, *, may_look_up):
            await asyncio.Event().wait()

    await memory_index.upsert([entry("f", 10)])
    augmented = AugmentedSearch(memory_index, embedder, Slow(), {})
    search = Search(memory_index, PlainSearch(memory_index, embedder), augmented, lag, patience_s=0.01)
    answer = await search(SearchQuestion("0", mode="augmented"))
    assert names(answer) == ["f"] and answer.mode == "plain" and "within 0.01 s" in answer.note


@pytest.mark.parametrize(
    ("kinds", "named", "found"),
    [
        (("method",), True, {"C.m40", "C.m41"}),
        (("method", "nested"), True, {"C.m40", "C.m41", "g.inner"}),
        (("class",), True, {"K", "L"}),
        (("class", "nested"), True, {"K", "L", "g.inner"}),
        (("function", "method", "nested"), True, {"f00", "f01", "f02", "f03", "f04"}),
        (("function", "method", "nested"), False, {"f00", "f01", "f02", "K", "L"}),
    ],
)
async def test_streams_look_among_the_kinds_that_are_named(searching, entry, kinds, named, found):
    """Not among all first: what is nearest would be of other kinds, and nothing be left."""
    entries = [entry(f"f{degrees:02}", degrees) for degrees in range(30)]
    entries += [entry(f"C.m{degrees}", degrees, form="method") for degrees in (40, 41)]
    entries += [entry("K", 45, form="class"), entry("L", 50, form="class"), entry("g.inner", 60, form="nested")]
    search = await searching(entries, Agent(code="x = 0", order=[1]))
    question = SearchQuestion("0", SearchFilter(forms=frozenset(kinds)), mode="augmented", kinds_named=named)
    answer = await search(question)
    assert set(names(answer)) == found and answer.mode == "augmented" and not answer.note
    last = [piece async for piece in search.pieces(question)][-1]
    assert names(last.answer) == names(answer)


async def test_a_stream_that_looks_among_no_kind_that_is_named_is_not_taken(searching, entry):
    entries = [entry("f", 0), entry("K", 5, form="class")]
    search = await searching(entries, Agent(code="x = 0", order=[1]))
    methods, classes = (SearchFilter(forms=frozenset({kind})) for kind in ("method", "class"))
    answer = await search(SearchQuestion("0", methods, mode="augmented", steps=("query", "class", "rerank")))
    assert {one.step for one in answer.steps} == set(), "no code is written for nothing"
    with pytest.raises(BadRequestError, match=r"looks among functions.*query"):
        await search(SearchQuestion("0", methods, mode="augmented", steps=("class",)))
    with pytest.raises(BadRequestError, match=r"looks among classes.*query"):
        await search(SearchQuestion("0", classes, mode="augmented", steps=("code", "component")))


async def test_copies_take_one_place_of_an_augmented_search_where_they_are_to_be_merged(searching, entry, source):
    same = "def f(x):\n    return x + 1"
    entries = [
        entry("f", number % 3, code=same + " " * (number % 2), path="v/f.py", source=source(name=f"p{number:03}"))
        for number in range(130)
    ]
    entries += [entry(f"g{degrees}", degrees) for degrees in range(10, 60, 5)]
    written = "def a():\n    return ( 1 )\n\ndef b():\n    return ( 2 )"
    search = await searching(entries, Agent(code=written, order=[1]))
    question = SearchQuestion("near 0", mode="augmented", merge_duplicates=True)
    answer = await search(question)
    assert names(answer) == ["f", "g10", "g15", "g20", "g25"]
    first = answer.results[0]
    assert first.hit.code.repository == "p000" and first.streams == ("query", "code", "component")
    assert [code.repository for code in first.duplicates] == [f"p{number:03}" for number in range(1, 21)]
    assert first.more_duplicates == 109
    pieces = [piece async for piece in search.pieces(question)]
    assert all(names(piece.answer).count("f") == 1 for piece in pieces)
    unmerged = await search(SearchQuestion("near 0", mode="augmented"))
    assert set(names(unmerged)) == {"f"} and not unmerged.results[0].duplicates


async def test_kinds_narrow_an_augmented_search_too(searching, entry):
    entries = [entry(f"f{degrees}", degrees) for degrees in (0, 10)] + [entry("K", 5, form="class")]
    search = await searching(entries, Agent(code="x = 0"))
    assert names(await search(SearchQuestion("0", SearchFilter(forms=CLASS_FORMS), mode="augmented"))) == ["K"]
