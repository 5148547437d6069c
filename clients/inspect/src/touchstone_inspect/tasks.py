"""A release as a task of Inspect: the question is the evaluator's, and the verdict ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import CORRECT, INCORRECT, Score, Scorer, Target, accuracy, grouped, scorer, stderr
from inspect_ai.solver import TaskState, generate, system_message

from touchstone_inspect.asking import LANGUAGES, fits, program_of, question
from touchstone_inspect.executor import executor
from touchstone_inspect.exported import Export, NotAnExportError, read_export
from touchstone_runtime.extraction import Found

# As `touchstone evaluate` asks by default.
_MAX_TOKENS = 1024
_WORDING = "wording"
# What an answer amounts to that holds no program; the board's own outcomes.
_NOTHING = {Found.OTHER: "no_entry_point", Found.NOTHING: "no_code"}


@task
def release(folder: str, language: str = "python", sandbox: str = "touchstone") -> Task:
    """The tasks of an exported release that stand, in one language.

    Args:
        folder: What `touchstone release export` wrote, in any format.
        language: python, javascript, typescript, java or go.
        sandbox: Where tools of a solver run; no part of the judging.

    Raises:
        NotAnExportError: The folder is no whole export, or has no task in the language.
    """
    if language not in LANGUAGES:
        raise NotAnExportError(f"{language}: no language of releases; one of {', '.join(LANGUAGES)}")
    found = read_export(Path(folder))
    chosen = [each for each in found.tasks if fits(each, language)]
    if not chosen:
        raise NotAnExportError(f"{folder}: holds no task in {language}")
    asked = {each.task_id: question(each, language) for each in chosen}
    samples = [
        Sample(
            id=each.task_id,
            input=asked[each.task_id][1],
            metadata={
                "entry_point": each.entry_point,
                "kind": each.kind,
                "difficulty": each.difficulty,
                "repository": each.repository,
                _WORDING: each.wording,
                "language": language,
            },
        )
        for each in chosen
    ]
    system = asked[chosen[0].task_id][0]
    return Task(
        dataset=MemoryDataset(samples, name=found.name),
        solver=[system_message(system), generate()],
        scorer=suite(folder, language),
        sandbox=sandbox or None,
        config=GenerateConfig(temperature=0.0, max_tokens=_MAX_TOKENS),
        metadata=_about(found, len(chosen)),
    )


def _about(found: Export, asked: int) -> dict[str, Any]:
    return {
        "release": found.name,
        "digest": found.digest,
        "tasks": asked,
        # A score stands on these as well: a folder says itself what was taken back.
        "retracted": len(found.retracted),
        "retracted_tasks": list(found.retracted),
        "retractions": found.retractions,
    }


# Tasks that are described and tasks told by example are two boards: a score for each, and none over both.
_METRICS = [
    grouped(metric, _WORDING, all=False, name_template=f"{name}_{{group_name}}")
    for name, metric in (("accuracy", accuracy()), ("stderr", stderr(cluster="repository")))
]


@scorer(metrics=_METRICS)
def suite(folder: str, language: str = "python") -> Scorer:
    """Judges the program in an answer by the task's whole suite, compared outside of the sandbox that it runs in.

    What a solver did in its own sandbox, and what an answer says of itself, have no part in it. An answer without a
    verdict raises: Inspect then has an error there and no score.

    Args:
        folder: The export whose suites judge.
        language: That was asked for.
    """
    tasks = {each.task_id: each for each in read_export(Path(folder)).tasks}

    async def score(state: TaskState, target: Target) -> Score:
        judged = tasks.get(str(state.sample_id))
        if judged is None:
            raise NotAnExportError(f"{folder}: holds no standing task {state.sample_id}")
        found, program = program_of(state.output.completion, judged, language)
        if not program:
            about: dict[str, Any] = {"outcome": _NOTHING[found.found], "cases": 0, "passed": 0, "cpu_s": 0.0}
            return Score(value=INCORRECT, answer="", explanation="the answer holds no such program", metadata=about)
        verdict = await executor().judge(program, language, judged.suite)
        return Score(
            value=CORRECT if verdict.outcome == "passed" else INCORRECT,
            answer=program,
            explanation=verdict.detail or verdict.outcome,
            metadata={
                "outcome": verdict.outcome,
                "cases": verdict.cases,
                "passed": verdict.passed,
                "cpu_s": verdict.cpu_s,
            },
        )

    return score
