"""People decide: opinions that stand, agreement that makes a label, disputes for a third, figures."""

import json
from collections import Counter
from dataclasses import replace

import krippendorff
import numpy as np
import pytest

from annotator.domain.review import Review, agreement_of, state_of
from annotator.errors import BadRequestError, NotYoursError, UnknownPairError
from annotator.usecases.exhibits import Exhibits
from annotator.usecases.reviewing import ReviewDesk


@pytest.fixture
def desk(reviews, labels, records, announcer):
    return ReviewDesk(reviews, labels, records, announcer, Exhibits(records))


@pytest.fixture
async def pair(labels, judged):
    return (await labels.add(judged("reverse", "def f(x): return x[::-1]", 0, licence="MIT"))).pair


def said(pair, reviewer, opinion, note=""):
    return Review(pair.pair_id, reviewer, opinion, note)


@pytest.mark.parametrize(("opinion", "label"), [("yes", 1), ("no", 0), ("cannot_tell", None)])
async def test_two_equal_opinions_make_a_persons_label(desk, pair, labels, records, announcer, opinion, label):
    assert await desk.add(said(pair, "ada", opinion, "I tried it")) == "waiting"
    assert labels.current()[pair.pair_id].decided_by == "screener" and not announcer.announced
    assert await desk.add(said(pair, "ben", opinion)) == "agreed"
    current = labels.current()[pair.pair_id]
    assert (current.decided_by, current.label, current.pair) == ("person", label, pair)
    assert "2 reviewers agree" in current.reason and "I tried it" in current.reason
    record = json.loads(records.blobs[current.record_digest])
    assert [each["reviewer"] for each in record["opinions"]] == ["ada", "ben"]
    assert (record["pair"]["pair_id"], record["label"], record["method_id"]) == (pair.pair_id, label, "person-review")
    assert [each.label for each in announcer.announced] == [label], "a doubt takes the older label back"


async def test_a_third_person_decides_where_two_differ_and_no_party_does(desk, pair, labels):
    await desk.add(said(pair, "ada", "yes", "slices"))
    assert await desk.add(said(pair, "ben", "no")) == "disputed"
    assert labels.current()[pair.pair_id].decided_by == "screener"
    with pytest.raises(NotYoursError, match="does not decide"):
        await desk.adjudicate(said(pair, "ada", "yes"))
    assert await desk.next_dispute("ada") is None
    shown, opinions = await desk.next_dispute("cleo")
    assert shown.pair == pair and {each.opinion for each in opinions} == {"yes", "no"}
    assert await desk.adjudicate(said(pair, "cleo", "yes", "it does")) == "adjudicated"
    current = labels.current()[pair.pair_id]
    assert (current.label, current.decided_by) == (1, "person") and "slices; it does" in current.reason
    with pytest.raises(NotYoursError, match="decided it already"):
        await desk.adjudicate(said(pair, "dan", "no"))
    assert await desk.next_dispute("cleo") is None


async def test_an_opinion_stands_and_is_not_given_for_others(desk, pair):
    await desk.add(said(pair, "ada", "yes"))
    assert await desk.add(said(pair, "ada", "yes")) == "waiting"
    with pytest.raises(NotYoursError, match="stands already"):
        await desk.add(said(pair, "ada", "no"))
    await desk.add(said(pair, "ben", "no"))
    with pytest.raises(NotYoursError, match="two reviewers"):
        await desk.add(said(pair, "cleo", "no"))


async def test_a_note_that_no_table_holds_as_it_is_takes_no_opinion_back(desk, pair, reviews, labels):
    note = "a\0b \ud83d"
    assert await desk.add(said(pair, "ada", "yes", note)) == "waiting"
    assert await desk.add(said(pair, "ada", "yes", note)) == "waiting", "sent twice, kept once"
    assert await desk.add(said(pair, "ben\0", "no", note)) == "disputed"
    with pytest.raises(NotYoursError, match="does not decide"):
        await desk.adjudicate(said(pair, "ben\0", "no"))
    assert await desk.adjudicate(said(pair, "cleo", "yes", note)) == "adjudicated"
    assert labels.current()[pair.pair_id].reason.endswith("(a\ufffdb \ufffd; a\ufffdb \ufffd; a\ufffdb \ufffd)")
    assert {each.note for each in await reviews.of_pair(pair.pair_id)} == {"a\ufffdb \ufffd"}


@pytest.mark.parametrize(
    ("change", "error"),
    [
        ({"opinion": "maybe"}, BadRequestError),
        ({"reviewer": " "}, BadRequestError),
        ({"note": "x" * 4001}, BadRequestError),
        ({"pair_id": "nothing"}, UnknownPairError),
        ({"pair_id": ""}, UnknownPairError),
    ],
)
async def test_what_is_no_opinion_is_refused(desk, pair, reviews, change, error):
    with pytest.raises(error):
        await desk.add(replace(said(pair, "ada", "yes"), **change))
    with pytest.raises((error, NotYoursError)):
        await desk.adjudicate(replace(said(pair, "ada", "yes"), **change))
    assert not reviews.kept and not reviews.decided


async def test_nothing_is_adjudicated_that_is_in_no_dispute(desk, pair):
    with pytest.raises(NotYoursError, match="no two reviewers differ"):
        await desk.adjudicate(said(pair, "cleo", "yes"))


async def test_who_broke_off_between_opinion_and_label_is_made_good(desk, pair, labels, reviews, announcer):
    await reviews.add(said(pair, "ada", "yes"))
    await reviews.add(said(pair, "ben", "yes"))
    await desk.settle()
    await desk.settle()
    assert labels.current()[pair.pair_id].label == 1 and len(announcer.announced) == 1


def test_figures_are_those_of_the_reference():
    opinions = [("yes", "yes"), ("yes", "no"), ("no", "no"), ("cannot_tell", "no"), ("yes", "yes")]
    found = agreement_of(Counter(opinions), {(1, 1): 2, (0, 1): 1}, 4)
    codes = {"yes": 0.0, "no": 1.0, "cannot_tell": 2.0}
    data = np.array([[codes[a] for a, _ in opinions], [codes[b] for _, b in opinions]])
    expected = krippendorff.alpha(reliability_data=data, level_of_measurement="nominal")
    assert found.alpha == pytest.approx(expected) and (found.pairs, found.decided) == (5, 4)
    assert (found.agreed.estimate, round(found.agreed.low, 4)) == (0.6, 0.1466)
    assert found.method_right.estimate == pytest.approx(2 / 3)


def test_no_figures_of_nothing():
    found = agreement_of({}, {}, 0)
    assert (found.pairs, found.alpha, found.agreed, found.method_right) == (0, None, None, None)
    assert state_of([]) == "waiting" and state_of([Review("p", "a", "yes")]) == "waiting"
