"""Alembic's entry: the runtime hands the connection over."""

from touchstone_runtime.database import run_migrations

run_migrations()
