"""What exploring sees of results is what the judge sees of them."""

from __future__ import annotations

import sys
import types

import pytest

from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.probes import instrument
from pbt_generator.ports import Harness

MADE = """
import dataclasses

@dataclasses.dataclass
class Made:
    x: int
    start: dataclasses.InitVar[int]
    seen: list = dataclasses.field(default_factory=list, compare=False)

def f(x, start):
    made = Made(x, start)
    made.seen.append(start)
    return made
"""


def test_a_dataclass_is_what_its_equality_compares(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    # Annotations are texts, which are read among the names of the module that defines the class.
    module = types.ModuleType("explored")
    monkeypatch.setitem(sys.modules, "explored", module)
    space = module.__dict__
    exec(compile(with_harness(instrument(MADE, "f").source, "f", harness.explore), "program", "exec"), space)
    rows = space["_ts_explore"]([[1, 2], [1, 3], [2, 2]], [], 20_000)
    assert [row[0] for row in rows] == [0, 0, 0]
    marks = [row[3] for row in rows]
    assert marks[0] == marks[1] != marks[2]
