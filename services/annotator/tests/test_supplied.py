"""A test that brings along what the code works by shows nothing of the code."""

import dataclasses
import json
import time

import pytest

from annotator.domain.execution import SUPPLIED, CaseRun, Report
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.record import CAN_FAIL, Step, evidence_of
from annotator.domain.subject import examine
from annotator.domain.supplied import supplied
from annotator.usecases.judging import Judge

METHOD = dataclasses.replace(ABLATIONS["full"], checker=False)
SLUG = "def _impl(value):\n    return '-'.join(value.lower().split())"
CODE = "def normalize(text):\n    return _impl(text)"


def names(code, setup, tests="", language="python"):
    return supplied(examine(Pair("p", "q", "wish", "f", code, language)), setup, tests)


@pytest.mark.parametrize(
    ("code", "setup", "found"),
    [
        (CODE, SLUG, ("_impl",)),
        (CODE, "_impl = lambda value: value.lower()", ("_impl",)),
        (CODE, "def other(value):\n    return value\n\n_impl = other", ("_impl",)),
        (CODE, "if True:\n    from functools import reduce\n    _impl = reduce", ("_impl",)),
        (CODE, "def make():\n    global _impl\n    _impl = str.lower\n\nmake()", ("_impl",)),
        ("def f(text):\n    return list(map(_impl, text))", SLUG, ("_impl",)),
        (
            "def f(text):\n    return tool.slug(text)",
            "class Tool:\n    def slug(self, t):\n        return t\n\ntool = Tool()",
            ("tool",),
        ),
        ("def f(text):\n    return TABLE[text]", "TABLE = {'A b': 'a-b'}", ("TABLE",)),
        ("def f(words):\n    fill(words)\n    return words", "def fill(words):\n    words.sort()", ("fill",)),
        ("@does\ndef f(text):\n    pass", "def does(function):\n    return str.lower", ("does",)),
        ("def f(words):\n    return sorted(words)", "def sorted(words):\n    return [1]", ("sorted",)),
        (
            "import requests\n\ndef f(url):\n    return requests.get(url).text",
            "import requests\nrequests.get = lambda url: 'x'",
            ("requests",),
        ),
        (
            "from helper import impl\n\ndef f(x):\n    return impl(x)",
            "import sys, types\nm = types.ModuleType('helper')\nm.impl = len\nsys.modules['helper'] = m",
            ("impl",),
        ),
        (CODE, "exec('def _impl(x): return x')", ("_impl",)),
    ],
)
def test_what_the_code_works_by_is_named(code, setup, found):
    assert names(code, setup) == found
    assert names(code, "", setup) == found, "also where it stands behind the code"


@pytest.mark.parametrize(
    ("code", "setup"),
    [
        (CODE, ""),
        (CODE, "from lib import _impl"),
        (
            "def f(text):\n    log.info(text)\n    return text",
            "class L:\n    def info(self, t):\n        pass\n\nlog = L()",
        ),
        (
            "def f(text):\n    if not text:\n        raise Bad(text)\n    return text[:MOST]",
            "class Bad(Exception):\n    x = 1\n\nMOST = 3",
        ),
        (
            "def f(text):\n    try:\n        return int(text)\n    except (Bad, ValueError):\n        return 0",
            "class Bad(Exception):\n    def why(self):\n        return 1",
        ),
        (
            "def f(x: Node) -> Node:\n    return 1 if isinstance(x, Node) else 2",
            "class Node:\n    def go(self):\n        return 1",
        ),
        (
            "def f(x):\n    return Node(x)",
            "class Node:\n    def __init__(self, value, after=None):\n        self.value = value",
        ),
        ("def f(x):\n    return unicode(x)", "unicode = str"),
        ("def f(x):\n    helper = len\n    return helper(x)", "def helper(x):\n    return 1"),
        (CODE, "no python ("),
    ],
)
def test_what_does_no_work_is_not(code, setup):
    assert names(code, setup) == ()


