"""The body of a class reads the module's name until it has bound its own, wherever that matters."""

from __future__ import annotations

import pytest

MAIN = """
    from .other import g
    LIMIT = 3
    def f(x):
        return g(x) + LIMIT if x > 1 else 0
"""
BODIES = {
    "taken over": "LIMIT = LIMIT\n    def m(self): return self.LIMIT + LIMIT",
    "made of it": "LIMIT = LIMIT + 1\n    def m(self): return self.LIMIT",
    "under another name before": "own = LIMIT\n    LIMIT = 5\n    def m(self): return self.own + self.LIMIT + LIMIT",
    "its own behind it": "LIMIT = 5\n    own = LIMIT\n    def m(self): return self.own + LIMIT",
    "a default": "def m(self, n=LIMIT): return n\n    LIMIT = 5",
    "a class inside": "LIMIT = 5\n    class Inner:\n        LIMIT = LIMIT\n    def m(self): return self.Inner.LIMIT",
    "what is bound to several": "LIMIT = first, second = LIMIT, 2\n    def m(self): return self.LIMIT[0]",
}
OTHER = "LIMIT = 10\nclass Held:\n    {}\ndef g(x):\n    return Held().m() + x\n"
HELD = "from dataclasses import dataclass\nLIMIT = 10\n@dataclass\nclass Held:\n    LIMIT: int = LIMIT\n"


def run(text, **names):
    space = {"__name__": "whole", **names}
    exec(text, space)
    return space


@pytest.mark.parametrize("body", BODIES)
def test_a_constant_that_is_called_otherwise_is_so_where_a_class_reads_it(candidates, ran, body):
    other = OTHER.format(BODIES[body])
    found = candidates(MAIN, other=other)["slice"]
    assert ran(found)["f"](4) == run(other)["g"](4) + 3


def test_a_field_that_is_called_like_its_default_keeps_its_name(candidates, ran):
    found = candidates(MAIN, other=HELD + "def g(x):\n    return Held().LIMIT + Held(LIMIT=x).LIMIT\n")["slice"]
    assert ran(found)["f"](4) == 10 + 4 + 3


def test_a_built_in_that_a_class_reads_is_no_helper_of_another_file(candidates, ran):
    other = "class Held:\n    max = max\ndef g(x):\n    return Held.max(x, 9)\n"
    main = MAIN.replace("LIMIT = 3", "def max(x):\n        return 3").replace("+ LIMIT", "+ max(x)")
    found = candidates(main, other=other).get("slice")
    assert found is None or ran(found)["f"](4) == 9 + 3


@pytest.mark.parametrize("change", ["", "Held.TABLE['a'] = 2", "def h():\n    Held().TABLE.update(a=2)"])
def test_a_table_that_a_class_takes_over_may_be_changed_there(candidates, change):
    main = (
        "TABLE = {'a': 1}\nclass Held:\n    TABLE = TABLE\n" + change + "\ndef f(x):\n    return TABLE[x] if x else 0\n"
    )
    assert ("slice" in candidates(main)) == (not change)


@pytest.mark.parametrize(
    "body",
    [
        "if FLAG:\n        LIMIT = 5\n    own = LIMIT",
        "for LIMIT in ():\n        pass\n    own = LIMIT",
        "try:\n        LIMIT = FLAG[0]\n    except TypeError:\n        pass\n    own = LIMIT",
        "LIMIT = 5\n    del LIMIT\n    own = LIMIT",
    ],
)
def test_what_may_be_a_name_of_a_class_or_of_its_module_is_not_cut_out(candidates, body):
    text = "LIMIT = 10\nFLAG = 0\nclass Held:\n    {}\ndef f(x):\n    return Held.own + x if x else 0\n"
    assert candidates(text.format(body)) == {}
    assert "slice" in candidates(text.format("LIMIT = 5\n    own = LIMIT"))


MESSAGE = """
class Base:
    __slots__ = {}
    def __init__(self, **values):
        for name in self.__slots__:
            setattr(self, name, values.get(name))
    def f(self, x):
        return self.size + x if self.kind else x
"""


@pytest.mark.parametrize(
    ("slots", "known"),
    [
        ("('size', 'kind')", True),
        ("['size', 'kind']", True),
        ("'size', 'kind'", True),
        ("('size', 'kind', '__weakref__')", True),
        ("('size',)", False),
        ("'size'", False),
        ("('size', KIND)", False),
        ("('size', 'ki' 'nd')", False),
        ("tuple('size kind'.split())", False),
        ("('size', 'kind')\n    kind = property(len)", False),
        ("('size', 'kind')\n    __slots__ += ('other',)", False),
    ],
)
def test_what_a_class_lists_as_slots_are_fields(records, ran, slots, known):
    found = records(MESSAGE.format(slots))
    assert ("Base.f" in found) is known
    if known:
        assert ran(found["Base.f"])["base_f"](size=3, kind="x", x=4) == 7
        assert ran(found["Base.f"])["base_f"](size=3, kind="", x=4) == 4


def test_a_value_of_a_class_hides_a_slot_of_its_base(records, ran):
    base, text = MESSAGE.format("('size', 'kind')").split("    def f(")
    found = records(f"{base}class More(Base):\n    kind = 1\n    def f({text}")
    assert ran(found["More.f"])["more_f"](size=3, x=4) == 7


@pytest.mark.parametrize(
    "helper",
    [
        "from contextlib import contextmanager\n@contextmanager\ndef kept(x):\n    yield x\n",
        "from abc import ABC, abstractmethod\nclass A(ABC):\n    @abstractmethod\n    def g(self):\n        pass\n"
        "class kept(A):\n    def g(self):\n        pass\n    def __init__(self, x):\n        self.x = x\n"
        "    def __enter__(self):\n        return self.x\n    def __exit__(self, *given):\n        return None\n",
    ],
)
def test_decorators_that_keep_nothing_are_taken_along(candidates, ran, helper):
    text = helper + "def f(x):\n    with kept(x) as y:\n        return y + 1 if y else 0\n"
    found = candidates(text)["slice"]
    assert [ran(found)["f"](x) for x in (0, 3)] == [0, 4]
    assert candidates(text.replace("contextmanager", "other").replace("abstractmethod", "lru_cache")) == {}


def test_a_private_name_of_a_base_is_another_one(records, ran):
    base = "class Base:\n    def __step(self, x):\n        return 1 if x else 3\n"
    text = "class More({}):\n    def __step(self, x):\n        return 2 if x else 4\n"
    text += "    def f(self, x):\n        return self.__step(x) + x if x else 9\n"
    found = records(base + text.format("Base"))
    assert ran(found["More.f"])["more_f"](5) == 7
    alike = base.replace("Base", "_More") + text.format("_More").replace("__step(self", "__other(self")
    assert "More.f" not in records(alike)


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("__size = property(len)", False),
        ("__size = 3", False),
        ("@property\n    def __size(self):\n        pass\n    @__size.setter\n    def __size(self, y):\n        pass",
         False),
        ("def __size(self):\n        return 1\n    def __size(self):\n        return 2", False),
        ("__size: int", True),
        ("y = 1", True),
    ],
)  # fmt: skip
def test_what_a_class_has_under_a_private_name_is_what_its_objects_have(records, body, kept):
    found = records(
        f"class A:\n    {body}\n    def f(self, x):\n        self.__size = x if x else 5\n        return x\n"
    )
    assert ("A.f" in found) is kept
