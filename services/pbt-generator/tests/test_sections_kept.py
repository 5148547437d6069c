"""No paragraph of a docstring is lost for looking like a section: only what is none of a task's matter goes."""

from __future__ import annotations

import pytest

from pbt_generator.domain.task.wording.prose import read_prose
from pbt_generator.domain.task.wording.sections import cut


def told(docstring: str, *names: str) -> str:
    prose = read_prose(cut(docstring, "f", list(names) or ["text", "mark"]))
    parts = [prose.text, *(f"[{name}] {words}" for name, words in prose.parameters.items()), prose.returns]
    return "\n".join(filter(None, parts))


@pytest.mark.parametrize("name", ["The following are removed", "Special cases", "Everything else", "Zero", "Links"])
@pytest.mark.parametrize("form", ["{name}:\n    - digits\n    - blanks", "{name}\n{ruler}\n- digits\n- blanks"])
@pytest.mark.parametrize(
    "place",
    ["Clean it.\n\n{}", "Clean it.\n\n{}\n\nReturns:\n    The rest.", "Clean it.\n\nArgs:\n    text: what\n\n{}"],
)
def test_a_list_under_a_line_of_words_stays(name: str, form: str, place: str) -> None:
    """Rules vanished from the description, and its task might still be ranked as described."""
    words = told(place.format(form.format(name=name, ruler="-" * len(name))))
    assert f"{name}:\n" in words and "- digits\n" in words and "- blanks" in words
    assert "---" not in words


@pytest.mark.parametrize(
    "section",
    ["References:\n    RFC 1.", "See Also\n--------\nother : does more", "Author:\n    Ann", "License:\n    free",
     "Links:\n    - https://example.org/a\n    <http://example.org>", "Time Complexity:\n    O(n)", "Todo:\n    more",
     "Conformance:\n    See RFC 1."],
)  # fmt: skip
def test_what_is_none_of_a_tasks_matter_goes(section: str) -> None:
    assert told(f"Clean it.\n\n{section}\n\nThe end.") == "Clean it.\n\nThe end." or "\n--" in section
    assert told(f"Clean it.\n\n{section}") == "Clean it."


NUMPY = """
    Cut a text into lines.

    Parameters
    ----------
    text : str
        What is cut.

    Rules
    -----
    Blank lines stay.

    Returns
    -------
    list
        The lines.

    Behaviour
    ---------
    An empty text gives one line.

    See Also
    --------
    join : the other way
    """


def test_further_sections_of_numpys_form_stand_for_themselves() -> None:
    prose = read_prose(cut(NUMPY, "f", ["text"]))
    assert prose.text == (
        "Cut a text into lines.\n\nRules:\nBlank lines stay.\n\nBehaviour:\nAn empty text gives one line."
    )
    assert (prose.parameters, prose.returns) == ({"text": "What is cut."}, "The lines.")


def test_words_at_the_margin_end_a_list_of_parameters() -> None:
    words = "Cut it.\n\nParameters\n----------\ntext : str\n    What is cut.\n*marks, by : str\n    Where.\n\n{}"
    for more in ("The following are removed:\n    - digits", "Only the ends of the text are cut."):
        prose = read_prose(cut(words.format(more), "f", ["text", "marks", "by"]))
        assert prose.text == f"Cut it.\n\n{more}"
        assert prose.parameters == {"text": "What is cut.", "marks": "Where.", "by": "Where."}


def test_examples_in_words_stay_and_those_that_show_other_code_go() -> None:
    assert told("Clean it.\n\nExamples:\n    'a b' becomes 'ab'.") == "Clean it.\n\nExamples:\n    'a b' becomes 'ab'."
    assert told("Clean it.\n\nExample:\n    Box(1).clean()") == "Clean it."


def test_a_title_stays_a_title() -> None:
    assert told("Cut a text\n==========\n\nAt blanks.") == "Cut a text\n\nAt blanks."


def test_what_is_said_of_inputs_without_names_is_no_list_of_parameters() -> None:
    assert told("Cut it.\n\nInput:\n    A text in small letters.") == "Cut it.\n\nInput:\n    A text in small letters."
    assert told("Cut it.\n\nInputs\n------\ntext : str\n    What.") == "Cut it.\n[text] What."


@pytest.mark.parametrize(
    ("words", "returned"),
    [
        ("False if the text begins with one of these: a, b, c", None),
        ("1 if the list is empty, else: the sum of all", None),
        ("True: if it fits", None),
        ("None: always", None),
        ("either: the text or its end", None),
        ("lo: the low end", None),
        ("'text' or 'number': the kind", None),
        ("The number of parts: two for a text", None),
        ("One of three values: 0, 1 or 2", None),
        ("str: The text: all of it", "The text: all of it"),
        ("list[int] | None: the places", "the places"),
        ("list of str: the parts", "the parts"),
        ("A list of dicts: one a row", "one a row"),
        ("int or float: how many", "how many"),
        ("tuple(str, int): both", "both"),
        ("Dict[str, List[int]]: the places", "the places"),
        ("list[Row] | None: the rows", "the rows"),
        ("pd.DataFrame: the rows", "the rows"),
        ("MyBox: the box", "the box"),
        ("`str`: the text", "the text"),
        ("str, optional: the text", "the text"),
        ("A boolean: whether it fits", "whether it fits"),
    ],
)
def test_what_stands_before_a_colon_goes_where_it_is_a_type(words: str, returned: str | None) -> None:
    for form in ("Cut.\n\n:returns: {}", "Cut.\n\nReturns:\n    {}", "Cut.\n\nReturns\n-------\n{}"):
        assert read_prose(form.format(words)).returns == (returned or words)


def test_a_line_that_announces_a_list_of_results_is_no_type() -> None:
    assert told("Cut.\n\nReturns\n-------\nOne of these:\n    a, b") == "Cut.\nOne of these: a, b"
    assert told("Cut.\n\nReturns\n-------\nstr:\n    The text.") == "Cut.\nThe text."
    assert told("Cut.\n\nReturns:\n    One of these:\n        a, b") == "Cut.\nOne of these: a, b"
