"""Tasks of other people's sets: what their ground truth does decides, and they stand apart from ours."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest

from pbt_generator.adapters.exporters import EXPORTERS
from pbt_generator.adapters.foreign import record_of_foreign
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.domain.foreign import ForeignSet, ForeignTask
from pbt_generator.domain.release import Selection
from pbt_generator.errors import BadSelectionError, SandboxRefusedError
from pbt_generator.rpc import PbtGeneratorServicer
from pbt_generator.usecases.importing import Importer
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb

WHOSE = ForeignSet("TheirSet", "0.1", "Apache-2.0", "a page of theirs")
HALF = "def half(x: int) -> int:\n    return x // 2\n"
ASSERTING = 'def half(x: int) -> int:\n    assert x >= 0, "invalid inputs"\n    return x // 2\n'


def foreign(source: str = HALF, inputs: tuple[str, ...] = ("[1]", "[8]", "[9]"), **changes: Any) -> ForeignTask:
    entry = changes.pop("entry_point", "half")
    return ForeignTask("Their/7", entry, source, "Halve a number.", f"def {entry}(x: int) -> int", inputs, **changes)


@pytest.fixture
def importer(house: Any) -> Importer:
    return Importer(house.sandbox, ContractFreezer(), house.blobs, house.decisions, house.announcer, record_of_foreign)


async def test_what_the_ground_truth_gives_is_the_suite_and_the_set_is_named(house: Any, importer: Importer) -> None:
    taken = await importer.take(WHOSE, foreign())
    assert taken.task is not None and taken.passes
    assert (taken.problems, taken.inputs, taken.cases) == ((), 3, 3)
    assert house.announcer.said == [("built", taken.task.task_id)]
    suite = ContractFreezer().open(house.blobs.stored[taken.task.suite_digest])
    assert suite.cases == (("[1]", "0"), ("[8]", "4"), ("[9]", "4"))
    stored = await house.tasks.find(taken.task.task_id)
    source = stored.function["source"]
    assert (source["kind"], source["name"], source["version"], source["licence"]) == (
        "benchmark", "TheirSet", "0.1", "Apache-2.0",
    )  # fmt: skip
    assert stored.function["path"] == "Their/7"
    # Nobody measured them.
    assert (taken.task.branch_coverage, taken.task.mutation_score) == (-1.0, -1.0)
    again = await importer.take(WHOSE, foreign())
    assert again.task == taken.task


async def test_a_task_that_stands_with_another_suite_or_other_words_is_told_and_counted_as_it_stands(
    house: Any, importer: Importer
) -> None:
    first = await importer.take(WHOSE, foreign("def half(x):\n    return x\n", ("[1]",)))
    wider = foreign("def half(x):\n    return x\n", ("[1]", "[8]", "[9]"))
    mended = await importer.take(WHOSE, wider)
    assert mended.task == first.task and (mended.inputs, mended.cases) == (3, 1) and mended.weak == first.weak
    assert mended.problems == (
        "it stands from an earlier import, with another suite (cases: 1, in what was read: 3): "
        "take this one in under another --set-version",
    )
    said = replace(
        wider, inputs=("[1]",), instruction="Give it back.", prelude="import math\n", signature="def half(n)"
    )
    (problem,) = (await importer.take(WHOSE, said)).problems
    assert "with other words and another head and another prelude: take this" in problem
    again = await importer.take(replace(WHOSE, version="0.2"), wider)
    assert (again.problems, again.cases) == ((), 3) and again.task != first.task
    row, _ = await house.desk.create("theirs", Selection(task_ids=(mended.task.task_id,)))  # type: ignore[union-attr]
    assert (await house.desk.show(row.name)).manifest["counts"]["cases"] == mended.cases


async def test_imported_tasks_stand_in_a_list_of_their_own_and_in_no_release_with_ours(
    house: Any, importer: Importer
) -> None:
    before, counts = await house.decisions.tasks(), await house.decisions.counts()
    taken = await importer.take(WHOSE, foreign())
    assert taken.task is not None
    assert await house.decisions.tasks() == before and await house.decisions.counts() == counts
    assert [each.task for each in await house.decisions.tasks(imported=True)] == [taken.task]
    row, _ = await house.desk.create("ours", Selection())
    assert row.tasks == 3
    for ids in ((taken.task.task_id, house.ids["clamp"]), (house.ids["clamp"], taken.task.task_id)):
        with pytest.raises(BadSelectionError, match="and of this platform are never in one release"):
            await house.desk.create("mixed", Selection(task_ids=ids))
    other = await importer.take(ForeignSet("Other", "2", "MIT"), foreign())
    with pytest.raises(BadSelectionError, match="never in one release"):
        await house.desk.create("mixed", Selection(task_ids=(taken.task.task_id, other.task.task_id)))


@pytest.mark.parametrize("export_format", EXPORTERS)
async def test_a_release_of_them_is_verified_and_exported(
    house: Any, importer: Importer, tmp_path: Any, export_format: str
) -> None:
    taken = await importer.take(WHOSE, foreign())
    await house.desk.create("theirs", Selection(task_ids=(taken.task.task_id,)))
    (checked,) = await house.verify("theirs")
    assert (checked.problems, checked.trials) == ((), 4)
    manifest = (await house.desk.show("theirs")).manifest
    assert manifest["counts"]["by_licence"] == {"Apache-2.0": 1}
    assert (manifest["tasks"][0]["builder"], manifest["tasks"][0]["source"]["kind"]) == ("import/2", "benchmark")
    folder = house.write(await house.export("theirs", export_format), tmp_path)
    assert [each.problems for each in await house.check_folder(folder)] == [()]


async def test_figures_that_nobody_measured_are_none_in_exports(house: Any, importer: Importer) -> None:
    taken = await importer.take(WHOSE, foreign())
    await house.desk.create("theirs", Selection(task_ids=(taken.task.task_id,)))
    await house.desk.create("ours", Selection())
    names = ("branch_coverage", "mutation_score")
    for release, figures in (("theirs", [(None, None)]), ("ours", [(1.0, 0.975)] * 3)):
        table = pq.read_table(io.BytesIO((await house.export(release, "parquet"))["tasks.parquet"])).to_pylist()
        lines = (await house.export(release, "evalplus"))["evalplus.jsonl"].splitlines()
        for rows in (table, [json.loads(line)["touchstone"] for line in lines]):
            assert [tuple(row[name] for name in names) for row in rows] == figures
        assert {row["complexity"] for row in table} == ({None} if release == "theirs" else {3})


async def test_a_release_whose_ground_truth_does_not_pass_any_more_is_not_verified(
    house: Any, importer: Importer
) -> None:
    taken = await importer.take(WHOSE, foreign())
    await house.desk.create("theirs", Selection(task_ids=(taken.task.task_id,)))
    opened = (await house.desk.show("theirs")).manifest["tasks"][0]
    house.blobs.stored[opened["digests"]["ground_truth"]] = b"def half(x):\n    return x\n"
    (checked,) = await house.verify("theirs")
    assert "ground truth has the digest" in checked.problems[0]


@pytest.mark.parametrize(
    ("task", "cases", "problem"),
    [
        (foreign(asserting=ASSERTING, inputs=("[4]", "[-3]", "[6]")), 2, "1 of 3 inputs: the set's own assertions"),
        (foreign(expected=("0", "4", "5")), 2, "1 of 3 inputs: the ground truth gives something else"),
        (foreign("def half(x):\n    return 8 // x\n", ("[2]", "[0]")), 1, "raises ZeroDivisionError"),
        (foreign("def half(x):\n    return object()\n"), 0, "3 of 3 inputs"),
        (foreign("def half(x):\n    return object() if x == 8 else x\n"), 2, "a result: object has no portable"),
        (foreign("def other(x):\n    return x\n"), 0, "defines no function half"),
        (foreign("def half(x:\n"), 0, "defines no function half"),
        (foreign(inputs=()), 0, "no input"),
        (foreign(expected=("0", "4")), 0, "it has 3 inputs and 2 results"),
        (foreign("import random\ndef half(x):\n    return random.random()\n"), 0, "ground_truth_seed_1: wrong_output"),
        (foreign("def half(x):\n    return list(set(x))[0]\n", ('[["a","b","c","d","e"]]',)), 0, "wrong_output"),
    ],
)  # fmt: skip
async def test_every_exception_is_told(importer: Importer, task: ForeignTask, cases: int, problem: str) -> None:
    taken = await importer.take(WHOSE, task)
    # Neither what the set itself refuses nor what the codec does not hold is a failure of the ground truth.
    assert taken.passes == ("assertions" in problem or "portable" in problem)
    assert problem in "; ".join(taken.problems)
    assert (taken.task is not None) == bool(cases)
    if taken.task is not None:
        assert (taken.cases, taken.task.cases) == (cases, cases)


OWN = 'def half(x):\n    """Halve."""\n    found = x // 2\n    assert found != 4, "my own check"\n    return found\n'


@pytest.mark.parametrize("contract", ["", "    assert x >= 0\n", "    found = x\n    assert found >= 0\n"])
async def test_an_assertion_of_the_ground_truth_itself_is_a_failure_of_it(importer: Importer, contract: str) -> None:
    asserting = OWN.replace('"""\n', f'"""\n{contract}') if contract else ""
    taken = await importer.take(WHOSE, foreign(OWN, ("[4]", "[8]", "[-3]"), asserting=asserting))
    left_out = ["1 of 3 inputs: the set's own assertions do not take the input"] if contract else []
    assert taken.problems == (*left_out, "1 of 3 inputs: the ground truth raises AssertionError")
    assert not taken.passes and taken.cases == (1 if contract else 2)


async def test_assertions_of_a_set_are_those_before_the_ground_truth_s_own(importer: Importer) -> None:
    # The ground truth has the same one, and it is the set's too.
    source = HALF.replace("    return", "    assert x >= 0\n    return")
    asserting = source.replace("    assert x >= 0\n", "    assert x >= 0\n" * 2)
    taken = await importer.take(WHOSE, foreign(source, ("[4]", "[-3]"), asserting=asserting))
    assert taken.passes and taken.problems == ("1 of 2 inputs: the set's own assertions do not take the input",)
    # What it needs may stand behind it.
    helped = "def half(x):\n    assert fits(x)\n    return x // 2\n\ndef fits(x):\n    return x >= 0\n"
    taken = await importer.take(WHOSE, foreign(HALF, ("[4]", "[-3]"), asserting=helped))
    assert taken.passes and taken.problems == ("1 of 2 inputs: the set's own assertions do not take the input",)


async def test_what_a_set_allows_as_an_equal_result_is_equal(importer: Importer) -> None:
    taken = await importer.take(
        WHOSE, foreign("def half(x):\n    return (x / 2,)\n", ("[1]",), expected=("[0.50000001]",))
    )
    assert taken.problems == () and taken.cases == 1


async def test_an_input_that_comes_twice_is_one_case(importer: Importer) -> None:
    taken = await importer.take(WHOSE, foreign(inputs=("[1]", "[1]", "[6]")))
    assert (taken.inputs, taken.cases, taken.problems) == (3, 2, ())


async def test_known_wrong_programs_that_pass_are_named_and_hold_up_nothing(house: Any, importer: Importer) -> None:
    taken = await importer.take(WHOSE, foreign("def half(x):\n    return x\n"))
    assert taken.task is not None and taken.problems == () and taken.weak == ("returns_argument",)
    certificate = json.loads(house.blobs.stored[taken.task.certificate_digest])
    assert certificate["holds"] and certificate["weak"] == ["returns_argument"]


async def test_a_job_that_the_sandbox_refuses_is_an_exception_too(house: Any, importer: Importer) -> None:
    async def refuse(*_given: Any, **_named: Any) -> Any:
        raise SandboxRefusedError("it is too large", thing="sandbox")

    house.sandbox.run_cases = refuse
    taken = await importer.take(WHOSE, foreign())
    assert taken.task is None and "too large" in taken.problems[0]


async def test_importing_over_grpc(house: Any, importer: Importer) -> None:
    servicer = PbtGeneratorServicer(house.tasks, house.desk, None, None, None, importer, None)  # type: ignore[arg-type]
    request = pb.ImportTaskRequest(
        set="TheirSet", set_version="0.1", licence="Apache-2.0", foreign_id="Their/7", entry_point="half", source=HALF,
        asserting=ASSERTING, instruction="Halve.", signature="def half(x)", inputs=["[1]", "[-1]"],
    )  # fmt: skip
    answer = await servicer.ImportTask(request, None)
    assert (answer.inputs, answer.cases, list(answer.problems)) == (
        2, 1, ["1 of 2 inputs: the set's own assertions do not take the input"],
    )  # fmt: skip
    stored = await house.tasks.find(answer.task_id)
    assert (stored.task.instruction, stored.task.track) == ("Halve.", "")
    # Told by example, it is on the board of such tasks, and in no row of an export a described one.
    told = pb.ImportTaskRequest()
    told.CopyFrom(request)
    told.foreign_id, told.wording = "Their/8", "by_example"
    again = await servicer.ImportTask(told, None)
    await house.desk.create("theirs", Selection(task_ids=(answer.task_id, again.task_id)))
    files = await house.export("theirs", "lm-eval")
    rows = map(json.loads, files["lm_eval/tasks.jsonl"].splitlines())
    assert {row["task_id"]: row["wording"] for row in rows} == {
        answer.task_id: "described", again.task_id: "by_example",
    }  # fmt: skip
    assert [checked.problems for checked in await house.verify("theirs")] == [(), ()]
