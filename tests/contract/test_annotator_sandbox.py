"""The annotator's tests in a real sandbox; the model's answers are given, everything else is real."""

import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import grpc
import pytest

from annotator.adapters.sandbox import GrpcSandbox, SandboxLimits
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.program import Case, DataTest
from annotator.domain.subject import examine
from annotator.ports import Asked, Weighed
from annotator.usecases.judging import Judge
from annotator.usecases.trials import Trials

pytestmark = pytest.mark.real

START_S = 60.0
METHOD = replace(ABLATIONS["full"], checker=False)


class Answers:
    """Gives one answer for each prompt."""

    def __init__(self, **answers):
        self.answers = {
            "screener": {"reason": "", "verdict": "unclear"},
            "arbiter": {"reason": "", "label": 1},
            # Nothing to try, where no test says otherwise.
            "terminal": {"command": ""},
            **answers,
        }

    def signature(self):
        return "given"

    async def weigh(self, prompt, choices, **values):
        return Weighed(None, 0.0, prompt, ())

    async def ask(self, prompt, form, *, max_tokens, **values):
        answer = self.answers[prompt.removesuffix("_v1")]
        if isinstance(answer, list):
            answer = answer.pop(0) if answer else {}
        return Asked(form.model_validate(answer), "", prompt, ())


@pytest.fixture(scope="module")
def executor():
    """A sandbox-executor of our own; gives its address."""
    with tempfile.TemporaryDirectory(prefix="annotator-") as folder:
        address = f"unix:{folder}/s"
        command = [sys.executable, "-m", "sandbox_executor", "serve", "--listen", address, "--no-broker"]
        with Path(folder, "log").open("wb") as log:
            # What is missing stays so, whatever a mirror would have.
            away = {**os.environ, "GOPROXY": "off"}
            process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, env=away)
        try:
            with grpc.insecure_channel(address) as channel:
                grpc.channel_ready_future(channel).result(START_S)
            yield address
        finally:
            process.terminate()
            process.wait(60)


@pytest.fixture
async def sandbox(executor):
    async with grpc.aio.insecure_channel(executor) as channel:
        yield GrpcSandbox(channel, SandboxLimits(case_timeout_s=5.0, program_timeout_s=20.0))


async def judged(sandbox, code, **answers):
    pair = Pair("p", "q", "query", "f", code)
    return await asyncio.wait_for(Judge(Answers(**answers), sandbox, METHOD).judge(pair), 600)


def results(record):
    return [case.result for case in record.reports[-1].cases]


async def test_cases_are_compared_outside(sandbox):
    cases = [
        {"args": [["b", "a"]], "expected": ["a", "b"]},
        {"args": [["b", "a"]], "check": "result == sorted(args[0]) and len(result) == 2"},
        {"args": [["a"]], "expected": ["b"]},
        {"args": [[{"$": "tuple", "v": [2]}, 1]], "raises": "TypeError"},
        {"args": [[]], "check": "result[0] == 1"},
    ]
    record = await judged(
        sandbox,
        "def order(xs: List[str]):\n    return tuple(sorted(xs))",
        cases={"interpretation": "i", "cases": cases},
    )
    assert results(record) == ["passed", "failed", "failed", "passed", "error"], record.reports
    assert record.executed is True and not record.self_reported


async def test_a_result_cannot_pretend_to_be_equal(sandbox):
    code = (
        "class Same(str):\n    def __eq__(self, other):\n        return True\n    __hash__ = str.__hash__\n\n"
        "def order(xs):\n    return Same('x')"
    )
    record = await judged(sandbox, code, cases={"interpretation": "i", "cases": [{"args": [[]], "expected": "y"}]})
    assert results(record) != ["passed"] and not record.self_reported


async def test_scaffolding_is_found_without_a_model(sandbox):
    code = "def total(xs):\n    return np.sum(xs) + len(re.findall('a', 'aa')) + sum(xrange(1))"
    record = await judged(
        sandbox, code, cases={"interpretation": "i", "cases": [{"args": [[1, 2]], "check": "int(result) == 5"}]}
    )
    assert results(record) == ["passed"], record.reports


