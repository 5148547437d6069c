"""Repairs that change what is expected by a way round, and honest ones: only these are taken whole."""

import ast
import textwrap

import pytest

from annotator.domain.execution import CaseReport, Report
from annotator.domain.pair import Pair
from annotator.domain.program import Case, DataTest, ProgramTest
from annotator.domain.subject import examine
from annotator.usecases.repairs import CHANGED_EXPECTATION, held

CODE = "def size(self, least=0):\n    return len([layer for layer in self.layers if layer > least]) + bonus()"
SETUP = """from statistics import mean
from types import SimpleNamespace
EXPECTED = 2
LIMIT = 1
def bonus():
    return LIMIT - 1
def total(values):
    return EXPECTED * len(values)
class Box:
    def __init__(self, layers):
        self.layers = layers
def close(one, other):
    return abs(one - other) < 0.1"""
TESTS = """cases = [([1, 2], 2), ([], 0)]
box = Box([1, 2])
assert size(box) == EXPECTED
assert size(box, 1) == total([1]) - 1
for layers, number in cases:
    assert size(Box(layers)) == number
assert close(size(Box([3])), mean([1, 1]))
assert size(load("layers.txt")) == 2"""
PLAIN = "NameError: name 'load' is not defined"
WRONG_CALL = "TypeError: size() takes from 1 to 2 positional arguments but 3 were given"


def repaired(setup, tests, words, *, code=CODE, old=(SETUP, TESTS), language="python", first=None):
    """What is taken of a program's repair: setup, tests, and whether that is all of it."""
    subject = examine(Pair("p", "q", "ask", "f", code, language))
    before, after = ProgramTest("i", *old), ProgramTest("i", setup, tests)
    found, remark = held(
        ProgramTest("i", *(first or old)), before, after, subject, Report("error", words, output=words)
    )
    assert remark in ("", CHANGED_EXPECTATION)
    return found.setup, found.tests, not remark


def changed(old, new, text):
    assert old in text, old
    return text.replace(old, new)


