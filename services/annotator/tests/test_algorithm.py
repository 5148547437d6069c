"""Every branch of Algorithm 1, with a scripted model and a scripted sandbox."""

import json
from dataclasses import replace

import pytest

from annotator.domain.execution import CaseRun
from annotator.domain.method import ABLATIONS
from annotator.errors import BadPairError
from annotator.usecases.judging import Judge

# Commands at a terminal have tests of their own.
FULL = replace(ABLATIONS["full"], checker=False, max_commands=0)

MATCH = '{"reason": "it slices backwards", "verdict": "match"}'
NO_MATCH = '{"reason": "it only counts", "verdict": "no_match"}'
UNCLEAR = '{"reason": "must be run", "verdict": "unclear"}'
YES = '{"reason": "the cases pass", "label": 1}'
NO = '{"reason": "the cases fail", "label": 0}'
CASES = json.dumps(
    {
        "interpretation": "returns the text from its end to its start",
        "cases": [{"args": ["abc"], "expected": "cba"}, {"args": [""], "expected": ""}],
    }
)
PROGRAM = json.dumps(
    {
        "interpretation": "counts the layers",
        "setup": "from types import SimpleNamespace",
        "tests": "assert size(SimpleNamespace(layers=[1, 2])) == 2\nassert size(SimpleNamespace(layers=[])) == 0",
    }
)


async def test_clear_match_needs_nobody_else(pair, scripted, fake_sandbox):
    model = scripted(screener=[MATCH])
    record = await Judge(model, fake_sandbox(), FULL).judge(pair)
    assert (record.label, record.decided_by, record.reason) == (1, "screener", "it slices backwards")
    assert model.order == ["screener"]
    assert record.executed is None and not record.self_reported and not record.unclear


async def test_clear_non_match(pair, scripted, fake_sandbox):
    record = await Judge(scripted(screener=[NO_MATCH]), fake_sandbox(), FULL).judge(pair)
    assert (record.label, record.decided_by) == (0, "screener")


async def test_matches_can_be_held_to_a_test(pair, scripted, fake_sandbox, returned):
    method = replace(FULL, trusted="non_matches")
    model = scripted(screener=[MATCH, NO_MATCH], cases=[CASES], arbiter=[NO])
    judge = Judge(model, fake_sandbox(calls=[returned('"abc"', '""')]), method)
    record = await judge.judge(pair)
    assert (record.label, record.decided_by, record.unclear, record.executed) == (0, "arbiter", False, True)
    assert (await judge.judge(pair)).decided_by == "screener"


async def test_non_matches_too(pair, scripted, fake_sandbox, returned):
    model = scripted(screener=[NO_MATCH], cases=[CASES])
    judge = Judge(model, fake_sandbox(calls=[returned('"cba"', '""')]), replace(FULL, trusted="none"))
    record = await judge.judge(pair)
    assert (record.label, record.decided_by) == (1, "execution")


async def test_unclear_plain_function_is_tested_from_outside(pair, scripted, fake_sandbox, returned):
    model = scripted(screener=[UNCLEAR], cases=[CASES])
    sandbox = fake_sandbox(calls=[returned('"cba"', '""')])
    record = await Judge(model, sandbox, FULL).judge(pair)
    assert (record.label, record.decided_by, record.self_reported, record.executed) == (1, "execution", False, True)
    assert record.reading == "returns the text from its end to its start" and record.reading in record.reason
    source, entry_point, inputs, _ = sandbox.called[0]
    assert entry_point == "backwards" and inputs == ('["abc"]', '[""]')
    assert "cba" not in source, "what is expected must never enter the code's sandbox"
    assert "arbiter" not in model.order, "where the evidence is clear nobody can talk it away"
    assert "2 of 2 cases passed" in record.reason
    assert record.assertions == 2


async def test_a_failing_case_is_evidence_and_no_error(pair, scripted, fake_sandbox, returned):
    model = scripted(screener=[UNCLEAR], cases=[CASES], arbiter=[NO])
    record = await Judge(model, fake_sandbox(calls=[returned('"abc"', '""')]), FULL).judge(pair)
    assert record.label == 0 and record.executed is True
    assert model.order == ["screener", "cases", "arbiter"], "a failed case is not repaired away"
    assert "1 failed" in model.shown("arbiter")


async def test_an_exception_of_the_code_is_evidence(pair, scripted, fake_sandbox):
    model = scripted(screener=[UNCLEAR], cases=[CASES], arbiter=[NO])
    runs = [CaseRun("raised", error_type="ValueError", message="bad"), CaseRun("timed_out")]
    record = await Judge(model, fake_sandbox(calls=[runs]), FULL).judge(pair)
    assert record.reports[0].result == "failed"


