"""A database whose machine stops answering, with its connections open: probes and callers are told, and soon."""

import asyncio
import os
import sys
import time

import httpx
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from sqlalchemy.engine import make_url

from touchstone_local import ports
from touchstone_runtime.dialling import dial_blocking

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

PATIENCE_S = 120
# So long a probe of the chart waits for an answer.
PROBE_S = 5.0
SERVICE = """
import sys
from pathlib import Path
from touchstone_runtime.service import run_service
from touchstone_runtime.settings import ServiceSettings

async def wire(runtime):
    pass

run_service("frozen", ServiceSettings(), wire, migrations=Path(sys.argv[1]), with_bus=False)
"""


class Freezer:
    """Stands before a server, and lets nothing through while it is shut; nobody is hung up on."""

    def __init__(self, port):
        self.port, self.open, self.tasks = port, asyncio.Event(), set()
        self.open.set()

    async def __call__(self, reader, writer):
        await self.open.wait()
        beyond, forth = await asyncio.open_connection("127.0.0.1", self.port)
        self.tasks.add(asyncio.current_task())
        await asyncio.gather(self.pipe(reader, forth), self.pipe(beyond, writer), return_exceptions=True)
        forth.close()
        writer.close()

    async def pipe(self, reader, writer):
        while data := await reader.read(65536):
            await self.open.wait()
            writer.write(data)
            await writer.drain()
        writer.close()


def serving(address):
    with dial_blocking(address) as channel:
        asked = health_pb2_grpc.HealthStub(channel)
        answer = asked.Check(health_pb2.HealthCheckRequest(), wait_for_ready=True, timeout=PATIENCE_S)
    return answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_a_database_that_stops_answering_is_told_to_probes_and_callers(postgres, tmp_path):
    (tmp_path / "versions").mkdir()
    (tmp_path / "env.py").write_text("from touchstone_runtime.database import run_migrations\nrun_migrations()\n")
    freezer = Freezer(make_url(postgres).port)
    proxy = await asyncio.start_server(freezer, "127.0.0.1", 0)
    own = make_url(postgres).set(port=proxy.sockets[0].getsockname()[1]).render_as_string(hide_password=False)
    grpc, http = (f"127.0.0.1:{port}" for port in ports.free_ports(2))
    told = {"TOUCHSTONE_DATABASE_URL": own, "TOUCHSTONE_GRPC_LISTEN": grpc, "TOUCHSTONE_HTTP_LISTEN": http}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVICE, str(tmp_path), env=dict(os.environ) | told
    )
    try:
        async with httpx.AsyncClient(base_url=f"http://{http}", trust_env=False, timeout=PATIENCE_S) as client:

            async def ready():
                try:
                    return (await client.get("/ready")).status_code == 200
                except httpx.ConnectError:
                    return False

            async def until(holds):
                async with asyncio.timeout(PATIENCE_S):
                    while not await holds():
                        await asyncio.sleep(0.2)

            await until(ready)
            await until(lambda: asyncio.to_thread(serving, grpc))
            freezer.open.clear()
            for _ in range(5):
                before = time.monotonic()
                answer = await client.get("/ready")
                assert time.monotonic() - before < PROBE_S
                assert answer.status_code == 503 and answer.json()["reasons"] == ["database: does not answer"]
            assert not await asyncio.to_thread(serving, grpc)
            freezer.open.set()
            await until(ready)
            await until(lambda: asyncio.to_thread(serving, grpc))
    finally:
        process.kill()
        await process.wait()
        proxy.close()
        freezer.open.set()
