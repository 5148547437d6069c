"""Results that hang on an order: of sets, which refuses a task, and of maps, which the instruction must say."""

from __future__ import annotations

import json
from collections import deque
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbt_generator.domain.oracle.orders import in_key_order, with_other_maps, with_other_sets
from pbt_generator.domain.refusals import Reason
from pbt_generator.domain.task.record import BuiltTask, Subject
from pbt_generator.domain.task.wording.instruction import MAP_ORDER
from pbt_generator.ports import Blobs
from pbt_generator.usecases.build import BuiltSuite, Candidate, RefusedSuite, Workshop, build_suite
from pbt_generator.usecases.tasks import TaskBuilder
from touchstone_values import encode

VALUES = st.recursive(
    st.integers() | st.text(max_size=3) | st.none() | st.booleans(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.dictionaries(st.integers(), inner, max_size=3)
        | st.tuples(inner, inner)
    ),
    max_leaves=12,
)


def call(program: str, name: str, *arguments: Any, **named: Any) -> Any:
    space: dict[str, Any] = {}
    exec(compile(program, name, "exec"), space)
    return space[name](*arguments, **named)


@given(VALUES)
def test_key_order_changes_no_value(value: object) -> None:
    ordered = in_key_order(value)
    assert ordered == value and type(ordered) is type(value)
    assert in_key_order(ordered) == ordered


@given(st.dictionaries(st.text(max_size=3), st.integers(), min_size=1))
def test_keys_ascend(value: dict[str, int]) -> None:
    assert list(in_key_order(dict(reversed(value.items())))) == sorted(value)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    ("body", "given_value"),
    [
        ("list(set(values))", [1, 2, 3]),
        ("list({value for value in values})", [1, 2, 3]),
        ("[*{values[0], values[1]}]", [1, 2]),
        ("list(set(values) | {9})", [1, 2]),
        ("list(set(values).union([9]))", [1, 2]),
        ("list(frozenset(values) - {2})", [1, 2, 3]),
        ("list(dict.fromkeys(values).keys() & {1, 2})", [1, 2, 3]),
        ("set(values).pop()", [1, 2]),
        ("str(set(values))", [1, 2]),
        ("next(iter(set(values).intersection(values)))", [1, 2]),
        ("tuple({value: set(values) for value in values}[1])", [1, 2]),
    ],
)
def test_what_a_set_happens_to_walk_through_is_found(body: str, given_value: list[int]) -> None:
    source = f"def pick(values):\n    return {body}\n"
    other = with_other_sets(source, "pick")
    assert call(source, "pick", given_value) != call(other, "pick", given_value)


@pytest.mark.parametrize(
    "body",
    [
        "sorted(set(values))",
        "len({value % 3 for value in values})",
        "[value for value in values if value in {1, 2}]",
        "set(values) - {2}",
        "{'all': set(values), 'parts': [frozenset(values)]}",
        "max(set(values) | {9})",
        "isinstance(set(values), set) and isinstance(frozenset(values), frozenset)",
        "set(values) == {1, 2, 3} and {1} <= set(values)",
        "str({3}) + repr(frozenset()) + str(set())",
        "sum(set(values).symmetric_difference({1, 7}))",
    ],
)
def test_sets_that_only_hold_values_change_nothing(body: str) -> None:
    source = f"from __future__ import annotations\ndef pick(values: set[int]):\n    return {body}\n"
    other = with_other_sets(source, "pick")
    expected, given_value = call(source, "pick", [3, 1, 2]), call(other, "pick", [3, 1, 2])
    assert given_value == expected and type(given_value) is type(expected)


def test_sets_that_are_given_are_walked_through_otherwise_too() -> None:
    source = "def first(values: set[int], more=()):\n    return [value for value in values]\n"
    other = with_other_sets(source, "first", given=True)
    assert call(source, "first", {1, 2}) == [1, 2]
    assert call(other, "first", {1, 2}) == [2, 1]
    assert call(other, "first", values={1, 2}) == [2, 1]


@pytest.mark.parametrize("declared", ["", ": typing.Set[int]", ": 'set[int]'", ": abc.Set"])
def test_sets_that_are_given_need_not_be_declared(declared: str) -> None:
    source = f"import typing\nfrom collections import abc\ndef first(values{declared}):\n    return [*values]\n"
    assert call(with_other_sets(source, "first", given=True), "first", {1, 2}) == [2, 1]
    assert call(with_other_sets(source, "first", given=True, turned=False), "first", {1, 2}) == [1, 2]