def test_what_is_nested_too_deeply_to_be_read_works_by_what_it_lacks():
    deep = f"def f(x):\n    y = x{'.a' * 3000}\n    return _impl(x)"
    assert names(deep, SLUG) == ("_impl",) and names(deep, "other = len") == ()
    chain = "".join(f"\n    x = x + {number}" for number in range(2000))
    assert names(f"def f(x):{chain}\n    return _impl(x)", SLUG) == ("_impl",)


def test_a_bare_method_works_by_its_objects_methods():
    assert names("def f(self, text):\n    return self._impl(text)", "", "class T:\n    pass") == ("self._impl",)
    assert names("def f(self, text):\n    self.log(text)\n    return text", "", "class T:\n    pass") == ()


@pytest.mark.parametrize(
    ("language", "code", "setup", "found"),
    [
        ("javascript", "function f(x) { return impl(x); }", "const impl = (v) => { return v; };", ("impl",)),
        ("javascript", "function f(x) { log(x); return x + MOST; }", "function log(x) { }\nconst MOST = 3;", ()),
        (
            "typescript",
            "function f(x: number) { return [x].map(impl); }",
            "function impl(v: number) { return v; }",
            ("impl",),
        ),
        (
            "java",
            "static int f(int x) { return Helper.go(x); }",
            "class Helper { static int go(int x) { return x; } }",
            ("Helper",),
        ),
        ("java", "static int f(Node x) { return x.v; }", "class Node { int v; int getV() { return v; } }", ()),
        (
            "java",
            "static int f(int x) { if (x < 0) throw new Bad(x); return x; }",
            "class Bad extends RuntimeException { int why() { return 1; } }",
            (),
        ),
        ("go", "func f(x int) int { return impl(x) }", "func impl(x int) int { return x }", ("impl",)),
        ("php", "function f($x) { return impl($x); }", "function impl($x) { return $x; }", ("impl",)),
        (
            "php",
            "function f($x) { return impl($x); }\nfunction impl($x) { return 2; }",
            "function impl($x) { return 1; }",
            (),
        ),
    ],
)
def test_other_languages_are_read_by_their_signs(language, code, setup, found):
    assert names(code, setup, language=language) == found


@pytest.mark.parametrize("result", ["passed", "failed"])
def test_such_a_test_is_no_evidence(result):
    steps = (
        Step("execution", result, "", 1, report=Report(result, "", supplied=("_impl",))),
        Step("trial", CAN_FAIL, "", 1),
    )
    assert evidence_of(steps) == "none"
    assert evidence_of((dataclasses.replace(steps[0], report=Report(result, "")), steps[1])) == result


class Machine:
    """Runs functions for what they are."""

    async def speaks(self, language):
        return True

    async def call(self, language, source, entry_point, inputs, environment_id, nothing_returned=False):
        scope, runs = {}, []
        for text in inputs:
            try:
                exec(source, scope)
                runs.append(CaseRun("returned", json.dumps(scope[entry_point](*json.loads(text)))))
            except Exception as error:  # noqa: BLE001  whatever it raises is its answer
                runs.append(CaseRun("raised", error_type=type(error).__name__, message=str(error)))
        return tuple(runs)


CASES = [{"args": ["Hello World"], "expected": "hello-world"}, {"args": ["A b  C"], "expected": "a-b-c"}]


@pytest.mark.parametrize("mended", [False, True])
@pytest.mark.parametrize("label", [0, 1])
async def test_who_decides_is_told_so(scripted, mended, label):
    first = {"interpretation": "a slug", "setup": "" if mended else SLUG, "cases": CASES}
    model = scripted(
        screener=['{"reason": "?", "verdict": "unclear"}'],
        cases=[json.dumps(first)],
        fix_cases=[json.dumps({"setup": SLUG, "cases": CASES, "install": []})],
        arbiter=[json.dumps({"reason": "what does it is not there", "label": label})] * 2,
    )
    record = await Judge(model, Machine(), METHOD).judge(Pair("p", "q", "slug of a title", "f", CODE, name="normalize"))
    assert (record.label, record.decided_by, record.evidence) == (label, "arbiter", "none")
    assert record.reports[-1].result == "passed" and record.reports[-1].supplied == ("_impl",)
    assert f"{SUPPLIED}: _impl" in model.shown("arbiter")
    assert record.reading == ""


