"""A case is answered when its frame came in time: not too late, and whatever the executor was doing meanwhile.

Time stands still here unless somebody waits: candidates are played, on real pipes, and nothing depends on this machine.
"""

import os
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sandbox_executor.adapters.programs import run_command
from sandbox_executor.domain.frames import frame
from sandbox_executor.domain.outcomes import Outcome, Reading
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.usecases import Stop

_spec = spec_from_file_location("played", Path(__file__).with_name("played.py"))
assert _spec is not None and _spec.loader is not None
_played = module_from_spec(_spec)
_spec.loader.exec_module(_played)
LIMITS, COMMAND, Played = _played.LIMITS, _played.COMMAND, _played.Played
answer, play, outcomes = _played.answer, _played.play, _played.outcomes
WRITE = os.write


def test_answers_that_lie_ready_while_the_executor_is_busy_count():
    played = Played([0.01, 0.1, 0.1, 0.05])
    assert outcomes(played, busy=[0.29]) == "rrrr"
    assert played.starts == 1


def test_an_answer_that_came_after_its_time_is_too_late_however_late_it_is_looked_at():
    # The processor hog on a starved machine: nobody looked until its answer lay there.
    assert outcomes(Played([0.01, 0.5]), busy=[5.0]) == "rt"
    assert outcomes(Played([0.01, 0.29]), busy=[5.0]) == "rr"
    assert outcomes(Played([(0.2, '"' + "x" * 600_000 + '"'), 0.31]), busy=[5.0]) == "rt"


def test_what_came_together_and_too_late_is_asked_for_again_one_at_a_time():
    # Each in time, all of them longer than one may take.
    played = Played([0.01] + [0.2] * 9)
    assert outcomes(played, busy=[5.0]) == "r" * 10
    assert (played.starts, len(played.asked[1])) == (2, 9)
    # One among them is late; which one, only asking again tells.
    assert outcomes(Played([0.01, 0.1, 0.1, 0.4, 0.1]), busy=[5.0]) == "rrrtr"
    # And once more, when the executor is kept from looking while it asks.
    assert outcomes(Played([0.01, 0.1, 0.1, 0.4, 0.1, 0.2]), busy=[5.0, 3.0, 3.0, 3.0]) == "rrrtrr"


def test_a_case_begins_with_the_answer_before_it_and_not_when_the_executor_is_done():
    # The executor deals with the first answer for 0.25 s; the second case does not get them on top.
    assert outcomes(Played([0.01, 0.4]), busy=[0.25]) == "rt"
    (first, second) = play(Played([0.01, 0.2]), busy=[0.25])
    assert (first.wall_s, second.wall_s) == (pytest.approx(0.01), pytest.approx(0.2))


def test_a_case_does_not_begin_before_its_request_was_handed_over():
    # Ten requests of half a pipe each: the candidate waits for the executor, and not the other way round.
    played = Played([0.01] * 10)
    assert outcomes(played, busy=[2.0] * 10, arguments='["' + "x" * 500_000 + '"]') == "r" * 10
    assert played.starts == 1


class Preempted(Played):
    """Whoever asks it something is kept from running on as soon as the question is written."""

    asked_at = 0.0

    def write(self, descriptor, data):
        size = WRITE(descriptor, data)
        if self.asks_by(descriptor):
            self.asked_at = self.time
            self.sleep(0.25)
        return size


def test_a_case_begins_when_its_question_was_written_however_late_the_executor_runs_on(monkeypatch):
    for seconds, told, wall_s in ((0.2, "r", 0.2), (0.4, "t", 0.3)):
        played = Preempted([seconds])
        monkeypatch.setattr(os, "write", played.write)
        (result,) = play(played)
        assert (result.outcome.value[0], result.wall_s) == (told, pytest.approx(wall_s))
    monkeypatch.undo()


def test_a_candidate_that_waits_for_room_in_the_pipe_is_not_late():
    large = '"' + "x" * 5_000_000 + '"'
    assert outcomes(Played([0.01, (0.1, large), 0.01]), busy=[3.0, 3.0]) == "rrr"
    # Filling it too late buys nothing.
    assert outcomes(Played([0.01, (0.35, large), 0.01]), busy=[3.0]) == "rtr"


TICK = 0.01


class Ticking(Played):
    """Writes are dated by a clock that moves by ticks, as the kernel's does."""

    def written(self, descriptor):
        return super().written(descriptor) // TICK * TICK


@settings(deadline=None, max_examples=60)
@given(st.floats(0.001, 0.03), st.floats(-0.03, 0.03), st.sampled_from([0, 5]))
def test_a_limit_is_held_to_one_tick_of_the_clock_that_dates(before, over, busy):
    told = outcomes(Ticking([before, LIMITS.case_timeout_s + over]), busy=[busy])
    if abs(over) >= TICK + 1e-6:
        assert told == ("rt" if over > 0 else "rr")
    else:
        assert told in ("rt", "rr")


