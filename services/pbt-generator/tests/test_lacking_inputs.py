"""Classes of inputs without which suites let plausible wrong programs pass."""

from __future__ import annotations

import random

import pytest

from pbt_generator.domain.inputs.drawing.edge_inputs import edge_inputs
from pbt_generator.domain.inputs.drawing.sweeps import last_digits
from pbt_generator.domain.oracle.edges import features_of
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.ports import ForeignProgram, RunLimits
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite

POWER = """
def even_power(n: int) -> bool:
    return n > 0 and n & (n - 1) == 0
"""
BY_LOGARITHM = """
import math
def even_power(n):
    return n > 0 and math.log2(n).is_integer()
"""
TAGS = """
def tags_of(text: str) -> list[str]:
    return [part.strip().lower() for part in text.split(",") if part.strip()]
"""
AT_SEMICOLONS_TOO = """
import re
def tags_of(text):
    return [part.strip().lower() for part in re.split("[,;]", text) if part.strip()]
"""
REPEATS = """
def without_repeats(items: list[str]) -> list[str]:
    seen = set()
    kept = []
    for item in items:
        key = item.casefold()
        if key not in seen:
            seen.add(key)
            kept.append(item)
    return kept
"""
CHECKED = """
def article_ok(text: str) -> bool:
    if len(text) != 13 or not text.isdigit():
        return False
    total = 0
    for place, char in enumerate(text):
        total += int(char) * (3 if place % 2 else 1)
    return total % 10 == 0
"""


def near(*base: object) -> list[tuple[object, ...]]:
    """Inputs at edges near one, of the same kinds."""
    kinds = [type(value) for value in base]
    return edge_inputs([base] * 40, (), random.Random(5), 2000, lambda given: [type(value) for value in given] == kinds)


@pytest.mark.parametrize(
    ("truth", "wrong"),
    [
        (POWER, BY_LOGARITHM),
        (TAGS, AT_SEMICOLONS_TOO),
        (REPEATS, REPEATS.replace("casefold", "lower")),
        (CHECKED, CHECKED.replace("!= 13", "< 13")),
        (CHECKED, CHECKED.replace("3 if place % 2 else 1", "1 if place % 2 else 3")),
    ],
    ids=["logarithm", "separator", "case", "longer", "weights"],
)
async def test_a_plausible_wrong_program_does_not_pass(truth: str, wrong: str, workshop: Workshop) -> None:
    name = truth.split("(")[0].split()[-1]
    built = await build_suite(Candidate(f"id-{name}", name, name, truth.strip("\n"), (), "SC"), workshop)
    assert isinstance(built, BuiltSuite), built.refusal.words
    judged = await workshop.sandbox.judge(ForeignProgram(wrong, name), built.suite.data, limits=RunLimits())
    assert judged.verdict != "passed"


def test_whole_numbers_come_whose_logarithms_doubles_round() -> None:
    found = {number for (number,) in near(7)}
    assert {2**53 - 1, 2**49 + 1, 10**15 - 1} <= found
    assert "0: beside a power of ten" in features_of("[999999999999999]", ())
    assert "0: beside a power of two" in features_of("[9007199254740991]", ())
    assert not {"0: beside a power of ten", "0: beside a power of two"} & features_of("[999999999999990]", ())


@pytest.mark.parametrize("sign", [";", "|", ":", "/", "=", "&", "\t", "\n", "-", ".", "_", " ", "\uff1a"])
def test_words_stand_between_every_usual_separator(sign: str) -> None:
    found = [text for (text,) in near("red, green")]
    assert any(f"n{sign}g" in text or f"d{sign}d" in text for text in found), sign
    assert any(sign in text and "," not in text for text in found)


@pytest.mark.parametrize(
    ("one", "other"), [("ß", "SS"), ("ß", "ss"), ("ı", "I"), ("ς", "Σ"), ("ſ", "S")]
)  # fmt: skip
def test_texts_meet_that_are_the_same_when_case_is_left_aside(one: str, other: str) -> None:
    def meet(texts: object) -> bool:
        flat = str(texts)
        return one in flat and other in flat

    assert any(map(meet, near(["red", "green"])))
    assert any(map(meet, near("red", "green")))
    assert any(meet(given) for given in near({"red": 1}, "red"))


def test_texts_of_digits_come_with_every_last_digit() -> None:
    found = [text for (text,) in last_digits(("x-4006381333930",), "X")]
    assert {f"x-400638133393{digit}" for digit in range(10)} | {"x-4006381333907"} <= set(found)
    assert "x-400638133393X" in found
    assert list(last_digits(("no digits", 3), "X")) == []


def test_a_size_that_is_asked_for_exactly_is_read_as_a_limit() -> None:
    def read(source: str) -> list[str]:
        return [mutant.change for mutant in mutate(source, "f").mutants if mutant.reading == "sizes"]

    assert read("def f(x):\n    return len(x) == 2\n") == ["len(x) == 2 → len(x) >= 2", "len(x) == 2 → len(x) <= 2"]
    assert read("def f(x):\n    return len(x) != 2\n") == ["len(x) != 2 → len(x) < 2", "len(x) != 2 → len(x) > 2"]
    assert read("def f(x):\n    return len(x) == 0\n") == []
