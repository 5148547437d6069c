"""Whether a task's words suffice, or whether its examples have to say the rest: two boards, never one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from evaluator.domain.results import TaskFacts
from touchstone_runtime.wordings import BY_EXAMPLE, DESCRIBED


def wording_of(fact: TaskFacts) -> str:
    """The board that a task stands on; one of which nobody told is no described one."""
    return DESCRIBED if fact.described else BY_EXAMPLE


def wording_of_all(facts: Iterable[TaskFacts]) -> str:
    """The board that is shown where none is asked for: that of the described tasks where there is one."""
    return DESCRIBED if any(fact.described for fact in facts) else BY_EXAMPLE


def facts_of(wording: str, facts: Mapping[str, TaskFacts]) -> dict[str, TaskFacts]:
    """What is known of the tasks of one wording."""
    return {task_id: fact for task_id, fact in facts.items() if wording_of(fact) == wording}