async def test_checks_run_in_a_sandbox_of_their_own(pair, scripted, fake_sandbox, returned):
    cases = json.dumps(
        {
            "interpretation": "i",
            "cases": [
                {"args": ["ab"], "check": "sorted(result) == sorted(args[0])"},
                {"args": [3], "raises": "TypeError"},
                {"args": ["x"], "expected": "x"},
            ],
        }
    )
    model = scripted(screener=[UNCLEAR], cases=[cases])
    runs = (returned('"ba"')[0], CaseRun("raised", error_type="TypeError", message="not text"), returned('"x"')[0])
    sandbox = fake_sandbox(calls=[runs, returned("true")])
    record = await Judge(model, sandbox, FULL).judge(pair)
    assert record.reports[0].result == "passed" and not record.self_reported
    source, entry_point, inputs, _ = sandbox.called[1]
    assert entry_point == "holds" and "backwards" not in source
    assert inputs == ('[0,["ab"],"ba"]',)


async def test_a_check_that_breaks_teaches_nothing(pair, scripted, fake_sandbox, returned):
    cases = '{"interpretation": "i", "cases": [{"args": ["ab"], "check": "result.nothing"}]}'
    model = scripted(screener=[UNCLEAR], cases=[cases], arbiter=[NO])
    sandbox = fake_sandbox(calls=[returned('"ba"'), [CaseRun("raised", error_type="AttributeError", message="no")]])
    record = await Judge(model, sandbox, replace(FULL, fixer=False)).judge(pair)
    assert record.reports[0].result == "error" and record.executed is False


async def test_a_method_is_tested_by_a_program(method_pair, scripted, fake_sandbox, ended):
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], arbiter=[YES])
    sandbox = fake_sandbox(programs=[ended()])
    record = await Judge(model, sandbox, FULL).judge(method_pair)
    assert record.self_reported and record.executed is True and record.assertions == 2
    source = sandbox.ran[0][0]
    assert source.index("SimpleNamespace") < source.index(method_pair.code) < source.index("assert size")


async def test_separate_sandboxes_can_be_switched_off(pair, scripted, fake_sandbox, ended):
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], arbiter=[YES])
    record = await Judge(model, fake_sandbox(programs=[ended()]), replace(FULL, separate=False)).judge(pair)
    assert model.order == ["screener", "program", "arbiter"] and record.self_reported


async def test_unusable_cases_fall_back_to_a_program(pair, scripted, fake_sandbox, ended, by_name):
    model = scripted(
        screener=[UNCLEAR],
        cases=['{"interpretation": "i", "cases": [{"args": ["a"]}]}'],
        program=[PROGRAM],
        arbiter=[YES],
    )
    record = await Judge(model, fake_sandbox(programs=[ended()]), FULL).judge(pair)
    assert [step.outcome for step in by_name(record)["test_program"]] == ["no cases", "program"]
    assert "it expects nothing" in by_name(record)["test_program"][0].detail


async def test_missing_module_is_installed_before_anybody_is_asked(
    method_pair, scripted, fake_sandbox, ended, preparation, by_name
):
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], arbiter=[YES])
    sandbox = fake_sandbox(
        programs=[ended("exited", "ModuleNotFoundError: No module named 'yaml'", 1), ended()],
        preparations=[preparation("env-1", ("pyyaml==6.0 abc",))],
    )
    record = await Judge(model, sandbox, FULL).judge(method_pair)
    assert sandbox.prepared == [("pyyaml",)]
    assert [environment for _, environment in sandbox.ran] == ["", "env-1"]
    assert by_name(record)["repair"][0].installed == ("pyyaml==6.0 abc",)
    assert record.executed is True and "fix_program" not in model.order


async def test_a_package_that_cannot_be_had_leads_to_the_model(
    method_pair, scripted, fake_sandbox, ended, preparation, by_name
):
    fixed = '{"setup": "class yaml:\\n    pass", "tests": ""}'
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], fix_program=[fixed], arbiter=[NO])
    broken = ended("exited", "ModuleNotFoundError: No module named 'yaml'", 1)
    sandbox = fake_sandbox(programs=[broken, ended()], preparations=[preparation("", problem="no such package")])
    record = await Judge(model, sandbox, FULL).judge(method_pair)
    assert [step.outcome for step in by_name(record)["repair"]] == ["install", "rewritten"]
    assert "no such package" in by_name(record)["repair"][0].detail
    assert record.executed is True


