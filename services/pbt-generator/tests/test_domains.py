"""What callers may send: each limit with its source, and no case outside of it."""

from __future__ import annotations

import json

import pytest

from pbt_generator.domain.inputs.domains.domain import InputDomain, input_domain, limited
from pbt_generator.domain.inputs.domains.limits import in_words
from pbt_generator.domain.inputs.drawing.sampling import Sampler
from pbt_generator.domain.inputs.drawing.strategies import draw_inputs
from pbt_generator.domain.inputs.fitting import input_fits
from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.inputs.shapes import IntShape, ListShape, TextShape, options_of
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite
from pbt_generator.usecases.explore import Effort

LIGHT = Effort(drawn=30, batch=160, chunk=80, least_rounds=1, most_rounds=8, pool=200)


def domain_of(code: str, *calls: str, portable: bool = False) -> InputDomain:
    name = code.split("def ")[1].split("(")[0]
    program = read_program(code, (), name, calls)
    return input_domain(program, input_shape(program), portable=portable)


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        ("A positive integer.", "above 0"),
        ("a non-negative number of days", "at least 0"),
        ("The month, between 1 and 12", "from 1 to 12"),
        ("Share in [0, 1).", "at least 0, below 1"),
        ("must be greater than 3", "above 3"),
        ("It should be at most 10.", "at most 10"),
        ("one of 'left', 'right' or 'both'", "one of 'left', 'right', 'both'"),
        ('Either "a" or "b".', "one of 'a', 'b'"),
        ("If positive, counts from the left.", ""),
        ("a text between 3 and 8 characters", ""),
        ("the difference is positive when a > b", ""),
        ("one of the names", ""),
    ],
)
def test_words_that_limit(words: str, meant: str) -> None:
    assert in_words(words).words == meant


@pytest.mark.parametrize(
    ("words", "body", "low"),
    [
        ("How many spaces stand between two columns.", "return ' ' * n", 0),
        ("The maximum number of words.", "return ' ' * n", 0),
        ("Number of parts, -1 for all of them.", "return ' ' * n", None),
        ("Number of places, from the right where negative.", "return ' ' * n", None),
        # There may be less than none of time, and a body that asks knows of less than none.
        ("Number of days to add.", "return ' ' * n", None),
        ("How many spaces.", "return ' ' * n if n > 0 else 'none'", None),
        ("The number to show.", "return ' ' * n", None),
    ],
)
def test_a_count_is_no_less_than_none(words: str, body: str, low: int | None) -> None:
    code = f'def f(n: int = 2):\n    """Do.\n\n    Args:\n        n: {words}\n    """\n    {body}\n'
    domain = domain_of(code)
    assert domain.holds((-3,)) is (low is None) and domain.holds((0,)) and domain.holds((5,))
    assert not domain_of(code, "f(-1)").parameters[0].limits.known


@pytest.mark.parametrize("code", ["def f(*xs):\n    return xs\n", "def f(*xs: int):\n    return xs\n"])
@pytest.mark.parametrize("value", [7, None, "ab", [1], 2.5, {}])
def test_what_cannot_be_several_arguments_lies_outside_and_ends_no_build(code: str, value: object) -> None:
    program = read_program(code, (), "f", ())
    shape = input_shape(program)
    assert not input_domain(program, shape).holds((value,)) and not input_fits((value,), shape)
    assert input_domain(program, shape).holds(((3, 4),)) and input_fits(((3, 4),), shape)


def test_every_source_is_named() -> None:
    code = (
        "def f(month: int, size, way='up', rate=0.5):\n"
        '    """Do.\n\n    Args:\n        rate: Share between 0 and 1.\n    """\n'
        "    if way not in ('up', 'down'):\n        raise ValueError(way)\n"
        "    return [month] * len(size) if way == 'up' else rate\n"
    )
    found = domain_of(code, "f(3, [1, 2])").to_dict()
    sources = {name: [clause["source"] for clause in clauses] for name, clauses in found.items()}
    assert sources == {
        "month": ["annotation", "call", "inferred"],
        "size": ["call"],
        "way": ["default", "guard", "call"],
        "rate": ["default", "documentation", "call"],
    }
    assert found["way"][1]["text"] == "one of 'up', 'down'"


@pytest.mark.parametrize(
    ("code", "inside", "outside"),
    [
        ("def f(xs: list[float]):\n    return sum(xs)", [[1.5, 2]], [3]),
        ("def f(month):\n    return month + 1", [12], [0]),
        ("def f(name: str):\n    return name", ["a"], [["a"]]),
        ("def f(name: str = None):\n    return name", [None], [2]),
        ("def f(name: str):\n    return name if isinstance(name, str) else name[0]", ["a"], [2.5]),
        ("def f(n: int):\n    if n < 1:\n        raise ValueError(n)\n    return n", [1], [0]),
        ("def f(n):\n    return float(n)", ["12.5"], ["7e3429"]),
    ],
)
def test_what_lies_inside(code: str, inside: list[object], outside: list[object]) -> None:
    domain = domain_of(code)
    assert all(domain.holds((value,)) for value in inside)
    assert not any(domain.holds((value,)) for value in outside)


def test_what_the_body_asks_for_beside_its_declaration_is_inside() -> None:
    code = "def f(x: str):\n    if isinstance(x, list):\n        return len(x)\n    return x.strip()"
    domain = domain_of(code)
    assert domain.holds((["a"],)) and domain.holds(("a",)) and not domain.holds((3,))
    assert ("usage", True) in [(c.source, "list" in c.text) for c in domain.parameters[0].clauses]


