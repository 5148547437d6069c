# ruff: noqa: E501  programs of other languages, as their authors write them
"""How each language's harness finds the entry point, converts arguments and writes results."""

import json
from collections.abc import Callable

from touchstone_values import compare


def same(actual: str, expected: str) -> bool:
    return compare(expected, actual, "portable") is None


# JavaScript and TypeScript


def test_javascript_finds_functions_however_they_are_given(harness: Callable) -> None:
    for source in (
        "function f(a, b) { return a + b; }",
        "const f = (a, b) => a + b;",
        "module.exports = { f(a, b) { return a + b; } };",
        "module.exports = (a, b) => a + b;",
        "exports.f = (a, b) => a + b;",
        "export function f(a, b) { return a + b; }",
        "export default function (a, b) { return a + b; }",
        "const f = (a, b) => a + b;\nexport { f };",
        'import { inspect } from "node:util";\nfunction f(a, b) { inspect(a); return a + b; }',
        "async function f(a, b) { await null; return a + b; }",
        "#!/usr/bin/env node\n'use strict';\nfunction f(a, b) { return a + b; } // end",
    ):
        answers = harness("javascript", source, "f", ["[1,2]", '{"a":"x","b":"y"}'])
        assert answers.values == ["3", '"xy"'], source


def test_javascript_reserved_words_can_be_exported(harness: Callable) -> None:
    for source in ("exports.delete = (x) => x;", "const f = (x) => x;\nexport { f as delete };"):
        assert harness("javascript", source, "delete", ["[1]"]).values == ["1"]


def test_javascript_methods(harness: Callable) -> None:
    source = "class Solution { count = 0; two(x) { this.count += x; return this.count; } static one() { return 1; } }"
    assert harness("javascript", source, "Solution.two", ["[2]", "[2]"]).values == ["2", "2"]
    assert harness("javascript", source, "Solution.one", ["[]"]).values == ["1"]


def test_javascript_results(harness: Callable) -> None:
    source = """
    class Point { constructor() { this.x = 1; this.y = [2]; } }
    function f() {
      return [undefined, 10n ** 20n, 5n, -0, 1e21, 2 ** 53, 0.1, NaN, new Map([["a", 1]]), new Map([[1, 2]]), new Set(["b"]),
        new Uint8Array([1, 255]), new Float64Array([1, 0.5]), Object.create(null), new Point(), "\\ud800", { $: 1 },
        new Date(0), new Number(3), [, 1], { __proto__: null, "__proto__x": 1 }];
    }"""
    (value,) = harness("javascript", source, "f", ["[]"]).values
    expected = [
        "null", '{"$":"int","v":"100000000000000000000"}', "5", "-0.0", "1e+21", "9007199254740992.0", "0.1",
        '{"$":"float","v":"nan"}', '{"a":1}', '{"$":"map","v":[[1,2]]}', '{"$":"set","v":["b"]}', '{"$":"bytes","v":"Af8="}',
        "[1,0.5]", "{}", '{"$":"record","name":"Point","fields":[["x",1],["y",[2]]]}', '{"$":"str","v":[55296]}',
        '{"$":"map","v":[["$",1]]}', '{"$":"datetime","v":"1970-01-01T00:00:00.000+00:00","zone":null,"fold":0}', "3",
        "[null,1]", '{"__proto__x":1}',
    ]  # fmt: skip
    assert value == "[" + ",".join(expected) + "]"


def test_javascript_refuses_what_is_no_value(harness: Callable) -> None:
    for expression in ("() => 1", "Symbol('a')", "/x/", "new Error('x')", "new WeakMap()", "[new Date(NaN)]"):
        ((kind, _),) = harness("javascript", f"function f() {{ return {expression}; }}", "f", ["[]"]).raised
        assert kind == "UnportableError", expression


def test_javascript_errors(harness: Callable) -> None:
    source = """
    class OwnError extends Error {}
    function f(x) {
      if (x === 0) throw new OwnError("own");
      if (x === 1) throw "text";
      if (x === 2) throw { get message() { throw 1; }, toString() { throw 2; } };
      if (x === 3) return null.x;
      return f(x);
    }"""
    kinds = harness("javascript", source, "f", ["[0]", "[1]", "[2]", "[3]", "[4]"]).raised
    assert [kind for kind, _ in kinds] == ["OwnError", "string", "Error", "TypeError", "RangeError"]
    assert kinds[0][1] == "own (line 4)"
    assert kinds[1][1] == "text"


