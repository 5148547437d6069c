"""`touchstone cost`: what questions to models took, by model, purpose, service and day."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import print_json, print_table, say, to_dict, warn
from touchstone_cli.services import UnreachableError, connect
from touchstone_runtime.costs import cost_is_unknown, usd_in_words

# The services that ask models.
ASKING = ("pbt-generator", "retriever", "annotator", "evaluator")
BY = ("service", "model", "purpose", "day")
_TOKENS = ("tokens_in", "tokens_out", "thought_tokens", "lost_tokens")
_FIGURES = ("calls", "cached_hits", *_TOKENS, "seconds", "cost_usd")


def cost(
    by: Annotated[
        str, typer.Option("--by", help="What to add up by, comma-separated: service, model, purpose, day.")
    ] = "model,purpose",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array, a line of the table each.")] = False,
) -> None:
    """Show what questions to models took, as the services' ledgers have it: questions, tokens, seconds, US dollars.

    Days are of UTC. What the cache answered costs nothing and is counted apart. Tokens in vain are of questions without
    a usable answer, as told or the most that they can have been. What batches answered took nobody knows how long.
    Where a service does not answer, sums that it may be a part of are unknown, and the exit code is 1.

    Example: touchstone cost --by model,service,day
    """
    names = [name.strip() for name in by.split(",") if name.strip()]
    unknown = [name for name in names if name not in BY]
    if unknown or not names:
        raise CliError(f"--by takes {', '.join(BY)}, not {', '.join(unknown) or 'nothing'}", exit_code=2)
    booked, away = _booked()
    for line in away.values():
        warn(f"left out: {line}")
    if len(away) == len(ASKING):
        raise CliError("no service answers; start the platform with `touchstone up`")
    rows = added_up(booked, names)
    unpriced = {
        tuple(each[name] for name in names)
        for each in booked
        if cost_is_unknown(
            each["model"], each["cost_usd"], each["tokens_in"] + each["tokens_out"], each["unpriced_tokens"]
        )
    }
    # Only where the sums are of one service each does another that is away lack in none of them.
    lacking = [] if "service" in names else sorted(away)
    if lacking:
        unpriced |= {tuple(row[name] for name in names) for row in rows}
    if as_json:
        for row in rows:
            row["cost_usd_known"] = row["cost_usd"]
            # With a part that nobody knows the sum is none.
            row["cost_usd"] = None if tuple(row[name] for name in names) in unpriced else row["cost_usd"]
            row["seconds"] = row["seconds"] or (None if row["calls"] else 0)
            row["left_out"] = lacking
        print_json(rows)
        _demand_all(away)
        return
    cells = [
        (
            *(row[name] or "before days were kept" for name in names),
            f"{row['calls']:,}", f"{row['cached_hits']:,}", *(f"{row[figure]:,}" for figure in _TOKENS),
            f"{row['seconds']:,.0f}" if row["seconds"] or not row["calls"] else "–",
            usd_in_words(row["cost_usd"], unknown=tuple(row[name] for name in names) in unpriced),
        )
        for row in rows
    ]  # fmt: skip
    tokens = ("tokens in", "tokens out", "of them thoughts", "of them in vain")
    figures = ("questions", "from cache", *tokens, "seconds", "USD")
    print_table((*names, *figures), cells, right=figures)
    if not rows and not away:
        say("No model was asked yet.")
    _demand_all(away)


def added_up(booked: Iterable[dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """Sums of all figures by the named fields, sorted by these; the last day comes last.

    Example:
        >>> added_up([{"model": "m", "calls": 1}, {"model": "m", "calls": 2}], ["model"])[0]["calls"]
        3
    """
    sums: dict[tuple[str, ...], dict[str, float]] = defaultdict(lambda: dict.fromkeys(_FIGURES, 0))
    for each in booked:
        mine = sums[tuple(each[name] for name in names)]
        for figure in _FIGURES:
            mine[figure] += each.get(figure, 0)
    return [dict(zip(names, place, strict=True)) | dict(sums[place]) for place in sorted(sums)]


def _demand_all(away: Iterable[str]) -> None:
    """Refuse to end well where a service was not asked.

    Raises:
        CliError: one was not.
    """
    if names := sorted(away):
        raise CliError(f"these sums lack what was booked by {', '.join(names)}")


def _booked() -> tuple[list[dict[str, Any]], dict[str, str]]:
    """What every service has booked, and why some of them, by name, say nothing."""
    found: list[dict[str, Any]] = []
    away: dict[str, str] = {}
    for name in ASKING:
        service = connect(name)
        try:
            progress = service.call("Progress", service.messages.ProgressRequest(with_spending=True)).progress
        except UnreachableError as error:
            away[name] = str(error)
            continue
        finally:
            service.close()
        found += [to_dict(spent) | {"service": name} for spent in progress.spent]
    return found, away
