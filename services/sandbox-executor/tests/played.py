"""A candidate and its sandbox that are played on real pipes, on a clock of their own: for tests of deadlines."""

import contextlib
import os

from sandbox_executor.adapters.cases import CasesRun
from sandbox_executor.adapters.sandbox import Command
from sandbox_executor.domain.frames import FrameReader, frame
from sandbox_executor.domain.jobs import CasesJob
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.outcomes import Ending, Usage
from sandbox_executor.usecases import Stop

LIMITS = Limits(0.3, 100.0, 1 << 28, 8 << 20, 8)
COMMAND = Command("cases", (), {}, {})


def answer(index, text="1"):
    return frame(f'{{"i":{index},"o":"returned","v":{text}}}')


class Played:
    """A candidate and its sandbox on a clock of their own.

    Args:
        seconds: How long each case takes, by index; a pair gives the answer's text, too. None: it ends by itself.
            A list is what it writes in its place, whatever it is: pairs of how long it waits and the bytes, or None
            for its end.
        printed: How many bytes it prints before it answers each case, by index; the last number is for loading.
    """

    def __init__(self, seconds, *, loading_s=0.0, dated=True, printed=(0,)):
        self.time = 100.0
        self.seconds, self.loading_s, self.dated = seconds, loading_s, dated
        self.starts = self.used = self.foreign_kills = 0
        self.sandboxes, self.problem = 1, None
        self.last_write = self.renewing_s = 0.0
        self._inode = 0
        self.asked, self.firsts = [], []
        self.printed, self._printing = printed, 0
        self.ready = frame('{"o":"ready"}')
        self.control, self._done = os.pipe()
        os.set_blocking(self.control, False)
        self._descriptors = []

    # The clock

    @property
    def asked_at(self):
        return self.time

    def now(self):
        return self.time

    def written(self, descriptor):
        if not self.dated:
            return None
        return self.asked_at if self.asks_by(descriptor) else self.last_write

    def asks_by(self, descriptor):
        """Whether the executor writes its questions there."""
        return os.fstat(descriptor).st_ino == self._inode

    def at(self, wall_s):
        return wall_s

    def wait(self, poll, seconds):
        until = self.time + max(0.0, seconds)
        while True:
            self._step()
            found = {descriptor for descriptor, _ in poll.poll(0)}
            if found or self.time >= until:
                return found
            self.time = min(until, self._next())

    def sleep(self, seconds):
        """The executor is kept from looking while the candidate goes on."""
        until = self.time + seconds
        while self.time < until:
            self._step()
            self.time = min(until, self._next())
        self._step()

    # The candidate

    def start(self, command, descriptors):
        assert self.used < self.sandboxes, "another program ran in this sandbox"
        self.used = self.sandboxes
        self._ended = None
        self._let_go()
        theirs = (descriptors[3], descriptors[4], descriptors[1]) if len(descriptors) > 3 else ()
        self._inode = os.fstat(descriptors[3]).st_ino if theirs else 0
        self._descriptors = [os.dup(descriptor) for descriptor in theirs]
        for descriptor in self._descriptors:
            os.set_blocking(descriptor, False)
        self.starts += 1
        self._reader, self._requests = FrameReader(1 << 26), []
        self._due, self._saying, self._pieces, self._printing = None, b"", [], 0
        self._loading = True

    def _next(self):
        return self._due if self._due is not None and self._due > self.time else float("inf")

    def _step(self):
        if self._ended is not None or not self._descriptors:
            return
        requests, responses, output = self._descriptors
        moved = True
        while moved:
            moved = False
            if self._printing:
                try:
                    self._printing -= os.write(output, bytes(min(self._printing, 4096)))
                except BlockingIOError:
                    return
                moved = True
                continue
            if self._saying:
                try:
                    size = os.write(responses, self._saying)
                except BlockingIOError:
                    return
                self._saying = self._saying[size:]
                self.last_write, moved = self.time, True
                continue
            with contextlib.suppress(BlockingIOError):
                self._requests += self._reader.feed(os.read(requests, 1 << 22))
            if self._due is None and self._pieces:
                took, self._text = self._pieces.pop(0)
                self._due = self.time + took
            if self._due is None and self._requests:
                self._requests.pop(0)
                if self._loading:
                    self._due, self._text = self.time + self.loading_s, self.ready
                    self._printing = self.printed[-1]
                else:
                    index = self.first + len(self.asked[-1])
                    self.asked[-1].append(self.time)
                    told = self.seconds[index]
                    if isinstance(told, list):
                        told, self._pieces = 0.0, list(told)
                        moved = True
                        continue
                    took, text = told if isinstance(told, tuple) else (told, "1")
                    if took is None:
                        self._end()
                        return
                    self._due, self._text = self.time + took, answer(index, text)
                    self._printing = self.printed[index] if index < len(self.printed) else 0
                if self._printing:
                    moved = True
                    continue
            if self._due is not None and self._due <= self.time:
                if self._text is None:
                    self._end()
                    return
                self._saying, self._due, moved = self._text, None, True
                if self._loading:
                    self._loading = False
                    self.first = self.run.index
                    self.asked.append([])
                    self.firsts.append(self.first)

    # The sandbox

    def _end(self):
        self._ended = Ending(signal=9, at=self.time)
        self._let_go()
        os.write(self._done, b"x")

    def _let_go(self):
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []

    def stop(self):
        if self._ended is None:
            self._end()
        with contextlib.suppress(BlockingIOError):
            os.read(self.control, 1)

    def renew(self):
        self.sandboxes += 1
        self.time += self.renewing_s
        return self, self.problem

    def ended(self):
        return True

    def ending(self):
        os.read(self.control, 1)
        return self._ended

    def usage(self):
        return Usage(foreign_kills=self.foreign_kills)

    def close(self):
        self._let_go()
        os.close(self.control)
        os.close(self._done)


def play(played, busy=(), arguments="[]", limits=LIMITS):
    """Results of the played cases; `busy` tells for how long the executor is kept after each result."""
    results = []

    def sink(result):
        results.append(result)
        if len(results) <= len(busy):
            played.sleep(busy[len(results) - 1])

    job = CasesJob("python", "", "f", (arguments,) * len(played.seconds), limits)
    stop = Stop()
    played.run = CasesRun(played, LANGUAGES["python"], job, COMMAND, sink, stop, played.now(), played.renew, played)
    try:
        played.run.run()
    finally:
        stop.close()
        played.close()
    return results


def outcomes(*arguments, **options):
    return "".join(result.outcome.value[0] for result in play(*arguments, **options))
