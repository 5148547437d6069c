"""A check that breaks on a result: whose fault that is, values of other kinds tell."""

import dataclasses
import json

import pytest

from annotator.domain.execution import CaseRun
from annotator.domain.method import ABLATIONS
from annotator.domain.pair import Pair
from annotator.ports import Asked
from annotator.usecases.cases import accept
from annotator.usecases.forms import ProposedCase
from annotator.usecases.judging import Judge
from touchstone_values import decode, encode

METHOD = dataclasses.replace(ABLATIONS["full"], checker=False, max_commands=0, max_tries=0)
QUERY = "first word of a text, and an empty text where there is none"
WORDS = [{"args": ["a b"], "expected": "a"}, {"args": ["c d"], "expected": "c"}]
NOTHING = "def first(text):\n    parts = text.split()\n    return parts[0] if parts else None"
RIGHT = "def first(text):\n    parts = text.split()\n    return parts[0] if parts else ''"


class Reader:
    """Finds everything unclear but what is known, and the pair in question wrong."""

    def __init__(self, cases):
        self.cases = cases
        self.asked = []

    def signature(self):
        return "reader"

    async def ask(self, prompt, form, *, max_tokens, query="", code="", **values):
        self.asked.append(prompt)
        other = "number + 7" in code
        label = int(other and "twice a number" in query)
        cases = [] if other else self.cases
        verdict = ("no_match", "match")[label] if other or "twice" in query else "unclear"
        answer = {"reason": "", "label": label, "verdict": verdict, "interpretation": "i", "cases": cases}
        return Asked(form.model_validate(answer), "", prompt, ())


class Machine:
    """Runs functions and checks for what they are."""

    def __init__(self):
        self.checked = 0

    async def speaks(self, language):
        return True

    async def call(self, language, source, entry_point, inputs, environment_id, nothing_returned=False):
        scope = {}
        exec(source, scope)
        self.checked += entry_point == "holds"
        return tuple(ended(scope[entry_point], text) for text in inputs)


def ended(function, text):
    try:
        return CaseRun("returned", encode(function(*decode(text))))
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError) as error:
        return CaseRun("raised", error_type=type(error).__name__, message=str(error))


async def judged(code, *cases):
    model = Reader([*cases])
    box = Machine()
    return await Judge(model, box, METHOD).judge(Pair("p", "q", QUERY, "f", code)), model, box


def results(record):
    return [case.result for case in record.reports[-1].cases]


EMPTY = [("", "len(result) == 0"), ("  ", "result.strip() == ''"), ("", "isinstance(result, str) or result.strip()")]


@pytest.mark.parametrize(("text", "check"), EMPTY)
async def test_a_result_of_the_wrong_kind_on_which_a_check_breaks_is_a_failure_of_the_code(text, check):
    last = {"args": [text], "check": check}
    wrong, model, _ = await judged(NOTHING, *WORDS, last)
    assert results(wrong) == ["passed", "passed", "failed"] and wrong.evidence == "failed"
    assert (wrong.label, wrong.decided_by) == (0, "arbiter") and "arbiter_v1" in model.asked
    assert "returned null, which is not of the kind that its check is about" in wrong.reports[-1].cases[-1].detail
    right, model, box = await judged(RIGHT, *WORDS, last)
    assert (right.label, right.decided_by) == (1, "execution") and "arbiter_v1" not in model.asked
    assert box.checked == 2, "no more is asked where no check breaks"


# A check, and results that answer the query as well as any other.
BROKEN = [
    ("result.nothing", "'ab'"),
    ("sorted(result, 1) == []", "'ab'"),
    ("re.match(result)", "'ab'"),
    ("len(result) == 2 and result.keys()", "[1, 4]"),
    ("not result or result.nothing", "'ab'"),
    ("result is None or result.nothing", "5"),
    ("result == [] or result.nothing", "[1, 4]"),
    ("all(each.is_square() for each in result)", "[1, 4]"),
    ("1 / result > 0", "0"),
    # Whoever gives nothing for this call may be right.
    ("result[0] > 3", "[]"),
    ("result.sort() is None", "(3, 1)"),
    ("result.bit_length() == 2", "3.0"),
    ("result['count'] == 2", "{'number': 2}"),
]


@pytest.mark.parametrize(("check", "value"), BROKEN)
async def test_a_check_that_is_broken_itself_is_no_failure_of_the_code_and_proves_nothing(check, value):
    code = f"def first(text):\n    return {value} if text == 'x' else text.split()[0]"
    record, model, _ = await judged(code, *WORDS, {"args": ["x"], "check": check})
    assert results(record) == ["passed", "passed", "error"] and record.evidence == "passed"
    assert record.decided_by == "arbiter" and "arbiter_v1" in model.asked, "somebody must weigh what was left out"


# A check, and results that its own words leave no room for.
OF_ANOTHER_KIND = [
    ("result.isupper()", "['A']"),
    ("result[0].isupper()", "7"),
    ("all(each.isupper() for each in result)", "[1, 4]"),
    ("int(result) == 5", "'abc'"),
    ("sum(result) == 3", "'abc'"),
    ("result[0] == 'a'", "{'a': 1}"),
    ("result['count'] == 2", "None"),
]


@pytest.mark.parametrize(("check", "value"), OF_ANOTHER_KIND)
async def test_what_the_check_or_the_other_cases_are_about_tells_the_kind(check, value):
    code = f"def first(text):\n    return {value} if text == 'x' else {{'count': len(text)}}"
    cases = [{"args": [text], "expected": {"count": len(text)}} for text in ("ab", "abc")]
    record, _, _ = await judged(code, *cases, {"args": ["x"], "check": check})
    assert results(record) == ["passed", "passed", "failed"], record.reports[-1].cases[-1]


async def test_a_test_of_broken_checks_alone_teaches_nothing():
    record, _, _ = await judged(RIGHT, {"args": ["a"], "check": "result.nothing"})
    assert results(record) == ["error"] and record.executed is False and record.evidence == "none"


@pytest.mark.parametrize(
    ("check", "names"),
    [
        ("np.isclose(result, 1)", "np"),
        ("isinstance(result, str) or json.loads(result) == wanted", "json, wanted"),
        ("all(x > 0 for x in result) and (y := len(result)) and math.isclose(y, args[0])", ""),
        ("sorted(result, key=lambda pair: pair[1]) == [k for k, v in result]", ""),
    ],
)
def test_a_check_names_nothing_that_is_not_there(check, names):
    kept, dropped = accept([ProposedCase(args=[1], check=check)])
    assert (len(kept), len(dropped)) == ((0, 1) if names else (1, 0))
    assert not names or dropped == (f"case 0: its check names what nothing defines: {names}",)


def test_results_that_are_no_values_can_be_asked_about():
    from annotator.domain.checks import misfit

    assert misfit("{no value", [('"ab"', True)]) and not misfit("{no value", [('""', True), ("null", True)])
    assert json.loads(encode((1, 2)))["$"] == "tuple" and not misfit(encode((1, 2)), [("[3,4]", True)])
