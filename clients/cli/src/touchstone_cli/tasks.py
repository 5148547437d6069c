"""`touchstone tasks`: the tasks built so far."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from touchstone_cli.output import console, print_json, print_table, say, to_dict
from touchstone_cli.services import connect

app = typer.Typer(
    help="List tasks, or show one with its certificate.",
    epilog="Example: touchstone tasks show 3f2a",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list", epilog="Example: touchstone tasks list --kind SC --json")
def list_tasks(
    kind: Annotated[str, typer.Option(help="SC or WSC; both when left out.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="At most so many; 0 lists all.")] = 0,
    as_json: AsJson = False,
) -> None:
    """List released tasks."""
    generator = connect("pbt-generator")
    answer = generator.call("ListTasks", generator.messages.ListTasksRequest(kind=kind.upper(), limit=limit))
    if as_json:
        print_json([to_dict(task) for task in answer.tasks])
        return
    rows = [
        (
            task.task_id[:8],
            task.kind,
            task.difficulty,
            task.entry_point,
            f"{task.location.repository} {task.location.version}",
            task.cases,
            f"{task.branch_coverage:.0%}",
            f"{task.mutation_score:.0%}" if task.mutation_score >= 0 else "",
        )
        for task in answer.tasks
    ]
    right = ("cases", "branches", "mutants")
    print_table(("id", "kind", "difficulty", "function", "from", "cases", "branches", "mutants"), rows, right=right)
    retracted = f"; {answer.retracted} tasks were retracted" if answer.retracted else ""
    say(f"{len(rows)} tasks; {answer.refused} candidates were refused{retracted}.")


@app.command(epilog="Example: touchstone tasks show 3f2a --json")
def show(
    task_id: Annotated[str, typer.Argument(metavar="ID", help="The task's id, or how it begins.")],
    as_json: AsJson = False,
) -> None:
    """Show a task: instruction, origin, certificate, first cases, ground truth."""
    generator = connect("pbt-generator")
    answer = generator.call("GetTask", generator.messages.GetTaskRequest(task_id=task_id))
    content = to_dict(answer)
    certificate = json.loads(answer.certificate_json) if answer.certificate_json else None
    if as_json:
        print_json(
            {**content["task"], "certificate": certificate}
            | {
                "ground_truth": answer.ground_truth,
                "example_cases": [json.loads(case) for case in answer.example_cases],
            }
        )
        return
    task = answer.task
    place = task.location
    out = console()
    head = f"{task.entry_point}   {task.kind}, {task.difficulty} (by {task.judged_by}), {task.cases} cases"
    out.print(head, markup=False, style="bold")
    origin = f"{place.repository} {place.version}, {place.path}:{place.line_start}-{place.line_end}, {place.licence}"
    out.print(f"{origin}\ntask {task.task_id}\nsuite {task.suite_digest}\n", markup=False)
    if task.retracted:
        out.print(f"RETRACTED: {task.retracted}\n", markup=False, style="bold")
    out.print(task.instruction, markup=False)
    if certificate is not None:
        out.print("\ncertificate", style="bold")
        out.print(json.dumps(certificate, indent=1, ensure_ascii=False), markup=False)
    out.print("\nfirst cases", style="bold")
    for case in answer.example_cases:
        out.print(case, markup=False)
    out.print("\nground truth", style="bold")
    out.print(answer.ground_truth, markup=False)