LISTS = "def files(folder):\n    return listdir(folder)"
LOOK = f"from os import listdir\n\n{LISTS}"
ORDER = "def order(items):\n    return sorted(items)"
NAMES = "import os\n\ndef files(folder):\n    return os.listdir(folder)"


@pytest.mark.parametrize(
    ("code", "setup", "found"),
    [
        (LOOK, "import os\nos.listdir = list", ("listdir",)),
        ("from os import listdir as look\n\ndef f(x):\n    return look(x)", "import os\nos.listdir = list", ("look",)),
        (f"from os import *\n\n{LISTS}", "import os\nos.listdir = list", ("listdir",)),
        (LOOK, "import mock\nmock.patch('os.listdir', list).start()", ("listdir",)),
        (LOOK, "from mock import patch as p\nimport os as o\np.object(o, 'listdir')", ("listdir",)),
        (LOOK, "import mock\nmock.patch('__main__.listdir', list).start()", ("listdir",)),
        (NAMES, "import os as system\nsystem.listdir = list", ("os",)),
        (NAMES, "import os\nsystem = os\nsystem.listdir = list", ("os",)),
        (NAMES, "system = __import__('os')\nsystem.listdir, x = list, 1", ("os",)),
        (NAMES, "from os import path\npath.join = list", ("os",)),
        ("from os import path\n\ndef f(x):\n    return path.join(x)", "import os\nos.path.join = list", ("path",)),
        (ORDER, "import builtins\nbuiltins.sorted = list", ("sorted",)),
        (ORDER, "import builtins as b\nb.sorted = list", ("sorted",)),
        (ORDER, "__builtins__['sorted'] = list", ("sorted",)),
        (ORDER, "import builtins\nsetattr(builtins, 'sorted', list)", ("sorted",)),
        # What is changed is not what the code works by.
        (LOOK, "import os\nos.sep = '/'", ()),
        ("from os import path\n\ndef f(x):\n    return path.join(x)", "import os\nos.listdir = list", ()),
        (ORDER, "import builtins\nbuiltins.unicode = str", ()),
        (NAMES, "import os\nkept = dict(os.environ)", ()),
    ],
)  # fmt: skip
def test_a_changed_import_is_noticed_by_what_it_is_and_not_by_how_it_is_called(code, setup, found):
    assert names(code, setup) == found
    if found and "__main__" not in setup:
        assert names(code, "", setup) == found


