"""What was stored while the broker was away is announced by itself once it is back, whichever door stored it."""

import pytest

from annotator.domain.method import ABLATIONS
from annotator.domain.review import Review
from annotator.usecases.announcing import announce_current, announce_waiting
from annotator.usecases.exhibits import Exhibits
from annotator.usecases.importing import GivenLabel, LabelImport
from annotator.usecases.judging import Judge
from annotator.usecases.labelling import Labelling
from annotator.usecases.reviewing import ReviewDesk

MATCH = '{"reason": "it slices backwards", "verdict": "match"}'
YES = '{"reason": "sound", "label": 1}'


@pytest.fixture
def doors(scripted, fake_sandbox, labels, records, announcer, reviews, judged):
    """Each way on which a label is stored and then announced; each gives the id of its pair."""
    desk = ReviewDesk(reviews, labels, records, announcer, Exhibits(records))

    async def begun(*opinions):
        pair_id = (await labels.add(judged("reverse", "def f(x): return x[::-1]", 0))).pair.pair_id
        await announce_current(labels, records, announcer, pair_id)
        announcer.announced.clear()
        for name, opinion in zip(("ada", "ben"), opinions, strict=False):
            await desk.add(Review(pair_id, name, opinion))
        return pair_id

    async def agreed():
        pair_id = await begun("yes")
        return pair_id, lambda: desk.add(Review(pair_id, "ben", "yes"))

    async def adjudicated():
        pair_id = await begun("yes", "no")
        return pair_id, lambda: desk.adjudicate(Review(pair_id, "cleo", "cannot_tell"))

    async def settled():
        pair_id = await begun("yes")
        await reviews.add(Review(pair_id, "ben", "yes"))
        return pair_id, desk.settle

    async def brought():
        given = [GivenLabel("add one", "def f(x):\n    return x + 1", 1)]
        return "", lambda: LabelImport(labels, records, announcer)("mine", given)

    async def labelled():
        model = scripted(screener=[MATCH], checker=[YES])
        labelling = Labelling(Judge(model, fake_sandbox(), ABLATIONS["full"]), labels, records, announcer)
        pair = judged("reverse", "def f(x): return x[::-1]", 0).pair
        return pair.pair_id, lambda: labelling.label(pair)

    return {each.__name__: each for each in (agreed, adjudicated, settled, brought, labelled)}


DOORS = ("agreed", "adjudicated", "settled", "brought", "labelled")


@pytest.mark.parametrize("door", DOORS)
async def test_a_label_that_no_broker_took_is_announced_later_and_once(doors, labels, records, announcer, door):
    pair_id, call = await doors[door]()
    announcer.fails = 2
    with pytest.raises(ConnectionError):
        await call()
    assert not announcer.announced
    with pytest.raises(ConnectionError):
        await announce_waiting(labels, records, announcer)
    await announce_waiting(labels, records, announcer)
    [said] = announcer.announced
    assert said == labels.current()[pair_id or said.pair.pair_id]
    await announce_waiting(labels, records, announcer)
    assert announcer.announced == [said], "what the broker has is not said again"


@pytest.mark.parametrize("door", DOORS)
async def test_nothing_waits_behind_a_label_that_was_announced(doors, labels, records, announcer, door):
    _, call = await doors[door]()
    await call()
    [said] = announcer.announced
    await announce_waiting(labels, records, announcer)
    assert announcer.announced == [said]


async def test_what_is_judged_on_demand_is_announced_to_nobody(labels, records, announcer, judged):
    await labels.add(judged("reverse", "def f(x): return x", 1, on_demand=True))
    await announce_waiting(labels, records, announcer)
    assert not announcer.announced


async def test_a_label_that_comes_while_an_older_one_is_announced_has_the_last_word(labels, records, announcer, judged):
    method = await labels.add(judged("reverse", "def f(x): return x", 1))
    person = judged("reverse", "def f(x): return x", 0, method="person-review", decided_by="person")

    class Slow:
        """Is still sending when people decide, and their own announcement overtakes it."""

        def __init__(self):
            self.said = []

        async def announce(self, label):
            if not self.said and label == method:
                await labels.add(person)
                await announce_current(labels, records, announcer, label.pair.pair_id)
                self.said += announcer.announced
            self.said.append(label)

    slow = Slow()
    await announce_current(labels, records, slow, method.pair.pair_id)
    assert [each.label for each in slow.said] == [0, 1, 0], "the last word is the label that stands"
