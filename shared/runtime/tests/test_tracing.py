"""Spans of RPCs, of models that are asked and of sent events; what is off costs no header."""

import asyncio
from types import SimpleNamespace

import grpc
import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_contracts.events import SolutionRequested, SourceRequested
from touchstone_contracts.topics import SOLUTION_REQUESTED, SOURCE_REQUESTED
from touchstone_runtime import tracing
from touchstone_runtime.errors import NotFoundError
from touchstone_runtime.grpc_server import GrpcServer, channel
from touchstone_runtime.service import tracing_of
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.telemetry import trace_id
from touchstone_runtime.tracing_export import Tracing

PATIENCE_S = 120
NAME = "0af7651916cd43dd8448eb211c80319c"


@pytest.fixture
def traced():
    """Gives what starts tracing with a share of the traces; the spans are kept in memory."""
    begun = []

    def start(share=1.0):
        exporter = InMemorySpanExporter()
        begun.append(Tracing("test", SimpleSpanProcessor(exporter), share))
        return exporter

    yield start
    for each in begun:
        each.close()


class Retriever(rpc.RetrieverServiceServicer):
    def __init__(self):
        self.logged = []
        self.waiting = asyncio.Event()

    async def Search(self, request, context):
        self.logged.append((trace_id.get(), dict(context.invocation_metadata())))
        if request.query == "none":
            raise NotFoundError("there is none", thing="it")
        if request.query == "long":
            self.waiting.set()
            await asyncio.Event().wait()
        return pb.SearchResponse()


async def ask(query, *, until=None):
    servicer, server = Retriever(), GrpcServer("127.0.0.1:0")
    server.add(rpc.add_RetrieverServiceServicer_to_server, servicer, "touchstone.retriever.v1.RetrieverService")
    await server.start()
    try:
        async with channel(server.address) as dialled:
            call = rpc.RetrieverServiceStub(dialled).Search(pb.SearchRequest(query=query), timeout=PATIENCE_S)
            if query == "long":
                await asyncio.wait_for(servicer.waiting.wait(), PATIENCE_S)
                call.cancel()
            code = await call.code()
            async with asyncio.timeout(PATIENCE_S):
                while until is not None and not until():
                    await asyncio.sleep(0.01)
    finally:
        await server.stop(0)
    return code, servicer


def ids(span):
    return span.context.trace_id, span.context.span_id


async def test_the_span_of_an_answer_is_a_child_of_the_call_and_the_logs_name_its_trace(traced):
    spans = traced()
    with tracing.asking("outside", {}):
        code, servicer = await ask("q", until=lambda: len(spans.get_finished_spans()) == 2)
    assert code is grpc.StatusCode.OK
    by_kind = {span.kind: span for span in spans.get_finished_spans() if "Search" in span.name}
    made, answered = by_kind[SpanKind.CLIENT], by_kind[SpanKind.SERVER]
    (outside,) = [span for span in spans.get_finished_spans() if span.name == "outside"]
    assert ids(outside) == (made.parent.trace_id, made.parent.span_id)
    assert ids(made) == (answered.parent.trace_id, answered.parent.span_id)
    assert made.name == answered.name == "touchstone.retriever.v1.RetrieverService/Search"
    assert made.attributes["rpc.grpc.status_code"] == answered.attributes["rpc.grpc.status_code"] == "OK"
    assert servicer.logged[0][0] == f"{answered.context.trace_id:032x}"


@pytest.mark.parametrize(("query", "code"), [("none", "NOT_FOUND"), ("long", "CANCELLED")])
async def test_a_call_that_failed_or_was_given_up_ends_its_spans_with_the_code(traced, query, code):
    spans = traced()
    assert (await ask(query, until=lambda: len(spans.get_finished_spans()) == 2))[0].name == code
    found = spans.get_finished_spans()
    assert [span.attributes["rpc.grpc.status_code"] for span in found] == [code, code]
    assert {span.status.status_code for span in found} == {StatusCode.ERROR}


async def test_without_tracing_the_id_of_the_logs_is_carried_and_nothing_else():
    token = trace_id.set("mine")
    try:
        _, servicer = await ask("q")
    finally:
        trace_id.reset(token)
    ((logged, metadata),) = servicer.logged
    assert logged == "mine"
    assert tracing.HEADER not in metadata
    with tracing.publishing(SOURCE_REQUESTED, SourceRequested(source_id="s", request_id="r")) as (_, headers):
        assert headers == {}


def test_a_trace_that_is_named_begins_under_its_key_and_is_taken_up_elsewhere(traced):
    spans = traced()
    begins = SourceRequested(source_id=NAME, request_id="r", trace_id=NAME)
    goes_on = SolutionRequested(run_id="r", task_id="t", model={"name": "m"}, trace_id=NAME)
    with tracing.asking("a pass", {}):
        with tracing.publishing(SOURCE_REQUESTED, begins) as (sent, first):
            assert sent.trace_id == NAME == trace_id.get()
        with tracing.publishing(SOLUTION_REQUESTED, goes_on) as (_, second):
            pass
    start, later, around = spans.get_finished_spans()
    assert start.parent is None
    assert first["traceparent"].startswith(f"00-{NAME}-{NAME[:16]}-")
    assert second["traceparent"].startswith(f"00-{NAME}-")
    assert (later.parent.trace_id, later.parent.span_id) == ids(start)
    assert around.context.trace_id != start.context.trace_id
    assert [link.context.span_id for link in start.links] == [around.context.span_id]


@pytest.mark.parametrize(("share", "kept"), [(0.0, 0), (1.0, 2)])
def test_every_service_keeps_the_same_share_of_the_traces(traced, share, kept):
    spans = traced(share)
    for event in (
        SourceRequested(source_id=NAME, request_id="r", trace_id=NAME),
        SourceRequested(source_id="another key", request_id="r", trace_id=NAME),
    ):
        with tracing.publishing(SOURCE_REQUESTED, event) as (_, headers):
            assert int(headers["traceparent"][-2:], 16) & 1 == bool(kept)
    assert len(spans.get_finished_spans()) == kept


@pytest.mark.parametrize("value", [b"\xff\xfe", b"", None, b"00-" + b"f" * 10_000])
def test_what_a_message_carries_may_be_anything(traced, value):
    spans = traced()
    event = SourceRequested(source_id="s", request_id="r", trace_id="not of this form")
    headers = [("traceparent", value), ("other", b"x"), ("another", None)]
    with tracing.handling(
        SOURCE_REQUESTED, "g", [SimpleNamespace(headers=headers, key=None, partition=0, offset=3)], [event]
    ):
        assert trace_id.get() == event.event_id
    (span,) = spans.get_finished_spans()
    assert span.parent is None
    assert f"{span.context.trace_id:032x}" == event.event_id


def test_no_collector_no_tracing():
    assert tracing_of("test", ServiceSettings()) is None
    assert not tracing.is_on()
