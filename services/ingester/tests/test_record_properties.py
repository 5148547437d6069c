"""Properties that can be set, as records: what is read, and what setting one changes."""

from __future__ import annotations

import random

import pytest

from ingester.domain.analysis import analyse_file

TANK = """class Tank:
    def __init__(self, level, most):
        self._level = level
        self.most = most
    @property
    def level(self):
        return self._level if self._level > 0 else 0
    @level.setter
    def level(self, value):
        if value > self.most:
            raise ValueError(value)
        self._level = max(value, self.level)
    @level.deleter
    def level(self):
        self._level = 0
    def room(self, least):
        return self.most - self.level if least else 0
    def fill(self, by):
        self.level = self.most if by else 0
        return by
    def set_level(self, by):
        self._level = by if by else 1
"""


@pytest.fixture
def made():
    """Records of a text by the name of their function."""
    return lambda text: {
        each.name: each for each in analyse_file(text.encode(), "main.py").functions if each.form == "record"
    }


def test_a_property_that_can_be_set_is_read_and_set_as_its_class_does(made, ran):
    found = made(TANK)
    assert {*found} == {"tank_level", "tank_set_level", "tank_room", "tank_own_set_level"}
    space: dict[str, type] = {}
    exec(TANK, space)
    draw = random.Random(3)
    for _ in range(200):
        level, most, value = (draw.randint(-5, 9) for _ in range(3))
        tank = space["Tank"](level, most)
        assert ran(found["tank_level"])["tank_level"](level) == tank.level
        assert ran(found["tank_room"])["tank_room"](level, most, value) == tank.room(value)
        sets = ran(found["tank_set_level"])["tank_set_level"]
        try:
            tank.level = value
        except ValueError:
            with pytest.raises(ValueError, match=str(value)):
                sets(level, most, value)
        else:
            assert sets(level, most, value) == {"level": tank._level}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("@level.setter", "@Other.level.setter"),
        ("@level.setter", "@level.getter"),
        ("@level.setter", "@most.setter"),
        ("@level.setter", "@level.setter\n    @checked"),
        ("    @property\n    def level", "    @checked\n    def level"),
        ("    @level.deleter\n", ""),
        ("    @level.deleter\n", "    @level.setter\n"),
        ("    def room(", "    level = 3\n    def room("),
        (
            "    def room(",
            "    if most:\n        @level.setter\n        def level(self, value):\n            pass\n    def room(",
        ),
        ("    def room(", "    def __setattr__(self, name, value):\n        pass\n    def room("),
    ],
)
def test_a_property_that_is_made_otherwise_is_not_known(made, old, new):
    assert old in TANK
    assert not {"tank_level", "tank_room", "tank_own_set_level"} & {*made(TANK.replace(old, new, 1))}


def test_what_sets_a_property_elsewhere_changes_more_than_a_field(made):
    assert "tank_fill" not in made(TANK)
    # A base's property is read; what a class stores under the name of one is not known.
    text = TANK + "class More(Tank):\n    def f(self, x):\n        return self.level + x if x else 0\n"
    assert "more_f" in made(text)
    assert "more_f" not in made(
        text + "    def g(self, x):\n        self.level = x\n        del self.level\n    level = 3\n"
    )
