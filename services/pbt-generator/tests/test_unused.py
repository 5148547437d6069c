"""Code beside the entry that no case comes to."""

from __future__ import annotations

import ast
import textwrap

import pytest

from pbt_generator.domain.oracle.mutation.kills import KillMatrix
from pbt_generator.domain.oracle.mutation.mutants import mutate
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.domain.oracle.proofs.unreachable import Unreachable, is_of_unused, unused_and_ran
from pbt_generator.domain.oracle.proofs.unused import NOTHING_CALLS_IT, ONLY_ERRORS, only_raised, unused

MARKED = """
import html
import fractions
from numpy import mean

class Mark(str):
    def replace(self, old, new):
        return "many" if len(self) == 3137 else str.replace(self, old, new)

    def left(self):
        return 1

class Twice(Mark):
    def split(self):
        return self

class Whole:
    def as_integer_ratio(self):
        return 1, 2

    @property
    def size(self):
        return 3

    def left(self):
        return 4

class Never:
    def join(self):
        return 5

def f(x):
    made = Mark(x), Twice(x), Whole()
    return len(made)
"""


ERRORS = """
class SpecError(ValueError):
    def __init__(self, message, details=None):
        super().__init__(message)
        self.details = details if details else ""

    def __str__(self):
        return self.details or "spec"

class Wrong(SpecError):
    def hint(self):
        return 1

def f(spec):
    if ":" not in spec:
        raise SpecError("no colon", spec)
    if not spec[0]:
        raise Wrong
    return spec.split(":")
"""

PARTS = """
import enum
from functools import cached_property

class Base:
    def used(self):
        return self._deep() + 1

    def _deep(self):
        return 1 if self.size else 2

    def left(self):
        return self.also_left()

    def also_left(self):
        return 3

    @property
    def size(self):
        return 4

    def __len__(self):
        return 5

    def __reduce__(self):
        return (Base, ())

class Kind(enum.Enum):
    A = 1

    def title(self):
        return self.name.lower()

def f(x):
    def helper(y):
        return y
    return Base().used() + Kind(x).value + helper(x)
"""


def names(source: str) -> dict[str, str]:
    module = ast.parse(source)
    found = unused(module, "f").reasons
    return {
        node.name: found[id(node)]
        for node in ast.walk(module)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and id(node) in found
    }


def test_methods_of_which_nobody_says_the_name_are_never_called() -> None:
    assert names(PARTS) == dict.fromkeys(["left", "also_left", "__reduce__", "title"], NOTHING_CALLS_IT)


@pytest.mark.parametrize(
    "way",
    [
        "getattr(x, name)()", "f'{x}'; globals()['left']", "'{0.left}'.format(x)", "x.left()", "vars(x)", "left = 1",
        "getattr(x, 'left')()", "x.__dict__['left']()", "operator.methodcaller('left')(x)",
    ],
)  # fmt: skip
def test_a_name_that_a_program_may_reach_is_no_unused_one(way: str) -> None:
    assert "left" not in names(PARTS.replace("    return Base()", f"    {way}\n    return Base()"))


PRIVATE = """
class Box:
    def HEAD(self, text):
        return text
    def own(self, text):
        return BODY
def f(x):
    return USE
"""


@pytest.mark.parametrize(
    ("head", "body", "use"),
    [
        ("__hidden", "text", "Box()._Box__hidden(x)"),
        ("__hidden", "text", "getattr(Box(), '_Box__hidden')(x)"),
        ("_Box__hidden", "self.__hidden(text)", "Box().own(x)"),
        ("__hidden__in", "text", "Box()._Box__hidden__in(x)"),
    ],
)
def test_a_private_name_is_said_in_both_of_its_spellings(head: str, body: str, use: str) -> None:
    source = PRIVATE.replace("HEAD", head).replace("BODY", body).replace("USE", use)
    assert head not in names(source)
    assert names(source.replace("Box__hidden", "Box_hidden").replace(".__hidden", ".hidden"))


def test_an_error_of_a_private_name_is_one_like_any_other() -> None:
    source = (
        "class _Box__No(ValueError):\n    def words(self):\n        return 'no'\n"
        "class Box:\n    def own(self, x):\n        return __No(x).words()\n"
        "def f(x):\n    if x:\n        raise _Box__No(x)\n    return Box().own(x)\n"
    )
    assert not names(source)


@pytest.mark.parametrize(
    ("head", "found"),
    [
        ("class Base:", True),
        ("class Base(dict):", True),
        ("class Base(ValueError):", True),
        # These call methods by names of their own.
        ("class Base(HTMLParser):", False),
        ("class Base(metaclass=Registry):", False),
        ("class Base(metaclass=ABCMeta):", True),
        ("@register\nclass Base:", False),
    ],
)
def test_what_a_base_may_call_by_name_is_no_unused_one(head: str, *, found: bool) -> None:
    assert ("left" in names(PARTS.replace("class Base:", head))) is found