async def test_the_model_rewrites_the_program_and_never_the_code(
    method_pair, scripted, fake_sandbox, ended, preparation
):
    tests = "def size(s):\n    return 1\nassert size(0)"
    fixed = json.dumps({"install": ["pip install numpy", "rm -rf /"], "setup": "from types import *", "tests": tests})
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], fix_program=[fixed], arbiter=[YES])
    sandbox = fake_sandbox(programs=[ended("exited", "NameError: name 'L' is not defined", 1), ended()])
    sandbox.preparations = [preparation("env-2")]
    await Judge(model, sandbox, FULL).judge(method_pair)
    assert sandbox.prepared == [("numpy",)], "only package names are taken from a model"
    assert method_pair.code in sandbox.ran[1][0] and sandbox.ran[1][1] == "env-2"
    assert "NameError" in model.shown("fix_program")
    assert "return 1" not in sandbox.ran[1][0], "nor are expectations"


async def test_tries_are_bounded(method_pair, scripted, fake_sandbox, ended, by_name):
    fixes = [json.dumps({"setup": f"number = {number}"}) for number in range(5)]
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], fix_program=fixes, arbiter=[NO])
    broken = [ended("exited", "TypeError: no", 1) for _ in range(9)]
    record = await Judge(model, fake_sandbox(programs=broken), replace(FULL, max_tries=3)).judge(method_pair)
    assert len(by_name(record)["repair"]) == 3 and len(by_name(record)["execution"]) == 4
    assert record.executed is False and record.label == 0


async def test_a_fixer_without_ideas_is_not_asked_again(method_pair, scripted, fake_sandbox, ended, by_name):
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], fix_program=["{}"], arbiter=[NO])
    record = await Judge(model, fake_sandbox(programs=[ended("timed_out")]), FULL).judge(method_pair)
    assert [step.outcome for step in by_name(record)["repair"]] == ["unchanged"]
    assert len(by_name(record)["execution"]) == 1


async def test_fixer_nonsense_ends_the_repairs(method_pair, scripted, fake_sandbox, ended, by_name):
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], fix_program=["I am sorry"], arbiter=[NO])
    record = await Judge(model, fake_sandbox(programs=[ended("timed_out")]), FULL).judge(method_pair)
    assert by_name(record)["repair"][0].outcome == "nonsense"


async def test_cases_are_repaired_when_none_could_be_called(pair, scripted, fake_sandbox, returned, by_name):
    wrong = (
        '{"interpretation": "i", "cases": [{"args": ["ab", 1], "expected": "ba"}, {"args": ["c", 1], "expected": "c"}]}'
    )
    right = '{"interpretation": "i", "cases": [{"args": ["ab"], "expected": "ba"}, {"args": ["c"], "expected": "c"}]}'
    model = scripted(screener=[UNCLEAR], cases=[wrong], fix_cases=[right])
    miscalled = CaseRun(
        "raised", error_type="TypeError", message="backwards() takes 1 positional argument but 2 were given"
    )
    sandbox = fake_sandbox(calls=[[miscalled] * 2, returned('"ba"', '"c"')])
    record = await Judge(model, sandbox, FULL).judge(pair)
    assert by_name(record)["repair"][0].outcome == "rewritten" and record.executed is True
    assert not record.self_reported
    assert sandbox.called[1][2] == ('["ab"]', '["c"]') and record.decided_by == "execution"


async def test_without_a_fixer_an_error_stays(method_pair, scripted, fake_sandbox, ended):
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], arbiter=[NO])
    method = replace(ABLATIONS["executor"], checker=False)
    record = await Judge(model, fake_sandbox(programs=[ended("memory")]), method).judge(method_pair)
    assert model.order == ["screener", "program", "arbiter"] and record.executed is False


async def test_a_failed_assertion_is_a_result(method_pair, scripted, fake_sandbox, ended):
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], arbiter=[NO])
    trace = 'Traceback (most recent call last):\n  File "main.py", line 9, in <module>\n    assert x\nAssertionError'
    record = await Judge(model, fake_sandbox(programs=[ended("exited", trace, 1)]), FULL).judge(method_pair)
    assert record.reports[0].result == "failed" and record.executed is True
    assert "fix_program" not in model.order


async def test_single_model(pair, scripted, fake_sandbox):
    model = scripted(single=[YES])
    record = await Judge(model, fake_sandbox(), replace(ABLATIONS["single"], checker=False)).judge(pair)
    assert (record.label, record.decided_by, model.order) == (1, "single", ["single"])


async def test_screener_and_arbiter_alone(pair, scripted, fake_sandbox):
    model = scripted(screener=[UNCLEAR], arbiter=[YES])
    record = await Judge(model, fake_sandbox(), replace(ABLATIONS["screener_arbiter"], checker=False)).judge(pair)
    assert model.order == ["screener", "arbiter"] and record.unclear
    assert "no usable test" in model.shown("arbiter")


