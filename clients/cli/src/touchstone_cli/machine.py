"""`touchstone up`, `down`, `status` and `logs`: the platform on this machine."""

from __future__ import annotations

import contextlib
import sys
import time
from collections import deque
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from touchstone_cli.errors import INTERRUPTED, CliError
from touchstone_cli.output import console, counted, duration, is_quiet, print_json, print_table, say, shown
from touchstone_cli.settings import state_folders

if TYPE_CHECKING:
    from touchstone_local.control import Download, ProcessStatus
    from touchstone_local.download import Progress
    from touchstone_local.settings import Folders

START_TIMEOUT_S = 300.0
# A service that came down so often while the platform starts will not come up by itself.
MOST_RESTARTS = 4
_WATCH_EVERY_S = 2.0

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def up() -> None:
    """Start Kafka, PostgreSQL, the model server and the seven services; fetch what is missing first.

    Example: touchstone up
    """
    start_platform(state_folders())
    say("The platform is up. See it with `touchstone status`, stop it with `touchstone down`.")


def down() -> None:
    """Stop every process of the platform; all data stays.

    Example: touchstone down
    """
    from touchstone_local import control

    folders = state_folders()
    ran = any(row.pid for row in control.status(folders))
    if not ran:
        say(f"Nothing runs of {folders.state}.")
        return
    say(f"Stopping the platform of {folders.state}; services finish or give back what they are doing …")
    began = time.monotonic()
    try:
        control.halt(folders)
    except KeyboardInterrupt:
        words = "Interrupted: some processes may run on; `touchstone status` shows which, `touchstone down` stops them."
        raise CliError(f"\n{words}", exit_code=INTERRUPTED) from None
    say(f"Stopped after {duration(time.monotonic() - began)}. Start again with `touchstone up`.")


def status(
    as_json: AsJson = False,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Show it anew every two seconds, until Ctrl-C.")] = False,
) -> None:
    """Show every process, and what each service has done.

    Example: touchstone status --json
    """
    if not watch:
        _show(as_json)
        return
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            with contextlib.suppress(typer.Exit):
                _show(as_json, anew=True)
            time.sleep(_WATCH_EVERY_S)


def _show(as_json: bool, *, anew: bool = False) -> None:
    """Print the processes once; `anew` in place of what the terminal shows. Ends with 1 where nothing runs."""
    from touchstone_local import control

    rows = control.status(state_folders())
    with ThreadPoolExecutor(len(rows)) as pool:
        progress = dict(zip((row.name for row in rows), pool.map(_progress, rows), strict=True))
    if anew and not as_json:
        # Only now, when the next picture is whole; where the output is no terminal nothing happens.
        console().clear()
    if as_json:
        print_json([asdict(row) | {"log": str(row.log), "progress": progress[row.name]} for row in rows])
    else:
        cells = [
            (row.name, row.state, row.pid or "", row.address, row.restarts or "", _doing(row, progress[row.name]))
            for row in rows
        ]
        print_table(("process", "state", "pid", "address", "restarts", "does"), cells, right=("pid", "restarts"))
        if rows[0].state == "running":
            say(_going_on({row.name: progress[row.name] for row in rows}))
    if rows[0].state != "running":
        if not as_json:
            say("The platform does not run; start it with `touchstone up`.")
        raise typer.Exit(1)


# What a service has before it, in words, where messages wait for it.
_WORK = {
    "ingester": "sources to take in",
    "pbt-generator": "candidates to build tasks of",
    "embedder": "messages about functions",
    "retriever": "messages about functions and queries",
    "annotator": "pairs to label",
    "sandbox-executor": "answers to judge",
    "evaluator": "tasks to solve and verdicts to note",
}


# What becomes of each code, by who does it: the counter of those that are done, and words for the others.
_OF_CODES = {"embedder": ("functions_embedded", "embed"), "retriever": ("functions_indexed", "index")}
# Candidates are decided, and what is none passes the generator as well.
_LAST = "functions to look at for tasks"


def _going_on(progress: Mapping[str, Mapping[str, object]]) -> str:
    """One line: what goes on in the background, or that nothing does, as far as the services say it."""
    lags = {name: progress[name].get("lag") for name in _WORK if name in progress}
    waiting = [_waits(name, lag, progress) for name, lag in lags.items() if isinstance(lag, int) and lag > 0]
    parts = [f"Going on: {'; '.join(waiting)}."] if waiting else []
    silent = [name for name, lag in lags.items() if lag is None]
    if silent:
        parts.append(f"What waits for {', '.join(silent)} is not known: no answer from there.")
    unknown = [name for name, lag in lags.items() if isinstance(lag, int) and lag < 0]
    if unknown:
        parts.append(f"What waits for {', '.join(unknown)} is not known: the broker cannot say.")
    if parts:
        return " ".join(parts)
    left = [line for name in lags for line in _not_done(name, progress)]
    if left:
        return f"No message waits, but not all is done: {'; '.join(left)}."
    return "Nothing waits: all that was asked for is done."


