"""One process of a candidate: requests are written ahead, answers proved, clocks and limits watched."""

from __future__ import annotations

import contextlib
import os
import select
import time
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sandbox_executor.adapters.arrivals import arrived, dated_pipe, is_full
from sandbox_executor.adapters.sandbox import prove_own
from sandbox_executor.adapters.streams import Drain, pipe, unblocked
from sandbox_executor.domain.frames import (
    FrameReader,
    OversizedError,
    ProtocolError,
    Raised,
    count_answers,
    first_request,
    read_answer,
    read_load,
    request,
)
from sandbox_executor.domain.languages.definition import read_death
from sandbox_executor.domain.outcomes import Ending, Outcome, Reading, Signs, Usage, read_raised, read_signs
from sandbox_executor.domain.timing import Arrival, Schedule, judge_arrival
from sandbox_executor.errors import SandboxFaultError

if TYPE_CHECKING:
    from sandbox_executor.adapters.cases import CasesRun

# Loading imports libraries; it gets at least this long, whatever a case gets.
_LOAD_S = 10.0
# After its last answer a program has this long to end by itself, so that forged frames show up.
_GRACE_S = 1.0
# Answers that come faster than this are taken in groups: a switch for each would cost more than the cases.
_GROUP_S = 0.001
# Bytes that are shown of what a case printed.
KEPT_OUTPUT = 4000
# So many questions are handed over together at first, then as many as take this part of a case's time, by how long
# those before them took.
_FIRST, _AHEAD = 8, 0.25
_FASTEST_S = 1e-5
# After these the process is in no state for another case: its children, or the lack of memory, would decide it.
_SPENT = (Outcome.PROCESS_LIMIT, Outcome.MEMORY)
# One answer may be as large as what may be printed, and at least this.
_LEAST_ANSWER = 1 << 20


class CancelledError(Exception):
    """The caller does not want the answer any more."""


@dataclass(frozen=True)
class Answer:
    """A result whose usage is not known yet."""

    reading: Reading
    value: str = ""