async def test_generator_without_execution(pair, scripted, fake_sandbox):
    model = scripted(screener=[UNCLEAR], cases=[CASES], arbiter=[YES])
    record = await Judge(model, fake_sandbox(), replace(ABLATIONS["generator"], checker=False)).judge(pair)
    assert record.executed is None and "It was not run" in model.shown("arbiter")


async def test_simulated_execution_is_called_so(pair, scripted, fake_sandbox):
    simulated = '{"report": "both hold", "outcome": "passed"}'
    model = scripted(screener=[UNCLEAR], cases=[CASES], simulate=[simulated], arbiter=[YES])
    record = await Judge(model, fake_sandbox(), replace(ABLATIONS["simulated"], checker=False)).judge(pair)
    assert "nothing ran" in model.shown("arbiter")
    assert record.executed is None and not record.self_reported
    assert "assert ident1(*['abc']) == 'cba'" in model.shown("simulate"), "its author's names are not shown"


async def test_simulation_nonsense_is_no_report(pair, scripted, fake_sandbox, by_name):
    model = scripted(screener=[UNCLEAR], cases=[CASES], simulate=["hm"], arbiter=[YES])
    record = await Judge(model, fake_sandbox(), replace(ABLATIONS["simulated"], checker=False)).judge(pair)
    assert by_name(record)["execution"][0].outcome == "nonsense" and not record.reports


async def test_several_interpretations_are_tested_separately(pair, scripted, fake_sandbox, returned, by_name):
    readings = '{"interpretations": ["letters in reverse order", "words in reverse order", "letters in reverse order"]}'
    words = '{"interpretation": "i", "cases": [{"args": ["ab cd"], "expected": "cd ab"}]}'
    model = scripted(screener=[UNCLEAR], interpretations=[readings], cases=[CASES, words])
    sandbox = fake_sandbox(calls=[returned('"cba"', '""'), returned('"dc ba"')])
    record = await Judge(model, sandbox, replace(FULL, interpretations=3)).judge(pair)
    assert [step.interpretation for step in by_name(record)["execution"]] == [1, 2]
    assert (record.label, record.decided_by, record.reading) == (1, "execution", "letters in reverse order")
    assert record.evidence == "mixed" and len(record.reports) == 2


async def test_without_a_reading_that_holds_the_arbiter_reads_them_all(pair, scripted, fake_sandbox, returned):
    readings = '{"interpretations": ["letters in reverse order", "words in reverse order"]}'
    words = '{"interpretation": "i", "cases": [{"args": ["ab cd"], "expected": "cd ab"}]}'
    model = scripted(screener=[UNCLEAR], interpretations=[readings], cases=[CASES, words], arbiter=[NO])
    sandbox = fake_sandbox(calls=[returned('"abc"', '""'), returned('"ab cd"')])
    record = await Judge(model, sandbox, replace(FULL, interpretations=3)).judge(pair)
    shown = model.shown("arbiter")
    assert "letters in reverse order" in shown and "words in reverse order" in shown
    assert (record.label, record.evidence) == (0, "failed")
    assert record.reading == "letters in reverse order; words in reverse order", "it is no answer under either"


async def test_without_readings_the_generator_chooses(pair, scripted, fake_sandbox, returned, by_name):
    model = scripted(screener=[UNCLEAR], interpretations=["?"], cases=[CASES], arbiter=[YES])
    sandbox = fake_sandbox(calls=[returned('"cba"', '""')])
    record = await Judge(model, sandbox, replace(FULL, interpretations=2)).judge(pair)
    assert by_name(record)["interpretations"][0].outcome == "nonsense"
    assert record.label == 1


async def test_screener_nonsense_leaves_the_pair_unclear(pair, scripted, fake_sandbox, returned, by_name):
    model = scripted(screener=["Sure! Here is"], cases=[CASES], arbiter=[YES])
    record = await Judge(model, fake_sandbox(calls=[returned('"cba"', '""')]), FULL).judge(pair)
    screener = by_name(record)["screener"][0]
    assert screener.outcome == "unclear" and screener.detail.startswith("nonsense")
    assert screener.exchanges[0].answer == "Sure! Here is", "nonsense is kept word by word"
    assert record.unclear


async def test_generator_nonsense_leaves_the_arbiter_without_tests(pair, scripted, fake_sandbox, by_name):
    model = scripted(screener=[UNCLEAR], cases=["no"], program=["no"], arbiter=[NO])
    record = await Judge(model, fake_sandbox(), FULL).judge(pair)
    assert [step.outcome for step in by_name(record)["test_program"]] == ["nonsense", "nonsense"]
    assert record.executed is None and record.decided_by == "arbiter"


