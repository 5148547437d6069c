"""Digests are checked and certificates replayed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.domain.oracle.certificate import Trial
from pbt_generator.domain.release import (
    PARTS,
    Selection,
    manifest_of,
)
from pbt_generator.errors import (
    BrokenReleaseError,
    SandboxUnavailableError,
)
from pbt_generator.ports import CaseOutcome, CasesResult, ForeignProgram, Judgement
from pbt_generator.usecases.build import BUILDER
from pbt_generator.usecases.opening import open_task
from pbt_generator.usecases.verify import Verifier, compare, not_raising
from touchstone_contracts.manifests import sha256
from touchstone_runtime.blobs import BlobStore
from touchstone_runtime.exported import BlobParts


async def test_every_certificate_is_replayed(house: Any) -> None:
    await house.desk.create("first", Selection())
    checked = await house.verify("first")
    assert [each.problems for each in checked] == [(), (), ()]
    assert [(each.done, each.total) for each in checked] == [(1, 3), (2, 3), (3, 3)]
    assert [each.task_id for each in checked] == sorted(house.ids.values())
    # Ground truth twice, twelve wrong programs, a table program on right cases and on a wrong one.
    assert all(each.trials >= 16 for each in checked)


class Ending:
    """A sandbox of one process: what an input says it does, and behind one that ends it nothing is run."""

    def __init__(self) -> None:
        self.jobs: list[list[str]] = []

    async def run_cases(self, _program: ForeignProgram, inputs: Sequence[str], **_named: Any) -> CasesResult:
        self.jobs.append(list(inputs))
        ran = [*takewhile(lambda given: given in {"returned", "raised"}, inputs)]
        rest = inputs[len(ran) : len(ran) + 1]
        ended = [*ran, *(list(rest) * (len(inputs) - len(ran)))]
        return CasesResult(tuple(CaseOutcome(each) for each in ended), 1.0)


@pytest.mark.parametrize(
    ("inputs", "lines", "jobs"),
    [
        ([], [], 0),
        (["raised", "raised"], [], 1),
        (["raised", "returned"], ["1 of 2 inputs return"], 1),
        (["timed_out"], ["but timed out: timed_out"], 2),
        (["exited", "raised"], ["but exited: exited"], 2),
        # What stands behind it is not believed for it.
        (["raised", "timed_out", "returned"], ["but timed out: timed_out"], 2),
        (["returned", "exited", "timed_out"], ["1 of 3 inputs return", "but exited: exited"], 2),
    ],
)
async def test_an_input_that_is_said_to_raise_does_nothing_else(inputs: list[str], lines: list[str], jobs: int) -> None:
    sandbox = Ending()
    program = ForeignProgram("def f(x):\n    return x\n", "f")
    problems, cpu_s = await not_raising(sandbox, program, inputs)  # pyright: ignore[reportArgumentType]
    assert len(problems) == len(lines) and all(line in told for told, line in zip(problems, lines, strict=True))
    assert cpu_s == jobs == len(sandbox.jobs)


async def test_what_ends_a_job_once_says_nothing_of_the_inputs_behind_it() -> None:
    class Once(Ending):
        async def run_cases(self, _program: ForeignProgram, inputs: Sequence[str], **_named: Any) -> CasesResult:
            self.jobs.append(list(inputs))
            outcome = "timed_out" if len(inputs) > 1 else "raised"
            return CasesResult((CaseOutcome(outcome),) * len(inputs), 1.0)

    sandbox = Once()
    program = ForeignProgram("def f(x):\n    return x\n", "f")
    problems, _ = await not_raising(sandbox, program, ["[1]", "[2]"])  # pyright: ignore[reportArgumentType]
    assert problems == [] and sandbox.jobs == [["[1]", "[2]"], ["[1]"], ["[2]"]]


async def test_a_ground_truth_that_no_longer_passes_is_one_line(house: Any, made: dict[str, Any]) -> None:
    task, function, _ = made["clamp"]
    wrong = house.cases["clamp"][0].replace("x > high", "x >= 10 ** 9").encode()
    spoilt = replace(task, ground_truth_digest=sha256(wrong), task_id=house.ids["clamp"])
    house.blobs.stored[sha256(wrong)] = wrong
    house.decisions.kept[task.function_id, BUILDER] = ("SC", spoilt, function)
    await house.desk.create("bad", Selection(task_ids=(house.ids["clamp"],)))
    (checked,) = await house.verify("bad")
    (line,) = checked.problems
    assert line == "ground truth seed 1 in python must pass: wrong_output, 31 of 60 cases passed"


async def test_damage_is_named_with_part_and_digests(house: Any, made: dict[str, Any]) -> None:
    await house.desk.create("first", Selection())
    suite, truth = made["clamp"][0].suite_digest, made["halves"][0].ground_truth_digest
    house.blobs.stored[suite] += b"x"
    del house.blobs.stored[truth]
    lines = {each.entry_point: each.problems for each in await house.verify("first")}
    (damaged,), (missing,) = lines["clamp"], lines["halves"]
    assert damaged.startswith("suite has the digest") and suite in damaged
    assert missing == f"ground truth {truth} is missing: blob {truth}"
    assert lines["spread"] == ()
    with pytest.raises(BrokenReleaseError, match=r"task \w+: (suite has the digest|ground truth \w+ is missing)"):
        await house.export("first", "code2bench")


async def test_parts_that_contradict_each_other(house: Any, made: dict[str, Any]) -> None:
    await house.desk.create("first", Selection())
    shown = await house.desk.show("first")
    entries = {entry["entry_point"]: entry for entry in shown.manifest["tasks"]}
    entries["clamp"]["difficulty"] = "Hard"
    entries["halves"]["digests"]["suite"] = entries["clamp"]["digests"]["suite"]
    manifest = manifest_of("forged", Selection(), entries.values())
    verifier = Verifier(Failing(house.sandbox), TablePrograms(), ContractFreezer())
    found = {each.entry_point: each.problems async for each in verifier.verify(manifest, house.parts, {})}
    assert found["clamp"] == ("difficulty is 'Easy', the manifest says 'Hard'",)
    suites = [made[name][0].suite_digest for name in ("halves", "clamp")]
    assert found["halves"][0] == "digests.suite is {!r}, the manifest says {!r}".format(*suites)


class Failing:
    """A sandbox that is away for so many jobs, or lets everything pass."""

    def __init__(self, sandbox: Any, away: int = 0, languages: Sequence[str] = ("python",)) -> None:
        self.sandbox, self.away, self.offered = sandbox, away, languages

    async def languages(self) -> Sequence[str]:
        if self.away < 0:
            raise SandboxUnavailableError("failed to connect to all addresses", thing="unix:/nobody")
        return self.offered

    async def judge(self, *arguments: Any, **named: Any) -> Judgement:
        if self.away:
            self.away -= 1
            raise SandboxUnavailableError("busy", thing="unix:/nobody")
        return Judgement("passed", 60, 60, (), 0.1)

    async def run_cases(self, *arguments: Any, **named: Any) -> Any:
        return await self.sandbox.run_cases(*arguments, **named)


async def test_a_sandbox_that_lets_wrong_programs_pass_is_noticed(house: Any) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    manifest = (await house.desk.show("one")).manifest
    verifier = Verifier(Failing(house.sandbox, 2), TablePrograms(), ContractFreezer(), pause_s=0.0)
    (checked,) = [each async for each in verifier.verify(manifest, house.parts, {})]
    assert "returns nothing in python must fail: passed, 60 of 60 cases passed" in checked.problems
    assert "table broken in python must fail: passed, 60 of 60 cases passed" in checked.problems


async def test_a_sandbox_that_stays_away_ends_the_verification(house: Any) -> None:
    await house.desk.create("first", Selection())
    manifest = (await house.desk.show("first")).manifest
    for away, words in ((99, "busy"), (-1, r"not reachable \(see `touchstone status`")):
        verifier = Verifier(Failing(house.sandbox, away), TablePrograms(), ContractFreezer(), pause_s=0.0)
        with pytest.raises(SandboxUnavailableError, match=words):
            _ = [each async for each in verifier.verify(manifest, house.parts, {})]


async def test_a_language_that_the_sandbox_lacks_is_said_once(house: Any) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["halves"],)))
    manifest = (await house.desk.show("one")).manifest
    verifier = Verifier(Failing(house.sandbox, languages=()), TablePrograms(), ContractFreezer())
    first, *_ = [each async for each in verifier.verify(manifest, house.parts, {})]
    assert first.task_id == "" and first.problems[0].startswith("python: not replayed")


async def test_a_language_that_was_asked_for_and_no_task_is_certified_in_is_no_success(house: Any) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    first, checked = await house.verify("one", ["java", "go", "python"])
    assert first.task_id == "" and first.total == 1
    assert first.problems == ("go, java: no task of this release is certified there, so nothing was replayed",)
    assert checked.problems == () and checked.trials
    assert [each.problems for each in await house.verify("one", ["python"])] == [()]


def test_replays_are_compared_with_the_certificate() -> None:
    def trial(program: str, language: str, passed: bool = True, must: bool = True) -> Trial:
        return Trial(program, language, must, "passed" if passed else "raised", 3 if passed else 0, 3)

    full = [trial("ground_truth_seed_1", "python"), trial("table", "go"), trial("table_broken", "go", False, False)]
    certificate = {"holds": True, "trials": [asdict(each) for each in full]}
    assert compare(certificate, full, ["go"]) == []
    assert compare(certificate, full[:1], []) == []
    assert compare(certificate, full[:1], ["go"]) == [
        "table in go is in the certificate and was not replayed",
        "table broken in go is in the certificate and was not replayed",
    ]
    assert compare({**certificate, "holds": False}, full, ["go"])[0].startswith("the certificate itself")


async def test_a_part_that_is_damaged_or_lies_outside_the_store_opens_no_task(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s")
    store = BlobStore(f"file://{tmp_path}/blobs")
    digests = {part: await store.put(part.encode()) for part in PARTS}
    damaged, outside = PARTS[0], PARTS[1]
    (tmp_path / "blobs" / digests[damaged][:2] / digests[damaged]).write_bytes(b"other")
    digests[outside] = "../../secret"
    opened = await open_task({"task_id": "t", "digests": digests}, BlobParts(store), ContractFreezer())
    assert opened.task is None
    assert ["has the digest" in words for words in opened.problems] == [True, False]
    assert "is missing" in opened.problems[1]
