"""The embedder's answers, as the retriever reads them."""

from types import SimpleNamespace

import grpc
import numpy as np
import pytest
from prometheus_client import REGISTRY

from retriever import metrics
from retriever.adapters.embedder import GrpcEmbedder, LagWatch, NamedModels
from retriever.domain.generations import Described, Later
from retriever.errors import EmbedderAwayError, EmbedderRefusedError, EmbedderUnavailableError
from retriever.ports import Answered, TextRows
from touchstone.embedder.v1 import embedder_pb2
from touchstone_contracts.topics import FUNCTION_EMBEDDED


class Behind:
    """A bus of which so many messages wait."""

    def __init__(self, lag):
        self.lag = lag

    async def lag_of(self, topic):
        assert topic is FUNCTION_EMBEDDED
        return self.lag


class Stub:
    """The embedder's gRPC stub."""

    def __init__(self, answer):
        self.answer = answer
        self.asked = []

    async def Embed(self, request, timeout):
        self.asked.append(request)
        return self._give()

    async def Progress(self, request, timeout):
        return self._give()

    def _give(self):
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def away(code=grpc.StatusCode.UNAVAILABLE):
    nothing = grpc.aio.Metadata()
    return grpc.aio.AioRpcError(code, nothing, nothing, details="connection refused")


@pytest.fixture
async def client():
    async with grpc.aio.insecure_channel("127.0.0.1:9") as channel:
        yield GrpcEmbedder(channel, "127.0.0.1:9")


def rows_from(model, rows):
    vectors = embedder_pb2.Vectors(model=model, identity=f"{model}:1", dimensions=rows.shape[1], data=rows.tobytes())
    return embedder_pb2.EmbedResponse(vectors=[vectors])


async def test_vectors_of_the_embedder_come_with_the_models_digest(client):
    rows = np.arange(6, dtype="<f4").reshape(2, 3)
    client._stub = Stub(rows_from("m", rows))
    [answered] = (await client.embed(["a", "b"], ["m", "n"], "code")).rows
    assert (answered.model, answered.identity) == ("m", "m:1") and np.array_equal(answered.rows, rows)
    assert list(client._stub.asked[0].models) == ["m", "n"] and client._stub.asked[0].role == "code"
    with pytest.raises(EmbedderUnavailableError, match="without the vectors"):
        await client.embed(["a"], ["m"], "code")


async def test_a_model_that_is_gone_takes_no_other_with_it(client):
    rows = np.arange(2, dtype="<f4").reshape(1, 2)
    nothing = grpc.aio.Metadata()
    gone = grpc.aio.AioRpcError(grpc.StatusCode.INVALID_ARGUMENT, nothing, nothing, details="no such model")

    class WithoutM(Stub):
        async def Embed(self, request, timeout):
            self.answer = gone if "m" in request.models else rows_from("n", rows)
            return await super().Embed(request, timeout)

    client._stub = WithoutM(gone)
    assert [one.model for one in (await client.embed(["a"], ["m", "n"], "query")).rows] == ["n"]
    assert await client.embed(["a"], ["m"], "query") == Answered([])


