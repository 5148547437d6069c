"""Tasks and runs by what people call them: an id, the beginning of one, or a name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from touchstone_cli.errors import CliError
from touchstone_cli.services import Caller
from touchstone_runtime.model_names import asked_at, served_at
from touchstone_runtime.ways import way_of

# No name is so long and of these letters alone.
_CERTAINLY_AN_ID = re.compile(r"[0-9a-f]{16,}")


def task_named(text: str, generator: Caller) -> str:
    """The id of the task that is meant, or the text itself where only the service can say what is wrong with it.

    Args:
        text: An id, its beginning, or the name of a function.
        generator: Knows the tasks.

    Raises:
        CliError: several functions are called so, or one is and another's task has an id that begins so.
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
        if not by_name or any(task.task_id == text for task in by_id):
            chosen.append(text)
            continue
        demand_one_meaning(
            text, {t.task_id: _task_words(t) for t in by_name}, {t.task_id: _task_words(t) for t in by_id}
        )
        if len(by_name) > 1:
            which = [f"{task.task_id[:8]} of {task.location.repository}" for task in by_name]
            raise CliError(f"{text}: {len(by_name)} tasks are called so: {_some(which)}; give an id")
        chosen.append(by_name[0].task_id)
    return chosen


def demand_one_meaning(text: str, by_name: Mapping[str, str], by_id: Mapping[str, str]) -> None:
    """Refuse a name that begins the id of another thing: nobody can tell which of them is meant.

    Args:
        text: What was given.
        by_name: What is called so: words for it, by its id.
        by_id: What has an id that begins so, likewise.

    Raises:
        CliError: something else than what is called so has an id that begins so.
    """
    begun = [words for key, words in by_id.items() if key not in by_name]
    if by_name and begun:
        raise CliError(
            f"{text}: is the name of {_some(list(by_name.values()))} and the beginning of the id of {_some(begun)}; "
            "give more of the id"
        )


def _task_words(task: Any) -> str:
    """A task for people who are to choose: as much of its id as tells it from a name."""
    of = f" of {task.location.repository}" if task.location.repository else ""
    return f"{task.task_id[:12]} ({task.entry_point}{of})"


def run_words(run: Any) -> str:
    """A run for people who are to choose."""
    return f"{run.run_id[:12]} ({run.spec.model})"


def run_named(text: str, evaluator: Caller) -> str:
    """The id of the run that is meant, or the text itself where only the service can say what is wrong with it.

    Args:
        text: An id, its beginning, or the name of a model with one run; the place after its last `@` may be left out.
        evaluator: Knows the runs.

    Raises:
        CliError: the model has several runs, or one and another run's id begins so, or no run is called so and some
            are called alike.
    """
    if not text or _CERTAINLY_AN_ID.fullmatch(text):
        return text
    runs = evaluator.call("ListRuns").runs
    by_id = {run.run_id: run_words(run) for run in runs if run.run_id.startswith(text)}
    if text in by_id:
        return text
    by_model = (
        [run for run in runs if run.spec.model == text]
        or [run for run in runs if _place(run.spec.model) == _place(text)]
        or [run for run in runs if served_at(run.spec.model)[0] == text]
    )
    if not by_model and by_id:
        return text
    if not by_model:
        models = sorted({run.spec.model for run in runs})
        calls = {call: model for model in models for call in (served_at(model)[0], model)}
        alike = dict.fromkeys(calls[call] for call in get_close_matches(text, calls))
        if alike:
            raise CliError(f"{text}: no run has this id or model; alike: {_some(tuple(alike))}")
        return text
    demand_one_meaning(text, {run.run_id: run_words(run) for run in by_model}, by_id)
    if len({run.spec.model for run in by_model}) > 1:
        which = [f"{run.run_id[:8]} ({run.spec.model})" for run in by_model]
        raise CliError(f"{text}: {len(by_model)} runs have models of this name: {_some(which)}; give an id")
    if len(by_model) > 1:
        which = [f"{run.run_id[:8]} ({way_of(run.spec)}, {run.spec.language})" for run in by_model]
        raise CliError(f"{text}: the model has {len(by_model)} runs: {_some(which)}; give an id")
    return by_model[0].run_id


def _place(model: str) -> tuple[str, str]:
    """A model's name and where it is served, as its identity tells it: this machine has several names."""
    name, address = asked_at(model)
    name, place = (name, address.partition("://")[2]) if address else served_at(model)
    host, slash, path = place.partition("/")
    path = f"{slash}{path}".rstrip("/").removesuffix("/v1").rstrip("/")
    for loopback in ("127.0.0.1", "[::1]"):
        if host == loopback or host.startswith(f"{loopback}:"):
            host = f"localhost{host.removeprefix(loopback)}"
    return name, f"{host}{path}"


def _some(which: Sequence[str]) -> str:
    return ", ".join(which[:6]) + (" …" if len(which) > 6 else "")
