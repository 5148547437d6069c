"""Tokens: who may come in, how far, until when, and how often. Only digests of tokens are kept.

The file of tokens is JSON, of mode 0600, and read again whenever it changes: a revoked token stops working with the
next request. Standard library only, so that a command line that makes one call does not wait for a service's parts.
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import json
import math
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from touchstone_runtime.drafts import draft_beside

PREFIX = "tst"
# Each scope holds those before it.
SCOPES = ("read", "judge", "serve", "operate")


@dataclass(frozen=True)
class Token:
    """What is kept of a token.

    Attributes:
        token_id: Its public part, which names it in lists and logs.
        name: What people call it.
        scope: "read" (look at anything), "judge" (also run code and label), "serve" (also hand over what is searched,
            as services do) or "operate" (also change what is followed).
        sha256: Digest of the whole token.
        created_at: ISO 8601, UTC.
        expires_at: ISO 8601, UTC; empty never expires.
        requests_per_s: Requests a second, bursts of twice as many, and of one, allowed; 0 for no limit.
        request_bytes: Largest request; 0 for no limit of its own.
    """

    token_id: str
    name: str
    scope: str
    sha256: str
    created_at: str
    expires_at: str = ""
    requests_per_s: float = 0.0
    request_bytes: int = 0

    def allows(self, scope: str) -> bool:
        """Whether the token reaches so far."""
        return SCOPES.index(self.scope) >= SCOPES.index(scope)

    def expired(self, now: datetime) -> bool:
        """Whether its time is over."""
        return bool(self.expires_at) and _moment(self.expires_at) <= now


@dataclass
class TokenFile:
    """The tokens that one platform takes."""

    path: Path
    _seen: tuple[int, int, int] = (0, 0, 0)
    _tokens: dict[str, Token] = field(default_factory=dict[str, Token])

    def tokens(self) -> dict[str, Token]:
        """All tokens by id; none where there is no file yet.

        Raises:
            ValueError: the file is no file of tokens.
        """
        try:
            status = self.path.stat()
        except FileNotFoundError:
            self._seen, self._tokens = (0, 0, 0), {}
            return self._tokens
        mark = (status.st_mtime_ns, status.st_size, status.st_ino)
        if mark != self._seen:
            self._tokens = _parsed(self.path.read_text("utf-8"))
            self._seen = mark
        return self._tokens

    def find(self, text: str) -> Token | None:
        """The token that this text is; None for any other text."""
        known = self.tokens().get(token_id(text))
        if known is None or not hmac.compare_digest(known.sha256, _digest(text)):
            return None
        return known

    def create(
        self,
        name: str,
        scope: str,
        *,
        expires_at: datetime | None = None,
        requests_per_s: float = 0.0,
        request_bytes: int = 0,
    ) -> tuple[Token, str]:
        """Make a token; gives what is kept of it, and its text, which nobody can read again.

        Raises:
            ValueError: there is no such scope, or the rate is no number of requests.
        """
        if scope not in SCOPES:
            raise ValueError(f"{scope!r} is no scope; use one of {', '.join(SCOPES)}")
        if not math.isfinite(requests_per_s) or requests_per_s < 0:
            raise ValueError(f"{requests_per_s:g} is no number of requests a second; 0 is no limit")
        identifier = secrets.token_hex(6)
        text = f"{PREFIX}_{identifier}_{secrets.token_urlsafe(32)}"
        token = Token(
            identifier,
            name,
            scope,
            _digest(text),
            datetime.now(UTC).isoformat(timespec="seconds"),
            expires_at.astimezone(UTC).isoformat(timespec="seconds") if expires_at else "",
            requests_per_s,
            request_bytes,
        )
        with self._changing() as tokens:
            tokens[identifier] = token
        return token, text

    def revoke(self, which: str) -> list[Token]:
        """Remove the tokens with this id or name; gives them."""
        with self._changing() as tokens:
            gone = [token for token in tokens.values() if which in (token.token_id, token.name)]
            for token in gone:
                del tokens[token.token_id]
        return gone

    @contextmanager
    def _changing(self) -> Generator[dict[str, Token]]:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            tokens = dict(self.tokens())
            yield tokens
            write_private(
                self.path, json.dumps({"tokens": [asdict(each) for each in tokens.values()]}, indent=1) + "\n"
            )


def token_id(text: str) -> str:
    """The public part of a token; empty where the text is none."""
    parts = text.split("_", 2)
    return parts[1] if len(parts) == 3 and parts[0] == PREFIX else ""


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 0600 in one step."""
    with draft_beside(path, 0o600) as draft:
        draft.write_text(text, "utf-8")


def ensure_token(tokens: TokenFile, path: Path, name: str, scope: str) -> str:
    """The token in a file of its own, made (and the file with it) unless it is there and still taken."""
    try:
        text = path.read_text("utf-8", "replace").strip()
    except FileNotFoundError:
        text = ""
    known = tokens.find(text) if text else None
    if known is not None and known.allows(scope) and not known.expired(datetime.now(UTC)):
        return text
    tokens.revoke(name)
    _, text = tokens.create(name, scope)
    write_private(path, f"{text}\n")
    return text


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _moment(text: str) -> datetime:
    """A moment of the file; one without a zone, as people write it, is of UTC."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parsed(text: str) -> dict[str, Token]:
    try:
        entries: list[dict[str, Any]] = json.loads(text)["tokens"]
        known = set(Token.__dataclass_fields__)
        tokens = [Token(**{name: value for name, value in entry.items() if name in known}) for entry in entries]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"no file of tokens: {error}") from error
    for token in tokens:
        _check(token)
    return {token.token_id: token if token.scope in SCOPES else replace(token, scope="read") for token in tokens}


def _check(token: Token) -> None:
    """Refuse an entry that a person spoilt, before it is asked at each request.

    Raises:
        ValueError: the message names the entry and what is wrong with it.
    """
    kinds = {"requests_per_s": (int, float), "request_bytes": (int,)}
    for name, value in asdict(token).items():
        if not isinstance(value, kinds.get(name, (str,))):
            raise ValueError(f"no file of tokens: {name} of {token.name!r} is {value!r}")
    # No number is no limit that anybody meant.
    if not token.requests_per_s >= 0:
        raise ValueError(f"no file of tokens: requests_per_s of {token.name!r} is {token.requests_per_s!r}")
    try:
        if token.expires_at:
            _moment(token.expires_at)
    except ValueError as error:
        raise ValueError(f"no file of tokens: expires_at of {token.name!r}: {error}") from error
