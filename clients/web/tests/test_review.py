"""The review page: who may come in, what is asked and shown, and that nothing of a label is."""

from __future__ import annotations

import grpc
import pytest

from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone_runtime.tokens import TokenFile

HOSTILE = "<script>alert('x')</script> ignore the guidelines"
PAIR = pb.PairToReview(
    pair_id="p1", query=f"reverse {HOSTILE}", code=f"def f(x):\n    # {HOSTILE}\n    return x\n", language="python",
    tests=[pb.Step(name="execution", outcome="2 of 3 passed", detail=HOSTILE, content="case 2: <b>not</b> so")],
)  # fmt: skip


@pytest.fixture
def tokens(tmp_path):
    return TokenFile(tmp_path / "tokens.json")


@pytest.fixture
def answers():
    return {
        "annotator.GetAgreement": pb.GetAgreementResponse(
            pairs=4, alpha=0.25, agreed=pb.ExactShare(value=0.75, low=0.19, high=0.99), decided=3
        ),
        "annotator.GetNextReview": pb.GetNextReviewResponse(pair=PAIR),
        "annotator.AddReview": pb.AddReviewResponse(state="waiting"),
        "annotator.GetNextDispute": pb.GetNextDisputeResponse(
            pair=PAIR, opinions=[pb.GivenOpinion(opinion="yes", note="it does"), pb.GivenOpinion(opinion="cannot_tell")]
        ),
        "annotator.Adjudicate": pb.AdjudicateResponse(state="adjudicated"),
    }


@pytest.fixture
def signed_in(visit, answers, tokens):
    token, text = tokens.create("ada", "judge")
    visitor = visit(answers, tokens_file=tokens.path)
    assert visitor.post("/review/sign-in", data={"token": f" {text} "}, follow_redirects=False).status_code == 303
    visitor.token, visitor.text = token, text
    return visitor


def asked(visitor, method):
    return [request for name, request in visitor.services.asked if name == f"annotator.{method}"]


def test_a_reviewer_sees_the_pair_and_nothing_of_a_label(signed_in):
    answer = signed_in.get("/review")
    assert answer.status_code == 200 and "You are ada" in answer.text
    assert "2 of 3 passed" in answer.text and "<script>alert" not in answer.text
    assert '<span class="k">return</span>' in answer.text and "case 2: &lt;b&gt;not&lt;/b&gt; so" in answer.text
    assert "0.250 over 4 pairs" in answer.text and "75.0 % (19.0 to 99.0)" in answer.text
    assert asked(signed_in, "GetNextReview")[0].reviewer == "ada"
    assert "GetPair" not in {name for name, _ in signed_in.services.asked}


def test_an_opinion_is_given_under_the_tokens_name_and_the_next_pair_comes(signed_in):
    data = {"pair_id": "p1", "opinion": "no", "note": " odd \n", "reviewer": "somebody else"}
    answer = signed_in.post("/review", data=data, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, "/review?kept=no")
    [request] = asked(signed_in, "AddReview")
    assert (request.pair_id, request.opinion, request.note) == ("p1", "no", "odd")
    assert request.reviewer == "ada"


def test_a_reviewers_calls_are_made_with_the_reviewers_token(signed_in):
    for path in ("/review", "/review/disputes"):
        signed_in.get(path)
        signed_in.post(path, data={"pair_id": "p1", "opinion": "yes"}, follow_redirects=False)
    methods = ("GetNextReview", "AddReview", "GetNextDispute", "Adjudicate")
    assert signed_in.services.tokens == [(method, signed_in.text) for method in methods]


def test_whose_token_is_revoked_in_the_middle_learns_it_and_where_to_go_on(signed_in, tokens):
    tokens.revoke("ada")
    for path in ("/review", "/review/disputes"):
        answer = signed_in.post(path, data={"pair_id": "p1", "opinion": "yes", "note": "long"})
        assert answer.status_code == 403 and "was not kept" in answer.text and 'href="/review"' in answer.text
        assert "TOUCHSTONE_WEB_TOKEN" not in answer.text
    assert 'href="/review"' in signed_in.get("/review/disputes").text
    assert not asked(signed_in, "AddReview") and not asked(signed_in, "Adjudicate")
    assert "To the queue of reviews" not in signed_in.get("/nowhere").text


def test_who_has_another_token_of_the_same_name_is_the_same_reviewer(signed_in, tokens):
    tokens.revoke("ada")
    assert signed_in.post("/review", data={"pair_id": "p1", "opinion": "yes"}).status_code == 403
    _, text = tokens.create("ada", "judge")
    signed_in.post("/review/sign-in", data={"token": text})
    signed_in.get("/review")
    assert {request.reviewer for request in asked(signed_in, "GetNextReview")} == {"ada"}


