"""Real servers for the tests that need them; each is started once a session, in a folder of its own."""

from __future__ import annotations

import pytest

from touchstone_local import kafka as local_kafka
from touchstone_local import postgres as local_postgres


@pytest.fixture(scope="module")
def kafka(tmp_path_factory):
    """A real Kafka broker; gives its bootstrap address. What the tests of another file left in topics is not in it."""
    with local_kafka.start(tmp_path_factory.mktemp("kafka")) as server:
        yield server.bootstrap


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """A real PostgreSQL with pgvector; gives an SQLAlchemy URL for asyncpg."""
    with local_postgres.start(tmp_path_factory.mktemp("postgres")) as server:
        yield server.url
