"""One model: its rows on every board."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_web.rendering import page
from touchstone_web.services import Backends

router = APIRouter()


@router.get("/models/{name:path}")
async def model(request: Request, services: Backends, name: str) -> Response:
    """Every run of a model, by set of tasks: once over the described ones and once over those told by example."""
    answer = await services.call("evaluator", "Leaderboard", pb.LeaderboardRequest(wording="both"))
    rows = [row for row in answer.rows if row.model == name]
    runs = len({row.run_id for row in rows})
    return page(request, "model.html", status=200 if rows else 404, name=name, rows=rows, runs=runs)
