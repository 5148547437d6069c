"""What the code under test offers, what a test says, and how foreign text is shown."""

import ast
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotator.domain.dependencies import import_for, missing_module, package_for, requirements_in
from annotator.domain.execution import CaseRun, ProgramRun, describe, judge_cases, judge_program
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.domain.program import (
    Case,
    DataTest,
    ProgramTest,
    assertions_in,
    checks_of,
    is_expression,
    portable,
    program_of,
    source_of,
)
from annotator.domain.subject import examine
from annotator.domain.text import clipped, fenced, steady
from annotator.domain.training import TrainingRow, in_batches, training_lines
from annotator.usecases.cases import accept
from annotator.usecases.forms import Decision, Form, ProposedCase, ProposedCases, Screening


def subject(code, language="python", **more):
    return examine(Pair("p", "q", "query", "f", code, language, **more))


class TestSubject:
    def test_plain_function(self):
        found = subject("def add(a: int, b=2) -> int:\n    return a + b")
        assert found.plain and found.entry_point == "add"
        assert found.signature == "def add(a: int, b=2) -> int"

    @pytest.mark.parametrize(
        ("code", "obstacle"),
        [
            ("def f(self, a):\n    return a", "method"),
            ("def f(cls):\n    return cls", "method"),
            ("async def f(a):\n    return a", "asynchronous"),
            ("def f(a):\n    yield a", "generator"),
            ("@app.route('/')\ndef f(a):\n    return a", "decorated with app.route"),
            ("print 'x'", "no Python 3"),
            ("class A:\n    pass", "no function"),
        ],
    )
    def test_obstacles(self, code, obstacle):
        found = subject(code)
        assert not found.plain and obstacle in found.obstacle

    def test_inner_generator_is_no_obstacle(self):
        assert subject("def f(a):\n    def g():\n        yield a\n    return list(g())").plain

    def test_indented_code_is_dedented(self):
        assert subject("    def f(a):\n        return a\n").code.startswith("def f")

    def test_named_function_is_taken(self):
        assert subject("def one(a):\n    return a\n\ndef two(a):\n    return a", name="one").entry_point == "one"
        assert subject("def _h(a):\n    return a\n\ndef two(a):\n    return _h(a)").entry_point == "two"
        assert subject("def two(a):\n    return _h(a)\n\ndef _h(a):\n    return a").entry_point == "two"

    def test_well_known_names_are_imported(self):
        found = subject("def f(a):\n    return np.mean(re.findall('x', a)) + mystery(a)")
        assert set(found.imports) == {"import numpy as np", "import re"}
        assert found.undefined == ("mystery",)

    def test_imports_of_the_file_win(self):
        found = subject(
            "def f(a):\n    return json.dumps(a, other)",
            file_imports=("import simplejson as json", "from . import other"),
        )
        assert found.imports == ("import simplejson as json",)
        assert found.undefined == ("other",), "a relative import leads nowhere outside its package"

    def test_annotations_need_no_import(self):
        assert subject("def f(a: List[np.ndarray]) -> Weird:\n    return a").imports == ()

    def test_module_and_class_datetime(self):
        assert import_for("datetime", "datetime.datetime.now()") == "import datetime"
        assert import_for("datetime", "datetime.now()") == "from datetime import datetime"

    @pytest.mark.parametrize(
        ("language", "code", "entry"),
        [
            ("javascript", "export function rev(s) { return s }", "rev"),
            ("typescript", "function rev<T>(s: T[]): T[] { return s }", "rev"),
            ("go", "func Rev(s string) string { return s }", "Rev"),
            ("php", "function rev($s) { return strrev($s); }", "rev"),
            ("java", "static String rev(String s) { return s; }", "rev"),
            ("go", "func (t *T) Rev(s string) string { return s }", "Rev"),
            ("java", "int count = 3;", ""),
        ],
    )
    def test_other_languages(self, language, code, entry):
        found = subject(code, language)
        assert found.entry_point == entry and found.plain == bool(entry)