def test_javascript_arguments_are_new_for_each_case(harness: Callable) -> None:
    source = "function f(a, m, s, b) { a.push(1); s.add(9); return [a, m.get(1), s.size, b[0], typeof b]; }"
    case = '[[],{"$":"map","v":[[1,"one"]]},{"$":"set","v":[1]},{"$":"bytes","v":"AQ=="}]'
    assert harness("javascript", source, "f", [case, case]).values == ['[[1],"one",2,1,"object"]'] * 2


def test_javascript_words_of_the_compiler(harness: Callable) -> None:
    answers = harness("javascript", "function f() {\n  return (1;\n}", "f", ["[]"])
    load = json.loads(answers.frames[0])
    assert (load["o"], load["t"]) == ("load_error", "CompileError")
    assert ":2" in load["m"] and "return (1;" in load["m"]
    load = json.loads(harness("javascript", "export function f() {\n  return (1;\n}", "f", ["[]"]).frames[0])
    assert load["t"] == "CompileError"
    assert "return (1;" in load["m"]


def test_javascript_missing_entry_point(harness: Callable) -> None:
    for entry in ("g", "f.g", "Missing.g"):
        load = json.loads(harness("javascript", "function f() {}", entry, ["[]"]).frames[0])
        assert load["t"] == "EntryPointError"


def test_javascript_prints_before_it_answers(harness: Callable) -> None:
    answers = harness(
        "javascript", "function f(x) { console.log('out', x); console.error('err'); return x; }", "f", ["[1]"]
    )
    assert answers.values == ["1"]
    assert (answers.stdout, answers.stderr) == ("out 1\n", "err\n")


def test_typescript_is_stripped_and_transformed(harness: Callable) -> None:
    source = """
    enum Color { Red, Green = 5 }
    interface Box<T> { value: T; note?: string }
    namespace Shapes { export const side = 2; }
    class Holder { constructor(private readonly inner: number) {} get(): number { return this.inner; } }
    export function f(box: Box<number>): Array<number | Color> {
      return [new Holder(box.value).get(), Color.Green, Shapes.side, box!.value as number];
    }"""
    assert harness("typescript", source, "f", ['[{"value":3}]']).values == ["[3,5,2,3]"]


def test_typescript_words_of_the_compiler(harness: Callable) -> None:
    load = json.loads(harness("typescript", "function f(a: number: string) {\n}", "f", ["[]"]).frames[0])
    assert load["t"] == "CompileError"
    assert "function f(a: number: string)" in load["m"]


# Java


def test_java_parameter_types(harness: Callable) -> None:
    source = """
    import java.math.BigInteger;
    import java.util.*;
    public class Solution {
        record Point(int x, String label) {}
        public static List<Object> f(int a, long b, Integer c, BigInteger d, double e, String f, boolean g, List<Long> h,
                Map<String, int[]> i, int[][] j, Optional<String> k, Set<Character> l, Object m, Point n, char[] o, Double p) {
            return Arrays.asList(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p);
        }
    }"""
    case = (
        '[1,{"$":"int","v":"9223372036854775807"},null,{"$":"int","v":"99999999999999999999"},3,"s",true,[1,2],{"k":[1]},'
        '[[1],[]],null,{"$":"set","v":["a"]},[1,2.5,"x",{"y":null}],{"x":1,"label":"p"},"hi",2.5]'
    )
    (value,) = harness("java", source, "f", [case]).values
    assert same(
        value,
        '[1,{"$":"int","v":"9223372036854775807"},null,{"$":"int","v":"99999999999999999999"},3.0,"s",true,[1,2],{"k":[1]},'
        '[[1],[]],null,{"$":"set","v":["a"]},[1,2.5,"x",{"y":null}],'
        '{"$":"record","name":"Point","fields":[["x",1],["label","p"]]},["h","i"],2.5]',
    )


