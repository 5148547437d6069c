"""Augmented answers in pieces, over gRPC, with a model's endpoint on a socket that answers as told."""

import asyncio
import json

import grpc
import pytest

from retriever.adapters.agent import LlmSearchAgent
from retriever.rpc import RetrieverServicer
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.plain import PlainSearch
from retriever.usecases.search import Search
from touchstone.retriever.v1 import retriever_pb2, retriever_pb2_grpc
from touchstone_runtime.grpc_server import GrpcServer
from touchstone_runtime.llm import Catalogue, LlmClient, MemoryLedger, MemoryLlmCache, OpenAiTransport

STEPS = ["plain", "look_up", "enrich", "query", "write", "compare", "answer"]
SAID = {
    "look_up": '{"look_ups": ["see 20", "see 60"]}',
    "enrich": '{"description": "about 0"}',
    "write": "```python\ndef a():\n    return ( 40 )\n\ndef b():\n    return ( 80 )\n```",
    "rerank": '{"order": [2, 1]}',
}


class Endpoint:
    """A model's endpoint; a step that is held is answered when its event is set, one that fails by an error."""

    def __init__(self):
        self.said = dict(SAID)
        self.held = {}
        self.fails = set()
        self.away = False
        self.asked = []
        self.deserted = asyncio.Event()

    @staticmethod
    def step_of(body):
        words = body["messages"][-1]["content"]
        if "Write python code" in words:
            return "write"
        if '"order"' in words:
            return "rerank"
        return "enrich" if "Nothing more can be looked up" in words else "look_up"

    async def serve(self, reader, writer):
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                (length,) = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")]
                step = self.step_of(json.loads(await reader.readexactly(int(length.split(b":")[1]))))
                if self.away:
                    return
                self.asked.append(step)
                if step in self.fails:
                    return
                if step in self.held and not await self.kept_waiting(step, reader):
                    return
                message = {"role": "assistant", "content": self.said[step]}
                told = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
                kind = b"content-type: application/json\r\n"
                writer.write(b"HTTP/1.1 200 OK\r\n%bcontent-length: %d\r\n\r\n%b" % (kind, len(told), told))
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def kept_waiting(self, step, reader):
        """Whether the asker is still there when the step may be answered."""
        gone, free = asyncio.ensure_future(reader.read(1)), asyncio.ensure_future(self.held[step].wait())
        await asyncio.wait({gone, free}, return_when=asyncio.FIRST_COMPLETED)
        if gone.done():
            self.deserted.set()
        for task in (gone, free):
            task.cancel()
        await asyncio.wait({gone, free})
        return not self.deserted.is_set()


@pytest.fixture
async def endpoint():
    made = Endpoint()
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    made.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    made.close = server.close
    yield made
    server.close()


@pytest.fixture
async def retriever(endpoint, memory_index, embedder, lag, entry):
    """A retriever over gRPC with functions and a class at angles."""
    entries = [entry(f"f{degrees}", degrees) for degrees in range(0, 90, 5)] + [entry("K40", 40, form="class")]
    await memory_index.upsert(entries)
    client = LlmClient(
        Catalogue({}, f"m@{endpoint.url}"), OpenAiTransport(attempts=1), MemoryLlmCache(), MemoryLedger()
    )
    augmented = AugmentedSearch(memory_index, embedder, LlmSearchAgent(client), {})
    search = Search(memory_index, PlainSearch(memory_index, embedder), augmented, lag)
    server = GrpcServer("127.0.0.1:0")
    servicer = RetrieverServicer(search, None, memory_index, None, None, list, None, None)
    server.add(
        retriever_pb2_grpc.add_RetrieverServiceServicer_to_server,
        servicer,
        "touchstone.retriever.v1.RetrieverService",
    )
    await server.start()
    async with grpc.aio.insecure_channel(server.address) as channel:
        yield retriever_pb2_grpc.RetrieverServiceStub(channel)
    await server.stop(0)
    await client.close()


def asking(query="find 70", mode="augmented", **more):
    return retriever_pb2.StreamSearchRequest(search=retriever_pb2.SearchRequest(query=query, mode=mode, **more))


def names(piece):
    return [result.location.qualname for result in piece.answer.results]


def timeless(answer):
    """The same without seconds, which differ from call to call."""
    kept = retriever_pb2.SearchResponse.FromString(answer.SerializeToString())
    kept.elapsed_s = 0
    for step in kept.steps:
        step.seconds = 0
    return kept


