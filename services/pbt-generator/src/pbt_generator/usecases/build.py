"""From one function to a task or a refusal: search, select, verify, mutate, certify."""

from __future__ import annotations

import ast
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pbt_generator.domain.inputs.domains.domain import InputDomain, input_domain, opened
from pbt_generator.domain.inputs.domains.given import given_kinds
from pbt_generator.domain.inputs.inference.demands import missing_attribute, needed_by_test, needed_objects
from pbt_generator.domain.inputs.inference.records import with_maps_for_objects
from pbt_generator.domain.inputs.inference.signature import (
    Program,
    UnreadableProgramError,
    input_shape,
    read_program,
    takes_places_alone,
)
from pbt_generator.domain.inputs.leaving_out import shorter_calls
from pbt_generator.domain.inputs.operations import with_operations
from pbt_generator.domain.inputs.portable import with_uniform_maps
from pbt_generator.domain.inputs.shapes import InputShape, opaque_name
from pbt_generator.domain.oracle.branches import lines_inside, own_nodes, raising_inputs
from pbt_generator.domain.oracle.certificate import Certificate
from pbt_generator.domain.oracle.counting import coverage_of, mutation_of, readings_of, weight_of
from pbt_generator.domain.oracle.driver import driver_of
from pbt_generator.domain.oracle.mutation.kills import KillMatrix
from pbt_generator.domain.oracle.probes import Goal, instrument
from pbt_generator.domain.oracle.proofs.unreachable import is_of_unused, unreachable_reason, unused_and_ran
from pbt_generator.domain.oracle.runs import Exploration, Run
from pbt_generator.domain.oracle.selection import MAX_CASES, MIN_CASES, select, spread_of, within_share
from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.ports import Advisor, Comparison, Freezer, FrozenSuite, Harness, Sandbox, Tables
from pbt_generator.usecases.advised import Advised
from pbt_generator.usecases.candidates import BUILDER, Candidate, seed_of
from pbt_generator.usecases.certify import TRUTH, Certifier, SuiteFacts
from pbt_generator.usecases.explore import FEW_JOBS, Effort, Explorer
from pbt_generator.usecases.further import further
from pbt_generator.usecases.gate import Gate
from pbt_generator.usecases.ordinary import with_offered, with_ordinary
from pbt_generator.usecases.provenance import inputs_of, nearness_of, ranks, told_apart, traced_of, with_real
from pbt_generator.usecases.replaying import Replayer
from pbt_generator.usecases.robustness import Robustness, measure_robustness, outside

LEAST_MUTATION_SCORE = 0.95
# Inputs that raise, as many as show what a function refuses.
_REFUSED = 600
# Libraries whose import alone takes a good part of a second; numpy and pandas are loaded already where jobs start.
_SLOW_IMPORTS = {"scipy", "sklearn", "sympy", "networkx", "torch", "matplotlib", "nltk", "tensorflow"}


@dataclass(frozen=True)
class Case:
    """One input and what the ground truth returned, as portable texts; equal ways took the same branches."""

    arguments: str
    expected: str
    way: int = 0


@dataclass(frozen=True)
class BuiltSuite:
    """A certified suite.

    Attributes:
        program: The ground truth, parsed.
        shape: What its inputs look like, after everything that running taught.
        cases: In order of power.
        suite: Frozen form.
        certificate: What was proved.
        cpu_s: CPU-seconds of this process and of the sandbox's jobs.
        robustness: What the ground truth does outside of its domain, apart from the suite.
        rank: How real the input of each case is: 0 callers send it, 1 it is near such a one, 2 neither.
        told_apart: Per mutant and reading the places of cases that tell it from the ground truth.
    """

    program: Program
    shape: InputShape
    cases: tuple[Case, ...]
    suite: FrozenSuite
    certificate: Certificate
    cpu_s: float
    robustness: Robustness = field(default_factory=Robustness)
    rank: tuple[int, ...] = ()
    told_apart: tuple[frozenset[int], ...] = ()


@dataclass(frozen=True)
class RefusedSuite:
    """No suite, why, and how far it came."""

    refusal: Refusal
    cpu_s: float
    branch_coverage: float = 0.0
    cases: int = 0
    mutation_score: float = -1.0


