"""A case is answered when its frame came in time, whatever the executor was doing meanwhile."""

import contextlib
import os
import threading
import time

import pytest

from sandbox_executor.adapters.cases import CasesRun
from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.domain.frames import frame
from sandbox_executor.domain.jobs import CasesJob
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.outcomes import Ending, Outcome, Usage
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.usecases import Stop

LIMITS = Limits(0.3, 20.0, 1 << 28, 1 << 20, 8)
READY = frame('{"o":"ready"}')


def answer(index, text="1"):
    return frame(f'{{"i":{index},"o":"returned","v":{text}}}')


class ScriptedSandbox:
    """Writes what it is told, when it is told, and ends when it is stopped or done."""

    def __init__(self, script):
        self.script = script
        self.foreign_kills = 0
        self.control, self._done = os.pipe()
        self.stopped = threading.Event()

    def start(self, command, descriptors):
        out = os.dup(descriptors[4])

        def speak():
            # Whoever listened may be gone.
            with contextlib.suppress(BrokenPipeError):
                for pause, data in self.script:
                    if self.stopped.wait(pause):
                        break
                    os.write(out, data)
            os.close(out)
            os.write(self._done, b"x")

        self._thread = threading.Thread(target=speak, daemon=True)
        self._thread.start()

    def stop(self):
        self.stopped.set()

    def ended(self):
        return True

    def ending(self):
        return Ending(signal=9)

    def usage(self):
        return Usage(foreign_kills=self.foreign_kills)

    def close(self):
        self.stopped.set()
        self._thread.join()
        os.close(self.control)
        os.close(self._done)


def outcomes(script, cases, busy_s=0.0, kind=ScriptedSandbox):
    """Outcomes of the cases, with a sink that keeps the executor busy after the first."""
    sandbox = kind(script)
    results = []

    def sink(result):
        results.append(result)
        if len(results) == 1:
            time.sleep(busy_s)

    job = CasesJob("python", "", "f", ("[]",) * cases, LIMITS)
    stop = Stop()
    run = CasesRun(sandbox, LANGUAGES["python"], job, Command("cases", (), {}, {}), sink, stop, time.monotonic())
    try:
        run.run()
    finally:
        stop.close()
        sandbox.close()
    return [result.outcome for result in results]


def test_answers_that_lie_ready_while_the_executor_is_busy_count():
    script = [(0.0, READY + answer(0)), (0.1, answer(1)), (0.1, answer(2)), (0.0, answer(3))]
    assert outcomes(script, 4, busy_s=1.0) == [Outcome.RETURNED] * 4


def test_a_large_answer_that_lies_ready_counts_whole():
    script = [(0.0, READY + answer(0)), (0.1, answer(1, '"' + "x" * 600_000 + '"'))]
    assert outcomes(script, 2, busy_s=1.0) == [Outcome.RETURNED] * 2


def test_half_an_answer_at_the_deadline_is_none():
    script = [(0.0, READY + answer(0)), (0.05, answer(1)[:-3]), (5.0, answer(1)[-3:])]
    assert outcomes(script, 2, busy_s=0.0) == [Outcome.RETURNED, Outcome.TIMED_OUT]


def test_silence_is_a_timeout_and_dribbling_buys_no_time():
    dribble = [(0.05, bytes([byte])) for byte in answer(0, '"' + "x" * 400 + '"')]
    began = time.monotonic()
    assert outcomes([(0.0, READY), *dribble], 1) == [Outcome.TIMED_OUT]
    assert time.monotonic() - began < 5


class StarvedSandbox(ScriptedSandbox):
    """Its machine runs out of memory while the program runs."""

    def ended(self):
        self.foreign_kills = 1
        return True


def test_a_kill_by_the_machines_memory_is_no_verdict():
    with pytest.raises(SandboxFaultError, match="machine ran out of memory"):
        outcomes([(0.0, READY + answer(0)), (0.1, answer(1)[:-1])], 3, kind=StarvedSandbox)
    assert outcomes([(0.0, READY + answer(0))], 2) == [Outcome.RETURNED, Outcome.KILLED]
