"""`touchstone run`: start the platform and do the main job, until there is something of everything to see."""

from __future__ import annotations

import json
import sys
import time
from collections import UserDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from touchstone_cli.annotate import answers
from touchstone_cli.classify import offline
from touchstone_cli.errors import CliError
from touchstone_cli.output import console, counted, duration, is_quiet, say
from touchstone_cli.settings import checkout_file, state_folders
from touchstone_runtime.drafts import draft_beside

if TYPE_CHECKING:
    from touchstone_cli.main_job import MainJob, Stage
    from touchstone_cli.services import Service

POLL_S = 2.0
LINE_EVERY_S = 60.0
AGAIN = "`touchstone run` goes on where this stopped"


def run(
    sources: Annotated[Path | None, typer.Option(help="File with the sources; sources.toml when left out.")] = None,
    model: Annotated[str, typer.Option(help="Model under test; the default of models.toml when left out.")] = "",
    tasks_limit: Annotated[int, typer.Option(min=0, help="Tasks that the model gets; 0: all.")] = 10,
    cocost: Annotated[int, typer.Option(min=0, help="Of these, so many are solved by CoCoST too.")] = 1,
    queries: Annotated[int, typer.Option(min=0, help="Shipped queries to label pairs for.")] = 2,
    candidates: Annotated[int, typer.Option(min=1, max=20, help="Pairs for each of them.")] = 3,
    wait: Annotated[bool, typer.Option("--wait", help="Return when nothing is left to do.")] = False,
) -> None:
    """Start the platform and do the main job: code in, tasks built, a model scored, pairs labelled.

    Returns when there is something of each to see; the rest goes on. A second call takes new input only.

    Example: touchstone run --tasks-limit 50
    """
    from touchstone_cli.asking import Goals
    from touchstone_cli.machine import start_platform
    from touchstone_cli.main_job import WATCHED, MainJob
    from touchstone_cli.services import connect
    from touchstone_cli.sources import read_file
    from touchstone_local import control

    began = time.monotonic()
    wanted = read_file(sources or checkout_file("sources.toml"))
    # Before anything is fetched or started.
    control.demand_model(model)
    start_platform(state_folders())
    say(f"The platform is up after {duration(time.monotonic() - began)}.")
    services = {name: connect(name) for name in WATCHED}
    goals = Goals(model, tasks_limit, cocost, _queries(queries), candidates, wait)
    asked = Remembered(state_folders().state / "asked.json")
    try:
        with _display() as display:
            job = MainJob(services, wanted, goals, display.line, asked)
            job.begin()
            display.line(f"Following {counted(len(wanted), 'source')}. Ctrl-C stops the watching; nothing is lost.")
            while not job.step():
                display.show(job)
                time.sleep(POLL_S)
            display.show(job, last=True)
    except KeyboardInterrupt:
        message = f"\nStopped watching; the platform goes on. {AGAIN}; stop the platform with `touchstone down`."
        raise CliError(message, exit_code=130) from None
    results(services, job, goals.queries)
    after = duration(time.monotonic() - began)
    if left := job.left():
        say(f"\nThis much after {after}. The platform goes on with the rest; `touchstone status` says how far it is:")
        say(f"  {'; '.join(left)}")
    else:
        say(f"\nDone after {after}. The platform runs on: `touchstone status`.")
    say("Stop it with `touchstone down` (in a fresh shell: .venv/bin/touchstone down).")
    if any("stands still" in problem for problem in job.problems):
        raise CliError(f"Not everything could be done, see above; {AGAIN}.")


