"""Alembic's entry: the runtime runs the revisions in the service's own schema."""

from sandbox_executor.adapters.tables import METADATA
from touchstone_runtime.database import run_migrations

run_migrations(METADATA)
