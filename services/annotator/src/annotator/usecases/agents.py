"""The agents: each asks one question, and says what it made of the answer.

An answer without the asked form is recorded as nonsense and never replaced by an invented one.
"""

from __future__ import annotations

import json
from typing import Any

from annotator.domain.method import Method
from annotator.domain.pair import Pair
from annotator.domain.program import DataTest, ProgramTest, holds_assertion, program_of
from annotator.domain.record import Label, Record, Step, StepName
from annotator.domain.subject import Subject
from annotator.domain.text import clipped, fenced
from annotator.domain.wordless import Wordless, without_words
from annotator.ports import Asked, LanguageModel
from annotator.usecases import evidence
from annotator.usecases.cases import accept
from annotator.usecases.forms import (
    Decision,
    Interpretations,
    ProposedCases,
    ProposedProgram,
    Screening,
    revealed,
)

NONSENSE = "nonsense"
VERDICTS: dict[str, Label] = {"match": 1, "no_match": 0}
_OWN_CHOICE = "the one that you find likeliest"

# How a test program of each language tells a failed assertion from any other failure.
STYLE = {
    "python": 'Use plain assert statements at top level, such as "assert f([2, 1]) == [1, 2]".',
    "php": "Throw an AssertionError where an assertion does not hold.",
    "javascript": "Load node:assert in the setup with require and use it.",
    "typescript": "Load node:assert in the setup with import and use it.",
    "java": "The tests are static members of one class that also holds the code: write a main method that throws "
    "AssertionError where an assertion does not hold.",
    "go": 'The setup holds "package main" and the imports; the tests are func main, which calls '
    'panic("assertion failed: ...") where an assertion does not hold.',
}


