"""Programs against the way out: one name was given, and nothing else may be reached by any way of writing it."""

import json
import socket
import threading

import pytest

from sandbox_executor.domain.egress import Destination
from sandbox_executor.domain.jobs import CasesJob
from sandbox_executor.domain.limits import resolve
from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.usecases import Stop


class Server:
    """A service of this machine that counts who comes, and sends a redirect."""

    def __init__(self, family, address, elsewhere=0):
        self.heard = []
        self._listener = socket.create_server((address, 0), family=family)
        self.port = self._listener.getsockname()[1]
        words = f"HTTP/1.1 302 Found\r\nLocation: http://localhost:{elsewhere}/\r\nContent-Length: 0\r\n\r\n"

        def serve():
            while True:
                try:
                    connection, _ = self._listener.accept()
                except OSError:
                    return
                self.heard.append("connection")
                with connection:
                    # Heard before it answers: what is closed with words unread is cut off.
                    connection.recv(1000)
                    connection.sendall(words.encode())

        threading.Thread(target=serve, daemon=True).start()

    def close(self):
        # Wakes who waits in it, else that one would answer the first caller of the next socket of this number.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()


@pytest.fixture
def servers():
    forbidden = Server(socket.AF_INET, "127.0.0.1")
    given = Server(socket.AF_INET, "127.0.0.1", forbidden.port)
    yield given, forbidden
    given.close()
    forbidden.close()


# By the proxy, by sockets, by the proxy's address: everything that could lead out. Gives what answered.
ATTACK = """
import errno, os, socket
PROXY = ("127.0.0.1", 3128)
def ask(target, head="CONNECT {} HTTP/1.1"):
    try:
        with socket.create_connection(PROXY, 20) as way:
            way.sendall((head.format(target) + "\\r\\n\\r\\n").encode("utf-8", "surrogateescape"))
            stream = way.makefile("rb")
            status = stream.readline().decode("utf-8", "replace").split(" ")[1:2]
            if status == ["200"]:
                while stream.readline().strip():
                    pass
                way.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
                return stream.readline().decode().strip() or "reached"
            return "".join(status)
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
def plain(family, address, kind=socket.SOCK_STREAM):
    try:
        with socket.socket(family, kind) as way:
            way.settimeout(5)
            way.connect(address)
            way.send(b"x")
            return "reached " + way.recv(100).decode() if kind == socket.SOCK_DGRAM else "reached"
    except OSError as error:
        return errno.errorcode.get(error.errno, type(error).__name__)
def attack(targets, given, forbidden):
    found = {target: ask(target) for target in targets}
    found["get"] = ask(f"http://localhost:{given}/", "GET {} HTTP/1.1")
    found["smuggled"] = ask(f"localhost:{forbidden} HTTP/1.1\\r\\nHost: localhost:{given}")
    found["raw"] = [
        plain(socket.AF_INET, ("127.0.0.1", given)), plain(socket.AF_INET, ("127.0.0.1", forbidden)),
        plain(socket.AF_INET6, ("::1", forbidden)), plain(socket.AF_INET, ("169.254.169.254", 80)),
        plain(socket.AF_INET, ("1.1.1.1", 53), socket.SOCK_DGRAM), plain(socket.AF_INET, ("10.0.0.1", 443)),
    ]
    try:
        found["names"] = socket.gethostbyname("touchstone.invalid")
    except OSError as error:
        found["names"] = type(error).__name__
    return found
"""


def targets(given, forbidden):
    """Other ports, other names, addresses in place of names, and every way to write them."""
    return [
        f"localhost:{forbidden}", f"127.0.0.1:{given}", f"127.1:{given}", f"2130706433:{given}", f"0x7f000001:{given}",
        f"017700000001:{given}", f"0:{given}", f"0.0.0.0:{given}", f"[::1]:{given}", f"[::ffff:127.0.0.1]:{given}",
        f"[::]:{given}", f"localhost.:{given}", f"localhost.localdomain:{given}", f"ip6-localhost:{given}",
        f"user@localhost:{given}", f"localhost:{given}@127.0.0.1:{forbidden}", f"localhost%00:{given}",
        f"localhost:{given + 65536}", f"localhost:0{forbidden}", f"xlocalhost:{given}", f"localhost:{given}/..",
        "169.254.169.254:80", "[fd00:ec2::254]:80", "metadata:80", "2852039166:80", "example.org:443", "localhost", "",
    ]  # fmt: skip


