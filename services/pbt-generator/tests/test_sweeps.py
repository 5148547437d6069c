"""Edges that no draw finds: exact halves of a product, ends of months, limits in a text."""

from __future__ import annotations

import datetime

import pytest

from pbt_generator.domain.inputs.drawing.sweeps import sweeps
from pbt_generator.ports import ForeignProgram, RunLimits
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite


def test_one_place_takes_many_values_and_the_others_stay() -> None:
    found = sweeps([([3, "b"], "on 7")], lambda given: given[0] != [0, "b"])
    assert [sweep.path for sweep in found] == [(0, 0), (1,)]
    first = [found[0].at(place) for place in range(len(found[0].values))]
    assert ([7500, "b"], "on 7") in first and ([0, "b"], "on 7") not in first
    assert ([3, "b"], "on 31") in [found[1].at(place) for place in range(len(found[1].values))]


def test_days_of_two_years() -> None:
    (sweep,) = sweeps([(datetime.datetime(2020, 1, 1, 5),)], lambda given: True)
    assert datetime.datetime(2024, 2, 29, 5) in sweep.values and datetime.datetime(1900, 3, 1, 5) in sweep.values


@pytest.mark.parametrize(
    ("truth", "wrong"),
    [
        (
            "def f(x: int):\n    if x == 0:\n        return 96\n    return int(round(x * 0.0254))\n",
            "import math\ndef f(x):\n    return 96 if x == 0 else math.floor(x * 0.0254 + 0.5)\n",
        ),
        (
            "def f(cents: int, parts: int):\n    if parts < 1:\n        return [0]\n"
            "    return [round(cents * 1.05), cents % 7]\n",
            "import math\ndef f(cents, parts):\n    if parts < 1:\n        return [0]\n"
            "    return [math.floor(cents * 1.05 + 0.5), cents % 7]\n",
        ),
    ],
)
async def test_a_product_is_rounded_at_exact_halves(truth: str, wrong: str, workshop: Workshop) -> None:
    built = await build_suite(Candidate("f", "f", "f", truth, (), "SC"), workshop)
    assert isinstance(built, BuiltSuite)
    judged = await workshop.sandbox.judge(ForeignProgram(wrong, "f"), built.suite.data, limits=RunLimits(5.0, 60.0))
    assert judged.verdict == "wrong_output"