SNEAKS_IN_SETUP = {
    "a constant": ("EXPECTED = 2", "EXPECTED = 3"),
    "a constant that a helper of the code uses": ("LIMIT = 1", "LIMIT = 5"),
    "a helper that the code calls": ("return LIMIT - 1", "return LIMIT"),
    "a helper in an assertion": ("return EXPECTED * len(values)", "return 7"),
    "a tolerance": ("< 0.1", "< 100"),
    "a comparison that is always true": ("return abs(one - other) < 0.1", "return True"),
    "an import under the old name": ("from statistics import mean", "from statistics import median as mean"),
    "an import of another module": ("from statistics import mean", "from numpy import mean"),
    "a class that keeps something else": ("self.layers = layers", "self.layers = layers * 2"),
    "a class with equality": ("class Box:", "class Box:\n    def __eq__(self, other):\n        return True"),
    "a second value": ("LIMIT = 1", "LIMIT = 1\nEXPECTED = 3"),
    "a value by walrus": ("LIMIT = 1", "LIMIT = 1\nnew = (EXPECTED := 3)"),
    "a value by globals": ("LIMIT = 1", "LIMIT = 1\nnew = globals().update(EXPECTED=3)"),
    "a value by exec": ("LIMIT = 1", "LIMIT = 1\nnew = exec('EXPECTED = 3')"),
    "a builtin": ("LIMIT = 1", "LIMIT = 1\ndef len(value):\n    return 2"),
    "a builtin by import": ("LIMIT = 1", "LIMIT = 1\nfrom helpers import abs"),
    "everything of a module": ("LIMIT = 1", "LIMIT = 1\nfrom helpers import *"),
    "a method of a class": ("LIMIT = 1", "LIMIT = 1\nBox.__len__ = lambda self: 2"),
    "an attribute of a module": ("LIMIT = 1", "LIMIT = 1\nimport math\nmath.fabs = None"),
    "a decorator": ("def total(values):", "@staticmethod\ndef total(values):"),
    "a default": ("def total(values):", "def total(values=()):"),
    "a global inside a new function": (
        "LIMIT = 1",
        "LIMIT = 1\ndef load(path):\n    global EXPECTED\n    EXPECTED = 3",
    ),
    "an expectation from the code": ("LIMIT = 1", "LIMIT = 1\ndef load(path):\n    return size(path)"),
    "an attribute by its name": ("LIMIT = 1", "LIMIT = 1\nnew = getattr(SimpleNamespace, '__set' + 'attr__')"),
    "the program as a module": ("LIMIT = 1", "LIMIT = 1\nimport __main__ as whole"),
    "the code itself": ("LIMIT = 1", "LIMIT = 1\ndef size(self, least=0):\n    return 2"),
}
SNEAKS_IN_TESTS = {
    "a literal": ("== 2", "== 3"),
    "a table": ("([], 0)]", "([], 1)]"),
    "a case less": ("([1, 2], 2), ", ""),
    "arguments of the call": ("size(box, 1)", "size(box, 0)"),
    "an argument in a helper's call": ("total([1])", "total([1, 2])"),
    "what is called with": ("box = Box([1, 2])", "box = Box([1, 2, 3])"),
    "a value before the assertion": ("assert size(box) ==", "EXPECTED = 3\nassert size(box) =="),
    "a change before the assertion": ("assert size(box) ==", "box.layers.append(1)\nassert size(box) =="),
    "a branch that is never taken": ("assert size(box) == E", "if False:\n    assert size(box) == E"),
    "an error that is caught": (
        "assert size(box) == E", "try:\n    assert size(box) == E\nexcept Exception:\n    pass\nassert E"
    ),
    "a change by another name": ("assert size(box) ==", "other = box\nnew = other.layers.pop()\nassert size(box) =="),
    "a change in a list": ("assert size(box) ==", "new = [each.pop() for each in [box.layers]]\nassert size(box) =="),
    "an error that is printed": ("assert size(box) ==", "print(\"No module named 'statistics'\")\nassert 2 =="),
    "no assertion": ("assert size(box) == EXPECTED", "size(box)"),
    "an alternative": ("== EXPECTED", "== EXPECTED or True"),
    "a path": ('"layers.txt"', '"other.txt"'),
    "a function that nobody calls": ("assert size(box) == E", "def later():\n    assert size(box) == E\nassert E"),
    "an earlier end": ("assert size(box) == E", "import sys\nsys.exit(0)\nassert size(box) == E"),
    "an assertion about a stand-in": ("assert size(box) ==", "assert len(box.layers) =="),
}  # fmt: skip


@pytest.mark.parametrize("kind", SNEAKS_IN_SETUP)
def test_a_setup_that_changes_an_expectation_is_not_taken(kind):
    setup = changed(*SNEAKS_IN_SETUP[kind], SETUP)
    taken, tests, whole = repaired(setup, TESTS, PLAIN)
    assert (tests, whole) == (TESTS, False)
    lines = ast.unparse(ast.parse(taken.removeprefix("import math\n")))
    assert lines == ast.unparse(ast.parse(SETUP)), "only an import may have come"


@pytest.mark.parametrize("kind", SNEAKS_IN_TESTS)
def test_tests_that_change_an_expectation_are_not_taken(kind):
    assert repaired(SETUP, changed(*SNEAKS_IN_TESTS[kind], TESTS), PLAIN) == (SETUP, TESTS, False)


