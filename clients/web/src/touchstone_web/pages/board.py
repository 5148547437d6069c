"""The board: one set of tasks, one language, rows with intervals and rank sets; as CSV and JSON too."""

from __future__ import annotations

import asyncio
import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.responses import RedirectResponse
from google.protobuf.json_format import MessageToDict

from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_runtime.costs import cost_is_unknown, is_submitted, told_costs
from touchstone_runtime.shares import told_shares
from touchstone_runtime.ways import strategy_words, way_of, ways_apart
from touchstone_runtime.wordings import BY_EXAMPLE, DESCRIBED, IN_WORDS
from touchstone_web.plots import with_room
from touchstone_web.rendering import long_page
from touchstone_web.services import Backends, Services

router = APIRouter()
_SORTS: dict[str, Callable[[Any], Any]] = {
    "rank": lambda row: (row.rank_low == 0, row.rank_low, -row.value, -row.least, row.run.spec.model),
    "model": lambda row: (row.run.spec.model.casefold(), row.run.spec.strategy, row.run.run_id),
    # What is judged of a row that lacks tasks may be the easy part: only what is certain of it counts.
    "share": lambda row: (-(row.value if row.rank_low else row.least), row.run.spec.model),
    "coverage": lambda row: (-row.judged, row.run.spec.model),
    "near": lambda row: (-row.near_misses, row.run.spec.model),
    # What a row that lacks verdicts took so far is no less than what others took.
    "tokens": lambda row: (_untold(row.run), row.rank_low == 0, _tokens(row.run), row.run.spec.model),
    "cost": lambda row: (_unpriced(row.run), row.rank_low == 0, row.run.cost_usd, row.run.spec.model),
}
# None where nobody knows it: null in JSON, and empty in CSV.
Told = str | int | float | None
# What a row says of itself, by name; the order is that of files.
_FIGURES: dict[str, Callable[[Any], Told]] = {
    "model": lambda row: row.run.spec.model,
    "strategy": lambda row: strategy_words(row.run.spec),
    "language": lambda row: row.run.spec.language,
    "samples": lambda row: row.run.spec.samples,
    "temperature": lambda row: row.run.spec.temperature,
    "rank_low": lambda row: row.rank_low or None,
    "rank_high": lambda row: row.rank_high or None,
    # What was judged of a row that lacks verdicts is no figure of the board, in files as little as on the page.
    "share": lambda row: row.value if row.rank_low else None,
    "low": lambda row: row.low if row.rank_low else None,
    "high": lambda row: row.high if row.rank_low else None,
    "least": lambda row: row.least,
    "most": lambda row: row.most,
    "judged": lambda row: row.judged,
    "tasks": lambda row: row.tasks,
    "near_misses": lambda row: row.near_misses,
    "infrastructure": lambda row: row.infrastructure,
    "cancelled": lambda row: row.run.cancelled,
    "tokens_in": lambda row: None if _untold(row.run) else row.run.tokens_in,
    "tokens_out": lambda row: None if _untold(row.run) else row.run.tokens_out,
    "cost_usd": lambda row: None if _unpriced(row.run) else row.run.cost_usd,
    "model_seconds": lambda row: row.seconds if row.HasField("seconds") else None,
    "sandbox_cpu_s": lambda row: row.sandbox_cpu_s,
    "memory_gap": lambda row: _memory(row, "value"),
    "memory_low": lambda row: _memory(row, "low"),
    "memory_high": lambda row: _memory(row, "high"),
    "memory_tasks": lambda row: row.memory.tasks or None,
    "run_id": lambda row: row.run.run_id,
}
# Columns that a reader may choose: name in addresses, heading, the figures that files then hold, whether it is shown
# where nothing is chosen. Rank and model are always there.
_CHOICES = (
    ("strategy", "Strategy", ("strategy",), True),
    ("share", "Share solved", ("share", "low", "high", "least", "most"), True),
    ("percent", "%", ("share", "least", "most"), True),
    ("interval", "95 %", ("low", "high"), True),
    ("tasks", "Tasks", ("judged", "tasks"), True),
    ("near", "Near misses", ("near_misses",), True),
    ("tokens", "Tokens", ("tokens_in", "tokens_out"), True),
    ("cost", "USD", ("cost_usd",), True),
    ("samples", "Samples", ("samples", "temperature"), False),
    ("lost", "Lost", ("infrastructure", "cancelled"), False),
    ("seconds", "Model seconds", ("model_seconds",), False),
    ("cpu", "Sandbox CPU seconds", ("sandbox_cpu_s",), False),
    ("memory", "Memory gap", ("memory_gap", "memory_low", "memory_high", "memory_tasks"), False),
)
# Of a plot, from the left: names right of it stand at the left of their dots.
_MIDDLE = 330.0
# So many rows are drawn by date: more lines would cover one another.
_DRAWN = 6
_OTHER = {DESCRIBED: BY_EXAMPLE, BY_EXAMPLE: DESCRIBED}
# What every file says of every row; the wording is the board's.
_WORDING = "wording"
_ALWAYS = ("model", "language", "rank_low", "rank_high", "run_id")


