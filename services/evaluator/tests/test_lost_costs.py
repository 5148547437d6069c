"""What a question was sent for in vain is in the cost of its run, whatever became of it, and is counted once."""

import pytest
from pydantic import BaseModel

from evaluator.adapters.models import RuntimeModels
from evaluator.domain.outcomes import Outcome
from evaluator.domain.patience import MOST_FAULTS, Patience
from evaluator.usecases.direct import Direct
from evaluator.usecases.ending import Patient
from evaluator.usecases.spending import tallied
from touchstone_runtime.errors import RetryableError, SuspendedError
from touchstone_runtime.llm import (
    Catalogue,
    Endpoint,
    EndpointFailedError,
    EndpointNonsenseError,
    EndpointUnavailableError,
    LlmClient,
    MemoryLedger,
    MemoryLlmCache,
    QuestionRefusedError,
    RawAnswer,
)

LOST = (70, 30)


class Plan(BaseModel):
    step: str


class Losing:
    """A transport that sends each question in vain, and ends as it is told to: with a text or a fault."""

    def __init__(self, *ends):
        self.ends = list(ends)

    async def complete(self, endpoint, request, turn):
        try:
            async with turn() as sent:
                sent.open, sent.told = True, LOST
                raise EndpointUnavailableError("no answer in time")
        except EndpointUnavailableError:
            end = self.ends.pop(0) if len(self.ends) > 1 else self.ends[0]
        if isinstance(end, Exception):
            raise end
        async with turn():
            return RawAnswer(end, "stop", 10, 5, seconds=0.5)


@pytest.fixture
def asking():
    """A client that loses 100 tokens each time that it asks, and its strategy."""

    def make(*ends):
        priced = Endpoint("m", "m", "http://127.0.0.1:1/v1", usd_per_mtoken_in=1e6, usd_per_mtoken_out=1e6)
        client = LlmClient(Catalogue({"m": priced}, "m"), Losing(*ends), MemoryLlmCache(), MemoryLedger())
        now = [0.0]
        way = Patient(Direct(RuntimeModels(client), None, max_tokens=64), Patience(60), lambda: now[0])
        return client, way, now

    return make


async def spent(client):
    return (await client.ledger.spent()).cost_usd


CODE = "```python\ndef f1(x):\n    return x\n```"


async def test_what_was_lost_before_an_answer_is_a_part_of_its_cost_also_from_the_cache(asking, run, task):
    client, way, _ = asking(CODE)
    for _ in range(2):
        solved = await way.solve(run(endpoint="m"), task(1))
        assert (solved.effort.tokens_in, solved.effort.tokens_out, solved.effort.calls) == (80, 35, 1)
        assert solved.effort.cost_usd == await spent(client) == 115 and solved.effort.seconds > 0.5


async def test_what_was_lost_while_an_endpoint_was_waited_for_is_counted_once(asking, run, task):
    client, way, now = asking(EndpointUnavailableError("away"), EndpointUnavailableError("away"), CODE)
    for now[0] in (0.0, 20.0):
        with pytest.raises(SuspendedError):
            await way.solve(run(endpoint="m"), task(1))
    assert (await way.solve(run(endpoint="m"), task(1))).effort.cost_usd == await spent(client) == 315


@pytest.mark.parametrize(
    ("fault", "outcome"),
    [
        (EndpointFailedError("broke off"), Outcome.INFRASTRUCTURE),
        (EndpointUnavailableError("away"), Outcome.INFRASTRUCTURE),
        (QuestionRefusedError("its content filter ended the answer"), Outcome.REFUSED),
    ],
)
async def test_an_answer_that_never_came_costs_what_it_was_asked_for(asking, run, task, fault, outcome):
    client, way, now = asking(fault)
    ended = None
    while ended is None:
        try:
            ended = await way.solve(run(endpoint="m"), task(1))
        except (RetryableError, SuspendedError):
            now[0] += 30.0
    assert ended.outcome is outcome and ended.effort.calls == 0
    assert ended.effort.cost_usd == await spent(client) >= 100


async def test_rounds_of_a_form_cost_what_they_lost(asking):
    client, _, _ = asking("no JSON", '{"step": "a"}')
    words = dict.fromkeys(("entry_point", "instruction", "signature", "language", "imports"), "")
    with tallied() as tally:
        filled = await RuntimeModels(client).fill("m", "cocost_plan_v1", Plan, max_tokens=9, **words)
    assert filled.value == Plan(step="a") and filled.effort == tally.effort
    assert filled.effort.cost_usd == await spent(client) == 230


async def test_nonsense_at_one_question_ends_alone_where_its_endpoint_answers_others(asking, run, task):
    nonsense = EndpointNonsenseError("its answer holds no choice")
    nonsense.of_a_model = True
    client, way, _ = asking(nonsense, CODE, nonsense)
    with pytest.raises(SuspendedError):
        await way.solve(run(endpoint="m"), task(1))
    assert (await way.solve(run(endpoint="m"), task(2))).effort.calls == 1
    for _ in range(MOST_FAULTS - 1):
        with pytest.raises(EndpointFailedError):
            await way.solve(run(endpoint="m"), task(1))
    ended = await way.solve(run(endpoint="m"), task(1))
    assert ended.outcome is Outcome.INFRASTRUCTURE and "no choice" in ended.detail
    assert ended.effort.cost_usd == await spent(client) - 115 == 400
