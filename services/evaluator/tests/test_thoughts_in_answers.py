"""A mark of thoughts that stands in a text of the answer ends no thought, whatever was asked for."""

import pytest
from pydantic import BaseModel

from evaluator.domain.exercises import completed, predicted
from evaluator.domain.tasks import Effort
from evaluator.ports import Said
from touchstone_runtime.llm.structured import parse_json

BEGINNING = "def tail(x):\n    if x:\n"
REST = "        return x.split('</think>')[-1]\n    return x\n"


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "```python\n{}```",
        "<think>Hm.</think>\n{}",
        "Hm.\n</think>\n\n{}",
        "So: ```python\n{}```",
        "[THINK]Hm.[/THINK]\n{}</s>",
    ],
)
def test_the_rest_of_a_function_is_taken_whole(form):
    program = completed(BEGINNING, form.format(REST), "tail")
    assert program == BEGINNING + REST
    plain = REST.replace("</think>", "a")
    assert completed(BEGINNING, form.format(plain), "tail") == BEGINNING + plain


def test_a_draft_of_a_rest_is_not_the_answer():
    said = (
        "```python\n        return 0\n    return 0\n```\nNo.\n</think>\n```python\n        return 1\n    return x\n```"
    )
    assert completed(BEGINNING, said, "tail") == f"{BEGINNING}        return 1\n    return x\n"


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ('It cuts there.\n```json\n"a</think>b"\n```', '"a</think>b"'),
        ('"<think>a</think>b"', '"<think>a</think>b"'),
        ("```json\n1\n```\nNo.</think>\n```json\n2\n```", "2"),
        ("Sure.\n<think>\n```json\n1\n```\n</think>2", "2"),
        ("<think>1</think>Here it is: ```json\n[2]\n```", "[2]"),
        ("[2]\n```", "[2]"),
        ("Okay.\n<think>\n1", None),
        ("[THINK]```json\n1\n```[/THINK]```json\n2\n```<|im_end|>", "2"),
        ("<thinking>1</thinking>\n2<|endoftext|>", "2"),
    ],
)
def test_a_value_is_taken_whole(said, value):
    assert predicted(said) == value


class Form(BaseModel):
    value: str


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ('{"value": "a</think>b"}', "a</think>b"),
        ('{"value": "draft"} No.</think>{"value": "b"}', "b"),
        ('Well.\n<think>{"value": "draft"}</think>{"value": "b"}', "b"),
    ],
)
def test_a_form_is_taken_whole(said, value):
    assert parse_json(said, Form).value == value


@pytest.mark.parametrize("before", ["", "</think>"])
def test_a_form_that_is_nested_too_deeply_is_a_bad_answer(before):
    with pytest.raises(ValueError, match=r"JSON|value"):
        parse_json(before + '{"value": ' + "[" * 1000 + "]" * 1000 + "}", Form)


async def test_what_is_asked_is_read_as_what_is_submitted(house):
    whole = "def f1(x):\n    return f'{x}</think>'\n"
    draft = "```python\ndef f1(x):\n    return 0\n```\n"
    for said in (f"```python\n{whole}```", whole, f"{draft}No.\n</think>\n{whole}"):
        made = house(answer=lambda _, said=said: Said(said, Effort()))
        await made.tasks(1)
        run = await made.start()
        assert (await made.solve(run, run.attempts[0].task.task_id)).solution.code == whole
