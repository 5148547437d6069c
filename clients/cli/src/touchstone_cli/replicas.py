"""Which replica of a service holds what an id names, and how it is asked."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

from touchstone_cli.errors import CliError
from touchstone_cli.services import Service

_PORT = "7100"
# Calls take turns among replicas, so that one more than there are finds the right one.
_TRIES = 16
_ELSEWHERE = "lives in another replica"


def home_of(identifier: str, address: str) -> tuple[str, str]:
    """Where an id says that its session lives.

    Only a replica of the service that was named is gone to: an id from elsewhere must not be shown our token.

    Args:
        identifier: `NAME@HOST:PORT`, or a name alone.
        address: Of the service: `HOST:PORT`, `dns:///HOST:PORT`, `ipv4:A:PORT,B:PORT` or `unix:PATH`.

    Returns:
        The address to call, and the name that its certificate must have; empty for the address's own.
    """
    home = identifier.partition("@")[2]
    # Of addresses each is its own name; a host's name stands in the certificate of all of its replicas.
    host = "" if address.startswith("ipv") else address.removeprefix("dns:").lstrip("/").rpartition(":")[0]
    return (home, host) if home and home in _replicas(address) else (address, "")


def _replicas(address: str) -> set[str]:
    kind, _, rest = address.partition(":")
    if kind == "unix":
        return set()
    if kind in ("ipv4", "ipv6"):
        return set(rest.split(","))
    host, _, port = address.removeprefix("dns:").lstrip("/").rpartition(":")
    try:
        found = socket.getaddrinfo(host.strip("[]"), port or _PORT, type=socket.SOCK_STREAM)
    except OSError:
        return set()
    return {f"[{to[0]}]:{to[1]}" if family == socket.AF_INET6 else f"{to[0]}:{to[1]}" for family, *_, to in found}


class AtHome:
    """A service whose replicas are asked until the one answers that holds the session.

    Args:
        service: A connection, perhaps to several replicas in turn.
    """

    def __init__(self, service: Service) -> None:
        self._service = service
        self.messages: Any = service.messages

    def call(self, method: str, request: Any = None, *, timeout_s: float = 60.0) -> Any:
        """Call a method and wait for its answer.

        Raises:
            CliError: as `Service.call`.
        """
        (answer,) = self._asked(lambda: iter((self._service.call(method, request, timeout_s=timeout_s),)))
        return answer

    def stream(self, method: str, request: Any, *, timeout_s: float = 600.0) -> Iterator[Any]:
        """Call a method that answers with a stream.

        Raises:
            CliError: as `call`.
        """
        return self._asked(lambda: self._service.stream(method, request, timeout_s=timeout_s))

    def _asked(self, ask: Callable[[], Iterator[Any]]) -> Iterator[Any]:
        for attempt in range(_TRIES):
            try:
                yield from ask()
            except CliError as error:
                # Whoever says so has done nothing yet, so that asking again harms nothing.
                if _ELSEWHERE not in str(error) or attempt + 1 == _TRIES:
                    raise
            else:
                return
