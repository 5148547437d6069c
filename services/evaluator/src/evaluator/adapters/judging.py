"""The annotator over gRPC, for pairs that nobody has judged."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import grpc

from evaluator.domain.judged import Judgement, PairAsked
from touchstone.annotator.v1 import annotator_pb2, annotator_pb2_grpc
from touchstone_runtime.faults import rpc_fault
from touchstone_runtime.grpc_server import channel

# Judging one pair asks a model several times and runs tests.
_TIMEOUT_S = 24 * 3600.0


async def judge(address: str, identity: Any, pairs: Sequence[PairAsked], budget: int) -> list[Judgement]:
    """Have pairs judged, at most `budget` of them anew; those that could not be are left out.

    Raises:
        RetryableError: the annotator does not answer.
    """
    found: list[Judgement] = []
    request = annotator_pb2.JudgeRequest(
        pairs=[
            annotator_pb2.PairToJudge(
                query=pair.words, code=pair.text, language=pair.language, function_id=pair.code_id
            )
            for pair in pairs
        ],
        budget=budget,
    )
    async with channel(address, identity) as connection:
        stub: Any = annotator_pb2_grpc.AnnotatorServiceStub(connection)
        try:
            async for answer in stub.Judge(request, timeout=_TIMEOUT_S):
                if answer.HasField("pair"):
                    pair = pairs[answer.place]
                    found.append(Judgement(pair.query_id, pair.code_id, answer.pair.outcome, answer.fresh))
                if sys.stderr.isatty():
                    sys.stderr.write(f"\rjudged: {answer.done} of {answer.total}")
        except grpc.aio.AioRpcError as error:
            raise rpc_fault(
                error, f"the annotator at {address}", way_out="is it running? see `touchstone status`"
            ) from error
    if sys.stderr.isatty():
        sys.stderr.write("\n")
    return found
