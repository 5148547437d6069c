"""Runs: the list, one run with live progress, one answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import grpc
from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone.pbt_generator.v1 import pbt_generator_pb2
from touchstone_runtime.tracks import WRITE
from touchstone_runtime.ways import way_of
from touchstone_web.faults import why
from touchstone_web.rendering import EVENT_HEADERS, long_page, page, shown_case
from touchstone_web.services import Backends, Number, Services
from touchstone_web.settings import WebSettings
from touchstone_web.visitors import may_change

router = APIRouter()
# So many answers of a run are on one page, and so many are asked for: nobody reads a thousand at once.
_ANSWERS = 200
_PASSING = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED})


@router.get("/runs")
async def runs(request: Request, services: Backends) -> Response:
    """Every run with its specification."""
    answer = await services.call("evaluator", "ListRuns", pb.ListRunsRequest())
    return await long_page(request, "runs.html", runs=answer.runs, way_of=way_of, write=WRITE)


@router.get("/runs/{run_id}")
async def run(
    request: Request, services: Backends, run_id: str, outcome: str = "", wording: str = "", start: Number = 0
) -> Response:
    """One run: specification, progress, shares and slices of one wording of its tasks, a part of its answers."""
    start = max(0, start)
    wanted = pb.GetRunRequest(run_id=run_id, most=_ANSWERS, start=start, outcome=outcome)
    found, profile = await asyncio.gather(
        services.call("evaluator", "GetRun", wanted),
        services.call("evaluator", "GetRunProfile", pb.GetRunProfileRequest(run_id=run_id, wording=wording)),
    )
    slices = _by_dimension(profile.slices)
    return await long_page(
        request,
        "run.html",
        run=found,
        summary=found.summary,
        spec=found.summary.spec,
        outcomes=[(each.outcome, each.count) for each in found.outcomes],
        outcome=outcome,
        near=found.near_misses,
        results=found.results,
        total=found.total,
        start=start,
        size=_ANSWERS,
        slices=slices,
        wording=profile.wording,
        by_wording=profile.by_wording,
        months=[share for share in slices.get("month", []) if share.group != "unknown"],
        may_change=may_change(request),
        around=profile.around if profile.HasField("around") else None,
        memory=profile.memory if profile.HasField("memory") else None,
    )


@router.post("/runs/{run_id}/pause")
async def pause(services: Backends, run_id: str) -> Response:
    """Ask for nothing more of a run until it goes on."""
    found = await services.call("evaluator", "PauseRun", pb.PauseRunRequest(run_id=run_id))
    return RedirectResponse(f"/runs/{found.run.run_id}", 303)


@router.post("/runs/{run_id}/resume")
async def resume(services: Backends, run_id: str) -> Response:
    """Let a run go on."""
    found = await services.call("evaluator", "PauseRun", pb.PauseRunRequest(run_id=run_id, resume=True))
    return RedirectResponse(f"/runs/{found.run.run_id}", 303)


def _by_dimension(slices: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for each in slices:
        found.setdefault(each.dimension, []).append(each.share)
    # One group says nothing that the whole does not say.
    return {name: shares for name, shares in found.items() if len(shares) > 1}


@router.get("/runs/{run_id}/events")
async def events(request: Request, services: Backends, run_id: str) -> Response:
    """Progress as server-sent events, until every answer is judged or the reader leaves."""
    settings: WebSettings = request.app.state.settings
    try:
        await services.call("evaluator", "GetRun", pb.GetRunRequest(run_id=run_id, most=0))
    except grpc.aio.AioRpcError as error:
        # A run that does not exist is a page and no stream; where the evaluator is away, as during a restart, the
        # stream says so and goes on: a browser that is answered with a fault never asks again.
        if error.code() not in _PASSING:
            raise
    stream = _progress(request, services, run_id, settings.web_live_poll_s)
    return StreamingResponse(stream, media_type="text/event-stream", headers=EVENT_HEADERS)


async def _progress(request: Request, services: Services, run_id: str, poll_s: float) -> AsyncIterator[str]:
    before = ""
    while not await request.is_disconnected():
        try:
            found = await services.call("evaluator", "GetRun", pb.GetRunRequest(run_id=run_id, most=0))
        except grpc.aio.AioRpcError as error:
            gone = error.code() is grpc.StatusCode.NOT_FOUND
            yield f"event: {'gone' if gone else 'away'}\ndata: {json.dumps(why(error))}\n\n"
            if gone:
                return
        else:
            told = {"finished": found.finished, "answers": found.tasks, "halted": found.halted}
            cancelled = found.summary.cancelled
            told |= {"passed": found.summary.passed, "lost": found.summary.infrastructure - cancelled}
            told |= {"cancelled": cancelled}
            text = json.dumps(told)
            if text != before:
                before = text
                yield f"event: progress\ndata: {text}\n\n"
            if found.finished >= found.tasks:
                yield "event: done\ndata: {}\n\n"
                return
        await asyncio.sleep(poll_s)


@router.get("/runs/{run_id}/tasks/{task_id}")
async def answer(request: Request, services: Backends, run_id: str, task_id: str, sample: Number = 0) -> Response:
    """One answer: what was asked, said, run and judged."""
    wanted = pb.GetAttemptRequest(run_id=run_id, task_id=task_id, sample=sample)
    found = await services.call("evaluator", "GetAttempt", wanted)
    steps = [json.loads(step) for step in found.answer.steps]
    inputs = await _inputs(services, found.task, found.answer)
    return page(
        request,
        "answer.html",
        task=found.task,
        answer=found.answer,
        steps=steps,
        inputs=inputs,
        verdicts=found.verdicts,
    )


async def _inputs(services: Services, task: Any, answer: Any) -> dict[int, dict[str, str]]:
    """The cases that an answer failed, by number; nothing where the generator does not tell them.

    It tells those of the task's own suite: beside what another one judged they were never run.
    """
    if answer.suite_digest:
        return {}
    numbers = [number for number in sorted({each.index for each in answer.failures}) if 0 <= number < task.cases]
    if not numbers:
        return {}
    # As many as an answer of the generator may hold.
    numbers = numbers[:100]
    try:
        wanted = pbt_generator_pb2.GetTaskRequest(task_id=task.task_id, cases=numbers)
        cases = (await services.call("pbt-generator", "GetTask", wanted)).example_cases
    except grpc.aio.AioRpcError:
        return {}
    if len(cases) != len(numbers):
        return {}
    return {number: shown_case(task.entry_point, text) for number, text in zip(numbers, cases, strict=True)}
