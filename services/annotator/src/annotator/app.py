"""The only wiring."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import TextIO

from annotator import metrics
from annotator.adapters.announcer import BusAnnouncer
from annotator.adapters.exporters import EXPORTERS
from annotator.adapters.labels import SqlLabels
from annotator.adapters.model import RuntimeModel
from annotator.adapters.releases import SqlPool, SqlReleases
from annotator.adapters.reviews import SqlReviews
from annotator.adapters.sandbox import GrpcSandbox, SandboxLimits
from annotator.adapters.waiting import SqlWaiting
from annotator.domain.calibration import DEAF, Calibration
from annotator.domain.training import TrainingRow, training_lines
from annotator.errors import BadCalibrationError
from annotator.handlers import take_proposed
from annotator.ports import StoredLabel
from annotator.rpc import AnnotatorServicer
from annotator.settings import AnnotatorSettings
from annotator.usecases.announcing import announce_waiting
from annotator.usecases.exhibits import Exhibits
from annotator.usecases.importing import LabelImport
from annotator.usecases.judging import Judge
from annotator.usecases.labelling import Labelling
from annotator.usecases.on_demand import OnDemand
from annotator.usecases.releases import ReleaseDesk
from annotator.usecases.reviewing import ReviewDesk
from annotator.usecases.verify_releases import Verifier
from annotator.usecases.waiting import PoolWork
from touchstone.annotator.v1 import annotator_pb2_grpc as rpc
from touchstone_contracts.topics import PAIR_PROPOSED
from touchstone_runtime.database import Database
from touchstone_runtime.drafts import draft_beside
from touchstone_runtime.exported import BlobParts
from touchstone_runtime.llm import LlmClient, SqlLedger, unpriced_by
from touchstone_runtime.repeating import repeat
from touchstone_runtime.retry import RetryPolicy
from touchstone_runtime.service import Runtime, run_service
from touchstone_runtime.telemetry import get_logger

_log = get_logger()

SERVICE = "annotator"
# What a process that ended left decided by people and without its label, or stored and not announced.
_SWEEP_EVERY_S = 30.0
_TELL_EVERY_S = 15.0
MIGRATIONS = Path(__file__).parent / "migrations"


def serve(settings: AnnotatorSettings) -> None:
    """Run the service until it is told to stop."""

    # Read at once: a service that was told to calibrate must not label without.
    calibration = read_calibration(settings.annotator_calibration)

    async def wire(runtime: Runtime) -> None:
        bus, database = runtime.require_bus(), runtime.require_database()
        ledger = SqlLedger(database.session, unpriced_by(settings))
        client = LlmClient.from_settings(settings, ledger, stopping=runtime.stopping.is_set)
        runtime.on_stop.append(client.close)
        limits = SandboxLimits(
            settings.annotator_case_timeout_s, settings.annotator_program_timeout_s, settings.annotator_memory_bytes
        )
        sandbox = GrpcSandbox(runtime.dial(settings.sandbox_address), limits)
        labels = SqlLabels(database.session)
        announcer = BusAnnouncer(bus)
        portions = BlobParts(runtime.blobs)
        exhibits = Exhibits(portions)
        waiting = SqlWaiting(database.session, settings.pool_budget())

        def labelling_by(model: RuntimeModel) -> Labelling:
            judge = Judge(model, sandbox, settings.method(), labels, calibration)
            return Labelling(judge, labels, runtime.blobs, announcer, _observe, exhibits)

        # Who asks on demand has a budget of their own.
        labelling = labelling_by(RuntimeModel(client))
        work = PoolWork(
            labelling_by(RuntimeModel(client, purse=waiting)),
            waiting,
            RetryPolicy(settings.retry_attempts, settings.retry_backoff_s, settings.retry_backoff_max_s),
            stopping=runtime.stopping,
        )
        bus.consume(PAIR_PROPOSED, take_proposed(work))
        for _ in range(settings.annotator_workers):
            runtime.finishing.append(work.work)
        runtime.background.append(lambda: repeat(lambda: _tell_waiting(work), _TELL_EVERY_S))
        releases = ReleaseDesk(
            SqlPool(database.session), SqlReleases(database.session), runtime.blobs, portions, EXPORTERS
        )
        verifier = Verifier(portions, records=True)
        taking_in = LabelImport(labels, runtime.blobs, announcer, portions)
        reviews = ReviewDesk(SqlReviews(database.session), labels, runtime.blobs, announcer, exhibits)
        runtime.background.append(lambda: repeat(reviews.settle, _SWEEP_EVERY_S))
        runtime.background.append(
            lambda: repeat(lambda: announce_waiting(labels, runtime.blobs, announcer), _SWEEP_EVERY_S)
        )
        servicer = AnnotatorServicer(
            labelling,
            work,
            releases,
            verifier,
            taking_in,
            OnDemand(labelling, labels),
            reviews,
            labels.training,
            bus.lag,
            lambda: bus.activities,
            client.ledger,
        )
        runtime.grpc.add(
            rpc.add_AnnotatorServiceServicer_to_server, servicer, "touchstone.annotator.v1.AnnotatorService"
        )

    run_service(SERVICE, settings, wire, migrations=MIGRATIONS)


def read_calibration(path: Path | None) -> Calibration | None:
    """Read a calibration file; None where none is named.

    Raises:
        BadCalibrationError: it cannot be read.
    """
    if path is None:
        return None
    try:
        found = Calibration.from_json(path.read_text("utf-8"))
        if not found.hears_tests:
            raise ValueError(DEAF)
        return found
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise BadCalibrationError(
            f"is no calibration: {error}",
            thing=str(path),
            way_out="make one with `python tests/bench/annotation_score.py --write FILE`",
        ) from error


async def _tell_waiting(work: PoolWork) -> None:
    metrics.tell_waiting(await work.state())


def _observe(stored: StoredLabel) -> None:
    metrics.observe(stored)
    _log.info(
        "pair_labelled",
        pair_id=stored.pair.pair_id,
        label=stored.label,
        decided_by=stored.decided_by,
        executed=stored.executed,
        seconds=stored.effort.seconds,
    )


async def export(settings: AnnotatorSettings, out: Path | None) -> int:
    """Write the labels as training data, one JSON object a line.

    Args:
        settings: Where the database is.
        out: File to write; None is standard output.

    Returns:
        How many pairs were written.
    """
    database = Database(settings.database_url, SERVICE, MIGRATIONS)
    try:
        await database.migrate()
        rows = SqlLabels(database.session).training()
        with contextlib.nullcontext(sys.stdout) if out is None else written_whole(out) as file:
            return await _write(rows, file)
    finally:
        await database.close()


@contextlib.contextmanager
def written_whole(out: Path) -> Iterator[TextIO]:
    """A file that takes its place when all went well: a reader never sees half of it, nor do two meet that write it."""
    if out.exists() and not out.is_file():
        # A device or a pipe is written to, and not replaced, as root could.
        with out.open("w", encoding="utf-8") as file:
            yield file
        return
    with draft_beside(out) as draft, draft.open("w", encoding="utf-8") as file:
        yield file


async def _write(rows: AsyncIterator[TrainingRow], file: TextIO) -> int:
    count = 0
    async for line in training_lines(rows):
        file.write(f"{line}\n")
        count += 1
    return count