async def test_no_step_that_is_left_out_is_said_to_go_on(retriever):
    said = {}
    for steps in (("query",), ("enrich", "query"), ("look_up", "query", "code"), ("query", "rerank")):
        pieces = [piece async for piece in retriever.StreamSearch(asking(limit=20, steps=steps))]
        said[steps] = [piece.going_on for piece in pieces]
    together, ordered = "what was found is put together", "the model puts the results in order"
    writing, comparing = "the model writes such code", "what is indexed is compared with that code"
    assert said == {
        ("query",): [together, together, ""],
        ("enrich", "query"): ["the model describes what is wanted", together, together, ""],
        ("look_up", "query", "code"): [writing, writing, comparing, together, ""],
        ("query", "rerank"): [ordered, ordered, ""],
    }


async def test_an_answer_comes_in_pieces_and_is_whole_at_last(retriever, endpoint):
    pieces = [piece async for piece in retriever.StreamSearch(asking(limit=20))]
    assert [piece.step for piece in pieces] == STEPS
    # Each says what goes on now, but for the last one, behind which nothing does.
    assert [bool(piece.going_on) for piece in pieces] == [True] * 6 + [False]
    assert [pieces[place].going_on for place in (0, 5)] == [
        "a model reads the question",
        "the model puts the results in order",
    ]
    plain, looked_up, enriched, by_query, written, compared, last = pieces
    assert names(plain)[0] == "f70" and (plain.answer.mode, plain.answer.indexed) == ("plain", 19)
    assert [(one.text, one.found.qualname) for one in looked_up.look_ups] == [("see 20", "f20"), ("see 60", "f60")]
    assert looked_up.look_ups == last.look_ups and names(looked_up) == names(plain)
    assert enriched.answer.augmented_query == last.answer.augmented_query == "find 70\nabout 0"
    assert enriched.answer.mode == "plain" and by_query.answer.mode == "augmented"
    assert names(by_query) == names(written) == ["f0", "f5", "f10", "f15", "f20"]
    assert set(names(compared)) == set(names(last)) >= {"K40", "f80", "f40"}
    # The model's order comes last of all.
    assert names(last)[:2] == names(compared)[1::-1]
    assert timeless(last.answer) == timeless(await retriever.Search(asking(limit=20).search))
    assert endpoint.asked == ["look_up", "enrich", "write", "rerank"]


@pytest.mark.parametrize(
    "request_of",
    [
        {"mode": "plain", "limit": 3},
        {"query": "", "mode": "plain", "filters": {"symbol": "f1*"}, "limit": 1},
        {"steps": ["query"], "limit": 2},
        {"steps": ["look_up", "enrich", "code", "class"], "filters": {"kinds": ["class"]}},
        {"filters": {"symbol": "absent"}},
        {"limit": 1},
    ],
)
@pytest.mark.parametrize("broken", [(), ("look_up", "enrich"), ("write",), ("rerank",)])
async def test_the_last_piece_is_what_search_gives(retriever, endpoint, request_of, broken):
    endpoint.said |= dict.fromkeys(broken, "no")
    asked = asking(**request_of)
    pieces = [piece async for piece in retriever.StreamSearch(asked)]
    whole = timeless(await retriever.Search(asked.search))
    assert timeless(pieces[-1].answer) == whole and pieces[-1].step == "answer"
    assert [piece.step for piece in pieces if piece.step == "answer"] == ["answer"]
    if asked.search.mode == "plain":
        assert len(pieces) == 1


async def test_the_plain_answer_is_there_before_the_model_has_said_anything(retriever, endpoint):
    endpoint.held["look_up"] = asyncio.Event()
    call = retriever.StreamSearch(asking())
    assert (await call.read()).step == "plain"
    endpoint.held["look_up"].set()
    assert (await call.read()).step == "look_up"
    call.cancel()


@pytest.mark.parametrize("step", ["look_up", "enrich", "write", "rerank"])
@pytest.mark.parametrize("method", ["StreamSearch", "Search"])
async def test_who_cancels_stops_the_model(retriever, endpoint, step, method):
    endpoint.held[step] = asyncio.Event()
    request = asking()
    if method == "StreamSearch":
        call = retriever.StreamSearch(request)
        reading = asyncio.ensure_future(_read_all(call))
    else:
        call = reading = retriever.Search(request.search)
    async with asyncio.timeout(60):
        while step not in endpoint.asked:
            await asyncio.sleep(0.01)
        call.cancel()
        # The endpoint sees the connection end, and nothing more is asked.
        await endpoint.deserted.wait()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert endpoint.asked[-1] == step