def test_silence_is_a_timeout_and_an_end_after_the_time_is_one_too():
    assert outcomes(Played([0.01, 1e9])) == "rt"
    assert outcomes(Played([0.01, None])) == "rk"
    assert outcomes(Played([0.01, 0.1], loading_s=9.0)) == "rr"
    assert outcomes(Played([0.01, 0.1], loading_s=11.0)) == "tt"


def test_where_the_kernel_dates_nothing_what_lies_ready_counts():
    assert outcomes(Played([0.01, 0.5], dated=False), busy=[5.0]) == "rr"
    assert outcomes(Played([0.01, 1e9], dated=False)) == "rt"


def test_answers_nobody_asked_for_are_no_answers_when_asked_one_at_a_time():
    class Hasty(Played):
        def _step(self):
            if self.starts == 2 and self._text.startswith(answer(1)) and len(self._text) == len(answer(1)):
                self._text += answer(2)
            super()._step()

    assert outcomes(Hasty([0.01, 0.2, 0.2, 0.2]), busy=[5.0]) == "rrfr"


class Halves(Played):
    """What takes too long is done in two halves, the second one with what the first one left in a file."""

    def __init__(self, late):
        super().__init__([0.01, [(0.304, late), (9.0, None)], 0.5, 0.5])
        self.files = False

    def _step(self):
        super()._step()
        if self.sandboxes == 1 and self.asked and len(self.asked[0]) > 1:
            self.seconds[1], self.files = 0.27, True

    def renew(self):
        self.seconds[1] = 0.55
        return super().renew()


# Behind the first ones the late answer is late; the last two may have been in time, for all that is known.
STRAY = [b"", b"\0", b"\x7f\xff\xff\xff", frame("{}"), frame("{}") + answer(2), answer(3), answer(1), answer(2)[:9]]
UNCLEAR = [answer(2), answer(2)[:-1]]


@pytest.mark.parametrize(("stray", "sandboxes"), [*((part, 3) for part in STRAY), *((part, 4) for part in UNCLEAR)])
def test_bytes_behind_a_late_answer_buy_nothing(stray, sandboxes):
    played = Halves(answer(1) + stray)
    assert outcomes(played, busy=[5.0]) == "rttt"
    assert (played.files, played.sandboxes) == (True, sandboxes)


def test_no_case_is_asked_for_more_than_twice_and_few_sandboxes_are_made_for_what_is_unclear():
    pair = [[(0.35, answer(i) + answer(i + 1)), (9.0, None)] for i in range(20)]
    played = Played([0.01, *pair[1:], 0.2])
    told = outcomes(played, busy=[2.0] * 21)
    assert told == "r" + "t" * 19 + "r"
    assert 0 < played.sandboxes - told.count("t") <= 4
    asked = Counter(
        first + i for first, times in zip(played.firsts, played.asked, strict=True) for i in range(len(times))
    )
    assert max(asked.values()) <= 2


@pytest.mark.parametrize("given_up", [None, 1e9, [(0.01, b"\0\0\0\1x")]])
def test_who_gave_a_case_up_goes_on_where_nothing_is_left(given_up):
    played = Played([0.01, given_up, 0.01, 0.01, given_up, 0.01])
    told = outcomes(played)
    assert told[0] + told[2:4] + told[5] == "rrrr"
    # One for each process: `start` saw that none ran two.
    assert played.sandboxes == played.starts == 3


def test_making_sandboxes_anew_is_on_the_platforms_time_but_not_without_end():
    played = Played([None] * 8)
    played.renewing_s = 45.0
    # As much again as the job's own 100 s: five times 45 s do not fit any more.
    assert outcomes(played) == "kkkkkttt"
    played = Played([None, 0.2, 0.2])
    played.renewing_s = 99.0
    assert outcomes(played) == "krr"


def test_a_candidate_that_is_not_built_a_second_time_fails_the_rest_and_not_the_platform():
    played = Played([0.01, None, 0.01, 0.01])
    played.problem = Reading(Outcome.COMPILE_ERROR, "CompileError", "words")
    assert outcomes(played) == "rkcc"
    assert played.starts == 1


class Peeping(Played):
    """Looks for requests while it loads; the executor sees late that it is ready."""

    seen = 0
    late = 0.0

    def _step(self):
        super()._step()
        if self._descriptors and self._loading:
            self.seen = max(self.seen, len(self._requests) + (self._reader.pending > 0))

    def wait(self, poll, seconds):
        loading = self._loading
        found = super().wait(poll, seconds)
        if loading and not self._loading:
            self.sleep(self.late)
        return found


@pytest.mark.parametrize("size", [1, 700_000])
def test_a_program_that_loads_knows_no_case(size):
    played = Peeping([0.01, 1e9, 0.01, 0.01], loading_s=9.0)
    assert outcomes(played, arguments='["' + "x" * size + '"]') == "rtrr"
    assert (played.seen, played.starts) == (0, 2)


