"""Kafka and gRPC in, settings, metrics."""

import json

import pytest
from prometheus_client import REGISTRY

from annotator import metrics
from annotator.adapters.announcer import event_of
from annotator.adapters.exporters import EXPORTERS
from annotator.domain.method import ABLATIONS
from annotator.domain.pool_budget import PoolBudget, Spending
from annotator.domain.training import TrainingRow
from annotator.errors import BadRequestError, UnknownPairError
from annotator.handlers import take_proposed
from annotator.ports import StepSummary
from annotator.ports.waiting import WaitingState
from annotator.rpc import AnnotatorServicer, pair_on_demand
from annotator.settings import AnnotatorSettings
from annotator.usecases.exhibits import Exhibits
from annotator.usecases.importing import LabelImport
from annotator.usecases.judging import Judge
from annotator.usecases.labelling import Labelling
from annotator.usecases.on_demand import OnDemand
from annotator.usecases.releases import ReleaseDesk
from annotator.usecases.reviewing import ReviewDesk
from annotator.usecases.verify_releases import Verifier
from annotator.usecases.waiting import PoolWork
from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone_contracts.events import Function, PairProposed, SourceRef
from touchstone_runtime.errors import PreconditionError
from touchstone_runtime.gate import NotAllowedError, caller
from touchstone_runtime.retry import RetryPolicy
from touchstone_runtime.tokens import Token

MATCH = '{"reason": "it slices backwards", "verdict": "match"}'
NO = '{"reason": "too narrow", "label": 0}'


@pytest.fixture
def labelling(scripted, fake_sandbox, labels, records, announcer):
    model = scripted(screener=[MATCH] * 3, checker=[NO] * 3)
    return Labelling(Judge(model, fake_sandbox(), ABLATIONS["full"]), labels, records, announcer, metrics.observe)


@pytest.fixture
def work(labelling, memory_waiting, labels):
    return PoolWork(labelling, memory_waiting(labels=labels), RetryPolicy(1))


@pytest.fixture
def propose(work):
    async def judged(event):
        await take_proposed(work)(event)
        while await work.step():
            pass

    return judged


@pytest.fixture
def proposed():
    source = SourceRef(source_id="s", source_version_id="v", kind="package", name="boltons", version="25.0")
    function = Function(
        function_id="f", source=source, path="a.py", qualname="rev", name="rev", line_start=1, line_end=2,
        code="def rev(x):\n    return x[::-1]", imports=("import re",), file_imports=("import re", "import os"),
    )  # fmt: skip
    return PairProposed(pair_id="p", query_id="q", query="reverse", function=function, rank=1, score=0.5)


@pytest.fixture
def servicer(labelling, work, labels, records, releases, memory_pool, announcer, reviews):
    async def lag():
        return 3

    desk = ReleaseDesk(memory_pool(labels.rows.values()), releases, records, records, EXPORTERS)
    verifier = Verifier(records, records=True)
    taking_in = LabelImport(labels, records, announcer)
    desk_of_reviews = ReviewDesk(reviews, labels, records, announcer, Exhibits(records))

    async def training():
        for label in labels.current().values():
            if label.label is not None:
                yield TrainingRow(label.pair.query, label.pair.code, label.label)

    return AnnotatorServicer(
        labelling,
        work,
        desk,
        verifier,
        taking_in,
        OnDemand(labelling, labels),
        desk_of_reviews,
        training,
        lag,
        lambda: ["waiting for the model"],
    )


async def test_a_proposed_pair_is_labelled(propose, proposed, announcer, labels):
    await propose(proposed)
    event = event_of(announcer.announced[0])
    assert (event.pair_id, event.query_id, event.function_id, event.label) == ("p", "q", "f", 1)
    assert event.usage.calls == 4 and event.usage.tokens_in == 400
    stored = next(iter(labels.rows.values()))
    assert (stored.pair.repository, stored.pair.path, stored.pair.imports) == ("boltons", "a.py", ("import re",))


async def test_annotate_on_demand(servicer, announcer):
    request = pb.AnnotateRequest(query="reverse", code="def rev(x): return x[::-1]")
    answer = await servicer.Annotate(request, None)
    assert answer.pair.label == 1 and [step.name for step in answer.pair.steps] == [
        "screener",
        "again",
        "control",
        "checker",
    ]
    assert answer.pair.steps[3].outcome == "disagrees" and answer.pair.steps[0].tokens_in == 100
    assert not announcer.announced


async def test_list_pairs(servicer, propose, proposed):
    await propose(proposed)
    found = await servicer.ListPairs(pb.ListPairsRequest(), None)
    assert [(pair.pair_id, pair.qualname, pair.repository) for pair in found.pairs] == [("p", "rev", "boltons")]
    assert not (await servicer.ListPairs(pb.ListPairsRequest(query="other"), None)).pairs


