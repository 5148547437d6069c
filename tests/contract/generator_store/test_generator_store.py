"""What every store of the generator does."""

import asyncio
from dataclasses import replace
from datetime import datetime

import pytest

from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.domain.release import record_of
from pbt_generator.domain.task.record import BuiltTask
from pbt_generator.domain.trial import Trial
from pbt_generator.ports import ReleaseRow
from touchstone_contracts.manifests import canonical

FUNCTION = {"function_id": "f", "source": {"name": "wordkit", "version": "1.0", "kind": "package"}, "path": "ü.py"}


def task(number, kind="SC"):
    return BuiltTask(
        f"task{number}", f"function{number}", kind, "Easy", "heuristic", "f", "Do.", {"python": "def f(x)"}, "",
        "suite", "certificate", "truth", 40, 1.0, 0.9583333333333334, ("python", "go"), 0.1,
    )  # fmt: skip


async def keep(decisions, *tasks):
    for each in tasks:
        await decisions.save(each.function_id, "b", each.kind, each, FUNCTION, each.cpu_s)


async def test_imported_tasks_are_found_by_id_and_stand_in_a_list_of_their_own(stores):
    decisions = stores[0]
    await keep(decisions, task(1))
    await decisions.save("function2", "import/1", "SC", task(2), FUNCTION, 0.0)
    assert [each.task.task_id for each in await decisions.tasks()] == ["task1"]
    assert [each.task.task_id for each in await decisions.tasks(imported=True)] == ["task2"]
    assert await decisions.tasks("WSC", imported=True) == []
    assert await decisions.counts() == {"tasks": 1}
    (found,) = await decisions.matching("task2")
    assert found.task == task(2)
    await decisions.retract("task2", "it is wrong")
    assert await decisions.retracted() == [("task2", "it is wrong")] and await decisions.counts() == {"tasks": 1}


async def test_decisions_are_kept_once_and_listed_in_their_order(stores):
    decisions, *_ = stores
    await keep(decisions, task(2), task(1, "WSC"))
    refusal = Refusal(Reason.CONSTANT_OUTPUT, "always 1")
    assert await decisions.save("function3", "b", "SC", refusal, FUNCTION, 0.0) == refusal
    assert await decisions.save("function2", "b", "SC", refusal, FUNCTION, 0.0) == task(2)
    assert await decisions.find("function2", "b") == task(2)
    assert await decisions.find("function2", "other") is None
    assert [each.task for each in await decisions.tasks()] == [task(2), task(1, "WSC")]
    assert [each.task.task_id for each in await decisions.tasks("WSC")] == ["task1"]
    assert len(await decisions.tasks(limit=1)) == 1
    assert [each.task.task_id for each in await decisions.matching("task")] == ["task1", "task2"]
    assert await decisions.matching("%") == []


async def test_foreign_text_that_no_database_holds_is_kept_without_it(stores):
    """An author may write a NUL into a docstring, and a model into its reasons; half of a pair is no character."""
    decisions = stores[0]
    foreign = replace(task(1), instruction="Up to \0.", gaps=("its example `f('\0')` …",), domain={"x": "\ud800"})
    kept = await decisions.save("function1", "b", "SC", foreign, {**FUNCTION, "docstring": "Up to \0."}, 0.1)
    assert kept == replace(
        task(1), instruction="Up to \ufffd.", gaps=("its example `f('\ufffd')` …",), domain={"x": "\ufffd"}
    )
    assert [each.task for each in await decisions.tasks()] == [kept]
    refusal = Refusal(Reason.UNSUITABLE, "no\0thing")
    kept = await decisions.save("function2", "b", "SC", refusal, FUNCTION, 0.0)
    assert kept == Refusal(Reason.UNSUITABLE, "no\ufffdthing") == await decisions.find("function2", "b")
    assert await decisions.retract("task1", "it is\0 wrong") == "it is\ufffd wrong"


async def test_refusals_are_listed_newest_first_and_by_reason(stores):
    decisions, *_ = stores
    await keep(decisions, task(1))
    for number, reason in enumerate((Reason.CONSTANT_OUTPUT, Reason.IDENTITY, Reason.CONSTANT_OUTPUT)):
        await decisions.save(f"g{number}", "b", "WSC", Refusal(reason, f"detail {number}"), FUNCTION, 0.0)
    found = await decisions.refusals()
    assert [each.refusal.detail for each in found] == ["detail 2", "detail 1", "detail 0"]
    assert (found[0].kind, found[0].function) == ("WSC", FUNCTION)
    assert [each.refusal.detail for each in await decisions.refusals("constant_output")] == ["detail 2", "detail 0"]
    assert len(await decisions.refusals("constant_output", 1)) == 1
    assert await decisions.refusals("nonsense") == []


async def test_a_record_has_the_same_bytes_after_it_was_stored(stores):
    decisions, *_ = stores
    await keep(decisions, task(1))
    (stored,) = await decisions.tasks()
    assert canonical(record_of(stored.task, stored.function)) == canonical(record_of(task(1), FUNCTION))


async def test_the_first_note_of_a_retraction_stays(stores):
    decisions, *_ = stores
    await keep(decisions, task(1), task(2))
    assert await decisions.retract("task1", "wrong") == "wrong"
    assert await decisions.retract("task1", "again") == "wrong"
    assert [each.task.task_id for each in await decisions.tasks()] == ["task2"]
    (found,) = await decisions.matching("task1")
    assert found.retracted == "wrong"
    assert list(await decisions.retracted()) == [("task1", "wrong")]
    assert await decisions.counts() == {"tasks": 1, "retracted": 1}


