"""Answers that mean harm, and what becomes of them on our side: cut, read, compared, made a verdict, sent, stored.

A differential fuzz. Every frame is read in this process and in the helper that reads large answers; every comparison is
made there as well, and by `slow_reference.py`, which was written from the specification alone. Laws, for each frame:

- nothing is raised but the declared outcome; CPU-seconds of one frame and growth of memory are bounded;
- both readings agree; a legal value is read, a broken one refused; a value equals itself;
- the comparator's verdict is the reference's;
- what becomes of it (words, values) goes through protobuf and back unchanged, and holds nothing that JSONB refuses.
  With `--database` it is stored in PostgreSQL and read back.

Prints JSON lines: progress with what is left, and at last counts, the slowest frame and every law that was broken
(none). Frames come in blocks of a thousand, each with a seed of its own: `--start BLOCK` goes on where a run stopped.

    python tests/bench/fuzz_frames.py --frames 1000000 --seed 1
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fuzz_values import near, text, valid
from slow_reference import equal

from sandbox_executor.adapters.examining import ProcessExaminer
from sandbox_executor.domain.frames import (
    FrameReader,
    OversizedError,
    ProtocolError,
    Raised,
    read_answer,
    read_load,
)
from sandbox_executor.domain.frames import fault as fault_here
from sandbox_executor.domain.judging import Failure, Verdict, difference, judge_case
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from touchstone.sandbox.v1 import sandbox_pb2 as pb
from touchstone_values import MalformedValueError, Mode, UnportableError, build, dump, encode, parse

BLOCK = 1000
# CPU-seconds that one frame may take in this process, where small answers are read; the helper's own limit is higher.
MOST_CPU_S = 5.0
# What this process may grow by over all frames.
MOST_GROWTH_MIB = 512
# Trees up to this many characters are put before the reference, which tries every pairing.
_SLOW = 4000
_REPORT_EVERY_S = 20.0
_MOST_TOLD = 100


class Laws:
    """Tries frames and collects what breaks.

    Args:
        examiner: Reads and compares in a process of its own, whatever the size.
        tell: Print at once what breaks.
    """

    def __init__(self, examiner: ProcessExaminer, *, tell: bool = False) -> None:
        self._examiner = examiner
        self._tell = tell
        self.counts: Counter[str] = Counter()
        self.broken: list[str] = []
        self.failures: list[Failure] = []
        self.slowest = (0.0, "")

    def block(self, seed: int, number: int, frames: int = BLOCK) -> None:
        """Try the frames of one block."""
        rng = random.Random(f"{seed}/{number}")
        for _ in range(frames):
            kind, share = "", rng.random()
            shown = ""
            began = time.process_time()
            try:
                if share < 0.45:
                    kind, shown = "compared", self.compared(rng)
                elif share < 0.85:
                    kind, shown = "hostile", self.hostile(rng)
                elif share < 0.95:
                    kind, shown = "raised", self.raised(rng)
                else:
                    kind, shown = "stream", self.stream(rng)
            except Exception as error:  # noqa: BLE001  that is what is looked for
                self.note(f"{type(error).__name__}: {str(error)[:200]}", f"{kind} in block {number} of seed {seed}")
            took = time.process_time() - began
            self.counts[kind] += 1
            if took > self.slowest[0]:
                self.slowest = took, shown[:80]
            if took > MOST_CPU_S:
                self.note(f"{took:.1f} CPU-seconds", shown)

    def note(self, law: str, *shown: str) -> None:
        """A law was broken."""
        self.broken.append(f"{law}: {' | '.join(part[:600] for part in shown)}")
        if self._tell and len(self.broken) <= _MOST_TOLD:
            print(json.dumps({"bench": "fuzz_frames", "broken": self.broken[-1]}), flush=True)

    # One frame each

    def compared(self, rng: random.Random) -> str:
        """A legal value against itself, a neighbour, or a stranger: product, helper and reference agree."""
        tree = valid(rng, rng.randrange(5))
        other = near(rng, tree, rng.choice([0.0, 0.05, 0.2, 0.5])) if rng.random() < 0.95 else valid(rng, 3)
        expected, actual = (
            json.dumps(t, separators=(",", ":"), ensure_ascii=rng.random() < 0.5) for t in (tree, other)
        )
        mode: Mode = rng.choice(["portable", "exact"])
        if fault_here(expected):
            self.note(f"a legal value is refused ({fault_here(expected)})", expected)
            return expected
        if fault_here(actual):
            self.counts["neighbours that are none"] += 1
            actual = expected
        words = self.differences(expected, actual, mode)
        if words and expected == actual:
            self.note(f"a value differs from itself: {words}", expected)
        if len(expected) + len(actual) < _SLOW and "too many steps" not in words:
            wanted = equal(expected, actual, mode)
            self.counts["undecided by the reference" if wanted is None else "equal" if wanted else "different"] += 1
            if wanted is not None and wanted != (not words):
                self.note(f"{mode}: the reference says {wanted}, the comparator {words or 'equal'}", expected, actual)
        if not words:
            # Equal as they stand, equal when written anew.
            again = self.differences(dump(parse(expected)), dump(parse(actual)), mode)
            if again:
                self.note(f"{mode}: equal until it was written anew", expected, actual)
        self.keep(judge_case(CaseResult(0, Outcome.RETURNED, actual), expected, mode, lambda *_: words))
        return actual

    def hostile(self, rng: random.Random) -> str:
        """The text of an answer that may be anything."""
        value = text(rng)
        if rng.random() < 0.0005:
            value = "[" + ",".join([value] * (150_000 // (len(value) + 1) + 1)) + "]"
        raw = b'{"i":7,"o":"returned","v":' + value.encode("utf-8", "surrogatepass") + b"}"
        large = len(value) > 100_000
        mode: Mode = rng.choice(["portable", "exact"])
        try:
            found = read_answer(raw, 7)
        except ProtocolError as error:
            self.counts["refused"] += 1
            self.agree(value, refused=True)
            self.keep(judge_case(CaseResult(7, Outcome.FORBIDDEN, "", "ForeignFrame", str(error)), "1", mode))
            return value
        if isinstance(found, Raised):
            self.note("a value was taken for an exception", value)
            return value
        self.counts["values"] += 1
        if not large:
            self.agree(value, refused=False)
        if not fault_here(value):
            if self.differences(value, value + " ", "exact") or self.differences(value, value + " ", "portable"):
                self.note("a value differs from itself", value)
            with contextlib.suppress(MalformedValueError, UnportableError):
                parse(encode(build(parse(value))))
        self.differences("[1,2.5]", value, mode)
        self.keep(judge_case(CaseResult(7, Outcome.RETURNED, found.value), "[1,2.5]", mode))
        response = pb.RunCasesResponse(index=7, value=found.value)
        if pb.RunCasesResponse.FromString(response.SerializeToString()).value != found.value:
            self.note("protobuf changed a value", value)
        return value

    def raised(self, rng: random.Random) -> str:
        """The frame of an exception, or of a load, legal or stirred."""
        words = [
            rng.choice(["", "ValueError", "\0", "\ud800", "é" * 300, "x" * 2500, "a\nb", '"', "\u2028"]) for _ in "tm"
        ]
        loading = rng.random() < 0.3
        head = '{"o":"load_error",' if loading else '{"i":7,"o":"raised",'
        frame = head + json.dumps({"t": words[0], "m": words[1]}, ensure_ascii=True, separators=(",", ":"))[1:]
        legal = len(words[0]) <= 200 and len(words[1]) <= 2000
        data = frame.encode()
        if rng.random() < 0.5:
            legal, data = False, stirred(rng, data)
        try:
            found = read_load(data) if loading else read_answer(data, 7)
        except ProtocolError:
            if legal:
                self.note("a legal exception is refused", frame)
            return frame
        if isinstance(found, Raised):
            if legal and [found.error_type, found.message] != words:
                self.note("an exception is read as another", frame)
            self.keep(judge_case(CaseResult(7, Outcome.RAISED, "", found.error_type, found.message), "1", "exact"))
        return frame

    def stream(self, rng: random.Random) -> str:
        """Frames in a stream: however it is cut, the same frames come out; lengths that lie are refused."""
        frames = [rng.randbytes(rng.choice([0, 1, 3, 4, 5, 900])) for _ in range(rng.randrange(6))]
        data = b"".join(len(part).to_bytes(4, "big") + part for part in frames)
        lie = rng.random() < 0.3
        if lie:
            data += rng.choice([2001, 2**31, 2**32 - 1]).to_bytes(4, "big") + rng.randbytes(9)
        cut = rng.randrange(len(data) + 1) if rng.random() < 0.3 else len(data)
        reader, got, at = FrameReader(2000), list[bytes](), 0
        try:
            while at < cut:
                size = rng.choice([1, 2, 3, 7, 1000, 5000])
                got += reader.feed(data[at : min(at + size, cut)])
                at += size
                if reader.pending > 2004 + size:
                    self.note("a reader keeps more than a frame", data.hex())
            # A lie is told once the frames before it were given.
            reader.feed(b"")
        except OversizedError:
            if not lie:
                self.note("an honest length is refused", data.hex())
            if got != frames:
                self.note("frames before a lie are lost", data.hex())
            return data.hex()
        if got != frames[: len(got)] or (cut == len(data) and (lie or got != frames)):
            self.note("a stream is cut into other frames", data.hex())
        return data.hex()

    # What is asked twice

    def agree(self, value: str, *, refused: bool) -> None:
        """The helper reads as this process does."""
        words = self._examiner.fault(value)
        if bool(words) != refused:
            self.note(f"read here and in the helper differently ({words or 'a value'})", value)

    def differences(self, expected: str, actual: str, mode: Mode) -> str:
        """What the comparator says, here and in the helper."""
        here = difference(expected, actual, mode)
        there = self._examiner.difference(expected, actual, mode)
        if here[:300] != there[:300] and here.encode("utf-8", "replace").decode()[:300] != there[:300]:
            self.note(f"compared here ({here}) and in the helper ({there}) differently", expected, actual)
        if "cannot be compared" in here:
            self.note(here, expected, actual)
        return here

    def keep(self, failure: Failure | None) -> None:
        """A failure's words go everywhere: protobuf, UTF-8, JSONB."""
        if failure is None:
            return
        sent = pb.CaseFailure(index=failure.index, outcome=failure.outcome, detail=failure.detail)
        if pb.CaseFailure.FromString(sent.SerializeToString()).detail != failure.detail:
            self.note("protobuf changed a detail", failure.detail)
        stored = json.loads(json.dumps(failure.detail).encode())
        if stored != failure.detail or "\0" in stored or len(stored) > 300:
            self.note("a detail that JSONB refuses", failure.detail)
        self.failures.append(failure)


