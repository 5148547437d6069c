"""Statements that only read, where the server has ended their connections."""

import pytest
from asyncpg.exceptions import (
    AdminShutdownError,
    CannotConnectNowError,
    ConnectionDoesNotExistError,
    InterfaceError,
    InternalClientError,
)

from touchstone_runtime.faults import DependencyAwayError, Fault, classify
from touchstone_runtime.reading import Reader, Statement


class UnwritableError(InterfaceError, ValueError):
    """As the driver's own for a value that no argument of a statement can hold."""


class Connections:
    """In place of a pool: each connection fails in turn as it is told, and then reads."""

    def __init__(self, *failures, let_go=False):
        self.failures = list(failures)
        self.let_go = let_go
        self.out = self.expired = self.terminated = 0
        self.unlent = []

    async def acquire(self, timeout):
        if self.unlent:
            raise self.unlent.pop(0)
        self.out += 1
        return self

    async def release(self, connection):
        self.out -= 1

    async def expire_connections(self):
        self.expired += 1

    def terminate(self):
        if self.let_go:
            raise InterfaceError("cannot call Connection.terminate(): connection has been released back to the pool")
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


async def test_a_connection_that_the_driver_had_let_go_of_is_no_fault():
    """As where its end is seen between its being lent and its being asked."""
    connections = Connections(InterfaceError("connection has been released back to the pool"), let_go=True)
    assert await reader(connections).rows(STATEMENT, {"b": 2}) == [("SELECT $1, $2", 1, 2)]
    assert (connections.out, connections.expired) == (0, 1)


async def test_a_connection_that_ends_while_it_is_made_ready_is_no_fault():
    connections = Connections()
    connections.unlent = [InternalClientError("cannot switch to state 11; another operation (2) is in progress")]
    assert await reader(connections).rows(STATEMENT, {"b": 2}) == [("SELECT $1, $2", 1, 2)]
    assert (connections.out, connections.expired) == (0, 1)


@pytest.mark.parametrize("failure", [TimeoutError(), CannotConnectNowError("starting up")])
async def test_who_gets_no_connection_in_time_or_from_a_server_that_begins_is_told_at_once(failure):
    connections = Connections()
    connections.unlent = [failure]
    with pytest.raises(DependencyAwayError, match="the database"):
        await reader(connections).rows(STATEMENT, {"b": 2})
    assert (connections.out, connections.expired) == (0, 0)


@pytest.mark.parametrize("failure", [ConnectionDoesNotExistError("closed"), OSError("reset")])
async def test_a_server_that_stays_away_is_named(failure):
    connections = Connections(failure, failure, failure)
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