@pytest.mark.parametrize(
    ("language", "code", "setup", "found"),
    [
        ("javascript", "function f(x) {\n  return helper(x);\n}", "globalThis.helper = (t) => t;", ("helper",)),
        ("javascript", "const fs = require('fs');\nfunction f(x) {\n  return fs.readFileSync(x);\n}",
         "require('fs').readFileSync = (x) => x;", ("fs",)),
        ("javascript", "import { readFileSync } from 'node:fs';\nfunction f(x) {\n  return readFileSync(x);\n}",
         "const files = require('fs');\nfiles.readFileSync = (x) => x;", ("readFileSync",)),
        ("javascript", "function f(x) {\n  return Math.random() * x;\n}", "Math.random = () => 1;", ("Math",)),
        ("javascript", "function f(x) {\n  return x.rev();\n}", "String.prototype.rev = () => 1;", ("rev",)),
        ("javascript", "function f(x) {\n  return {...defaults, x};\n}", "const defaults = {a: 1};", ("defaults",)),
        ("javascript", "function f(x) {\n  const y = x ? table : 1\n  return y\n}", "const table = {};", ("table",)),
        ("javascript", "function f(x) {\n  const y = table\n  return y\n}", "const table = {a: 1};", ("table",)),
        ("javascript", "function f(x) {\n  return turn(x);\n}", "const { turn } = { turn: (x) => x };", ("turn",)),
        ("javascript", "function f(x) {\n  return {table: x};\n}", "const table = {a: 1};", ()),
        # A variable of the code's own is none of the test's.
        ("javascript", "function f(x) {\n  const result = x + 1;\n  return result;\n}", "const result = f([1]);", ()),
        ("javascript", "function f(xs) {\n  return xs;\n}", "const xs = [1, 2];", ()),
        ("go", "func f(x int) []int {\n\tgot := []int{x}\n\treturn got\n}", "var got = []int{1}", ()),
        # What is loaded is no work of the test's, however it is loaded.
        ("javascript", "function f(x) {\n  return crypt.createHash(x);\n}", "const crypt = require('crypto');", ()),
        ("javascript", "function f(x) {\n  return read(x);\n}", "const { read } = require('fs');", ()),
        ("javascript", "function f(x) {\n  return fs.read(x);\n}", "const fs = await import('fs');", ()),
        ("go", "func f(x string) int {\n\treturn prices[x]\n}", 'var (\n\tprices = map[string]int{"a": 1}\n)',
         ("prices",)),
        ("go", "func f(x int) int {\n\treturn helper(x)\n}",
         "var helper func(int) int\n\nfunc init() {\n\thelper = func(x int) int { return x }\n}", ("helper",)),
        ("java", "static int f(String x) {\n    return prices.get(x);\n}",
         'Map<String, Integer> prices = Map.of("a", 1);', ("prices",)),
        ("java", "static int f(int x) {\n    return x + LIMIT;\n}", "int LIMIT = 3;", ()),
        ("python", "def f(x):\n    return Solver().solve(x)",
         "class Base:\n    def solve(self, x):\n        return x\n\nclass Solver(Base):\n    pass", ("Solver",)),
        ("python", "def f(x):\n    return Solver(x)", "class Base:\n    pass\n\nclass Solver(Base):\n    pass", ()),
        ("python", "def f(x):\n    raise Wrong(x)", "class Wrong(ValueError):\n    pass", ()),
        ("python", "def f(x):\n    return isinstance(parse(x), dict)", "def parse(x):\n    return {}", ("parse",)),
        ("python", "def f(x):\n    return isinstance(x, Kind)", "class Kind:\n    def f(self):\n        return 1", ()),
        ("python", "def f(x, y):\n    catalog.append(x, y)\n    return x",
         "class catalog:\n    def append(x, y):\n        x.append(y)", ("catalog",)),
        ("python", "def f(x):\n    myLogger.info(x)\n    print_all(x)\n    return x",
         "class myLogger:\n    def info(self):\n        return 1\n\ndef print_all(x):\n    return 1", ()),
    ],
)  # fmt: skip
def test_what_a_code_works_by_is_noticed_however_it_is_brought(language, code, setup, found):
    assert names(code, setup, language=language) == found


