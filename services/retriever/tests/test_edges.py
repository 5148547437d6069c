"""Events, RPCs, settings and prompts."""

import base64
import dataclasses
import json
import subprocess
import sys
from datetime import UTC, datetime

import numpy as np
import pytest

from retriever.adapters.agent import LlmSearchAgent, NoAgent
from retriever.adapters.publishers import BusProposalPublisher, BusQueryPublisher
from retriever.adapters.records import code_of_record, entry_of
from retriever.adapters.shipped import shipped_queries
from retriever.adapters.weights import load_weights, weights_text
from retriever.domain.code import SearchFilter
from retriever.domain.ensemble import Weights, weights_for
from retriever.domain.generations import Later
from retriever.errors import AgentAwayError, AgentError
from retriever.handlers import on_functions_embedded, on_query_imported, on_source_ingested
from retriever.ports import ImportedQuery
from retriever.rpc import RetrieverServicer
from retriever.settings import RetrieverSettings
from retriever.usecases.answer import SearchAnswer, SearchPiece
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.index import IndexFunctions, SettleSource
from retriever.usecases.plain import PlainSearch
from retriever.usecases.proposals import ImportQueries, ProposePairs
from retriever.usecases.search import Search
from touchstone.retriever.v1 import retriever_pb2
from touchstone_contracts.events import Function, FunctionEmbedded, PairProposed, QueryImported, SourceIngested, Vector
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.llm import Catalogue, LlmClient, MemoryLedger, MemoryLlmCache, RawAnswer
from touchstone_runtime.llm.errors import EndpointUnavailableError


class Bus:
    """Keeps what was published."""

    def __init__(self):
        self.published = []

    async def publish_all(self, topic, events):
        self.published.append((topic.name, list(events)))


class Unbuilt:
    """Builds nothing."""

    async def report(self):
        return None


def embedded(function, *rows):
    vectors = tuple(
        Vector(model=model, dimensions=len(row), data=base64.b64encode(np.asarray(row, "<f4").tobytes()).decode())
        for model, row in rows
    )
    return FunctionEmbedded(function=function, vectors=vectors)


def test_an_event_becomes_an_entry_with_vectors_of_length_one(function):
    original = function("naïve", docstring="\n  Say it.\nMore.", changed_at="2026-02-03T01:00:00+02:00")
    entry = entry_of(embedded(original, ("m", [3, 4]), ("zero", [0, 0])))
    assert entry.vectors["m"].tolist() == pytest.approx([0.6, 0.8])
    assert entry.vectors["zero"].tolist() == [0, 0]
    assert entry.code.summary == "Say it."
    assert entry.code.dated_at == "2026-01-01T00:00:00+00:00"
    assert code_of_record(entry.code.record) == entry.code


@pytest.mark.parametrize(
    "vector",
    [
        Vector(model="m", dimensions=2, data="!!"),
        Vector(model="m", dimensions=2, data=base64.b64encode(b"123").decode()),
        Vector(model="m", dimensions=1, data=base64.b64encode(b"12345678").decode()),
        Vector(model="m", dimensions=0, data=""),
        Vector(model="m", dimensions=1, data=base64.b64encode(np.array([np.nan], "<f4").tobytes()).decode()),
    ],
)
def test_a_vector_that_is_not_what_it_says_is_refused_for_good(function, vector):
    with pytest.raises(PermanentError, match="m"):
        entry_of(FunctionEmbedded(function=function(), vectors=(vector,)))


async def test_events_are_indexed_and_queries_answered(
    function, memory_index, embedder, memory_proposals, memory_readings, generations_over
):
    bus = Bus()
    take = on_functions_embedded(IndexFunctions(memory_index, memory_readings), generations_over(memory_index))
    await take([embedded(function("f"), ("m", [1, 0]))])
    propose = ProposePairs(memory_index, embedder, memory_proposals, BusProposalPublisher(bus), {})
    event = QueryImported(query_id="q1", text="near to 0", origin="test", candidates=5)
    await on_query_imported(propose)(event)
    await on_query_imported(propose)(event)
    (topic, first), (_topic, second) = bus.published
    assert topic == "touchstone.pair.proposed.v1"
    assert [pair.event_id for pair in first] == [pair.event_id for pair in second]
    pair = PairProposed.model_validate_json(first[0].model_dump_json())
    assert (pair.query, pair.rank, pair.score, pair.function) == ("near to 0", 1, 1.0, function("f"))