async def test_a_question_of_two_goes_on_for_the_one_who_stays(retriever, endpoint):
    endpoint.held["look_up"] = asyncio.Event()
    leaving, staying = retriever.StreamSearch(asking()), retriever.StreamSearch(asking())
    for call in (leaving, staying):
        assert (await call.read()).step == "plain"
    leaving.cancel()
    await asyncio.sleep(0.1)
    endpoint.held["look_up"].set()
    assert [piece.step for piece in [await staying.read() for _step in STEPS[1:]]] == STEPS[1:]
    assert endpoint.asked.count("look_up") == 1 and not endpoint.deserted.is_set()


async def test_the_callers_deadline_is_kept_and_the_model_finishes_for_the_next_time(retriever, endpoint):
    endpoint.held["write"] = asyncio.Event()
    pieces = await _read_all(retriever.StreamSearch(asking(), timeout=8))
    assert [piece.step for piece in pieces] == ["plain", "look_up", "enrich", "query", "answer"]
    assert "no code was written: the time was over" in pieces[-1].answer.note
    assert pieces[-1].answer.elapsed_s < 8
    endpoint.held["write"].set()
    again = await _read_all(retriever.StreamSearch(asking()))
    assert again[-1].answer.note == "" and endpoint.asked.count("write") == 1


async def test_without_a_model_the_plain_answer_stands_with_the_reason(retriever, endpoint):
    endpoint.close()
    first, last = await _read_all(retriever.StreamSearch(asking(limit=2)))
    assert (first.step, last.step, last.answer.mode) == ("plain", "answer", "plain")
    assert list(first.answer.results) == list(last.answer.results) and not first.answer.note
    assert "augmented search is not available" in last.answer.note
    # Pages belong to the whole answer.
    assert last.answer.next_cursor and not first.answer.next_cursor


async def test_a_question_that_cannot_be_answered_is_refused(retriever):
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await _read_all(retriever.StreamSearch(asking(query=" ")))
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_version_of_blanks_names_none(retriever, memory_index, entry, source):
    newer = source(version="2.0", released="2026-06-01T00:00:00Z")
    await memory_index.upsert([entry("f70", 70, source=newer)])
    for version in ("", "  "):
        asked = asking(mode="plain", limit=1, filters={"version": version}).search
        [found] = (await retriever.Search(asked)).results
        assert "2.0" in str(found.location)


async def _read_all(call):
    return [piece async for piece in call]


@pytest.mark.parametrize("method", ["StreamSearch", "Search"])
async def test_pages_after_a_plain_answer_are_plain_ones_whether_the_model_answers_by_then_or_not(
    retriever, endpoint, method
):
    async def page(**more):
        if method == "Search":
            return await retriever.Search(asking(limit=3, **more).search)
        return (await _read_all(retriever.StreamSearch(asking(limit=3, **more))))[-1].answer

    endpoint.away = True
    first = await page()
    endpoint.away = False
    second, plain = await page(cursor=first.next_cursor), await page(mode="plain")
    assert second.mode == "plain" and "as on the page before" in second.note and second.next_cursor
    of_plain = await page(mode="plain", cursor=plain.next_cursor)
    assert [one.location for one in second.results] == [one.location for one in of_plain.results]
    assert list(first.results) == list(plain.results) and endpoint.asked == []
    for cursor in ("nonsense", plain.next_cursor):
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await page(cursor=cursor)
        assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("late", [True, False])
async def test_what_the_model_answered_before_its_time_was_over_or_it_went_away_counts(retriever, endpoint, late):
    if late:
        endpoint.held["enrich"] = asyncio.Event()
    else:
        endpoint.fails.add("enrich")
    pieces = await _read_all(retriever.StreamSearch(asking(), timeout=8 if late else 60))
    answer = pieces[-1].answer
    assert answer.mode == "augmented" and answer.augmented_query == "find 70" and names(pieces[-1])
    assert "the query was not enriched" in answer.note and ("the time was over" in answer.note) is late
    assert [(one.text, one.found.qualname) for one in pieces[-1].look_ups] == [("see 20", "f20"), ("see 60", "f60")]
    assert {one.step for one in answer.steps} >= {"enrich", "look_up"}
