"""How a service lives: starts its parts, answers probes, stops without losing work."""

# asyncpg ships no types; only its classes of faults are named here.
# pyright: reportMissingTypeStubs=false

from __future__ import annotations

import asyncio
import contextlib
import math
import signal
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import uvicorn
from asyncpg.exceptions import PostgresError
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from sqlalchemy.exc import SQLAlchemyError
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from touchstone_runtime import collecting
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.bus import Bus
from touchstone_runtime.database import Database
from touchstone_runtime.errors import PreconditionError, TouchstoneError, words_of
from touchstone_runtime.gate import Gate
from touchstone_runtime.grpc_server import GrpcServer, Tls, channel
from touchstone_runtime.http_door import OPEN_PATHS, Doorkeeper
from touchstone_runtime.leaving import fault_of
from touchstone_runtime.metrics import tell_build, watch_disk
from touchstone_runtime.retry import GivenUpError
from touchstone_runtime.settings import ServiceSettings
from touchstone_runtime.telemetry import configure, get_logger
from touchstone_runtime.tokens import TokenFile

if TYPE_CHECKING:
    from touchstone_runtime.tracing_export import Tracing

Background = Callable[[], Coroutine[Any, Any, None]]

_HEALTH_EVERY_S = 2.0
# A probe of the chart waits five seconds for an answer.
_LOOK_S = 4.0
_log = get_logger()


@dataclass
class Runtime:
    """The parts that a service is wired from; `app.py` gets one and registers handlers, servicers and routes.

    `bus` and `database` are None where a service runs without them (an offline command).
    `ready_checks` are asked by `/ready`: each returns a reason not to be ready, or "".
    A stop breaks `background` work off wherever it is. `finishing` work begins once the bus is there, and is to end by
    itself once `stopping` is set; it has `stop_timeout_s` for what it has in hand, as messages and calls have, and may
    still publish.
    """

    name: str
    settings: ServiceSettings
    grpc: GrpcServer
    blobs: BlobStore
    bus: Bus | None = None
    database: Database | None = None
    routes: list[BaseRoute] = field(default_factory=list[BaseRoute])
    # Routes that everybody may read, also where callers must show tokens.
    open_paths: set[str] = field(default_factory=set[str])
    ready_checks: list[Callable[[], Coroutine[Any, Any, str]]] = field(
        default_factory=list[Callable[[], Coroutine[Any, Any, str]]]
    )
    wired: bool = False
    started: bool = False
    on_stop: list[Callable[[], Awaitable[None]]] = field(default_factory=list[Callable[[], Awaitable[None]]])
    background: list[Background] = field(default_factory=list[Background])
    finishing: list[Background] = field(default_factory=list[Background])
    stopping: asyncio.Event = field(default_factory=asyncio.Event)

    def require_bus(self) -> Bus:
        """The bus, for services that always have one."""
        if self.bus is None:
            raise PreconditionError("runs without Kafka", thing=self.name)
        return self.bus

    def require_database(self) -> Database:
        """The database, for services that always have one."""
        if self.database is None:
            raise PreconditionError("runs without a database", thing=self.name)
        return self.database

    def dial(self, address: str) -> Any:
        """A gRPC channel that is closed when the service stops."""
        dialled = channel(address, self.settings.identity())

        async def close() -> None:
            await dialled.close()

        self.on_stop.append(close)
        return dialled


Wire = Callable[[Runtime], Awaitable[None]]


def run_service(
    name: str,
    settings: ServiceSettings,
    wire: Wire,
    *,
    migrations: Path | None = None,
    extensions: tuple[str, ...] = (),
    with_bus: bool = True,
) -> None:
    """Run a service until SIGTERM or SIGINT; ends the process with exit code 1 when it cannot start.

    Args:
        name: Service name as in `services/`; the database schema is the name with underscores.
        settings: The service's settings.
        wire: Registers handlers, servicers and routes; called once the database is migrated.
        migrations: Folder of Alembic scripts; None runs without a database.
        extensions: PostgreSQL extensions that the migrations need.
        with_bus: Whether to connect to Kafka.
    """
    configure(name, settings.log_level)
    tell_build(name)
    traces = tracing_of(name, settings)
    try:
        asyncio.run(_serve(name, settings, wire, migrations, extensions, with_bus))
    except TouchstoneError as error:
        _log.error("service_refused", error=str(error))
        sys.exit(1)
    except GivenUpError as error:
        # No wait mends it: a password that the broker does not take, a schema that cannot be brought up to date.
        known = isinstance(error.cause, TouchstoneError)
        _log.error("service_refused", error=str(error), exc_info=None if known else error.cause)
        sys.exit(1)
    finally:
        if traces is not None:
            traces.close()