@pytest.mark.parametrize(
    ("language", "code", "tests"),
    [
        ("javascript", "function size(list) {\n  return list.items.length;\n}",
         "const list = {};\nlist.items = [1, 2];\nassert.equal(size(list), 2);"),
        ("javascript", "function size(items) {\n  const box = {};\n  box.x = items;\n  return box.x.length;\n}",
         "const box = {};\nbox.items = [1, 2];\nassert.equal(size(box.items), 2);"),
        ("javascript", "function total(items) {\n  return items.reduce((sum, item) => sum + item.price, 0);\n}",
         "const item = { price: 3 };\nassert.equal(total([item]), 3);"),
        ("javascript", "function ids(items) {\n  return items.map(item => item.id);\n}",
         "const item = { id: 3 };\nassert.equal(ids([item])[0], 3);"),
        ("javascript", "function area(shape) {\n  const { box = {}, edge: [side] } = shape;\n"
         "  return box.w * side.h;\n}",
         "const box = { w: 3 };\nconst side = { h: 1 };\nassert.equal(area({ box, edge: [side] }), 3);"),
        ("javascript", "function size(xs) {\n  return xs.length;\n}\n\nfunction both(a, b) {\n"
         "  return size(a) + size(b);\n}", "const xs = [1];\nassert.equal(both(xs, xs), 2);"),
        ("typescript", "function total(items: Item[]): number {\n"
         "  return items.reduce((sum: number, item: Item): number => sum + item.price, 0);\n}",
         "const item = { price: 3 };\nassert.equal(total([item]), 3);"),
        ("java", "static int total(List<Integer> items) {\n  int sum = 0;\n  for (Integer item : items) {\n"
         "    sum += item.intValue();\n  }\n  return sum;\n}",
         "Integer item = Integer.valueOf(3);\nassert total(List.of(item)) == 3;"),
        ("java", "static int total(List<Integer> items) {\n"
         "  return items.stream().mapToInt(item -> item.intValue()).sum();\n}",
         "Integer item = Integer.valueOf(3);\nassert total(List.of(item)) == 3;"),
        ("java", "static int total(List<Integer> items) {\n"
         "  return items.stream().reduce(0, (Integer one, Integer other) -> one.intValue() + other);\n}",
         "Integer one = Integer.valueOf(3);\nassert total(List.of(one)) == 3;"),
    ],
)  # fmt: skip
def test_a_name_that_a_code_binds_itself_brings_nothing_of_its_test(language, code, tests):
    assert not names(code, "", tests, language)


def test_what_a_test_changes_is_noticed_beside_names_that_a_code_binds():
    code = "const fs = require('fs');\n\nfunction lines(path) {\n  return fs.readFileSync(path).split('\\n');\n}"
    assert names(code, "", "const fs = require('fs');\nfs.readFileSync = () => make();", "javascript") == ("fs",)
    code = "class Item {}\n\nfunction total(items) {\n  return items.map((item) => new Item(item)).length;\n}"
    assert not names(code, "", "class Item {\n  cost() { return make(); }\n}", "javascript")
    code = "function total(items: Item[]) {\n  return items.map((item: Item) => price.of(item));\n}"
    assert names(code, "", "const price = { of: (item) => 3 };", "typescript") == ("price",)


ELSEWHERE = [
    ("python", "def rev(t):\n    return impl(t)\n\ndef all_of(ts, impl=str):\n    return [impl(t) for t in ts]",
     "def impl(t):\n    return t[::-1]"),
    ("python", "def rev(t):\n    return impl(t)\n\ndef all_of(ts):\n    return [impl for impl in ts]",
     "def impl(t):\n    return t[::-1]"),
    ("python", "class Other:\n    impl = str\n\ndef rev(t):\n    return impl(t)", "def impl(t):\n    return t[::-1]"),
    ("python", "impl: type\n\ndef rev(t):\n    return impl(t)", "def impl(t):\n    return t[::-1]"),
    ("python", "def rev(t):\n    return impl(t)\n\ndef start():\n    global impl\n    impl = str",
     "def impl(t):\n    return t[::-1]"),
    ("javascript", "function all(ts, impl) { return ts.map(impl); }\nfunction rev(t) { return impl(t); }",
     "function impl(t) { return t; }"),
    ("javascript", "const all = (ts, impl) => ts.map(impl);\nfunction rev(t) { return impl(t); }",
     "function impl(t) { return t; }"),
    ("javascript", "function all(ts) {\n  const impl = String;\n  return ts.map(impl);\n}\n"
     "function rev(t) { return impl(t); }", "function impl(t) { return t; }"),
    ("javascript", "function all(ts) {\n  function impl(t) { return 1; }\n  return ts.map(impl);\n}\n"
     "function rev(t) { return impl(t); }", "function impl(t) { return t; }"),
    ("java", "static int all(List<Integer> impl) { return impl.size(); }\n"
     "static String rev(String t) { return impl.apply(t); }", "static Function<String, String> impl = t -> t;"),
    ("go", "func all(impl string) string { return impl }\n\nfunc rev(t string) string { return impl(t) }",
     "func impl(t string) string { return t }"),
    ("php", "function all($impl) { return $impl; }\nfunction rev($t) { return impl($t); }",
     "function impl($t) { return $t; }"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "code", "setup"), ELSEWHERE)
