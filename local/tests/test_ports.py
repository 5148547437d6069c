"""Ports that are taken are told with their holder."""

import os
import socket
from pathlib import Path

import pytest

from touchstone_local import ports
from touchstone_local.errors import LocalError


@pytest.fixture
def held():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield server.getsockname()[1]


def test_a_held_port_names_its_holder(held):
    assert not ports.is_free(held)
    assert str(os.getpid()) in ports.holder(held)
    with pytest.raises(LocalError, match=rf"Kafka: port {held} is held by .*pid {os.getpid()}.*; pick another"):
        ports.demand_free(held, "Kafka", "pick another")
    assert ports.wait_until_open(held, 5)


def test_free_ports_are_distinct_and_below_those_of_outgoing_connections():
    found = ports.free_ports(50)
    assert len(set(found)) == 50
    assert all(ports.is_free(port) for port in found)
    assert min(found) >= ports.FIRST_PORT
    start = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert max(found) < max(start, ports.FIRST_PORT + 1000)


def test_nobody_listens_on_a_free_port():
    (port,) = ports.free_ports(1)
    assert not ports.wait_until_open(port, 0.1)
    assert ports.holder(port) == "another process"