def tracing_of(name: str, settings: ServiceSettings) -> Tracing | None:
    """Tracing as settings have it; None where they name no collector."""
    if not settings.otlp_endpoint:
        return None
    # A third of a second that only they pay who send spans.
    from touchstone_runtime.tracing_export import Tracing

    return Tracing.to_collector(name, settings.otlp_endpoint, settings.trace_share)


async def _serve(
    name: str,
    settings: ServiceSettings,
    wire: Wire,
    migrations: Path | None,
    extensions: tuple[str, ...],
    with_bus: bool,
) -> None:
    gate = Gate(TokenFile(settings.tokens_file) if settings.tokens_file else None)
    tls = tls_of(settings)
    server = GrpcServer(settings.grpc_listen, gate=gate, tls=tls, deadline_s=settings.rpc_deadline_s)
    blobs = BlobStore(settings.blob_url)
    watch_disk("state", settings.state_dir)
    if blobs.folder is not None:
        watch_disk("blobs", blobs.folder)
    runtime = Runtime(name, settings, server, blobs)
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, runtime.stopping.set)
    living = asyncio.create_task(_live(runtime, gate, tls, wire, migrations, extensions, with_bus))
    told = asyncio.create_task(runtime.stopping.wait())
    await asyncio.wait({living, told}, return_when=asyncio.FIRST_COMPLETED)
    told.cancel()
    if not living.done() and not runtime.started:
        # A service that still awaits its database or its broker has nothing in hand: it ends at once.
        living.cancel()
    try:
        await living
    except asyncio.CancelledError:
        if not runtime.stopping.is_set():
            raise
    _log.info("service_stopped")


async def _live(
    runtime: Runtime,
    gate: Gate,
    tls: Tls | None,
    wire: Wire,
    migrations: Path | None,
    extensions: tuple[str, ...],
    with_bus: bool,
) -> None:
    settings = runtime.settings
    async with contextlib.AsyncExitStack() as stack:
        # From the first moment on: migrations and self-tests may take longer than anybody waits for a process that says
        # nothing, and would then be ended and begun anew for ever.
        http = await stack.enter_async_context(_http(runtime, gate, tls))
        if migrations is not None:
            schema = runtime.name.replace("-", "_")
            database = Database(settings.database_url, schema, migrations, extensions=extensions)
            runtime.database = database
            stack.push_async_callback(database.close)
            await database.migrate_once_there()
        if with_bus:
            runtime.bus = Bus(settings, runtime.name)
        await wire(runtime)
        # Modules and settings stay as long as the service.
        collecting.keep()
        runtime.wired = True
        # What still waits for its broker serves nobody; probes are told so, where gRPC itself would say the contrary.
        await runtime.grpc.set_serving(False)
        await runtime.grpc.start()
        watch = asyncio.create_task(_watch_health(runtime), name="health")
        stack.callback(watch.cancel)
        background = [asyncio.create_task(start(), name="background") for start in runtime.background]
        if runtime.bus is not None:
            await runtime.bus.start()
        # While the broker is awaited a stop ends the service at once: nothing may be in hand then.
        finishing = [asyncio.create_task(start(), name="background") for start in runtime.finishing]
        runtime.started = True
        _log.info("service_started", grpc=runtime.grpc.address, http=http)
        try:
            await _wait(runtime.stopping, [*background, *finishing])
        finally:
            # Where background work failed, too: what is in hand is not what ended the process.
            runtime.stopping.set()
            _log.info("service_stopping")
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)
            await _stop(runtime, background, finishing)


async def _stop(runtime: Runtime, background: list[asyncio.Task[None]], finishing: list[asyncio.Task[None]]) -> None:
    """End all that serves: what is in hand has one time to end in, whichever way it came, and may tell of it."""
    timeout_s = runtime.settings.stop_timeout_s
    await runtime.grpc.set_serving(False)
    await asyncio.gather(
        runtime.bus.leave() if runtime.bus is not None else asyncio.sleep(0),
        runtime.grpc.stop(timeout_s),
        _finish(finishing, timeout_s),
    )
    for task in background:
        task.cancel()
    await asyncio.gather(*background, return_exceptions=True)
    if runtime.bus is not None:
        await runtime.bus.stop()
    for close in reversed(runtime.on_stop):
        await close()


async def _watch_health(runtime: Runtime) -> None:
    """Tell gRPC health what /ready tells: SERVING as long as the service can do its work, and no longer."""
    while True:
        reasons = await _reasons_not_ready(runtime)
        await runtime.grpc.set_serving(not reasons)
        await asyncio.sleep(_HEALTH_EVERY_S)


async def _wait(stopping: asyncio.Event, tasks: list[asyncio.Task[None]]) -> None:
    """Wait for the stop signal; a background task that fails ends the service, so that it is started anew."""
    waiting = asyncio.create_task(stopping.wait())
    pending: set[asyncio.Task[Any]] = {waiting, *tasks}
    while not waiting.done():
        done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        for task in done - {waiting}:
            if task.cancelled() and stopping.is_set():
                # Whoever waits with what is in hand ends so at a stop.
                continue
            if (error := fault_of(task)) is not None:
                _log.error("background_failed", exc_info=error)
                waiting.cancel()
                raise PreconditionError(f"a background task failed: {error}", thing=task.get_name()) from error


