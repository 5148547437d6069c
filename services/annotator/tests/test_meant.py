"""Results of languages that cannot tell two values apart, against expectations in plain JSON."""

import json
import time

import pytest

from annotator.domain.execution import CaseRun, judge_cases
from annotator.domain.meant import difference, only_named
from annotator.domain.pair import Pair
from annotator.domain.program import Case, DataTest
from annotator.domain.subject import examine
from annotator.domain.trial import prepare_trial, weakness
from annotator.usecases.trials import Trials

# Language, expected, returned: the same value as far as the language can say it.
MEANT = [
    ("php", "{}", "[]"),
    ("php", '{"a":{}}', '{"a":[]}'),
    ("php", '[{},{"a":[]}]', '[[],{"a":[]}]'),
    ("php", '{"2":2,"1":1}', '{"$":"map","v":[[2,2],[1,1]]}'),
    ("php", '{"0":1,"1":{}}', "[1,[]]"),
    ("php", '{"x":{}}', '{"$":"record","name":"P","fields":[["x",[]]]}'),
    ("python", '{"2":[{"1":0}]}', '{"$":"map","v":[[2,{"$":"tuple","v":[{"$":"map","v":[[1,0]]}]}]]}'),
    ("java", '{"-1":1,"a":2}', '{"$":"map","v":[[-1,1],["a",2]]}'),
    ("python", '{"1":2}', '{"$":"counter","v":[[1,2]]}'),
    ("go", "[]", "null"),
    ("go", '{"a":{}}', '{"a":null}'),
]
OTHER = [
    ("php", "[]", "{}"),
    ("php", '{"1":1}', "[1]"),
    ("php", "{}", "[1]"),
    ("php", '{"a":1}', '{"$":"map","v":[[2,1]]}'),
    ("php", "null", "[]"),
    ("php", "{}", "null"),
    ("python", "{}", "[]"),
    ("python", "[]", "null"),
    ("python", '{"1":1}', '{"$":"map","v":[[1,1],["1",2]]}'),
    ("python", '{"1.5":1}', '{"$":"map","v":[[1.5,1]]}'),
    ("python", '{"True":1}', '{"$":"map","v":[[true,1]]}'),
    ("javascript", "{}", "{not json"),
    ("go", "[1]", "null"),
]
# What plain JSON has no name for: its content is what is expected.
NAMED = [
    ("python", "[2,1]", '{"$":"set","v":[1,2]}'),
    ("java", "[[2,1]]", '[{"$":"frozenset","v":[1,2]}]'),
    ("python", '{"a":[1]}', '{"a":{"$":"set","v":[1]}}'),
    ("python", '"YWI="', '{"$":"bytes","v":"WVdJPQ=="}'),
    ("python", "[97,98]", '{"$":"bytearray","v":"YWI="}'),
    ("python", '"2024-01-02T00:00:00"', '{"$":"datetime","v":"2024-01-02T00:00:00","zone":null,"fold":0}'),
    ("python", '"2024-01-02 00:00:00"', '{"$":"datetime","v":"2024-01-02T00:00:00","zone":null,"fold":0}'),
    ("python", '["2024-01-02"]', '{"$":"tuple","v":[{"$":"date","v":"2024-01-02"}]}'),
    ("python", '"Jan 2, 2024"', '{"$":"date","v":"2024-01-02"}'),
    ("python", '"01:02"', '{"$":"time","v":"01:02:00","zone":null,"fold":0}'),
    ("python", "[1,2]", '{"$":"complex","v":[1.0,2.0]}'),
    ("python", '"1 day"', '{"$":"timedelta","v":[1,0,0]}'),
    ("python", '"a"', '{"$":"path","v":"a","pure":false}'),
    ("python", '{"1":["a"]}', '{"$":"map","v":[[1,{"$":"set","v":["a"]}]]}'),
    ("php", "[2,4]", '{"$":"map","v":[[1,2],[3,4]]}'),
]
UNLIKE = [
    ("python", "[1]", '{"$":"set","v":[1,2]}'),
    ("python", "[1,1,2]", '{"$":"set","v":[1,2]}'),
    ("python", '"YWI"', '{"$":"bytes","v":"WVdJPQ=="}'),
    ("python", '"2024-01-03"', '{"$":"date","v":"2024-01-02"}'),
    ("python", "20240102", '{"$":"date","v":"2024-01-02"}'),
    ("python", "[2,4]", '{"$":"map","v":[[1,2],[3,4]]}'),
    ("php", "[4,2]", '{"$":"map","v":[[1,2],[3,4]]}'),
    ("python", "[2,1]", "[1,2]"),
]


@pytest.mark.parametrize(("language", "expected", "returned"), NAMED)
def test_what_no_json_names_neither_passes_nor_fails_where_its_content_is_expected(language, expected, returned):
    test = DataTest("", "", (Case("[1]", "value", expected),))
    report = judge_cases(test, (CaseRun("returned", returned),), {}, "f", language)
    # No repair of the test can name it.
    assert report.result == "error" and report.untold


@pytest.mark.parametrize(("language", "expected", "returned"), UNLIKE)
def test_another_content_fails_under_whatever_name(language, expected, returned):
    test = DataTest("", "", (Case("[1]", "value", expected),))
    assert judge_cases(test, (CaseRun("returned", returned),), {}, "f", language).result == "failed"


@pytest.mark.parametrize(("language", "expected", "returned"), MEANT)
def test_what_a_language_cannot_tell_apart_is_what_was_expected(language, expected, returned):
    assert difference(expected, returned, language) is None
    test = DataTest("", "", (Case("[1]", "value", expected),))
    assert judge_cases(test, (CaseRun("returned", returned),), {}, "f", language).result == "passed"


@pytest.mark.parametrize(("language", "expected", "returned"), OTHER)
def test_another_value_is_another_value(language, expected, returned):
    assert difference(expected, returned, language) is not None


def test_a_test_that_any_empty_result_passes_is_weak_in_that_language():
    test = DataTest("", "", (Case("[1]", "value", "{}"), Case("[2]", "value", "{}")))
    runs = (CaseRun("returned", "[]"),) * 2
    php = examine(Pair("p", "q", "query", "f", "function f($x) { return []; }", "php", "f"))
    assert weakness(test, php, prepare_trial(test, runs), {})


@pytest.mark.parametrize("expected", ["null", "[]"])
async def test_the_sandbox_is_told_that_some_call_returns_nothing(expected):
    told = []

    class Box:
        async def call(self, language, source, entry_point, inputs, environment_id, nothing_returned=False):
            told.append(nothing_returned)
            return tuple(CaseRun("returned", expected) for _ in inputs)

    go = examine(Pair("p", "q", "query", "f", "func f(x int) []int { return nil }", "go", "f"))
    execution = await Trials(Box()).execute(go, DataTest("", "", (Case("[1]", "value", expected),)), "")
    assert told == [expected == "null"] and execution.report.result == "passed"


@pytest.mark.parametrize(
    ("expected", "held", "told"),
    [
        (range(-400, 0), range(40_000), False),
        (range(-3_000, 0), range(3_000), False),
        (range(3_000), range(2_999, -1, -1), True),
        ([2.0, 1.0, None], [None, 1.0000000001, 2.0], True),
        ([], [], True),
    ],
)
def test_large_sets_are_held_against_lists_in_time(expected, held, told):
    began = time.process_time()
    actual = json.dumps({"$": "set", "v": list(held)})
    assert only_named(json.dumps(list(expected)), actual, "python") is told
    assert time.process_time() - began < 5
