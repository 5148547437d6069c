"""The load that `make cluster-test` puts on searches counts what it asked and what failed."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.grpc_server import GrpcServer

SEARCHING = Path(__file__).parents[1] / "cluster" / "searching.py"
# The load's own first calls, which open the connections.
FIRST = 12


class Retriever(rpc.RetrieverServiceServicer):
    def __init__(self, fails_every, finds):
        self.asked, self._fails_every, self._finds = 0, fails_every, finds

    async def Search(self, request, context):
        self.asked += 1
        if self._fails_every and self.asked > FIRST and self.asked % self._fails_every == 0:
            raise PermanentError("no")
        return pb.SearchResponse(results=[pb.SearchResult()] * self._finds)


@pytest.mark.parametrize(("fails_every", "finds", "failed"), [(0, 1, 0), (4, 1, 10), (0, 0, 40)])
async def test_every_search_is_asked_in_its_time_and_counted_once(fails_every, finds, failed):
    servicer = Retriever(fails_every, finds)
    server = GrpcServer("127.0.0.1:0")
    server.add(rpc.add_RetrieverServiceServicer_to_server, servicer, "touchstone.retriever.v1.RetrieverService")
    await server.start()
    address = f"dns:///{server.address}"
    try:
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(SEARCHING), "20", "2", "1",
            env={**os.environ, "TOUCHSTONE_RETRIEVER_ADDRESS": address}, stdout=asyncio.subprocess.PIPE,
        )  # fmt: skip
        said, _ = await process.communicate()
    finally:
        await server.stop(0)
    assert process.returncode == 0
    where, begun, came = map(json.loads, said.decode().splitlines())
    assert where == {"addresses": ["127.0.0.1"]} and begun == {"begun": True}
    assert came["searches"] == 40 and servicer.asked == 40 + FIRST
    assert came["failed"] == failed == sum(came["faults"].values())
    assert 0 < came["p50_s"] <= came["p99_s"] <= came["longest_s"]
