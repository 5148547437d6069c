"""Sections of docstrings lose no words, and what a result of several places holds is said."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pbt_generator.domain.exercises.dress import _OPERATION
from pbt_generator.domain.inputs.inference.docstrings import read_docstring
from pbt_generator.domain.task.wording.choices import outside_choices
from pbt_generator.domain.task.wording.contradicting import disagreements
from pbt_generator.domain.task.wording.instruction import compose
from pbt_generator.domain.task.wording.observed import Observed
from pbt_generator.domain.task.wording.places import placeless
from pbt_generator.domain.task.wording.prose import Prose, read_prose
from pbt_generator.domain.task.wording.sections import cut
from pbt_generator.domain.task.wording.told import Told

PARTS = Observed("list", Observed("text"))

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


YIELDS = {
    "google": (
        "Cut a text.\n\n    Args:\n        text: the thing\n\n    Yields:\n        str: The next part,\n"
        "            blanks left out.\n\n    Raises:\n        ValueError: If it is empty.\n    "
    ),
    "one of google": "Cut a text.\n\n    Yield:\n        The next part, blanks left out.\n    ",
    "numpy": (
        "Cut a text.\n\n    Yields\n    ------\n    str\n        The next part,\n        blanks left out.\n\n"
        "    Raises\n    ------\n    ValueError\n        If it is empty.\n    "
    ),
    "numpy with a name": (
        "Cut a text.\n\n    Yields\n    ------\n    part : str\n        The next part, blanks left out.\n    "
    ),
    "rest": (
        "Cut a text.\n\n    :param text: the thing\n    :yields: The next part,\n        blanks left out.\n"
        "    :ytype: str\n    "
    ),
    "epytext": "Cut a text.\n\n    @yield: The next part, blanks left out.\n    ",
}


@pytest.mark.parametrize("form", YIELDS)
def test_what_is_yielded_is_what_each_item_of_the_result_is(form: str) -> None:
    whole = YIELDS[form]
    prose = read_prose(cut(whole, "f", ["text"]))
    assert prose.text == "Cut a text." and prose.returns == "Each item: The next part, blanks left out."
    told = compose("f", "SC", prose, [Told("text", Observed("text"))], PARTS, [])
    assert "Result: a sequence of texts. Each item: The next part, blanks left out." in told
    assert prose.raises == (("if it is empty",) if "Raises" in whole else ())
    # The kind that is named is that of an item.
    assert not disagreements(whole, [], PARTS)
    assert disagreements(whole, [], Observed("int")) == ["it says what it yields, and the result is an integer"]


def test_what_is_yielded_stands_beside_what_is_returned() -> None:
    both = "Cut.\n\n    Returns:\n        All parts.\n\n    Yields:\n        The next one.\n"
    assert read_prose(both).returns == "All parts. Each item: The next one."
    pairs = "Cut.\n\nYields\n------\na : int\n    The one.\nb : int\n    The other.\n"
    assert read_prose(pairs).returns == "Each item: `a`: The one; `b`: The other."


@pytest.mark.parametrize(
    ("words", "told", "value", "against"),
    [
        ("One `step` (-1 or 1) on.", Told("step", Observed("int")), 2, True),
        ("One `step` (-1 or 1) on.", Told("step", Observed("int")), -1, False),
        ("Keep.", Told("keep", Observed("text"), "One of {'first', 'last'}."), "other", True),
        ("Keep.", Told("keep", Observed("text"), "One of {'first', 'last'}."), "last", False),
        ("Keep.", Told("keep", Observed("text"), "must be 'first' or 'last'", "'none'"), "none", False),
        ("Keep.", Told("axis", Observed("int"), "either 0 or 1"), None, True),
        ("Keep.", Told("n", Observed("int"), "such as 1 or 2"), 7, False),
        ("Keep a `size` (1 at least).", Told("size", Observed("int")), 7, False),
        ("Keep.", Told("keep", Observed("bool"), "either true or false"), True, False),
        ("Align.", Told("side", Observed("text"), "one of left/center/right."), "top", True),
        ("Align.", Told("side", Observed("text"), "One of left, center or right"), "top", True),
        ("Align.", Told("side", Observed("text"), "One of left, center or right"), "center", False),
        ("Align.", Told("side", Observed("text"), "one of left|right"), "left", False),
        ("Open.", Told("mode", Observed("text"), "one of str/bytes"), "top", False),
        ("Open.", Told("name", Observed("text"), "one of many or few names in a table"), "top", False),
        ("Of a year.", Told("month", Observed("text"), "one of 01, 02 or 03"), "04", False),
        ("Split.", Told("at", Observed("text"), r"one of '\x', '\y'"), ",", False),
    ],
)  # fmt: skip
def test_values_that_words_do_not_list_contradict_them(words: str, told: Told, value: object, *, against: bool) -> None:
    assert bool(outside_choices(words, [told], [(json.dumps([value]), "0")])) == against


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "read",
    [
        lambda: cut("Cut a text.\n\nNote:\n    " + "a://" * 5000 + " end\n", "f", ["text"]),
        lambda: read_docstring("Cut.\n\nArgs:\n    x (" + "(()" * 2000 + ": a text\n"),
        lambda: placeless(Prose("Gives (" + "a  , " * 2000 + "of it."), Observed("list", parts=(PARTS, PARTS)), False),
        lambda: _OPERATION.match("- `o`, arguments `a`" + ", `b` (may be left out, then f(1))" * 500 + "."),
    ],
)
def test_words_of_any_length_are_read_in_time(read: Callable[[], object]) -> None:
    """An author of a hundred characters decided how long the service stood still."""
    read()


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("x (int): a", "int"),
        ("x (list(int), optional): a", "list(int), optional"),
        ("x (a (b) c (d)): e): a", "a (b) c (d)"),
        ("x (a (b): a", "a (b"),
    ],
)
def test_a_kind_in_brackets_may_hold_brackets(line: str, kind: str) -> None:
    assert read_docstring(f"Cut.\n\nArgs:\n    {line}\n").types == {"x": kind}


@pytest.mark.parametrize(
    ("text", "stays"),
    [("<http://a.b/c>", False), ("- a://b/http://c.d\n    - <e://f>", False), ("Beside a://b.", True)],
)
def test_a_section_of_addresses_alone_goes(text: str, stays: bool) -> None:
    assert (text in cut(f"Cut a text.\n\nNote:\n    {text}\n", "f", ["x"])) == stays
