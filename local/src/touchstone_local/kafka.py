"""A real single-node Apache Kafka broker in a folder.

Example:
    with kafka.start(folder) as server:
        connect(server.bootstrap)
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from touchstone_local import jars, ports, processes
from touchstone_local.download import Progress
from touchstone_local.errors import LocalError
from touchstone_local.settings import environment

READY_TIMEOUT_S = 90.0
# A cluster id is the text form of 16 bytes; one fixed id makes a folder readable by every start.
CLUSTER_ID = "dG91Y2hzdG9uZS1sb2NhbA"

PROPERTIES = """\
# Written by touchstone_local.kafka at each start.
process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}{further}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}{further}
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT,SASL_SSL:SASL_SSL
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
log.dirs={data}
num.partitions=4
auto.create.topics.enable=true
default.replication.factor=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.min.isr=1
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=6000
group.min.session.timeout.ms=1000
message.max.bytes=16777216
replica.fetch.max.bytes=16777216
log.retention.hours=-1
# Topics of an earlier release let go by age until a service has set them right.
log.initial.task.delay.ms=300000
# How far a service is stays known, however long the platform rests.
offsets.retention.minutes=5256000
log.cleaner.dedupe.buffer.size=16777216
num.network.threads=2
num.io.threads=4
num.recovery.threads.per.data.dir=2
"""

LOGGING = """\
<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="WARN">
  <Appenders>
    <Console name="console"><PatternLayout pattern="%d{ISO8601} %p %c{1} %m%n"/></Console>
  </Appenders>
  <Loggers>
    <Root level="WARN"><AppenderRef ref="console"/></Root>
    <Logger name="kafka.server.KafkaRaftServer" level="INFO"/>
    <Logger name="kafka.server.BrokerServer" level="INFO"/>
  </Loggers>
</Configuration>
"""


@dataclass(frozen=True)
class Doors:
    """Listeners beside the plain one, which ask for TLS or for a password.

    Attributes:
        ports: Port of each, by what it speaks: SSL, SASL_PLAINTEXT or SASL_SSL.
        properties: What the broker is told of them: certificates, mechanisms.
        users: Passwords of those who may come in by SCRAM; made with a new folder.
    """

    ports: Mapping[str, int]
    properties: Mapping[str, str]
    users: Mapping[str, str]


@dataclass
class KafkaServer:
    """A running broker; leaving the context stops it.

    Attributes:
        folder: Holds data, configuration, log and process id.
        port: Client port on loopback.
        process: The broker's process.
    """

    folder: Path
    port: int
    process: processes.Running

    @property
    def bootstrap(self) -> str:
        """Address for clients, `host:port`."""
        return f"{ports.LOOPBACK}:{self.port}"

    @property
    def pid(self) -> int:
        """Process id of the broker."""
        return self.process.pid

    def stop(self, timeout_s: float = 20.0) -> None:
        """Stop the broker; its data stays."""
        processes.stop(self.process, timeout_s=timeout_s)
        pid_file(self.folder).unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.to_thread(self.stop)


def pid_file(folder: Path) -> Path:
    """Where the broker's process is remembered."""
    return folder / "kafka.pid"


def running(folder: Path) -> KafkaServer | None:
    """The broker of this folder, if it runs."""
    process = processes.recall(pid_file(folder))
    if process is None:
        return None
    try:
        chosen = json.loads((folder / "ports.json").read_text())
    except (OSError, ValueError):
        return None
    return KafkaServer(folder, int(chosen["port"]), process)


def start(
    folder: Path | str,
    *,
    port: int = 0,
    log: Path | None = None,
    report: Callable[[Progress], None] | None = None,
    timeout_s: float = READY_TIMEOUT_S,
    doors: Doors | None = None,
) -> KafkaServer:
    """Start a broker in the folder, or return the one that runs there already.

    Args:
        folder: Keeps everything; a folder used before keeps its topics.
        port: Client port; 0 takes the folder's last one where it is free, else any free one.
        log: Log file; `server.log` in the folder by default.
        report: Called with the progress of the jars' download.
        timeout_s: How long to wait until the broker answers.
        doors: Listeners beside the plain one.

    Returns:
        The broker, ready for clients.

    Raises:
        LocalError: the port is taken, the jars cannot be had, or the broker does not come up.
    """
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    server = running(folder)
    if server is not None:
        if not wait_ready(server, timeout_s):
            raise _not_ready(server, folder / "server.log" if log is None else log)
        return server
    classpath = ":".join(str(path) for path in jars.ensure("kafka", report=report))
    log = log or folder / "server.log"
    chosen, controller = _choose_ports(folder, port)
    data = folder / "data"
    properties = folder / "server.properties"
    doors = doors or Doors({}, {}, {})
    further = "".join(f",{protocol}://{ports.LOOPBACK}:{number}" for protocol, number in doors.ports.items())
    told = PROPERTIES.format(port=chosen, controller=controller, data=data, further=further)
    properties.write_text(_escaped(told + "".join(f"{name}={value}\n" for name, value in doors.properties.items())))
    (folder / "log4j2.xml").write_text(LOGGING)
    command = [
        str(jars.java()),
        "-Xms128m",
        "-Xmx512m",
        "-XX:+UseSerialGC",
        "-XX:+ExitOnOutOfMemoryError",
        "-XX:-UsePerfData",
        "-Djava.awt.headless=true",
        f"-Dlog4j2.configurationFile={folder / 'log4j2.xml'}",
        "-cp",
        classpath,
    ]
    if not (data / "meta.properties").is_file():
        _format(command, properties, folder, doors.users)
    process = processes.spawn(
        [*command, "kafka.Kafka", str(properties)],
        log=log,
        pid_file=pid_file(folder),
        environment=environment() | {"KAFKA_HEAP_OPTS": ""},
        folder=folder,
    )
    server = KafkaServer(folder, chosen, process)
    if not wait_ready(server, timeout_s):
        error = _not_ready(server, log)
        server.stop(timeout_s=5.0)
        raise error
    return server


