"""The door of every server: no token, no entry; a scope for each call, a rate and a size for each token."""

from __future__ import annotations

import time
import unicodedata
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime

from touchstone_runtime.errors import PermanentError, RetryableError
from touchstone_runtime.tokens import Token, TokenFile

# Whose call is being answered: the token that was let in; None where everybody may come in.
caller: ContextVar[Token | None] = ContextVar("caller", default=None)


class NotAdmittedError(PermanentError):
    """No token, or one that is not known here, revoked or expired."""


class NotAllowedError(PermanentError):
    """The token's scope does not reach so far."""


class TooManyRequestsError(RetryableError):
    """The token's rate is used up for now."""


class RequestTooLargeError(PermanentError):
    """The request is larger than the token may send."""


def own_name(said: str) -> str:
    """The name under which a caller's decision is kept: that of the token, whatever its scope.

    Args:
        said: Who the caller says that he is; empty leaves it to the token. Where there is no door nobody is known, and
            this is all there is.

    Raises:
        NotAllowedError: he says that he is somebody else.
    """
    token = caller.get()
    if token is None:
        return said
    if said.strip() and spelled(said) != spelled(token.name):
        raise NotAllowedError(
            f"a decision is kept under the name of the token that brings it, which is {token.name}",
            thing=said[:200],
            way_out="leave the name out, or show that person's token",
        )
    return token.name


def need(scope: str, thing: str) -> None:
    """Ask more of the caller's token than its call does, for something that the request wants done.

    Args:
        scope: What it needs.
        thing: What is wanted, for people.

    Raises:
        NotAllowedError: the token does not reach so far.
    """
    token = caller.get()
    if token is not None and not token.allows(scope):
        raise NotAllowedError(f"the token may {token.scope}, and this needs {scope}", thing=thing)


def spelled(name: str) -> str:
    """A person's name, however it is written: letters of one form and no case, words one space apart."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


@dataclass
class _Bucket:
    """Source: token bucket; holds two seconds' worth of requests, and one where a second has less than half of it."""

    rate: float
    level: float
    at: float

    @classmethod
    def full(cls, rate: float, now: float) -> _Bucket:
        return cls(rate, max(1.0, 2 * rate), now)

    def take(self, now: float) -> bool:
        self.level = min(max(1.0, 2 * self.rate), self.level + (now - self.at) * self.rate)
        self.at = now
        if self.level < 1:
            return False
        self.level -= 1
        return True


@dataclass
class Gate:
    """Lets calls in.

    Args:
        tokens: Who may come in; None lets everybody in.
        clock: The time now, with zone.
        monotonic: Seconds that only grow.
    """

    tokens: TokenFile | None
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    monotonic: Callable[[], float] = time.monotonic
    _buckets: dict[str, _Bucket] = field(default_factory=dict[str, _Bucket])

    def admit(self, authorization: str, scope: str, request_bytes: int) -> Token | None:
        """Let a request in, or say why not.

        Args:
            authorization: The header, `Bearer …`.
            scope: What the request needs.
            request_bytes: Its size.

        Returns:
            The token; None where everybody may come in.

        Raises:
            NotAdmittedError: nobody known.
            NotAllowedError: somebody known whose scope does not reach.
            TooManyRequestsError: too often.
            RequestTooLargeError: too large.
        """
        if self.tokens is None:
            return None
        try:
            token = self.tokens.find(authorization.removeprefix("Bearer ").strip())
        except (OSError, ValueError) as error:
            # A spoilt file opens no door.
            raise NotAdmittedError(f"the file of tokens cannot be read: {error}", way_out="mend it") from error
        if token is None:
            raise NotAdmittedError(
                "no token, or one that is not known here",
                way_out="TOUCHSTONE_TOKEN_FILE names a token's file",
            )
        if token.expired(self.clock()):
            raise NotAdmittedError("the token has expired", thing=token.name, way_out="see `touchstone token create`")
        if not token.allows(scope):
            raise NotAllowedError(f"the token may {token.scope}, and this needs {scope}", thing=token.name)
        if token.request_bytes and request_bytes > token.request_bytes:
            raise RequestTooLargeError(
                f"the token may send {token.request_bytes} bytes at once, and this request has {request_bytes}",
                thing=token.name,
                way_out="show a token with a larger --size",
            )
        self._charge(token)
        return token

    def _charge(self, token: Token) -> None:
        if not token.requests_per_s:
            return
        now = self.monotonic()
        bucket = self._buckets.get(token.token_id)
        if bucket is None or bucket.rate != token.requests_per_s:
            bucket = _Bucket.full(token.requests_per_s, now)
            self._buckets[token.token_id] = bucket
        if not bucket.take(now):
            raise TooManyRequestsError(f"more than {token.requests_per_s:g} requests a second", thing=token.name)
