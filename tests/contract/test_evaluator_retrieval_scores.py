"""Scores of retrievers: one suite for the fake and the real store; labels and searches over real gRPC."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import grpc
import pytest
import sqlalchemy as sa

from evaluator.adapters.labelled import AnnotatorLabels, PlatformRetrievers
from evaluator.adapters.retrieval_scores import SqlRetrievalScores
from evaluator.app import MIGRATIONS
from evaluator.domain.clustered import Interval
from evaluator.domain.labelled import CURRENT, IndexState, RetrievalScore
from evaluator.errors import IncompleteSearchError, SearchAwayError
from touchstone.annotator.v1 import annotator_pb2 as annotator
from touchstone.annotator.v1 import annotator_pb2_grpc as annotator_rpc
from touchstone.retriever.v1 import retriever_pb2 as retriever
from touchstone.retriever.v1 import retriever_pb2_grpc as retriever_rpc
from touchstone_runtime.database import Database
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.grpc_server import channel

AT = datetime(2026, 6, 1, 12, tzinfo=UTC)
MEASURES = {"mrr": Interval(0.5, 0.25, 0.75)}
CONDENSED = {"mrr": Interval(0.75, 0.5, 1.0)}
SCORE = RetrievalScore(
    "one", "d" * 64, "plain", 40, 41, MEASURES, 2**33, 2**34, 3, AT, "g-12ab", CONDENSED, 7, "e" * 64
)


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def scores(request, load_module):
    if request.param == "memory":
        yield load_module("services/evaluator/tests/test_scoring_retrievers.py").MemoryRetrievalScores()
        return
    database = Database(request.getfixturevalue("postgres"), "evaluator", MIGRATIONS)
    try:
        await database.migrate()
        async with database.session() as session:
            await session.execute(sa.text("TRUNCATE retrieval_scores, announced_labels"))
        yield SqlRetrievalScores(database.session)
    finally:
        await database.close()


async def test_a_score_comes_back_as_it_was(scores):
    assert await scores.newest() == [] == await scores.every()
    await scores.add(SCORE)
    await scores.add(SCORE)
    assert await scores.every() == [SCORE] == await scores.newest()


@pytest.mark.real
async def test_what_was_scored_before_methods_were_noted_has_condensed_measures_alone(postgres):
    database = Database(postgres, "evaluator", MIGRATIONS)
    try:
        await database.migrate()
        async with database.session() as session:
            await session.execute(sa.text("TRUNCATE retrieval_scores"))
            await session.execute(
                sa.text(
                    "INSERT INTO retrieval_scores (labels, retriever, scored_at, digest, queries, answerable, measures,"
                    " unjudged_at_10, indexed, seen) VALUES ('one', 'plain', now(), 'd', 1, 1,"
                    """ '{"mrr": {"value": 0.5, "low": 0.25, "high": 0.75}}', 0, 1, 1)"""
                )
            )
        [score] = await SqlRetrievalScores(database.session).newest()
    finally:
        await database.close()
    assert (score.measures, score.condensed, score.method) == ({}, MEASURES, 1)


async def test_the_newest_of_each_retriever_and_set_are_apart_from_the_others(scores):
    later = replace(SCORE, scored_at=AT + timedelta(hours=1), digest="e" * 64)
    others = [replace(SCORE, retriever="plain:text"), replace(SCORE, labels=CURRENT)]
    for score in (later, *others, SCORE):
        await scores.add(score)
    assert sorted(map(repr, await scores.newest())) == sorted(map(repr, [later, *others]))
    every = await scores.every()
    assert len(every) == 4 and every[-1] == later


async def test_announced_labels_are_counted(scores):
    assert await scores.seen() == 0
    for _ in range(3):
        await scores.note_label()
    assert await scores.seen() == 3


class Annotator(annotator_rpc.AnnotatorServiceServicer):
    def __init__(self) -> None:
        self.asked: list[str] = []

    async def ListReleases(self, request, context):
        return annotator.ListReleasesResponse(releases=[annotator.Release(name="one", digest="d" * 64)])

    async def StreamLabels(self, request, context):
        self.asked.append(request.release)
        yield annotator.StreamLabelsResponse(queries=[annotator.LabelledQuery(query_id="q", text="sum a list")])
        labels = {"a": "yes", "b": "no", "c": "undecided"}
        yield annotator.StreamLabelsResponse(
            labels=[annotator.QueryLabel(query_id="q", function_id=code, outcome=said) for code, said in labels.items()]
        )


class Retriever(retriever_rpc.RetrieverServiceServicer):
    def __init__(self) -> None:
        self.requests: list[retriever.SearchRequest] = []
        self.mode = ""
        self.note = ""
        self.left_out: list[str] = []
        self.found = ["b", "a"]
        self.generation = "g-12ab"
        self.code: grpc.StatusCode | None = None

    async def Search(self, request, context):
        self.requests.append(request)
        if self.code is not None:
            await context.abort(self.code, "as told")
        return retriever.SearchResponse(
            results=[retriever.SearchResult(function_id=each) for each in self.found],
            parts=["crowding", "minilm", "text"],
            mode=self.mode or request.mode,
            indexed=77,
            note=self.note,
            left_out=self.left_out,
            generation=self.generation,
            index_digest="c" * 64 if request.with_digest else "",
        )


@pytest.fixture
async def neighbours():
    server = grpc.aio.server()
    labels, search = Annotator(), Retriever()
    annotator_rpc.add_AnnotatorServiceServicer_to_server(labels, server)
    retriever_rpc.add_RetrieverServiceServicer_to_server(search, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    dialled = channel(f"127.0.0.1:{port}")
    yield labels, search, dialled
    await dialled.close()
    await server.stop(0)


async def test_labels_of_a_release_and_of_now(neighbours):
    labels, _, dialled = neighbours
    sets = AnnotatorLabels(dialled)
    assert await sets.releases() == [("one", "d" * 64)]
    found = await sets.labelled("one", "d" * 64)
    assert (found.name, found.digest, dict(found.queries)) == ("one", "d" * 64, {"q": "sum a list"})
    assert (found.correct, found.judged) == ({"q": frozenset("a")}, {"q": frozenset("ab")})
    assert found.undecided == {"q": frozenset("c")}
    current = await sets.labelled(CURRENT, "")
    assert labels.asked == ["one", ""] and len(current.digest) == 64


async def test_the_parts_of_the_search_are_retrievers_of_their_own(neighbours):
    _, search, dialled = neighbours
    assert await PlatformRetrievers(dialled, augmented=False).available() == (
        ["plain", "plain:minilm", "plain:text"],
        IndexState(77, "g-12ab", "c" * 64),
    )
    engines = PlatformRetrievers(dialled, augmented=True)
    assert (await engines.available())[0][-1] == "augmented"
    assert await engines.ranking("plain:text", "sum", 100) == ["b", "a"]
    asked = search.requests[-1]
    assert (asked.mode, list(asked.parts), asked.limit, asked.include_superseded) == ("plain", ["text"], 100, True)
    search.mode, search.note = "plain", "no model"
    with pytest.raises(SearchAwayError, match="no model"):
        await engines.ranking("augmented", "sum", 100)
    search.mode, search.note = "augmented", "no code was written: the answer was no JSON"
    with pytest.raises(IncompleteSearchError, match="no code was written"):
        await engines.ranking("augmented", "sum", 100)
    search.note = ""
    assert await engines.ranking("augmented", "sum", 100) == ["b", "a"]
    search.code = grpc.StatusCode.UNAVAILABLE
    with pytest.raises(DependencyAwayError, match="retriever"):
        await engines.ranking("plain", "sum", 100)


async def test_a_search_that_ranked_by_less_than_its_generation_has_is_no_ranking_of_it(neighbours):
    """As while the embedder lacks a model: the score would stand under the name of the whole."""
    _, search, dialled = neighbours
    engines = PlatformRetrievers(dialled, augmented=False)
    await engines.available()
    search.note = "ranked without mpnet: the embedder does not have what the index was made by"
    with pytest.raises(SearchAwayError, match="ranked without mpnet"):
        await engines.ranking("plain", "sum", 100)
    with pytest.raises(SearchAwayError, match="ranked without mpnet"):
        await engines.available()
    search.note, search.left_out = "compared without mpnet, which the embedder is still loading", ["mpnet"]
    with pytest.raises(SearchAwayError, match="compared without mpnet"):
        await engines.ranking("augmented", "sum", 100)
    search.left_out = []
    # By text alone, where no code has a word of the question.
    search.found, search.note = [], "nothing indexed matches"
    with pytest.raises(SearchAwayError, match="nothing indexed matches"):
        await engines.ranking("plain", "sum", 100)
    # A part by itself may find nothing.
    assert await engines.ranking("plain:text", "sum", 100) == []


async def test_a_generation_that_took_over_between_two_queries_is_no_ranking_of_the_one_before(neighbours):
    _, search, dialled = neighbours
    engines = PlatformRetrievers(dialled, augmented=False)
    await engines.available()
    assert await engines.ranking("plain", "sum", 100) == ["b", "a"]
    search.generation = "g-34cd"
    with pytest.raises(SearchAwayError, match="g-34cd"):
        await engines.ranking("plain", "sum", 100)
    assert (await engines.available())[1].generation == "g-34cd"
    assert await engines.ranking("plain", "sum", 100) == ["b", "a"]
