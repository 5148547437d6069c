"""Search: as one types, with every filter in the address; and one function with what is like it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any
from urllib.parse import urlencode

import grpc
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from touchstone.ingester.v1 import ingester_pb2
from touchstone.retriever.v1 import retriever_pb2 as pb
from touchstone_web.faults import told
from touchstone_web.highlight import lines
from touchstone_web.rendering import EVENT_HEADERS, HEADERS, Templates, page
from touchstone_web.services import Backends, Services
from touchstone_web.settings import WebSettings

router = APIRouter()
LANGUAGES = ("python", "javascript", "typescript", "java", "go", "php")
KINDS = ("function", "method", "nested", "class")
_PAGE = 20
_SIMILAR = 8
_SHOWN_LINES = 12
# A model reads the question first.
_AUGMENTED_S = 180.0
# Of the address; all else in it is none of this page's.
_EVENTS = "text/event-stream"
_FILTERS = ("repository", "language", "kind", "licence", "symbol", "path", "pattern")


@router.get("/search")
async def search(request: Request, services: Backends) -> Response:
    """What answers the question and the filters of the address; where a model reads the question, piece by piece."""
    chosen = {
        name: request.query_params.get(name, "").strip()
        for name in ("q", "versions", "cursor", "mode", "wait", *_FILTERS)
    }
    typed = request.headers.get("hx-request") == "true"
    # A model takes its time: the page comes without waiting, and asks for the pieces at its own address.
    in_pieces = _asks(chosen) and chosen["mode"] == "augmented" and not typed and not chosen["wait"]
    if in_pieces and _EVENTS in request.headers.get("accept", ""):
        headers = HEADERS | EVENT_HEADERS | {"vary": "accept"}
        return StreamingResponse(_pieces(request, services, chosen), media_type=_EVENTS, headers=headers)
    answer, problem, status = pb.SearchResponse(), "", 200
    # While somebody types, the form stays as it is: nobody needs the names of sources again.
    naming = asyncio.ensure_future(_repositories(services)) if not typed else None
    if _asks(chosen) and not in_pieces:
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
        in_pieces=in_pieces,
        narrowed=any(chosen[name] for name in ("licence", "symbol", "path", "pattern", "versions")),
        repositories=await naming if naming else [],
        languages=LANGUAGES,
        kinds=KINDS,
        **_shown(chosen, answer, problem),
    )
    if typed:
        kept = {name: value for name, value in chosen.items() if value}
        found.headers["hx-replace-url"] = f"/search?{urlencode(kept)}" if kept else "/search"
    return found


def _shown(
    chosen: dict[str, str], answer: pb.SearchResponse, problem: str = "", doing: str = "", look_ups: Any = ()
) -> dict[str, Any]:
    """What the part of the page below the form is made of; `doing` says what is still waited for."""
    return {
        "chosen": chosen,
        "asked": _asks(chosen),
        "answer": answer,
        "problem": problem,
        "doing": doing,
        "look_ups": look_ups,
        "first_lines": _first_lines,
    }


async def _pieces(request: Request, services: Services, chosen: dict[str, str]) -> AsyncIterator[str]:
    """The part below the form as server-sent events, one for each piece, until all is there or the reader leaves."""
    templates: Templates = request.app.state.templates
    settings: WebSettings = request.app.state.settings

    def event(name: str, **shown: Any) -> str:
        # In an event a carriage return ends a line, as a newline does.
        text = templates.text("found.html", request, **_shown(chosen, **shown)).replace("\r", "&#13;")
        return "".join((f"event: {name}\n", *(f"data: {line}\n" for line in text.split("\n")), "\n"))

    def broken(problem: str) -> str:
        # Whoever reads what was found already keeps it, and is told beside it that no more comes.
        if not standing.answer.results:
            return event("answer", answer=pb.SearchResponse(), problem=problem)
        answer = pb.SearchResponse()
        answer.CopyFrom(standing.answer)
        answer.note = "; ".join(filter(None, (problem, answer.note)))
        return event("answer", answer=answer, look_ups=standing.look_ups)

    standing = pb.StreamSearchResponse()
    wanted = pb.StreamSearchRequest(search=_request(chosen))
    async with aclosing(services.stream("retriever", "StreamSearch", wanted, timeout_s=_AUGMENTED_S)) as pieces:
        coming = asyncio.ensure_future(anext(pieces))
        try:
            while True:
                await asyncio.wait({coming}, timeout=settings.web_live_poll_s)
                if await request.is_disconnected():
                    return
                if not coming.done():
                    # What stands between hangs up where nothing is said.
                    yield ":\n\n"
                    continue
                piece = coming.result()
                if piece.step == "answer":
                    yield event("answer", answer=piece.answer, look_ups=piece.look_ups)
                    return
                going_on = piece.going_on or "the search goes on"
                standing = piece
                doing = going_on[:1].upper() + going_on[1:]
                yield event("piece", answer=piece.answer, doing=doing, look_ups=piece.look_ups)
                coming = asyncio.ensure_future(anext(pieces))
        except grpc.aio.AioRpcError as error:
            _status, title, detail = told(error)
            yield broken(f"{title}: {detail}")
        except StopAsyncIteration:
            yield broken("The answer ended before it was whole")
        finally:
            coming.cancel()
            await asyncio.wait({coming})


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
