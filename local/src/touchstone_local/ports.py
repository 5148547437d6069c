"""Free ports, and who holds one that is not free."""

from __future__ import annotations

import random
import socket
import time
from pathlib import Path

import psutil

from touchstone_local.errors import LocalError

LOOPBACK = "127.0.0.1"
FIRST_PORT = 20_000
# Descriptors by port; they are never closed.
_claims: dict[int, int] = {}


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a server could listen on the port now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def claim(port: int) -> bool:
    """Claim a port among all platforms of this machine, until this process ends; False when another one has it.

    A port that is chosen is listened on only seconds later: a second platform that starts meanwhile would find it free,
    take it, and each would be answered by the other's services. The claim is an abstract socket of that name, which
    the system takes back however we end.
    """
    if port in _claims:
        return True
    claimed = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        claimed.bind(f"\0touchstone-port-{port}")
    except OSError:
        claimed.close()
        return False
    _claims[port] = claimed.detach()
    return True


def free_ports(count: int, host: str = LOOPBACK) -> list[int]:
    """Distinct ports that were free a moment ago.

    They lie below the range that the system hands to outgoing connections, so that a server which is started again
    finds its port free: any client could have been given one of that range in the meantime.
    """
    found: list[int] = []
    ceiling = max(_outgoing_range_start(), FIRST_PORT + 1000)
    for _ in range(10_000):
        if len(found) == count:
            return found
        port = random.randrange(FIRST_PORT, ceiling)
        if port not in found and is_free(port, host):
            found.append(port)
    raise LocalError(f"no {count} free ports between {FIRST_PORT} and {ceiling}", thing=host, way_out="free some")


def _outgoing_range_start() -> int:
    try:
        return int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return 32_768


def holder(port: int) -> str:
    """Who listens on the port: `name (pid N)`, or `another process` where the system does not say."""
    try:
        connections = psutil.net_connections(kind="tcp")
    except (psutil.AccessDenied, OSError):
        return "another process"
    for connection in connections:
        if connection.status == psutil.CONN_LISTEN and connection.laddr and connection.laddr[1] == port:
            if connection.pid is None:
                break
            try:
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
            except psutil.Error:
                break
    return "another process"


def demand_free(port: int, purpose: str, way_out: str) -> None:
    """Raise a LocalError that names the port and its holder unless the port is free."""
    if not is_free(port):
        raise LocalError(f"port {port} is held by {holder(port)}", thing=purpose, way_out=way_out)


def wait_until_open(port: int, timeout_s: float, host: str = LOOPBACK) -> bool:
    """Wait until something accepts connections on the port; False when the time is over."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end:
        try:
            with socket.create_connection((host, port), timeout=1.0):
                return True
        except OSError:
            time.sleep(0.05)
    return False
