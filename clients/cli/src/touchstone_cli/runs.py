"""`touchstone runs`: what models were asked, how far it is, what they answered, and an end to it."""

from __future__ import annotations

import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from touchstone_cli.choices import one_of
from touchstone_cli.comparison import compare_runs, comparison_words, decide, wording_of
from touchstone_cli.drafts import draft_of
from touchstone_cli.errors import CliError
from touchstone_cli.named import run_named, tasks_named
from touchstone_cli.output import console, counted, escaped, one_line, print_json, print_table, say, to_dict
from touchstone_cli.run_formats import JUDGED, RUN_FORMATS
from touchstone_cli.services import Caller, connect
from touchstone_runtime.costs import told_costs
from touchstone_runtime.counts import unjudged_words
from touchstone_runtime.shares import told_shares
from touchstone_runtime.tracks import WRITE
from touchstone_runtime.ways import sampled_words, ways_apart
from touchstone_runtime.wordings import IN_WORDS, WORDINGS, wording_named

app = typer.Typer(
    help="Runs: list, show, compare, export, pause, resume, judge-again, cancel, withdraw, delete.",
    epilog="Example: touchstone runs list",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
RunId = Annotated[str, typer.Argument(metavar="RUN", help="Id of a run, its beginning, or a model with one run.")]
_LONG_S = 3600.0
_PARQUET = "parquet"
_FORMATS = (*RUN_FORMATS, _PARQUET)
_COUNTS = ("answers", "judged", "passed", "infrastructure")


@app.command("list", epilog="Example: touchstone runs list")
def list_runs(as_json: AsJson = False) -> None:
    """Show every run, how far it is, and why it stands still where it does."""
    runs = [_summary(run) for run in connect("evaluator").call("ListRuns").runs]
    if as_json:
        print_json(runs)
        return
    columns = ("run", "model", "strategy", "language", "track", "tasks", *_COUNTS, "state")
    told = [_in_words(run) | {"run": run["run"][:12]} for run in runs]
    rows = [tuple(run[column] for column in columns) for run in told]
    print_table(columns, rows, right=_COUNTS)
    if not rows:
        say("There is no run yet; start one with `touchstone evaluate`.")


@app.command(epilog="Example: touchstone runs show 3f2a")
def show(run_id: RunId, as_json: AsJson = False) -> None:
    """Show one run with the outcome of every task."""
    evaluator = connect("evaluator")
    run = _run(evaluator, run_id)
    summary = _summary(run.summary)
    by_wording = _by_wording(run.results)
    if as_json:
        request = evaluator.messages.GetRunProfileRequest(run_id=run.summary.run_id)
        profile = told_shares(to_dict(evaluator.call("GetRunProfile", request)))
        told = {name: profile[name] for name in ("wording", "slices", "around", "memory")}
        print_json(
            summary | {"by_wording": by_wording, "profile": told, "results": [to_dict(each) for each in run.results]}
        )
        return
    out = console()
    for name, value in _in_words(summary).items():
        out.print(f"{name:<15}{value}", markup=False)
    for one in by_wording:
        told = f"{one['passed']} of {counted(one['judged'], 'judged answer')} passed, {one['answers']} asked for"
        out.print(f"{IN_WORDS[one['wording']]:<16}{told}", markup=False)
    columns = ("task", "function", "told", "outcome", "cases", "detail")
    rows = [
        (
            each.task_id[:8],
            each.entry_point,
            wording_named(each.wording),
            each.outcome,
            f"{each.passed}/{each.cases}",
            each.detail[:80],
        )
        for each in run.results
    ]
    print_table(columns, rows, right=("cases",))
    for each in run.results:
        for near in each.resembles[:1]:
            as_what = f"`{near.change}` in line {near.line} ({near.how})"
            out.print(f"{each.task_id[:8]} {each.entry_point} fails as: {as_what}", markup=False)
    outcomes = Counter(result.outcome for result in run.results)
    say(", ".join(f"{name} {count}" for name, count in outcomes.most_common()))


@app.command(epilog="Example: touchstone runs compare 3f2a 9c01")
def compare(
    first: RunId,
    second: Annotated[str, typer.Argument(metavar="OTHER", help="The run that it is compared with.")],
    until_decided: Annotated[
        bool, typer.Option("--until-decided", help="Ask two paused runs until it is decided.")
    ] = False,
    budget: Annotated[
        float,
        typer.Option(min=0, help="US dollars of both runs; 0: no bound.", show_default=False),
    ] = 0.0,
    by_example: Annotated[bool, typer.Option("--by-example", help="Over tasks by example, compared apart.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show what one run solved and another did not, and whether the data tell them apart.

    Two runs in one language over one set of tasks are told apart with an interval, others without; described tasks and
    those by example are never compared together. With --until-decided, two runs that `touchstone evaluate --held`
    prepared answer one repository after another, and no more once one is decidedly better (a false decision has a
    chance of 5 % at most) or the money is spent. The same call goes on where it stopped.
    """
    if not math.isfinite(budget) or budget < 0:
        raise CliError(f"--budget {budget:g}: no amount of US dollars", exit_code=2)
    if budget and not until_decided:
        raise CliError("--budget bounds what --until-decided asks for; give both", exit_code=2)
    evaluator = connect("evaluator")
    sides = (_run(evaluator, first), _run(evaluator, second))
    wording = wording_of(*sides, by_example=by_example)
    state = ""
    if until_decided:
        state = decide(evaluator, sides[0].run_id, sides[1].run_id, budget, wording)
        sides = (_run(evaluator, first), _run(evaluator, second))
        unpriced = {run.summary.spec.model for run in sides if told_costs(to_dict(run.summary))["cost_usd"] is None}
        if budget and unpriced:
            say(f"nobody named a price of {', '.join(sorted(unpriced))}: the budget did not bound what it was asked")
    found = compare_runs(evaluator, *sides, wording)
    if state:
        found["ended"] = state
    if as_json:
        print_json(found)
        return
    ways = [sampled_words(run["strategy"], run["samples"], run["temperature"]) for run in found["runs"]]
    models, ids = ([run[name] for run in found["runs"]] for name in ("model", "run_id"))
    words = zip(models, ways_apart(models, ways, ids), strict=True)
    columns = ("task", "function", *(f"{model}, {way}" for model, way in words))
    if found["differ"]:
        print_table(columns, [(one["task_id"][:8], one["entry_point"], *one["outcomes"]) for one in found["differ"]])
    elif found["common"]:
        say("no task has another outcome in one run than in the other")
    for line in comparison_words(found):
        say(line)


@app.command(epilog="Example: touchstone runs export 3f2a --format inspect --out log.json")
def export(
    run_id: RunId,
    out: Annotated[Path | None, typer.Option(help="File to write to; standard output when left out.")] = None,
    export_format: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(_FORMATS)}.", metavar="FORMAT")
    ] = _FORMATS[0],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> None:
    """Write every answer of a run, by default as a line of JSON: the program as `solution`, outcome, steps, cost.

    The other formats are those of EvalPlus, LiveCodeBench, Inspect and Every Eval Ever, and a Parquet file. A withdrawn
    run has no score in any, and its note where there is a place for it.
    """
    export_format = one_of(export_format, _FORMATS, "--format", empty=False)
    if export_format == _PARQUET and out is None:
        raise CliError("--format parquet writes a file: name it with --out", exit_code=2)
    evaluator = connect("evaluator")
    named = run_named(run_id, evaluator)
    summary = told_costs(to_dict(evaluator.call("GetRun", evaluator.messages.GetRunRequest(run_id=named)).summary))
    request = evaluator.messages.ListAnswersRequest(run_id=named)
    count = 0

    def answers() -> Iterator[dict[str, Any]]:
        nonlocal count
        for answer in evaluator.stream("ListAnswers", request, timeout_s=_LONG_S):
            content = told_costs(to_dict(answer.answer))
            count += 1
            yield content | {"solution": content.pop("code"), "steps": [json.loads(step) for step in content["steps"]]}

    if export_format == _PARQUET and out is not None:
        # Loading the library takes long, and no other format needs it.
        from touchstone_cli.run_parquet import write_run

        with draft_of(out, force=force) as draft:
            write_run(draft, summary, answers())
    else:
        with _target(out, force=force) as stream:
            for line in RUN_FORMATS[export_format](summary, answers()):
                stream.write(escaped(line) + "\n")
    if summary["withdrawn"]:
        say(f"run {named[:12]} was withdrawn and counts nowhere: {one_line(summary['withdrawn'])}")
    if out is not None:
        say(f"{counted(count, 'answer')} in {out}")


@contextmanager
def _target(out: Path | None, *, force: bool) -> Iterator[IO[str]]:
    """Where lines go: a file that takes its place when it is whole, or standard output."""
    if out is None:
        yield sys.stdout
        return
    with draft_of(out, force=force) as draft, draft.open("w", encoding="utf-8") as stream:
        yield stream


@app.command(epilog="Example: touchstone runs pause 3f2a")
def pause(run_id: RunId, as_json: AsJson = False) -> None:
    """Ask for nothing more of a run until it is resumed; what its model is answering now is kept."""
    _paused(run_id, resume=False, as_json=as_json)


@app.command(epilog="Example: touchstone runs resume 3f2a")
def resume(run_id: RunId, as_json: AsJson = False) -> None:
    """Let a paused run go on, and ask again for what was lost to a fault that is not its model's."""
    _paused(run_id, resume=True, as_json=as_json)


def _paused(run_id: str, *, resume: bool, as_json: bool) -> None:
    evaluator = connect("evaluator")
    request = evaluator.messages.PauseRunRequest(run_id=run_named(run_id, evaluator), resume=resume)
    answer = evaluator.call("PauseRun", request)
    if as_json:
        print_json(_summary(answer.run) | {"waiting": answer.answers})
        return
    what = f"goes on: {counted(answer.answers, 'answer')} asked for" if resume else "is paused: "
    waiting = "" if resume else f"{counted(answer.answers, 'answer')} {'waits' if answer.answers == 1 else 'wait'}"
    print(f"Run {answer.run.run_id[:12]} {what}{waiting}.")


@app.command(epilog="Example: touchstone runs cancel 3f2a")
def cancel(run_id: RunId, as_json: AsJson = False) -> None:
    """End what is unfinished of a run, outside its scores; `touchstone evaluate` takes it up again."""
    evaluator = connect("evaluator")
    request = evaluator.messages.CancelRunRequest(run_id=run_named(run_id, evaluator))
    answer = evaluator.call("CancelRun", request)
    if as_json:
        print_json(_summary(answer.run) | {"cancelled": answer.cancelled})
        return
    ended = counted(answer.cancelled, "unfinished answer")
    print(f"Ended {ended} of run {answer.run.run_id[:12]}.")


@app.command("judge-again", epilog='Example: touchstone runs judge-again 3f2a --note "the comparator was mended"')
def judge_again(
    run_id: Annotated[str, typer.Argument(metavar="[RUN]", help="Id of a run; every run when left out.")] = "",
    task: Annotated[str, typer.Option(help="Only answers to this task; its id or name.")] = "",
    note: Annotated[str, typer.Option(help="Why, for everybody to read.")] = "",
    as_json: AsJson = False,
) -> None:
    """Have answers judged once more: the newest verdict counts, the old ones stay, and the change is public."""
    if not note or not (run_id or task):
        raise CliError("give --note, for everybody to read, and a run, --task, or both", exit_code=2)
    evaluator = connect("evaluator")
    named = tasks_named([task], connect("pbt-generator")) if task else [""]
    request = evaluator.messages.JudgeAgainRequest(
        run_id=run_named(run_id, evaluator) if run_id else "", task_id=named[0], note=note
    )
    answer = evaluator.call("JudgeAgain", request)
    if as_json:
        print_json(to_dict(answer))
        return
    print(
        f"{counted(answer.answers, 'answer')} judged again; the verdicts of before count until the new ones are there."
    )


@app.command(epilog='Example: touchstone runs withdraw 3f2a --note "asked with the wrong prompt"')
def withdraw(
    run_id: RunId,
    note: Annotated[str, typer.Option(help="Why, for everybody to read.")] = "",
    restore: Annotated[bool, typer.Option("--restore", help="Put it back instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take a run off the board with a public note, or put it back; its answers stay."""
    if bool(note) == restore:
        raise CliError("give either --note, for everybody to read, or --restore", exit_code=2)
    evaluator = connect("evaluator")
    request = evaluator.messages.WithdrawRunRequest(run_id=run_named(run_id, evaluator), reason=note, restore=restore)
    summary = _summary(evaluator.call("WithdrawRun", request).run)
    if as_json:
        print_json(summary)
        return
    print(f"Run {summary['run'][:12]} is {'on the board again' if restore else 'off the board'}.")


@app.command(epilog="Example: touchstone runs delete 3f2a --yes")
def delete(
    run_id: RunId,
    yes: Annotated[bool, typer.Option("--yes", help="It is meant.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove a run with its answers for good. To take it off the board only: `touchstone runs withdraw`."""
    evaluator = connect("evaluator")
    named = run_named(run_id, evaluator)
    if not yes:
        summary = _summary(_run(evaluator, named).summary)
        what = f"{summary['model']}, {_in_words(summary)['strategy']}, {counted(summary['judged'], 'judged answer')}"
        raise CliError(
            f"run {summary['run'][:12]} ({what}) would be gone for good; add --yes to delete it", exit_code=2
        )
    summary = _summary(evaluator.call("DeleteRun", evaluator.messages.DeleteRunRequest(run_id=named)).run)
    if as_json:
        print_json(summary)
        return
    print(f"Deleted run {summary['run'][:12]}: {summary['model']}, {_in_words(summary)['strategy']}.")
    say("Asked for again, it is another run, and its model is asked every question anew.")


def _run(evaluator: Caller, run_id: str) -> Any:
    return evaluator.call("GetRun", evaluator.messages.GetRunRequest(run_id=run_named(run_id, evaluator)))


def _by_wording(results: Iterable[Any]) -> list[dict[str, Any]]:
    """The counts of a run over each kind of tasks that it has: they are two boards and no score over both."""
    found: list[dict[str, Any]] = []
    standing = [each for each in results if each.outcome != "retracted"]
    for wording in WORDINGS:
        mine = [each for each in standing if wording_named(each.wording) == wording]
        judged = [each for each in mine if each.outcome in JUDGED]
        passed = sum(each.outcome == "passed" for each in judged)
        if mine:
            found.append({"wording": wording, "answers": len(mine), "judged": len(judged), "passed": passed})
    return found


def _summary(run: Any) -> dict[str, Any]:
    done = run.judged + run.infrastructure
    # What was lost is asked for again by whoever makes the same call: such a run is not done.
    ended = unjudged_words(run.infrastructure, run.cancelled) if run.infrastructure else "done"
    going = f"halted: {run.halted}" if run.halted else "running"
    # In a replay a run comes before its tasks: of those that it does not expect yet none is done.
    begun = run.answers or not run.spec.tasks.count
    standing = ended if begun and done >= run.answers else "paused" if run.paused else going
    return {
        "run": run.run_id,
        "model": run.spec.model,
        "strategy": f"{run.spec.strategy}:{run.spec.variant}" if run.spec.variant else run.spec.strategy,
        "language": run.spec.language,
        "track": run.spec.track or WRITE,
        "tasks": run.spec.tasks.name,
        "answers": run.answers,
        "judged": run.judged,
        "passed": run.passed,
        "infrastructure": run.infrastructure,
        # Of a withdrawn run it is nobody's business any more what it waits for.
        "state": f"withdrawn: {run.withdrawn}" if run.withdrawn else standing,
        "spec": to_dict(run.spec),
    }


def _in_words(summary: dict[str, Any]) -> dict[str, Any]:
    """A summary for people: how it was asked in place of its whole specification, which tells it from its like."""
    spec = summary["spec"]
    told = {name: value for name, value in summary.items() if name != "spec"}
    bounds = ", ".join(f"{name} {value}" for name, value in spec["bounds"].items())
    asked = sampled_words(summary["strategy"], spec["samples"], spec["temperature"])
    return told | {"strategy": asked} | ({"bounds": bounds} if bounds else {})