@pytest.fixture
def servicer(memory_index, embedder, memory_proposals, lag, generations_over, rebuild_over):
    bus = Bus()
    augmented = AugmentedSearch(memory_index, embedder, NoAgent("no model here"), {})
    search = Search(memory_index, PlainSearch(memory_index, embedder), augmented, lag)

    async def waiting():
        return 3

    made = RetrieverServicer(
        search,
        ImportQueries(memory_proposals, BusQueryPublisher(bus)),
        memory_index,
        memory_proposals,
        waiting,
        lambda: ["busy"],
        generations_over(memory_index),
        rebuild_over(memory_index),
    )
    made.bus = bus
    return made


async def test_a_pool_is_described_with_its_versions_and_what_the_models_share(servicer, memory_index, embedder, entry):
    embedder.models = ("m", "n")
    propose = ProposePairs(memory_index, embedder, servicer._store, BusProposalPublisher(servicer.bus), {})
    for number, names in ((1, "ab"), (2, "c")):
        await memory_index.upsert([entry(name, 10 * number, models=("m", "n")) for name in names])
        await propose(ImportedQuery(f"q{number}", "near to 0", "", 2))
    found = await servicer.DescribePools(retriever_pb2.DescribePoolsRequest(query_id="q1"), None)
    assert [(one.version, one.entered) for one in found.versions] == [(1, 2)]
    assert datetime.fromisoformat(found.versions[0].made_at).tzinfo is not None
    everything = await servicer.DescribePools(retriever_pb2.DescribePoolsRequest(), None)
    assert not everything.versions
    assert [(one.first, one.second, one.shared, one.pools) for one in everything.overlaps] == [
        ("m", "mean", 1.0, 2), ("m", "n", 1.0, 2), ("mean", "n", 1.0, 2),
    ]  # fmt: skip


async def test_a_search_answers_with_everything_about_the_place(servicer, memory_index, entry):
    await memory_index.upsert(
        [entry("f", 10, docstring="Does it."), entry("K", 20, form="class"), entry("g", 50, language="go")]
    )
    request = retriever_pb2.SearchRequest(query="0", language="python", include_classes=True, mode="augmented")
    answer = await servicer.Search(request, None)
    assert (answer.mode, answer.indexed, answer.index_lag) == ("plain", 3, 5)
    assert "no model here" in answer.note
    first, second = answer.results
    place = first.location
    assert (place.repository, place.version, place.path, place.qualname) == ("shapes", "1.0", "pkg/core.py", "f")
    assert (place.line_start, place.line_end, place.language, place.licence) == (3, 4, "python", "MIT")
    assert place.released_at == "2026-01-01T00:00:00+00:00"
    assert (first.summary, first.form, second.form, list(second.streams)) == (
        "Does it.",
        "function",
        "class",
        ["class"],
    )
    assert first.score > second.score


@pytest.mark.parametrize(
    ("released", "changed"),
    [("2026-01-01T02:00:00+02:00", None), (None, "2026-03-01T23:30:00.25-05:00"), (None, None),
     ("2026-01-01T00:00:00Z", "2025-12-24T00:00:00Z")],
)  # fmt: skip
def test_a_record_is_read_as_the_contract_reads_it(function, source, released, changed):
    made = function("Cart.total", source=source(released=released), changed_at=changed, docstring="Sum.\n\nÄ\u2028.")
    code = code_of_record(made.model_dump_json())
    read = Function.model_validate_json(code.record)
    assert read == made and (code.line_start, code.line_end, code.docstring) == (3, 4, made.docstring)
    first, last = made.source.released_at or made.changed_at, made.changed_at or made.source.released_at
    assert code.dated_at == (first.astimezone(UTC).isoformat() if first else "")
    assert code.changed_at == (last.isoformat() if last else "")


def test_a_record_of_an_earlier_release_lacks_what_has_a_default(function):
    record = json.loads(function("area").model_dump_json())
    whole = code_of_record(json.dumps(record))
    for fields, left_out in (
        (record, ["docstring", "language", "form", "changed_at"]),
        (record["source"], ["licence"]),
    ):
        for name in left_out:
            del fields[name]
    code = code_of_record(json.dumps(record))
    assert dataclasses.replace(whole, record="", licence="") == dataclasses.replace(code, record="")


