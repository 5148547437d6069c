"""Names of the two ways in which a task is told: its words suffice by stated rules, or its examples say the rest.

They are two boards and two scores, never one; of which nobody told counts as told by example.
"""

from __future__ import annotations

from touchstone_runtime.source_kinds import BENCHMARK

DESCRIBED, BY_EXAMPLE = "described", "by_example"
WORDINGS = (DESCRIBED, BY_EXAMPLE)
# For people.
IN_WORDS = {DESCRIBED: "described", BY_EXAMPLE: "told by example"}


def wording_named(name: str) -> str:
    """The wording of a task by what was said of it.

    Example:
        >>> wording_named("described"), wording_named("by_example"), wording_named("")
        ('described', 'by_example', 'by_example')
    """
    return DESCRIBED if name == DESCRIBED else BY_EXAMPLE


def wording_built(track: str, source_kind: str) -> str:
    """The wording of a task as it was built.

    Args:
        track: What its builder said of it; empty in tasks of before.
        source_kind: Of the source that its code comes from: a person wrote the words of a set that was imported.

    Example:
        >>> wording_built("by_example", "package"), wording_built("", "benchmark"), wording_built("", "git")
        ('by_example', 'described', 'by_example')
    """
    return wording_named(track or (DESCRIBED if source_kind == BENCHMARK else ""))
