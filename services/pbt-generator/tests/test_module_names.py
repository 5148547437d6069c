"""Results that hang on the name of the module in which a program stands: a package has another one than a task."""

from __future__ import annotations

from typing import Any

import pytest

from pbt_generator.domain.oracle.naming import under_another_name
from pbt_generator.domain.refusals import Reason
from pbt_generator.usecases.build import BuiltSuite, Candidate, RefusedSuite, Workshop, build_suite

SLICE = '''
class Even:
    pass


class Odd:
    pass


def kind(x: int) -> str:
    """Tell what kind of number this is."""
    made = Even() if x % 2 == 0 else Odd()
    return {result} + "!" * (x % 7)
'''
TOLD = [
    "str(type(made))",
    "str([type(made)])",
    'f"{type(made)}"',
    '"%s" % type(made)',
    '"{0!s:>40}".format(made.__class__)',
]


async def built(code: str, workshop: Workshop) -> BuiltSuite | RefusedSuite:
    return await build_suite(Candidate("s", "kind", "kind", code, (), "SC", "slice", 6), workshop)


@pytest.mark.parametrize("result", TOLD)
async def test_the_module_of_a_class_is_no_result(result: str, workshop: Workshop) -> None:
    refused = await built(SLICE.replace("{result}", result), workshop)
    assert isinstance(refused, RefusedSuite)
    assert refused.refusal.reason is Reason.NONDETERMINISTIC
    assert "other_module_name" in refused.refusal.detail


async def test_the_module_of_a_class_made_within_the_function_is_no_result(workshop: Workshop) -> None:
    code = SLICE.replace("{result}", 'str(type("Kind", (), {}))')
    assert isinstance(await built(code, workshop), RefusedSuite)


async def test_the_name_of_a_class_is_a_result(workshop: Workshop) -> None:
    made = await built(SLICE.replace("{result}", "type(made).__name__"), workshop)
    assert isinstance(made, BuiltSuite), made.refusal.words
    assert any(trial.program == "ground_truth_other_module_name" for trial in made.certificate.trials)


DATACLASS = '''"""What this is."""
from __future__ import annotations
from dataclasses import dataclass, field
import dataclasses
from enum import Enum
from typing import NamedTuple, get_type_hints


class Colour(Enum):
    RED = 1


class Point(NamedTuple):
    x: int


@dataclass
class Held:
    number: int
    kept: dataclasses.InitVar[int] = 0
    names: list[str] = field(default_factory=list)


def f(x):
    return repr((Held(x), Colour.RED, Point(x), sorted(get_type_hints(Held)), __doc__))
'''


def results(program: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    import sys
    import types

    module = types.ModuleType("candidate")
    monkeypatch.setitem(sys.modules, "candidate", module)
    monkeypatch.setitem(sys.modules, "_ts_elsewhere", module)
    exec(compile(program, "candidate.py", "exec", dont_inherit=True), module.__dict__)
    return module.f(3)


def test_under_another_name_a_program_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = under_another_name(DATACLASS)
    assert changed and results(changed, monkeypatch) == results(DATACLASS, monkeypatch)


def test_a_program_without_classes_has_no_variant() -> None:
    assert not under_another_name("def f(x):\n    return str(type(x))\n")
