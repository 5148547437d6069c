"""Errors that the language or a library takes for answers end nothing, and those that leave end a run as before."""

from __future__ import annotations

import ast

import pytest

from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.unread import checks_alone

METHOD = """
class Own(BASE):
    def __init__(self, n):
        self.n = n
    HEAD
        if self.n > 3:
            raise ERROR
        return self.n
def f(n):
    return USE
"""
END = "class End(StopIteration):\n    pass\n"


def method(head: str, error: str, use: str, base: str = "object", before: str = "") -> str:
    text = METHOD.replace("BASE", base).replace("HEAD", head).replace("ERROR", error).replace("USE", use)
    return before + text


def function(body: str, use: str, before: str = "") -> str:
    return f"{before}\ndef take(x):\n    if x > 3:\n        raise {body}\n    return x\ndef f(n):\n    return {use}\n"


PROPERTY = "@property\n    def size(self):"
NEXT = "def __next__(self):"
ITEM = "def __getitem__(self, key):"
MAPPING = "from collections.abc import Mapping\n"
ANSWERS = [
    method(NEXT, "StopIteration", "list(Own(n))"),
    method(NEXT, "StopIteration(self.n)", "next(Own(n), 0)"),
    method(NEXT, "End", "next(Own(n), 0)", before=END),
    method(ITEM, "IndexError(key)", "list(Own(n))"),
    method(ITEM, "KeyError(key)", "Own(n).get(1)", "Mapping", MAPPING),
    method(ITEM, "KeyError(key)", "ChainMap(Own(n), {1: 2})[1]", before="from collections import ChainMap\n"),
    method(ITEM, "KeyError(key)", "'abc'.translate(Own(n))"),
    method(ITEM, "KeyError(key)", "Template('$a').safe_substitute(Own(n))", before="from string import Template\n"),
    method("def __missing__(self, key):", "KeyError(key)", "Template('$a').safe_substitute(Own(n))", "dict"),
    method(ITEM, "KeyError(key)", "codecs.charmap_encode('a', 'replace', Own(n))", before="import codecs\n"),
    method(ITEM, "KeyError(key)", "looked_up(Own(n))", before="from elsewhere import looked_up\n"),
    method("def __str__(self):", "ValueError", "logging.error('%s', Own(n))", before="import logging\n"),
    method(PROPERTY, "AttributeError", "getattr(Own(n), 'size', 0)"),
    method(PROPERTY, "AttributeError", "hasattr(Own(n), 'size')"),
    method("def __getattr__(self, name):", "AttributeError(name)", "getattr(Own(n), 'size', 0)"),
    method("def __len__(self):", "TypeError", "list(Own(n))"),
    # Nobody knows what a library takes for an answer.
    method("def handle(self):", "ValueError", "Own(n).run()", "Handler", "from elsewhere import Handler\n"),
    method("@kept\n    def size(self):", "ValueError", "Own(n).size()", before="from elsewhere import kept\n"),
    function("StopIteration", "list(map(take, n))"),
    function("StopIteration", "list(map(lambda x: take(x) + 1, n))"),
    function("StopIteration", "list(iter(take, 2))"),
    function("End", "list(map(take, n))", END),
    function("ValueError", "apply_along(take, n)", "from elsewhere import apply_along\n"),
    # What is called on the way stands there too.
    function("IndexError", "list(Row())", "class Row:\n    def __getitem__(self, at):\n        return take(at)\n"),
    function("AttributeError", "getattr(Own(), 'n', 0)", "class Own:\n    n = property(lambda self: take(5))\n"),
    function("AttributeError", "getattr(Own(), 'n', 0)", "class Own:\n    n = property(take)\n"),
    # A private name is said with its class's in front where it is asked for from outside of the class.
    function(
        "AttributeError",
        "getattr(Shelf(), 'n', 0)",
        "class Box:\n    def __size(self, x):\n        return take(x)\n"
        "class Shelf:\n    @property\n    def n(self):\n        return Box()._Box__size(5)\n",
    ),
    # Who decorates a function may catch its error.
    "from elsewhere import kept\n@kept\ndef f(x):\n    if x > 3:\n        raise ValueError\n    return x\n",
]
LEAVING = [
    method("def __init__(self, m):", "ValueError", "Own(n)"),
    method(NEXT, "ValueError", "list(Own(n))"),
    method("def check(self):", "KeyError", "Own(n).check()"),
    method("def check(self):", "TypeError(f'{self.n} is too much')", "Own(n).check()"),
    method("def __add__(self, other):", "TypeError", "Own(n) + 1"),
    method(PROPERTY, "ValueError(f'{self.n} is too much')", "Own(n).size"),
    method("@staticmethod\n    def check(self):", "AttributeError", "Own(n).check(n)"),
    # What goes through it asks for an iterator.
    method("def __iter__(self):\n        yield self.n\n    " + ITEM, "IndexError", "list(Own(n))"),
    function("ValueError", "list(map(take, n))"),
    function("KeyError(x)", "sorted(n, key=take)"),
    function("TypeError", "[take(x) for x in n]"),
    function("ValueError", "sorted(n, key=take)", "import elsewhere\n"),
    function("ValueError", "take(n)", "import elsewhere\n"),
]


@pytest.mark.parametrize("source", ANSWERS)
def test_an_error_that_may_be_taken_for_an_answer_is_no_end(source: str) -> None:
    line = next(place for place, text in enumerate(source.splitlines(), 1) if "> 3" in text)
    assert not [goal for goal in instrument(source, "f").branches if goal.raises]
    changes = {mutant.change for mutant in mutate(source, "f").mutants if mutant.line == line}
    # Both ways on may return: the test has mutants that make it true less often, too.
    assert any("<= 3" in change for change in changes) and any("> 4" in change for change in changes)


@pytest.mark.parametrize("source", LEAVING)
def test_an_error_that_leaves_whoever_asks_is_an_end(source: str) -> None:
    line = next(place for place, text in enumerate(source.splitlines(), 1) if "> 3" in text)
    found = {(goal.line, goal.outcome) for goal in instrument(source, "f").branches if goal.raises}
    assert found == {(line, "true")}


DRIVEN = """
class Box:
    def __init__(self, most):
        self.most = most
    def put(self, n):
        if n > 3:
            raise KeyError(n)
        return n
    def __len__(self):
        if self.most > 3:
            raise ValueError
        return self.most
def f(operations, most):
    driven = Box(most)
    methods = {"put": driven.put, "len": lambda: driven.__len__()}
    return [deepcopy(methods[name](*given)) for name, *given in operations]
"""


def test_a_driver_lets_errors_through() -> None:
    source = "import elsewhere\nfrom copy import deepcopy\n" + DRIVEN.replace("lambda: driven.__len__()", "driven.most")
    found = {(goal.line, goal.outcome) for goal in instrument(source, "f").branches if goal.raises}
    assert found == {(8, "true"), (12, "true")}


CHECKED = """
from elsewhere import Handler
def check(n):
    if n > 3:
        raise ValueError(n)
class Own(Handler):
    def handle(self, m):
        check(m + 1)
def f(n):
    check(n)
    return Own(n).run()
"""


def test_a_check_is_a_statement_like_any_other_where_errors_are_answers() -> None:
    module = ast.parse(CHECKED)
    found = checks_alone(module)
    assert [ast.unparse(node) for node in ast.walk(module) if id(node) in found] == ["check(n)"]
    assert not checks_alone(ast.parse(CHECKED.replace("ValueError(n)", "StopIteration")))
