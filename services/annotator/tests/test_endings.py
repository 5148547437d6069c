"""A program whose code ends the process before its last assertion has not passed, whatever its language."""

import re
import shutil
import subprocess
import sys

import pytest

from annotator.domain.execution import ProgramRun
from annotator.domain.pair import Pair
from annotator.domain.program import ProgramTest
from annotator.domain.subject import examine
from annotator.usecases.trials import Trials

JAVA = (
    "{} static void main(String[] args) throws Exception {{\n  if (!rev(1).equals(1)) throw new AssertionError();\n}}"
)
GO = 'func main() {\n\tif rev("ab") != "ba" {\n\t\tpanic("assertion failed")\n\t}\n}'
TESTS = {
    "python": ("def rev(t):\n    return t[::-1]", "assert rev('ab') == 'ba'"),
    "php": ("function rev($t) { return strrev($t); }", "if (rev('ab') != 'ba') throw new AssertionError('');"),
    "javascript": ("function rev(t) { return [...t].reverse().join(''); }", "assert.equal(rev('ab'), 'ba');"),
    "typescript": ("function rev(t: string) { return t; }", "assert.equal(rev('ab'), 'ba');"),
    "java": ("static String rev(String t) { return t; }", JAVA.format("public")),
    "go": ("func rev(t string) string { return t }", GO),
}


class Box:
    """Ends every program normally; says what stands in it where it is told to."""

    def __init__(self, speaks=True, stderr=""):
        self.speaks, self.stderr, self.ran = speaks, stderr, ""

    async def run(self, language, source, environment_id):
        self.ran = source
        said = "".join(re.findall(r"end of tests \w{16}", source))
        return ProgramRun("returned", stdout=said if self.speaks else "", stderr=self.stderr)


async def report(box, language, code, tests, setup=""):
    subject = examine(Pair("p", "q", "wish", "f", code, language, "rev"))
    return (await Trials(box).execute(subject, ProgramTest("", setup, tests), "")).report


@pytest.mark.parametrize("language", TESTS)
async def test_an_end_before_the_last_assertion_is_none_that_passed(language):
    code, tests = TESTS[language]
    assert (await report(Box(), language, code, tests)).result == "passed"
    silent = await report(Box(speaks=False), language, code, tests)
    assert (silent.result, silent.detail) == ("error", "the program ended before its last assertion")


@pytest.mark.parametrize(
    "tests",
    [
        *(JAVA.format(""), JAVA.format("public final"), JAVA.format("class T { public") + " }"),
        JAVA.format("public").replace("String[] args", "final String... given"),
    ],
)
async def test_a_main_of_java_is_called_by_one_that_speaks(tests):
    box = Box()
    await report(box, "java", TESTS["java"][0], tests)
    assert re.search(r"testsOfMain\((?:args|given)\); toldBy\.println\(\"end of tests \w{16}\"\)", box.ran)
    assert box.ran.count(" main(String[] ") == 1 and len(re.findall(r"void testsOfMain\s*\(", box.ran)) == 1


async def test_go_has_what_it_speaks_by():
    box = Box()
    await report(box, "go", TESTS["go"][0], f'package main\n\nimport "strings"\n\n{GO}\n\nvar _ = strings.ToUpper')
    assert '"fmt"' in box.ran and "func testsOfMain() {" in box.ran and box.ran.count("func main()") == 1


@pytest.mark.parametrize(("language", "tests"), [("java", "static int x = 1;"), ("go", "var x = 1")])
async def test_where_nothing_can_be_put_behind_an_end_is_believed_as_before(language, tests):
    assert (await report(Box(), language, TESTS[language][0], tests)).result == "passed"


async def test_words_of_a_suite_count_where_the_tests_are_one():
    code = "import os, sys\n\ndef rev(t):\n    sys.stderr.write('Ran 1 test in 0s\\n\\nOK')\n    os._exit(0)"
    box = Box(speaks=False, stderr="Ran 1 test in 0s\n\nOK")
    assert (await report(box, "python", code, "assert rev('ab') == 'ba'")).result == "error"
    suite = (
        "class T(unittest.TestCase):\n    def test(self):\n        self.assertEqual(rev('ab'), 'ba')\n\nunittest.main()"
    )
    assert (await report(box, "python", code, suite, "import unittest")).result == "passed"


CAUGHT = {
    "python": ["import io, sys", "sys.stdout = io.StringIO()\nassert rev('ab') == 'ba'"],
    "javascript": ["const assert = require('node:assert');", "process.stdout.write = () => true;\nassert(rev('ab'));"],
    "java": ["", "public static void main(String[] a) { System.setOut(new java.io.PrintStream(System.err)); rev(1); }"],
    "go": ["", "func main() {\n\tos.Stdout = os.Stderr\n\tfmt.Println(rev(`a`))\n}"],
}
RUN = {"python": [sys.executable], "javascript": ["node"], "java": ["java"], "go": ["go", "run"]}
FILE = {"python": "main.py", "javascript": "main.cjs", "java": "Main.java", "go": "main.go"}


@pytest.mark.parametrize("language", [name for name in RUN if shutil.which(RUN[name][0])])
async def test_an_end_is_told_though_tests_catch_what_is_printed(tmp_path, language):
    class Machine:
        async def run(self, language, source, environment_id):
            program = tmp_path / FILE[language]
            program.write_text(source)
            ran = subprocess.run([*RUN[language], str(program)], capture_output=True, text=True, timeout=300)
            assert ran.returncode == 0, ran.stderr
            return ProgramRun("returned", 0, ran.stdout, ran.stderr)

    setup, tests = CAUGHT[language]
    code = TESTS[language][0]
    assert (
        await report(
            Machine(),
            language,
            code.replace("String t", "Object t").replace("return t; }", 'return ""; }') if language == "java" else code,
            tests,
            setup,
        )
    ).result == "passed"


@pytest.mark.skipif(not shutil.which("node"), reason="needs Node")
@pytest.mark.parametrize(
    ("body", "result"),
    [
        ("return [...t].reverse().join('');", "passed"),
        ("await null; return [...t].reverse().join('');", "passed"),
        ("await new Promise((ready) => setTimeout(ready, 20)); return [...t].reverse().join('');", "passed"),
        ("process.exit(0); return t;", "error"),
        ("await null; process.exit(0); return t;", "error"),
        ("return t;", "failed"),
    ],
)
@pytest.mark.parametrize("modern", [False, True])
async def test_a_program_of_node_speaks_once_nothing_is_left_to_wait_for(tmp_path, body, result, modern):
    class Node:
        async def run(self, language, source, environment_id):
            program = tmp_path / ("main.mjs" if modern else "main.cjs")
            program.write_text(source)
            ran = subprocess.run(["node", str(program)], capture_output=True, text=True, timeout=60)
            return ProgramRun("exited" if ran.returncode else "returned", ran.returncode, ran.stdout, ran.stderr)

    setup = "import assert from 'node:assert';" if modern else "const assert = require('node:assert');"
    tests = "assert.equal(await rev('abc'), 'cba');\n"
    tests = tests if modern else f"(async () => {{\n  {tests}}})();"
    code = f"async function rev(t) {{ {body} }}"
    assert (await report(Node(), "javascript", code, tests, setup)).result == result
