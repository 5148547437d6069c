"""Functions of other languages, for search."""

from __future__ import annotations

import pytest

from ingester.adapters.trees import FolderTree
from ingester.domain.analysis import analyse_file

SOURCES = {
    "a/B.java": """
        /** A doc. */
        public class B<T> {
          // adds
          @Override public int add(int a, final List<String> b, int... c) { return a; }
          interface I { void gone(int a); }
          B(int x) { }
        }
    """,
    "a/b.js": """
        /** a doc */
        export async function f(a, b = 1, {c}, ...d) { return a; }
        const g = (x) => x + 1;
        class K { m(a) { return a } static s() {} }
        exports.z = function(a) {};
    """,
    "a/b.ts": """
        export function f<T>(a: number, b?: string): T { return a; }
        class K { private m(a: number): void { return } }
        const g = (x: number): number => x;
    """,
    "a/b.go": """
        package p
        // Add adds.
        // More.
        func Add(a, b int, c ...string) (int, error) { return a, nil }
        func (s *S[T]) M(x float64) {}
        type S[T any] struct { a int }
    """,
    "a/b.php": """
        <?php
        /** Doc */
        function f(int $a, ?string $b = null, ...$c): int { return $a; }
        class K { public static function m(array &$x): void { } }
        $k = fn($a) => $a + 1;
    """,
}
EXPECTED = {
    "a/B.java": {"B": "class", "B.add": "abc", "B.I": "class", "B.B": "x"},
    "a/b.js": {"f": "ab{c}d", "g": "x", "K": "class", "K.m": "a", "K.s": "", "z": "a"},
    "a/b.ts": {"f": "ab", "K": "class", "K.m": "a", "g": "x"},
    "a/b.go": {"Add": "abc", "S.M": "x", "S": "class"},
    "a/b.php": {"f": "abc", "K": "class", "K.m": "x", "k": "a"},
}
PAIRS = {
    "a/B.java": {"B.add"},
    "a/b.js": {"f", "g", "K.m"},
    "a/b.ts": {"f", "g"},
    "a/b.go": {"Add"},
    "a/b.php": {"f", "k"},
}


@pytest.mark.parametrize("path", SOURCES)
def test_definitions_with_parameters_and_use_for_search(path: str) -> None:
    analysis = analyse_file(SOURCES[path].strip().encode(), path)
    found = {
        each.qualname: each.form if each.form == "class" else "".join(parameter.name for parameter in each.parameters)
        for each in analysis.functions
    }
    assert found == EXPECTED[path]
    assert {each.qualname for each in analysis.functions if each.searchable_pair} == PAIRS[path]
    assert {each.classification for each in analysis.functions} == {"NOT_CLASSIFIED"}
    assert all(each.rejected_by in ("language", "class") for each in analysis.functions)


def test_docs_types_and_receivers() -> None:
    java = {each.qualname: each for each in analyse_file(SOURCES["a/B.java"].encode(), "B.java").functions}
    assert java["B"].docstring == "A doc."
    assert java["B.add"].docstring == "adds"
    assert java["B.add"].returns == "int"
    assert java["B.add"].code.startswith("@Override public int add")
    go = {each.qualname: each for each in analyse_file(SOURCES["a/b.go"].encode(), "b.go").functions}
    assert go["Add"].docstring == "Add adds.\nMore."
    assert (go["S.M"].form, go["S.M"].enclosing_class) == ("method", "S")
    assert [each.annotation for each in go["Add"].parameters] == ["int", "int", "string"]


def test_what_is_damaged_is_passed_over() -> None:
    text = b"function f(a) { return a }\nfunction g( { return }\n"
    assert [each.name for each in analyse_file(text, "b.js").functions] == ["f"]


def test_every_file_of_a_known_language_is_read(tmp_path) -> None:
    text = "export function f(a) { return a }\n"
    names = ["a.js", "b.mjs", "c.cjs", "d.jsx", "e.ts", "f.mts", "g.cts", "h.tsx", "i.JS"]
    for name in [*names, "stub.pyi", "main.rs"]:
        (tmp_path / name).write_text(text)
    read = {file.path: analyse_file(file.content, file.path).functions for file in FolderTree(tmp_path).files()}
    assert {path: [each.name for each in found] for path, found in read.items()} == {name: ["f"] for name in names}


def test_a_file_of_an_unknown_language_holds_nothing() -> None:
    assert analyse_file(b"fn main() {}", "main.rs").functions == ()
