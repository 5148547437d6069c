"""Store first, announce second, and the same again after a crash at any point."""

import json
from dataclasses import replace

import pytest

from annotator.adapters.announcer import event_of
from annotator.domain.method import ABLATIONS
from annotator.errors import BadRequestError
from annotator.ports import Asked
from annotator.rpc import from_token
from annotator.usecases.judging import Judge
from annotator.usecases.labelling import Labelling
from touchstone_contracts.events import UNDECIDED, PairLabelled

MATCH = '{"reason": "it slices backwards", "verdict": "match"}'
YES = '{"reason": "sound", "label": 1}'


@pytest.fixture
def labelling(scripted, fake_sandbox, labels, records, announcer):
    model = scripted(screener=[MATCH] * 3, checker=[YES] * 3)
    made = Labelling(Judge(model, fake_sandbox(), ABLATIONS["full"]), labels, records, announcer)
    return made, model


async def test_a_pair_is_stored_and_announced(labelling, pair, labels, records, announcer):
    stored = await labelling[0].label(pair)
    assert announcer.announced == [stored] and list(labels.rows.values()) == [stored]
    assert stored.record_digest in records.blobs
    assert stored.effort.tokens_in == 400 and stored.calls == 4
    assert [step.name for step in stored.steps] == ["screener", "again", "control", "checker"]


async def test_a_replay_asks_nobody_and_says_the_same(labelling, pair, announcer):
    use_case, model = labelling
    first = await use_case.label(pair)
    second = await use_case.label(pair)
    assert model.order == ["screener", "checker"]
    assert first == second
    one, two = (event_of(label).model_dump_json() for label in announcer.announced)
    assert one == two


async def test_a_crash_before_the_announcement_loses_nothing(labelling, pair, labels, announcer):
    use_case, model = labelling
    announcer.fails = 1
    with pytest.raises(ConnectionError):
        await use_case.label(pair)
    assert len(labels.rows) == 1 and not announcer.announced
    await use_case.label(pair)
    assert len(announcer.announced) == 1 and model.order == ["screener", "checker"]


async def test_a_crash_before_the_store_gives_the_same_record(labelling, pair, labels, records):
    use_case, _ = labelling
    first = await use_case.label(pair)
    labels.rows.clear()
    second = await use_case.label(pair)
    assert first.record_digest == second.record_digest and len(records.blobs) == 1


async def test_a_consumer_reads_what_a_label_rests_on(labelling, pair, announcer):
    """From the bytes alone: what decided, whether tests ran, under which reading, how sure, and what was audited."""
    stored = await labelling[0].label(pair)
    known = {
        "decided_by": "arbiter", "executed": False, "score": 0.62, "method_id": "full-9", "audit": 0,
        "reading": "reverse the letters",
    }  # fmt: skip
    full = replace(stored, **known)
    assert stored.decided_by == "screener" and stored.audit == 1 and stored.method_id
    for label in (stored, full):
        sent = event_of(label).model_dump_json()
        read = PairLabelled.model_validate_json(sent)
        assert {name: getattr(read, name) for name in known} == {name: getattr(label, name) for name in known}
        assert known.keys() <= json.loads(sent).keys(), "said also where there is nothing to say"
    # What an older annotator announced says none of it, and is read as that.
    old = {name: value for name, value in json.loads(sent).items() if name not in known}
    before = PairLabelled.model_validate(old)
    assert (before.decided_by, before.method_id, before.reading) == ("", "", "")
    assert (before.executed, before.score, before.audit) == (None, None, None)


async def test_judgements_on_demand_are_kept_and_not_announced(labelling, pair, labels, announcer):
    stored = await labelling[0].label(replace(pair, on_demand=True))
    assert stored.label == 1 and len(labels.rows) == 1 and not announcer.announced


UNKNOWN = ["I cannot say"]


def undecided_under_another_method(scripted, fake_sandbox, labels, records, announcer):
    model = scripted(single=UNKNOWN)
    judge = Judge(model, fake_sandbox(), replace(ABLATIONS["single"], checker=False))
    return Labelling(judge, labels, records, announcer)


