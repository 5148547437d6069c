"""The function that is tested is the one that was named, in whatever form its language lets it be written."""

from __future__ import annotations

import time

import pytest

from annotator.domain.assembly import assembled, target_of
from annotator.domain.corpus_filter import unfit
from annotator.domain.declarations import declarations
from annotator.domain.pair import Pair
from annotator.domain.stubs import stub_programs
from annotator.domain.subject import examine


def named(code, language, name=""):
    return examine(Pair("p", "q", "query", "f", code, language, name=name))


@pytest.mark.parametrize(
    ("language", "code", "name", "target", "parameters"),
    [
        ("javascript", "function clean(s) { return s; }\n\nconst slug = (s) => clean(s);", "slug", "slug", ("s",)),
        ("javascript", "function rev(s) { return s; }\nexport const same = s => s;", "same", "same", ("s",)),
        ("javascript", "const sum = async (a, b) =>\n  a + b;\nfunction g(x) { return 1; }", "sum", "sum", ("a", "b")),
        ("javascript", "module.exports = function add(a, b) {\n  return a + b;\n};", "add", "add", ("a", "b")),
        ("javascript", "function x(y) { return y; }\nexports.add = (a, b) => a + b;", "add", "add", ("a", "b")),
        ("javascript", "const utils = {\n  add(a, b) { return a + b; },\n  twice: (x) => 2 * x,\n};", "utils.twice",
         "utils.twice", ("x",)),
        ("javascript", "const utils = {\n  add(a, b) { return a + b; },\n};", "utils.add", "utils.add", ("a", "b")),
        ("typescript", "class A {\n  map<T>(x: T): T { return x; }\n  b(x: number) { return 1; }\n}", "map", "A.map",
         ("x",)),
        ("typescript", "const first = <T>(xs: T[]): T | undefined => xs[0];", "first", "first", ("xs",)),
        ("go", "func helper(x int) int {\n\treturn x\n}\n\nfunc Contains[S ~[]E, E comparable](s S, v E) bool {\n"
         "\treturn true\n}", "Contains", "Contains", ("s", "v")),
        ("go", "func Set(xs []int) map[int]struct{ A int } {\n\treturn nil\n}", "Set", "Set", ("xs",)),
        ("go", "func Two(xs []int) (map[int]struct{}, error) {\n\treturn nil, nil\n}", "Two", "Two", ("xs",)),
        ("javascript", "function rev(s) { return s; }\n\nconst ticks$ = (s) => s;\nconst g = (x) => x;", "ticks",
         "ticks$", ("s",)),
        ("javascript", "class A {\n  static f(x) { return x; }\n}\nclass B {\n  static f(y) { return y; }\n}", "A.f",
         "A.f", ("x",)),
        ("php", "namespace App\\Util;\n\nfunction slug($s) { return $s; }\nfunction g($x) { return $x; }",
         "App\\Util\\slug", "slug", ("$s",)),
        ("java", "class A { static int f(int x) { return x; } }\nclass B { static int f(int y) { return y; } }",
         "com.a.A#f(java.util.Map)", "A.f", ("x",)),
        ("go", "func (t *T) F(x int) int { return x }\nfunc (t *U) F(y int) int { return y }", "(*T).F", "T.F", ("x",)),
        ("python", "def f(x):\n    return x\n\ndef g(x):\n    return x", "m.f()", "f", ("x",)),
        ("python", "def _helper(x):\n    return x\n\ndef method(self, x):\n    return x", "A.method", "method",
         ("self", "x")),
    ],
)  # fmt: skip
def test_the_named_function_is_found(language, code, name, target, parameters):
    found = named(code, language, name)
    assert (target_of(found), found.parameters) == (target, parameters)


@pytest.mark.parametrize(
    ("language", "code", "name"),
    [
        ("python", "def _helper(x):\n    return x\n\ndef other(x):\n    return x", "A.method"),
        ("javascript", "function helper(x) {\n  return x;\n}\nmake({ f(x) { return x; } });", "f"),
        ("php", "function helper($x) { return $x; }\n$f = function ($x) { return $x; };", "f"),
        ("java", "class A { int helper(int x) { return x; } }", "A.f"),
        ("go", "func helper(x int) int {\n\treturn x\n}", "F"),
    ],
)
def test_no_other_function_takes_the_place_of_the_named_one(language, code, name):
    found = named(code, language, name)
    assert not found.entry_point and not found.plain and "was not found in it" in found.obstacle
    assert named(code, language).entry_point in ("helper", "other")


@pytest.mark.parametrize(
    "result",
    [
        "{ min: number; max: number }",
        "Promise<{ min: number }>",
        "Array<(x: number) => { a: number }>",
        "() => void",
        "number | { a: number }[]",
        "x is { a: number }",
        "[number, { a: 1 }]",
    ],
)
def test_braces_of_a_type_are_no_body(result):
    found = named(f"function stats(xs: number[]): {result} {{\n  return f(xs);\n}}", "typescript")
    assert found.code[found.body :].strip().startswith("return f(xs)") and found.returns == result
    found = named(f"const stats = (xs: number[]): {result} => {{\n  return f(xs);\n}};", "typescript")
    assert found.code[found.body :].strip().startswith("return f(xs)")


def test_the_stub_of_an_expression_stands_in_its_place():
    found = named("const sum = xs => xs.reduce((a, b) => a + b, 0);\n", "javascript")
    code = next(stub.subject.code for stub in stub_programs(found, "") if stub.kind == "always returns 0")
    assert code.startswith("const sum = xs => true ? (() => { return 0; })() :  xs.reduce(")
    assert found.code[found.body :].startswith(" xs.reduce")


def test_an_arrow_without_braces_gives_something_back():
    assert unfit(Pair("p", "q", "sum", "f", "const sum = xs => xs.length;", "javascript")) == ""
    assert unfit(Pair("p", "q", "sum", "f", "const sum = xs => { xs.sort(); };", "javascript"))


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("typescript", "function f(): a" + "<" * 20_000),
        ("typescript", "const f = (a): b" + "[" * 20_000),
        ("javascript", "const a = {\n" * 3_000),
        ("javascript", "function f(\n" * 3_000),
    ],
)
def test_brackets_that_nobody_closes_are_read_in_time(language, code):
    began = time.process_time()
    assert not declarations(code, language)
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("java", "import a.b.C;\n" * 3_000 + "class A { static int f(int x) { return x; } }"),
        ("go", 'import "fmt"\n' * 1_500 + "func F(x int) int { return x }"),
        ("php", "declare(strict_types=1);\n" * 2_000 + "function f($x) { return $x; }"),
    ],
)
def test_a_code_of_many_heads_is_put_together_in_time(language, code):
    began = time.process_time()
    assert assembled(named(code, language), "", "")
    assert time.process_time() - began < 2
