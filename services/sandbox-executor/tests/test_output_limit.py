"""Which case printed too much: told by what it printed, and not by when the program's pipes were looked at."""

from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from sandbox_executor.adapters import attempt
from sandbox_executor.adapters.streams import Drain

_spec = spec_from_file_location("played", Path(__file__).with_name("played.py"))
assert _spec is not None and _spec.loader is not None
_played = module_from_spec(_spec)
_spec.loader.exec_module(_played)
LIMIT = 1000


@pytest.fixture(params=[0.0, 0.0005, 0.001, 0.002, 0.05], autouse=True)
def slow(request, monkeypatch):
    """The program goes on for so many seconds between two looks at its pipes."""

    class Slow(Drain):
        def read(self, descriptor, most=1 << 24):
            playing[0].sleep(request.param)
            super().read(descriptor, most)

    monkeypatch.setattr(attempt, "Drain", Slow)


playing = []


def outcomes(*printed, loading=0):
    playing[:] = [_played.Played([0.001] * len(printed), printed=(*printed, loading))]
    return _played.outcomes(playing[0], limits=replace(_played.LIMITS, output_bytes=LIMIT))


@pytest.mark.parametrize("slack", [1, 60_000, 1_000_000])
def test_who_printed_too_much_is_told_whatever_was_looked_at_first(slack):
    loud = LIMIT + slack
    assert outcomes(300, loud, 0) == "ror"
    assert outcomes(0, 0, 0, loud, 0, loud, 0, loud, loud, 0) == "rrrororoor"
    assert outcomes(loud) == "o"
    assert outcomes(0, loud) == "ro"


def test_what_the_cases_before_printed_is_not_counted():
    assert outcomes(*[LIMIT] * 30) == "r" * 30


def test_a_process_that_prints_too_much_while_it_loads_fails_all():
    assert outcomes(0, 0, loading=LIMIT + 1) == "oo"
    assert outcomes(0, 0, loading=LIMIT) == "rr"
