"""One trace from a function's announcement to the verdict on its task, over a real broker and real gRPC."""

import asyncio
import contextvars
import uuid

import pytest
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_contracts import events, topics
from touchstone_runtime import tracing
from touchstone_runtime.bus import Bus
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.grpc_server import GrpcServer, channel
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.tracing_export import Tracing

pytestmark = pytest.mark.real

PATIENCE_S = 300
SOURCE = events.SourceRef(source_id="s", source_version_id="v", kind="folder", name="n", version="1")


@pytest.fixture
def spans():
    exporter = InMemorySpanExporter()
    traces = Tracing("test", SimpleSpanProcessor(exporter))
    yield exporter
    traces.close()


def function():
    return events.Function(
        function_id=uuid.uuid4().hex, source=SOURCE, path="a.py", qualname="f", name="f", line_start=1, line_end=2,
        code="def f(x):\n    return x\n",
    )  # fmt: skip


class Runner(rpc.RetrieverServiceServicer):
    async def Search(self, request, context):
        return pb.SearchResponse()


class House:
    """The services' handlers in small: each does what the real one does with the bus, and nothing else."""

    def __init__(self, bootstrap):
        mark = uuid.uuid4().hex[:8]
        settings = ServiceSettings(kafka_bootstrap=bootstrap, retry_backoff_s=0.01)
        self.mine, self.verdicts, self.embedded = set(), [], []
        self.ingester, self.embedder, self.generator, self.evaluator, self.executor = self.buses = [
            Bus(settings, f"{name}-{mark}") for name in ("ingester", "embedder", "generator", "evaluator", "executor")
        ]
        self.server = GrpcServer("127.0.0.1:0")
        self.server.add(
            rpc.add_RetrieverServiceServicer_to_server, Runner(), "touchstone.retriever.v1.RetrieverService"
        )

    async def __aenter__(self):
        await self.server.start()
        self.dialled = channel(self.server.address)
        self.embedder.consume_batch(topics.FUNCTION_EXTRACTED, self.embed, max_wait_s=1.0)
        self.generator.consume(topics.FUNCTION_EXTRACTED, self.build)
        self.evaluator.consume(topics.TASK_BUILT, self.request)
        self.evaluator.consume(topics.SOLUTION_REQUESTED, self.solve)
        self.executor.consume(topics.SOLUTION_GENERATED, self.judge)
        self.evaluator.consume(topics.VERDICT_REACHED, self.record)
        await asyncio.gather(*(bus.start() for bus in self.buses))
        return self

    async def __aexit__(self, *_):
        await asyncio.gather(*(bus.stop() for bus in self.buses))
        await self.dialled.close()
        await self.server.stop(0)

    async def announce(self, functions):
        self.mine |= {each.function_id for each in functions}
        with tracing.asking("a pass over a source", {}):
            await self.ingester.publish_all(
                topics.FUNCTION_EXTRACTED,
                [events.FunctionExtracted(function=each, trace_id=each.function_id) for each in functions],
            )

    async def embed(self, batch):
        vectors = (events.Vector(model="m", dimensions=1, data=""),)
        for event in batch:
            await self.embedder.publish(
                topics.FUNCTION_EMBEDDED, events.FunctionEmbedded(function=event.function, vectors=vectors)
            )
        self.embedded.append([event.function.function_id for event in batch])

    async def build(self, event):
        await rpc.RetrieverServiceStub(self.dialled).Search(pb.SearchRequest(), timeout=PATIENCE_S)
        await self.generator.publish(
            topics.TASK_BUILT,
            events.TaskBuilt(
                task_id=f"task-{event.function.function_id}", function=event.function, kind="SC", difficulty="Easy",
                entry_point="f", instruction="", suite_digest="", certificate_digest="", cases=1, branch_coverage=1.0,
            ),
        )  # fmt: skip

    async def request(self, event):
        # A run is asked for by somebody else, at another time: nothing but the function's id leads back.
        async def later():
            asked = events.SolutionRequested(
                run_id="run", task_id=event.task_id, model=events.ModelSpec(name="m"),
                trace_id=event.function.function_id,
            )  # fmt: skip
            await self.evaluator.publish(topics.SOLUTION_REQUESTED, asked)

        await asyncio.get_running_loop().create_task(later(), context=contextvars.Context())

    async def solve(self, event):
        await self.evaluator.publish(
            topics.SOLUTION_GENERATED,
            events.SolutionGenerated(
                solution_id=f"solution-{event.task_id}", run_id="run", task_id=event.task_id, model=event.model,
                strategy="direct", language="python", entry_point="f", code="", suite_digest="",
            ),
        )  # fmt: skip

    async def judge(self, event):
        verdict = events.VerdictReached(
            verdict_id=f"verdict-{event.task_id}", solution_id=event.solution_id, run_id="run", task_id=event.task_id,
            outcome="passed", cases=1, passed=1,
        )  # fmt: skip
        await self.executor.publish(topics.VERDICT_REACHED, verdict)

    async def record(self, event):
        self.verdicts.append(event)

    def done(self):
        return {event.task_id.removeprefix("task-") for event in self.verdicts} >= self.mine and {
            each for batch in self.embedded for each in batch
        } >= self.mine


async def until(condition):
    async with asyncio.timeout(PATIENCE_S):
        while not condition():
            await asyncio.sleep(0.05)


async def test_one_trace_from_a_function_to_its_verdict_and_another_for_each_function(kafka, spans):
    functions = [function() for _ in range(12)]
    async with House(kafka) as house:
        await house.announce(functions)
        await until(house.done)
    assert max(map(len, house.embedded)) > 1, "the batch holds functions of several traces"
    for each in functions:
        found = [span for span in spans.get_finished_spans() if f"{span.context.trace_id:032x}" == each.function_id]
        chain = [
            *("send touchstone.function.extracted.v1", "process touchstone.function.extracted.v1"),
            *("touchstone.retriever.v1.RetrieverService/Search",) * 2,
            *("send touchstone.task.built.v1", "process touchstone.task.built.v1"),
            *("send touchstone.solution.requested.v1", "process touchstone.solution.requested.v1"),
            *("send touchstone.solution.generated.v1", "process touchstone.solution.generated.v1"),
            *("send touchstone.verdict.reached.v1", "process touchstone.verdict.reached.v1"),
        ]
        beside = ["process touchstone.function.extracted.v1", "send touchstone.function.embedded.v1"]
        assert sorted(span.name for span in found) == sorted([*chain, *beside])
        known = {span.context.span_id for span in found}
        assert [span.name for span in found if span.parent is None] == chain[:1]
        assert all(span.parent.span_id in known for span in found if span.parent is not None)
    assert {event.trace_id for event in house.verdicts} == house.mine


async def test_a_message_that_dies_says_so_in_its_span(kafka, spans):
    settings = ServiceSettings(kafka_bootstrap=kafka, retry_backoff_s=0.01)
    bus, seen = Bus(settings, f"test-{uuid.uuid4().hex[:8]}"), []

    async def refuse(event):
        seen.append(event.source_id)
        raise PermanentError("no such package")

    bus.consume(topics.SOURCE_REQUESTED, refuse)
    await bus.start()
    try:
        await bus.publish(topics.SOURCE_REQUESTED, events.SourceRequested(source_id=uuid.uuid4().hex, request_id="r"))
        await until(lambda: any(span.name.startswith("process") for span in spans.get_finished_spans()))
    finally:
        await bus.stop()
    (died,) = [span for span in spans.get_finished_spans() if span.name.startswith("process")]
    assert "no such package" in died.events[0].attributes["exception.message"]
    assert not died.status.is_ok
