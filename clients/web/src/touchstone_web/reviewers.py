"""Who reviews: a visitor with a token of the platform that may judge. Its name is the reviewer's."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from touchstone_runtime.tokens import Token, TokenFile
from touchstone_web.settings import WebSettings

COOKIE = "touchstone_reviewer"
PATH = "/review"
SIGN_IN = f"{PATH}/sign-in"


class SignInNeededError(HTTPException):
    """The visitor has shown no token that may judge."""


def reviewer_of(settings: WebSettings, text: str) -> Token | None:
    """The token that a text is, where it may judge and has not ended; None for any other.

    Without a file of tokens nobody has a name, and nobody reviews.
    """
    if not settings.tokens_file or not text:
        return None
    token = TokenFile(settings.tokens_file).find(text)
    if token is None or token.expired(datetime.now(UTC)) or not token.allows("judge"):
        return None
    return token


def _reviewer(request: Request) -> Token:
    token = reviewer_of(request.app.state.settings, request.cookies.get(COOKIE, ""))
    if token is None:
        raise SignInNeededError(403, "Reviewing needs a token that may judge")
    return token


Reviewer = Annotated[Token, Depends(_reviewer)]