class Agents:
    """The agents that share one model.

    Args:
        model: Answers.
        method: How much is shown to it.
    """

    def __init__(self, model: LanguageModel, method: Method) -> None:
        self._model = model
        self._method = method

    async def decide_alone(self, pair: Pair) -> tuple[Label | None, Step]:
        """One model, one look: the baseline."""
        asked = await self._model.ask("single_v1", Decision, max_tokens=200, **self._shown(pair))
        return _decision(asked), _step("single", asked, _decided(asked))

    async def screen(self, pair: Pair) -> Step:
        """Settle what reading alone can settle; nonsense leaves the pair unclear."""
        asked = await self._model.ask("screener_v1", Screening, max_tokens=200, **self._shown(pair))
        outcome = asked.value.verdict if asked.value else "unclear"
        detail = asked.value.reason if asked.value else f"{NONSENSE}: {asked.problem}"
        return _step("screener", asked, (outcome, detail))

    async def interpret(self, pair: Pair, count: int) -> tuple[tuple[str, ...], Step]:
        """Readings of the query, at most `count`; none where the model had nothing to say."""
        asked = await self._model.ask(
            "interpretations_v1",
            Interpretations,
            max_tokens=300,
            query=pair.query,
            language=pair.language,
            count=str(count),
        )
        found = asked.value.interpretations if asked.value else []
        readings = tuple(dict.fromkeys(text.strip() for text in found if text.strip()))[:count]
        outcome = (f"{len(readings)} found", "; ".join(readings)) if readings else (NONSENSE, asked.problem)
        return readings, _step("interpretations", asked, outcome)

    async def propose_cases(
        self, pair: Pair, subject: Subject, shown: Wordless, reading: str, index: int
    ) -> tuple[DataTest | None, Step]:
        """Cases as data, from the query; None where there is none that can be used.

        The code is shown without words, so that its author has no say in what is expected of it.
        """
        asked = await self._model.ask(
            "cases_v1",
            ProposedCases,
            max_tokens=600,
            interpretation=reading or _OWN_CHOICE,
            signature=shown.cut(subject.signature),
            undefined=", ".join(map(shown.rename, subject.undefined)) or "none",
            **self._shown(without_words(pair, shown)),
        )
        if asked.value is None:
            return None, _step("test_program", asked, (NONSENSE, asked.problem), index)
        cases, dropped = accept(revealed(asked.value.cases, shown))
        notes = "; ".join(dropped)
        if not cases:
            return None, _step("test_program", asked, ("no cases", notes), index)
        test = DataTest(reading or shown.reveal(asked.value.interpretation), shown.reveal(asked.value.setup), cases)
        detail = "; ".join(part for part in (test.interpretation, notes) if part)
        return test, _step("test_program", asked, (f"{len(cases)} cases", detail), index, test)

    async def propose_program(
        self, pair: Pair, subject: Subject, shown: Wordless, reading: str, index: int
    ) -> tuple[ProgramTest | None, Step]:
        """A program with assertions on what the query asks for; None where the model wrote none.

        The code is shown without words here, too.
        """
        asked = await self._model.ask(
            "program_v1",
            ProposedProgram,
            max_tokens=800,
            interpretation=reading or _OWN_CHOICE,
            undefined=", ".join(map(shown.rename, subject.undefined)) or "none",
            remark=shown.hide(subject.obstacle) or "none",
            style=STYLE[pair.language],
            **self._shown(without_words(pair, shown)),
        )
        if asked.value is None:
            return None, _step("test_program", asked, (NONSENSE, asked.problem), index)
        told = asked.value
        test = ProgramTest(
            reading or shown.reveal(told.interpretation), shown.reveal(told.setup), shown.reveal(told.tests)
        )
        if not holds_assertion(test, pair.language):
            return None, _step("test_program", asked, (NONSENSE, "the tests hold no assertion"), index)
        return test, _step("test_program", asked, ("program", test.interpretation), index, test)

    async def verdict(self, pair: Pair) -> tuple[Label | None, Step]:
        """What the screener settles, as a label; None where it finds the pair unclear."""
        step = await self.screen(pair)
        return VERDICTS.get(step.outcome), step

    async def arbitrate(
        self, pair: Pair, screening: str = evidence.NOTHING, tests: str = evidence.NO_TEST
    ) -> tuple[Label | None, Step]:
        """The final word on an unclear pair.

        Args:
            pair: Its code as it is to be shown.
            screening: What the screener said.
            tests: What was tested, and what that showed.
        """
        asked = await self._model.ask(
            "arbiter_v1",
            Decision,
            max_tokens=200,
            screening=screening,
            evidence=tests,
            **self._shown(pair),
        )
        return _decision(asked), _step("arbiter", asked, _decided(asked))

    async def check(self, record: Record) -> tuple[Label | None, Step]:
        """Audit a finished record; the checker's label is its own."""
        asked = await self._model.ask(
            "checker_v1",
            Decision,
            max_tokens=200,
            record=evidence.whole(record, self._method.report_chars),
            label=str(record.label),
            **self._shown(record.pair),
        )
        label = _decision(asked)
        if label is None:
            return None, _step("checker", asked, (NONSENSE, asked.problem))
        return label, _step("checker", asked, ("agrees" if label == record.label else "disagrees", _reason(asked)))

    def _shown(self, pair: Pair) -> dict[str, str]:
        return {
            "query": pair.query,
            "language": pair.language,
            "code": fenced(clipped(pair.code, self._method.code_chars), pair.language),
        }


def whole_program(subject: Subject, test: DataTest | ProgramTest) -> str:
    """A test as one program, for a reader who shall imagine its run."""
    if isinstance(test, ProgramTest):
        return program_of(subject, test)
    lines: list[str] = []
    for case in test.cases:
        arguments: object = json.loads(case.arguments)
        call = f"{subject.entry_point}({'**' if isinstance(arguments, dict) else '*'}{arguments!r})"
        match case.kind:
            case "value":
                lines.append(f"assert {call} == {json.loads(case.expected)!r}")
            case "check":
                lines.append(f"args, result = {arguments!r}, {call}\nassert {case.expected}")
            case "raises":
                lines.append(f"# must raise {case.expected}\n{call}")
    return program_of(subject, ProgramTest(test.interpretation, test.setup, "\n".join(lines)))


def _step(
    name: StepName,
    asked: Asked[Any],
    outcome: tuple[str, str],
    interpretation: int = 0,
    test: DataTest | ProgramTest | None = None,
) -> Step:
    return Step(name, outcome[0], outcome[1], interpretation, asked.prompt, asked.exchanges, test)


def _decision(asked: Asked[Decision]) -> Label | None:
    return asked.value.label if asked.value else None


def _reason(asked: Asked[Decision]) -> str:
    return asked.value.reason if asked.value else asked.problem


def _decided(asked: Asked[Decision]) -> tuple[str, str]:
    return (str(asked.value.label) if asked.value else NONSENSE, _reason(asked))
