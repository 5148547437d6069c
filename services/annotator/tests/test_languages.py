"""Functions and methods of other languages, found by their text, and programs put together from them."""

from dataclasses import replace

import pytest

from annotator.domain.assembly import target_of
from annotator.domain.declarations import blanked, declarations
from annotator.domain.dependencies import how_to_install, installed_by, missing_module
from annotator.domain.execution import CaseRun, ProgramRun, judge_program
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.program import lines_of_code, source_of
from annotator.domain.subject import examine
from annotator.usecases.judging import Judge

METHOD = replace(ABLATIONS["full"], checker=False, max_commands=0)
UNCLEAR = '{"reason": "must be run", "verdict": "unclear"}'
NO = '{"reason": "nothing was learnt", "label": 0}'


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


@pytest.mark.parametrize(
    ("path", "used", "kept"),
    [
        ("unicode/utf16", "utf16.IsSurrogate('a')", True),
        ("math/rand/v2", "rand.IntN(3)", True),
        ("gopkg.in/yaml.v3", "yaml.Marshal(1)", True),
        ("github.com/x/go-thing", "thing.Of(1)", True),
        ("github.com/x/y", "strings.ToUpper(s)", False),
    ],
)
def test_an_import_of_go_is_kept_where_its_package_is_used(path, used, kept):
    for head in (f'import "{path}"', f'import (\n\t"{path}"\n)'):
        text = source_of(subject(f"{head}\n\nfunc f(s string) {{ _ = {used} }}", "go"), "")
        assert (f'"{path}"' in text) is kept, text


@pytest.mark.parametrize("words", [
    'Class "A\\B" not found', 'Interface "A\\B" not found', "Failed opening required 'a.php' (include_path='.')",
    "Call to undefined function a()",
])  # fmt: skip
def test_what_php_lacks_is_no_failure_of_the_code(words):
    stderr = (
        f"PHP Fatal error:  Uncaught Error: {words} in /work/candidate.php:6\nStack trace:\n"
        "#0 /work/candidate.php(9): rev('ab')\n#1 {main}\n  thrown in /work/candidate.php on line 6"
    )
    for text in (stderr, stderr.removeprefix("PHP ")):
        run = ProgramRun("exited", 255, "", text)
        assert judge_program(run, range(5, 8)).result == "error"
    own = stderr.replace(f"Error: {words}", "RuntimeException: no such thing")
    assert judge_program(ProgramRun("exited", 255, "", own), range(5, 8)).result == "failed"


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
        ("a.ts(1,20): error TS2307: Cannot find module 'left-pad' or its corresponding type declarations.", "left-pad"),
        ("Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'lodash' imported from /work/main.mjs", "lodash"),
        ("Error: Cannot find module 'lodash/fp'", "lodash"),
        ("Error: Cannot find module './helper'", ""),
        ("Error: Cannot find module '/work/helper'", ""),
        ("error: package org.apache.commons.lang3 does not exist", "org.apache.commons.lang3"),
        ("main.go:3:8: no required module provides package github.com/x/y: go.mod file not found", "github.com/x/y"),
        ('Uncaught Error: Interface "Psr\\Log\\LoggerInterface" not found', "Psr\\Log\\LoggerInterface"),
        ("Call to undefined function GuzzleHttp\\Psr7\\stream_for()", "GuzzleHttp\\Psr7\\stream_for"),
        ("Call to undefined function helper()", ""),
        ("Failed opening required 'vendor/autoload.php' (include_path='.')", "vendor/autoload.php"),
        ("Failed opening required 'helper.php' (include_path='.')", ""),
        ("all is well", ""),
    ],
)  # fmt: skip
def test_missing_modules_are_recognised(words, module):
    assert missing_module(words) == module


LACKS = CaseRun("raised", error_type="Error", message="Cannot find module 'yaml'")
CASES = '{"interpretation": "i", "cases": [{"args": ["ab"], "expected": "ba"}]}'


def using(language):
    codes = {
        "javascript": "const yaml = require('yaml');\nfunction rev(s) { return yaml.parse(s); }",
        "typescript": "import yaml from 'yaml';\nfunction rev(s: string): string { return yaml.parse(s); }",
        "java": "import org.yaml.Yaml;\nclass A { static String rev(String s) { return new Yaml().of(s); } }",
        "go": "func rev(s string) string { return yaml.Of(s) }",
        "php": "<?php\nfunction rev($s) { return Yaml::of($s); }",
    }
    return Pair("p", "q", "reverse a text", "f", codes[language], language)


@pytest.mark.parametrize("language", ["javascript", "typescript"])
async def test_a_module_of_javascript_is_installed_under_its_own_name(
    scripted, fake_sandbox, returned, preparation, language
):
    """By Python's table the module `yaml` would come from a package of another name, which somebody else may own."""
    model = scripted(screener=[UNCLEAR], cases=[CASES], arbiter=[NO])
    calls = [[LACKS], returned('"ba"')]
    sandbox = fake_sandbox(calls, (), [preparation("js1", ("yaml==2.0.0 sha512-x",))], languages=(language,))
    record = await Judge(model, sandbox, METHOD).judge(using(language))
    assert sandbox.prepared == [("yaml",)] and [call[3] for call in sandbox.called[:2]] == ["", "js1"]
    installs = [step for step in record.steps if step.outcome == "install"]
    assert installs[0].detail == "the module yaml is missing; installed yaml"
    assert installs[0].installed == ("yaml==2.0.0 sha512-x",)


