"""Retrievers by name, on a query set; weights that are fitted, and rankings of queries that a fit has not seen."""

import asyncio
import json
import subprocess
import sys
import tomllib
from argparse import Namespace
from pathlib import Path

import grpc
import numpy as np
import pytest

from retriever.adapters.embedder import NamedModels
from retriever.adapters.query_set_codes import code_of_row
from retriever.adapters.weights import load_weights
from retriever.domain.code import IndexEntry
from retriever.domain.ensemble import Measured, Ranked, Weights
from retriever.domain.fitting import FOLDS, Candidates, cross_validated, fold_of, kept_back
from retriever.errors import AgentError
from retriever.offline import rank
from retriever.ports import AgentStep, Answered, TextRows
from retriever.settings import RetrieverSettings
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.comparing import Retrievers
from retriever.usecases.plain import PlainSearch
from touchstone.embedder.v1 import embedder_pb2, embedder_pb2_grpc
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.query_sets import read_run

CODES = {
    "a": "def split_lines(text):\n    return text.splitlines() # 10",
    "b": "def join_words(words):\n    return ' '.join(words) # 40",
    "c": "def count_vowels(text):\n    return 3 # 80",
}


@pytest.fixture
def beir(tmp_path):
    """Three codes and two queries; the vectors of a text point as many degrees away as its last number says."""
    rows = [json.dumps({"_id": name, "text": text}) for name, text in CODES.items()]
    (tmp_path / "corpus.jsonl").write_text("\n".join(rows))
    (tmp_path / "queries.jsonl").write_text(
        '{"_id": "1", "text": "split lines 50"}\n{"_id": "2", "text": "vowels 80"}\n{"_id": "3", "text": "nobody 0"}\n'
    )
    (tmp_path / "qrels").mkdir()
    (tmp_path / "qrels/dev.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n2\tc\t1\n3\tb\t0\n")
    return tmp_path


class AsServer:
    """Implements the part of `ModelServer` that embeds, with one model."""

    def __init__(self, embedder):
        self._embedder = embedder

    async def embed(self, texts, models, role):
        rows = [of_text["m"] for of_text in await self._embedder.embed(list(texts), role)]
        return Answered([TextRows("m", "m:1", np.array(rows, dtype=np.float32))])