@dataclass(frozen=True)
class View:
    """What an address asks to see of a board.

    Attributes:
        scope: Digest or name of the set of tasks; empty is the one with most runs.
        language: Empty is the one with most runs.
        mode: "greedy" or "sampled"; empty is the one that has runs.
        wording: "described" or "by_example", never ranked together; empty is the described where there are any.
        strategy: The only one that is shown; empty shows all.
        sort: One of the sortings.
        columns: Names of those that are shown; the usual ones where none is named.
    """

    scope: str = ""
    language: str = ""
    mode: str = ""
    wording: str = ""
    strategy: str = ""
    sort: str = "rank"
    columns: Annotated[tuple[str, ...], Query()] = ()


Seen = Annotated[View, Depends()]


def _columns(chosen: Sequence[str]) -> list[str]:
    """Names of the columns that are shown; the usual ones where none of the chosen exists."""
    known = [name for name, *_ in _CHOICES if name in chosen]
    return known or [name for name, _, _, usual in _CHOICES if usual]


def _figures(chosen: Sequence[str]) -> list[str]:
    """Names of the figures that files hold: all of them where no column was chosen."""
    if not any(name in chosen for name, *_ in _CHOICES):
        return list(_FIGURES)
    shown = _columns(chosen)
    wanted = {figure for name, _, figures, _ in _CHOICES if name in shown for figure in figures}
    return [name for name in _FIGURES if name in _ALWAYS or name in wanted]


def _unpriced(run: Any) -> bool:
    return _untold(run) or cost_is_unknown(run.spec.model, run.cost_usd, _tokens(run), run.unpriced)


def _untold(run: Any) -> bool:
    """Whether somebody else asked, so that nobody here knows what it took."""
    return is_submitted(run.spec.strategy)


def _memory(row: Any, end: str) -> float | None:
    """One end of a row's memory gap; None where nothing was asked in neutral dress."""
    return getattr(row.memory.gap, end) if row.HasField("memory") else None


async def _board(services: Services, seen: View) -> Any:
    wanted = pb.GetBoardRequest(scope=seen.scope, language=seen.language, mode=seen.mode, wording=seen.wording)
    return await services.call("evaluator", "GetBoard", wanted)


def _wordings(board: Any) -> list[tuple[str, str]]:
    """The boards of a set of tasks by how its tasks are worded, each with its number of tasks."""
    counts = {board.wording: board.tasks, _OTHER.get(board.wording, ""): board.tasks_elsewhere}
    return [(name, f"{words} ({counts[name]:,})") for name, words in IN_WORDS.items() if counts.get(name)]


def _stale(board: Any, seen: View) -> set[str]:
    """Names of filters that ask for what the set of tasks does not have."""
    strategies = {strategy_words(row.run.spec) for row in board.rows}
    return {
        name
        for name, gone in (
            ("language", seen.language and board.scopes and seen.language not in board.scope.languages),
            ("wording", seen.wording and not board.tasks and board.tasks_elsewhere),
            ("strategy", seen.strategy and strategies and seen.strategy not in strategies),
        )
        if gone
    }


def _shown(board: Any, seen: View) -> list[Any]:
    rows = [row for row in board.rows if seen.strategy in ("", strategy_words(row.run.spec))]
    return sorted(rows, key=_SORTS.get(seen.sort, _SORTS["rank"]))


