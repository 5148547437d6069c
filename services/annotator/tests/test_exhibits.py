"""What people are shown of tests: all of them, as they ran, and nothing that a model thinks of the pair."""

from dataclasses import replace

import pytest

from annotator.domain.execution import CaseReport, Report
from annotator.domain.method import ABLATIONS
from annotator.domain.program import Case, DataTest, ProgramTest
from annotator.domain.record import Record, Step
from annotator.domain.review import Review
from annotator.errors import NotYoursError
from annotator.rpc import AnnotatorServicer, to_message
from annotator.usecases.exhibits import Exhibits, contents_of
from annotator.usecases.labelling import Labelling, summary
from annotator.usecases.reviewing import ReviewDesk
from touchstone.annotator.v1 import annotator_pb2 as pb

CASES = DataTest("turned round", "import re", (Case('["ab"]', "value", '"ba"'), Case("[[]]", "check", "not result")))
RUNS = (
    CaseReport('["ab"]', '"ba"', "passed", "returned"),
    CaseReport("[[]]", "not result", "failed", "returned", "no list"),
)
SEEN = Report("failed", "1 of 2 cases passed", RUNS)
PROGRAM = ProgramTest("turned round", "", "assert f('ab') == 'ba'")
STEPS = (
    Step("screener", "unclear", "it may well be right"),
    Step("test_program", "2 cases", "turned round", 1, test=CASES),
    Step("execution", "failed", SEEN.detail, 1, report=SEEN),
    Step("repair", "rewritten", "", 1, test=PROGRAM),
    Step("execution", "simulated passed", "I think so", 1, report=replace(SEEN, simulated=True)),
    Step("arbiter", "1", "it does"),
)


@pytest.fixture
async def stored(labels, records, pair):
    record = Record(pair, ABLATIONS["full"], "full-1", STEPS, 1, "it does", "arbiter")
    return await labels.add(summary(record, await records.put(record.to_bytes())))


@pytest.fixture
def desk(reviews, labels, records, announcer):
    return ReviewDesk(reviews, labels, records, announcer, Exhibits(records))


async def test_a_reviewer_sees_tests_and_runs_case_by_case_and_no_thought(desk, stored):
    servicer = AnnotatorServicer(*[None] * 6, desk, None, None, None)
    shown = (await servicer.GetNextReview(pb.GetNextReviewRequest(reviewer="ada"), None)).pair
    assert [(step.name, step.outcome) for step in shown.tests] == [
        ("test_program", "2 cases"), ("execution", "failed"), ("repair", "rewritten"),
    ]  # fmt: skip
    cases, run, program = (step.content for step in shown.tests)
    assert cases == 'import re\n\n{"args": ["ab"], "expected": "ba"}\n{"args": [[]], "check": "not result"}'
    assert "2. arguments [[]]: failed; no list" in run and program == PROGRAM.tests
    assert "think" not in str(shown) and "it does" not in str(shown) and "may well" not in str(shown)


async def test_who_decides_between_two_sees_them_too(desk, stored):
    for name, opinion in (("ada", "yes"), ("ben", "no")):
        await desk.add(Review(stored.pair.pair_id, name, opinion))
    shown, _ = await desk.next_dispute("cleo")
    assert shown.steps[3].content == PROGRAM.tests


async def test_who_looks_at_one_pair_sees_them_and_lists_stay_short(stored, labels, records, announcer):
    [found] = await Labelling(None, labels, records, announcer, exhibits=Exhibits(records)).find(stored.pair.pair_id)
    assert to_message(found).steps[1].content.startswith("import re") and to_message(found).steps[4].content == ""
    assert {step.content for step in (await labels.newest(1))[0].steps} == {""}


async def test_without_its_record_a_pair_is_shown_all_the_same(desk, stored, records):
    records.blobs.clear()
    assert await desk.next_pair("ada") == stored
    assert contents_of(b'{"steps": [{"report": {"odd": 1}}]}') == contents_of(b"[]") == contents_of(b"x") == []


@pytest.mark.parametrize("again", ["Ada Lovelace", " ada  lovelace ", "ＡＤＡ lovelace"])
async def test_nobody_is_two_reviewers_however_the_name_is_written(desk, stored, labels, again):
    pair_id = stored.pair.pair_id
    assert await desk.add(Review(pair_id, "ada lovelace", "yes")) == "waiting"
    assert await desk.add(Review(pair_id, again, "yes")) == "waiting" and await desk.next_pair(again) is None
    assert labels.current()[pair_id].decided_by == "arbiter"
    await desk.add(Review(pair_id, "ben", "no"))
    with pytest.raises(NotYoursError):
        await desk.adjudicate(Review(pair_id, again, "yes"))
    assert await desk.next_dispute(again) is None