@pytest.mark.parametrize(
    "body",
    [
        "builtins.set(values)",
        "made(values)",
        "[each for set in [values] for each in {*set}]",
        "(lambda set: {*set})(values)",
        "Holder(values).items",
        "built(values)",
    ],
)
def test_a_set_is_known_by_what_its_name_stands_for(body: str) -> None:
    source = (
        "import builtins\nfrom builtins import frozenset as made\n\n\n"
        "class Holder:\n    def __init__(self, values):\n        self.items = set(values)\n"
        "    def set(self, key):\n        self.items.add(key)\n\n\n"
        "def built(values):\n    for set in [values]:\n        return {*set}\n\n\n"
        f"def pick(values):\n    return list({body})\n"
    )
    other = with_other_sets(source, "pick")
    assert (call(source, "pick", [1, 2]), call(other, "pick", [1, 2])) == ([1, 2], [2, 1])


@pytest.mark.parametrize(
    "body",
    [
        "    set, frozenset = list, tuple\n    return [*set(values), *frozenset(values)]\n",
        "    for set in [values]:\n        values = [*set]\n    return values\n",
        "    def read(set=2):\n        return set\n    return [read(each) for each in values]\n",
        "    class Own:\n        set = list\n        items = set(values)\n    return Own.items\n",
    ],
)
def test_a_name_of_a_program_is_no_set(body: str) -> None:
    assert with_other_sets(f"def pick(values):\n{body}", "pick") == ""


@pytest.mark.parametrize(
    "body",
    [
        "    mine = a.keys()\n    theirs = b.keys()\n    shared = mine & theirs\n    return list(shared)\n",
        "    shared = a.keys()\n    shared &= b.keys()\n    return list(shared)\n",
        "    mine, theirs = a.items(), b.items()\n    return [key for key, _ in mine | theirs]\n",
        "    keys = a.keys()\n    return list(keys ^ [7])\n",
        "    keys = [each.keys() for each in (a, b)]\n    return list(keys[0] | keys[1])\n",
        "    keys = [a.keys()]\n    keys[0] -= [5]\n    return list(keys[0])\n",
        "    return list(operator.and_(a.keys(), b.keys()))\n",
        "    return list(functools.reduce(both, [a.keys(), b.keys()]))\n",
        "    return list(a.keys().__or__(b))\n",
        "    class Held:\n        keys = a.keys()\n    held = Held()\n    held.keys |= b.keys()\n"
        "    return list(held.keys)\n",
    ],
)
def test_sets_that_come_of_views_are_walked_through_otherwise(body: str) -> None:
    head = "import functools\nimport operator\nfrom operator import and_ as both\n\ndef keys(a, b):\n"
    maps = ({3: 1, 1: 1, 2: 1}, {2: 1, 1: 1, 3: 1})
    other = with_other_sets(head + body, "keys")
    expected, found = call(head + body, "keys", *maps), call(other, "keys", *maps)
    assert found != expected and sorted(found) == sorted(expected)


@pytest.mark.parametrize(
    "body",
    [
        "list(nx.descendants(graph, 0))",
        "[list(each) for each in nx.connected_components(graph.to_undirected())]",
        "list(below(graph, 0))",
    ],
)
def test_sets_that_a_library_gives_are_walked_through_otherwise(body: str) -> None:
    source = (
        "import networkx as nx\nfrom networkx import descendants as below\n\n\n"
        f"def found(n):\n    graph = nx.DiGraph([(0, each) for each in range(1, n)])\n    return {body}\n"
    )
    other = with_other_sets(source, "found")
    expected, given_value = call(source, "found", 4), call(other, "found", 4)
    assert given_value != expected and sorted(map(repr, flat(given_value))) == sorted(map(repr, flat(expected)))


def flat(values: list[Any]) -> list[int]:
    return [inner for value in values for inner in (value if isinstance(value, list) else [value])]


def test_operators_on_what_is_no_set_change_nothing() -> None:
    source = """
class Money:
    def __init__(self, cents):
        self.__cents = cents

    def __sub__(self, other):
        return Money(self.__cents - other.__cents)

    def less(self, cents):
        self.__cents -= cents
        return self.__cents


def f(a, b):
    total: "int | None" = a - b
    kept = alias = [1]
    flags = {"x": 6}
    flags["x"] &= b
    flags["x"] |= 1
    both = alias_of = set(kept)
    both |= {b}
    both -= {1}
    a -= b
    return [total, a, flags, alias is kept, sorted(alias_of), (Money(a) - Money(b)).less(2), isinstance(a, int | str)]
"""
    other = with_other_sets(source, "f")
    assert other and call(other, "f", 9, 4) == call(source, "f", 9, 4)


def test_what_the_codec_goes_through_is_given_back_as_it_was() -> None:
    source = """
import dataclasses
from collections import Counter, OrderedDict, defaultdict, deque, namedtuple

Report = namedtuple("Report", "listed all")


@dataclasses.dataclass(frozen=True)
class Part:
    seen: set
    note: str = ""


def f(values):
    seen = set(values)
    groups = defaultdict(set)
    groups[1] |= seen
    return [
        deque([seen, 1], maxlen=3), groups, OrderedDict(a=seen), Counter([frozenset(seen)]), Report([1], seen),
        Part(frozenset(seen)), {"a": (seen,)}, type(seen).__name__,
    ]
"""
    found = call(with_other_sets(source, "f"), "f", [1, 2])
    # Whatever is left of the other kind has no portable form.
    assert encode(found) == encode(call(source, "f", [1, 2]))


