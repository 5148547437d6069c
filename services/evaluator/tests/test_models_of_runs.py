"""What is known of a model is part of the run that asks it."""

import json
from dataclasses import replace

import pytest

from evaluator.adapters.models import RuntimeModels
from evaluator.domain.outcomes import Outcome
from evaluator.domain.patience import Patience
from evaluator.domain.tasks import Effort
from evaluator.ports import Said
from evaluator.usecases.direct import Direct
from evaluator.usecases.ending import Patient
from touchstone_runtime.errors import SuspendedError
from touchstone_runtime.extraction import READING
from touchstone_runtime.llm import Catalogue, Endpoint, LlmClient, MemoryLedger, MemoryLlmCache
from touchstone_runtime.llm.wire import read_completion

GOOD = "```python\ndef f1(x: int) -> int:\n    return x + 1\n```"


async def test_another_file_under_the_name_of_a_model_is_another_run(house):
    made = house()
    await made.tasks(1)
    before = await made.start()
    small = made.models.catalogue.resolve("small")
    runs = []
    for digest in ("sha256:" + "0f" * 32, "sha256:" + "0e" * 32):
        made.models.catalogue = Catalogue({"small": replace(small, digest=digest)}, "small")
        runs.append(await made.start())
        assert runs[-1].spec.model_digest == digest
    assert len({before.run_id, *(run.run_id for run in runs)}) == 3


async def test_what_a_model_may_think_is_part_of_the_run_and_what_it_thought_of_the_answer(house, store):
    made = house(answer=lambda _: Said(GOOD, Effort(), thought_tokens=41))
    await made.tasks(1)
    before = await made.start()
    small = made.models.catalogue.resolve("small")
    made.models.catalogue = Catalogue({"small": replace(small, thinking_tokens=500)}, "small")
    run = await made.start()
    assert run.run_id != before.run_id and dict(run.spec.bounds) == {"tokens": 64, "thinking": 500, "reading": READING}
    solved = await made.solve(run, run.attempts[0].task.task_id)
    assert solved.solution.steps[0]["thought_tokens"] == 41


@pytest.mark.parametrize(("named", "noted"), [("small", {}), ("other-7b", {"answered_by": "other-7b"})])
async def test_who_answered_in_place_of_the_model_that_was_asked_is_noted(named, noted, run, task, exercises):
    said = json.dumps({"choices": [{"message": {"content": "hm"}, "finish_reason": "stop"}], "model": named})
    known = {"small": Endpoint("small", "small", "http://127.0.0.1:2/v1")}
    client = LlmClient(Catalogue(known, "small"), Garbled(said), MemoryLlmCache(), MemoryLedger())
    solved = await Direct(RuntimeModels(client), exercises, max_tokens=64).solve(run(), task())
    (step,) = solved.steps
    assert {name: step[name] for name in step if name == "answered_by"} == noted


class Garbled:
    """A transport whose endpoints all say the same."""

    def __init__(self, said):
        self.said = said

    async def complete(self, endpoint, request, turn):
        return read_completion(self.said, endpoint, 1)


@pytest.mark.parametrize("said", ["<html>log in</html>", '{"choices": []}', '{"error": {"message": "quota"}}'])
@pytest.mark.parametrize("endpoint", ["theirs", "small", "small@http://127.0.0.1:2/v1"])
async def test_a_run_ends_whose_own_endpoint_answers_what_is_no_answer(said, endpoint, run, task, exercises):
    known = {
        "small": Endpoint("small", "small", "http://127.0.0.1:1/v1", own=True),
        "theirs": Endpoint("theirs", "theirs", "http://127.0.0.1:2/v1"),
    }
    client = LlmClient(Catalogue(known, "small"), Garbled(said), MemoryLlmCache(), MemoryLedger())
    now = [0.0]
    strategy = Patient(Direct(RuntimeModels(client), exercises, max_tokens=64), Patience(60), lambda: now[0])
    one = run(endpoint=endpoint)
    with pytest.raises(SuspendedError, match="nonsense"):
        await strategy.solve(one, task())
    now[0] = 61.0
    if endpoint == "small":
        # The platform's own is mended by whoever runs the platform, and waited for.
        with pytest.raises(SuspendedError, match="nonsense"):
            await strategy.solve(one, task())
    else:
        assert (await strategy.solve(one, task())).outcome is Outcome.INFRASTRUCTURE
