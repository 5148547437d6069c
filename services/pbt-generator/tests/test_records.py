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
        ("return hasattr(x, 'line') and x.line", True),
        ("return getattr(x, 'line', None) or g(x.rule)", True),
        ("return x is not None and x.line.owner.rule", True),
        ("return h(1, x) + x.line", True),
        ("return [y.line for y in x]", True),
        ("return [y.line for y in x if y.rule] + [len(x)]", True),
        ("return h(1, x) + h(2, x)", False),
        ("return h(1, x) + k(x)", False),
        ("return list(map(h, x, x.line))", False),
        ("return [y.line for y in x] + x", False),
        ("return [y for y in x if y.line]", False),
        ("return [y.line for y in x] + [y.line for y in z]", False),
        ("return [y.line for y in x] + [z.line for z in x]", False),
        ("return getattr(x, g(), None) or x.line", False),
        ("return getattr(x, '_line', None) or x.line", False),
        ("return x and x.line", False),
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
    helpers = "def h(n, y):\n    return y.rule + n\ndef k(y):\n    return y\n"
    assert bool(read(f"{helpers}def f(x):\n    {body}\n")) is known


def test_attributes_of_attributes_members_and_helpers_become_entries() -> None:
    code = (
        "def h(y: Line):\n    return y.rule\n"
        "def f(x, rows: list[Row]):\n"
        "    if hasattr(x, 'kind') and getattr(x, 'rest', 1):\n"
        "        return h(x) + x.owner.names[0] + x.text.strip()\n"
        "    return [row.title for row in rows if row.parent.kind]\n"
    )
    program, names = with_maps_for_objects(read_program(code, (), "f"))
    assert names == ("x", "rows")
    assert program.source == (
        "def h(y):\n    return y['rule']\n\n"
        "def f(x, rows):\n"
        "    if 'kind' in x and x.get('rest', 1):\n"
        "        return h(x) + x['owner']['names'][0] + x['text'].strip()\n"
        "    return [row['title'] for row in rows if row['parent']['kind']]\n"
    )


def test_values_of_libraries_stay_what_they_are() -> None:
    code = "def f(day, item):\n    return day.year + item.size_of\n"
    program = read_program(code, (), "f")
    assert with_maps_for_objects(program, portable=False)[1] == ("item",)
    assert with_maps_for_objects(program)[1] == ("day", "item")


def test_a_task_is_made_of_it_and_says_so(workshop: Workshop) -> None:
    built = asyncio.run(build_suite(Candidate("1", "shown", "shown", SHOWN, (), "SC"), workshop))
    assert isinstance(built, BuiltSuite)
    assert built.certificate.objects_as_maps == ("problem",)
    assert "problem['line']" in built.program.source and '"line"' in built.cases[0].arguments
