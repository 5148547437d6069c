"""Measures again what a certificate says, from the frozen cases of a task.

Coverage, mutants, readings of other languages, misreadings of arguments, wrong programs of a model, and what the score
rests on.
"""

from __future__ import annotations

import ast
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pbt_generator.domain.inputs.traced import drawable
from pbt_generator.domain.oracle.certificate import FLOOR
from pbt_generator.domain.oracle.edges import edges_of
from pbt_generator.domain.oracle.loading import with_harness
from pbt_generator.domain.oracle.mutation.misreadings import READING, Misreading, misreadings, read_misreading
from pbt_generator.domain.oracle.mutation.mutants import Mutant, MutantProgram, mutate
from pbt_generator.domain.oracle.mutation.neighbours import SLIP
from pbt_generator.domain.oracle.probes import Goal, instrument
from pbt_generator.domain.release import ReleasedTask
from pbt_generator.domain.stated import DIGITS, score_of, weighs, weight_stated
from pbt_generator.ports import ForeignProgram, Harness, RunLimits, Sandbox
from pbt_generator.usecases.candidates import BUILDER
from pbt_generator.usecases.certify import LIMITS
from touchstone_values import build

_LIMITS = RunLimits(case_timeout_s=60.0, total_timeout_s=300.0, output_bytes=64 * 1024 * 1024)
# Steps of one call, many more than the search grants: a case is known to return.
_STEPS = 2_000_000
_SPARE = 400
_PLANS = 6
# Cases of which a certificate states a score of their own.
_FIRST = 25
# Mutants by their numbers, each with the places of the cases that it is tried on.
_Plan = list[tuple[int, list[int]]]


@dataclass(frozen=True)
class Remeasured:
    """What measuring again found.

    Attributes:
        problems: What differs from the certificate, one line each.
        cpu_s: CPU-seconds of the sandbox.
    """

    problems: tuple[str, ...]
    cpu_s: float


