"""The memory gap: the same tasks under their own names and under names that say nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.adapters.messages import BoardAnswers, to_profile
from evaluator.domain.board import ALPHA
from evaluator.domain.comparing_models import mcnemar
from evaluator.domain.exercises import Exercise
from evaluator.domain.memory import beside, memory_gap, way_of, widest_gap
from evaluator.domain.outcomes import Outcome
from evaluator.domain.results import Cell, RunResults, TaskFacts
from evaluator.domain.runs import Run
from evaluator.domain.specification import RunSpec, TaskSet
from evaluator.domain.tasks import Verdict
from evaluator.usecases.boards import Boards
from evaluator.usecases.runs import record_verdict


def cell(outcome):
    return Cell(outcome, False, 0, 0, 0.0, 0.0, 0.0)


@pytest.fixture
def results(run):
    """Results of a run by task, "p" passed, "w" wrong, "-" pending, "i" lost; a letter a sample."""

    def of(letters, number=1, **spec):
        ended = {"p": "passed", "w": "wrong_output", "-": "", "i": "infrastructure"}
        cells = {f"t{place}": tuple(cell(ended[each]) for each in text) for place, text in enumerate(letters)}
        return RunResults(run(run_id=f"{number}" * 32, samples=len(letters[0]), **spec), cells)

    return of


@pytest.fixture
def known(task, facts):
    def of(count, sources=8):
        return {f"t{n}": facts(task(1, task_id=f"t{n}", source=f"pack{n % sources}")) for n in range(count)}

    return of


def test_shares_are_those_of_the_tasks_that_both_have_and_the_gap_is_paired(results, known):
    plain, neutral = (
        results(["p", "p", "p", "w", "p", "-"]),
        results(["p", "w", "w", "p", "-", "p"], 2, track="neutral"),
    )
    gap = memory_gap(plain, neutral, known(6), frozenset())
    assert gap is not None
    assert (gap.tasks, gap.missing, gap.left_out, gap.repositories) == (4, 2, 0, 4)
    assert (gap.plain.value, gap.neutral.value, gap.gap.value) == (0.75, 0.5, 0.25)
    assert (gap.only_plain, gap.only_neutral) == (2, 1) and not gap.decided
    assert (gap.plain_run[0], gap.neutral_run[0]) == ("1", "2")
    # What was taken back and what nobody knows counts nowhere; what was lost to a fault is in no value.
    assert memory_gap(plain, neutral, known(6), frozenset({"t0", "t2"})).tasks == 2
    assert memory_gap(plain, neutral, known(2), frozenset()).tasks == 2
    assert memory_gap(results(["i", "p"]), results(["p", "p"], 2), known(2), frozenset()).tasks == 1
    assert memory_gap(results(["p"]), results(["-"], 2), known(1), frozenset()) is None


def test_a_gap_is_decided_by_both_tests_together(results, known):
    plain, neutral = results(["p"] * 40), results(["w"] * 20 + ["p"] * 20, 2, track="neutral")
    spread_out = memory_gap(plain, neutral, known(40, 40), frozenset())
    assert spread_out.decided and spread_out.gap.low > 0 and spread_out.p >= mcnemar(20, 0)
    # All that tells them apart may be one repository's: McNemar alone would not see it.
    alike = memory_gap(plain, neutral, known(40, 1), frozenset())
    assert not alike.decided and mcnemar(20, 0) < ALPHA and (alike.gap.low, alike.gap.high) == (-1.0, 1.0)


def test_tasks_that_are_not_asked_in_neutral_dress_are_left_out_and_say_nothing(results, known):
    plain, neutral = results(["p", "w", "p", "-"]), results(["p", "w"], 2, track="neutral")
    gap = memory_gap(plain, neutral, known(4), frozenset())
    assert (gap.tasks, gap.missing, gap.left_out) == (2, 0, 1)
    assert gap == replace(memory_gap(results(["p", "w"]), neutral, known(2), frozenset()), left_out=1)


@pytest.mark.parametrize("lost", ["plain", "neutral"])
def test_a_gap_that_stands_on_what_was_lost_is_not_decided(results, known, lost):
    # Both solve every second task; the endpoint of one run gives nothing where its answer would tell otherwise.
    if lost == "plain":
        plain, neutral = results(["p", "i", "p", "i"] * 20), results(["p", "p", "w", "w"] * 20, 2, track="neutral")
    else:
        plain, neutral = results(["p", "p", "w", "w"] * 20), results(["w", "i", "w", "i"] * 20, 2, track="neutral")
    gap = memory_gap(plain, neutral, known(80, 80), frozenset())
    assert (gap.tasks, gap.missing, gap.left_out) == (40, 40, 0) and gap.gap.value == 0.5
    assert gap.gap.low < 0 < gap.gap.high and not gap.decided and gap.p == 1.0
    # A few that were lost hide no clear gap.
    plain, neutral = results(["p"] * 39 + ["i"]), results(["w"] * 30 + ["p"] * 10, 2, track="neutral")
    gap = memory_gap(plain, neutral, known(40, 40), frozenset())
    assert (gap.tasks, gap.missing) == (39, 1) and gap.decided and gap.gap.low > 0


def test_samples_count_by_their_share(results, known):
    several = {"temperature": 0.8, "track": ""}
    plain = results(["pp", "pw", "ww"], **several)
    neutral = results(["pw", "pw", "pw"], 2, **several | {"track": "neutral"})
    gap = memory_gap(plain, neutral, known(3), frozenset())
    assert (gap.plain.value, gap.neutral.value, gap.only_plain, gap.only_neutral) == (0.5, 0.5, 1, 1)


def test_only_a_run_that_differs_in_names_alone_stands_beside_another(results, known, run):
    plain, facts = results(["p", "w", "p"], bounds=(("tokens", 9),)), known(3)
    same = {"bounds": (("exercise", 2), ("tokens", 9)), "track": "neutral"}
    few, most = results(["p", "-", "-"], 2, **same), results(["w", "w", "p"], 3, **same)
    others = [few, most, plain]
    others += [results(["p"] * 3, 4, **same | other) for other in (
        {"model": "large"}, {"language": "go"}, {"bounds": (("exercise", 2), ("tokens", 8))}, {"track": "repair"},
        {"strategy": "cocost"}, {"variant": "no-x"}, {"prompts": "other"}, {"seed": 3}, {"withdrawn": "why"},
        {"model_digest": "d"}, {"track": ""},
    )]  # fmt: skip
    for order in (others, others[::-1]):
        assert widest_gap(plain, order, facts, frozenset()) == memory_gap(plain, most, facts, frozenset())
        assert widest_gap(most, order, facts, frozenset()) == memory_gap(plain, most, facts, frozenset())
    assert widest_gap(plain, [plain], facts, frozenset()) is None
    # Of two that share as many the newest making of the dress counts.
    newer = results(["p", "w", "w"], 9, track="neutral", bounds=(("exercise", 3), ("tokens", 9)))
    for order in ([most, newer], [newer, most]):
        assert widest_gap(plain, order, facts, frozenset()).neutral_run == newer.run.run_id
    assert way_of(run(track="repair")) is None and way_of(run(withdrawn="why")) is None


def test_answers_that_were_submitted_stand_beside_others_only_where_it_is_clear_which_are_meant(results, known):
    def submitted(letters, number, track="", answers=""):
        return results(letters, number, strategy="submitted", answers=answers or f"{number}" * 64, track=track)

    facts = known(3)
    plain, neutral = submitted(["p", "p", "w"], 1), submitted(["p", "w", "w"], 2, "neutral")
    assert widest_gap(plain, [neutral], facts, frozenset()).gap.value == pytest.approx(1 / 3)
    for rival in (submitted(["w", "w", "w"], 3), submitted(["w", "w", "w"], 3, "neutral")):
        for one in (plain, neutral):
            assert widest_gap(one, [plain, neutral, rival], facts, frozenset()) is None
        assert set(beside([plain.run], [each.run for each in (plain, neutral, rival)])) >= {neutral.run, rival.run}
    # The same answers met twice, and those to other tasks, make nothing unclear.
    again = submitted(["p", "w", "w"], 4, "neutral", neutral.run.spec.answers)
    other = submitted(["p", "w", "w"], 5)
    elsewhere = replace(other, cells={f"u{task_id}": cells for task_id, cells in other.cells.items()})
    assert widest_gap(plain, [neutral, again, elsewhere], facts, frozenset()) is not None


@pytest.mark.parametrize("temperature", [0.0, 0.8])
def test_of_one_answer_a_task_a_gap_is_held_to_the_exact_test_at_whatever_temperature(results, known, temperature):
    said = {"temperature": temperature}
    plain, neutral = results(["p"] * 5 + ["w"] * 35, **said), results(["w"] * 40, 2, track="neutral", **said)
    gap = memory_gap(plain, neutral, known(40, 20), frozenset())
    assert gap.p >= mcnemar(5, 0) == 0.0625 and not gap.decided


@given(st.lists(st.tuples(st.sampled_from("pwi-"), st.sampled_from("pwi-")), min_size=1, max_size=30))
def test_a_gap_lies_within_its_interval_and_turns_with_its_sides(pairs):

    facts = {f"t{n}": TaskFacts(f"t{n}", "SC", "Easy", f"p{n % 5}", "", "", "", 1, frozenset()) for n in range(30)}
    ended = {"p": "passed", "w": "wrong_output", "-": "", "i": "infrastructure"}
    first, second = (
        RunResults(
            Run(str(side), RunSpec(TaskSet(), "python", "direct", "", "m", "m")),
            {f"t{n}": (cell(ended[pair[side]]),) for n, pair in enumerate(pairs)},
        )
        for side in (0, 1)
    )
    gap, back = memory_gap(first, second, facts, frozenset()), memory_gap(second, first, facts, frozenset())
    both = [pair for pair in pairs if set(pair) <= {"p", "w"}]
    assert (gap is None) == (back is None) == (not both)
    if gap is None or back is None:
        return
    assert -1.0 <= gap.gap.low <= gap.gap.value <= gap.gap.high <= 1.0
    assert gap.gap.value == pytest.approx(-back.gap.value) == pytest.approx(gap.plain.value - gap.neutral.value)
    assert (gap.only_plain, gap.only_neutral, gap.p) == (back.only_neutral, back.only_plain, pytest.approx(back.p))
    assert (gap.tasks, gap.missing, gap.left_out) == (len(both), len(pairs) - len(both), 0)
    assert not gap.decided or gap.gap.low > 0 or gap.gap.high < 0
    assert gap.gap.value == pytest.approx((gap.only_plain - gap.only_neutral) / len(both))


async def test_boards_and_profiles_show_the_gap_and_never_mix_the_runs(house, task, store, lists, exercises):

    made = house("```python\ndef f1(x): return x\n\ndef f2(x): return x\n\ndef function_1(x): return x\n```")
    await made.tasks(1, 2)
    ids = [task(number).task_id for number in (1, 2)]
    for task_id in ids:
        exercises.given["neutral", task_id] = Exercise("neutral", entry_point="function_1", instruction="Do.")
    boards, answers = Boards(store, lists), BoardAnswers()

    async def ended(track, *outcomes):
        run = await made.start(track=track)
        for task_id, outcome in zip(ids, outcomes, strict=True):
            solution = (await made.solve(run, task_id)).solution
            await record_verdict(store, run.run_id, task_id, solution.solution_id, Verdict(outcome, 50, 50))
        return run

    plain = await ended("write", Outcome.PASSED, Outcome.PASSED)
    alone = answers.answer(*await boards.board())
    assert not alone.rows[0].HasField("memory")
    neutral = await ended("neutral", Outcome.PASSED, Outcome.WRONG_OUTPUT)
    # The plain run did not change, and its row shows what came beside it.
    beside = answers.answer(*await boards.board())
    (row,) = beside.rows
    assert row.run.run_id == plain.run_id and row.memory.gap.value == 0.5 and row.memory.tasks == 2
    assert (row.memory.plain_run, row.memory.neutral_run) == (plain.run_id, neutral.run_id)
    every = await boards.every()
    assert sorted(len(board.rows) for board in every) == [1, 1]
    assert {board.scope.track for board in every} == {"", "neutral"} and all(each.rows[0].memory for each in every)
    for run in (plain, neutral):
        found = to_profile(await boards.profile(run.run_id, lambda _model, _endpoint: ""))
        assert found.memory.gap.value == 0.5 and found.memory.plain.value == 1.0
    # A withdrawn run stands beside nothing.
    await store.set_withdrawn(neutral.run_id, "why")
    assert not answers.answer(*await boards.board()).rows[0].HasField("memory")
