"""The only wiring."""

from __future__ import annotations

from pathlib import Path

from evaluator.adapters.announcer import BusAnnouncer
from evaluator.adapters.models import RuntimeModels
from evaluator.adapters.sandbox import GrpcSandbox
from evaluator.adapters.search import RetrieverSearch
from evaluator.adapters.store import SqlStore
from evaluator.handlers import on_solution_requested, on_task_built, on_task_retracted, on_verdict_reached
from evaluator.pages import report_routes
from evaluator.rpc import EvaluatorServicer
from evaluator.settings import EvaluatorSettings
from evaluator.usecases.cocost import Cocost
from evaluator.usecases.runs import publish_unrequested
from evaluator.usecases.strategies import Direct, Strategy
from touchstone.evaluator.v1 import evaluator_pb2_grpc as rpc
from touchstone_contracts.topics import SOLUTION_REQUESTED, TASK_BUILT, TASK_RETRACTED, VERDICT_REACHED
from touchstone_runtime.llm import LlmClient, SqlLedger
from touchstone_runtime.retry import RetryPolicy, attempt
from touchstone_runtime.service import Runtime, run_service
from touchstone_runtime.telemetry import get_logger

SERVICE = "evaluator"
MIGRATIONS = Path(__file__).parent / "migrations"
_log = get_logger()


def serve(settings: EvaluatorSettings) -> None:
    """Run the service until it is told to stop."""

    async def wire(runtime: Runtime) -> None:
        bus, database = runtime.require_bus(), runtime.require_database()
        store, announcer = SqlStore(database.session), BusAnnouncer(bus)
        client = LlmClient.from_settings(settings, SqlLedger(database.session))
        runtime.on_stop.append(client.close)
        models = RuntimeModels(client)
        tokens = settings.evaluator_solution_tokens
        search = RetrieverSearch(runtime.dial(settings.retriever_address), runtime.blobs)
        sandbox = GrpcSandbox(runtime.dial(settings.sandbox_address))
        strategies: dict[str, Strategy] = {
            "direct": Direct(models, max_tokens=tokens),
            "cocost": Cocost(models, search, sandbox, settings.bounds(), max_tokens=tokens),
        }

        bus.consume(TASK_BUILT, on_task_built(store))
        bus.consume(TASK_RETRACTED, on_task_retracted(store))
        requested = on_solution_requested(store, announcer, models, strategies)
        bus.consume(SOLUTION_REQUESTED, requested, workers=settings.evaluator_workers)
        bus.consume(VERDICT_REACHED, on_verdict_reached(store))
        servicer = EvaluatorServicer(
            store,
            announcer,
            models,
            strategies,
            left_out=settings.evaluator_cocost_left_out,
            report_url=settings.report_url(),
            lag=bus.lag,
            standstill=lambda: bus.activities,
        )
        runtime.grpc.add(
            rpc.add_EvaluatorServiceServicer_to_server, servicer, "touchstone.evaluator.v1.EvaluatorService"
        )
        runtime.routes.extend(report_routes(store))

        async def catch_up() -> None:
            # Runs beside the broker's own start, so the first tries may come too early.
            count = await attempt(lambda: publish_unrequested(store, announcer), RetryPolicy(600, 0.5, 5.0))
            if count:
                _log.info("requests_republished", count=count)

        runtime.background.append(catch_up)

    run_service(SERVICE, settings, wire, migrations=MIGRATIONS)
