"""A job's cases, with as many processes of the candidate as they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from sandbox_executor.adapters.arrivals import Clock
from sandbox_executor.adapters.attempt import Answer, Attempt
from sandbox_executor.adapters.sandbox import Command, Sandbox
from sandbox_executor.domain.frames import (
    OversizedError,
)
from sandbox_executor.domain.jobs import CaseSink, CasesJob
from sandbox_executor.domain.languages.definition import Language
from sandbox_executor.domain.outcomes import CaseResult, Outcome, Reading, Usage
from sandbox_executor.ports import Cancellation

# A job's answers are asked for again so often because they are unclear; then the rest is asked for one at a time.
_RENEWALS = 3
# Words up to this long are repeated for every case that they hold for.
_SHORT = 60
# All answers of a job together are not larger.
_ALL_ANSWERS = 64 << 20


class CasesRun:
    """All cases of one job, each process in a sandbox of its own.

    A process that gave a case up knows the questions behind it. What it could write to (files, shared memory, queues,
    the numbers of processes) ends with its sandbox, so that the next one loads as if it were the first.

    Args:
        sandbox: Where the candidate's file already lies, built where that is needed.
        language: Of the candidate.
        job: The cases.
        command: Starts the harness.
        sink: Takes results in order.
        cancelled: Ends the run.
        started: When the job began, monotonic seconds: its total time counts from here.
        renew: Gives another sandbox in the place of this one, like it before the candidate ran, and why the
            candidate could not be built there; None when it was.
        clock: Tells the time, and when a pipe was written to.

    Attributes:
        end: When the time of the whole job is up, monotonic seconds.
        index: The case at hand.
        careful: Cases before this one are asked for one at a time, so that each answer has a date of its own.
        held: The last result, which what follows it can still spoil.
    """

    def __init__(
        self, sandbox: Sandbox, language: Language, job: CasesJob, command: Command, sink: CaseSink,
        cancelled: Cancellation, started: float, renew: Callable[[], tuple[Sandbox, Reading | None]],
        clock: Clock | None = None,
    ) -> None:  # fmt: skip
        self.sandbox = sandbox
        self.language = language
        self.job = job
        self.command = command
        self._sink = sink
        self.cancelled = cancelled
        self.end = started + job.limits.total_timeout_s
        # Making sandboxes anew is on the platform's time, for as long again as the job may take.
        self._excusable_s = job.limits.total_timeout_s
        self.clock = clock or Clock()
        self.index = 0
        self.careful = 0
        self._renew = renew
        self._renewals = 0
        self._past = Usage()
        self._failures = 0
        self._answered = 0
        self._usage = Usage()
        self.held: CaseResult | None = None

    def run(self) -> None:
        """Answer every case, with as many processes as it takes, each in a sandbox of its own.

        Raises:
            CancelledError: the caller stopped it.
            SandboxFaultError: the sandbox failed.
        """
        self._usage = self.used()
        untouched = True
        while not self.done:
            if self.clock.now() >= self.end:
                self.fail_rest(Reading(Outcome.TIMED_OUT, "", "the time of the whole job was up"))
                return
            problem = None if untouched else self._start_anew()
            untouched = False
            if problem is None:
                Attempt(self).run()
            else:
                self.fail_rest(problem)

    def ask_again(self, pieces: int) -> None:
        """Ask for so many cases again, one at a time."""
        self._renewals += 1
        self.careful = self.index + pieces if self._renewals < _RENEWALS else len(self.job.inputs)

    def _start_anew(self) -> Reading | None:
        """Take another sandbox; gives why the candidate could not be built there."""
        began = self.clock.now()
        self._past = self.used()
        self.sandbox, problem = self._renew()
        # What happened in the other one is no case's doing.
        self._usage = self.used()
        excused = min(self.clock.now() - began, self._excusable_s)
        self._excusable_s -= excused
        self.end += excused
        return problem

    def used(self) -> Usage:
        """What the job has used until now."""
        return self.sandbox.usage().after(self._past)

    @property
    def done(self) -> bool:
        """Whether no further case is to be answered."""
        enough = 0 < self.job.stop_after_failures <= self._failures
        return enough or self.index >= len(self.job.inputs)

    def measure(self, usage: Usage) -> tuple[Usage, Usage]:
        """Take a new measurement; gives the one before, and what came on top of it."""
        before, self._usage = self._usage, usage
        return before, usage.since(before)

    @property
    def usage(self) -> Usage:
        """The last measurement."""
        return self._usage

    def count(self, answer_bytes: int) -> None:
        """Count an answer's size.

        Raises:
            OversizedError: all of them together are too large.
        """
        self._answered += answer_bytes
        if self._answered > _ALL_ANSWERS:
            raise OversizedError(f"more than {_ALL_ANSWERS} bytes of answers")

    def emit(self, answer: Answer, wall_s: float, usage: Usage, cpu_s: float, output: str) -> None:
        """Give the result of the case at hand and go on to the next."""
        reading = answer.reading
        result = CaseResult(
            self.index, reading.outcome, answer.value, reading.error_type, reading.error_message,
            wall_s, cpu_s, usage.memory_bytes, output, usage.cpu_s,
        )  # fmt: skip
        if reading.outcome is not Outcome.RETURNED:
            self._failures += 1
        self.index += 1
        if self.index < len(self.job.inputs):
            self._sink(result)
        else:
            # What comes after the last answer can still spoil it.
            self.held = result

    def release(self, spoiled: Reading | None = None) -> None:
        """Give the last result, once nothing can follow it."""
        if self.held is not None:
            if spoiled is not None and self.held.outcome is Outcome.RETURNED:
                words = {"error_type": spoiled.error_type, "error_message": spoiled.error_message}
                self.held = replace(self.held, outcome=spoiled.outcome, value="", **words)
            self._sink(self.held)
            self.held = None

    def fail_rest(self, reading: Reading, output: str = "") -> None:
        """Give every case that is left the same result."""
        usage = self.used()
        cpu_s = self.measure(usage)[1].cpu_s
        # Said once: a compiler's words are long, and there may be thousands of cases.
        again = (
            replace(reading, error_message=f"as case {self.index}") if len(reading.error_message) > _SHORT else reading
        )
        while not self.done:
            self.emit(Answer(reading), 0.0, usage, cpu_s, output)
            cpu_s, output, reading = 0.0, "", again
        self.release()
