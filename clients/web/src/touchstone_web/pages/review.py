"""Review: people decide about pairs, blind to one another and to every label; a third person decides between two."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone_web.highlight import lines
from touchstone_web.rendering import page
from touchstone_web.reviewers import COOKIE, PATH, Reviewer, reviewer_of, signed_in
from touchstone_web.services import Backends

router = APIRouter(prefix=PATH)
_SERVICE = "annotator"
_OPINIONS = ("yes", "no", "cannot_tell")
Text = Annotated[str, Form()]


@router.get("")
async def review(request: Request, services: Backends, kept: str = "") -> Response:
    """The pair that this reviewer should look at now; a form to sign in for everybody else."""
    reviewer = signed_in(request)
    if reviewer is None:
        return page(request, "review_sign_in.html", wrong=False, agreement=await _agreement(services))
    wanted = pb.GetNextReviewRequest(reviewer=reviewer.name)
    answer = await services.call(_SERVICE, "GetNextReview", wanted, token=reviewer.text)
    return page(
        request,
        "review.html",
        pair=answer.pair if answer.HasField("pair") else None,
        opinions=[],
        action=PATH,
        reviewer=reviewer.name,
        kept=_said(kept),
        lines=lines,
        agreement=await _agreement(services),
    )


@router.post("/sign-in")
async def sign_in(request: Request, token: Text) -> Response:
    """Keep a token in a cookie where it may judge."""
    if reviewer_of(request.app.state.settings, token.strip()) is None:
        return page(request, "review_sign_in.html", status=403, wrong=True, agreement=None)
    answer = RedirectResponse(PATH, 303)
    secure = request.url.scheme == "https"
    answer.set_cookie(COOKIE, token.strip(), httponly=True, samesite="strict", secure=secure, path=PATH)
    return answer


@router.post("/sign-out")
async def sign_out() -> Response:
    """Forget the token."""
    answer = RedirectResponse(PATH, 303)
    answer.delete_cookie(COOKIE, path=PATH)
    return answer


@router.post("")
async def give(services: Backends, reviewer: Reviewer, pair_id: Text, opinion: Text, note: Text = "") -> Response:
    """Take an opinion and go on with the next pair."""
    request = pb.AddReviewRequest(pair_id=pair_id, reviewer=reviewer.name, opinion=opinion, note=note.strip())
    await services.call(_SERVICE, "AddReview", request, token=reviewer.text)
    return RedirectResponse(f"{PATH}?kept={_said(opinion)}", 303)


@router.get("/disputes")
async def dispute(request: Request, services: Backends, reviewer: Reviewer, kept: str = "") -> Response:
    """A pair on which two others differ, with what they said."""
    wanted = pb.GetNextDisputeRequest(reviewer=reviewer.name)
    answer = await services.call(_SERVICE, "GetNextDispute", wanted, token=reviewer.text)
    return page(
        request,
        "review.html",
        pair=answer.pair if answer.HasField("pair") else None,
        opinions=answer.opinions,
        action=f"{PATH}/disputes",
        reviewer=reviewer.name,
        kept=_said(kept),
        lines=lines,
        agreement=await _agreement(services),
    )


@router.post("/disputes")
async def decide(services: Backends, reviewer: Reviewer, pair_id: Text, opinion: Text, note: Text = "") -> Response:
    """Decide between two opinions and go on."""
    request = pb.AdjudicateRequest(pair_id=pair_id, reviewer=reviewer.name, opinion=opinion, note=note.strip())
    await services.call(_SERVICE, "Adjudicate", request, token=reviewer.text)
    return RedirectResponse(f"{PATH}/disputes?kept={_said(opinion)}", 303)


def _said(opinion: str) -> str:
    """What is told to have been kept; nothing else that an address says."""
    return opinion if opinion in _OPINIONS else ""


async def _agreement(services: Backends) -> Any:
    return await services.call(_SERVICE, "GetAgreement", pb.GetAgreementRequest())
