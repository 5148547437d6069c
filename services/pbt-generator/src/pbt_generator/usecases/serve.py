"""The service around the builder: decide once, store, publish, answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pbt_generator.domain.refusals import Refusal
from pbt_generator.domain.task.record import BuiltTask, Subject
from pbt_generator.errors import UnknownTaskError
from pbt_generator.ports import Blobs
from pbt_generator.usecases.tracing import Callers
from touchstone_runtime.likeness import Comparable, likeness_of, similar
from touchstone_runtime.wordings import DESCRIBED

Decision = BuiltTask | Refusal


@dataclass(frozen=True)
class StoredTask:
    """A released task with the record of its function, and why it was retracted, if it was."""

    task: BuiltTask
    function: dict[str, Any]
    retracted: str = ""


def similar_tasks(stored: Sequence[StoredTask]) -> dict[str, str]:
    """Tasks that are one question with another one of their file, each with the id of the one that ranks for them."""
    return similar(
        Comparable(
            each.task.task_id,
            (each.function["source"]["name"], each.function["path"]),
            each.function["qualname"],
            likeness_of(each.function.get("code", "")),
            each.task.track == DESCRIBED,
            each.task.function_id,
        )
        for each in stored
    )


@dataclass(frozen=True)
class StoredRefusal:
    """A candidate that gave no task, with the record of its function."""

    kind: str
    refusal: Refusal
    function: dict[str, Any]


class Builds(Protocol):
    """Builds a task from a ground truth."""

    async def build(self, subject: Subject) -> Decision:
        """The task, or why there is none.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached or broke down.
        """
        ...


class Decisions(Protocol):
    """What was decided about each function."""

    async def find(self, function_id: str, builder: str) -> Decision | None:
        """What was decided about a function by a version of the builder."""
        ...

    async def save(
        self, function_id: str, builder: str, kind: str, decision: Decision, function: dict[str, Any], cpu_s: float
    ) -> Decision:
        """Store a decision; the first one stands and is returned."""
        ...

    async def tasks(self, kind: str = "", limit: int = 0, *, imported: bool = False) -> Sequence[StoredTask]:
        """Tasks that stand, oldest first: our own, or those that were imported from other people's sets."""
        ...

    async def refusals(self, reason: str = "", limit: int = 0) -> Sequence[StoredRefusal]:
        """Candidates that gave no task, newest first; of one reason where one is named."""
        ...

    async def matching(self, prefix: str) -> Sequence[StoredTask]:
        """Tasks whose id begins with a text, two at most."""
        ...

    async def retracted(self) -> Sequence[tuple[str, str]]:
        """Every task that was taken back, with the reason."""
        ...

    async def retract(self, task_id: str, reason: str) -> str:
        """Mark a task as wrong; gives the reason that stands, which is the first one."""
        ...

    async def supersede(
        self, task_id: str, note: str, builder: str, task: BuiltTask, function: dict[str, Any]
    ) -> BuiltTask | None:
        """Keep a task in the place of one that stands, which is taken back with a note: both happen, or neither.

        Returns:
            What stands under this version, which is the first one; None where the old task does not stand.
        """
        ...

    async def amended(self) -> Sequence[StoredTask]:
        """Tasks of our own that stand and took the place of another one, oldest first."""
        ...

    async def counts(self) -> dict[str, int]:
        """Counts of standing tasks, of retracted ones, and of refusals by reason; imported tasks are not counted."""
        ...


class Announcer(Protocol):
    """Facts that others hear."""

    async def built(self, task: BuiltTask, function: dict[str, Any], *, again: bool = False) -> None:
        """A task is released; told again it is no new one."""
        ...

    async def refused(self, subject: Subject, refusal: Refusal) -> None:
        """A function got no task."""
        ...

    async def retracted(self, task_id: str, reason: str) -> None:
        """A task was wrong."""
        ...


class TaskDesk:
    """Decides about candidates and answers for what was decided.

    Args:
        builder: Builds tasks.
        version: Version of the builder; a new version decides anew.
        decisions: Where decisions are kept.
        announcer: Tells others.
        blobs: Where suites, certificates and ground truths lie.
        callers: Knows what functions are really called with; None asks nobody.
    """

    def __init__(
        self,
        builder: Builds,
        version: str,
        decisions: Decisions,
        announcer: Announcer,
        blobs: Blobs,
        callers: Callers | None = None,
    ) -> None:
        self._builder = builder
        self._version = version
        self._announcer = announcer
        self._callers = callers
        self.decisions = decisions
        self.blobs = blobs
        self.busy: list[str] = []

    async def decide(self, subject: Subject, function: dict[str, Any]) -> Decision:
        """Build a candidate's task or refuse it; on a replay the stored decision is announced again.

        Args:
            subject: The ground truth.
            function: The function's record as it came, handed on with the task.
        """
        decision = await self.decisions.find(subject.function_id, self._version)
        if decision is None:
            self.busy.append(f"{subject.source_name} {subject.qualname}")
            try:
                # A sequence makes its object itself.
                if self._callers is not None and subject.form != "sequence":
                    subject = replace(subject, seen=await self._callers.seen(function))
                decision = await self._builder.build(subject)
            finally:
                self.busy.remove(f"{subject.source_name} {subject.qualname}")
            cpu_s = decision.cpu_s if isinstance(decision, BuiltTask) else 0.0
            decision = await self.decisions.save(
                subject.function_id, self._version, subject.kind, decision, function, cpu_s
            )
        if isinstance(decision, BuiltTask):
            await self._announcer.built(decision, function)
        else:
            await self._announcer.refused(subject, decision)
        return decision

    async def supersede(self, stored: StoredTask, made: BuiltTask, version: str, note: str) -> StoredTask | None:
        """Let a task of the same function take the place of one that stands, and tell others of both.

        Args:
            stored: The one that is taken back.
            made: The new one.
            version: Its own version of the builder.
            note: Why, in public.

        Returns:
            What took the place; None where the old one was taken back before, and nothing was changed.
        """
        task_id, function = stored.task.task_id, stored.function
        stands = await self.decisions.supersede(task_id, note, version, made, function)
        if stands is None:
            return None
        await self._announcer.built(stands, function)
        await self._announcer.retracted(task_id, note)
        return StoredTask(stands, function)

    async def tell_again(self) -> None:
        """Publish again what no replay of functions brings: retractions, and the versions that took a task's place.

        What was stored while the broker was away would never be heard of otherwise.
        """
        for task_id, reason in await self.decisions.retracted():
            await self._announcer.retracted(task_id, reason)
        for stored in await self.decisions.amended():
            await self._announcer.built(stored.task, stored.function, again=True)

    async def find(self, identifier: str) -> StoredTask:
        """The task with an id or an unambiguous prefix.

        Raises:
            UnknownTaskError: none has it, or several do.
        """
        found: Sequence[StoredTask] = await self.decisions.matching(identifier) if identifier else ()
        if len(found) != 1:
            why = "no task has this id" if not found else "several tasks begin with this"
            raise UnknownTaskError(why, thing=identifier or "(empty)", way_out="see `touchstone tasks list`")
        return found[0]

    async def retract(self, identifier: str, reason: str) -> tuple[StoredTask, bool]:
        """Take a released task back, with a public note; gives it, and whether it was taken back before.

        Asked again it changes nothing, the first note stays, and the fact is published again.

        Raises:
            UnknownTaskError: none has this id, or several do.
        """
        stored = await self.find(identifier)
        standing = await self.decisions.retract(stored.task.task_id, reason)
        await self._announcer.retracted(stored.task.task_id, standing)
        return replace(stored, retracted=standing), bool(stored.retracted)