async def test_every_condition_of_a_request_reaches_the_index(servicer, memory_index, entry, source):
    other = source(name="Other", version="2.0")
    await memory_index.upsert(
        [
            entry("f", 10, code="def f():\n    return 1", docstring="One."),
            entry("f", 10, source=other, code="def f():\n    return  1"),
            entry("g", 20, language="go"),
            entry("K", 30, form="class"),
        ]
    )

    async def found(query="0", *, classes=False, mode="", steps=(), **filters):
        request = retriever_pb2.SearchRequest(
            query=query,
            include_classes=classes,
            mode=mode,
            steps=steps,
            filters=retriever_pb2.SearchFilters(**filters),
        )
        return [result.location.qualname for result in (await servicer.Search(request, None)).results]

    assert await found() == ["f", "f", "g"]
    assert await found(repositories=["other", "none"]) == ["f"]
    assert await found(languages=["Go"]) == ["g"]
    assert await found(kinds=["class", "function"]) == ["f", "f", "g", "K"]
    assert await found(kinds=["method"]) == [] and await found(kinds=["method"], classes=True) == ["K"]
    three = ["function", "method", "nested"]
    assert await found(kinds=three, mode="augmented", steps=["query"]) == ["f", "f", "g"]
    assert await found(licences=["mit"]) == ["f", "f", "g"] and await found(licences=["GPL-3.0"]) == []
    assert await found("", symbol="g") == ["g"]
    for everything in (".", "./", "/", " . "):
        assert await found("", path=everything) == ["f", "f", "g"]
    assert await found("", path="pkg") == ["f", "f", "g"]
    assert await found("", pattern="^def g") == ["g"]
    assert await found(version="2.0") == ["f"]
    request = retriever_pb2.SearchRequest(query="0", merge_duplicates=True, limit=1, parts=["m"])
    answer = await servicer.Search(request, None)
    [result] = answer.results
    assert [place.repository for place in result.duplicates] == ["shapes"]
    assert answer.next_cursor and list(answer.parts) == ["m"]
    assert [(part.part, part.weight) for part in result.explanation] == [("m", 1.0)]
    whole = await servicer.GetCode(retriever_pb2.GetCodeRequest(function_id=result.function_id), None)
    assert whole.code.code == result.code and whole.code.location == result.location


async def test_a_request_that_names_a_generation_is_answered_by_it(servicer):
    asked = []

    class Other:
        async def __call__(self, question):
            asked.append(question.generation)
            return SearchAnswer((), 0, 0, 0.0, "plain", generation="other")

        async def pieces(self, question):
            yield SearchPiece("answer", await self(question))

    async def search_of(question):
        return Other() if question.generation == "other" else servicer._search

    servicer._search_of = search_of
    request = retriever_pb2.SearchRequest(query="0", generation="other")
    assert (await servicer.Search(request, None)).generation == "other"
    streamed = servicer.StreamSearch(retriever_pb2.StreamSearchRequest(search=request), None)
    assert [piece.answer.generation async for piece in streamed] == ["other"]
    await servicer.Search(retriever_pb2.SearchRequest(query="0"), None)
    assert asked == ["other"] * 2


async def test_an_index_is_described_with_what_comes_later_and_what_is_missing(memory_index, models, generations_over):
    server = models(mini="1", big="1")
    server.later = Later(frozenset({"big"}), 2, 8, 90.0, rests=True)
    server.missing = (("tiny", "fetch it"),)
    generations = generations_over(memory_index, server)
    servicer = RetrieverServicer(None, None, memory_index, None, None, None, generations, Unbuilt())
    index = (await servicer.DescribeIndex(retriever_pb2.DescribeIndexRequest(), None)).index
    assert not index.HasField("later") and not index.missing
    await generations.look()
    index = (await servicer.DescribeIndex(retriever_pb2.DescribeIndexRequest(), None)).index
    assert index.later == retriever_pb2.IndexLater(models=["big"], done=2, total=8, left_s=90, rests=True)
    assert [(one.name, one.reason) for one in index.missing] == [("tiny", "fetch it")]
    assert [len(one.models) for one in index.generations] == [1, 2]