def test_a_name_that_is_bound_elsewhere_in_a_code_is_still_the_tests(language, code, setup):
    pair = Pair("p", "q", "wish", "f", code, language, "rev")
    assert supplied(examine(pair), setup) == ("impl",)
    if language == "python":
        assert examine(pair).undefined == ("impl",), "whoever writes the test is told"


def test_names_are_looked_up_by_scope():
    for code in (
        "def rev(t):\n    return sum(x for x in t)",
        "def rev(t):\n    if (n := len(t)):\n        return n",
        "def rev(t):\n    def impl(x):\n        return t\n    return impl(t)",
        "def rev(t):\n    try:\n        return 1\n    except KeyError as impl:\n        raise impl",
        "try:\n    from lib import impl\nexcept ImportError:\n    impl = None\n\ndef rev(t):\n    return impl(t)",
        "def rev(t):\n    match t:\n        case [impl, *others]:\n            return impl, others",
        "n = [(impl := x) for x in range(3)]\n\ndef rev(t):\n    return impl",
        "class Impl:\n    def __init__(self):\n        self.x = __class__\n\ndef rev(t):\n    return Impl()",
    ):
        assert examine(Pair("p", "q", "wish", "f", code, "python", "rev")).undefined == ()


HELPER = "from textlib import turned\n\ndef rev(t):\n    return turned(t)"
REQUIRED = "const { turned } = require('./textlib');\nfunction rev(t) { return turned(t); }"


@pytest.mark.parametrize(
    ("language", "code", "setup", "found"),
    [
        ("python", HELPER, "open('textlib.py', 'w').write('def turned(t): return t[::-1]')", ("turned",)),
        ("python", HELPER, "import sys, tempfile, pathlib\nd = tempfile.mkdtemp()\n"
         "pathlib.Path(d, 'textlib.py').write_text('...')\nsys.path.insert(0, d)", ("turned",)),
        ("python", HELPER, "import pathlib\npathlib.Path('text' + 'lib' + '.py').write_text('...')", ("turned",)),
        ("python", HELPER, "import os\nos.makedirs('textlib')\nopen('textlib/__init__.py', 'w').close()",
         ("turned",)),
        ("python", HELPER, "import sys\nsys.meta_path.insert(0, Finder())", ("turned",)),
        ("python", HELPER, "open('data.csv', 'w').write('a,b')", ()),
        ("python", "import csv\n\ndef rev(t):\n    return list(csv.reader(open(t)))",
         "open('data.csv', 'w').write('a,b')", ()),
        ("python", "import csv\n\ndef rev(t):\n    return csv.turned(t)", "open('csv.py', 'w').write('')", ("csv",)),
        ("python", CODE, "locals()['_impl'] = len", ("_impl",)),
        ("python", CODE, "vars()['_impl'] = len", ("_impl",)),
        ("python", CODE, "import sys\nsys._getframe().f_globals['_impl'] = len", ("_impl",)),
        ("python", CODE, "match len:\n    case _impl:\n        pass", ("_impl",)),
        ("python", CODE, "eval(compile('_impl = len', '', 'single'))", ("_impl",)),
        ("javascript", REQUIRED, "require('fs').writeFileSync('textlib.js', 'exports.turned = t => t');", ("turned",)),
        ("javascript", REQUIRED.replace("./", ""), "require.cache['textlib'] = { exports: {} };", ("turned",)),
        ("javascript", "const fs = require('fs');\nfunction rev(t) { return fs.readFileSync(t, 'utf8'); }",
         "require('fs').writeFileSync('a.txt', 'x');", ()),
        ("javascript", "function rev(t) { return fs.readFileSync(t, 'utf8'); }",
         "const fs = require('fs');\nfs.writeFileSync('a.txt', 'x');", ()),
        ("javascript", "function rev(t) { return impl(t); }", "globalThis['impl'] = (t) => t;", ("impl",)),
        ("javascript", "function rev(t) { return impl(t); }", "Object.assign(globalThis, { impl: (t) => t });",
         ("impl",)),
        ("javascript", "function rev(t) { return impl(t); }", "impl = (t) => t;", ("impl",)),
        ("typescript", "function rev(t: string) { return impl(t); }",
         "var impl: (t: string) => string; impl = (t) => t;", ("impl",)),
        ("java", "static String rev(String t) { return impl.apply(t); }",
         "static java.util.function.Function<String,String> impl = t -> t;", ("impl",)),
        ("java", "static String rev(String t) { return impl.apply(t); }",
         "static Function<String, String> impl;\nstatic { impl = t -> t; }", ("impl",)),
        ("go", "func rev(t string) string { return impl(t) }",
         "var impl func(string) string\n\nfunc init() { impl = func(t string) string { return t } }", ("impl",)),
        ("php", "function rev($t) { return impl($t); }", "eval('function impl($t) { return $t; }');", ("impl",)),
    ],
)  # fmt: skip
def test_what_is_brought_without_a_sign_of_it_is_noticed(language, code, setup, found):
    assert names(code, setup, language=language) == found


