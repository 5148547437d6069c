"""Drives one whole program: feeds its input, passes on what it prints, brings its files back."""

from __future__ import annotations

import os
import select
import time

from sandbox_executor.adapters.arrivals import Clock
from sandbox_executor.adapters.attempt import CancelledError
from sandbox_executor.adapters.sandbox import Command, Sandbox, prove_own
from sandbox_executor.adapters.streams import Drain, pipe, unblocked
from sandbox_executor.domain.jobs import File, Printed, ProgramJob, ProgramResult, ProgramSink
from sandbox_executor.domain.languages.definition import Language, read_death
from sandbox_executor.domain.outcomes import Ending, Outcome, Reading, Signs, read_signs
from sandbox_executor.domain.timing import Arrival, judge_arrival
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.ports import Cancellation

ARTEFACT_BYTES = 32 * 1024 * 1024
_KEPT = 20_000


def run_command(
    sandbox: Sandbox,
    command: Command,
    *,
    stdin: bytes,
    output_bytes: int,
    end: float,
    cancelled: Cancellation,
    sink: ProgramSink | None = None,
    clock: Clock | None = None,
) -> tuple[Signs, str]:
    """Run one command to its end.

    Args:
        sandbox: Where.
        command: What.
        stdin: Its whole input.
        output_bytes: What it may print.
        end: When its time is up, monotonic seconds.
        cancelled: Ends it.
        sink: Takes what it prints.
        clock: Tells the time, and when the program ended.

    Returns:
        How it ended, and the last of what it printed.

    Raises:
        CancelledError: the caller stopped it.
        SandboxFaultError: the sandbox failed, or the machine ran out of memory.
    """
    clock = clock or Clock()
    in_read, in_write = pipe()
    out_read, out_write = pipe(large=True)
    err_read, err_write = pipe()
    streams = {unblocked(out_read): "stdout", unblocked(err_read): "stderr"}

    def forward(descriptor: int, data: bytes) -> None:
        if sink is not None and data:
            sink(Printed(streams[descriptor], data))

    drain = Drain((out_read, err_read), output_bytes, _KEPT, forward)
    feeding = unblocked(in_write)
    before = sandbox.usage()
    try:
        try:
            sandbox.start(command, [in_read, out_write, err_write])
        finally:
            for descriptor in (in_read, out_write, err_write):
                os.close(descriptor)
        poll = select.poll()
        for descriptor in (out_read, err_read, sandbox.control, cancelled.descriptor):
            poll.register(descriptor, select.POLLIN)
        poll.register(feeding, select.POLLOUT)
        pending = memoryview(stdin)
        ending: Ending | None = None
        timed_out = False
        while ending is None and not timed_out and not drain.exceeded:
            left = end - clock.now()
            timed_out = left <= 0
            ready = clock.wait(poll, left)
            if cancelled.descriptor in ready and cancelled.requested:
                raise CancelledError
            if feeding in ready:
                try:
                    pending = pending[os.write(feeding, pending) :]
                except BrokenPipeError:
                    pending = memoryview(b"")
                if not pending:
                    poll.unregister(feeding)
                    os.close(feeding)
                    feeding = -1
            for descriptor in tuple(drain.open & ready):
                drain.read(descriptor)
                if descriptor not in drain.open:
                    poll.unregister(descriptor)
            if sandbox.control in ready and sandbox.ended():
                ending = sandbox.ending()
                drain.read_all()
        sandbox.stop()
    except CancelledError:
        sandbox.stop()
        raise
    finally:
        for descriptor in (out_read, err_read, feeding):
            if descriptor >= 0:
                os.close(descriptor)
    if ending is not None and judge_arrival(clock.at(ending.at), end, 1) is Arrival.LATE:
        # It ended after its time, and we were kept from looking.
        ending, timed_out = None, True
    usage = sandbox.usage().since(before)
    prove_own(usage)
    if ending is not None and ending.fault and not usage.oom_kills:
        raise SandboxFaultError(ending.fault)
    return Signs(usage, ending, timed_out and ending is None, drain.exceeded), drain.tail


def run_program(
    sandbox: Sandbox,
    language: Language,
    job: ProgramJob,
    command: Command,
    sink: ProgramSink,
    cancelled: Cancellation,
    started: float,
) -> None:
    """Run the job's program; the sink gets what it prints, its artefacts, and its result."""
    signs, tail = run_command(
        sandbox,
        command,
        stdin=job.stdin,
        output_bytes=job.limits.output_bytes,
        end=started + job.limits.total_timeout_s,
        cancelled=cancelled,
        sink=sink,
    )
    reading, exit_code = read_program(signs, language, tail)
    # What lay in a sandbox that is gone is gone, too; the outcome says why.
    for path, content in sandbox.collect(job.artefacts, ARTEFACT_BYTES) if sandbox.alive else ():
        sink(File(path, content))
    usage = sandbox.usage()
    wall_s = time.monotonic() - started
    words = ": ".join(part for part in (reading.error_type, reading.error_message) if part)
    sink(ProgramResult(reading.outcome, exit_code, wall_s, usage.cpu_s, usage.memory_bytes, words))


def read_program(signs: Signs, language: Language, tail: str) -> tuple[Reading, int]:
    """Outcome and exit code of a program; a signal gives 128 and its number, as in a shell.

    0 stands with RETURNED alone; -1 is no code of its own.
    """
    ending = signs.ending
    clean = ending is not None and ending.exit_code == 0
    if clean and not signs.output_exceeded:
        return Reading(Outcome.RETURNED), 0
    reading = read_signs(signs)
    if reading.outcome in (Outcome.EXITED, Outcome.KILLED):
        death = read_death(language, tail)
        if death is not None and death.outcome == Outcome.MEMORY:
            reading = Reading(Outcome.MEMORY, death.error_type, death.message)
    if ending is None or (ending.exit_code is None and ending.signal is None):
        return reading, -1
    if clean:
        # What was cut did not end well, even where the program meant to.
        return reading, -1
    return reading, ending.exit_code if ending.exit_code is not None else 128 + (ending.signal or 0)