@pytest.fixture
async def embedder_address(embedder):
    class Embedder(embedder_pb2_grpc.EmbedderServiceServicer):
        async def Describe(self, request, context):
            return embedder_pb2.DescribeResponse(models=[embedder_pb2.EmbeddingModel(name="m", identity="m:1")])

        async def Embed(self, request, context):
            rows = [of_text["m"] for of_text in await embedder.embed(list(request.texts), request.role)]
            data = np.array(rows, dtype="<f4").tobytes()
            return embedder_pb2.EmbedResponse(vectors=[embedder_pb2.Vectors(model="m", dimensions=2, data=data)])

    server = grpc.aio.server()
    embedder_pb2_grpc.add_EmbedderServiceServicer_to_server(Embedder(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(None)


@pytest.fixture
def command(monkeypatch):
    """Runs `python -m retriever` with an embedder at an address."""

    async def call(address, *arguments):
        monkeypatch.setenv("TOUCHSTONE_EMBEDDER_ADDRESS", address)
        line = [sys.executable, "-m", "retriever", *map(str, arguments)]
        # In another thread: the embedder answers in this one.
        return await asyncio.to_thread(subprocess.run, line, capture_output=True, text=True, check=False, timeout=120)

    return call


async def test_every_retriever_ranks_the_labelled_queries_by_name(command, embedder_address, beir):
    out = beir / "runs"
    names = ("plain", "bm25", "ensemble", "m")
    asked = [part for name in names for part in ("--retriever", name)]
    done = await command(embedder_address, "rank", "--beir", beir, "--split", "dev", "--out", out, *asked)
    assert done.returncode == 0, done.stderr
    found = {one["retriever"]: one for one in json.loads(done.stdout)}
    assert set(found) == set(names) and all(one["queries"] == 2 and one["seconds"] >= 0 for one in found.values())
    assert {name: one["models"] for name, one in found.items()} == {
        "plain": ["m"], "bm25": [], "ensemble": ["m"], "m": ["m"],
    }  # fmt: skip
    runs = {name: read_run(Path(one["file"])) for name, one in found.items()}
    assert all(set(run) == {"1", "2"} for run in runs.values())
    # The vector of the first query points to b, its words to a.
    assert runs["m"]["1"] == runs["ensemble"]["1"] == ["b", "c", "a"] and runs["bm25"]["1"] == ["a"]
    assert runs["bm25"]["2"][0] == runs["m"]["2"][0] == "c" and set(runs["plain"]["1"]) == set("abc")


class Agent:
    """A model that enriches by pointing to 40 degrees, writes code that does to 80, and turns every order round."""

    room = 1000

    async def step(self, query, repository, notes, meter, *, may_look_up):
        meter(5, 1)
        return AgentStep(augmented="more 40")

    async def write_code(self, augmented, language, meter):
        meter(7, 1)
        return "def a(): 80"

    async def order(self, query, augmented, snippets, meter):
        meter(9, 1)
        return list(range(len(snippets), 0, -1))


@pytest.fixture
async def ranking_with(memory_index, embedder):
    """Makes retrievers of the corpus with a language model."""
    codes = [code_of_row(one, {"text": text}) for one, text in CODES.items()]
    vectors = await embedder.embed([code.code for code in codes], "code")
    await memory_index.upsert([IndexEntry(code, of_code) for code, of_code in zip(codes, vectors, strict=True)])

    def make(agent):
        augmented = AugmentedSearch(memory_index, embedder, agent, {})
        return Retrievers(memory_index, embedder, PlainSearch(memory_index, embedder), {}, augmented)

    return make


class Failing(Agent):
    """Writes what is no JSON at some steps, about some queries."""

    def __init__(self, *steps, about=""):
        self.steps, self.about = steps, about

    def _answer(self, step, text):
        if step in self.steps and self.about in text:
            raise AgentError(f"no JSON at {step}")

    async def step(self, query, *more, **options):
        self._answer("step", query)
        return await super().step(query, *more, **options)

    async def write_code(self, augmented, *more):
        self._answer("write", augmented)
        return await super().write_code(augmented, *more)

    async def order(self, query, *more):
        self._answer("order", query)
        return await super().order(query, *more)


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("augmented", ("step", "write", "order")),
        ("augmented", ("order",)),
        ("augmented-code", ("write",)),
        ("augmented-query", ("step",)),
    ],
)
async def test_a_run_none_of_whose_queries_the_model_answered_whole_is_no_run(ranking_with, name, steps):
    queries = {"1": "split 10", "2": "join 40"}
    with pytest.raises(AgentError, match=f"{name}: .*2 of 2 queries.*no JSON at {steps[0]}"):
        await ranking_with(Failing(*steps)).run(name, queries, ["m"])


async def test_a_run_counts_the_queries_that_the_model_did_not_answer_whole_and_says_why(ranking_with):
    retrievers = ranking_with(Failing("write", about="split"))
    run = await retrievers.run("augmented", {"1": "split 10", "2": "join 40"}, ["m"])
    assert dict(run.incomplete) == {"1": "no code was written: no JSON at write"} and set(run.rankings) == {"1", "2"}
    assert not (await retrievers.run("augmented", {"2": "join 40"}, ["m"])).incomplete
    assert not (await retrievers.run("plain", {"1": "split 10"}, ["m"])).incomplete


@pytest.mark.parametrize(
    ("name", "best", "tokens"), [("augmented-query", "b", 6), ("augmented-code", "c", 14), ("augmented", "a", 24)]
)
async def test_augmented_searches_are_ranked_whole_and_by_stream(ranking_with, name, best, tokens):
    run = await ranking_with(Agent()).run(name, {"1": "split 10"}, ["m"])
    [ranking] = run.rankings.values()
    assert ranking[0][0] == best and run.tokens == tokens
    assert [score for _code, score in ranking] == sorted((score for _code, score in ranking), reverse=True)


