"""Which sign decides an outcome."""

import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sandbox_executor.adapters.programs import read_program
from sandbox_executor.domain.languages import PYTHON
from sandbox_executor.domain.outcomes import Ending, Outcome, Signs, Usage, read_raised, read_signs

CALM = Usage()
OOM = Usage(oom_kills=1)
CROWDED = Usage(refused_processes=3)


@pytest.mark.parametrize(
    ("signs", "outcome"),
    [
        (Signs(CALM, Ending(exit_code=0)), Outcome.EXITED),
        (Signs(CALM, Ending(exit_code=3)), Outcome.EXITED),
        (Signs(CALM, Ending(signal=signal.SIGKILL)), Outcome.KILLED),
        (Signs(CALM, Ending(signal=signal.SIGSEGV)), Outcome.KILLED),
        (Signs(CALM, Ending(signal=signal.SIGSYS)), Outcome.FORBIDDEN),
        (Signs(CALM, Ending(signal=signal.SIGXCPU)), Outcome.TIMED_OUT),
        (Signs(CALM, timed_out=True), Outcome.TIMED_OUT),
        (Signs(OOM, Ending(signal=signal.SIGKILL)), Outcome.MEMORY),
        (Signs(OOM, Ending(exit_code=1)), Outcome.MEMORY),
        (Signs(OOM, timed_out=True), Outcome.MEMORY),
        (Signs(CROWDED, timed_out=True), Outcome.PROCESS_LIMIT),
        (Signs(CROWDED, Ending(exit_code=1)), Outcome.PROCESS_LIMIT),
        (Signs(CALM, Ending(exit_code=0), output_exceeded=True), Outcome.OUTPUT_LIMIT),
        (Signs(OOM, output_exceeded=True), Outcome.OUTPUT_LIMIT),
        (Signs(OOM, broke_protocol="two answers"), Outcome.FORBIDDEN),
        (Signs(CALM, Ending(fault="gone")), Outcome.PLATFORM_FAULT),
        (Signs(CALM), Outcome.PLATFORM_FAULT),
    ],
)
def test_signs(signs, outcome):
    assert read_signs(signs).outcome is outcome


@given(
    st.builds(
        Signs,
        st.builds(Usage, st.floats(0, 9), st.integers(0, 9), st.integers(0, 2), st.integers(0, 2)),
        st.none() | st.builds(Ending, st.integers(0, 255)) | st.builds(Ending, st.none(), st.integers(1, 64)),
        st.booleans(),
        st.booleans(),
        st.sampled_from(["", "x"]),
    )
)
def test_no_signs_ever_mean_an_answer(signs):
    assert read_signs(signs).outcome not in (Outcome.RETURNED, Outcome.RAISED, Outcome.COMPILE_ERROR)


def test_exceptions_that_a_limit_caused_are_the_limit():
    memory = frozenset({"MemoryError"})
    assert read_raised("ValueError", "x", CALM, memory).outcome is Outcome.RAISED
    assert read_raised("MemoryError", "", CALM, memory).outcome is Outcome.MEMORY
    assert read_raised("BlockingIOError", "", CROWDED, memory).outcome is Outcome.PROCESS_LIMIT
    assert read_raised("OSError", "", OOM, memory).outcome is Outcome.MEMORY


def test_usage_since():
    assert Usage(3.0, 50, 2, 4).since(Usage(1.0, 20, 1, 1)) == Usage(2.0, 50, 1, 3)


@pytest.mark.parametrize(
    ("signs", "outcome", "code"),
    [
        (Signs(CALM, Ending(exit_code=0)), Outcome.RETURNED, 0),
        (Signs(CALM, Ending(exit_code=3)), Outcome.EXITED, 3),
        (Signs(CALM, Ending(signal=signal.SIGSEGV)), Outcome.KILLED, 139),
        (Signs(CALM, Ending(exit_code=0), output_exceeded=True), Outcome.OUTPUT_LIMIT, -1),
        (Signs(CALM), Outcome.PLATFORM_FAULT, -1),
    ],
)
def test_a_program_ends_with_0_only_where_it_returned(signs, outcome, code):
    reading, exit_code = read_program(signs, PYTHON, "")
    assert (reading.outcome, exit_code) == (outcome, code)
