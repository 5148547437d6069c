"""What a release is exported as, `touchstone release import` takes in again: the same cases, the same suite."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from pbt_generator.adapters.foreign import record_of_foreign
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.domain.foreign import ForeignSet, ForeignTask
from pbt_generator.domain.release import Selection
from pbt_generator.usecases.importing import Importer
from touchstone_cli.foreign_sets import LeftOut, read_set


@pytest.mark.parametrize(("export_format", "place"), [("evalplus", "evalplus.jsonl"), ("code2bench", "")])
async def test_an_export_is_taken_in_again_case_for_case(load_module, tmp_path, export_format, place):
    fakes = load_module("services/pbt-generator/tests/conftest.py")
    made = load_module("services/pbt-generator/tests/releases/conftest.py")
    decisions, blobs, announcer = fakes.MemoryDecisions(), fakes.MemoryBlobs(), fakes.RecordingAnnouncer()
    house = made.House(fakes.ChildSandbox(), decisions, fakes.MemoryReleases(decisions), announcer, blobs)
    await house.fill({})
    await house.desk.create("ours", Selection())
    folder = house.write(await house.export("ours", export_format), tmp_path)
    importer = Importer(house.sandbox, ContractFreezer(), blobs, decisions, announcer, record_of_foreign)
    found = {one.foreign_id.rpartition("/")[2]: one for one in read_set(folder / place, export_format)}
    assert set(found) == set(house.ids.values())
    # Exact kinds are not what an imported task is compared by.
    left_out = found.pop(house.ids["halves"])
    assert isinstance(left_out, LeftOut) and "exact kinds" in left_out.reason
    for name in ("clamp", "spread"):
        read = asdict(found[house.ids[name]])
        licence = read.pop("licence")
        taken = await importer.take(ForeignSet("Ours", "1", licence), ForeignTask(**read))
        assert taken.task is not None and taken.problems == ()
        own = await house.tasks.find(house.ids[name])
        assert (taken.task.track, licence) == (own.task.track, own.function["source"]["licence"])
        freezer = ContractFreezer()
        suites = [freezer.open(blobs.stored[each.suite_digest]) for each in (own.task, taken.task)]
        assert suites[0] == suites[1]
