# ruff: noqa: E501  programs of other languages, as their authors write them
"""JavaScript's functions and methods, called by position and by name; promises; names that are not there."""

import json
from collections.abc import Callable

import pytest

# A function, and what it answers to each case; None where it is told that its argument cannot be taken apart.
APART = {
    "an object by name": ("function area({ w, h }) { return w * h; }", {'{"box":{"w":2,"h":3}}': 6, '[{"w":2,"h":3}]': 6, '{"w":2,"h":3}': 6}),
    "an arrow": ("const area = ({ w: width, h = 4 }) => width * h;", {'{"box":{"w":2}}': 8, '{"w":2}': 8, '{"w":2,"h":3}': 6}),
    "several by name": ("function area({ w, h }, by) { return w * h * by; }", {'{"box":{"w":2,"h":3},"by":2}': 12, '[{"w":2,"h":3},2]': 12}),
    "all of them": ("function area({ w, ...rest }) { return Object.keys(rest).length; }", {'{"w":1,"h":2,"d":3}': 2, '[{"w":1,"h":2}]': 1}),
    "the same name within": ("function area({ w }) { return typeof w; }", {'{"w":{"w":1}}': "object", '{"w":1,"h":{"w":1}}': "number"}),
    "length": ("const area = ({ length }) => length;", {"[[1,2]]": 2, '["abc"]': 3, '{"xs":[1,2]}': 2, "[5]": None}),
    "computed": ("const area = ({ length, [length - 1]: last }) => [length, last];", {"[[1,2]]": [2, 2], '["abc"]': [3, "c"]}),
    "places": ("const area = ({ 0: first, 1: second }) => [first, second];", {"[[1,2]]": [1, 2], '["ab"]': ["a", "b"], "[[1]]": None}),
    "methods": ("const area = ({ map }) => typeof map;", {"[[1]]": "function", '["a"]': None}),
    "a default for all": ("const area = ({ a = 1, b } = {}) => a + (b ?? 0);", {"[]": 1, '[{"b":2}]': 3, "[5]": None, "[[1]]": None, "[null]": None}),
    "comments before": ("async function /* f({ */ area /* { */ (/* options */ { w, h } // both\n) { return w * h; }", {'{"box":{"w":2,"h":3}}': 6, '{"w":2,"h":3}': 6, "[[1]]": None}),
    "words": ("function area({ /* a, } */ a = '},{', // b }\n \"b c\": d, 'e'\n: f = [1, { g: 2 }], h = \"//\" }) { return [a, d, f, h]; }",
        {'{"x":{"b c":1}}': ["},{", 1, [1, {"g": 2}], "//"], '{"b c":1,"h":2}': ["},{", 1, [1, {"g": 2}], 2], "[[1]]": None}),
}  # fmt: skip


@pytest.mark.parametrize("name", APART)
def test_what_is_taken_apart_is_the_argument_that_has_it(name: str, harness: Callable) -> None:
    source, answers = APART[name]
    frames = [json.loads(text) for text in harness("javascript", source, "area", list(answers)).frames[1:]]
    assert [frame.get("v") for frame in frames] == list(answers.values()), frames
    assert {frame["t"] for frame in frames if frame["o"] == "raised"} <= {"TypeError"}


def test_typescript_takes_its_arguments_apart_the_same_way(harness: Callable) -> None:
    source = "export function area({ w, h }: { w: number; h: number }): number { return w * h; }"
    assert harness("typescript", source, "area", ['{"box":{"w":2,"h":3}}', '[{"w":2,"h":3}]']).values == ["6", "6"]


# How a class or an object may have a method that takes its one parameter apart.
HOLDERS = {
    "method": "class S { area({ w, h }) { return w * h * this.one; } one = 1; }",
    "static": "class S { static one = 1; static async area({ w, h }) { return w * h * this.one; } }",
    "inherited": "class P { one = 1; area({ w, h }) { return w * h * this.one; } }\nclass S extends P {}",
    "quoted": "class S { one = 1; 'area'({ w, h }) { return w * h * this.one; } }",
    "of an object": "const S = { one: 1, area({ w, h }) { return w * h * this.one; } };",
    "arrow": "class S { one = 1; area = ({ w, h }) => w * h * this.one; }",
    "made in the constructor": "class S { constructor() { this.area = function ({ w, h }) { return w * h; }; } }",
    "getter": "class S { one = 1; get area() { return ({ w, h }) => w * h * this.one; } }",
    "old": "function S() { this.one = 1; }\nS.prototype.area = function ({ w, h }) { return w * h * this.one; };",
    "exported": "module.exports.S = class { one = 1; area({ w, h }) { return w * h * this.one; } };",
}


@pytest.mark.parametrize("language", ["javascript", "typescript"])
@pytest.mark.parametrize("name", HOLDERS)
def test_methods_take_their_arguments_apart_as_functions_do(name: str, language: str, harness: Callable) -> None:
    cases = ['{"box":{"w":2,"h":3}}', '[{"w":2,"h":3}]', '{"w":2,"h":3}']
    source = HOLDERS[name] if language == "javascript" else HOLDERS[name].replace("{ w, h })", "{ w, h }: any)")
    assert harness(language, source, "S.area", cases).values == ["6", "6", "6"]
    ((kind, _),) = harness(language, source, "S.area", ["[[1]]"]).raised
    assert kind == "TypeError"


def test_names_in_other_letters_take_their_arguments_apart(harness: Callable) -> None:
    source = "function größe({ w, h }) { return w * h; }"
    assert harness("javascript", source, "größe", ['{"w":2,"h":3}']).values == ["6"]