class Remembered(UserDict[str, str]):
    """What earlier calls asked the model: run ids by what they were asked for, in a file of the state folder.

    Args:
        path: The file; one that cannot be read counts as empty.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path
        try:
            content: Any = json.loads(path.read_text())
            self.data = {str(key): str(value) for key, value in content.items()}
        except (OSError, ValueError, AttributeError):
            self.data = {}

    def __setitem__(self, key: str, value: str) -> None:
        super().__setitem__(key, value)
        self._write()

    def __delitem__(self, key: str) -> None:
        super().__delitem__(key)
        self._write()

    def _write(self) -> None:
        with draft_beside(self._path) as draft:
            draft.write_text(json.dumps(self.data, indent=1) + "\n")


def _queries(count: int) -> list[tuple[str, str]]:
    """The first of the queries that are shipped with the retriever."""
    if not count:
        return []
    shipped = offline([sys.executable, "-m", "retriever", "queries"], "the retriever")
    return [(str(query["text"]), str(query.get("origin", "shipped"))) for query in shipped[:count]]


# -- results -------------------------------------------------------------------------------------------------------


def results(services: dict[str, Service], job: MainJob, queries: Sequence[tuple[str, str]]) -> None:
    """Print how code became tasks, the leaderboard, search results, labelled pairs, and where the report is."""
    from touchstone_cli.funnel import in_a_line
    from touchstone_cli.leaderboard import WORDINGS, row_words
    from touchstone_cli.search import show

    out = console()
    tasks = job.stages["tasks"]
    certified = counted(tasks.done, "certified task")
    out.print(f"\n{certified} {tasks.note}", style="bold", markup=False)
    out.print(f"{in_a_line()} (`touchstone funnel`)", markup=False)
    out.print("\nLeaderboard", style="bold")
    evaluator = services["evaluator"]
    board = evaluator.call("Leaderboard", evaluator.messages.LeaderboardRequest(wording="both"))
    by_wording = sorted(board.rows, key=lambda row: row.wording != "described")
    for wording, rows in groupby(by_wording, lambda row: row.wording):
        if wording in WORDINGS:
            out.print(WORDINGS[wording], style="dim", markup=False)
        for row in rows:
            out.print(row_words(row), markup=False)
    out.print("\nSearch", style="bold")
    retriever = services["retriever"]
    texts = [text for text, _ in queries] + ["split a list into pieces", "turn text into a slug"]
    searched = ""
    for text in texts[:2]:
        try:
            answer = retriever.call("Search", retriever.messages.SearchRequest(query=text, limit=1), timeout_s=300.0)
        except CliError as error:
            say(f"“{text}”: {error}")
            continue
        out.print(f"“{text}”", markup=False)
        for result in answer.results:
            show(result)
        searched = _searched(answer)
    if searched:
        out.print(searched, markup=False)
    out.print("A model can refine the question: `touchstone search --mode augmented`", markup=False)
    out.print("\nLabelled pairs", style="bold")
    annotator = services["annotator"]
    pairs = list(annotator.call("ListPairs", annotator.messages.ListPairsRequest(limit=20)).pairs)
    for pair in _two_of(pairs):
        verdict = _VERDICTS[answers(pair.outcome, pair.label)]
        subject = " ".join(part for part in (pair.repository, pair.qualname) if part) or "code given by hand"
        out.print(f"{subject} {verdict} “{pair.query}”: {pair.reason}", markup=False)
        out.print("  " + " → ".join(f"{step.name}: {step.outcome}" for step in pair.steps), markup=False)
    if board.report_url:
        out.print(f"\nReport: {board.report_url}", style="bold")


# What is told of a pair, the more telling kind first.
_VERDICTS = {"yes": "answers", "no": "does not answer", "undecided": "is not decided to answer"}


def _two_of(pairs: Sequence[Any]) -> list[Any]:
    """Two pairs: one of each kind says more than two of a kind."""
    kinds = [[pair for pair in pairs if answers(pair.outcome, pair.label) == kind] for kind in _VERDICTS]
    rounds = zip_longest(*kinds)
    return [pair for one in rounds for pair in one if pair is not None][:2]


def _searched(answer: Any) -> str:
    """How much a search could find: an answer from a tenth of the functions is not yet what it will be."""
    indexed = counted(answer.indexed, "function")
    if answer.index_lag > 0:
        return f"searched {indexed}; {answer.index_lag:,} more will be searchable later, and the answers better"
    if answer.index_lag < 0:
        return f"searched {indexed}; whether that is all that was taken in is not known"
    return f"searched {indexed}, all that was taken in"


# -- progress ------------------------------------------------------------------------------------------------------


class _Lines:
    """Progress as lines, for logs and pipes."""

    def __init__(self) -> None:
        self._last = 0.0
        self._began = time.monotonic()
        self._finished: set[str] = set()

    def line(self, text: str) -> None:
        say(text)

    def show(self, job: MainJob, *, last: bool = False) -> None:
        now = time.monotonic()
        news = {stage.name for stage in job.stages.values() if stage.finished} - self._finished
        if not (news or last or now - self._last >= LINE_EVERY_S):
            return
        # What a line before has said to be finished is not said again.
        shown = [stage for stage in job.stages.values() if last or stage.name not in self._finished]
        self._finished |= news
        self._last = now
        say(f"{duration(now - self._began):>12}  " + "; ".join(_words(stage) for stage in shown))


class _Table:
    """Progress as a table that is drawn anew, for terminals."""

    def __init__(self, live: Any) -> None:
        self._live = live

    def line(self, text: str) -> None:
        self._live.console.print(text, markup=False)

    def show(self, job: MainJob, *, last: bool = False) -> None:
        from rich.table import Table

        table = Table("", "done", "of", "a minute", "left", "", box=None, pad_edge=False)
        for stage in job.stages.values():
            mark = "✓ " if stage.finished else "… "
            rate = f"{stage.rate * 60:.0f}" if stage.rate and not stage.finished else ""
            left = duration(stage.seconds_left) if stage.seconds_left else ""
            total = str(stage.total) if stage.total else ""
            table.add_row(mark + stage.name, str(stage.done), total, rate, left, stage.note[:60])
        self._live.update(table)
        if last:
            self._live.refresh()


def _words(stage: Stage) -> str:
    text = f"{stage.name} {stage.done}{f' of {stage.total}' if stage.total else ''}"
    if stage.finished:
        return f"{text} ✓"
    if stage.rate:
        text += (
            f" ({stage.rate * 60:.0f} a minute{f', {duration(stage.seconds_left)} left' if stage.seconds_left else ''})"
        )
    return text


@contextmanager
def _display() -> Iterator[_Lines | _Table]:
    if is_quiet() or not sys.stderr.isatty():
        yield _Lines()
        return
    from rich.live import Live

    with Live(console=console(stderr=True), refresh_per_second=2) as live:
        yield _Table(live)