def run(sandbox, given, forbidden, egress):
    job = CasesJob(
        "python", ATTACK, "attack", (json.dumps([targets(given, forbidden), given, forbidden]),),
        resolve({"case_timeout_s": 110.0, "total_timeout_s": 120.0}), egress=egress,
    )  # fmt: skip
    results, stop = [], Stop()
    try:
        sandbox.backend.run_cases(job, results.append, stop)
    finally:
        stop.close()
    assert results[0].outcome is Outcome.RETURNED, results
    return results[0], json.loads(results[0].value)


def test_without_permission_nothing_is_reached(sandbox, servers):
    given, forbidden = servers
    result, found = run(sandbox, given.port, forbidden.port, ())
    raw = found.pop("raw")
    assert set(found.values()) <= {"EACCES", "EPERM", "gaierror"}, found
    assert set(raw) <= {"EACCES", "EPERM"}, raw
    assert given.heard == forbidden.heard == []
    assert result.refused == ()


def test_with_permission_for_one_name_that_one_is_reached_and_nothing_else(sandbox, servers):
    given, forbidden = servers
    allowed = Destination("localhost", given.port, True)
    result, found = run(sandbox, given.port, forbidden.port, (allowed,))
    raw = found.pop("raw")
    assert not [x for x in raw if x.startswith("reached")], raw
    # Refused, or cut off: never connected.
    assert set(found.values()) <= {"403", "", "gaierror"}, found
    assert given.heard == forbidden.heard == []
    told = {refusal.target: refusal.reason for refusal in result.refused}
    for target in targets(given.port, forbidden.port):
        assert not target or target in told, (target, told)
    assert any("only CONNECT" in reason for reason in told.values())


def test_a_redirect_leads_nowhere_else(sandbox, servers):
    given, forbidden = servers
    source = (
        "import http.client\n"
        "def attack(given, forbidden):\n"
        "    way = http.client.HTTPConnection('127.0.0.1', 3128, timeout=30)\n"
        "    way.set_tunnel('localhost', given)\n"
        "    way.request('GET', '/')\n"
        "    answer = way.getresponse()\n"
        "    leads = answer.getheader('Location')\n"
        "    other = http.client.HTTPConnection('127.0.0.1', 3128, timeout=30)\n"
        "    other.set_tunnel('localhost', int(leads.split(':')[2].strip('/')))\n"
        "    try:\n"
        "        other.request('GET', '/')\n"
        "        return [answer.status, 'reached']\n"
        "    except OSError as error:\n"
        "        return [answer.status, str(error)]\n"
    )
    job = CasesJob(
        "python", source, "attack", (f"[{given.port},{forbidden.port}]",), resolve({"case_timeout_s": 60.0}),
        egress=(Destination("localhost", given.port, True),),
    )  # fmt: skip
    results, stop = [], Stop()
    sandbox.backend.run_cases(job, results.append, stop)
    stop.close()
    status, words = json.loads(results[0].value)
    assert (status, "403" in words) == (302, True), results
    assert (len(given.heard), forbidden.heard) == (1, [])
    assert [x.target for x in results[0].refused] == [f"localhost:{forbidden.port}"]


def test_a_name_that_leads_to_this_machine_is_refused_unless_it_may(sandbox, servers):
    given, _ = servers
    source = ATTACK + "\ndef one(target): return ask(target)"
    job = CasesJob(
        "python", source, "one", (f'["localhost:{given.port}"]',), resolve({"case_timeout_s": 60.0}),
        egress=(Destination("localhost", given.port),),
    )  # fmt: skip
    results, stop = [], Stop()
    sandbox.backend.run_cases(job, results.append, stop)
    stop.close()
    assert results[0].value == '"403"', results
    assert [x.reason for x in results[0].refused] == ["the name leads to an address that is not public"]
    assert given.heard == []
