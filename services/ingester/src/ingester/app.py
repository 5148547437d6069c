"""Wires the ingester."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

from ingester import handlers
from ingester.adapters.analysis_pool import AnalysisPool
from ingester.adapters.archives import UnpackLimits
from ingester.adapters.git_repository import GitRepository
from ingester.adapters.package_index import PackageIndex
from ingester.adapters.publisher import BusEvents
from ingester.adapters.reader import Reader
from ingester.adapters.store import SqlStore
from ingester.rpc import IngesterServicer
from ingester.settings import IngesterSettings
from ingester.usecases.ingestion import Ingestion, Policy
from touchstone.ingester.v1.ingester_pb2_grpc import add_IngesterServiceServicer_to_server
from touchstone_runtime.repeating import repeat
from touchstone_runtime.service import Runtime, run_service
from touchstone_runtime.settings import settings_or_end

MIGRATIONS = Path(__file__).parent / "migrations"
_LOOK_EVERY_S = 30.0


def main() -> None:
    """Run the service."""
    settings = settings_or_end(IngesterSettings)

    async def wire(runtime: Runtime) -> None:
        bus = runtime.require_bus()
        reader = Reader(
            PackageIndex(settings.package_index_url, download_bytes=settings.download_bytes),
            GitRepository(settings.git_token, settings.git_token_host, most_bytes=settings.clone_bytes),
            settings.state_dir / "ingester",
            UnpackLimits(files=settings.unpacked_files, total_bytes=settings.unpacked_bytes),
        )
        policy = Policy(
            window_days=settings.window_days,
            interval=timedelta(seconds=settings.follow_interval_s),
            licences=settings.licences,
            skip_tests=settings.skip_tests,
            dating_looks=settings.dating_looks,
        )
        analyser = AnalysisPool(settings.analysis_processes)
        runtime.on_stop.append(analyser.close)
        store = SqlStore(runtime.require_database())
        ingestion = Ingestion(store, reader, analyser, BusEvents(bus, runtime.blobs), lambda: datetime.now(UTC), policy)
        handlers.register(bus, ingestion)
        runtime.grpc.add(
            add_IngesterServiceServicer_to_server,
            IngesterServicer(ingestion, bus),
            "touchstone.ingester.v1.IngesterService",
        )

        runtime.background.append(lambda: repeat(ingestion.request_due, _LOOK_EVERY_S))

    run_service("ingester", settings, wire, migrations=MIGRATIONS)
