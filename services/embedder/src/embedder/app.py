"""The embedder's wiring."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from embedder import metrics
from embedder.adapters.models import ModelFolders, load_model
from embedder.adapters.priority import stand_back
from embedder.adapters.publisher import BusPublisher
from embedder.adapters.sql_store import SqlFunctionStore
from embedder.errors import ModelUnavailableError
from embedder.handlers import on_functions_extracted
from embedder.rpc import EmbedderServicer
from embedder.settings import EmbedderSettings
from embedder.usecases.ensemble import EmbedTexts, Ensemble
from embedder.usecases.functions import EmbedFunctions
from embedder.usecases.later import EmbedLater
from touchstone.embedder.v1 import embedder_pb2_grpc
from touchstone_contracts.topics import FUNCTION_EXTRACTED
from touchstone_runtime.repeating import repeat
from touchstone_runtime.retry import RetryPolicy, attempt, told
from touchstone_runtime.service import Runtime, run_service
from touchstone_runtime.settings import settings_or_end
from touchstone_runtime.telemetry import get_logger

_LOOK_EVERY_S = 5.0
MIGRATIONS = Path(__file__).parent / "migrations"
_log = get_logger()


def serve(settings: EmbedderSettings | None = None) -> None:
    """Run the service until it is told to stop."""
    chosen = settings or settings_or_end(EmbedderSettings)
    run_service("embedder", chosen, wire, migrations=MIGRATIONS)


def convert(settings: EmbedderSettings, tell: Callable[[str], None]) -> None:
    """Have the models converted for this processor, so that no start of the service waits for that.

    Raises:
        ModelUnavailableError: the first is missing or broken; without the others the service goes on.
    """
    folders = model_folders(settings)
    for number, name in enumerate(settings.embedding_models):
        tell(f"{name} …")
        try:
            tell(f"{name} on {load_model(name, folders).device}")
        except ModelUnavailableError as error:
            if not number:
                raise
            tell(f"goes on without {name}: {error}")


async def wire(runtime: Runtime) -> None:
    """Put the parts together."""
    settings = runtime.settings
    assert isinstance(settings, EmbedderSettings)
    bus = runtime.require_bus()
    store = SqlFunctionStore(runtime.require_database())
    folders = model_folders(settings)
    ensemble = Ensemble(
        {name: folders.loader(name) for name in settings.embedding_models},
        spare=lambda name: load_model(name, folders),
        observe=metrics.observe_turn,
        begin_bulk=partial(stand_back, settings.embedding_bulk_nice),
    )
    embed = EmbedFunctions(
        ensemble,
        store,
        BusPublisher(bus),
        limit=settings.embedding_characters,
        callees=settings.embedding_callees,
    )

    later = EmbedLater(ensemble, embed, store, bus.lag, rest_s=settings.embedding_rest_s)

    async def prepare() -> None:
        await ensemble.load()
        metrics.tell_models(ensemble.models, ensemble.unavailable)
        for name, reason in ensemble.unavailable.items():
            _log.error("embedding_model_unavailable", model=name, error=reason)
        _log.info("embedding_models_loaded", models=[f"{model.name} on {model.device}" for model in ensemble.models])
        # What other models embedded before a restart; the broker may still be starting.
        renewed = await attempt(embed.backfill, RetryPolicy(1000, 1.0, 15.0), on_fault=told("embedding_anew_waits"))
        if renewed:
            _log.info("functions_embedded_anew", functions=renewed)
        await repeat(come_later, _LOOK_EVERY_S)

    async def come_later() -> None:
        missing = set(ensemble.unavailable)
        given = await later()
        if there := sorted(missing - set(ensemble.unavailable)):
            metrics.tell_models(ensemble.models, ensemble.unavailable)
            _log.info("embedding_models_came", models=there)
        if given:
            _log.info("functions_embedded_by_all_models", functions=given)

    async def loaded() -> str:
        if ensemble.loading:
            return "embedding models are being loaded"
        return "" if ensemble.models else "no embedding model: " + "; ".join(ensemble.unavailable.values())

    async def close() -> None:
        ensemble.close()

    runtime.background.append(prepare)
    runtime.ready_checks.append(loaded)
    runtime.on_stop.append(close)
    # Sources take turns: what somebody adds can be searched within minutes, however much waits already.
    bus.consume_batch(
        FUNCTION_EXTRACTED,
        on_functions_extracted(embed),
        max_records=settings.embedding_records,
        max_wait_s=settings.embedding_wait_s,
        lane=lambda event: event.function.source.source_id,
        together=1,
    )
    runtime.grpc.add(
        embedder_pb2_grpc.add_EmbedderServiceServicer_to_server,
        EmbedderServicer(
            ensemble, EmbedTexts(ensemble), embed, store, bus.lag, embed.text_form, lambda: later.progress
        ),
        "touchstone.embedder.v1.EmbedderService",
    )


def model_folders(settings: EmbedderSettings) -> ModelFolders:
    """Where models lie and how they run, as the settings say."""
    return ModelFolders(
        settings.models_dir,
        settings.converted_models_dir or settings.state_dir / "openvino",
        settings.embedding_device,
        settings.embedding_batch,
        settings.embedding_threads,
        settings.embedding_bulk_nice,
    )
