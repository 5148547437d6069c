"""Doors: who comes in over gRPC and HTTP, with what, how often; TLS; deadlines; quiet RPCs."""

import asyncio
import datetime
import ipaddress
import json
import math
import ssl
import stat

import grpc
import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone.retriever.v1 import retriever_pb2_grpc as rpc
from touchstone_runtime.dialling import Identity, as_token, dial, dial_blocking
from touchstone_runtime.errors import PermanentError, PreconditionError
from touchstone_runtime.gate import Gate, TooManyRequestsError, caller, own_name
from touchstone_runtime.grpc_server import GrpcServer, Tls
from touchstone_runtime.http_door import OPEN_PATHS, OWN_DOOR, Doorkeeper
from touchstone_runtime.service import tls_of
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.tokens import TokenFile, ensure_token

PATIENCE_S = 300
NOW = datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC)


class Retriever(rpc.RetrieverServiceServicer):
    def __init__(self):
        self.pause_s = 0.0
        self.fails = None
        self.names = None

    async def Search(self, request, context):
        await asyncio.sleep(self.pause_s)
        if self.names is not None:
            shown = [value for key, value in context.invocation_metadata() if key == "authorization"]
            assert len(shown) == 1
            self.names.append((caller.get().name, own_name("")))
        if self.fails:
            raise self.fails
        return pb.SearchResponse(mode=request.query)

    async def StreamSearch(self, request, context):
        yield pb.StreamSearchResponse()

    async def ImportQueries(self, request, context):
        return pb.ImportQueriesResponse()


class Serving:
    def __init__(self, gate=None, **more):
        self.servicer = Retriever()
        self.server = GrpcServer("127.0.0.1:0", gate=gate, **more)
        self.server.add(
            rpc.add_RetrieverServiceServicer_to_server, self.servicer, "touchstone.retriever.v1.RetrieverService"
        )

    async def __aenter__(self):
        await self.server.start()
        return self

    async def __aexit__(self, *_):
        await self.server.stop(0)

    async def search(self, identity=None, query="q", address=""):
        async with dial(address or self.server.address, identity) as channel:
            return (await rpc.RetrieverServiceStub(channel).Search(pb.SearchRequest(query=query), timeout=120)).mode

    async def code(self, work):
        try:
            await work
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return "OK"


@pytest.fixture
def tokens(tmp_path):
    return TokenFile(tmp_path / "tokens.json")


async def test_a_call_that_shows_a_token_of_its_own_shows_no_other(tokens):
    _, service = tokens.create("web", "operate")
    _, visitor = tokens.create("ada", "judge")
    async with Serving(Gate(tokens)) as serving:
        seen = []
        serving.servicer.names = seen
        async with dial(serving.server.address, Identity(token=service)) as channel:
            stub = rpc.RetrieverServiceStub(channel)
            await stub.Search(pb.SearchRequest(), metadata=as_token(visitor), timeout=120)
            await stub.Search(pb.SearchRequest(), timeout=120)
            refused = stub.ImportQueries(pb.ImportQueriesRequest(), metadata=as_token(visitor), timeout=120)
            assert await serving.code(refused) == "PERMISSION_DENIED", "the visitor's scope, not the application's"
        with dial_blocking(serving.server.address, Identity(token=service)) as channel:
            call = rpc.RetrieverServiceStub(channel).Search
            await asyncio.to_thread(call, pb.SearchRequest(), metadata=as_token(visitor), timeout=120)
        assert seen == [("ada", "ada"), ("web", "web"), ("ada", "ada")]
    assert own_name("somebody") == "somebody", "without a door nobody is known"


async def test_only_tokens_that_are_known_valid_and_wide_enough_come_in(tokens):
    gate = Gate(tokens, clock=lambda: NOW)
    _, reader = tokens.create("reader", "read")
    _, expired = tokens.create("old", "operate", expires_at=NOW - datetime.timedelta(seconds=1))
    operator, text = tokens.create("operator", "operate", expires_at=NOW + datetime.timedelta(days=1))
    async with Serving(gate) as serving:
        for shown in ("", "nonsense", reader[:-1], f"tst_{operator.token_id}_guess", expired, "tst_é_x"):
            assert await serving.code(serving.search(Identity(shown if shown.isascii() else ""))) == "UNAUTHENTICATED"
        assert await serving.search(Identity(reader)) == "q"

        async def change(identity):
            async with dial(serving.server.address, identity) as channel:
                return await rpc.RetrieverServiceStub(channel).ImportQueries(pb.ImportQueriesRequest())

        assert await serving.code(change(Identity(reader))) == "PERMISSION_DENIED"
        assert await serving.code(change(Identity(text))) == "OK"
        tokens.revoke("operator")
        assert await serving.code(change(Identity(text))) == "UNAUTHENTICATED"


