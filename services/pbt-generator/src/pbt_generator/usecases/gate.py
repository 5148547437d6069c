"""The mutation gate: runs mutants in the sandbox, and looks for inputs that kill those that survive."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any, cast

from pbt_generator.domain.inputs.domains.given import given_kinds
from pbt_generator.domain.inputs.drawing.contrasting import contrasts, in_all_ways, in_turns, oddities
from pbt_generator.domain.inputs.drawing.smaller import smaller
from pbt_generator.domain.inputs.drawing.splicing import spliced
from pbt_generator.domain.inputs.drawing.sweeps import sweeps
from pbt_generator.domain.inputs.drawing.variation import Variation
from pbt_generator.domain.inputs.fitting import fits
from pbt_generator.domain.inputs.portable import arguments_tree, dump, tree_of
from pbt_generator.domain.inputs.shapes import (
    AnyShape,
    LibraryShape,
    OpaqueShape,
    ParameterShape,
    Shape,
    options_of,
)
from pbt_generator.domain.oracle.certificate import FLOOR
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.equivalence import NEVER
from pbt_generator.domain.oracle.mutation.kills import KILLERS, KillMatrix, diverse, of_other_kinds, reachers
from pbt_generator.domain.oracle.mutation.misreadings import READING
from pbt_generator.domain.oracle.mutation.mutants import Mutant, mutate, witnesses
from pbt_generator.domain.oracle.mutation.neighbours import SLIP
from pbt_generator.domain.oracle.runs import Input, Operands, Run
from pbt_generator.ports import ForeignProgram, Harness, RunLimits, Sandbox
from pbt_generator.usecases.explore import Explorer

_LIMITS = RunLimits(case_timeout_s=20.0, total_timeout_s=90.0, output_bytes=32 * 1024 * 1024)
# Inputs that every mutant is tried on, whatever killed it before: they decide the order of cases.
_ALWAYS = 70
_LATER = 420
# Inputs in which parts are changed that are easily overlooked, and so many that are made of them: as callers send them,
# and odd ones.
_CONTRASTED, _CONTRASTS, _ODDITIES = 16, 560, 400
# Before these such as callers send, with their own room, and beside them such as hold kinds that none of them holds.
_REAL, _OF_REAL, _OF_OTHER_KINDS = 8, 400, 8
# Inputs that show what kinds of values parameters have.
_MET = 120
# With so many killed the search for killers ends after its rounds: some of the cases that kill may be left out later.
SAFE_SCORE = 0.97
# Processes that are asked for the rest where something that ran left the one before other than it was.
_FRESH = 8
# Mutants of numbers, for which many values of one place are tried: inputs, and calls with their steps.
_SWEPT = {"boundary", "limit", "number", "comparison", "halves", "division", "remainder"}
_ROUNDED = re.compile(r"\b(?:round|floor|ceil|trunc|int)\(")
_SWEEPS, _SWEEP_STEPS = 3, 24_000
# Inputs of so many characters are read by somebody; rounds in which longer ones are made shorter, and how many at once.
_READABLE, _SHORTENED = 90, 8
# Mutants of comparisons differ most often where both sides are equal.
_COMPARED = {"boundary", "limit", "comparison"}
_MATCHING = ("match", "search")


class Gate:
    """Measures how well inputs tell the mutants of one ground truth from it.

    Args:
        sandbox: Where foreign code runs.
        harness: Program texts to put before the mutants.
        source: The ground truth's program.
        entry_point: The function's name.
        explorer: What was found so far; the search for killers goes on with it.
        dead_lines: Lines that no input reaches, by proof.
        ran: Lines of functions that are called unused and ran all the same.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        harness: Harness,
        source: str,
        entry_point: str,
        explorer: Explorer,
        dead_lines: frozenset[int] = frozenset(),
        ran: frozenset[int] = frozenset(),
    ) -> None:
        self.sandbox = sandbox
        self.harness = harness
        self.source = source
        self.entry_point = entry_point
        self.explorer = explorer
        domain = explorer.domain
        given = given_kinds(domain, portable=explorer.portable) if domain is not None else None
        met = [run.given for run in diverse(explorer.found.returned, _MET)]
        held = {
            parameter.name: [given[place] for given in met]
            for place, parameter in enumerate(explorer.shape.parameters)
            if not parameter.variadic
        }
        program = mutate(source, entry_point, given, held)
        self.program = self._foreign(program.source, "_ts_mutate")
        self.matrix = KillMatrix(program.mutants)
        for mutant in self.matrix.mutants:
            if (mutant.places or {mutant.line}) <= dead_lines:
                self.matrix.prove(mutant.number, "no input reaches its line", dead=True)
            elif mutant.proof:
                self.matrix.prove(mutant.number, mutant.proof, dead=mutant.proof == NEVER)
        self.matrix.refute(ran)
        # How the judge compares the results of such a task, as JSON.
        self.mode = json.dumps("portable" if explorer.portable else "exact")
        self.watch: ForeignProgram | None = None
        self.watched: frozenset[int] = frozenset()
        # Inputs in which a part is changed that is easily overlooked: as callers send them.
        self.contrasted: Collection[str] = ()
        self.of_real: Collection[str] = ()
        self.odd: Collection[str] = ()
        # Whether the ground truth itself keeps something from run to run, as it seems by so many mutants.
        self.keeps = False
        self.cpu_s = 0.0

    def _foreign(self, text: str, entry: str) -> ForeignProgram:
        return ForeignProgram(with_harness(text, self.entry_point, self.harness.mutate), entry)

    async def measure(self) -> KillMatrix:
        """Kill what can be killed, and weigh what survives."""
        found = self.explorer.found
        overlooked = await self._contrasted()
        always = diverse(found.returned, _ALWAYS)
        known = {run.text for run in always}
        later = [run for run in diverse(found.returned, _LATER) if run.text not in known]
        slips = self._slips()
        numbers = {each.number for each in slips}
        await self._run([each for each in self.matrix.mutants if each.number not in numbers], always, later)
        tried = known | {run.text for run in later}
        rest = [run for run in found.returned if run.text not in tried]
        left = [*self.matrix.survivors(), *self._readings()]
        if rest and left:
            await self._run(left, [], rest)
        # So few inputs will do: what a slip is easily seen by is among them.
        if slips:
            await self._run(slips, [], [*always, *(run for run in overlooked if run.text not in known)])
        await self._weigh(found.returned[-1200:])
        effort = self.explorer.effort
        for turn in range(effort.most_gate_rounds):
            survivors = self.matrix.survivors()
            if not survivors or (turn >= effort.gate_rounds and self.matrix.least_score() >= SAFE_SCORE):
                break
            before = len(found.returned)
            lines = {mutant.line for mutant in survivors if _compares(mutant)}
            self.explorer.watched = frozenset(
                goal.number for goal in found.program.goals if goal.line in lines and goal.site >= 0
            )
            await self.explorer.run(self._aimed(survivors))
            # Only what may become a case kills.
            fresh = found.returned[before:]
            if fresh:
                await self._run([*survivors, *self._readings()], [], fresh)
                await self._weigh(fresh)
        await self._sweep()
        await self._shorten()
        await self._exhaust()
        return self.matrix

    async def _contrasted(self) -> list[Run]:
        """Run inputs that hold what is easily overlooked; gives those that returned."""
        found, explorer = self.explorer.found, self.explorer
        sent = explorer.written(explorer.shape.examples)
        real = [run for run in found.returned if run.text in sent][:_REAL]
        bases = diverse(found.returned, _CONTRASTED)
        bases = sorted([*bases, *of_other_kinds(bases, found.returned, _OF_OTHER_KINDS)], key=lambda run: len(run.text))
        before, written = len(found.returned), explorer.shape.constants

        def made(runs: Sequence[Run]) -> list[list[Input]]:
            changed = [contrasts(run.given, written, turn) for turn, run in enumerate(runs)]
            return [in_all_ways([run.given for run in runs]), *changed]

        self.of_real = await self._changed(made(real), _OF_REAL)
        self.contrasted = await self._changed(made(bases), _CONTRASTS)
        odd = [oddities(run.given, turn) for turn, run in enumerate([*real, *bases[::2]])]
        self.odd = await self._changed(odd, _ODDITIES)
        return found.returned[before:]

    async def _changed(self, made: Sequence[Sequence[Input]], most: int) -> list[str]:
        """Run so many of these inputs, in turns; gives the texts of those that returned."""
        before = len(self.explorer.found.returned)
        await self.explorer.run([*itertools.islice(filter(self.explorer.may_be_sent, in_turns(made)), most)])
        return [run.text for run in self.explorer.found.returned[before:]]

    def _slips(self) -> list[Mutant]:
        """Readings that nothing killed and that are mistakes, no rule of a language, where mutants are enough."""
        many = len(self.matrix.counted()) >= 2 * FLOOR
        return [
            each
            for each in self.matrix.readings(alive=True)
            if each.reading == SLIP or (many and each.reading == READING)
        ]

    def _readings(self) -> list[Mutant]:
        """Readings that nothing killed and for which every input is tried."""
        slips = {each.number for each in self._slips()}
        return [each for each in self.matrix.readings(alive=True) if each.number not in slips]

    async def settle(self, cases: Sequence[Run]) -> None:
        """Try on the cases what only other inputs are known to kill: killers are looked for until there are some.

        A reading that a case tells apart without anybody knowing would be a rule that a solver is not told.
        """
        texts = frozenset(run.text for run in cases)
        asked = [*self.matrix.counted(), *self.matrix.readings()]
        killers = [(mutant, self.matrix.killers.get(mutant.number, set[str]())) for mutant in asked]
        missed = [mutant for mutant, known in killers if known and not known & texts]
        if missed:
            await self._run(missed, cases, [])
        # On inputs that were found for something else, or by chance, they were not tried.
        alive = [mutant for mutant in (*self.matrix.survivors(), *self._readings()) if mutant not in missed]
        if alive:
            await self._run(alive, [], cases)

    async def _sweep(self) -> None:
        """Try many values of a place where mutants and readings of numbers survive: few are exactly at an edge."""
        alive = [
            mutant
            for mutant in (*self.matrix.readings(alive=True), *self.matrix.survivors())
            if (mutant.reading or mutant.operator) in _SWEPT or _ROUNDED.search(mutant.change)
        ][: self.explorer.effort.swept]
        explorer = self.explorer
        if not alive or any(parameter.variadic for parameter in explorer.shape.parameters):
            return
        near = {run.text: run for mutant in alive for run in reachers(explorer.found, mutant, explorer.found.returned)}
        bases = [run.given for run in diverse(sorted(near.values(), key=lambda run: len(run.text)), _SWEEPS)]
        plan = sweeps(bases, explorer.may_be_sent)
        names = [parameter.name for parameter in explorer.shape.parameters]
        rows: list[list[Any]] = []
        for sweep in plan:
            place = cast("int", sweep.path[0])
            way = [names[place] if explorer.shape.named else place, *sweep.path[1:]]
            rows.append(
                [arguments_tree(explorer.shape, sweep.base), tree_of(way), [tree_of(value) for value in sweep.values]]
            )
        if not rows:
            return
        program = replace(self.program, entry_point="_ts_sweep")
        numbers = json.dumps([mutant.number for mutant in alive])
        result = await self.sandbox.run_cases(
            program, [f"[{dump(rows)},{numbers},{self.mode},{_SWEEP_STEPS}]"], limits=_LIMITS
        )
        self.cpu_s += result.cpu_s
        answers = _answers(result.outcomes[0].value, 3) if result.outcomes[0].outcome == "returned" else None
        before = len(explorer.found.returned)
        await explorer.run(
            [
                plan[int(number)].at(int(place))
                for _, number, place in answers or []
                if 0 <= int(number) < len(plan) and 0 <= int(place) < len(plan[int(number)].values)
            ]
        )
        fresh = explorer.found.returned[before:]
        if fresh:
            await self._run(alive, [], fresh)

    async def _shorten(self) -> None:
        """Look for short killers of what only long inputs kill: an example that nobody can read decides nothing."""
        asked = [mutant for mutant in (*self.matrix.counted(), *self.matrix.readings()) if self._killer(mutant)]
        for _ in range(_SHORTENED):
            by_text = {run.text: run for run in self.explorer.found.returned}
            long = [mutant for mutant in asked if len(self._killer(mutant)) > _READABLE]
            killers = dict.fromkeys(map(self._killer, long))
            bases = [by_text[text] for text in sorted(killers, key=len) if text in by_text][:_SHORTENED]
            if not bases:
                return
            before = len(self.explorer.found.returned)
            await self.explorer.run([made for run in bases for made in smaller(run.given)])
            fresh = sorted(self.explorer.found.returned[before:], key=lambda run: len(run.text))
            if not fresh:
                return
            shortest = [len(self._killer(mutant)) for mutant in long]
            await self._run(long, [], fresh)
            if [len(self._killer(mutant)) for mutant in long] == shortest:
                return

    def _killer(self, mutant: Mutant) -> str:
        """The shortest input that kills a mutant; empty where none does."""
        return min(self.matrix.killers.get(mutant.number, ()), key=lambda text: (len(text), text), default="")

    async def _exhaust(self) -> None:
        """Prove survivors that differ on a few values of one parameter only, by running them on all of these."""
        parameters = {parameter.name: parameter for parameter in self.explorer.shape.parameters}
        plan: list[list[Any]] = []
        for mutant in self.matrix.survivors():
            if mutant.differs_on is None:
                continue
            name, values = mutant.differs_on
            parameter = parameters.get(name)
            if parameter is None or parameter.variadic or (not self.explorer.portable and _open(parameter.shape)):
                continue
            if any(_may_hold(parameter, value) for value in mutant.differs_beyond):
                continue
            plan.append([mutant.number, [self._held(name, value) for value in values if _may_hold(parameter, value)]])
        if not plan:
            return
        program = replace(self.program, entry_point="_ts_exhaust")
        result = await self.sandbox.run_cases(program, [f"[{json.dumps(plan)},{self.mode}]"], limits=_LIMITS)
        self.cpu_s += result.cpu_s
        asked = {mutant.number: mutant.differs_on for mutant in self.matrix.survivors()}
        try:
            alike: list[object] = json.loads(result.outcomes[0].value) if result.outcomes[0].value else []
        except ValueError:
            return
        for number in alike:
            if isinstance(number, int) and (found := asked.get(number)):
                self.matrix.prove(number, f"it differs for {found[0]} without anything in it, and gives the same there")

    def _held(self, name: str, value: object) -> list[Any]:
        """An input with a value for one parameter, and the places of the others, which may hold anything."""
        shape = self.explorer.shape
        others = [parameter for parameter in shape.parameters if not parameter.variadic and parameter.name != name]
        if shape.named:
            return [{name: tree_of(value)}, [parameter.name for parameter in others]]
        given = [
            tree_of(value) if parameter.name == name else None
            for parameter in shape.parameters
            if not parameter.variadic
        ]
        return [given, [place for place, parameter in enumerate(shape.parameters) if parameter in others]]

    async def _run(self, mutants: Sequence[Mutant], always: Sequence[Run], later: Sequence[Run]) -> None:
        runs = [*always, *later]
        places = {run.text: place for place, run in enumerate(runs)}
        plan: list[list[Any]] = []
        for mutant in mutants:
            near = [places[run.text] for run in reachers(self.explorer.found, mutant, later)] if later else []
            plan.append([mutant.number, list(range(len(always))), near, mutant.number in self.matrix.unfinished])
        # Several calls, so that a mutant which stops the process takes only its neighbours' answers along.
        size = max(1, -(-len(plan) // 3))
        await self._ask(runs, [plan[start : start + size] for start in range(0, len(plan), size)])

    async def _ask(self, runs: Sequence[Run], plans: list[list[list[Any]]]) -> None:
        inputs = f"[{','.join(run.text for run in runs)}]"
        spare = self.explorer.steps // 50
        fresh = _FRESH
        while plans:
            cases = [f"[{inputs},{json.dumps(plan)},{KILLERS},{self.mode},{spare}]" for plan in plans]
            result = await self.sandbox.run_cases(self.program, cases, limits=_LIMITS)
            self.cpu_s += result.cpu_s
            again: list[list[list[Any]]] = []
            left: list[list[Any]] = []
            for plan, outcome in zip(plans, result.outcomes, strict=True):
                answers = _answers(outcome.value, 4) if outcome.outcome == "returned" else None
                if answers is not None:
                    for mutant, killers, tried, stopped in answers:
                        self.matrix.add(
                            mutant, [runs[int(place)].text for place in killers if place < len(runs)], tried
                        )
                        if stopped:
                            self.matrix.unfinished.add(mutant)
                    # Nothing follows what left the process other than it was: another one is asked for the rest.
                    answered = {answer[0] for answer in answers}
                    left.extend(each for each in plan if each[0] not in answered)
                elif len(plan) == 1:
                    # It stopped the whole process, which may be the fault of this place: nothing is shown.
                    self.matrix.unfinished.add(plan[0][0])
                else:
                    step = max(1, len(plan) // 6)
                    again.extend(plan[start : start + step] for start in range(0, len(plan), step))
            if left and fresh:
                again.append(left)
            elif left:
                self.keeps = True
                self.matrix.unfinished.update(each[0] for each in left)
            fresh -= bool(left)
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
            for line in sorted({mutant.line for mutant in survivors if _compares(mutant)})
            for recent in [found.returned[-1500:]]
        }
        inputs: list[Input] = []
        while len(inputs) < self.explorer.effort.gate_batch:
            mutant = survivors[len(inputs) % len(survivors)]
            near = parents[mutant.number]
            base = rng.choice(near)
            roll = rng.random()
            made: Input | None = None
            if _compares(mutant) and roll < 0.4 and compared[mutant.line]:
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
        # What a proof excludes is watched like the rest: a run may refute it.
        mutants = [mutant for mutant in self.matrix.mutants if not mutant.reading]
        alive = [mutant for mutant in mutants if not self.matrix.killers.get(mutant.number)]
        survivors = [mutant for mutant in alive if mutant.number in self.watched]
        if not survivors or not runs:
            return
        inputs = f"[{','.join(run.text for run in runs)}]"
        numbers = json.dumps([mutant.number for mutant in survivors])
        result = await self.sandbox.run_cases(self.watch, [f"[{inputs},{numbers}]"], limits=_LIMITS)
        self.cpu_s += result.cpu_s
        rows = _answers(result.outcomes[0].value, 3) if result.outcomes[0].outcome == "returned" else None
        by_number = {mutant.number: mutant for mutant in survivors}
        for number, places, came in rows or []:
            if number in by_number:
                infected = [runs[int(place)].text for place in places if place < len(runs)]
                self.matrix.watch(by_number[number], infected, came)


def _may_hold(parameter: ParameterShape, value: object) -> bool:
    """Whether a value is one that a parameter may hold, by its kind or by its default."""
    return fits(value, parameter.shape) or any(type(value) is type(default) for default in parameter.default)


def _open(shape: Shape) -> bool:
    """Whether a parameter takes values of libraries, or of kinds that nobody named."""
    return any(isinstance(option, (AnyShape, OpaqueShape, LibraryShape)) for option in options_of(shape))


def _compares(mutant: Mutant) -> bool:
    """Whether a mutant differs by what a comparison, or a regular expression, says of its operands."""
    return mutant.operator in _COMPARED or any(f"{name}(" in mutant.change for name in _MATCHING)


def _equal(seen: Operands) -> Operands:
    """A comparison as if it had asked for equal sides: there lies the boundary."""
    if seen.op in {"<", "<=", ">", ">=", "!="}:
        return replace(seen, op="==")
    return replace(seen, op="len==") if seen.op in {"len<", "len<=", "len>", "len>=", "len!="} else seen


def _answers(value: str, columns: int) -> list[list[Any]] | None:
    try:
        rows: list[list[Any]] = json.loads(value)
        return rows if all(len(row) == columns and isinstance(row[0], int) for row in rows) else None
    except (ValueError, TypeError):
        return None
