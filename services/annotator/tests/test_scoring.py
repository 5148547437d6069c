"""What a score is made of: a model is heard where it says one of the asked words."""

import math

import pytest

from annotator.adapters.model import shares_of
from annotator.domain.calibration import Calibration
from annotator.domain.pair import Pair
from annotator.ports import Weighed
from annotator.usecases.scoring import Scorer

CALIBRATION = Calibration((0.0, 0.0, 0.5, 0.0), (1.0, 1.0, 0.1, 1.0), (1.0, 1.0, 0.5, 1.0), 0.0, 0.2, 0.8)
PAIR = Pair("p", "q", "wish", "f", "def f(x):\n    return x", similarity=0.3)


class Says:
    """Tells so many words with their probabilities, whatever it is asked."""

    def __init__(self, **words):
        self.words = tuple((word, math.log(share)) for word, share in words.items())

    async def weigh(self, prompt, choices, **values):
        shares, mass = shares_of((self.words,), choices)
        return Weighed(shares, mass, prompt, ())


@pytest.mark.parametrize("words", [{"It": 0.9, "The": 0.0999, "yes": 1e-6, "3": 1e-7}, {"It": 0.51, "yes": 0.49}, {}])
async def test_what_is_hardly_said_is_not_told(words):
    scorer = Scorer(Says(**words), CALIBRATION)
    (answers, one), (grade, _) = await scorer.answers(PAIR), await scorer.grade(PAIR)
    assert (answers, grade, one.outcome) == (None, None, "not told")
    score, outcome, steps = await scorer.score(PAIR, ())
    nothing, _, _ = await Scorer(Says(), CALIBRATION).score(PAIR, ())
    assert score == nothing and outcome is None
    assert [step.detail.split(",")[0] for step in steps[:2]] == ["answers", "grade"]


async def test_what_is_said_is_told_with_what_it_has():
    scorer = Scorer(Says(Yes=0.45, no=0.15, It=0.4), CALIBRATION)
    value, step = await scorer.answers(PAIR)
    assert value == pytest.approx(0.75)
    assert (step.outcome, step.detail) == ("0.7500", "answers, the asked words have 0.6000")
