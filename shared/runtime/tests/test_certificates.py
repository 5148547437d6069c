"""A certificate as a table for people."""

from touchstone_runtime.certificates import facts


def test_wrong_programs_of_a_model_are_counted_and_those_that_pass_are_named():
    programs = [
        {"words": "counts bytes", "code": "...", "told_apart": True},
        {"words": "rounds halves up", "code": "...", "told_apart": False},
    ]
    assert facts({"mistakes": {"model": "m", "programs": programs}}) == [
        ("Mistakes", "1 of 2 wrong programs that m made up fail"),
        ("Mistake that passes", "rounds halves up"),
    ]
    assert facts({"mistakes": {"model": "", "programs": []}}) == facts({}) == []
