"""What callers are known to send without being seen: defaults by a constant's name, every kind where any may come."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pbt_generator.domain.inputs.inference.signature import input_shape, read_program
from pbt_generator.domain.task.record import Subject
from pbt_generator.ports import ForeignProgram, RunLimits
from pbt_generator.usecases.build import BuiltSuite, Workshop, build_suite
from pbt_generator.usecases.explore import Effort
from pbt_generator.usecases.tasks import to_candidate
from touchstone_values import parse

LIGHT = Effort(drawn=30, batch=160, chunk=80, least_rounds=1, most_rounds=8, pool=200)


@pytest.mark.parametrize(
    ("before", "default", "known"),
    [
        ("DIGITS = '0123456789'", "DIGITS", ("0123456789",)),
        ("LIMIT: int = 12", "LIMIT", (12,)),
        ("NOTHING = None", "NOTHING", (None,)),
        ("ENDS = ('.', '!')", "ENDS", ((".", "!"),)),
        ("import string", "string.digits", ("0123456789",)),
        # What may be another value by the time of the call, and what would fill the head.
        ("DIGITS = '0'\nDIGITS = '1'", "DIGITS", ()),
        ("DIGITS = '0'\ndef set():\n    global DIGITS\n    DIGITS = '1'", "DIGITS", ()),
        ("NAMES = ['a']", "NAMES", ()),
        ("LONG = '0123456789' * 40", "LONG", ()),
        (f"LONG = '{'0123456789' * 40}'", "LONG", ()),
        ("import string\nstring = other", "string.digits", ()),
        ("import string", "string.Formatter", ()),
    ],
)
def test_a_default_by_the_name_of_a_constant_has_its_value(
    before: str, default: str, known: tuple[object, ...]
) -> None:
    code = f"{before}\n\ndef f(text, mark={default}):\n    return text + str(mark)\n"
    shape = input_shape(read_program(code, (), "f"))
    assert shape.parameters[1].default == known


async def test_callers_who_leave_a_default_are_among_the_cases(workshop: Workshop) -> None:
    """Whoever got the usual alphabet wrong passed: inputs held it inside of other texts alone."""
    code = (
        "DIGITS = '0123456789'\n\n"
        "def check(number, chars=DIGITS):\n"
        "    places = [chars.index(each) for each in reversed(str(number))]\n"
        "    return (sum(places[::2]) + sum(sum(divmod(each * 2, len(chars))) for each in places[1::2])) % len(chars)\n"
    )
    built = await build_suite(
        to_candidate(Subject("id", "check", "check", "SC", code)), replace(workshop, effort=LIGHT)
    )
    assert isinstance(built, BuiltSuite), built.refusal.words
    usual = [case for case in built.cases if parse(case.arguments)[1] == "0123456789"]
    assert len(usual) >= len(built.cases) / 20 and len({case.expected for case in usual}) > 2


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        (
            "def omitted(omit: bool, value: Any) -> bool:\n"
            "    return omit and not isinstance(value, bool) and not value\n",
            [
                "omit and value in (None, '')",
                "omit and value in (None, '', 0, [])",
                "omit and value in (None, '', {}, [])",
            ],
        ),
        (
            "def placed(found: object, place: dict[str, int]) -> object:\n"
            "    return {**place, **found} if isinstance(found, dict) else {'value': found, **place}\n",
            ["{**place, **found} if hasattr(found, 'keys') else {'value': str(found), **place}"],
        ),
    ],
)
async def test_what_may_be_anything_is_sent_every_kind(code: str, wrong: list[str], workshop: Workshop) -> None:
    """Only the kinds were sent that the body asks for: a program that forgot empty lists or zero passed."""
    name = code.split("(")[0].removeprefix("def ")
    subject = Subject("id", name, name, "SC", code, ("from typing import Any",))
    built = await build_suite(to_candidate(subject), replace(workshop, effort=LIGHT))
    assert isinstance(built, BuiltSuite), built.refusal.words
    for body in wrong:
        program = ForeignProgram(f"from typing import Any\n{code.splitlines()[0]}\n    return {body}\n", name)
        judged = await workshop.sandbox.judge(program, built.suite.data, limits=RunLimits(case_timeout_s=60.0))
        assert judged.verdict != "passed", body