async def test_programs(sandbox):
    code = "def size(self):\n    return len(self.layers)"
    program = {
        "interpretation": "i",
        "setup": "from types import SimpleNamespace",
        "tests": "assert size(SimpleNamespace(layers=[1])) == 1\nprint('all done')",
    }
    record = await judged(sandbox, code, program=program)
    assert record.reports[-1].result == "passed" and record.self_reported
    assert "all done" in record.reports[-1].output
    program["tests"] = "assert size(SimpleNamespace(layers=[1])) == 2"
    assert (await judged(sandbox, code, program=program)).reports[-1].result == "failed"


async def test_an_error_is_repaired(sandbox):
    code = "def size(self):\n    return len(self.layers)"
    program = {"interpretation": "i", "setup": "", "tests": "assert size(SimpleNamespace(layers=[1])) == 1"}
    fixed = {"setup": "from types import SimpleNamespace"}
    record = await judged(sandbox, code, program=program, fix_program=fixed)
    assert [step.outcome for step in record.steps if step.name == "execution"] == ["error", "passed"]
    assert json.loads(record.to_bytes())["steps"][2]["report"]["detail"].startswith("exited: NameError")


async def test_a_test_is_repaired_by_commands(sandbox):
    """Inspect, try to cheat, edit: in a real session, and the test then runs in a sandbox of its own."""
    code = "def size(self):\n    return len(self.layers)"
    program = {"interpretation": "i", "setup": "", "tests": "assert size(SimpleNamespace(layers=[1])) == 1"}
    lines = [
        "cat tests.py && ls",
        "sed -i 's/== 1/== 7/' tests.py && sed -i 's/len(self.layers)/7/' code.py",
        "echo 'from types import SimpleNamespace' > setup.py",
    ]
    method = replace(METHOD, max_commands=3)
    answers = Answers(program=program, fix_program={}, terminal=[{"command": line} for line in lines])
    record = await Judge(answers, sandbox, method).judge(Pair("p", "q", "query", "f", code))
    found = [step for step in record.steps if step.name == "repair" and step.detail.startswith("$")]
    assert [step.outcome for step in found] == ["command", "command", "edited"], [step.detail for step in found]
    assert "assert size" in found[0].detail and "setup.py" in found[0].detail
    assert [step.outcome for step in record.steps if step.name == "execution"] == ["error", "passed"]
    source = [step.source for step in record.steps if step.name == "execution"][-1]
    assert source.count("== 1") == 1 and "len(self.layers)" in source


async def test_two_runs_give_the_same_record(sandbox):
    code = "def size(self):\n    return self.layers"
    program = {"interpretation": "i", "setup": "", "tests": "print(object())\nassert size(object())"}
    fixed = {"setup": "import time\ntime.sleep(0.05)", "tests": "print(object(), time.sleep)\nraise KeyError(object())"}
    first = await judged(sandbox, code, program=program, fix_program=fixed)
    second = await judged(sandbox, code, program=program, fix_program=fixed)
    assert first.to_bytes() == second.to_bytes()


async def test_endless_code_is_a_result(sandbox):
    code = "def spin(x):\n    while True:\n        pass"
    record = await judged(sandbox, code, cases={"interpretation": "i", "cases": [{"args": [1], "expected": 1}]})
    assert record.reports[-1].cases[0].outcome == "timed_out" and record.reports[-1].result == "failed"


