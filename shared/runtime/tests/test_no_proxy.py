"""A proxy that the environment names hears nothing of calls between a client and a service, and no token."""

import asyncio
import socket
import threading

import grpc
import pytest

from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_runtime.dialling import Identity, dial, dial_blocking
from touchstone_runtime.grpc_server import GrpcServer

PATIENCE_S = 120
VARIABLES = ("http_proxy", "https_proxy", "grpc_proxy")


class Retriever(rpc.RetrieverServiceServicer):
    async def Search(self, request, context):
        return pb.SearchResponse(mode=request.query)


@pytest.fixture
def proxy(monkeypatch):
    """Every variable that gRPC reads names it; what it heard. It lets nobody on, and no address is excepted."""
    heard = []

    def listen():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                heard.append(connection.recv(4096))
                connection.sendall(b"HTTP/1.1 403 Forbidden\r\n\r\n")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        for name in VARIABLES:
            monkeypatch.setenv(name, f"http://127.0.0.1:{listener.getsockname()[1]}")
        for name in ("no_proxy", "NO_PROXY", "no_grpc_proxy"):
            monkeypatch.delenv(name, raising=False)
        thread = threading.Thread(target=listen, daemon=True)
        thread.start()
        yield heard
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(PATIENCE_S)


@pytest.fixture
async def address():
    server = GrpcServer("127.0.0.1:0")
    server.add(rpc.add_RetrieverServiceServicer_to_server, Retriever(), "touchstone.retriever.v1.RetrieverService")
    await server.start()
    yield server.address
    await server.stop(0)


async def test_the_proxy_would_hear_of_a_channel_that_is_not_of_the_house(proxy, address):
    async with grpc.aio.insecure_channel(address) as channel:
        with pytest.raises(grpc.aio.AioRpcError):
            await rpc.RetrieverServiceStub(channel).Search(pb.SearchRequest(query="q"), timeout=PATIENCE_S)
    assert proxy and proxy[0].startswith(b"CONNECT 127.0.0.1:")


async def test_calls_and_tokens_go_through_no_proxy(proxy, address):
    shown = Identity(token="tst_0123456789ab_secret")
    async with dial(address, shown) as channel:
        answer = await rpc.RetrieverServiceStub(channel).Search(pb.SearchRequest(query="q"), timeout=PATIENCE_S)
        assert answer.mode == "q"

    def ask():
        with dial_blocking(address, shown) as channel:
            return rpc.RetrieverServiceStub(channel).Search(pb.SearchRequest(query="q"), timeout=PATIENCE_S).mode

    assert await asyncio.to_thread(ask) == "q"
    assert proxy == []


@pytest.mark.parametrize("blocking", [False, True], ids=["asyncio", "blocking"])
async def test_with_tls_neither(proxy, blocking):
    """Nobody answers there: what is asked is whether the proxy is."""
    identity = Identity(token="tst_0123456789ab_secret", ca="system")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        listener.settimeout(PATIENCE_S)
        if blocking:
            channel = dial_blocking(address, identity)
            rpc.RetrieverServiceStub(channel).Search.future(pb.SearchRequest(), timeout=PATIENCE_S)
            connection, _ = await asyncio.to_thread(listener.accept)
            channel.close()
        else:
            async with dial(address, identity) as channel:
                asked = asyncio.ensure_future(
                    rpc.RetrieverServiceStub(channel).Search(pb.SearchRequest(), timeout=PATIENCE_S)
                )
                connection, _ = await asyncio.to_thread(listener.accept)
                asked.cancel()
        connection.close()
    assert proxy == []
