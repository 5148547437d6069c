"""Every retriever on every set of labels, again when labels come or the index changes."""

from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.domain.clustered import Interval
from evaluator.domain.labelled import CURRENT, METHOD, IndexState, LabelledRows, RetrievalScore, measured
from evaluator.domain.retrieval import MEASURES
from evaluator.errors import UnknownLabelsError
from evaluator.handlers import on_pair_labelled
from evaluator.offline import queries_scored
from evaluator.rpc import EvaluatorServicer, Parts
from evaluator.usecases.scoring_retrievers import ScoreRetrievers, list_scores
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_contracts.events import UNDECIDED, PairLabelled
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.faults import DependencyAwayError
from touchstone_runtime.query_sets import QuerySet

EVERY = timedelta(minutes=15)
LABELLED = PairLabelled(
    pair_id="p", query_id="q1", function_id="a", label=1, reason="", record_digest="d" * 64, decided_by="person"
)


def rows(**outcomes):
    """Labels by query; `a=yes` of `q1` is written `q1="a:yes b:no"`."""
    found = LabelledRows()
    for query in outcomes:
        found.query(query, f"words of {query}")
    for query, text in outcomes.items():
        for each in text.split():
            found.label(query, *each.split(":"))
    return found


class MemoryRetrievalScores:
    """Scores in a list, with the port's rules."""

    def __init__(self) -> None:
        self.kept: list[RetrievalScore] = []
        self.announced = 0

    async def add(self, score: RetrievalScore) -> None:
        same = [(one.labels, one.retriever, one.scored_at) for one in self.kept]
        if (score.labels, score.retriever, score.scored_at) not in same:
            self.kept.append(score)

    async def newest(self) -> list[RetrievalScore]:
        found = {(one.labels, one.retriever): one for one in await self.every()}
        return [found[key] for key in sorted(found)]

    async def every(self) -> list[RetrievalScore]:
        return sorted(self.kept, key=lambda one: (one.scored_at, one.labels, one.retriever))

    async def note_label(self) -> None:
        self.announced += 1

    async def seen(self) -> int:
        return self.announced


@pytest.fixture
def retrieval_scores():
    return MemoryRetrievalScores()


@pytest.fixture
def rpc(retrieval_scores):
    """The servicer with nothing else behind it."""
    parts = Parts(**dict.fromkeys(each.name for each in fields(Parts)) | {"scores": retrieval_scores})
    return EvaluatorServicer(parts, left_out="", report_url="", lag=None, standstill=list)


class Sets:
    """Labels in a dictionary; what is current has the empty name."""

    def __init__(self):
        self.held = {}
        self.read = []

    async def releases(self):
        return [(name, f"digest of {name}") for name in self.held if name]

    async def labelled(self, name, digest):
        self.read.append(name)
        return rows(**self.held["" if name == CURRENT else name]).finish(name, digest)


class Engines:
    """Answers by retriever; all codes of the index, in one order or the other."""

    def __init__(self, codes):
        self.codes = codes
        self.asked = []
        self.names = ["plain", "plain:text"]
        self.generation = "g-1"
        self.away = False
        self.refused = None
        self.gone = ""

    async def available(self):
        if self.away:
            raise DependencyAwayError("away", thing="retriever")
        return self.names, IndexState(len(self.codes), self.generation, " ".join(self.codes))

    async def ranking(self, name, query, limit):
        self.asked.append((name, query))
        if (name, query) == self.refused:
            raise PermanentError("is refused", thing=query)
        if name == self.gone:
            raise DependencyAwayError("did less than was asked", thing=name)
        return (self.codes if name == "plain" else self.codes[::-1])[:limit]


@pytest.fixture
def world(retrieval_scores):
    class World:
        sets, engines, scores = Sets(), Engines(["a", "x", "b"]), retrieval_scores
        now = datetime(2026, 6, 1, tzinfo=UTC)

        def scoring(self, most=10):
            return ScoreRetrievers(
                self.sets, self.engines, self.scores, every=EVERY, most_queries=most, clock=lambda: self.now
            )

        def sweep(self, most=10):
            return self.scoring(most).sweep()

    return World()


