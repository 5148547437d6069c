"""A rule that holds at several places is told of each, and one on kinds says where it ends."""

from __future__ import annotations

from pbt_generator.domain.oracle.certificate import Reading
from pbt_generator.domain.task.wording.constants import sentences
from pbt_generator.domain.task.wording.reading_rules import reading_rules

_ROW = """
def f(row):
    parts = row.split('|')
    return [parts[0].strip(' "'), parts[1].strip(' '), parts[4].strip(' "')]
"""


def test_what_is_taken_off_at_two_places_is_told_of_both() -> None:
    """Told of the first piece alone, a reader leaves the fifth as it is, against the examples."""
    assert sentences(_ROW, [' "'], ["row"], ["row"]) == [
        'At both ends of the first piece of `row` all characters that are among `" \\""` are taken off.',
        'At both ends of the fifth piece of `row` all characters that are among `" \\""` are taken off.',
    ]


def test_a_text_that_is_compared_with_several_parameters_is_told_of_each_once() -> None:
    """The second use says as much as the first; the same one twice says nothing more."""
    program = "def f(a, b):\n    if a == 'all' or b == 'all':\n        return 1\n    return 2 if a == 'all' else 3\n"
    assert sentences(program, ["all"], ["a", "b"], ["a", "b"]) == [
        'It matters whether `a` is `"all"`.', 'It matters whether `b` is `"all"`.'
    ]  # fmt: skip


def test_where_texts_are_read_as_numbers_the_rule_on_kinds_is_not_of_those() -> None:
    """`int(text) == 5` holds for "5": that a text never equals a number misleads there."""
    reading, cases = [Reading("kinds", 1, "a == b → str(a) == str(b)", told_apart=True)], [('["5",5]', "true")]
    plain = reading_rules(reading, cases, "def f(a, b):\n    return a == b\n")
    assert plain == ["A text never equals a number that it shows."]
    for reads in ("int(a) == b", "list(map(float, a)) == b", "Decimal(a) == b"):
        (told,) = reading_rules(reading, cases, f"def f(a, b: int):\n    return {reads}\n")
        assert told == "A text that is not read as a number never equals the number that it shows."