async def test_a_configured_model_that_cannot_be_loaded_takes_no_other_with_it(client):
    rows = np.arange(2, dtype="<f4").reshape(1, 2)
    nothing = grpc.aio.Metadata()
    missing = grpc.aio.AioRpcError(grpc.StatusCode.FAILED_PRECONDITION, nothing, nothing, details="no such folder")

    class WithoutM(Stub):
        described = embedder_pb2.DescribeResponse(
            models=[embedder_pb2.EmbeddingModel(name="n", identity="n:1")],
            unavailable=[embedder_pb2.UnavailableModel(name="m", reason="no such folder")],
        )

        async def Embed(self, request, timeout):
            self.answer = missing if {"m", "waits"} & set(request.models) else rows_from("n", rows)
            return await super().Embed(request, timeout)

        async def Describe(self, request, timeout):
            return self.described

    client._stub = WithoutM(missing)
    with pytest.raises(EmbedderAwayError, match="no such folder"):
        await client.embed(["a"], ["m", "n"], "query")
    # Which one it is, it describes every other second.
    await client.describe()
    assert [one.model for one in (await client.embed(["a"], ["m", "n"], "query")).rows] == ["n"]
    assert await client.embed(["a"], ["m"], "query") == Answered([])
    # Whatever else it waits for, the question waits too.
    with pytest.raises(EmbedderAwayError, match="no such folder"):
        await client.embed(["a"], ["n", "waits"], "query")
    client._stub.described = embedder_pb2.DescribeResponse(models=client._stub.described.models)
    await client.describe()
    with pytest.raises(EmbedderAwayError, match="no such folder"):
        await client.embed(["a"], ["m", "n"], "query")


async def test_what_the_embedder_makes_now_is_read_from_its_description(client):
    class Describing(Stub):
        async def Describe(self, request, timeout):
            return self._give()

    one = embedder_pb2.EmbeddingModel(name="m", identity="m:1")
    client._stub = Describing(embedder_pb2.DescribeResponse(models=[one], text_form="code-1"))
    assert await client.describe() == Described((("m", "m:1"),), "code-1")
    answer = embedder_pb2.DescribeResponse(models=[one, embedder_pb2.EmbeddingModel(name="b", later=True)])
    answer.unavailable.add(name="c", reason="fetch it")
    client._stub = Describing(answer)
    described = await client.describe()
    assert described == Described((("m", "m:1"), ("b", "")), "", Later(frozenset({"b"})), (("c", "fetch it"),))
    assert described.at_once.models == (("m", "m:1"),) == described.at_once.at_once.models
    answer.later.MergeFrom(embedder_pb2.LaterModels(done=2, total=3, left_s=1.5))
    assert (await client.describe()).later == Later(frozenset({"b"}), 2, 3, 1.5)
    client._stub = Describing(embedder_pb2.DescribeResponse())
    assert await client.describe() is None
    client._stub = Describing(away())
    assert await client.describe() is None


async def test_functions_are_given_back_and_who_cannot_take_them_is_told_from_who_does_not_want_them(client):
    class Taking(Stub):
        async def EmbedFunctions(self, request, timeout):
            self.asked.append(list(request.functions))
            return self._give()

    client._stub = Taking(embedder_pb2.EmbedFunctionsResponse())
    await client.embed_functions(["{}", "[]"])
    assert client._stub.asked == [["{}", "[]"]]
    for code, error, words in (
        (grpc.StatusCode.UNAVAILABLE, EmbedderAwayError, "touchstone status"),
        (grpc.StatusCode.INVALID_ARGUMENT, EmbedderRefusedError, "connection refused"),
        (grpc.StatusCode.INTERNAL, EmbedderUnavailableError, "connection refused"),
    ):
        client._stub = Taking(away(code))
        with pytest.raises(error, match=words):
            await client.embed_functions(["{}"])


async def test_an_embedder_that_is_away_is_named_with_the_way_out(client):
    client._stub = Stub(away())
    with pytest.raises(EmbedderUnavailableError, match=r"127\.0\.0\.1:9.*connection refused.*touchstone status"):
        await client.embed(["a"], ["m"], "query")
    assert await LagWatch(Behind(4), client).look() == -1


async def test_the_lag_adds_what_waits_at_both_services(client):
    answer = embedder_pb2.ProgressResponse()
    answer.progress.lag = 7
    client._stub = Stub(answer)
    watch = LagWatch(Behind(4), client)
    assert watch.functions_behind == -1
    assert await watch.look() == watch.functions_behind == 11


