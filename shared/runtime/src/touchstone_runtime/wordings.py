"""Names of the two ways in which a task is told: its words suffice by stated rules, or its examples say the rest.

They are two boards and two scores, never one; of which nobody told counts as told by example.
"""

from __future__ import annotations

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