def test_each_case_has_an_instance_of_its_own(harness: Callable) -> None:
    source = "class S { count = 0; add = (x) => (this.count += x); }"
    assert harness("javascript", source, "S.add", ["[2]", "[2]"]).values == ["2", "2"]


def test_a_parameter_may_be_named_by_a_dollar(harness: Callable) -> None:
    named = '{"$":"map","v":[["$",1],["x",2]]}'
    assert harness("javascript", "function f($, x) { return [$, x]; }", "f", [named]).values == ["[1,2]"]
    assert harness("javascript", "function f({ $, x }) { return [$, x]; }", "f", [named]).values == ["[1,2]"]
    assert harness("javascript", "class S { $f(x) { return x; } }", "S.$f", ["[1]"]).values == ["1"]


# What a name that is not there is told of.
THERE = {
    "class S { g(x) { return x; } static h() {} k = () => 1; }": "S.h, S.g",
    "class P { g() {} }\nclass S extends P {}": "S.g",
    "const S = { g() {}, n: 1 };": "S.g",
    "class T { f(x) { return x; } }": "T",
    "const S = () => 1;": "S",
    "class S { constructor(x) { this.n = x.length; } g() {} }": "S.g, and no instance is made without arguments: "
    "TypeError: Cannot read properties of undefined (reading 'length') (line 1)",
}


@pytest.mark.parametrize("source", THERE)
def test_a_method_that_is_not_there_is_told_what_is(source: str, harness: Callable) -> None:
    load = json.loads(harness("javascript", source, "S.f", ["[1]"]).frames[0])
    words = f"S.f is not a function of the candidate; it has {THERE[source]}"
    assert (load["t"], load["m"]) == ("EntryPointError", words)


def test_a_promise_that_nothing_settles_is_told(harness: Callable) -> None:
    source = """async function f(x) {
  if (x === 1) await new Promise(() => {});
  if (x === 2) { setTimeout(() => { throw new RangeError('the reason'); }, 1); await new Promise(() => {}); }
  if (x === 3) { Promise.reject(new TypeError('nobody looks')); await new Promise((r) => setTimeout(r, 60000)); }
  return x;
}"""
    frames = [json.loads(text) for text in harness("javascript", source, "f", ["[1]", "[2]", "[3]", "[4]"]).frames[1:]]
    assert [frame["o"] for frame in frames] == ["raised", "raised", "raised", "returned"]
    assert [frame["t"] for frame in frames[:3]] == ["UnsettledPromise", "RangeError", "TypeError"]
    assert [frame["m"] for frame in frames[1:3]] == ["the reason (line 3)", "nobody looks (line 4)"]
    load = json.loads(harness("javascript", "export const f = await new Promise(() => {});", "f", ["[1]"]).frames[0])
    assert load["t"] == "UnsettledPromise"


def test_a_candidate_that_catches_all_is_left_to_it(harness: Callable) -> None:
    source = """process.on('uncaughtException', () => {});
async function f(x) {
  setTimeout(() => { throw new Error('dealt with'); }, 1);
  await new Promise((done) => setTimeout(done, 50));
  return x;
}"""
    assert harness("javascript", source, "f", ["[1]"]).values == ["1"]


# Modules, however they are written; each adds one.
MODULES = {
    "a comment before it": "/** Adds one. */ export function f(a) { return a + 1 }",
    "on the same line": "const one = 1; export const f = (a) => a + one;",
    "at the end of the line": "function f(a) { return a + 1 } export { f };",
    "a comment that ends before it": "/* (c)\n   x */ export default function f(a) { return a + 1 }",
    "its own address": "const here = import.meta.url;\nfunction f(a) { return here ? a + 1 : 0 }",
    "an import behind code": "function f(a) { return join('a') && a + 1 } import { join } from 'path';",
    "awaited": "const one = await Promise.resolve(1);\nfunction f(a) { return a + one }",
    "awaited in turn": "let one = 0;\nfor await (const x of [1]) one = x;\nfunction f(a) { return a + one }",
    "awaited without a word before": "await 0;function f(a) { return a + 1 }",
}


@pytest.mark.parametrize("language", ["javascript", "typescript"])
@pytest.mark.parametrize("name", MODULES)
def test_a_module_is_one_however_it_is_written(name: str, language: str, harness: Callable) -> None:
    assert harness(language, MODULES[name], "f", ["[1]"]).values == ["2"]


# What neither script nor module can be, and what the engine says of it as what it was meant to be.
NEITHER = {
    "function f() { return 1 }\nlet f = 2;": ("2", "Identifier 'f' has already been declared"),
    "const text = 'export';\nfunction f( { return 1 }": ("2", "Unexpected number"),
    "const one = 1; export { one }; let one = 2;\n": ("1", "Identifier 'one' has already been declared"),
    "let one; export { two };": ("1", "Export 'two' is not defined in module"),
    "const one = await 1;\nlet one = 2;": ("2", "Identifier 'one' has already been declared"),
}


@pytest.mark.parametrize("source", NEITHER)
def test_what_does_not_compile_is_told_as_what_it_was_meant_to_be(source: str, harness: Callable) -> None:
    load = json.loads(harness("javascript", source, "f", ["[1]"]).frames[0])
    line, words = NEITHER[source]
    assert (load["t"], words in load["m"]) == ("CompileError", True), load
    assert f".js:{line}\n" in load["m"] or f".mjs:{line}\n" in load["m"], load