def test_what_nobody_judged_counts_as_wrong_and_beside_that_leaves_the_rankings():
    labelled = rows(q1="a:yes b:no u:undecided", q2="b:yes").finish("one")
    found = measured(labelled, {"q1": ["x", "u", "b", "a"], "q2": ["a", "x", "b"]})
    assert found.least["mrr"].value == pytest.approx(1 / 3), "x stands before, and only u was looked at in vain"
    assert found.condensed["mrr"].value == pytest.approx((1 / 2 + 1) / 2), "x and a of q2 are taken out too"
    for each in (found.least, found.condensed):
        assert each["mrr"].low <= each["mrr"].value <= each["mrr"].high and set(each) == set(MEASURES)
    assert found.unjudged_at_10 == 3, "x twice and a once; what is undecided was judged"


def test_a_right_code_behind_many_that_nobody_judged_is_no_success():
    labelled = rows(q1="right:yes wrong:no").finish(CURRENT)
    found = measured(labelled, {"q1": [*(f"x{n}" for n in range(99)), "right"]})
    assert {each.value for each in found.condensed.values()} == {1.0} and found.unjudged_at_10 == 10
    assert {name: each.value for name, each in found.least.items()} == dict.fromkeys(MEASURES, 0.0) | {"mrr": 0.01}


codes = st.sampled_from([f"c{n}" for n in range(14)])
outcomes = st.dictionaries(codes, st.sampled_from(["yes", "no", "undecided"]), max_size=14)


@given(st.lists(st.tuples(outcomes, st.lists(codes, unique=True, max_size=14)), min_size=1, max_size=5))
def test_the_least_is_what_the_evaluation_of_the_same_run_says_and_the_condensed_is_no_lower(queries):
    labelled = LabelledRows()
    for number, (of_query, _) in enumerate(queries):
        labelled.query(f"q{number}", "words")
        for code, outcome in of_query.items():
            labelled.label(f"q{number}", code, outcome)
    held = labelled.finish("one")
    rankings = {query: queries[int(query[1:])][1] for query in held.answerable()}
    found = measured(held, rankings)
    of_set = QuerySet({}, dict(held.queries), dict(held.correct), dict(held.judged), dict(held.undecided))
    [same] = queries_scored(of_set, {"run": rankings}, None)
    for name in MEASURES:
        assert found.least[name].value == pytest.approx(same[name])
        assert found.condensed[name].value >= found.least[name].value - 1e-12
    assert found.unjudged_at_10 == same["unjudged_at_10"]


def test_labels_are_named_by_their_content():
    one, other = rows(q1="a:yes b:no").finish(CURRENT), rows(q1="a:yes b:yes").finish(CURRENT)
    assert one.digest != other.digest and one.digest == rows(q1="a:yes b:no").finish("else").digest
    assert rows(q1="a:yes").finish("r", "given").digest == "given"
    assert rows(q1="a:later").finish("r").undecided == {"q1": frozenset("a")}, "a word of a later version is no label"


async def test_every_retriever_is_scored_on_every_release_and_once_only(world):
    world.sets.held = {"one": {"q1": "a:yes b:no"}, "two": {"q1": "b:yes"}, "": {"q1": "a:yes"}}
    assert await world.sweep() == 6
    found = {(each.labels, each.retriever): each for each in await world.scores.newest()}
    assert found["one", "plain"].measures["mrr"].value == 1.0
    assert found["one", "plain:text"].measures["mrr"].value == pytest.approx(1 / 3)
    assert found["one", "plain:text"].condensed["mrr"].value == 0.5
    assert found["one", "plain"].digest == "digest of one" and found["one", "plain"].indexed == 3
    world.sets.read.clear()
    world.now += EVERY
    assert await world.sweep() == 0 and not world.sets.read, "nothing has changed, so nothing is read"


async def test_new_labels_score_the_labels_of_now_again(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {"q1": "a:yes"}}
    await world.sweep()
    world.sets.held[""] = {"q1": "a:no b:yes"}
    await on_pair_labelled(world.scores)(LABELLED)
    assert await world.sweep() == 0, "not so soon"
    world.now += EVERY
    assert await world.sweep() == 2
    newest = {
        each.retriever: each.measures["mrr"].value for each in await world.scores.newest() if each.labels == CURRENT
    }
    assert newest == {"plain": pytest.approx(1 / 3), "plain:text": 1.0}
    assert len(await world.scores.every()) == 6, "what was measured before stays"