async def _finish(tasks: list[asyncio.Task[None]], timeout_s: float) -> None:
    """Wait for work that ends by itself, and break off what takes too long."""
    if not tasks:
        return
    _, late = await asyncio.wait(tasks, timeout=timeout_s)
    for task in late:
        task.cancel()
    for error in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(error, Exception):
            _log.error("background_failed", exc_info=error)


def tls_of(settings: ServiceSettings) -> Tls | None:
    """What both servers listen with; None where settings name no certificate.

    Raises:
        PreconditionError: what they name cannot be listened with.
    """
    if settings.tls_certificate is None or settings.tls_key is None:
        if settings.tls_certificate or settings.tls_key:
            raise PreconditionError(
                "a certificate needs its key, and a key its certificate",
                thing="TOUCHSTONE_TLS_CERTIFICATE",
                way_out="set both, or neither",
            )
        return None
    tls = Tls(settings.tls_certificate, settings.tls_key)
    tls.check()
    return tls


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave signals to the service."""
        yield


@contextlib.asynccontextmanager
async def _http(runtime: Runtime, gate: Gate, tls: Tls | None) -> AsyncGenerator[str]:
    """Serve /live, /ready and /metrics, and the service's own routes once it is wired."""

    async def live(_request: Request) -> Response:
        return PlainTextResponse("live\n")

    async def ready(_request: Request) -> Response:
        reasons = await _reasons_not_ready(runtime)
        waiting = runtime.bus.waiting if runtime.bus is not None else []
        return JSONResponse({"ready": not reasons, "reasons": reasons, "waiting": waiting}, 503 if reasons else 200)

    async def metrics(_request: Request) -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    own = Starlette(routes=[Route("/live", live), Route("/ready", ready), Route("/metrics", metrics)])
    runtime.open_paths |= OPEN_PATHS
    runtime.routes = own.router.routes
    host, _, port = runtime.settings.http_listen.rpartition(":")
    config = uvicorn.Config(
        Doorkeeper(own, gate, runtime.open_paths),
        host=host,
        port=int(port),
        log_config=None,
        access_log=False,
        lifespan="off",
        # Of who sends half a request, or reads no answer, nobody knows when he is done.
        timeout_graceful_shutdown=math.ceil(runtime.settings.stop_timeout_s),
        ssl_certfile=tls.certificate if tls else None,
        ssl_keyfile=tls.key if tls else None,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(), name="http")
    while not server.started:
        if task.done():
            raise PreconditionError(
                "cannot listen",
                thing=runtime.settings.http_listen,
                way_out="is the port in use? name another in TOUCHSTONE_HTTP_LISTEN",
            )
        await asyncio.sleep(0.01)
    following = asyncio.create_task(tls.follow(config.ssl)) if tls else None
    try:
        yield f"{host}:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        if following is not None:
            following.cancel()
        server.should_exit = True
        await task


async def _reasons_not_ready(runtime: Runtime) -> list[str]:
    """Why the service cannot do its work now; told before a probe loses patience, also where something is mute."""
    if not runtime.wired:
        return ["it starts"]
    looks = [_look("a check of its own", check()) for check in runtime.ready_checks]
    if runtime.bus is not None:
        looks.insert(0, _look("kafka", _absence(runtime.bus)))
    if runtime.database is not None:
        looks.insert(0, _look("database", _refusal(runtime.database)))
    # Side by side: one after the other, what is mute would take the time of the others.
    reasons = [reason for reason in await asyncio.gather(*looks) if reason]
    return reasons + (runtime.bus.activities if runtime.bus is not None and runtime.bus.halted else [])


async def _look(name: str, look: Coroutine[Any, Any, str]) -> str:
    """What a look says; that nothing answers where it takes too long."""
    task = asyncio.create_task(look, name=f"look at {name}")
    try:
        await asyncio.wait({task}, timeout=_LOOK_S)
        if not task.done():
            return f"{name}: does not answer"
        # Whatever a check meets, the next look may go well: nobody would look again if this one failed.
        error = fault_of(task)
        return task.result() if error is None else f"{name}: {type(error).__name__}: {words_of(error)}"
    finally:
        # It is not waited for: a connection that is mute takes its time to be given up, too.
        task.cancel()


async def _refusal(database: Database) -> str:
    try:
        await database.ping()
    except (SQLAlchemyError, PostgresError, TouchstoneError, OSError) as error:
        return f"database: {words_of(error) or type(error).__name__}"
    return ""


async def _absence(bus: Bus) -> str:
    absence = await bus.absence()
    return f"kafka: {absence}" if absence else ""
