"""Methods that call others that change their object: fields are handed over and taken back."""

from __future__ import annotations

import copy
import random
import textwrap
import time
from collections.abc import Callable
from typing import Any

import pytest

from ingester.domain.analysis import FoundFunction

Ran = Callable[[FoundFunction], dict[str, Any]]

READER = '''
    class Reader:
        """Reads a text."""

        def __init__(self, text):
            self.text = text if text else ""
            self.reset()

        def reset(self):
            self.pos = 0
            self.seen = []

        def next(self):
            if self.pos >= len(self.text):
                return ""
            found = self.text[self.pos]
            self.pos += 1
            return found

        @property
        def head(self):
            if self.pos == 0:
                self.seen.append(0)
            return self.text[:1]

        def skip(self, chars):
            while self.pos < len(self.text) and self.text[self.pos] in chars:
                self.next()
            return self.pos

        def word(self, chars=" "):
            self.skip(chars)
            found = self.next() + self.next()
            self.seen.append(found)
            if self.skip(chars) > 4: self.reset()
            return found or None

        def both(self):
            return [self.pos, self.next() if self.pos else self.head, self.pos]
'''
VALUES = {"text": "  ab cd", "pos": 1, "seen": ["x"]}


def agree(ran: Ran, text: str, name: str, found: FoundFunction, values: dict[str, Any], *given: Any) -> None:
    """A method of the class `text` and its record return the same and leave the same behind."""
    space: dict[str, Any] = {}
    exec(textwrap.dedent(text), space)
    kind = space[name.partition(".")[0]]
    thing = kind.__new__(kind)
    vars(thing).update(copy.deepcopy(values))
    method = getattr(type(thing), name.partition(".")[2])
    expected = method.fget(thing) if isinstance(method, property) else method(thing, *copy.deepcopy(given))
    held = copy.deepcopy(values)
    fields = [held[each.name] for each in found.parameters[: len(found.parameters) - len(given)]]
    answer = ran(found)[found.name](*fields, *copy.deepcopy(given))
    assert isinstance(answer, dict), found.code
    assert answer.pop("result", None) == expected, found.code
    assert answer == {key: vars(thing)[key] for key in answer}, found.code
    changed = {key for key, value in vars(thing).items() if values.get(key) != value}
    assert changed <= {*answer}, found.code


def test_fields_are_handed_to_what_changes_them_and_taken_back(records, ran):
    found = records(READER)
    word = found["Reader.word"]
    assert [each.name for each in word.parameters] == ["text", "pos", "seen", "chars"]
    assert 'pos = reader_skip(text, pos, chars)["pos"]' in word.code
    for values in (VALUES, VALUES | {"text": ""}, VALUES | {"pos": 0}, VALUES | {"text": "abcdef"}):
        agree(ran, READER, "Reader.word", word, values, " ")
        agree(ran, READER, "Reader.skip", found["Reader.skip"], values, " ax")
        agree(ran, READER, "Reader.both", found["Reader.both"], values)
        agree(ran, READER, "Reader.head", found["Reader.head"], values)


def test_a_constructor_may_leave_its_fields_to_another_method(records, ran):
    found = records(READER)["Reader.__init__"]
    assert [each.name for each in found.parameters] == ["text"]
    assert ran(found)["reader_init"]("ab") == {"text": "ab", "pos": 0, "seen": []}


HEAD = "class K:\n    def __init__(self, a, b):\n        self.a = a\n        self.b = b\n"
HEAD += "    def step(self, x=1):\n        self.a += x\n        return self.a\n"
HEAD += "    def read(self, x=0):\n        return self.a + x\n"
HEAD += "    def maker(self):\n        return lambda: self.a\n"


@pytest.mark.parametrize("body", [
    # What is raised half way is caught, and the object is what it was made till then.
    "try:\n    self.step()\nexcept TypeError:\n    pass\nreturn self.a if x else 0",
    "with x:\n    self.step()\nreturn self.a if x else 0",
    # Arguments are computed after the fields were handed on.
    "return self.read(self.step()) if x else 0",
    "return self.step(self.step()) if x else 0",
    # A function that reads the object while, or after, another one changes it.
    "seen = lambda: self.a\nself.step()\nreturn seen() if x else 0",
    "seen = (self.a for _ in range(3))\nself.step()\nreturn list(seen) if x else 0",
    "seen = lambda: self.read()\nself.step()\nreturn seen() if x else 0",
    "seen = self.maker()\nself.step()\nreturn seen() if x else 0",
    "seen = self.maker()\nself.a = 5\nreturn seen() if x else 0",
    # A name that is bound inside does not reach what is outside.
    "seen = lambda: self.step()\nreturn [seen(), self.a] if x else 0",
    "return [self.step() for _ in range(x)] if x else 0",
    'return f"{self.step()}" if x else ""',
    "self.__init__(1, x)\nreturn self.a if x else 0",
])  # fmt: skip
def test_what_is_between_the_two_and_may_be_seen_is_no_record(records, body):
    assert "K.f" not in records(HEAD + "    def f(self, x):\n" + textwrap.indent(body, " " * 8) + "\n")


