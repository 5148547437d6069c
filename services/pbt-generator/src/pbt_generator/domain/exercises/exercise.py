"""What an exercise is, and the drawing that decides which one a task gives."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")
# Goes up when the same task gives another exercise: runs of both are then different runs, on different boards.
VERSION = 3


@dataclass(frozen=True)
class Exercise:
    """One task, put as another question.

    Attributes:
        track: Which question, as `touchstone_runtime.tracks` names them.
        program: What a solver is shown: a broken program, the beginning of one, the ground truth, or what that calls
            of its own; may be empty.
        arguments: The case that is shown, as portable text; empty where none is.
        expected: What the ground truth returns for it; empty where it is not shown.
        seen: What the shown program does with the case, in words; repair only.
        suite_digest: The suite that judges; empty where it is the task's own.
        reference_cpu_s: CPU-seconds of the ground truth on the task's suite, measured now; speed only.
        entry_point: The function's name in neutral dress; empty where it is the task's own.
        instruction: What a solver is told in neutral dress.
        signatures: The function's head by language in neutral dress.
    """

    track: str
    program: str = ""
    arguments: str = ""
    expected: str = ""
    seen: str = ""
    suite_digest: str = ""
    reference_cpu_s: float = 0.0
    entry_point: str = ""
    instruction: str = ""
    signatures: dict[str, str] = field(default_factory=dict[str, str])


def drawn(items: Iterable[T], key: Callable[[T], str], *seed: str) -> Sequence[T]:
    """Items in an order that hashes decide: neither a clock nor the order of arrival has a part in it.

    Args:
        items: What to put in order.
        key: Tells two items apart.
        seed: Another seed is another order.

    Example:
        >>> drawn("abc", str, "task") == drawn("cab", str, "task")
        True
    """

    def place(item: T) -> str:
        return hashlib.sha256("\x00".join((*seed, key(item))).encode("utf-8", "surrogatepass")).hexdigest()

    return sorted(items, key=place)
