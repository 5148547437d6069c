"""The score of a judgement: the model's own probabilities, cosine and evidence, weighed by a calibration."""

from __future__ import annotations

from dataclasses import replace

from annotator.domain.calibration import Calibration, Signals
from annotator.domain.control import with_other_label
from annotator.domain.pair import Pair
from annotator.domain.record import Step, heard
from annotator.domain.text import clipped, fenced
from annotator.domain.wordless import Wordless, without_words
from annotator.ports import LanguageModel, Weighed
from annotator.usecases.doubts import OF_CODE, OF_QUERY, Doubt

ANSWERS = ("yes", "no")
GRADES = ("0", "1", "2", "3")
# Where the asked words together are less likely than any others, the model has said something else, and the shares of
# the little that they have tell nothing.
LEAST_MASS = 0.5
_SHOWN = 1500


class Scorer:
    """Scores pairs.

    Args:
        model: Tells how likely it finds each answer.
        calibration: Weighs; None where only signals are wanted.
    """

    def __init__(self, model: LanguageModel, calibration: Calibration | None) -> None:
        self._model = model
        self._calibration = calibration

    async def answers(self, pair: Pair) -> tuple[float | None, Step]:
        """The model's probability that the code does what the query asks."""
        weighed = await self._model.weigh("answers_v2", ANSWERS, **shown(pair))
        shares = _told(weighed)
        value = shares[0] if shares else None
        return value, _signal("answers", value, weighed)

    async def grade(self, pair: Pair) -> tuple[float | None, Step]:
        """The model's mean grade, as a share of the best one."""
        weighed = await self._model.weigh("grade_v2", GRADES, **shown(pair))
        best = len(GRADES) - 1
        shares = _told(weighed)
        value = sum(index * share for index, share in enumerate(shares)) / best if shares else None
        return value, _signal("grade", value, weighed)

    async def score(self, pair: Pair, steps: tuple[Step, ...]) -> tuple[float | None, int | None, tuple[Step, ...]]:
        """Score a judged pair.

        Args:
            pair: What was judged.
            steps: How; the evidence among them counts.

        Returns:
            The score, its outcome by the thresholds, and the steps that were taken; no score without calibration.
        """
        if self._calibration is None:
            return None, None, ()
        answers, first = await self.answers(pair)
        grade, second = await self.grade(pair)
        score = self._calibration.score(_signals(pair, steps, answers, grade))
        outcome = self._calibration.outcome(score)
        thresholds = f"no at most {self._calibration.low:.3f}, yes from {self._calibration.high:.3f}"
        detail = f"{self._calibration.name}: cosine {_written(pair.similarity)}, {thresholds}"
        return score, outcome, (first, second, Step("score", f"{score:.4f}", detail))

    async def doubt(self, pair: Pair, shown: Wordless, steps: tuple[Step, ...], outcome: int | None) -> Doubt:
        """Whether an outcome of a score is what the texts inside of the pair say.

        Nobody is asked where cosine and tests, in which the code had no hand, give the outcome without the model.

        Args:
            pair: What was scored.
            shown: How its code is shown without words.
            steps: How it was judged.
            outcome: What the score says.
        """
        apart = tuple(step for step in steps if step.report is None or not step.report.self_reported)
        if outcome is None or self._calibration is None or self._outcome(pair, apart, None, None) == outcome:
            return Doubt("")
        again: tuple[Step, ...] = ()
        if shown.spoke:
            found, again = await self._outcome_of(pair, without_words(pair, shown), steps)
            again = tuple(replace(step, name="again") for step in again)
            if found != outcome:
                return Doubt(OF_CODE, again)
        found, control = await self._outcome_of(pair, with_other_label(pair, outcome), steps)
        control = tuple(replace(step, name="control") for step in control)
        return Doubt(OF_QUERY if found == outcome else "", (*again, *control))

    async def _outcome_of(
        self, pair: Pair, shown: Pair, steps: tuple[Step, ...]
    ) -> tuple[int | None, tuple[Step, ...]]:
        """What a pair's score would be with the model's word on something else."""
        answers, first = await self.answers(shown)
        grade, second = await self.grade(shown)
        return self._outcome(pair, steps, answers, grade), (first, second)

    def _outcome(self, pair: Pair, steps: tuple[Step, ...], answers: float | None, grade: float | None) -> int | None:
        if self._calibration is None:
            return None
        return self._calibration.outcome(self._calibration.score(_signals(pair, steps, answers, grade)))


def shown(pair: Pair) -> dict[str, str]:
    """A pair as the one-word questions show it: short, since only one word is wanted back."""
    code = fenced(clipped(pair.code, _SHOWN), pair.language)
    return {"language": pair.language, "query": pair.query, "code": code}


def _signals(pair: Pair, steps: tuple[Step, ...], answers: float | None, grade: float | None) -> Signals:
    return Signals(answers, grade, pair.similarity, heard(steps))


def _told(weighed: Weighed) -> tuple[float, ...] | None:
    return weighed.shares if weighed.mass >= LEAST_MASS else None


def _signal(name: str, value: float | None, weighed: Weighed) -> Step:
    detail = f"{name}, the asked words have {weighed.mass:.4f}"
    return Step("signal", _written(value), detail, 0, weighed.prompt, weighed.exchanges)


def _written(value: float | None) -> str:
    return "not told" if value is None else f"{value:.4f}"
