"""Real servers for the tests that need them; each is started once a session, in a folder of its own."""

from __future__ import annotations

import pytest

from sandbox_executor.adapters.gvisor.provision import provision
from sandbox_executor.settings import SandboxSettings
from touchstone_local import kafka as local_kafka
from touchstone_local import postgres as local_postgres
from touchstone_local import settings as local_settings

CACHE = local_settings.folders().cache


@pytest.fixture(scope="session")
def kafka(tmp_path_factory):
    """A real Kafka broker; gives its bootstrap address."""
    with local_kafka.start(tmp_path_factory.mktemp("kafka")) as server:
        yield server.bootstrap


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """A real PostgreSQL with pgvector; gives an SQLAlchemy URL for asyncpg."""
    with local_postgres.start(tmp_path_factory.mktemp("postgres")) as server:
        yield server.url


@pytest.fixture(scope="session")
def runsc(request):
    """gVisor's program; built from source where it is not there yet, once a machine, in some minutes."""
    settings = SandboxSettings()
    if settings.sandbox_runsc is not None:
        return settings.sandbox_runsc
    tell = request.config.pluginmanager.getplugin("terminalreporter").write_line
    return provision(CACHE, settings.go_root, settings.go_variables(), tell)