@dataclass(frozen=True)
class Workshop:
    """What building needs from outside.

    Attributes:
        sandbox: The only place where foreign code runs.
        harness: Program texts for it.
        freezer: Freezes suites.
        tables: Writes table programs; None leaves other languages unproved.
        proposer: A language model that is asked for inputs where the search found too little, and for wrong programs
            that the suite must tell apart; None asks nobody.
        effort: How much is tried.
        cpu_clock: CPU-seconds of this process; measures, never decides.
    """

    sandbox: Sandbox
    harness: Harness
    freezer: Freezer
    tables: Tables | None = None
    proposer: Advisor | None = None
    effort: Effort = field(default_factory=Effort)
    cpu_clock: Callable[[], float] = time.process_time


async def build_suite(candidate: Candidate, workshop: Workshop) -> BuiltSuite | RefusedSuite:
    """Build and certify the suite of one function, or say why there is none."""
    return await _Building(candidate, workshop).run()


class _Building:
    def __init__(self, candidate: Candidate, workshop: Workshop) -> None:
        self.candidate = candidate
        self.workshop = workshop
        self.started = workshop.cpu_clock()
        self.seed = seed_of(candidate)
        self.explorer: Explorer | None = None
        self.gate: Gate | None = None
        self.certifier = Certifier(workshop.sandbox, workshop.tables, workshop.freezer)
        self.replayer = Replayer(workshop.sandbox, portable=candidate.portable)
        self.score = -1.0
        self.kept = 0
        self.advised = Advised(workshop.proposer, workshop.sandbox, candidate.kind)
        self.key_order = False
        self.as_maps: tuple[str, ...] = ()
        self.domain = InputDomain()
        self.spent = 0.0
        self.ordinary: tuple[str, ...] = ()

    def cpu_s(self) -> float:
        """CPU-seconds so far, in this process and in the sandbox."""
        parts = (self.replayer, self.certifier, self.advised, self.explorer, self.gate)
        own = self.workshop.cpu_clock() - self.started
        return self.spent + own + sum(part.cpu_s for part in parts if part is not None)

    def refused(self, reason: Reason, detail: str = "") -> RefusedSuite:
        """A refusal with what is known so far."""
        coverage = self.explorer.found.coverage() if self.explorer is not None and self.explorer.found.runs else 0.0
        return RefusedSuite(Refusal(reason, detail[:400]), self.cpu_s(), coverage, self.kept, self.score)

    async def run(self) -> BuiltSuite | RefusedSuite:
        """All steps in order."""
        candidate = self.candidate
        try:
            program = read_program(
                candidate.code, candidate.imports, candidate.name, candidate.calls, candidate.seen.calls
            )
        except UnreadableProgramError as error:
            return self.refused(Reason.UNREADABLE_SOURCE, str(error))
        program, self.as_maps = with_maps_for_objects(program, portable=candidate.portable)
        refusal = self._not_plain(program)
        if refusal is not None:
            return refusal
        shape = input_shape(program)
        self.domain = input_domain(program, shape, portable=candidate.portable)
        shape, self.domain = with_operations(program, shape, self.domain, portable=candidate.portable)
        rewritten = instrument(program.source, program.entry_point)
        explorer = self.explorer = Explorer(
            self.workshop.sandbox, self.workshop.harness, rewritten, program.entry_point, shape, self.seed,
            portable=candidate.portable, effort=self._effort(program),
            modules=frozenset(name.split(".")[0] for name in program.modules.values()), key_order=self.key_order,
            domain=self.domain,
        )  # fmt: skip
        await with_offered(program, explorer)
        found = await explorer.search()
        sent = any(not self.domain.holds(each) for each in shape.examples)
        if not found.returned and not explorer.broken and (sent or not found.runs):
            # A domain without an input that the function takes, when its callers send others, says nothing of it.
            self.domain = explorer.domain = opened(self.domain)
            found = await explorer.search()
        unreachable = self._unreachable(program, found)
        refusal = self._not_explored(program, shape, found, unreachable)
        if refusal is not None and await self.advised.lacking(refusal.refusal, program, explorer, unreachable):
            unreachable = self._unreachable(program, found)
            refusal = self._not_explored(program, shape, found, unreachable)
        if refusal is not None:
            return refusal
        await self.advised.mistaken(program, explorer)
        self.ordinary = await with_ordinary(program, explorer)
        gate = self.gate = Gate(
            self.workshop.sandbox, self.workshop.harness, program.source, program.entry_point, explorer,
            frozenset(lines_inside(program.source, [found.program.goals[number] for number in unreachable])),
            self._ran(program, found),
        )  # fmt: skip
        matrix = await gate.measure()
        matrix.others = self.advised.showing
        # The search for killers may have come to what the search for branches did not.
        ran = self._ran(program, found)
        matrix.refute(ran)
        unreachable = {
            number: reason
            for number, reason in unreachable.items()
            if not found.reached[number] and not (is_of_unused(reason) and found.program.goals[number].line in ran)
        }
        return await self._finish(program, found, matrix, unreachable)

    def _effort(self, program: Program) -> Effort:
        """How much is tried: a program that imports much gets fewer jobs with more inputs each."""
        heavy = {name.split(".")[0] for name in program.modules.values()} & _SLOW_IMPORTS
        return FEW_JOBS if heavy and self.workshop.effort == Effort() else self.workshop.effort

    def _not_plain(self, program: Program) -> RefusedSuite | None:
        tree = program.tree
        arguments = tree.args
        if isinstance(tree, ast.AsyncFunctionDef):
            return self.refused(Reason.NOT_A_PLAIN_FUNCTION, "it is a coroutine")
        if self.candidate.form in {"method", "class"} and arguments.args and arguments.args[0].arg in {"self", "cls"}:
            return self.refused(Reason.NOT_A_PLAIN_FUNCTION, f"it needs an instance ({arguments.args[0].arg})")
        own = [node for statement in tree.body for node in own_nodes(statement)]
        if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in own):
            return self.refused(Reason.NOT_A_PLAIN_FUNCTION, "it is a generator")
        if self.candidate.portable and arguments.vararg is not None:
            return self.refused(Reason.INEXPRESSIBLE_SIGNATURE, f"*{arguments.vararg.arg}")
        required = [
            each.arg for each, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if not default
        ]
        if takes_places_alone(arguments) and required:
            return self.refused(Reason.INEXPRESSIBLE_SIGNATURE, f"{required[0]} by name, others by place alone")
        if not (arguments.posonlyargs or arguments.args or arguments.kwonlyargs or arguments.vararg):
            return self.refused(Reason.CONSTANT_OUTPUT, "it takes no argument")
        needed = needed_objects(tree, program.modules, portable=self.candidate.portable)
        return self.refused(Reason.UNCONSTRUCTIBLE_INPUT, needed) if needed else None

    def _ran(self, program: Program, found: Exploration) -> frozenset[int]:
        """Lines of functions that are called unused and came to be run by an input that returned."""
        reached = (goal for goal in found.program.goals if found.reached[goal.number])
        return unused_and_ran(program.source, program.entry_point, reached)

    def _unreachable(self, program: Program, found: Exploration) -> dict[int, str]:
        """Missing branches that are proved unreachable, with the proof."""
        proofs: dict[int, str] = {}
        ran = self._ran(program, found)
        given = given_kinds(self.domain, portable=self.candidate.portable)
        for goal in found.missing():
            reason = unreachable_reason(program.source, program.entry_point, goal.line, goal.kind, goal.outcome, given)
            if reason and not (is_of_unused(reason) and goal.line in ran):
                proofs[goal.number] = reason
        # What lies inside an arm that nothing reaches is not reached either.
        inside = lines_inside(program.source, [found.program.goals[number] for number in proofs])
        for goal in found.missing():
            if goal.number not in proofs and goal.line in inside:
                proofs[goal.number] = "it lies in an arm that nothing reaches"
        return proofs

    def _not_explored(
        self, program: Program, shape: InputShape, found: Exploration, unreachable: dict[int, str]
    ) -> RefusedSuite | None:
        explorer = self.explorer
        assert explorer is not None
        if explorer.broken:
            return self.refused(Reason.CANNOT_LOAD, explorer.broken)
        opaque = next(
            (
                f"{p.name}: {name}"
                for p in shape.parameters
                for name in [opaque_name(p.shape)]
                if name and not p.default
            ),
            "",
        )
        if not found.returned:
            if found.unportable:
                kind, _ = found.unportable.most_common(1)[0]
                return self.refused(Reason.UNPORTABLE_RESULT, f"a result of type {kind}")
            if opaque:
                return self.refused(Reason.UNCONSTRUCTIBLE_INPUT, opaque)
            common = found.errors.most_common(1)
            modules, portable = program.modules, self.candidate.portable
            lacked = missing_attribute(common[0][0], modules=modules, portable=portable) if common else ""
            if lacked:
                return self.refused(Reason.UNCONSTRUCTIBLE_INPUT, f"an object with attribute '{lacked}'")
            return self.refused(
                Reason.NO_INPUT_ACCEPTED, f"most often {common[0][0]}" if common else "every call ran too long"
            )
        if opaque and (len(found.marks) < 2 or found.return_rate() < 0.3):
            return self.refused(Reason.UNCONSTRUCTIBLE_INPUT, opaque)
        if len(found.marks) < 2:
            needed = self._needed(program, found.missing())
            if needed:
                return self.refused(Reason.UNCONSTRUCTIBLE_INPUT, needed)
            return self.refused(Reason.CONSTANT_OUTPUT, f"{len(found.returned)} inputs gave one result")
        missing = [goal for goal in found.missing() if goal.number not in unreachable]
        if missing:
            return self._incomplete(program, found, missing, opaque)
        return None

    def _incomplete(self, program: Program, found: Exploration, missing: Sequence[Goal], opaque: str) -> RefusedSuite:
        lines = program.source.split("\n")
        shown = "; ".join(
            f"line {goal.line} ({lines[goal.line - 1].strip()[:60]}) {goal.outcome}"
            + (" — only by inputs that raise later" if found.reached_raising[goal.number] else "")
            for goal in missing[:4]
        )
        if found.unportable and sum(found.unportable.values()) > len(found.returned):
            kind, _ = found.unportable.most_common(1)[0]
            return self.refused(Reason.UNPORTABLE_RESULT, f"a result of type {kind}")
        if opaque and found.return_rate() < 0.5:
            return self.refused(Reason.UNCONSTRUCTIBLE_INPUT, opaque)
        needed = self._needed(program, missing)
        if needed:
            return self.refused(Reason.UNCONSTRUCTIBLE_INPUT, needed)
        return self.refused(Reason.COVERAGE_INCOMPLETE, shown)

    def _needed(self, program: Program, missing: Sequence[Goal]) -> str:
        """What the tests of branches that nothing reached ask of a parameter, where data cannot have it."""
        function = program.tree
        for goal in missing:
            if goal.outcome in {"true", "false"}:
                portable = self.candidate.portable
                needed = needed_by_test(function, program.modules, goal.line, goal.outcome, portable=portable)
                if needed:
                    return needed
        return ""

    async def _finish(
        self, program: Program, found: Exploration, matrix: KillMatrix, unreachable: dict[int, str]
    ) -> BuiltSuite | RefusedSuite:
        assert self.explorer is not None and self.gate is not None
        rank = ranks(self.explorer)
        chosen = select(
            found, matrix, MAX_CASES - len(self.ordinary), rank, self.gate.contrasted, self.gate.of_real,
            odd=self.gate.odd, wanted=self.advised.wanted,
        )  # fmt: skip
        first = with_real(found, chosen, rank, self.ordinary)
        verified = await self._verified(program, first, await further(self.explorer, first, self.gate.odd))
        if isinstance(verified, RefusedSuite):
            return verified
        runs = within_share([run for run, _ in verified], matrix)
        expected = {run.text: text for run, text in verified}
        self.kept = len(runs)
        exhausted = len(found.returned) < 2 * MIN_CASES
        if len(runs) < (4 if exhausted else MIN_CASES):
            spread = spread_of(found.returned)
            if not exhausted and not spread.holds:
                return self.refused(
                    Reason.OUTPUT_DOMINATED, f"one result makes up {spread.largest:.0%} of what was seen"
                )
            return self.refused(Reason.TOO_FEW_CASES, f"{len(runs)} cases")
        spread = spread_of(runs)
        if spread.distinct < 2:
            return self.refused(Reason.CONSTANT_OUTPUT, "every case has the same result")
        if not spread.holds and len(runs) >= 25:
            return self.refused(Reason.OUTPUT_DOMINATED, f"one result makes up {spread.largest:.0%} of the cases")
        uncovered = self._uncovered(found, runs, unreachable)
        if uncovered:
            return self._incomplete(program, found, uncovered, "")
        await self.gate.settle(runs)
        texts = frozenset(run.text for run in runs)
        self.score = matrix.least_score(texts)
        if self.score < LEAST_MUTATION_SCORE and self.gate.keeps:
            return self.refused(Reason.NONDETERMINISTIC, "what it gives hangs on the calls before")
        if self.score < LEAST_MUTATION_SCORE:
            alive = [m for m in matrix.counted() if not matrix.killers.get(m.number, set()) & texts]
            shown = "; ".join(f"line {m.line}: {m.change}" for m in alive[:4])
            return self.refused(Reason.MUTATION_SCORE_LOW, f"{self.score:.3f}; alive: {shown}")
        given = [run.text for run in runs]
        weight = weight_of(matrix, given, [run.text for run in found.raised[:_REFUSED]])
        # Whatever is done to a list of operations is easily told: it makes up for no mutant of the class.
        if not weight.holds or (driver_of(program.tree) is not None and weight.mutants < weight.floor):
            return self.refused(Reason.MUTATION_SCORE_LOW, weight.words)
        arguments = with_uniform_maps(given) if self.candidate.portable else given
        branches = frozenset(goal.number for goal in found.program.branches)
        ways: dict[frozenset[int], int] = {}
        cases = [
            Case(text, expected[run.text], ways.setdefault(run.goals & branches, len(ways)))
            for text, run in zip(arguments, runs, strict=True)
        ]
        again = [] if self.candidate.portable else self._leaving_out(program, runs[: len(first)], rank)
        cases += [Case(text, expected[run.text], ways[run.goals & branches]) for run, text in again]
        repeated = [run for run, _ in again]
        return await self._certified(program, found, matrix, runs, cases, unreachable, repeated)

    def _leaving_out(self, program: Program, runs: Sequence[Run], rank: Mapping[str, int]) -> list[tuple[Run, str]]:
        """Runs whose call is made once more without the defaults that callers leave out; what callers send first."""
        assert self.explorer is not None
        docs = program.docstring
        written = (*program.calls, *docs.calls, *docs.mentioned)
        ordered = sorted(runs, key=lambda run: rank.get(run.text, len(rank)))
        shorter = shorter_calls([run.text for run in ordered], self.explorer.shape, written, program.entry_point)
        return [(run, shorter[run.text]) for run in ordered if run.text in shorter]

    async def _verified(self, program: Program, *runs: Sequence[Run]) -> Sequence[tuple[Run, str]] | RefusedSuite:
        """Run the untouched ground truth on every case, those of chance last, and keep what it gives."""
        replayed = await self.replayer.replay(program, *runs)
        if replayed.fails:
            if replayed.unportable:
                return self.refused(Reason.UNPORTABLE_RESULT, replayed.unportable[0])
            return self.refused(Reason.NONDETERMINISTIC, f"inputs that returned once fail later: {replayed.failed[0]}")
        return replayed.kept

    def _uncovered(self, found: Exploration, runs: Sequence[Run], unreachable: dict[int, str]) -> list[Goal]:
        reached = frozenset[int]().union(*(run.goals for run in runs))
        return [
            goal
            for goal in found.program.branches
            if goal.number not in reached
            and goal.number not in unreachable
            and not (goal.raises and found.reached_raising[goal.number])
        ]

    async def _certified(
        self, program: Program, found: Exploration, matrix: KillMatrix, runs: Sequence[Run], cases: Sequence[Case],
        unreachable: dict[int, str], repeated: Sequence[Run],
    ) -> BuiltSuite | RefusedSuite:  # fmt: skip
        comparison: Comparison = "portable" if self.candidate.portable else "exact"
        pairs = [(case.arguments, case.expected) for case in cases]
        frozen = self.workshop.freezer.freeze(comparison, program.entry_point, self.seed, pairs)
        facts = SuiteFacts(
            frozen.data, tuple(c.arguments for c in cases), tuple(c.expected for c in cases), program.entry_point,
            self.candidate.portable,
        )  # fmt: skip
        trials, languages = await self.certifier.certify(program.source, facts)
        truths = [trial for trial in trials if trial.program.startswith(TRUTH)]
        if not all(trial.as_it_should for trial in truths):
            bad = truths[-1]
            return self.refused(
                Reason.NONDETERMINISTIC, f"{bad.program}: {bad.verdict} after {bad.passed} of {bad.cases} cases"
            )
        failed = [trial for trial in trials if not trial.as_it_should]
        if any(trial.program == "returns_argument" for trial in failed):
            return self.refused(Reason.IDENTITY, "a program that returns its argument passes every case")
        if failed:
            return self.refused(
                Reason.CERTIFICATE_FAILED, ", ".join(f"{t.program} ({t.language}): {t.verdict}" for t in failed)
            )
        reads_map_order = await self.certifier.reads_map_order(program.source, facts)
        if reads_map_order and self.explorer is not None and not self.explorer.key_order:
            # Found late: the search had maps in any order, which no other language can be given.
            self.key_order = True
            self.spent += sum(part.cpu_s for part in (self.explorer, self.gate) if part is not None)
            self.gate = None
            return await self.run()
        texts = frozenset(run.text for run in runs)
        spread = spread_of(runs)
        reached = frozenset[int]().union(*(run.goals for run in runs))
        raising = [goal for goal in found.program.branches if goal.number not in reached | set(unreachable)]
        assert self.explorer is not None
        shape = self.explorer.shape
        wrong = outside(self.domain, shape, [run.given for run in runs[:40]], self.seed)
        workshop = self.workshop
        track = await measure_robustness(workshop.sandbox, workshop.freezer, program, comparison, self.seed, wrong)
        self.spent += track.cpu_s
        rank = nearness_of(self.explorer, [*runs, *repeated])
        gave = {run.text: case.expected for run, case in zip([*runs, *repeated], cases, strict=True)}
        traced = traced_of(self.candidate.seen, self.explorer, gave, comparison)
        mistakes, told = await self.advised.told_apart(facts)
        certificate = Certificate(
            suite_digest=frozen.digest,
            builder=BUILDER,
            trials=tuple(trials),
            languages=languages,
            coverage=coverage_of(found, reached, unreachable),
            raising_inputs=tuple(raising_inputs(found, raising)),
            unreachable=tuple(
                f"line {found.program.goals[number].line} {found.program.goals[number].outcome}: {reason}"
                for number, reason in sorted(unreachable.items())
            ),
            goals=len(found.program.goals),
            goals_reached=sum(1 for goal in found.program.goals if goal.number in reached),
            mutation=mutation_of(matrix, texts),
            weight=weight_of(matrix, texts, [run.text for run in found.raised[:_REFUSED]]),
            readings=readings_of(matrix, texts),
            score_first_25=round(matrix.score(frozenset(run.text for run in runs[:25])), 4),
            distinct_results=spread.distinct,
            largest_share=round(spread.largest, 4),
            seed=self.seed,
            reads_map_order=reads_map_order,
            inputs_proposed_by=self.advised.proposed_by,
            mistakes=mistakes,
            inputs=inputs_of(rank, self.domain, track, traced),
            objects_as_maps=self.as_maps,
            untried=self.certifier.untried,
        )
        return BuiltSuite(
            program, shape, tuple(cases), frozen, certificate, self.cpu_s(), track, rank,
            told_apart(matrix, runs, told),
        )  # fmt: skip


__all__ = ["BUILDER", "BuiltSuite", "Candidate", "Case", "RefusedSuite", "Workshop", "build_suite"]
