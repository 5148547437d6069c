"""Every door tried with every token that must not open it: each RPC of each service, and each page of each.

    python tests/chaos/doors.py

starts a platform of its own and prints one JSON line for each service. Requests cannot be decoded, so that whoever is
let in does no harm: UNAUTHENTICATED, PERMISSION_DENIED and INVALID_ARGUMENT say exactly how far a token came. The exit
code is 1 when one came farther than it may, or not as far.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grpc
import httpx
import malformed
import platforms
from google.protobuf.descriptor import MethodDescriptor

from touchstone_local.settings import Folders
from touchstone_runtime.dialling import Identity, dial
from touchstone_runtime.scopes import SCOPE_OF
from touchstone_runtime.tokens import SCOPES, TokenFile

# No message of any contract.
UNDECODABLE = b"\xff\xff\xff\xff"
PATIENCE_S = 120.0
CHANGING = ("POST", "PUT", "PATCH", "DELETE")
PROBES = ("/live", "/ready")


@dataclass(frozen=True)
class Tokens:
    """What may be shown at a door.

    Attributes:
        nobody: Texts that no door opens to, by what is wrong with them.
        by_scope: Texts of good tokens, by their scope.
    """

    nobody: Mapping[str, str]
    by_scope: Mapping[str, str]


def tokens_of(file: TokenFile, elsewhere: TokenFile) -> Tokens:
    """Make tokens of every kind.

    Args:
        file: The platform's own.
        elsewhere: Another platform's.
    """
    by_scope = {scope: file.create(f"doors {scope}", scope)[1] for scope in SCOPES}
    _, revoked = file.create("doors revoked", "operate")
    file.revoke("doors revoked")
    _, expired = file.create("doors expired", "operate", expires_at=datetime.now(UTC) - timedelta(seconds=1))
    _, foreign = elsewhere.create("doors", "operate")
    good = by_scope["operate"]
    begin, public, secret = good.split("_", 2)
    nobody = {
        "missing": "",
        "nonsense": "x",
        "cut short": good[:-1],
        "longer": f"{good}x",
        "guessed": f"{begin}_{public}_{secret[::-1]}",
        "only its public part": f"{begin}_{public}_",
        "another platform's": foreign,
        "revoked": revoked,
        "expired": expired,
    }
    return Tokens(nobody, by_scope)


def due(wanted: str, shown: str) -> str:
    """The code that a call that wants a scope gets with a good token of another."""
    return "INVALID_ARGUMENT" if SCOPES.index(shown) >= SCOPES.index(wanted) else "PERMISSION_DENIED"


async def knock(address: str, methods: Iterable[MethodDescriptor], tokens: Tokens) -> tuple[Counter[str], list[str]]:
    """Call every method with every token; gives how often each code came, and what is wrong."""
    codes: Counter[str] = Counter()
    problems: list[str] = []
    shown = [(kind, text, "") for kind, text in tokens.nobody.items()]
    shown += [(f"of scope {scope}", text, scope) for scope, text in tokens.by_scope.items()]
    for kind, text, scope in shown:
        async with dial(address, Identity(text)) as channel:
            for method in methods:
                path = path_of(method)
                expected = due(SCOPE_OF[path], scope) if scope else "UNAUTHENTICATED"
                code = await _call(channel, method, path)
                codes[code] += 1
                if code != expected:
                    problems.append(f"{path} with a token that is {kind}: {code} instead of {expected}")
    return codes, problems


def path_of(method: MethodDescriptor) -> str:
    """The path that a call of a method names."""
    return f"/{method.containing_service.full_name}/{method.name}"


async def _call(channel: Any, method: MethodDescriptor, path: str) -> str:
    try:
        if method.server_streaming:
            async for _ in channel.unary_stream(path)(UNDECODABLE, timeout=PATIENCE_S, wait_for_ready=True):
                pass
        else:
            await channel.unary_unary(path)(UNDECODABLE, timeout=PATIENCE_S, wait_for_ready=True)
    except grpc.aio.AioRpcError as error:
        return error.code().name
    return "OK"


async def visit(
    client: httpx.AsyncClient, paths: Iterable[str], tokens: Tokens, *, pages: bool
) -> tuple[Counter[str], list[str]]:
    """Ask for pages with every token; gives how often each status came, and what is wrong.

    Args:
        client: Whose base is a service's address.
        paths: Other than probes, which are for everybody.
        tokens: What is shown.
        pages: Whether the pages are for everybody, and only changes and `/metrics` want a token (of its own).
    """
    codes: Counter[str] = Counter()
    problems: list[str] = []

    async def ask(method: str, path: str, kind: str, text: str, allowed: Callable[[int], bool]) -> None:
        headers = {"authorization": f"Bearer {text}"} if text else {}
        status = (await client.request(method, path, headers=headers)).status_code
        codes[str(status)] += 1
        if not allowed(status):
            problems.append(f"{method} {path} with a token that is {kind}: {status}")

    shown = [(kind, text, "") for kind, text in tokens.nobody.items()]
    shown += [(f"of scope {scope}", text, scope) for scope, text in tokens.by_scope.items()]
    for kind, text, scope in shown:
        for path in PROBES:
            await ask("GET", path, kind, text, lambda status: status in (200, 503))
        for path in paths:
            guarded = not pages or path == "/metrics"
            await ask("GET", path, kind, text, _reads(guarded, scope))
            for method in CHANGING:
                await ask(method, path, kind, text, _changes(guarded, pages, scope))
    return codes, problems


def _reads(guarded: bool, scope: str) -> Callable[[int], bool]:
    if guarded and not scope:
        return lambda status: status == 401
    return lambda status: status not in (401, 403)


def _changes(guarded: bool, pages: bool, scope: str) -> Callable[[int], bool]:
    if pages:
        # They know one token of their own, and none of these is that.
        return lambda status: status == 403 or (guarded and not scope and status == 401)
    if not scope:
        return lambda status: status == 401
    return (lambda status: status not in (401, 403)) if scope == "operate" else (lambda status: status == 403)


# -- a platform -----------------------------------------------------------------------------------------------------


def services_of(methods: Iterable[MethodDescriptor]) -> dict[str, list[MethodDescriptor]]:
    """RPCs by the name of the service that answers them."""
    found: dict[str, list[MethodDescriptor]] = {}
    for method in methods:
        name = method.containing_service.file.package.split(".")[1].replace("_", "-")
        found.setdefault("sandbox-executor" if name == "sandbox" else name, []).append(method)
    return found


async def try_all(state: Path, elsewhere: Path) -> list[dict[str, Any]]:
    """Try every door of a running platform; gives a line for each service."""
    tokens = tokens_of(TokenFile(state / "tokens.json"), TokenFile(elsewhere / "tokens.json"))
    methods = services_of(malformed.rpcs())
    lines: list[dict[str, Any]] = []
    for name, where in json.loads((state / "platform.json").read_text())["services"].items():
        codes, problems = await knock(where["grpc"], methods.get(name, ()), tokens)
        async with httpx.AsyncClient(base_url=f"http://{where['http']}", timeout=PATIENCE_S, trust_env=False) as client:
            paths = ("/metrics", "/", "/tasks", "/runs") if name == "web" else ("/metrics", "/", "/x")
            statuses, wrong = await visit(client, paths, tokens, pages=name == "web")
        lines.append(
            {
                "chaos": "doors",
                "what": name,
                "rpcs": len(methods.get(name, ())),
                "tokens": len(tokens.nobody) + len(tokens.by_scope),
                "codes": dict(codes),
                "statuses": dict(statuses),
                "problems": problems + wrong,
            }
        )
    return lines


def main() -> int:
    """Start a platform, try its doors, and say what opened."""
    with tempfile.TemporaryDirectory(prefix="doors-", ignore_cleanup_errors=True) as made:
        chaos = platforms.Platforms(Path(made))
        chaos.start_model()
        elsewhere = Folders(Path(made) / "elsewhere", Path(made) / "elsewhere" / "cache").create().state
        try:
            live = chaos.platform("doors")
            try:
                lines = asyncio.run(try_all(live.state, elsewhere))
            finally:
                live.stop()
        finally:
            chaos.stop_model()
    for line in lines:
        sys.stdout.write(json.dumps(line) + "\n")
    return 1 if any(line["problems"] for line in lines) else 0


if __name__ == "__main__":
    raise SystemExit(main())