@router.get("/")
async def board(
    request: Request,
    services: Backends,
    seen: Seen,
) -> Response:
    """How models did over one set of tasks."""
    answer = await _board(services, seen)
    if stale := _stale(answer, seen):
        # Another set of tasks was chosen: by filters of the one before nothing would be seen.
        kept = [(name, value) for name, value in request.query_params.multi_items() if name not in stale]
        return RedirectResponse(f"/?{urlencode(kept)}", 303)
    rows = _shown(answer, seen)
    runs = [row.run for row in answer.rows]
    models, ids = [run.spec.model for run in runs], [run.run_id for run in runs]
    ways = dict(zip(ids, ways_apart(models, [way_of(run.spec) for run in runs], ids), strict=True))
    names = {run_id: f"{model} {ways[run_id]}" for model, run_id in zip(models, ids, strict=True)}
    # Of rows that lack tasks nobody knows months and share, and the best are the best in whatever order rows are seen.
    whole = [row for row in sorted(rows, key=_SORTS["rank"]) if row.rank_low]
    dearest = max((row.run.cost_usd for row in whole if not _unpriced(row.run)), default=0.0)
    largest = max((_tokens(row.run) for row in whole), default=0)
    dots = _dots(whole, dearest, largest)
    return await long_page(
        request,
        "board.html",
        board=answer,
        rows=rows,
        ways=ways,
        single=all(row.run.spec.samples <= 1 for row in answer.rows),
        wordings=_wordings(answer),
        strategies=sorted({strategy_words(row.run.spec) for row in answer.rows}),
        strategy=seen.strategy,
        sort=seen.sort if seen.sort in _SORTS else "rank",
        columns=_columns(seen.columns),
        choices=_CHOICES,
        dated=whole[:_DRAWN],
        months=_months(whole[:_DRAWN]),
        names=names,
        undrawn=len(whole) - len(dots),
        dots=dots,
        told=with_room(((row.run.run_id, x, y, names[row.run.run_id][:40]) for row, x, y in dots), _MIDDLE),
        dearest=dearest,
        largest=largest,
    )


@router.get("/board.json")
async def as_json(services: Backends, seen: Seen) -> Response:
    """The same as JSON, with every pair."""
    answer = await _board(services, seen)
    # Thousands of pairs: beside the event loop, which others wait for.
    return Response(await asyncio.to_thread(_whole, answer), media_type="application/json")


def _whole(board: Any) -> str:
    rows = pb.GetBoardResponse()
    rows.CopyFrom(board)
    rows.ClearField("pairs")
    plainly = MessageToDict(rows, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    told = told_shares(told_costs(plainly))
    # Left out where nobody measured them.
    told["rows"] = [{"seconds": None} | row for row in told["rows"]]
    # Plain figures, and thousands of them: field by field takes an eighth of what asking each for its kind does.
    names = [field.name for field in pb.BoardPair.DESCRIPTOR.fields]
    return json.dumps(told | {"pairs": [{name: getattr(pair, name) for name in names} for pair in board.pairs]})


@router.get("/board.csv")
async def as_csv(
    services: Backends,
    seen: Seen,
) -> Response:
    """The rows and columns that are seen, as CSV."""
    answer = await _board(services, seen)
    text = io.StringIO()
    writer = csv.DictWriter(text, [*_figures(seen.columns), _WORDING], lineterminator="\n")
    writer.writeheader()
    for row in _told(answer, seen):
        writer.writerow({name: plain(cell) if isinstance(cell, str) else cell for name, cell in row.items()})
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8")


@router.get("/rows.json")
async def rows_as_json(
    services: Backends,
    seen: Seen,
) -> Response:
    """The rows and columns that are seen, as JSON, with the digest of the whole board."""
    answer = await _board(services, seen)
    about = {"digest": answer.digest, "scope": answer.scope.digest, _WORDING: answer.wording}
    about |= {"tasks": answer.tasks, "tasks_elsewhere": answer.tasks_elsewhere}
    found = about | {"rows": _told(answer, seen)}
    return Response(json.dumps(found), media_type="application/json")


def _told(board: Any, seen: View) -> list[dict[str, Told]]:
    names = _figures(seen.columns)
    told = {_WORDING: board.wording}
    return [{name: _FIGURES[name](row) for name in names} | told for row in _shown(board, seen)]


def _dots(whole: Sequence[Any], dearest: float, largest: int) -> list[tuple[Any, float, float]]:
    """Where rows with every verdict stand in a plot of 560 by 240 of share against cost.

    Against tokens where nothing cost money.
    """
    known = [row for row in whole if not (_unpriced(row.run) if dearest else _untold(row.run))]
    took = [row.run.cost_usd / dearest if dearest else _tokens(row.run) / (largest or 1) for row in known]
    return [(row, 50 + 560 * share, 260 - 240 * row.value) for row, share in zip(known, took, strict=True)]


def _tokens(run: Any) -> int:
    return run.tokens_in + run.tokens_out


def _months(rows: Sequence[Any]) -> list[str]:
    """Every month in which code of some judged task appeared, oldest first."""
    return sorted({share.group for row in rows for share in row.by_month if share.group != "unknown"})


def plain(cell: str) -> str:
    """A text that no spreadsheet takes for a formula: models are named by whoever serves them."""
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