def test_a_real_call_or_a_comparison_outside_shows_that_a_name_was_read_wrongly() -> None:
    assert not domain_of("def f(day):\n    return day + 1").holds((400,))
    assert domain_of("def f(day):\n    return day + 1", "f(400)").holds((400,))
    assert domain_of("def f(hour):\n    return 0 if hour == 24 else hour + 1").holds((24,))


def test_calls_and_names_settle_kinds_that_use_leaves_open() -> None:
    def first(code: str, *calls: str) -> object:
        return input_shape(read_program(code, (), "f", calls)).parameters[0].shape

    digits = "def f(string):\n    return all(c in '0123456789' for c in string)"
    assert isinstance(first(digits), TextShape)
    keys = "def f(keys, order):\n    return sorted(keys, key=lambda k: order.index(k) if k in order else 9)"
    shape = first(keys, "f(['C', 'A'], ['A'])")
    assert isinstance(shape, ListShape) and isinstance(shape.element, TextShape)
    assert not isinstance(first("def f(bytes):\n    return float(bytes) / 1024"), TextShape)


@pytest.mark.parametrize(
    ("annotation", "call", "members"),
    [
        ("list", "f(['C', 'A'])", TextShape),
        ("list", "f(['C', 'A'], 2)\nf([])", TextShape),
        ("Iterable[T]", "f(['C', 'A'])", TextShape),
        ("list[int]", "f([1])", IntShape),
        ("list | None", "f(None)\nf([1])", IntShape),
    ],
)
def test_calls_fill_in_what_a_declaration_leaves_open(annotation: str, call: str, members: type) -> None:
    code = f"def f(keys: {annotation}, n=0):\n    return sorted(keys or [], key=lambda k: k if k else n)"
    shape = input_shape(read_program(code, (), "f", tuple(call.splitlines()))).parameters[0].shape
    lists = [option for option in options_of(shape) if isinstance(option, ListShape)]
    assert [type(each.element) for each in lists] == [members]


def test_calls_do_not_overrule_a_declaration() -> None:
    domain = domain_of("def f(n: int):\n    return n * 2", "f('ab')")
    assert domain.holds((3,)) and not domain.holds(("ab",))


def test_limits_are_drawn_inside() -> None:
    program = read_program("def f(n: int):\n    assert n > 2 and n <= 40\n    return n", (), "f")
    shape = input_shape(program)
    found = limited(shape, input_domain(program, shape)).parameters[0].shape
    assert isinstance(found, IntShape) and (found.low, found.high) == (3, 40)


@pytest.mark.parametrize(
    "guard",
    [
        "0 < x < 1",
        "5 < x < 6",
        "x < 0.1",
        "0.1 <= x <= 0.3",
        "x > 2000000",
        "x < -3000000.5",
        "0 < x < 1e-300",
        "x >= 7",
    ],
)
@pytest.mark.parametrize("annotation", ["", ": float", ": int"])
def test_whatever_limits_a_number_it_can_be_drawn(guard: str, annotation: str) -> None:
    code = f"def f(x{annotation}, xs=()):\n    if not {guard}:\n        raise ValueError(x)\n    return x * 2 + len(xs)"
    program = read_program(code, (), "f")
    shape = input_shape(program)
    shape = limited(shape, input_domain(program, shape))
    sampler = Sampler(shape, 1)
    inputs = draw_inputs(shape, sampler, 20, 1)
    assert inputs
    assert all(sampler.value(shape.parameters[0].shape) is not None for _ in range(50))
    if not annotation:
        assert any(eval(guard, {"x": given[0]}) for given in inputs)


async def test_no_case_lies_outside(workshop: Workshop) -> None:
    code = (
        "def quarter(month: int, names: list[str]) -> str:\n"
        '    """Name of the quarter of a month.\n\n    Args:\n        month: between 1 and 12.\n    """\n'
        "    place = (month - 1) // 3\n"
        "    return names[place] if place < len(names) else 'Q' + str(place + 1)\n"
    )
    candidate = Candidate("id", "quarter", "quarter", code, (), "SC")
    built = await build_suite(candidate, Workshop(workshop.sandbox, workshop.harness, workshop.freezer, effort=LIGHT))
    assert isinstance(built, BuiltSuite), built.refusal.words
    given = [json.loads(case.arguments) for case in built.cases]
    assert {month for month, _ in given} >= {1, 12}
    assert all(type(month) is int and 1 <= month <= 12 for month, _ in given)
    assert all(isinstance(name, str) for _, names in given for name in names)


@pytest.mark.parametrize(
    ("guard", "refused"),
    [
        ("if width < 3:\n        raise ValueError(width)", lambda text, width: width < 3),
        ("if text == '':\n        raise ValueError(text)", lambda text, width: text == ""),
        ("if not isinstance(text, str):\n        raise TypeError(text)", lambda text, width: not isinstance(text, str)),
        ("assert width > 2", lambda text, width: width <= 2),
    ],
)
async def test_what_a_guard_refuses_is_reached_though_it_lies_outside(workshop: Workshop, guard: str, refused) -> None:
    code = (
        "def shorten(text: str, width: int) -> str:\n"
        '    """Cut a text to so many characters.\n\n    Args:\n        text: not empty.\n        width: at least 3.\n'
        f'    """\n    {guard}\n'
        "    if len(text) <= width:\n        return text\n"
        "    return text[: width - 3].rstrip() + '...'\n"
    )
    candidate = Candidate("id", "shorten", "shorten", code, (), "SC")
    built = await build_suite(candidate, Workshop(workshop.sandbox, workshop.harness, workshop.freezer, effort=LIGHT))
    assert isinstance(built, BuiltSuite), built.refusal.words
    assert not any(refused(*json.loads(case.arguments)) for case in built.cases)
    raising = [json.loads(text) for text in built.certificate.raising_inputs]
    assert all(refused(*arguments) for arguments in raising)
    assert raising or guard.startswith("assert")
