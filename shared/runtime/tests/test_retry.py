import pytest
from hypothesis import given
from hypothesis import strategies as st
from structlog.testing import capture_logs

from touchstone_runtime.errors import PermanentError, RetryableError, SuspendedError
from touchstone_runtime.faults import Fault, classify
from touchstone_runtime.retry import GivenUpError, RetryPolicy, attempt, told


class Script:
    """Raises what it is told to, one fault a call, then answers."""

    def __init__(self, *faults):
        self.faults = list(faults)
        self.calls = 0
        self.waits = []

    async def __call__(self):
        self.calls += 1
        if self.faults:
            raise self.faults.pop(0)
        return "done"

    async def sleep(self, seconds):
        self.waits.append(seconds)


async def test_a_passing_fault_is_tried_again_with_growing_waits():
    script = Script(RetryableError("busy"), RetryableError("busy"))
    assert await attempt(script, RetryPolicy(5, 1.0, 10.0), sleep=script.sleep) == "done"
    assert script.waits == [1.0, 2.0]


async def test_a_passing_fault_that_does_not_pass_is_given_up():
    script = Script(*[RetryableError("busy")] * 9)
    with pytest.raises(GivenUpError) as caught:
        await attempt(script, RetryPolicy(3, 1.0, 10.0), sleep=script.sleep)
    assert caught.value.attempts == 3
    assert isinstance(caught.value.cause, RetryableError)


async def test_a_final_fault_is_given_up_at_once():
    script = Script(PermanentError("no such model"))
    with pytest.raises(GivenUpError):
        await attempt(script, RetryPolicy(3), sleep=script.sleep)
    assert (script.calls, script.waits) == (1, [])


async def test_a_suspended_piece_of_work_waits_as_long_as_it_takes():
    script = Script(*[SuspendedError("budget spent", retry_after_s=7)] * 50)
    assert await attempt(script, RetryPolicy(3), sleep=script.sleep) == "done"
    assert script.waits == [7] * 50


@given(st.integers(1, 10_000), st.floats(0.01, 5), st.floats(5, 100))
def test_waits_never_pass_the_longest(tries, first, longest):
    assert 0 < RetryPolicy(5, first, longest).wait_s(tries) <= longest


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (PermanentError("x"), Fault.FINAL),
        (RetryableError("x"), Fault.RETRY),
        (SuspendedError("x"), Fault.WAIT),
        (ConnectionRefusedError("x"), Fault.WAIT),
        (KeyError("a bug of ours"), Fault.RETRY),
    ],
)
def test_faults_are_told_apart(error, fault):
    assert classify(error) is fault


async def test_a_wait_uses_no_attempt_up():
    waits = [SuspendedError("away", retry_after_s=1)] * 20
    script = Script(*waits, RetryableError("busy"), *waits, RetryableError("busy"))
    assert await attempt(script, RetryPolicy(3, 1.0, 10.0), sleep=script.sleep) == "done"


def test_what_is_waited_for_is_told_at_once_and_then_rarely():
    tell = told("server_awaited", server="s")
    with capture_logs() as lines:
        for tries in range(1, 181):
            tell(ConnectionError("\n first\nsecond") if tries < 180 else TimeoutError(), Fault.WAIT, tries)
    assert [(line["event"], line["server"], line["error"]) for line in lines] == [
        *[("server_awaited", "s", "first")] * 4,
        ("server_awaited", "s", "TimeoutError"),
    ]