class Remeasurer:
    """Measures tasks again.

    Args:
        sandbox: Where foreign code runs.
        harness: Program texts to put before the ground truth.
    """

    def __init__(self, sandbox: Sandbox, harness: Harness) -> None:
        self._sandbox = sandbox
        self._harness = harness

    async def measure(self, task: ReleasedTask) -> Remeasured:
        """Run the instrumented ground truth and all mutants on the cases; compare with the certificate.

        Raises:
            ValueError, LookupError, TypeError, AttributeError: the certificate, or what a program of the task answers,
                is not laid out as ours are; `UNREADABLE` names all of them.
        """
        entry = task.entry["entry_point"]
        cases = [arguments for arguments, _ in task.cases]
        covered, first = await self._coverage(task, entry, cases)
        killed, second = await self._mutation(task, entry, cases)
        made_up, third = await self._made_up(task, entry)
        return Remeasured((*covered, *killed, *made_up), first + second + third)

    async def _coverage(self, task: ReleasedTask, entry: str, cases: Sequence[str]) -> tuple[list[str], float]:
        program = instrument(task.source, entry)
        foreign = self._with(program.source, entry, self._harness.explore, "_ts_explore")
        raising: list[str] = list(task.certificate["raising_inputs"])
        calls = [f"[[{','.join(part)}],[],{_STEPS}]" for part in (cases, raising) if part]
        result = await self._sandbox.run_cases(foreign, calls, limits=_LIMITS)
        if any(outcome.outcome != "returned" for outcome in result.outcomes):
            return ["coverage could not be measured: the instrumented ground truth did not end"], result.cpu_s
        answers: list[list[Any]] = [json.loads(outcome.value) for outcome in result.outcomes]
        returned = {goal for row in answers[0] if row[0] == 0 for goal in row[1]}
        raised = {goal for rows in answers[1:] for row in rows if row[0] == 1 for goal in row[1]}
        branches = program.branches
        reached = [goal for goal in branches if goal.number in returned]
        only_raising = [goal for goal in branches if goal.raises and goal.number in raised - returned]
        found = {"branches": len(branches), "returning": len(reached), "raising": len(only_raising)}
        said: Mapping[str, Any] = task.certificate["coverage"]
        problems = [
            f"coverage: {count} {name} when measured again, the certificate says {said[name]}"
            for name, count in found.items()
            if count != said[name]
        ]
        left = [goal for goal in branches if goal.number not in returned and goal not in only_raising]
        if len(left) != said["dead"]:
            problems.append(f"coverage: {len(left)} branches are reached by nothing, {said['dead']} are proved dead")
        missed = [goal for goal in branches if goal.number not in returned]
        problems += _of_dead(left, missed, task.certificate["unreachable"])
        if task.certificate["builder"] == BUILDER:
            marks = [row[3] for row in answers[0]]
            reached_goals = sum(goal.number in returned for goal in program.goals)
            problems += _of_search(task, len(program.goals), reached_goals, marks)
        return problems, result.cpu_s

    async def _mutation(self, task: ReleasedTask, entry: str, cases: Sequence[str]) -> tuple[list[str], float]:
        readings: list[Mapping[str, Any]] = task.certificate.get("readings", [])
        said: Mapping[str, Any] = task.certificate["mutation"]
        parameters = _parameters(task.source, entry)
        try:
            listed = [_known(each["change"], parameters) for each in readings if each["rule"] == READING]
        except ValueError as error:
            return [f"mutation: nobody knows the misreading {error}: another builder?"], 0.0
        few = weighs(str(task.certificate["builder"])) and said["mutants"] - len(said["proved"]) < FLOOR
        # Which ones a score on few mutants has to be told with is no choice of its certificate.
        own = misreadings(_held(cases, parameters)) if few else []
        program = mutate(task.source, entry, misread=list(dict.fromkeys([*listed, *own])))
        counted = [mutant for mutant in program.mutants if not mutant.reading]
        if len(counted) != said["mutants"]:
            return [f"mutation: {len(counted)} mutants, the certificate says {said['mutants']}: another builder?"], 0.0
        first, shaken, early_s = await self._killed(task, entry, cases[:_FIRST], program)
        rest = MutantProgram(program.source, tuple(each for each in program.mutants if each.number not in first))
        killed, unsteady, cpu_s = await self._killed(task, entry, cases[_FIRST:], rest)
        killed, unsteady = killed | first, unsteady | shaken
        told = [mutant for mutant in program.mutants if mutant.reading and mutant.number in killed | unsteady]
        known = [mutant for mutant in program.mutants if mutant.reading]
        return [
            *_of_mutants(counted, killed, unsteady - killed, said),
            *_of_first(task.certificate, sum(mutant.number in first | shaken for mutant in counted)),
            *_of_readings(known, told, killed, task.certificate),
            *_of_weight(task.certificate, known if few else [], told, cases),
        ], early_s + cpu_s

    async def _made_up(self, task: ReleasedTask, entry: str) -> tuple[list[str], float]:
        """Wrong programs of a model that no case tells apart, though the certificate says that one does."""
        said: Sequence[Mapping[str, Any]] = task.certificate.get("mistakes", {}).get("programs", ())
        problems, cpu_s = list[str](), 0.0
        for each in said:
            judged = await self._sandbox.judge(ForeignProgram(each["code"], entry), task.suite, limits=LIMITS)
            cpu_s += judged.cpu_s
            if each["told_apart"] and judged.verdict == "passed":
                problems.append(
                    f"mistakes: no case tells it apart, the certificate says that one does: {each['words']}"
                )
            elif not each["told_apart"] and judged.verdict != "passed":
                problems.append(
                    f"mistakes: a case tells it apart, the certificate says that none does: {each['words']}"
                )
        return problems, cpu_s

    async def _killed(
        self, task: ReleasedTask, entry: str, cases: Sequence[str], program: MutantProgram
    ) -> tuple[set[int], set[int], float]:
        """Numbers of the mutants and readings that a case tells from the ground truth, and of those that show nothing.

        These leave the ground truth other than it was, so that the next run hangs on theirs.
        """
        if not cases:
            return set(), set(), 0.0
        foreign = self._with(program.source, entry, self._harness.mutate, "_ts_mutate")
        mode = json.dumps("portable" if task.entry["kind"] == "SC" else "exact")
        places = list(range(len(cases)))
        waiting = _parted([(mutant.number, places) for mutant in program.mutants])
        killed, unsteady, cpu_s = set[int](), set[int](), 0.0
        while waiting:
            plans = [json.dumps([[number, at[:1], at[1:]] for number, at in plan]) for plan in waiting]
            calls = [f"[[{','.join(cases)}],{plan},1,{mode},{_SPARE}]" for plan in plans]
            result = await self._sandbox.run_cases(foreign, calls, limits=_LIMITS)
            cpu_s += result.cpu_s
            again: list[_Plan] = []
            rest: _Plan = []
            for plan, outcome in zip(waiting, result.outcomes, strict=True):
                if outcome.outcome == "returned":
                    rows: list[list[Any]] = json.loads(outcome.value)
                    killed |= {row[0] for row in rows if row[1]}
                    # What leaves the ground truth other than it was shows nothing; another process runs the rest.
                    unsteady |= {row[0] for row in rows if row[3] < 0}
                    answered = {row[0] for row in rows}
                    rest.extend(each for each in plan if each[0] not in answered)
                else:
                    again.extend(_smaller(plan))
            again.append(rest)
            left = ([(number, at) for number, at in plan if number not in killed] for plan in again)
            waiting = [plan for plan in left if plan]
        return killed, unsteady, cpu_s

    def _with(self, text: str, entry: str, harness: str, called: str) -> ForeignProgram:
        return ForeignProgram(with_harness(text, entry, harness), called)


