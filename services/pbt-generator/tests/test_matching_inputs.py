"""Inputs made where a program matches a text with a regular expression, and from what stands beside its functions."""

from __future__ import annotations

import random
import re

import pytest

from pbt_generator.domain.inputs.drawing.matching import matching_texts
from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.drawing.splicing import spliced
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.proposals import Proposal, with_patterns
from pbt_generator.domain.inputs.shapes import InputShape, ParameterShape, TextShape
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.runs import Operands
from pbt_generator.ports import Harness

MARKED = """
import re
MARK = re.compile(r"^== (\\w+) ==$", re.I)
NAMES = {"alpha": 7}

def f(text):
    found = [line for line in text.split(";") if MARK.match(line)]
    return found or re.search("[a-c]{3}", text) is not None
"""


def test_probes_tell_what_was_matched_with_what(harness: Harness) -> None:
    rewritten = instrument(MARKED, "f")
    space: dict[str, object] = {"__name__": "candidate"}
    exec(compile(with_harness(rewritten.source, "f", harness.explore), "program", "exec"), space)
    goals = [goal.number for goal in rewritten.goals]
    rows = space["_ts_explore"]([["x;== a =="], ["abc"]], goals, 2000)  # pyright: ignore[reportCallIssue]
    seen = [operands[1:] for operands in rows[0][2]]
    assert ["match", "x", r"(?i)^== (\w+) ==$"] in seen and ["match", "== a ==", r"(?i)^== (\w+) ==$"] in seen
    assert ["match", "abc", "[a-c]{3}"] in [operands[1:] for operands in rows[1][2]]
    assert rows[0][0] == rows[1][0] == 0


def test_a_part_of_a_text_is_made_to_match() -> None:
    rng = random.Random(1)
    seen = Operands(0, "match", "x", r"(?i)^== (\w+) ==$")
    made = [spliced(("a;x;b",), seen, rng) for _ in range(60)]
    texts = [str(given[0]) for given in made if given is not None]
    middles = [text.removeprefix("a;").removesuffix(";b") for text in texts]
    matched = [text for text in middles if re.match(seen.right if isinstance(seen.right, str) else "", text)]
    assert len(matched) > 20 and all(text.startswith("a;") and text.endswith(";b") for text in texts)
    assert any(not re.fullmatch(r"== \w+ ==", text) for text in middles)


def test_what_stands_beside_a_function_is_worth_trying() -> None:
    code = MARKED.split("import re\n", 1)[1]
    constants = input_shape(read_program(code, ("import re",), "f")).constants
    assert {"alpha", 7, r"^== (\w+) ==$", ";"} <= set(constants)
    many = f"TABLE = {list(range(500))}\n\ndef f(x):\n    return x in TABLE\n"
    numbers = [value for value in input_shape(read_program(many, (), "f")).constants if isinstance(value, int)]
    assert len(numbers) == 40 and numbers[0] == 0 and numbers[-1] > 400


NOTHING = "(?:(?:(?:x{0}){%d}){%d}){%d}"


@pytest.mark.parametrize(
    "pattern",
    [
        NOTHING % (60_000, 60_000, 60_000),
        NOTHING % (150, 150, 150) + "a",
        "(?:" * 60 + "x{0}" + ")+" * 60,
        "(?:" * 40 + "|x" + ")+" * 40,
        "(?=" + NOTHING % (100, 100, 100) + ")a",
        "(a)?(?(1)b|" + NOTHING % (100, 100, 100) + ")",
    ],
)
def test_an_expression_whose_repeats_take_for_ever_is_not_read(pattern: str) -> None:
    """A model or a program would have chosen how long the service stands still."""
    shape = InputShape((ParameterShape("s", TextShape()),))
    assert with_patterns(Proposal((), (("s", pattern),)), shape) == shape
    assert matching_texts(pattern) == ()
    drawn = Sampler(shape, 1).texts
    assert {drawn.text(TextShape(patterns=(pattern,))) for _ in range(50)}


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "pattern",
    [r"(?:ab|a|b)*c(?<!c)", r"(a+)+$(?<!a)", r"(?:\w+\s?)+\b!(?<!!)", "(?:(a+)+c|a+b)", "(x+x+)+(?!y)y"],
)
def test_an_expression_that_may_take_for_ever_to_match_is_tried_on_nothing(pattern: str) -> None:
    assert matching_texts(pattern) == ()
