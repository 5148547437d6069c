"""Real servers for the tests that need them; each is started once a session, in a folder of its own."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

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


@pytest.fixture(scope="session")
def load_module():
    """Loads a module by its path in the repository, such as the fakes that a service's unit tests use."""

    def load(path):
        name = "loaded_" + path.removesuffix(".py").replace("/", "_").replace("-", "_")
        spec = importlib.util.spec_from_file_location(name, Path(__file__).parents[1] / path)
        module = importlib.util.module_from_spec(spec)
        # Dataclasses look their own module up.
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load


@pytest.fixture(scope="session")
def load_script(load_module):
    """Loads a module whose neighbours it imports by name, as a script does that is run."""

    def load(path):
        folder = str((Path(__file__).parents[1] / path).parent)
        sys.path.insert(0, folder)
        try:
            return load_module(path)
        finally:
            sys.path.remove(folder)

    return load
