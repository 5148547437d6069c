"""What is run is the code as it was found: nothing in its texts, annotations or patterns is another one."""

from __future__ import annotations

import pytest

from annotator.domain.pair import Pair
from annotator.domain.program import source_of
from annotator.domain.subject import examine


def run(code, call, **more):
    scope = {}
    source = source_of(examine(Pair("p", "q", "query", "f", code, **more)), "")
    exec(compile(source, "candidate", "exec", dont_inherit=True), scope)
    return eval(call, scope)


KINDS = (
    "def kinds():\n    def inner(a: int, b: str): ...\n    return [each.__name__ for each in inner.{}.values()]"
).format("__annotations__")


def test_who_looks_at_annotations_finds_what_they_name():
    assert run(KINDS, "kinds()") == ["int", "str"]
    kind = "def kind(f):\n    from inspect import signature\n    return signature(f).parameters['x'].annotation"
    code = f"{kind}\n\ndef g(x: datetime.date): ...\n\ndef one():\n    return kind(g).__name__"
    assert run(code, "one()") == "date"


@pytest.mark.parametrize("more", [{}, {"file_imports": ("from __future__ import annotations",)}])
def test_annotations_that_were_texts_where_the_code_stood_stay_texts(more):
    before = "" if more else "from __future__ import annotations\n\n"
    code = f"{before}def one():\n    def g(x: Unknown): ...\n    return g.__annotations__['x']"
    assert run(code, "one()", **more) == "Unknown"


def test_annotations_that_nobody_looks_at_need_not_be_there():
    assert run("def one(x: Unknown) -> np.ndarray:\n    return 1", "one(2)") == 1


@pytest.mark.parametrize(
    "code",
    [
        "def one(x: Unknown):\n    return x.fields()",
        "def one(x: Unknown):\n    return x.signature(1)",
        "def one(x: Unknown):\n    return x.annotation",
        "class Row:\n    def fields(self): ...\n\ndef one(x: Unknown):\n    return x",
    ],
)
def test_a_word_that_looks_at_no_annotation_asks_for_none(code):
    assert "Unknown" not in examine(Pair("p", "q", "query", "f", code)).undefined


@pytest.mark.parametrize("call", ["dataclasses.fields(x)", "inspect.signature(x)", "fields(x)", "signature(x)"])
def test_what_looks_at_annotations_needs_them(call):
    code = f"import dataclasses, inspect\n\ndef one(x: Unknown):\n    return {call}"
    assert "Unknown" in examine(Pair("p", "q", "query", "f", code)).undefined


@pytest.mark.parametrize(
    ("code", "call", "result"),
    [
        ("def a(x):\n\treturn x\n\ndef b(x):\n    return a(x).split('\t')", "b('1\t2')", ["1", "2"]),
        ("    def a():\n        return '''x\n    y\n'''", "a()", "x\n    y\n"),
        ("def a():\n    return '''x\n   \ny'''", "a()", "x\n   \ny"),
        ("def a():\n    return '''\nfrom __future__ import y'''", "a()", "\nfrom __future__ import y"),
        ("from __future__ import (\n    annotations,\n)\n\ndef a():\n    return 1", "a()", 1),
        ("from __future__ import division; import math\n\ndef a():\n    return math.floor(1.5)", "a()", 1),
        ("\tdef a():\n\t\tif True:\n            \treturn 1", "a()", 1),
    ],
)  # fmt: skip
def test_texts_of_python_stay_as_they_were_found(code, call, result):
    assert run(code, call) == result


def source(code, language, setup=""):
    return source_of(examine(Pair("p", "q", "query", "f", code, language)), setup)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("php", "function f($x) {\n    return '<?xml version=\"1.0\"?>' . $x;\n}"),
        ("php", "function f($x) {\n    preg_match_all('/(?>\\d+)(?!px)/', $x, $m);\n    return $m[0];\n}"),
        ("php", "function f($x) {\n    ob_start(); ?>\n    <b><?= $x ?></b>\n    <?php return ob_get_clean();\n}"),
        ("php", 'function f($x) {\n    return "a\nnamespace App;\ndeclare(strict_types=1);\n$x";\n}'),
        ("php", "function f(array $xs) {\n    return array_map(static function ($x) { return $x; }, $xs);\n}"),
        ("java", 'static String f(String x) {\n    return """\n        import java.util.List;\n        """ + x;\n}'),
        ("go", 'func f(x string) string {\n\treturn `\nimport "fmt"\npackage a\n` + x\n}'),
    ],
)
def test_what_looks_like_a_head_inside_of_a_text_stays(language, code):
    made = source(code, language)
    assert code in made
    assert made.count("import java.util.List;") == ("java.util.List" in code)


@pytest.mark.parametrize(
    ("code", "made"),
    [
        ("<?php\nfunction f($x) { return $x; }\n?>\n", "<?php\n\nfunction f($x) { return $x; }\n"),
        ("<?\necho f(1) ?>", "<?php\n\necho f(1)\n;\n"),
        ("<?php // to the end ?>", "<?php\n\n // to the end\n;\n"),
        ("<?php f(); ?>\n<p>", "<?php\n\n f(); ?>\n<p>\n<?php\n"),
    ],
)
def test_tags_around_a_code_of_php_go(code, made):
    assert source(code, "php") == made


def test_what_a_file_of_php_begins_with_stays_before_a_setup():
    code = "<?php\ndeclare(strict_types=1);\n\nnamespace App;\n\nfunction f(string $x) { return $x; }"
    made = source(code, "php", setup="function g() {}")
    assert made.startswith("<?php declare(strict_types=1);\n\nfunction g() {}") and made.count("declare") == 1
    assert "namespace" not in made


def test_a_bare_method_of_php_still_gets_its_class():
    code = "public static function f($x) {\n    return array_map(static fn($y) => $y, $x);\n}"
    assert "class Main {\npublic static function f" in source(code, "php")
