"""Which decisions hold for the code that stands now, where several versions of it were decided."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Standing:
    """The decisions about one source, sorted by what they are about.

    Attributes:
        tasks: Tasks of the code that stands now.
        refused: Refusals of the code that stands now.
        older: Tasks of earlier code of functions that stand, which stay valid.
        gone: Tasks of functions that stand no more.
    """

    tasks: list[Any] = field(default_factory=list[Any])
    refused: list[Any] = field(default_factory=list[Any])
    older: list[Any] = field(default_factory=list[Any])
    gone: list[Any] = field(default_factory=list[Any])


def standing(
    tasks: Iterable[Any],
    refused: Iterable[Any],
    version: str,
    places: Collection[tuple[str, str]],
    history: Sequence[str] = (),
) -> Standing:
    """Sort the decisions about a source; of each function the one about its newest code is in force.

    Args:
        tasks: Oldest first.
        refused: Newest first.
        version: The version that stands.
        places: Path and qualified name of every function that stands.
        history: Versions, newest first, as far as somebody knows them.
    """
    age = {one: number for number, one in enumerate([version, *history])}
    decided: dict[tuple[str, str], list[tuple[Any, bool]]] = {}
    for one, is_task in (*((each, False) for each in reversed(list(refused))), *((each, True) for each in tasks)):
        decided.setdefault(place_of(one), []).append((one, is_task))
    found = Standing()
    for place, several in decided.items():
        # Sorting keeps the order of what is as new.
        several.sort(key=lambda each: (-age.get(each[0].location.version, len(age)), each[0].location.released_at))
        newest = several[-1][0].location.version
        for one, is_task in several:
            if place not in places:
                found.gone.extend([one] if is_task else [])
            elif one.location.version == newest:
                (found.tasks if is_task else found.refused).append(one)
            elif is_task:
                found.older.append(one)
    return found


def superseded(tasks: Sequence[Any]) -> Mapping[str, str]:
    """By id of a task that of the newest task of later code of the same function of the same source.

    Args:
        tasks: All tasks, oldest first.
    """
    newest = {(one.location.repository, one.form, *place_of(one)): one for one in tasks}
    told: dict[str, str] = {}
    for one in tasks:
        later = newest[one.location.repository, one.form, *place_of(one)]
        if later.location.version != one.location.version and one.location.qualname:
            told[one.task_id] = later.task_id
    return told


def place_of(decision: Any) -> tuple[str, str]:
    """Path and qualified name of the function that a decision is about."""
    return decision.location.path, decision.location.qualname
