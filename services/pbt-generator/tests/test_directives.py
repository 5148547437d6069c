"""What stands in the line of a directive is words of its author, unless it names a language or a page."""

from __future__ import annotations

import pytest

from pbt_generator.domain.task.wording.prose import read_prose


@pytest.mark.parametrize(
    ("directive", "told"),
    [
        (".. math:: cost = 3 weight + 7", "cost = 3 weight + 7"),
        (".. math::\n\n   cost = 3 weight + 7", "cost = 3 weight + 7"),
        (".. admonition:: Zero counts as one\n\n   It does.", "Zero counts as one"),
        (".. rubric:: Never below 5", "Never below 5"),
        (".. topic:: Never below 5", "Never below 5"),
        (".. some-day:: Never below 5", "Never below 5"),
        (".. note:: Never below 5", "Note: Never below 5"),
        (".. note::\n\n   Never below 5", "Note:"),
    ],
)
def test_the_words_of_a_directive_stay(directive: str, told: str) -> None:
    """A formula or a rule that is lost leaves words that are called sufficient."""
    text = read_prose(f"Cost of it.\n\n{directive}\n\nEnd.").text
    assert told in text and "::" not in text and text.endswith("End.")


@pytest.mark.parametrize(
    "directive",
    [".. code-block:: python", ".. currentmodule:: shop", ".. versionadded:: 1.2", ".. only:: html", ".. admonition::"],
)
def test_what_is_no_words_goes(directive: str) -> None:
    assert read_prose(f"Cost of it.\n\n{directive}\n\nEnd.").text == "Cost of it.\n\nEnd."
