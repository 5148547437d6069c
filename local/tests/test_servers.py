"""Real servers: they keep what they were given through a stop, a kill and a change of port."""

import asyncio
import os
import signal
import socket
import subprocess
from pathlib import Path

import asyncpg
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from touchstone_local import kafka, platform, postgres
from touchstone_local.errors import LocalError

pytestmark = [pytest.mark.real, pytest.mark.timeout(240)]


@pytest.fixture(scope="module", autouse=True)
def shared_downloads():
    """The checkout's own cache, so that a test run downloads nothing twice."""
    from touchstone_local import settings

    with pytest.MonkeyPatch.context() as patch:
        if not os.environ.get("TOUCHSTONE_CACHE"):
            patch.setenv("TOUCHSTONE_CACHE", str(settings.checkout() / ".state" / "cache"))
        yield


@pytest.fixture(scope="module")
def broker_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("kafka")


async def put(bootstrap, text):
    async with AIOKafkaProducer(bootstrap_servers=bootstrap) as producer:
        await producer.send_and_wait("t", text)


async def first(bootstrap):
    consumer = AIOKafkaConsumer("t", bootstrap_servers=bootstrap, auto_offset_reset="earliest")
    await consumer.start()
    try:
        return (await asyncio.wait_for(consumer.getone(), 60)).value
    finally:
        await consumer.stop()


async def test_kafka_keeps_messages_through_a_kill_and_a_move(broker_folder):
    async with await asyncio.to_thread(kafka.start, broker_folder) as server:
        assert kafka.start(broker_folder).pid == server.pid
        await put(server.bootstrap, b"kept")
        os.kill(server.pid, signal.SIGKILL)
        while server.process.alive():
            await asyncio.sleep(0.05)
    moved = server.port
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", moved))
        taken.listen()
        with pytest.raises(LocalError, match=f"port {moved} is held by"):
            kafka.start(broker_folder, port=moved)
        async with await asyncio.to_thread(kafka.start, broker_folder) as again:
            assert again.port != moved
            assert await first(again.bootstrap) == b"kept"
    assert kafka.running(broker_folder) is None
    assert not await asyncio.to_thread(kafka.answers, again.bootstrap, 1.0)


def test_a_spoilt_kafka_folder_says_what_to_do(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "meta.properties").write_text("cluster.id=other\nversion=1\nnode.id=9\n")
    with pytest.raises(LocalError, match=r"(?s)the broker ended.*can be deleted"):
        kafka.start(tmp_path)


async def test_postgres_has_vectors_and_keeps_rows_through_a_kill(tmp_path: Path):
    async with await asyncio.to_thread(postgres.start, tmp_path) as server:
        assert postgres.start(tmp_path).pid == server.pid
        connection = await asyncpg.connect(server.dsn)
        assert await connection.fetchval("select '[3,4]'::vector <-> '[0,0]'::vector") == 5
        await connection.execute("create table t (a int)")
        await connection.execute("insert into t values (7)")
        await connection.close()
        with pytest.raises(asyncpg.PostgresError):
            await asyncpg.connect(server.dsn.replace(server.password, "wrong"))
        os.kill(server.pid, signal.SIGKILL)
        while server.process.alive():
            await asyncio.sleep(0.05)
    # Its password is told by this file alone, and a new one would be another than the database knows.
    record = (tmp_path / "server.json").read_text()
    (tmp_path / "server.json").write_text("")
    with pytest.raises(LocalError, match="put a copy of it back"):
        await asyncio.to_thread(postgres.start, tmp_path)
    (tmp_path / "server.json").write_text(record)
    async with await asyncio.to_thread(postgres.start, tmp_path) as again:
        assert again.url.startswith("postgresql+asyncpg://")
        connection = await asyncpg.connect(again.dsn)
        assert await connection.fetchval("select a from t") == 7
        await connection.close()
    assert postgres.running(tmp_path) is None
    assert (tmp_path / "server.json").stat().st_mode & 0o077 == 0


REFUSED_ELSEWHERE = (
    "SELECT * FROM {other}.kept",
    "INSERT INTO {other}.kept VALUES (2)",
    "DROP TABLE {other}.kept",
    "CREATE TABLE {other}.mine (n int)",
    "CREATE TABLE public.mine (n int)",
    "CREATE SCHEMA mine",
    "CREATE DATABASE mine",
    "CREATE ROLE mine",
    "SET ROLE touchstone_{other}",
    "SET ROLE touchstone",
    "ALTER ROLE touchstone_{other} PASSWORD 'x'",
    "CREATE TEMP TABLE mine (n int)",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
)


