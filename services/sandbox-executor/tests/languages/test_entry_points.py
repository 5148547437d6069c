# ruff: noqa: E501  programs of other languages, as their authors write them
"""What counts as the entry point is what the candidate wrote: never what its engine gives every program by that name."""

import json
from collections.abc import Callable

import pytest

# Names that every script can read without having them: of the global object, of what all objects have, of CommonJS.
GIVEN = [
    "escape",
    "isFinite",
    "process",
    "fetch",
    "crypto",
    "structuredClone",
    "toString",
    "valueOf",
    "require",
    "module",
]


def problem(harness: Callable, language: str, source: str, entry: str) -> str:
    """Type of the load error, with its message."""
    load = json.loads(harness(language, source, entry, ["[1]"]).frames[0])
    assert load["o"] == "load_error", load
    return f"{load['t']}: {load['m']}"


@pytest.mark.parametrize("name", GIVEN)
def test_javascript_calls_what_is_exported_by_a_name_that_node_has(name: str, harness: Callable) -> None:
    for source in (
        f"exports.{name} = (x) => x + 1;",
        f"const own = (x) => x + 1;\nmodule.exports = {{ {name}: own }};",
        f"class Own {{ {name}(x) {{ return x + 1; }} }}\nmodule.exports = new Own();",
        f"export default {{ {name}(x) {{ return x + 1; }} }};",
        f"const own = (x) => x + 1;\nexport {{ own as {name} }};",
    ):
        assert harness("javascript", source, name, ["[1]"]).values == ["2"], source
    typed = f"const own = (x: number): number => x + 1;\nmodule.exports = {{ {name}: own }};"
    assert harness("typescript", typed, name, ["[1]"]).values == ["2"]


def test_javascript_calls_what_is_declared_by_a_name_that_node_has(harness: Callable) -> None:
    for source in (
        "function escape(x) { return x + 1; }",
        "const escape = (x) => x + 1;",
        "var escape = (x) => x + 1;",
        "escape = (x) => x + 1;",
        "exports.escape = (x) => Number(escape(String(x))) + 1;",
    ):
        assert harness("javascript", source, "escape", ["[1]"]).values == ["2"], source


@pytest.mark.parametrize("name", GIVEN)
def test_javascript_without_a_program_has_no_entry_point(name: str, harness: Callable) -> None:
    for language in ("javascript", "typescript"):
        for source in ("// there already", "module.exports = {};", "export {};"):
            found = problem(harness, language, source, name)
            assert found == f"EntryPointError: {name} is not a function of the candidate; it has no functions", source


@pytest.mark.parametrize("name", ["call", "apply", "bind", "toString", "valueOf", "name"])
def test_javascript_methods_are_the_class_s_own(name: str, harness: Callable) -> None:
    for source in (
        f"class A {{ {name}(x) {{ return x + 1; }} }}",
        f"class A {{ static {name}(x) {{ return x + 1; }} }}",
    ):
        assert harness("javascript", source, f"A.{name}", ["[1]"]).values == ["2"], source
    assert "EntryPointError" in problem(harness, "javascript", "class A {}", f"A.{name}")


@pytest.mark.parametrize("name", ["Event", "URL", "Blob", "Response", "Iterator"])
def test_javascript_records_may_have_a_name_that_node_has(name: str, harness: Callable) -> None:
    own = f"class {name} {{ constructor() {{ this.a = 1; }} }}\nfunction f() {{ return new {name}(); }}"
    (value,) = harness("javascript", own, "f", ["[]"]).values
    assert value == f'{{"$":"record","name":"{name}","fields":[["a",1]]}}'
    assert harness("javascript", f"globalThis.{name} = {own}", "f", ["[]"]).values == [value]


def test_javascript_refuses_what_the_engine_made(harness: Callable) -> None:
    for made in (
        "new Event('a')",
        "new URL('file:///a')",
        "new Blob([])",
        "new Headers()",
        "new Error('a')",
        "Promise",
        "globalThis",
    ):
        ((kind, _),) = harness("javascript", f"function f() {{ return {made}; }}", "f", ["[]"]).raised
        assert kind == "UnportableError", made


def test_php_calls_what_the_candidate_wrote(harness: Callable) -> None:
    inside = "<?php namespace App; function trim(string $x): string { return \\trim($x) . '!'; }"
    assert harness("php", inside, "trim", ['[" a "]']).values == ['"a!"']
    assert "EntryPointError: trim is not a function of the candidate" in problem(
        harness, "php", "<?php // there already", "trim"
    )
    method = "<?php namespace App; class ArrayObject { function count($x) { return $x + 1; } }"
    assert harness("php", method, "ArrayObject.count", ["[1]"]).values == ["2"]
    assert "EntryPointError" in problem(harness, "php", "<?php // there already", "ArrayObject.count")


