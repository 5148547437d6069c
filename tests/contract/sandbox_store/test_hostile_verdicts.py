"""Verdicts in a real PostgreSQL, with the failures that hostile answers leave behind."""

from __future__ import annotations

import json
import uuid
from pathlib import Path

import pytest

from sandbox_executor.adapters.verdicts import SqlVerdicts
from sandbox_executor.app import MIGRATIONS
from sandbox_executor.domain.judging import Failure, Verdict
from touchstone_runtime.database import Database


@pytest.fixture
async def verdicts(postgres):
    database = Database(postgres, f"sandbox_{uuid.uuid4().hex[:8]}", MIGRATIONS)
    await database.migrate()
    yield SqlVerdicts(database.session)
    await database.close()


@pytest.fixture
def fuzz(load_module, monkeypatch):
    # The bench imports its neighbours.
    monkeypatch.syspath_prepend(str(Path(__file__).parents[2] / "bench"))
    return load_module("tests/bench/fuzz_frames.py").fuzz


@pytest.mark.real
async def test_what_hostile_answers_leave_behind_is_stored_and_read_back(verdicts, fuzz):
    """A short seeded run of the bench that tries a million answers, with every law that it holds them to."""
    failures: list[Failure] = []
    report = fuzz(2000, 7, take=failures.extend)
    assert report["broken"] == 0, json.dumps(report["examples"])
    assert report["frames"] == 2000
    assert min(report[kind] for kind in ("equal", "different", "values", "refused", "raised", "stream")) > 50, report
    assert len(failures) > 600
    for start in range(0, len(failures), 50):
        kept = tuple(failures[start : start + 50])
        verdict = Verdict(kept[0].outcome, 50, 0, kept)
        assert await verdicts.keep(f"solution-{start}", "suite", verdict) == verdict
        assert await verdicts.find(f"solution-{start}", "suite") == verdict


@pytest.mark.real
async def test_every_judging_of_a_solution_is_kept_and_the_first_of_a_number_stays(verdicts):
    first, second = Verdict("wrong_output", 5, 4, ()), Verdict("passed", 5, 5, ())
    assert await verdicts.keep("s", "suite", first) == first
    assert await verdicts.keep("s", "suite", second) == first
    assert await verdicts.find("s", "suite", 1) is None
    assert await verdicts.keep("s", "suite", second, 1) == second
    assert (await verdicts.find("s", "suite"), await verdicts.find("s", "suite", 1)) == (first, second)


def test_the_reference_tells_values_apart_by_itself(fuzz):
    """The slow reference is no echo of the comparator: pairs whose answer the specification gives."""
    from slow_reference import equal

    record = '{"$":"record","name":"P","fields":[["a",1],["b",2]]}'
    for expected, actual, portable, exact in (
        ("1", "1.0", True, False),
        ("500000", "500000.5", False, False),
        ("500000.0", "500000.4", True, True),
        ("1", "true", False, False),
        ("[1,2]", '{"$":"tuple","v":[1,2]}', True, False),
        ('{"$":"set","v":[1,2]}', '{"$":"set","v":[2,1]}', True, True),
        (record, "[1,2]", True, False),
        (record, '{"b":2,"a":1}', True, False),
        ('{"$":"decimal","v":"sNaN"}', '{"$":"float","v":"nan"}', False, False),
        ('{"$":"decimal","v":"1E+999999"}', '{"$":"decimal","v":"10E+999998"}', True, True),
    ):
        assert (equal(expected, actual, "portable"), equal(expected, actual, "exact")) == (portable, exact), expected
    assert equal("1.0", "1.000002", "exact") is None