async def test_where_nothing_can_be_installed_the_record_names_the_module_and_says_so(scripted, fake_sandbox):
    fix = '{"cases": [], "setup": "", "install": ["org.yaml", "composer require x", "npm install y"]}'
    model = scripted(screener=[UNCLEAR], cases=[CASES], fix_cases=[fix], arbiter=[NO])
    broken = CaseRun("raised", "", "Error", 'Class "orgYaml" not found')
    sandbox = fake_sandbox([[broken]] * 3, languages=("php",))
    record = await Judge(model, sandbox, METHOD).judge(using("php"))
    assert sandbox.prepared == []
    lacked = next(step.detail for step in record.steps if step.outcome == "install")
    assert lacked == "the module orgYaml is missing, and no packages can be installed for php"


async def test_a_module_of_go_is_installed_by_the_path_that_the_compiler_names(
    scripted, fake_sandbox, returned, preparation
):
    words = "candidate.go:2:16: could not import example.test/yaml/v3 (not in the standard library)"
    model = scripted(screener=[UNCLEAR], cases=[CASES], arbiter=[NO])
    calls = [[CaseRun("compile_error", message=words)], returned('"ba"')]
    box = fake_sandbox(calls, (), [preparation("go1", ("example.test/yaml/v3==v3.0.1 h1:x",))], languages=("go",))
    record = await Judge(model, box, METHOD).judge(using("go"))
    assert box.prepared == [("example.test/yaml/v3",)] and [call[3] for call in box.called[:2]] == ["", "go1"]
    assert next(step for step in record.steps if step.outcome == "install").installed


async def test_a_package_of_go_without_a_server_s_name_is_nobody_s(scripted, fake_sandbox):
    fix = '{"cases": [], "setup": "", "install": ["yaml", "go get ./...", "npm install y"]}'
    model = scripted(screener=[UNCLEAR], cases=[CASES], fix_cases=[fix], arbiter=[NO])
    broken = CaseRun("compile_error", message="main.go:3:8: package internal/yaml is not in std")
    box = fake_sandbox([[broken]] * 3, languages=("go",))
    record = await Judge(model, box, METHOD).judge(using("go"))
    assert box.prepared == [] and record.reason == "nothing could be run: the module internal/yaml is missing"


@pytest.mark.parametrize(
    ("imported", "words", "wanted", "said"),
    [
        ("org.json.JSONObject", "The import org.json cannot be resolved", [("org.json:json",)],
         "installed org.json:json"),
        # What the compiler names is only how the name begins: the import statement has the rest.
        ("com.google.gson.Gson", "The import com.google cannot be resolved", [("com.google.code.gson:gson",)],
         "installed com.google.code.gson:gson"),
        ("org.yaml.Yaml", "The import org.yaml cannot be resolved", [], "and no package is known that brings it"),
    ],
)  # fmt: skip
async def test_an_archive_of_java_is_installed_where_one_is_known_for_the_import(
    scripted, fake_sandbox, returned, preparation, imported, words, wanted, said
):
    code = f"import {imported};\nclass A {{ static String rev(String s) {{ return s; }} }}"
    pair = Pair("p", "q", "reverse a text", "f", code, "java")
    fix = '{"cases": [], "setup": "", "install": ["org.yaml", "composer require x"]}'
    model = scripted(screener=[UNCLEAR], cases=[CASES], fix_cases=[fix], arbiter=[NO])
    broken = [CaseRun("compile_error", message=words)]
    calls = [broken, returned('"ba"')] if wanted else [broken] * 3
    sandbox = fake_sandbox(calls, (), [preparation("jv1", ("x==1",))] if wanted else [], languages=("java",))
    record = await Judge(model, sandbox, METHOD).judge(pair)
    assert sandbox.prepared == wanted
    assert next(step.detail for step in record.steps if step.outcome == "install").endswith(said)


@pytest.mark.parametrize(
    ("language", "line", "found"),
    [
        ("javascript", "npm install lodash@4.17.21 --save && node x.js", ("lodash@4.17.21",)),
        ("typescript", "$ yarn add @scope/pack ./local git+ssh://x", ("@scope/pack",)),
        ("javascript", "npm i --registry http://evil lodash", ("lodash",)),
        ("javascript", "npm install evil@npm:other evil@latest", ()),
        ("javascript", "pip install lodash", ()),
        ("python", "npm install lodash", ()),
        ("java", "mvn install x", ()),
        ("java", "mvn -q dependency:get -Dartifact=org.json:json:20240303", ("org.json:json:20240303",)),
        ("java", "mvn dependency:get -DremoteRepositories=http://evil -Dartifact=a.b:c", ("a.b:c",)),
        ("java", "mvn dependency:get -Dartifact=a:b:LATEST", ()),
        ("go", "go get -u example.test/x/y@v1.2.3 && go build", ("example.test/x/y@v1.2.3",)),
        (
            "go",
            "go get example.test/x/y@latest example.test/x/z@main ./... https://example.test/x",
            ("example.test/x/y",),
        ),
        ("go", "go run example.test/x/y", ()),
        ("go", "go install -x.test/y", ()),
        ("php", "composer require x/y", ()),
    ],
)
def test_a_command_installs_by_the_tool_of_its_language(language, line, found):
    assert installed_by(line, language) == found
    assert bool(how_to_install(language)) == (language != "php")
