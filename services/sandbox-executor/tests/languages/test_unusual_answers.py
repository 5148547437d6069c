# ruff: noqa: E501  programs of other languages, as their authors write them
"""Answers that an honest program may give and that look odd: each is a value, or a failure that names its reason.

None is `forbidden`: that word is for programs that use the answer channel by themselves, and it ends the process.
"""

from collections.abc import Callable

import pytest

from sandbox_executor.domain.judging import judge_case
from sandbox_executor.domain.outcomes import Outcome
from touchstone_values import encode

# What is returned where a number was expected, and words of the failure.
NOT_RECORDS = {
    "python named": ("python", "import dataclasses\nP = dataclasses.make_dataclass('P' * 300, ['a'])\ndef f(x): return P(1)", "a record with"),
    "java parent and child": ("java", "class A { int v = 1; }\nclass B extends A { int v = 2; }\nclass S { static B f(int x) { return new B(); } }", "two fields v"),
    "java long name": ("java", f"record R(int {'a' * 300}) {{}}\nclass S {{ static R f(int x) {{ return new R(x); }} }}", "more than 200"),
    "go tags": ("go", 'package main\ntype R struct { A int `json:"a"`; B int `json:"a"` }\nfunc f(x int) R { return R{1, 2} }', "field B"),
    "go unprintable tag": ("go", 'package main\ntype R struct { A int "json:\\"a\\\\nb\\"" }\nfunc f(x int) R { return R{1} }', "field A"),
    "go long type": ("go", f"package main\ntype {'R' * 300} struct {{ A int }}\nfunc f(x int) any {{ return {'R' * 300}{{1}} }}", "more than 200"),
    "php parent and child": ("php", "<?php class A { private $v = 1; } class B extends A { private $v = 2; } function f($x) { return new B; }", "two properties"),
    "javascript generator": ("javascript", "function* f(x) { yield x; }", "a generator"),
}  # fmt: skip


@pytest.mark.parametrize("name", NOT_RECORDS)
def test_a_record_that_none_can_read_is_a_failure_with_its_reason(name: str, run_cases: Callable) -> None:
    language, source, words = NOT_RECORDS[name]
    for result in run_cases(language, source, "f", ["[1]", "[2]"]):
        assert (result.outcome, result.error_type) == (Outcome.RAISED, "UnportableError"), result
        assert words in result.error_message


# What returns a value that is nested too deeply, or that contains itself.
DEEP = {
    "python": "def f(x):\n    a = []\n    a.append(a)\n    return a",
    "javascript": "function f(x) { const a = {}; a['n'.repeat(50)] = a; return a; }",
    "php": "<?php function f($x) { $a = []; for ($i = 0; $i < 250; $i++) $a = ['a', str_repeat('n', 50) => $a]; return $a; }",
    "java": "class N { int val; N next; }\nclass S { static N f(int x) { N n = new N(); n.next = n; return n; } }",
    "go": "package main\ntype N struct { Val int; Next *N }\nfunc f(x int) *N { n := &N{}; n.Next = n; return n }",
}


@pytest.mark.parametrize("language", DEEP)
def test_what_is_nested_too_deeply_is_told_in_a_verdict(language: str, run_cases: Callable) -> None:
    (result,) = run_cases(language, DEEP[language], "f", ["[1]"])
    failure = judge_case(result, "1", "portable")
    assert failure is not None and failure.detail.endswith(" has no portable form"), failure
    assert "nesting deeper than 200" in failure.detail