def _not_done(name: str, progress: Mapping[str, Mapping[str, object]]) -> list[str]:
    """What a service is at, or stands before, though no message waits for it: batches, halted runs, open answers."""
    activities = progress[name].get("activities")
    if isinstance(activities, list) and activities:
        more = f", and {counted(len(activities) - 1, 'thing')} more" if activities[1:] else ""
        return [f"{name}: {activities[0]}{more}"]
    expected = progress[name].get("expected")
    if name != "evaluator" or not isinstance(expected, dict):
        return []
    answers = int(expected.get("verdicts_reached", 0))
    left = answers - _counted(progress, name, "verdicts_reached")
    return [f"{name}: {left:,} of {counted(answers, 'answer')} have no verdict"] if left > 0 else []


def _waits(name: str, lag: int, progress: Mapping[str, Mapping[str, object]]) -> str:
    if name == "pbt-generator":
        return _candidates_left(progress)
    return _codes_left(name, progress) or f"{lag:,} {_WORK[name]}"


def _codes_left(name: str, progress: Mapping[str, Mapping[str, object]]) -> str:
    """Codes that an index lacks: their messages tell of slices too, and of what is known. Empty where it lacks none."""
    counter, doing = _OF_CODES.get(name, ("", ""))
    codes = _counted(progress, "ingester", "codes")
    left = codes - _counted(progress, name, counter)
    return f"{left:,} of {counted(codes, 'code')} to {doing}" if counter and left > 0 else ""


def _candidates_left(progress: Mapping[str, Mapping[str, object]]) -> str:
    """What waits for the generator: every function passes it, and as in the funnel only candidates count."""
    candidates = _counted(progress, "ingester", "task_candidates")
    left = candidates - _counted(progress, "pbt-generator", "candidates_decided")
    return f"{left:,} of {counted(candidates, 'candidate')} to build tasks of" if left > 0 else _LAST


def _counted(progress: Mapping[str, Mapping[str, object]], service: str, name: str) -> int:
    counters = progress.get(service, {}).get("counters")
    return int(counters.get(name, 0)) if isinstance(counters, dict) else 0


def _progress(row: ProcessStatus) -> dict[str, object]:
    """What a running service says about its work; empty where it does not answer."""
    if row.name not in _WORK or row.state != "running":
        return {}
    from touchstone_cli.services import connect

    try:
        progress = connect(row.name, row.address).call("Progress", timeout_s=3.0).progress
    except CliError as error:
        return {"error": str(error)}
    counters = {counter.name: counter.value for counter in progress.counters}
    expected = {counter.name: counter.total for counter in progress.counters if counter.total}
    return {
        "counters": counters,
        "expected": expected,
        "lag": progress.lag,
        "activities": list(progress.activities),
    }


def _doing(row: ProcessStatus, progress: dict[str, object]) -> str:
    if row.detail and row.state != "running":
        return row.detail
    if "error" in progress:
        return str(progress["error"])
    counters = progress.get("counters")
    activities = progress.get("activities")
    parts: list[str] = []
    if isinstance(counters, dict):
        parts += [f"{name.replace('_', ' ')} {value}" for name, value in counters.items() if value]
    lag = progress.get("lag")
    if isinstance(lag, int) and lag:
        parts.append(f"waiting {lag}" if lag > 0 else "what waits is not known")
    if isinstance(activities, list):
        parts += [str(activity) for activity in activities[:2]]
    return ", ".join(parts)


def logs(
    service: Annotated[str, typer.Argument(help="Process, as `touchstone status` names it; all when left out.")] = "",
    lines: Annotated[int, typer.Option("--lines", "-n", min=1, help="How many lines of each.")] = 20,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on printing until Ctrl-C.")] = False,
) -> None:
    """Show the last lines of a process's log, or of every log.

    Example: touchstone logs evaluator -n 50 -f
    """
    folder = state_folders().logs
    known = {path.stem: path for path in sorted(folder.glob("*.log"))}
    if service and service not in known:
        names = ", ".join(known) or "none yet; start the platform with `touchstone up`"
        raise CliError(f"{service}: no such log; there are: {names}")
    chosen = {service: known[service]} if service else known
    positions: dict[str, int] = {}
    for name, path in chosen.items():
        if len(chosen) > 1:
            sys.stdout.write(f"==> {name} <==\n")
        with path.open(errors="replace") as source:
            sys.stdout.writelines(shown(line) for line in deque(source, lines))
            positions[name] = source.tell()
    while follow:
        sys.stdout.flush()
        time.sleep(0.5)
        for name, path in chosen.items():
            positions[name] = _print_new(name if len(chosen) > 1 else "", path, positions[name])


