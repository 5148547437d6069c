"""`touchstone tasks trial`: tasks solved blind by a model, and where its solutions agree against the ground truth."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer

from touchstone_cli.named import tasks_named
from touchstone_cli.output import counted, print_json, print_table, say, say_progress, to_dict
from touchstone_cli.services import connect

_LONG_S = 24 * 3600.0
_SHOWN = 60


def trial(
    model: Annotated[str, typer.Option(help="A name of models.toml, or name@base_url.")],
    tasks: Annotated[list[str] | None, typer.Argument(metavar="[TASK]...", help="Ids or names; all when none.")] = None,
    solutions: Annotated[int, typer.Option("-k", "--solutions", min=2, max=10, help="Of each task.")] = 3,
    act: Annotated[
        bool, typer.Option("--act", help="Replace open tasks by versions that show the inputs read otherwise.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Have a model solve tasks from the instruction alone, and print the agreement table.

    With --act a task on which two solutions agree against the truth is replaced by one whose instruction shows such
    inputs; the new one is tried in its turn.
    """
    generator = connect("pbt-generator")
    named = tasks_named(tasks, generator) if tasks else []
    request = generator.messages.TrialTasksRequest(model=model, solutions=solutions, task_ids=named, act=act)
    answers: list[Any] = []
    for answer in generator.stream("TrialTasks", request, timeout_s=_LONG_S):
        answers.append(answer)
        if not as_json:
            say_progress(f"{counted(len(answers), 'task')} tried", redrawn=True)
    if as_json:
        print_json([to_dict(answer) for answer in answers])
        return
    rows = [
        (
            answer.task_id[:8],
            answer.entry_point,
            answer.track.replace("_", " "),
            answer.standing,
            f"{answer.solved} of {answer.asked}",
            answer.asked - answer.answered,
            answer.pointed,
            _first(answer),
        )
        for answer in answers
    ]
    heads = ("id", "function", "track", "standing", "solved", "no answer", "points", "first input, truth and theirs")
    print_table(heads, rows, right=("solved", "no answer", "points"))
    for answer in answers:
        if answer.replaced_by:
            say(f"{answer.task_id[:8]} was taken back: {answer.replaced_by[:8]} shows what was read otherwise.")
        elif answer.kept_as:
            say(f"{answer.task_id[:8]} stays as it is: {answer.kept_as}.")
    standings = Counter(answer.standing for answer in answers)
    told = ", ".join(f"{count} {standing}" for standing, count in standings.most_common())
    say(f"{counted(len(rows), 'task')}: {told}. Open: two solutions agree with each other and not with the truth.")


def _first(answer: Any) -> str:
    if not answer.points:
        return ""
    point = answer.points[0]
    arguments, expected, given = (
        text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."
        for text in (point.arguments, point.expected, point.given)
    )
    return f"{arguments} → {expected}, theirs {given} ({point.solutions})"
