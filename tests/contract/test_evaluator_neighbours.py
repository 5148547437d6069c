"""The evaluator's adapters to retriever and sandbox, over real gRPC against small servicers."""

from __future__ import annotations

import grpc
import pytest

from evaluator.adapters.sandbox import GrpcSandbox
from evaluator.adapters.search import RetrieverSearch
from evaluator.domain.found import Snippet
from evaluator.errors import SandboxFailedError, SandboxUnusableError, SearchAwayError
from evaluator.ports import CallRun
from touchstone.common.v1 import code_pb2
from touchstone.retriever.v1 import retriever_pb2 as retriever
from touchstone.retriever.v1 import retriever_pb2_grpc as retriever_rpc
from touchstone.sandbox.v1 import sandbox_pb2 as sandbox
from touchstone.sandbox.v1 import sandbox_pb2_grpc as sandbox_rpc
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.faults import DependencyFailedError
from touchstone_runtime.grpc_server import channel


class Retriever(retriever_rpc.RetrieverServiceServicer):
    def __init__(self) -> None:
        self.requests: list[retriever.SearchRequest] = []
        self.code: grpc.StatusCode | None = None
        self.parts: list[str] = ["m", "text"]
        self.note = ""
        self.left_out: list[str] = []

    async def Search(self, request, context):
        self.requests.append(request)
        if self.code is not None:
            await context.abort(self.code, "as told")
        location = code_pb2.CodeLocation(repository="pack", path="a.py", qualname=f"found{len(self.requests)}")
        found = retriever.SearchResult(location=location, score=0.5, code="def f(): ...", function_id="function1")
        return retriever.SearchResponse(results=[found], parts=self.parts, note=self.note, left_out=self.left_out)


class Sandbox(sandbox_rpc.SandboxServiceServicer):
    def __init__(self) -> None:
        self.requests: list[sandbox.RunCasesRequest] = []
        self.code: grpc.StatusCode | None = None
        self.responses: list[sandbox.RunCasesResponse] = []

    async def RunCases(self, request, context):
        self.requests.append(request)
        for response in self.responses:
            yield response
        if self.code is not None:
            await context.abort(self.code, "as told")


@pytest.fixture
async def neighbours():
    server = grpc.aio.server()
    search, box = Retriever(), Sandbox()
    retriever_rpc.add_RetrieverServiceServicer_to_server(search, server)
    sandbox_rpc.add_SandboxServiceServicer_to_server(box, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    dialled = channel(f"127.0.0.1:{port}")
    yield search, box, dialled
    await dialled.close()
    await server.stop(0)


async def test_a_search_is_answered_the_same_for_ever(neighbours, tmp_path):
    search, _, dialled = neighbours
    adapter = RetrieverSearch(dialled, BlobStore(f"file://{tmp_path}"))
    first = await adapter.search("split text", limit=16, occasion="run/task")
    assert first == [Snippet("pack", "a.py", "found1", "def f(): ...", "function1", 0.5)]
    assert (search.requests[0].query, search.requests[0].limit, search.requests[0].mode) == ("split text", 16, "plain")
    assert await adapter.search("split text", limit=16, occasion="run/task") == first
    assert len(search.requests) == 1
    other = await adapter.search("split text", limit=16, occasion="run/another")
    assert other[0].qualname == "found2"


async def test_a_search_engine_that_is_away_halts_and_an_impossible_query_finds_nothing(neighbours, tmp_path):
    search, _, dialled = neighbours
    adapter = RetrieverSearch(dialled, BlobStore(f"file://{tmp_path}"))
    for code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.FAILED_PRECONDITION):
        search.code = code
        with pytest.raises(SearchAwayError, match=r"as told.*no-search"):
            await adapter.search("q", limit=1, occasion="o")
    # It answers and fails: a question that it fails at each time must not hold everything up for ever.
    search.code = grpc.StatusCode.INTERNAL
    with pytest.raises(DependencyFailedError, match=r"as told.*no-search"):
        await adapter.search("q", limit=1, occasion="o")
    search.code = grpc.StatusCode.INVALID_ARGUMENT
    assert await adapter.search("", limit=1, occasion="o") == []


async def test_what_words_alone_found_while_the_embedder_was_away_is_not_kept(neighbours, tmp_path):
    search, _, dialled = neighbours
    adapter = RetrieverSearch(dialled, BlobStore(f"file://{tmp_path}"))
    search.parts, search.note = ["text"], "models cannot be asked now"
    with pytest.raises(SearchAwayError, match="models cannot be asked now"):
        await adapter.search("q", limit=1, occasion="o")
    search.parts, search.note = ["m", "text"], ""
    assert [one.qualname for one in await adapter.search("q", limit=1, occasion="o")] == ["found2"]


async def test_what_was_found_without_a_model_of_the_index_is_not_kept(neighbours, tmp_path):
    search, _, dialled = neighbours
    adapter = RetrieverSearch(dialled, BlobStore(f"file://{tmp_path}"))
    search.note, search.left_out = "ranked without mpnet, which the embedder is still loading", ["mpnet"]
    with pytest.raises(SearchAwayError, match="ranked without mpnet"):
        await adapter.search("q", limit=1, occasion="o")
    search.note, search.left_out = "", []
    assert [one.qualname for one in await adapter.search("q", limit=1, occasion="o")] == ["found2"]


async def test_calls_come_back_in_order_with_their_ends(neighbours):
    _, box, dialled = neighbours
    box.responses = [
        sandbox.RunCasesResponse(index=0, outcome=sandbox.OUTCOME_RETURNED, value="[1]"),
        sandbox.RunCasesResponse(index=1, outcome=sandbox.OUTCOME_RAISED, error_type="KeyError", error_message="'a'"),
    ]
    runs = await GrpcSandbox(dialled).run_calls("code", "f", ["[0]", "[1]"])
    assert runs == [CallRun("returned", "[1]"), CallRun("raised", error_type="KeyError", error_message="'a'")]
    (request,) = box.requests
    assert (request.language, request.source, request.entry_point) == (sandbox.LANGUAGE_PYTHON, "code", "f")
    assert request.limits.case_timeout_s == 5.0


@pytest.mark.parametrize("told", [0, 1, 3])
async def test_a_sandbox_that_does_not_tell_how_each_call_ended_failed(neighbours, told):
    _, box, dialled = neighbours
    box.responses = [sandbox.RunCasesResponse(outcome=sandbox.OUTCOME_RETURNED, value="1")] * told
    with pytest.raises(SandboxFailedError, match=f"{told} of 2"):
        await GrpcSandbox(dialled).run_calls("code", "f", ["[0]", "[1]"])


async def test_a_sandbox_that_refuses_or_fails_halts(neighbours):
    _, box, dialled = neighbours
    box.code = grpc.StatusCode.FAILED_PRECONDITION
    with pytest.raises(SandboxUnusableError, match=r"as told.*doctor"):
        await GrpcSandbox(dialled).run_calls("code", "f", ["[0]"])
    box.code = None
    box.responses = [sandbox.RunCasesResponse(outcome=sandbox.OUTCOME_PLATFORM_FAULT, error_message="no cgroup")]
    with pytest.raises(SandboxFailedError, match="no cgroup"):
        await GrpcSandbox(dialled).run_calls("code", "f", ["[0]"])


async def test_an_impossible_draft_is_the_drafts_fault(neighbours):
    _, box, dialled = neighbours
    box.code = grpc.StatusCode.INVALID_ARGUMENT
    assert (
        await GrpcSandbox(dialled).run_calls("code", "f", ["[0]", "[1]"])
        == [CallRun("refused", error_message="as told")] * 2
    )
