"""The way out, without a sandbox: who may reach what, which addresses are public, how the relay answers."""

import asyncio
import contextlib
import dataclasses

import pytest

from sandbox_executor.adapters.egress.process import RelayProcess
from sandbox_executor.adapters.egress.relay import Bounds, RefusedError, Relay
from sandbox_executor.domain.egress import (
    Destination,
    EgressPolicy,
    Refusal,
    parse_destinations,
    parse_policy,
    parse_target,
    public,
)
from sandbox_executor.domain.jobs import CasesJob, JobError
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.domain.sessions import SessionJob
from sandbox_executor.errors import JobRefusedError
from sandbox_executor.usecases import Executor, Sessions


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "127.8.8.8", "0.0.0.0", "10.0.0.1", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1",
        "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255", "::1", "::", "fe80::1", "fe80::1%eth0",
        "fc00::1", "fd00:ec2::254", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "::127.0.0.1",
        "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "2002:7f00:1::", "2002:a9fe:a9fe::1", "2001:0:1::1", "2001:db8::1",
        "fec0::1", "64:ff9b:1::1", "no address", "",
        # What clouds answer at, beside the link's own addresses.
        "168.63.129.16", "192.0.0.192", "100.100.100.200", "::ffff:168.63.129.16", "64:ff9b::a83f:8110",
        "2002:a83f:8110::1",
        # Set aside for protocols, documentation and trials, whatever a version of the library says.
        "192.0.0.1", "192.0.0.8", "192.0.0.9", "192.0.0.10", "192.88.99.1", "192.31.196.1", "192.52.193.1",
        "192.175.48.1", "198.51.100.1", "203.0.113.1", "0.1.2.3", "3fff::1", "3fff:fff::1", "5f00::1", "2001:1::1",
        "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1", "2620:4f:8000::1",
        "100::1", "100:0:0:1::1", "64:ff9b:1::7f00:1", "::ffff:0:808:808", "fe80::5efe:7f00:1", "4000::1",
        "::ffff:192.88.99.1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public_in_any_form(address):
    assert not public(address)


@pytest.mark.parametrize(
    "address",
    [
        "1.1.1.1",
        "2606:4700::1111",
        "::ffff:8.8.8.8",
        "64:ff9b::808:808",
        "2002:808:808::",
        "168.63.129.17",
        "192.0.1.1",
        "192.88.98.1",
        "2001:200::1",
        "2620:4f:8001::1",
        "3ffe::1",
    ],
)
def test_public_addresses(address):
    assert public(address)


def test_targets_are_names_with_ports():
    assert parse_target("Example.ORG:443") == Destination("example.org", 443)
    assert parse_target("[2606:4700::1111]:53") == Destination("[2606:4700::1111]", 53)
    for bad in ("", "a", "a:", ":1", "a:0", "a:65536", "a:1 ", " a:1", "a:١", "a@b:1", "a/b:1", "a:1:2", "-a:1", "a.:1",
                "a\n:1", "a:1\n", "[a]:1", "é:1", "a..b:1", f"{'a' * 64}.b:1", f"b.{'a' * 64}:1"):  # fmt: skip
        assert parse_target(bad) is None, bad
    assert parse_target(f"{'a' * 63}.b:1") == Destination(f"{'a' * 63}.b", 1)
    with pytest.raises(JobError, match="host:port"):
        parse_destinations(("a",))
    with pytest.raises(JobError, match="at most 20"):
        parse_destinations(tuple(f"a{x}:1" for x in range(21)))
    assert parse_destinations(("a:1", "A:1")) == (Destination("a", 1),)


def test_the_operator_allows_names_to_callers():
    policy = parse_policy("*.example.org:443, one@inner:8080 one@[::1]:* two@api:*", "inner:8080")
    asked = Destination("inner", 8080)
    assert policy.grant("one", (asked, Destination("a.example.org", 443))) == (
        Destination("inner", 8080, True), Destination("a.example.org", 443),
    )  # fmt: skip
    assert policy.grant("two", (Destination("api", 7),)) == (Destination("api", 7),)
    assert policy.grant("one", (Destination("[::1]", 9),))
    for caller, refused in (
        ("two", asked), ("", asked), ("*", asked), ("one", Destination("inner", 8081)),
        ("one", Destination("a.example.org", 80)), ("one", Destination("example.org", 443)),
        ("one", Destination("a.example.org.evil", 443)), ("one", Destination("api", 7)),
    ):  # fmt: skip
        with pytest.raises(JobError, match=r"egress to .* is not allowed to this caller.*SANDBOX_EGRESS"):
            policy.grant(caller, (refused,))
    with pytest.raises(JobError):
        EgressPolicy().grant("one", (asked,))
    for bad in ("name", "a:b", "x@", "a b:1"):
        with pytest.raises(ValueError, match="SANDBOX_EGRESS"):
            parse_policy(bad, "")