@pytest.mark.parametrize("name", ["plain", "bm25", "ensemble", "m", "augmented"])
async def test_a_corpus_is_ranked_whole_its_classes_too(memory_index, embedder, ranking_with, name):
    told = {"meta_information": {"form": "class", "qualname": "Stack"}}
    cart = code_of_row("k", {"text": "class Stack:\n    def push(self): ...  # 0", **told})
    await memory_index.upsert([IndexEntry(cart, (await embedder.embed([cart.code], "code"))[0])])
    run = await ranking_with(Agent()).run(name, {"1": "stack push 0"}, ["m"])
    assert "k" in [code for code, _score in run.rankings["1"]]


async def test_text_alone_asks_no_embedder(command, beir):
    done = await command(
        "127.0.0.1:9", "rank", "--beir", beir, "--split", "dev", "--out", beir / "r", "--retriever", "bm25"
    )
    assert done.returncode == 0, done.stderr
    assert read_run(beir / "r/bm25.run")["1"] == ["a"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--split", "dev", "--retriever", "best"), "augmented-component, m"),
        (("--split", "dev", "--retriever", "augmented"), "no language model is configured"),
        (("--split", "test", "--retriever", "plain"), "test.tsv"),
    ],
)
async def test_what_cannot_be_ranked_is_said_in_a_line(command, embedder_address, beir, arguments, words):
    done = await command(embedder_address, "rank", "--beir", beir, "--out", beir / "r", *arguments)
    assert done.returncode == 1 and words in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("names", "weights"), [(["plain", "plian"], None), (["plain"], "missing.toml"), (["m", "augmented-nothing"], None)]
)
async def test_what_is_asked_for_and_is_not_there_is_said_before_a_corpus_is_embedded(beir, embedder, names, weights):
    settings = RetrieverSettings(search_weights_file=beir / weights if weights else None)
    options = Namespace(beir=beir, split="dev", out=beir / "runs", retriever=names)
    with pytest.raises(PermanentError):
        await rank(options, settings, NamedModels(AsServer(embedder), ("m",)))
    assert sum(len(texts) for _role, texts in embedder.asked) <= 1


async def test_every_retriever_bears_what_its_questions_take_to_embed(beir, embedder):
    """Only the first one of all waits for them."""

    class Slow(AsServer):
        async def embed(self, texts, models, role):
            await asyncio.sleep(0.2 * (role == "query"))
            return await super().embed(texts, models, role)

    options = Namespace(beir=beir, split="dev", out=beir / "runs", retriever=["plain", "ensemble", "m", "bm25"])
    found = await rank(options, RetrieverSettings(), NamedModels(Slow(embedder), ("m",)))
    *models, words = [one["seconds"] for one in found]
    assert all(seconds >= 0.4 for seconds in models) and words < 0.4


async def test_an_embedder_that_is_away_is_named(command, beir):
    done = await command(
        "127.0.0.1:9", "rank", "--beir", beir, "--split", "dev", "--out", beir / "r", "--retriever", "m"
    )
    assert done.returncode == 1 and "127.0.0.1:9" in done.stderr and "Traceback" not in done.stderr


async def test_a_fit_gives_a_file_of_weights_and_runs_that_show_whether_they_hold(command, embedder_address, beir):
    done = await command(embedder_address, "fit", "--beir", beir, "--split", "dev", "--out", beir / "fit")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert set(found["runs"]) == {"fitted", "kept_back", "unfitted"} and found["queries"] == 2
    assert set(found["alone"]) == {"m"} and read_run(Path(found["alone"]["m"]))["1"] == ["b", "c", "a"]
    (beir / "weights.toml").write_text(found["file"])
    [weights] = load_weights(beir / "weights.toml")
    assert weights == Weights(found["weights"]["models"], found["weights"]["text"], found["weights"]["crowding"])
    assert tomllib.loads(found["file"])["weights"][0]["models"] == {"m": 1}