class TestPrograms:
    def test_python_program_is_one_module(self):
        found = subject("from __future__ import division\ndef half(a: Undefined):\n    return a / n")
        text = program_of(found, ProgramTest("", "from __future__ import annotations\nn = 2", "assert half(4) == 2"))
        space: dict = {}
        exec(compile(text, "program", "exec"), space)
        assert space["half"](6) == 3

    def test_code_stands_unchanged(self):
        code = "def f(a):\n    return a  # kept"
        assert code in source_of(subject(code), "x = 1")

    @pytest.mark.parametrize("language", ["javascript", "typescript", "java", "go", "php"])
    def test_order_in_every_language(self, language):
        code = "<?php function f($a) { return $a; }" if language == "php" else "int f(int a) { return a; }"
        text = program_of(subject(code, language), ProgramTest("", "SETUP", "TESTS"))
        assert text.index("SETUP") < text.index("return") < text.index("TESTS")
        assert text.count("<?php") == (1 if language == "php" else 0)

    def test_java_method_gets_a_class(self):
        assert "public class Main {" in program_of(subject("int f() { return 1; }", "java"), ProgramTest("", "", "T"))
        own = subject("public class A { int f() { return 1; } }", "java")
        whole = program_of(own, ProgramTest("", "", "public class Main { }"))
        assert whole.count("Main") == 1, "tests that bring their class get no second one"
        assert "class MainTest {" in program_of(own, ProgramTest("", "", "static void main(String[] a) {}"))

    def test_checks_say_true_or_false(self):
        cases = DataTest("", "", (Case("[1]", "value", "1"), Case("[[2, 1]]", "check", "result == sorted(args[0])")))
        space: dict = {}
        exec(compile(checks_of(cases), "checks", "exec"), space)
        assert space["holds"](1, [[2, 1]], [1, 2]) is True
        assert space["holds"](1, [[2, 1]], [2, 1]) is False

    def test_a_comment_behind_a_check_ends_with_it(self):
        checks = ("result == 'b'  # turned round", "len(result) == 1")
        cases = DataTest("", "", tuple(Case("[1]", "check", text) for text in checks))
        space: dict = {}
        exec(compile(checks_of(cases), "checks", "exec"), space)
        assert [space["holds"](place, [1], "b") for place in (0, 1)] == [True, True]

    @pytest.mark.parametrize(
        ("text", "good"),
        [
            ("result > 0", True),
            ("len(result) == len(args[0])", True),
            ("True", False),
            ("", False),
            ("result = 1", False),
            ("result\nimport os", False),
            ("result" + " + 1" * 200, False),
            ("(result", False),
            ("result), (lambda: 1", False),
            ("await result", False),
            ("(yield result)", False),
            ("[x async for x in result]", False),
        ],
    )
    def test_checks_are_single_expressions(self, text, good):
        assert is_expression(text) is good

    def test_assertions_are_counted(self):
        assert (
            assertions_in(ProgramTest("", "", "assert a\nfor x in y:\n    assert x\nself.assertEqual(1, 2)"), "python")
            == 3
        )
        assert assertions_in(ProgramTest("", "", "assert.equal(1, f(1))"), "javascript") == 1
        assert assertions_in(ProgramTest("", "", "not python ("), "python") == 0
        assert assertions_in(None, "python") == 0


