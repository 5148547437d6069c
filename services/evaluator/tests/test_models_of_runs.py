"""What is known of a model is part of the run that asks it."""

from dataclasses import replace

from evaluator.domain.tasks import Effort
from evaluator.ports import Said
from touchstone_runtime.extraction import READING
from touchstone_runtime.llm import Catalogue

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