async def test_jobs_and_sessions_ask_and_are_refused(scripted):
    backend = scripted(lambda index, text: CaseResult(index, Outcome.RETURNED, text))
    job = CasesJob("python", "", "f", ("[1]",), DEFAULT, egress=(Destination("a", 1),))

    async def use(executor, caller=""):
        return [group async for group in executor.run_cases(job, caller=caller)]

    with contextlib.closing(Executor({"scripted": backend}, 1, egress=parse_policy("one@a:1", "a:1"))) as executor:
        with pytest.raises(JobRefusedError, match="not allowed to this caller"):
            await use(executor)
        # Allowed, but this backend has none.
        with pytest.raises(JobRefusedError, match="scripted: has no egress"):
            await use(executor, "one")
        with pytest.raises(JobRefusedError, match="not allowed to this caller"):
            await Sessions(executor).open(SessionJob("python", DEFAULT, egress=job.egress))
        assert backend.jobs == []
        backend.egress = True
        await use(executor, "one")
        # Whether a name may lead inside is the operator's word.
        assert backend.jobs[0].egress == (Destination("a", 1, True),)
        assert [described.egress for described in await executor.describe()] == [True]


class Street:
    """A relay with a service beside it; gives what the relay answered."""

    def __init__(self, folder, capfd):
        self.path = str(folder / "s")
        self._capfd = capfd
        self.resolved = []

    async def open(self, bounds, addresses, *, private=False):
        async def answer(reader, writer):
            writer.write((await reader.read(1 << 20)).upper())
            await writer.drain()
            writer.close()

        self.service = await asyncio.start_server(answer, "127.0.0.1", 0)
        self.port = self.service.sockets[0].getsockname()[1]

        async def resolve(host, port):
            self.resolved.append((host, port))
            if not addresses:
                raise OSError("unknown")
            return addresses.pop(0) if isinstance(addresses[0], list) else addresses

        relay = Relay((Destination("there", self.port, private),), bounds, resolve)
        self.server = await asyncio.start_unix_server(relay.serve, self.path, limit=8192)

    async def ask(self, head, word=b"word"):
        reader, writer = await asyncio.open_unix_connection(self.path)
        with contextlib.closing(writer):
            writer.write(head.encode() + b"\r\n\r\n")
            status = (await reader.readline()).decode().split(" ")[1:2]
            if status != ["200"]:
                return "".join(status), (await reader.read()).decode().rpartition("\n\r\n")[2].strip()
            await reader.readline()
            writer.write(word)
            return "200", (await reader.read()).decode()

    def told(self):
        return self._capfd.readouterr().out.splitlines()


@pytest.fixture
async def street(tmp_path, capfd):
    made = Street(tmp_path, capfd)
    yield made
    made.server.close()
    made.service.close()


async def test_the_relay_connects_to_what_it_checked(street):
    # The second answer, of a name that changed its mind, is never asked for.
    await street.open(Bounds(1 << 20), [["127.0.0.1"], ["10.0.0.1"]], private=True)
    assert await street.ask(f"CONNECT there:{street.port} HTTP/1.1") == ("200", "WORD")
    assert street.resolved == [("there", street.port)]
    assert street.told() == []


@pytest.mark.parametrize("addresses", [["127.0.0.1"], ["::ffff:127.0.0.1", "10.1.1.1"], ["169.254.169.254"]])
async def test_names_that_lead_inside_are_refused(street, addresses):
    await street.open(Bounds(1 << 20), addresses)
    status, words = await street.ask(f"CONNECT there:{street.port} HTTP/1.1")
    assert (status, "not public" in words) == ("403", True)
    (line,) = street.told()
    assert f"there:{street.port}" in line and "not public" in line


