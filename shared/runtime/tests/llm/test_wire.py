"""An answer is taken whatever stands beside it, and with all the tokens that its endpoint tells."""

import json

import pytest

from touchstone_runtime.llm.booking import answer_of
from touchstone_runtime.llm.cache import from_record, to_record
from touchstone_runtime.llm.catalogue import Endpoint
from touchstone_runtime.llm.errors import EndpointFailedError, EndpointNonsenseError, QuestionRefusedError
from touchstone_runtime.llm.messages import ChatRequest, user
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


def streamed(*pieces, usage=None):
    collected = Collected()
    for piece in pieces:
        collected.add({"choices": [piece]})
    collected.add({"choices": [], "usage": usage})
    return collected.answer(ENDPOINT, 40)


def ended(end, way):
    """An answer that ends so, whole or in pieces."""
    usage = {"prompt_tokens": 10, "completion_tokens": 5}
    if way == "whole":
        return completion(choice={"finish_reason": end}, usage=usage)
    return streamed({"delta": {"content": "hello"}}, {"delta": {}, "finish_reason": end}, usage=usage)


WAYS = pytest.mark.parametrize("way", ["whole", "in pieces"])


@WAYS
@pytest.mark.parametrize(
    "end",
    [
        *("error", "ERROR", "abort", "cancelled", "insufficient_system_resource", "network_error", "timeout", "OTHER"),
        *("what nobody knows", None, "", "null"),
    ],
)
def test_an_answer_whose_end_is_not_told_or_is_a_fault_is_none_and_is_paid(end, way):
    with pytest.raises(EndpointFailedError) as raised:
        ended(end, way)
    assert raised.value.taken == (10, 5)


@WAYS
@pytest.mark.parametrize("end", ["content_filter", "content_filter: PROHIBITED_CONTENT", "SAFETY", "sensitive"])
def test_an_answer_that_its_endpoints_rules_ended_is_refused_and_is_paid(end, way):
    with pytest.raises(QuestionRefusedError, match=end) as raised:
        ended(end, way)
    assert raised.value.taken == (10, 5)


@WAYS
@pytest.mark.parametrize(
    ("end", "told"),
    [
        *(("stop", "stop"), ("STOP", "STOP"), ("eos", "eos"), ("tool_calls", "tool_calls"), ("end_turn", "end_turn")),
        *((end, end) for end in ("endTurn", "eosFound", "stop-sequence", "stopStringFound")),
        *((cut, "length") for cut in ("length", "MAX_TOKENS", "max_tokens", "model_length")),
        *((cut, "length") for cut in ("maxTokens", "maxPredictedTokensReached", "contextLengthReached", "repetition")),
    ],
)
def test_whatever_its_endpoint_calls_it_an_answer_is_whole_or_cut_at_its_bound(end, told, way):
    answer = ended(end, way)
    assert (answer.text, answer.finish_reason) == ("hello", told)


@pytest.mark.parametrize("end", ["content_filter: PROHIBITED_CONTENT", "content_filter"])
@pytest.mark.parametrize("message", [{}, {"message": None}])
def test_a_choice_without_a_message_is_told_by_its_end(end, message):
    body = {"choices": [{"finish_reason": end, **message}], "usage": {"prompt_tokens": 10, "completion_tokens": 0}}
    with pytest.raises(QuestionRefusedError):
        read_completion(json.dumps(body), ENDPOINT, 40)


def test_nothing_in_no_tokens_is_no_answer():
    for usage, given in (({"completion_tokens": 0}, False), ({"completion_tokens": 1}, True), (None, True)):
        body = {"choices": [{"message": {"content": ""}, "finish_reason": "stop"}], "usage": usage}
        if given:
            assert read_completion(json.dumps(body), ENDPOINT, 40).text == ""
            continue
        with pytest.raises(EndpointFailedError, match="answered nothing"):
            read_completion(json.dumps(body), ENDPOINT, 40)


def test_a_message_in_a_stream_is_taken_where_no_piece_of_one_is():
    assert streamed({"message": {"content": "hello"}, "finish_reason": "stop"}).text == "hello"
    assert (
        streamed({"message": {"content": "hel"}}, {"message": {"content": "lo"}, "finish_reason": "stop"}).text
        == "hello"
    )


def test_a_message_that_tells_the_whole_at_the_end_of_a_stream_is_no_second_answer():
    whole = {"content": "hello", "reasoning_content": "hm, well"}
    pieces = [{"delta": {"reasoning_content": "hm, "}}, {"delta": {"reasoning_content": "well"}}]
    pieces += [{"delta": {"content": "hel"}}, {"delta": {"content": "lo"}}]
    assert streamed(*pieces, {"message": whole, "finish_reason": "stop"}).text == "hello"
    assert (
        streamed(*pieces, {"delta": None, "message": whole, "finish_reason": "stop"}).tokens_out
        == len("hellohm, well") // 4
    )
    growing = [{"message": {"content": "hello"[:length]}} for length in range(1, 6)]
    assert streamed(*growing, {"message": {"content": "hello"}, "finish_reason": "stop"}).text == "hello"


def test_what_a_model_says_in_place_of_an_answer_is_what_it_said():
    assert completion({"content": None, "refusal": "I cannot"}).text == "I cannot"
    pieces = [{"delta": {"refusal": "I "}}, {"delta": {"refusal": "cannot"}, "finish_reason": "stop"}]
    assert streamed(*pieces).text == "I cannot"


@WAYS
@pytest.mark.parametrize(
    ("usage", "booked"),
    [
        # 40 characters were asked and 400 answered.
        ({"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}, (11, 100)),
        ({"prompt_tokens": 0, "completion_tokens": 90, "total_tokens": 90}, (11, 90)),
        ({"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}, (9, 100)),
        # What stands in the total alone is thoughts.
        ({"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 709}, (9, 700)),
    ],
)
def test_no_tokens_for_what_was_asked_and_answered_are_none_that_were_told(usage, booked, way):
    if way == "whole":
        answer = completion({"content": "word" * 100}, usage=usage)
    else:
        answer = streamed({"delta": {"content": "word" * 100}, "finish_reason": "stop"}, usage=usage)
    assert (answer.tokens_in, answer.tokens_out) == booked
    assert completion({"content": "no"}, usage={"completion_tokens": 0}).tokens_out == 1


@pytest.mark.parametrize(("told", "kept"), [("m", ""), ("other-7b", "other-7b"), (None, ""), (7, ""), ([], "")])
def test_an_answer_names_who_gave_it_where_that_is_another_than_was_asked(told, kept):
    collected = Collected()
    collected.add({"choices": [{"delta": {"content": "hello"}, "finish_reason": "stop"}], "model": told})
    for raw in (completion(model=told), collected.answer(ENDPOINT, 40)):
        answer = answer_of(ENDPOINT, ChatRequest("m", (user("a"),), 8), "key", raw)
        assert answer.answered_by == kept
        assert from_record(json.loads(json.dumps(to_record(answer))), "key").answered_by == kept
