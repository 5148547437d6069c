"""Statements that only read, where the server has ended their connections."""

import pytest
from asyncpg.exceptions import AdminShutdownError, ConnectionDoesNotExistError, InterfaceError, InternalClientError

from touchstone_runtime.faults import DependencyAwayError, Fault, classify
from touchstone_runtime.reading import Reader, Statement


class UnwritableError(InterfaceError, ValueError):
    """As the driver's own for a value that no argument of a statement can hold."""


class Connections:
    """In place of a pool: each connection fails in turn as it is told, and then reads."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.out = self.expired = self.terminated = 0

    async def acquire(self, timeout):
        self.out += 1
        return self

    async def release(self, connection):
        self.out -= 1

    async def expire_connections(self):
        self.expired += 1

    def terminate(self):
        self.terminated += 1

    async def fetch(self, text, *arguments):
        if self.failures:
            raise self.failures.pop(0)
        return [(text, *arguments)]


def reader(connections):
    made = Reader(None, {})
    made._pool = connections
    return made


STATEMENT = Statement("SELECT $1, $2", ("a", "b"), {"a": 1})


@pytest.mark.parametrize(
    "failure", [AdminShutdownError("going down"), InternalClientError("cannot switch to state 12")]
)
async def test_a_connection_that_is_lost_once_is_no_fault(failure):
    connections = Connections(failure)
    assert await reader(connections).rows(STATEMENT, {"b": 2}) == [("SELECT $1, $2", 1, 2)]
    assert (connections.out, connections.expired, connections.terminated) == (0, 1, 1)


@pytest.mark.parametrize("failure", [ConnectionDoesNotExistError("closed"), OSError("reset")])
async def test_a_server_that_stays_away_is_named(failure):
    connections = Connections(failure, failure)
    with pytest.raises(DependencyAwayError, match="the database"):
        await reader(connections).rows(STATEMENT, {"b": 2})
    assert connections.out == 0


async def test_a_value_that_cannot_be_written_is_no_fault_of_the_server():
    unwritable = UnwritableError("invalid input for query argument $1: surrogates not allowed")
    connections = Connections(unwritable)
    with pytest.raises(UnwritableError):
        await reader(connections).rows(STATEMENT, {"b": 2})
    assert (connections.out, connections.expired, connections.terminated) == (0, 0, 0)
    assert classify(unwritable) is Fault.FINAL
