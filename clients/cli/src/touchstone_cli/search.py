"""`touchstone search`: find code by a description."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from touchstone_cli.choices import LANGUAGES, SEARCH_MODES, one_of
from touchstone_cli.output import console, print_json, say, shown, to_dict
from touchstone_cli.services import connect


def search(
    text: Annotated[str, typer.Argument(help="What the code should do.")],
    repo: Annotated[str, typer.Option(help="Only this package or repository.")] = "",
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="How many results.")] = 10,
    mode: Annotated[str, typer.Option(help="plain, or augmented by a model.")] = "plain",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
    code: Annotated[bool, typer.Option("--code", help="Print the code of each result too.")] = False,
    language: Annotated[str, typer.Option(help="Only this language.")] = "",
    classes: Annotated[bool, typer.Option("--classes", help="Find classes too.")] = False,
    versions: Annotated[bool, typer.Option("--versions", help="Find what newer versions replaced, too.")] = False,
) -> None:
    """Find functions and classes among all code that was taken in.

    Example: touchstone search "levenshtein distance of two strings" --limit 5
    """
    mode = one_of(mode, SEARCH_MODES, "--mode", empty=False)
    language = one_of(language, LANGUAGES, "--language")
    retriever = connect("retriever")
    request = retriever.messages.SearchRequest(
        query=text,
        repository=repo,
        limit=limit,
        mode=mode,
        language=language,
        include_classes=classes,
        include_superseded=versions,
    )
    answer = retriever.call("Search", request, timeout_s=300.0)
    if as_json:
        print_json([as_object(result, answer) for result in answer.results])
    else:
        for result in answer.results:
            show(result, code=code)
        if not answer.results:
            where = f" in {repo}" if repo else ""
            say(f"nothing found{where}; {answer.indexed} functions are indexed")
    if answer.mode and answer.mode != mode:
        say(f"asked for {mode}, answered {answer.mode}: {answer.note or 'no reason given'}")
    elif answer.note:
        say(answer.note)
    if answer.index_lag:
        waiting = f"{answer.index_lag} functions" if answer.index_lag > 0 else "an unknown number of functions"
        say(f"{waiting} are not searchable yet")


def as_object(result: Any, answer: Any) -> dict[str, Any]:
    """A result as JSON: its location beside its other fields, how it was found, and how far the index lags behind."""
    content = to_dict(result)
    location = content.pop("location") or {}
    return {**location, **content, "index_lag": answer.index_lag, "mode": answer.mode, "note": answer.note}


def show(result: Any, *, code: bool = False) -> None:
    """Print one result: the place first, as editors and terminals take it."""
    place = result.location
    out = console()
    out.print(f"{place.path}:{place.line_start}", markup=False, style="bold", end="  ")
    form = "" if result.form in ("", "function") else f"{result.form} "
    old = ", replaced since" if result.superseded else ""
    streams = f", by {' and '.join(result.streams)}" if list(result.streams) not in ([], ["query"]) else ""
    out.print(
        f"{form}{place.qualname}  {place.repository} {place.version}  {result.score:.3f}{streams}{old}", markup=False
    )
    if result.summary:
        out.print(f"    {result.summary}", markup=False)
    if code:
        _show_code(result.code, place.language or "python", place.line_start)


def _show_code(code: str, language: str, first_line: int) -> None:
    out = console()
    if not out.is_terminal:
        out.print(f"\n{code}\n", markup=False)
        return
    from rich.syntax import Syntax

    out.print(Syntax(shown(code), language, line_numbers=True, start_line=max(first_line, 1), theme="ansi_dark"))