def test_the_first_case_begins_when_it_is_asked_and_not_when_the_program_was_ready():
    played = Peeping([0.2, 0.2], loading_s=1.0)
    played.late = 2.0
    assert [result.wall_s for result in play(played)] == [pytest.approx(0.2)] * 2
    played = Peeping([0.31, 0.2], loading_s=1.0)
    played.late = 2.0
    assert outcomes(played) == "tr"


@pytest.mark.parametrize(("more", "told"), [(answer(0), "f"), (b"\0", "f"), (b"\x7f\xff\xff\xff", "o")])
def test_what_a_program_says_before_the_first_question_is_no_answer(more, told):
    played = Played([0.01, 0.01])
    played.ready += more
    assert outcomes(played) == told * 2


def test_a_kill_by_the_machines_memory_is_no_verdict():
    class Starved(Played):
        def _end(self):
            super()._end()
            self.foreign_kills = 1

    with pytest.raises(SandboxFaultError, match="machine ran out of memory"):
        play(Starved([0.01, None, 0.01]))
    assert outcomes(Played([0.01, None])) == "rk"


def test_an_answer_made_while_the_machine_killed_for_memory_is_no_verdict():
    class Maimed(Played):
        def _step(self):
            super()._step()
            self.foreign_kills = int(self.time > 100.005)

    # A child of it was ended; what it answers without the child is not its own word.
    with pytest.raises(SandboxFaultError, match="machine ran out of memory"):
        play(Maimed([0.01, 0.01]))


def test_a_program_or_a_compiler_that_the_machine_killed_for_memory_is_no_verdict():
    played = Played([])

    def start(command, descriptors):
        played._ended = None
        played.foreign_kills = 1
        played._end()

    played.start = start
    stop = Stop()
    with pytest.raises(SandboxFaultError, match="machine ran out of memory"):
        run_command(played, COMMAND, stdin=b"", output_bytes=9, end=played.now() + 9, cancelled=stop, clock=played)
    stop.close()
    played.close()


@pytest.mark.parametrize(("ends", "timed_out"), [(0.2, False), (0.4, True)])
def test_a_program_that_ended_after_its_time_is_late_however_late_it_is_looked_at(ends, timed_out):
    played = Played([])

    def start(command, descriptors):
        played._ended = None
        played.time += ends
        played._end()
        played.time += 5.0

    played.start = start
    stop = Stop()
    end = played.now() + LIMITS.case_timeout_s
    signs, _ = run_command(played, COMMAND, stdin=b"", output_bytes=9, end=end, cancelled=stop, clock=played)
    stop.close()
    played.close()
    assert (signs.timed_out, signs.ending is None) == (timed_out, timed_out)


# What is written after honest answers

BROKEN = {
    "a length that lies": b"\x7f\xff\xff\xff",
    "a number out of order": answer(9),
    "no JSON": frame("}{"),
    "an unknown kind": frame('{"i":3,"o":"passed","v":1}'),
    "nothing": frame(""),
    "a half word": b"\0\0",
    "a half frame": answer(3)[:-1],
    "the end": b"",
}


def written(stream, cuts, gap):
    """The stream in pieces, with time between them, and the process's end."""
    places = sorted({0, len(stream), *(cut % (len(stream) + 1) for cut in cuts)})
    return [(gap, stream[a:b]) for a, b in pairwise(places)] + [(gap, None)]


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(sorted(BROKEN)), st.lists(st.integers(0, 400), max_size=6), st.sampled_from([0.0, 0.01]))
def test_what_was_answered_before_a_word_that_is_none_stays_however_the_stream_is_cut(name, cuts, gap):
    stream = b"".join(map(answer, range(3))) + BROKEN[name] + (answer(4) if len(BROKEN[name]) > 3 else b"")
    if name == "a half frame":
        stream = b"".join(map(answer, range(3))) + BROKEN[name]
    results = play(Played([written(stream, cuts, gap), 0.01, 0.01, 0.01, 0.01, 0.01]))
    told = {"a length that lies": "o", "a half word": "k", "a half frame": "k", "the end": "k"}
    assert "".join(result.outcome.value[0] for result in results) == "rrr" + told.get(name, "f") + "rr"


@settings(deadline=None, max_examples=30)
@given(st.sampled_from(sorted(set(BROKEN) - {"the end"})), st.lists(st.integers(0, 400), max_size=6), st.booleans())
def test_bytes_after_the_last_answer_spoil_it_however_the_stream_is_cut(name, cuts, ends):
    pieces = written(answer(0) + answer(1) + BROKEN[name], cuts, 0.001)
    assert outcomes(Played([pieces if ends else [*pieces[:-1], (9.0, None)], 0.01])) == "rf"
