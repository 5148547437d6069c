"""Tests that cannot fail on another result of the same kind say nothing, whatever that kind is."""

import asyncio
import atexit
import collections
import dataclasses
import datetime
import decimal
import enum
import math
import re
import sys
from importlib import resources
from importlib.util import module_from_spec, spec_from_file_location

import numpy as np
import pytest

from annotator.domain.execution import ProgramRun, Report
from annotator.domain.pair import Pair
from annotator.domain.program import ProgramTest, program_of
from annotator.domain.stubs import stub_programs
from annotator.domain.subject import examine
from annotator.usecases.trials import Trials


@pytest.fixture(scope="module")
def harness():
    """What runs beside a code, in this process, which has nothing to tell when it ends."""
    spec = spec_from_file_location("another", str(resources.files("annotator") / "harness" / "another.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    atexit.unregister(module._tell)
    return module


@dataclasses.dataclass(frozen=True)
class Point:
    x: int
    label: str | None = None


class Slotted:
    __slots__ = ("left", "right")

    def __init__(self, left):
        self.left = left


class Bare:
    pass


Pair2 = collections.namedtuple("Pair2", "one two")
Colour = enum.Enum("Colour", "RED GREEN BLUE")
DAY = datetime.date(2024, 2, 29)

VALUES = [
    True, 0, 7, -2.5, 1e300, math.inf, math.nan, 2j, decimal.Decimal("1.5"), "", "a", "abc", "level", b"", b"xy",
    [], [5], [1, 2], [None, None], (), (1, 1), (1, "a"), ({"a": 1}, [2]), Pair2(1, [2]), {}, {"a": 1, "b": 2},
    {"a": None}, {"a": {"b": [1]}}, {"f": len}, collections.Counter("aab"), collections.defaultdict(list, a=[1]),
    collections.OrderedDict(a=1), set(), {1, 2}, {1, -1}, frozenset("ab"), range(3), DAY,
    datetime.datetime(2024, 1, 1, 5), datetime.timedelta(3), Colour.RED, Point(1), Point(1, "a"), Slotted([1]), Bare(),
    collections.deque([1, 2]), np.array([1, 2, 3]), np.array([5]), np.float32(2), np.int64(5), np.True_,
    ValueError("x"),
]  # fmt: skip


def same(one, other):
    """Whether two values are alike, as a test would see it."""
    if isinstance(one, np.ndarray):
        return np.array_equal(one, other)
    if isinstance(one, Slotted | Bare | ValueError):
        return one is other
    return one == other


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_there_is_another_value_of_each_kind(harness, value, turned):
    other = harness.another(value, turned)
    assert isinstance(other, type(value)) and not same(value, other), other


@pytest.mark.parametrize("turned", [False, True])
def test_every_value_of_a_map_and_every_attribute_of_an_object_is_another_one(harness, turned):
    found = harness.another({"a": 1, "b": "xy", "c": None, "d": [{"e": 2}]}, turned)
    assert list(found) == ["a", "b", "c", "d"] and found["a"] != 1 and found["b"] != "xy" and found["c"] == 0
    assert turned is (found["d"] != [])
    point = harness.another(Point(1, "ab"), turned)
    assert point.x != 1 and point.label != "ab"
    one, two = harness.another((1, 1), turned)
    assert one != 1 and two != 1, "who unpacks it can do so"


def test_what_is_gone_through_once_or_called_gives_other_things(harness):
    assert list(harness.another((x for x in (1, 2)), True)) == [2, 1]
    assert list(harness.another(map(str, [1, 2]), False)) == ["1"]
    assert list(harness.another(filter(None, [1, 2]), True)) == [2, 1]
    assert list(harness.another(zip("ab", [1, 2], strict=True), True)) == [("b", 2), ("a", 1)]
    assert harness.another(lambda x: x + 1, False)(1) == 3


@pytest.mark.parametrize("value", [None, math, Point, re.match("a", "a"), len])
def test_where_nothing_is_near_the_value_stays_and_that_is_told(harness, value):
    harness._seen.clear()
    assert harness.another(value, False) is value
    assert harness._seen == {harness.NOTHING if value is None else harness.SAME}


class Machine:
    """Runs each program in a process of its own."""

    def __init__(self):
        self.runs = 0

    async def run(self, language, source, environment_id):
        self.runs += 1
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-I", "-c", source, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
        )
        out, err = await process.communicate()
        ended = "returned" if process.returncode == 0 else "exited"
        return ProgramRun(ended, process.returncode, out.decode(), err.decode())


async def trial(code, tests):
    """Why a test of a code is no evidence; empty where it is."""
    subject, test = examine(Pair("p", "q", "query", "f", code)), ProgramTest("i", "", tests)
    trials = Trials(Machine())
    execution = await trials.execute(subject, test, "")
    assert execution.report.result == "passed", execution.report
    return (await trials.trial(subject, test, execution, 1, "")).detail


COUNTS = "def counts(text):\n    return {word: text.split().count(word) for word in text.split()}"
SET = "def seen(text):\n    return set(text)"
CLASS = "class R:\n    def __init__(self, n=1):\n        self.n = n\n\ndef made(n):\n    return R(n)"
PAIRS = "def ends(text):\n    return text[0], text[-1]"
LATER = "async def later(n):\n    return {'n': n}"
SORT = "def sort(xs):\n    xs.sort()"
EACH = "def each(text):\n    yield from text.upper()"

WEAK = [
    (COUNTS, "result = counts('a b a')\nassert isinstance(result, dict)"),
    (COUNTS, "result = counts('a b a')\nassert result is not None and result and 'a' in result and len(result) == 2"),
    (COUNTS, "assert counts('') == dict()"),
    (SET, "assert len(seen('aab')) == 2"),
    (CLASS, "assert isinstance(made(3), R)"),
    (CLASS, "assert hasattr(made(3), 'n') and made(3).n > 0"),
    (PAIRS, "first, last = ends('aba')\nassert isinstance(first, str) and len(last) <= 1"),
    (LATER, "import asyncio\nassert isinstance(asyncio.run(later(2)), dict)"),
    (EACH, "assert len(list(each('ab'))) < 3"),
    (SORT, "xs = [2, 1]\nassert sort(xs) is None and xs"),
]
SOUND = [
    (COUNTS, "result = counts('a b a')\nassert result['a'] == 2"),
    (COUNTS, "assert counts('a b a') == {'a': 2, 'b': 1}\nassert counts('') == {}"),
    (SET, "assert seen('aab') == {'a', 'b'}\nassert 'c' in seen('c')"),
    (CLASS, "assert made(3).n == 3"),
    (PAIRS, "assert ends('abc') == ('a', 'c')\nassert ends('x')[0] == 'x'"),
    (LATER, "import asyncio\nassert asyncio.run(later(2))['n'] == 2"),
    (EACH, "assert list(each('ab')) == ['A', 'B']\nassert list(each('c')) == ['C']"),
    (SORT, "xs = [2, 1]\nsort(xs)\nassert xs == [1, 2]"),
]


@pytest.mark.parametrize(("code", "tests"), WEAK)
async def test_a_test_that_passes_on_another_result_of_the_kind_is_no_evidence(code, tests):
    assert (await trial(code, tests)).startswith("it also passes on code that")


@pytest.mark.parametrize(("code", "tests"), SOUND)
async def test_a_test_that_looks_at_what_is_in_a_result_is_evidence(code, tests):
    assert await trial(code, tests) == ""


async def test_where_nothing_of_the_kind_could_be_tried_a_test_is_no_evidence():
    code = "import re\n\ndef found(text):\n    return re.search('b', text)"
    why = await trial(code, "assert found('abc') is not None and hasattr(found('abc'), 'span')")
    assert why == "nothing of the kind of the code's result is known that it could be tried on"


def programs(language, code):
    subject = examine(Pair("p", "q", "query", "f", code, language))
    return {each.kind: (program_of(each.subject, ProgramTest("", "", "")), each) for each in stub_programs(subject, "")}


@pytest.mark.parametrize(
    ("language", "code", "kinds", "text"),
    [
        (
            "java",
            "static List<Integer> f(String s) { return null; }",
            2,
            "return (List<Integer>) (Object) new Object() {",
        ),
        ("java", "static int[] f(String s) { return null; }", 2, "of(int[].class, true)"),
        ("java", "static Map<String, List<R>> f() { return null; }", 2, "of(Map.class, true)"),
        ("java", "static int f(String s) { return 1; }", 2, "return 1;"),
        ("java", "static void f(List<String> s) { s.clear(); }", 1, "if (true) return;"),
        ("go", "func f(s string) []int {\n\treturn nil\n}", 1, "stubOther(&stub0); return stub0"),
        ("go", "func f(s string) (map[string]int, error) {\n\treturn nil, nil\n}", 1, "return stub0, stub1"),
        ("go", "func f(s string) (n int, err error) {\n\treturn\n}", 1, "stubOther(&n, &err); return n, err"),
        ("go", "func f(s []int) {\n\ts[0] = 1\n}", 1, "if true { return }"),
        ("javascript", "class R {}\nfunction f(a) { return new R(); }", 19, "return Object.create(R.prototype);"),
        ("php", "class R {}\nfunction f($a) { return new R(); }", 14, "newInstanceWithoutConstructor()"),
    ],
)
def test_other_languages_give_something_of_the_kind_of_a_result(language, code, kinds, text):
    found = programs(language, code)
    assert sum(each.of_kind for _, each in found.values()) == kinds
    assert any(text in source and each.of_kind for source, each in found.values())
    assert next(iter(found)) == "only raises"


@pytest.mark.parametrize(
    ("report", "met"),
    [
        (Report("failed", "an assertion failed"), True),
        (Report("error", "compile_error: incompatible types"), False),
        (Report("error", "exited: exit status 2", output="panic: StubGaveTheSame"), False),
    ],
)
def test_a_stub_that_does_not_compile_or_has_nothing_of_the_kind_was_not_tried(report, met):
    [stub] = [each for _, each in programs("go", "func f(s string) []int { return nil }").values() if each.of_kind]
    assert stub.gave_of_kind(report) is met and stub.gave_other(report)


@pytest.mark.parametrize(
    ("told", "another", "kind"),
    [("StubGaveAnother StubGaveTheSame", True, True), ("StubGaveNothing", False, True),
     ("StubGaveTheSame", False, False), ("StubGaveNothing StubGaveTheSame", False, False), ("", False, False),
     ("its StubGaveAnother\nend", False, False)],
)  # fmt: skip
def test_what_a_stub_of_python_says_at_its_end_tells_what_was_tried(told, another, kind):
    subject = examine(Pair("p", "q", "query", "f", COUNTS))
    stub = stub_programs(subject, "")[-1]
    report = Report("failed", "an assertion failed", output=f"AssertionError\n{told}")
    assert (stub.gave_other(report), stub.gave_of_kind(report)) == (another, kind)