async def test_each_service_has_a_role_that_sees_its_own_schema_only(tmp_path):
    schemas = [service.schema for service in platform.services() if service.schema]
    assert "sandbox_executor" in schemas and "web" not in schemas
    async with await asyncio.to_thread(postgres.start, tmp_path / "postgres") as server:
        admin = await asyncpg.connect(server.dsn)
        # An earlier platform had one role for all.
        await admin.execute("CREATE SCHEMA ingester; CREATE TABLE ingester.early (id serial PRIMARY KEY, n int)")
        await admin.execute("INSERT INTO ingester.early (n) VALUES (1)")
        urls = await asyncio.to_thread(postgres.roles, server, schemas)
        assert await asyncio.to_thread(postgres.roles, server, schemas) == urls
        assert len(set(urls.values())) == len(schemas)
        assert (tmp_path / "postgres" / "roles.json").stat().st_mode & 0o077 == 0
        sessions = {name: await asyncpg.connect(url.replace("+asyncpg", "")) for name, url in urls.items()}
        try:
            for name, session in sessions.items():
                await session.execute(f"CREATE TABLE {name}.kept (n int)")
                await session.execute(f"INSERT INTO {name}.kept VALUES (1)")
                assert await session.fetchval("SELECT '[1,2]'::public.vector <-> '[1,3]'") == 1.0
            await sessions["ingester"].execute("INSERT INTO ingester.early (n) VALUES (2)")
            await sessions["ingester"].execute("ALTER TABLE ingester.early ADD COLUMN m int")
            for name, session in sessions.items():
                for other in set(schemas) - {name}:
                    for statement in REFUSED_ELSEWHERE:
                        with pytest.raises(asyncpg.InsufficientPrivilegeError):
                            await session.execute(statement.format(other=other))
            for name, url in urls.items():
                with pytest.raises(asyncpg.InsufficientPrivilegeError):
                    await asyncpg.connect(url.replace("+asyncpg", "").rpartition("/")[0] + "/postgres")
                other = next(each for each in urls if each != name)
                password = url.partition("://")[2].partition("@")[0].partition(":")[2]
                with pytest.raises(asyncpg.InvalidPasswordError):
                    await asyncpg.connect(
                        server.dsn.replace(f"touchstone:{server.password}", f"touchstone_{other}:{password}")
                    )
        finally:
            for session in [*sessions.values(), admin]:
                await session.close()


async def test_the_roles_of_containers_are_made_by_the_same_script(tmp_path):
    script = Path(__file__).resolve().parents[1] / "roles.sh"
    roles = [service.schema for service in platform.services() if service.schema]
    async with await asyncio.to_thread(postgres.start, tmp_path / "postgres") as server:
        variables = {
            "PATH": f"{postgres.binaries()}:{os.environ['PATH']}",
            "POSTGRES_USER": postgres.USER,
            "POSTGRES_DB": postgres.DATABASE,
            "PGHOST": "127.0.0.1",
            "PGPORT": str(server.port),
            "PGPASSWORD": server.password,
            "ROLE_SQL": str(Path(postgres.__file__).with_name("role.sql")),
            **{f"{name.upper()}_PASSWORD": f"{name}'s; own" for name in roles},
        }
        for _ in range(2):
            await asyncio.to_thread(subprocess.run, ["sh", str(script)], env=variables, check=True, timeout=200)
        for name in roles:
            session = await asyncpg.connect(
                host="127.0.0.1",
                port=server.port,
                user=f"touchstone_{name}",
                password=f"{name}'s; own",
                database=postgres.DATABASE,
            )
            await session.execute(f"CREATE TABLE {name}.kept (n int)")
            other = next(each for each in roles if each != name)
            with pytest.raises(asyncpg.InsufficientPrivilegeError):
                await session.execute(f"CREATE TABLE {other}.kept (n int)")
            await session.close()


async def test_a_database_whose_making_was_broken_off_is_made_anew(tmp_path: Path):
    for half in ("data", "data.new"):
        (tmp_path / half).mkdir()
        (tmp_path / half / "PG_VERSION").write_text("18\n")
    async with await asyncio.to_thread(postgres.start, tmp_path) as server:
        connection = await asyncpg.connect(server.dsn)
        assert await connection.fetchval("select 1") == 1
        await connection.close()
    assert (tmp_path / "data.broken-off" / "PG_VERSION").exists() and not (tmp_path / "data.new").exists()