def test_java_finds_methods_however_they_are_given(harness: Callable) -> None:
    for source in (
        "public class Any { public static int f(int a, int b) { return a + b; } }",
        "class Any { int f(int a, int b) { return a + b; } }",
        "package deep.down; public final class Any { private static int f(int a, int b) { return a + b; } }",
        "interface Op { int go(int a, int b); } public class Any { static int f(int a, int b) { Op op = (x, y) -> x + y; return op.go(a, b); } }",
        "static int f(int a, int b) { return a + b; }",
        "import java.util.List;\n\npublic int f(int a, int b) { return List.of(a, b).stream().mapToInt(x -> x).sum(); }",
        '/* class Wrong { */ // public class Wrong {\npublic class Any { String s = "class X {"; static int f(int... all) { int n = 0; for (int a : all) n += a; return n; } }',
        "public enum Any { ONE; static Integer f(Object a, Number b) { return (Integer) a + b.intValue(); } }",
    ):
        assert harness("java", source, "f", ["[1,2]", '{"b":3,"a":4}']).values == ["3", "7"], source
    source = "public class Solution { static class Inner { static int f() { return 1; } } int f() { return 2; } }"
    assert harness("java", source, "f", ["[]"]).values == ["2"]
    assert harness("java", source, "Solution.Inner.f", ["[]"]).values == ["1"]
    overloaded = "class A { static String f(String s) { return s; } static int f(int a) { return a; } static int f(int a, int b) { return b; } }"
    assert harness("java", overloaded, "f", ["[1]", '["x"]', "[1,2]"]).values == ["1", '"x"', "2"]


def test_java_arguments_that_do_not_fit(harness: Callable) -> None:
    source = "class A { static int f(int a) { return a; } }"
    raised = harness("java", source, "f", ["[2147483648]", '["1"]', "[null]", "[1.5]", "[]", "[[1]]"]).raised
    assert {kind for kind, _ in raised} == {"ArgumentError"}
    assert "2147483648 does not fit int" in raised[0][1]


def test_java_results(harness: Callable) -> None:
    source = """
    import java.util.*;
    import java.util.stream.*;
    class A {
        enum Kind { ONE }
        static class Plain { private int x = 1; protected String y = "z"; static int ignored = 3; }
        static Object f() {
            return Arrays.asList('c', (byte) 1, 0.1f, 1e300, Double.NaN, new TreeSet<>(List.of(2, 1)), Map.of(1, "a"), Map.of("k", 1),
                new int[] {1}, Optional.empty(), Kind.ONE, new Plain(), Map.entry("a", 1), new byte[] {1}, Stream.of(1, 2), -0.0,
                new ArrayDeque<>(List.of(1)), "\\ud800", new StringBuilder("sb"), OptionalInt.of(4));
        }
    }"""
    (value,) = harness("java", source, "f", ["[]"]).values
    assert same(
        value,
        '["c",1,0.1,1e+300,{"$":"float","v":"nan"},{"$":"set","v":[1,2]},{"$":"map","v":[[1,"a"]]},{"k":1},[1],null,"ONE",'
        '{"$":"record","name":"Plain","fields":[["x",1],["y","z"]]},{"$":"tuple","v":["a",1]},{"$":"bytes","v":"AQ=="},[1,2],-0.0,'
        '[1],{"$":"str","v":[55296]},"sb",4]',
    )
    ((kind, _),) = harness("java", "class A { static Object f() { return new Thread(); } }", "f", ["[]"]).raised
    assert kind == "UnportableError"


def test_java_errors(harness: Callable) -> None:
    source = """
    class A {
        static class Own extends RuntimeException { Own() { super("own"); } }
        static class Bad extends RuntimeException { public String getMessage() { throw new RuntimeException(); } }
        static int f(int x) {
            if (x == 0) throw new Own();
            if (x == 1) return new int[0][x].length / (x - 1);
            if (x == 2) throw new Bad();
            return f(x) + 1;
        }
    }"""
    raised = harness("java", source, "f", ["[0]", "[1]", "[2]", "[3]"]).raised
    assert [kind for kind, _ in raised] == [
        "A$Own",
        "java.lang.ArithmeticException",
        "A$Bad",
        "java.lang.StackOverflowError",
    ]
    assert raised[0][1] == "own"


def test_java_words_of_the_compiler(harness: Callable) -> None:
    source = "public class A {\n  static int f() {\n    return missing;\n  }\n}"
    load = json.loads(harness("java", source, "f", ["[]"]).frames[0])
    assert load["t"] == "CompileError"
    assert "candidate.java:3: error: missing cannot be resolved to a variable" in load["m"]
    load = json.loads(harness("java", "class A { static int g() { return 1; } }", "f", ["[]"]).frames[0])
    assert load["t"] == "EntryPointError"


