"""What a docstring says of the result, told from its examples and from the names of kinds."""

from __future__ import annotations

from pbt_generator.domain.task.wording.prose import read_prose


def test_output_of_an_example_is_no_result() -> None:
    prose = read_prose('Turn.\n\nExample:\n    Input:\n        "a b"\n    Output:\n        "b a"\n\nReturns:\n    it')
    assert (prose.returns, prose.text.endswith('Output:\n        "b a"')) == ("it", True)


def test_words_of_a_result_that_go_on_in_a_deeper_line_stay() -> None:
    assert read_prose("F.\n\nReturns\n-------\nThe place, or\n    -1.\n").returns == "The place, or -1."
    assert read_prose("F.\n\nReturns\n-------\nplace of it : int\n    Or -1.\n").returns == "Or -1."