async def test_a_pair_is_shown_with_labels_of_before(servicer, propose, proposed, labels, judged):
    await propose(proposed)
    found = await servicer.GetPair(pb.GetPairRequest(pair_id="p"), None)
    assert (found.pair.pair_id, len(found.others)) == ("p", 0)
    first = await labels.add(judged("q", "code", 0))
    await labels.add(judged("q", "code", 1, method="person-1", decided_by="person"))
    await labels.add(judged("q", "code", 0, method="full-2"))
    answer = await servicer.GetPair(pb.GetPairRequest(pair_id=first.pair.pair_id[:8]), None)
    assert (answer.pair.decided_by, answer.pair.label) == ("person", 1)
    assert [other.method_id for other in answer.others] == ["full-2", "full-1"]
    for name in ("nothing", ""):
        with pytest.raises(UnknownPairError):
            await servicer.GetPair(pb.GetPairRequest(pair_id=name), None)


@pytest.mark.parametrize(
    ("asked", "pairs"),
    [
        ({}, 4), ({"outcome": "yes"}, 1), ({"outcome": "undecided"}, 1), ({"decided_by": "person"}, 1),
        ({"language": "go"}, 1), ({"disputed": True}, 1), ({"outcome": "no", "language": "go"}, 0),
    ],
)  # fmt: skip
async def test_lists_show_what_is_asked_for(servicer, labels, judged, asked, pairs):
    await labels.add(judged("q", "one", 1, decided_by="person"))
    await labels.add(judged("q", "two", 0, audit=1))
    await labels.add(judged("q", "three", None, language="go", audit=1))
    await labels.add(judged("q", "four", 0, audit=0))
    assert len((await servicer.ListPairs(pb.ListPairsRequest(**asked), None)).pairs) == pairs


async def test_no_list_of_an_outcome_that_is_none(servicer):
    with pytest.raises(BadRequestError):
        await servicer.ListPairs(pb.ListPairsRequest(outcome="maybe"), None)


async def test_labels_are_taken_in_and_handed_out(servicer, announcer):
    label = pb.ImportedLabel(query="reverse", code="def rev(x):\n    return x[::-1]", label=1, licence="MIT")
    odd = pb.ImportedLabel(query="reverse", code="def rev(): return 1", label=0)
    request = pb.ImportLabelsRequest(origin="me", labels=[label, odd])
    answer = await servicer.ImportLabels(request, None)
    assert (answer.stored, answer.already) == (1, 0)
    assert [(each.place, each.reason) for each in answer.refused] == [(1, "no function in it takes an argument")]
    again = await servicer.ImportLabels(request, None)
    assert (again.stored, again.already) == (0, 1)
    [lines] = [list(batch.lines) async for batch in servicer.ExportPairs(pb.ExportPairsRequest(), None)]
    assert [json.loads(line)["label"] for line in lines] == [1]
    everything = await servicer.ImportLabels(pb.ImportLabelsRequest(origin="me", labels=[odd], unfiltered=True), None)
    assert everything.stored == 1 and {event_of(each).decided_by for each in announcer.announced} == {"person"}


async def test_progress(servicer, propose, proposed):
    await propose(proposed)
    progress = (await servicer.Progress(pb.ProgressRequest(), None)).progress
    counters = {counter.name: (counter.value, counter.total) for counter in progress.counters}
    assert counters["pairs_labelled"] == (1, 4) and counters["pairs_disputed"] == (1, 0)
    assert progress.lag == 3 and list(progress.activities) == ["waiting for the model"]


def test_the_same_words_are_the_same_pair():
    assert pair_on_demand("q", "c", "") == pair_on_demand("q", "c", " Python ")
    assert pair_on_demand("q", "c", "").pair_id != pair_on_demand("q", "d", "").pair_id


async def test_metrics_count_labels(propose, proposed):
    def value():
        return (
            REGISTRY.get_sample_value(
                "touchstone_annotator_pairs_labelled_total", {"label": "1", "decided_by": "screener"}
            )
            or 0.0
        )

    before = value()
    await propose(proposed)
    await propose(proposed)
    assert value() == before + 1


def test_metrics_tell_what_waits_by_state():
    state = WaitingState(5, 2, 1, PoolBudget(pairs=2), Spending(2), "2 of 2 pairs are begun")
    metrics.tell_waiting(state)
    names = ("waiting", "begun", "held", "aside")
    told = [REGISTRY.get_sample_value("touchstone_annotator_pairs_waiting", {"state": name}) for name in names]
    assert told == [0, 2, 3, 1]


class TestSettings:
    def test_defaults_are_all_agents(self):
        assert AnnotatorSettings().method() == ABLATIONS["full"]

    def test_every_ablation_has_a_name(self):
        for name, method in ABLATIONS.items():
            assert AnnotatorSettings(annotator_method=name).method() == method

    def test_switches(self):
        method = AnnotatorSettings(annotator_checker=False, annotator_interpretations=3, annotator_max_tries=0).method()
        assert (method.checker, method.interpretations, method.max_tries) == (False, 3, 0)

    def test_unknown_method(self):
        with pytest.raises(PreconditionError):
            AnnotatorSettings(annotator_method="guess")


