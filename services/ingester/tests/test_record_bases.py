# ruff: noqa: E501  programs, one a line
"""Attributes of classes that answer for other names, hold classes, or have bases of the standard library."""

from __future__ import annotations

import pytest

INIT = "    def __init__(self, a):\n        self.a = a\n"
F = "    def f(self, x):\n        return self.a if x else 0\n"


ANSWERS = "    def __getattr__(self, name):\n        return len(name)\n"


def test_a_class_that_answers_for_names_it_lacks_is_not_asked_for_those_it_has(records, ran):
    found = records("class Base:\n" + ANSWERS + "class K(Base):\n    L = 2\n" + INIT + F)
    assert ran(found["K.f"])["k_f"](5, 1) == 5
    asks = "    def g(self, x):\n        return self.other if x else 0\n"
    assert "K.g" not in records("class K:\n" + INIT + ANSWERS + asks)


@pytest.mark.parametrize("answers", [ANSWERS, ""])
def test_a_property_of_such_a_class_may_be_answered_for(records, answers):
    half = "    @property\n    def half(self):\n        return self.a.size // 2 if self.a else 0\n"
    uses = "    def g(self, x):\n        return self.half if x else 0\n"
    found = records("class K:\n" + INIT + half + uses + answers)
    assert ("K.half" in found, "K.g" in found) == (not answers, not answers)


@pytest.mark.parametrize(("head", "base", "known"), [
    ("from typing import MutableMapping\n", "MutableMapping", True),
    ("from typing import MutableMapping\n", "MutableMapping[str, int]", True),
    ("import typing\n", "typing.Dict[str, int]", True),
    ("import io\n", "io.RawIOBase", True),
    ("from datetime import tzinfo\n", "tzinfo", True),
    ("from typing import Any\n", "Any", False),
    ("from typing import Type\n", "Type", False),
    ("", "type", False),
    ("import unittest\n", "unittest.TestCase", False),
    ("from enum import Enum\n", "Enum", False),
])  # fmt: skip
def test_bases_of_the_standard_library_are_known_where_they_compute_no_attributes(records, head, base, known):
    found = records(f"{head}class K({base}):\n{INIT}{F}")
    assert ("K.f" in found) is known
    # What the base may have by that name is not read.
    clash = F.replace("self.a ", "self.keys ").replace("f(", "g(") + "    def h(self):\n        self.keys = 1\n"
    assert "K.g" not in records(f"from typing import MutableMapping\nclass K(MutableMapping):\n{INIT}{clash}")


RAISES = "    def f(self, x):\n        if x < 0:\n            raise self.Error(x)\n        return self.a + x\n"


def test_a_class_that_a_class_holds_is_a_constant(records, ran):
    error = "class Broken(ValueError):\n    pass\n"
    found = records(error + "class K:\n    Error = Broken\n" + INIT + RAISES)["K.f"]
    assert [(part.kind, part.name) for part in found.parts] == [("class", "Broken"), ("constant", "K_ERROR")]
    space = ran(found)
    assert space["k_f"](1, 2) == 3
    with pytest.raises(space["Broken"]):
        space["k_f"](1, -2)


@pytest.mark.parametrize("text", [
    # A function would be a method of the class.
    "def Broken(self):\n    pass\nclass K:\n    Error = Broken\n",
    "class K:\n    Error = Broken\nclass Broken(ValueError):\n    pass\n",
    "class Broken(ValueError):\n    pass\nclass K:\n    def Broken(self):\n        pass\n    Error = Broken\n",
    "class Broken(ValueError):\n    pass\nBroken = 3\nclass K:\n    Error = Broken\n",
    "@made\nclass Broken(ValueError):\n    pass\nclass K:\n    Error = Broken\n",
    "class Broken(metaclass=M):\n    pass\nclass K:\n    Error = Broken\n",
    "class Broken(ValueError):\n    pass\nclass K:\n    Error = Broken\ndef g(k):\n    k.Error = 3\n",
    "from dataclasses import dataclass\nclass Broken(ValueError):\n    pass\n@dataclass\nclass K:\n    Error: type = Broken\n",
])  # fmt: skip
def test_what_may_be_no_class_is_none(records, text):
    assert "K.f" not in records(text + INIT + RAISES)
