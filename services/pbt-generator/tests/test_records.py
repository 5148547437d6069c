"""Objects of which only attributes are read, as maps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from pbt_generator.domain.inputs.inference.records import with_maps_for_objects
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.shapes import RecordShape
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite

SHOWN = """
def shown(problem: "Problem", name: str) -> str:
    \"\"\"Shows a problem.

    :type problem: Problem
    \"\"\"
    line = f"{name}:{problem.line}"
    if problem.rule:
        line += f" ({problem.rule})"
    return line
"""


def read(code: str) -> tuple[str, ...]:
    return with_maps_for_objects(read_program(code, (), "f"))[1]


def test_attributes_become_entries() -> None:
    program, names = with_maps_for_objects(read_program(SHOWN, (), "shown"))
    assert names == ("problem",)
    assert "problem['rule']" in program.source and "problem.rule" not in program.source
    shape = input_shape(program).parameters[0].shape
    assert isinstance(shape, RecordShape) and {entry.name for entry in shape.fields} == {"line", "rule"}
    space: dict[str, Callable[..., str]] = {}
    exec(compile(program.source, "program", "exec"), space)
    assert space["shown"]({"line": 3, "rule": "r"}, "a") == "a:3 (r)"


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("return x.line + 1", True),
        ("return [y for y in x.lines if y != x.line]", True),
        ("return x.line.strip()", True),
        ("return g(x.line)", True),
        # Whatever else is done with the object may tell it from a map.
        ("return g(x, x.line)", False),
        ("return x.line()", False),
        ("return x == x.line", False),
        ("y = x\n    return y.line", False),
        ("x.line = 3\n    return x.line", False),
        ("x = g(x.line)\n    return x", False),
        ("return hasattr(x, 'line') and x.line", False),
        ("return x.__name__", False),
        ("return [x.line for x in x.lines]", False),
        ("return [(lambda x: x.line)(y) for y in x.lines]", False),
        # An error over a missing attribute may be caught.
        ("try:\n        return x.line\n    except AttributeError:\n        return 0", False),
        ("with suppress(AttributeError):\n        return x.line", False),
        # Data has it.
        ("return x.real", False),
    ],
)
def test_only_what_is_read_becomes_a_map(body: str, *, known: bool) -> None:
    assert bool(read(f"def f(x):\n    {body}\n")) is known


def test_a_task_is_made_of_it_and_says_so(workshop: Workshop) -> None:
    built = asyncio.run(build_suite(Candidate("1", "shown", "shown", SHOWN, (), "SC"), workshop))
    assert isinstance(built, BuiltSuite)
    assert built.certificate.objects_as_maps == ("problem",)
    assert "problem['line']" in built.program.source and '"line"' in built.cases[0].arguments
