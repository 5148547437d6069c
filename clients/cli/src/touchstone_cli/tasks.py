"""`touchstone tasks`: the tasks built so far."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from touchstone_cli.choices import DIFFICULTIES, KINDS, one_of
from touchstone_cli.explain import catalogue
from touchstone_cli.followed import say_if_not_followed
from touchstone_cli.named import task_named
from touchstone_cli.output import console, counted, print_json, print_table, say, to_dict
from touchstone_cli.services import connect
from touchstone_cli.standing import superseded
from touchstone_cli.trial import trial
from touchstone_runtime.bands import BANDS, HARD, band_of
from touchstone_runtime.certificates import facts
from touchstone_runtime.forms import MADE_FORMS
from touchstone_runtime.languages import python_first
from touchstone_runtime.shares import percent
from touchstone_values import call_written, written

app = typer.Typer(
    help="List tasks, show one with its certificate, list what was refused.",
    epilog="Example: touchstone tasks show 3f2a",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Repo = Annotated[str, typer.Option("--repo", help="Only of this package or repository.")]
# Characters of a call, and of its result, that a screen has room for.
_LONGEST = 300


@app.command("list", epilog="Example: touchstone tasks list --kind SC --repo boltons --difficulty hard")
def list_tasks(
    kind: Annotated[str, typer.Option(help="SC or WSC; both when left out.")] = "",
    repo: Repo = "",
    difficulty: Annotated[str, typer.Option(help="Easy, Medium or Hard; all when left out.")] = "",
    band: Annotated[str, typer.Option(help="usual, or hard (complexity above 10); all when left out.")] = "",
    imported: Annotated[
        bool, typer.Option("--imported", help="Those of other people's sets instead, in a release or in none.")
    ] = False,
    limit: Annotated[int, typer.Option(min=0, help="At most so many; 0 lists all.")] = 0,
    as_json: AsJson = False,
) -> None:
    """List tasks."""
    kind, difficulty = one_of(kind, KINDS, "--kind"), one_of(difficulty, DIFFICULTIES, "--difficulty")
    band = one_of(band, BANDS, "--band")
    generator = connect("pbt-generator")
    # All of them: what is filtered here must be counted here too, and a task's newer version may stand anywhere.
    request = generator.messages.ListTasksRequest(kind=kind, imported=imported)
    answer = generator.call("ListTasks", request)
    fitting = [
        task
        for task in answer.tasks
        if repo in ("", task.location.repository)
        and difficulty in ("", task.difficulty)
        and band in ("", band_of(task.complexity))
    ]
    tasks = fitting[:limit] if limit else fitting
    newer = superseded(answer.tasks)
    if as_json:
        print_json([to_dict(task) | _beside(task, newer) for task in tasks])
        return
    rows = [
        (
            task.task_id[:8],
            _kind(task),
            task.track.replace("_", " "),
            task.difficulty,
            task.entry_point,
            task.first_seen[:10],
            f"{task.location.repository} {task.location.version}{_newer(task, newer)}",
            task.cases,
            f"{percent(task.branch_coverage, 0)}%" if task.branch_coverage >= 0 else "",
            f"{percent(task.mutation_score, 0)}%" if task.mutation_score >= 0 else "",
        )
        for task in tasks
    ]
    right = ("cases", "branches", "mutants")
    heads = ("id", "kind", "track", "difficulty", "function", "since", "from", "cases", "branches", "mutants")
    print_table(heads, rows, right=right)
    of_all = f"{len(rows):,} of " if len(rows) < len(fitting) else ""
    if imported:
        say(f"{of_all}{counted(len(fitting), 'imported task')}; coverage and mutants of theirs are not measured.")
        return
    were = f"; {counted(answer.retracted, 'task was', 'tasks were')} retracted" if answer.retracted else ""
    refused = counted(answer.refused, "candidate was", "candidates were")
    say(f"{of_all}{counted(len(fitting), 'task')}; {refused} refused{were}.")
    if repo and not rows:
        say_if_not_followed(repo)


def _beside(task: Any, newer: Mapping[str, str]) -> dict[str, str]:
    return {"band": band_of(task.complexity), "superseded_by": newer.get(task.task_id, "")}


def _kind(task: Any) -> str:
    """Kind and form, and the band where it is not the usual one."""
    form = [task.form] if task.form in MADE_FORMS else []
    return " ".join([task.kind, *form, *([HARD] if band_of(task.complexity) == HARD else [])])


def _newer(task: Any, newer: Mapping[str, str]) -> str:
    """What stands in this task's place, where something does."""
    code = f", newer code: {newer[task.task_id][:8]}" if task.task_id in newer else ""
    return code + (f", like {task.similar_to[:8]}, which ranks" if task.similar_to else "")


