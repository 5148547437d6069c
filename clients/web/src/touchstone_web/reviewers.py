"""Who reviews: a visitor with a token of the platform that may judge. Its name is the reviewer's."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, Request
from starlette.exceptions import HTTPException

from touchstone_runtime.tokens import Token, TokenFile
from touchstone_web.settings import WebSettings

COOKIE = "touchstone_reviewer"
PATH = "/review"
SIGN_IN = f"{PATH}/sign-in"


@dataclass(frozen=True)
class SignedIn:
    """A visitor who reviews.

    Attributes:
        name: The token's, under which opinions are kept.
        text: The token itself: calls are made with it, so that no service takes the application's word for a name.
    """

    name: str
    text: str


class SignInNeededError(HTTPException):
    """The visitor has shown no token that may judge."""


def reviewer_of(settings: WebSettings, text: str) -> Token | None:
    """The token that a text is, where it may judge and has not ended; None for any other.

    Without a file of tokens nobody has a name, and nobody reviews.
    """
    if not settings.tokens_file or not text:
        return None
    try:
        token = TokenFile(settings.tokens_file).find(text)
        may = token is not None and not token.expired(datetime.now(UTC)) and token.allows("judge")
    except (OSError, ValueError, TypeError):
        # A spoilt file opens no door, and is no fault of whoever visits.
        return None
    return token if may else None


def signed_in(request: Request) -> SignedIn | None:
    """The visitor, where the token in the cookie may judge; None for everybody else."""
    text = request.cookies.get(COOKIE, "")
    token = reviewer_of(request.app.state.settings, text)
    return SignedIn(token.name, text) if token else None


def _reviewer(request: Request) -> SignedIn:
    found = signed_in(request)
    if found is None:
        raise SignInNeededError(403, "Reviewing needs a token that may judge")
    return found


Reviewer = Annotated[SignedIn, Depends(_reviewer)]