NAMED = """
import re
SIGNS = re.compile("a+")
class Port:
    def __init__(self, name):
        self.name = name

    def __repr__(self):
        return self.name or "none"

def f(x):
    return SIGNS.sub(Port.__name__, x)
"""


def test_a_class_that_only_tells_its_name_makes_no_objects() -> None:
    assert names(NAMED) == dict.fromkeys(["__init__", "__repr__"], NOTHING_CALLS_IT)


@pytest.mark.parametrize(
    "way",
    [
        "Port(x)", "made = Port", "made = [Port]", "made = {'Port': 1}", "Port.__class__(x)", "isinstance(x, Port)",
        "Port.__init__(x, x)", "compile(x, x, x)",
    ],
)  # fmt: skip
def test_a_class_that_more_is_asked_of_may_make_objects(way: str) -> None:
    assert not names(NAMED.replace("    return SIGNS", f"    {way}\n    return SIGNS"))
    assert not names(NAMED.replace("def f(x)", f"def g(x):\n    {way}\nZ = g\ndef f(x)"))
    assert not names(NAMED.replace("class Port", "@register\nclass Port"))
    assert not names(NAMED.replace("def f(x)", "class Other(Port):\n    pass\ndef f(x)"))


OWN = {"left", "size", "as_integer_ratio", "replace", "split"}


@pytest.mark.parametrize(
    ("way", "reached"),
    [
        # What a class of the language has by itself, that class or whoever is handed the object may ask for.
        ("pass", {"replace", "split"}),
        ("x = math.floor(x)", {"replace", "split"}),
        ("x = string.digits", {"replace", "split"}),
        ("x: fractions.Fraction = x", {"replace", "split"}),
        ("x = html.escape(x)", {"replace", "split", "as_integer_ratio"}),
        ("x = map(html.escape, x)", {"replace", "split", "as_integer_ratio"}),
        ("x = string.capwords(x)", {"replace", "split", "as_integer_ratio"}),
        ("x = capwords(x)", {"replace", "split", "as_integer_ratio"}),
        # A package of others may ask for anything.
        ("x = mean(x)", OWN),
        # A text that is put together may have a field of any name.
        ("x = ('{0.' + 'si' + 'ze}').format(x)", {"replace", "split", "size"}),
        ("x = x.format_map(x)", {"replace", "split", "size"}),
        ("x = f'{{0.{x}}}'.format(x)", {"replace", "split", "size"}),
        ("x = '{0}'.format(x)", {"replace", "split"}),
    ],
)
def test_what_a_library_may_ask_of_an_object_is_no_unused_method(way: str, reached: set[str]) -> None:
    head = "import math\nimport string\nfrom string import capwords\n"
    module = ast.parse(head + MARKED.replace("    made =", f"    {way}\n    made ="))
    reasons = unused(module, "f").reasons
    owners = [node for node in module.body if isinstance(node, ast.ClassDef)]
    found = {
        (owner.name, node.name)
        for owner in owners
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and id(node) not in reasons
    }
    assert {name for _, name in found} == reached
    # A class of which nobody makes an object is asked for nothing.
    assert not any(owner == "Never" for owner, _ in found)


def test_one_run_into_a_function_refutes_that_nothing_calls_it() -> None:
    source = (
        "class Base:\n    def left(self, x):\n        if x:\n            return 1\n        return 2\n\n"
        "    def other(self):\n        return 3\n\ndef f(x):\n    if x:\n        return 4\n    return 5\n"
    )
    goals = instrument(source, "f").goals
    entered = [goal for goal in goals if (goal.kind, goal.line) == ("function", 2)]
    decided = [goal for goal in goals if goal.line == 3 and goal.outcome == "false"]
    own = [goal for goal in goals if goal.line == 11]
    assert entered and decided and own
    proofs = Unreachable(source, "f")
    assert is_of_unused(proofs.reason(3, "if", "true"))
    assert unused_and_ran(source, "f", own) == frozenset()
    assert unused_and_ran(source, "f", entered) == unused_and_ran(source, "f", decided) == {2, 3, 4, 5}
    program = mutate(source, "f")
    matrix = KillMatrix(program.mutants)
    for mutant in program.mutants:
        if mutant.proof:
            matrix.prove(mutant.number, mutant.proof, dead=True)
    proved = {mutant.line for mutant in program.mutants if mutant.number in matrix.proofs}
    assert {3, 4, 5, 8} <= proved
    matrix.refute(unused_and_ran(source, "f", entered))
    assert {mutant.line for mutant in program.mutants if mutant.number in matrix.proofs} == proved - {2, 3, 4, 5}


def test_an_abstract_error_is_an_error() -> None:
    changed = ERRORS.replace("(ValueError)", "(ValueError, metaclass=ABCMeta)")
    assert names(changed) == names(ERRORS)


