"""The retriever's wiring."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from retriever import metrics
from retriever.adapters import threads
from retriever.adapters.agent import agent_of
from retriever.adapters.build_store import SqlBuildStore
from retriever.adapters.change_log import SqlChangeLog
from retriever.adapters.embedder import GrpcEmbedder, LagWatch
from retriever.adapters.generation_store import SqlGenerationStore
from retriever.adapters.held_index import HeldIndex, Store
from retriever.adapters.pgvector_index import PgvectorIndex
from retriever.adapters.proposal_store import SqlProposalStore
from retriever.adapters.publishers import BusProposalPublisher, BusQueryPublisher
from retriever.adapters.reading_store import SqlReadingStore
from retriever.adapters.weaviate_index import WeaviateIndex
from retriever.adapters.weights import load_weights
from retriever.handlers import on_functions_embedded, on_query_imported, on_source_ingested
from retriever.rpc import RetrieverServicer
from retriever.settings import RetrieverSettings
from retriever.usecases.augmented import AugmentedSearch
from retriever.usecases.by_generation import SearchByGeneration
from retriever.usecases.generations import GenerationEmbedder, Generations
from retriever.usecases.give_back import GiveBack
from retriever.usecases.index import IndexFunctions, SettleSource
from retriever.usecases.plain import PlainSearch
from retriever.usecases.proposals import ImportQueries, PoolRules, ProposePairs
from retriever.usecases.rebuild import RebuildIndex, Stream
from retriever.usecases.search import Search
from touchstone.retriever.v1 import retriever_pb2_grpc
from touchstone_contracts.events import FunctionEmbedded, SourceIngested
from touchstone_contracts.topics import FUNCTION_EMBEDDED, QUERY_IMPORTED, SOURCE_INGESTED, Topic
from touchstone_runtime.database import Database
from touchstone_runtime.llm import SqlLedger, unpriced_by
from touchstone_runtime.repeating import repeat, until_done
from touchstone_runtime.rereading import reread
from touchstone_runtime.service import Runtime, run_service
from touchstone_runtime.settings import settings_or_end
from touchstone_runtime.telemetry import get_logger

_SWEEP_EVERY_S = 30.0
_LOOK_EVERY_S = 2.0
_FOLLOW_EVERY_S = 1.0
# Counting what lacks vectors takes the database a second where there are many.
_GIVE_BACK_EVERY_S = 120.0
# Callers name some, whose searches know how many codes they counted.
_MOST_GENERATIONS = 8
MIGRATIONS = Path(__file__).parent / "migrations"
_log = get_logger()


def serve(settings: RetrieverSettings | None = None) -> None:
    """Run the service until it is told to stop."""
    chosen = settings or settings_or_end(RetrieverSettings)
    run_service("retriever", chosen, wire, migrations=MIGRATIONS, extensions=("vector",))


async def wire(runtime: Runtime) -> None:
    """Put the parts together."""
    settings = runtime.settings
    assert isinstance(settings, RetrieverSettings)
    threads.one_for_each_product()
    bus, database = runtime.require_bus(), runtime.require_database()
    index, store = code_index(settings, database), SqlProposalStore(database)
    readings = SqlReadingStore(database, runtime.blobs)
    server = GrpcEmbedder(runtime.dial(settings.embedder_address), settings.embedder_address)
    watch, weights = LagWatch(bus, server), settings.search_weights
    metrics.tell_behind(watch)
    fitted = load_weights(settings.search_weights_file)
    generations = Generations(
        SqlGenerationStore(database),
        index,
        server,
        weights=fitted,
        wanted=settings.search_models,
    )
    embedder, give_back = GenerationEmbedder(generations, server), GiveBack(generations, index, server, watch)
    agent, close = agent_of(settings, SqlLedger(database.session), runtime.stopping.is_set)
    runtime.on_stop.append(close)

    @lru_cache(maxsize=_MOST_GENERATIONS)
    def search_by(name: str) -> Search:
        """Answers by a generation of this name; by the one that answers where there is none."""
        embedder = GenerationEmbedder(generations, server, name)
        by = partial(generations.named, name) if name else generations.active
        augmented = AugmentedSearch(index, embedder, agent, weights)
        plain = PlainSearch(index, embedder, fitted, by)
        return Search(index, plain, augmented, watch, patience_s=settings.search_patience_s, report=_report)

    search = search_by("")
    import_queries = ImportQueries(store, BusQueryPublisher(bus))
    rules = PoolRules(
        models=settings.pool_models,
        most_pairs=settings.pool_pairs,
        queries_a_sweep=settings.pool_queries_a_sweep,
        pairs_a_sweep=settings.pool_pairs_a_sweep,
        rest=timedelta(seconds=settings.pool_rest_s),
    )
    propose = ProposePairs(
        index, embedder, store, BusProposalPublisher(bus), weights, rules, generation=generations.active
    )

    take_functions = on_functions_embedded(IndexFunctions(index, readings), generations)
    settle = on_source_ingested(SettleSource(index, readings))
    rebuild = RebuildIndex(SqlBuildStore(database), index, _streams(settings, take_functions, settle))

    bus.consume_batch(
        FUNCTION_EMBEDDED,
        take_functions,
        max_records=settings.index_records,
        max_wait_s=settings.index_wait_s,
    )
    bus.consume(SOURCE_INGESTED, settle)
    bus.consume(QUERY_IMPORTED, on_query_imported(propose))
    runtime.grpc.add(
        retriever_pb2_grpc.add_RetrieverServiceServicer_to_server,
        RetrieverServicer(
            search,
            import_queries,
            index,
            store,
            bus.lag,
            lambda: bus.activities,
            generations,
            rebuild,
            SqlLedger(database.session, unpriced_by(settings)),
            memory=lambda: index.state,
            search_of=SearchByGeneration(search_by, generations),
        ),
        "touchstone.retriever.v1.RetrieverService",
    )

    async def catch_up() -> None:
        # What a crash, or a broker that was away, left unpublished.
        if count := await import_queries.again():
            _log.info("queries_republished", count=count)

    async def grow_pools() -> None:
        if count := await propose.refresh(caught_up=watch.functions_behind == 0):
            _log.info("pools_grew", pairs=count)

    async def fill_in() -> None:
        if count := await index.fill_in():
            _log.info("codes_filled_in", codes=count)

    runtime.background.append(lambda: repeat(catch_up, _SWEEP_EVERY_S))
    runtime.background.append(lambda: repeat(grow_pools, _SWEEP_EVERY_S))
    runtime.background.append(lambda: until_done(fill_in, _SWEEP_EVERY_S))
    runtime.background.append(lambda: repeat(generations.look, _LOOK_EVERY_S))
    runtime.background.append(lambda: repeat(give_back, _GIVE_BACK_EVERY_S))
    runtime.background.append(lambda: repeat(rebuild.go_on, _LOOK_EVERY_S))
    runtime.background.append(lambda: repeat(index.tend, _SWEEP_EVERY_S))
    if settings.search_memory_bytes:
        runtime.background.append(lambda: repeat(index.follow, _FOLLOW_EVERY_S))
    # So often that no search waits for the broker.
    runtime.background.append(lambda: repeat(watch.look, _LOOK_EVERY_S))
    runtime.ready_checks.append(index.ready)
    runtime.on_stop.append(index.close)


def code_index(settings: RetrieverSettings, database: Database) -> HeldIndex:
    """The index that the settings name, held in memory as far as they say; what is written is noted in any case."""
    return HeldIndex(_store(settings, database), SqlChangeLog(database), settings.search_memory_bytes)


def _store(settings: RetrieverSettings, database: Database) -> Store:
    if settings.code_index == "weaviate":
        return WeaviateIndex(
            settings.weaviate_http,
            settings.weaviate_grpc,
            api_key=settings.weaviate_api_key,
            collection=settings.weaviate_collection,
        )
    return PgvectorIndex(database, search=settings.pgvector_search)


def _streams(
    settings: RetrieverSettings,
    take_functions: Callable[[list[FunctionEmbedded]], Awaitable[None]],
    settle: Callable[[SourceIngested], Awaitable[None]],
) -> list[Stream]:
    """What an index is built from: what stood in sources when they were read, then what was embedded."""

    async def settle_each(events: list[SourceIngested]) -> None:
        for event in events:
            await settle(event)

    def stream(topic: Topic, take: Callable[[list[Any]], Awaitable[None]]) -> Stream:
        read = partial(reread, settings.kafka(), topic, most=settings.index_records)
        return Stream(topic.name, topic.partitions, read, take)

    return [stream(SOURCE_INGESTED, settle_each), stream(FUNCTION_EMBEDDED, take_functions)]


def _report(reason: str) -> None:
    metrics.SEARCHES_FELL_BACK.inc()
    _log.warning("augmented_search_did_less", reason=reason)
