"""Strategies that installed packages bring: entry points of the group `touchstone.strategies`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import cast

from evaluator.usecases.strategies import Strategy, Workbench

GROUP = "touchstone.strategies"


def installed_strategies(
    bench: Workbench, taken: Collection[str], points: Iterable[EntryPoint] | None = None
) -> tuple[dict[str, Strategy], list[str]]:
    """Make the strategies of installed packages.

    An entry point names a function that takes a `Workbench` and gives a `Strategy`. It is code of the operator's own
    choice and runs in this process.

    Args:
        bench: What they stand on.
        taken: Names that are not theirs to take.
        points: Entry points; those that are installed when None.

    Returns:
        The strategies by name, and a line for each that cannot be used; the others work without it.
    """
    found: dict[str, Strategy] = {}
    problems: list[str] = []
    for point in sorted(entry_points(group=GROUP) if points is None else points, key=lambda point: point.name):
        origin = f"strategy {point.name} of {point.dist.name if point.dist else point.value}"
        if point.name in taken or point.name in found or not point.name.isidentifier():
            problems.append(f"{origin} is left out: the name is taken, or no name")
            continue
        try:
            made = cast("Callable[[Workbench], Strategy]", point.load())(bench)
            # Fails here rather than at the first task.
            _ = (made.variant(""), made.prompts, made.bounds, made.parts)
        except Exception as error:  # noqa: BLE001  whatever a plug-in does wrong, the others work
            problems.append(f"{origin} is left out: {type(error).__name__}: {error}")
            continue
        found[point.name] = made
    return found, problems
