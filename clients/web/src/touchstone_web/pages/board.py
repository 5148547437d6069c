"""The board: one set of tasks, one language, rows with intervals and rank sets; as CSV and JSON too."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Request, Response
from google.protobuf.json_format import MessageToJson

from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_web.rendering import page
from touchstone_web.services import Backends, Services

router = APIRouter()
_SORTS: dict[str, Callable[[Any], Any]] = {
    "rank": lambda row: (row.rank_low == 0, row.rank_low, -row.value, -row.least, row.run.spec.model),
    "model": lambda row: (row.run.spec.model.casefold(), row.run.spec.strategy, row.run.run_id),
    "share": lambda row: (-row.value, row.run.spec.model),
    "coverage": lambda row: (-row.judged, row.run.spec.model),
    "near": lambda row: (-row.near_misses, row.run.spec.model),
    "tokens": lambda row: (row.run.tokens_in + row.run.tokens_out, row.run.spec.model),
    "cost": lambda row: (row.run.cost_usd, row.run.spec.model),
}
_COLUMNS = (
    "model",
    "strategy",
    "language",
    "samples",
    "rank_low",
    "rank_high",
    "share",
    "low",
    "high",
    "least",
    "most",
    "judged",
    "tasks",
    "near_misses",
    "tokens_in",
    "tokens_out",
    "cost_usd",
    "run_id",
)


async def _board(services: Services, scope: str, language: str, mode: str) -> Any:
    return await services.call("evaluator", "GetBoard", pb.GetBoardRequest(scope=scope, language=language, mode=mode))


def _shown(board: Any, sort: str, strategy: str) -> list[Any]:
    rows = [row for row in board.rows if strategy in ("", label(row.run.spec))]
    return sorted(rows, key=_SORTS.get(sort, _SORTS["rank"]))


def label(spec: Any) -> str:
    """Strategy with its variant."""
    return f"{spec.strategy}:{spec.variant}" if spec.variant else spec.strategy


@router.get("/")
async def board(
    request: Request,
    services: Backends,
    scope: str = "",
    language: str = "",
    mode: str = "",
    strategy: str = "",
    sort: str = "rank",
) -> Response:
    """How models did over one set of tasks."""
    answer = await _board(services, scope, language, mode)
    rows = _shown(answer, sort, strategy)
    return page(
        request,
        "board.html",
        board=answer,
        rows=rows,
        label=label,
        strategies=sorted({label(row.run.spec) for row in answer.rows}),
        strategy=strategy,
        sort=sort if sort in _SORTS else "rank",
        names={row.run.run_id: f"{row.run.spec.model} {label(row.run.spec)}" for row in answer.rows},
        dearest=max((row.run.cost_usd for row in rows), default=0.0),
        largest=max((row.run.tokens_in + row.run.tokens_out for row in rows), default=0),
    )


@router.get("/board.json")
async def as_json(services: Backends, scope: str = "", language: str = "", mode: str = "") -> Response:
    """The same as JSON, with every pair."""
    answer = await _board(services, scope, language, mode)
    text = MessageToJson(answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return Response(text, media_type="application/json")


@router.get("/board.csv")
async def as_csv(
    services: Backends, scope: str = "", language: str = "", mode: str = "", strategy: str = "", sort: str = "rank"
) -> Response:
    """The rows that are seen, as CSV."""
    answer = await _board(services, scope, language, mode)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for row in _shown(answer, sort, strategy):
        run = row.run
        writer.writerow(
            [
                *(_plain(each) for each in (run.spec.model, label(run.spec), run.spec.language)),
                *(run.spec.samples, row.rank_low or "", row.rank_high or "", row.value, row.low, row.high, row.least),
                *(row.most, row.judged, row.tasks, row.near_misses, run.tokens_in, run.tokens_out, run.cost_usd),
                run.run_id,
            ]
        )
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8")


def _plain(cell: str) -> str:
    """A text that no spreadsheet takes for a formula: models are named by whoever serves them."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
