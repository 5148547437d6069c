"""Runs the untouched ground truth on the inputs that were chosen, and keeps those that any solver can be given."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pbt_generator.domain.inputs.inference.signature import Program
from pbt_generator.domain.inputs.portable import MAX_CASE_CHARACTERS, shared_by_languages
from pbt_generator.domain.oracle.runs import Run
from pbt_generator.domain.task.neutral import (
    asks_for_kinds_of_sequence,
    differs_in_text,
    has_tuples,
    has_usual_keys,
    usual_keys,
    with_lists,
)
from pbt_generator.ports import CaseOutcome, ForeignProgram, Sandbox
from pbt_generator.usecases.certify import LIMITS, SEEDS
from touchstone_values import MalformedValueError, compare, parse

# CPU-seconds that the ground truth may take for cases of chance and the others: who judges grants a few times as many.
LONG_S = 10.0


@dataclass(frozen=True)
class Replayed:
    """Inputs with what the ground truth gives for them.

    Attributes:
        kept: Runs with their results as portable texts.
        failed: Why inputs that returned before do not now.
        unportable: Why results cannot be had in every language.
        fails: Whether these are more than a tenth.
    """

    kept: tuple[tuple[Run, str], ...]
    failed: tuple[str, ...]
    unportable: tuple[str, ...]
    fails: bool


class Replayer:
    """Runs chosen inputs again.

    Args:
        sandbox: Where foreign code runs.
        portable: The task is for five languages.
    """

    def __init__(self, sandbox: Sandbox, *, portable: bool) -> None:
        self._sandbox = sandbox
        self._portable = portable
        self.cpu_s = 0.0

    async def replay(self, program: Program, runs: Sequence[Run], more: Sequence[Run] = ()) -> Replayed:
        """Run every input on the ground truth as it was published.

        No function is refused for `more`, and no right program late: where many of all fail, or all together take long,
        only the others are run and kept.
        """
        before = self.cpu_s
        replayed = await self._replayed(program, [*runs, *more])
        if more and (replayed.fails or self.cpu_s - before > LONG_S):
            return await self._replayed(program, runs)
        return replayed

    async def _replayed(self, program: Program, runs: Sequence[Run]) -> Replayed:
        foreign = ForeignProgram(program.source, program.entry_point)
        result = await self._sandbox.run_cases(foreign, [run.text for run in runs], limits=LIMITS, hash_seed=SEEDS[0])
        self.cpu_s += result.cpu_s
        kept: list[tuple[Run, str]] = []
        failed: list[str] = []
        unportable: list[str] = []
        for run, outcome in zip(runs, result.outcomes, strict=True):
            if outcome.outcome != "returned":
                words = f"{outcome.outcome} {outcome.error_type} {outcome.error_message}".strip()
                (failed if outcome.outcome in {"raised", "timed_out"} else unportable).append(words)
                continue
            reason = self._unshared(outcome.value)
            if reason:
                unportable.append(reason)
            elif len(outcome.value) + len(run.text) <= MAX_CASE_CHARACTERS:
                kept.append((run, outcome.value))
        if self._portable:
            kept = await self._neutral(program, kept)
        fails = len(failed) + len(unportable) > len(runs) // 10
        return Replayed(tuple(kept), tuple(failed), tuple(unportable), fails)

    def _unshared(self, value: str) -> str:
        if not self._portable:
            return ""
        try:
            return shared_by_languages(parse(value))
        except MalformedValueError as error:
            return str(error)

    async def _neutral(self, program: Program, kept: Sequence[tuple[Run, str]]) -> list[tuple[Run, str]]:
        """Without the cases that mean something else where sequences, or maps, are all of one kind."""
        given = [run.text for run, _ in kept]
        usual = usual_keys([run.given for run, _ in kept])
        odd = {place for place, (run, _) in enumerate(kept) if not has_usual_keys(run.given, usual)}
        tuples = [place for place, text in enumerate(given) if has_tuples(text) and place not in odd]
        if tuples:
            lists = ForeignProgram(with_lists(program.source, program.entry_point), program.entry_point)
            result = await self._sandbox.run_cases(lists, [given[place] for place in tuples], limits=LIMITS)
            self.cpu_s += result.cpu_s
            asks = asks_for_kinds_of_sequence(program.source)
            for place, outcome in zip(tuples, result.outcomes, strict=True):
                if _hangs(kept[place][1], outcome, asks=asks):
                    odd.add(place)
        return [pair for place, pair in enumerate(kept) if place not in odd]


def _hangs(expected: str, outcome: CaseOutcome, *, asks: bool) -> bool:
    """Whether a result hangs on tuples in a way that a language with one kind of sequence cannot follow."""
    if outcome.outcome != "returned":
        return asks
    if compare(expected, outcome.value, "portable") is None:
        return False
    return asks or differs_in_text(json.loads(expected), json.loads(outcome.value))
