# ruff: noqa: E501  programs of other languages, as their authors write them
"""What Java's declarations say of arguments: type arguments, type variables, names of fields, and methods of parents."""

import json
from collections.abc import Callable

import pytest

IMPORTS = "import java.util.*;\n"


def answers(harness: Callable, source: str, entry: str, cases: list[str]) -> list[object]:
    """What each case returned; the type of what it raised."""
    frames = [json.loads(text) for text in harness("java", IMPORTS + source, entry, cases).frames[1:]]
    return [frame["v"] if frame["o"] == "returned" else frame["t"] for frame in frames]


# A program whose line fails where an `Integer` stands for a `Long`, or for a `Double`, with a case and its answer.
BOUND = {
    "record": ("record Pair<A, B>(A a, B b) {}\nclass S { static long f(Pair<Long, Long> p) { return p.a() + p.b(); } }", "[[1,2]]", 3),
    "record by names": ("record Pair<A, B>(A a, B b) {}\nclass S { static double f(Pair<Double, Long> p) { return p.a() + p.b(); } }", '[{"a":1,"b":2}]', 3),
    "within a list": ("record Pair<A, B>(A a, B b) {}\nclass S { static long f(List<Pair<String, Long>> p) { return p.get(0).b() + 1; } }", '[[["a",2]]]', 3),
    "within itself": ("record Node<T>(T v, Node<T> next) {}\nclass S { static long f(Node<Long> n) { return n.next().v() + 1; } }", '[{"v":1,"next":{"v":2,"next":null}}]', 3),
    "class": ("class Box<T> { T v; List<T> all; }\nclass S { static long f(Box<Long> b) { return b.v + b.all.get(0); } }", '[{"v":1,"all":[2]}]', 3),
    "class of a class": ("class Box<T> { T v; }\nclass Longs extends Box<Long> {}\nclass S { static long f(Longs b) { return b.v + 1; } }", '[{"v":2}]', 3),
    "array": ("record Row<T>(T[] cells, List<T>[] lists) {}\nclass S { static long f(Row<Long> r) { return r.cells().length; } }", "[[[1,2,3],[]]]", 3),
    "collection": ("class Longs extends ArrayList<Long> {}\nclass S { static long f(Longs x) { return x.get(0) + 1; } }", "[[2]]", 3),
    "map": ("class Counts<K> extends TreeMap<K, Long> {}\nclass S { static long f(Counts<String> x) { return x.get(\"a\") + 1; } }", '[{"a":2}]', 3),
    "turned about": ("class Turned<V, K> extends HashMap<K, V> {}\nclass S { static long f(Turned<Long, String> x) { return x.get(\"a\") + 1; } }", '[{"a":2}]', 3),
    "super": ("class S { static long f(List<? super Long> x) { return (Long) x.get(0) + 1; } }", "[[2]]", 3),
    "extends": ("class S { static long f(List<? extends Long> x) { return x.get(0) + 1; } }", "[[2]]", 3),
    "parent's parameter": ("class B<T> { T one; T f(List<T> x) { one = x.get(0); return one; } }\nclass S extends B<Long> { long own() { return f(List.of(2L)) + 1; } Long f(List<Long> x, int y) { return x.get(0) + y; } }", "[[2],1]", 3),
    "inherited": ("class B<T> { Object f(List<T> x) { return x.get(0) instanceof Long ? 3 : 0; } }\nclass S extends B<Long> {}", "[[2]]", 3),
    "no arguments": ("class S { static int f(List x) { return (Integer) x.get(0) + 2; } }", "[[1,3000000000]]", 3),
}  # fmt: skip


@pytest.mark.parametrize("name", BOUND)
def test_a_type_argument_says_what_a_value_is(name: str, harness: Callable) -> None:
    source, case, expected = BOUND[name]
    assert answers(harness, source, "S.f", [case]) == [expected]


MAX = "static <T extends Comparable<T>> T f(List<T> xs) { return Collections.max(xs); }"
# A generic head, with cases whose numbers have several sizes.
OPEN = {
    "largest of a list": (MAX, {"[[1,3]]": 3, "[[1,3000000000]]": 3000000000, "[[1.5,2]]": 2.0, "[[2.5,3000000000,1]]": 3e9, '[["b","a"]]': "b"}),
    "beyond 64 bits": ("static <T extends Comparable<T>> String f(List<T> xs) { return Collections.max(xs) + \"\"; }", {'[[1,{"$":"int","v":"99999999999999999999"}]]': "99999999999999999999"}),
    "two arguments": ("static <T extends Comparable<T>> T f(T a, T b) { return a.compareTo(b) > 0 ? a : b; }", {"[1,3000000000]": 3000000000, "[1.5,2]": 2.0, "[1,2]": 2}),
    "sorted": ("static <T extends Comparable<? super T>> List<T> f(List<T> xs) { List<T> r = new ArrayList<>(xs); Collections.sort(r); return r; }", {"[[3000000000,1]]": [1, 3000000000], "[[null]]": [None]}),
    "two variables": ("static <A, B> String f(A a, B b) { return a.getClass().getSimpleName() + b.getClass().getSimpleName(); }", {"[1,3000000000]": "IntegerLong"}),
    "array": ("static <T extends Comparable<T>> T f(T[] xs) { Arrays.sort(xs); return xs[0]; }", {"[[3000000000,1]]": 1}),
    "rest": ("static <T extends Comparable<T>> T f(T... xs) { Arrays.sort(xs); return xs[0]; }", {"[3000000000,1]": 1}),
    "comparable": ("static Comparable f(List<Comparable> xs) { return Collections.max(xs); }", {"[[1,3000000000]]": 3000000000}),
    "anything": ("static String f(List<Object> xs) { return xs.get(0).getClass().getSimpleName() + xs.get(1).getClass().getSimpleName(); }", {"[[1,3000000000]]": "IntegerLong"}),
}  # fmt: skip


