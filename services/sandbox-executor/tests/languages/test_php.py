"""PHP files as PHP itself takes them: what is global in them, their tags, what stands before those."""

import json
from collections.abc import Callable

import pytest

# What a file sets outside of its functions, and a function that finds it; each gives 16 for "XVI".
GLOBAL = {
    "global": "$V = ['I' => 1, 'V' => 5, 'X' => 10];\n"
    "function f(string $s): int { global $V; return array_sum(array_map(fn ($c) => $V[$c], str_split($s))); }",
    "$GLOBALS": "$V = ['I' => 1, 'V' => 5, 'X' => 10];\n"
    "function f(string $s): int { $n = 0; foreach (str_split($s) as $c) $n += $GLOBALS['V'][$c]; return $n; }",
    "a closure": "$value = fn ($c) => ['I' => 1, 'V' => 5, 'X' => 10][$c];\n"
    "function f(string $s): int { global $value; return array_sum(array_map($value, str_split($s))); }",
    "counted on": "$calls = 0;\nfunction g() { global $calls; return ++$calls; }\n"
    "function f(string $s): int { g(); return g() * 8; }",
    "a reference": "$all = [3];\n$first = &$all[0];\n"
    "function f(string $s): int { $GLOBALS['first'] = 16; return $GLOBALS['all'][0]; }",
    "a method's": "$V = 16;\nclass S { public static function g() { global $V; return $V; } }\n"
    "function f(string $s): int { return S::g(); }",
    "in a namespace": "namespace A;\n$V = 16;\nfunction f(string $s): int { global $V; return $V; }",
}


@pytest.mark.parametrize("name", GLOBAL)
def test_what_a_file_sets_outside_of_its_functions_is_global(name: str, harness: Callable) -> None:
    assert harness("php", f"<?php\n{GLOBAL[name]}\n", "f", ['["XVI"]']).values == ["16"]


def test_a_file_finds_nothing_of_the_harness_among_its_variables(harness: Callable) -> None:
    source = "<?php $seen = array_keys(get_defined_vars());\nfunction f() { return $GLOBALS['seen']; }"
    (value,) = harness("php", source, "f", ["[]"]).values
    assert set(json.loads(value)) <= {"argv", "argc", "_GET", "_POST", "_COOKIE", "_FILES", "_SERVER", "_ENV"}


# Code without a tag of its own, whatever its texts say; each gives its second argument.
BARE = {
    "xml": "function f($s, $t) { $x = '<?xml version=\"1.0\"?>'; return $t; }",
    "php in a text": "function f($s, $t) { $x = '<?php echo 1; ?>'; return $t; }",
    "php in lines": "function f($s, $t) { $x = <<<END\n<?php echo $s; ?>\nEND; return $t; }",
    "a namespace": "namespace A;\nfunction f($s, $t) { return $t ?: '<?'; }",
    "a comment first": "// <?xml is no tag of ours\nfunction f($s, $t) { return $t; }",
    "text in between": "function f($s, $t) { ?><b><?php return $t; }",
    "a script's first line": "#!/usr/bin/env php\nfunction f($s, $t) { return $t; }",
}
TAGGED = {
    "blanks first": "\n <?php function f($s, $t) { return $t; }",
    "lines of text first": "<html>\n<?php function f($s, $t) { return $t; } ?>\n</html>",
    "a script's first line": "#!/usr/bin/env php\n<?php\ndeclare(strict_types=1);\n"
    "namespace A;\nfunction f($s, $t) { return $t; }",
}


@pytest.mark.parametrize("source", [*BARE.values(), *TAGGED.values()], ids=[*BARE, *(f"tagged {x}" for x in TAGGED)])
def test_a_missing_tag_is_supplied_whatever_texts_say(source: str, harness: Callable) -> None:
    assert harness("php", source, "f", ['["a","b"]']).values == ['"b"']


def test_errors_name_lines_as_they_were_written(harness: Callable) -> None:
    for head in ("", "<?php\n", "#!/usr/bin/env php\n<?php\n", "// '<?xml'\n"):
        source = f"{head}function f() {{\n return 1 +;\n}}"
        load = json.loads(harness("php", source, "f", ["[]"]).frames[0])
        assert (load["t"], load["m"].split(":")[0]) == ("CompileError", f"line {head.count(chr(10)) + 2}"), load
