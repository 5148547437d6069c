"""The generator's stores, in memory and in a real PostgreSQL."""

from __future__ import annotations

import uuid

import pytest

from pbt_generator.adapters.kill_patterns import SqlKillPatterns
from pbt_generator.adapters.releases import SqlReleases
from pbt_generator.adapters.store import SqlDecisions
from pbt_generator.adapters.traces import SqlTraces
from pbt_generator.adapters.trials import SqlTrials
from pbt_generator.app import MIGRATIONS
from touchstone_runtime.database import Database


@pytest.fixture(scope="session")
def fakes(load_module):
    """The fakes that the generator's unit tests use: this suite holds them to the real stores."""
    return load_module("services/pbt-generator/tests/conftest.py")


@pytest.fixture(params=["memory", pytest.param("postgres", marks=pytest.mark.real)])
async def stores(request, fakes):
    """What was decided, the releases, the kill patterns, the traces and the trials."""
    if request.param == "memory":
        decisions = fakes.MemoryDecisions()
        kept = fakes.MemoryKillPatterns(), fakes.MemoryTraces(), fakes.MemoryTrials()
        yield decisions, fakes.MemoryReleases(decisions), *kept
        return
    database = Database(request.getfixturevalue("postgres"), f"generator_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    await database.migrate()
    kept = SqlKillPatterns(database), SqlTraces(database), SqlTrials(database)
    yield SqlDecisions(database), SqlReleases(database), *kept
    await database.close()
