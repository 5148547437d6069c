# ruff: noqa: E501  programs of other languages, as their authors write them
"""What a function that returns its argument unchanged gives back: the same value, or a form that the documentation names."""

from collections.abc import Callable

import pytest

from touchstone_values import compare

NODE = '{"val":1,"next":{"val":2,"next":null}}'
# A function that returns what it is given, what it is given, and as what that comes back where it is another form.
RETURNED = {
    "go fields": ("go", "package main\ntype P struct { FirstName string; Age int }\nfunc f(p P) P { p.Age += 0; return p }", {'{"first_name":"a","age":1}': None, '{"FirstName":"a","Age":1}': None, '["a",1]': None}),
    "go nodes": ("go", "package main\ntype N struct { Val int; Next *N }\nfunc f(n *N) *N { return n }", {NODE: None}),
    "go a list of structs": ("go", "package main\ntype P struct { Name string }\nfunc f(p []P) []P { return append(p, p[0])[:len(p)] }", {'[{"name":"a"},{"name":"b"}]': None}),
    "go rune": ("go", "package main\nfunc f(x rune) rune { return x }", {'"a"': "97"}),
    "go byte": ("go", "package main\nfunc f(x byte) byte { return x }", {'"a"': "97"}),
    "go bytes": ("go", "package main\nfunc f(x []byte) []byte { return x }", {"[1,2]": '{"$":"bytes","v":"AQI="}', '["a","b"]': '{"$":"bytes","v":"YWI="}'}),
    "go runes": ("go", "package main\nfunc f(x []rune) []rune { return x }", {'["a","b"]': "[97,98]"}),
    "go truths": ("go", "package main\nfunc f(x map[int]bool) map[int]bool { return x }", {'{"$":"set","v":[1]}': '{"$":"map","v":[[1,true]]}'}),
    "go slice": ("go", "package main\nfunc f(x []int) []int { return x }", {'{"$":"set","v":[1]}': "[1]"}),
    "go text": ("go", "package main\nfunc f(x string) string { return x }", {'{"$":"bytes","v":"YWI="}': '"ab"', '{"$":"bytes","v":"/w=="}': None}),
    "java fields": ("java", "class P { int firstAge; String NAME; }\nclass S { static P f(P p) { return p; } }", {'{"first_age":1,"name":"a"}': None, '{"firstAge":1,"NAME":"a"}': None}),
    "java record": ("java", "record P(int firstAge) {}\nclass S { static P f(P p) { return new P(p.firstAge()); } }", {'{"first_age":1}': None, "[1]": None}),
    "java characters": ("java", "class S { static char[] f(char[] x) { return x; } }", {'"ab"': '["a","b"]', '["a","b"]': None}),
    "java bytes": ("java", "class S { static byte[] f(byte[] x) { return x; } }", {"[1,2]": '{"$":"bytes","v":"AQI="}'}),
    "java list": ("java", "import java.util.*;\nclass S { static List<Integer> f(List<Integer> x) { return x; } }", {'{"$":"set","v":[1]}': "[1]"}),
}  # fmt: skip


@pytest.mark.parametrize("name", RETURNED)
def test_what_is_returned_unchanged_is_what_was_given(name: str, harness: Callable) -> None:
    language, source, cases = RETURNED[name]
    values = harness(language, source, "f", [f"[{case}]" for case in cases]).values
    for (case, form), value in zip(cases.items(), values, strict=True):
        assert compare(form or case, value, "portable") is None, (case, value)


def test_names_of_one_case_are_none_of_the_next(harness: Callable) -> None:
    go = 'package main\ntype P struct { FirstName string }\nfunc f(p *P) P { if p == nil { return P{"a"} }; return *p }'
    java = 'class P { String firstName = "a"; }\nclass S { static P f(P p) { return p == null ? new P() : p; } }'
    for language, source, own in (("go", go, "FirstName"), ("java", java, "firstName")):
        given, none = harness(language, source, "f", ['[{"first_name":"a"}]', "[null]"]).values
        assert compare('{"first_name":"a"}', given, "portable") is None
        assert compare(f'{{"{own}":"a"}}', none, "portable") is None
