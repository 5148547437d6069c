"""An answer is taken whatever stands beside it, and with all the tokens that its endpoint tells."""

import json

import pytest

from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.errors import EndpointNonsenseError
from touchstone_runtime.llm.wire import Collected, read_completion

ENDPOINT = Endpoint("m", "m", "http://localhost:1/v1")


def completion(message=None, **more):
    choice = {"message": {"content": "hello"} | (message or {}), "finish_reason": "stop"}
    choice |= more.pop("choice", {})
    return read_completion(json.dumps({"choices": [choice], **more}), ENDPOINT, 40)


@pytest.mark.parametrize(
    "odd",
    [
        {"usage": {"prompt_tokens": 12.5, "completion_tokens": "many", "total_tokens": {}}},
        {"choice": {"logprobs": {"content": [{"top_logprobs": None}]}}},
        {"message": {"reasoning": {"effort": "high"}}},
        {"message": {"content": [{"type": "thinking", "thinking": []}, {"type": "text", "text": "hello"}]}},
        {"message": {"reasoning_content": ["x"]}, "usage": None},
        {"usage": ["many"]},
        {"usage": {"completion_tokens_details": [5]}},
        {"choice": {"logprobs": "none"}},
    ],
)
def test_an_odd_field_makes_no_nonsense_of_an_answer(odd):
    answer = completion(**odd)
    assert answer.text == "hello" and answer.tokens_in > 0 and answer.tokens_out > 0


@pytest.mark.parametrize(("told", "answered"), [(12.0, 30.0), ("12", "30"), (12, 30)])
def test_tokens_are_booked_as_they_are_told_however_their_number_is_written(told, answered):
    answer = completion(usage={"prompt_tokens": told, "completion_tokens": answered})
    assert (answer.tokens_in, answer.tokens_out) == (12, 30)


def test_half_a_pair_is_taken_as_in_a_stream():
    assert completion({"content": "a\ud83d"}).text == "a\ud83d"
    with pytest.raises(EndpointNonsenseError):
        read_completion("[" * 100_000, ENDPOINT, 1)


@pytest.mark.parametrize(
    ("usage", "out", "thought"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 5020}, 5010, 5000),
        ({"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 20}, 10, 0),
        ({"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 10**12}, 10, 0),
        (
            {"prompt_tokens": 10, "completion_tokens": 10, "total_tokens": 27}
            | {"completion_tokens_details": {"reasoning_tokens": 7}},
            17,
            7,
        ),
    ],
)
def test_tokens_that_stand_in_the_total_alone_are_booked(usage, out, thought):
    answer = completion(usage=usage)
    assert (answer.tokens_in, answer.tokens_out, answer.thought_tokens) == (10, out, thought)


def test_the_last_piece_of_a_stream_may_have_no_list_of_choices():
    collected = Collected()
    collected.add({"choices": [{"index": None, "delta": {"content": "hello"}, "finish_reason": "stop"}]})
    collected.add({"choices": None, "usage": {"prompt_tokens": 10, "completion_tokens": 5010}})
    answer = collected.answer(ENDPOINT, 1)
    assert (answer.text, answer.tokens_out) == ("hello", 5010)