OF_ITS_OWN = [
    ("javascript", "function f(n) { if (n < 2) return n; for (const i of [1]) { n += parseInt(i); } return n; }",
     "const cache = new Map();\nif (f(1) !== 1) throw new Error('if f fails');\nfor (const x of [parseInt('1')]) {}"),
    ("javascript", "function f(cb) { if (!cb) { throw new TypeError('x'); } return setTimeout(cb, 1); }",
     "// mock the callback\nconst t = f(() => {});\nif (!t) { throw new TypeError('x'); }\nsetTimeout(() => 1, 10);"),
    ("javascript", "const fs = require('fs');\nfunction f(path) { if (fs.existsSync(path)) { return 1; } }",
     "const fs = require('fs');\nfs.writeFileSync('a.json', '{}');\nif (f('a.json') !== 1) { throw new Error('no'); }"),
    ("javascript", "function f(o) { for (const k of Object.keys(o)) { if (isNaN(o[k])) { return k; } } }",
     "global.x = 1;\nfor (const k of ['a']) { if (isNaN(NaN)) f({}); }"),
    ("javascript", "function f(s) { var i, j, n = s.length; for (i = 0; i < n; i++) {} return n; }",
     "let n, i;\nn = f('abc');\ni = n + 1;"),
    ("javascript", "function f(s) {\n  let a = [1, 2],\n      b = s.length\n  return a[0] + b\n}",
     "const b = f('abc');"),
    ("typescript", "function f(xs: number[]): number { let total = 0, count = 0; for (const x of xs) { total += x; }\n"
     "return total / count; }", "const count: number = f([1]), s: string | number = f([2]);"),
    ("php", "function f($x) { if (is_array($x)) { foreach ($x as $y) { if (strlen($y) > 1) { return trim($y); } } } }",
     "define('A', 1);\nif (f([1]) !== null) { throw new Exception('if strlen is trim'); }\n"
     "foreach ([1] as $y) { trim('a'); }"),
    ("php", "function f($p) { if (!file_exists($p)) { return false; } return ctype_digit(file_get_contents($p)); }",
     "file_put_contents('a.txt', 'x');\nif (ctype_digit('a') !== f('a.txt')) { throw new Exception('x'); }"),
    ("java", "static int f(int n) { int result; if (n > 0) { result = 1; } else { result = 2; } return result; }",
     "public class Main { public static void main(String[] a) { int result = f(3); assert result == 1; } }"),
    ("java", "class Counter { private int count; int f() { count++; return count; } }",
     "public class Main { static void check() { int count = new Counter().f(); assert count == 1; } }"),
    ("java", "static int f(int[] a) { int lo = 0, hi = a.length - 1; while (lo < hi) { lo++; } return hi; }",
     "static int hi = f(new int[] {1, 2});"),
    ("java", "static int f(String s) { try { return Integer.parseInt(s); } catch (NumberFormatException e) "
     "{ return e.hashCode(); } }", "static Exception e = problem();"),
    ("go", "func f(n int) (result int, err error) {\n\tresult = n\n\treturn result, err\n}",
     "var err = check()\nvar result = 1\n"),
    ("go", "func f(n int) int {\n\ta, b := 0, 1\n\tfor k, v := range m() {\n\t\ta, b = b, k+v\n\t}\n\treturn a\n}",
     "func main() {\n\tvar a = f(3)\n\tif a != 2 { panic(a) }\n}\nvar k, a = f(1), 2"),
]  # fmt: skip