def test_php_tells_what_there_is(harness: Callable) -> None:
    source = (
        "<?php class S extends P { function g($x) { return $x; } } class P { static function h() {} } function k() {}"
    )
    words = "EntryPointError: {} is not a method of the candidate; it has {}"
    assert problem(harness, "php", source, "S.f") == words.format("S.f", "S.g, S.h")
    assert problem(harness, "php", source, "T.f") == words.format("T.f", "P, S, k")
    assert problem(harness, "php", "<?php // there already", "T.f") == words.format("T.f", "no functions")


# What stands beside a bare method, and what the method does with it.
BESIDE = {
    "record": ("record Pair(long a, long b) {}", "new Pair(x, 1).a() + 1"),
    "private class": ("private static class Node { final long a; Node(long a) { this.a = a; } }", "new Node(x).a + 1"),
    "plain class": ("class Node<T> { T a; Node(T a) { this.a = a; } }", "new Node<>(x).a + 1"),
    "enum": ("enum Step { ONE(1); final long by; Step(long by) { this.by = by; } }", "x + Step.ONE.by"),
    "interface": ("interface Step { long go(long x); }", "((Step) y -> y + 1).go(x)"),
    "sealed": ("sealed interface S permits A, B {}\nrecord A(long a) implements S {}\nfinal class B implements S {}", "((S) new A(x)) instanceof A a ? a.a() + 1 : 0"),
    "annotated": ('@SuppressWarnings({"unchecked", "rawtypes"}) class Node { static long go(long x) { return x + 1; } }', "Node.go(x)"),
    "public class": ("public class Node { static long go(long x) { return x + 1; } }", "Node.go(x)"),
    "its own Candidate": ("record Candidate(String name, long votes) {}", 'new Candidate("a", x).votes() + 1'),
    "field": ("static final Map<Long, Long> NEXT = Map.of(1L, 2L);", "NEXT.get(x)"),
    "array": ("static long[] NEXT = {1, 2};\nrecord Pair(long a) {}", "NEXT[(int) new Pair(x).a()]"),
    "words": ('// class A {\n/* record B( */ static final String S = "enum C {";\nrecord D(long a) {}', "S.length() - 8 + x + 1"),
}  # fmt: skip


@pytest.mark.parametrize("name", BESIDE)
def test_java_wraps_a_bare_method_whatever_stands_beside_it(name: str, harness: Callable) -> None:
    beside, result = BESIDE[name]
    method = f"static long f(long x) {{\n    return {result};\n}}\n"
    for head in ("", "import java.util.*;\n", "package deep.down;\n\nimport java.util.List;\n"):
        for source in (f"{head}{beside}\n\n{method}", f"{head}{method}\n{beside}\n"):
            assert harness("java", source, "f", ["[1]"]).values == ["2"], source


def test_java_words_of_the_compiler_count_lines_beside_types(harness: Callable) -> None:
    source = "import java.util.*;\nrecord Pair(long a) {}\nclass Node {}\nstatic long f(long x) {\n  return missing;\n}"
    assert "candidate.java:5: error: missing cannot be resolved" in problem(harness, "java", source, "f")


def test_java_leaves_a_unit_as_it_is(harness: Callable) -> None:
    for source in (
        '@SuppressWarnings({"unchecked"}) public class A { static long f(long x) { return x + 1; } }',
        '@interface Mark { String[] value() default {}; }\n@Mark({"a"}) class A { static long f(long x) { return x + 1; } };',
        "package a.b;\nimport java.util.*;;\nclass A { static { } long f(long x) { return x + 1; } }\nenum B { ONE { } }",
        "class A extends B<List<Long>> { }\nabstract class B<T extends List<?>> { static long f(long x) { return x + 1; } }\n",
    ):
        source = source if "List" not in source else f"import java.util.List;\n{source}"
        assert harness("java", source, "f", ["[1]"]).values == ["2"], source