@pytest.fixture(scope="module")
def plants():
    path = Path(__file__).parents[1] / "bench" / "annotation_planted.py"
    spec = importlib.util.spec_from_file_location("annotation_planted", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["annotation_planted"] = module
    spec.loader.exec_module(module)
    return module


async def test_tests_that_prove_nothing_are_not_believed(sandbox, plants):
    """One wrong code with a test of each kind; the bench plants them for every one."""
    chosen = [plant for plant in plants.planted() if plant[1].name == "" and plant[1].pair_id == "p-turn"]
    records = await plants.judged(sandbox, chosen)
    assert len(records) > 20 and not [kind for kind, record in records if plants.accepted(record)]
    assert not any(record.label for _, record in records)


async def test_sound_tests_are_believed(sandbox, plants):
    records = await plants.judged(sandbox, plants.sound()[:6])
    assert all(plants.accepted(record) for _, record in records)


async def test_an_exception_of_the_code_is_its_failure_in_a_program_too(sandbox):
    code = "def size(self):\n    return len(self.layers) / 0"
    program = {
        "interpretation": "i",
        "setup": "from types import SimpleNamespace",
        "tests": "assert size(SimpleNamespace(layers=[1])) == 1",
    }
    record = await judged(sandbox, code, program=program)
    assert record.reports[-1].result == "failed" and "ZeroDivisionError" in record.reports[-1].detail
    assert record.executed is True and record.evidence == "failed"
    program["tests"] = "assert size(SimpleNamespace()) == 1"
    record = await judged(sandbox, code, program=program, fix_program={})
    assert record.reports[-1].result == "error", "what the test's stand-in lacks is no failure of the code"


async def test_code_that_ends_the_program_has_not_passed(sandbox):
    code = "def size(self):\n    raise SystemExit(0)"
    program = {"interpretation": "i", "setup": "", "tests": "assert size(1) == 1"}
    record = await judged(sandbox, code, program=program, fix_program={})
    assert record.reports[-1].result == "error" and record.evidence == "none"


async def test_a_test_that_a_sibling_passes_does_not_tell_them_apart(sandbox):
    class Pool:
        async def siblings(self, pair, limit):
            code = (
                "def biggest(values):\n    best = 0\n    for v in values:\n        best = max(best, v)\n    return best"
            )
            return [Pair("p2", "q2", "largest of a list", "f2", code)]

    cases = {"interpretation": "i", "cases": [{"args": [[1, 2]], "expected": 2}, {"args": [[3, 4]], "expected": 4}]}
    pair = Pair("p", "q", "last of a list", "f", "def last(xs):\n    return xs[-1]")
    record = await Judge(Answers(cases=cases), sandbox, METHOD, Pool()).judge(pair)
    assert record.evidence == "none" and "biggest" in next(s for s in record.steps if s.name == "trial").detail
    cases["cases"].append({"args": [[9, 5]], "expected": 5})
    record = await Judge(Answers(cases=cases), sandbox, METHOD, Pool()).judge(pair)
    assert (record.label, record.decided_by) == (1, "execution")


TESTS = {
    "php": "assert(rev('ab') === 'ba');",
    "java": 'public static void main(String[] given) { if (!T.rev("ab").equals("ba")) throw new AssertionError(); }',
}
# What is missing, and a code that cannot run without it: some lack it as they load, some as they are called.
NEEDING = [
    (
        "go",
        "github.com/google/uuid",
        'import "github.com/google/uuid"\n\nfunc Rev(s string) string { return uuid.NewString() }',
    ),
    (
        "go",
        "golang.org/x/exp/slices",
        'import (\n\t"golang.org/x/exp/slices"\n\t"strings"\n)\n\nfunc Rev(s string) string {\n'
        '\tp := strings.Split(s, "")\n\tslices.Reverse(p)\n\treturn strings.Join(p, "")\n}',
    ),
    (
        "go",
        "gopkg.in/yaml.v3",
        'import "gopkg.in/yaml.v3"\n\nfunc Rev(s string) string {\n'
        "\tout, _ := yaml.Marshal(s)\n\treturn string(out)\n}",
    ),
    (
        "php",
        "Ramsey\\Uuid\\Uuid",
        "use Ramsey\\Uuid\\Uuid;\n\nfunction rev(string $s): string { return Uuid::uuid4() . strrev($s); }",
    ),
    (
        "php",
        "GuzzleHttp\\Psr7\\stream_for",
        "function rev($s) { return strrev((string) \\GuzzleHttp\\Psr7\\stream_for($s)); }",
    ),
    ("php", "vendor/autoload.php", "require_once 'vendor/autoload.php';\n\nfunction rev($s) { return strrev($s); }"),
    (
        "php",
        "Psr\\Log\\LoggerInterface",
        "class Log implements \\Psr\\Log\\LoggerInterface {}\n\nfunction rev($s) { return strrev($s); }",
    ),
    (
        "php",
        "Carbon\\Traits\\Date",
        "class Day { use \\Carbon\\Traits\\Date; }\n\nfunction rev($s) { return strrev($s); }",
    ),
    (
        "java",
        "org.yaml",
        "import org.yaml.snakeyaml.Yaml;\n\nclass T { static String rev(String s) { return new Yaml().dump(s); } }",
    ),
]


# Compilers say the same of both; PHP has words of its own for a program that ends so.
WAYS = {"go": ("cases",), "java": ("a program",), "php": ("cases", "a program")}


@pytest.mark.parametrize(
    ("language", "module", "code", "by"),
    [pytest.param(*each, by, id=f"{each[1]} by {by}") for each in NEEDING for by in WAYS[each[0]]],
)
async def test_a_code_that_cannot_run_for_want_of_a_module_is_undecided_by_its_name(
    sandbox, language, module, code, by
):
    """Neither the arbiter's word on what it reads, nor the exception that the missing module brought about."""
    cases = [{"args": ["ab"], "expected": "ba"}] if by == "cases" else []
    given = Answers(
        cases={"interpretation": "i", "cases": cases},
        program={"interpretation": "i", "setup": "", "tests": TESTS.get(language, "")},
        fix_cases={"cases": [], "setup": "", "install": []},
        fix_program={"setup": "", "tests": "", "install": []},
    )
    pair = Pair("p", "q", "reverse a text", "f", code, language)
    record = await asyncio.wait_for(Judge(given, sandbox, METHOD).judge(pair), 600)
    assert record.label is None and record.decided_by == "default", record.reports
    assert record.reason == f"nothing could be run: the module {module} is missing"


UNPORTABLE = {
    "python": "def f(x):\n    return {'a': x}.keys()",
    "javascript": "function f(x) {\n  return () => x;\n}",
    "php": "function f($x) {\n    return fn() => $x;\n}",
    "java": "static Object f(int x) {\n    return new Object();\n}",
    "go": "func f(x int) func() int {\n\treturn func() int { return x }\n}",
}


@pytest.mark.parametrize("language", UNPORTABLE)
async def test_a_result_without_portable_form_is_told_from_what_a_code_raises(sandbox, language):
    assert await sandbox.speaks(language)
    subject = examine(Pair("p", "q", "query", "f", UNPORTABLE[language], language))
    test = DataTest("", "", (Case("[1]", "check", "len(result) == 1"), Case("[1]", "raises", "Exception")))
    execution = await Trials(sandbox).execute(subject, test, "")
    assert [case.result for case in execution.report.cases] == ["error", "failed"], execution.report
    assert execution.report.cases[0].detail.startswith("no portable form"), execution.report


async def test_what_the_sandbox_lacks_is_no_failure(sandbox):
    code = (
        "import json, socket, subprocess, urllib.request\n\ndef f(what):\n"
        "    if what == 'page':\n        return urllib.request.urlopen('http://example.com').read()\n"
        "    if what == 'name':\n        return socket.gethostbyname('example.com')\n"
        "    if what == 'git':\n        return subprocess.check_output(['no-such-program', '--version'])\n"
        "    if what == 'file':\n        return open('/nowhere/at/all').read()\n"
        "    if what == 'disk':\n        return open('/usr/written', 'w').write('x')\n"
        "    if what == 'line':\n        return input()\n"
        "    return json.loads(what)"
    )
    lacking = ("page", "name", "git", "file", "disk", "line")
    cases = [{"args": [what], "check": "len(result) > 1000000"} for what in lacking]
    cases += [{"args": ["{"], "raises": "ValueError"}, {"args": ["{"], "raises": "KeyError"}]
    record = await judged(sandbox, code, cases={"interpretation": "i", "cases": cases})
    assert results(record) == ["error"] * len(lacking) + ["passed", "failed"], record.reports