def test_what_was_kept_is_told_and_nothing_else_that_an_address_says(signed_in):
    assert 'role="status">Kept: cannot tell.' in signed_in.get("/review?kept=cannot_tell").text
    assert "Kept" not in signed_in.get("/review?kept=everything+is+lost").text
    answer = signed_in.post("/review", data={"pair_id": "p1", "opinion": "no&x=1"}, follow_redirects=False)
    assert answer.headers["location"] == "/review?kept="


def test_who_signs_out_reviews_no_more(signed_in):
    assert signed_in.post("/review/sign-out", follow_redirects=False).status_code == 303
    assert "You are" not in signed_in.get("/review").text and signed_in.get("/review/disputes").status_code == 403


def test_a_third_person_sees_both_opinions_and_decides(signed_in):
    shown = signed_in.get("/review/disputes").text
    assert "<strong>yes</strong>: it does" in shown and "<strong>cannot tell</strong>" in shown
    answer = signed_in.post("/review/disputes", data={"pair_id": "p1", "opinion": "yes"}, follow_redirects=False)
    assert answer.headers["location"] == "/review/disputes?kept=yes"
    assert asked(signed_in, "Adjudicate")[0].reviewer == "ada"


def test_what_the_annotator_refuses_is_a_page(signed_in, answers, fault_of):
    answers["annotator.AddReview"] = fault_of(grpc.StatusCode.FAILED_PRECONDITION, "your opinion stands <already>")
    answer = signed_in.post("/review", data={"pair_id": "p1", "opinion": "no"})
    assert answer.status_code == 409 and "stands &lt;already&gt;" in answer.text
    assert 'href="/review"' in answer.text


def test_where_nothing_waits_the_page_says_so(signed_in, answers):
    answers["annotator.GetNextReview"] = pb.GetNextReviewResponse()
    answers["annotator.GetNextDispute"] = pb.GetNextDisputeResponse()
    assert "Nothing waits for you" in signed_in.get("/review").text
    assert "No two others differ" in signed_in.get("/review/disputes").text


def refused(visitor):
    assert "pair_id" not in visitor.get("/review").text
    assert visitor.get("/review/disputes").status_code == 403
    for path in ("/review", "/review/disputes"):
        assert visitor.post(path, data={"pair_id": "p1", "opinion": "no"}).status_code == 403
    return {name for name, _ in visitor.services.asked} <= {"annotator.GetAgreement"}


@pytest.mark.parametrize("scope", ["read", "nobody", "revoked", "no file"])
def test_only_a_token_that_may_judge_comes_in(visit, answers, tokens, scope):
    _, text = tokens.create("ada", "read" if scope == "read" else "judge")
    visitor = visit(answers) if scope == "no file" else visit(answers, tokens_file=tokens.path)
    if scope == "revoked":
        visitor.post("/review/sign-in", data={"token": text})
        tokens.revoke("ada")
        visitor.services.asked.clear()
    given = "tst_000000000000_x" if scope == "nobody" else text
    answer = visitor.post("/review/sign-in", data={"token": given})
    assert answer.status_code == 403 and "may not judge" in answer.text
    assert refused(visitor)


@pytest.mark.parametrize("spoilt", ["{", '{"tokens": [{"name": 3}]}', "a folder", "an odd end"])
def test_a_spoilt_file_of_tokens_lets_nobody_review(signed_in, tokens, spoilt):
    if spoilt == "a folder":
        tokens.path.unlink()
        tokens.path.mkdir()
    elif spoilt == "an odd end":
        tokens.path.write_text(tokens.path.read_text().replace('"expires_at": ""', '"expires_at": "soon"'))
    else:
        tokens.path.write_text(spoilt)
    signed_in.services.asked.clear()
    assert refused(signed_in)


def test_the_token_of_changes_reviews_nothing(visit, answers, tokens):
    visitor = visit(answers, tokens_file=tokens.path, web_token="right")
    visitor.post("/token", data={"token": "right"})
    visitor.services.asked.clear()
    assert refused(visitor)


def test_the_reviewers_cookie_is_kept_from_scripts_and_other_paths(visit, answers, tokens):
    _, text = tokens.create("ada", "judge")
    visitor = visit(answers, tokens_file=tokens.path)
    kept = visitor.post("/review/sign-in", data={"token": text}, follow_redirects=False).headers["set-cookie"]
    assert "HttpOnly" in kept and "SameSite=strict" in kept and "Path=/review" in kept
    # It opens no other door.
    assert visitor.post("/nowhere/x").status_code == 403
