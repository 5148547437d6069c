"""`touchstone open`: the page of a task, a run or a release in the browser."""

from __future__ import annotations

import socket
import webbrowser
from collections.abc import Mapping, Sequence
from typing import Annotated
from urllib.parse import quote, urlsplit

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import say
from touchstone_cli.services import connect
from touchstone_cli.settings import has_screen, web_url

_LISTENS_S = 5.0
_PAGES = ("tasks", "runs", "releases", "search", "status")


def open_page(
    what: Annotated[
        str, typer.Argument(help="A release, function, model or id; or tasks, runs, releases, search, status.")
    ] = "",
) -> None:
    """Show the page of a task, a run or a release in the browser; the board when left out.

    The address is printed too: it is all that happens where there is no browser.

    Example: touchstone open 3f2a
    """
    address = f"{web_url()}/{path_of(what)}"
    if not _is_answered(web_url()):
        raise CliError(f"no pages are served at {web_url()}; start the platform with `touchstone up`")
    print(address)
    if not has_screen():
        return
    try:
        shown = webbrowser.open(address)
    except webbrowser.Error:
        shown = False
    if not shown:
        say("no browser could be started; open the address yourself")


def _is_answered(address: str) -> bool:
    """Whether something listens at an address of this machine; of others nobody asks."""
    parts = urlsplit(address)
    if parts.hostname not in ("127.0.0.1", "localhost", "::1"):
        return True
    try:
        with socket.create_connection((parts.hostname, parts.port or 80), timeout=_LISTENS_S):
            return True
    except OSError:
        return False


def path_of(what: str) -> str:
    """The path of a page below the address of the pages.

    Args:
        what: Name of a page, a release, a task's function or a run's model, or the beginning of an id of a task or a
            run; empty is the board.

    Raises:
        CliError: nothing is called so, or more than one thing.
    """
    if not what:
        return ""
    if what in _PAGES:
        return what
    found = [path for look in (_releases, _tasks, _runs) for path in look(what)]
    if len(found) == 1:
        return found[0]
    if not found:
        raise CliError(f"{what}: no release, task or run is called so; see `touchstone tasks list`, `runs list`")
    raise CliError(f"{what}: {len(found)} things are called so: {', '.join(found[:4])}; give more of the id")


def _releases(what: str) -> list[str]:
    names = [release.name for release in connect("pbt-generator").call("ListReleases").releases]
    return [f"releases/{quote(name, safe='')}" for name in names if name == what]


def _tasks(what: str) -> list[str]:
    tasks = connect("pbt-generator").call("ListTasks").tasks
    return [
        f"tasks/{task_id}"
        for task_id in _meant(what, {task.task_id: (task.entry_point, task.location.qualname) for task in tasks})
    ]


def _runs(what: str) -> list[str]:
    runs = connect("evaluator").call("ListRuns").runs
    return [f"runs/{run_id}" for run_id in _meant(what, {run.run_id: (run.spec.model,) for run in runs})]


def _meant(what: str, things: Mapping[str, Sequence[str]]) -> list[str]:
    """Ids of all that a text may mean; a whole id means nothing else."""
    if what in things:
        return [what]
    return [one for one, names in things.items() if what in names or one.startswith(what)]
