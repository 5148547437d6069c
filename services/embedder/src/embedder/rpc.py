"""gRPC in."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from embedder.adapters.records import unit_of_record
from embedder.domain.units import CodeUnit
from embedder.domain.vectors import to_bytes
from embedder.ports import FunctionStore, Role
from embedder.usecases.ensemble import EmbedTexts, Ensemble
from embedder.usecases.functions import embedding_progress
from embedder.usecases.later import LaterProgress
from touchstone.common.v1 import progress_pb2
from touchstone.embedder.v1 import embedder_pb2, embedder_pb2_grpc
from touchstone_runtime.errors import PermanentError

# Of one call; questions wait for none of them.
MOST_FUNCTIONS = 64


class EmbedderServicer(embedder_pb2_grpc.EmbedderServiceServicer):
    """Answers `touchstone.embedder.v1.EmbedderService`.

    Args:
        ensemble: The models.
        embed: Embeds texts.
        take: Embeds and publishes functions.
        store: For counts.
        lag: Messages not yet handled; -1 when the broker cannot say.
        text_form: The form in which code becomes text.
        later: How far the models are that come later; None where there are none.
    """

    def __init__(
        self,
        ensemble: Ensemble,
        embed: EmbedTexts,
        take: Callable[[Sequence[CodeUnit]], Awaitable[None]],
        store: FunctionStore,
        lag: Callable[[], Awaitable[int]],
        text_form: str = "",
        later: Callable[[], LaterProgress | None] = lambda: None,
    ) -> None:
        self._ensemble = ensemble
        self._embed = embed
        self._take = take
        self._store = store
        self._lag = lag
        self._text_form = text_form
        self._later = later

    async def Embed(self, request: embedder_pb2.EmbedRequest, context: Any) -> embedder_pb2.EmbedResponse:
        """Vectors of texts."""
        texts, models, role = list(request.texts), list(request.models), _role(request.role)
        of_models = await self._embed(texts, models, role, ready_alone=request.ready_alone)
        answered = {one.model for one in of_models}
        return embedder_pb2.EmbedResponse(
            vectors=[
                embedder_pb2.Vectors(
                    model=one.model, identity=one.identity, dimensions=one.dimensions, data=to_bytes(one.vectors)
                )
                for one in of_models
            ],
            # Whatever else keeps a named model from answering fails the call.
            loading=[name for name in models if name not in answered],
        )

    async def EmbedFunctions(
        self, request: embedder_pb2.EmbedFunctionsRequest, context: Any
    ) -> embedder_pb2.EmbedFunctionsResponse:
        """Embeds functions that an index gives back."""
        if len(request.functions) > MOST_FUNCTIONS:
            raise PermanentError(f"{len(request.functions)} functions", way_out=f"send {MOST_FUNCTIONS} at most")
        await self._take([unit_of_record(record) for record in request.functions])
        return embedder_pb2.EmbedFunctionsResponse()

    async def Describe(self, request: embedder_pb2.DescribeRequest, context: Any) -> embedder_pb2.DescribeResponse:
        """The models that answer, and those that cannot; none before all are loaded, lest a part pass for the whole."""
        progress = self._later()
        return embedder_pb2.DescribeResponse(
            models=[
                embedder_pb2.EmbeddingModel(
                    name=model.name,
                    dimensions=model.dimensions,
                    device=model.device,
                    identity=model.identity,
                    later=model in self._ensemble.later,
                )
                for model in ([] if self._ensemble.loading else self._ensemble.models)
            ],
            unavailable=[
                embedder_pb2.UnavailableModel(name=name, reason=reason)
                for name, reason in self._ensemble.unavailable.items()
            ],
            text_form=self._text_form,
            later=embedder_pb2.LaterModels(
                done=progress.done,
                total=progress.total,
                left_s=progress.left_s,
                rests=progress.rests,
                caught_up=progress.caught_up,
            )
            if progress
            else None,
        )

    async def Progress(self, request: embedder_pb2.ProgressRequest, context: Any) -> embedder_pb2.ProgressResponse:
        """What was done and what waits."""
        counts, lag = await embedding_progress(self._store), await self._lag()
        activities = list(self._ensemble.unavailable.values())
        if self._ensemble.loading:
            activities.append("loading embedding models")
        counter = progress_pb2.Counter(name="functions_embedded", value=counts.embedded, total=counts.seen)
        return embedder_pb2.ProgressResponse(
            progress=progress_pb2.Progress(counters=[counter], lag=lag, activities=activities)
        )


def _role(role: str) -> Role:
    match role:
        case "" | "query":
            return "query"
        case "code":
            return "code"
        case _:
            raise PermanentError("no such role", thing=role, way_out='say "query" or "code"')
