"""`touchstone mcp`: search for models, by the Model Context Protocol."""

from __future__ import annotations

import asyncio
import ipaddress
import secrets
import socket
from typing import TYPE_CHECKING, Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

PATH = "/mcp"


def mcp(
    http: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="Serve over HTTP there; port 0 takes a free one. Else stdio.")
    ] = "",
) -> None:
    """Serve search to a model's program: search, read a function, find code like this, list sources.

    Over stdio the program starts this command by itself. Over HTTP it shows our own token (`Authorization: Bearer …`).

    Example: touchstone mcp --http 127.0.0.1:7110
    """
    from touchstone_cli.mcp_tools import server
    from touchstone_cli.services import Streaming, connect

    connections: dict[str, Streaming] = {}

    def kept(name: str) -> Streaming:
        # Opening one takes longer than a search; two that are opened at the same time do no harm.
        return connections.setdefault(name, connections.get(name) or connect(name))

    made = server(kept)
    if http:
        _serve_http(made, http)
    else:
        made.run("stdio")


def _serve_http(made: Any, where: str) -> None:
    from touchstone_cli.settings import identity, named_token_file

    host, port = _address(where)
    if not identity().shown() and (named := named_token_file()):
        raise CliError(f"--http {where}: TOUCHSTONE_TOKEN_FILE={named} holds no token that callers could show")
    if not identity().shown() and not _is_loopback(host):
        raise CliError(
            f"--http {where}: without a token of ours only this machine may ask; name one with TOUCHSTONE_TOKEN_FILE"
        )
    try:
        listener = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        raise CliError(f"--http {where}: cannot listen there: {error.strerror or error}") from error
    with listener:
        if not _is_loopback(host):
            say("this speaks no TLS: whoever sees the way here sees the token; let a proxy with TLS stand before it")
        said = f"[{host}]" if ":" in host else host
        say(f"http://{said}:{listener.getsockname()[1]}{PATH}")
        asyncio.run(_serve(http_app(made, host, lambda: identity().shown()), listener))


async def _serve(app: ASGIApp, listener: socket.socket) -> None:
    import uvicorn

    # A client that keeps a stream open would else hold up the end.
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=3)
    await uvicorn.Server(config).serve(sockets=[listener])


def http_app(made: Any, host: str, token: Callable[[], str]) -> ASGIApp:
    """The server as an ASGI application, which only whoever holds the token may ask.

    Args:
        made: The server of `mcp_tools`.
        host: Where it listens; on loopback the names that a browser may call it by are checked too.
        token: Our token as it is now. Where there never was one everybody who reaches the port may ask; where there
            was one and its file is empty or gone, nobody.
    """
    # No state is kept between requests: any replica answers. Answers are streams, which tell of progress too.
    app = made.streamable_http_app(streamable_http_path=PATH, host=host, stateless_http=True)
    return _TokenBefore(app, token)


class _TokenBefore:
    """Asks for the token before anything else: who may ask here reads with our rights."""

    def __init__(self, app: ASGIApp, token: Callable[[], str]) -> None:
        self._app = app
        self._token = token
        # Whoever writes a file anew may empty it first: that opens no door.
        self._guarded = bool(token())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        from starlette.datastructures import Headers
        from starlette.responses import PlainTextResponse

        wanted = self._token()
        self._guarded = self._guarded or bool(wanted)
        if scope["type"] == "http" and self._guarded:
            if not wanted:
                words = "the token that callers must show is gone from its file; ask again when it is back\n"
                await PlainTextResponse(words, 503, {"retry-after": "5"})(scope, receive, send)
                return
            shown = Headers(scope=scope).get("authorization", "").removeprefix("Bearer ").strip()
            if not secrets.compare_digest(shown.encode(), wanted.encode()):
                words = "this needs the token that `touchstone mcp` itself shows, as `Authorization: Bearer …`\n"
                refused = PlainTextResponse(words, 401, {"www-authenticate": "Bearer"})
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)


def _address(where: str) -> tuple[str, int]:
    host, _, port = where.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if not host or not port.isdigit() or int(port) > 65535:
        raise CliError(f"--http {where}: not HOST:PORT, for example 127.0.0.1:7110", exit_code=2)
    return host, int(port)


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
