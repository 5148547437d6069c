# ruff: noqa: E501  programs, one a line
"""Methods as functions of the fields that they read."""

from __future__ import annotations

import random
import textwrap
from typing import Any

import pytest

from ingester.domain.analysis import fingerprint_file, fingerprint_of

RECT = '''
    import math
    from dataclasses import dataclass, field

    LEAST = 0.5

    def _clean(value):
        return value if value > LEAST else LEAST

    @dataclass
    class Rect:
        """A rectangle."""

        width: float
        height: float
        _names: list[str] = field(default_factory=list)
        LIMIT = 100

        @property
        def area(self) -> float:
            return self.width * self.height

        def _scaled(self, by):
            return self.area * by

        def clipped(self, by: float = 2.0, *, least=LEAST):
            """The area times a number, clipped."""
            found = self._scaled(by)
            if found > self.LIMIT:
                return self.LIMIT
            return max(_clean(found), least)

        @classmethod
        def parse(cls, text):
            """Read it."""
            if not text:
                return 0
            return cls._part(text, 1) + cls.LIMIT

        @staticmethod
        def _part(text, place):
            return float(text.split("x")[place]) if "x" in text else math.floor(float(text))

        def named(self, name):
            text = f"""{name}:
            {self.width:>4}
            """
            return [other for other in self._names if other != name] or [text]
'''


def test_a_method_takes_the_fields_that_it_and_what_it_calls_read(records, ran):
    found = records(RECT)["Rect.clipped"]
    assert [(each.name, each.kind, each.annotation, each.default) for each in found.parameters] == [
        ("width", "positional", "float", None),
        ("height", "positional", "float", None),
        ("by", "positional", "float", "2.0"),
        ("least", "keyword_only", "", "LEAST"),
    ]
    assert (found.name, found.docstring) == ("rect_clipped", "The area times a number, clipped.")
    assert [(part.kind, part.name) for part in found.parts] == [
        ("constant", "LEAST"), ("function", "_clean"), ("constant", "RECT_LIMIT"), ("function", "rect_area"),
        ("function", "rect_scaled"),
    ]  # fmt: skip
    assert "class" not in found.code
    function = ran(found)["rect_clipped"]
    assert [function(3, 4), function(30, 40), function(0, 1), function(1, 1, by=3, least=9)] == [24, 100, 0.5, 9]
    assert (found.classification, found.complexity) == ("SC", 3)


def test_a_record_stands_where_its_method_stands_and_so_do_its_parts(records):
    lines = textwrap.dedent(RECT).splitlines()
    found = records(RECT)["Rect.clipped"]
    assert lines[found.line_start - 1].strip().startswith("def clipped(")
    places = {part.name: (lines[part.line_start - 1].strip(), lines[part.line_end - 1].strip()) for part in found.parts}
    assert places["rect_scaled"] == ("def _scaled(self, by):", "return self.area * by")
    assert places["RECT_LIMIT"] == ("LIMIT = 100", "LIMIT = 100")
    assert places["rect_area"][0] == "@property"


def test_the_age_of_a_record_is_that_of_its_method(records):
    found = records(RECT)["Rect.clipped"]
    assert fingerprint_of(found) in fingerprint_file(textwrap.dedent(RECT).encode())


def test_methods_of_the_class_need_no_object(records, ran):
    found = records(RECT)["Rect.parse"]
    assert [each.name for each in found.parameters] == ["text"]
    assert [ran(found)["rect_parse"](text) for text in ("", "3x4", "2.7")] == [0, 104.0, 102]
    # A static method that stands alone is a candidate as it is.
    assert "Rect._part" not in records(RECT)


def test_texts_over_lines_stay_as_they_are(records, ran):
    space: dict[str, Any] = {}
    exec(textwrap.dedent(RECT), space)
    function = ran(records(RECT)["Rect.named"])["rect_named"]
    for names in ([], ["a", "b"]):
        assert function(1.5, names, "a") == space["Rect"](1.5, 2, names).named("a")


