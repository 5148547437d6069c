"""Functions and methods of other languages, found by their text, and programs put together from them."""

import pytest

from annotator.domain.assembly import target_of
from annotator.domain.declarations import blanked, declarations
from annotator.domain.dependencies import missing_module
from annotator.domain.pair import Pair
from annotator.domain.program import lines_of_code, source_of
from annotator.domain.subject import examine


def subject(code, language, name=""):
    return examine(Pair("p", "q", "query", "f", code, language, name))


@pytest.mark.parametrize(
    ("language", "code", "target", "parameters"),
    [
        ("java", "class A {\n A() {}\n static <T> T f(Map<String, T> m, int n) { return null; }\n}", "A.f", ("m", "n")),
        ("java", "@Override\npublic int[] f(final int[] xs) throws Exception { return xs; }", "f", ("xs",)),
        ("go", "func (s *Stack[T]) Push(v T) error { return nil }", "Stack.Push", ("v",)),
        ("go", "func F(f func(int) int, m map[string]interface{}) (int, error) { return 0, nil }", "F", ("f", "m")),
        ("php", "class A { static function f(array $xs = [], ?B $b = null): ?B {} }", "A.f", ("$xs", "$b")),
        ("php", "public function f(&$x) { return $x; }", "Main.f", ("$x",)),
        ("javascript", "const f = async (a, b = 1) => { return a; };\nfunction g(x) { return x; }", "g", ("x",)),
        ("typescript", "export function f(a: Array<string>, b?: number): string[] { return a; }", "f", ("a", "b")),
    ],
)  # fmt: skip
def test_entry_points(language, code, target, parameters):
    found = subject(code, language)
    assert (target_of(found), found.parameters, found.plain) == (target, parameters, True)


@pytest.mark.parametrize("language", ["java", "go", "php", "javascript"])
def test_braces_in_literals_and_comments_do_not_count(language):
    code = 'x("}{") // }\n/* { */ y'
    assert "}" not in blanked(code, language) and len(blanked(code, language)) == len(code)


def test_calls_and_inner_functions_are_no_declarations():
    code = "class A {\n  int f() { if (x) { return g(1); } else { return new B(2).h(); } }\n}"
    assert [each.name for each in declarations(code, "java")] == ["f"]


def test_go_gets_the_imports_that_it_uses_and_no_others():
    body = 'func F(xs []int) string { sort.Ints(xs); return strings.ToUpper("os.Exit") }'
    code = f'package x\n\nimport (\n\t"os"\n\t"sort"\n)\n\n{body}'
    text = source_of(subject(code, "go"), "")
    assert text.count("package") == 1 and '"sort"' in text and '"strings"' in text and '\t"os"\n' not in text


def test_java_imports_go_to_the_top():
    code = "package a.b;\nimport x.Y;\n\npublic class A { int f() { return 1; } }"
    text = source_of(subject(code, "java"), "")
    assert "package" not in text and text.index("import x.Y;") < text.index("public class A")


def test_lines_of_the_code_are_known():
    found = subject("def f(x):\n    return x", "python")
    source = source_of(found, "a = 1")
    lines = lines_of_code(found, source)
    assert [source.splitlines()[line - 1] for line in lines] == ["def f(x):", "    return x"]


@pytest.mark.parametrize(
    ("words", "module"),
    [
        ("Error: Cannot find module '@scope/pack'", "@scope/pack"),
        ("The import org.apache.commons cannot be resolved", "org.apache.commons"),
        ('package github.com/x/y is not in std', "github.com/x/y"),
        ('Uncaught Error: Class "Foo" not found', "Foo"),
        ("all is well", ""),
    ],
)  # fmt: skip
def test_missing_modules_are_recognised(words, module):
    assert missing_module(words) == module