def stirred(rng: random.Random, data: bytes) -> bytes:
    """Bytes with some of them replaced, removed or repeated."""
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(data) + 1)
        data = (
            data[:at]
            + rng.choice([b"", b"}", b'"', b"\0", b"\xff", b'"m":"",', data[:9]])
            + data[at + rng.randrange(4) :]
        )
    return data


def fuzz(
    frames: int,
    seed: int,
    *,
    start: int = 0,
    take: Callable[[list[Failure]], None] | None = None,
    progress: bool = False,
) -> dict[str, Any]:
    """Try so many frames; gives counts, the slowest frame, and what broke.

    Args:
        frames: Rounded up to whole blocks.
        seed: Of the whole run.
        start: First block.
        take: Gets the failures of each block, to store them.
        progress: Print a line now and then.
    """
    # Their libraries take seconds to load, which is nobody's answer.
    build(parse('{"$":"nat"}'))
    examiner = ProcessExaminer(1, large=0)
    laws = Laws(examiner, tell=progress)
    blocks = -(-frames // BLOCK)
    began = last = time.monotonic()
    laws.block(seed, -1, 200)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    laws.counts.clear()
    try:
        for done, number in enumerate(range(start, blocks), 1):
            laws.block(seed, number)
            if take is not None:
                take(laws.failures)
            laws.failures.clear()
            now = time.monotonic()
            if progress and (now - last > _REPORT_EVERY_S or number == blocks - 1):
                last = now
                left = (now - began) / done * (blocks - number - 1)
                line = {"frames": (number + 1) * BLOCK, "of": blocks * BLOCK, "seed": seed, "broken": len(laws.broken)}
                print(json.dumps({"bench": "fuzz_frames", **line, "seconds_left": round(left)}), flush=True)
    finally:
        examiner.close()
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory) / 1024
    if grown > MOST_GROWTH_MIB:
        laws.note("memory grew", f"{grown:.0f} MiB")
    slowest, shown = laws.slowest
    kinds = Counter(line.split(":")[0] for line in laws.broken)
    return {
        "bench": "fuzz_frames", "frames": (blocks - start) * BLOCK, "seed": seed, "start": start, **laws.counts,
        "slowest_cpu_s": round(slowest, 3), "slowest": shown, "grown_mib": round(grown),
        "seconds": round(time.monotonic() - began), "broken": len(laws.broken), "laws": kinds,
        "examples": laws.broken[:20],
    }  # fmt: skip


