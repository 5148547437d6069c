"""Poses tasks as exercises: a way of asking is a poser in a registry, and nothing else knows which there are."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from pbt_generator.domain.exercises.beginning import beginning
from pbt_generator.domain.exercises.broken import broken_programs
from pbt_generator.domain.exercises.dress import Wearer, dressed
from pbt_generator.domain.exercises.exercise import VERSION, Exercise, drawn
from pbt_generator.domain.exercises.foreseen import foreseeable
from pbt_generator.domain.exercises.given import given_beside
from pbt_generator.domain.foreign import set_of
from pbt_generator.errors import NoExerciseError, UnknownTrackError
from pbt_generator.ports import Blobs, CaseOutcome, ForeignProgram, Freezer, OpenedSuite, Sandbox
from pbt_generator.usecases.certify import LIMITS
from pbt_generator.usecases.serve import StoredTask, TaskDesk
from touchstone_runtime.tracks import (
    COMPLETION,
    HELPERS,
    NEUTRAL,
    PREDICT_INPUT,
    PREDICT_OUTPUT,
    REPAIR,
    ROBUSTNESS,
    SPEED,
)

# Mutants that are tried on the whole suite before a task is given up for repair.
_TRIED = 30
_SHOWN = 300
# Ends of a call that a solver can learn from; one that hangs or dies has no value to show.
_SHOWABLE = frozenset({"wrong_output", "raised"})


@dataclass(frozen=True)
class Material:
    """What exercises are made of.

    Attributes:
        source: The ground truth's program.
        opener: Opens the frozen suite.
        data: The frozen suite in its canonical bytes.
        certificate: What was proved of it.
        instruction: What a solver is told.
        signatures: The function's head by language.
        qualname: The function's own name with its enclosing scopes.
        packages: Names of its package or repository, and of its module.
    """

    task_id: str
    entry_point: str
    source: str
    opener: Callable[[bytes], OpenedSuite]
    data: bytes
    certificate: Mapping[str, Any]
    instruction: str = ""
    signatures: Mapping[str, str] = field(default_factory=dict[str, str])
    qualname: str = ""
    packages: tuple[str, ...] = ()

    @cached_property
    def suite(self) -> OpenedSuite:
        """The suite, opened once and only where a way of asking reads it: most of the work of a small question."""
        return self.opener(self.data)


@dataclass(frozen=True)
class Posable:
    """Of some tasks those that give an exercise, in their order, and how many do not, by reason."""

    task_ids: tuple[str, ...]
    left_out: Mapping[str, int]


class Poser(Protocol):
    """Makes the exercises of one track."""

    def lack(self, material: Material) -> str:
        """Why a task gives no exercise, in words; empty where it gives one. Read from what lies there, nothing runs."""
        ...

    async def pose(self, material: Material) -> Exercise | None:
        """The exercise of a task, the same one each time; None where there is none.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
        """
        ...


class RepairPoser:
    """A mutant that the suite fails, with the first case that it fails.

    Args:
        sandbox: Where it is shown to fail, on the path that candidates take.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def lack(self, material: Material) -> str:
        """Nothing where the suite tells any mutant from the ground truth."""
        return "" if material.certificate["mutation"]["killed"] > 0 else "the suite fails no mutant"

    async def pose(self, material: Material) -> Exercise | None:
        """The first mutant in the drawn order that fails and shows how."""
        programs = broken_programs(material.source, material.entry_point, material.task_id)
        for broken in programs[:_TRIED]:
            program = ForeignProgram(broken.text, material.entry_point)
            judged = await self._sandbox.judge(program, material.data, limits=LIMITS, stop_after_failures=1)
            if not judged.failures or judged.failures[0].outcome not in _SHOWABLE:
                continue
            arguments, expected = material.suite.cases[judged.failures[0].index]
            result = await self._sandbox.run_cases(program, [arguments], limits=LIMITS)
            if (seen := _seen(result.outcomes[0])) and seen != expected:
                return Exercise(REPAIR, broken.text, arguments, expected, seen)
        return None


class CompletionPoser:
    """The beginning of the ground truth, cut at a branch."""

    def lack(self, material: Material) -> str:
        """Nothing where there is a branch to cut at."""
        text = beginning(material.source, material.entry_point, material.task_id)
        return "" if text else "the function has no branch to cut at"

    async def pose(self, material: Material) -> Exercise | None:
        """The beginning."""
        text = beginning(material.source, material.entry_point, material.task_id)
        return Exercise(COMPLETION, text) if text else None


class GivenPoser:
    """The task itself, with what its ground truth calls of its own."""

    def lack(self, material: Material) -> str:
        """Nothing where there is something to give."""
        return "" if self._given(material) else "the function has no helpers that stand without it"

    async def pose(self, material: Material) -> Exercise | None:
        """The helpers."""
        text = self._given(material)
        return Exercise(HELPERS, text) if text else None

    def _given(self, material: Material) -> str:
        return given_beside(material.source, material.entry_point)


