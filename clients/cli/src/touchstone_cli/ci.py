"""`touchstone ci`: tasks from the functions that a change touches, told as JUnit and SARIF."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.changed import top_of, touched
from touchstone_cli.classify import OfflineError, offline
from touchstone_cli.errors import CliError
from touchstone_cli.output import counted, print_json, print_table, say
from touchstone_cli.reports import Checked, junit, sarif
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_cli.try_task import build, extract

# The exit code of the ingester for a path that holds nothing that parses.
NOTHING_PARSES = 3


def ci(
    base: Annotated[str, typer.Option(help="What the change is made to.")] = "origin/main",
    folder: Annotated[Path, typer.Option(help="A folder of the repository.")] = Path(),
    junit_file: Annotated[Path | None, typer.Option("--junit", help="Write a JUnit report to this file.")] = None,
    sarif_file: Annotated[Path | None, typer.Option("--sarif", help="Write a SARIF report to this file.")] = None,
    limit: Annotated[int, typer.Option(min=0, help="Try so many candidates at most; 0: all.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> None:
    """Try every function that a change touches: is it a task, with which suite, or why not.

    Needs git and the sandbox, no platform and no model. A function that gives no task fails nothing; exit code 1 says
    that one could not be tried, or a changed file not be looked at.

    Example: touchstone ci --base origin/main --junit touchstone.xml --sarif touchstone.sarif
    """
    if not folder.is_dir():
        raise CliError(f"{folder}: no such folder")
    top = top_of(folder)
    functions, unread = changed_functions(top, base)
    say(f"{counted(len(functions), 'function')} changed since {base}")
    candidates = [one for one in functions if one["task_candidate"]]
    chosen = {_place(one) for one in (candidates[:limit] if limit else candidates)}
    checked: list[Checked] = []
    if chosen:
        with sandbox_address() as address:
            checked = [_checked(top, one, address if _place(one) in chosen else "") for one in functions]
    else:
        checked = [_checked(top, one, "") for one in functions]
    checked += unread
    if junit_file is not None:
        junit_file.write_bytes(junit(checked))
    if sarif_file is not None:
        sarif_file.write_text(sarif(checked))
    if as_json:
        print_json([one.as_object() for one in checked])
    else:
        rows = [(one.file, one.line, one.function, one.outcome, one.reason, one.detail) for one in checked]
        print_table(("file", "line", "function", "outcome", "reason", "detail"), rows, right=("line",))
    if any(one.outcome == "failed" for one in checked):
        raise typer.Exit(1)


def changed_functions(top: Path, base: str) -> tuple[list[dict[str, Any]], list[Checked]]:
    """Functions that a change touches, as `touchstone classify` describes them, with paths below the top.

    Returns:
        The functions, and a failure for each file that could not be looked at.

    Raises:
        CliError: git does not know the base.
    """
    found: list[dict[str, Any]] = []
    unread: list[Checked] = []
    for file, ranges in sorted(touched(top, base).items()):
        try:
            described = offline(
                [sys.executable, "-m", "ingester", "classify", "--top", str(top), str(top / file), "--json"],
                "the ingester",
            )
        except CliError as error:
            say(str(error))
            # A file that does not parse has no functions; the tests of the change will say more of it. Of any other
            # nobody knows what it holds.
            if not isinstance(error, OfflineError) or error.ended != NOTHING_PARSES:
                unread.append(Checked(file, 1, 1, file, "failed", "", str(error)))
            continue
        for one in described:
            lines = range(one["line_start"], one["line_end"] + 1)
            if any(lines.start < each.stop and each.start < lines.stop for each in ranges):
                found.append({**one, "path": file})
    return found, unread


def _place(function: dict[str, Any]) -> tuple[str, str, int]:
    return function["path"], function["qualname"], function["line_start"]


def _checked(top: Path, function: dict[str, Any], sandbox: str) -> Checked:
    """One function, built in the sandbox where an address is given."""
    file, qualname, line = _place(function)
    if not function["task_candidate"]:
        why = function["rejection"] or function["reason"]
        return Checked(file, line, function["line_end"], qualname, "no_candidate", function["rejected_by"], why)
    if not sandbox:
        return Checked(file, line, function["line_end"], qualname, "not_tried", "limit", "beyond --limit")
    began = time.monotonic()
    try:
        # A name may be defined several times, under `if` or `try`: what is reported is what was tried.
        answer = build(extract(f"{top / file}::{qualname}@{line}"), sandbox, no_llm=True)
    except CliError as error:
        return Checked(file, line, function["line_end"], qualname, "failed", "", str(error), time.monotonic() - began)
    outcome = "task" if answer["released"] else "refused"
    detail = f"{counted(answer['cases'], 'case')}, {answer['kind']}" if answer["released"] else answer["detail"]
    return Checked(
        file, line, function["line_end"], qualname, outcome, answer["reason"] or "", detail, time.monotonic() - began
    )