async def described(address, identity, symbol="touchstone.retriever.v1.RetrieverService"):
    """What a server tells of its services: their names, and the file that describes one."""
    ask = reflection_pb2.ServerReflectionRequest
    async with dial(address) as channel:
        answers = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(
            iter([ask(list_services=""), ask(file_containing_symbol=symbol)]), metadata=identity.metadata(), timeout=120
        )
        listed, file = [answer async for answer in answers]
    return {each.name for each in listed.list_services_response.service}, file.file_descriptor_response


async def refused_with(address, identity):
    """How a server ends who asks what it serves; nothing is sent, for sending to a call that has ended is a fault."""
    async with dial(address) as channel:
        call = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo(
            metadata=identity.metadata(), timeout=PATIENCE_S
        )
        return (await call.code()).name


async def test_a_server_tells_what_it_serves_to_whoever_may_read(tokens):
    _, reader = tokens.create("reader", "read")
    async with Serving(Gate(tokens)) as serving:
        names, file = await described(serving.server.address, Identity(reader))
        assert {"touchstone.retriever.v1.RetrieverService", "grpc.health.v1.Health"} <= names
        assert any(b"ImportQueries" in text for text in file.file_descriptor_proto)
        for shown in ("", "nonsense"):
            assert await refused_with(serving.server.address, Identity(shown)) == "UNAUTHENTICATED"
        tokens.revoke("reader")
        assert await refused_with(serving.server.address, Identity(reader)) == "UNAUTHENTICATED"


async def test_a_token_has_its_rate_and_its_size(tokens):
    time = [0.0]
    gate = Gate(tokens, monotonic=lambda: time[0])
    _, text = tokens.create("slow", "read", requests_per_s=2, request_bytes=100)
    async with Serving(gate) as serving:
        identity = Identity(text)
        codes = [await serving.code(serving.search(identity)) for _ in range(6)]
        assert codes == ["OK"] * 4 + ["RESOURCE_EXHAUSTED"] * 2
        time[0] = 0.6
        assert await serving.code(serving.search(identity)) == "OK"
        time[0] = 60
        assert await serving.code(serving.search(identity, "x" * 200)) == "RESOURCE_EXHAUSTED"


@pytest.mark.parametrize("rate", [0.001, 0.2, 0.4, 0.5, 0.9])
def test_a_token_of_less_than_a_request_in_a_second_is_let_in_as_often(tokens, rate):
    time = [0.0]
    gate = Gate(tokens, monotonic=lambda: time[0])
    _, text = tokens.create("slow", "read", requests_per_s=rate)
    let_in = 0
    for tick in range(1000):
        time[0] = tick / rate / 10
        try:
            gate.admit(f"Bearer {text}", "read", 10)
            let_in += 1
        except TooManyRequestsError:
            pass
    # A tick early is a tick later.
    assert 90 <= let_in <= 101


@pytest.mark.parametrize("rate", [math.nan, math.inf, -1.0])
def test_a_rate_that_is_none_makes_no_token(tokens, rate):
    with pytest.raises(ValueError, match="is no number of requests"):
        tokens.create("x", "read", requests_per_s=rate)
    assert tokens.tokens() == {}


@pytest.mark.parametrize("content", [None, "", '{"tokens": []}'], ids=["gone", "empty", "of nobody"])
async def test_a_file_of_tokens_that_goes_while_a_server_runs_opens_no_door(tokens, content):
    _, text = tokens.create("me", "operate")
    app = Doorkeeper(Starlette(routes=[Route("/x", lambda _: PlainTextResponse("in"))]), Gate(tokens), OPEN_PATHS)
    async with (
        Serving(Gate(tokens)) as serving,
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://x") as http,
    ):
        mine = Identity(token=text)
        assert await serving.code(serving.search(mine)) == "OK"
        if content is None:
            tokens.path.unlink()
        else:
            tokens.path.write_text(content)
        for shown in (mine, Identity()):
            assert await serving.code(serving.search(shown)) == "UNAUTHENTICATED"
            headers = {"authorization": f"Bearer {shown.token}"}
            assert (await http.get("/x", headers=headers)).status_code == 401


