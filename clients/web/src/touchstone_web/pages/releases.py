"""Releases with their manifests, and what was taken back."""

from __future__ import annotations

import json

from fastapi import APIRouter, Request, Response

from touchstone.evaluator.v1 import evaluator_pb2
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone_runtime.source_kinds import own_sources
from touchstone_web.rendering import long_page, page
from touchstone_web.services import Backends, Number

router = APIRouter()
# So many judgements anew are on one page.
_JUDGEMENTS = 300


@router.get("/releases")
async def releases(request: Request, services: Backends) -> Response:
    """Every release."""
    answer = await services.call("pbt-generator", "ListReleases", pb.ListReleasesRequest())
    return page(request, "releases.html", releases=answer.releases)


@router.get("/releases/{name}")
async def release(request: Request, services: Backends, name: str) -> Response:
    """One release: what it holds, what was taken back since."""
    answer = await services.call("pbt-generator", "GetRelease", pb.GetReleaseRequest(name=name))
    manifest = json.loads(answer.manifest_json)
    retracted = {each.task_id: each.note for each in answer.retractions}
    own = own_sources(task["source"] for task in manifest["tasks"] if task.get("source"))
    return page(request, "release.html", release=answer.release, manifest=manifest, retracted=retracted, own=own)


@router.get("/releases/{name}/manifest.json")
async def manifest(services: Backends, name: str) -> Response:
    """The very bytes of the manifest."""
    answer = await services.call("pbt-generator", "GetRelease", pb.GetReleaseRequest(name=name))
    return Response(answer.manifest_json, media_type="application/json")


@router.get("/retractions/{task_id}")
async def retraction(request: Request, services: Backends, task_id: str) -> Response:
    """One retraction: why, and what it changed on the boards."""
    found = await services.call("evaluator", "GetRetraction", evaluator_pb2.GetRetractionRequest(task_id=task_id))
    return page(request, "retraction.html", one=found.retraction, changes=found.changes)


@router.get("/retractions")
async def retractions(request: Request, services: Backends, start: Number = 0) -> Response:
    """Tasks that were taken back, runs that were withdrawn, answers that were judged again, with the public notes."""
    board = await services.call("evaluator", "Leaderboard", evaluator_pb2.LeaderboardRequest())
    runs = await services.call("evaluator", "ListRuns", evaluator_pb2.ListRunsRequest())
    changed = await services.call("evaluator", "ListVerdictChanges", evaluator_pb2.ListVerdictChangesRequest())
    every = sorted(changed.changes, key=lambda one: one.before.outcome == one.after.outcome)
    # An address from when there were more leads to the last part.
    start = max(0, min(start, (len(every) - 1) // _JUDGEMENTS * _JUDGEMENTS))
    return await long_page(
        request,
        "retractions.html",
        retractions=board.retractions,
        withdrawn=[run for run in runs.runs if run.withdrawn],
        changed=every[start : start + _JUDGEMENTS],
        total=len(every),
        start=start,
        size=_JUDGEMENTS,
    )
