"""The same door as gRPC's before everything that is served over HTTP."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.gate import (
    Gate,
    NotAdmittedError,
    NotAllowedError,
    RequestTooLargeError,
    TooManyRequestsError,
)

# Probes tell nothing but whether a service is well.
OPEN_PATHS = frozenset({"/live", "/ready"})
# What an application states whose pages are for everybody and which guards its changes itself.
OWN_DOOR = frozenset({"/*"})
_STATUS: dict[type[TouchstoneError], int] = {
    NotAdmittedError: 401,
    NotAllowedError: 403,
    RequestTooLargeError: 413,
    TooManyRequestsError: 429,
}


class Doorkeeper:
    """Asks for a token of scope `read` before it hands a request on; `operate` where something is changed.

    Args:
        app: What answers.
        gate: Who may come in.
        open_paths: Paths for everybody, with all that lies below them.
    """

    def __init__(self, app: ASGIApp, gate: Gate, open_paths: frozenset[str] | set[str]) -> None:
        self._app = app
        self._gate = gate
        self._open = open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and not self._is_open(str(scope["path"])):
            headers = Headers(scope=scope)
            length = headers.get("content-length", "0")
            wanted = "read" if scope["method"] in ("GET", "HEAD", "OPTIONS") else "operate"
            try:
                size = int(length) if length.isascii() and length.isdigit() else 0
                self._gate.admit(headers.get("authorization", ""), wanted, size)
            except TouchstoneError as error:
                status = _STATUS.get(type(error), 403)
                more = {"WWW-Authenticate": "Bearer"} if status == 401 else {}
                await JSONResponse({"error": str(error)}, status, more)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_open(self, path: str) -> bool:
        if self._open >= OWN_DOOR:
            return path != "/metrics"
        return path in self._open or any(path.startswith(f"{each}/") for each in self._open if each != "/")