ODD = ["", "a" * 300, "a\nb"]
# What is returned for 1, and what it is in any language.
VALUES = {
    "python default of its own": ("python", "import collections\ndef f(x):\n    d = collections.defaultdict(lambda: [0, 0])\n    d['a'][x] += 1\n    return d", {"a": [0, 1]}),
    "python default of a method": ("python", "import collections\ndef f(x):\n    d = collections.defaultdict(collections.Counter)\n    d['a']['b'] += x\n    return d", {"a": {"b": 1}}),
    "javascript odd keys": ("javascript", "class Seen {}\nfunction f(x) { const s = new Seen(); for (const key of ['', 'a'.repeat(300), 'a\\nb']) s[key] = x; return s; }", dict.fromkeys(ODD, 1)),
    "javascript lone surrogate": ("javascript", "class Seen {}\nfunction f(x) { const s = new Seen(); s['\\ud800'] = x; return s; }", {"\ud800": 1}),
    "javascript class of no name": ("javascript", "const made = { ['a\\n']: class {} };\nfunction f(x) { const s = new (Object.values(made)[0])(); s.a = x; return s; }", {"a": 1}),
    "javascript clamped": ("javascript", "function f(x) { return Uint8ClampedArray.of(x, 300, -1); }", [1, 255, 0]),
    "php odd keys": ("php", "<?php #[AllowDynamicProperties] class Seen {} function f($x) { $s = new Seen; foreach (['a', str_repeat('a', 300), \"a\\nb\"] as $key) $s->$key = $x; return $s; }", {"a": 1, "a" * 300: 1, "a\nb": 1}),
    "php no text": ("php", '<?php #[AllowDynamicProperties] class Seen { public $a = 1; } function f($x) { $s = new Seen; $s->{"\\xff"} = $x; return $s; }', {"a": 1, b"\xff": 1}),
    "php keys that are no text": ("php", '<?php function f($x) { return [(object) ["\\xff" => $x, "a" => $x, "5" => $x], ["\\xff" => $x]]; }', [{b"\xff": 1, "a": 1, "5": 1}, {b"\xff": 1}]),
    "php keys that are tags": ("php", '<?php function f($x) { return [(object) ["$" => $x, "5" => $x], (object) ["$" => "set", "v" => [$x]], ["$" => "set", "v" => [$x]]]; }', [{"$": 1, "5": 1}, {"$": "set", "v": [1]}, {"$": "set", "v": [1]}]),
    "php maps": ("php", "<?php function f($x) { return [new stdClass, (object) ['0' => $x], (object) ['5' => $x]]; }", [{}, {"0": 1}, {"5": 1}]),
    "java equal keys": ("java", 'import java.util.*; class S { static Object f(int x) { Map<String, Integer> m = new IdentityHashMap<>(); m.put(new String("a"), x); m.put(new String("a"), x); return m.size(); } }', 2),
    "go no text": ("go", 'package main\nfunc f(x int) string { return "a\\xff" }', b"a\xff"),
    "go keys that are no text": ("go", 'package main\nfunc f(x int) any { return map[string]int{"\\xff": x, "\\xfe": x} }', {b"\xff": 1, b"\xfe": 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", VALUES)
def test_an_odd_value_is_what_it_is(name: str, run_cases: Callable) -> None:
    language, source, expected = VALUES[name]
    (result,) = run_cases(language, source, "f", ["[1]"])
    assert result.outcome is Outcome.RETURNED, result
    failure = judge_case(result, encode(expected), "portable")
    assert failure is None, failure


EQUAL_KEYS = {
    "java": 'import java.util.*; class S { static Object f(int x) { Map<String, Integer> m = new IdentityHashMap<>(); m.put(new String("a"), x); m.put(new String("a"), x); return m; } }',
    "go": 'package main\ntype own string\nfunc f(x int) any { return map[any]int{"a": x, own("a"): x} }',
}  # fmt: skip


@pytest.mark.parametrize("language", EQUAL_KEYS)
def test_keys_that_are_one_text_are_two_entries(language: str, run_cases: Callable) -> None:
    (result,) = run_cases(language, EQUAL_KEYS[language], "f", ["[1]"])
    assert result.outcome is Outcome.RETURNED, result
    failure = judge_case(result, '{"a":1}', "portable")
    assert failure is not None and failure.outcome == "wrong_output"


def test_gos_broken_text_is_not_the_mark_that_stands_for_it(run_cases: Callable) -> None:
    (result,) = run_cases("go", 'package main\nfunc f(x int) string { return "\\xff" }', "f", ["[1]"])
    assert judge_case(result, '"\ufffd"', "portable") is not None
    (result,) = run_cases("go", 'package main\nfunc f(x int) string { return "\\ufffd" }', "f", ["[1]"])
    assert judge_case(result, '"\ufffd"', "portable") is None


MARKED = {
    "python": "def f(x): return x",
    "javascript": "export function f(x) { return x; }",
    "typescript": "export function f(x: number): number { return x; }",
    "java": "import java.util.*; class S { static int f(int x) { return x; } }",
    "java bare": "static int f(int x) { return x; }",
    "go": "package main\nfunc f(x int) int { return x }",
    "go bare": "func f(x int) int { return x }",
    "php": "<?php declare(strict_types=1);\nfunction f(int $x): int { return $x; }",
    "php bare": "function f($x) { return $x; }",
}


@pytest.mark.parametrize("name", MARKED)
def test_a_byte_order_mark_is_no_fault(name: str, run_cases: Callable) -> None:
    (result,) = run_cases(name.split()[0], "\ufeff" + MARKED[name], "f", ["[7]"])
    assert result.value == "7", result


def test_pythons_program_may_begin_with_a_byte_order_mark(run_program: Callable) -> None:
    assert run_program("python", "\ufeffprint(7)").stdout == "7\n"


def test_a_php_function_is_found_in_its_namespace(run_cases: Callable) -> None:
    inside = "<?php namespace App\\Tools;\nfunction f(int $x): int { return g($x); }\nfunction g($x) { return $x + 1; }"
    (result,) = run_cases("php", inside, "f", ["[7]"])
    assert result.value == "8", result
    twice = "<?php namespace A { function f($x) { return 1; } } namespace B { function f($x) { return 2; } }"
    (result,) = run_cases("php", twice, "f", ["[7]"])
    assert (result.error_type, "a\\f, b\\f" in result.error_message.lower()) == ("EntryPointError", True)
