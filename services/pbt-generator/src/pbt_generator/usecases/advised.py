"""What a configured model adds to the search for a suite: inputs that lacked, and wrong programs to tell apart.

A model's programs are foreign code and its inputs are data: both are run in the sandbox, and count for what they do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pbt_generator.domain.advice import MAX_FURTHER, MAX_MISTAKES, MAX_SHOWING, MadeUp, Mistake
from pbt_generator.domain.inputs.inference.signature import Program
from pbt_generator.domain.inputs.proposals import Proposal, proposed_inputs, with_patterns
from pbt_generator.domain.oracle.certificate import MadeUpProgram, Mistakes
from pbt_generator.domain.oracle.mutation.kills import diverse
from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.errors import SandboxRefusedError
from pbt_generator.ports import Advisor, Comparison, ForeignProgram, Sandbox
from pbt_generator.usecases.certify import LIMITS, SuiteFacts
from pbt_generator.usecases.explore import Explorer
from touchstone_values import compare

# What other inputs may mend.
_PROPOSABLE = {Reason.COVERAGE_INCOMPLETE, Reason.NO_INPUT_ACCEPTED, Reason.CONSTANT_OUTPUT}
# So often a model is asked: what it thinks of last is what others forget most.
_ROUNDS = 2
_MOST_INPUTS = _ROUNDS * (MAX_MISTAKES * MAX_SHOWING + MAX_FURTHER)
# Other inputs on which a wrong program may be right.
_BESIDE = 30
# Inputs that show a model how values are written, and the length of the longest.
_EXAMPLES = 6
_MOST_CHARACTERS = 600


@dataclass(frozen=True)
class _Shown:
    """A wrong program, and the inputs that show it wrong."""

    mistake: Mistake
    texts: frozenset[str]


class Advised:
    """A model's part in building one suite; without a model it adds nothing.

    Args:
        advisor: The model; None where none is configured.
        sandbox: Where its programs run.
        kind: SC or WSC.
    """

    def __init__(self, advisor: Advisor | None, sandbox: Sandbox, kind: str) -> None:
        self._advisor = advisor
        self._sandbox = sandbox
        self._kind = kind
        self._asked = False
        self._made: MadeUp | None = None
        self._shown: tuple[_Shown, ...] = ()
        self.proposed_by = ""
        self.cpu_s = 0.0
        # Texts of inputs that are to become cases.
        self.wanted: tuple[str, ...] = ()

    async def lacking(
        self, refusal: Refusal, program: Program, explorer: Explorer, unreachable: dict[int, str]
    ) -> bool:
        """Ask for inputs that do what was missing, and search on with them; gives whether more of them returned."""
        if self._advisor is None or refusal.reason not in _PROPOSABLE:
            return False
        found, lines = explorer.found, program.source.split("\n")
        missing = [
            f"`{lines[goal.line - 1].strip()}` {goal.outcome}"
            for goal in found.missing()[:8]
            if goal.number not in unreachable
        ]
        proposal = await self._advisor.propose(
            program.source, self._kind, _names(explorer), missing or [refusal.words]
        )  # fmt: skip
        if proposal is None:
            return False
        before = len(found.returned)
        await explorer.take(proposed_inputs(proposal, explorer.shape), with_patterns(proposal, explorer.shape))
        self.proposed_by = proposal.model
        return len(found.returned) > before

    async def mistaken(self, program: Program, explorer: Explorer) -> None:
        """Ask for wrong programs, once, run the inputs that come with them, and see which programs these show wrong."""
        if self._advisor is None:
            return
        if not self._asked:
            self._asked = True
            await self._ask(program, explorer)
        made = self._made
        if made is None:
            return
        texts = (*(text for each in made.mistakes for text in each.inputs), *made.inputs)
        inputs = proposed_inputs(Proposal(texts), explorer.shape, _MOST_INPUTS)
        await explorer.run(inputs)
        found, own = explorer.found, explorer.written(inputs)
        if self._kind == "WSC":
            # Where there is no other language, a value of another kind than was seen may be sent as well.
            found.admit(own)
        returned = {run.text: run for run in found.returned}
        self.wanted = tuple(text for text in own if text in returned and not returned[text].strange)
        beside = (run.text for run in diverse(found.returned, _BESIDE) if run.text not in own)
        tried = [*(text for text in own if text in returned), *beside]
        self._shown = await self._wrong(made.mistakes, program, tried)

    async def _ask(self, program: Program, explorer: Explorer) -> None:
        """Have wrong programs made up, each time others than before."""
        assert self._advisor is not None
        kinds = diverse(explorer.found.returned, _EXAMPLES)
        examples = [run.text for run in kinds if len(run.text) <= _MOST_CHARACTERS]
        for _ in range(_ROUNDS):
            known = [each.words for each in self._made.mistakes] if self._made else []
            made = await self._advisor.mistakes(
                program.source, self._kind, program.entry_point, _names(explorer), examples, known
            )
            if made is None:
                return
            self._made = self._made.with_more(made) if self._made else made

    @property
    def showing(self) -> tuple[frozenset[str], ...]:
        """Per wrong program the texts of inputs that show it."""
        return tuple(each.texts for each in self._shown)

    async def _wrong(self, mistakes: Sequence[Mistake], program: Program, texts: Sequence[str]) -> tuple[_Shown, ...]:
        """The programs that differ from the ground truth on some of the inputs, and not on all.

        Of several that give the same on all of them the first one counts: a model may hand one in again and again.
        """
        right = await self._results(program.source, program.entry_point, texts)
        mode: Comparison = "portable" if self._kind == "SC" else "exact"
        shown: dict[tuple[tuple[str, str | None], ...], _Shown] = {}
        for mistake in mistakes if right else ():
            gave = await self._results(mistake.code, program.entry_point, [*right])
            differs = frozenset(
                text
                for text, expected in right.items()
                if text not in gave or compare(expected, gave[text], mode) is not None
            )
            if 0 < len(differs) < len(right):
                wrong = tuple((text, gave.get(text)) for text in right if text in differs)
                shown.setdefault(wrong, _Shown(mistake, differs))
        return tuple(shown.values())

    async def _results(self, source: str, entry_point: str, texts: Sequence[str]) -> dict[str, str]:
        """What a program gives for the inputs for which it returns; nothing where it cannot be run at all."""
        try:
            ran = await self._sandbox.run_cases(ForeignProgram(source, entry_point), texts, limits=LIMITS)
        except SandboxRefusedError:
            return {}
        self.cpu_s += ran.cpu_s
        pairs = zip(texts, ran.outcomes, strict=True)
        return {text: outcome.value for text, outcome in pairs if outcome.outcome == "returned"}

    async def told_apart(self, suite: SuiteFacts) -> tuple[Mistakes, tuple[frozenset[int], ...]]:
        """Judge the wrong programs on a suite.

        Returns:
            What the certificate says of them, and the places of cases that tell them from the ground truth.
        """
        if self._made is None:
            return Mistakes(), ()
        places: list[frozenset[int]] = []
        programs: list[MadeUpProgram] = []
        for each in self._shown:
            program = ForeignProgram(each.mistake.code, suite.entry_point)
            judged = await self._sandbox.judge(program, suite.data, limits=LIMITS)
            self.cpu_s += judged.cpu_s
            words = " ".join(each.mistake.words.split())
            programs.append(MadeUpProgram(words, each.mistake.code, told_apart=judged.verdict != "passed"))
            places.append(frozenset(failure.index for failure in judged.failures))
        return Mistakes(self._made.model, tuple(programs)), tuple(filter(None, places))


def _names(explorer: Explorer) -> list[str]:
    return [parameter.name for parameter in explorer.shape.parameters]


__all__ = ["Advised"]