def test_a_decorator_may_put_a_function_where_it_is_called() -> None:
    assert "left" not in names(PARTS.replace("    def left", "    @on('click')\n    def left"))


def test_copying_asks_for_what_nothing_else_asks_for() -> None:
    assert "__reduce__" not in names(f"import copy\n{PARTS.replace('Base().used', 'copy.deepcopy(Base()).used')}")


def test_code_of_an_error_is_run_by_what_leaves_the_program_alone() -> None:
    assert names(ERRORS) == dict.fromkeys(["__init__", "__str__", "hint"], ONLY_ERRORS)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("    return spec", "    try:\n        f(spec[1:])\n    except SpecError:\n        pass\n    return spec"),
        ("    return spec.split", "    with suppress(SpecError):\n        f(spec[1:])\n    return spec.split"),
        ("    return spec.split", "    error = SpecError('a')\n    return spec.split"),
        ("    return spec.split", "    error = SpecError\n    return spec.split"),
        ("(ValueError)", "(AttributeError)"),
        ("(ValueError)", "(LookupError)"),
        ("(ValueError)", "(Other)"),
        ("(ValueError)", ""),
        ("class SpecError", "import logging\nclass SpecError"),
        ("class SpecError", "class Sink:\n    def __del__(self):\n        f('a')\nclass SpecError"),
        ("class SpecError", "@register\nclass SpecError"),
    ],
)  # fmt: skip
def test_an_error_that_may_be_more_than_raised_is_code_like_any_other(old: str, new: str) -> None:
    changed = textwrap.dedent(ERRORS).replace(old, new)
    assert not [node for node in only_raised(ast.parse(changed)) if node.name == "SpecError"]


CAUGHT = """
class Refused(Exception):
    message = "refused"

    def __str__(self):
        return self.message

class TooLong(Refused):
    pass

def check(number):
    if len(number) > 9:
        raise TooLong()
    if not number:
        raise Refused()
    return number

def f(number):
    try:
        return bool(check(number))
    except (Refused, KeyError):
        return False
"""


def test_code_of_an_error_that_is_caught_and_not_kept_is_run_by_what_leaves_the_program_alone() -> None:
    assert names(CAUGHT) == {"__str__": ONLY_ERRORS}
    assert [node.name for node in only_raised(ast.parse(CAUGHT))] == ["Refused", "TooLong"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("except (Refused, KeyError):", "except (Refused, KeyError) as error:"),
        ("        return False", "        return False\n    except ValueError as error:\n        return str(error)"),
        ("        return False", "        return False\n    except Refused():\n        return True"),
        ("    def __str__", "    def __init__(self):\n        self.text = str(self)\n\n    def __str__"),
        ("    pass", "    def __init__(self):\n        self.text = str(self)"),
        ("    message = ", "    def __init_subclass__(cls):\n        pass\n\n    message = "),
        ("    message = ", "    for each in 'ab':\n        pass\n    message = "),
        ("    try:", "    with open(number):\n        pass\n    try:"),
        ("    try:", "    seen = Refused\n    try:"),
        ("class Refused", "import sys\nclass Refused"),
        ("class Refused", "import contextlib\nclass Refused"),
        ("class Refused", "@register\nclass Refused"),
        ("    try:", "    try:\n        check(vars())"),
        ("except (", "except* ("),
    ],
)  # fmt: skip
def test_an_error_that_is_caught_may_be_read(old: str, new: str) -> None:
    changed = CAUGHT.replace(old, new)
    if "except*" in new:
        changed = changed.replace("        return bool", "        x = bool").replace(
            "        return False", "        x = False"
        )
    assert not [node for node in only_raised(ast.parse(changed)) if node.name == "Refused"]


def test_branches_and_mutants_of_unused_code_are_proved() -> None:
    for source, name in ((PARTS, "left"), (ERRORS, "__str__")):
        module = ast.parse(source)
        node = next(each for each in ast.walk(module) if isinstance(each, ast.FunctionDef) and each.name == name)
        proofs = Unreachable(source, "f")
        assert proofs.reason(node.lineno, "function", "entered")
        inside = [mutant for mutant in mutate(source, "f").mutants if mutant.line == node.body[0].lineno]
        assert inside and all(mutant.proof for mutant in inside)
    used = [
        mutant for mutant in mutate(PARTS, "f").mutants if "if self.size" in mutant.change or "1 if" in mutant.change
    ]
    assert used and not any(mutant.proof for mutant in used)


def test_branches_of_an_error_are_taken_by_inputs_that_raise() -> None:
    goals = instrument(ERRORS, "f").branches
    lines = ERRORS.splitlines()
    inside = [goal for goal in goals if "details" in lines[goal.line - 1] or "__" in lines[goal.line - 1]]
    assert inside and all(goal.raises for goal in inside)
