"""What the platform does right now."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import grpc
from fastapi import APIRouter, Request, Response

from touchstone.annotator.v1 import annotator_pb2
from touchstone.embedder.v1 import embedder_pb2
from touchstone.evaluator.v1 import evaluator_pb2
from touchstone.ingester.v1 import ingester_pb2
from touchstone.pbt_generator.v1 import pbt_generator_pb2
from touchstone.retriever.v1 import retriever_pb2
from touchstone_web.faults import why
from touchstone_web.rendering import page
from touchstone_web.services import Backends, Services

router = APIRouter()
_REQUESTS: dict[str, Any] = {
    "ingester": ingester_pb2.ProgressRequest,
    "embedder": embedder_pb2.ProgressRequest,
    "retriever": retriever_pb2.ProgressRequest,
    "annotator": annotator_pb2.ProgressRequest,
    "pbt-generator": pbt_generator_pb2.ProgressRequest,
    "evaluator": evaluator_pb2.ProgressRequest,
}
_PATIENCE_S = 2.0


@dataclass(frozen=True)
class Report:
    """What one service says of itself; `away` says why it says nothing."""

    name: str
    away: str = ""
    lag: int = 0
    counters: tuple[tuple[str, int, int], ...] = ()
    activities: tuple[str, ...] = field(default=())


async def _report(services: Services, name: str) -> Report:
    try:
        answer = await services.call(name, "Progress", _REQUESTS[name](), timeout_s=_PATIENCE_S)
    except grpc.aio.AioRpcError as error:
        return Report(name, away=why(error))
    progress = answer.progress
    counters = tuple((each.name, each.value, each.total) for each in progress.counters)
    return Report(name, "", progress.lag, counters, tuple(progress.activities))


@router.get("/status")
async def status(request: Request, services: Backends) -> Response:
    """Every service with its counters, what waits, and what stands still."""
    reports = await asyncio.gather(*(_report(services, name) for name in _REQUESTS))
    return page(request, "status.html", reports=reports)