def drawn(count, seed, *, good, bad=0.0):
    """Queries whose right code stands out by `good` deviations in the second part, and by none in the first."""
    random = np.random.default_rng(seed)
    ranked, relevant = {}, {}
    for number in range(count):
        of_query = []
        for code in range(20):
            right = code == 0
            z = {"m": random.normal() + 0.7 * right, "n": random.normal() + good * right, "text": random.normal() + bad}
            measured = tuple(Measured(part, {f"c{code}": value}, 0.0, 1.0, 1.0) for part, value in z.items())
            of_query.append(Ranked(f"c{code}", 0.0, measured))
        ranked[f"q{number}"] = of_query
        relevant[f"q{number}"] = {"c0"}
    return Candidates(ranked, relevant, ["m", "n"])


def first_places(rankings):
    return sum(ranking[0][0] == "c0" for ranking in rankings.values()) / len(rankings)


def test_a_part_that_tells_right_from_wrong_gets_weight_and_one_that_does_not_gets_little():
    candidates = drawn(400, 1, good=1.4)
    toward = candidates.numbers_of(Weights({"m": 1.0, "n": 1.0}, text=0.5, crowding=0))
    m, n, text, _crowding = candidates.fitted(np.arange(400), toward)
    assert m == 1.0 and 1.5 < n < 2.6 and abs(text) < 0.3


def test_queries_are_ranked_by_weights_that_did_not_see_them_and_no_worse_for_it():
    candidates = drawn(400, 2, good=1.4)
    unfitted = Weights({"m": 1.0, "n": 1.0}, text=0.8, crowding=0)
    held = cross_validated(candidates, unfitted)
    numbers = candidates.numbers_of(unfitted)
    plain = {query: candidates.ranking(row, numbers) for row, query in enumerate(candidates.queries)}
    assert set(held) == set(plain) and first_places(held) > first_places(plain) + 0.03


def test_the_labels_of_what_is_kept_back_change_nothing_of_its_ranking():
    unfitted = Weights({"m": 1.0, "n": 1.0}, text=0.8, crowding=0)
    candidates = drawn(400, 2, good=1.4)
    held = kept_back(candidates, unfitted)
    assert set(held) == {query for query in candidates.queries if fold_of(query, 2)} and 150 < len(held) < 250
    other = drawn(400, 2, good=1.4)
    for row, query in enumerate(other.queries):
        if fold_of(query, 2):
            other._right[row] = other._right[row][::-1]
    assert kept_back(other, unfitted) == held
    assert cross_validated(other, unfitted) != cross_validated(candidates, unfitted)


def test_few_queries_leave_the_weights_near_those_that_nobody_fitted():
    candidates = drawn(3, 3, good=0.0)
    toward = candidates.numbers_of(Weights({"m": 1.0, "n": 1.0}))
    assert np.abs(candidates.fitted(np.arange(3), toward) - toward).max() < 0.7
    assert (candidates.fitted(np.array([], dtype=int), toward) == toward).all()


def test_folds_are_the_same_everywhere_and_of_like_size():
    sizes = np.bincount([fold_of(f"query {number}") for number in range(5000)], minlength=FOLDS)
    assert len(sizes) == FOLDS and sizes.min() > 900 and fold_of("query 1") == fold_of("query 1")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("class Cart:\n    def total(self): ...", "Cart"),
        ("async def fetch(url): ...", "fetch"),
        ("func (c *Cart) Total() int {", "Total"),
        ("public int total(Cart c) {", "total"),
        ("x = 1", ""),
    ],
)
def test_a_code_of_a_corpus_is_named_by_its_head(text, name):
    assert code_of_row("7", {"text": text}).qualname == name


def test_a_corpus_that_tells_more_is_believed():
    told = {"path": "a.py", "qualname": "Cart.total", "form": "class", "repository": "shop", "licence": "MIT"}
    code = code_of_row("7", {"text": "x", "language": "go", "meta_information": told})
    assert (code.qualname, code.form, code.language, code.repository) == ("Cart.total", "class", "go", "shop")
    assert code.path != code_of_row("8", {"text": "x", "meta_information": told}).path
