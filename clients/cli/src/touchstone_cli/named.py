"""Tasks and runs by what people call them: an id, the beginning of one, or a name."""

from __future__ import annotations

import re
from collections.abc import Sequence

from touchstone_cli.errors import CliError
from touchstone_cli.services import Caller

# No name is so long and of these letters alone.
_CERTAINLY_AN_ID = re.compile(r"[0-9a-f]{16,}")


def task_named(text: str, generator: Caller) -> str:
    """The id of the task that is meant, or the text itself where only the service can say what is wrong with it.

    Args:
        text: An id, its beginning, or the name of a function.
        generator: Knows the tasks.

    Raises:
        CliError: several functions are called so.
    """
    return tasks_named([text], generator)[0]


def tasks_named(texts: Sequence[str], generator: Caller) -> list[str]:
    """As `task_named`, for several."""
    if all(_CERTAINLY_AN_ID.fullmatch(text) for text in texts):
        return list(texts)
    tasks = generator.call("ListTasks").tasks
    chosen: list[str] = []
    for text in texts:
        by_id = [task for task in tasks if text and task.task_id.startswith(text)]
        by_name = [task for task in tasks if text in (task.entry_point, task.location.qualname)]
        if by_id or not by_name:
            chosen.append(text)
        elif len(by_name) == 1:
            chosen.append(by_name[0].task_id)
        else:
            which = [f"{task.task_id[:8]} of {task.location.repository}" for task in by_name]
            raise CliError(f"{text}: {len(by_name)} tasks are called so: {_some(which)}; give an id")
    return chosen


def run_named(text: str, evaluator: Caller) -> str:
    """The id of the run that is meant, or the text itself where only the service can say what is wrong with it.

    Args:
        text: An id, its beginning, or the name of a model with one run.
        evaluator: Knows the runs.

    Raises:
        CliError: the model has several runs.
    """
    if _CERTAINLY_AN_ID.fullmatch(text):
        return text
    runs = evaluator.call("ListRuns").runs
    by_model = [run for run in runs if text and run.spec.model == text]
    if not by_model or any(run.run_id.startswith(text) for run in runs):
        return text
    if len(by_model) > 1:
        which = [f"{run.run_id[:8]} ({run.spec.strategy}, {run.spec.language})" for run in by_model]
        raise CliError(f"{text}: the model has {len(by_model)} runs: {_some(which)}; give an id")
    return by_model[0].run_id


def _some(which: Sequence[str]) -> str:
    return ", ".join(which[:6]) + (" …" if len(which) > 6 else "")
