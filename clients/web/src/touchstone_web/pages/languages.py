"""One set of tasks across languages: a row a way of asking, a column a language; as CSV and JSON too."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response
from google.protobuf.json_format import MessageToDict

from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_runtime.shares import told_shares
from touchstone_runtime.ways import strategy_words, way_of, ways_apart
from touchstone_runtime.wordings import IN_WORDS
from touchstone_web.pages.board import plain
from touchstone_web.rendering import page
from touchstone_web.services import Backends, Services

router = APIRouter()
_FILE: list[str] = [
    "model", "strategy", "samples", "temperature", "language", "judged", "tasks", "share", "low", "high", "least",
    "most", "rank_low", "rank_high", "run_id", "wording",
]  # fmt: skip


@dataclass(frozen=True)
class View:
    """What an address asks to see.

    Attributes:
        scope: Digest or name of the set of tasks; empty is the board in front.
        mode: "greedy" or "sampled"; empty is the one that has runs.
        wording: "described" or "by_example"; empty is the described where there are any.
    """

    scope: str = ""
    mode: str = ""
    wording: str = ""


Seen = Annotated[View, Depends()]


async def _languages(services: Services, seen: View) -> Any:
    wanted = pb.GetLanguagesRequest(scope=seen.scope, mode=seen.mode, wording=seen.wording)
    return await services.call("evaluator", "GetLanguages", wanted)


@router.get("/languages")
async def languages(request: Request, services: Backends, seen: Seen) -> Response:
    """How models did in each language of one set of tasks, and over all of them."""
    answer = await _languages(services, seen)
    models, ways = [row.spec.model for row in answer.rows], [way_of(row.spec) for row in answer.rows]
    ids = [next((cell.run_id for cell in row.cells), "") for row in answer.rows]
    return page(
        request,
        "languages.html",
        seen=answer,
        ways=ways_apart(models, ways, ids),
        cells=[{cell.language: cell for cell in row.cells} for row in answer.rows],
        wordings=list(IN_WORDS.items()),
    )


@router.get("/languages.json")
async def as_json(services: Backends, seen: Seen) -> Response:
    """The same as JSON."""
    found = MessageToDict(
        await _languages(services, seen), preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )
    return Response(json.dumps(told_shares(found)), media_type="application/json")


@router.get("/languages.csv")
async def as_csv(services: Backends, seen: Seen) -> Response:
    """A line for each language of each row, and one for all together, whose interval is empty where one is missing."""
    answer = await _languages(services, seen)
    text = io.StringIO()
    writer = csv.DictWriter(text, _FILE, lineterminator="\n", restval="")
    writer.writeheader()
    for row in answer.rows:
        about = {"model": plain(row.spec.model), "strategy": plain(strategy_words(row.spec)), "wording": answer.wording}
        about |= {"samples": row.spec.samples, "temperature": row.spec.temperature}
        names = ("judged", "tasks", "low", "high", "least", "most", "rank_low", "rank_high", "run_id")
        for cell in row.cells:
            told = {"share": cell.value} | {name: getattr(cell, name) for name in names}
            # Without a rank verdicts are missing, and what was judged is no figure of a board.
            lacking = () if cell.rank_low else ("share", "low", "high", "rank_low", "rank_high")
            writer.writerow({**about, "language": cell.language, **told, **dict.fromkeys(lacking, "")})
        whole = len(row.whole) == len(answer.columns)
        ends = {"share": row.together.value, "low": row.together.low, "high": row.together.high} if whole else {}
        judged = sum(cell.judged for cell in row.cells)
        bounds = {"judged": judged, "tasks": row.questions, "least": row.least, "most": row.most}
        writer.writerow({**about, "language": "all", **bounds, **ends})
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8")
