"""Codes that differ in white space at most are one, where white space tells nothing."""

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retriever.domain.exact import twin_digest

TOTAL = "def total(rows):\n    n = 0\n    for row in rows:\n        n += row\n"


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("python", f"{TOTAL}        return n", f"{TOTAL}    return n"),
        ("python", 'def cut(s):\n    return s.split(" ")', 'def cut(s):\n    return s.split("  ")'),
        ("python", "def f():\n    return 'a\\\\' + ' '", "def f():\n    return 'a\\\\' + '  '"),
        ("python", "def f():\n    # don't\n    return ' '", "def f():\n    # don't\n    return '  '"),
        ("python", 'def f():\n    """a\n    b"""', 'def f():\n    """a\n  b"""'),
        ("python", 'def f():\n    """a\n    \n"""', 'def f():\n    """a\n\n"""'),
        ("go", "x := `a\n  \nb`", "x := `a\n\nb`"),
        ("javascript", "f() {\n  // later\n  g();\n}", "f() {\n  // later g();\n}"),
        ("php", "function f() {\n  # later\n  g();\n}", "function f() {\n  # later g();\n}"),
        ("php", "#[Pure]\nfunction f() { return 'a b'; }", "#[Pure]\nfunction f() { return 'a  b'; }"),
        ("java", "int f() { /* don't */ return g(' '); }", "int f() { /* don't */ return g('  '); }"),
        ("javascript", r"f(p) { return p.replace(/\/*$/, ' '); }", r"f(p) { return p.replace(/\/*$/, '  '); }"),
        ("typescript", r"f(p) { return p.split(/:\/\//, ' '); }", r"f(p) { return p.split(/:\/\//, '  '); }"),
        ("python", "x = 1\ny = 2", "x = 1 y = 2"),
        ("go", 'func F() string { return " " }', 'func F() string { return "  " }'),
        ("javascript", "f(`a b`)", "f(`a  b`)"),
    ],
)
def test_what_is_another_program_is_no_twin(language, one, other):
    assert twin_digest(one, language) != twin_digest(other, language)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("python", "def f():\n    return 1", "def f():\n    return  1"),
        ("python", "def f(x):\n    if x:\n        return 1", "def f(x):\n\tif x:\n\n\t\treturn 1  \n"),
        (
            "python",
            "def f(x):\n  if x:\n    return 1\n  return 2",
            "def f(x):\n    if x:\n      return 1\n    return 2",
        ),
        ("Python", "    def f():\r\n        return ' '", "def f():\n    return ' '"),
        ("python", "def f(): # it's   so\n    return 1", "def f(): # it's so\n    return 1"),
        ("go", "func F() {\n\treturn\n}", "func F() {\n    return\n}\n"),
        ("java", "int f() {\n  // don't\n  return 1; }", "int f() { // don't\nreturn 1;\n}"),
        ("java", "int f() { // so \r\n  return 1; }", "int f() { // so\n  return 1; }"),
        ("java", "/* don't\n   do */ int f() { return 1; }", "/* don't do */ int f() {\n  return 1;\n}"),
        ("php", "function f() {\n  # don't\n  return 1; }", "function f() { # don't\n  return 1;\n}"),
    ],
)
def test_what_differs_in_white_space_that_tells_nothing_is_a_twin(language, one, other):
    assert twin_digest(one, language) == twin_digest(other, language)


_TEXTS = ["x = 1", "x  = 1", "if x:", "return 'a'", "return 'a '", "# a", "", 'return "#\'"', "y = '''a", "'''", '"""']
_LINES = st.lists(st.tuples(st.sampled_from(["", " ", "  ", "    ", "\t"]), st.sampled_from(_TEXTS)), max_size=6)


@given(_LINES, _LINES)
def test_twins_in_python_are_one_program(one, other):
    first, second = ("def f(x):\n" + "\n".join(f" {blank}{text}" for blank, text in each) for each in (one, other))
    try:
        trees = [ast.dump(ast.parse(each)) for each in (first, second)]
    except SyntaxError:
        return
    if trees[0] != trees[1]:
        assert twin_digest(first, "python") != twin_digest(second, "python")


@pytest.mark.parametrize("text", ['"\\', '"', "'''", "'''\\", "`", '"""a', "#'\n", "//`", "/*", "/*'"])
def test_no_code_takes_long(text):
    """Of tens of thousands of quotes that nothing ends each would else be followed to the end."""
    assert twin_digest(text * 40_000, "python") and twin_digest(text * 40_000, "go")
    assert twin_digest(text * 40_000, "php")