async def test_queries_are_imported_and_the_shipped_ones_without_any(servicer):
    query = retriever_pb2.Query(text="sort a list", origin="me")
    answer = await servicer.ImportQueries(retriever_pb2.ImportQueriesRequest(queries=[query], candidates=4), None)
    [(topic, [event])] = servicer.bus.published
    assert topic == "touchstone.query.imported.v1"
    assert (event.query_id, event.text, event.origin, event.candidates) == (answer.query_ids[0], "sort a list", "me", 4)
    shipped = await servicer.ImportQueries(retriever_pb2.ImportQueriesRequest(), None)
    assert len(shipped.query_ids) == len(set(shipped.query_ids)) == len(shipped_queries()) >= 6
    progress = (await servicer.Progress(retriever_pb2.ProgressRequest(), None)).progress
    assert progress.lag == 3 and list(progress.activities) == ["busy"]
    assert {counter.name for counter in progress.counters} >= {"functions_indexed", "queries_answered"}


def test_the_offline_command_prints_the_shipped_queries():
    printed = subprocess.run(
        [sys.executable, "-m", "retriever", "queries"], capture_output=True, check=True, text=True, timeout=120
    ).stdout
    assert [query["text"] for query in json.loads(printed)] == [text for text, _origin in shipped_queries()]


