"""Verdicts on the bus."""

from __future__ import annotations

from sandbox_executor import metrics
from sandbox_executor.domain.jobs import Solution
from sandbox_executor.domain.judging import Verdict
from touchstone_contracts.envelope import content_id
from touchstone_contracts.events import CaseFailure, VerdictReached
from touchstone_contracts.topics import VERDICT_REACHED
from touchstone_runtime.bus import Bus


def verdict_event(solution: Solution, verdict: Verdict) -> VerdictReached:
    """The event of a verdict; its ids leave out what a clock measured."""
    failures = tuple(CaseFailure(index=f.index, outcome=f.outcome, detail=f.detail) for f in verdict.failures)
    decided = [[f.index, f.outcome] for f in verdict.failures]
    # The first verdict keeps the id that it had before there were versions.
    number = (solution.judging,) if solution.judging else ()
    verdict_id = content_id(
        "verdict", solution.solution_id, solution.suite_digest, verdict.outcome, verdict.passed, decided, *number
    )
    return VerdictReached(
        event_id=content_id("VerdictReached", verdict_id, solution.run_id),
        verdict_id=verdict_id,
        solution_id=solution.solution_id,
        run_id=solution.run_id,
        task_id=solution.task_id,
        outcome=verdict.outcome,
        cases=verdict.cases,
        passed=verdict.passed,
        failures=failures,
        wall_s=verdict.wall_s,
        cpu_s=verdict.cpu_s,
        memory_bytes=verdict.memory_bytes,
        judging=solution.judging,
        judging_note=solution.judging_note,
    )


class BusAnnouncer:
    """Publishes verdicts; see the port."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def verdict_reached(self, solution: Solution, verdict: Verdict) -> None:
        """Publish one verdict."""
        await self._bus.publish(VERDICT_REACHED, verdict_event(solution, verdict))
        metrics.VERDICTS.labels(verdict.outcome).inc()
