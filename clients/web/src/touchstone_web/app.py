"""The application: pages, static files, faults as pages; and its wiring as a service without bus and database."""

from __future__ import annotations

import grpc
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import PlainTextResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.routing import Mount
from starlette.types import ASGIApp, Receive, Scope, Send

from touchstone_runtime.http_door import OWN_DOOR
from touchstone_runtime.service import Runtime, run_service
from touchstone_web.faults import told
from touchstone_web.pages import PAGES
from touchstone_web.rendering import STATIC, Templates, page
from touchstone_web.reviewers import COOKIE, PATH, SIGN_IN, reviewer_of
from touchstone_web.services import NAMES, Services
from touchstone_web.settings import WebSettings
from touchstone_web.visitors import holds_token

_READS = ("GET", "HEAD", "OPTIONS")
# What browsers say of where a request comes from: this application, or a person who typed its address.
_OWN = ("same-origin", "none")


class _KeptStaticFiles(StaticFiles):
    """Static files that browsers keep: their addresses change with their content."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # pyright: ignore[reportArgumentType]
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        response.headers["x-content-type-options"] = "nosniff"
        return response


class _TokenForChanges:
    """Refuses every request that could change something, unless it comes with the token, and from no other page."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        changes = scope["type"] == "http" and scope["method"] not in _READS
        if changes and Request(scope).headers.get("sec-fetch-site", "none") not in _OWN:
            # Cookies go along from every port of a host, and whoever is signed in by another page acts under its name.
            await PlainTextResponse("What changes something is sent from this application's own pages\n", 403)(
                scope, receive, send
            )
        elif changes and not _may_change(scope, self._settings):
            if _is_review(scope["path"]):
                # Whoever reviewed a moment ago must learn what happened, and where to go on.
                refused = page(
                    Request(scope),
                    "fault.html",
                    status=403,
                    title="Reviewing needs a token that may judge",
                    detail="Yours has ended, was revoked, or was never shown here: what you just sent was not kept.",
                )
                await refused(scope, receive, send)
                return
            words = "This application is read-only without its token (TOUCHSTONE_WEB_TOKEN): sign in at /token\n"
            await PlainTextResponse(words, 403)(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def _may_change(scope: Scope, settings: WebSettings) -> bool:
    """Whether a request may change something.

    Signing in itself is open to everybody, and reviewing asks for a reviewer's token instead.
    """
    request = Request(scope)
    path = request.url.path
    if path in ("/token", SIGN_IN):
        return True
    if _is_review(path):
        return reviewer_of(settings, request.cookies.get(COOKIE, "")) is not None
    return holds_token(request, settings)


def _is_review(path: str) -> bool:
    return path == PATH or path.startswith(f"{PATH}/")


def create_app(services: Services, settings: WebSettings) -> FastAPI:
    """The application on top of some services."""
    app = FastAPI(title="Touchstone", openapi_url=None, docs_url=None, redoc_url=None)
    app.state.services, app.state.settings = services, settings
    app.state.templates = Templates(tuple((each.title, each.path) for each in PAGES if each.title))
    app.mount("/static", _KeptStaticFiles(directory=STATIC), name="static")
    for each in PAGES:
        app.include_router(each.router)

    app.add_middleware(_TokenForChanges, settings=settings)

    @app.exception_handler(grpc.aio.AioRpcError)
    async def fault(request: Request, error: grpc.aio.AioRpcError) -> Response:
        status, title, detail = told(error)
        return page(request, "fault.html", status=status, title=title, detail=detail)

    @app.exception_handler(RequestValidationError)
    async def misspelt(request: Request, error: RequestValidationError) -> Response:
        wrong = ", ".join(dict.fromkeys(str(each["loc"][-1]) for each in error.errors()))
        detail = f"{request.url.path}: {wrong}: missing, or not of the kind that it takes"
        return page(request, "fault.html", status=422, title="This cannot be asked", detail=detail)

    @app.exception_handler(HTTPException)
    async def refused(request: Request, error: HTTPException) -> Response:
        title = "There is no such page" if error.status_code == 404 else str(error.detail)
        detail = request.url.path if error.status_code == 404 and error.detail == "Not Found" else str(error.detail)
        return page(request, "fault.html", status=error.status_code, title=title, detail=detail)

    return app


def serve(settings: WebSettings) -> None:
    """Run the application until it is told to stop."""

    async def wire(runtime: Runtime) -> None:
        addresses = {
            name: str(getattr(settings, f"{name.removesuffix('-executor').replace('-', '_')}_address"))
            for name in NAMES
        }
        channels = {name: runtime.dial(where) for name, where in addresses.items()}
        services = Services(channels, timeout_s=settings.web_call_timeout_s)
        runtime.open_paths |= OWN_DOOR
        runtime.routes.append(Mount("/", app=create_app(services, settings)))

    run_service("web", settings, wire, with_bus=False)
