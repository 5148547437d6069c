"""Facts as events on Kafka."""

from __future__ import annotations

import re
from typing import Any

from pbt_generator import metrics
from pbt_generator.domain.refusals import Reason, Refusal
from pbt_generator.domain.task.naming import public
from pbt_generator.domain.task.record import BuiltTask, Subject
from touchstone_contracts import events
from touchstone_contracts.topics import TASK_BUILT, TASK_REFUSED, TASK_RETRACTED
from touchstone_runtime.bus import Bus


class BusAnnouncer:
    """The generator's topics; see `Announcer`."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def built(self, task: BuiltTask, function: dict[str, Any], *, again: bool = False) -> None:
        """A task is released; told again it is counted no second time."""
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
            track=task.track,
            gaps=task.gaps,
            real_cases=task.real_cases,
            domain=task.domain,
        )
        await self._bus.publish(TASK_BUILT, event)
        if again:
            return
        metrics.DECISIONS.labels("built").inc()
        metrics.BUILD_CPU_SECONDS.observe(task.cpu_s)
        found = event.function
        metrics.observe_freshness(found.first_seen or found.changed_at or found.source.released_at)

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
        if refusal.reason is Reason.CERTIFICATE_FAILED:
            metrics.CERTIFICATES_FAILED.labels("candidate").inc()

    async def retracted(self, task_id: str, reason: str) -> None:
        """A task was wrong."""
        await self._bus.publish(TASK_RETRACTED, events.TaskRetracted(task_id=task_id, reason=reason))


# Libraries whose names in annotations say nothing that five languages could not take.
_TYPING = {"__future__", "typing", "typing_extensions", "collections.abc"}


# What the driver of a sequence copies results with.
_OF_DRIVERS = {"copy"}


def _for_annotations(function: events.Function) -> bool:
    """Whether a function needs its imports for plain annotations, or its driver, alone: its body is self-contained."""
    needless = _TYPING | _OF_DRIVERS if function.form == "sequence" else _TYPING
    return function.annotation_only and set(function.libraries) <= needless


def to_subject(function: events.Function) -> Subject:
    """A function as the builder takes it."""
    kind = "SC" if function.classification == "SC" or _for_annotations(function) else "WSC"
    name, code = public(function.name, function.code, portable=kind == "SC")
    return Subject(
        function_id=function.function_id,
        name=name,
        qualname=function.qualname,
        kind=kind,
        code=code,
        imports=function.imports,
        libraries=function.libraries,
        docstring=re.sub(rf"(?<!\w){re.escape(function.name)}(?!\w)", name, function.docstring),
        complexity=function.complexity,
        source_name=function.source.name,
        form=function.form,
        calls=tuple(f"{name}{call[call.index('(') :]}" for call in function.calls if "(" in call),
    )