class ForeseeingPoser:
    """The ground truth with the input or the result of one case; a suite of that case alone judges.

    Args:
        track: "predict-output" or "predict-input".
        freezer: Freezes that suite.
        blobs: Where it is kept for the sandbox.
    """

    def __init__(self, track: str, freezer: Freezer, blobs: Blobs) -> None:
        self._track = track
        self._freezer = freezer
        self._blobs = blobs

    def lack(self, material: Material) -> str:
        """Nothing where a case is short and plain, and its result no guess."""
        return "" if self._case(material) is not None else "no case is short, plain and no guess"

    async def pose(self, material: Material) -> Exercise | None:
        """The case that is asked for; what is asked is in the suite alone."""
        case = self._case(material)
        if case is None:
            return None
        frozen = self._freezer.freeze(material.suite.comparison, material.entry_point, 0, [case])
        await self._blobs.put(frozen.data)
        shown = Exercise(self._track, material.source, suite_digest=frozen.digest)
        # Only what the solver is told leaves here: the other side of the case is known to the judge.
        return replace(shown, arguments=case[0]) if self._track == PREDICT_OUTPUT else replace(shown, expected=case[1])

    def _case(self, material: Material) -> tuple[str, str] | None:
        return foreseeable(material.source, material.suite.cases, self._track, material.task_id)


class SpeedPoser:
    """The task itself, with what its ground truth takes now and here.

    Args:
        sandbox: Where the ground truth is judged, on the path that candidates take.
    """

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox

    def lack(self, material: Material) -> str:
        """Nothing: every task can be solved quickly or slowly."""
        return ""

    async def pose(self, material: Material) -> Exercise | None:
        """Measure the ground truth; nothing is kept, since another machine, or load, has another figure."""
        program = ForeignProgram(material.source, material.entry_point)
        judged = await self._sandbox.judge(program, material.data, limits=LIMITS)
        if judged.verdict != "passed":
            return None
        return Exercise(SPEED, reference_cpu_s=judged.cpu_s)


class RobustnessPoser:
    """The task itself, judged by what its ground truth answers to inputs that no caller should send.

    Args:
        sandbox: Where the ground truth is shown to give the same again.
        freezer: Reads the suite of those inputs.
        blobs: Where it lies since the task was built.
    """

    def __init__(self, sandbox: Sandbox, freezer: Freezer, blobs: Blobs) -> None:
        self._sandbox = sandbox
        self._freezer = freezer
        self._blobs = blobs

    def lack(self, material: Material) -> str:
        """Nothing where the ground truth answers some of them."""
        return "" if _outside(material) else "no input outside of the domain is kept that the ground truth answers"

    async def pose(self, material: Material) -> Exercise | None:
        """One of the inputs, drawn, is shown with its result; one suite of all of them judges.

        They were run once, when the task was built: what the ground truth does not repeat is no question.
        """
        digest = _outside(material)
        if not digest:
            return None
        data = await self._blobs.get(digest)
        judged = await self._sandbox.judge(ForeignProgram(material.source, material.entry_point), data, limits=LIMITS)
        if judged.verdict != "passed":
            return None
        cases = self._freezer.open(data).cases
        if len({expected for _, expected in cases}) < 2:
            # A program that gives one result whatever it is asked would pass.
            return None
        arguments, expected = drawn(cases, lambda case: case[0], ROBUSTNESS, material.task_id)[0]
        return Exercise(ROBUSTNESS, arguments=arguments, expected=expected, suite_digest=digest)


def _outside(material: Material) -> str:
    """Digest of the suite of inputs outside of the domain; empty where there is none, as of imported tasks."""
    return str(material.certificate.get("inputs", {}).get("robustness", {}).get("suite_digest", ""))


class NeutralPoser:
    """The task itself under names that say nothing; its own suite judges."""

    def lack(self, material: Material) -> str:
        """The reason for which the dress leaves it out."""
        found = dressed(_wearer(material))
        return found if isinstance(found, str) else ""

    async def pose(self, material: Material) -> Exercise | None:
        """The task in neutral dress."""
        found = dressed(_wearer(material))
        if isinstance(found, str):
            return None
        return Exercise(
            NEUTRAL, entry_point=found.entry_point, instruction=found.instruction, signatures=found.signatures
        )


def _wearer(material: Material) -> Wearer:
    return Wearer(
        material.entry_point,
        material.instruction,
        material.signatures,
        material.source,
        material.suite.cases,
        material.qualname,
        material.packages,
    )