BONUS = "def bonus():\n    return LIMIT - 1\n"
LOAD = "def load(path):\n    return SimpleNamespace(layers=[1, 1])"
LATER = "AttributeError: 'Box' object has no attribute 'depth'"
MISSING_FILE = "FileNotFoundError: [Errno 2] No such file or directory: 'layers.txt'"
HONEST = {
    "a name that stood for nothing": (f"{SETUP}\n{LOAD}", TESTS, PLAIN),
    "a name that is supplied in the tests": (SETUP, f"{LOAD}\n{TESTS}", PLAIN),
    "a missing import": (f"import json\n{SETUP}", TESTS, PLAIN),
    "an import in the tests": (SETUP, f"import json\n{TESTS}", PLAIN),
    "a wrong module's path": (
        SETUP.replace("from statistics", "from math.statistics"), TESTS,
        "ModuleNotFoundError: No module named 'statistics'",
    ),
    "a name that the module lacks": (
        SETUP.replace("from statistics import mean", "from numpy import mean"), TESTS,
        "ImportError: cannot import name 'mean' from 'statistics' (/usr/lib/statistics.py)",
    ),
    "a stand-in for a module": (
        SETUP.replace("from statistics import mean", "def mean(values):\n    return sum(values) / len(values)"), TESTS,
        "ModuleNotFoundError: No module named 'statistics'",
    ),
    "a module that is put in its place": (
        f"import sys, types\nsys.modules['yaml'] = types.ModuleType('yaml')\n{SETUP}", TESTS,
        "ModuleNotFoundError: No module named 'yaml'",
    ),
    "wrong order of arguments": (SETUP, TESTS.replace("size(box, 1)", "size(1, box)"), "TypeError: 'int' object"),
    "names of arguments": (SETUP, TESTS.replace("size(box, 1)", "size(self=box, least=1)"), WRONG_CALL),
    "an argument too many": (SETUP, TESTS.replace("size(box, 1)", "size(box)"), WRONG_CALL),
    "an attribute of a class": (
        SETUP.replace("self.layers = layers", "self.layers = layers\n        self.depth = 1"), TESTS, LATER
    ),
    "a method of a class": (
        SETUP.replace("class Box:", "class Box:\n    def depth(self):\n        return 1"), TESTS, LATER
    ),
    "an attribute from outside": (SETUP, TESTS.replace("box = Box([1, 2])", "box = Box([1, 2])\nbox.depth = 1"), LATER),
    "a missing file": (f"{SETUP}\nwith open('layers.txt', 'w') as file:\n    file.write('1')", TESTS, MISSING_FILE),
    "a file by its path": (
        f"from pathlib import Path\n{SETUP}\nPath('layers.txt').write_text('1')", TESTS, MISSING_FILE
    ),
    "another path": (SETUP, TESTS.replace("layers.txt", "/tmp/layers.txt"), MISSING_FILE),
    "a parameter of a helper": (
        SETUP.replace("def bonus():", "def bonus(*args, **kwargs):"), TESTS,
        "TypeError: bonus() takes 0 positional arguments but 1 was given",
    ),
    "a fixture": (
        f"import pytest\n{SETUP}\n@pytest.fixture\ndef load():\n    return list", TESTS, "fixture 'load' not found"
    ),
    "missing waiting": (
        f"import asyncio\n{SETUP}", TESTS.replace("assert size(box) ==", "assert asyncio.run(size(box)) =="),
        "TypeError: 'coroutine' object is not an int",
    ),
    "waiting in a function of its own": (
        f"import asyncio\n{SETUP}",
        "async def main():\n"
        + textwrap.indent(TESTS.replace("assert size(box) ==", "assert await size(box) =="), "    ")
        + "\nasyncio.run(main())",
        "SyntaxError: 'await' outside function",
    ),
    "prints and comments": (f"{SETUP}\nprint('ready')", f"# now\n{TESTS}", PLAIN),
    "an order of helpers": (BONUS + SETUP.replace(BONUS, ""), TESTS, PLAIN),
}  # fmt: skip


@pytest.mark.parametrize("kind", HONEST)
def test_honest_repairs_are_taken(kind):
    setup, tests, words = HONEST[kind]
    assert repaired(setup, tests, words) == (setup, tests, True)


