"""The program that tries a draft shows what the draft does, whatever its names are."""

import builtins

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.adapters.harness_texts import harness_text
from evaluator.domain.cocost import PROBE, UNMADE, probe_program, usable_calls
from touchstone_runtime.extraction import parse

SHOWING = ["", harness_text("showing")]


def tried(code, entry_point, *calls, showing=""):
    space: dict = {"__name__": "draft"}
    # The programs of these tests are our own, written here.
    exec(probe_program(code, entry_point, list(calls), showing), space)
    return [space[PROBE](number) for number in range(len(calls))]


@given(st.lists(st.text(), max_size=5))
def test_whatever_is_proposed_the_probe_parses(proposed):
    usable, _ = usable_calls([*proposed, "f(1, [2], k={'a': (3,)})"], "f", 3)
    assert parse(probe_program("def f(*a, **k):\n    return a", "f", usable)) is not None


def test_the_probe_gives_arguments_as_they_were_and_the_result():
    code = "def f(items, *, extra=0):\n    items.append(extra)\n    return len(items)\n"
    space: dict = {}
    # The program of this test is our own, written above.
    exec(probe_program(code, "f", ["f([1, 2], extra=3)", "f([])"]), space)
    assert space[PROBE](0) == [[[[1, 2]], {"extra": 3}], 3]
    assert space[PROBE](1) == [[[[]], {}], 1]
    empty: dict = {}
    exec(probe_program(code, "f", []), empty)
    assert empty[PROBE](0) is None


def test_an_argument_that_cannot_be_copied_is_passed_on():
    space: dict = {}
    exec(probe_program("def f(xs):\n    return sum(xs)", "f", ["f(x for x in [1, 2])"]), space)
    assert space[PROBE](0) == [None, 3]


NAMES = (
    *("copy", "number", "named", "positional", "shown", "result", "given", "told", "make", "given", "io", "sys"),
    *("_svg", "_array", "_DEPTH", "_MOST_SVG", "_MOST_PICTURES", "value", "depth", "Exception", "list", "type"),
    *("tuple", "dict", "str", "isinstance", "hasattr", "getattr", "exec", "SystemExit", "BaseException"),
)


@pytest.mark.parametrize("showing", SHOWING, ids=["plain", "shown"])
@pytest.mark.parametrize("name", NAMES)
def test_a_draft_may_use_any_name(name, showing):
    code = f"def {name}(a, b=2):\n    return a + b\n"
    assert tried(code, name, f"{name}(1)", showing=showing) == [[[[1], {}], 3]]
    code = f"def {name}(a):\n    return a[-1]\n\n\ndef f(values):\n    return {name}(values)\n"
    assert tried(code, "f", "f([3, 1])", showing=showing) == [[[[[3, 1]], {}], 1]]
    code = f"{name} = 10\n\n\ndef f(n):\n    return n * {name}\n"
    assert tried(code, "f", "f(2)", showing=showing) == [[[[2], {}], 20]]


def test_no_name_of_the_language_is_taken_from_a_draft():
    for name in sorted(set(dir(builtins)) - {"None", "True", "False", "__debug__", "__import__", "__build_class__"}):
        code = f"{name} = 10\n\n\ndef f(n):\n    return n * {name}\n"
        assert tried(code, "f", "f(2)", showing=SHOWING[1]) == [[[[2], {}], 20]]


@pytest.mark.parametrize("call", ["f(Decimal('1.5'))", "f(open('/nowhere/x'))", "f(1 // 0)", "f(exit())"])
def test_arguments_that_cannot_be_made_are_told_from_a_failure(call):
    with pytest.raises(Exception, match=r".*") as failed:
        tried("def f(x):\n    return x", "f", call)
    assert type(failed.value).__name__.startswith(UNMADE) and failed.value.__cause__ is None


def test_a_failure_of_the_draft_is_its_own():
    with pytest.raises(ZeroDivisionError):
        tried("def f(x):\n    return 1 // x", "f", "f(0)")
    with pytest.raises(NameError, match="Point"):
        tried("def f(x):\n    return Point(x)", "f", "f(0)")
    code = "class Point:\n    def __init__(self, x):\n        self.x = x\n\n\ndef f(p):\n    return p.x\n"
    assert tried(code, "f", "f(Point(3))")[0][1] == 3
