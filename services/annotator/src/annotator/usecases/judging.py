"""Algorithm 1: from a pair to a finished record.

Source: CoSQA+, Algorithm 1. The screener settles what reading can settle; what is unclear is tested, and
the arbiter decides. Each part can be left out (see `domain/method.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from annotator.domain.calibration import Calibration
from annotator.domain.execution import Result
from annotator.domain.method import Method
from annotator.domain.pair import LANGUAGES, Pair
from annotator.domain.record import DecidedBy, Label, Record, Step, evidence_of, lacking, method_id
from annotator.domain.subject import examine
from annotator.domain.text import speaks_to_judge
from annotator.errors import BadPairError
from annotator.ports import LanguageModel, Sandbox, Siblings
from annotator.usecases.agents import Agents
from annotator.usecases.scoring import Scorer
from annotator.usecases.testing import Tester

_AGAINST = "the arbiter says yes, and tests that can fail did"
_ORDERS = "no model's word counts for a text that speaks to its judge"
_UNDECIDED = "no agent gave a usable judgement"

# Steps, label, reason, who decided, and the reading under which the label holds.
_Decision = tuple[tuple[Step, ...], Label | None, str, DecidedBy, str]


class Judge:
    """Judges pairs by one method.

    Args:
        model: Every agent's model.
        sandbox: Runs tests.
        method: Which agents take part.
        siblings: Codes of other pairs, on which a test must not pass.
        calibration: Makes a score of what is known, and decides by its thresholds what tests did not prove.
    """

    def __init__(
        self,
        model: LanguageModel,
        sandbox: Sandbox,
        method: Method,
        siblings: Siblings | None = None,
        calibration: Calibration | None = None,
    ) -> None:
        self._calibration = calibration
        self._scorer = Scorer(model, calibration)
        self._model = model
        self._method = method
        self._agents = Agents(model, method)
        self._tester = Tester(model, sandbox, method, siblings)

    def method_id(self) -> str:
        """Names this method together with its model and prompts.

        Raises:
            NoModelError: no model is configured.
        """
        signature = self._model.signature()
        if self._calibration is not None:
            signature = f"{signature}|{self._calibration.name}"
        return method_id(self._method, signature)

    async def judge(self, pair: Pair) -> Record:
        """Label one pair.

        Raises:
            BadPairError: there is nothing to judge.
            RetryableError: model or sandbox are away.
        """
        require_judgeable(pair)
        steps, label, reason, decided_by, reading = await self._decide(pair)
        score, outcome, more = await self._scorer.score(pair, steps)
        if score is not None and decided_by != "execution":
            before = f"{decided_by} said {_said(label)}, {reason}"
            if speaks_to_judge(f"{pair.query}\n{pair.code}"):
                # The model's word on its own answer listens to the same orders.
                reason = f"scored {score:.3f}, which decides nothing of a text that speaks to its judge; {before}"
            elif barred := _barred(steps, outcome):
                reason = f"scored {score:.3f}, and {barred}; before: {before}"
                label, decided_by, reading = None, "default", ""
            else:
                reason = f"scored {score:.3f}; before: {before}"
                label, decided_by = _as_label(outcome), "score"
        record = Record(
            pair,
            self._method,
            self.method_id(),
            (*steps, *more),
            label,
            reason,
            decided_by,
            reading=reading,
            score=score,
            calibration=self._calibration.name if self._calibration else "",
        )
        if not self._method.checker:
            return record
        audit, step = await self._agents.check(record)
        return replace(record, steps=(*record.steps, step), audit=audit)

    async def _decide(self, pair: Pair) -> _Decision:
        # What gives orders to its judge is not believed on sight.
        orders = speaks_to_judge(f"{pair.query}\n{pair.code}")
        if not self._method.screener:
            label, step = await self._agents.decide_alone(pair)
            if orders:
                return (step,), None, f"{_ORDERS}: {step.detail}", "default", ""
            return ((step,), *_given(label, step.detail, "single"), "")
        screening = await self._agents.screen(pair)
        trusted = "none" if orders else self._method.trusted
        if screening.outcome == "match" and trusted == "all":
            return (screening,), 1, screening.detail, "screener", ""
        if screening.outcome == "no_match" and trusted != "none":
            return (screening,), 0, screening.detail, "screener", ""
        subject = examine(pair)
        steps = [screening]
        if self._method.generator:
            readings, found = await self._readings(pair)
            steps.extend(found)
            for index, reading in enumerate(readings, 1):
                steps.extend(await self._tester.test(pair, subject, reading, index))
        if proven := _shown(steps, "passed", proven=True):
            # Tests that can fail did not, and the code had no hand in the comparison: nothing is left to weigh.
            meanings = _meanings(proven)
            return tuple(steps), 1, f"{proven[0][1]}, meaning: {meanings or 'not stated'}", "execution", meanings
        if module := lacking(steps):
            # Read alone, a code is easily taken for what it would be with the rest of it.
            return tuple(steps), None, f"nothing could be run: the module {module} is missing", "default", ""
        if orders:
            # Whoever read it may have obeyed, so that no word counts; runs obey nobody. A code that made its own test
            # fail has not done what the test asks for.
            failed = _shown(steps, "failed") if evidence_of(steps) == "failed" else []
            if failed:
                return tuple(steps), 0, f"{failed[0][1]}, {_ORDERS}", "execution", _meanings(failed)
            return tuple(steps), None, f"no tests decide, and {_ORDERS}", "default", ""
        label, step = await self._agents.arbitrate(pair, subject, steps)
        if label == 1 and evidence_of(steps) == "failed":
            # Either the tests or the arbiter are wrong, and nobody knows which.
            return (*steps, step), None, f"{_AGAINST}: {step.detail}", "default", ""
        # Under which readings a test that can fail bears the arbiter's word out.
        borne = _shown(steps, "passed" if label else "failed") if label is not None else []
        return ((*steps, step), *_given(label, step.detail, "arbiter"), _meanings(borne))

    async def _readings(self, pair: Pair) -> tuple[tuple[str, ...], tuple[Step, ...]]:
        """The readings to test; an empty one leaves the choice to the generator."""
        if self._method.interpretations < 2:
            return ("",), ()
        readings, step = await self._agents.interpret(pair, self._method.interpretations)
        return readings or ("",), (step,)


def _shown(steps: Sequence[Step], result: Result, *, proven: bool = False) -> list[tuple[str, str]]:
    """The readings under which tests that can fail came to a result, each with its report in a line.

    Args:
        steps: What was done.
        result: "passed" or "failed".
        proven: Only where the code had no hand in the comparison, and no call was left out of it.
    """
    found: list[tuple[str, str]] = []
    for number in sorted({step.interpretation for step in steps if step.interpretation}):
        own = [step for step in steps if step.interpretation == number]
        report = next((step.report for step in reversed(own) if step.report), None)
        test = next((step.test for step in reversed(own) if step.test), None)
        unfounded = proven and (report is None or report.self_reported or report.left_out)
        if report and test and not unfounded and evidence_of(own) == result:
            found.append((test.interpretation, report.detail))
    return found


def _barred(steps: Sequence[Step], outcome: int | None) -> str:
    """Why a score may not decide; empty where it may."""
    if module := lacking(steps):
        return f"nothing could be run: the module {module} is missing"
    return "tests that can fail did" if outcome == 1 and evidence_of(steps) == "failed" else ""


def _meanings(found: Sequence[tuple[str, str]]) -> str:
    return "; ".join(dict.fromkeys(meaning for meaning, _ in found if meaning))


def _as_label(outcome: int | None) -> Label | None:
    return None if outcome is None else (1 if outcome else 0)


def _said(label: Label | None) -> str:
    return "nothing" if label is None else ("yes" if label else "no")


def _given(label: Label | None, reason: str, by: DecidedBy) -> tuple[Label | None, str, DecidedBy]:
    return (None, _UNDECIDED, "default") if label is None else (label, reason, by)


def require_judgeable(pair: Pair) -> None:
    """Refuse what nobody can judge.

    Raises:
        BadPairError: there is no query or no code, or the language is none of ours.
    """
    for name, text in (("query", pair.query), ("code", pair.code)):
        if not text.strip():
            raise BadPairError(f"the {name} is empty", thing=pair.pair_id, way_out=f"give a {name}")
    if pair.language not in LANGUAGES:
        raise BadPairError(
            f"no tests are written in {pair.language!r}",
            thing=pair.pair_id,
            way_out=f"name one of {', '.join(LANGUAGES)}",
        )
