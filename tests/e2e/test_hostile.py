"""A platform under malformed requests and events, and the doors before every method; then it goes on as before."""

import asyncio
import datetime
import importlib.util
import json
import sys
from pathlib import Path

import grpc
import httpx
import pytest

from touchstone_runtime.dialling import Identity, dial
from touchstone_runtime.gate import scope_of
from touchstone_runtime.tokens import TokenFile

pytestmark = [pytest.mark.real, pytest.mark.timeout(3000)]

SOURCE = Path(__file__).resolve().parent / "sources" / "wordkit"
CHAOS = Path(__file__).resolve().parents[1] / "chaos"
SEED = 20260101
COUNT = 200


@pytest.fixture(scope="module")
def hostile():
    """The generators of malformed requests and events."""
    sys.path.insert(0, str(CHAOS))
    try:
        spec = importlib.util.spec_from_file_location("hostile", CHAOS / "hostile.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules["hostile"] = module
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(CHAOS))
    return module


@pytest.fixture(scope="module")
def live(platform):
    """A platform that has indexed something."""
    started = platform("attacked")
    started.ingest(SOURCE)
    started.until(started.generation_is_done, "all tasks are built or refused", 1200)
    return started


def addresses(live, hostile):
    services = json.loads((live.state / "platform.json").read_text())["services"]
    return hostile.addresses(services), services


def test_every_method_asks_for_a_token_that_is_known_valid_and_wide_enough(live, hostile):
    tokens = TokenFile(live.state / "tokens.json")
    texts = {scope: tokens.create(f"table-{scope}", scope)[1] for scope in ("read", "judge", "operate")}
    yesterday = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    outsiders = {
        "missing": "",
        "wrong": texts["operate"][:-4] + "AAAA",
        "expired": tokens.create("table-expired", "operate", expires_at=yesterday)[1],
        "revoked": tokens.create("table-revoked", "operate")[1],
    }
    tokens.revoke("table-revoked")
    places, _services = addresses(live, hostile)
    expected, seen = {}, {}

    async def ask(address, method, text):
        path = f"/{method.containing_service.full_name}/{method.name}"
        async with dial(address, Identity(text)) as channel:
            # A body that decodes to nothing that could be done: who is let in gets no further than that.
            body = b"\x92\xf4\x01\x7f"
            try:
                if method.server_streaming:
                    async for _ in channel.unary_stream(path)(body, timeout=120):
                        pass
                else:
                    await channel.unary_unary(path)(body, timeout=120)
            except grpc.aio.AioRpcError as error:
                return error.code().name
            return "OK"

    async def all_of_them():
        for method in hostile.rpcs():
            address, name = places[method.containing_service.file.package], method.full_name
            needed = scope_of(f"/{method.containing_service.full_name}/{method.name}")
            for why, text in outsiders.items():
                expected[name, why] = "UNAUTHENTICATED"
                seen[name, why] = await ask(address, method, text)
            for scope, text in texts.items():
                reaches = ("read", "judge", "operate").index(scope) >= ("read", "judge", "operate").index(needed)
                expected[name, scope] = "INVALID_ARGUMENT" if reaches else "PERMISSION_DENIED"
                seen[name, scope] = await ask(address, method, text)

    asyncio.run(all_of_them())
    assert seen == expected
    assert len({name for name, _ in seen}) == len(hostile.rpcs()) >= 40


def test_every_servers_http_asks_for_a_token_too(live, hostile):
    tokens = TokenFile(live.state / "tokens.json")
    _, reader = tokens.create("http-read", "read")
    yesterday = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
    _, expired = tokens.create("http-expired", "operate", expires_at=yesterday)
    _, services = addresses(live, hostile)
    for name, entry in services.items():
        base = f"http://{entry['http']}"

        def status(method, path, text, base=base):
            headers = {"Authorization": f"Bearer {text}"} if text else {}
            return httpx.request(method, f"{base}{path}", headers=headers, timeout=120).status_code

        for shown in ("", reader[:-4] + "AAAA", expired):
            assert status("GET", "/metrics", shown) == 401, (name, shown[:8])
        assert status("GET", "/metrics", reader) == 200, name
        assert status("GET", "/live", "") == 200, name
        assert status("GET", "/ready", "") in (200, 503), name
        if name != "web":
            assert status("POST", "/metrics", "") == 401, name
            assert status("POST", "/metrics", reader) == 403, name


def test_nothing_malformed_breaks_a_service_or_keeps_it_from_going_on(live, hostile, tmp_path):
    lines = []
    assert hostile.attack(live, COUNT, COUNT, SEED, 1200.0, lines.append) == []
    asked = {line["what"]: line["answers"] for line in lines if line["hostile"] == "requests"}
    assert len(asked) == len(hostile.rpcs())
    # One is larger than anything may be.
    assert all(sum(codes.values()) == COUNT + 1 and codes["RESOURCE_EXHAUSTED"] >= 1 for codes in asked.values())
    assert all(codes.get("INVALID_ARGUMENT", 0) >= COUNT // 20 for codes in asked.values())
    buried = [line for line in lines if line["hostile"] == "events"]
    assert all(line["dead_letters"] >= line["undecodable"] > COUNT // 2 for line in buried)
    assert hostile.newcomer(live, tmp_path)
