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
