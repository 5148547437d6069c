"""Calls of one channel take turns among the replicas behind a name."""

from __future__ import annotations

from collections import Counter

import pytest

from touchstone.embedder.v1 import embedder_pb2 as pb
from touchstone.embedder.v1 import embedder_pb2_grpc as pb_grpc
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