@pytest.mark.parametrize("tests", ["print(size(1))", "The assertions check the size.", "size(1)"])
async def test_a_program_that_asserts_nothing_is_no_test(method_pair, scripted, fake_sandbox, by_name, tests):
    program = json.dumps({"interpretation": "i", "tests": tests})
    model = scripted(screener=[UNCLEAR], program=[program], arbiter=[NO])
    record = await Judge(model, fake_sandbox(), FULL).judge(method_pair)
    assert by_name(record)["test_program"][0].detail == "the tests hold no assertion"
    assert record.executed is None and record.assertions == 0


async def test_a_repair_cannot_take_the_assertions_out(method_pair, scripted, fake_sandbox, ended, by_name):
    model = scripted(screener=[UNCLEAR], program=[PROGRAM], fix_program=['{"tests": "pass"}'], arbiter=[NO])
    record = await Judge(model, fake_sandbox(programs=[ended("timed_out")]), FULL).judge(method_pair)
    assert (by_name(record)["repair"][0].outcome, len(by_name(record)["execution"])) == ("unchanged", 1)


async def test_arbiter_nonsense_is_no_judgement(pair, scripted, fake_sandbox):
    method = replace(ABLATIONS["screener_arbiter"], checker=False)
    record = await Judge(scripted(screener=[UNCLEAR], arbiter=["maybe"]), fake_sandbox(), method).judge(pair)
    assert (record.label, record.decided_by) == (None, "default"), "what nobody could tell is no zero"
    assert "no agent gave a usable judgement" in record.reason


async def test_a_language_that_the_sandbox_lacks(pair, scripted, fake_sandbox, by_name):
    php = replace(pair, code="function f($x) { return strrev($x); }", language="php")
    model = scripted(screener=[UNCLEAR], cases=[CASES], arbiter=[YES])
    record = await Judge(model, fake_sandbox(), FULL).judge(php)
    assert by_name(record)["execution"][0].outcome == "unavailable" and record.executed is None


async def test_checker_has_its_own_label(pair, scripted, fake_sandbox, by_name):
    model = scripted(screener=[MATCH], checker=[NO])
    record = await Judge(model, fake_sandbox(), ABLATIONS["full"]).judge(pair)
    assert (record.label, record.audit) == (1, 0), "the audit does not overwrite the label"
    assert by_name(record)["checker"][0].outcome == "disagrees"
    assert "it slices backwards" in model.shown("checker")


async def test_checker_reads_tests_and_reports(pair, scripted, fake_sandbox, returned):
    model = scripted(screener=[UNCLEAR], cases=[CASES], arbiter=[YES], checker=[YES])
    record = await Judge(model, fake_sandbox(calls=[returned('"cba"', '""')]), ABLATIONS["full"]).judge(pair)
    assert record.audit == 1
    assert '"expected": "cba"' in model.shown("checker") and "2 of 2 cases passed" in model.shown("checker")
    assert record.decided_by == "execution"


async def test_checker_nonsense_is_no_audit(pair, scripted, fake_sandbox, by_name):
    model = scripted(screener=[MATCH], checker=["fine"])
    record = await Judge(model, fake_sandbox(), ABLATIONS["full"]).judge(pair)
    assert record.audit is None and by_name(record)["checker"][0].outcome == "nonsense"


@pytest.mark.parametrize("field", ["query", "code", "language"])
async def test_nothing_to_judge(pair, scripted, fake_sandbox, field):
    bad = replace(pair, **{field: " "})
    with pytest.raises(BadPairError, match=pair.pair_id):
        await Judge(scripted(), fake_sandbox(), FULL).judge(bad)


@pytest.mark.parametrize(("field", "most"), [("query", 2_000), ("code", 20_000)])
async def test_what_no_model_could_be_shown_is_judged_by_nobody(pair, scripted, fake_sandbox, field, most):
    with pytest.raises(BadPairError, match=f"{most + 1:,} characters, and {most:,} are judged at most"):
        await Judge(scripted(), fake_sandbox(), FULL).judge(replace(pair, **{field: "x" * (most + 1)}))


async def test_long_code_is_shown_in_part(pair, scripted, fake_sandbox):
    model = scripted(screener=[MATCH])
    long = replace(pair, code=pair.code + "\n# filler" * 2000)
    await Judge(model, fake_sandbox(), FULL).judge(long)
    assert "characters left out" in model.shown("screener") and len(model.shown("screener")) < 8000
