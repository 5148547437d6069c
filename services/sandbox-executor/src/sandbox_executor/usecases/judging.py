"""Judging solutions of runs."""

from __future__ import annotations

from sandbox_executor.domain.jobs import CasesJob, Solution
from sandbox_executor.ports import Announcer, SuiteStore, VerdictStore
from sandbox_executor.usecases.executor import Executor


class Judging:
    """Judges solutions of runs, once each, and announces the verdicts.

    Args:
        executor: Runs them.
        suites: Where suites lie.
        verdicts: Where verdicts are kept.
        announcer: Tells the platform.
    """

    def __init__(self, executor: Executor, suites: SuiteStore, verdicts: VerdictStore, announcer: Announcer) -> None:
        self._executor = executor
        self._suites = suites
        self._verdicts = verdicts
        self._announcer = announcer

    async def judge(self, solution: Solution) -> None:
        """Judge, store, announce; a solution that was judged before under this number is only announced again.

        Raises:
            PermanentError: the suite is not there, or the job is not well formed.
            RetryableError: the store, the broker or the sandbox failed for now.
        """
        place = solution.solution_id, solution.suite_digest
        verdict = await self._verdicts.find(*place, solution.judging)
        if verdict is None:
            suite = await self._suites.load(solution.suite_digest)
            limits = self._executor.limits({})
            job = CasesJob(solution.language, solution.source, solution.entry_point, (), limits)
            verdict = await self._executor.judge(job, suite, caller=f"run {solution.run_id}")
            verdict = await self._verdicts.keep(*place, verdict, solution.judging)
        await self._announcer.verdict_reached(solution, verdict)
