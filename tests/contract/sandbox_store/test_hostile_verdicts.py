"""Verdicts in a real PostgreSQL, with the failures that hostile answers leave behind."""

from __future__ import annotations

import json
import uuid

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


@pytest.mark.real
async def test_what_hostile_answers_leave_behind_is_stored_and_read_back(verdicts, load_module):
    """A short seeded run of the bench that tries a million answers."""
    failures: list[Failure] = []
    report = load_module("tests/bench/hostile_answers.py").fuzz(1500, 7, failures.append)
    assert report["broken"] == 0, json.dumps(report["examples"])
    assert report["values"] > 500 and report["refused"] > 300
    assert len(failures) > 300
    for start in range(0, len(failures), 50):
        kept = tuple(failures[start : start + 50])
        verdict = Verdict(kept[0].outcome, 50, 0, kept)
        assert await verdicts.keep(f"solution-{start}", "suite", verdict) == verdict
        assert await verdicts.find(f"solution-{start}", "suite") == verdict
