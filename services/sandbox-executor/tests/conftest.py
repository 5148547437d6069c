"""Fakes that implement the executor's ports."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from sandbox_executor.domain.jobs import CaseSink, CasesJob, Printed, ProgramJob, ProgramResult, ProgramSink
from sandbox_executor.domain.outcomes import CaseResult, Outcome
from sandbox_executor.domain.packages import Policy
from sandbox_executor.domain.requirements import Package, Prepared, check_requirements
from sandbox_executor.ports import Cancellation, LanguageStatus, Layer


class ScriptedBackend:
    """Answers each case by a function of its input; `hang` makes it wait until it is cancelled."""

    def __init__(self, answer: Callable[[int, str], CaseResult], *, hang: bool = False) -> None:
        self.name = "scripted"
        self.egress = False
        self.answer = answer
        self.hang = hang
        self.jobs: list[CasesJob] = []
        self.cancelled = 0
        self.closed = False
        self.running = 0
        self.most_running = 0
        self._lock = threading.Lock()

    def layers(self) -> list[Layer]:
        return [Layer("walls", True, "thick"), Layer("moat", False, "dry", required=False)]

    def languages(self) -> list[LanguageStatus]:
        return [LanguageStatus("python", True, "3.11"), LanguageStatus("php", False, "", "not installed")]

    def run_cases(self, job: CasesJob, sink: CaseSink, cancelled: Cancellation) -> None:
        self.jobs.append(job)
        with self._lock:
            self.running += 1
            self.most_running = max(self.most_running, self.running)
        try:
            for index, text in enumerate(job.inputs):
                while self.hang and not cancelled.requested:
                    time.sleep(0.005)
                if cancelled.requested:
                    self.cancelled += 1
                    return
                sink(self.answer(index, text))
        finally:
            with self._lock:
                self.running -= 1

    def run_program(self, job: ProgramJob, sink: ProgramSink, cancelled: Cancellation) -> None:
        sink(Printed("stdout", job.stdin))
        sink(ProgramResult(Outcome.RETURNED, 0, 0.1, 0.1, 1))

    def prepare(self, language: str, requirements: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        wanted = check_requirements(requirements)
        for name in wanted:
            Policy(denied=("evil",)).check_name(language, name)
        return Prepared(True, "e" * 32, tuple(Package(name, "1", "0" * 64) for name in wanted))

    def close(self) -> None:
        self.closed = True


def echo(index: int, text: str) -> CaseResult:
    return CaseResult(index, Outcome.RETURNED, text, job_cpu_s=0.25, memory_bytes=7)


@pytest.fixture
def echoing() -> ScriptedBackend:
    return ScriptedBackend(echo)


@pytest.fixture
def scripted() -> type[ScriptedBackend]:
    return ScriptedBackend
