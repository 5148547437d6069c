"""Real servers: they keep what they were given through a stop, a kill and a change of port."""

import asyncio
import os
import signal
import socket
from pathlib import Path

import asyncpg
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from touchstone_local import kafka, postgres
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
    async with await asyncio.to_thread(postgres.start, tmp_path) as again:
        assert again.url.startswith("postgresql+asyncpg://")
        connection = await asyncpg.connect(again.dsn)
        assert await connection.fetchval("select a from t") == 7
        await connection.close()
    assert postgres.running(tmp_path) is None
    assert (tmp_path / "server.json").stat().st_mode & 0o077 == 0
