"""Facts as events on Kafka."""

from __future__ import annotations

from typing import Any

from pbt_generator import metrics
from pbt_generator.domain.refusals import Refusal
from pbt_generator.domain.task import BuiltTask, Subject
from touchstone_contracts import events
from touchstone_contracts.topics import TASK_BUILT, TASK_REFUSED, TASK_RETRACTED
from touchstone_runtime.bus import Bus


class BusAnnouncer:
    """The generator's topics; see `Announcer`."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def built(self, task: BuiltTask, function: dict[str, Any]) -> None:
        """A task is released."""
        event = events.TaskBuilt(
            task_id=task.task_id,
            function=events.Function.model_validate(function),
            kind=task.kind,
            difficulty=task.difficulty,
            judged_by=task.judged_by,
            entry_point=task.entry_point,
            instruction=task.instruction,
            signatures=task.signatures,
            prelude=task.prelude,
            suite_digest=task.suite_digest,
            certificate_digest=task.certificate_digest,
            cases=task.cases,
            branch_coverage=task.branch_coverage,
            mutation_score=task.mutation_score,
            cpu_s=task.cpu_s,
        )
        await self._bus.publish(TASK_BUILT, event)
        metrics.DECISIONS.labels("built").inc()
        metrics.BUILD_CPU_SECONDS.observe(task.cpu_s)

    async def refused(self, subject: Subject, refusal: Refusal) -> None:
        """A function got no task."""
        event = events.TaskRefused(
            function_id=subject.function_id,
            qualname=subject.qualname,
            source_name=subject.source_name,
            kind=subject.kind,
            reason=refusal.reason.value,
            detail=refusal.detail,
        )
        await self._bus.publish(TASK_REFUSED, event)
        metrics.DECISIONS.labels(refusal.reason.value).inc()

    async def retracted(self, task_id: str, reason: str) -> None:
        """A task was wrong."""
        await self._bus.publish(TASK_RETRACTED, events.TaskRetracted(task_id=task_id, reason=reason))


def to_subject(function: events.Function) -> Subject:
    """A function as the builder takes it."""
    return Subject(
        function_id=function.function_id,
        name=function.name,
        qualname=function.qualname,
        kind="SC" if function.classification == "SC" else "WSC",
        code=function.code,
        imports=function.imports,
        libraries=function.libraries,
        docstring=function.docstring,
        complexity=function.complexity,
        source_name=function.source.name,
    )
