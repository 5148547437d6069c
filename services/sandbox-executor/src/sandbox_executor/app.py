"""The only wiring, but for that of a runner pod, which needs little of it: `runner_app`."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from pathlib import Path

from sandbox_executor import metrics
from sandbox_executor.adapters.counting import CountedBackend
from sandbox_executor.adapters.datasets import DatasetCache
from sandbox_executor.adapters.examining import ProcessExaminer
from sandbox_executor.adapters.gvisor import provision
from sandbox_executor.adapters.gvisor.backend import GvisorBackend, GvisorOptions
from sandbox_executor.domain.egress import EgressPolicy, parse_policy
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import MAXIMUM, Limits
from sandbox_executor.domain.sessions import SessionTimes
from sandbox_executor.errors import JobRefusedError
from sandbox_executor.ports import Backend
from sandbox_executor.rpc import SandboxServicer
from sandbox_executor.runner_app import build_local, build_toolchains
from sandbox_executor.settings import SandboxSettings
from sandbox_executor.usecases import Executor, Quotas, Sessions
from touchstone.sandbox.v1 import sandbox_pb2_grpc as rpc
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.grpc_server import GrpcServer
from touchstone_runtime.memory import machine_memory
from touchstone_runtime.repeating import repeat
from touchstone_runtime.telemetry import get_logger

SERVICE = "sandbox-executor"
FULL_NAME = "touchstone.sandbox.v1.SandboxService"
MIGRATIONS = Path(__file__).parent / "migrations"
BACKENDS = ("local", "gvisor", "pods")
# How often sessions whose time is over are looked for.
SWEEP_S = 5.0
_log = get_logger()


def build_pods(settings: SandboxSettings) -> Backend:
    """The backend of runner pods, in the cluster that this process runs in.

    Raises:
        JobRefusedError: it is not said which pods are runners, or this is no cluster.
    """
    # Imported here: the cluster's library takes longer to load than a whole offline command.
    from kubernetes.config import ConfigException

    from sandbox_executor.adapters.pods.backend import PodsBackend, PodsOptions
    from sandbox_executor.adapters.pods.cluster import connect
    from sandbox_executor.adapters.pods.pool import PodPool, PoolOptions

    namespace, selector = settings.sandbox_runners_namespace, settings.sandbox_runners_selector
    if not namespace or not selector:
        raise JobRefusedError(
            "it is not said which pods are runners",
            thing="backend pods",
            way_out="set TOUCHSTONE_SANDBOX_RUNNERS_NAMESPACE and _SELECTOR, as the chart does",
        )
    try:
        api = connect()
    except ConfigException as error:
        raise JobRefusedError(str(error), thing="backend pods", way_out="run the executor in a cluster") from error
    pool = PodPool(api, PoolOptions(namespace, selector, settings.sandbox_pod_uid))
    return PodsBackend(LANGUAGES, pool, PodsOptions(settings.state_dir / "sandbox", settings.sandbox_runners_wait_s))


def build_executor(settings: SandboxSettings, *, prepare: bool = False) -> Executor:
    """The executor with its backends, the default one first.

    Args:
        settings: The service's.
        prepare: Build what the languages need in the background, instead of with the first job in each; and let
            no backend take a job before it passed the self-test.
    """
    state = settings.state_dir / "sandbox"
    allowed = {name.strip() for name in settings.sandbox_backends.split(",")} | {settings.sandbox_backend}
    unknown = allowed - {*BACKENDS, ""}
    if unknown:
        raise JobRefusedError("no such backend", thing=", ".join(sorted(unknown)), way_out=f"of {', '.join(BACKENDS)}")
    every: dict[str, Backend] = {}
    if allowed & {"local", "gvisor"}:
        toolchains = build_toolchains(settings)
        if prepare:
            toolchains.prepare_in_background()
        local = build_local(settings, toolchains)
        runsc = settings.sandbox_runsc or provision.place(settings.cache)
        options = GvisorOptions(
            runsc, state, settings.sandbox_gvisor_spares, egress_bytes=settings.sandbox_egress_bytes
        )
        every = {"local": local, "gvisor": GvisorBackend(LANGUAGES, toolchains, options, local.cgroups)}
    if "pods" in allowed:
        every["pods"] = build_pods(settings)
    backends: dict[str, Backend] = {
        name: CountedBackend(backend, metrics.count) for name, backend in every.items() if name in allowed
    }
    default = Limits(
        settings.sandbox_case_timeout_s,
        settings.sandbox_total_timeout_s,
        settings.sandbox_memory_bytes,
        settings.sandbox_output_bytes,
        settings.sandbox_processes,
    )
    ordered = dict(sorted(backends.items(), key=lambda item: item[0] != settings.sandbox_backend))
    examiner = ProcessExaminer(min(2, settings.sandbox_workers))
    executor = Executor(
        ordered,
        settings.sandbox_workers,
        default,
        MAXIMUM,
        metrics.observe,
        examiner,
        all_memory(settings),
        settings.sandbox_most_waiting,
        proven_only=prepare,
        datasets=DatasetCache(state, BlobStore(settings.datasets_url), settings.sandbox_datasets_bytes),
        egress=egress_policy(settings),
    )
    metrics.watch(lambda: executor.load, backends)
    return executor


def egress_policy(settings: SandboxSettings) -> EgressPolicy:
    """What jobs may reach outside.

    Raises:
        JobRefusedError: the setting is not well written.
    """
    try:
        return parse_policy(settings.sandbox_egress, settings.sandbox_egress_private)
    except ValueError as error:
        raise JobRefusedError(str(error), way_out="write host:port, perhaps after caller@") from error


def all_memory(settings: SandboxSettings) -> int:
    """What the limits of everything that runs at a time may add up to."""
    if settings.sandbox_backend == "pods" and not settings.sandbox_all_memory_bytes:
        # Jobs have the memory of their own pods.
        return settings.sandbox_workers * MAXIMUM.memory_bytes
    return settings.sandbox_all_memory_bytes or machine_memory() // 5 * 4


def build_sessions(settings: SandboxSettings, executor: Executor) -> Sessions:
    """The sessions of the service."""
    memory_bytes = settings.sandbox_sessions_memory_bytes or all_memory(settings) // 2
    return Sessions(
        executor,
        Quotas(settings.sandbox_sessions, settings.sandbox_sessions_per_caller, memory_bytes),
        SessionTimes(settings.sandbox_session_idle_s, settings.sandbox_session_lifetime_s),
        observe=metrics.observe_session,
        replica=settings.sandbox_replica_address,
    )


async def add_dataset(settings: SandboxSettings, file: Path) -> str:
    """Store a file where jobs may name it; gives its digest.

    Raises:
        TouchstoneError: it cannot be read, or the store is away.
    """
    try:
        content = await asyncio.to_thread(file.read_bytes)
    except OSError as error:
        raise JobRefusedError(f"cannot be read: {error.strerror}", thing=str(file)) from error
    return await BlobStore(settings.datasets_url).put(content)


def provision_gvisor(settings: SandboxSettings, progress: Callable[[str], None]) -> Path:
    """Have gVisor's runsc, built from source where it is not there yet.

    Raises:
        TouchstoneError: it cannot be built.
    """
    return provision.provision(settings.cache, settings.go_root, settings.go_variables(), progress)


def provision_languages(settings: SandboxSettings, progress: Callable[[str], None]) -> None:
    """Have every language, the type checker among them; what is there already is left as it is.

    Raises:
        TouchstoneError: one of them cannot be had.
    """
    toolchains = build_toolchains(settings)
    for name, checked in (*((name, False) for name in LANGUAGES), ("typescript", True)):
        progress(f"{name}{', its type checker' if checked else ''}")
        toolchains.places(name, type_check=checked)


async def prove(executor: Executor) -> None:
    """Attack the default backend; one that does not hold is reported, and gets no jobs."""
    try:
        checks = await executor.prove()
    except TouchstoneError as error:
        _log.error("isolation_missing", error=str(error))
        return
    failed = [check.name for check in checks if not check.passed]
    if failed:
        _log.error("self_test_failed", attacks=failed)
    else:
        _log.info("self_test_passed", attacks=len(checks))


def serve(settings: SandboxSettings) -> None:
    """Run the service until it is told to stop."""
    # Imported here: the broker's and the database's libraries take longer to load than a whole offline command.
    from sandbox_executor.adapters.announcer import BusAnnouncer
    from sandbox_executor.adapters.suites import BlobSuites, read_suite
    from sandbox_executor.adapters.verdicts import SqlVerdicts
    from sandbox_executor.handlers import judge_generated
    from sandbox_executor.usecases import Judging
    from touchstone_contracts.topics import SOLUTION_GENERATED
    from touchstone_runtime.service import Runtime, run_service

    async def wire(runtime: Runtime) -> None:
        bus, database = runtime.require_bus(), runtime.require_database()
        executor = build_executor(settings, prepare=True)

        sessions = build_sessions(settings, executor)

        async def close() -> None:
            await sessions.drain()
            await asyncio.to_thread(executor.close)

        runtime.on_stop.append(close)
        runtime.background.append(lambda: repeat(sessions.sweep, SWEEP_S))
        runtime.ready_checks.append(executor.unfit)
        await prove(executor)
        suites = BlobSuites(runtime.blobs)
        judging = Judging(executor, suites, SqlVerdicts(database.session), BusAnnouncer(bus))
        bus.consume(SOLUTION_GENERATED, judge_generated(judging), workers=settings.sandbox_workers)
        servicer = SandboxServicer(executor, sessions, suites.load, read_suite, bus.lag, lambda: bus.activities,
                                  knows_callers=settings.tokens_file is not None)  # fmt: skip
        runtime.grpc.add(rpc.add_SandboxServiceServicer_to_server, servicer, FULL_NAME)

    run_service(SERVICE, settings, wire, migrations=MIGRATIONS)


async def serve_alone(settings: SandboxSettings, listen: str) -> None:
    """Serve gRPC without broker and database, for offline commands, until told to stop."""
    from sandbox_executor.adapters.suites import BlobSuites, read_suite

    executor = build_executor(settings)
    server = GrpcServer(listen)

    async def no_lag() -> int:
        return 0

    sessions = build_sessions(settings, executor)
    suites = BlobSuites(BlobStore(settings.blob_url))
    servicer = SandboxServicer(executor, sessions, suites.load, read_suite, no_lag, list)
    server.add(rpc.add_SandboxServiceServicer_to_server, servicer, FULL_NAME)
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    await server.start()
    await server.set_serving(True)
    sweeping = asyncio.create_task(repeat(sessions.sweep, SWEEP_S))
    try:
        await stopping.wait()
    finally:
        sweeping.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await server.stop(0.5)
        await sessions.drain()
        await asyncio.to_thread(executor.close)
