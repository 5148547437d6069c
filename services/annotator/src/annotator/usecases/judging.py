"""Algorithm 1: from a pair to a finished record.

Source: CoSQA+, Algorithm 1. The screener settles what reading can settle; what is unclear is tested, and
the arbiter decides. Each part can be left out (see `domain/method.py`).
"""

from __future__ import annotations

from dataclasses import replace

from annotator.domain.method import Method
from annotator.domain.pair import LANGUAGES, Pair
from annotator.domain.record import DecidedBy, Label, Record, Step, method_id
from annotator.domain.subject import examine
from annotator.errors import BadPairError
from annotator.ports import LanguageModel, Sandbox
from annotator.usecases.agents import Agents
from annotator.usecases.testing import Tester

_UNDECIDED = "no agent gave a usable judgement; counted as no match"


class Judge:
    """Judges pairs by one method.

    Args:
        model: Every agent's model.
        sandbox: Runs tests.
        method: Which agents take part.
    """

    def __init__(self, model: LanguageModel, sandbox: Sandbox, method: Method) -> None:
        self._model = model
        self._method = method
        self._agents = Agents(model, method)
        self._tester = Tester(model, sandbox, method)

    def method_id(self) -> str:
        """Names this method together with its model and prompts.

        Raises:
            NoModelError: no model is configured.
        """
        return method_id(self._method, self._model.signature())

    async def judge(self, pair: Pair) -> Record:
        """Label one pair.

        Raises:
            BadPairError: there is nothing to judge.
            RetryableError: model or sandbox are away.
        """
        _require_judgeable(pair)
        steps, label, reason, decided_by = await self._decide(pair)
        record = Record(pair, self._method, self.method_id(), steps, label, reason, decided_by)
        if not self._method.checker:
            return record
        audit, step = await self._agents.check(record)
        return replace(record, steps=(*steps, step), audit=audit)

    async def _decide(self, pair: Pair) -> tuple[tuple[Step, ...], Label, str, DecidedBy]:
        if not self._method.screener:
            label, step = await self._agents.decide_alone(pair)
            return ((step,), *_given(label, step.detail, "single"))
        screening = await self._agents.screen(pair)
        if screening.outcome == "match" and self._method.trusted == "all":
            return (screening,), 1, screening.detail, "screener"
        if screening.outcome == "no_match" and self._method.trusted != "none":
            return (screening,), 0, screening.detail, "screener"
        subject = examine(pair)
        steps = [screening]
        if self._method.generator:
            readings, found = await self._readings(pair)
            steps.extend(found)
            for index, reading in enumerate(readings, 1):
                steps.extend(await self._tester.test(pair, subject, reading, index))
        label, step = await self._agents.arbitrate(pair, subject, steps)
        return ((*steps, step), *_given(label, step.detail, "arbiter"))

    async def _readings(self, pair: Pair) -> tuple[tuple[str, ...], tuple[Step, ...]]:
        """The readings to test; an empty one leaves the choice to the generator."""
        if self._method.interpretations < 2:
            return ("",), ()
        readings, step = await self._agents.interpret(pair, self._method.interpretations)
        return readings or ("",), (step,)


def _given(label: Label | None, reason: str, by: DecidedBy) -> tuple[Label, str, DecidedBy]:
    return (0, _UNDECIDED, "default") if label is None else (label, reason, by)


def _require_judgeable(pair: Pair) -> None:
    for name, text in (("query", pair.query), ("code", pair.code)):
        if not text.strip():
            raise BadPairError(f"the {name} is empty", thing=pair.pair_id, way_out=f"give a {name}")
    if pair.language not in LANGUAGES:
        raise BadPairError(
            f"no tests are written in {pair.language!r}",
            thing=pair.pair_id,
            way_out=f"name one of {', '.join(LANGUAGES)}",
        )
