"""Signing in: the token goes into a cookie that scripts cannot read and other sites cannot send."""

from __future__ import annotations

import secrets
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from touchstone_web.rendering import page
from touchstone_web.settings import WebSettings

router = APIRouter()


@router.get("/token")
async def show(request: Request) -> Response:
    """The form."""
    return page(request, "token.html", wrong=False)


@router.post("/token")
async def keep(request: Request, token: Annotated[str, Form()]) -> Response:
    """Keep the token in a cookie when it is the right one."""
    settings: WebSettings = request.app.state.settings
    if not settings.web_token or not secrets.compare_digest(token.encode(), settings.web_token.encode()):
        return page(request, "token.html", status=403, wrong=True)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        "touchstone_token", quote(token), httponly=True, samesite="strict", secure=request.url.scheme == "https"
    )
    return answer
