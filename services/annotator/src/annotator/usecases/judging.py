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
from annotator.domain.pair import LANGUAGES, LONGEST_CODE, LONGEST_QUERY, Pair
from annotator.domain.record import (
    DecidedBy,
    Label,
    Record,
    Step,
    echoed,
    entire,
    evidence_of,
    lacking,
    method_id,
    unswayed,
)
from annotator.domain.subject import Subject, examine
from annotator.domain.text import speaks_to_judge
from annotator.errors import BadPairError
from annotator.ports import LanguageModel, Sandbox, Siblings
from annotator.usecases import evidence
from annotator.usecases.agents import NONSENSE, VERDICTS, Agents
from annotator.usecases.doubts import OF_CODE, OF_QUERY, Doubt, Doubts
from annotator.usecases.scoring import Scorer
from annotator.usecases.testing import CASES_OF_OTHER, Tester

_AGAINST = "the arbiter says yes, and tests that can fail did"
_ORDERS = "no model's word counts for a text that speaks to its judge"
_ECHO = "no test counts, as the words of the query make tests that expect what a code does"
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

    def method_ids(self, pair: Pair) -> tuple[str, ...]:
        """Under which methods a pair has its label; what judges it anew is the last one.

        A pair that joined its pool has what the pool's proposal came to, and else a label of its own kind: when the
        pool proposes it, with all that is known of it, it is judged.

        Raises:
            NoModelError: no model is configured.
        """
        return (self._method_id(), self._method_id("joined")) if pair.joined else (self._method_id(),)

    def _method_id(self, *further: str) -> str:
        """Names this method together with its model and prompts."""
        signature = "|".join((self._model.signature(), *further))
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
        _require_short(pair)
        doubts = Doubts(pair)
        steps, label, reason, decided_by, reading = await self._decide(pair, doubts)
        if self._calibration is not None:
            steps = await self._tried_for_echoes(pair, steps)
            reading = "" if echoed(steps) else reading
        score, outcome, more = await self._scorer.score(pair, steps)
        if score is not None and decided_by != "execution":
            before = f"{decided_by} said {_said(label)}, {reason}"
            if _speaks(pair):
                # The model's word on its own answer listens to the same orders.
                reason = f"scored {score:.3f}, which decides nothing of a text that speaks to its judge; {before}"
            elif barred := barred_by(steps, outcome):
                reason = f"scored {score:.3f}, and {barred}; before: {before}"
                label, decided_by, reading = None, "default", ""
            elif (doubt := await self._scorer.doubt(pair, doubts.shown, steps, outcome)).reason:
                reason, more = f"scored {score:.3f}, and {doubt.reason}; {before}", (*more, *doubt.steps)
            else:
                more = (*more, *doubt.steps)
                reason = f"scored {score:.3f}; before: {before}"
                if (scored := _as_label(outcome)) != label:
                    reading = _borne_out(unswayed(steps), scored)
                label, decided_by = scored, "score"
        record = Record(
            pair,
            self._method,
            self.method_ids(pair)[-1],
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

    async def _decide(self, pair: Pair, doubts: Doubts) -> _Decision:
        # What gives orders to its judge is not believed on sight.
        orders = _speaks(pair)
        if not self._method.screener:
            return await self._decide_alone(pair, doubts, orders)
        screening = await self._agents.screen(pair)
        steps = [screening]
        verdict = VERDICTS.get(screening.outcome)
        doubt = Doubt(_ORDERS if orders else "")
        trusted = self._method.trusted == "all" or (self._method.trusted == "non_matches" and verdict == 0)
        if verdict is not None and trusted and not orders:
            doubt = await doubts.of(self._agents.verdict, verdict)
            if not doubt.reason:
                return (screening, *doubt.steps), verdict, screening.detail, "screener", ""
            steps.extend(doubt.steps)
        subject = examine(pair)
        readings: tuple[str, ...] = ()
        if self._method.generator:
            readings, found = await self._readings(pair)
            steps.extend(found)
            for index, reading in enumerate(readings, 1):
                steps.extend(await self._tester.test(pair, subject, reading, index))
        if proven := _shown(unswayed(steps), "passed", proven=True):
            # Tests that can fail did not, and the code had no hand in the comparison: nothing is left to weigh.
            meanings = _meanings(proven)
            reading = proven[0][0] if proven[0][0] in readings else ""
            echo, step = await self._tester.echoes(pair, reading)
            steps.append(step)
            if echo:
                return tuple(steps), None, _ECHO, "default", ""
            return tuple(steps), 1, f"{proven[0][1]}, meaning: {meanings or 'not stated'}", "execution", meanings
        if module := lacking(steps):
            # Read alone, a code is easily taken for what it would be with the rest of it.
            return tuple(steps), None, f"nothing could be run: the module {module} is missing", "default", ""
        if doubt.reason:
            # Who words a query says nothing of the codes that are found for it.
            return await self._without_word(doubts, steps, doubt.reason, sure=speaks_to_judge(pair.code))
        return await self._arbitrate(pair, subject, doubts, steps)

    async def _decide_alone(self, pair: Pair, doubts: Doubts, orders: bool) -> _Decision:
        label, step = await self._agents.decide_alone(pair)
        if label is None or orders:
            reason = f"{_ORDERS}: {step.detail}" if orders else _UNDECIDED
            return (step,), None, reason, "default", ""
        doubt = await doubts.of(self._agents.decide_alone, label)
        if doubt.reason:
            return (step, *doubt.steps), None, f"{doubt.reason}: {step.detail}", "default", ""
        return (step, *doubt.steps), label, step.detail, "single", ""

    async def _arbitrate(self, pair: Pair, subject: Subject, doubts: Doubts, steps: Sequence[Step]) -> _Decision:
        limit = self._method.report_chars
        told = evidence.tests(steps, subject, limit, None)
        label, step = await self._agents.arbitrate(pair, evidence.screening(steps), told)
        steps = (*steps, step)
        if label is None:
            return steps, None, _UNDECIDED, "default", ""
        # Without words nothing is told that came out of a reader of them.
        bare = evidence.tests(steps, subject, limit, doubts.shown)

        async def ask(other: Pair) -> tuple[Label | None, Step]:
            return await self._agents.arbitrate(
                other, tests=bare if other.pair_id == pair.pair_id else evidence.NO_TEST
            )

        failed = evidence_of(steps) == "failed"
        if label == 1 and failed:
            again, other = await doubts.without_words(ask) if doubts.shown.spoke else (label, None)
            if other is not None:
                steps = (*steps, other)
            if again == 0:
                return await self._without_word(doubts, steps, OF_CODE)
            # Either the tests or the arbiter are wrong, and nobody knows which.
            return steps, None, f"{_AGAINST}: {step.detail}", "default", ""
        # Tests that failed were written for the query alone, and bear the arbiter out.
        sure = failed and evidence_of(unswayed(steps)) == "failed"
        doubt = await (doubts.of_query(ask, label) if sure else doubts.of(ask, label))
        steps = (*steps, *doubt.steps)
        if doubt.reason:
            return steps, None, f"{doubt.reason}: {step.detail}", "default", ""
        return steps, label, step.detail, "arbiter", _borne_out(steps, label)

    async def _without_word(
        self, doubts: Doubts, steps: Sequence[Step], reason: str, *, sure: bool = False
    ) -> _Decision:
        """No model's word counts: tests that failed decide where the code speaks to its judge, as runs obey nobody.

        A code that made its own test fail has not done what the test asks for.

        Args:
            doubts: Asks again.
            steps: What was done.
            reason: Why no word counts.
            sure: Whether it is known that the code speaks to its judge.
        """
        honest = unswayed(steps)
        failed = _shown(honest, "failed") if evidence_of(honest) == "failed" else []
        if failed and reason != OF_QUERY:
            orders, more = (True, ()) if sure else await doubts.gives_orders(self._agents.verdict)
            doubt = await doubts.of_query(self._agents.verdict, 0)
            steps = (*steps, *more, *doubt.steps)
            if orders and not doubt.reason:
                return steps, 0, f"{failed[0][1]}, {reason}", "execution", _meanings(failed)
        return tuple(steps), None, f"no tests decide, and {reason}", "default", ""

    async def _tried_for_echoes(self, pair: Pair, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The steps, with the control for echoes where tests would count in a score and it was not asked yet."""
        asked = any(step.name == "control" and step.detail.startswith(CASES_OF_OTHER) for step in steps)
        if asked or evidence_of(entire(steps)) != "passed":
            return steps
        found = [step for step in steps if step.name == "interpretations" and step.outcome != NONSENSE]
        [(reading, _), *_] = _shown(unswayed(steps), "passed")
        _, step = await self._tester.echoes(pair, reading if found else "")
        return (*steps, step)

    async def _readings(self, pair: Pair) -> tuple[tuple[str, ...], tuple[Step, ...]]:
        """The readings to test; an empty one leaves the choice to the generator."""
        if self._method.interpretations < 2:
            return ("",), ()
        readings, step = await self._agents.interpret(pair, self._method.interpretations)
        return readings or ("",), (step,)


def _speaks(pair: Pair) -> bool:
    """Whether query or code seem to give orders to who judges them."""
    return speaks_to_judge(pair.query) or speaks_to_judge(pair.code)


def _shown(steps: Sequence[Step], result: Result, *, proven: bool = False) -> list[tuple[str, str]]:
    """The readings under which tests that can fail came to a result, each with its report in a line.

    Args:
        steps: What was done.
        result: "passed" or "failed".
        proven: Only where the code had no hand in the comparison.
    """
    found: list[tuple[str, str]] = []
    for number in sorted({step.interpretation for step in steps if step.interpretation}):
        own = [step for step in steps if step.interpretation == number]
        report = next((step.report for step in reversed(own) if step.report), None)
        test = next((step.test for step in reversed(own) if step.test), None)
        if report is None or (proven and report.self_reported) or (result == "passed" and report.left_out):
            # Nobody knows what the calls that are left out of a comparison would have shown.
            continue
        if test and evidence_of(own) == result:
            found.append((test.interpretation, report.detail))
    return found


def barred_by(steps: Sequence[Step], outcome: int | None) -> str:
    """Why a score may not decide; empty where it may.

    Args:
        steps: What was done, the tests of the pair among it.
        outcome: What the score would decide: 1 or 0; None where it would decide nothing.
    """
    if module := lacking(steps):
        return f"nothing could be run: the module {module} is missing"
    if outcome == 1 and evidence_of(steps) == "failed":
        return "tests that can fail did"
    return "tests that can fail did not" if outcome == 0 and evidence_of(entire(steps)) == "passed" else ""


def _borne_out(steps: Sequence[Step], label: Label | None) -> str:
    """Under which readings a test that can fail bears a label out."""
    return "" if label is None else _meanings(_shown(steps, "passed" if label else "failed"))


def _meanings(found: Sequence[tuple[str, str]]) -> str:
    return "; ".join(dict.fromkeys(meaning for meaning, _ in found if meaning))


def _as_label(outcome: int | None) -> Label | None:
    return None if outcome is None else (1 if outcome else 0)


def _said(label: Label | None) -> str:
    return "nothing" if label is None else ("yes" if label else "no")


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


def _require_short(pair: Pair) -> None:
    """Refuse what is too long; a pool may propose it all the same, and it is set aside with this reason."""
    for name, text, most in (("query", pair.query, LONGEST_QUERY), ("code", pair.code, LONGEST_CODE)):
        if len(text) > most:
            raise BadPairError(
                f"the {name} has {len(text):,} characters, and {most:,} are judged at most",
                thing=pair.pair_id,
                way_out=f"give a shorter {name}",
            )
