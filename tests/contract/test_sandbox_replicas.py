"""Sessions where several replicas stand behind one address: each lives in one, and our client finds it."""

import json
import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import grpc
import pytest

from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_cli.errors import CliError
from touchstone_cli.replicas import AtHome, home_of
from touchstone_local.settings import folders
from touchstone_runtime.dialling import dial_blocking

TOUCHSTONE = str(Path(sys.executable).with_name("touchstone"))


def free_ports(count):
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in held]
    for each in held:
        each.close()
    return ports


@pytest.fixture
def replicas(tmp_path):
    """Two servers; gives their addresses."""
    started, addresses = [], []
    for number, port in enumerate(free_ports(2)):
        address = f"127.0.0.1:{port}"
        variables = {
            "TOUCHSTONE_STATE_DIR": str(tmp_path / str(number)), "TOUCHSTONE_TOOLCHAINS_DIR": str(folders().cache),
            "TOUCHSTONE_SANDBOX_REPLICA_ADDRESS": address,
        }  # fmt: skip
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", "sandbox_executor", "serve", "--listen", address, "--no-broker"],
                env=os.environ | variables, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            )
        )  # fmt: skip
        addresses.append(address)
    try:
        for server, address in zip(started, addresses, strict=True):
            host, _, port = address.partition(":")
            while True:
                assert server.poll() is None
                try:
                    socket.create_connection((host, int(port)), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
        yield addresses
    finally:
        for server in started:
            server.terminate()
        for server in started:
            server.wait(60)


def session(address, *arguments):
    variables = {"TOUCHSTONE_SANDBOX_ADDRESS": address}
    command = [TOUCHSTONE, "sandbox", "session", *arguments]
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True, timeout=300, check=False)


def test_a_session_is_found_in_its_replica_and_others_say_where_it_lives(replicas):
    everyone = f"ipv4:{','.join(replicas)}"
    homes = {}
    for address in replicas:
        opened = session(address, "open", "--json")
        assert opened.returncode == 0, opened.stderr
        name = json.loads(opened.stdout)["session_id"]
        homes[name.partition("@")[2]] = name
    assert list(homes) == replicas
    for address, name in homes.items():
        # Several calls behind the one address of both, each a connection of its own.
        for number in range(3):
            done = session(everyone, "exec", name, "--", "sh", "-c", f"echo {number} >> seen; tail -1 seen")
            assert (done.returncode, done.stdout) == (0, f"{number}\n"), done.stderr
        other = next(each for each in replicas if each != address)
        with dial_blocking(other) as channel:
            stub = rpc.SandboxServiceStub(channel)
            request = pb.ReadFileRequest(session_id=name, path="seen")
            with pytest.raises(grpc.RpcError) as refused:
                stub.ReadFile(request, timeout=120)
        assert refused.value.code() is grpc.StatusCode.FAILED_PRECONDITION
        assert f"lives in another replica, at {address}" in refused.value.details()
        wrong = session(other, "exec", name, "--", "true")
        assert wrong.returncode == 1
        assert f"lives in another replica, at {address}" in wrong.stderr
        assert session(everyone, "read", name, "seen").stdout == "0\n1\n2\n"
        assert session(everyone, "close", name).returncode == 0
        gone = session(everyone, "read", name, "seen")
        assert "closed by its caller" in gone.stderr


class Turns:
    """A service whose replicas take turns; one of them holds the session."""

    messages = None

    def __init__(self, others):
        self.others = others
        self.asked = 0

    def call(self, method, request, *, timeout_s):
        self.asked += 1
        if self.asked % (self.others + 1):
            raise CliError("session: this session lives in another replica, at elsewhere:1")
        return "answer"

    def stream(self, method, request, *, timeout_s):
        yield self.call(method, request, timeout_s=timeout_s)
        yield "more"


def test_where_the_id_does_not_help_replicas_are_asked_in_turn():
    assert AtHome(Turns(3)).call("ReadFile", None) == "answer"
    assert list(AtHome(Turns(3)).stream("ExecuteInSession", None)) == ["answer", "more"]
    never = Turns(10_000)
    with pytest.raises(CliError, match="lives in another replica, at elsewhere:1"):
        AtHome(never).call("ReadFile", None)
    assert never.asked == 16


def test_a_session_of_elsewhere_is_shown_no_token():
    assert home_of("abc@203.0.113.9:7100", "127.0.0.1:7100") == ("127.0.0.1:7100", "")
    assert home_of("abc@203.0.113.9:7100", "unix:/s") == ("unix:/s", "")
    assert home_of("abc", "127.0.0.1:7100") == ("127.0.0.1:7100", "")
    assert home_of("abc@127.0.0.1:7100", "dns:///127.0.0.1:7100") == ("127.0.0.1:7100", "127.0.0.1")
    assert home_of("abc@10.0.0.2:1", "ipv4:10.0.0.1:1,10.0.0.2:1") == ("10.0.0.2:1", "")
    assert home_of("abc@[::1]:7100", "[::1]:7100") == ("[::1]:7100", "[::1]")
