"""A backend whose endings are counted."""

from __future__ import annotations

from collections.abc import Callable

from sandbox_executor.domain.jobs import CaseSink, CasesJob, ProgramEvent, ProgramJob, ProgramResult, ProgramSink
from sandbox_executor.domain.outcomes import CaseResult
from sandbox_executor.domain.requirements import Prepared
from sandbox_executor.domain.sessions import SessionJob
from sandbox_executor.ports import Backend, Cancellation, LanguageStatus, Layer, SessionSandbox


class CountedBackend:
    """Implements `ports.Backend` by another one.

    Args:
        backend: Does the work.
        count: Told of each case and each program: the backend's name, and how it ended.
    """

    def __init__(self, backend: Backend, count: Callable[[str, str], None]) -> None:
        self._backend = backend
        self._count = count
        self.name = backend.name
        self.egress = backend.egress

    def layers(self) -> list[Layer]:
        """What isolates a job here."""
        return self._backend.layers()

    def languages(self) -> list[LanguageStatus]:
        """Which languages can be used."""
        return self._backend.languages()

    def run_cases(self, job: CasesJob, sink: CaseSink, cancelled: Cancellation) -> None:
        """Call the entry point on each input."""

        def take(result: CaseResult) -> None:
            self._count(self.name, result.outcome.value)
            sink(result)

        self._backend.run_cases(job, take, cancelled)

    def run_program(self, job: ProgramJob, sink: ProgramSink, cancelled: Cancellation) -> None:
        """Run a program."""

        def take(event: ProgramEvent) -> None:
            if isinstance(event, ProgramResult):
                self._count(self.name, event.outcome.value)
            sink(event)

        self._backend.run_program(job, take, cancelled)

    def open_session(self, job: SessionJob) -> SessionSandbox:
        """A sandbox that stays until it is closed."""
        return self._backend.open_session(job)

    def prepare(self, language: str, requirements: tuple[str, ...], cancelled: Cancellation) -> Prepared:
        """Have an environment of packages for a language."""
        return self._backend.prepare(language, requirements, cancelled)

    def close(self) -> None:
        """End every process."""
        self._backend.close()
