"""Searches the inputs of one ground truth: draws, runs them in the sandbox, and steers by what was reached."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

from pbt_generator.domain.inputs.domains.domain import InputDomain, limited
from pbt_generator.domain.inputs.drawing.edge_inputs import edge_inputs
from pbt_generator.domain.inputs.drawing.sampling import Sampler, probe_shapes
from pbt_generator.domain.inputs.drawing.strategies import draw_inputs, with_matching_texts
from pbt_generator.domain.inputs.drawing.variation import Variation
from pbt_generator.domain.inputs.families import without
from pbt_generator.domain.inputs.fitting import fits, input_fits, is_numeric_text, numeric_texts, shared_numbers
from pbt_generator.domain.inputs.noise import asks_kinds, mixes_kinds, useful_kinds
from pbt_generator.domain.inputs.portable import (
    UnportableError,
    arguments_tree,
    dump,
    has_negative_zero,
    shared_by_languages,
)
from pbt_generator.domain.inputs.shapes import (
    InputShape,
    NoneShape,
    Shape,
    UnionShape,
    options_of,
    shared_kinds,
    union,
)
from pbt_generator.domain.inputs.steering import checked_inputs, next_inputs, sees_few, seldom
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.kills import diverse
from pbt_generator.domain.oracle.orders import has_orders, in_key_order, with_other_maps
from pbt_generator.domain.oracle.probes import Instrumented
from pbt_generator.domain.oracle.runs import (
    MAX_RESULT,
    RAISED,
    RETURNED,
    TOO_LONG,
    Exploration,
    Input,
    Operands,
    Run,
    fresh_texts,
)
from pbt_generator.domain.oracle.selection import capacity
from pbt_generator.domain.task.neutral import has_usual_keys, own_spelling, texts_of, usual_keys
from pbt_generator.ports import ForeignProgram, Harness, RunLimits, Sandbox

_ENTRY = "_ts_explore"
# Inputs from which those at edges are made.
_BASES = 40
# Inputs with maps that are tried with their entries turned round.
_TURNED = 80
# Rounds of looking outside the domain for inputs that a guard refuses.
_REFUSED_ROUNDS = 4
# Kinds of values whose inputs return so much of the best share serve alike.
_ALIKE = 0.8
_STEPS = 20_000
_ARRAY_STEPS = 2_000  # Each costs as much as many plain ones.
# Whoever reads numbers meets spellings that only Python takes; who cuts texts at underscores needs these texts.
_READS_NUMBERS = re.compile(r"\b(?:int|float)\b")
_SPLITS = re.compile(r"['\"]_['\"]")
_NON_FINITE = ("isnan", "isinf", "isfinite")
# Little memory: an input that fills it shall do so soon.
_LIMITS = RunLimits(
    case_timeout_s=10.0, total_timeout_s=60.0, memory_bytes=256 * 1024 * 1024, output_bytes=32 * 1024 * 1024
)


@dataclass(frozen=True)
class Effort:
    """How much is tried; counts only, so that the same function always gets the same search.

    Attributes:
        drawn: inputs drawn with Hypothesis in the first round.
        batch: inputs per round.
        chunk: inputs per call of the sandbox.
        least_rounds: rounds that are always made.
        most_rounds: rounds after which the search gives up on what is still missing.
        edges: inputs at edges, made from those that returned.
        pool: returning inputs wanted before the search may end.
        gate_rounds: rounds of looking for killers of surviving mutants.
        most_gate_rounds: such rounds where fewer are killed than a release asks for.
        gate_batch: inputs of each of these rounds.
        swept: mutants of numbers for which many values of one place are tried.
        without: rule families of the search that are left out, see `domain.inputs.families`.
        least_capacity: size of the suite that the results seen should allow; below it, rare results are looked for.
    """

    drawn: int = 80
    batch: int = 260
    chunk: int = 130
    least_rounds: int = 3
    most_rounds: int = 14
    edges: int = 400
    pool: int = 620
    least_capacity: int = 260
    gate_rounds: int = 3
    most_gate_rounds: int = 8
    gate_batch: int = 220
    swept: int = 6
    without: frozenset[str] = frozenset()


# For programs whose imports alone take long: the same number of inputs in fewer jobs.
FEW_JOBS = Effort(
    batch=420, chunk=420, least_rounds=1, most_rounds=7, gate_rounds=2, most_gate_rounds=5, gate_batch=300
)


class Explorer:
    """Runs inputs of one function and keeps what they did.

    Args:
        sandbox: Where foreign code runs.
        harness: Program texts to put before the ground truth.
        program: The instrumented ground truth.
        entry_point: The function's name.
        shape: Its inputs.
        seed: Decides every choice.
        portable: Inputs and results stay inside what five languages share.
        effort: How much is tried.
        modules: What the program imports, top-level names.
        key_order: Maps are given in ascending order of their keys, since the function reads their order. Found out by
            the search itself where it is not said.
        domain: What callers may send: what returns outside of it is never kept.
    """

    def __init__(
        self, sandbox: Sandbox, harness: Harness, program: Instrumented, entry_point: str, shape: InputShape, seed: int,
        *, portable: bool, effort: Effort, modules: frozenset[str] = frozenset(), key_order: bool = False,
        domain: InputDomain | None = None,
    ) -> None:  # fmt: skip
        texts = [program.source, with_other_maps(program.source, entry_point)]
        self.foreign, self.turned = (
            ForeignProgram(with_harness(text, entry_point, harness.explore), _ENTRY) for text in texts
        )
        self.key_order = key_order
        self._scout: Callable[[], Explorer] = lambda: Explorer(
            sandbox, harness, program, entry_point, shape, seed, portable=portable, effort=effort,
            modules=modules, key_order=self.key_order,
        )  # fmt: skip
        self.sandbox = sandbox
        self.seed = seed
        self.portable = portable
        self.effort = effort
        self.modules = modules
        self.found = Exploration(program, 0 if portable else 1)
        self.domain = domain
        own = without(shape.mapped(shared_kinds) if portable else shape, effort.without)
        self.shape = with_matching_texts(limited(own, domain) if domain is not None else own)
        self.sampler = Sampler(self.shape, seed, portable=portable)
        self.sampler.non_finite = not portable and any(word in program.source for word in _NON_FINITE)
        self.usual: dict[str, str] = {}
        self.reads_numbers = bool(_READS_NUMBERS.search(program.source)) and not _SPLITS.search(program.source)
        self.asks_kinds = asks_kinds(program.source)
        self.steps = _ARRAY_STEPS if modules & {"numpy", "pandas", "scipy"} else _STEPS
        self.cpu_s = 0.0
        self.broken = ""
        # Comparisons whose operands are reported though their goals have enough cases.
        self.watched: frozenset[int] = frozenset()
        # Parameters for which words offer values that return: their kind is known.
        self.offered: frozenset[str] = frozenset()

    async def search(self) -> Exploration:
        """Run rounds until every goal has its cases, or the rounds are used up."""
        await self.run(self.first_inputs())
        if self.broken:
            return self.found
        if self.portable and not self.key_order and await self._reads_orders():
            # No order of a map is shared by five languages but the one of its keys.
            given, self.key_order = [run.given for run in self.found.runs], True
            self.found = Exploration(self.found.program, self.found.highest_portability)
            await self.run(given)
        self.settle()
        if self._want_other_kinds():
            await self.probe()
        await self._take_refused()
        await self._rounds(self.effort.most_rounds)
        if self._drop_useless():
            await self._rounds(self.effort.most_rounds // 2)
        await self._edges(self.found.returned, self.effort.edges)
        await self._seldom()
        if self.portable:
            self.usual = usual_keys([run.given for run in self.found.returned])
        # Late finds of the right kind may have made early ones of another kind superfluous.
        self.found.sort_again(self._strange)
        return self.found

    async def _take_refused(self) -> None:
        """Reach branches that only raise by inputs that no caller sends; of those only the ones that raise are kept.

        A guard is a source of the domain, so nothing inside comes past it; its branch is the function's all the same.
        """
        wanted = sorted(goal.number for goal in self.found.missing() if goal.raises)
        if self.domain is not None and wanted and not self.broken:
            scout = self._scout()
            self.found.add(await scout.raising(wanted))
            self.cpu_s += scout.cpu_s

    async def raising(self, wanted: Sequence[int]) -> list[Run]:
        """Runs that raise behind each of these branches, as far as some rounds find any."""
        inputs = [*self.first_inputs(), *self.of_other_kinds()]
        for _ in range(_REFUSED_ROUNDS):
            await self.run(inputs)
            if self.broken or all(self.found.reached_raising[number] for number in wanted):
                break
            inputs = next_inputs(self.found, self.sampler, self.effort.batch)
        there = [[run for run in self.found.raised if number in run.goals][:2] for number in wanted]
        return list({run.text: run for runs in there for run in runs}.values())

    def of_other_kinds(self) -> list[Input]:
        """Inputs with one argument of each kind that a parameter is not of."""
        inputs: list[Input] = []
        for place, parameter in enumerate(self.shape.parameters):
            for kind in probe_shapes(parameter.shape, self.modules, portable=self.portable):
                inputs.append(self._with_kind(self.sampler.input(), place, kind))
        return inputs

    def _with_kind(self, given: Input, place: int, kind: Shape) -> Input:
        value = self.sampler.value(kind)
        return (*given[:place], (value,) if self.shape.parameters[place].variadic else value, *given[place + 1 :])

    async def take(self, inputs: Sequence[Input], shape: InputShape) -> Exploration:
        """Search on with inputs and shapes that somebody proposed; they count only for what they do."""
        self.shape = self.sampler.shape = with_matching_texts(shape)
        await self.run(inputs)
        await self._rounds(self.effort.most_rounds // 2)
        self.found.sort_again(self._strange)
        return self.found

    async def _reads_orders(self) -> bool:
        """Whether some result is another one when the maps of its input have their entries turned round."""
        runs = [run for run in self.found.returned if has_orders(run.given)][:_TURNED]
        if not runs:
            return False
        (answers,) = await self._call(self.turned, [[(run.given, run.text) for run in runs]], [], self.steps)
        others = answers if answers is not None else []
        return any(
            (run.status, run.mark) != (other.status, other.mark) for run, other in zip(runs, others, strict=False)
        )

    async def _rounds(self, most: int) -> None:
        idle = 0
        for turn in range(most):
            if self.broken or self._finished(turn, idle):
                break
            fresh = await self.run(next_inputs(self.found, self.sampler, self.effort.batch))
            idle = 0 if fresh else idle + 1
            if turn == 3 and self.found.return_rate() < 0.05:
                await self.probe()

    def _want_other_kinds(self) -> bool:
        """Whether inputs may fail for their kinds: ten that return and reach every branch show the right one."""
        few = self.found.return_rate() < 0.25 or len(self.found.returned) < 20
        return few and (len(self.found.returned) < 10 or bool(self.found.missing()))

    def settle(self) -> None:
        """Choose among kinds that use does not tell apart: whose inputs return most often, earlier ones first."""
        changed = False
        for place, parameter in enumerate(self.shape.parameters):
            shape = parameter.shape
            if not (isinstance(shape, UnionShape) and shape.guessed) or parameter.variadic:
                continue
            rates: list[float] = []
            for option in shape.options:
                runs = [run for run in self.found.runs if fits(run.given[place], option)]
                good = sum(run.status == RETURNED and run.portability <= self.found.highest_portability for run in runs)
                rates.append(good / len(runs) if len(runs) >= 5 else 0.0)
            if max(rates) < 0.2:
                continue
            pairs = list(zip(shape.options, rates, strict=True))
            chosen = next(option for option, rate in pairs if rate >= 0.75 * max(rates))
            # Who converts to a number is mostly given a text, though a number returns more often.
            written = (option for option, rate in pairs if rate >= 0.3 and is_numeric_text(option))
            chosen = next(written, chosen)
            nullable = NoneShape() in shape.options and not isinstance(chosen, NoneShape)
            self._reshape(place, union(chosen, NoneShape()) if nullable else chosen)
            changed = True
        if changed:
            self.found.sort_again(self._strange)

    def _drop_useless(self) -> bool:
        """Leave out kinds of what nobody declared or sends that serve only where the value is not used."""
        known = self.offered | (self.domain.declared if self.domain is not None else frozenset[str]())
        before = self.shape
        for place, parameter in enumerate(self.shape.parameters):
            shape = parameter.shape
            if parameter.name in known or parameter.variadic or self.shape.examples or self.asks_kinds:
                continue
            kinds = useful_kinds(self.found, place, options_of(shape))
            if kinds:
                self._reshape(place, union(*kinds))
        if self.shape != before:
            self.found.sort_again(self._strange)
        return self.shape != before

    async def _edges(self, runs: Sequence[Run], count: int) -> None:
        """Run inputs at the edges of some that returned."""
        bases = [run.given for run in diverse(runs, _BASES)]
        pieces, rng = self.sampler.texts.pieces, self.sampler.rng
        await self.run(edge_inputs(bases, pieces, rng, count, self.may_be_sent, portable=self.portable))

    async def _seldom(self) -> None:
        """Look for a result that is hardly ever seen, and near it."""
        if sees_few(self.found):
            await self.run(checked_inputs(self.found, self.sampler.texts.pieces))
            await self.run(checked_inputs(self.found, self.sampler.texts.pieces, again=True))
            await self._edges(seldom(self.found), self.effort.edges // 2)

    def may_be_sent(self, given: Input) -> bool:
        """Whether an input is inside the domain, and of the kinds that are known for each parameter."""
        return (self.domain is None or self.domain.holds(given)) and input_fits(given, self.shape)

    def _strange(self, given: Input) -> bool:
        usual = input_fits(given, self.shape) and has_usual_keys(given, self.usual)
        return not usual or (not self.asks_kinds and mixes_kinds(given, self.shape))

    def _finished(self, turn: int, idle: int) -> bool:
        found = self.found
        if turn < self.effort.least_rounds:
            return False
        if not found.returned:
            return turn >= 5
        missing = found.missing()
        if missing:
            return False
        if capacity(found.marks) < self.effort.least_capacity and turn < self.effort.most_rounds // 2 and idle < 3:
            return False
        if len(found.returned) >= self.effort.pool and (not found.scarce() or idle >= 1):
            return True
        # A small space of inputs is exhausted: further rounds find nothing new.
        return idle >= 3

    def first_inputs(self) -> list[Input]:
        """Real inputs and their neighbours, all defaults, what Hypothesis draws, and what the sampler draws."""
        inputs: list[Input] = list(self.shape.examples)
        variation = Variation(self.sampler)
        for turn in range(self.effort.batch // 3 if inputs else 0):
            given = self.shape.examples[turn % len(self.shape.examples)]
            inputs.append(variation.vary(given, self.sampler.rng.choice(self.shape.examples)))
        inputs.extend(draw_inputs(self.shape, self.sampler, self.effort.drawn, self.seed))
        while len(inputs) < self.effort.batch:
            inputs.append(self.sampler.input())
        return inputs

    async def run(self, inputs: Sequence[Input]) -> int:
        """Run inputs that are new; gives how many reached something for the first time."""
        texts = fresh_texts(self.found, [pair for pair in map(self._text, inputs) if pair is not None])
        chunks = [texts[start : start + self.effort.chunk] for start in range(0, len(texts), self.effort.chunk)]
        need = sorted({goal.number for goal in self.found.scarce()} | self.watched)
        fresh, steps = 0, self.steps
        while chunks:
            answers = await self._call(self.foreign, chunks, need, steps)
            again: list[list[tuple[Input, str]]] = []
            for chunk, runs in zip(chunks, answers, strict=True):
                if runs is not None:
                    fresh += self.found.add(runs)
                    # Large numbers that only make large results cost much and become no cases.
                    self.sampler.large = self.sampler.large and all(run.size <= MAX_RESULT for run in runs)
                    self.sampler.growing = self.sampler.growing and all(run.status != TOO_LONG for run in runs)
                elif len(chunk) == 1:
                    given, text = chunk[0]
                    self.found.add([Run(given, text, TOO_LONG, frozenset(), (), 0, 2, "", 0, 0)])
                else:
                    # One of these inputs stopped the process: fewer at once, until it stands alone. Endless loops that
                    # fill the memory do so; fewer steps end them earlier, for the rest of these inputs.
                    steps = max(300, self.steps // 8)
                    step = max(1, len(chunk) // 6)
                    again.extend(chunk[start : start + step] for start in range(0, len(chunk), step))
            chunks = again
            if self.broken:
                break
        return fresh

    def written(self, inputs: Sequence[Input]) -> dict[str, Input]:
        """Inputs as the runs have them, by their texts; those that cannot be written or lie outside are left out."""
        return {pair[1]: pair[0] for pair in map(self._text, inputs) if pair is not None}

    def _text(self, given: Input) -> tuple[Input, str] | None:
        if self.domain is not None and not self.domain.holds(given):
            return None
        if self.portable:
            pairs = zip(given, self.shape.parameters, strict=True)
            given = tuple(shared_numbers(value, parameter.shape) for value, parameter in pairs)
            given = cast("Input", in_key_order(given)) if self.key_order else given
        try:
            tree = arguments_tree(self.shape, given)
        except (UnportableError, RecursionError):
            return None
        if self.portable:
            parts: list[Any] = list(cast("dict[str, Any]", tree).values()) if isinstance(tree, dict) else tree
            # A text made of a negative zero has a sign that not every language's table of cases can tell.
            if any(shared_by_languages(part) or has_negative_zero(part) for part in parts):
                return None
            if self.reads_numbers and any(map(own_spelling, texts_of(tree))):
                return None
        text = dump(tree)
        return (given, text) if len(text) <= 8000 else None

    async def _call(
        self, program: ForeignProgram, chunks: Sequence[Sequence[tuple[Input, str]]], need: list[int], steps: int
    ) -> list[list[Run] | None]:
        cases = [f"[[{','.join(text for _, text in chunk)}],{json.dumps(need)},{steps}]" for chunk in chunks]
        result = await self.sandbox.run_cases(program, cases, limits=_LIMITS)
        self.cpu_s += result.cpu_s
        answers: list[list[Run] | None] = []
        for chunk, outcome in zip(chunks, result.outcomes, strict=True):
            if outcome.outcome != "returned":
                if outcome.error_type and all(other.error_type == outcome.error_type for other in result.outcomes):
                    self.broken = f"{outcome.error_type}: {outcome.error_message}"
                answers.append(None)
                continue
            answers.append(self._runs(chunk, outcome.value))
        return answers

    def _runs(self, chunk: Sequence[tuple[Input, str]], value: str) -> list[Run] | None:
        """Read what the harness returned; None when it is not what the harness writes."""
        try:
            rows: list[list[Any]] = json.loads(value)
            if len(rows) != len(chunk):
                return None
            return [
                Run(
                    given, text, int(row[0]), frozenset(map(int, row[1])),
                    tuple(Operands(int(site), str(op), left, right) for site, op, left, right in row[2]),
                    int(row[3]), int(row[4]), str(row[5]), int(row[6]), int(row[7]), self._strange(given),
                )
                for (given, text), row in zip(chunk, rows, strict=True)
            ]  # fmt: skip
        except (ValueError, TypeError, IndexError, KeyError):
            return None

    async def probe(self) -> None:
        """Find kinds of values that the function takes, parameter by parameter, where too few inputs return.

        Every candidate kind is tried with a few inputs; the kinds that return most often, or that fail latest, become
        the parameter's shape. Two turns, since one parameter's kind may decide what another one does.
        """
        for turn in range(2):
            for place, parameter in enumerate(self.shape.parameters):
                declared = self.domain is not None and parameter.name in self.domain.declared
                if declared or parameter.name in self.offered or (parameter.certain and turn == 0):
                    continue
                ranked = await self._rank(place)
                if not ranked:
                    continue
                best = max(score for score, _ in ranked)
                own = next((score for score, shape in ranked if shape == parameter.shape), 0.0)
                if best <= 0 or (parameter.certain and own >= 0.25 * best):
                    # What is known for certain stands as long as some of its values are taken.
                    continue
                kept = [shape for score, shape in ranked if score >= best * _ALIKE][: 1 if self.portable else 2]
                written = numeric_texts(parameter.shape)
                if written and any(score >= 0.2 * best for score, shape in ranked if shape == parameter.shape):
                    # Who converts to a number is mostly given a text, though a number returns more often.
                    kept = written
                self._reshape(place, union(*kept))
                self.found.sort_again(self._strange)
            if self.found.return_rate() > 0.3:
                break

    async def _rank(self, place: int) -> list[tuple[float, Shape]]:
        candidates = probe_shapes(self.shape.parameters[place].shape, self.modules, portable=self.portable)
        pairs: list[tuple[int, Input]] = []
        partners = [run.given for run in self.found.returned[-8:]]
        for number, candidate in enumerate(candidates):
            for turn in range(7):
                given = partners[turn % len(partners)] if partners and turn % 2 else self.sampler.input()
                pairs.append((number, self._with_kind(given, place, candidate)))
        before = len(self.found.runs)
        texts = [self._text(given) for _, given in pairs]
        owners = {text[1]: number for (number, _), text in zip(pairs, texts, strict=True) if text is not None}
        await self.run([given for _, given in pairs])
        totals: dict[int, list[float]] = {}
        for run in self.found.runs[before:]:
            if run.text in owners:
                depth = len(run.goals) * 0.02
                good = run.status == RETURNED and run.portability <= self.found.highest_portability
                totals.setdefault(owners[run.text], []).append(1.0 + depth if good else depth)
        ranked = [(sum(scores) / len(scores), number) for number, scores in totals.items()]
        # Of kinds that serve alike the likeliest comes first: a few inputs do not tell more.
        best = max((score for score, _ in ranked), default=0.0)
        ranked.sort(key=lambda each: (each[0] < best * _ALIKE, each[1]))
        return [(score, candidates[number]) for score, number in ranked]

    def _reshape(self, place: int, shape: Shape) -> None:
        self.shape = self.sampler.shape = self.shape.with_shape(place, shape)


__all__ = ["RAISED", "Effort", "Explorer"]
