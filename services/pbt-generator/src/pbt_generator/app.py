"""Wires the generator."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from pbt_generator import handlers
from pbt_generator.adapters.advisor import LlmAdvisor
from pbt_generator.adapters.exporters import EXPORTERS
from pbt_generator.adapters.foreign import record_of_foreign
from pbt_generator.adapters.harness_texts import load_harness
from pbt_generator.adapters.kill_patterns import SqlKillPatterns
from pbt_generator.adapters.publisher import BusAnnouncer
from pbt_generator.adapters.releases import SqlReleases
from pbt_generator.adapters.sandbox_grpc import GrpcSandbox
from pbt_generator.adapters.solver import LlmSolver
from pbt_generator.adapters.store import SqlDecisions
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.adapters.traces import SqlTraces
from pbt_generator.adapters.trials import SqlTrials
from pbt_generator.ports import Advisor, Sandbox
from pbt_generator.rpc import PbtGeneratorServicer
from pbt_generator.settings import PbtGeneratorSettings
from pbt_generator.usecases.build import BUILDER, Workshop
from pbt_generator.usecases.exercises import ExerciseDesk, posers
from pbt_generator.usecases.importing import Importer
from pbt_generator.usecases.kill_patterns import PatternDesk
from pbt_generator.usecases.releases import ReleaseDesk
from pbt_generator.usecases.remeasure import Remeasurer
from pbt_generator.usecases.serve import TaskDesk
from pbt_generator.usecases.tasks import TaskBuilder
from pbt_generator.usecases.tracing import CallTracer
from pbt_generator.usecases.trial import TrialDesk
from pbt_generator.usecases.verify import Verifier
from touchstone.pbt_generator.v1.pbt_generator_pb2_grpc import add_PbtGeneratorServiceServicer_to_server
from touchstone_runtime.exported import BlobParts
from touchstone_runtime.llm import LlmClient, SqlLedger, unpriced_by
from touchstone_runtime.repeating import repeat
from touchstone_runtime.service import Runtime, run_service
from touchstone_runtime.settings import settings_or_end

_TELL_EVERY_S = 1800.0
MIGRATIONS = Path(__file__).parent / "migrations"


def workshop(sandbox: Sandbox, proposer: Advisor | None = None) -> Workshop:
    """What building needs, around a sandbox."""
    return Workshop(sandbox, load_harness(), ContractFreezer(), TablePrograms(), proposer)


def main() -> None:
    """Run the service."""
    settings = settings_or_end(PbtGeneratorSettings)

    async def wire(runtime: Runtime) -> None:
        bus = runtime.require_bus()
        sandbox = GrpcSandbox(
            runtime.dial(settings.sandbox_address), settings.sandbox_address, settings.build_deadline_s
        )
        ledger = SqlLedger(runtime.require_database().session, unpriced_by(settings))

        @cache
        def client() -> LlmClient:
            # Made when a model is first asked for: the service works without one, and without a catalogue.
            made = LlmClient.from_settings(settings, ledger, stopping=runtime.stopping.is_set)
            runtime.on_stop.append(made.close)
            return made

        decisions, announcer = SqlDecisions(runtime.require_database()), BusAnnouncer(bus)
        importer = Importer(sandbox, ContractFreezer(), runtime.blobs, decisions, announcer, record_of_foreign)
        advisor = LlmAdvisor(client(), settings.task_model) if settings.task_model else None
        traces = SqlTraces(runtime.require_database())
        tracer = CallTracer(sandbox, runtime.blobs, traces, load_harness().trace, settings.trace_tests_s)
        desk = TaskDesk(
            TaskBuilder(workshop(sandbox, advisor), runtime.blobs, advisor),
            BUILDER,
            decisions,
            announcer,
            runtime.blobs,
            tracer,
        )
        again = Remeasurer(sandbox, load_harness())
        verifier = Verifier(sandbox, TablePrograms(), ContractFreezer(), settings.build_workers, remeasurer=again)
        releases = ReleaseDesk(
            desk,
            SqlReleases(runtime.require_database()),
            runtime.blobs,
            BlobParts(runtime.blobs),
            ContractFreezer(),
            verifier,
            EXPORTERS,
        )
        ways = posers(sandbox, ContractFreezer(), runtime.blobs)
        exercises = ExerciseDesk(desk, runtime.blobs, ContractFreezer(), ways)
        patterns = PatternDesk(desk, runtime.blobs, SqlKillPatterns(runtime.require_database()), sandbox)
        trials = TrialDesk(
            desk, LlmSolver(client), sandbox, ContractFreezer(), runtime.blobs, SqlTrials(runtime.require_database())
        )
        handlers.register(bus, desk, settings.build_workers)
        runtime.background.append(lambda: repeat(desk.tell_again, _TELL_EVERY_S))
        runtime.grpc.add(
            add_PbtGeneratorServiceServicer_to_server,
            PbtGeneratorServicer(desk, releases, exercises, bus, trials, importer, patterns, ledger),
            "touchstone.pbt_generator.v1.PbtGeneratorService",
        )

    run_service("pbt-generator", settings, wire, migrations=MIGRATIONS)