def test_what_a_program_prints_is_no_error():
    subject = examine(Pair("p", "q", "ask", "f", CODE))
    before, after = (ProgramTest("i", text, TESTS) for text in (SETUP, SETUP.replace("statistics", "numpy")))
    report = Report("error", "exited: " + PLAIN, output="No module named 'statistics'")
    assert held(before, before, after, subject, report) == (before, CHANGED_EXPECTATION)
    taken = SETUP + "\nwith open('layers.txt', 'w') as EXPECTED:\n    EXPECTED.write('1')"
    assert not repaired(taken, TESTS, MISSING_FILE)[2], "a file is no name of the test"


def test_of_a_refused_setup_imports_and_new_names_are_taken():
    setup = f"import json\n{SETUP.replace('EXPECTED = 2', 'EXPECTED = 3')}\n{LOAD}\nnew = EXPECTED.__class__"
    taken, tests, whole = repaired(setup, TESTS, PLAIN)
    assert (tests, whole) == (TESTS, False)
    assert "import json" in taken and "def load(path):" in taken
    assert "EXPECTED = 2" in taken and "EXPECTED = 3" not in taken and "new" not in taken


def test_what_a_repair_supplied_may_be_supplied_otherwise():
    once = f"{SETUP}\nload = None"
    assert repaired(f"{SETUP}\n{LOAD}", TESTS, "TypeError: 'NoneType' object is not callable", old=(once, TESTS),
                    first=(SETUP, TESTS)) == (f"{SETUP}\n{LOAD}", TESTS, True)  # fmt: skip
    assert not repaired(f"{SETUP}\n{LOAD}", TESTS, PLAIN, old=(once, TESTS))[2], "what the test said itself stays"


@pytest.mark.parametrize("words", [PLAIN, "ImportError: no", MISSING_FILE, LATER])
def test_arguments_are_rearranged_only_where_a_call_was_wrong(words):
    assert repaired(SETUP, TESTS.replace("size(box, 1)", "size(1, box)"), words) == (SETUP, TESTS, False)


def test_waiting_is_not_taken_away():
    waited = TESTS.replace("assert size(box) ==", "assert await size(box) ==")
    assert repaired(SETUP, TESTS, "TypeError: no coroutine", old=(SETUP, waited)) == (SETUP, waited, False)
    never = "async def main():\n    assert size(None) == 1\nmain()"
    assert not repaired(SETUP, never, PLAIN, old=(SETUP, "assert size(None) == 1"))[2]
    stopped = "async def main():\n    assert size(None) == 1\nasyncio.run(main())"
    assert not repaired(f"{SETUP}\nfrom helpers import asyncio", stopped, PLAIN, old=(SETUP, "assert size(None) == 1"))[
        2
    ]


def test_a_setup_that_could_not_be_read_says_what_it_said():
    broken = "LIMIT = (1\ndef bonus(:\n    return LIMIT - 1"
    mended = "LIMIT = (1)\ndef bonus():\n    return LIMIT - 1"
    old = (broken, "assert size(None) == 1")
    assert repaired(f"import json\n{mended}", old[1], "SyntaxError: never closed", old=old)[2]
    assert repaired(mended.replace("1)", "2)"), old[1], "SyntaxError: never closed", old=old) == (*old, False)


@pytest.mark.parametrize("depth", [150, 300, 600, 900, 5000])
@pytest.mark.parametrize("kind", [
    lambda depth: "+".join("1" * depth), lambda depth: "-" * depth + "1", lambda depth: "(" * depth,
    lambda depth: "[" * min(depth, 190) + "]" * min(depth, 190), lambda depth: "a" + ".b" * depth, lambda depth: "\0",
    lambda depth: "a" + "()" * depth,
])  # fmt: skip
def test_text_that_is_nested_deeply_breaks_nothing(kind, depth):
    deep = kind(depth)
    for setup, tests in ((f"x = {deep}", TESTS), (SETUP, f"{TESTS}\nassert {deep}")):
        assert repaired(setup, tests, PLAIN)[1] == TESTS
        assert repaired(SETUP, TESTS, PLAIN, old=(setup, tests))[1] in (TESTS, tests)


def cases(*given, setup="def turn(text):\n    return text[::-1]"):
    return DataTest("i", setup, tuple(Case(arguments, "value", expected) for arguments, expected in given))


