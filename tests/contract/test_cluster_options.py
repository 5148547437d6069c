"""What k8s/options tells a database is enough for every service, and no more than that; tried on a real one."""

from pathlib import Path

import asyncpg
import pytest
import yaml

from touchstone_local import postgres as local_postgres
from touchstone_runtime.migrating import migrate
from touchstone_runtime.settings import ServiceSettings

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]
SERVICES = sorted(path.parent.name.replace("-", "_") for path in (ROOT / "services").glob("*/pyproject.toml"))


async def test_each_service_makes_its_tables_and_sees_no_others_in_the_database_of_cloudnative_pg(tmp_path):
    (cluster,) = yaml.safe_load_all((ROOT / "k8s/options/cloudnative-pg.yaml").read_text())
    initial = cluster["spec"]["bootstrap"]["initdb"]
    with local_postgres.start(tmp_path / "server") as server:
        administrator = server.url.replace("+asyncpg", "")
        base = administrator.rpartition("/")[0]
        connection = await asyncpg.connect(f"{base}/postgres")
        await connection.execute(f"DROP DATABASE IF EXISTS {initial['database']}")
        await connection.execute(f"CREATE DATABASE {initial['database']}")
        await connection.close()
        # As the operator does: the statements in the new database, and then the roles' passwords.
        connection = await asyncpg.connect(f"{base}/{initial['database']}")
        for statement in initial["postInitApplicationSQL"]:
            await connection.execute(statement)
        for role in cluster["spec"]["managed"]["roles"]:
            await connection.execute(f"ALTER ROLE {role['name']} LOGIN PASSWORD 'secret'")
        await connection.close()
        host = base.rpartition("@")[2].removeprefix("postgresql://")
        for service in SERVICES:
            url = f"postgresql+asyncpg://touchstone_{service}:secret@{host}/{initial['database']}"
            await migrate(service, ServiceSettings(database_url=url))
        for service in SERVICES:
            url = f"postgresql://touchstone_{service}:secret@{host}/{initial['database']}"
            connection = await asyncpg.connect(url)
            seen = await connection.fetch("SELECT schemaname, tablename FROM pg_tables")
            own = [row["tablename"] for row in seen if row["schemaname"] == service]
            assert own
            other = next(name for name in SERVICES if name != service)
            for denied in (
                f"SELECT 1 FROM {other}.alembic_version",
                "CREATE TABLE public.mine (a int)",
                "CREATE SCHEMA mine",
            ):
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await connection.execute(denied)
            await connection.close()
