"""Who visits: a reader, or somebody with the token that lets things be changed."""

from __future__ import annotations

import secrets
from urllib.parse import unquote

from fastapi import Request

from touchstone_web.settings import WebSettings


def holds_token(request: Request, settings: WebSettings) -> bool:
    """Whether a visitor holds the token: in the header `Authorization: Bearer …`, or in the cookie of /token."""
    scheme, _, bearer = request.headers.get("authorization", "").partition(" ")
    # What else a proxy writes there is not ours.
    held = bearer if scheme.casefold() == "bearer" else unquote(request.cookies.get("touchstone_token", ""))
    return bool(settings.web_token) and secrets.compare_digest(held.encode(), settings.web_token.encode())


def may_change(request: Request) -> bool:
    """Whether a page shows this visitor what changes something."""
    return holds_token(request, request.app.state.settings)
