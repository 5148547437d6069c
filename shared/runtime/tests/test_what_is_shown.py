"""What clients show and trust, of what people wrote: a spoilt file is told, and no work is at fault."""

import asyncio

import grpc
import pytest

from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_runtime.dialling import Identity, as_token, dial, dial_blocking
from touchstone_runtime.errors import PreconditionError
from touchstone_runtime.faults import Fault, classify
from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer
from touchstone_runtime.tokens import TokenFile, ensure_token

SPOILT = {
    "another encoding": lambda text: text.encode("utf-16"),
    "two lines": lambda text: f"{text}\n{text}".encode(),
    "no UTF-8": lambda text: b"caf\xe9",
    "letters that no header holds": lambda text: text.encode() + "é".encode(),
    "nothing printable": lambda text: b"\0" * 10,
    "two words": lambda text: f"{text} of mine".encode(),
    "a book": lambda text: b"x" * 1_000_000,
}


class Retriever(rpc.RetrieverServiceServicer):
    async def Search(self, request, context):
        return pb.SearchResponse(mode=request.query)


@pytest.fixture
async def door(tmp_path):
    """Asks a server that takes tokens as both channels do; gives what each call ended with."""
    tokens = TokenFile(tmp_path / "tokens.json")
    server = GrpcServer("127.0.0.1:0", gate=Gate(tokens))
    server.add(rpc.add_RetrieverServiceServicer_to_server, Retriever(), "touchstone.retriever.v1.RetrieverService")
    await server.start()

    def blocking(identity):
        with dial_blocking(server.address, identity) as channel:
            return rpc.RetrieverServiceStub(channel).Search(pb.SearchRequest(query="q"), timeout=120).mode

    async def ask(identity):
        async with dial(server.address, identity) as channel:
            search = rpc.RetrieverServiceStub(channel).Search
            asked = (search(pb.SearchRequest(query="q"), timeout=120), asyncio.to_thread(blocking, identity))
            return await asyncio.gather(*asked, return_exceptions=True)

    yield tokens, ask
    await server.stop(0)


@pytest.mark.parametrize("what", SPOILT)
async def test_what_is_no_token_is_one_that_no_server_knows(door, tmp_path, what):
    tokens, ask = door
    _, text = tokens.create("me", "operate")
    file = tmp_path / "token"
    file.write_bytes(SPOILT[what](text))
    for error in await ask(Identity(token_file=file)):
        assert isinstance(error, grpc.RpcError) and error.code() is grpc.StatusCode.UNAUTHENTICATED
        assert text not in str(error)
        if isinstance(error, grpc.aio.AioRpcError):
            assert classify(error) is Fault.WAIT
    for error in await ask(Identity("tést")):
        assert error.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_a_mark_that_an_editor_puts_before_a_token_is_no_part_of_it(door, tmp_path):
    tokens, ask = door
    _, text = tokens.create("me", "operate")
    file = tmp_path / "token"
    file.write_bytes(b"\xef\xbb\xbf" + text.encode() + b"\r\n")
    answer, mode = await ask(Identity(token_file=file))
    assert answer.mode == mode == "q"


def test_a_visitors_token_that_is_none_never_becomes_the_channels_own():
    assert as_token("") == []
    for text in ("tést", "two words", "a\nb", "\ufeff"):
        ((name, value),) = as_token(text)
        assert name == "authorization" and value.startswith("Bearer ") and value.isascii() and text not in value


def test_a_spoilt_file_of_a_local_token_is_written_anew(tmp_path):
    tokens, file = TokenFile(tmp_path / "tokens.json"), tmp_path / "token"
    file.write_bytes(b"\xff\xfet\x00")
    assert file.read_text("ascii", "replace") != ensure_token(tokens, file, "local", "operate")
    assert tokens.find(file.read_text().strip()) is not None


@pytest.mark.parametrize("content", [None, b"", b"no certificate", b"\xff\xfe"])
def test_an_authority_that_is_none_is_named_with_its_setting(tmp_path, content):
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(PreconditionError, match="TOUCHSTONE_TLS_CA") as caught:
        Identity.of(tls_ca=str(file))
    assert str(file) in str(caught.value)
