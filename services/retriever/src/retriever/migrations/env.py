"""Alembic's entry: the runtime runs the revisions in the service's own schema."""

from retriever.adapters.tables import metadata
from touchstone_runtime.database import run_migrations

run_migrations(metadata)
