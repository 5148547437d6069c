"""`touchstone runs`: what models were asked, how far it is, and an end to it."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from touchstone_cli.output import print_json, print_table, say
from touchstone_cli.services import connect

app = typer.Typer(help="Runs of models over tasks: list, show, cancel.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
RunId = Annotated[str, typer.Argument(help="Id of a run, or its beginning.")]


@app.command("list")
def list_runs(as_json: AsJson = False) -> None:
    """Show every run, how far it is, and why it stands still where it does.

    Example: touchstone runs list
    """
    runs = [_summary(run) for run in connect("evaluator").call("ListRuns").runs]
    if as_json:
        print_json(runs)
        return
    columns = ("run", "model", "strategy", "language", "answers", "judged", "passed", "infrastructure", "state")
    rows = [tuple(run[column][:12] if column == "run" else run[column] for column in columns) for run in runs]
    print_table(columns, rows, right=columns[4:8])


@app.command()
def show(run_id: RunId, as_json: AsJson = False) -> None:
    """Show one run with the outcome of every task.

    Example: touchstone runs show 3f2a
    """
    evaluator = connect("evaluator")
    run = evaluator.call("GetRun", evaluator.messages.GetRunRequest(run_id=run_id))
    results = [
        {"task": each.task_id, "function": each.entry_point, "outcome": each.outcome, "detail": each.detail}
        for each in run.results
    ]
    if as_json:
        print_json(_summary(run.summary) | {"results": results})
        return
    for name, value in _summary(run.summary).items():
        say(f"{name:<15}{value}")
    columns = ("task", "function", "outcome", "detail")
    print_table(columns, [(row["task"][:12], row["function"], row["outcome"], row["detail"][:80]) for row in results])


@app.command()
def cancel(run_id: RunId, as_json: AsJson = False) -> None:
    """End what is unfinished of a run, outside its scores; `touchstone evaluate` takes it up again.

    Example: touchstone runs cancel 3f2a
    """
    evaluator = connect("evaluator")
    answer = evaluator.call("CancelRun", evaluator.messages.CancelRunRequest(run_id=run_id))
    if as_json:
        print_json(_summary(answer.run) | {"cancelled": answer.cancelled})
        return
    say(f"Ended {answer.cancelled} unfinished answers of run {answer.run.run_id[:12]}.")


def _summary(run: Any) -> dict[str, Any]:
    done = run.judged + run.infrastructure
    state = "withdrawn" if run.withdrawn else "done" if done >= run.answers else "running"
    return {
        "run": run.run_id,
        "model": run.spec.model,
        "strategy": run.spec.strategy,
        "language": run.spec.language,
        "answers": run.answers,
        "judged": run.judged,
        "passed": run.passed,
        "infrastructure": run.infrastructure,
        "state": f"halted: {run.halted}" if run.halted else state,
    }