async def test_pairs_are_judged_as_a_stream(servicer):
    pairs = [pb.PairToJudge(query="reverse", code="def rev(x): return x", language=" Python"), pb.PairToJudge()]
    found = [answer async for answer in servicer.Judge(pb.JudgeRequest(pairs=pairs, budget=1), None)]
    assert [(answer.place, answer.done, answer.total, answer.fresh) for answer in found] == [
        (0, 1, 2, True), (1, 2, 2, False),
    ]  # fmt: skip
    assert found[0].pair.outcome == "yes" and not found[1].HasField("pair") and found[1].refused


@pytest.fixture
def calling():
    """Says who calls, as the door does."""

    def call(name: str):
        return caller.set(Token("0" * 12, name, "operate", "", ""))

    before = caller.set(None)
    yield call
    caller.reset(before)


async def test_who_reviews_is_whose_token_it_is(servicer, labels, judged, reviews, calling):
    pair_id = (await labels.add(judged("q", "def f(x): return x", 1))).pair.pair_id
    calling("Ada  Lovelace")
    with pytest.raises(NotAllowedError, match=r"ben: .* Ada  Lovelace"):
        await servicer.AddReview(pb.AddReviewRequest(pair_id=pair_id, reviewer="ben", opinion="yes"), None)
    with pytest.raises(NotAllowedError):
        await servicer.Adjudicate(pb.AdjudicateRequest(pair_id=pair_id, reviewer="ben", opinion="yes"), None)
    with pytest.raises(NotAllowedError):
        await servicer.GetNextReview(pb.GetNextReviewRequest(reviewer="ben"), None)
    with pytest.raises(NotAllowedError):
        await servicer.GetNextDispute(pb.GetNextDisputeRequest(reviewer="ben"), None)
    assert not reviews.kept
    await servicer.AddReview(pb.AddReviewRequest(pair_id=pair_id, opinion="yes"), None)
    # However it is written, it is the same name.
    await servicer.AddReview(pb.AddReviewRequest(pair_id=pair_id, reviewer="ada lovelace ", opinion="yes"), None)
    assert [each.reviewer for each in await reviews.of_pair(pair_id)] == ["ada lovelace"]


async def test_labels_that_are_imported_are_recorded_with_whose_token_brought_them(servicer, labels, records, calling):
    calling("root")
    label = pb.ImportedLabel(query="q", code="def f(x):\n    return x", label=1)
    await servicer.ImportLabels(pb.ImportLabelsRequest(origin="ada", labels=[label]), None)
    [stored] = labels.rows.values()
    record = json.loads(records.blobs[stored.record_digest])
    assert (record["origin"], record["imported_by"]) == ("ada", "root")
    assert stored.reason == "given by ada"


async def test_a_file_that_nobody_named_is_whose_token_brings_it(servicer, labels, calling):
    for name, label in (("ada", 1), ("ben", 0)):
        calling(name)
        given = pb.ImportedLabel(query="q", code="def f(x):\n    return x", label=label)
        request = pb.ImportLabelsRequest(origin="labels.jsonl", labels=[given], unnamed=True)
        done = await servicer.ImportLabels(request, None)
        assert (done.stored, len(done.refused), len(done.contradicting)) == (1, 0, 1 - label)
    assert {row.reason for row in labels.rows.values()} == {
        "given by labels.jsonl of ada",
        "given by labels.jsonl of ben",
    }


async def test_reviewers_see_tests_and_no_opinion_of_a_model(servicer, labels, judged, announcer):
    names = ("screener", "test_program", "execution", "arbiter", "signal", "score", "checker")
    steps = tuple(StepSummary(name, "outcome", f"by {name}", "m", 1, 1, 0.1, 0.0) for name in names)
    stored = await labels.add(judged("q", "def f(x): return x", 1, steps=steps, score=0.9, audit=0))
    found = (await servicer.GetNextReview(pb.GetNextReviewRequest(reviewer="ada"), None)).pair
    assert [step.detail for step in found.tests] == ["by test_program", "by execution"]
    assert {field.name for field, _ in found.ListFields()} == {"pair_id", "query", "code", "language", "tests"}
    for reviewer, opinion in (("ada", "yes"), ("ben", "no")):
        said = pb.AddReviewRequest(pair_id=stored.pair.pair_id, reviewer=reviewer, opinion=opinion, note="because")
        state = (await servicer.AddReview(said, None)).state
    assert state == "disputed" and not (
        await servicer.GetNextReview(pb.GetNextReviewRequest(reviewer="cleo"), None)
    ).HasField("pair")
    dispute = await servicer.GetNextDispute(pb.GetNextDisputeRequest(reviewer="cleo"), None)
    assert sorted(each.opinion for each in dispute.opinions) == ["no", "yes"]
    assert not (await servicer.GetNextDispute(pb.GetNextDisputeRequest(reviewer="ada"), None)).HasField("pair")
    decision = pb.AdjudicateRequest(pair_id=stored.pair.pair_id, reviewer="cleo", opinion="no")
    assert (await servicer.Adjudicate(decision, None)).state == "adjudicated"
    figures = await servicer.GetAgreement(pb.GetAgreementRequest(), None)
    assert (figures.pairs, figures.decided, figures.agreed.value, figures.method_right.value) == (1, 1, 0.0, 0.0)
    assert [(label.decided_by, label.label) for label in announcer.announced] == [("person", 0)]