def of_cases(before, after, words, first=None):
    subject = examine(Pair("p", "q", "ask", "f", "def rev(text, upper=False):\n    return turn(text)"))
    report = Report(
        "error", "", tuple(CaseReport(case.arguments, "", "error", "raised", words) for case in before.cases)
    )
    found, remark = held(first or before, before, after, subject, report)
    assert (found == after) == (not remark)
    return found


SURPLUS = "raised TypeError: rev() takes from 1 to 2 positional arguments but 3 were given"


@pytest.mark.parametrize(
    ("old", "new", "words", "taken"),
    [
        ('["a",true]', '{"upper":true,"text":"a"}', SURPLUS, True),
        ('["a",true]', '[true,"a"]', "raised TypeError: rev() missing 1 required positional argument", True),
        ('["a",true]', '["a"]', SURPLUS, True),
        ('["a",1,2]', '["a",[1,2]]', SURPLUS, True),
        ('["a",true]', '["a"]', "raised TypeError: rev() missing 1 required positional argument", False),
        ('["a",true]', '["a","a"]', SURPLUS, False),
        ('["a"]', '["a","a"]', "raised TypeError: rev() missing 1 required positional argument", False),
        ('["a",true]', '[true,"a"]', "raised NameError: name 'turn' is not defined", False),
        ('[[1,2]]', '[[2,1]]', SURPLUS, False),
        ('[{"a":1}]', '[{"b":1}]', SURPLUS, False),
        ('[{"a":1,"b":2}]', '[{"a":2,"b":1}]', SURPLUS, False),
        ('["1"]', "[1]", SURPLUS, False),
    ],
)  # fmt: skip
def test_arguments_of_cases_are_rearranged_and_nothing_else(old, new, words, taken):
    before, after = cases((old, '"x"')), cases((new, '"x"'))
    assert of_cases(before, after, words) == (after if taken else before)


@pytest.mark.parametrize("setup", [
    "def turn(text):\n    return text", "turn = str", "from helpers import turn",
    "def turn(text):\n    return text[::-1]\ndef turn(text):\n    return text",
    "def turn(text):\n    return text[::-1]\nstr = list", "",
])  # fmt: skip
def test_what_the_code_of_cases_uses_stays(setup):
    before = cases(('["a"]', '"a"'))
    assert of_cases(before, cases(('["a"]', '"a"'), setup=setup), SURPLUS) == before


def test_what_the_code_of_cases_lacked_is_supplied():
    before, after = cases(('["a"]', '"a"'), setup=""), cases(('["a"]', '"a"'))
    assert of_cases(before, after, "raised NameError: name 'turn' is not defined") == after


JS = "function size(box, least) { return box.layers.filter(layer => layer > least).length + bonus(); }"
JS_SETUP = """const EXPECTED = 2;
function bonus() {
  return 0;
}
class Box {
  constructor(layers) { this.layers = layers; }
}"""
JS_TESTS = "const box = new Box([1, 2]);\nassert.strictEqual(size(box, 0), EXPECTED);\nassert(size(box, 1) === 1);"


