"""A task that took another one's place is released like any other."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.domain.release import Selection
from pbt_generator.domain.trial import Point, Trial
from pbt_generator.usecases.amending import Amender
from pbt_generator.usecases.build import BUILDER
from touchstone_contracts.manifests import canonical


@pytest.fixture
async def amended(house: Any) -> Any:
    """The task that took the place of `clamp`."""
    old = await house.tasks.find(house.ids["clamp"])
    point = Point(1, "[-19,0,10]", "0", "-19", 2)
    trial = Trial(old.task.task_id, "m", 2, 2, 0, (point,), 1)
    made = await Amender(house.tasks, house.sandbox, ContractFreezer(), house.blobs).amend(old, trial)
    assert not isinstance(made, str), made
    return made


async def test_a_task_that_took_anothers_place_is_released_and_verified(house: Any, amended: Any) -> None:
    row, _ = await house.desk.create("next", Selection())
    assert row.tasks == 3
    (entry,) = [each for each in (await house.desk.show("next")).manifest["tasks"] if each["entry_point"] == "clamp"]
    assert entry["task_id"] == amended.task.task_id != house.ids["clamp"]
    assert entry["builder"].endswith(f"+{house.ids['clamp'][:16]}")
    assert [each.problems for each in await house.verify("next")] == [(), (), ()]


@pytest.mark.parametrize(("first", "lacking"), [("pbt-8", ("weight", "readings")), ("pbt-21", ())])
async def test_what_is_measured_of_one_is_what_its_first_builder_measured(
    house: Any, first: str, lacking: tuple[str, ...]
) -> None:
    # Nothing is searched or measured again: what that builder did not state, the new certificate need not.
    for _ in range(2):
        old = await house.tasks.find(house.ids["clamp"])
        certificate = json.loads(house.blobs.stored[old.task.certificate_digest])
        if not certificate.get("blind"):
            certificate = {name: each for name, each in certificate.items() if name not in lacking} | {"builder": first}
            task_id = ContractFreezer().task_id(old.task.function_id, old.task.suite_digest, first)
            digest = await house.blobs.put(canonical(certificate))
            del house.decisions.kept[old.task.function_id, BUILDER]
            task = replace(old.task, task_id=task_id, certificate_digest=digest)
            await house.decisions.save(task.function_id, first, task.kind, task, old.function, 0.0)
            old = await house.tasks.find(task_id)
        shown = "[-19,0,10]" if not certificate.get("blind") else "[-18,0,10]"
        trial = Trial(old.task.task_id, "m", 2, 2, 0, (Point(1, shown, "0", "-19", 2),), 1)
        made = await Amender(house.tasks, house.sandbox, ContractFreezer(), house.blobs).amend(old, trial)
        assert not isinstance(made, str), made
        builder = json.loads(house.blobs.stored[made.task.certificate_digest])["builder"]
        assert builder == f"{first}+{old.task.task_id[:16]}"
        house.ids["clamp"] = made.task.task_id
    await house.desk.create("next", Selection())
    assert [each.problems for each in await house.verify("next")] == [(), (), ()]


@pytest.mark.parametrize("first", [BUILDER, "pbt-21"])
async def test_one_of_before_whose_certificate_names_the_first_builder_is_released_too(
    house: Any, amended: Any, first: str
) -> None:
    # It was built by this version or an earlier one, and amended under this one.
    certificate = json.loads(house.blobs.stored[amended.task.certificate_digest])
    certificate["builder"] = first
    digest = await house.blobs.put(canonical(certificate))
    for key, (kind, task, function) in list(house.decisions.kept.items()):
        if task.task_id == amended.task.task_id:
            house.decisions.kept[key] = (kind, replace(task, certificate_digest=digest), function)
    await house.desk.create("next", Selection())
    assert [each.problems for each in await house.verify("next")] == [(), (), ()]
