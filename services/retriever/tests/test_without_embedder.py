"""Questions in words while the embedder is away, hangs, or loads its models: answered by words, and it is said."""

import asyncio
import math

import pytest

from retriever.domain.code import SearchFilter
from retriever.errors import EmbedderAwayError, EmbedderUnavailableError
from retriever.ports import AgentStep
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.plain import PlainSearch
from retriever.usecases.question import SearchQuestion
from retriever.usecases.search import Search

AWAY = EmbedderAwayError("connection refused", thing="embedder at 127.0.0.1:9", way_out="see `touchstone status`")
HANGS = object()
CODE = "def a():\n    return ( 40 )\n"


class Embedder:
    """Answers so many calls as are left, then fails as told, or hangs."""

    def __init__(self, embedder, fault=AWAY, left=0):
        self._embedder, self.fault, self.left = embedder, fault, left

    async def embed(self, texts, role):
        self.left -= 1
        if self.left >= 0 or self.fault is None:
            return await self._embedder.embed(texts, role)
        if self.fault is HANGS:
            await asyncio.Event().wait()
        raise self.fault


class Agent:
    """A language model that looks up, enriches and writes code."""

    room = 5000

    async def step(self, query, repository, notes, meter, *, may_look_up):
        meter(10, 1)
        return AgentStep(("see 20",)) if may_look_up else AgentStep(augmented="more about 10")

    async def write_code(self, augmented, language, meter):
        return CODE

    async def order(self, query, augmented, snippets, meter):
        return []


@pytest.fixture
async def search(memory_index, embedder, lag, entry):
    """Makes a search over functions at angles, by an embedder that fails as told."""
    await memory_index.upsert([entry(f"f{degrees}", degrees, docstring="Near.") for degrees in range(0, 90, 10)])

    def make(fault=AWAY, left=0, reasons=None):
        asked = Embedder(embedder, fault, left)
        augmented = AugmentedSearch(memory_index, asked, Agent(), {})
        report = ([] if reasons is None else reasons).append
        made = Search(memory_index, PlainSearch(memory_index, asked), augmented, lag, report=report)
        made.embedder = asked
        return made

    return make


def names(answer):
    return [one.hit.code.qualname for one in answer.results]


@pytest.mark.parametrize(
    "fault", [AWAY, EmbedderUnavailableError("failed", thing="embedder"), EmbedderAwayError("models are loaded")]
)
async def test_words_answer_and_the_answer_says_why(search, fault):
    answer = await search(fault)(SearchQuestion("near f30"))
    assert names(answer)[0] == "f30" and (answer.mode, answer.parts) == ("plain", ("text",))
    assert "words alone" in answer.note and str(fault) in answer.note and "later" in answer.note
    merged = await search(fault)(SearchQuestion("near f30", merge_duplicates=True))
    assert names(merged)[0] == "f30" and merged.note == answer.note
    as_code = await search(fault)(SearchQuestion("def f30(x):", query_is_code=True))
    assert names(as_code)[0] == "f30" and "words alone" in as_code.note


async def test_models_that_cannot_be_asked_are_waited_for_once_however_many_copies_there_are(
    search, memory_index, entry
):
    copies = [entry(f"g{number}", 10, code="def copy(): pass", docstring="Near.") for number in range(450)]
    await memory_index.upsert(copies)
    asked = search()
    answer = await asked(SearchQuestion("near copy", merge_duplicates=True))
    assert "words alone" in answer.note and len(answer.results) > 1
    assert asked.embedder.left == -1, "asked once"


async def test_what_needs_no_embedder_has_no_note(search):
    asked = search()
    for question in (
        SearchQuestion("near f30", parts=("text",)),
        SearchQuestion("", SearchFilter(symbol="f30")),
        SearchQuestion("", like_function_id="shapes-1.0:f30"),
    ):
        answer = await asked(question)
        assert answer.results and not answer.note