HEAD = "class K(Base):\n    def __init__(self, a, b=None):\n        self.a = a\n        self._b = b\n"


@pytest.mark.parametrize(
    "text",
    [
        # The object goes somewhere as a whole.
        HEAD + "    def f(self, x):\n        return g(self) if x else self.a\ndef g(o):\n    return o.a\n",
        HEAD + "    def f(self, x):\n        return [y.a for y in (self, x) if y]\n",
        # Methods as values, attributes that nobody knows, attributes by name.
        HEAD + "    def g(self, x):\n        return x\n    def f(self, x):\n        return list(map(self.g, x)) if x else 0\n",
        HEAD + "    def f(self, x):\n        return self.c if x else self.a\n",
        HEAD + "    def __setattr__(self, n, v):\n        pass\n    def f(self, x):\n        return self.a if x else 0\n",
        # The object is changed where what it holds afterwards cannot be said.
        HEAD + "    def f(self, x):\n        del self.a\n        return self._b if x else 0\n",
        HEAD + "    def f(self, x):\n        return [self.a for self.a in x] if x else 0\n",
        HEAD + "    def f(self, x):\n        def g():\n            self.a = 1\n        g()\n        return self.a if x else 0\n",
        HEAD + "    def f(self, x):\n        try:\n            return self.a if x else 0\n        finally:\n            self.a = 1\n",
        HEAD + "    def f(self, x): self.a = x if x else 0\n",
        HEAD + "        self.result = 0\n    def f(self, x):\n        self.result = x if x else 0\n",
        HEAD + "        self.b = 0\n    def f(self, x):\n        self.b = self._b = x if x else 0\n",
        HEAD + "    @classmethod\n    def f(cls, x):\n        cls.a = x if x else 0\n        return cls.a\n",
        "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass K:\n    a: int\n    def f(self, x):\n        self.a = x if x else 0\n",
        "from attr import define\n@define\nclass K:\n    a: int\n    def f(self, x):\n        self.a = x if x else 0\n",
        "from typing import NamedTuple\nclass K(NamedTuple):\n    a: int\n    def f(self, x):\n        self.a = x if x else 0\n",
        # What a name is depends on the class around it, or on how it is written.
        HEAD + "    def f(self, x):\n        return super().f(x) if x else self.a\n",
        HEAD + "    def f(self, x):\n        return __class__ if x else self.a\n",
        HEAD + "    def f(self, x):\n        return __g(x) if x else self.a\n",
        HEAD + "    def f(self, x):\n        return x.__c if x else self.a\n",
        HEAD + "    L = [1]\n    def f(self, x=L):\n        return self.a if x else 0\n",
        HEAD + "    def f(self, x):\n        return f'{self.a=}' if x else ''\n",
        HEAD + "    def f(self, x):\n        match x:\n            case self.a:\n                return 1\n        return 0\n",
        HEAD + "    def f(self, x):\n        self = x\n        return self.a if x else 0\n",
        # Values of the class that change, or are computed where they are read.
        HEAD + "    L = 1\n    def f(self, x):\n        return self.L if x else self.a\nK.L = 2\n",
        HEAD + "    L = 1\n    def f(self, x):\n        return self.L if x else self.a\ndef g(k):\n    k.L = 2\n",
        HEAD + "    L = []\n    def f(self, x):\n        return self.L if x else self.a\ndef g(k):\n    k.L.append(2)\n",
        HEAD + "    L = 1\n    def f(self, x):\n        return self.L if x else self.a\ndef g(k):\n    setattr(k, 'L', 2)\n",
        HEAD + "    L = made()\n    def f(self, x):\n        return self.L if x else self.a\n",
        HEAD + "    @lru_cache\n    def g(self):\n        return self.a\n    def f(self, x):\n        return self.g() if x else 0\n",
        HEAD + "    def f(self, x):\n        return self.a if x else 0\nK.f = len\n",
        HEAD + "    def f(self, x):\n        return self.a if x else 0\nK = 3\n",
        HEAD + "    @cached_property\n    def g(self):\n        return [self.a]\n    def f(self, x):\n        return self.g if x else 0\n",
        "from dataclasses import dataclass, InitVar\n@dataclass\nclass K:\n    a: InitVar[int]\n    def f(self, x):\n        return self.a if x else 0\n",
        "from dataclasses import dataclass\n@dataclass\nclass K:\n    a: int = made()\n    def f(self, x):\n        return self.a if x else 0\n",
        HEAD + "    def f(self, x):\n        return self.a if x else 0\nBase.a = property(len)\n",
        HEAD + "    @deco\n    def f(self, x):\n        return self.a if x else 0\n",
        HEAD + "    async def f(self, x):\n        return self.a if x else 0\n",
        "@deco\n" + HEAD + "    def f(self, x):\n        return self.a if x else 0\n",
        HEAD.replace("Base", "metaclass=M") + "    def f(self, x):\n        return self.a if x else 0\n",
        HEAD.replace("Base", "Unknown") + "    def f(self, x):\n        return self.a if x else 0\n",
        HEAD.replace("Base", "Exception") + "    def f(self, x):\n        return self.args if x else 0\n",
        "if 1:\n" + textwrap.indent(HEAD + "    def f(self, x):\n        return self.a if x else 0\n", "    "),
    ],
)  # fmt: skip
def test_what_is_no_function_of_fields_is_no_record(records, text):
    assert "K.f" not in records("class Base:\n    pass\n" + text)


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("def f(self, x):\n        return self.a if x else 0", ["a", "x"]),
        ("def f(self):\n        return self._b if self.a else 0", ["a", "b"]),
        ("def f(self, *a, **k):\n        return self.a if a else k", ["own_a", "a", "k"]),
        ("def f(self, /, x):\n        return self.a if x else 0", ["a", "x"]),
        ("def f(self, x):\n        return [self.a for a in x if a]", ["own_a", "x"]),
        ("def f(self, b):\n        return (lambda: self._b)() if b else self.a", ["a", "own_b", "b"]),
        ("def f(self, x):\n        return self.inherited(x) if x else 0", ["a", "x"]),
        ("def f(self, x):\n        return len(self.__private) if x else 0", ["private", "x"]),
    ],
)
def test_the_parameters_of_a_record(records, method, parameters):
    base = "class Base:\n    def inherited(self, x):\n        return self.a + x\n"
    stored = HEAD + "        self.__private = []\n"
    found = records(base + stored + "    " + method + "\n")["K.f"]
    assert [each.name for each in found.parameters] == parameters