def posers(sandbox: Sandbox, freezer: Freezer, blobs: Blobs) -> dict[str, Poser]:
    """Every way of posing tasks, by track."""
    return {
        REPAIR: RepairPoser(sandbox),
        COMPLETION: CompletionPoser(),
        PREDICT_OUTPUT: ForeseeingPoser(PREDICT_OUTPUT, freezer, blobs),
        PREDICT_INPUT: ForeseeingPoser(PREDICT_INPUT, freezer, blobs),
        SPEED: SpeedPoser(sandbox),
        NEUTRAL: NeutralPoser(),
        HELPERS: GivenPoser(),
        ROBUSTNESS: RobustnessPoser(sandbox, freezer, blobs),
    }


class ExerciseDesk:
    """Answers for exercises.

    Args:
        tasks: Knows the tasks.
        blobs: Where their parts lie.
        freezer: Reads suites.
        ways: Posers by track.
    """

    def __init__(self, tasks: TaskDesk, blobs: Blobs, freezer: Freezer, ways: Mapping[str, Poser]) -> None:
        self._tasks = tasks
        self._blobs = blobs
        self._freezer = freezer
        self._ways = ways
        # Why a task gives no exercise of a track, "" where it gives one: its id is a hash of what this is read from.
        self._lacks: dict[tuple[str, str], str] = {}

    async def posable(self, track: str, task_ids: Sequence[str]) -> Posable:
        """Of some tasks those that give an exercise, also of those that were taken back since.

        Raises:
            UnknownTrackError: there is no such track.
        """
        way = self._way(track)
        stored = {each.task.task_id: each for each in await self._tasks.decisions.tasks()}
        found: list[str] = []
        left_out = Counter[str]()
        for task_id in task_ids:
            task = stored.get(task_id) or await self._taken_back(task_id)
            if task is None:
                left_out["the generator does not have the task"] += 1
            elif lack := await self._lack(way, track, task):
                left_out[lack] += 1
            else:
                found.append(task_id)
        return Posable(tuple(found), left_out)

    async def _taken_back(self, task_id: str) -> StoredTask | None:
        """A task of our own that was taken back: a release still has it, and its runs are those of before."""
        found = await self._tasks.decisions.matching(task_id)
        return found[0] if len(found) == 1 and found[0].retracted and not set_of(found[0].function) else None

    async def pose(self, task_id: str, track: str, version: int = 0) -> Exercise:
        """The exercise of a task.

        Args:
            task_id: The id, or an unambiguous beginning of it.
            track: What is asked.
            version: Of the making that is meant; 0 takes what is made here.

        Raises:
            UnknownTrackError: there is no such track.
            UnknownTaskError: there is no such task.
            NoExerciseError: the task gives none, or another version is made here.
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
        """
        way = self._way(track)
        if version not in (0, VERSION):
            # Answers to two makings are answers to two questions: one run never holds both.
            raise NoExerciseError(
                f"exercises are made in version {VERSION} here, and version {version} is meant",
                thing=f"task {task_id}",
                way_out="ask anew: that is another run",
            )
        found = await way.pose(await self._material(await self._tasks.find(task_id)))
        if found is None:
            raise NoExerciseError(f"the task gives no exercise of the track {track}", thing=f"task {task_id}")
        return found

    async def _lack(self, way: Poser, track: str, stored: StoredTask) -> str:
        key = (track, stored.task.task_id)
        if key not in self._lacks:
            self._lacks[key] = way.lack(await self._material(stored))
        return self._lacks[key]

    def _way(self, track: str) -> Poser:
        if track not in self._ways:
            raise UnknownTrackError(
                "no task is posed so", thing=track or "(empty)", way_out=f"one of {', '.join(sorted(self._ways))}"
            )
        return self._ways[track]

    async def _material(self, stored: StoredTask) -> Material:
        task = stored.task
        data = await self._blobs.get(task.suite_digest)
        source = (await self._blobs.get(task.ground_truth_digest)).decode("utf-8", "surrogatepass")
        certificate = json.loads(await self._blobs.get(task.certificate_digest))
        return Material(
            task.task_id,
            task.entry_point,
            source,
            self._freezer.open,
            data,
            certificate,
            task.instruction,
            task.signatures,
            stored.function["qualname"],
            (stored.function["source"]["name"], _module(stored.function["path"])),
        )


def _module(path: str) -> str:
    """The outermost folder of a file that can be imported by its name; empty where it stands in none."""
    folders = [part for part in path.split("/")[:-1] if part.isidentifier() and part not in ("src", "lib")]
    return folders[0] if folders else ""


def _seen(outcome: CaseOutcome) -> str:
    """What a program did with a case, in words; empty where it did nothing that can be shown."""
    match outcome.outcome:
        case "returned":
            return _cut(outcome.value)
        case "raised":
            return _cut(f"{outcome.error_type}: {outcome.error_message}")
        case _:
            return ""


def _cut(text: str) -> str:
    """A text that says where it was cut: the beginning of a right result would be told as the wrong one."""
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