async def test_a_label_that_becomes_undecided_leaves_the_scores_of_now(world):
    world.sets.held = {"": {"q1": "a:yes", "q2": "b:yes"}}
    await world.sweep()
    world.sets.held[""] = {"q1": "a:yes", "q2": "b:undecided"}
    await on_pair_labelled(world.scores)(LABELLED.model_copy(update={"function_id": "b", "label": UNDECIDED}))
    world.now += EVERY
    assert await world.sweep() == 2
    newest = {each.retriever: each for each in await list_scores(world.scores, CURRENT, history=False)}
    assert newest["plain"].answerable == 1 and newest["plain"].measures["mrr"].value == 1.0, "a doubt is no miss"


async def test_no_score_of_now_stays_when_the_last_correct_code_is_undecided(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {"q1": "a:yes"}}
    await world.sweep()
    world.sets.held[""] = {"q1": "a:undecided"}
    await on_pair_labelled(world.scores)(LABELLED.model_copy(update={"label": UNDECIDED}))
    world.now += EVERY
    await world.sweep()
    assert {each.labels for each in await list_scores(world.scores, "", history=False)} == {"one"}
    assert all(each.queries for each in await list_scores(world.scores, CURRENT, history=True)), "a nought is no score"
    world.sets.read.clear()
    world.now += EVERY
    assert await world.sweep() == 0 and not world.sets.read, "it is read once more only when labels come"
    world.sets.held[""] = {"q1": "b:yes"}
    await on_pair_labelled(world.scores)(LABELLED)
    assert await world.sweep() == 2
    assert len(await list_scores(world.scores, CURRENT, history=False)) == 2


@pytest.mark.parametrize("codes", [["y", "a", "x", "b"], ["a", "y", "b"]], ids=["more codes", "as many other ones"])
async def test_a_changed_index_scores_everything_again_in_a_table_of_its_own(world, codes):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {"q1": "a:yes"}}
    await world.sweep()
    world.engines.codes = codes
    world.now += EVERY
    assert await world.sweep() == 4
    digests = [each.index_digest for each in await list_scores(world.scores, "one", history=True)]
    assert digests == [" ".join(codes)] * 2 + ["a x b"] * 2


async def test_another_generation_of_as_many_codes_scores_everything_again(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {"q1": "a:yes"}}
    await world.sweep()
    world.engines.generation = "g-2"
    assert await world.sweep() == 0, "not so soon"
    world.now += EVERY
    assert await world.sweep() == 4
    assert {each.generation for each in await world.scores.newest()} == {"g-2"}
    world.now += EVERY
    assert await world.sweep() == 0


async def test_a_query_that_one_retriever_refuses_keeps_no_other_from_its_score(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {"q2": "b:yes"}}
    world.engines.refused = ("plain", "words of q1")
    with pytest.raises(PermanentError, match="words of q1"):
        await world.sweep()
    scored = {(each.labels, each.retriever) for each in await world.scores.newest()}
    assert scored == {("one", "plain:text"), (CURRENT, "plain"), (CURRENT, "plain:text")}


async def test_a_retriever_that_refuses_a_query_is_asked_again_when_something_changed_or_the_time_has_come(world):
    """Each look would ask a model anew for what it could not do a moment before, at whatever that costs."""
    world.sets.held = {"one": {"q1": "a:yes"}, "": {}}
    world.engines.refused = ("plain", "words of q1")
    scoring = world.scoring()

    async def refused():
        world.engines.asked.clear()
        with pytest.raises(PermanentError, match="words of q1"):
            await scoring.sweep()
        return world.engines.asked.count(world.engines.refused)

    assert await refused() == 1
    world.engines.asked.clear()
    assert await scoring.sweep() == 0 and not world.engines.asked
    world.now += EVERY
    assert await refused() == 1
    world.engines.generation = "g-2"
    world.now += EVERY / 2
    assert await refused() == 1, "the index is another one"
    world.engines.refused = None
    world.now += EVERY / 2
    assert await scoring.sweep() == 0, "not so soon"
    world.now += EVERY / 2
    assert await scoring.sweep() == 1


async def test_nothing_is_asked_while_there_are_no_labels(world):
    world.engines.away = True
    assert await world.sweep() == 0


async def test_sets_without_a_yes_have_no_score_and_only_so_many_queries_are_asked(world):
    world.sets.held = {"none": {"q1": "a:no"}, "many": {f"q{n}": "a:yes" for n in range(9)}, "": {}}
    assert await world.sweep(most=4) == 2
    (score, _) = await world.scores.newest()
    assert (score.queries, score.answerable) == (4, 9) and len(world.engines.asked) == 8
    assert len({query for _, query in world.engines.asked}) == 4, "all retrievers get the same queries"