async def test_a_spoilt_file_of_tokens_opens_no_door(tokens):
    _, text = tokens.create("reader", "read")
    tokens.path.write_text("{")
    async with Serving(Gate(tokens)) as serving:
        assert await serving.code(serving.search(Identity(text))) == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    ("what", "value"),
    [
        *(("expires_at", "soon"), ("expires_at", 7), ("sha256", 5), ("name", None), ("scope", [])),
        *(("requests_per_s", "9"), ("requests_per_s", math.nan), ("requests_per_s", -1.0)),
    ],
)
def test_an_entry_that_was_spoilt_by_hand_spoils_the_file_in_words(tokens, what, value):
    tokens.create("reader", "read")
    held = json.loads(tokens.path.read_text())
    held["tokens"][0][what] = value
    tokens.path.write_text(json.dumps(held))
    with pytest.raises(ValueError, match=f"no file of tokens: .*{what}"):
        tokens.tokens()


@pytest.mark.parametrize(
    ("written", "over"), [("2026-01-01", True), ("2026-01-02", False), ("2026-01-01T00:30", False)]
)
def test_a_moment_without_a_zone_is_one_of_utc(tokens, written, over):
    _, text = tokens.create("reader", "read")
    tokens.path.write_text(tokens.path.read_text().replace('"expires_at": ""', f'"expires_at": "{written}"'))
    assert tokens.find(text).expired(NOW) is over


def test_token_files_are_for_their_owner_and_hold_no_token(tokens, tmp_path):
    text = ensure_token(tokens, tmp_path / "token", "local", "operate")
    for path in (tokens.path, tmp_path / "token"):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert text not in tokens.path.read_text() and text.split("_", 2)[2] not in tokens.path.read_text()
    assert ensure_token(tokens, tmp_path / "token", "local", "operate") == text
    tokens.revoke("local")
    assert ensure_token(tokens, tmp_path / "token", "local", "operate") != text


async def test_the_blocking_channel_shows_the_token_too(tokens, tmp_path):
    ensure_token(tokens, tmp_path / "token", "local", "read")
    async with Serving(Gate(tokens)) as serving:

        def ask(identity):
            with dial_blocking(serving.server.address, identity) as channel:
                return rpc.RetrieverServiceStub(channel).Search(pb.SearchRequest(query="q"), timeout=120).mode

        assert await asyncio.to_thread(ask, Identity(token_file=tmp_path / "token")) == "q"
        with pytest.raises(grpc.RpcError):
            await asyncio.to_thread(ask, Identity())


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    return make_certificate(tmp_path_factory.mktemp("tls"))


