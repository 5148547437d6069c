"""Tokens missing, wrong, expired, revoked or of too narrow a scope, at every RPC of every service and at every page."""

import importlib
import sys
from pathlib import Path

import httpx
import pytest
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer
from touchstone_runtime.http_door import OPEN_PATHS, Doorkeeper
from touchstone_runtime.scopes import SCOPE_OF, scope_of
from touchstone_runtime.tokens import TokenFile
from touchstone_web.app import create_app
from touchstone_web.pages import PAGES
from touchstone_web.services import Services
from touchstone_web.settings import WebSettings

CHAOS = Path(__file__).parents[1] / "chaos"


@pytest.fixture(scope="module")
def doors(load_module):
    """What `make chaos` tries the doors of a platform with; its parts import one another by name."""
    sys.path.insert(0, str(CHAOS))
    try:
        yield load_module("tests/chaos/doors.py")
    finally:
        sys.path.remove(str(CHAOS))


@pytest.fixture
def tokens(doors, tmp_path):
    return doors.tokens_of(TokenFile(tmp_path / "tokens.json"), TokenFile(tmp_path / "elsewhere.json"))


def test_every_rpc_of_the_contracts_has_a_row_in_the_table_of_scopes(doors):
    methods = doors.malformed.rpcs()
    assert SCOPE_OF.keys() == {doors.path_of(method) for method in methods}
    # The door reads whole requests: one that arrives in pieces would go past it.
    assert not [method.full_name for method in methods if method.client_streaming]
    assert scope_of("/touchstone.retriever.v1.RetrieverService/Unheard") == "operate"
    assert set(SCOPE_OF.values()) == {"read", "judge", "serve", "operate"}


async def test_every_rpc_opens_to_a_token_of_its_scope_and_to_nothing_less(doors, tokens, tmp_path):
    server = GrpcServer("127.0.0.1:0", gate=Gate(TokenFile(tmp_path / "tokens.json")))
    methods = doors.malformed.rpcs()
    for service in {method.containing_service.full_name: method.containing_service for method in methods}.values():
        stubs = importlib.import_module(service.file.name.removesuffix(".proto").replace("/", ".") + "_pb2_grpc")
        register = getattr(stubs, f"add_{service.name}Servicer_to_server")
        server.add(register, getattr(stubs, f"{service.name}Servicer")(), service.full_name)
    await server.start()
    try:
        codes, problems = await doors.knock(server.address, methods, tokens)
    finally:
        await server.stop(0)
    assert problems == []
    scopes = list(SCOPE_OF.values())
    narrow = 3 * scopes.count("operate") + 2 * scopes.count("serve") + scopes.count("judge")
    assert codes == {
        "UNAUTHENTICATED": len(tokens.nobody) * len(methods),
        "PERMISSION_DENIED": narrow,
        "INVALID_ARGUMENT": 4 * len(methods) - narrow,
    }


async def test_a_door_that_lets_everybody_in_is_seen(doors, tokens):
    server = GrpcServer("127.0.0.1:0", gate=Gate(None))
    (method,) = [each for each in doors.malformed.rpcs() if each.full_name.endswith("RetrieverService.ImportQueries")]
    stubs = importlib.import_module("touchstone.retriever.v1.retriever_pb2_grpc")
    server.add(
        stubs.add_RetrieverServiceServicer_to_server,
        stubs.RetrieverServiceServicer(),
        method.containing_service.full_name,
    )
    await server.start()
    try:
        _, problems = await doors.knock(server.address, [method], tokens)
    finally:
        await server.stop(0)
    assert len(problems) == len(tokens.nobody) + len(tokens.by_scope) - 1


async def test_what_a_service_serves_over_http_opens_to_tokens_alone(doors, tokens, tmp_path):
    async def answer(_request):
        return PlainTextResponse("inside")

    paths = ["/metrics", "/x", "/live/x", "//live"]
    routes = [Route(path, answer, methods=["GET", *doors.CHANGING]) for path in (*doors.PROBES, *paths)]
    app = Doorkeeper(Starlette(routes=routes), Gate(TokenFile(tmp_path / "tokens.json")), OPEN_PATHS)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        # What lies below a probe is as open as the probe.
        paths.remove("/live/x")
        codes, problems = await doors.visit(client, paths, tokens, pages=False)
    assert problems == []
    assert codes["401"] == len(tokens.nobody) * len(paths) * (1 + len(doors.CHANGING))


async def test_no_page_is_changed_with_a_token_that_is_not_its_own(doors, tokens):
    app = create_app(Services({}, timeout_s=1.0), WebSettings(web_token="the pages' own"))
    paths = sorted({route.path for each in PAGES for route in each.router.routes})
    assert len(paths) >= len(PAGES)
    opened = []
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://test") as client:
        for text in (*tokens.nobody.values(), *tokens.by_scope.values()):
            for how in ({"authorization": f"Bearer {text}"}, {"cookie": f"touchstone_token={text}"}):
                for method in doors.CHANGING:
                    for path in paths:
                        answer = await client.request(method, path, headers=how, data={"token": text})
                        # Signing in is for everybody: it refuses what is not the token, and knows no other change.
                        refusals = (403, 405, 422) if path in ("/token", "/review/sign-in") else (403,)
                        if answer.status_code not in refusals:
                            opened.append((method, path, how, answer.status_code))
    assert opened == []
