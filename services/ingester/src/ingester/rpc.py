"""gRPC in."""

from __future__ import annotations

from typing import Any, cast

from ingester.errors import SourceRefusedError
from ingester.ports import Source
from ingester.usecases.ingestion import Ingestion
from touchstone.common.v1 import progress_pb2
from touchstone.ingester.v1 import ingester_pb2 as pb
from touchstone.ingester.v1 import ingester_pb2_grpc
from touchstone_runtime.bus import Bus
from touchstone_runtime.source_kinds import FOLLOWED, Followed


class IngesterServicer(ingester_pb2_grpc.IngesterServiceServicer):
    """Answers for the ingester."""

    def __init__(self, ingestion: Ingestion, bus: Bus) -> None:
        self._ingestion = ingestion
        self._bus = bus

    async def AddSource(self, request: pb.AddSourceRequest, context: Any) -> pb.AddSourceResponse:
        """Follow a source."""
        wanted = request.source
        added = await self._ingestion.add(_kind(wanted.kind), wanted.name, wanted.revision, wanted.window_days)
        return pb.AddSourceResponse(source=_encode(added))

    async def RemoveSource(self, request: pb.RemoveSourceRequest, context: Any) -> pb.RemoveSourceResponse:
        """Stop following a source."""
        await self._ingestion.remove(request.source_id)
        return pb.RemoveSourceResponse()

    async def ListSources(self, request: pb.ListSourcesRequest, context: Any) -> pb.ListSourcesResponse:
        """All sources."""
        sources = await self._ingestion.store.sources()
        return pb.ListSourcesResponse(sources=[_encode(source) for source in sources])

    async def Sync(self, request: pb.SyncRequest, context: Any) -> pb.SyncResponse:
        """Ask for a pass."""
        identifiers, asked_at = await self._ingestion.request(list(request.source_ids))
        return pb.SyncResponse(source_ids=identifiers, asked_at=asked_at.isoformat())

    async def Funnel(self, request: pb.FunnelRequest, context: Any) -> pb.FunnelResponse:
        """Counts from functions to candidates."""
        stages, reasons = await self._ingestion.store.funnel()
        return pb.FunnelResponse(
            stages=[pb.FunnelStage(stage=name, count=count) for name, count in stages.items()],
            reasons=[
                pb.FunnelReason(stage=each.stage, reason=each.reason, count=each.count, example=each.example)
                for each in reasons
            ],
        )

    async def Progress(self, request: pb.ProgressRequest, context: Any) -> pb.ProgressResponse:
        """What is done and what is going on."""
        counts = await self._ingestion.store.counts()
        progress = progress_pb2.Progress(
            counters=[progress_pb2.Counter(name=name, value=value) for name, value in counts.items()],
            lag=await self._bus.lag(),
            activities=[*self._ingestion.busy, *self._bus.activities],
        )
        return pb.ProgressResponse(progress=progress)


def _kind(text: str) -> Followed:
    if text not in FOLLOWED:
        raise SourceRefusedError("is no kind of source", thing=repr(text), way_out=f"use one of {', '.join(FOLLOWED)}")
    return cast(Followed, text)


def _encode(source: Source) -> pb.Source:
    return pb.Source(
        source_id=source.source_id,
        kind=source.kind,
        name=source.name,
        revision=source.revision,
        window_days=source.window_days,
        latest_version=source.latest_version,
        state=source.state,
        detail=source.detail,
        released_at=source.released_at.isoformat() if source.released_at else "",
        licence=source.licence,
        functions=source.functions,
        candidates=source.candidates,
        looked_at=source.looked_at.isoformat() if source.looked_at else "",
    )