async def test_nothing_found_by_words_is_not_said_to_be_all_that_there_is(search):
    answer = await search()(SearchQuestion("zebra"))
    assert not answer.results and answer.parts == ("text",)
    assert "words alone" in answer.note and "nothing indexed holds a word of the question" in answer.note


async def test_who_asks_for_models_by_name_is_told_that_they_cannot_be_had(search):
    with pytest.raises(EmbedderAwayError, match="touchstone status"):
        await search()(SearchQuestion("near f30", parts=("m", "text")))


@pytest.mark.parametrize("mode", ["plain", "augmented"])
async def test_an_embedder_that_hangs_leaves_time_for_an_answer_within_the_callers_deadline(search, mode):
    answer = await search(HANGS)(SearchQuestion("near f30", mode=mode, within_s=1.0))
    assert names(answer)[0] == "f30" and answer.mode == "plain" and "words alone" in answer.note


async def test_who_names_no_deadline_does_not_wait_for_ever(search, monkeypatch):
    monkeypatch.setattr("retriever.usecases.search.EMBEDDING_S", 0.01)
    answer = await search(HANGS)(SearchQuestion("near f30", within_s=math.inf))
    assert "did not answer within 0.01 s" in answer.note


async def test_a_next_page_goes_on_as_the_one_before(search):
    asked = search(left=1)
    by_models = await asked(SearchQuestion("near 0", limit=2))
    # Its scores are of another kind: what stands behind the last result cannot be said by words.
    with pytest.raises(EmbedderAwayError, match="page"):
        await asked(SearchQuestion("near 0", limit=2, cursor=by_models.next_cursor))
    first = await asked(SearchQuestion("near 0", limit=2))
    asked.embedder.fault = None
    second = await asked(SearchQuestion("near 0", limit=2, cursor=first.next_cursor))
    assert second.parts == ("text",) and "words alone" in second.note
    assert len({*names(first), *names(second)}) == 4
    asked.embedder.fault = AWAY
    again = await asked(SearchQuestion("near 0", limit=2, cursor=first.next_cursor))
    assert names(again) == names(second)


async def test_an_augmented_search_falls_back_to_words(search):
    reasons = []
    answer = await search(reasons=reasons)(SearchQuestion("near f30", mode="augmented"))
    # What the model was asked in vain is told too.
    assert [(one.step, one.tokens_in, one.tokens_out) for one in answer.steps] == [("enrich", 20, 2)]
    assert names(answer)[0] == "f30" and (answer.mode, answer.parts) == ("plain", ("text",))
    assert "this is the plain search" in answer.note and "words alone" in answer.note and len(reasons) == 1


async def test_an_answer_in_pieces_begins_and_ends_by_words(search):
    pieces = [piece async for piece in search().pieces(SearchQuestion("near f30", mode="augmented"))]
    for piece in (pieces[0], pieces[-1]):
        assert names(piece.answer)[0] == "f30" and "words alone" in piece.answer.note
    assert (pieces[0].step, pieces[-1].step, pieces[-1].answer.mode) == ("plain", "answer", "plain")
    assert "this is the plain search" in pieces[-1].answer.note


async def test_streams_that_were_compared_stay_when_the_embedder_goes(search):
    # The look-up and the question; not the code.
    answer = await search(left=2)(SearchQuestion("near 0", mode="augmented"))
    assert answer.mode == "augmented" and "f10" in names(answer)
    assert "the code was not compared" in answer.note and "connection refused" in answer.note
    assert "looked up" not in answer.note


async def test_a_look_up_that_fails_is_left_out(search, embedder):
    asked = search()

    async def all_but_the_first(texts, role, embed=asked.embedder.embed):
        asked.embedder.fault = AWAY if texts == ["see 20"] else None
        return await embed(texts, role)

    asked.embedder.embed = all_but_the_first
    answer = await asked(SearchQuestion("near 0", mode="augmented"))
    assert answer.mode == "augmented" and answer.results and "nothing was looked up" in answer.note
