"""A server that comes back under another address, as a pod does: callers look its name up again at once."""

import asyncio
import contextlib
import socket
import struct
import time

from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_runtime.dialling import dial
from touchstone_runtime.grpc_server import GrpcServer

# gRPC itself waits 30 s between two look-ups of a name.
SOON_S = 15
_ADDRESS_RECORD = 1


class Names(asyncio.DatagramProtocol):
    """A name server with one address for every name; it speaks as much of RFC 1035 as that takes."""

    def __init__(self, address):
        self.address = address
        self.asked = 0

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, addr):
        # Of the question behind the head: labels up to an empty one, type and class.
        end = data.index(b"\0", 12) + 1
        (kind,) = struct.unpack("!H", data[end : end + 2])
        given = kind == _ADDRESS_RECORD
        self.asked += given
        head = data[:2] + struct.pack("!HHHHH", 0x8180, 1, given, 0, 0)
        record = b"\xc0\x0c" + struct.pack("!HHIH", _ADDRESS_RECORD, 1, 0, 4) + socket.inet_aton(self.address)
        self.transport.sendto(head + data[12 : end + 4] + record * given, addr)


class Retriever(rpc.RetrieverServiceServicer):
    def __init__(self, name):
        self.name = name

    async def Search(self, request, context):
        return pb.SearchResponse(mode=self.name)


@contextlib.asynccontextmanager
async def names(address):
    loop = asyncio.get_running_loop()
    transport, server = await loop.create_datagram_endpoint(lambda: Names(address), local_addr=("127.0.0.1", 0))
    try:
        yield server, transport.get_extra_info("sockname")[1]
    finally:
        transport.close()


async def serve(host, port):
    server = GrpcServer(f"{host}:{port}")
    server.add(rpc.add_RetrieverServiceServicer_to_server, Retriever(host), "touchstone.retriever.v1.RetrieverService")
    await server.start()
    return server, int(server.address.rpartition(":")[2])


async def test_a_caller_follows_a_name_to_the_server_that_took_the_place_of_another():
    first, port = await serve("127.0.0.2", 0)
    second, _ = await serve("127.0.0.3", port)
    async with names("127.0.0.2") as (server, resolver):
        channel = dial(f"dns://127.0.0.1:{resolver}/retriever.test:{port}")
        stub = rpc.RetrieverServiceStub(channel)

        async def answer():
            return (await stub.Search(pb.SearchRequest(query="x"), timeout=60, wait_for_ready=True)).mode

        try:
            assert await answer() == "127.0.0.2"
            server.address = "127.0.0.3"
            await first.stop(1)
            began = time.monotonic()
            assert await answer() == "127.0.0.3"
            assert time.monotonic() - began < SOON_S
            # And not without a pause between two look-ups.
            assert server.asked < SOON_S
        finally:
            await channel.close()
            await second.stop(0)
            await first.stop(0)