@pytest.mark.parametrize("name", OPEN)
def test_numbers_of_one_type_variable_have_one_class(name: str, harness: Callable) -> None:
    head, cases = OPEN[name]
    assert answers(harness, f"class S {{ {head} }}", "f", list(cases)) == list(cases.values())


RECORD, CLASS = "record P(int ab, int a_b) {}", "class P { int ab, a_b; }"
# What a type is given, and what its fields then hold; `ArgumentError` where it is not called.
FIELDS = {
    RECORD: {'{"ab":1,"a_b":2}': [1, 2], '{"a_b":2,"ab":1}': [1, 2], '{"aB":1,"ab":2}': [2, 1], '{"aB":1}': "ArgumentError", '{"ab":1}': "ArgumentError"},
    CLASS: {'{"ab":1,"a_b":2}': [1, 2], '{"aB":1,"ab":2}': [2, 1], '{"ab":1}': [1, 0], '{"aB":1}': "ArgumentError"},
    "class Q { int ab; private int a_b; }\nclass P extends Q { int a_b; }": {'{"ab":1,"a_b":2}': [1, 2]},
    "class P { int ab, a_b; int left = 7; }": {'{"ab":1,"a_b":2}': [1, 2], '{"ab":1,"a_b":2,"c":3}': "ArgumentError", '{"x":1}': "ArgumentError"},
    "record P(int ab, int a_b, int... more) {}": {'{"ab":1,"a_b":2,"MORE":[]}': [1, 2], '{"ab":1,"a_b":2}': "ArgumentError"},
    "record P(int ab, int a_b) { P { ab += 1; } }": {'{"ab":1,"a_b":2,"unread":3}': [2, 2]},
}  # fmt: skip


@pytest.mark.parametrize("kind", FIELDS)
def test_fields_are_found_by_their_names(kind: str, harness: Callable) -> None:
    dots = "p.ab(), p.a_b()" if kind.startswith("record") else "p.ab, p.a_b"
    source = f"{kind}\nclass S {{ static int[] f(P p) {{ return new int[] {{{dots}}}; }} }}"
    assert answers(harness, source, "f", [f"[{case}]" for case in FIELDS[kind]]) == list(FIELDS[kind].values())


TEMPLATE = "abstract class B { int f(int x) { return g(x) + 1; } abstract int g(int x); }\nclass S extends B { int g(int x) { return x; } }"
# Classes and an entry point that answers 2 to 1.
PARENTS = {
    "parent": ("class B { int f(int x) { return x + 1; } }\nclass S extends B {}", "S.f"),
    "parent's static": ("class B { static int f(int x) { return x + 1; } }\nclass S extends B {}", "S.f"),
    "template": (TEMPLATE, "S.f"),
    "template by its own name": (TEMPLATE, "B.f"),
    "template by a bare name": (TEMPLATE, "f"),
    "default": ("interface I { default int f(int x) { return x + 1; } }\nclass S implements I {}", "S.f"),
    "default by a bare name": ("interface I { default int f(int x) { return x + 1; } }\nclass S implements I {}", "f"),
    "overridden": ("class B { int f(int x) { return x; } }\nclass S extends B { int f(int x) { return super.f(x) + 1; } }", "S.f"),
    "overridden with its types": ("class B<T> { Object f(T x) { return x; } }\nclass S extends B<Long> { @Override Long f(Long x) { return x + 1; } }", "S.f"),
    "nested": ("public class Main { static class Solution { int f(int x) { return x + 1; } } }", "Solution.f"),
    "nested beside one of that name": ("public class Main { static class S { int f(int x) { return x; } } }\nclass S { int f(int x) { return x + 1; } }", "S.f"),
    "a child that nobody asked for": ("class S { int by = 1; int f(int x) { return x + by; } }\nclass T extends S { { by = 5; } }", "f"),
}  # fmt: skip


@pytest.mark.parametrize("name", PARENTS)
def test_a_class_has_what_its_parents_have(name: str, harness: Callable) -> None:
    source, entry = PARENTS[name]
    assert answers(harness, source, entry, ["[1]"]) == [2]


def test_a_parent_that_cannot_be_made_is_told(harness: Callable) -> None:
    source = "abstract class B { int f(int x) { return x; } }"
    ((kind, message),) = harness("java", source, "f", ["[1]"]).raised
    assert (kind, "B cannot be made" in message) == ("ArgumentError", True)


def test_what_went_wrong_while_a_class_is_made_ready_is_told(harness: Callable) -> None:
    source = 'class S { static final int LIMIT = Integer.parseInt("ten"); static int f(int x) { return x + LIMIT; } }'
    first, second = harness("java", source, "f", ["[1]", "[2]"]).raised
    assert first == ("java.lang.NumberFormatException", 'For input string: "ten"')
    assert "NumberFormatException" in second[1]


def test_words_name_what_was_null(harness: Callable) -> None:
    source = "class S { static int f(int x) { String text = null; if (x == 1) throw new IllegalStateException(); return text.length(); } }"
    silent, null = harness("java", source, "f", ["[1]", "[2]"]).raised
    assert silent == ("java.lang.IllegalStateException", "")
    assert '"text" is null' in null[1]
