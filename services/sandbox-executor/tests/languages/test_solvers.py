# ruff: noqa: E501  programs of other languages, as their authors write them
"""What solvers meet: words that name the thing and the way out, and results as their language writes them."""

from collections.abc import Callable

import pytest

from sandbox_executor.domain.judging import judge_case
from sandbox_executor.domain.outcomes import Outcome

OTHERS = {
    "python": ("def solve(x): return x\nclass A:\n    def run(self, x): return x", "solve, A.run"),
    "javascript": ("const solve = (x) => x;\nfunction run(x) { return x; }", "solve, run"),
    "typescript": ("export function solve(x: number): number { return x; }", "solve"),
    "java": ("class A { static int solve(int x) { return x; } }", "A.solve"),
    "go": (
        "package main\ntype A struct{}\nfunc solve(x int) int { return x }\nfunc (a *A) run() int { return 1 }",
        "solve, A.run",
    ),
    "php": ("<?php function solve($x) { return $x; }", "solve"),
}


@pytest.mark.parametrize("language", OTHERS)
def test_a_wrong_name_is_told_what_there_is(language: str, run_cases: Callable) -> None:
    source, there = OTHERS[language]
    results = run_cases(language, source, "missing", ["[1]", "[2]"])
    assert [(r.outcome, r.error_type) for r in results] == [(Outcome.COMPILE_ERROR, "EntryPointError")] * 2
    assert there in results[0].error_message


def test_a_compiler_says_it_once(run_cases: Callable) -> None:
    results = run_cases(
        "go",
        "package main\nfunc f(x int) int { return yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy }",
        "f",
        ["[1]"] * 3,
    )
    assert "undefined: yyy" in results[0].error_message
    assert [r.error_message for r in results[1:]] == ["as case 0"] * 2
    assert {r.outcome for r in results} == {Outcome.COMPILE_ERROR}


def test_a_generic_entry_point_is_told_by_its_own_file(run_cases: Callable) -> None:
    (result,) = run_cases("go", "package main\n\nfunc f[T any](x T) T { return x }", "f", ["[1]"])
    assert result.outcome is Outcome.COMPILE_ERROR
    assert result.error_message.startswith("candidate.go:3:7: f has type parameters")


@pytest.mark.parametrize(("nothing", "returned"), [(False, ["[]", "{}", "[]"]), (True, ["null", "null", "[]"])])
def test_gos_nil_is_nothing_where_something_may_be_nothing(
    nothing: bool, returned: list[str], run_cases: Callable
) -> None:
    lists = "package main\nfunc f(x int) []int { if x == 0 { return nil }; return []int{} }"
    maps = "package main\nfunc f(x int) map[string]int { return nil }"
    options = {"nothing_returned": nothing}
    found = [run_cases("go", lists, "f", ["[0]"], **options)[0], run_cases("go", maps, "f", ["[0]"], **options)[0],
             run_cases("go", lists, "f", ["[1]"], **options)[0]]  # fmt: skip
    assert [result.value for result in found] == returned


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("function g(x) {\n  return x.a.b;\n}\nfunction f(x) {\n  return g(x);\n}", 2),
        ("function f(x) {\n\n  throw new RangeError('far');\n}", 3),
        ("import fs from 'node:fs';\nexport function f(x) {\n  return null.x;\n}", 3),
    ],
)
def test_javascript_errors_have_a_line(source: str, line: int, run_cases: Callable) -> None:
    (result,) = run_cases("javascript", source, "f", ["[1]"])
    assert result.outcome is Outcome.RAISED
    assert result.error_message.endswith(f"(line {line})")


def test_a_destructured_parameter_never_sees_undefined(run_cases: Callable) -> None:
    source = "function f({ a, b }) { return [a, b]; }"
    positional, named, mapped = run_cases("javascript", source, "f", ["[1,2]", '{"a":1,"b":2}', '[{"a":3,"b":4}]'])
    assert (positional.outcome, positional.error_type) == (Outcome.RAISED, "TypeError")
    assert "one by one" in positional.error_message
    assert (named.value, mapped.value) == ("[1,2]", "[3,4]")
    (arrow,) = run_cases("javascript", "const f = async ({ a }) => a;", "f", ["[[1]]"])
    assert arrow.outcome is Outcome.RAISED


PAIRS = {
    "java": 'record Pair(int a, String b) {}\nclass S { static Pair f(int x) { return new Pair(x, "s"); } }',
    "go": 'package main\ntype pair struct { A int; B string }\nfunc f(x int) pair { return pair{x, "s"} }',
    "javascript": "class Pair { constructor(a, b) { this.a = a; this.b = b; } }\nfunction f(x) { return new Pair(x, 's'); }",
    "python": "import collections\nPair = collections.namedtuple('Pair', 'a b')\ndef f(x): return Pair(x, 's')",
}


@pytest.mark.parametrize("language", PAIRS)
def test_a_record_is_a_pair_where_kinds_do_not_count(language: str, run_cases: Callable) -> None:
    (result,) = run_cases(language, PAIRS[language], "f", ["[1]"])
    pair = '{"$":"tuple","v":[1,"s"]}'
    assert judge_case(result, pair, "portable") is None
    assert judge_case(result, '{"$":"tuple","v":["s",1]}', "portable") is not None
    assert judge_case(result, pair, "exact") is not None