class Transport:
    """A model's endpoint that answers in turn; keeps what it was asked."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    async def complete(self, endpoint, request, turn):
        self.asked.append(request)
        async with turn():
            answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return RawAnswer(answer, "stop", 10, 5)

    async def close(self):
        pass


@pytest.fixture
def asking(tmp_path):
    """Makes a search agent over a transport."""
    models = tmp_path / "models.toml"
    models.write_text('default = "m"\n[models.m]\ncontext = 8000\n')

    def make(*answers):
        transport = Transport(*answers)
        catalogue = Catalogue.load(models, "http://127.0.0.1:9/v1")
        return LlmSearchAgent(LlmClient(catalogue, transport, MemoryLlmCache(), MemoryLedger())), transport

    return make


@pytest.fixture
def spent():
    return []


@pytest.fixture
def meter(spent):
    return lambda tokens_in, tokens_out: spent.append((tokens_in, tokens_out))


async def test_the_agent_looks_up_then_describes(asking, meter, spent):
    agent, transport = asking('{"look_ups": ["what is a chunk"]}', '{"description": "Takes a list."}')
    step = await agent.step("split $5 lists", "toolz", [], meter, may_look_up=True)
    assert (step.look_ups, step.augmented) == (("what is a chunk",), "")
    step = await agent.step("split $5 lists", "toolz", ["core.py\ndef chunk(): ..."], meter, may_look_up=False)
    assert (step.look_ups, step.augmented) == ((), "Takes a list.")
    last = transport.asked[1].messages[-1].content
    assert len(spent) == 2 and agent.room == 17_350
    for part in ("split $5 lists", "toolz", "[1] core.py\ndef chunk(): ...", "Nothing more can be looked up"):
        assert part in last


async def test_the_agent_writes_code_and_orders_snippets(asking, meter, spent):
    agent, transport = asking("```python\nx = 1\n```", '{"order": [2, 1]}')
    assert await agent.write_code("give one", "go", meter) == "```python\nx = 1\n```"
    assert "Write go code" in transport.asked[0].messages[-1].content
    assert await agent.order("q", "details", ["first", "second"], meter) == [2, 1]
    assert "[2]\nsecond" in transport.asked[1].messages[-1].content


async def test_nonsense_is_a_fault_of_the_step_and_an_absent_model_of_the_search(asking, meter, spent):
    agent, _ = asking("no json", "still none")
    with pytest.raises(AgentError) as caught:
        await agent.order("q", "d", ["a", "b"], meter)
    assert not isinstance(caught.value, AgentAwayError) and len(spent) == 1
    agent, _ = asking(EndpointUnavailableError("the endpoint is down", thing="m"))
    with pytest.raises(AgentAwayError, match="down"):
        await agent.write_code("d", "python", meter)
    for call in (
        NoAgent("none").write_code("d", "python", meter),
        NoAgent("none").order("q", "d", [], meter),
        NoAgent("none").step("q", "", [], meter, may_look_up=True),
    ):
        with pytest.raises(AgentAwayError, match="none"):
            await call


def test_settings_are_read_from_the_environment(monkeypatch):
    assert RetrieverSettings().search_weights == {"bow-hash-512": 0.05}
    monkeypatch.setenv("TOUCHSTONE_SEARCH_WEIGHTS", '{"a": 2}')
    monkeypatch.setenv("TOUCHSTONE_CODE_INDEX", "weaviate")
    assert RetrieverSettings().search_weights == {"a": 2.0}
    assert RetrieverSettings().code_index == "weaviate"


def test_weights_are_shipped_and_read_from_a_file(tmp_path):
    for models in (["all-MiniLM-L6-v2"], ["all-mpnet-base-v2", "all-MiniLM-L6-v2"]):
        weights = weights_for(models, load_weights(None))
        assert set(weights.models) == set(models) and weights.text > 0 > weights.crowding
    mine, file = Weights({"a/b.c": 1.25, "d": 2.0}, text=0.5, crowding=-0.75), tmp_path / "weights.toml"
    file.write_text(weights_text(mine, "Mine.") + weights_text(Weights({"d": 1.0}), "Another."))
    assert load_weights(file) == (mine, Weights({"d": 1.0}))
    file.write_text("[[weights]]\nmodels = 3\n")
    for broken in (file, tmp_path / "absent.toml"):
        with pytest.raises(PermanentError, match="retrieval fit"):
            load_weights(broken)


def ingested(source, state="ingested", at="2026-11-01T12:00:00Z", digest=""):
    return SourceIngested(source=source, state=state, occurred_at=at, standing_digest=digest)


async def test_the_place_that_a_result_shows_is_one_that_finds_it(servicer, memory_index, entry, source):
    """Without the folder that an archive puts around its files, which no file of a working tree has."""
    other = source(name="Other_Kit", version="2.0")
    await memory_index.upsert([entry("f", 10, path="shapes-1.0/shapes/core.py", source=source(name="shapes"))])
    await memory_index.upsert([entry("f", 20, path="other_kit-2.0/shapes/core.py", source=other)])
    request = retriever_pb2.SearchRequest(query="0", merge_duplicates=True)
    [result] = (await servicer.Search(request, None)).results
    assert result.location.path == result.duplicates[0].path == "shapes/core.py"
    for path in (result.location.path, "shapes", "shapes/*.py"):
        filters = retriever_pb2.SearchFilters(path=path)
        answer = await servicer.Search(retriever_pb2.SearchRequest(filters=filters), None)
        assert [one.location.path for one in answer.results] == ["shapes/core.py"] * 2
    whole = await servicer.GetCode(retriever_pb2.GetCodeRequest(function_id=result.function_id), None)
    assert whole.code.location.path == "shapes/core.py"


async def test_what_a_source_holds_no_more_leaves_with_its_reading(source, memory_index, memory_readings, entry):
    first, second = source(version="1.0"), source(version="2.0", released="2026-02-01T00:00:00Z")
    settle = on_source_ingested(SettleSource(memory_index, memory_readings))
    index = IndexFunctions(memory_index, memory_readings)
    memory_readings.standing = {"d1": {("pkg/core.py", "f"), ("pkg/core.py", "g")}, "d2": {("pkg/core.py", "g")}}

    async def found():
        hits = await memory_index.search({"m": direction_of(0)}, {}, SearchFilter(), 9)
        return sorted((hit.code.qualname, hit.code.version) for hit in hits)

    await index([entry("f", 1, source=first), entry("g", 2, source=first)])
    await settle(ingested(first, digest="d1"))
    assert await found() == [("f", "1.0"), ("g", "1.0")]
    # A pass that broke off, or found nothing new, takes nothing away.
    await settle(ingested(second, "failed", "2026-11-02T12:00:00Z"))
    await settle(ingested(first, "unchanged", "2026-11-02T13:00:00Z"))
    assert await found() == [("f", "1.0"), ("g", "1.0")]
    await settle(ingested(second, at="2026-11-03T12:00:00Z", digest="d2"))
    assert await found() == [("g", "1.0")]
    await index([entry("g", 3, source=second)])
    assert await found() == [("g", "2.0")]
    # Late words about the earlier version, and the same reading once more, bring nothing back.
    await index([entry("f", 1, source=first)])
    await settle(ingested(first, digest="d1"))
    assert await found() == [("g", "2.0")]


def direction_of(degrees):
    return np.array([np.cos(np.radians(degrees)), np.sin(np.radians(degrees))], dtype=np.float32)