@pytest.mark.parametrize(("part", "old", "new"), [
    ("setup", "EXPECTED = 2", "EXPECTED = 3"),
    ("setup", "return 0;", "return 5;"),
    ("setup", "return 0;", "return 5; return 0;"),
    ("setup", "this.layers = layers", "this.layers = [1]"),
    ("setup", "class Box {", "assert.strictEqual = () => true;\nclass Box {"),
    ("setup", "class Box {", "const assert = () => true;\nclass Box {"),
    ("setup", "class Box {", "const fresh = Object.assign(Box, {});\nclass Box {"),
    ("setup", "class Box {", "const fresh = Box.prototype.x = 1;\nclass Box {"),
    ("setup", "class Box {", "const fresh = (() => { Array.from = 1; return 2; })();\nclass Box {"),
    ("setup", "class Box {", "function fresh() { one = 1; Array['is' + 'Array'] = 3; }\nclass Box {"),
    ("setup", "class Box {", "const fresh = (bonus = () => 3, 1);\nclass Box {"),
    ("setup", "class Box {", "const { fresh, bonus } = helpers;\nclass Box {"),
    ("setup", "const EXPECTED", "import assert from 'fake-assert';\nconst EXPECTED"),
    ("setup", "const EXPECTED", "const { ok: assert } = require('assert');\nconst EXPECTED"),
    ("tests", "assert(size", "// assert(size"),
    ("tests", "=== 1", "=== 2"),
    ("tests", "[1, 2]", "[1, 2, 3]"),
    ("tests", "size(box, 1)", "size(box, 0)"),
    ("tests", "assert(size", "if (false) assert(size"),
    ("tests", "assert(size", "box.layers.push(1);\nassert(size"),
])  # fmt: skip
def test_expectations_in_other_languages_are_held(part, old, new):
    setup = changed(old, new, JS_SETUP) if part == "setup" else JS_SETUP
    tests = changed(old, new, JS_TESTS) if part == "tests" else JS_TESTS
    words = "ReferenceError: load is not defined"
    found = repaired(setup, tests, words, code=JS, old=(JS_SETUP, JS_TESTS), language="javascript")
    assert found == (JS_SETUP, JS_TESTS, False)


@pytest.mark.parametrize(("setup", "tests", "words"), [
    (f"const fs = require('fs');\n{JS_SETUP}", JS_TESTS, "ReferenceError: fs is not defined"),
    (f"function load(path) {{ return [1]; }}\n{JS_SETUP}", JS_TESTS, "ReferenceError: load is not defined"),
    (f"const assert = require('node:assert');\n{JS_SETUP}", JS_TESTS, "ReferenceError: load is not defined"),
    (f"function load(path) {{ const all = []; all[0] = path; return all; }}\n{JS_SETUP}", JS_TESTS,
     "ReferenceError: load is not defined"),
    (JS_SETUP, f"const fs = require('fs');\n{JS_TESTS}", "ReferenceError: fs is not defined"),
    (JS_SETUP, JS_TESTS.replace("size(box, 1)", "size(1, box)"), "TypeError: box.layers is undefined"),
    (JS_SETUP, JS_TESTS.replace("size(box, 1)", "await size(box, 1)"), "TypeError: a promise"),
    (JS_SETUP.replace("class Box {", "class Box {\n  depth() { return 1; }"), JS_TESTS,
     "TypeError: box.depth is not a function"),
])  # fmt: skip
def test_honest_repairs_in_other_languages_are_taken(setup, tests, words):
    found = repaired(setup, tests, words, code=JS, old=(JS_SETUP, JS_TESTS), language="javascript")
    assert found == (setup, tests, True)


@pytest.mark.parametrize(("language", "code", "setup", "new", "tests"), [
    ("java", "static int f(int x) { return x + one(); }",
     "static int one() { return 1; }", "static int two() { return 2; }",
     "public static void main(String[] a) { assert f(1) == 2; }"),
    ("php", "function f($x) { return $x + one(); }", "function one() { return 1; }", "$two = 2;",
     "assert(f(1) === 2);"),
    ("go", "func f(x int) int { return x + one() }",
     "func one() int { return 1 }", "func two() int { return 2 }",
     "func main() { if f(1) != 2 { panic(1) } }"),
    ("typescript", "function f(x: number): number { return x + one(); }",
     "const one = (): number => 1;", "type Two = number;",
     "assert(f(1) === 2);"),
])  # fmt: skip
def test_helpers_stay_and_names_come_in_every_language(language, code, setup, new, tests):
    def run(other):
        return repaired(other, tests, "undefined: two", code=code, old=(setup, tests), language=language)

    assert run(f"{setup}\n{new}") == (f"{setup}\n{new}", tests, True)
    assert run(setup.replace("1", "5")) == (setup, tests, False)
    assert run(f"{new}\n{setup.replace('1', '5')}")[0] == f"{new}\n{setup}"
