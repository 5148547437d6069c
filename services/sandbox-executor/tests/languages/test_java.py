# ruff: noqa: E501  programs of other languages, as their authors write them
"""What Java alone has: a rest that may be one list, collections that take no null, and a class around bare methods."""

import json
from collections.abc import Callable

import pytest

from sandbox_executor.domain.outcomes import Outcome

IMPORTS = "import java.util.*;\n"
# A head with a rest, and how many arguments each case has in it; None where they do not fit.
RESTS = {
    "List<Long>... xs": {"[[1,2],[2,3]]": 2, "[[]]": 1, "[[5]]": 1, "[]": 0, "[null]": 1, "[[[]]]": 1, "[[[1],[2]]]": 2},
    "List<Object>... xs": {"[[[1],[2]]]": 1, "[[]]": 1, "[[1],[2]]": 2},
    "Object... xs": {'[1,"a"]': 2, "[[1,2,3]]": 1, "[[]]": 1, "[null]": 1, "[null,null]": 2, '[{"a":1}]': 1},
    "String... xs": {'["a",null]': 2, "[null]": 1, '["b"]': 1, '[["a","b"]]': 2, "[[]]": 0},
    "long... xs": {"[[4,5]]": 2, "[[]]": 0, "[4]": 1, "[4,5]": 2, "[null]": None},
    "long[]... xs": {"[[4,5]]": 1, "[[]]": 1, "[[[4],[5,6]]]": 2, "[[4],[5,6]]": 2},
    "char... xs": {'["abc"]': 3, '["a"]': 1, '["a","b"]': 2},
    "long x, Object... xs": {"[1,[1,2]]": 1, "[1]": 0, "[1,null]": 1, "[1,2,3]": 2},
}  # fmt: skip


@pytest.mark.parametrize("parameters", RESTS)
def test_one_argument_is_an_element_of_the_rest_where_it_can_be(parameters: str, harness: Callable) -> None:
    cases = RESTS[parameters]
    source = f"{IMPORTS}class A {{ static long f({parameters}) {{ return xs.length; }} }}"
    answers = [json.loads(text) for text in harness("java", source, "f", list(cases)).frames[1:]]
    assert {answer.get("t") for answer in answers if answer["o"] == "raised"} <= {"ArgumentError"}
    assert [answer.get("v") for answer in answers] == list(cases.values())


def test_a_rest_that_is_one_list_is_meant_last(harness: Callable) -> None:
    source = """class A {
        static String f(long... xs) { return "whole"; }
        static String f(Object... xs) { return "elements"; }
        static String f(String x) { return "one"; } }"""
    found = harness("java", IMPORTS + source, "f", ["[[1,2]]", '["a"]', "[null,1]"]).values
    assert found == ['"elements"', '"one"', '"elements"']


QUEUES = {
    "Queue<String>": "[null,a]",
    "Deque<String>": "[null,a]",
    "LinkedList<String>": "[null,a]",
    "Collection<String>": "[null,a]",
    "ArrayDeque<String>": None,
    "PriorityQueue<String>": None,
    "SortedSet<String>": None,
    "NavigableSet<String>": None,
}


@pytest.mark.parametrize("kind", QUEUES)
def test_a_queue_holds_null_where_its_kind_may(kind: str, harness: Callable) -> None:
    source = f'{IMPORTS}class A {{ static String f({kind} xs) {{ return xs.toString().replace(" ", ""); }} }}'
    null, plain = (json.loads(text) for text in harness("java", source, "f", ['[[null,"a"]]', '[["b"]]']).frames[1:])
    assert plain["v"] == "[b]"
    if QUEUES[kind] is None:
        assert (null["t"], "null does not fit" in null["m"]) == ("ArgumentError", True)
    else:
        assert null["v"] == QUEUES[kind]


def test_a_map_that_takes_no_null_is_told_as_an_argument(harness: Callable) -> None:
    source = f"{IMPORTS}import java.util.concurrent.*;\nclass A {{ static int f(ConcurrentHashMap<String, Long> x) {{ return x.size(); }} }}"
    answers = harness("java", source, "f", ['[{"a":null}]'])
    assert answers.raised[0][0] == "ArgumentError"


HEADS = {
    "two imports": "import java.util.*; import java.util.stream.*;\n",
    "imports and method": "import java.util.List; import java.util.stream.Stream; ",
    "package": "package a.b; import java.util.*; import java.util.stream.*;\n",
    "remarks": "import java.util.*; /* streams; */ import java.util.stream.*; // more\n",
    "static": "import java.util.*;import static java.lang.Math.max;import java.util.stream.*;\n\n",
}


@pytest.mark.parametrize("name", HEADS)
def test_a_bare_method_stands_behind_imports_however_they_are_written(name: str, harness: Callable) -> None:
    method = "static List<Long> f(long x) { return Stream.of(x, x + 1).toList(); }"
    assert harness("java", HEADS[name] + method, "f", ["[1]"]).values == ["[1,2]"]


def test_words_of_the_compiler_show_what_the_author_wrote(harness: Callable) -> None:
    for source in (
        "static long f(long x) { return missing; }",
        "import java.util.*;\nstatic long f() { return missing; }",
    ):
        load = json.loads(harness("java", source, "f", ["[1]"]).frames[0])
        line = source.splitlines()[-1]
        assert load["m"].splitlines()[1:] == [f"    {line}"]


def test_the_language_is_that_of_the_runtime(harness: Callable) -> None:
    source = """import java.util.List;
    class Point { final long x; Point(long x) { this.x = x; } }
    class Positive extends Point { Positive(long x) { if (x < 0) throw new IllegalArgumentException("below 0"); super(x); } }
    public class A { static List<Long> f(long x) { return List.of(new Positive(x).x); } }"""
    assert harness("java", source, "f", ["[1]"]).values == ["[1]"]


MAINS = {
    "without a class": "void main() { IO.println(1); }",
    "of an object": "class A { int n = 1; void main(String[] args) { System.out.println(n); } }",
    "beside a helper": "class Helper { static int one() { return 1; } }\nclass A { void main() { IO.println(Helper.one()); } }",
    "static": "public class A { void help() {} public static void main(String... args) { System.out.println(1); } }",
}


@pytest.mark.parametrize("name", MAINS)
def test_a_main_method_needs_no_class_and_no_static(name: str, run_program: Callable) -> None:
    ran = run_program("java", MAINS[name])
    assert (ran.result.outcome, ran.stdout) == (Outcome.RETURNED, "1\n"), ran


def test_a_lambda_is_told_by_its_class_and_never_by_its_address(harness: Callable) -> None:
    source = "import java.util.function.*;\nclass S { static Object f(int a) { return a == 0 ? (Supplier<Integer>) () -> a : Function.identity(); } }"
    assert harness("java", source, "f", ["[0]", "[1]"]).raised == [
        ("UnportableError", "$: a S$$Lambda has no portable form"),
        ("UnportableError", "$: a java.util.function.Function$$Lambda has no portable form"),
    ]