def _not_ready(server: KafkaServer, log: Path) -> LocalError:
    state = "still starts" if server.process.alive() else "ended"
    return LocalError(
        f"the broker {state} and does not answer on port {server.port}; its last lines:\n{processes.log_tail(log, 8)}",
        thing=str(server.folder),
        way_out=f"see {log}; a spoilt data folder can be deleted, the platform rebuilds it",
    )


def _escaped(properties: str) -> str:
    """Java's properties as Java reads them: it takes every byte for a letter of Latin-1.

    Example:
        >>> _escaped("log.dirs=/home/jörg")
        'log.dirs=/home/j\\\\u00f6rg'
    """
    units = (letter.encode("utf-16-be").hex() for letter in properties)
    return "".join(
        letter if letter.isascii() else "".join(f"\\u{unit[place : place + 4]}" for place in range(0, len(unit), 4))
        for letter, unit in zip(properties, units, strict=True)
    )


def _choose_ports(folder: Path, port: int) -> tuple[int, int]:
    """Client and controller port: the asked one, the folder's last ones, or free ones."""
    record = folder / "ports.json"
    try:
        last = json.loads(record.read_text())
        wanted, controller = port or int(last["port"]), int(last["controller"])
    except (OSError, ValueError, KeyError):
        wanted, controller = port, 0
    if port:
        ports.demand_free(port, "Kafka", "free it, or leave the port to be chosen")
    fresh = ports.free_ports(2)
    if not wanted or not ports.is_free(wanted):
        wanted = fresh[0]
    if not controller or not ports.is_free(controller) or controller == wanted:
        controller = fresh[1]
    processes.write_whole(record, json.dumps({"port": wanted, "controller": controller}))
    return wanted, controller


def _format(command: list[str], properties: Path, folder: Path, users: Mapping[str, str]) -> None:
    formatting = [
        *command,
        "kafka.tools.StorageTool",
        "format",
        "--standalone",
        "-t",
        CLUSTER_ID,
        "-c",
        str(properties),
        *(f"--add-scram=SCRAM-SHA-512=[name={name},password={password}]" for name, password in users.items()),
    ]
    done = subprocess.run(formatting, capture_output=True, text=True, timeout=120, env=environment(), check=False)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise LocalError(
            f"the storage cannot be formatted ({''.join(last)})",
            thing=str(folder),
            way_out="delete the folder and start again",
        )


def wait_ready(server: KafkaServer, timeout_s: float) -> bool:
    """Wait until the broker answers an admin request; False when it ended or the time is over."""
    end = time.monotonic() + timeout_s
    while time.monotonic() < end and server.process.alive():
        if ports.wait_until_open(server.port, 0.5) and answers(server.bootstrap):
            return True
        time.sleep(0.1)
        processes.reap(server.pid)
    return False


def answers(bootstrap: str, timeout_s: float = 5.0) -> bool:
    """Whether a broker at the address answers an admin request; callable with or without a running event loop."""
    outcome: list[bool] = []

    def ask() -> None:
        outcome.append(asyncio.run(_describe(bootstrap, timeout_s)))

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(timeout_s + 5.0)
    return bool(outcome and outcome[0])


async def _describe(bootstrap: str, timeout_s: float) -> bool:
    from aiokafka.admin import AIOKafkaAdminClient
    from aiokafka.errors import KafkaError

    admin = AIOKafkaAdminClient(bootstrap_servers=bootstrap, request_timeout_ms=int(timeout_s * 1000))
    try:
        async with asyncio.timeout(timeout_s):
            await admin.start()
            await admin.describe_cluster()
            return True
    except (KafkaError, OSError, TimeoutError):
        return False
    finally:
        await admin.close()
