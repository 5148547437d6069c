"""Wrong programs that a model makes up: run like any foreign code, and counted for what they do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

import pytest

from pbt_generator.domain.advice import MadeUp, Mistake
from pbt_generator.domain.oracle.certificate import MadeUpProgram, Mistakes
from pbt_generator.ports import ForeignProgram, RunLimits
from pbt_generator.usecases.build import BuiltSuite, Candidate, Workshop, build_suite

LINES = '''
def count_lines(text: str, blank: bool = True) -> int:
    """How many lines a text has, with or without those that are blank."""
    found = text.splitlines()
    if not blank:
        found = [line for line in found if line.strip()]
    return len(found)
'''.strip()

FEEDS = LINES.replace("text.splitlines()", r"text.replace('\x1d', ' ').splitlines()")
GROUP = "left\x1dright"


class Maker:
    """Makes up the same for every function, and remembers what it was asked."""

    def __init__(self, *mistakes: Mistake, inputs: Sequence[str] = ()) -> None:
        self.made = MadeUp(mistakes, tuple(inputs), "m")
        self.asked: list[Any] = []

    async def mistakes(self, *asked: Any) -> MadeUp | None:
        self.asked.append(asked)
        return self.made if len(self.asked) == 1 else None


async def built_with(workshop: Workshop, maker: Any) -> BuiltSuite:
    candidate = Candidate("id-lines", "count_lines", "count_lines", LINES, (), "SC")
    built = await build_suite(candidate, replace(workshop, proposer=maker))
    assert isinstance(built, BuiltSuite), built.refusal.words
    return built


async def test_a_suite_tells_a_wrong_program_apart_that_a_model_made_up(workshop: Workshop) -> None:
    alone = await built_with(workshop, None)
    assert alone.certificate.mistakes == Mistakes()
    maker = Maker(Mistake("a separator of groups ends no line", FEEDS, (json.dumps([GROUP, True]),)))
    built = await built_with(workshop, maker)
    assert [(kind, entry, list(names), known) for _, kind, entry, names, _, known in maker.asked] == [
        ("SC", "count_lines", ["text", "blank"], []),
        ("SC", "count_lines", ["text", "blank"], ["a separator of groups ends no line"]),
    ]
    assert json.dumps([GROUP, True], ensure_ascii=False) in {
        json.dumps(json.loads(case.arguments), ensure_ascii=False) for case in built.cases
    }
    assert built.certificate.mistakes == Mistakes(
        "m", (MadeUpProgram("a separator of groups ends no line", FEEDS, told_apart=True),)
    )
    wrong = ForeignProgram(FEEDS, "count_lines")
    judged = await workshop.sandbox.judge(wrong, built.suite.data, limits=RunLimits(case_timeout_s=5.0))
    assert judged.verdict == "wrong_output"
    # Which cases show it is known to whoever chooses examples.
    assert frozenset(failure.index for failure in judged.failures) in built.told_apart


@pytest.mark.parametrize(
    "code",
    [
        LINES,
        "def count_lines(text, blank=True):\n    return -1\n",
        "def count_lines(text, blank=True):\n    while True: pass\n",
        "this is no program",
        "def another(text, blank=True):\n    return 1\n",
        "import os\nos._exit(0)\n",
    ],
)
async def test_a_program_that_is_right_or_never_right_counts_for_nothing(workshop: Workshop, code: str) -> None:
    """The first has nothing wrong; the others are told apart by any case, which would flatter a suite."""
    maker = Maker(Mistake("it says so", code, (json.dumps([GROUP, True]),)))
    built = await built_with(workshop, maker)
    assert built.certificate.mistakes == Mistakes("m")


async def test_a_wrong_program_counts_once_however_often_it_is_handed_in(workshop: Workshop) -> None:
    """The certificate said sixteen where a model had repeated itself, in other words or with other names."""
    codes = [FEEDS, FEEDS, FEEDS.replace("found", "lines"), FEEDS + "\n# Another one.\n"]
    tabs = LINES.replace("line.strip()", "line.strip(' ')")
    mistakes = [Mistake(f"{n}th", code, (json.dumps([GROUP, True]),)) for n, code in enumerate(codes)]
    maker = Maker(*mistakes, Mistake("a tab is no blank", tabs, ('["a\\n\\t", false]',)))
    built = await built_with(workshop, maker)
    assert [each.code for each in built.certificate.mistakes.programs] == [FEEDS, tabs]


async def test_inputs_that_a_function_cannot_be_given_are_passed_over(workshop: Workshop) -> None:
    inputs = ["no JSON", "[]", "[1, 2, 3]", '[{"$": "made up"}, true]', '["\\ud800", true]', '["a\\nb", true]']
    built = await built_with(workshop, Maker(inputs=inputs))
    assert [case.arguments for case in built.cases].count('["a\\nb",true]') == 1
    assert built.certificate.mistakes == Mistakes("m")


LISTS = '''
def list_kind(style: str) -> str:
    """Which list a style asks for."""
    if style in ("disc", "circle", "square", "none"):
        return "ul"
    return "ol"
'''.strip()


async def test_an_input_that_shows_a_wrong_program_has_room_where_few_results_exist(workshop: Workshop) -> None:
    """Two results share the room, and inputs that nobody needs had taken it."""
    styles = ["inherit", "armenian", "georgian", "hebrew", "hiragana", "katakana", "lower-greek", "upper-roman"]
    mistakes = [
        Mistake(f"{style} counts nothing", LISTS.replace('"none")', f'"none", "{style}")'), (json.dumps([style]),))
        for style in styles
    ]
    candidate = Candidate("id-kind", "list_kind", "list_kind", LISTS, (), "SC")
    built = await build_suite(candidate, replace(workshop, proposer=cast("Any", Maker(*mistakes))))
    assert isinstance(built, BuiltSuite), built.refusal.words
    assert built.certificate.mistakes.told_apart == len(built.certificate.mistakes.programs) == len(styles)
    assert {json.dumps([style]) for style in styles} <= {case.arguments for case in built.cases}


TOTAL = '''
import collections

def total(parts: dict) -> int:
    """How many of all parts there are; what is no number counts for one."""
    found = collections.Counter()
    for name, many in parts.items():
        found[name] += many if isinstance(many, int) else 1
    return sum(found.values())
'''.strip()


async def test_values_of_another_kind_may_show_a_wrong_program_in_python(workshop: Workshop) -> None:
    wrong = TOTAL.replace("isinstance(many, int)", "type(many) is int")
    mistake = Mistake("truth values count for one", wrong, ('[{"a": false, "b": 2}]',))
    candidate = Candidate("id-total", "total", "total", TOTAL.partition("\n\n")[2], ("import collections",), "WSC")
    built = await build_suite(candidate, replace(workshop, proposer=cast("Any", Maker(mistake))))
    assert isinstance(built, BuiltSuite), built.refusal.words
    assert built.certificate.mistakes.told_apart == 1
