"""`touchstone init`: from a repository of one's own to the tasks that come of it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.changed import committed, history
from touchstone_cli.classify import functions_of
from touchstone_cli.decisions import Place, await_decisions
from touchstone_cli.errors import CliError
from touchstone_cli.output import counted, print_json, print_table, say, to_dict
from touchstone_cli.services import UnreachableError, connect
from touchstone_cli.sources import add_one, named, take_in, wait_for
from touchstone_cli.standing import Standing, standing


def init(
    folder: Annotated[Path, typer.Argument(help="A repository or folder.")] = Path(),
    window_days: Annotated[int, typer.Option(min=0, help="Only code dated within so many days; 0: default.")] = 0,
    wait: Annotated[bool, typer.Option(help="Wait until every candidate is decided.", show_default=False)] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """List which functions are candidates for tasks, follow the folder, and show which tasks come of it.

    Of a git repository what is committed counts. Without a platform the candidates are listed all the same. Each
    candidate is told as soon as it is decided; Ctrl-C and --no-wait leave the platform at work.

    Example: touchstone init . --json
    """
    if not folder.is_dir():
        raise CliError(f"{folder}: no such folder")
    functions = functions_of(folder, "`touchstone sources add` follows other code, for search")
    found = [function for function in functions if function["task_candidate"]]
    if not as_json:
        _show_candidates(found, len(functions))
    wanted = named(str(folder.resolve()) + "/", window_days=window_days)
    ingester = connect("ingester")
    try:
        source = add_one(ingester, wanted)
        asked_at = take_in(ingester, [source.source_id])
    except UnreachableError as error:
        raise CliError(
            "to follow it, start the platform with `touchstone up` and call `touchstone init` again"
        ) from error
    say(f"following {source.kind} {source.name}")
    if not wait:
        if as_json:
            print_json({"source": to_dict(source), "candidates": found, "tasks": [], "refused": []})
        say(
            "It is being taken in; `touchstone sources list` shows whether it was,"
            " `touchstone init` again which tasks come of it."
        )
        return
    found_sources = wait_for(ingester, [source.source_id], asked_at)
    if not found_sources:
        raise CliError(f"{source.name}: is followed no more; somebody removed it meanwhile")
    source = found_sources[0]
    if source.state == "failed":
        raise CliError(f"{source.name}: {source.detail}")
    if source.state == "outside_window":
        raise CliError(
            f"{source.name}: nothing of it was taken in ({source.detail}); a larger --window-days takes in what is"
            " older, and a git repository dates what has no date"
        )
    generator = connect("pbt-generator")
    tasks, refused = await_decisions(generator, source, _expected(folder, source.kind, found))
    places = {(one["path"], one["qualname"]) for one in functions}
    past = history(folder) if source.kind == "git" else []
    now = standing(tasks, refused, source.latest_version, places, past)
    if as_json:
        tables = {
            "candidates": found,
            "tasks": [to_dict(one) for one in now.tasks],
            "refused": [to_dict(one) for one in now.refused],
            "older_tasks": [to_dict(one) for one in (*now.older, *now.gone)],
        }
        print_json({"source": to_dict(source), **tables})
        return
    _show_decisions(source, now)


def _show_candidates(found: list[dict[str, Any]], functions: int) -> None:
    rows = [(one["path"], one["line"], one["qualname"], one["class"], one["complexity"]) for one in found]
    if rows:
        print_table(("file", "line", "candidate", "class", "complexity"), rows, right=("line", "complexity"))
    of = f"{counted(len(found), 'candidate')} of {counted(functions, 'function')}"
    say(f"{of}; `touchstone classify` says why the others are none")


def _expected(folder: Path, kind: str, found: list[dict[str, Any]]) -> set[Place]:
    """The candidates that can be decided: of a git repository those in files that are committed."""
    places = {(one["path"], one["qualname"]) for one in found}
    if kind != "git":
        return places
    files = committed(folder)
    waiting = {place for place in places if place[0] not in files}
    if waiting:
        say(f"{counted(len(waiting), 'candidate is', 'candidates are')} in files that are not committed")
    return places - waiting


def _show_decisions(source: Any, now: Standing) -> None:
    tasks, refused = now.tasks, now.refused
    rows = [(task.task_id[:8], task.entry_point, task.kind, "task", counted(task.cases, "case")) for task in tasks]
    rows += [("", one.entry_point, one.kind, one.reason, one.detail) for one in refused]
    if rows:
        print_table(("task", "function", "class", "outcome", ""), rows)
    say(f"{source.kind} {source.name}: {counted(len(tasks), 'task')}, {len(refused)} refused")
    for what, older in (
        ("earlier code of these functions", now.older),
        ("functions that stand here no more", now.gone),
    ):
        if older:
            names = ", ".join(f"{one.entry_point} {one.task_id[:8]}" for one in older)
            say(f"{counted(len(older), 'task')} of {what} stay: {names}")
    if not rows:
        say(f"{source.state.replace('_', ' ')}{f': {source.detail}' if source.detail else ''}; see `touchstone funnel`")
