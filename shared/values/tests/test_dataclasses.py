"""Which fields of a dataclass are its value: those that it has, and that count when two of it are compared."""

import dataclasses
import typing

import pytest

import touchstone_values as values


@dataclasses.dataclass
class Counted:
    kind: typing.ClassVar[str] = "counted"
    x: int = 0
    start: dataclasses.InitVar[int] = 7
    seen: list[int] = dataclasses.field(default_factory=list, compare=False)
    _: dataclasses.KW_ONLY
    hidden: int = dataclasses.field(default=1, repr=False)

    def __post_init__(self, start: int) -> None:
        self.x += start


@dataclasses.dataclass
class Begun:
    """Without a default, an instance has nothing by the name of what only makes it."""

    x: int
    start: dataclasses.InitVar[int]


@dataclasses.dataclass
class Child(Counted):
    y: int = 2


def test_fields_are_those_that_are_compared() -> None:
    assert values.encode(Counted(1)) == '{"$":"record","name":"Counted","fields":[["x",8],["hidden",1]]}'
    assert values.encode(Begun(1, 2)) == '{"$":"record","name":"Begun","fields":[["x",1]]}'
    assert values.encode(Child(y=3)) == '{"$":"record","name":"Child","fields":[["x",7],["hidden",1],["y",3]]}'


@pytest.mark.parametrize("mode", ["portable", "exact"])
def test_two_that_are_equal_are_one(mode: values.Mode) -> None:
    for other in (Counted(1), Counted(1, seen=[1]), Counted(1, hidden=2), Counted(2, 6), Counted(2)):
        assert (values.compare_values(Counted(1), other, mode) is None) == (Counted(1) == other)


def test_what_is_written_down_as_an_input_keeps_all_of_its_fields() -> None:
    kept = values.dump(values.tree_of(Counted(1, seen=[5]), whole=True))
    assert kept == '{"$":"record","name":"Counted","fields":[["x",8],["seen",[5]],["hidden",1]]}'


def test_fields_that_are_none_have_no_form() -> None:
    broken = dataclasses.make_dataclass("Broken", ["x"])
    made = broken(1)
    del made.x
    with pytest.raises(values.UnportableError, match="without all of its fields"):
        values.encode(made)
    for fields in ({"x": 1}, {"x": object()}):
        broken.__dataclass_fields__ = fields
        with pytest.raises(values.UnportableError):
            values.encode(made)
