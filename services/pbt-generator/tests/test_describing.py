"""Words of a model are taken where they give nothing away, suffice, and become a program again that passes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pbt_generator.adapters.advisor import LlmAdvisor
from pbt_generator.domain.task.record import BuiltTask, Subject
from pbt_generator.usecases.build import BuiltSuite, Workshop, build_suite
from pbt_generator.usecases.describing import TRIES, Posed, misled
from pbt_generator.usecases.explore import Effort
from pbt_generator.usecases.tasks import TaskBuilder, to_candidate
from touchstone_runtime.llm import Answer, LlmUsage

LIGHT = Effort(drawn=30, batch=160, chunk=80, least_rounds=1, most_rounds=8, pool=200)
CODE = (
    "def shelf_mark(name: str, width: int) -> str:\n"
    "    shortened_name = name[:width]\n"
    "    return shortened_name + '*' if len(name) > width else name.upper()\n"
)
RIGHT = CODE.replace("shortened_name", "cut")
WRONG = CODE.replace(".upper()", "")
WORDS = {
    "text": "Gives a name that is longer than the width as its beginning of that many characters with a star `*` "
    "behind it; any other name comes back in upper case. A width below zero counts from the end of the name.",
    "parameters": [{"name": "name", "words": "The name to be marked."}, {"name": "width", "words": "How much stays."}],
    "result": "The marked name, always a text.",
}  # fmt: skip
DOCSTRING = (
    "Give a name that is longer than the width as its beginning with a star `*` behind it, and any other name in upper "
    "case. A width below zero counts from the end of the name."
)


class Scripted:
    """A model that answers each purpose with one text, or with several in turn, the last one for ever."""

    def __init__(self, **answers: Any) -> None:
        self.answers = answers
        self.asked: dict[str, str] = {}
        self.described: list[str] = []

    async def chat(self, messages: Any, **options: Any) -> Answer:
        purpose = options["purpose"].removeprefix("pbt_generator.")
        self.asked[purpose] = "\n".join(message.content for message in messages)
        if purpose == "description":
            self.described.append(self.asked[purpose])
        answer = self.answers.get(purpose, {})
        if isinstance(answer, list):
            answer = answer.pop(0) if len(answer) > 1 else answer[0]
        return Answer(json.dumps(answer), "stop", "m", LlmUsage(), False, "")


@pytest.fixture(scope="module")
def suites() -> dict[str, BuiltSuite]:
    """Built once."""
    return {}


async def told(
    workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite], model: Scripted | None, docstring: str = ""
) -> tuple[BuiltTask, dict[str, Any]]:
    subject = Subject("id", "shelf_mark", "shelf_mark", "SC", CODE, docstring=docstring, complexity=2)
    if "suite" not in suites:
        built = await build_suite(to_candidate(subject), replace(workshop, effort=LIGHT))
        assert isinstance(built, BuiltSuite), built.refusal.words
        suites["suite"] = built
    advisor = LlmAdvisor(model, "m") if model else None  # pyright: ignore[reportArgumentType]
    task = await TaskBuilder(workshop, blobs, advisor).finish(subject, suites["suite"])
    return task, json.loads(await blobs.get(task.certificate_digest))


async def test_words_that_pass_describe_a_task_and_the_certificate_says_whose_they_are(
    workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite]
) -> None:
    plain, before = await told(workshop, blobs, suites, None)
    assert plain.track == "by_example" and "words" not in before
    model = Scripted(description=WORDS, writing_back={"code": RIGHT})
    task, certificate = await told(workshop, blobs, suites, model)
    assert (task.track, task.gaps) == ("described", ())
    assert (
        "any other name comes back in upper case" in task.instruction and "The name to be marked." in task.instruction
    )
    assert certificate["words"] == {"by": "m", "written_back": task.cases}
    # The describing model sees the code; the writing one neither code nor cases.
    assert "shortened_name" in model.asked["description"]
    assert (
        "shortened_name" not in model.asked["writing_back"] and "Examples, as JSON" not in model.asked["writing_back"]
    )
    assert (
        "Examples, as JSON" in task.instruction
        and "def shelf_mark(name: str, width: int)" in model.asked["writing_back"]
    )


async def test_no_part_of_a_models_description_is_taken_for_markup_or_for_a_page(
    workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite]
) -> None:
    long = "It is worth knowing where such marks come from, and who has used them for what since then. " * 20
    rules = (
        "The rules are these:\n1. Whatever is too long ends in one star.\n"
        "2. `_x` becomes `_x`, `None` stays `None`, and True stays True in a dictionary.\n"
    )
    lists = "Notes:\n    They hold for all of it.\n\nSee also:\n    The table of marks.\n\n.. math:: star = 1"
    text = f"{WORDS['text']}\n\n{long.strip()}\n\n{rules}\n{lists}"
    model = Scripted(description={**WORDS, "text": text}, writing_back={"code": RIGHT})
    task, _ = await told(workshop, blobs, suites, model)
    assert task.track == "described"
    assert text in task.instruction and text in model.asked["writing_back"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (WORDS, WRONG),
        (WORDS, "def shelf_mark(name: str, width: int) -> str:\n    return"),
        (WORDS, "def other(name): return name"),
        (WORDS, ""),
        # A name of the code, too few words, a parameter of which nothing is said, none at all.
        ({**WORDS, "text": WORDS["text"] + " It is the shortened_name then."}, RIGHT),
        ({"text": "Marks it in some way or another."}, RIGHT),
        ({"text": "Gives what there is, marked with a star `*` behind it where it was too long for that."}, RIGHT),
        ({}, RIGHT),
    ],
)
async def test_words_that_fail_a_check_leave_the_task_as_it_is(
    words: dict[str, Any], code: str, workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite]
) -> None:
    plain, _ = await told(workshop, blobs, suites, None)
    task, certificate = await told(workshop, blobs, suites, Scripted(description=words, writing_back={"code": code}))
    assert (task.track, task.gaps, task.instruction) == ("by_example", plain.gaps, plain.instruction)
    assert "words" not in certificate


@pytest.mark.parametrize(
    ("first", "codes", "lacked"),
    [
        ({"text": "Marks it in some way or another."}, [RIGHT], "it does not speak of name, width"),
        ({**WORDS, "text": WORDS["text"] + " It is the shortened_name."}, [RIGHT], "it gives `shortened_name` of the"),
        (WORDS, [WRONG, RIGHT], "a program that was written from it alone is wrong for `["),
    ],
)  # fmt: skip
async def test_a_model_is_asked_again_with_what_its_words_lacked(
    first: dict[str, Any], codes: list[str], lacked: str, workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite]
) -> None:
    model = Scripted(description=[first, WORDS], writing_back=[{"code": code} for code in codes])
    task, _ = await told(workshop, blobs, suites, model)
    assert task.track == "described" and len(model.described) == 2
    assert "An earlier description" not in model.described[0] and lacked in model.described[1]


async def test_a_model_whose_words_never_pass_is_asked_a_few_times(
    workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite]
) -> None:
    model = Scripted(description=WORDS, writing_back={"code": WRONG})
    task, _ = await told(workshop, blobs, suites, model)
    assert task.track == "by_example" and len(model.described) == TRIES


@pytest.mark.parametrize(("code", "taken"), [(RIGHT, True), (WRONG, False)])
async def test_an_author_is_reworded_where_the_new_words_become_a_program_again(
    code: str, taken: bool, workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite]
) -> None:
    own, _ = await told(workshop, blobs, suites, None, DOCSTRING)
    assert own.track == "described", own.gaps
    new = own.instruction.replace("any other name in upper case", "all others in capital letters")
    model = Scripted(wording={"instruction": new}, writing_back={"code": code})
    task, certificate = await told(workshop, blobs, suites, model, DOCSTRING)
    assert task.track == "described" and "description" not in model.asked
    assert task.instruction == (new if taken else own.instruction)
    assert ("words" in certificate) == taken


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda own: own.replace("`width`", "`size`"),
        lambda own: own.replace("a star `*`", "a sign"),
        lambda own: own.replace("a star `*`", "a star `*` or `+`"),
        lambda own: own.replace("`name`: a text", "`name`: a list of integers"),
        lambda own: own.replace("Result: a text", "Result: a map"),
        lambda own: own.replace("Give a name", "Give 20 characters of a name"),
        lambda own: own.replace("A width below", "For \"x\" it is 'wrong'. A width below"),
        lambda own: "Write `shelf_mark` for `name` (a text) and `width` (an integer), by `*`: a text.",
    ],
)
async def test_a_rewording_that_loses_a_fact_or_makes_one_up_is_not_taken(
    spoilt: Any, workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite]
) -> None:
    """A program that passes was written from it all the same: what is wrong misled whoever has no other program."""
    own, _ = await told(workshop, blobs, suites, None, DOCSTRING)
    model = Scripted(wording={"instruction": spoilt(own.instruction)}, writing_back={"code": RIGHT})
    assert model.answers["wording"]["instruction"] != own.instruction
    task, certificate = await told(workshop, blobs, suites, model, DOCSTRING)
    assert task.instruction == own.instruction and "words" not in certificate


async def test_cases_stand_in_a_rewording_as_they_stood(
    workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite]
) -> None:
    """Under another heading they went to whoever writes the program back, and without any to no solver."""
    own, _ = await told(workshop, blobs, suites, None, DOCSTRING)
    first = next(line for line in own.instruction.splitlines() if " gives `" in line)
    parts = own.instruction.split("\n\n")
    words = "\n\n".join(part for part in parts if not part.startswith("Examples, as JSON"))
    for cases in (f"\n\nFor example, as JSON:\n{first}", '\n\nExamples, as JSON:\n- `["a",1]` gives `"no"`', ""):
        model = Scripted(wording={"instruction": words + cases}, writing_back={"code": RIGHT})
        task, _ = await told(workshop, blobs, suites, model, DOCSTRING)
        assert sorted(task.instruction.split("\n\n")) == sorted(parts)
        assert first not in model.asked["writing_back"] and '`"no"`' not in model.asked["writing_back"]


async def test_what_is_left_out_of_a_docstring_explains_no_value(workshop: Workshop, blobs: Any) -> None:
    """A limit was told nowhere, and its task might be ranked, since a line that nobody reads any more held it."""
    code = "def large(n: int) -> int:\n    return n * 2 if n > 4100 else n\n"
    words = f"Give the double of a number that is large, and any other as it is.\n\n    {code.splitlines()[1].strip()}"
    subject = Subject("id", "large", "large", "SC", code, docstring=words, complexity=2)
    built = await build_suite(to_candidate(subject), replace(workshop, effort=LIGHT))
    assert isinstance(built, BuiltSuite), built.refusal.words
    task = await TaskBuilder(workshop, blobs).finish(subject, built)
    assert "return n * 2" not in task.instruction and "It matters whether `n` is above `4100`." in task.instruction


async def test_a_program_may_begin_with_imports_from_the_future(
    workshop: Workshop, blobs: Any, suites: dict[str, BuiltSuite]
) -> None:
    await told(workshop, blobs, suites, None)
    code = f"from __future__ import annotations\n{RIGHT.replace('width: int', 'width: Later')}"
    advisor = LlmAdvisor(Scripted(writing_back={"code": code}), "m")  # pyright: ignore[reportArgumentType]
    posed = Posed("shelf_mark", "def shelf_mark(name, width)", "import re\n", suites["suite"].suite.data)
    assert await misled(advisor, workshop.sandbox, "Mark.", posed) == ""


async def test_a_program_that_the_sandbox_refuses_is_none(workshop: Workshop, suites: dict[str, BuiltSuite]) -> None:
    advisor = LlmAdvisor(Scripted(writing_back={"code": "not Python ("}), "m")  # pyright: ignore[reportArgumentType]
    posed = Posed("shelf_mark", "def shelf_mark(name, width)", "", suites["suite"].suite.data)
    assert await misled(advisor, workshop.sandbox, "Mark.", posed)


async def test_what_no_database_holds_is_spelt_out_in_an_instruction(workshop: Workshop, blobs: Any) -> None:
    r"""A docstring that says `\0` without a second backslash holds a NUL, and its function was lost."""
    code = 'def until_end(text: str) -> str:\n    at = text.find("\\0")\n    return text[:at] if at >= 0 else text\n'
    words = "Give the part of a text that stands before the first \0 or \ud800 in it, all of a text that holds none."
    subject = Subject("id", "until_end", "until_end", "SC", code, docstring=words, complexity=2)
    built = await build_suite(to_candidate(subject), replace(workshop, effort=LIGHT))
    assert isinstance(built, BuiltSuite), built.refusal.words
    task = await TaskBuilder(workshop, blobs).finish(subject, built)
    assert "before the first \\u0000 or \\ud800 in it" in task.instruction