class TestCases:
    def test_one_argument_may_be_given_bare(self):
        assert ProposedCase.model_validate({"args": "abc", "expected": 1}).args == ["abc"]

    def test_null_can_be_expected(self):
        kept, _ = accept([ProposedCase.model_validate({"args": [1], "expected": None})])
        assert kept == (Case("[1]", "value", "null"),)

    def test_null_beside_a_check_is_no_expectation(self):
        kept, _ = accept([ProposedCase.model_validate({"args": [1], "expected": None, "check": "result > 1"})])
        assert kept[0].kind == "check"

    def test_tagged_forms_are_understood(self):
        kept, _ = accept([ProposedCase(args=[{"$": "tuple", "v": [1]}], expected=10**30)])
        assert json.loads(kept[0].arguments)[0]["$"] == "tuple"
        assert json.loads(kept[0].expected)["$"] == "int"

    def test_what_cannot_be_used_is_dropped_with_a_reason(self):
        proposed = [
            ProposedCase(args=[1]),
            ProposedCase(args=[1], check="import os"),
            ProposedCase(args={"$": "set", "v": [1]}, expected=1),
            ProposedCase(args=[{"$": "nonsense"}], expected=1),
            ProposedCase(args=["x" * 30_000], expected=1),
            ProposedCase(args=[5], expected=1),
            ProposedCase(args=[5], expected=2),
            ProposedCase(args=[5], expected=1),
        ]
        kept, dropped = accept(proposed)
        assert len(kept) == 1 and len(dropped) == 6

    def test_number_of_cases_is_bounded(self):
        kept, dropped = accept([ProposedCase(args=[number], expected=number) for number in range(20)])
        assert len(kept) == 8 and len(dropped) == 1

    @given(
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
            lambda inner: (
                st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1, max_size=3), inner, max_size=3)
            ),
        )
    )
    def test_every_json_value_has_a_portable_form(self, value):
        from touchstone_values import decode

        assert decode(portable(value)) == value


class TestReports:
    TEST = DataTest("", "", (Case("[1]", "value", "2.0"), Case("[2]", "raises", "ValueError")))

    def test_portable_comparison(self):
        runs = (CaseRun("returned", "2.0000000001"), CaseRun("raised", error_type="builtins.ValueError", message="no"))
        assert judge_cases(self.TEST, runs, {}).result == "passed"

    def test_returning_instead_of_raising_fails(self):
        report = judge_cases(self.TEST, (CaseRun("returned", "2"), CaseRun("returned", "1")), {})
        assert report.result == "failed" and "instead of raising ValueError" in report.cases[1].detail

    def test_scaffolding_errors_teach_nothing(self):
        runs = tuple(CaseRun("raised", error_type="ModuleNotFoundError", message="No module named 'cv2'") for _ in "ab")
        report = judge_cases(DataTest("", "", (Case("[1]", "value", "2"),) * 2), runs, {})
        assert report.result == "error" and report.missing == "cv2"

    def test_code_that_does_not_load(self):
        report = judge_cases(self.TEST, (CaseRun("compile_error", message="bad"),) * 2, {})
        assert report.result == "error" and not report.self_reported

    def test_malformed_results_fail(self):
        report = judge_cases(self.TEST, (CaseRun("returned", "{not json"), CaseRun("killed")), {})
        assert [case.result for case in report.cases] == ["failed", "failed"]

    @pytest.mark.parametrize(
        ("run", "result"),
        [
            (ProgramRun("returned"), "passed"),
            (ProgramRun("exited", 1, stderr="Traceback\nAssertionError: 1 != 2"), "failed"),
            (ProgramRun("exited", 1, stderr="panic: assertion failed: Rev\n\ngoroutine 1 [running]:"), "failed"),
            (
                ProgramRun(
                    "exited", 1, stderr="E\n======\nAssertionError: 1\n------\nRan 3 tests in 0.1s\nFAILED (failures=1)"
                ),
                "failed",
            ),
            (ProgramRun("exited", 1, stderr="NameError: name 'x' is not defined"), "error"),
            (
                ProgramRun(
                    "exited", 1, stderr="AssertionError\nDuring handling\n\n\n\n\n\n\nKeyError: 1\na\nb\nc\nd\ne"
                ),
                "error",
            ),
            (ProgramRun("timed_out"), "error"),
            (ProgramRun("compile_error", detail="line 1"), "error"),
        ],
    )
    def test_programs(self, run, result):
        assert judge_program(run).result == result
        assert judge_program(run).self_reported

    def test_reports_are_the_same_on_every_run(self):
        one = ProgramRun("exited", 1, stderr="KeyError: <A object at 0x7f001122> after 0.31s in /tmp/a1b2/main.py")
        two = ProgramRun("exited", 1, stderr="KeyError: <A object at 0x55998877> after 1.70s in /tmp/zz99/main.py")
        assert judge_program(one) == judge_program(two)
        assert describe(judge_program(one), 500) == describe(judge_program(two), 500)