class Store:
    """Keeps failures in a real PostgreSQL, fifty a verdict, and reads each verdict back."""

    def __init__(self, url: str) -> None:
        from sandbox_executor.adapters.verdicts import SqlVerdicts
        from sandbox_executor.app import MIGRATIONS
        from touchstone_runtime.database import Database

        self._loop = asyncio.new_event_loop()
        self._database = Database(url, "fuzz", MIGRATIONS)
        self._loop.run_until_complete(self._database.migrate())
        self._verdicts = SqlVerdicts(self._database.session)
        self.stored = 0

    def take(self, failures: list[Failure]) -> None:
        """Store and read back.

        Raises:
            AssertionError: what was read is not what was stored.
        """
        for at in range(0, len(failures), 50):
            kept = tuple(failures[at : at + 50])
            verdict = Verdict(kept[0].outcome, 50, 0, kept)
            name = hashlib.sha256(f"{self.stored}".encode()).hexdigest()
            found = self._loop.run_until_complete(self._verdicts.keep(name, "suite", verdict))
            assert found == verdict, (found, verdict)
            self.stored += len(kept)

    def close(self) -> None:
        """Let go of the server."""
        self._loop.run_until_complete(self._database.close())
        self._loop.close()


def main() -> None:
    """Run it from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="first block of a thousand frames")
    parser.add_argument("--database", action="store_true", help="store what is left of them in a PostgreSQL, too")
    options = parser.parse_args()
    with contextlib.ExitStack() as stack:
        store = None
        if options.database:
            from touchstone_local import postgres

            folder = stack.enter_context(tempfile.TemporaryDirectory())
            store = Store(stack.enter_context(postgres.start(Path(folder))).url)
            stack.callback(store.close)
        take = store.take if store else None
        report = fuzz(options.frames, options.seed, start=options.start, take=take, progress=True)
        report["stored"] = store.stored if store else 0
    print(json.dumps(report))
    sys.exit(bool(report["broken"]))


if __name__ == "__main__":
    main()
