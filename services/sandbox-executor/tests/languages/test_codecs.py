"""The codec of every language against the shared vectors: decoded and encoded again, each value stays what it was."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from touchstone_values import compare

VECTORS = Path(__file__).resolve().parents[4] / "shared" / "values" / "vectors" / "values.json"

IDENTITY = {
    "javascript": "function identity(x) { return x; }",
    "typescript": "export function identity<T>(x: T): T { return x; }",
    "java": "class Echo { static Object identity(Object x) { return x; } }",
    "go": "package main\n\nfunc identity(x any) any { return x }\n",
    "php": "<?php function identity($x) { return $x; }",
}
# PHP has one kind of array: an empty one is read back as a list.
AMBIGUOUS = {"php": {"empty map", "mixed list"}}


@pytest.mark.parametrize("language", IDENTITY)
def test_every_shared_value_survives(language: str, harness: Callable) -> None:
    vectors = [vector for vector in json.loads(VECTORS.read_text()) if language in vector["languages"]]
    assert len(vectors) > 50
    answers = harness(language, IDENTITY[language], "identity", [f"[{vector['text']}]" for vector in vectors])
    assert answers.exit_code == 0, answers.stderr
    wrong = {}
    for vector, value in zip(vectors, answers.values, strict=True):
        difference = compare(vector["text"], value, "portable")
        if difference is not None:
            wrong[vector["name"]] = str(difference)
    assert set(wrong) == AMBIGUOUS.get(language, set()), wrong


@pytest.mark.parametrize("language", IDENTITY)
def test_a_kind_of_python_only_is_refused(language: str, harness: Callable) -> None:
    answers = harness(language, IDENTITY[language], "identity", ['[{"$":"decimal","v":"1.5"}]'])
    if language == "go":
        # Go's `any` takes it as it is: nothing can be done with it but to give it back.
        assert answers.values == ['{"$":"decimal","v":"1.5"}']
    else:
        ((kind, _),) = answers.raised
        assert kind in ("UnportableError", "ArgumentError")


@pytest.mark.parametrize("language", ["javascript", "java", "go", "php"])
def test_large_results_are_written_whole(language: str, harness: Callable) -> None:
    sources = {
        "javascript": "function f(n) { return Array.from({ length: n }, (_, i) => `é${i}`); }",
        "java": "import java.util.*; class A { static List<String> f(int n) { List<String> all = new ArrayList<>();"
        ' for (int i = 0; i < n; i++) all.add("é" + i); return all; } }',
        "go": 'import "strconv"\nfunc f(n int) []string { var all []string; for i := range n '
        '{ all = append(all, "é"+strconv.Itoa(i)) }; return all }',
        "php": '<?php function f($n) { $all = []; for ($i = 0; $i < $n; $i++) $all[] = "é$i"; return $all; }',
    }
    (value,) = harness(language, sources[language], "f", ["[200000]"]).values
    assert json.loads(value) == [f"é{i}" for i in range(200000)]


@pytest.mark.parametrize("language", ["javascript", "java", "go", "php"])
def test_endless_nesting_is_refused(language: str, harness: Callable) -> None:
    sources = {
        "javascript": "function f() { const all = []; all.push(all); return all; }",
        "java": "import java.util.*; class A { static Object f() "
        "{ List<Object> all = new ArrayList<>(); all.add(all); return all; } }",
        "go": "func f() any { all := make([]any, 1); all[0] = all; return all }",
        "php": "<?php function f() { $all = []; for ($i = 0; $i < 300; $i++) $all = [$all]; return $all; }",
    }
    ((kind, message),) = harness(language, sources[language], "f", ["[]"]).raised
    assert kind == "UnportableError"
    assert "nesting deeper than 200" in message