# Overloads of which several take the same arguments, with what the head that was asked for answers.
OVERLOADS = {
    "private ones are helpers": ("""class A {
        private static String f(List<?> x) { return "list"; }
        static String f(Object x) { return "any"; }
        private static String f(Map<?, ?> x) { return "map"; } }""", {"[null]": "any", "[[1]]": "any", '[{"a":1}]': "any", "[1]": "any"}),
    "what takes anything hands on": ("""class A {
        static String f(double x) { return "real"; }
        static String f(long x) { return "whole"; }
        static String f(List<?> x) { return "list"; }
        static String f(Object x) { return x instanceof List ? f((List<?>) x) : x instanceof Double ? f((double) x) : x instanceof Integer ? f((int) x) : "any"; } }""",
        {"[null]": "any", "[[1]]": "list", "[1.5]": "real", "[1]": "whole"}),
    "whole numbers": ("class A { static String f(double x) { return \"real\"; } static String f(long x) { return \"whole\"; } }", {"[3]": "whole", "[3.0]": "real", "[2.5]": "real"}),
    "whole numbers of several widths": ("class A { static String f(double x) { return \"real\"; } static String f(BigInteger x) { return \"large\"; } static String f(int x) { return \"small\"; } }",
        {"[3]": "small", "[4294967296]": "large", "[3.0]": "real"}),
    "lists before arrays": ("class A { static String f(long[] x) { return \"array\"; } static String f(List<Long> x) { return \"list\"; } static String f(Collection<Long> x) { return \"collection\"; } }",
        {"[[1]]": "list"}),
    "what callers see": ("public class A { static String f(List<Long> x, boolean up) { return \"helper\"; } public static String f(Object x, Object up) { return \"head\"; } }",
        {"[[1],true]": "head", "[null,null]": "head"}),
    "each by its count": ("class A { static String f(Object x) { return \"one\"; } static String f(Object x, Object y) { return \"two\"; } static String f(Object... all) { return \"many\"; } }",
        {"[1]": "one", "[[1]]": "one", "[1,2]": "two", "[]": "many", "[1,2,3]": "many"}),
    "no two ways about it": ("class A { static String f(long x, Object y) { return \"a\"; } static String f(Object x, long y) { return \"b\"; } }", {'["x",1]': "b", '[1,"x"]': "a"}),
    "an object beside a static helper": ("class A { String f(Object x) { return \"head\"; } private static String f(List<?> x) { return \"helper\"; } }", {"[[1]]": "head"}),
}  # fmt: skip


@pytest.mark.parametrize("name", OVERLOADS)
def test_java_calls_the_overload_that_a_head_names(name: str, harness: Callable) -> None:
    source, answers = OVERLOADS[name]
    found = harness("java", f"import java.math.*;\nimport java.util.*;\n{source}", "f", list(answers)).values
    assert [json.loads(value) for value in found] == list(answers.values())


# Classes that have a method of one name; the one that answers "head" is the program.
HELPED = {
    "a helper that is an object": "class Index { List<String> words; String f(String x) { return x; } }\nclass Solution { static String f(String x) { new Index(); return \"head\"; } }",
    "a helper's static method": "class Solution { String f(String x) { return Index.f(x) + \"ad\"; } }\nclass Index { static String f(String x) { return \"he\"; } }",
    "helpers of helpers": "class A { String f(String x) { return \"he\"; } }\nclass B { String f(String x) { return new A().f(x) + \"ad\"; } }\nclass C { String f(String x) { Supplier<String> s = () -> new B().f(x); return s.get(); } }",
    "a parent": "class A { String f(String x) { return x; } }\nclass B extends A { @Override String f(String x) { return \"head\"; } }",
    "nothing uses the other": "class A { String f(String x) { return x; } }\nclass B { static String f(String x) { return \"head\"; } }",
    "the public one": "class A { static String f(String x) { return x; } }\npublic class B { static String f(String x) { return \"head\"; } }",
    "what cannot be made": "class A { A(int n) {} String f(String x) { return x; } }\ninterface C { default String f(String x) { return x; } }\nclass B { String f(String x) { return \"head\"; } }",
    "each by its count": "class Node { static String f() { return B.f(\"x\"); } }\nclass B { static String f(String x) { return x.isEmpty() ? Node.f() : \"head\"; } }",
    "what is nested": "class A { static class One { String f(String x) { return x; } }\n static class Two { String f(String x) { new One(); return \"head\"; } } }",
}  # fmt: skip


@pytest.mark.parametrize("name", HELPED)
def test_java_calls_the_program_and_not_its_helper(name: str, harness: Callable) -> None:
    source = f"import java.util.*;\nimport java.util.function.*;\n{HELPED[name]}"
    assert harness("java", source, "f", ['["x"]']).values == ['"head"']


def test_java_says_where_it_cannot_tell_which_is_meant(harness: Callable) -> None:
    types = "class A { static int f(int[] x) { return 1; } static int f(long[] x) { return 2; } }"
    classes = "class A { static int f(Object x) { return 1; } }\nclass B { static int f(List<Long> x) { return 2; } }"
    for source, words in ((types, "A.f(int[]) and A.f(long[])"), (classes, "A.f(Object) and B.f(List)")):
        ((kind, message),) = harness("java", f"import java.util.*;\n{source}", "f", ["[[1]]"]).raised
        assert kind == "ArgumentError"
        assert message == f"{words} take these arguments alike: which one is meant cannot be told"
