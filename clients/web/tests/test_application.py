"""What holds for every page: headers, faults as pages, the token, static files, the navigation."""

from __future__ import annotations

import re

import grpc
import pytest
from fastapi import APIRouter

from touchstone.common.v1 import progress_pb2
from touchstone.evaluator.v1 import evaluator_pb2 as pb
from touchstone_web import pages
from touchstone_web.rendering import STATIC


def test_each_module_of_pages_is_listed_once():
    assert all(isinstance(page.router, APIRouter) for page in pages.PAGES)
    assert len({page.path for page in pages.PAGES}) == len(pages.PAGES)


def test_every_page_has_one_heading_a_title_and_strict_headers(visit, address):
    answer = visit().get(address)
    assert answer.status_code == (404 if address == "/nowhere" else 200)
    assert "<script>alert" not in answer.text
    assert len(re.findall(r"<h1\b", answer.text)) == 1
    assert "<title>" in answer.text and 'lang="en"' in answer.text
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "unsafe" not in policy
    assert " style=" not in answer.text and "<style" not in answer.text
    assert not re.findall(r"<script(?![^>]*\bsrc=)", answer.text)


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        (grpc.StatusCode.NOT_FOUND, 404, "no such thing"),
        (grpc.StatusCode.INVALID_ARGUMENT, 400, "cannot be asked"),
        (grpc.StatusCode.FAILED_PRECONDITION, 409, "not possible now"),
        (grpc.StatusCode.UNAVAILABLE, 503, "does not answer"),
        (grpc.StatusCode.DEADLINE_EXCEEDED, 503, "does not answer"),
        (grpc.StatusCode.INTERNAL, 503, "does not answer"),
        (grpc.StatusCode.PERMISSION_DENIED, 403, "needs a token"),
    ],
)
def test_a_fault_of_a_service_is_a_page_that_says_so(visit, fault_of, code, status, words):
    answer = visit({"evaluator.GetBoard": fault_of(code, "because <b>of</b> this")}).get("/")
    assert answer.status_code == status
    assert words in answer.text and "because &lt;b&gt;of&lt;/b&gt; this" in answer.text


def test_every_page_in_the_bar_is_visited(addresses):
    assert {page.path for page in pages.PAGES if page.title} <= {address.partition("?")[0] for address in addresses}


@pytest.mark.parametrize("value", ["2147483648", "-3000000000", "9" * 30, "x", "1.5", "<b>"])
def test_a_number_that_is_none_is_a_page_that_names_it(visit, value):
    run, task = f"/runs/{'0' * 32}", "1" * 32
    for name, path in (("start", run), ("sample", f"{run}/tasks/{task}"), ("start", "/tasks")):
        answer = visit().get(path, params={name: value})
        assert answer.status_code == 422 and answer.headers["content-type"].startswith("text/html")
        assert f"{path}: {name}: " in answer.text and "<b>" not in answer.text


def test_an_unknown_address_is_a_page(visit):
    answer = visit().get("/nowhere/<x>")
    assert answer.status_code == 404
    assert "There is no such page" in answer.text and "<x>" not in answer.text


def test_without_a_token_nothing_can_be_changed(visit):
    assert visit().post("/nowhere/x").status_code == 403
    assert visit(web_token="right").post("/nowhere/x").status_code == 403
    assert visit(web_token="right").post("/nowhere/x", headers={"authorization": "Bearer wrong"}).status_code == 403
    # Past the token there is no such address.
    assert visit(web_token="right").post("/nowhere/x", headers={"authorization": "Bearer right"}).status_code == 404


def test_the_token_is_kept_in_a_cookie_that_scripts_cannot_read(visit):
    visitor = visit(web_token="right")
    assert visitor.post("/token", data={"token": "wrong"}).status_code == 403
    answer = visitor.post("/token", data={"token": "right"}, follow_redirects=False)
    cookie = answer.headers["set-cookie"]
    assert answer.status_code == 303 and "HttpOnly" in cookie and "SameSite=strict" in cookie
    assert visitor.post("/nowhere/x").status_code == 404


@pytest.mark.parametrize("path", ["/token", "/review/sign-in", "/runs/x/pause", "/review/sign-out"])
@pytest.mark.parametrize("place", ["cross-site", "same-site"])
def test_no_other_page_changes_anything_or_signs_anybody_in(visit, path, place):
    visitor = visit(web_token="right")
    visitor.post("/token", data={"token": "right"}, headers={"sec-fetch-site": "same-origin"})
    assert visitor.cookies["touchstone_token"] == "right"
    # A browser sends the cookie along from every port of the host.
    refused = visitor.post(path, data={"token": "right"}, headers={"sec-fetch-site": place}, follow_redirects=False)
    assert refused.status_code == 403 and "own pages" in refused.text and "set-cookie" not in refused.headers


def test_no_token_signs_in_where_none_is_configured(visit):
    assert visit().post("/token", data={"token": ""}).status_code in (403, 422)


def test_static_files_are_kept_by_browsers_and_addressed_by_content(visit):
    page = visit().get("/").text
    for address in re.findall(r'(?:src|href)="(/static/[^"]+)"', page):
        answer = visit().get(address)
        assert answer.status_code == 200 and "immutable" in answer.headers["cache-control"]
    assert visit().get("/static/../settings.py").status_code == 404
    assert all(re.fullmatch(r"[a-z0-9.-]+", path.name) for path in STATIC.iterdir())


def test_the_status_page_says_who_is_away_and_what_waits(visit):
    progress = progress_pb2.Progress(
        lag=3, activities=["m direct: halted: <down>"], counters=[progress_pb2.Counter(name="tasks_known", value=1163)]
    )
    answer = visit({"evaluator.Progress": pb.ProgressResponse(progress=progress)}).get("/status")
    assert answer.status_code == 200
    assert "3 messages waiting" in answer.text and "1,163" in answer.text and "halted: &lt;down&gt;" in answer.text
    assert "the ingester is away" in answer.text


def test_a_service_that_took_too_long_is_told_of_in_our_words(visit, fault_of):
    late = fault_of(grpc.StatusCode.DEADLINE_EXCEEDED, "Deadline Exceeded")
    for address, call in (("/status", "evaluator.Progress"), ("/runs", "evaluator.ListRuns")):
        text = visit({call: late}).get(address).text
        assert "it took too long" in text and "Deadline Exceeded" not in text