@pytest.mark.parametrize("body", [
    "if x: self.step(); self.step(2)\nreturn self.a",
    "self.b[self.step() % 2] = self.step()\nreturn x and self.a",
    "self.b.append(self.step())\nreturn self.b if x else None",
    "self.a += self.step() * 3\nreturn self.a if x else 0",
    "moved = self.step() if x else self.read(2)\nreturn moved",
    "if (self.step()\n        and self.step(5)):\n    self.b = [self.a]\nreturn x or self.b",
    "return max(self.a, self.step(),  # both\n           self.read()) if x else self.step(x)",
    "while self.step() < 9:\n    if x: continue\n    return self.a",
    "for self.a in range(self.step(3)):\n    if x: self.step(7)",
    "if x:\n    return self.step()\nself.step(4)",
    "seen = [each for each in self.b if each]\nself.step()\nreturn seen if x else 0",
    "seen = lambda: self.b\nself.step()\nreturn seen() if x else 0",
    "self.b = [self.f(x - 1)] if x else []\nself.a -= 1\nreturn self.b",
])  # fmt: skip
@pytest.mark.parametrize("x", [0, 1, 3])
def test_wherever_it_is_called_the_record_agrees(records, body, x, ran):
    text = HEAD + "    def f(self, x):\n" + textwrap.indent(body, " " * 8) + "\n"
    agree(ran, text, "K.f", records(text)["K.f"], {"a": 2, "b": [1, 0]}, x)


_STEPS = (
    "self.{f} += {n}",
    "self.names.append('x' * {n})",
    "self.size, self.rate = self.rate, {n}",
    "total += self.step{m}(total % 5) or 0",
    "self.step{m}({n})",
    "self.step{m}({n}); total += self.{f}",
    "if total > {n}: self.step{m}(total)",
    "self.{f} = (self.step{m}(self.{f}) or 0) + self.{f}",
    "total += self.{f} + (self.step{m}({n}) or 1) * self.{f}",
    "total += self.half",
    "if total == {n}:\n            return self.step{m}(1)",
    "self.names.extend([self.size, self.step{m}(2), self.{f}])",
    "for _ in range({n}):\n            self.size //= 2\n            self.step{m}({n})",
    "if total > {n}:\n            return",
)


def _class(draw: random.Random) -> str:
    text = "class K:\n    def __init__(self, size, rate, names):\n        self.size = size\n        self.rate = rate\n"
    text += "        self.names = names\n    @property\n    def half(self):\n        self.rate += 1\n"
    text += "        return self.size // 2 if self.size > 1 else self.rate\n"
    for place in range(4):
        steps = [draw.choice(_STEPS) for _ in range(3)]
        # A method calls earlier ones alone, so that all of them end.
        steps = [step for step in steps if place or "{m}" not in step]
        told = [
            step.format(f=draw.choice(("size", "rate")), n=draw.randrange(5), m=draw.randrange(max(place, 1)))
            for step in steps
        ]
        text += f"    def step{place}(self, total):\n        total = total % 100\n"
        text += "".join(f"        {step}\n" for step in told)
        text += draw.choice(("        return total\n", "        return self.size if total else None\n", ""))
    return text


@pytest.mark.parametrize("seed", range(80))
def test_methods_that_call_each_other_and_their_records_agree(records, seed, ran):
    draw = random.Random(seed)
    text = _class(draw)
    found = records(text)
    for name, record in found.items():
        if name == "K.__init__" or "return {" not in record.code.rpartition(f"def {record.name}")[2]:
            continue
        for _ in range(12):
            values = {"size": draw.randrange(9), "rate": draw.randrange(1, 5), "names": draw.sample(["a", "bc"], 2)}
            agree(ran, text, name, record, values, *([draw.randrange(9)] if name != "K.half" else []))


def test_the_random_classes_have_records(records):
    classes = [_class(random.Random(seed)) for seed in range(80)]
    found = [record for text in classes for record in records(text).values()]
    assert sum('["' in record.code for record in found) > 150


def test_methods_whose_names_differ_in_underscores_or_capitals_alone_are_told_apart(records, ran):
    found = records(
        """
        class Text:
            def __init__(self, text):
                self.text = text
            def total(self, empty=0):
                return self.Total(2) + self._total(1) if self.text else empty
            def _total(self, least):
                return len(self.text) if len(self.text) > least else 0
            def Total(self, least):
                return self._total(least) * 10 if least else 0
        """
    )
    assert ran(found["Text.total"])["text_total"]("abc") == 33
    assert {name: each.name for name, each in found.items()} == {
        "Text.total": "text_total", "Text.Total": "text_own_total", "Text._total": "text_own_own_total",
    }  # fmt: skip


def test_a_class_of_many_methods_that_all_call_one_another_is_read_at_once(records):
    names = [f"rule_{number}" for number in range(12)]
    calls = " + ".join(f"self.{name}(x - 1)" for name in names)
    rules = [
        f"def {name}(self, x):\n        self.pos += 1\n        return {calls} if x else self.pos" for name in names
    ]
    text = "class Parser:\n    def __init__(self, pos):\n        self.pos = pos\n"
    started = time.process_time()
    records(text + "".join(f"    {rule}\n" for rule in rules))
    assert time.process_time() - started < 10
