"""`touchstone search`: find code by a description."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import console, print_json, say, to_dict
from touchstone_cli.services import connect

MODES = ("plain", "augmented")


def search(
    text: Annotated[str, typer.Argument(help="What the code should do.")],
    repo: Annotated[str, typer.Option(help="Only this package or repository.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="How many results.")] = 10,
    mode: Annotated[str, typer.Option(help="plain, or augmented by a model.")] = "plain",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
    code: Annotated[bool, typer.Option("--code", help="Print the code of each result too.")] = False,
) -> None:
    """Find functions and classes among all code that was taken in.

    Example: touchstone search "levenshtein distance of two strings" --limit 5
    """
    if mode not in MODES:
        raise CliError(f"--mode {mode}: no such mode; use one of {', '.join(MODES)}", exit_code=2)
    retriever = connect("retriever")
    request = retriever.messages.SearchRequest(query=text, repository=repo, limit=limit, mode=mode)
    answer = retriever.call("Search", request, timeout_s=300.0)
    if as_json:
        print_json([as_object(result, answer) for result in answer.results])
    else:
        for result in answer.results:
            show(result, code=code)
        if not answer.results:
            where = f" in {repo}" if repo else ""
            say(f"nothing found{where}; {answer.indexed} functions are indexed")
    if answer.index_lag:
        waiting = f"{answer.index_lag} functions" if answer.index_lag > 0 else "an unknown number of functions"
        say(f"{waiting} are not searchable yet")


def as_object(result: Any, answer: Any) -> dict[str, Any]:
    """A result as JSON: its location beside its other fields, and how far the index lags behind."""
    content = to_dict(result)
    location = content.pop("location") or {}
    return {**location, **content, "index_lag": answer.index_lag}


def show(result: Any, *, code: bool = False) -> None:
    """Print one result."""
    place = result.location
    out = console()
    out.print(f"{result.score:.3f}  {place.qualname}", markup=False, style="bold", end="  ")
    out.print(f"{place.repository} {place.version}  {place.path}:{place.line_start}-{place.line_end}", markup=False)
    if result.summary:
        out.print(f"       {result.summary}", markup=False)
    if code:
        out.print(f"\n{result.code}\n", markup=False)