async def test_what_is_no_connect_is_refused(street):
    await street.open(Bounds(1 << 20), ["127.0.0.1"], private=True)
    name = f"there:{street.port}"
    for head in (
        f"GET http://{name}/ HTTP/1.1", f"CONNECT {name}", f"CONNECT  {name} HTTP/1.1", f"connect {name} HTTP/1.1",
        f"CONNECT {name} HTTP/2", f"CONNECT {name} x HTTP/1.1", "", "\x16\x03\x01",
        "CONNECT " + "a" * 9000 + " HTTP/1.1", "CONNECT other:1 HTTP/1.1",
    ):  # fmt: skip
        status, _ = await street.ask(head)
        assert status == "403", head
    assert street.resolved == []
    assert len(street.told()) == 10
    assert (await street.ask(f"CONNECT {name} HTTP/1.0"))[0] == "200"


async def test_bytes_and_connections_are_bounded(street):
    await street.open(Bounds(1000, open_connections=2, connections=4), ["127.0.0.1"], private=True)
    head = f"CONNECT there:{street.port} HTTP/1.1"
    assert await street.ask(head, b"a" * 400) == ("200", "A" * 400)
    status, said = await street.ask(head, b"b" * 400)
    assert (status, len(said) < 400) == ("200", True)
    assert "more than 1000 bytes" in street.told()[0]
    held = [await asyncio.open_unix_connection(street.path) for _ in range(2)]
    assert (await street.ask(head))[0] == "403"
    for reader, writer in held:
        writer.write(b"\r\n\r\n")
        await reader.read()
        writer.close()
    assert any("2 connections at a time" in line for line in street.told())


async def test_a_name_that_nobody_knows_is_told(street):
    await street.open(Bounds(1 << 20), [])
    assert await street.ask(f"CONNECT there:{street.port} HTTP/1.1") == (
        "403", "touchstone: the name cannot be resolved: unknown",
    )  # fmt: skip


async def test_a_name_that_cannot_be_asked_for_is_refused_with_words(street):
    await street.open(Bounds(1 << 20), [])

    async def resolve(host, port):
        return [host.encode("idna").decode()]

    relay = Relay((Destination("a..b", 1),), Bounds(1 << 20), resolve)
    with pytest.raises(RefusedError, match="cannot be resolved"):
        await relay._resolve(Destination("a..b", 1))
    status, _ = await street.ask("CONNECT a..b:1 HTTP/1.1")
    assert status == "403"
    assert "a..b:1" in street.told()[0]


def test_refusals_are_short_lines_that_say_nothing_to_a_terminal():
    made = Refusal("\x1b]0;x\x07\u202ea\nlevel=error\x9b1m" + "b" * 400, "\x1b[2J" + "c" * 400)
    assert made.target.startswith("\ufffd]0;x\ufffd\ufffda\ufffdlevel=error\ufffd1mb")
    assert (len(made.target), len(made.reason)) == (200, 200)
    assert (made.target + made.reason).isprintable()


@pytest.mark.parametrize("name", [b"\xff" * 400, b"\x01\x1b" * 200, b"a" * 400])
def test_what_is_refused_fills_no_pipe(tmp_path, name):
    relay = RelayProcess((Destination("there", 1),), 1 << 20, str(tmp_path / "s"))
    try:
        relay.await_ready()

        async def ask():
            reader, writer = await asyncio.open_unix_connection(str(tmp_path / "s"))
            writer.write(b"CONNECT " + name + b" HTTP/1.1\r\n\r\n")
            status = await reader.readline()
            writer.close()
            return status

        async def many():
            return {await ask() for _ in range(130)}

        # Nobody asks what was refused before all were answered.
        assert asyncio.run(many()) == {b"HTTP/1.1 403 Forbidden\r\n"}
        assert len(relay.refused()) == 100
    finally:
        relay.close()


def test_the_process_tells_what_it_refused_and_ends(tmp_path):
    relay = RelayProcess((Destination("there", 1),), 1 << 20, str(tmp_path / "s"))
    try:
        relay.await_ready()

        async def ask():
            reader, writer = await asyncio.open_unix_connection(str(tmp_path / "s"))
            writer.write(b"CONNECT a\x00b:1 HTTP/1.1\r\n\r\n")
            await reader.read()
            writer.close()

        asyncio.run(ask())
        assert relay.refused() == (Refusal("a\ufffdb:1", "not among the names that this job may reach"),)
        assert relay.refused() == ()
    finally:
        relay.close()
    assert relay._process.returncode is not None
    assert dataclasses.asdict(Refusal("a", "b")) == {"target": "a", "reason": "b"}