def make_certificate(folder):
    """Certificate and key of a server at 127.0.0.1, its own authority."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(hours=1))
        .not_valid_after(now + datetime.timedelta(hours=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    (folder / "cert.pem").write_bytes(made.public_bytes(serialization.Encoding.PEM))
    (folder / "key.pem").write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return Tls(folder / "cert.pem", folder / "key.pem")


async def test_tls_serves_who_trusts_the_certificate_and_nobody_in_plain_words(certificate, tokens):
    _, text = tokens.create("reader", "read")
    async with Serving(Gate(tokens), tls=certificate) as serving:
        assert await serving.search(Identity.of(text, None, str(certificate.certificate))) == "q"
        assert await serving.code(serving.search(Identity(text))) == "UNAVAILABLE"
        assert await serving.code(serving.search(Identity(text, ca="system"))) == "UNAVAILABLE"


@pytest.mark.parametrize("spoilt", ["absent", "no certificate", "a folder", "a key of another"])
def test_a_certificate_that_cannot_be_shown_is_named_with_its_settings(tmp_path, spoilt):
    tls = make_certificate(tmp_path)
    match spoilt:
        case "no certificate":
            tls.certificate.write_text("none")
        case "a key of another":
            (tmp_path / "other").mkdir()
            tls = Tls(make_certificate(tmp_path / "other").certificate, tls.key)
        case _:
            tls.certificate.unlink()
    if spoilt == "a folder":
        tls.certificate.mkdir()
    settings = ServiceSettings(tls_certificate=tls.certificate, tls_key=tls.key)
    for used in (tls.check, tls.credentials, lambda: tls_of(settings)):
        with pytest.raises(PreconditionError, match="TOUCHSTONE_TLS_CERTIFICATE and TOUCHSTONE_TLS_KEY") as caught:
            used()
        assert str(tls.certificate) in str(caught.value)


async def test_a_renewed_certificate_is_shown_to_the_next_who_connects(tmp_path):
    first = make_certificate(tmp_path)
    before = first.certificate.read_text()
    async with Serving(tls=first) as serving:
        assert await serving.search(Identity(ca=before)) == "q"
        # With a name in its bundle that is not ASCII.
        make_certificate(tmp_path)
        bundle = tmp_path / "bundle.pem"
        bundle.write_text(f"# Autorité\n{first.certificate.read_text()}")
        assert await serving.search(Identity.of(tls_ca=str(bundle))) == "q"
        assert await serving.code(serving.search(Identity(ca=before))) == "UNAVAILABLE"


async def test_a_renewed_certificate_is_shown_by_http_too(tmp_path):
    first = make_certificate(tmp_path)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(first.certificate, first.key)
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context)
    address = server.sockets[0].getsockname()
    following = asyncio.create_task(first.follow(context, 0.01))
    async with server, asyncio.timeout(120):
        # Half of it is replaced, and then all.
        first.certificate.write_text("no certificate")
        await asyncio.sleep(0.1)
        make_certificate(tmp_path)
        while await asyncio.to_thread(ssl.get_server_certificate, address) != first.certificate.read_text():
            await asyncio.sleep(0.02)
    following.cancel()


async def test_no_rpc_runs_longer_than_any_may():
    async with Serving(deadline_s=0.2) as serving:
        serving.servicer.pause_s = 5
        assert await serving.code(serving.search()) == "DEADLINE_EXCEEDED"


async def test_what_cannot_be_decoded_is_the_callers_fault():
    async with Serving() as serving, dial(serving.server.address) as channel:
        call = channel.unary_unary("/touchstone.retriever.v1.RetrieverService/Search")
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call(b"\xff\xff\xff\xff")
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_a_count_below_nothing_is_refused_by_its_name():
    async with Serving() as serving, dial(serving.server.address) as channel:
        stub = rpc.RetrieverServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError, match="limit: -5 is below 0") as caught:
            await stub.Search(pb.SearchRequest(query="q", limit=-5), timeout=120)
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert (await stub.Search(pb.SearchRequest(query="q", limit=5), timeout=120)).mode == "q"
        # Within what stands once in a request, too; what stands there often is told one by one by whoever takes it.
        call = stub.StreamSearch(pb.StreamSearchRequest(search=pb.SearchRequest(query="q", limit=-5)), timeout=120)
        assert await call.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "limit: -5 is below 0" in await call.details()


@pytest.mark.parametrize("letter", ["a", "\U0010ffff", "\x00", "\n"])
async def test_words_of_any_length_are_sent_as_far_as_they_go(letter):
    async with Serving() as serving:
        serving.servicer.fails = PermanentError(letter * 500_000)
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await serving.search()
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert caught.value.details().startswith(letter * 400) and caught.value.details().endswith(" …")


async def test_a_quiet_rpc_may_be_pinged_as_often_as_its_caller_likes():
    """The same pings that reach five minutes in real time, in two seconds."""
    async with Serving() as serving:
        serving.servicer.pause_s = 2.5
        options = [("grpc.keepalive_time_ms", 100), ("grpc.http2.max_pings_without_data", 0)]
        async with grpc.aio.insecure_channel(serving.server.address, options=options) as channel:
            answer = await rpc.RetrieverServiceStub(channel).Search(pb.SearchRequest(query="quiet"), timeout=120)
    assert answer.mode == "quiet"


async def test_http_has_the_same_door(tokens):
    _, reader = tokens.create("reader", "read")

    async def answer(_request):
        return PlainTextResponse("inside")

    routes = [Route(path, answer, methods=["GET", "POST"]) for path in ("/live", "/metrics", "/report")]
    pages = Doorkeeper(Starlette(routes=routes), Gate(tokens), OPEN_PATHS | OWN_DOOR)
    app = Doorkeeper(Starlette(routes=routes), Gate(tokens), OPEN_PATHS | {"/report"})
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:

        async def status(path, method="GET", **headers):
            return (await client.request(method, path, headers=headers)).status_code

        assert [await status(path) for path in ("/live", "/report", "/metrics")] == [200, 200, 401]
        assert await status("/metrics", authorization=f"Bearer {reader}") == 200
        assert await status("/metrics", authorization="Bearer x") == 401
        assert await status("/metrics", "POST", authorization=f"Bearer {reader}") == 403
    async with httpx.AsyncClient(transport=httpx.ASGITransport(pages), base_url="http://test") as client:
        assert [(await client.get(path)).status_code for path in ("/report", "/metrics")] == [200, 401]
