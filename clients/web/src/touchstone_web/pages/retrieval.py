"""Retrieval: every retriever of the platform on every release of labels."""

from __future__ import annotations

import json
from itertools import groupby

from fastapi import APIRouter, Request, Response
from google.protobuf.json_format import MessageToDict

from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_web.rendering import page
from touchstone_web.services import Backends

router = APIRouter()
# Of the contracts' measures those that fit a row, with their headings; the JSON holds all.
_MEASURES = (
    ("ndcg_at_10", "NDCG@10"),
    ("mrr", "MRR"),
    ("map_at_10_of_all", "MAP@10"),
    ("recall_at_10", "Recall@10"),
)


@router.get("/retrieval")
async def retrieval(request: Request, services: Backends, history: bool = False) -> Response:
    """The newest score of each retriever on each set of labels, or every score that was ever taken."""
    answer = await services.call("evaluator", "ListRetrievalScores", pb.ListRetrievalScoresRequest(history=history))
    boards = [
        (name, [list(rows) for _, rows in groupby(of_set, key=_basis)])
        for name, of_set in groupby(answer.scores, key=lambda score: score.labels)
    ]
    return page(request, "retrieval.html", boards=boards, measures=_MEASURES, history=history)


def _basis(score: pb.RetrievalScore) -> tuple[str, str, int, str, int, int]:
    """What a score rests on: those that share it stand in one table."""
    index = score.generation, score.indexed, score.index_digest
    return score.labels_digest, *index, score.method, score.queries


@router.get("/retrieval.json")
async def as_json(services: Backends, history: bool = False) -> Response:
    """The same, with every measure."""
    answer = await services.call("evaluator", "ListRetrievalScores", pb.ListRetrievalScoresRequest(history=history))
    found = MessageToDict(answer, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
    return Response(json.dumps(found["scores"]), media_type="application/json")
