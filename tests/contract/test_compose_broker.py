"""The broker of the compose file, started with exactly what it is told there but for its ports and folder."""

import asyncio
import os
import signal
import subprocess
from pathlib import Path

import pytest
import yaml
from aiokafka.client import AIOKafkaClient
from aiokafka.errors import KafkaError

from touchstone_local import jars, ports

pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]

ROOT = Path(__file__).resolve().parents[2]


async def told(port):
    """Where the broker says that it is, to whoever asks at a port."""
    client = AIOKafkaClient(bootstrap_servers=f"127.0.0.1:{port}")
    async with asyncio.timeout(120):
        while True:
            try:
                await client.bootstrap()
                break
            except KafkaError:
                await asyncio.sleep(0.2)
    try:
        return [f"{broker.host}:{broker.port}" for broker in client.cluster.brokers()]
    finally:
        await client.close()


async def test_containers_and_this_machine_are_told_of_a_broker_that_they_reach(tmp_path):
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["kafka"]
    given = {
        name.removeprefix("KAFKA_").lower().replace("_", "."): str(value)
        for name, value in service["environment"].items()
    }
    within, controller, host = ports.free_ports(3)
    given["listeners"] = (
        given["listeners"]
        .replace("0.0.0.0:9092", f"127.0.0.1:{within}")
        .replace("0.0.0.0:9093", f"127.0.0.1:{controller}")
        .replace("0.0.0.0:19092", f"127.0.0.1:{host}")
    )
    given["controller.quorum.voters"] = f"1@127.0.0.1:{controller}"
    given["log.dirs"] = str(tmp_path / "data")
    file = tmp_path / "server.properties"
    file.write_text("".join(f"{name}={value}\n" for name, value in given.items()))
    java = [str(jars.java()), "-Xmx512m", "-cp", ":".join(map(str, jars.ensure("kafka")))]
    formatting = [*java, "kafka.tools.StorageTool", "format", "-t", "dG91Y2hzdG9uZS1jb21wb3M", "-c", str(file)]
    subprocess.run(formatting, check=True, capture_output=True, timeout=120)
    with (tmp_path / "log").open("wb") as log:
        broker = subprocess.Popen([*java, "kafka.Kafka", str(file)], stdout=log, stderr=log, start_new_session=True)
        try:
            assert await told(within) == ["kafka:9092"]
            assert await told(host) == ["127.0.0.1:9092"]
        finally:
            os.killpg(broker.pid, signal.SIGKILL)
            broker.wait()
    assert service["ports"] == ["127.0.0.1:9092:19092"]