async def test_what_is_away_leaves_what_was_scored(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {}}
    await world.sweep()
    world.engines.away = True
    world.now += EVERY
    with pytest.raises(DependencyAwayError):
        await world.sweep()
    assert len(await world.scores.newest()) == 2


async def test_scores_are_listed_best_first(world, rpc):
    world.sets.held = {"one": {"q1": "b:yes a:no"}, "": {}}
    await world.sweep()
    assert [each.retriever for each in await list_scores(world.scores, "one", history=False)] == ["plain:text", "plain"]
    assert await list_scores(world.scores, "", history=True)
    with pytest.raises(UnknownLabelsError, match="two"):
        await list_scores(world.scores, "two", history=False)
    (message, other) = (await rpc.ListRetrievalScores(pb.ListRetrievalScoresRequest(labels="one"), None)).scores
    assert (message.retriever, message.measures["mrr"].value, other.condensed["mrr"].value) == ("plain:text", 1.0, 0.5)
    assert other.measures["mrr"].value == pytest.approx(1 / 3)
    assert message.labels == "one" and message.scored_at.startswith("2026-06")


def test_a_mean_of_nothing_is_nothing():
    found = measured(rows().finish("empty"), {})
    assert found.least["mrr"] == found.condensed["mrr"] == Interval(0.0, 0.0, 1.0)


async def test_scores_are_ordered_by_what_is_the_least(world):
    world.sets.held = {"one": {"q1": "b:yes"}, "": {}}
    world.engines.codes = ["a", "b", "c", "d"]
    await world.sweep()
    listed = await list_scores(world.scores, "one", history=False)
    assert {each.condensed["ndcg_at_10"].value for each in listed} == {1.0}
    assert [each.retriever for each in listed] == ["plain", "plain:text"]
    lowest = replace(listed[0], retriever="a", measures={}, method=1, scored_at=listed[0].scored_at - EVERY)
    await world.scores.add(lowest)
    assert (await list_scores(world.scores, "one", history=True))[-1] == lowest, "of it nobody knows the least"


async def test_what_an_earlier_method_scored_is_scored_again(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {"q1": "a:yes"}}
    await world.sweep()
    world.scores.kept = [replace(each, method=1, measures={}) for each in world.scores.kept]
    assert await world.sweep() == 0, "not so soon"
    world.now += EVERY
    assert await world.sweep() == 4
    assert {each.method for each in await world.scores.newest()} == {METHOD}


async def listed(world, labels=CURRENT):
    return {each.retriever: each for each in await list_scores(world.scores, labels, history=False)}


async def relabelled(world, labels):
    """Other labels of now, and the time until they are scored."""
    world.sets.held[""] = labels
    await on_pair_labelled(world.scores)(LABELLED)
    world.now += EVERY


async def test_one_table_is_of_one_set_of_labels_and_one_index(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {"q1": "a:yes b:no"}}
    world.engines.names = ["plain", "plain:old-model"]
    await world.sweep()
    # The index is made anew with another model, and harder labels come.
    world.engines.names, world.engines.generation = ["plain", "plain:new-model"], "g-2"
    await relabelled(world, {"q1": "a:no b:yes", "q2": "b:yes"})
    await world.sweep()
    for labels in (CURRENT, "one"):
        found = await listed(world, labels)
        assert set(found) == {"plain", "plain:new-model"} and {each.generation for each in found.values()} == {"g-2"}
    history = await list_scores(world.scores, "one", history=True)
    assert [each.generation for each in history] == ["g-2", "g-2", "g-1", "g-1"], "each table by itself, newest first"
    # Where no correct code is left, that of the model that is gone has lapsed as well.
    await relabelled(world, {"q1": "a:no"})
    await world.sweep()
    assert {each.labels for each in await list_scores(world.scores, "", history=False)} == {"one"}


async def test_a_sweep_that_breaks_off_leaves_no_other_labels_in_the_table(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {}}
    await world.sweep()
    world.engines.codes = ["y", "a"]
    world.engines.gone = "plain:text"
    world.now += EVERY
    with pytest.raises(DependencyAwayError):
        await world.sweep()
    assert set(await listed(world, "one")) == {"plain"}, "the other was scored with another index"
    world.engines.gone = ""
    assert await world.sweep() == 1, "who lacks a score is asked at once while the index is the same"
    assert {name: each.indexed for name, each in (await listed(world, "one")).items()} == {"plain": 2, "plain:text": 2}


