"""Whether a model's word on a pair is its own, or that of a text inside of the pair.

It is asked again where the answer must be the same, and where it must be another: without the words of the code's
author, with the query's own words and a code whose answer is known, and with the code and a query that it surely does
not answer.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from annotator.domain.control import other_query, with_other_label
from annotator.domain.pair import Pair
from annotator.domain.record import Label, Step, StepName
from annotator.domain.wordless import Wordless, without_words, wordless

OF_CODE = "no model's word counts, as it is another one without the words of the code's author"
OF_QUERY = "no model's word counts, as the words of the query have the same one where it must be another"

# Asks one question about a pair.
Ask = Callable[[Pair], Awaitable[tuple[Label | None, Step]]]


@dataclass(frozen=True, slots=True)
class Doubt:
    """What came of asking again.

    Attributes:
        reason: Why the word does not count; empty where it does.
        steps: What was asked.
    """

    reason: str
    steps: tuple[Step, ...] = ()


class Doubts:
    """Asks about one pair again.

    Args:
        pair: What is in question.
    """

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self.shown: Wordless = wordless(pair.code, pair.language)

    async def of(self, ask: Ask, label: Label) -> Doubt:
        """Whether a label is the model's own.

        Args:
            ask: Asks as the label was given, about another pair.
            label: What it said about this one.
        """
        steps: tuple[Step, ...] = ()
        if self.shown.spoke:
            again, step = await self.without_words(ask)
            steps = (step,)
            if again != label:
                return Doubt(OF_CODE, steps)
        doubt = await self.of_query(ask, label)
        return Doubt(doubt.reason, (*steps, *doubt.steps))

    async def without_words(self, ask: Ask) -> tuple[Label | None, Step]:
        """The label of the code without its author's words."""
        label, step = await ask(without_words(self._pair, self.shown))
        return label, renamed(step, "again", "the code without its author's words")

    async def of_query(self, ask: Ask, label: Label) -> Doubt:
        """Whether the query's words leave room for the other label; asked once for a query and a language."""
        again, step = await ask(with_other_label(self._pair, label))
        does = "something else" if label else "what the query asks for"
        step = renamed(step, "control", f"a code that does {does}")
        return Doubt(OF_QUERY if again == label else "", (step,))

    async def gives_orders(self, ask: Ask) -> tuple[bool, tuple[Step, ...]]:
        """Whether the code gets a yes also for what it surely does not do, from a judge who can say no."""
        label, step = await ask(other_query(self._pair))
        steps = (renamed(step, "control", "a query that the code does not answer"),)
        if label != 1:
            return False, steps
        doubt = await self.of_query(ask, 1)
        return not doubt.reason, (*steps, *doubt.steps)


def renamed(step: Step, name: StepName, of_what: str) -> Step:
    """A step that asked about something else than the pair as it is."""
    return replace(step, name=name, detail=f"{of_what}: {step.detail}" if step.detail else of_what)
