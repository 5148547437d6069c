"""`touchstone doctor`: what this machine has and lacks."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer

from touchstone_cli.output import console, counted, print_json, say
from touchstone_cli.settings import state_folders

MARKS = {"ok": ("✓", "green"), "warning": ("!", "yellow"), "problem": ("✗", "red")}


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False) -> None:
    """Check runtimes, isolation, models, disk, memory and ports, and say what to do.

    The exit code is 1 when something is missing that the platform cannot do without.

    Example: touchstone doctor
    """
    from touchstone_local.doctor import PROBLEM, WARNING, examine

    checks = examine(state_folders())
    if as_json:
        print_json([asdict(check) for check in checks])
    else:
        out = console()
        width = max(len(check.name) for check in checks)
        for check in checks:
            mark, colour = MARKS[check.state]
            out.print(mark, style=colour, end=" ")
            out.print(f"{check.name:<{width}}  {check.detail}", markup=False)
            if check.way_out:
                out.print(f"  {'':<{width}}  → {check.way_out}", markup=False, style=colour)
    sys.stdout.flush()
    problems = sum(check.state == PROBLEM for check in checks)
    warnings = sum(check.state == WARNING for check in checks)
    if not as_json:
        say(f"{counted(problems, 'problem')}, {counted(warnings, 'warning')}")
    if problems:
        raise typer.Exit(1)