async def test_all_are_scored_together_when_the_index_has_changed_since_one_of_them_was(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {"q1": "a:yes"}}
    world.engines.gone = "plain:text"
    with pytest.raises(DependencyAwayError):
        await world.sweep()
    world.engines.gone, world.engines.codes = "", ["y", "a"]
    assert await world.sweep() == 0, "not so soon"
    assert set(await listed(world, "one")) == set(await listed(world)) == {"plain"}
    world.now += EVERY
    assert await world.sweep() == 4
    assert {each.indexed for each in (await listed(world, "one")).values()} == {2}
    assert set(await listed(world)) == set(await listed(world, "one")) == {"plain", "plain:text"}


async def test_a_retriever_that_comes_is_scored_beside_the_others_and_one_that_is_off_stays_until_they_are_again(world):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {}}
    await world.sweep()
    world.engines.names = ["plain", "plain:text", "augmented"]
    assert await world.sweep() == 1
    world.engines.names = ["plain", "plain:text"]
    assert await world.sweep() == 0
    assert set(await listed(world, "one")) == {"plain", "plain:text", "augmented"}
    world.engines.codes = ["y", "a"]
    world.now += EVERY
    assert await world.sweep() == 2 and set(await listed(world, "one")) == {"plain", "plain:text"}


async def test_a_score_is_told_with_the_labels_and_the_index_that_it_rests_on(world, rpc):
    world.sets.held = {"one": {"q1": "a:yes"}, "": {}}
    await world.sweep()
    message = (await rpc.ListRetrievalScores(pb.ListRetrievalScoresRequest(labels="one"), None)).scores[0]
    told = (message.labels_digest, message.indexed, message.generation, message.index_digest, message.method)
    assert told == ("digest of one", 3, "g-1", "a x b", METHOD)


class Growing(Engines):
    """Searches that are all the same; at each answer a wrong code more is in the index."""

    def __init__(self, names):
        super().__init__([])
        self.names, self.growth = list(names), 1

    async def ranking(self, name, query, limit):
        await super().ranking(name, query, limit)
        self.codes += ["x"] * self.growth
        return [*(f"x{number}" for number in range(len(self.codes) // 20)), f"a{query.rsplit('q', 1)[1]}"]


def answered(size):
    """Labels of so many queries, each with a code of its own."""
    return {f"q{number}": f"a{number}:yes" for number in range(size)}


async def test_who_is_asked_first_wins_nothing_by_an_index_that_grows(world):
    world.sets.held = {"one": answered(40), "": {}}
    world.engines = Growing(["plain", "plain:text", "plain:bm25"])
    assert await world.sweep(most=40) == 3
    found = [each.measures["mrr"].value for each in (await listed(world, "one")).values()]
    assert max(found) - min(found) < 0.03 and max(found) < 0.8, "they are the same search, and the index grew for all"


async def test_who_comes_while_the_index_grows_is_scored_with_the_others_later(world):
    world.sets.held = {"one": answered(4), "": {}}
    world.engines = Growing(["plain"])
    world.engines.growth = 0
    assert await world.sweep() == 1
    world.engines.names, world.engines.growth = ["plain", "plain:text"], 1
    assert await world.sweep() == 0, "what it was asked grew meanwhile: the others had less to tell apart"
    world.engines.growth = 0
    assert set(await listed(world, "one")) == {"plain"}
    world.now += EVERY
    assert await world.sweep() == 2
    assert {each.indexed for each in (await listed(world, "one")).values()} == {len(world.engines.codes)}


async def test_one_table_is_of_one_number_of_queries(world):
    world.sets.held = {"one": answered(9), "few": answered(3), "": answered(9)}
    assert await world.sweep(most=4) == 6
    world.engines.names = ["plain", "plain:text", "augmented"]
    assert await world.sweep(most=8) == 1, "of the few all were asked before as well"
    assert set(await listed(world, "few")) == {"plain", "plain:text", "augmented"}
    world.now += EVERY
    assert await world.sweep(most=8) == 6
    for labels in ("one", CURRENT):
        assert {name: each.queries for name, each in (await listed(world, labels)).items()} == dict.fromkeys(
            world.engines.names, 8
        )
    assert {each.queries for each in await list_scores(world.scores, "one", history=True)} == {4, 8}