def _print_new(label: str, path: Path, position: int) -> int:
    size = path.stat().st_size if path.exists() else 0
    if size < position:
        position = 0
    if size == position:
        return position
    with path.open(errors="replace") as source:
        source.seek(position)
        for line in source:
            sys.stdout.write(shown(f"{label}: {line}" if label else line))
        return source.tell()


# -- starting, also for `touchstone run` ---------------------------------------------------------------------------


def start_platform(folders: Folders) -> None:
    """Fetch what is missing, start the supervisor, and wait until every process answers.

    Raises:
        CliError: a process does not come up.
        LocalError: something cannot be fetched or started.
    """
    from touchstone_local import control

    folders.create()
    stage = "nothing was started; what is fetched stays, and `touchstone up` goes on from there"
    try:
        fetch(control.downloads(folders))
        if changed := control.outdated(folders):
            stage = "some of its processes may run on"
            say(f"Changed since the platform was started: {', '.join(changed)}. Starting it anew …")
            control.halt(folders)
        stage = "the platform goes on starting"
        control.launch(folders)
        _await_processes(folders)
    except KeyboardInterrupt:
        words = f"Interrupted: {stage}; `touchstone status` shows what runs, `touchstone down` stops it."
        raise CliError(f"\n{words}", exit_code=INTERRUPTED) from None


def _await_processes(folders: Folders) -> None:
    """Tell of each process that comes up, until all answer; `start_platform` says what is raised."""
    from touchstone_local import control

    began = time.monotonic()
    shown: dict[str, str] = {}
    while True:
        rows = control.status(folders)
        for row in rows:
            if shown.get(row.name) != row.state and row.name != "supervisor":
                shown[row.name] = row.state
                if row.state in ("running", "failing"):
                    where = f" at {row.address}" if row.address and row.state == "running" else ""
                    say(f"  {row.name} {row.state}{where}{f': {row.detail}' if row.state == 'failing' else ''}")
        if rows[0].detail:
            raise CliError(rows[0].detail)
        if rows[0].state == "stopped":
            raise CliError(f"the supervisor ended; see {rows[0].log}")
        if all(row.state == "running" for row in rows) and len(rows) > len(_servers()):
            return
        for row in rows:
            if row.restarts >= MOST_RESTARTS and row.state not in ("starting", "running"):
                raise CliError(f"{row.name} does not come up: {row.detail}; see {row.log}, then `touchstone down`")
        if time.monotonic() - began > START_TIMEOUT_S:
            late = ", ".join(row.name for row in rows if row.state != "running")
            raise CliError(f"not up after {duration(START_TIMEOUT_S)}: {late}; see `touchstone logs`")
        time.sleep(0.3)


def _servers() -> tuple[str, ...]:
    from touchstone_local import control

    return ("supervisor", *control.SERVERS)


def fetch(wanted: list[Download]) -> None:
    """Say what will be downloaded and how large it is, then fetch it with progress.

    Raises:
        LocalError: something cannot be had.
    """
    from touchstone_local.download import human

    if not wanted:
        return
    say("To download, once, into the state folder:")
    for item in wanted:
        say(f"  {human(item.size_bytes):>9}  {item.name}")
    say(f"  {human(sum(item.size_bytes for item in wanted)):>9}  in all")
    for item in wanted:
        began = time.monotonic()
        if sys.stderr.isatty() and not is_quiet():
            _with_bar(item)
        else:
            item.fetch(_Lines(item.name))
        say(f"  {item.name}: here and verified after {duration(time.monotonic() - began)}")


class _Lines:
    """Progress of a download as a line for every tenth of it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._tenth = 0
        self._began = time.monotonic()

    def __call__(self, progress: Progress) -> None:
        if not progress.total_bytes:
            return
        tenth = progress.done_bytes * 10 // progress.total_bytes
        if tenth <= self._tenth:
            return
        from touchstone_local.download import human

        self._tenth = tenth
        rate = progress.done_bytes / max(time.monotonic() - self._began, 0.001)
        say(f"  {self._name}: {human(progress.done_bytes)} of {human(progress.total_bytes)}, {human(rate)}/s")


def _with_bar(item: Download) -> None:
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TimeRemainingColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("  {task.description}"), BarColumn(), DownloadColumn(), TransferSpeedColumn())
    with Bar(*columns, TimeRemainingColumn(), console=console(stderr=True), transient=True) as bar:
        task = bar.add_task(item.name, total=item.size_bytes)
        item.fetch(
            lambda progress: bar.update(
                task, completed=progress.done_bytes, total=progress.total_bytes or item.size_bytes
            )
        )
