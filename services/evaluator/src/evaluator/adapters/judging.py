"""The annotator over gRPC, for pairs that nobody has judged."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import grpc

from evaluator.domain.judged import Judgement, PairAsked
from touchstone.annotator.v1 import annotator_pb2, annotator_pb2_grpc
from touchstone_runtime.faults import rpc_fault
from touchstone_runtime.grpc_server import channel

# Judging one pair asks a model several times and runs tests.
_TIMEOUT_S = 24 * 3600.0
# So often it is said how far it is, where nobody sees the line drawn anew.
_TELL_EVERY_S = 30.0
# Texts of one message, in bytes; a message holds no more than some tens of millions.
_TEXT_BYTES = 4 * 1024 * 1024


async def judge(address: str, identity: Any, pairs: Sequence[PairAsked], budget: int) -> list[Judgement]:
    """Have pairs judged, at most `budget` of them anew; those that could not be are left out.

    Raises:
        RetryableError: the annotator does not answer.
    """
    found: list[Judgement] = []
    began, told_at, fresh = time.monotonic(), time.monotonic(), 0
    async with channel(address, identity) as connection:
        stub: Any = annotator_pb2_grpc.AnnotatorServiceStub(connection)
        try:
            for before, part in parts_of(pairs):
                # What has a label already costs nothing, also where the budget is spent.
                request = annotator_pb2.JudgeRequest(pairs=[_message(pair) for pair in part], budget=budget - fresh)
                async for answer in stub.Judge(request, timeout=_TIMEOUT_S):
                    if answer.HasField("pair"):
                        pair = part[answer.place]
                        found.append(Judgement(pair.query_id, pair.code_id, answer.pair.outcome, answer.fresh))
                    fresh, now = fresh + answer.fresh, time.monotonic()
                    if sys.stderr.isatty() or now - told_at >= _TELL_EVERY_S:
                        told_at = now
                        line = how_far(before + answer.done, len(pairs), fresh, budget, now - began)
                        sys.stderr.write(f"\r{line}\033[K" if sys.stderr.isatty() else f"{line}\n")
                        sys.stderr.flush()
        except grpc.aio.AioRpcError as error:
            raise rpc_fault(
                error, f"the annotator at {address}", way_out="is it running? see `touchstone status`"
            ) from error
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    return found


def parts_of(pairs: Sequence[PairAsked], most: int = _TEXT_BYTES) -> Iterator[tuple[int, Sequence[PairAsked]]]:
    """Pairs in their order, as many at a time as one message holds, each part with how many came before it.

    Args:
        pairs: What is asked.
        most: Bytes of text of a part; a pair that has more is one by itself.
    """
    start = held = 0
    for place, pair in enumerate(pairs):
        size = len(pair.words.encode()) + len(pair.text.encode())
        if place > start and held + size > most:
            yield start, pairs[start:place]
            start, held = place, 0
        held += size
    if pairs:
        yield start, pairs[start:]


def _message(pair: PairAsked) -> annotator_pb2.PairToJudge:
    return annotator_pb2.PairToJudge(query=pair.words, code=pair.text, language=pair.language, function_id=pair.code_id)


def how_far(done: int, total: int, fresh: int, budget: int, seconds: float) -> str:
    """A line about judging in progress.

    Args:
        done: Pairs that have their answer.
        total: Pairs that were asked about.
        fresh: Those of them that were judged now, which alone takes time.
        budget: How many may be.
        seconds: How long it has taken so far.

    Example:
        >>> how_far(30, 500, 20, 200, 600.0)
        'judged: 30 of 500, about 90 min left'
    """
    rest = min(budget - fresh, total - done)
    left = f", about {max(1, round(seconds / fresh * rest / 60))} min left" if fresh and rest > 0 else ""
    return f"judged: {done:,} of {total:,}{left}"