@pytest.mark.parametrize(
    ("body", "parameters", "given", "gives"),
    [
        ("self.a += x\nreturn self.a if x else 0", ["a", "x"], (1, 2), {"result": 3, "a": 3}),
        ("self.a[x] = 1\nif x:\n    return\nself.a = [x]", ["a", "x"], ([7], 0), {"a": [0]}),
        ("self.a[x] = 1\nif x:\n    return None\nself.a = [x]", ["a", "x"], ([7, 8], 1), {"a": [7, 1]}),
        ("self.a.append(x)\nreturn self.a.pop() + self._b if x else 0, 2", ["a", "b", "x"], ([1], 5, 2), {"result": (7, 2), "a": [1]}),
        ("for self.a in x:\n    if self.a:\n        return self.a", ["a", "x"], (9, [0, 3]), {"result": 3, "a": 3}),
        ("for self.a in x:\n    if self.a:\n        return self.a", ["a", "x"], (9, []), {"result": None, "a": 9}),
        # What is stored before anything reads it is no parameter; where the method may end before, it is.
        ("self.a = x or 3\nself._b = self.a + 1", ["x"], (0,), {"a": 3, "b": 4}),
        ("self.a = self.a + x if x else 0", ["a", "x"], (1, 2), {"a": 3}),
        ("if x:\n    return 1\nself.a = 2\nreturn x", ["a", "x"], (5, 1), {"result": 1, "a": 5}),
        ("while True:\n    self.a += 1\n    if self.a > x:\n        return self.a  # enough", ["a", "x"], (0, 3), {"result": 4, "a": 4}),
        ("if x:\n    self.a = 1\n    return 4\nelif self._b:\n    raise ValueError\nelse:\n    return 5", ["a", "b", "x"], (0, 0, 0), {"result": 5, "a": 0}),
    ],
)  # fmt: skip
def test_a_method_that_changes_its_object_gives_what_is_held_afterwards(records, body, parameters, given, gives, ran):
    found = records("class Base:\n    pass\n" + HEAD + "    def f(self, x):\n" + textwrap.indent(body, " " * 8) + "\n")[
        "K.f"
    ]
    assert [each.name for each in found.parameters] == parameters
    assert given is None or ran(found)["k_f"](*given) == gives