async def test_a_task_takes_the_place_of_one_that_stands(stores):
    decisions, *_ = stores
    await keep(decisions, task(1), task(2))
    made = replace(task(1), task_id="made")
    assert await decisions.supersede("task1", "replaced by made", "b+task1", made, FUNCTION) == made
    assert [each.task.task_id for each in await decisions.tasks()] == ["task2", "made"]
    assert list(await decisions.retracted()) == [("task1", "replaced by made")]
    assert await decisions.find("function1", "b+task1") == made
    # What was taken back is not replaced, and brings nothing with it.
    for version in ("b+task1", "b+later"):
        assert await decisions.supersede("task1", "again", version, replace(made, task_id="m2"), FUNCTION) is None
    await decisions.retract("made", "wrong too")
    assert await decisions.supersede("made", "again", "b+made", replace(made, task_id="m3"), FUNCTION) is None
    assert await decisions.supersede("nosuch", "again", "b+nosuch", replace(made, task_id="m4"), FUNCTION) is None
    assert [each.task.task_id for each in await decisions.tasks()] == ["task2"]
    assert list(await decisions.retracted()) == [("made", "wrong too"), ("task1", "replaced by made")]


async def test_versions_that_took_a_place_and_stand_are_listed(stores):
    decisions, *_ = stores
    await keep(decisions, task(1), task(2))
    await decisions.save("function3", "import/a+b", "SC", task(3), FUNCTION, 0.0)
    assert list(await decisions.amended()) == []
    for number in (2, 1):
        made = replace(task(number), task_id=f"made{number}")
        await decisions.supersede(f"task{number}", "replaced", f"b+task{number}", made, FUNCTION)
    assert [each.task.task_id for each in await decisions.amended()] == ["made2", "made1"]
    assert (await decisions.amended())[0].function == FUNCTION
    again = replace(task(1), task_id="later")
    await decisions.supersede("made1", "replaced", "b+made1", again, FUNCTION)
    await decisions.retract("made2", "wrong")
    assert [each.task for each in await decisions.amended()] == [again]


async def test_of_many_that_would_take_a_place_one_does(stores):
    decisions, *_ = stores
    await keep(decisions, task(1))
    given = await asyncio.gather(
        *(
            decisions.supersede("task1", f"by {n}", f"b+{n}", replace(task(1), task_id=f"made{n}"), FUNCTION)
            for n in range(8)
        )
    )
    (made,) = [each for each in given if each is not None]
    assert [each.task for each in await decisions.tasks()] == [made]
    assert list(await decisions.retracted()) == [("task1", f"by {made.task_id.removeprefix('made')}")]


async def test_releases_stand_and_know_what_was_retracted(stores):
    decisions, releases, *_ = stores
    await keep(decisions, task(1), task(2))
    row, new = await releases.save(ReleaseRow("one", "d1", "m1", 2), ["task1", "task2"])
    assert new and (row.name, row.digest, row.manifest_digest, row.tasks) == ("one", "d1", "m1", 2)
    assert datetime.fromisoformat(row.created_at).tzinfo is not None
    again, new = await releases.save(ReleaseRow("one", "other", "m2", 1), ["task1"])
    assert not new and again == row
    await releases.save(ReleaseRow("another", "d2", "m2", 1), ["task2"])
    assert [each.name for each in await releases.all()] == ["one", "another"]
    assert await releases.holding("task2") == ["another", "one"] and await releases.holding("x") == []
    assert await releases.find("nobody") is None
    await decisions.retract("task1", "wrong")
    assert {each.name: dict(each.retractions) for each in await releases.all()} == {
        "one": {"task1": "wrong"},
        "another": {},
    }


@pytest.mark.parametrize("count", [0, 2000])
async def test_releases_of_any_size(stores, count):
    _, releases, *_ = stores
    row, new = await releases.save(ReleaseRow("large", "d", "m", count), [f"t{n}" for n in range(count)])
    assert new and row.tasks == count


async def test_a_version_is_traced_once(stores):
    *_, traces, _ = stores
    assert await traces.find("v1") == ""
    await traces.save("v1", "digest", 1.5, "")
    await traces.save("v1", "another", 2.0, "too late")
    assert (await traces.find("v1"), await traces.find("v2")) == ("digest", "")


async def test_the_newest_trial_of_a_task_and_a_model_stands(stores):
    *_, trials = stores
    assert await trials.solved_by() == {}
    for model, solved in (("b", 0), ("a", 1), ("b", 2)):
        await trials.save(Trial("task1", model, 3, 3, solved), f"digest {solved}")
    await trials.save(Trial("task2", "a", 3, 1, 1), "digest")
    assert await trials.solved_by() == {"task1": {"a": "1/3", "b": "2/3"}, "task2": {"a": "1/1"}}


async def test_kill_patterns_are_kept_once_for_each_version(stores):
    *_, patterns, _, _ = stores
    assert await patterns.find("task1", 1) == ""
    await patterns.save("task1", 1, "digest")
    await patterns.save("task1", 1, "another")
    await patterns.save("task1", 2, "later")
    found = [await patterns.find(task, version) for task, version in (("task1", 1), ("task1", 2), ("task2", 1))]
    assert found == ["digest", "later", ""]
