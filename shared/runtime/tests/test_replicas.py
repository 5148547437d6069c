"""Calls of one channel take turns among the replicas behind a name."""

from __future__ import annotations

import asyncio
from collections import Counter

import grpc
import pytest

from touchstone.embedder.v1 import embedder_pb2 as pb
from touchstone.embedder.v1 import embedder_pb2_grpc as pb_grpc
from touchstone.evaluator.v1 import evaluator_pb2 as evaluator
from touchstone.evaluator.v1 import evaluator_pb2_grpc as evaluator_grpc
from touchstone.sandbox.v1 import sandbox_pb2 as sandbox
from touchstone.sandbox.v1 import sandbox_pb2_grpc as sandbox_grpc
from touchstone_runtime import metrics
from touchstone_runtime.grpc_server import GrpcServer, channel


class Replica(pb_grpc.EmbedderServiceServicer):
    def __init__(self, name, calls):
        self._name, self._calls = name, calls

    async def Progress(self, request, context):
        self._calls[self._name] += 1
        assert metrics.RPCS_IN_FLIGHT._value.get() >= 1
        return pb.ProgressResponse()


@pytest.fixture
async def replicas():
    calls = Counter()
    servers = []
    for name in "abc":
        server = GrpcServer("127.0.0.1:0")
        server.add(
            pb_grpc.add_EmbedderServiceServicer_to_server,
            Replica(name, calls),
            pb.DESCRIPTOR.services_by_name["EmbedderService"].full_name,
        )
        await server.start()
        servers.append(server)
    yield servers, calls
    for server in servers:
        await server.stop(0)


async def test_three_replicas_answer_alike_often(replicas):
    servers, calls = replicas
    dialled = channel("ipv4:" + ",".join(server.address for server in servers))
    stub = pb_grpc.EmbedderServiceStub(dialled)
    # The first calls go to whichever connection is up first.
    for _ in range(30):
        await stub.Progress(pb.ProgressRequest(), wait_for_ready=True)
    calls.clear()
    for _ in range(300):
        await stub.Progress(pb.ProgressRequest())
    await dialled.close()
    assert sum(calls.values()) == 300
    assert max(calls.values()) <= 1.2 * min(calls[name] for name in "abc")
    assert metrics.RPCS_IN_FLIGHT._value.get() == 0


async def test_a_replica_that_went_away_is_left_out(replicas):
    servers, calls = replicas
    dialled = channel("ipv4:" + ",".join(server.address for server in servers))
    stub = pb_grpc.EmbedderServiceStub(dialled)
    await stub.Progress(pb.ProgressRequest(), wait_for_ready=True)
    await servers[0].stop(0)
    calls.clear()
    for _ in range(20):
        await stub.Progress(pb.ProgressRequest(), wait_for_ready=True)
    await dialled.close()
    assert sum(calls.values()) == 20
    assert not calls["a"]


async def test_replicas_that_stop_and_come_back_under_calls_fail_none(replicas):
    servers, calls = replicas
    dialled = channel("ipv4:" + ",".join(server.address for server in servers))
    stub = pb_grpc.EmbedderServiceStub(dialled)
    await stub.Progress(pb.ProgressRequest(), wait_for_ready=True)
    ended = asyncio.Event()
    done = []

    async def ask():
        while not ended.is_set():
            done.append(await stub.Progress(pb.ProgressRequest()))

    asking = [asyncio.create_task(ask()) for _ in range(150)]
    for number, name in enumerate("abc"):
        await servers[number].stop(60)
        again = GrpcServer(servers[number].address)
        full_name = pb.DESCRIPTOR.services_by_name["EmbedderService"].full_name
        again.add(pb_grpc.add_EmbedderServiceServicer_to_server, Replica(name, calls), full_name)
        await again.start()
        servers[number] = again
        calls.clear()
        while calls[name] < 20:
            await asyncio.sleep(0.01)
    ended.set()
    # A call that failed raises here.
    await asyncio.gather(*asking)
    await dialled.close()
    assert len(done) > 60


async def test_a_call_is_sent_again_unless_it_changes_what_the_next_one_finds(tmp_path):
    asked = Counter()

    class Away(sandbox_grpc.SandboxServiceServicer):
        async def Judge(self, request, context):
            asked["Judge"] += 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "as if it stopped")

        async def OpenSession(self, request, context):
            asked["OpenSession"] += 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "as if it stopped")

    class AwayToo(evaluator_grpc.EvaluatorServiceServicer):
        async def JudgeAgain(self, request, context):
            asked["JudgeAgain"] += 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "as if it stopped")

    server = GrpcServer(f"unix:{tmp_path}/s")
    server.add(sandbox_grpc.add_SandboxServiceServicer_to_server, Away(), "touchstone.sandbox.v1.SandboxService")
    server.add(
        evaluator_grpc.add_EvaluatorServiceServicer_to_server, AwayToo(), "touchstone.evaluator.v1.EvaluatorService"
    )
    await server.start()
    dialled = channel(server.address)
    stub, judge_again = (
        sandbox_grpc.SandboxServiceStub(dialled),
        evaluator_grpc.EvaluatorServiceStub(dialled).JudgeAgain,
    )
    for call, request in (
        (stub.Judge, sandbox.JudgeRequest()),
        (stub.OpenSession, sandbox.OpenSessionRequest()),
        (judge_again, evaluator.JudgeAgainRequest()),
    ):
        with pytest.raises(grpc.aio.AioRpcError, match="as if it stopped"):
            await call(request)
    await dialled.close()
    await server.stop(0)
    assert asked == {"Judge": 4, "OpenSession": 1, "JudgeAgain": 1}