@pytest.mark.parametrize(("body", "ways"), [
    ("while True:\n    self.a += 1\n    if self.a > x:\n        return self.a", 1),
    ("while True:\n    self.a += 1\n    if self.a > x:\n        break", 1),
    ("while x:\n    self.a += 1\n    if self.a > x:\n        return 2", 2),
    ("self.a += 1\nif x:\n    return 2\nelse:\n    raise ValueError", 1),
    ("self.a += 1\nif x:\n    return 2\nelif self.a:\n    return 3", 3),
])  # fmt: skip
def test_an_end_that_is_never_reached_gives_nothing(records, body, ways):
    found = records("class Base:\n    pass\n" + HEAD + "    def f(self, x):\n" + textwrap.indent(body, " " * 8) + "\n")[
        "K.f"
    ]
    assert found.code.count("return ") == ways


def test_a_constructor_gives_its_fields_where_each_is_stored_on_every_way(records, ran):
    text = "class Base:\n    pass\nclass K(Base):\n    def __init__(self, a, b=None):\n        if a < 0:\n            raise ValueError\n"
    found = records(text + "        self.a = a\n        self._b = [] if b is None else list(b)\n")["K.__init__"]
    assert [each.name for each in found.parameters] == ["a", "b"]
    assert ran(found)["k_init"](2, (3,)) == {"a": 2, "b": [3]}
    assert "K.__init__" not in records(text + "        if b:\n            self._b = b\n        self.a = a\n")


def test_a_method_that_the_language_calls_with_one_object_is_a_record(records, ran):
    shown = "    def __str__(self):\n        return f'<{self.a}>' if self.a else ''\n    def __eq__(self, o):\n        return self.a == o.a if o else 0\n"
    found = records(
        "class Base:\n    pass\n" + HEAD + shown + "    def camelCase(self, x):\n        return self.a if x else 0\n"
    )
    assert ran(found["K.__str__"])["k_str"](4) == "<4>" and "K.__eq__" not in found
    assert found["K.camelCase"].name == "k_camel_case"


_FIELDS = ("size", "_rate", "names")
_STEPS = (
    "total += self.size",
    "total += self._rate * 2 if self.size > {n} else len(self.names)",
    "total += sum(len(each) for each in self.names) + {n}",
    "total += self.step{m}(total % 7)",
    "total -= self.half",
    "total += self.STEP * {n}",
    "total += K.fixed(total, {n})",
    "total += self.fixed({n}, by=self._rate)",
    "if total > {n}:\n            total -= self.size + type(self).STEP",
    "for name in self.names:\n            total += len(name) if name > 'b' else {n}",
    "total += (lambda size: size + self.size)({n})",
)


