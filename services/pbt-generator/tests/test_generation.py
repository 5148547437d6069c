"""Drawing, varying and writing inputs."""

from __future__ import annotations

import random
import subprocess
import sys

import pytest

import touchstone_values as values
from pbt_generator.domain.inputs.drawing.matching import matching_texts
from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.drawing.splicing import spliced
from pbt_generator.domain.inputs.drawing.strategies import draw_inputs
from pbt_generator.domain.inputs.drawing.variation import Variation
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.portable import arguments_text, shared_by_languages, tree_of
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    Field,
    FloatShape,
    InputShape,
    IntShape,
    LibraryShape,
    ListShape,
    MapShape,
    NoneShape,
    ParameterShape,
    RecordShape,
    SetShape,
    Shape,
    TextShape,
    TupleShape,
    UnionShape,
)
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.runs import Operands
from pbt_generator.ports import Harness

SHAPE = InputShape(
    (
        ParameterShape("text", TextShape(tokens=(",", "x-"), formats=("integer",))),
        ParameterShape("rows", ListShape(RecordShape((Field("name", TextShape()), Field("size", IntShape(), False))))),
        ParameterShape("limit", UnionShape((IntShape(hints=(7,)), NoneShape())), default=(3,)),
        ParameterShape("ratio", FloatShape(low=0.0, high=1.0)),
        ParameterShape("anything", AnyShape()),
    ),
    constants=(7, "x-"),
)


@pytest.mark.parametrize(
    "key",
    [
        TupleShape((ListShape(IntShape()), IntShape())), TupleShape((MapShape(TextShape(), IntShape()), IntShape())),
        ListShape(TupleShape((ListShape(IntShape()),))), LibraryShape("ndarray"),
    ],
)  # fmt: skip
def test_keys_and_members_of_every_shape_can_be_drawn_and_varied(key: Shape) -> None:
    places = (ParameterShape("m", MapShape(key, IntShape())), ParameterShape("s", SetShape(key)))
    sampler = Sampler(InputShape(places), 1, portable=False)
    variation = Variation(sampler)
    inputs = [sampler.input() for _ in range(200)]
    varied = [variation.vary(given) for given in inputs]
    assert all(type(m) is dict and type(s) is set for m, s in inputs + varied)
    assert any(m for m, _ in inputs) and any(s for _, s in inputs)


def test_the_same_seed_gives_the_same_inputs() -> None:
    first, second = Sampler(SHAPE, 5), Sampler(SHAPE, 5)
    assert [first.input() for _ in range(200)] == [second.input() for _ in range(200)]
    assert Sampler(SHAPE, 6).input() != Sampler(SHAPE, 5).input()
    drawn = [draw_inputs(SHAPE, Sampler(SHAPE, 5), 40, 5) for _ in range(2)]
    assert drawn[0] == drawn[1] and len(drawn[0]) == 40
    assert draw_inputs(SHAPE, Sampler(SHAPE, 5), 0, 5) == []


def parts(value: object) -> int:
    """How many values one is made of, and a quarter of the characters in it."""
    match value:
        case dict():
            return 1 + sum(parts(key) + parts(item) for key, item in value.items())
        case list() | tuple():
            return 1 + sum(map(parts, value))
        case str():
            return 1 + len(value) // 4
        case _:
            return 1


@pytest.mark.parametrize("inner", [IntShape(), TextShape(patterns=(r"^(\w+)(\[\d+\])*(\.(\w+)(\[\d+\])*)*$",))])
@pytest.mark.parametrize("levels", [2, 4, 7])
def test_collections_of_many_levels_are_drawn_in_so_many_steps(inner: Shape, levels: int) -> None:
    """Sizes of several levels multiply: what is longer than a case may be is not drawn to its end."""
    for level in range(levels):
        inner = MapShape(TextShape(), inner) if level % 2 else ListShape(inner)
    sampler = Sampler(InputShape((ParameterShape("x", inner), ParameterShape("y", inner))), 1)
    drawn = [sampler.input() for _ in range(60)]
    # A text may be begun last of all, and collections that must not be empty are not.
    assert max(parts(value) for given in drawn for value in given) < 2000 + 400 * levels
    assert len({parts(given[0]) for given in drawn}) > 9


def test_drawn_inputs_have_their_shape_and_a_portable_text() -> None:
    sampler = Sampler(SHAPE, 1)
    for given in [*draw_inputs(SHAPE, sampler, 40, 1), *(sampler.input() for _ in range(300))]:
        text, rows, limit, ratio, _ = given
        assert isinstance(text, str) and isinstance(rows, list)
        assert limit is None or isinstance(limit, int)
        assert isinstance(ratio, float)
        assert values.decode(arguments_text(SHAPE, given)) == list(given)


def test_constants_and_their_neighbours_are_drawn() -> None:
    sampler = Sampler(InputShape((ParameterShape("n", IntShape(hints=(1234,))),), (1234,)), 3)
    drawn = {sampler.input()[0] for _ in range(400)}
    assert {1233, 1234, 1235} <= drawn


def test_matching_texts_match() -> None:
    import re

    found = matching_texts(r"v(\d+)\.(\d+)")
    assert len(found) >= 3 and all(re.fullmatch(r"v(\d+)\.(\d+)", text) for text in found)
    assert matching_texts("(unclosed") == ()


