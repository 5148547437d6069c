"""A value counts as told where words mention it as a value: signs and everyday words stand in all prose."""

from __future__ import annotations

import pytest

from pbt_generator.domain.task.wording.mentions import unmentioned


@pytest.mark.parametrize("value", ["a", "text", "number", "of", "or", ".", ",", "-", "Name", "none", ", ", "(", "s"])
def test_prose_that_happens_to_hold_a_value_does_not_mention_it(value: str) -> None:
    words = "Give a number or a text of well-known form (or none): its Name, the author's."
    assert unmentioned([value], words, ["[1,2,{}]", "0"]) == [value]
    assert unmentioned([value], f"{words} It is '{value}'.") == []
    assert (
        unmentioned([value], f"{words} It is `{value}`.") == unmentioned([value], f"{words} It is ``{value}``.") == []
    )
    assert unmentioned([value], f'{words} It matters whether it is `"{value}"`.') == []
    assert unmentioned([value], words, [f'["{value}"]']) == unmentioned([value], words, [f'{{"{value}":1}}']) == []


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (",", "Join parts with commas."), (".", "Split at the dots."), ("-", "Hyphens stay."), ("/", "At a slash."),
        ("::", "Split at ::."), ("skip", "Rows are left out by skip."), ("kg", "Weights in kg."), (7, "At most 7."),
        ("é", "With é."), ("->", "Written a -> b."), (5, "From 3-5."), (-5, "Below -5."),
    ],
)  # fmt: skip
def test_what_names_a_sign_or_holds_another_word_mentions_it(value: object, words: str) -> None:
    assert unmentioned([value], words) == []


@pytest.mark.parametrize(
    ("value", "example", "told"),
    [
        (",", '["a,b"]', True), (",", "[1,2]", False), ("of", '["a of b"]', False), (" of ", '["a of b"]', True),
        (5, "[-5]", False), (5, "[3,-5,5]", True), (-5, "[-5]", True), ("kg", '["3 kg"]', True),
    ],
)  # fmt: skip
def test_what_examples_show_of_a_value(value: object, example: str, told: bool) -> None:
    assert (unmentioned([value], "", [example]) == []) is told
