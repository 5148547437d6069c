"""Which mutants wrong answers resemble: what is near, what is claimed of it, and that nothing is claimed else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.adapters.answer_messages import to_answer
from evaluator.adapters.messages import to_run
from evaluator.domain.outcomes import Outcome
from evaluator.domain.resemblance import MOST, NEAR, KillPattern, Resemblance, nearest
from evaluator.domain.tasks import Effort, Solution, Verdict
from evaluator.usecases.resembling import compare_wrong_answers

WRONG = "wrong_output"


def verdict(failed, cases=100, said="got {}", named=50, judging=0):
    failures = tuple((index, WRONG, said.format(index)) for index in sorted(failed))
    return Verdict(Outcome.WRONG_OUTPUT, cases, cases - len(failures), failures=failures[:named], judging=judging)


def mutant(failed, cases=100, said="got {}", line=3, change="a < b → a <= b", named=50):
    found = verdict(failed, cases, said, named)
    return KillPattern(line, change, found.cases, found.passed, found.failures)


def test_the_mutant_that_fails_the_same_cases_is_named_with_what_is_shared():
    (found,) = nearest(
        verdict(range(12)), [mutant(range(20, 30), line=1), mutant(range(12)), mutant(range(11), line=2)]
    )
    assert found == Resemblance(3, "a < b → a <= b", 12, 12, 12, 100, 100)
    assert found.how == "the same 12 of 12 failed cases, all with the same result"


def test_of_equally_near_mutants_the_one_with_the_same_results_comes_first():
    others = [mutant(range(12), said="gave {}", line=1), mutant(range(12), line=9)]
    assert [each.line for each in nearest(verdict(range(12)), others)] == [9]
    (found,) = nearest(verdict(range(12)), others[:1])
    assert (found.alike, found.how) == (0, "the same 12 of 12 failed cases, none with the same result")


def test_nothing_is_claimed_below_the_threshold():
    # Nine of ten are near, seven of ten are not.
    assert nearest(verdict(range(10)), [mutant(range(9))])
    assert nearest(verdict(range(10)), [mutant(range(7))]) == ()
    assert nearest(verdict(range(10)), []) == ()
    # Another suite than the answer's.
    assert nearest(verdict(range(10)), [mutant(range(10), cases=99)]) == ()


def test_what_fails_nearly_everywhere_resembles_only_what_gives_the_same_there():
    everywhere = verdict(range(40), cases=40)
    assert nearest(everywhere, [mutant(range(40), cases=40, said="gave {}")]) == ()
    (found,) = nearest(everywhere, [mutant(range(40), cases=40)])
    assert found.alike == 40


def test_a_verdict_that_names_only_its_first_failures_is_compared_up_to_the_last_of_them():
    # Sixty fail and fifty are named: of the cases from the fifty-first named one on nothing is known.
    cut = verdict(range(0, 120, 2), cases=300)
    (found,) = nearest(cut, [mutant([*range(0, 120, 2), *range(200, 290)], cases=300)])
    assert (found.shared, found.either, found.compared, found.cases) == (50, 50, 99, 300)
    assert found.how.endswith("of the first 99 cases")


def test_no_more_are_named_than_a_reader_takes_in():
    alike = [mutant(range(12), line=line) for line in range(9)]
    assert [each.line for each in nearest(verdict(range(12)), alike)] == list(range(MOST))


@given(
    st.sets(st.integers(0, 79), min_size=1), st.sets(st.integers(0, 79), min_size=1), st.sampled_from(["got {}", "{}"])
)
def test_what_is_claimed_holds(ours, theirs, said):
    for found in nearest(verdict(ours, 80, named=99), [mutant(theirs, 80, said, named=99)]):
        assert found.shared == len(ours & theirs) >= NEAR * len(ours | theirs)
        assert found.alike == (found.shared if said == "got {}" else 0)
        assert 2 * len(ours) <= 80 or found.alike >= NEAR * found.either


class Patterns:
    def __init__(self, **known):
        self.known, self.asked = known, []

    async def of(self, task_id):
        self.asked.append(task_id)
        return self.known.get(task_id, ())


@pytest.fixture
async def answered(store, run, task):
    """A run of two tasks with a wrong answer each, and a right one to a third."""
    tasks = [task(number) for number in (1, 2, 3)]
    for each in tasks:
        await store.save_task(each)
    mine = run()
    await store.save_run(mine, [each.task_id for each in tasks])
    for each, judged in zip(tasks, (verdict(range(12)), verdict([1]), Verdict(Outcome.PASSED, 100, 100)), strict=True):
        await store.save_solution(mine.run_id, each.task_id, Solution(f"s-{each.task_id}", "code", Effort()))
        await store.save_verdict(mine.run_id, each.task_id, f"s-{each.task_id}", judged)
    return mine, [each.task_id for each in tasks]


async def test_wrong_answers_are_compared_once_and_again_after_another_judging(store, resemblances, answered):
    run, (first, second, *_) = answered
    patterns = Patterns(**{first: (mutant(range(12)),)})
    assert await compare_wrong_answers(resemblances, patterns) == 2
    assert await compare_wrong_answers(resemblances, patterns) == 0
    assert patterns.asked == [first, second]
    found = await resemblances.found(run.run_id)
    assert {place: near[0].shared for place, near in found.items()} == {(run.run_id, first, 0): 12}
    assert await resemblances.found(task_id=second) == {}
    shown = to_run(await store.load_run(run.run_id), found)
    assert [[near.change for near in each.resembles] for each in shown.results] == [["a < b → a <= b"], [], []]
    (answer,) = [to_answer(run, each, found).resembles for each in (await store.find_attempt(run.run_id, first),)]
    assert [(near.line, near.how) for near in answer] == [(3, found[run.run_id, first, 0][0].how)]
    await store.save_verdict(run.run_id, first, f"s-{first}", verdict(range(50, 60), judging=1))
    assert await resemblances.found(run.run_id) == {}
    assert await compare_wrong_answers(resemblances, patterns) == 1
    assert await resemblances.found(run.run_id) == {}


async def test_answers_that_another_suite_judged_or_that_hold_no_program_are_compared_with_nothing(
    store, resemblances, run, task
):
    asked = task(1)
    await store.save_task(asked)
    other, ended = run(run_id="a" * 32), run(run_id="b" * 32)
    for mine, solution in (
        (other, Solution("s", "code", Effort(), suite_digest="d")),
        (ended, Solution("s", "", Effort(), outcome=Outcome.NO_CODE)),
    ):
        await store.save_run(mine, [asked.task_id])
        await store.save_solution(mine.run_id, asked.task_id, solution)
    await store.save_verdict(other.run_id, asked.task_id, "s", verdict([1]))
    await store.save_verdict(ended.run_id, asked.task_id, "s", replace(verdict([]), outcome=Outcome.NO_CODE))
    assert await resemblances.waiting(9) == []
