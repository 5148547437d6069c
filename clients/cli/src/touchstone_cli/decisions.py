"""Waiting until the candidates of one source are decided, whatever other sources have before the generator."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import Any

from touchstone_cli.estimating import Rest
from touchstone_cli.output import counted, duration, say
from touchstone_cli.services import Caller
from touchstone_cli.standing import place_of

# A function of a source: its file and its qualified name.
Place = tuple[str, str]

_LOOK_AGAIN_S = 1.0
_TELL_AGAIN_S = 15.0


def await_decisions(generator: Caller, source: Any, found: Collection[Place]) -> tuple[list[Any], list[Any]]:
    """Return once every candidate of a source is decided, or nothing is left that the generator could decide.

    Args:
        generator: Decides.
        source: The source as it was taken in, with the number of its candidates.
        found: Its candidates as a look without the platform found them. They count where the platform counted none; of
            them some may never be decided, duplicates for instance, and then the end of all that waits ends this.

    Returns:
        The source's tasks and its refusals.
    """
    told_at = time.monotonic()
    known: set[str] | None = None
    counts: dict[str, int] | None = None
    rest = Rest()
    tasks: list[Any] = []
    refused: list[Any] = []
    counted_there = source.HasField("candidates")
    of = source.candidates if counted_there else len(set(found))
    while True:
        progress = generator.call("Progress").progress
        now = {each.name: each.value for each in progress.counters}
        if counts is None or now != counts or progress.lag == 0:
            # Only what was decided since the last look is worth asking for all of it again.
            counts = now
            tasks = [one for one in generator.call("ListTasks").tasks if one.location.repository == source.name]
            refused = [one for one in generator.call("ListRefusals").refusals if one.location.repository == source.name]
        both = (*tasks, *refused)
        ids = {one.function_id for one in both}
        if counted_there:
            decided = len({one.function_id for one in both if one.location.version == source.latest_version})
        else:
            decided = len({place_of(one) for one in both} & set(found))
        left = of - decided
        rest.note(time.monotonic(), decided, left)
        if known is not None:
            _announce(tasks, refused, known)
        if left <= 0 or progress.lag == 0:
            return tasks, refused
        if known is None or ids != known or time.monotonic() - told_at >= _TELL_AGAIN_S:
            told_at = time.monotonic()
            say(_how_far(decided, of, progress.lag - left, rest.seconds))
        known = ids
        time.sleep(_LOOK_AGAIN_S)


def _how_far(decided: int, of: int, others: int, seconds: float) -> str:
    words = f"  {decided} of {counted(of, 'candidate')} decided"
    if others > 0:
        words += f"; the generator has {counted(others, 'function')} of others to look at, and sources take turns"
    return f"{words}; about {duration(seconds)} more" if seconds >= 1 else words


def _announce(tasks: list[Any], refused: list[Any], known: set[str]) -> None:
    """Say of each decision that is new what it is."""
    for task in tasks:
        if task.function_id not in known:
            name = task.location.qualname or task.entry_point
            say(f"  {name}: task {task.task_id[:8]}, {counted(task.cases, 'case')}")
    for one in refused:
        if one.function_id not in known:
            why = f", {one.detail}" if one.detail else ""
            say(f"  {one.location.qualname or one.entry_point}: no task, {one.reason}{why}")