def test_java_does_not_see_the_harness(harness: Callable) -> None:
    source = """class A { static boolean f(String name) {
        try { Class.forName(name); return true; } catch (ClassNotFoundException e) { return false; } } }"""
    cases = ['["touchstone.Main"]', '["org.eclipse.jdt.internal.compiler.Compiler"]', '["java.util.List"]']
    assert harness("java", source, "f", cases).values == ["false", "false", "true"]


# Go


def test_go_parameter_types(harness: Callable) -> None:
    source = """
    package main

    import "math/big"

    type point struct { X int `json:"x"`; label string }

    func f(a int, b int64, c *int, d *big.Int, e float64, s string, g bool, h []int64, i map[string][]int, j [][]int, k *string,
        l map[string]struct{}, m any, n point, o []byte, p rune, q [2]int, r map[int]bool, u uint8) []any {
        return []any{a, b, c, d, e, s, g, h, i, j, k, l, m, n, o, p, q, r, u}
    }"""
    case = (
        '[1,{"$":"int","v":"9223372036854775807"},null,{"$":"int","v":"99999999999999999999"},3,"s",true,[1,2],{"k":[1]},'
        '[[1],[]],null,{"$":"set","v":["a"]},[1,2.5,"x",{"y":null}],{"x":1,"label":"p"},{"$":"bytes","v":"AQ=="},"é",'
        '{"$":"tuple","v":[1,2]},{"$":"set","v":[3]},255]'
    )
    (value,) = harness("go", source, "f", [case]).values
    assert same(
        value,
        '[1,{"$":"int","v":"9223372036854775807"},null,{"$":"int","v":"99999999999999999999"},3.0,"s",true,[1,2],{"k":[1]},'
        '[[1],[]],null,{"$":"set","v":["a"]},[1,2.5,"x",{"y":null}],'
        '{"$":"record","name":"point","fields":[["x",1],["label","p"]]},{"$":"bytes","v":"AQ=="},233,[1,2],'
        '{"$":"map","v":[[3,true]]},255]',
    )


def test_go_finds_functions_however_they_are_given(harness: Callable) -> None:
    for source in (
        "package main\n\nfunc f(a, b int) int { return a + b }\n",
        'package main\n\nimport "fmt"\n\nfunc f(a, b int) int { return a + b }\n\nfunc main() { fmt.Println(f(1, 2)) }\n',
        "package solution\n\nfunc f(a, b int) int { return a + b }\n",
        "func f(a, b int) int { return a + b }",
        'import "strings"\n\nfunc f(a, b int) int { _ = strings.ToUpper("x"); return a + b }',
        "package main\n\nvar f = func(a, b int) int { return a + b }\n",
        "package main\n\nfunc f(all ...int) (n int) { for _, a := range all { n += a }; return }\n",
    ):
        assert harness("go", source, "f", ["[1,2]", '{"x":3,"y":4}']).values == ["3", "7"], source


def test_go_results_and_errors(harness: Callable) -> None:
    source = """
    package main

    import ("errors"; "fmt")

    type own struct{ code int }

    func (o *own) Error() string { return fmt.Sprint("own ", o.code) }

    func f(x int) (map[string]any, error) {
        switch x {
        case 0: return nil, errors.New("bad")
        case 1: return nil, &own{3}
        case 2: var all []int; _ = all[x]
        case 3: panic("words")
        case 4: panic(fmt.Errorf("wrapped: %w", &own{4}))
        }
        return nil, nil
    }

    func pair() ([]int, bool) { return nil, true }

    func nothing() {}

    func bad() any { return func() {} }"""
    raised = harness("go", source, "f", ["[0]", "[1]", "[2]", "[3]", "[4]"]).raised
    assert raised[0] == ("errors.errorString", "bad")
    assert raised[1] == ("main.own", "own 3")
    assert raised[2] == ("runtime.Error", "runtime error: index out of range [2] with length 0")
    assert raised[3] == ("panic", "words")
    assert raised[4][1] == "wrapped: own 4"
    assert harness("go", source, "f", ["[5]"]).values == ["{}"]
    assert harness("go", source, "pair", ["[]"]).values == ['{"$":"tuple","v":[[],true]}']
    assert harness("go", source, "nothing", ["[]"]).values == ["null"]
    assert harness("go", source, "bad", ["[]"]).raised[0][0] == "UnportableError"


