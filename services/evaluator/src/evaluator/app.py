"""The only wiring."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

from evaluator.adapters.announcer import BusAnnouncer
from evaluator.adapters.answer_sets import BlobAnswerSets
from evaluator.adapters.documents import PackageDocuments
from evaluator.adapters.exercises import GeneratorExercises
from evaluator.adapters.harness_texts import harness_text
from evaluator.adapters.kill_patterns import GeneratorKillPatterns
from evaluator.adapters.labelled import AnnotatorLabels, PlatformRetrievers
from evaluator.adapters.models import RuntimeModels
from evaluator.adapters.parked import SqlParked
from evaluator.adapters.plugins import installed_strategies
from evaluator.adapters.releases import GeneratorReleases
from evaluator.adapters.resemblances import SqlResemblances
from evaluator.adapters.retrieval_scores import SqlRetrievalScores
from evaluator.adapters.sandbox import GrpcSandbox
from evaluator.adapters.search import RetrieverSearch
from evaluator.adapters.store import SqlStore
from evaluator.adapters.task_lists import BlobTaskLists
from evaluator.domain.patience import Patience
from evaluator.handlers import (
    on_pair_labelled,
    on_run_changed,
    on_solution_requested,
    on_task_built,
    on_task_retracted,
    on_verdict_reached,
)
from evaluator.rpc import EvaluatorServicer, Parts
from evaluator.settings import EvaluatorSettings
from evaluator.usecases.boards import Boards
from evaluator.usecases.cocost import Cocost
from evaluator.usecases.direct import Direct
from evaluator.usecases.ending import Patient
from evaluator.usecases.lives import publish_changes
from evaluator.usecases.parking import Parking
from evaluator.usecases.resembling import compare_wrong_answers
from evaluator.usecases.runs import publish_unrequested
from evaluator.usecases.scoring_retrievers import ScoreRetrievers
from evaluator.usecases.strategies import Strategy, Workbench
from evaluator.usecases.submitted import Submitted
from touchstone.evaluator.v1 import evaluator_pb2_grpc as rpc
from touchstone_contracts.topics import (
    PAIR_LABELLED,
    RUN_CHANGED,
    SOLUTION_REQUESTED,
    TASK_BUILT,
    TASK_RETRACTED,
    VERDICT_REACHED,
)
from touchstone_runtime.costs import SUBMITTED
from touchstone_runtime.llm import (
    Batching,
    LlmClient,
    OpenAiBatches,
    OpenAiTransport,
    SqlBatchStore,
    SqlLedger,
    keys_of,
    unpriced_by,
)
from touchstone_runtime.repeating import repeat
from touchstone_runtime.service import Runtime, run_service
from touchstone_runtime.telemetry import get_logger

SERVICE = "evaluator"
_SWEEP_EVERY_S = 30.0
# Seconds for the documentation of one package: a large one is imported whole.
_COLLECTING_S = 60.0
MIGRATIONS = Path(__file__).parent / "migrations"
_log = get_logger()


def serve(settings: EvaluatorSettings) -> None:
    """Run the service until it is told to stop."""

    async def wire(runtime: Runtime) -> None:
        bus, database = runtime.require_bus(), runtime.require_database()
        unpriced = unpriced_by(settings)
        store = SqlStore(database.session, unpriced)
        announcer = BusAnnouncer(bus, store.functions_of)
        transport = OpenAiTransport(api_keys=keys_of(settings), timeout_s=settings.llm_timeout_s)
        batches, parked = SqlBatchStore(database.session), SqlParked(database.session)
        client = LlmClient.from_settings(
            settings,
            SqlLedger(database.session, unpriced),
            transport=transport,
            batches=batches,
            stopping=runtime.stopping.is_set,
        )
        batching = Batching(
            client,
            OpenAiBatches(transport.connection),
            batches,
            most=settings.evaluator_batch_questions,
            gather_s=settings.evaluator_batch_gather_s,
        )
        parking = Parking(store, announcer, parked, batches)
        runtime.on_stop.append(client.close)
        retriever, scores = runtime.dial(settings.retriever_address), SqlRetrievalScores(database.session)
        models, lists, sets = RuntimeModels(client), BlobTaskLists(runtime.blobs), BlobAnswerSets(runtime.blobs)
        generator = runtime.dial(settings.pbt_generator_address)
        exercises, patterns = GeneratorExercises(generator), GeneratorKillPatterns(generator)
        resemblances = SqlResemblances(database.session)
        sandbox = runtime.dial(settings.sandbox_address)
        bench = Workbench(
            models,
            RetrieverSearch(retriever, runtime.blobs),
            PackageDocuments(GrpcSandbox(sandbox, case_timeout_s=_COLLECTING_S), runtime.blobs),
            GrpcSandbox(sandbox),
            settings.evaluator_solution_tokens,
        )
        patience = Patience(settings.evaluator_endpoint_patience_s)
        asking: dict[str, Strategy] = {
            "direct": Direct(models, exercises, max_tokens=bench.max_tokens),
            "cocost": Cocost(
                models,
                bench.search,
                bench.documents,
                bench.sandbox,
                settings.bounds(),
                max_tokens=bench.max_tokens,
                showing=harness_text("showing"),
            ),
        }
        plugged, problems = installed_strategies(bench, {*asking, SUBMITTED})
        for problem in problems:
            _log.error("strategy_left_out", problem=problem)
        strategies: dict[str, Strategy] = {
            name: Patient(strategy, patience, time.monotonic) for name, strategy in (asking | plugged).items()
        }
        strategies[SUBMITTED] = Submitted(sets, exercises)

        bus.consume(TASK_BUILT, on_task_built(store))
        bus.consume(TASK_RETRACTED, on_task_retracted(store))
        requested = on_solution_requested(store, announcer, models, strategies, lists, parked)
        bus.consume(SOLUTION_REQUESTED, requested, workers=settings.evaluator_workers, lane=lambda event: event.run_id)
        bus.consume(RUN_CHANGED, on_run_changed(store, lists))
        bus.consume(VERDICT_REACHED, on_verdict_reached(store))
        bus.consume(PAIR_LABELLED, on_pair_labelled(scores))
        scoring = ScoreRetrievers(
            AnnotatorLabels(runtime.dial(settings.annotator_address)),
            PlatformRetrievers(retriever, augmented=settings.evaluator_retrieval_augmented),
            scores,
            every=timedelta(seconds=settings.evaluator_retrieval_every_s),
            most_queries=settings.evaluator_retrieval_queries,
        )
        releases = GeneratorReleases(generator)
        servicer = EvaluatorServicer(
            Parts(
                store,
                announcer,
                models,
                strategies,
                releases,
                lists,
                sets,
                exercises,
                Boards(store, lists),
                scores,
                resemblances,
                parking,
            ),
            left_out=settings.evaluator_cocost_left_out,
            report_url=settings.web_url,
            lag=bus.lag,
            standstill=lambda: [*problems, *bus.activities],
            ledger=client.ledger,
            waiting=batching.activities,
        )
        runtime.grpc.add(
            rpc.add_EvaluatorServiceServicer_to_server, servicer, "touchstone.evaluator.v1.EvaluatorService"
        )

        # What a crash, or a broker that was away, left unpublished after a caller had its answer.
        async def tell_changes() -> None:
            if count := await publish_changes(store, announcer):
                _log.info("run_changes_republished", count=count)

        async def catch_up() -> None:
            if count := await publish_unrequested(store, announcer):
                _log.info("requests_republished", count=count)

        async def look_after_batches() -> None:
            ended = await batching.sweep()
            if (count := await parking.wake()) or ended:
                _log.info("batches_ended", count=ended, answers=count)

        async def score_retrievers() -> None:
            if count := await scoring.sweep():
                _log.info("retrievers_scored", count=count)

        async def find_resemblances() -> None:
            if count := await compare_wrong_answers(resemblances, patterns):
                _log.info("wrong_answers_compared", count=count)

        runtime.background.append(lambda: repeat(tell_changes, _SWEEP_EVERY_S))
        runtime.background.append(lambda: repeat(catch_up, _SWEEP_EVERY_S))
        runtime.background.append(lambda: repeat(look_after_batches, _SWEEP_EVERY_S))
        runtime.background.append(lambda: repeat(find_resemblances, _SWEEP_EVERY_S))
        runtime.background.append(lambda: repeat(score_retrievers, _SWEEP_EVERY_S))

    run_service(SERVICE, settings, wire, migrations=MIGRATIONS)
