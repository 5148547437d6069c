"""`touchstone search`: find code by a description."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

import typer

from touchstone_cli.choices import CODE_KINDS, LANGUAGES, SEARCH_MODES, each_of, one_of
from touchstone_cli.followed import hints
from touchstone_cli.output import console, counted, is_quiet, print_json, say, shown, to_dict, waiting, warn
from touchstone_cli.search_pieces import redrawn
from touchstone_cli.services import connect

_WAIT_S = 300.0


def search(
    text: Annotated[str, typer.Argument(hidden=True)] = "",
    repo: Annotated[list[str] | None, typer.Option(help="Only this package or repository; may be repeated.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100, help="How many results.")] = 10,
    mode: Annotated[str, typer.Option(help="plain, or augmented by a model.")] = "plain",
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
    code: Annotated[bool, typer.Option("--code", help="Print the code of each result too.")] = False,
    language: Annotated[list[str] | None, typer.Option(help="Only this language; may be repeated.")] = None,
    symbol: Annotated[str, typer.Option(help="Name or its last parts; * stands for anything.")] = "",
    path: Annotated[str, typer.Option(help="File, folder, or glob such as src/**/*.py.")] = "",
    regex: Annotated[str, typer.Option(help="What the code must hold, as a regular expression.")] = "",
    kind: Annotated[list[str] | None, typer.Option(help="function, method, nested or class.")] = None,
    licence: Annotated[list[str] | None, typer.Option(help="Only under this licence; may be repeated.")] = None,
    version: Annotated[str, typer.Option(help="Only this release or commit, replaced or not.")] = "",
    merge: Annotated[bool, typer.Option("--merge", help="Show copies as one result.")] = False,
    part: Annotated[
        list[str] | None, typer.Option(help="Rank by this model, text or crowding; may be repeated.")
    ] = None,
    step: Annotated[list[str] | None, typer.Option(help="Steps of an augmented search.")] = None,
    generation: Annotated[str, typer.Option(help="Rank by this generation of the index.")] = "",
    cursor: Annotated[str, typer.Option(help="Go on behind an earlier answer.")] = "",
    explain: Annotated[bool, typer.Option("--explain", help="Say how each score came about.")] = False,
    classes: Annotated[bool, typer.Option("--classes", help="Find classes too.")] = False,
    versions: Annotated[bool, typer.Option("--versions", help="Find what newer versions replaced, too.")] = False,
) -> None:
    """Find code by what it does; or by --symbol, --path or --regex alone.

    Example: touchstone search "levenshtein distance of two strings" --limit 5
    """
    mode = one_of(mode, SEARCH_MODES, "--mode", empty=False)
    languages = each_of(language or (), LANGUAGES, "--language")
    kinds = each_of(kind or (), CODE_KINDS, "--kind")
    retriever = connect("retriever")
    request = retriever.messages.SearchRequest(
        query=text,
        limit=limit,
        mode=mode,
        include_classes=classes,
        include_superseded=versions,
        filters=retriever.messages.SearchFilters(
            repositories=repo or (),
            languages=languages,
            kinds=kinds,
            licences=licence or (),
            symbol=symbol,
            path=path,
            pattern=regex,
            version=version,
        ),
        merge_duplicates=merge,
        parts=part or (),
        steps=step or (),
        generation=generation,
        cursor=cursor,
    )
    if mode == "augmented" and not as_json and not is_quiet() and console().is_terminal:
        answer = redrawn(retriever, request, _WAIT_S, in_a_line, partial(show, code=code, explain=explain))
    else:
        with waiting("a model reads the question" if mode == "augmented" else "searching"):
            answer = retriever.call("Search", request, timeout_s=_WAIT_S)
    if as_json:
        print_json([as_object(result, answer) for result in answer.results])
    else:
        for result in answer.results:
            show(result, code=code, explain=explain)
        if not answer.results:
            where = f" in {', '.join(repo)}" if repo else ""
            say(f"nothing found{where}; {counted(answer.indexed, 'function is', 'functions are')} indexed")
    # A program that reads results alone would take each kind of nothing, and less than it asked for, for all there is.
    tell = warn if not answer.results or answer.left_out else say
    if answer.next_cursor and (len(answer.results) >= limit or not answer.results) and not as_json:
        tell("more: a larger --limit, or --cursor with the next_cursor of --json")
    elif answer.next_cursor and not answer.results:
        tell(f"more: --cursor {answer.next_cursor}")
    if answer.mode and answer.mode not in (mode, "exact"):
        warn(f"asked for {mode}, answered {answer.mode}: {answer.note or 'no reason given'}")
    elif answer.note:
        tell(answer.note)
    if not answer.results and repo:
        for line in hints(repo, retriever):
            say(line)
    if explain and answer.parts:
        say(f"ranked by {', '.join(answer.parts)}, generation {answer.generation or 'unknown'}")
    if tokens := sum(one.tokens_in + one.tokens_out for one in answer.steps):
        took = ", ".join(f"{one.step} {one.seconds:.1f} s" for one in answer.steps)
        say(f"the model: {tokens:,} tokens in {answer.elapsed_s:.1f} s ({took})")
    if answer.index_lag > 0:
        tell(f"{counted(answer.index_lag, 'function is', 'functions are')} not searchable yet")
    elif answer.index_lag < 0:
        tell("whether all functions are searchable yet is not known: the broker cannot say")


def as_object(result: Any, answer: Any) -> dict[str, Any]:
    """A result as JSON: its location beside its other fields, what found and ranked it, and how far the index lags."""
    content = to_dict(result)
    location = content.pop("location") or {}
    told = ("index_lag", "mode", "note", "next_cursor", "generation")
    said: dict[str, Any] = {name: getattr(answer, name) for name in told}
    said["parts"] = list(answer.parts)
    said["left_out"] = list(answer.left_out)
    said["steps"] = [to_dict(one) for one in answer.steps]
    return {**location, **content, **said}


def show(result: Any, *, code: bool = False, explain: bool = False) -> None:
    """Print one result: the place first, as editors and terminals take it."""
    place = result.location
    out = console()
    out.print(_at(result), markup=False, style="bold", end="  ")
    out.print(_named(result), markup=False)
    if result.summary:
        out.print(f"    {result.summary}", markup=False)
    for other in result.duplicates:
        out.print(f"    also {other.path}:{other.line_start}  {other.repository} {other.version}", markup=False)
    if result.more_duplicates:
        out.print(f"    also in at least {counted(result.more_duplicates, 'other place')}", markup=False)
    if explain:
        for one in result.explanation:
            z = f", z {one.z:+.2f}" if one.z else ""
            words = f"{one.part} {one.value:.3f}{z} x {one.weight:g} = {one.contribution:+.4f}"
            out.print(f"    {words}", markup=False)
    if code:
        _show_code(result.code, place.language or "python", place.line_start)


def in_a_line(result: Any) -> str:
    """A result in one line."""
    return f"{_at(result)}  {_named(result)}"


def _at(result: Any) -> str:
    return f"{result.location.path}:{result.location.line_start}"


def _named(result: Any) -> str:
    place = result.location
    form = "" if result.form in ("", "function") else f"{result.form} "
    old = ", replaced since" if result.superseded else ""
    streams = f", by {' and '.join(result.streams)}" if list(result.streams) not in ([], ["query"]) else ""
    return f"{form}{place.qualname}  {place.repository} {place.version}  {result.score:.3f}{streams}{old}"


def _show_code(code: str, language: str, first_line: int) -> None:
    out = console()
    if not out.is_terminal:
        out.print(f"\n{code}\n", markup=False)
        return
    from rich.syntax import Syntax

    out.print(Syntax(shown(code), language, line_numbers=True, start_line=max(first_line, 1), theme="ansi_dark"))
