"""The one process that starts all others and starts again what died: `python -m touchstone_local.supervisor`."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO

from touchstone_local import (
    access,
    changes,
    kafka,
    model_server,
    models,
    platform,
    ports,
    postgres,
    processes,
    weaviate,
)
from touchstone_local.errors import LocalError
from touchstone_local.keeper import Keeper, Part, Report
from touchstone_local.platform import Platform, Service
from touchstone_local.processes import Running
from touchstone_local.settings import Folders, environment, folders

SERVER_STOP_S = 30.0
_LOOK_EVERY_S = 60.0
# A folder that was deleted under a running platform has nobody who could stop it by name.
_LOOK_FOR_FOLDER_EVERY_S = 2.0
PID_NAME = "supervisor"


def report_file(where: Folders) -> Path:
    """Where the supervisor says how each process is."""
    return where.state / "supervisor.json"


def pid_file(where: Folders) -> Path:
    """Where the supervisor's own process is remembered."""
    return where.pids / f"{PID_NAME}.pid"


class Supervisor:
    """Starts the platform of a state folder and keeps it running.

    Args:
        where: The folders.
        chat_model: Name of the chat model to serve; empty serves none.
    """

    def __init__(self, where: Folders, chat_model: str) -> None:
        self._where = where
        self._chat_model = chat_model
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._servers: list[Keeper] = []
        self._services: list[Keeper] = []
        self._problem = ""
        self._later = where.pids / f"{models.LATER}.pid"
        self._model_pid = where.pids / "model-server.pid"
        held = {service.name: processes.recall(self._pid(service)) is not None for service in platform.services()}
        self._last = platform.read(where) or Platform()
        self.platform: Platform = platform.choose_addresses(where, held)

    def stop(self) -> None:
        """Ask for the end; returns at once."""
        self._stop.set()

    def stop_without(self, lock: IO[str], every_s: float = _LOOK_FOR_FOLDER_EVERY_S) -> None:
        """Ask for the end when the state folder's lock is not the one that we hold: deleted, or another one's."""
        while not self._stop.wait(every_s):
            try:
                ours = os.path.samestat(os.fstat(lock.fileno()), lock_file(self._where).stat())
            except FileNotFoundError:
                ours = False
            if not ours:
                self.stop()

    def run(self) -> None:
        """Start everything, keep it running until `stop`, then stop everything."""
        try:
            access.ensure(self._where)
            self._end_outdated()
            self._begin_servers()
            if self._await_servers():
                self._end_strangers()
                self._services = [Keeper(self._service(service), self._write) for service in platform.services()]
                for keeper in self._services:
                    keeper.begin()
            self._report()
            self._run_on()
        except (LocalError, OSError) as error:
            # Nobody reads our standard error: the problem stays readable in the report until we are stopped.
            self._problem = str(error)
            self._report()
            self._stop.wait()
        finally:
            if fetching := processes.recall(self._later):
                _stop(fetching, self._later, 5.0)
            self._finish(self._services)
            self._finish(self._servers)
            self._report()

    def _run_on(self, every_s: float = _LOOK_EVERY_S) -> None:
        """Wait for the end, and see meanwhile that models which nothing waits for are fetched, lost ones too."""
        while not self._stop.is_set():
            if self._services:
                # On a full disk, or without processes to be had, the rest goes on: the next look tries again.
                with suppress(OSError):
                    self._begin_later()
            self._stop.wait(every_s)

    def _begin_later(self) -> None:
        """Fetch models that nothing waits for; who does it ends when all are here."""
        if models.awaited_later(self._where.models) and processes.recall(self._later) is None:
            processes.spawn(
                [sys.executable, "-m", "touchstone_local.later_models"],
                log=self._where.logs / f"{models.LATER}.log",
                pid_file=self._later,
                environment=environment()
                | {"TOUCHSTONE_STATE": str(self._where.state), "TOUCHSTONE_CACHE": str(self._where.cache)},
                nice=19,
            )

    def _finish(self, keepers: list[Keeper]) -> None:
        enders = [threading.Thread(target=keeper.finish) for keeper in keepers]
        for ender in enders:
            ender.start()
        for ender in enders:
            ender.join()

    def _report(self) -> None:
        """Write what is known where that can be: on a full disk, or in a folder that is gone, nobody is told."""
        with suppress(OSError):
            self._write()

    def _write(self) -> None:
        """Write what is known about every process, in one step."""
        with self._lock:
            reports: dict[str, Report] = {
                keeper.part.name: keeper.report for keeper in (*self._servers, *self._services)
            }
            content = {
                "problem": self._problem,
                "written": time.time(),
                "processes": {name: asdict(report) for name, report in reports.items()},
            }
            processes.write_whole(report_file(self._where), json.dumps(content, indent=1) + "\n")

    # -- broker, database, model ------------------------------------------------------------------------------

    def _begin_servers(self) -> None:
        parts: list[Part] = []
        self.platform.kafka = platform.external("kafka_bootstrap")
        if not self.platform.kafka:
            parts.append(self._kafka())
        self.platform.database = platform.external("database_url")
        self.platform.databases = {}
        if not self.platform.database:
            parts.append(self._postgres())
        own_model = platform.external("llm_model")
        if platform.external("llm_base_url"):
            self.platform.model, self.platform.model_name = platform.external("llm_base_url"), own_model
        elif self._chat_model:
            parts.append(self._model(own_model))
        else:
            self.platform.model, self.platform.model_name = "", own_model
        self.platform.weaviate = self.platform.weaviate_grpc = ""
        if platform.own_weaviate():
            parts.append(self._weaviate())
        self._servers = [Keeper(part, self._write) for part in parts]
        for keeper in self._servers:
            keeper.begin()

    def _await_servers(self) -> bool:
        """Wait for what no service starts without, addresses included; False when we are to stop before."""
        needed = [keeper for keeper in self._servers if keeper.part.name in ("kafka", "postgres", "weaviate")]
        while not self._stop.is_set():
            if all(keeper.wait_ready(0.2) for keeper in needed):
                self.platform.write(self._where.platform_file)
                return True
        return False

    def _end_strangers(self) -> None:
        """Stop services that outlived an earlier supervisor and know addresses that are no longer right."""
        if replace(self._last, services={}) == replace(self.platform, services={}):
            return
        self._end([self._pid(service) for service in platform.services()])

    def _end_outdated(self) -> None:
        """Stop what outlived an earlier supervisor and has settings or code that are no longer right.

        What is asked for is written down only then: who takes over from us, should we end here, finds the same.
        """
        if changes.since_start(self._where):
            self._report()
            self._end([*(self._pid(service) for service in platform.services()), self._model_pid, self._later])
        changes.record(self._where)

    def _end(self, remembered: list[Path]) -> None:
        for pid_file in remembered:
            running = processes.recall(pid_file)
            if running is not None:
                _stop(running, pid_file, platform.service_stop_s())

    def _kafka(self) -> Part:
        folder = self._where.state / "kafka"
        log = self._where.logs / "kafka.log"

        def start() -> Running:
            # Once clients know the port it must stay: a restart takes the same one or waits for it.
            server = kafka.start(folder, port=_port_of(self.platform.kafka), log=log)
            self.platform.kafka = server.bootstrap
            return server.process

        def ready() -> bool:
            return kafka.answers(self.platform.kafka)

        def stop(running: Running) -> None:
            kafka.KafkaServer(folder, 0, running).stop()

        return Part("kafka", start, ready, stop, lambda: _last_line(log))

    def _postgres(self) -> Part:
        folder = self._where.state / "postgres"
        log = self._where.logs / "postgres.log"

        def start() -> Running:
            server = postgres.start(folder, port=_port_of(self.platform.database), log=log)
            self.platform.database = server.url
            schemas = [service.schema for service in platform.services() if service.schema]
            self.platform.databases = postgres.roles(server, schemas)
            return server.process

        def stop(running: Running) -> None:
            postgres.PostgresServer(folder, 0, "", running).stop()

        return Part("postgres", start, lambda: True, stop, lambda: _last_line(log))

    def _weaviate(self) -> Part:
        folder = self._where.state / "weaviate"
        log = self._where.logs / "weaviate.log"

        def start() -> Running:
            program = weaviate.find(self._where.cache)
            if program is None:
                raise LocalError("is not built yet", thing="Weaviate", way_out="run `make tools TOOLS=weaviate`")
            server = weaviate.start(folder, program, log=log)
            self.platform.weaviate, self.platform.weaviate_grpc = server.http, server.grpc
            return server.process

        def stop(running: Running) -> None:
            _stop(running, weaviate.pid_file(folder), SERVER_STOP_S)

        return Part(
            "weaviate", start, lambda: weaviate.ready(_port_of(self.platform.weaviate)), stop, lambda: _last_line(log)
        )

    def _model(self, own_model: str) -> Part:
        model = models.catalogue()[self._chat_model]
        log = self._where.logs / "model-server.log"
        remembered = self._model_pid
        last = _port_of(self.platform.model)
        running = processes.recall(remembered)
        port = last if last and (running is not None or ports.is_free(last)) else ports.free_ports(1)[0]
        self.platform.model = f"http://{ports.LOOPBACK}:{port}/v1"
        self.platform.model_name = own_model or model.name

        def start() -> Running:
            path = self._where.models / model.path
            if not path.is_file():
                raise LocalError("is missing", thing=str(path), way_out="run `touchstone up`, which fetches it")
            found = processes.recall(remembered)
            return found or processes.spawn(
                model_server.command(path, port, model.name),
                log=log,
                pid_file=remembered,
                environment=model_server.WAITING | environment(),
                nice=model_server.NICE,
            )

        return Part(
            "model-server",
            start,
            lambda: model_server.ready(port),
            lambda running: _stop(running, remembered, 5.0),
            lambda: _last_line(log),
        )

    # -- services ---------------------------------------------------------------------------------------------

    def _pid(self, service: Service) -> Path:
        return self._where.pids / f"{service.name}.pid"

    def _service(self, service: Service) -> Part:
        log = self._where.logs / f"{service.name}.log"
        remembered = self._pid(service)
        port = _port_of(self.platform.services[service.name].grpc)

        def start() -> Running:
            return processes.recall(remembered) or processes.spawn(
                [sys.executable, "-m", service.module],
                log=log,
                pid_file=remembered,
                environment=platform.settings_of(service, self.platform, self._where),
                folder=self._where.state.parent if self._where.state.name == ".state" else self._where.state,
                nice=service.nice,
                session_nice=service.session_nice,
            )

        return Part(
            service.name,
            start,
            lambda: ports.wait_until_open(port, 0.2),
            lambda running: _stop(running, remembered, platform.service_stop_s()),
            lambda: _last_line(log),
        )