def test_sets_inside_of_what_is_given_are_walked_through_otherwise() -> None:
    source = "def first(values):\n    return [[*value] for value in values] + list(set())\n"
    given_value = deque([{1, 2}, frozenset([3, 4])])
    assert call(with_other_sets(source, "first"), "first", given_value) == [[2, 1], [4, 3]]


@pytest.mark.parametrize("body", ["a + b * 2", "a - 1", "[1.5 - a, b]", "sorted({**a})", "[key for key in a.keys()]"])
def test_a_program_without_sets_needs_no_second_run(body: str) -> None:
    assert with_other_sets(f"def add(a: int, b: 'int') -> set[int]:\n    return {body}\n", "add") == ""


def test_maps_are_given_turned_round() -> None:
    source = "def names(config, deep=()):\n    return [list(config), [list(part) for part in deep]]\n"
    other = with_other_maps(source, "names")
    assert call(other, "names", {"a": 1, "b": 2}, [{"c": 1, "d": 2}]) == [["b", "a"], [["d", "c"]]]


HEADER = '''
def header(config: dict[str, str]) -> str:
    """The settings as one line."""
    parts = []
    for name, value in config.items():
        if value:
            parts.append(name + " " + value)
        else:
            parts.append(name)
    return "; ".join(parts)
'''
COUNT = '''
def count(config: dict[str, str]) -> int:
    """How many settings have a value."""
    total = 0
    for value in config.values():
        if value:
            total += 1
    return total
'''
DISTINCT = '''
def distinct(numbers: list[int]) -> list[int]:
    """Every number once, negative ones without their sign."""
    found = {abs(number) for number in numbers}
    return list(found) if numbers[1:] else numbers
'''


def candidate(name: str, code: str) -> Candidate:
    return Candidate(f"id-{name}", name, name, code.strip(), (), "SC")


SORTED = '''
def listing(config: dict[str, int]) -> list[str]:
    """The names of the settings that are on."""
    names = []
    for name in sorted(config):
        if config[name] > 0:
            names.append(name)
    return names
'''
UNSORTED = SORTED.replace("sorted(config)", "list(config)")


def keys_of(built: BuiltSuite) -> list[list[str]]:
    return [list(json.loads(case.arguments)[0]) for case in built.cases]


async def test_only_who_reads_the_order_of_maps_gets_them_in_ascending_order(workshop: Workshop) -> None:
    header = await build_suite(candidate("header", HEADER), workshop)
    count = await build_suite(candidate("count", COUNT), workshop)
    assert isinstance(header, BuiltSuite) and isinstance(count, BuiltSuite)
    assert header.certificate.reads_map_order and not count.certificate.reads_map_order
    assert all(keys == sorted(keys) for keys in keys_of(header))
    assert sum(len(keys) > 1 for keys in keys_of(header)) > 50
    assert sum(keys != sorted(keys) for keys in keys_of(count)) > 50


async def test_who_forgets_to_sort_a_map_fails(workshop: Workshop) -> None:
    built = await build_suite(candidate("listing", SORTED), workshop)
    assert isinstance(built, BuiltSuite) and not built.certificate.reads_map_order
    wrong = [
        case
        for case in built.cases
        if call(UNSORTED, "listing", json.loads(case.arguments)[0]) != json.loads(case.expected)
    ]
    assert len(wrong) > 10


async def test_a_solver_is_told_of_the_order_that_decides(workshop: Workshop, blobs: Blobs) -> None:
    tasks = TaskBuilder(workshop, blobs)
    told: dict[str, str] = {}
    for name, code in (("header", HEADER), ("count", COUNT)):
        task = await tasks.build(Subject(f"id-{name}", name, name, "SC", code.strip()))
        assert isinstance(task, BuiltTask)
        told[name] = task.instruction
    assert MAP_ORDER in told["header"] and MAP_ORDER not in told["count"]


SHARED = '''
def shared(a: dict[int, str], b: dict[int, str]) -> list[int]:
    """Give the keys that both maps have, if there are more than one, else nothing."""
    mine = a.keys()
    theirs = b.keys()
    found = mine & theirs
    if len(found) < 2:
        return []
    return list(found)
'''


@pytest.mark.parametrize(("name", "code"), [("distinct", DISTINCT), ("shared", SHARED)])
async def test_the_order_of_a_set_is_no_result(name: str, code: str, workshop: Workshop) -> None:
    refused = await build_suite(candidate(name, code), workshop)
    assert isinstance(refused, RefusedSuite)
    assert refused.refusal.reason is Reason.NONDETERMINISTIC
    assert "other_set_order" in refused.refusal.detail