def _class(draw: random.Random) -> str:
    text = "class K:\n    STEP = 3\n    def __init__(self, size, rate, names):\n        self.size = size\n"
    text += "        self._rate = rate\n        self.names = names\n"
    text += "    @property\n    def half(self):\n        return self.size // 2 if self.size > 1 else self._rate\n"
    text += "    @staticmethod\n    def fixed(value, by=1):\n        return value // by if by else value\n"
    for place in range(4):
        steps = [draw.choice(_STEPS).format(n=draw.randrange(5), m=draw.randrange(place + 1)) for _ in range(3)]
        # A method calls earlier ones alone, so that all of them end.
        steps = [step for step in steps if f"step{place}(" not in step]
        text += f"    def step{place}(self, total):\n"
        text += "".join(f"        {step}\n" for step in [*steps, "return total if total < 10**6 else 0"])
    return text


@pytest.mark.parametrize("seed", range(60))
def test_a_method_and_its_record_agree(records, seed, ran):
    draw = random.Random(seed)
    text = _class(draw)
    space: dict[str, Any] = {}
    exec(text, space)
    found = records(text)
    assert len(found) >= 4, text
    for _ in range(20):
        values = {"size": draw.randrange(9), "rate": draw.randrange(1, 5), "names": draw.sample(["a", "bc", "d"], 2)}
        start = draw.randrange(50)
        for place in range(4):
            record = found[f"K.step{place}"]
            # Where the method has a name of its own that is a field's, the field is told apart.
            plain = {each.name: each.name.removeprefix("own_") for each in record.parameters}
            given = {name: values[field] for name, field in plain.items() if field in values}
            expected = getattr(space["K"](**values), f"step{place}")(start)
            assert ran(record)[record.name](**given, total=start) == expected, text


_CHANGES = (
    "self.size += {n}",
    "self.names.append('x' * {n})",
    "self._rate = self.size + {n}",
    "self._rate, self.size = self.size, {n}",
    "self.names[0] = self.names[-1] + 'y'",
    "if self.size > {n}:\n            self.size = 0",
    "if total > {n}:\n            return self.size",
    "if total == {n}:\n            return",
    "for self.size in range({n}):\n            total += self.size",
    "total += self.half + len(self.names)",
    "total += (lambda: self.size)() + {n}",
    "while self.size > 1:\n            self.size -= 1\n            if self.size == {n}:\n                break",
    "self.total = total * {n}",
)


@pytest.mark.parametrize("seed", range(60))
def test_a_method_that_changes_its_object_and_its_record_agree(records, seed, ran):
    draw = random.Random(seed)
    text = "class K:\n    def __init__(self, size, rate, names):\n        self.size = size\n        self._rate = rate\n"
    text += "        self.names = names\n        self.total = 0\n"
    text += "    @property\n    def half(self):\n        return self.size // 2 if self.size > 1 else self._rate\n"
    steps = [draw.choice(_CHANGES).format(n=draw.randrange(5)) for _ in range(4)]
    ends = draw.choice(
        ([], ["return total"], ["if total:\n            return 1\n        else:\n            return None"])
    )
    text += "    def step(self, total):\n" + "".join(
        f"        {step}\n" for step in ["if total < 0:\n            total = 1", *steps, *ends]
    )
    space: dict[str, Any] = {}
    exec(text, space)
    found = records(text).get("K.step")
    if found is None:
        pytest.fail(f"no record: {text}") if any("self.size +=" in step for step in steps) else None
        return
    for _ in range(20):
        values = {"size": draw.randrange(9), "rate": draw.randrange(1, 5), "names": draw.sample(["a", "bc", "d"], 2)}
        start = draw.randrange(-2, 8)
        thing = space["K"](values["size"], values["rate"], list(values["names"]))
        thing.total = 5
        expected = thing.step(start)
        known = {**values, "names": list(values["names"]), "own_total": 5, "total": start}
        given = {each.name: known[each.name] for each in found.parameters}
        answer = ran(found)[found.name](**given)
        if not isinstance(answer, dict):
            # Nothing in it changes the object.
            assert answer == expected
            continue
        held = {"size": thing.size, "rate": thing._rate, "names": thing.names, "total": thing.total}
        assert answer.pop("result", None) == expected
        assert answer and answer == {name: held[name] for name in answer}, found.code