async def test_where_a_look_fails_what_was_seen_before_is_known_no_more(client, monkeypatch):
    client._stub = Stub(embedder_pb2.ProgressResponse())
    bus = Behind(0)
    watch = LagWatch(bus, client)
    assert await watch.look() == 0

    async def odd(_topic):
        raise ValueError("odd")

    monkeypatch.setattr(bus, "lag_of", odd, raising=False)
    with pytest.raises(ValueError):
        await watch.look()
    assert watch.functions_behind == -1


async def test_the_gauge_tells_the_lag_as_last_looked_at_searched_or_not(client):
    def told():
        return REGISTRY.get_sample_value("touchstone_retriever_functions_behind")

    bus, answer = Behind(100_000), embedder_pb2.ProgressResponse()
    client._stub = Stub(answer)
    watch = LagWatch(bus, client)
    metrics.tell_behind(watch)
    assert told() == -1
    await watch.look()
    assert told() == 100_000
    metrics.observe_search(SimpleNamespace(mode="plain", elapsed_s=0.01, functions_behind=7))
    assert told() == 100_000
    bus.lag = 0
    await watch.look()
    assert told() == 0


class Models:
    """An embedder that has these models now."""

    def __init__(self, *names, missing=(), silent=False):
        self.names = names
        self.missing = missing
        self.silent = silent

    async def describe(self):
        models = tuple((name, f"{name}:1") for name in self.names)
        return None if self.silent else Described(models, "code-1", missing=self.missing)

    async def embed(self, texts, models, role):
        rows = np.ones((len(texts), 2), dtype=np.float32)
        there = [name for name in self.names if name in models or not models]
        return Answered([TextRows(name, f"{name}:1", rows) for name in there])


@pytest.mark.parametrize("asked", [(), ("m", "n")])
async def test_a_run_in_which_a_model_goes_is_none(asked):
    """What ranks by two models and then by one is neither."""
    server = Models("m", "n")
    models = NamedModels(server, asked)
    [vectors] = await models.embed(["a"], "code")
    assert set(vectors) == {"m", "n"}
    server.names = ("m",)
    with pytest.raises(EmbedderUnavailableError, match=r"has m.* and not m and n"):
        await models.embed(["a"], "query")


async def test_a_run_without_a_model_that_the_embedder_is_told_to_have_is_none_unless_the_others_are_named():
    """Else `plain` and `ensemble` would be other retrievers from one evaluation to the next."""
    server = Models("m", missing=(("n", "n: its folder is not there (bring it)"),))
    with pytest.raises(EmbedderUnavailableError, match=r"lacks n: .*bring it.*TOUCHSTONE_SEARCH_MODELS='\[\"m\"\]'"):
        await NamedModels(server).embed(["a"], "code")
    [vectors] = await NamedModels(server, ("m",)).embed(["a"], "code")
    assert set(vectors) == {"m"}
    with pytest.raises(EmbedderUnavailableError, match="does not tell which models it has"):
        await NamedModels(Models("m", silent=True)).embed(["a"], "code")


async def test_a_model_that_is_asked_for_by_name_and_is_not_there_is_said():
    with pytest.raises(EmbedderUnavailableError, match=r"has m.* and not m and n"):
        await NamedModels(Models("m"), ("n", "m")).embed(["a"], "code")
    with pytest.raises(EmbedderUnavailableError, match="does not have any model"):
        await NamedModels(Models(), ()).embed(["a"], "code")


async def test_a_model_that_is_being_loaded_is_named_and_the_others_answer(client):
    rows = np.arange(2, dtype="<f4").reshape(1, 2)
    answer = rows_from("m", rows)
    answer.loading.append("n")
    client._stub = Stub(answer)
    answered = await client.embed(["a"], ["m", "n"], "query")
    assert [one.model for one in answered.rows] == ["m"] and answered.loading == ("n",)
    assert client._stub.asked[0].ready_alone
    # A run over a query set is by all of them or none.
    with pytest.raises(EmbedderUnavailableError, match=r"has m.* and not m and n"):
        await NamedModels(client, ("m", "n")).embed(["a"], "query")