class Attempt:
    """One process of the candidate, from its start to its end."""

    def __init__(self, run: CasesRun) -> None:
        self._run = run
        self._job = run.job
        self._sandbox = run.sandbox
        self._clock = run.clock
        self._reader = FrameReader(max(run.job.limits.output_bytes, _LEAST_ANSWER))
        self._loaded = False
        # What was used before the last answers came: what came after may belong to the case behind them.
        self._earlier = run.usage
        source, nothing = f"/work/{run.language.source_file}", self._job.nothing_returned
        first = first_request(source, self._job.entry_point, nothing_returned=nothing)
        self._questions = deque(
            [first, *(request(i, self._job.inputs[i]) for i in range(run.index, len(self._job.inputs)))]
        )
        self._pending = memoryview(b"")
        # Questions that were asked and not answered yet, and how many may be asked together.
        self._open = 0
        self._together = _FIRST

    def run(self) -> None:
        """Start the process, take its answers, see it end."""
        run, limits = self._run, self._job.limits
        request_read, request_write = dated_pipe()
        os.set_blocking(request_read, True)
        self._responses, response_write = dated_pipe()
        out_read, out_write = pipe()
        err_read, err_write = pipe()
        self._requests = unblocked(request_write)
        self._out, self._err = unblocked(out_read), unblocked(err_read)
        self._drain = Drain((self._out, self._err), limits.output_bytes, KEPT_OUTPUT)
        null = os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
        theirs = [null, out_write, err_write, request_read, response_write]
        try:
            try:
                self._sandbox.start(run.command, theirs)
            finally:
                for descriptor in theirs:
                    os.close(descriptor)
            # From here on: a container that had to be made anew is not the candidate's doing.
            self._last = self._clock.now()
            loading_s = max(limits.case_timeout_s, _LOAD_S)
            self._times = Schedule([*map(len, self._questions)], self._last, loading_s, limits.case_timeout_s)
            self._follow()
        finally:
            for descriptor in (self._requests, self._responses, self._out, self._err):
                if descriptor >= 0:
                    os.close(descriptor)

    # The loop

    def _follow(self) -> None:
        poll = select.poll()
        for descriptor in (
            self._responses,
            self._out,
            self._err,
            self._sandbox.control,
            self._run.cancelled.descriptor,
        ):
            poll.register(descriptor, select.POLLIN)
        self._ask(poll)
        while True:
            now, limit = self._clock.now(), min(self._limit, self._run.end)
            before = self._run.index, self._loaded, self._limit
            ready = self._clock.wait(poll, limit - now)
            if self._run.cancelled.descriptor in ready and self._run.cancelled.requested:
                self._sandbox.stop()
                raise CancelledError
            if self._requests in ready:
                self._write(poll)
            if ready & {self._responses, self._out, self._err} and self._read(poll):
                return None
            if self._drain.exceeded:
                return self._printed_too_much()
            if self._sandbox.control in ready and self._sandbox.ended():
                return self._process_ended(poll)
            # Only a look after the time was up can say that nothing came in time.
            if now >= limit and (self._run.index, self._loaded, self._limit) == before:
                return self._give_up(Signs(self._spent(), timed_out=True))

    @property
    def _limit(self) -> float:
        """When the time of what is waited for is up."""
        return self._times.limit if self._run.held is None else self._last + _GRACE_S

    def _ask(self, poll: select.poll) -> None:
        """Hand over what may be asked now: nothing but what to load, then a few cases, then as many as go fast.

        A program that knew its cases while it loads would have the time of loading for them, and one that knows a case
        long before it is to answer it has the time of those before. One at a time is asked where each answer wants a
        date of its own.
        """
        if self._open:
            return
        one = not self._loaded or self._run.index < self._run.careful
        count = min(1 if one else self._together, len(self._questions))
        asked = [self._questions.popleft() for _ in range(count)]
        # All that was printed for those before has been read.
        self._drain.count_anew()
        self._open += len(asked)
        if asked:
            if not self._pending:
                poll.register(self._requests, select.POLLOUT)
            self._pending = memoryview(bytes(self._pending) + b"".join(asked))

    def _pace(self, count: int, took: float) -> None:
        """So many answers took so long: as many questions as are answered in a part of a case's time go together."""
        self._together = max(1, int(_AHEAD * self._job.limits.case_timeout_s * count / max(took, _FASTEST_S)))

    def _write(self, poll: select.poll) -> None:
        try:
            size = os.write(self._requests, self._pending)
            # The program may have it long before this process runs again.
            written = self._clock.written(self._requests)
            self._times.hand_over(size, self._clock.now() if written is None else written)
            self._pending = self._pending[size:]
        except BlockingIOError:
            return
        except BrokenPipeError:
            # It reads no more; why, its ending will say.
            self._pending = memoryview(b"")
            self._questions.clear()
        if not self._pending:
            poll.unregister(self._requests)
            if not self._questions:
                # The harness ends when it has read everything.
                os.close(self._requests)
                self._requests = -1

    def _read(self, poll: select.poll) -> bool:
        """Take answers and output; True when this process has no more to say."""
        waits = self._clock.now() >= self._limit and is_full(self._responses)
        filled = self._clock.written(self._responses) if waits else None
        data, ended, written = arrived(self._responses, self._clock)
        if ended:
            # Asked again after the process ended, the stream has been let go of already.
            with contextlib.suppress(KeyError):
                poll.unregister(self._responses)
        for descriptor in tuple(self._drain.open):
            self._drain.read(descriptor)
            if descriptor not in self._drain.open:
                poll.unregister(descriptor)
        if not data:
            return False
        try:
            frames = self._reader.feed(data)
            if frames:
                return self._receive(frames, written, poll, filled=waits)
            if filled is not None and filled <= self._limit:
                # It could not write on before we read.
                self._times.excuse(self._clock.now() - filled)
            return False
        except OversizedError as error:
            self._give_up(Signs(self._spent(), output_exceeded=True), str(error))
        except ProtocolError as error:
            self._give_up(Signs(self._spent(), broke_protocol=str(error)))
        return True

    def _receive(self, frames: list[bytes], written: float | None, poll: select.poll, *, filled: bool) -> bool:
        """Take frames that came in time; True when this process has no more to say."""
        run = self._run
        # Other bytes than answers make nothing unclear; those of a pipe that was full may break off anywhere.
        pieces = count_answers([*frames, self._reader.rest][: self._open], run.index)
        if filled and self._reader.pending and pieces == len(frames) < self._open:
            pieces += 1
        frames, unasked = frames[: self._open], frames[self._open :]
        match judge_arrival(written, min(self._limit, run.end), max(1, pieces)):
            case Arrival.LATE if run.held is None:
                self._give_up(Signs(self._spent(), timed_out=True))
                return True
            case Arrival.UNCLEAR if run.held is None:
                self._sandbox.stop()
                run.ask_again(pieces)
                return True
            case _:
                pass
        at = self._clock.now() if written is None else written
        if self._loaded and run.held is None and written is not None and at > self._times.foreseen:
            # Those that it knew so long it may have worked on in the time of others.
            self._sandbox.stop()
            run.ask_again(self._open)
            return True
        if self._drain.exceeded and run.held is None:
            self._printed_too_much()
            return True
        took = max(0.0, at - self._times.begun)
        self._times.answer(len(frames), at)
        self._open -= len(frames)
        if self._loaded:
            self._pace(len(frames), took)
        if self._take(frames, at, took):
            return True
        # What stands behind them is looked at when they are judged: it is no reason to forget them.
        self._reader.feed(b"")
        if unasked and not self._questions:
            raise ProtocolError("an answer after the last one")
        if not self._open and (unasked or (self._reader.pending and self._questions)):
            raise ProtocolError("an answer before its question")
        self._ask(poll)
        return False

    def _take(self, frames: list[bytes], at: float, took: float) -> bool:
        """Read frames, the last of which was written then, after so long; True when this process says no more."""
        run = self._run
        if not self._loaded:
            problem = read_load(frames.pop(0))
            if problem is not None:
                self._fail_loading(self._read_load_error(problem))
                return True
            self._loaded = True
            self._last = at
        if not frames:
            return False
        usage = self._run.used()
        share = 1 / len(frames)
        self._earlier, spent = run.measure(usage)
        prove_own(spent)
        for data in frames:
            found = read_answer(data, run.index)
            run.count(len(data))
            if isinstance(found, Raised):
                answer = Answer(read_raised(found.error_type, found.message, spent, run.language.memory_error_types))
            else:
                answer = Answer(Reading(Outcome.RETURNED), found.value)
            run.emit(answer, took * share, usage, spent.cpu_s * share, self._drain.take())
            if run.held is None and (run.done or answer.reading.outcome in _SPENT):
                self._sandbox.stop()
                return True
        self._last = at if run.held is None else self._clock.now()
        if self._open and took < _GROUP_S * 2:
            time.sleep(_GROUP_S)
        return False

    # Endings

    def _process_ended(self, poll: select.poll) -> None:
        """Take what the process wrote before it ended, then judge the ending."""
        ending = self._sandbox.ending()
        if ending.foreign:
            # Whoever spoke there may say more: nothing that comes out of this sandbox counts any more.
            self._run.release(read_signs(Signs(Usage(), ending)))
            self._fail_loading(read_signs(Signs(Usage(), ending)))
            return
        if ending.fault and self._sandbox.usage().oom_kills == 0:
            raise SandboxFaultError(ending.fault)
        while True:
            before = self._run.index, self._reader.pending
            if self._read(poll):
                return
            if (self._run.index, self._reader.pending) == before:
                break
        self._drain.read_all()
        if self._run.held is not None:
            self._run.release(self._extra())
            return
        if self._drain.exceeded:
            self._printed_too_much(ending)
            return
        limit = min(self._limit, self._run.end)
        late = judge_arrival(self._clock.at(ending.at), limit, 1) is Arrival.LATE
        self._answer(Signs(self._spent(), ending=ending, timed_out=late))

    def _extra(self) -> Reading | None:
        """What bytes after the last answer make of it; None when there are none."""
        extra = self._reader.pending
        return Reading(Outcome.FORBIDDEN, "ForeignFrame", "bytes after the last answer") if extra else None

    def _printed_too_much(self, ending: Ending | None = None) -> None:
        """End the process; which one of several open cases it was, only asking again one at a time tells."""
        if self._open > 1:
            self._sandbox.stop()
            self._run.ask_again(self._open)
        else:
            self._give_up(Signs(self._spent(), ending, output_exceeded=True))

    def _give_up(self, signs: Signs, words: str = "") -> None:
        """End the process and judge by the signs."""
        self._sandbox.stop()
        if self._run.held is not None:
            # Only a broken protocol spoils a last answer that came in time; not ending is no fault.
            self._run.release(read_signs(signs) if signs.broke_protocol else self._extra())
            return
        # The kill itself may have been the kernel's: look again at what was counted.
        self._answer(replace(signs, usage=self._spent()), words)

    def _answer(self, signs: Signs, words: str = "") -> None:
        run = self._run
        prove_own(signs.usage)
        reading = read_signs(signs)
        if words:
            reading = replace(reading, error_message=words)
        if reading.outcome in (Outcome.EXITED, Outcome.KILLED):
            death = read_death(run.language, self._drain.tail, loading=not self._loaded)
            if death is not None:
                reading = Reading(Outcome(death.outcome), death.error_type, death.message)
        if not self._loaded:
            self._fail_loading(reading)
            return
        usage = self._run.used()
        _, spent = run.measure(usage)
        run.emit(
            Answer(reading), max(0.0, self._clock.now() - self._times.begun), usage, spent.cpu_s, self._drain.take()
        )
        run.release()

    def _fail_loading(self, reading: Reading) -> None:
        """A candidate that cannot be loaded fails every case alike; trying again would not help."""
        self._sandbox.stop()
        self._run.fail_rest(reading, self._drain.take())

    def _read_load_error(self, problem: Raised) -> Reading:
        if problem.error_type in self._run.language.compile_error_types:
            return Reading(Outcome.COMPILE_ERROR, problem.error_type, problem.message)
        return read_raised(problem.error_type, problem.message, self._spent(), self._run.language.memory_error_types)

    def _spent(self) -> Usage:
        """What happened to the case at hand, which may have met its limit before the last answer was taken."""
        return self._run.used().since(self._earlier)