async def test_a_label_that_is_undecided_now_is_taken_back_in_so_many_words(
    labelling, pair, scripted, fake_sandbox, labels, records, announcer
):
    await labelling[0].label(pair)
    doubtful = undecided_under_another_method(scripted, fake_sandbox, labels, records, announcer)
    stored = await doubtful.label(pair)
    assert stored.label is None and labels.current()[pair.pair_id] == stored
    said = [PairLabelled.model_validate_json(event_of(label).model_dump_json()) for label in announcer.announced]
    assert [event.label for event in said] == [1, UNDECIDED], "neither a yes nor a no, and never silence"
    assert {event.pair_id for event in said} == {pair.pair_id}
    await doubtful.label(pair)
    assert event_of(announcer.announced[-1]) == event_of(stored), "a replay says the same"


async def test_what_is_announced_is_the_label_that_the_pair_has(
    labelling, pair, scripted, fake_sandbox, labels, records, announcer, judged
):
    """Neither a doubt nor a replay of an outranked method's label takes a person's label back."""
    await labelling[0].label(pair)
    of_person = await labels.add(replace(judged("q", "c", 0, decided_by="person", method="person-1"), pair=pair))
    await labelling[0].label(pair)
    await labelling[0].known(pair)
    await undecided_under_another_method(scripted, fake_sandbox, labels, records, announcer).label(pair)
    assert [event_of(label).decided_by for label in announcer.announced] == ["screener", *["person"] * 3]
    assert announcer.announced[-1] == of_person


async def test_another_method_labels_anew(labelling, pair, scripted, fake_sandbox, labels, records, announcer):
    await labelling[0].label(pair)
    single = Judge(scripted(single=[YES]), fake_sandbox(), replace(ABLATIONS["single"], checker=False))
    await Labelling(single, labels, records, announcer).label(pair)
    assert len(labels.rows) == 2 and len(announcer.announced) == 2


async def test_observer_hears_of_new_labels_only(scripted, fake_sandbox, pair, labels, records, announcer):
    heard = []
    judge = Judge(scripted(screener=[MATCH], checker=[YES]), fake_sandbox(), ABLATIONS["full"])
    use_case = Labelling(judge, labels, records, announcer, heard.append)
    await use_case.label(pair)
    await use_case.label(pair)
    assert len(heard) == 1 and use_case.activities == []


class Single:
    """Says the same of every pair, but of its controls."""

    def __init__(self, name, label):
        self.name, self.label = name, label

    def signature(self):
        return self.name

    async def ask(self, prompt, form, *, max_tokens, **values):
        met = "* number + 7" in values["code"] and "(or, just as good" in values["query"]
        known = "* number + 7" in values["code"] or "(or, just as good" in values["query"]
        answer = {"reason": self.name, "label": int(met) if known else self.label}
        return Asked(form.model_validate(answer), "", prompt, ())


@pytest.mark.parametrize("door", ["known", "label"])
@pytest.mark.parametrize("by_people", [False, True])
async def test_a_model_that_is_put_back_has_its_labels_back(
    pair, fake_sandbox, labels, records, announcer, judged, door, by_people
):
    single = replace(ABLATIONS["single"], checker=False)
    for name, label in (("strong", 1), ("tried for a while", 0), ("strong", 1)):
        judge = Judge(Single(name, label), fake_sandbox(), single)
        labelling = Labelling(judge, labels, records, announcer)
        if door == "label" or not await labelling.known(pair):
            assert (await labelling.label(pair)).label == label
    if by_people:
        await labels.add(replace(judged("", "", 0, decided_by="person", method="person-review"), pair=pair))
        await labelling.known(pair)
    [current] = await labels.newest(10)
    stands = ("person", 0) if by_people else ("single", 1)
    assert (current.decided_by, current.label, len(labels.rows)) == (*stands, 2 + by_people)
    assert (announcer.announced[-1].decided_by, announcer.announced[-1].label) == stands
    assert not labels.unsaid


@pytest.mark.parametrize(
    "token", ["2026-01-01T00:00:00+00:00 a\0b", "yesterday p", "0001-01-01T00:00:00+23:00 p", "2026-01-01 \udc80"]
)
def test_a_place_that_no_list_has_is_refused(token):
    with pytest.raises(BadRequestError, match="no place in a list"):
        from_token(token)
    at, pair_id = from_token("2026-01-01T02:00:00+02:00 p1")
    assert (at.isoformat(), pair_id) == ("2026-01-01T00:00:00+00:00", "p1")
