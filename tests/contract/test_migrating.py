"""Schemas over releases: a newer one, the release of before beside it, and several that start at a time."""

import asyncio
import json
import os
import subprocess
import sys
import textwrap

import pytest
from sqlalchemy.engine import make_url

from touchstone_local import ports
from touchstone_runtime.database import Database

pytestmark = pytest.mark.real

SCRIPT = """
import sqlalchemy as sa
from alembic import op

revision = {revision!r}
down_revision = {before!r}

def upgrade():
    {change}
"""
ENTRY = "from touchstone_runtime.database import run_migrations\nrun_migrations()\n"
FIRST = "op.create_table('things', sa.Column('name', sa.Text, primary_key=True))"
SECOND = "op.add_column('things', sa.Column('colour', sa.Text, nullable=True))"


def release(folder, *changes):
    """A folder of migrations, as a release with so many changes has it."""
    (folder / "versions").mkdir(parents=True)
    (folder / "env.py").write_text(ENTRY)
    before = None
    for number, change in enumerate(changes, start=1):
        revision = f"{number:04}"
        text = SCRIPT.format(revision=revision, before=before, change=change)
        (folder / "versions" / f"{revision}_change.py").write_text(textwrap.dedent(text))
        before = revision
    return folder


@pytest.fixture
async def schema(postgres):
    name = "migrating"
    yield name
    database = Database(postgres, name, None)
    async with database.engine.begin() as connection:
        await connection.exec_driver_sql(f'DROP SCHEMA IF EXISTS "{name}" CASCADE')
    await database.close()


async def rows(database, statement):
    async with database.engine.begin() as connection:
        result = await connection.exec_driver_sql(statement)
        return result.fetchall() if result.returns_rows else []


async def test_the_release_of_before_goes_on_beside_a_newer_schema_and_leaves_it_as_it_is(postgres, schema, tmp_path):
    old = Database(postgres, schema, release(tmp_path / "old", FIRST))
    new = Database(postgres, schema, release(tmp_path / "new", FIRST, SECOND))
    try:
        await old.migrate()
        await new.migrate()
        await old.migrate()
        assert await rows(old, "SELECT version_num FROM alembic_version") == [("0002",)]
        await rows(old, "INSERT INTO things (name) VALUES ('of the old release')")
        await new.migrate()
        assert await rows(new, "SELECT name, colour FROM things") == [("of the old release", None)]
    finally:
        await old.close()
        await new.close()


async def test_many_that_migrate_at_a_time_take_turns(postgres, schema, tmp_path):
    folder = release(tmp_path / "new", FIRST, SECOND)
    databases = [Database(postgres, schema, folder) for _ in range(5)]
    try:
        await asyncio.gather(*(database.migrate() for database in databases))
        assert await rows(databases[0], "SELECT version_num FROM alembic_version") == [("0002",)]
    finally:
        for database in databases:
            await database.close()


def migrating(postgres, module):
    return subprocess.run(
        [sys.executable, "-m", "touchstone_runtime.migrating", module],
        env=dict(os.environ) | {"TOUCHSTONE_DATABASE_URL": postgres},
        capture_output=True,
        text=True,
        check=False,
    )


async def test_a_service_is_migrated_by_a_command_of_its_own_that_ends(postgres):
    database = Database(postgres, "evaluator", None)
    try:
        for _ in range(2):
            done = await asyncio.to_thread(migrating, postgres, "evaluator")
            assert done.returncode == 0, done.stderr
            told = [json.loads(line) for line in done.stderr.splitlines()]
            assert told[-1]["event"] == "schema_migrated" and told[-1]["service"] == "evaluator"
        assert await rows(database, "SELECT count(*) FROM evaluator.alembic_version") == [(1,)]
    finally:
        await rows(database, "DROP SCHEMA IF EXISTS evaluator CASCADE")
        await database.close()


@pytest.mark.parametrize(
    ("wrong", "said"),
    [("password", "password authentication failed"), ("port", "call failed"), ("name", "does not exist")],
)
async def test_a_migration_that_waits_for_its_database_says_what_for(postgres, wrong, said):
    url = make_url(postgres)
    (free,) = ports.free_ports(1)
    changed = {"password": {"password": "wrong-3f1c"}, "port": {"port": free}, "name": {"database": "nobodys"}}
    given = url.set(**changed[wrong]).render_as_string(hide_password=False)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "touchstone_runtime.migrating", "evaluator"),
        env=dict(os.environ) | {"TOUCHSTONE_DATABASE_URL": given},
        stderr=subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(120):
            line = (await process.stderr.readline()).decode()
        told = json.loads(line)
        assert told["event"] == "database_awaited" and said in told["error"].lower()
        assert "wrong-3f1c" not in line and process.returncode is None
    finally:
        process.kill()
        await process.wait()


def test_what_has_no_migrations_is_refused_by_name(postgres):
    done = migrating(postgres, "touchstone_web")
    assert done.returncode == 1
    assert "touchstone_web" in done.stderr and "migrations" in done.stderr