@pytest.mark.parametrize(
    "kind", ["date", "datetime", "time", "timedelta", "decimal", "fraction", "complex", "path", "range"]
)
def test_library_values_round_trip(kind: str) -> None:
    sampler = Sampler(InputShape((ParameterShape("x", LibraryShape(kind)),)), 2)
    for _ in range(20):
        (value,) = sampler.input()
        assert values.decode(values.dump(tree_of(value))) == value


@pytest.mark.parametrize("shape", [LibraryShape("ndarray", dimensions=2, sizes=(-1, 4)), LibraryShape("series"),
                                   LibraryShape("frame", columns=(("a", "float"), ("b", "text")))])  # fmt: skip
def test_tables_are_written_without_their_libraries(shape: LibraryShape) -> None:
    sampler = Sampler(InputShape((ParameterShape("x", shape),)), 2)
    for _ in range(10):
        (value,) = sampler.input()
        made = values.decode(values.dump(tree_of(value)))
        assert values.compare(values.encode(made), values.dump(tree_of(value)), "exact") is None


def test_variation_never_changes_its_base() -> None:
    sampler = Sampler(SHAPE, 9)
    variation = Variation(sampler)
    for _ in range(300):
        base = sampler.input()
        before = arguments_text(SHAPE, base)
        variation.vary(base, sampler.input())
        variation.retype(base)
        assert arguments_text(SHAPE, base) == before


def test_what_a_comparison_wanted_is_written_where_it_came_from() -> None:
    rng = random.Random(1)
    made = {repr(spliced(({"a": ["open"]}, 5), Operands(0, "==", "open", "closed"), rng)) for _ in range(20)}
    assert repr(({"a": ["closed"]}, 5)) in made
    numbers = {spliced((41,), Operands(0, "<", 41, 100), rng) for _ in range(40)}
    assert {(99,), (100,), (101,)} <= numbers
    longer = spliced(("abc",), Operands(0, "len>", 3, 9), rng)
    assert longer is not None and len(str(longer[0])) in (8, 9, 10)
    assert spliced((1,), Operands(0, "==", "not there", "x"), rng) is None


def test_a_map_gets_the_key_of_several_parts_that_it_was_asked_for() -> None:
    rng = random.Random(2)
    seen = Operands(0, "key", [["a", 1]], ["b", None])
    made = spliced(({("a", 1): "x"}, "b", None), seen, rng)
    assert made == ({("a", 1): "x", ("b", None): "x"}, "b", None)
    # A map that was not asked stays as it is.
    assert spliced(({"a": "x"}, "b"), seen, rng) is None
    text = spliced(({"a": 5},), Operands(0, "key", ["a"], "b"), rng)
    assert text == ({"a": 5, "b": 5},)


@pytest.mark.parametrize("asked", ["key in table", "table.get(key) is not None"])
def test_a_lookup_by_several_parameters_is_reported_with_its_key(asked: str, harness: Harness) -> None:
    body = f"key = (left, right)\n    if {asked}:\n        return table[key]\n    return 0\n"
    source = f"def f(table, left, right):\n    {body}"
    program = instrument(source, "f")
    space: dict[str, object] = {}
    exec(compile(with_harness(program.source, "f", harness.explore), "program", "exec"), space)
    need = [goal.number for goal in program.goals]
    given = [[{("a", 1): "x"}, "b", None], [{("b", None): "x"}, "b", None]]
    first, second = space["_ts_explore"](given, need, 2000)  # pyright: ignore[reportCallIssue]
    assert [note[1:] for note in first[2] if note[1] == "key"] == [["key", [["a", 1]], ["b", None]]]
    assert not [note for note in second[2] if note[1] == "key"]
    shape = input_shape(read_program(source, (), "f"))
    assert not any(isinstance(parameter.shape, TupleShape) for parameter in shape.parameters)


def test_what_five_languages_share() -> None:
    for value in (None, True, 5, 1.5, "é", [1, ("a", 2)], {"k": [None]}, {1: "x"}):
        assert shared_by_languages(tree_of(value)) == ""
    for value in ({1, 2}, b"x", 2**60, float("nan"), {(1, 2): 3}, complex(1, 2)):
        assert shared_by_languages(tree_of(value)) != ""


def test_maps_keep_tuples_as_values() -> None:
    shape = InputShape((ParameterShape("x", MapShape(TextShape(), TupleShape((IntShape(), TextShape())))),))
    sampler = Sampler(shape, 3)
    for _ in range(30):
        (value,) = sampler.input()
        assert all(type(item) is tuple for item in value.values())


def test_what_is_drawn_does_not_depend_on_what_the_process_has_loaded(tmp_path):
    # A module of a user's own, with constants that Hypothesis would draw from.
    (tmp_path / "constants_of_others.py").write_text("VALUES = [123456789, 987654321.5, 'a constant of others']\n" * 40)
    program = (
        "import sys\n"
        "if sys.argv[1:]:\n    sys.path.insert(0, sys.argv[1])\n    import constants_of_others\n"
        "from pbt_generator.domain.inputs.drawing.sampling import Sampler\n"
        "from pbt_generator.domain.inputs.shapes import *\n"
        "from pbt_generator.domain.inputs.drawing.strategies import draw_inputs\n"
        "shape = InputShape((ParameterShape('a', IntShape()), ParameterShape('b', FloatShape())))\n"
        "print(draw_inputs(shape, Sampler(shape, 5, portable=True), 300, 5))\n"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program, *folder], capture_output=True, text=True, check=True, cwd=tmp_path
        ).stdout
        for folder in ([], [str(tmp_path)])
    ]
    assert runs[0] == runs[1]
    assert len(runs[0]) > 1000