@pytest.mark.parametrize(("language", "code", "tests"), OF_ITS_OWN)
def test_what_a_code_has_by_itself_or_by_its_language_is_not_the_tests(language, code, tests):
    assert supplied(examine(Pair("p", "q", "wish", "f", code, language, "f")), "", tests) == ()


STILL = [
    ("javascript", "function rev(t) { if (t) { return impl(t); } return isNaN(t); }",
     "eval('function impl(t) { if (isNaN(t)) {} return t; }');", ("impl",)),
    ("javascript", "function rev(t) { return impl(t); }",
     "Object.defineProperty(globalThis, `impl`, { value: String });", ("impl",)),
    ("php", "require_once 'lib.php';\nfunction rev($t) { if ($t) { return impl($t); } }",
     "file_put_contents('lib.php', '<?php function impl($t) { if ($t) return $t; }');", ("impl",)),
    ("php", "function rev($t) { return impl($t); }",
     "file_put_contents('l.php', <<<'X'\n<?php function impl($t) { return $t; }\nX\n);\ninclude 'l.php';", ("impl",)),
    ("java", "static int rev(int n) { int result = impl + n; return result; }",
     "static int impl;\npublic static void main(String[] a) { impl = next(); int result = rev(1); }", ("impl",)),
    ("go", "func rev(n int) int { a, b := 1, 2; return a + b + impl() }",
     "var (\n\timpl func() int\n)\nfunc main() {\n\timpl = func() int { return 1 }\n}", ("impl",)),
]  # fmt: skip


@pytest.mark.parametrize(("language", "code", "tests", "found"), STILL)
def test_what_a_test_brings_is_told_from_what_the_code_has(language, code, tests, found):
    assert supplied(examine(Pair("p", "q", "wish", "f", code, language, "rev")), "", tests) == found


@pytest.mark.parametrize("code", ["var t = []int{" + "1, " * 8000 + "}", "// " + "func " * 8000, "func (" * 8000])
def test_long_tables_are_read_in_little_time(code):
    began = time.process_time()
    supplied(examine(Pair("p", "q", "wish", "f", f"{code}\nfunc rev(n int) int {{ return n }}", "go", "rev")), "", "")
    assert time.process_time() - began < 5


async def test_an_honest_repair_of_a_name_that_is_bound_elsewhere_decides_nothing(scripted):
    code = (
        "def rev(text):\n    return clean(text)\n\ndef all_of(texts, clean=str):\n    return [clean(t) for t in texts]"
    )
    cases = [{"args": [text], "expected": text[::-1]} for text in ("abc", "xyzw", "hello")]
    model = scripted(
        screener=['{"reason": "?", "verdict": "unclear"}'],
        cases=[json.dumps({"interpretation": "letters in reverse", "setup": "", "cases": cases})],
        fix_cases=[json.dumps({"setup": "def clean(t):\n    return t[::-1]", "cases": cases, "install": []})],
        arbiter=[json.dumps({"reason": "what does it is not there", "label": 0})] * 2,
    )
    record = await Judge(model, Machine(), METHOD).judge(Pair("p", "q", "reverse a string", "f", code, name="rev"))
    assert (record.label, record.decided_by, record.evidence) == (0, "arbiter", "none")
    assert record.reports[-1].result == "passed" and record.reports[-1].supplied == ("clean",)
