"""`touchstone token`: who may use this platform, how far and until when."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import print_json, print_table, say
from touchstone_cli.settings import tokens_file

if TYPE_CHECKING:
    from touchstone_runtime.tokens import Token, TokenFile

app = typer.Typer(
    help="Tokens that callers show: create, list, revoke.",
    epilog="Example: touchstone token list",
    no_args_is_help=True,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
File = Annotated[Path | None, typer.Option("--file", help="File of tokens; by default this machine's platform's.")]
_UNITS = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}


@app.command()
def create(
    name: Annotated[str, typer.Argument(help="Who or what it is for.")],
    scope: Annotated[
        str, typer.Option("--scope", help="read, judge (also run code), serve (services) or operate (all).")
    ] = "read",
    expires: Annotated[str, typer.Option("--expires", help="Until when: 30m, 12h, 90d; empty for ever.")] = "90d",
    rate: Annotated[float, typer.Option("--rate", min=0, help="Requests a second; 0 for no limit.")] = 50.0,
    size: Annotated[int, typer.Option("--size", min=0, help="Largest request in bytes; 0 for no limit.")] = 4 << 20,
    file: File = None,
    as_json: AsJson = False,
) -> None:
    """Make a token and print it, once.

    Example: touchstone token create dashboard --scope read --expires 30d
    """
    until = _end_of(expires) if expires else None
    try:
        token, text = _tokens(file).create(name, scope, expires_at=until, requests_per_s=rate, request_bytes=size)
    except ValueError as error:
        raise CliError(str(error), exit_code=2) from error
    if as_json:
        print_json(_shown(token) | {"token": text})
        return
    typer.echo(text)
    say(f"{token.token_id}: may {token.scope} until {token.expires_at or 'revoked'}. It is shown only now.")


@app.command("list")
def list_tokens(file: File = None, as_json: AsJson = False) -> None:
    """Show who may come in; never the tokens themselves.

    Example: touchstone token list --json
    """
    found = [_shown(token) for token in _tokens(file).tokens().values()]
    if as_json:
        print_json(found)
        return
    columns = ("token_id", "name", "scope", "expires_at", "requests_per_s", "request_bytes")
    print_table(columns, [tuple(row[column] for column in columns) for row in found], right=columns[-2:])


@app.command()
def revoke(
    which: Annotated[str, typer.Argument(help="Id or name of a token.")], file: File = None, as_json: AsJson = False
) -> None:
    """Take a token back; it stops working with the next request.

    Example: touchstone token revoke dashboard
    """
    gone = _tokens(file).revoke(which)
    if not gone:
        raise CliError(f"{which}: no token has this id or name; see `touchstone token list`")
    if as_json:
        print_json([_shown(token) for token in gone])
        return
    say(f"Revoked {', '.join(token.token_id for token in gone)}.")


def _tokens(file: Path | None) -> TokenFile:
    from touchstone_runtime.tokens import TokenFile

    tokens = TokenFile(file or tokens_file())
    try:
        tokens.tokens()
    except (OSError, ValueError) as error:
        raise CliError(f"{tokens.path}: {error}") from error
    return tokens


def _shown(token: Token) -> dict[str, object]:
    return {name: value for name, value in asdict(token).items() if name != "sha256"}


def _end_of(duration: str) -> datetime:
    found = re.fullmatch(r"([0-9]+)([mhd])", duration)
    if found is None:
        raise CliError(f"--expires {duration}: is no duration; write 30m, 12h or 90d", exit_code=2)
    try:
        return datetime.now(UTC) + int(found[1]) * _UNITS[found[2]]
    except (OverflowError, ValueError) as error:
        # Python reads no number of thousands of digits, and its calendar ends.
        raise CliError(
            f"--expires {duration[:40]}: ends behind the calendar; '' makes a token for ever", exit_code=2
        ) from error
