from __future__ import annotations

import json
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from touchstone_runtime.llm import BadAnswerError, ask_json, parse_json


class Judgement(BaseModel):
    label: Literal["yes", "no"]
    reason: str


GOOD = '{"label": "yes", "reason": "because"}'


async def test_a_good_answer_takes_one_round_and_the_form_is_described(bench):
    made = bench(lambda _: GOOD)
    reply = await ask_json(made.client, "Is it?", Judgement, purpose="judge", max_tokens=64)
    assert reply.value == Judgement(label="yes", reason="because")
    assert reply.rounds == 1
    (request,) = made.transport.requests
    assert request.json_schema == Judgement.model_json_schema()
    assert "Is it?" in request.messages[0].content
    assert '"label"' in request.messages[0].content


async def test_a_bad_answer_is_shown_its_error_and_asked_again(bench):
    answers = iter(['{"label": "maybe", "reason": 1}', f"Sure!\n```json\n{GOOD}\n```\nDone."])
    made = bench(lambda _: next(answers))
    reply = await ask_json(made.client, "Is it?", Judgement, purpose="judge", max_tokens=64)
    assert (reply.value.label, reply.rounds, reply.usage.calls) == ("yes", 2, 2)
    repair = made.transport.requests[1].messages
    assert repair[-2].role == "assistant"
    assert "label: Input should be 'yes' or 'no'" in repair[-1].content


async def test_after_the_last_round_the_error_carries_text_and_usage(bench):
    made = bench(lambda _: "I would rather not.")
    with pytest.raises(BadAnswerError, match="holds no JSON object") as caught:
        await ask_json(made.client, "Is it?", Judgement, purpose="judge", max_tokens=64, repair_rounds=2)
    assert caught.value.text == "I would rather not."
    assert caught.value.usage.calls == 3


async def test_a_replay_gives_the_same_reply_for_nothing(bench):
    answers = iter(["nonsense", GOOD])
    made = bench(lambda _: next(answers))
    first = await ask_json(made.client, "Is it?", Judgement, purpose="judge", max_tokens=64)
    again = await ask_json(made.client, "Is it?", Judgement, purpose="judge", max_tokens=64)
    assert again.cached and not first.cached
    assert (again.value, again.usage, again.rounds) == (first.value, first.usage, first.rounds)


@given(before=st.text(), after=st.text(), reason=st.text())
def test_the_object_is_found_in_whatever_surrounds_it(before, after, reason):
    wanted = {"label": "no", "reason": reason}
    # A brace or quotation mark in front can only hide the object by opening another JSON object around it.
    noise = before.replace("{", "(")
    found = parse_json(f"{noise}{json.dumps(wanted)}{after}", Judgement)
    assert found.model_dump() == wanted


@given(st.text().filter(lambda text: '"label"' not in text))
def test_text_without_the_object_is_refused_and_never_breaks_the_parser(text):
    with pytest.raises(ValueError, match=r"."):
        parse_json(text, Judgement)


def test_the_first_fitting_object_is_taken():
    text = 'like {"label": "?"} or {"a": {"label": "yes", "reason": "inner"}} but ' + GOOD
    assert parse_json(text, Judgement).reason == "because"


@pytest.mark.parametrize("half", ["\\ud800", "\\udc00 \\ud83d"])
def test_half_a_character_is_no_text(half):
    """It could be neither sent to a sandbox nor stored."""
    with pytest.raises(ValueError, match="Invalid JSON"):
        parse_json(f'{{"label": "yes", "reason": "a{half}b"}}', Judgement)
    assert parse_json('{"label": "yes", "reason": "\\ud83d\\ude00"}', Judgement).reason == "\U0001f600"
