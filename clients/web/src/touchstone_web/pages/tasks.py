"""Tasks: the browser, and one task with its cases, its certificate and every model's answer side by side."""

from __future__ import annotations

import asyncio
import difflib
import json
from collections.abc import Mapping
from typing import Any

import grpc
from fastapi import APIRouter, Request, Response

from touchstone.evaluator.v1 import evaluator_pb2
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone_runtime.bands import band_of
from touchstone_runtime.certificates import facts
from touchstone_runtime.languages import python_first
from touchstone_runtime.wordings import IN_WORDS, wording_named
from touchstone_web.rendering import data, long_page, shown_case
from touchstone_web.services import Backends, Number, Services

router = APIRouter()
_PAGE = 100
# Of a program that is compared with another: what is looked for grows with the third power of them.
_MOST_LINES = 2_000


@router.get("/tasks")
async def tasks(
    request: Request,
    services: Backends,
    kind: str = "",
    difficulty: str = "",
    source: str = "",
    wording: str = "",
    band: str = "",
    q: str = "",
    sort: str = "",
    start: Number = 0,
) -> Response:
    """Every task that stands, filtered."""
    answer, scores = await asyncio.gather(
        services.call("pbt-generator", "ListTasks", pb.ListTasksRequest(kind=kind)), _scores(services)
    )
    words = q.casefold().split()
    found = [
        task
        for task in answer.tasks
        if difficulty in ("", task.difficulty)
        and source in ("", task.location.repository)
        and wording in ("", wording_named(task.track))
        and band in ("", band_of(task.complexity))
        and all(word in f"{task.entry_point} {task.location.path} {task.instruction}".casefold() for word in words)
    ]
    found = _sorted(found, scores, sort)
    start = max(0, start)
    return await long_page(
        request,
        "tasks.html",
        tasks=found[start : start + _PAGE],
        total=len(found),
        start=start,
        beyond=bool(found) and start >= len(found),
        size=_PAGE,
        sources=sorted({task.location.repository for task in answer.tasks}),
        wordings=list(IN_WORDS.items()),
        chosen={"kind": kind, "difficulty": difficulty, "source": source, "wording": wording, "band": band}
        | {"q": q, "sort": sort},
        refused=answer.refused,
        scores=scores,
    )


def _sorted(tasks: list[Any], scores: dict[str, Any], sort: str) -> list[Any]:
    """Tasks by what models made of them; those that no model met come last."""
    signs = {"hardest": -1.0, "easiest": 1.0}
    if sort == "near":
        return sorted(tasks, key=lambda task: -scores[task.task_id].near_misses if task.task_id in scores else 0)
    if sort not in signs:
        return tasks

    def place(task: Any) -> tuple[bool, float]:
        score = scores.get(task.task_id)
        if score is None or not score.HasField("difficulty"):
            return True, 0.0
        return False, signs[sort] * score.difficulty.value

    return sorted(tasks, key=place)


async def _scores(services: Services) -> dict[str, Any]:
    """How many answers to each task passed; nothing where the evaluator is away: the tasks are there all the same."""
    try:
        answer = await services.call("evaluator", "ListTaskScores", evaluator_pb2.ListTaskScoresRequest())
    except grpc.aio.AioRpcError:
        return {}
    return {score.task_id: score for score in answer.scores}


@router.get("/tasks/{task_id}")
async def task(request: Request, services: Backends, task_id: str, a: str = "", b: str = "") -> Response:
    """One task; `a` and `b` name two runs whose answers are laid side by side."""
    built, scores = await asyncio.gather(
        services.call("pbt-generator", "GetTask", pb.GetTaskRequest(task_id=task_id)), _scores(services)
    )
    try:
        wanted = evaluator_pb2.GetTaskAnswersRequest(task_id=built.task.task_id)
        found = await services.call("evaluator", "GetTaskAnswers", wanted)
        # What the board says of it: an imported task was worded by a person and has no wording of ours.
        answers, wording, known = found.answers, found.task.wording, True
    except grpc.aio.AioRpcError as error:
        if error.code() is not grpc.StatusCode.NOT_FOUND:
            raise
        answers, wording, known = [], built.task.track, False
    first, second = _named(answers, a), _named(answers, b)
    # Beside the event loop, which others wait for.
    difference = await asyncio.to_thread(_difference, first, second)
    certificate = json.loads(built.certificate_json or "{}")
    return await long_page(
        request,
        "task.html",
        task=built.task,
        wording=wording,
        truth=built.ground_truth,
        signatures=_heads(built.task.signatures),
        proved=facts(certificate),
        certificate=data(certificate),
        cases=[shown_case(built.task.entry_point, text) for text in built.example_cases],
        answers=answers,
        known=known,
        first=first,
        second=second,
        difference=difference,
        most_lines=_MOST_LINES,
        score=scores.get(built.task.task_id),
    )


def _named(answers: Any, name: str) -> Any:
    """The answer that `run` or `run.sample` names."""
    run, _, sample = name.partition(".")
    fitting = (each for each in answers if run and each.run_id.startswith(run) and str(each.sample) == (sample or "0"))
    return next(fitting, None)


def _difference(first: Any, second: Any) -> list[tuple[str, str]] | None:
    """Lines of both programs, each with "add", "del" or ""; None where they are too long to compare."""
    if first is None or second is None:
        return []
    # By line feeds alone: what else looks like the end of a line may stand within a text of the code.
    before, after = first.code.split("\n"), second.code.split("\n")
    if max(len(before), len(after)) > _MOST_LINES:
        return None
    lines = difflib.unified_diff(before, after, n=max(len(before), len(after)), lineterm="")
    kinds = {"+": "add", "-": "del"}
    return [(kinds.get(line[:1], ""), line) for line in list(lines)[3:]]


def _heads(signatures: Mapping[str, str]) -> list[tuple[str, str]]:
    """The head of the function in each language, Python's first."""
    return [(each, signatures[each]) for each in python_first(signatures)]