def _stop(running: Running, remembered: Path, timeout_s: float) -> None:
    processes.stop(running, timeout_s=timeout_s)
    remembered.unlink(missing_ok=True)


def _last_line(log: Path) -> str:
    lines = [line.strip() for line in processes.log_tail(log, 5).splitlines() if line.strip()]
    return _said(lines[-1])[:300] if lines else ""


def _said(line: str) -> str:
    """What a line of a log says to people: our services' are JSON, with why they end in a field."""
    try:
        told = dict(json.loads(line))
    except (ValueError, TypeError):
        return line
    why = str(told.get("error") or told.get("exception") or "").strip().splitlines()
    return why[-1] if why else str(told.get("event") or line)


def _port_of(address: str) -> int:
    """Port in `host:port`, `http://host:port/v1` or a database URL; 0 where there is none."""
    text = address.rpartition("@")[2].partition("://")[2] or address.rpartition("@")[2]
    port = text.partition("/")[0].rpartition(":")[2]
    return int(port) if port.isdigit() else 0


def lock_file(where: Folders) -> Path:
    """Whose lock makes one supervisor a state folder."""
    return where.state / "supervisor.lock"


def claim(where: Folders) -> IO[str]:
    """Hold the lock that makes one supervisor a state folder.

    Raises:
        LocalError: another supervisor holds it.
    """
    handle = lock_file(where).open("w")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        handle.close()
        raise LocalError(
            "another supervisor runs here", thing=str(where.state), way_out="stop it with `touchstone down`"
        ) from error
    return handle


def main() -> int:
    """Run the supervisor of the state folder in force; the first argument names the chat model, empty for none."""
    where = folders().create()
    try:
        with claim(where) as lock:
            # By whoever holds the lock: of two that are started side by side the other one ends.
            processes.remember(pid_file(where), processes.ourselves())
            supervisor = Supervisor(where, sys.argv[1] if len(sys.argv) > 1 else "")
            for number in (signal.SIGTERM, signal.SIGINT):
                signal.signal(number, lambda *_: supervisor.stop())
            threading.Thread(target=supervisor.stop_without, args=(lock,), daemon=True).start()
            supervisor.run()
    except LocalError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