def test_go_methods_get_a_new_receiver(harness: Callable) -> None:
    source = (
        "package main\n\ntype Solution struct{ n int }\n\nfunc (s *Solution) Add(x int) int { s.n += x; return s.n }\n"
    )
    assert harness("go", source, "Solution.Add", ["[2]", "[2]"]).values == ["2", "2"]


def test_go_arguments_that_do_not_fit(harness: Callable) -> None:
    source = "package main\n\nfunc f(a int8) int8 { return a }\n"
    raised = harness("go", source, "f", ["[128]", '["1"]', "[null]", "[1.5]", "[]", "[[1]]"]).raised
    assert {kind for kind, _ in raised} == {"ArgumentError"}


def test_go_words_of_the_compiler(harness: Callable) -> None:
    answers = harness("go", "package main\n\nfunc f() int {\n\treturn missing\n}\n", "f", ["[]"])
    assert answers.exit_code == 1
    assert answers.stderr == "candidate.go:4:9: undefined: missing\n"
    assert "candidate.go:1:23: " in harness("go", "func f() int { return ) }", "f", ["[]"]).stderr
    for source in (
        'package main\n\nimport "C"\n\nfunc f() int { return 1 }',
        'package main\n\nimport "touchstone/serve"\n\nfunc f() int { serve.Run("", nil, false); return 1 }',
        'package main\n\nimport "internal/abi"\n\nfunc f() int { return int(abi.Int) }',
    ):
        assert "could not import" in harness("go", source, "f", ["[]"]).stderr


def test_go_missing_entry_point(harness: Callable) -> None:
    for entry in ("g", "T.g"):
        load = json.loads(harness("go", "package main\n\nfunc f() {}\n", entry, ["[]"]).frames[0])
        assert load["t"] == "EntryPointError"


# PHP


def test_php_arguments_and_results(harness: Callable) -> None:
    source = """<?php
    enum Kind { case One; }
    class Point { private int $x = 1; public array $y = [2]; }
    function f(int $a, float $b, array $c, ?string $d, $e) {
        return [$a, $b, $c, $d, $e, new Point(), Kind::One, ["k" => 1], [1 => "a"], new stdClass(), "\\xff", -0.0, 1e300, (object) ["q" => 1]];
    }"""
    (value,) = harness("php", source, "f", ['[1,2,[1],null,{"$":"map","v":[[5,"x"]]}]']).values
    assert same(
        value,
        '[1,2.0,[1],null,{"$":"map","v":[[5,"x"]]},{"$":"record","name":"Point","fields":[["x",1],["y",[2]]]},"One",{"k":1},'
        '{"$":"map","v":[[1,"a"]]},{},{"$":"bytes","v":"/w=="},-0.0,1e+300,{"q":1}]',
    )


def test_php_finds_functions_however_they_are_given(harness: Callable) -> None:
    assert harness("php", "<?php function f($a, $b) { return $a + $b; }", "f", ["[1,2]", '{"x":3,"y":4}']).values == [
        "3",
        "7",
    ]
    assert harness("php", "function f($a) { return $a; }", "f", ["[1]"]).values == ["1"]
    source = "<?php class S { private $n = 0; function add($x) { return $this->n += $x; } static function one() { return 1; } }"
    assert harness("php", source, "S.add", ["[2]", "[2]"]).values == ["2", "2"]
    assert harness("php", source, "S.one", ["[]"]).values == ["1"]


def test_php_errors(harness: Callable) -> None:
    source = """<?php function f($x) {
        if ($x == 0) throw new InvalidArgumentException("bad");
        if ($x == 1) return intdiv(1, 0);
        if ($x == 2) return fopen("php://memory", "r");
        return missing();
    }"""
    raised = harness("php", source, "f", ["[0]", "[1]", "[2]", "[3]"]).raised
    assert [kind for kind, _ in raised] == [
        "InvalidArgumentException",
        "DivisionByZeroError",
        "UnportableError",
        "Error",
    ]
    load = json.loads(harness("php", "<?php\nfunction f() {\n return 1 +;\n}", "f", ["[]"]).frames[0])
    assert load["t"] == "CompileError"
    assert load["m"].startswith("line 3: ")
    load = json.loads(harness("php", "<?php function g() {}", "f", ["[]"]).frames[0])
    assert load["t"] == "EntryPointError"
