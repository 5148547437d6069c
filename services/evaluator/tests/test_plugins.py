"""Strategies that packages bring; the example of the documentation is one."""

import re
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from evaluator.adapters.plugins import installed_strategies
from evaluator.usecases.strategies import Workbench

DOCUMENT = Path(__file__).parents[3] / "docs" / "board.md"
GOOD = "```python\ndef f1(x: int) -> int:\n    return x + 1\n```"


def point(name, value):
    return EntryPoint(name, value, "touchstone.strategies")


@pytest.fixture
def example():
    """What the module of the documentation's example defines."""
    (source,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.DOTALL)
    space: dict[str, object] = {"__name__": "example"}
    exec(compile(source, str(DOCUMENT), "exec"), space)
    return space


@pytest.fixture
def installed(monkeypatch, example):
    def load(self):
        if self.value == "example:make":
            return example["make"]
        if self.value == "example:none":
            return lambda bench: object()
        raise ImportError("no such module")

    monkeypatch.setattr(EntryPoint, "load", load)
    return lambda bench, *points: installed_strategies(bench, {"direct"}, points)


def bench(models):
    return Workbench(models, None, None, None, 64)  # type: ignore[arg-type]


async def test_the_example_of_the_documentation_answers_with_its_longest_program(installed, models, run, task):
    asked = models(solve_v1=[GOOD, GOOD.replace("x + 1", "x + 1  # better"), "no idea"])
    found, problems = installed(bench(asked), point("longest", "example:make"))
    assert problems == []
    solution = await found["longest"].solve(run(strategy="longest"), task(1))
    assert "better" in solution.code and len(asked.asked) == 3
    assert solution.effort.calls == 3


async def test_a_strategy_that_cannot_be_used_is_told_and_the_others_work(installed, models):
    points = [
        point("longest", "example:make"),
        point("direct", "example:make"),
        point("no name", "example:make"),
        point("gone", "example:gone"),
        point("wrong", "example:none"),
    ]
    found, problems = installed(bench(models()), *points)
    assert list(found) == ["longest"]
    assert len(problems) == 4
    assert any("strategy gone" in each and "ImportError" in each for each in problems)


async def test_nothing_is_installed_here(models):
    assert installed_strategies(bench(models()), set()) == ({}, [])
