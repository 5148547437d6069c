"""What an endpoint says of a fault is read by its status, wherever that stands, and by the wait that it names."""

import json
from datetime import timedelta

import httpx2
import openai
import pytest

from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.errors import (
    EndpointNonsenseError,
    EndpointRefusedError,
    EndpointUnavailableError,
    QuestionRefusedError,
    RequestRefusedError,
)
from touchstone_runtime.llm.refusals import FaultWithinError, may_count, named, passing
from touchstone_runtime.llm.wire import read_completion

ENDPOINT = Endpoint("m", "m", "http://localhost:1/v1")
TOO_LONG = "the prompt is too long: 9000 tokens, above the context length of 4096"


def answered(status, headers=None):
    response = httpx2.Response(status, headers=headers, request=httpx2.Request("POST", "http://h/"))
    return openai.APIStatusError("<html>", response=response, body=None)


@pytest.mark.parametrize(
    ("fault", "error", "passes"),
    [
        ({"message": TOO_LONG, "code": 400}, QuestionRefusedError, False),
        ({"message": TOO_LONG, "code": "413"}, QuestionRefusedError, False),
        ({"message": "Your input was flagged", "code": "moderated", "status": 403}, QuestionRefusedError, False),
        ({"message": "no credit left", "code": 402}, EndpointRefusedError, False),
        ({"message": "slow", "code": 429}, EndpointUnavailableError, True),
        ({"message": "the provider is away", "code": 502}, EndpointUnavailableError, True),
    ],
)
@pytest.mark.parametrize("beside", [{}, {"choices": []}, {"choices": None}, {"usage": {"prompt_tokens": 9}}])
def test_a_fault_under_a_status_of_success_is_read_as_the_status_that_it_names(fault, error, passes, beside):
    with pytest.raises(FaultWithinError) as raised:
        read_completion(json.dumps({"error": fault, **beside}), ENDPOINT, 40)
    assert type(named(raised.value, ENDPOINT)) is error and bool(passing(raised.value)) == passes
    assert may_count(raised.value) == ("usage" in beside) and (raised.value.taken == (9, 0)) == ("usage" in beside)


def test_the_status_of_a_fault_may_stand_beside_its_words():
    with pytest.raises(FaultWithinError) as raised:
        read_completion(json.dumps({"error": TOO_LONG, "code": 400}), ENDPOINT, 40)
    assert isinstance(named(raised.value, ENDPOINT), QuestionRefusedError)


@pytest.mark.parametrize("error", [{"message": "no"}, {"message": "no", "code": 7}, "no", {"code": "4000"}, ["no"]])
def test_a_fault_that_names_no_status_is_nonsense(error):
    with pytest.raises(EndpointNonsenseError):
        read_completion(json.dumps({"error": error}), ENDPOINT, 40)


@pytest.mark.parametrize("error", [None, {}, "", {"message": "no", "code": 400}])
def test_an_answer_is_one_whatever_stands_beside_it(error):
    body = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}], "error": error}
    assert read_completion(json.dumps(body), ENDPOINT, 40).text == "hello"


@pytest.mark.parametrize("status", [502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 527, 529, 530])
def test_a_server_that_what_stands_before_it_does_not_reach_is_away(status):
    fault = answered(status)
    assert passing(fault) is True and isinstance(named(fault, ENDPOINT), EndpointUnavailableError)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "2.5"}, 2.5),
        ({"retry-after-ms": "700", "retry-after": "1"}, 0.7),
        ({"retry-after": "Tue, 01 Dec 2026 12:40:30 GMT", "date": "Tue, 01 Dec 2026 12:40:00 GMT"}, 30.0),
        ({"retry-after": "Tue, 01 Dec 2026 12:30:00 GMT", "date": "Tue, 01 Dec 2026 12:40:00 GMT"}, 0.0),
        ({"retry-after": "9999"}, 60.0),
        ({"retry-after": "inf"}, None),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "soon", "retry-after-ms": "nan"}, None),
        ({"retry-after": "Tue, 01 Dec 2026 12:40:30 GMT", "date": "today"}, None),
        ({}, None),
    ],
)
def test_an_endpoint_is_asked_again_after_the_time_that_it_names(headers, seconds):
    assert passing(answered(429, headers)) == (True if seconds is None else timedelta(seconds=seconds))


@pytest.mark.parametrize("said", ["violates our Internet usage policy", "blocked by the content filter"])
@pytest.mark.parametrize(("status", "refused"), [(403, EndpointRefusedError), (400, RequestRefusedError)])
def test_a_page_of_what_stands_before_an_endpoint_says_nothing_of_the_question(said, status, refused):
    response = httpx2.Response(status, request=httpx2.Request("POST", "http://h/"))
    for page in (f"<html><body>This page {said}</body></html>", f"\n<!DOCTYPE html>\n<p>{said}"):
        fault = openai.APIStatusError(page, response=response, body=page)
        assert type(named(fault, ENDPOINT)) is refused
    # An endpoint may say it in a mere text.
    assert type(named(openai.APIStatusError(said, response=response, body=said), ENDPOINT)) is QuestionRefusedError