class TestDependencies:
    def test_packages_by_module(self):
        assert (package_for("PIL"), package_for("some_thing")) == ("pillow", "some-thing")
        assert missing_module("ModuleNotFoundError: No module named 'a.b'") == "a"
        assert missing_module("KeyError: 'x'") == ""

    @pytest.mark.parametrize(
        "evil",
        ["--index-url http://x", "-r requirements.txt", "git+https://x/y", "../x", "a b; rm", "install numpy please",
         "numpy @ http://x", "-e .", "'; ls'", "x" * 200],
    )  # fmt: skip
    def test_only_names_are_taken(self, evil):
        assert requirements_in([evil]) == ()

    def test_pip_lines_are_understood(self):
        words = ["pip install -q numpy pandas==2.0", "python -m pip install --index-url http://evil attrs", "attrs"]
        assert requirements_in(words) == ("numpy", "pandas==2.0", "attrs")


class TestText:
    @given(st.text(), st.integers(2, 50))
    def test_clipping_keeps_both_ends(self, text, limit):
        short = clipped(text, limit)
        if len(text) <= limit:
            assert short == text
        else:
            assert short.startswith(text[: limit // 2]) and short.endswith(text[-(limit // 2) :])

    @given(st.text("`ab\n", max_size=40))
    def test_a_fence_cannot_be_closed_from_inside(self, text):
        lines = fenced(text).split("\n")
        fence = lines[0]
        assert set(fence) == {"`"} and lines[-1] == fence
        assert not any(line.strip().startswith(fence) for line in lines[1:-1])

    @given(st.text())
    def test_steady_text_stays(self, text):
        assert steady(steady(text)) == steady(text)


class TestForms:
    @pytest.mark.parametrize(
        ("word", "verdict"), [("Match", "match"), (1, "match"), ("0.5", "unclear"), (False, "no_match")]
    )
    def test_verdicts_in_other_words(self, word, verdict):
        assert Screening(reason="", verdict=word).verdict == verdict

    @pytest.mark.parametrize(("word", "label"), [("1", 1), (True, 1), ("no", 0), ("match", 1), (0, 0)])
    def test_labels_in_other_words(self, word, label):
        assert Decision.model_validate({"reason": "", "label": word}).label == label

    @pytest.mark.parametrize("word", ["unclear", "2", None, 0.5])
    def test_what_is_no_label(self, word):
        with pytest.raises(ValueError):
            Decision.model_validate({"reason": "", "label": word})

    def test_schemas_are_short(self):
        assert len(json.dumps(Screening.model_json_schema())) < 220
        assert "title" not in json.dumps(ProposedCases.model_json_schema())

    def test_a_field_may_be_called_title(self):
        class Titled(Form):
            title: str

        assert Titled.model_json_schema()["properties"] == {"title": {"type": "string"}}


def test_ablations_are_those_of_the_paper():
    assert list(ABLATIONS) == ["single", "screener_arbiter", "generator", "executor", "simulated", "full"]
    assert [method.fixer for method in ABLATIONS.values()] == [False] * 5 + [True]


async def test_training_rows_appear_once():
    async def rows():
        for row in (TrainingRow("q", "c\n", 1), TrainingRow("q", "c\n", 1), TrainingRow("ü", "c", 0)):
            yield row

    batches = [batch async for batch in in_batches(training_lines(rows()), 1)]
    assert [len(batch) for batch in batches] == [1, 1]
    lines = [line for batch in batches for line in batch]
    assert [json.loads(line)["label"] for line in lines] == [1, 0]
    assert all("\n" not in line for line in lines)


def test_domain_imports_nothing_that_does_io():
    import annotator.domain as domain

    folder = domain.__path__[0]
    from pathlib import Path

    for file in Path(folder).glob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            assert not {name.split(".")[0] for name in names if name} & {"os", "time", "random", "pydantic", "asyncio"}