def _parted(plan: _Plan) -> list[_Plan]:
    """A plan in a few calls."""
    size = max(1, -(-len(plan) // _PLANS))
    return [plan[start : start + size] for start in range(0, len(plan), size)]


def _smaller(plan: _Plan) -> list[_Plan]:
    """The parts of a plan of which something stopped the whole process: fewer mutants, then fewer cases of one.

    A mutant on one case that stops it shows nothing.
    """
    if len(plan) > 1:
        return _parted(plan)
    ((number, places),) = plan
    size = -(-len(places) // _PLANS)
    return [[(number, places[at : at + size])] for at in range(0, len(places), size)] if len(places) > 1 else []


def _of_mutants(counted: Sequence[Mutant], killed: set[int], unsteady: set[int], said: Mapping[str, Any]) -> list[str]:
    """Mutants that fare otherwise than a certificate says; what is said of unsteady ones holds."""
    problems: list[str] = []
    gone = sum(mutant.number in killed | unsteady for mutant in counted)
    if gone < said["killed"]:
        problems.append(f"mutation: {gone} killed when measured again, {said['killed']} in the certificate")
    proved, alive = list(said["proved"]), list(said["survivors"])
    for mutant in counted:
        if mutant.number in killed | unsteady:
            continue
        if not _taken(mutant, alive) and not _taken(mutant, proved):
            problems.append(f"mutation: {_told(mutant)} lives, and the certificate does not list it")
    gone_by = [mutant for mutant in counted if mutant.number in killed]
    refuted = [text for text in proved if any(_names(mutant, text) for mutant in gone_by)]
    problems += [f"mutation: killed, though the certificate calls it proved: {text}" for text in refuted]
    left = [*said["survivors"], *said["proved"]]
    for mutant in counted:
        _taken(mutant, left)
    return problems + [f"mutation: no mutant is what the certificate lists: {text}" for text in left]


def _told(mutant: Mutant) -> str:
    return f"line {mutant.line}: {mutant.change}"


def _names(mutant: Mutant, text: str) -> bool:
    """Whether a line of a certificate is of this mutant: with a reason behind it, or without one."""
    return text == _told(mutant) or text.startswith(f"{_told(mutant)} (")


def _taken(mutant: Mutant, texts: list[str]) -> bool:
    """Whether one of some lines is of this mutant; that line is taken out."""
    found = next((text for text in texts if _names(mutant, text)), None)
    if found is not None:
        texts.remove(found)
    return found is not None


def _of_dead(left: Sequence[Goal], missed: Sequence[Goal], proofs: Sequence[str]) -> list[str]:
    """Branches that nothing reaches and no proof names, and proofs of what is reached or is no branch."""
    wanted = Counter(_branch(goal) for goal in left)
    there = Counter(_branch(goal) for goal in missed)
    named = Counter(str(text).partition(": ")[0] for text in proofs)
    return [
        *(
            f"coverage: {each} is reached by nothing, and the certificate does not prove it dead"
            for each in wanted - named
        ),
        *(
            f"coverage: {each} is no branch that cases leave out, and the certificate proves it dead"
            for each in named - there
        ),
    ]


def _branch(goal: Goal) -> str:
    return f"line {goal.line} {goal.outcome}"


def _of_search(task: ReleasedTask, goals: int, reached: int, marks: Sequence[int]) -> list[str]:
    """Goals and results that a certificate counts otherwise than its cases make them."""
    found: dict[str, Any] = {"goals": goals, "goals_reached": reached, "distinct_results": len(set(marks))}
    problems = [
        f"cases: {real} {name.replace('_', ' ')} when measured again, the certificate says {task.certificate[name]}"
        for name, real in found.items()
        if real != task.certificate[name]
    ]
    # Calls that leave out defaults stand behind the cases that they repeat, and count among no shares of results.
    fewest = len(marks) if task.entry["kind"] == "SC" else -(-len(marks) // 2)
    shares = [
        round(max(Counter(marks[:size]).values(), default=0) / max(1, size), DIGITS)
        for size in range(len(marks), fewest - 1, -1)
    ]
    if task.certificate["largest_share"] not in shares:
        problems.append(
            f"cases: the largest share of a result is {shares[0]} when measured again, "
            f"the certificate says {task.certificate['largest_share']}"
        )
    return problems


def _of_first(certificate: Mapping[str, Any], killed: int) -> list[str]:
    """A score of the first cases that is higher than these make it."""
    mutation: Mapping[str, Any] = certificate["mutation"]
    real = round(score_of({**mutation, "killed": killed}), DIGITS)
    if certificate["score_first_25"] <= real:
        return []
    return [
        f"mutation: the first {_FIRST} cases score {real} when measured again, "
        f"the certificate says {certificate['score_first_25']}"
    ]


def _of_readings(
    known: Sequence[Mutant], told: Sequence[Mutant], killed: set[int], certificate: Mapping[str, Any]
) -> list[str]:
    """Readings that a certificate tells of otherwise than the cases do.

    Of misreadings and slips, which no solver is told of, it may say less.
    """
    readings: Sequence[Mapping[str, Any]] = certificate.get("readings", [])
    again = _counted(told)
    said = Counter((each["rule"], each["line"], each["change"]) for each in readings if each["told_apart"])
    listed = Counter((each["rule"], each["line"], each["change"]) for each in readings)
    rules = _counted([each for each in told if each.number in killed and each.reading not in (READING, SLIP)])
    if certificate["builder"] != BUILDER:
        # Another builder may not have known them.
        rules &= listed
    return [
        f"readings: {words}: {rule}: line {line}: {change}"
        for words, found in (
            ("no case tells it apart, the certificate says that one does", said - again),
            ("a case tells it apart, the certificate says that none does", rules - said),
            ("it is none, and the certificate lists it", listed - _counted(known)),
        )
        for rule, line, change in found
    ]


def _counted(mutants: Sequence[Mutant]) -> Counter[tuple[str, int, str]]:
    return Counter((mutant.reading, mutant.line, mutant.change) for mutant in mutants)


def _of_weight(
    certificate: Mapping[str, Any], known: Sequence[Mutant], told: Sequence[Mutant], cases: Sequence[str]
) -> list[str]:
    """What a score rests on that is not there when it is counted again, by the bounds of this house.

    Args:
        certificate: Of the task.
        known: Readings to tell a score on few mutants with; none where the mutants are enough.
        told: Readings that a case tells from the ground truth.
        cases: Their arguments.
    """
    if not weighs(str(certificate["builder"])):
        return []
    stated: Mapping[str, Any] = certificate["weight"]
    offered, met = edges_of(cases)
    missing = sorted(set(stated["met"]) - met)
    problems = [f"edges: no case holds {name}, the certificate says that one does" for name in missing]
    # An edge that only inputs have which raise is none that a case could hold; such inputs are run again.
    offered |= set(stated["offered"])
    offered -= edges_of([*certificate["raising_inputs"], *stated.get("refused", ())])[1] - met
    listed = {each["change"] for each in certificate["readings"] if each["rule"] == READING and each["told_apart"]}
    misread = [mutant for mutant in known if mutant.reading == READING]
    apart = [mutant for mutant in misread if mutant in told]
    again = sum(mutant.change in listed for mutant in apart)
    if again < stated["told_apart"]:
        problems.append(
            f"weight: {again} misreadings are told apart when measured again, {stated['told_apart']} in the certificate"
        )
    weight = replace(
        weight_stated(certificate), offered=tuple(sorted(offered)), met=tuple(sorted(met)), misread=len(misread),
        told_apart=len(apart),
    )  # fmt: skip
    return problems if weight.holds else [*problems, f"weight: it does not suffice: {weight.words}"]


def _parameters(source: str, entry: str) -> list[str]:
    """Names of the parameters of a function, those that are given by place first, in their order."""
    functions = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == entry]
    given = [(*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs) for node in functions[-1:]]
    return [each.arg for arguments in given for each in arguments]


def _known(words: str, parameters: Sequence[str]) -> Misreading:
    """A misreading that a certificate tells of.

    Raises:
        ValueError: nobody knows it, or it is of something that is no parameter.
    """
    names, rule = read_misreading(words)
    if not set(names) <= set(parameters):
        raise ValueError(words)
    return names, rule


def _held(cases: Sequence[str], parameters: Sequence[str]) -> dict[str, list[object]]:
    """The values that cases have for each parameter, without forms that are not drawn."""
    held: dict[str, list[object]] = {name: [] for name in parameters}
    for text in cases:
        tree: Any = json.loads(text)
        given = cast("dict[str, Any]", tree) if isinstance(tree, dict) else dict(zip(parameters, tree, strict=False))
        for name, part in given.items():
            if name in held and drawable(part):
                held[name].append(build(part))
    return held
