"""What fails of one set of labels, or of one retriever, stops no other; and no clock that was wrong stops them all."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from evaluator.domain.labelled import CURRENT, IndexState, LabelledRows
from evaluator.usecases.scoring_retrievers import ScoreRetrievers, list_scores
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.faults import DependencyAwayError

EVERY = timedelta(minutes=15)
SETS = ["one", "two", CURRENT]


class World:
    """Sets with one label each, two retrievers that find it, and their scores in a list."""

    def __init__(self):
        self.names, self.index = ["plain", "augmented"], IndexState(3, "g-1", "d-1")
        self.faults, self.kept, self.asked = {}, [], 0
        self.now = datetime(2026, 6, 1, tzinfo=UTC)
        self.sweep = ScoreRetrievers(self, self, self, every=EVERY, most_queries=9, clock=lambda: self.now).sweep

    async def releases(self):
        return [(name, f"digest of {name}") for name in SETS[:-1]]

    async def labelled(self, name, digest):
        if name in self.faults:
            raise self.faults[name]
        rows = LabelledRows()
        rows.query("q", "words")
        rows.label("q", "a", "yes")
        return rows.finish(name, digest)

    async def available(self):
        return self.names, self.index

    async def ranking(self, name, query, limit):
        self.asked += 1
        if name in self.faults:
            raise self.faults[name]
        return ["a"]

    async def add(self, score):
        self.kept.append(score)

    async def newest(self):
        found = {(one.labels, one.retriever): one for one in sorted(self.kept, key=lambda one: one.scored_at)}
        return list(found.values())

    async def seen(self):
        return 1

    async def listed(self):
        return {(one.labels, one.retriever): one for one in await list_scores(self, "", history=False)}


@pytest.mark.parametrize("fault", [DependencyAwayError("away", thing="augmented"), PermanentError("is refused")])
async def test_a_retriever_that_fails_keeps_no_set_from_the_others(fault):
    world = World()
    world.faults = {"augmented": fault}
    with pytest.raises(type(fault)):
        await world.sweep()
    assert set(await world.listed()) == {(labels, "plain") for labels in SETS}
    world.faults, world.now = {}, world.now + EVERY
    assert await world.sweep() == 3, "who lacks a score is asked as soon as it can be"


async def test_a_set_that_cannot_be_read_keeps_no_other_from_its_scores():
    world = World()
    world.faults = {"one": DependencyAwayError("is gone", thing="one")}
    with pytest.raises(DependencyAwayError):
        await world.sweep()
    assert {labels for labels, _name in await world.listed()} == set(SETS[1:])


async def test_scores_of_a_clock_that_was_ahead_are_followed_by_those_of_now():
    """They stood until their time came, whatever was labelled and indexed meanwhile."""
    world = World()
    right, world.now = world.now, world.now + timedelta(days=300)
    assert await world.sweep() == 6
    world.now, world.index = right, replace(world.index, codes=4)
    assert await world.sweep() == 6
    assert {each.indexed for each in (await world.listed()).values()} == {4}
    # Nor are they scored at each look from now on.
    world.index = replace(world.index, codes=5)
    assert await world.sweep() == 0, "not so soon"
    world.now += EVERY
    assert await world.sweep() == 6
    assert {each.indexed for each in (await world.listed()).values()} == {5}
