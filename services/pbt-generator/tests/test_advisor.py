"""A model as adviser: its answers are taken when they fit the form, and nothing is taken when they do not."""

import json

import pytest

from pbt_generator.adapters.advisor import LlmAdvisor
from pbt_generator.domain.advice import MAX_MISTAKES, Mistake
from pbt_generator.domain.inputs.proposals import Proposal
from touchstone_runtime.llm import Answer, LlmUsage


class Client:
    """Answers every question with the same text and remembers what it was asked."""

    def __init__(self, text):
        self.text = text
        self.asked = []

    async def chat(self, messages, **options):
        self.asked.append(("\n".join(message.content for message in messages), options))
        return Answer(self.text, "stop", "m", LlmUsage(), False, "")


async def test_a_judgement_carries_the_model_that_gave_it():
    client = Client(json.dumps({"reason": "adds", "suitable": False, "difficulty": "Hard"}))
    opinion = await LlmAdvisor(client, "m").judge("def f(x): return x", "SC")
    assert (opinion.suitable, opinion.reason, opinion.difficulty) == (False, "adds", "Hard")
    ((question, options),) = client.asked
    assert "def f(x): return x" in question and "five languages" in question
    assert (options["purpose"], options["model"]) == ("pbt_generator.suitability", "m")


async def test_words_are_taken_as_they_are():
    words = "Return the sum of both numbers, and nothing where one of them is missing."
    client = Client(json.dumps({"instruction": words}))
    wording = await LlmAdvisor(client, "m").word("adds two numbers", "WSC")
    assert wording.text == words
    assert client.asked[0][1]["purpose"] == "pbt_generator.wording"


@pytest.mark.parametrize("text", ["no JSON", "{}", '{"suitable": "perhaps", "reason": "", "difficulty": "Odd"}'])
async def test_what_does_not_fit_the_form_is_no_answer(text):
    client = Client(text)
    advisor = LlmAdvisor(client, "m")
    assert await advisor.judge("def f(x): return x", "SC") is None
    assert await advisor.word("adds two numbers", "SC") is None
    # Each was asked once more with the error.
    assert len(client.asked) == 4


async def test_a_model_is_asked_for_inputs_as_data():
    answer = {"inputs": ['["a"]'], "patterns": [{"parameter": "code", "pattern": "a+"}]}
    client = Client(json.dumps(answer))
    proposal = await LlmAdvisor(client, "m").propose("def lock(code): ...", "SC", ["code"], ["`if x:` true"])
    assert proposal == Proposal(('["a"]',), (("code", "a+"),), proposal.model if proposal else "")
    ((question, _),) = client.asked
    assert "def lock(code)" in question and "`if x:` true" in question and '{"$": "tuple"' in question


async def test_inputs_of_another_form_are_no_proposal():
    client = Client('{"inputs": "all"}')
    assert await LlmAdvisor(client, "m").propose("def lock(code): ...", "SC", ["code"], ["it"]) is None


async def test_a_model_is_asked_for_wrong_programs():
    one = {"words": "w", "code": "def f(x): return 0", "inputs": ["[1]"]}
    client = Client(json.dumps({"mistakes": [one] * (MAX_MISTAKES + 3), "inputs": ["[2]"]}))
    made = await LlmAdvisor(client, "m").mistakes("def f(x): return x", "SC", "f", ["x"], ["[7]"])
    assert made is not None and made.model and made.inputs == ("[2]",)
    assert made.mistakes == (Mistake("w", "def f(x): return 0", ("[1]",)),) * MAX_MISTAKES
    ((question, _),) = client.asked
    assert "def f(x): return x" in question and "five languages" in question
    assert "returned:\n[7]" in question


@pytest.mark.parametrize("text", ["no JSON", '{"mistakes": "all"}', '{"mistakes": [{"words": "w"}]}'])
async def test_wrong_programs_of_another_form_are_none(text):
    client = Client(text)
    assert await LlmAdvisor(client, "m").mistakes("def f(x): return x", "SC", "f", ["x"], []) is None
