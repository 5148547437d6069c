"""Sections of docstrings lose no words, and what a result of several places holds is said."""

from __future__ import annotations

import pytest

from pbt_generator.domain.task.wording.contradicting import disagreements
from pbt_generator.domain.task.wording.instruction import compose
from pbt_generator.domain.task.wording.observed import Observed
from pbt_generator.domain.task.wording.places import placeless
from pbt_generator.domain.task.wording.prose import read_prose
from pbt_generator.domain.task.wording.told import Told

PLACES = """Cut.

    Parameters
    ----------
    a, b : ndarray
        Input arrays
    Z :
        Atomic number
    keep : {'first', 'last', False}, default 'first'
    x : Series with respect to which it is differentiated

    Returns
    -------
    lo : int
        The low end.
    hi : int
        The high end.

    Raises
    ------
    ValueError
        If a is negative.
    """
FIELDS = """Do.

    :param x: the thing

        One more sentence.
    :param y: other
    :raises ValueError: if *value* is negative or not finite
    :raises TypeError:
        if it is a text
    """
ERRORS = """Do.

    Args:
        x: the thing.

    Raises:
        HelmError: If the signature is missing
            or invalid.

    Returns:
        A text.
    """


def test_sections_of_parameters_results_and_errors_lose_no_words() -> None:
    numpy, rest, google = map(read_prose, (PLACES, FIELDS, ERRORS))
    assert numpy.parameters == {
        "a": "Input arrays",
        "b": "Input arrays",
        "Z": "Atomic number",
        "keep": "One of {'first', 'last', False}.",
        "x": "Series with respect to which it is differentiated",
    }
    assert numpy.returns == "`lo`: The low end; `hi`: The high end."
    assert numpy.raises == ("if a is negative",)
    assert rest.parameters == {"x": "the thing One more sentence.", "y": "other"}
    assert rest.raises == ("if *value* is negative or not finite", "if it is a text")
    assert google.raises == ("if the signature is missing or invalid",) and google.returns == "A text."


def test_a_solver_reads_when_an_error_is_raised() -> None:
    told = compose("f", "SC", read_prose(ERRORS), [Told("x", Observed("text"))], Observed("text"), [], refused=['[""]'])
    assert told.endswith(
        'Inputs that are refused with an error, such as `[""]`, are not among the cases. '
        "An error is raised: if the signature is missing or invalid."
    )


@pytest.mark.parametrize(
    ("docstring", "told"),
    [
        ("Split off the sheet of a range.", False),
        ("Return the sheet and the range as a tuple.", True),
        ("Split a range into (sheet, cells).", True),
        ("Split a range.\n\n    Returns:\n        The sheet, then the cells.", True),
        ("Find the low and the high end of a span.", True),
        ("Encodes a signature, with the ``r`` and ``s`` parts encoded separately.", True),
        ("Search and split whatever stands there.", False),
        (PLACES, True),
    ],
)
def test_a_result_of_several_places_needs_words_for_each(docstring: str, told: bool) -> None:
    parts = (Observed("text"), Observed("text"))
    missing = placeless(read_prose(docstring), Observed("list", Observed("text"), parts=parts))
    assert (not missing) == told
    assert not placeless(read_prose(docstring), Observed("list", Observed("text")))


@pytest.mark.parametrize(
    ("words", "kind", "against"),
    [
        ("Convert a week into a datetime object.", "date", True),
        ("Convert a week into a date.", "date", False),
        ("Return the datetime or the date of a week.", "date", False),
        ("Convert a date to a datetime.", "datetime", False),
        ("Format it and return the date string.", "datetime", False),
        ("Return a timedelta.", "datetime", True),
    ],
)
def test_a_moment_of_another_kind_contradicts_the_words(words: str, kind: str, against: bool) -> None:
    assert bool(disagreements(words, [], Observed("other", kinds=(kind,)))) == against
