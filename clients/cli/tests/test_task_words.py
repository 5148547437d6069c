"""How a task's cases are shown on a screen."""

import json

from touchstone_cli.tasks import case_words


def test_a_short_case_is_shown_whole_and_of_a_long_one_how_long_it_is():
    case = {"arguments": json.dumps([2, "ü"]), "expected": json.dumps("ab")}
    assert case_words("f", case) == 'f(2, "ü") → "ab"'
    long = case_words("f", case | {"arguments": json.dumps(["x" * 5000]), "expected": json.dumps("0" * 1803)})
    assert len(long) < 700
    assert long.startswith('f("xxx') and "… (5,005 characters) → " in long and long.endswith("… (1,805 characters)")