app.command(epilog="Example: touchstone tasks trial --model qwen2.5-coder-1.5b -k 3")(trial)


@app.command(epilog="Example: touchstone tasks refused --reason coverage_incomplete")
def refused(
    reason: Annotated[str, typer.Option(help="Only of this reason, as `touchstone funnel` names it.")] = "",
    repo: Repo = "",
    limit: Annotated[int, typer.Option(min=0, help="At most so many, newest first; 0 lists all.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List candidates that gave no task, each with its reason."""
    reasons = [name for name, entry in catalogue().items() if entry["kind"] == "refusal"]
    reason = one_of(reason.replace("-", "_"), reasons, "--reason")
    generator = connect("pbt-generator")
    # One more than is shown tells whether there are more.
    request = generator.messages.ListRefusalsRequest(reason=reason, limit=0 if repo or not limit else limit + 1)
    fitting = [
        each for each in generator.call("ListRefusals", request).refusals if repo in ("", each.location.repository)
    ]
    found = fitting[:limit] if limit else fitting
    if as_json:
        if len(found) < len(fitting):
            say(f"the newest {limit} only; --limit 0 gives all")
        print_json([to_dict(each) for each in found])
        return
    rows = [
        (
            each.reason,
            each.kind,
            each.location.qualname or each.entry_point,
            f"{each.location.repository} {each.location.version}",
            f"{each.location.path}:{each.location.line_start}",
            each.detail,
        )
        for each in found
    ]
    print_table(("reason", "kind", "function", "from", "place", "detail"), rows)
    more = f", the newest {limit} only" if len(found) < len(fitting) else ""
    say(f"{counted(len(rows), 'candidate')}{more}; `touchstone explain REASON` says what a reason means.")
    if repo and not rows:
        say_if_not_followed(repo)


@app.command(epilog="Example: touchstone tasks show 3f2a --json")
def show(
    task_id: Annotated[str, typer.Argument(metavar="ID", help="The task's id, how it begins, or its function's name.")],
    as_json: AsJson = False,
) -> None:
    """Show a task: instruction, origin, certificate, first cases, ground truth."""
    generator = connect("pbt-generator")
    request = generator.messages.GetTaskRequest(task_id=task_named(task_id, generator))
    answer = generator.call("GetTask", request)
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
    show_task(task, answer, certificate)


def show_task(task: Any, answer: Any, certificate: dict[str, Any] | None) -> None:
    """A task as a page: what is asked, where it comes from, what is proved of it, its first cases, its ground truth."""
    place = task.location
    out = console()
    cases = counted(task.cases, "case")
    head = f"{task.entry_point}   {_kind(task)}, {task.difficulty} (by {task.judged_by}), {cases}"
    out.print(head, markup=False, style="bold")
    origin = f"{place.repository} {place.version}, {place.path}:{place.line_start}-{place.line_end}, {place.licence}"
    named = f" as {place.qualname}" if place.qualname != task.entry_point else ""
    out.print(f"{origin}{named}", markup=False)
    if task.first_seen:
        out.print(f"code first seen {task.first_seen[:10]} ({task.dated_by})", markup=False)
    if task.track:
        lacks = f": {'; '.join(task.gaps)}" if task.gaps else ""
        out.print(f"track {task.track.replace('_', ' ')}{lacks}", markup=False)
    if task.solved_by:
        tried = ", ".join(f"{count} by {model}" for model, count in sorted(task.solved_by.items()))
        out.print(f"solved blind: {tried}", markup=False)
    out.print(f"task {task.task_id}\nsuite {task.suite_digest}\n", markup=False)
    if task.retracted:
        out.print(f"RETRACTED: {task.retracted}\n", markup=False, style="bold")
    out.print(task.instruction, markup=False)
    if task.signatures:
        out.print("\nSignatures", style="bold")
        for language in python_first(task.signatures):
            out.print(f"  {language:<11}{task.signatures[language].splitlines()[-1]}", markup=False, soft_wrap=True)
    if certificate is not None:
        out.print()
        print_table(("What is proved", "of this task"), facts(certificate))
    out.print("\nFirst cases", style="bold")
    for case in answer.example_cases:
        out.print(f"  {case_words(task.entry_point, json.loads(case))}", markup=False)
    out.print("\nGround truth", style="bold")
    out.print(answer.ground_truth, markup=False)
    say(f"All of it as data: touchstone tasks show {task.task_id[:8]} --json")


def case_words(entry_point: str, case: dict[str, Any]) -> str:
    """A case as a call, a very long one shortened: `f(1, "a") → 2`."""
    call = call_written(entry_point, json.loads(case["arguments"]))
    return f"{_short(call)} → {_short(written(json.loads(case['expected'])))}"


def _short(text: str) -> str:
    """A text that a screen has room for, with how long it is where it is cut."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}… ({len(text):,} characters)"
