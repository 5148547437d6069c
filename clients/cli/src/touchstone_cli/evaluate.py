"""`touchstone evaluate`: let a model solve tasks."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.answers import PREFIX, Given, read_answers
from touchstone_cli.answers_asked import Asked
from touchstone_cli.choices import LANGUAGES, listed, one_of
from touchstone_cli.errors import CliError
from touchstone_cli.named import tasks_named
from touchstone_cli.output import counted, duration, print_json, print_table, say, say_progress, to_dict
from touchstone_cli.services import Service, connect
from touchstone_runtime.bands import BANDS
from touchstone_runtime.costs import told_costs
from touchstone_runtime.model_names import served_at
from touchstone_runtime.source_kinds import BENCHMARK
from touchstone_runtime.tracks import TRACKS, WRITE

POLL_S = 1.0
# Longer than an endpoint that refuses is asked before the service knows it to be away.
QUIET_S = 8.0
# How long who does not wait stays to see that the model can be asked: longer than the service tries one that refuses.
FIRST_SIGN_S = 15.0
# A number with more is no 32-bit one, which is what goes to the service; how many answers it takes, it says itself.
_DIGITS = 9
# What becomes of a run that waits. Said here and nowhere else: a fault says what is wrong and what a person can do.
GOES_ON = "it goes on by itself once that is mended, and with the same call where it was given up by then"
# What the service says of an answer that a person ended.
_CANCELLED = "cancelled"
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def evaluate(
    model: Annotated[str, typer.Option(help="A name from models.toml, or name@http://host:port/v1.")] = "",
    tasks: Annotated[list[str] | None, typer.Option(help="Ids, beginnings or names; commas, or repeated.")] = None,
    strategy: Annotated[str, typer.Option(help="direct, cocost, cocost:no-search, …", show_default=False)] = "direct",
    release: Annotated[str, typer.Option(help="Only the tasks of this release.")] = "",
    limit: Annotated[
        int, typer.Option(min=0, help="A sample over packages and kinds; 0: all.", show_default=False)
    ] = 0,
    sample_seed: Annotated[int, typer.Option(help="Which sample of tasks --limit takes.", show_default=False)] = 0,
    language: Annotated[str, typer.Option(help="Language of the solutions.", show_default=False)] = "python",
    track: Annotated[
        str,
        typer.Option(help=f"Asked: {', '.join(TRACKS)}.", show_default=False),
    ] = TRACKS[0],
    samples: Annotated[
        str,
        typer.Option(
            help="Answers for each task; or a file of answers to judge.",
            metavar="N|FILE",
            show_default=False,
        ),
    ] = "1",
    temperature: Annotated[
        float, typer.Option(min=0, max=2, metavar="<float>", help="0, the default, is greedy.", show_default=False)
    ] = 0.0,
    seed: Annotated[int, typer.Option(help="Above temperature 0: which answers.", show_default=False)] = 0,
    wait: Annotated[bool, typer.Option(help="Wait until every verdict is there.", show_default=False)] = True,
    held: Annotated[bool, typer.Option("--held", help="Prepare the run and ask nothing, for `runs compare`.")] = False,
    band: Annotated[str, typer.Option(help="Of all tasks the usual ones, or the hard ones.", show_default=False)] = "",
    as_json: AsJson = False,
) -> None:
    """Let a model solve tasks; the same call again resumes the same run.

    Example: touchstone evaluate --model qwen2.5-coder-0.5b --release 2026-06
    """
    if samples.isdecimal() and len(samples) > _DIGITS:
        raise CliError(f"--samples {samples[:_DIGITS]}…: nobody asks for so many answers to a task", exit_code=2)
    if samples.isdecimal() and not int(samples):
        raise CliError(f"--samples {samples}: a task is asked for at least one answer", exit_code=2)
    language = one_of(language, LANGUAGES, "--language", empty=False)
    track = one_of(track, TRACKS, "--track", empty=False)
    band = one_of(band, BANDS, "--band")
    given = None if samples.isdecimal() else read_answers(Path(samples), Asked(language, track))
    evaluator = connect("evaluator")
    strategy, _ = known_strategy(evaluator, strategy)
    ids = listed(tasks, "--tasks")
    request = evaluator.messages.StartRunRequest(
        model=model,
        strategy="" if given else strategy,
        task_ids=tasks_named(ids, connect("pbt-generator")) if ids else [],
        release=release,
        limit=limit,
        sample_seed=sample_seed,
        language=language,
        samples=0 if given else int(samples),
        temperature=temperature,
        seed=seed,
        held=held,
        track=track,
        band=band,
    )
    if given:
        request.answers = _submit(evaluator, _ours(given, release))
    started = evaluator.call("StartRun", request)
    say(f"run {started.run_id}: {counted(started.tasks, 'task')} ({started.task_set})")
    if given and (missing := started.tasks * len({each.sample for each in given}) - len(given)) > 0:
        say(f"{counted(missing, 'answer')} or more of the run were not submitted: each counts as not solved")
    for reason, count in sorted(started.left_out.items(), key=lambda pair: (-pair[1], pair[0])):
        of = "" if track in ("", WRITE) else f" of the track {track}"
        say(f"left out{of}: {counted(count, 'task')}: {reason}")
    wait = wait and not held
    run = follow(evaluator, started.run_id) if wait else first_sign(evaluator, started.run_id, held=held)
    if as_json:
        print_json(told_costs(to_dict(run)))
    elif wait:
        _show_run(run)
    if wait and run.finished < run.tasks:
        raise CliError(unfinished(run))
    if wait and run.summary.infrastructure:
        raise CliError(lost_words(run))


def known_strategy(evaluator: Service, strategy: str) -> tuple[str, tuple[str, ...]]:
    """A strategy as the platform calls it, with what it leaves out, and the parts that it can go without.

    Packages bring strategies, so the platform is asked which there are.

    Raises:
        CliError: There is none of this name; exit code 2.
    """
    answer = evaluator.call("ListStrategies", evaluator.messages.ListStrategiesRequest())
    known = {each.name: tuple(each.parts) for each in answer.strategies}
    name, colon, left_out = strategy.partition(":")
    name = one_of(name, sorted(known), "--strategy", empty=False)
    return f"{name}{colon}{left_out}", known[name]


def _ours(given: list[Given], release: str) -> list[Given]:
    """Answers with the ids of our tasks: those to an imported release may name its tasks as their own set does."""
    if not release:
        return given
    generator = connect("pbt-generator")
    answer = generator.call("GetRelease", generator.messages.GetReleaseRequest(name=release))
    tasks = json.loads(answer.manifest_json or "{}").get("tasks", [])
    imported = [task for task in tasks if task["source"]["kind"] == BENCHMARK]
    ids = {task["source"]["path"].removeprefix(PREFIX): task["task_id"] for task in imported}
    return [each._replace(task_id=ids.get(each.task_id, each.task_id)) for each in given]


def _submit(evaluator: Service, given: list[Given]) -> str:
    answers = [evaluator.messages.SubmittedAnswer(**answer._asdict()) for answer in given]
    kept = evaluator.call("SubmitAnswers", evaluator.messages.SubmitAnswersRequest(answers=answers))
    say(f"{counted(kept.answers, 'answer')} to {counted(kept.tasks, 'task')} submitted")
    return kept.digest


def _run(evaluator: Service, run_id: str) -> Any:
    return evaluator.call("GetRun", evaluator.messages.GetRunRequest(run_id=run_id))


def first_sign(evaluator: Service, run_id: str, *, held: bool, poll_s: float = 0.5) -> Any:
    """Look for a moment whether anything keeps the model from being asked: nobody watches, so nobody else would say it.

    Args:
        evaluator: The service.
        run_id: The run.
        held: Whether nothing is asked yet.
        poll_s: Seconds between two looks.
    """
    until = time.monotonic() + FIRST_SIGN_S
    while True:
        run = _run(evaluator, run_id)
        if run.halted:
            say(f"the run waits: {run.halted}; {GOES_ON}")
        answered = run.finished or run.summary.tokens_out
        if held or run.halted or answered or time.monotonic() >= until:
            return run
        time.sleep(poll_s)


def follow(
    evaluator: Service, run_id: str, *, poll_s: float = POLL_S, patience_s: float = 20.0, quiet_s: float = QUIET_S
) -> Any:
    """Show the progress of a run until it is finished or stands still; gives its last state.

    Ctrl-C stops the watching only. What the run waits for is said as soon as the service knows it.

    Args:
        evaluator: The service.
        run_id: The run.
        poll_s: Seconds between two looks.
        patience_s: How long a run may be halted before it is given up, in seconds.
        quiet_s: How long no first verdict may come before that is said, in seconds.
    """
    ends = f"Ctrl-C stops the watching, `touchstone runs cancel {run_id[:12]}` the run"
    waits_for = ""
    quiet_said = False
    began = time.monotonic()
    first: int | None = None
    shown = -1
    halted_since = 0.0
    while True:
        run = _run(evaluator, run_id)
        first = run.finished if first is None else first
        if run.finished != shown:
            shown = run.finished
            rate = (run.finished - first) / max(time.monotonic() - began, 0.001)
            left = f", about {duration((run.tasks - run.finished) / rate)} left" if rate and shown < run.tasks else ""
            redrawn = run.finished < run.tasks
            say_progress(
                f"{run.finished} of {counted(run.tasks, 'verdict')}, {rate * 60:.1f} a minute{left}", redrawn=redrawn
            )
        if run.finished >= run.tasks:
            return run
        if run.summary.paused:
            return run
        if run.halted and run.halted != waits_for:
            say(f"the run waits: {run.halted}; {ends}")
        elif not (run.halted or quiet_said or waits_for or run.finished) and time.monotonic() - began >= quiet_s:
            quiet_said = True
            say(f"no verdict yet: {_asked(run)} has not answered, or what it answered is being judged; {ends}")
        waits_for = run.halted or waits_for
        halted_since = (halted_since or time.monotonic()) if run.halted else 0.0
        if halted_since and time.monotonic() - halted_since > patience_s:
            return run
        time.sleep(poll_s)


def _asked(run: Any) -> str:
    """The model, with the place where it is asked where its name has one."""
    name, place = served_at(run.model)
    return f"the model {name} at {place}" if place else f"the model {name}"


def unfinished(run: Any, what: str = "the run") -> str:
    """Why a run that somebody waited for has answers without a verdict, and what lets it go on."""
    if run.summary.paused:
        return f"somebody paused {what}; `touchstone runs resume {run.run_id[:12]}` lets it go on"
    return f"{what} stands still: {run.halted}; {GOES_ON}"


def lost_words(run: Any) -> str:
    """What to do where answers were given up: nobody's answers, and no verdicts."""
    ended = [result.detail for result in run.results if result.outcome == "infrastructure"]
    cancelled = run.summary.cancelled
    lost = run.summary.infrastructure - cancelled
    if not lost:
        were = "was" if cancelled == 1 else "were"
        return f"{counted(cancelled, 'answer')} of {run.tasks} {were} cancelled; the same call asks for them again"
    why = next((detail for detail in ended if detail not in ("", _CANCELLED)), "")
    told = f" ({why})" if why else ""
    told += f", beside {counted(cancelled, 'answer')} that somebody cancelled" if cancelled else ""
    return (
        f"{counted(lost, 'answer')} of {run.tasks} came to nothing by a fault that is not the "
        f"model's{told}; they are missing, not wrong, and the same call asks for them again"
    )


def _show_run(run: Any) -> None:
    rows = [
        (result.task_id[:8], result.entry_point, result.outcome, f"{result.passed}/{result.cases}", result.detail[:80])
        for result in run.results
    ]
    print_table(("task", "function", "outcome", "cases", "detail"), rows, right=("cases",))
    outcomes = Counter(result.outcome for result in run.results)
    counts = ", ".join(f"{name} {count}" for name, count in outcomes.most_common())
    say(f"{run.model}, {run.strategy}, {run.language}: {counts}")
