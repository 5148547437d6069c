"""The mutation gate: runs mutants in the sandbox, and looks for inputs that kill those that survive."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from pbt_generator.domain.drawing.sampling import Input
from pbt_generator.domain.drawing.splicing import Operands, spliced
from pbt_generator.domain.drawing.variation import Variation
from pbt_generator.domain.mutation.equivalence import NEVER
from pbt_generator.domain.mutation.kills import (
    AT_LIMIT,
    BESIDE,
    COMPARED,
    KILLERS,
    KillMatrix,
    diverse,
    exhausted,
    reachers,
)
from pbt_generator.domain.mutation.mutants import Mutant, chosen, mutate, witnesses
from pbt_generator.domain.proofs.arms import leaving_lines
from pbt_generator.domain.search.exploration import Run
from pbt_generator.ports import ForeignProgram, Harness, RunLimits, Sandbox
from pbt_generator.usecases.explore import Explorer

_CALL_CPU_S = 0.25
_LIMITS = RunLimits(case_timeout_s=20.0, total_timeout_s=90.0, output_bytes=32 * 1024 * 1024)
# Inputs that every mutant is tried on, whatever killed it before: they decide the order of cases.
_ALWAYS = 70
_LATER = 420
# Mutants of comparisons differ most often where both sides are equal.
_COMPARED = {"boundary", "limit", "comparison"}


class Gate:
    """Measures how well inputs tell the mutants of one ground truth from it.

    Args:
        sandbox: Where foreign code runs.
        harness: Program texts to put behind the mutants.
        source: The ground truth's program.
        entry_point: The function's name.
        explorer: What was found so far; the search for killers goes on with it.
        dead_lines: Lines that no input reaches, by proof.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        harness: Harness,
        source: str,
        entry_point: str,
        explorer: Explorer,
        dead_lines: frozenset[int] = frozenset(),
    ) -> None:
        self.sandbox = sandbox
        self.harness = harness
        self.source = source
        self.entry_point = entry_point
        self.explorer = explorer
        program = mutate(source, entry_point)
        self.program = self._foreign(program.source, "_ts_mutate")
        self.matrix = KillMatrix(tuple(chosen(program.mutants)), guards=leaving_lines(source))
        for mutant in self.matrix.mutants:
            if mutant.line in dead_lines:
                self.matrix.dead.add(mutant.number)
                self.matrix.proved[mutant.number] = "no input reaches its line"
            elif mutant.proof:
                self.matrix.proved[mutant.number] = mutant.proof
                if mutant.proof == NEVER:
                    self.matrix.dead.add(mutant.number)
        # Whether kinds of values count, as JSON.
        self.exact = json.dumps(not explorer.portable)
        self.watch: ForeignProgram | None = None
        self.watched: frozenset[int] = frozenset()
        self.cpu_s = 0.0

    def _foreign(self, text: str, entry: str) -> ForeignProgram:
        return ForeignProgram(f"{text}\n\n_ts_ENTRY = {self.entry_point!r}\n{self.harness.mutate}", entry)

    async def measure(self) -> KillMatrix:
        """Kill what can be killed, and weigh what survives."""
        found = self.explorer.found
        always = diverse(found.returned, _ALWAYS)
        known = {run.text for run in always}
        later = [run for run in diverse(found.returned, _LATER) if run.text not in known]
        await self._run(self.matrix.mutants, always, later)
        rest = [run for run in found.returned if run.text not in known | {run.text for run in later}]
        if rest and self.matrix.survivors():
            await self._run(self.matrix.survivors(), [], rest)
        await self._weigh(found.returned[-1200:])
        for _ in range(self.explorer.effort.gate_rounds):
            # Looked for are killers, and for want of them more inputs on which the mutant's place differs.
            survivors = [mutant for mutant in self.matrix.survivors() if mutant.number not in self.matrix.proved]
            if not survivors:
                break
            before = len(found.returned)
            lines = {mutant.line for mutant in survivors if mutant.operator in _COMPARED}
            self.explorer.watched = frozenset(
                goal.number for goal in found.program.goals if goal.line in lines and goal.site >= 0
            )
            await self.explorer.run(self._aimed(survivors))
            # Only what may become a case kills.
            fresh = found.returned[before:]
            if fresh:
                await self._run(survivors, [], fresh)
                await self._weigh(fresh)
        await self._feel()
        self._jump()
        return self.matrix

    def _jump(self) -> None:
        """Note the limits that values pass on both sides, by one, and never meet."""
        found = self.explorer.found
        for mutant in self.matrix.survivors():
            if mutant.operator not in AT_LIMIT or self.matrix.infected.get(mutant.number):
                continue
            seen = [each for run in found.returned for each in self._seen(run, mutant.line)]
            if len({each.site for each in seen}) != 1:
                continue
            gaps = Counter(
                each.left - each.right for each in seen if type(each.left) is int and type(each.right) is int
            )
            if not gaps[0] and min(gaps[1], gaps[-1]) >= BESIDE and gaps.total() == len(seen):
                self.matrix.jumped.add(mutant.number)

    async def _feel(self) -> None:
        """Try neighbours of survivors on the inputs on which these differ: does the result hang on that line at all?"""
        by_text = {run.text: run for run in self.explorer.found.returned}
        wanted: dict[int, set[str]] = {}
        for mutant in self.matrix.survivors():
            infected = sorted(text for text in self.matrix.infected.get(mutant.number, ()) if text in by_text)
            if mutant.number in self.matrix.proved or not infected:
                continue
            step = max(1, len(infected) // COMPARED)
            for sibling in self.matrix.siblings(mutant):
                wanted.setdefault(sibling.number, set()).update(infected[::step])
        if not wanted:
            return
        texts = sorted(set[str]().union(*wanted.values()))
        places = {text: place for place, text in enumerate(texts)}
        plan: list[list[Any]] = [
            [number, sorted(places[text] for text in asked), []] for number, asked in sorted(wanted.items())
        ]
        size = max(1, -(-len(plan) // 3))
        plans = [plan[start : start + size] for start in range(0, len(plan), size)]
        await self._ask([by_text[text] for text in texts], plans)

    async def _run(self, mutants: Sequence[Mutant], always: Sequence[Run], later: Sequence[Run]) -> None:
        runs = [*always, *later]
        places = {run.text: place for place, run in enumerate(runs)}
        plan: list[list[Any]] = []
        for mutant in mutants:
            near = [places[run.text] for run in reachers(self.explorer.found, mutant, later)] if later else []
            plan.append([mutant.number, list(range(len(always))), near])
        # Several calls, so that a mutant which stops the process takes only its neighbours' answers along.
        size = max(1, -(-len(plan) // 3))
        await self._ask(runs, [plan[start : start + size] for start in range(0, len(plan), size)])

    async def _ask(self, runs: Sequence[Run], plans: list[list[list[Any]]]) -> None:
        inputs = f"[{','.join(run.text for run in runs)}]"
        spare = self.explorer.steps // 50
        while plans:
            cases = [f"[{inputs},{json.dumps(plan)},{KILLERS},{self.exact},{spare},{_CALL_CPU_S}]" for plan in plans]
            result = await self.sandbox.run_cases(self.program, cases, limits=_LIMITS)
            self.cpu_s += result.cpu_s
            again: list[list[list[Any]]] = []
            for plan, outcome in zip(plans, result.outcomes, strict=True):
                answers = _answers(outcome.value) if outcome.outcome == "returned" else None
                if answers is not None:
                    for mutant, killers, tried in answers:
                        self.matrix.add(
                            mutant, [runs[int(place)].text for place in killers if place < len(runs)], tried
                        )
                elif len(plan) == 1:
                    # It ended the whole process: no candidate like it can pass.
                    self.matrix.add(plan[0][0], [run.text for run in runs[:1]], 1)
                else:
                    step = max(1, len(plan) // 6)
                    again.extend(plan[start : start + step] for start in range(0, len(plan), step))
            plans = again

    def _aimed(self, survivors: Sequence[Mutant]) -> list[Input]:
        """Inputs made from those on which the places of surviving mutants differ, or that come there at all."""
        found, sampler = self.explorer.found, self.explorer.sampler
        rng = sampler.rng
        variation = Variation(sampler)
        by_text = {run.text: run for run in found.returned}
        parents: dict[int, list[Run]] = {}
        for mutant in survivors:
            infected = [
                by_text[text] for text in sorted(self.matrix.infected.get(mutant.number, ())) if text in by_text
            ]
            parents[mutant.number] = infected or reachers(found, mutant, found.returned)
        compared = {
            line: [run for run in recent if self._seen(run, line)]
            for line in sorted({mutant.line for mutant in survivors if mutant.operator in _COMPARED})
            for recent in [found.returned[-1500:]]
        }
        inputs: list[Input] = []
        while len(inputs) < self.explorer.effort.gate_batch:
            mutant = survivors[len(inputs) % len(survivors)]
            near = parents[mutant.number]
            base = rng.choice(near)
            roll = rng.random()
            made: Input | None = None
            if mutant.operator in _COMPARED and roll < 0.4 and compared[mutant.line]:
                run = rng.choice(compared[mutant.line])
                made = spliced(run.given, _equal(rng.choice(self._seen(run, mutant.line))), rng)
            elif "strip" in mutant.change and roll < 0.4:
                made = variation.padded(base.given)
            elif not self.matrix.infected.get(mutant.number) and roll < 0.2:
                # What never differed may do so on another kind of value.
                made = variation.retype(base.given)
            elif roll < 0.3:
                here = self._seen(base, mutant.line)
                made = spliced(base.given, rng.choice(here), rng) if here else None
            if made is None and roll < 0.7 and len(base.given) > 1:
                # The places that the mutant does not read may vary freely: what it differs on stays.
                made = self._beside(base.given, mutant, variation, rng.choice(found.returned).given)
            if made is None:
                made = variation.vary(base.given, rng.choice(found.returned).given)
            inputs.append(sampler.input() if rng.random() < 0.08 else made)
        return inputs

    def _seen(self, run: Run, line: int) -> list[Operands]:
        """What the comparisons of a line saw in a run."""
        goals = self.explorer.found.program.goals
        return [seen for seen in run.seen if goals[seen.site].line == line]

    def _beside(self, given: Input, mutant: Mutant, variation: Variation, other: Input) -> Input | None:
        """The input with other values where the mutant's place does not read: one changed, or all of another input."""
        names = variation.names
        free = [place for place, name in enumerate(names) if mutant.reads is None or name not in mutant.reads]
        if not free:
            return None
        values = list(given)
        if variation.rng.random() < 0.4:
            # What returned together is likely to return again: parameters often belong together.
            for place in free:
                values[place] = other[place]
            return tuple(values)
        place = variation.rng.choice(free)
        values[place] = variation.change_parameter(place, values, other)
        return tuple(values)

    async def _weigh(self, runs: Sequence[Run]) -> None:
        """Note on which inputs the places of survivors differ from the original."""
        if self.watch is None:
            program = witnesses(self.source, self.entry_point)
            self.watch = self._foreign(program.source, "_ts_witness")
            self.watched = frozenset(mutant.number for mutant in program.mutants if mutant.witnessed)
        survivors = [mutant for mutant in self.matrix.survivors() if mutant.number in self.watched]
        if not survivors or not runs:
            return
        inputs = f"[{','.join(run.text for run in runs)}]"
        numbers = json.dumps([mutant.number for mutant in survivors])
        result = await self.sandbox.run_cases(
            self.watch, [f"[{inputs},{numbers},{self.exact},{_CALL_CPU_S}]"], limits=_LIMITS
        )
        self.cpu_s += result.cpu_s
        rows = _answers(result.outcomes[0].value) if result.outcomes[0].outcome == "returned" else None
        for number, places, came in rows or []:
            self.matrix.came[number] = self.matrix.came.get(number, 0) + came
            self.matrix.infected.setdefault(number, set()).update(
                runs[int(place)].text for place in places if place < len(runs)
            )
        by_text = {run.text: run for run in self.explorer.found.returned}
        names = [parameter.name for parameter in self.explorer.shape.parameters]
        for mutant in survivors:
            infected = [by_text[text].given for text in self.matrix.infected.get(mutant.number, ()) if text in by_text]
            if self.matrix.refuted(mutant):
                # A run did what a proof says that none does.
                self.matrix.dead.discard(mutant.number)
                self.matrix.proved.pop(mutant.number, None)
            reason = exhausted(mutant, names, infected)
            if reason:
                self.matrix.proved[mutant.number] = reason
            elif mutant.number not in self.matrix.dead and not (mutant.proof and not infected):
                # What further search shows may take back what fewer inputs seemed to show.
                self.matrix.proved.pop(mutant.number, None)


def _equal(seen: Operands) -> Operands:
    """A comparison as if it had asked for equal sides: there lies the boundary."""
    if seen.op in {"<", "<=", ">", ">=", "!="}:
        return replace(seen, op="==")
    return replace(seen, op="len==") if seen.op in {"len<", "len<=", "len>", "len>=", "len!="} else seen


def _answers(value: str) -> list[list[Any]] | None:
    try:
        rows: list[list[Any]] = json.loads(value)
        return rows if all(len(row) == 3 and isinstance(row[0], int) for row in rows) else None
    except (ValueError, TypeError):
        return None
