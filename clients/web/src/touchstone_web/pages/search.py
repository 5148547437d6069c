"""Search: as one types, with every filter in the address; and one function with what is like it."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import urlencode

import grpc
from fastapi import APIRouter, Request, Response

from touchstone.ingester.v1 import ingester_pb2
from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone_web.faults import told
from touchstone_web.highlight import lines
from touchstone_web.rendering import page
from touchstone_web.services import Backends, Services

router = APIRouter()
LANGUAGES = ("python", "javascript", "typescript", "java", "go", "php")
KINDS = ("function", "method", "nested", "class")
_PAGE = 20
_SIMILAR = 8
_SHOWN_LINES = 12
# A model reads the question first.
_AUGMENTED_S = 180.0
# Of the address; all else in it is none of this page's.
_FILTERS = ("repository", "language", "kind", "licence", "symbol", "path", "pattern")


@router.get("/search")
async def search(request: Request, services: Backends) -> Response:
    """What answers the question and the filters of the address."""
    chosen = {
        name: request.query_params.get(name, "").strip() for name in ("q", "versions", "cursor", "mode", *_FILTERS)
    }
    typed = request.headers.get("hx-request") == "true"
    answer, problem, status = pb.SearchResponse(), "", 200
    # While somebody types, the form stays as it is: nobody needs the names of sources again.
    naming = asyncio.ensure_future(_repositories(services)) if not typed else None
    if _asks(chosen):
        try:
            timeout_s = _AUGMENTED_S if chosen["mode"] == "augmented" else 0.0
            answer = await services.call("retriever", "Search", _request(chosen), timeout_s=timeout_s)
        except grpc.aio.AioRpcError as error:
            # The form stays where it is, so that what was asked can be mended.
            status, title, detail = told(error)
            problem = f"{title}: {detail}"
    found = page(
        request,
        "search.html",
        # htmx shows answers that went well only.
        status=200 if typed else status,
        chosen=chosen,
        asked=_asks(chosen),
        narrowed=any(chosen[name] for name in ("licence", "symbol", "path", "pattern", "versions")),
        answer=answer,
        problem=problem,
        first_lines=_first_lines,
        repositories=await naming if naming else [],
        languages=LANGUAGES,
        kinds=KINDS,
    )
    if typed:
        kept = {name: value for name, value in chosen.items() if value}
        found.headers["hx-replace-url"] = f"/search?{urlencode(kept)}" if kept else "/search"
    return found


@router.get("/search/{function_id:path}")
async def function(request: Request, services: Backends, function_id: str) -> Response:
    """One function or class as it was indexed, with what is like it."""
    wanted = pb.GetCodeRequest(function_id=function_id)
    got, (similar, problem) = await asyncio.gather(
        services.call("retriever", "GetCode", wanted), _similar(services, function_id)
    )
    return page(
        request,
        "function.html",
        code=got.code,
        lines=lines(got.code.code, got.code.location.language),
        similar=similar,
        problem=problem,
        first_lines=_first_lines,
    )


def _asks(chosen: dict[str, str]) -> bool:
    """Whether there is anything to look for; a symbol, a path or a pattern says enough without words."""
    return any(chosen[name] for name in ("q", "symbol", "path", "pattern"))


def _request(chosen: dict[str, str]) -> pb.SearchRequest:
    filters = pb.SearchFilters(symbol=chosen["symbol"], path=chosen["path"], pattern=chosen["pattern"])
    for name, values in (
        ("repository", filters.repositories),
        ("language", filters.languages),
        ("kind", filters.kinds),
        ("licence", filters.licences),
    ):
        if chosen[name]:
            values.append(chosen[name])
    return pb.SearchRequest(
        query=chosen["q"],
        mode=chosen["mode"],
        limit=_PAGE,
        filters=filters,
        include_superseded=bool(chosen["versions"]),
        cursor=chosen["cursor"],
        merge_duplicates=True,
    )


async def _similar(services: Services, function_id: str) -> tuple[list[Any], str]:
    """What is like a function, and why nothing is: the function itself is shown all the same."""
    request = pb.SearchRequest(like_function_id=function_id, limit=_SIMILAR, merge_duplicates=True)
    try:
        answer = await services.call("retriever", "Search", request)
    except grpc.aio.AioRpcError as error:
        return [], told(error)[2]
    return list(answer.results), answer.note


async def _repositories(services: Services) -> list[str]:
    """Names to choose from; without them one can still type."""
    try:
        answer = await services.call("ingester", "ListSources", ingester_pb2.ListSourcesRequest())
    except grpc.aio.AioRpcError:
        return []
    return sorted({source.name for source in answer.sources})


def _first_lines(result: Any) -> dict[str, Any]:
    """The beginning of a result's code in colours, and how many lines are left out."""
    return {
        "lines": lines(result.code, result.location.language, _SHOWN_LINES),
        "more": max(0, result.code.count("\n") + 1 - _SHOWN_LINES),
    }
