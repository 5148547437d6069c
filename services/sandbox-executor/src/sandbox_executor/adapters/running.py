"""What every backend does with a job: lay out files, build, run; only the sandbox differs."""

from __future__ import annotations

import math
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, replace

from sandbox_executor.adapters.attempt import CancelledError
from sandbox_executor.adapters.cases import CasesRun
from sandbox_executor.adapters.egress.process import VARIABLES, RelayProcess
from sandbox_executor.adapters.programs import run_command, run_program
from sandbox_executor.adapters.sandbox import Command, Sandbox
from sandbox_executor.adapters.toolchains import Toolchains
from sandbox_executor.domain.egress import Destination
from sandbox_executor.domain.jobs import CaseSink, CasesJob, ProgramEvent, ProgramJob, ProgramResult, ProgramSink
from sandbox_executor.domain.languages.definition import Command as Template
from sandbox_executor.domain.languages.definition import Language, fill
from sandbox_executor.domain.limits import Limits
from sandbox_executor.domain.outcomes import CaseResult, Outcome, Reading, read_signs
from sandbox_executor.errors import JobRefusedError
from sandbox_executor.ports import Cancellation

# Of each folder in memory that a program may write to.
DISK_BYTES = 128 * 1024 * 1024
INODES = 20_000
_BUILD_OUTPUT = 4 << 20
_WORDS = 4000


@dataclass(frozen=True)
class Setting:
    """What a sandbox is made for.

    Attributes:
        language: Whose program it will run.
        source: The candidate's text; says which libraries to have ready.
        limits: Of the job.
        environment_id: Prepared dependencies, or empty.
        hash_seed: Of Python's string hashing.
        places: What stands for the placeholders of the language's commands.
        data_view: Datasets that are ready, or empty.
        way_out: The job's relay, the same for all of its sandboxes; None where it has none.
    """

    language: Language
    source: str
    limits: Limits
    environment_id: str
    hash_seed: int
    places: Mapping[str, str]
    data_view: str = ""
    way_out: RelayProcess | None = None


class SandboxRunner(ABC):
    """Runs jobs in sandboxes that a subclass makes.

    Args:
        languages: Definitions by name.
        toolchains: Their runtimes on this machine.
    """

    def __init__(self, languages: Mapping[str, Language], toolchains: Toolchains) -> None:
        self._languages = languages
        self._toolchains = toolchains

    @abstractmethod
    def open(self, setting: Setting, files: Mapping[str, bytes]) -> AbstractContextManager[Sandbox]:
        """A fresh sandbox with these files in its working folder; removed when the context ends.

        Raises:
            SandboxFaultError: it cannot be made.
            IsolationMissingError: a layer is missing.
        """

    @abstractmethod
    def way_out(self, egress: tuple[Destination, ...]) -> AbstractContextManager[RelayProcess | None]:
        """A job's relay to what it may reach outside, with one allowance for the whole job; None for nothing."""

    def run_cases(self, job: CasesJob, sink: CaseSink, cancelled: Cancellation) -> None:
        """Call the entry point on each input; the sink gets one result for each case, in order."""
        language = self.language(job.language)
        # Some editors begin a file with a byte order mark, which not every compiler takes.
        files = {language.source_file: job.source.removeprefix("\ufeff").encode("utf-8", "surrogatepass")}
        places = self._toolchains.places(language.name, type_check=job.type_check)
        limits = raised(job.limits, language)
        builds = language.build_checked if job.type_check and language.build_checked is not None else language.build
        try:
            with self.way_out(job.egress) as way_out, ExitStack() as opened:
                setting = Setting(
                    language, job.source, limits, job.environment_id, job.hash_seed, places, job.data_view, way_out
                )
                sandbox = opened.enter_context(self.open(setting, files))
                # The job's time counts from here: what the platform prepared before is not its doing.
                started = time.monotonic()
                source = f"/work/{language.source_file}"

                def told(result: CaseResult) -> None:
                    # It was refused before the case could answer.
                    sink(replace(result, refused=way_out.refused()) if way_out is not None else result)

                def renew() -> tuple[Sandbox, Reading | None]:
                    opened.close()
                    sandbox = opened.enter_context(self.open(setting, files))
                    # Its types, where they are checked at all, were found right.
                    what = setting, language.build, source, time.monotonic(), cancelled, job.entry_point
                    return sandbox, self.build(sandbox, *what)

                run = CasesRun(
                    sandbox, language, job,
                    self.command(setting, language.run, source, "cases", entry=job.entry_point),
                    told, cancelled, started, renew,
                )  # fmt: skip
                problem = self.build(sandbox, setting, builds, source, started, cancelled, job.entry_point)
                if problem is None:
                    run.run()
                else:
                    run.fail_rest(problem)
        except CancelledError:
            return

    def run_program(self, job: ProgramJob, sink: ProgramSink, cancelled: Cancellation) -> None:
        """Run a program; the sink gets what it prints, its artefacts, and last its result."""
        language = self.language(job.language)
        name = language.source_file
        files = {file.path: file.content for file in job.files}
        files[name] = job.source.encode("utf-8", "surrogatepass")
        places = self._toolchains.places(language.name, type_check=job.type_check)
        limits = raised(job.limits, language)
        builds = language.execute_build
        if job.type_check and language.execute_build_checked is not None:
            builds = language.execute_build_checked
        try:
            with ExitStack() as opened:
                way_out = opened.enter_context(self.way_out(job.egress))
                setting = Setting(language, job.source, limits, job.environment_id, 1, places, job.data_view, way_out)
                sandbox = opened.enter_context(self.open(setting, files))
                # The job's time counts from here: what the platform prepared before is not its doing.
                started = time.monotonic()
                source = f"/work/{name}"
                problem = self.build(sandbox, setting, builds, source, started, cancelled)
                if problem is None:
                    command = self.command(setting, language.execute, source, "program", job.arguments)
                    run_program(sandbox, language, job, command, telling(way_out, sink), cancelled, started)
                    return
                usage = sandbox.usage()
                wall_s = time.monotonic() - started
                sink(ProgramResult(problem.outcome, -1, wall_s, usage.cpu_s, usage.memory_bytes, problem.error_message))
        except CancelledError:
            return

    def language(self, name: str) -> Language:
        """Its definition.

        Raises:
            JobRefusedError: there is no such language.
        """
        language = self._languages.get(name)
        if language is None:
            raise JobRefusedError("no such language", thing=name, way_out=f"one of {', '.join(self._languages)}")
        return language

    def command(
        self, setting: Setting, template: Template, source: str, mode: str, arguments: tuple[str, ...] = (),
        entry: str = "",
    ) -> Command:  # fmt: skip
        """A language's command for a job: placeholders filled, the caller's arguments behind, limits beside."""
        language, limits = setting.language, setting.limits
        places = {
            **setting.places,
            "source": source,
            "entry": entry,
            "heap_mib": str(language.heap_mib(limits.memory_bytes)),
        }
        argv = fill(template, places)
        environment = dict(VARIABLES) if setting.way_out is not None else {}
        environment |= dict(zip(language.environment, fill((*language.environment.values(),), places), strict=True))
        rlimits = {
            "NOFILE": 1024,
            # The kernel's mark for: no dump, and no call of the host's dump handler either, which 0 would allow.
            "CORE": 1,
            "FSIZE": DISK_BYTES,
            "MEMLOCK": 64 * 1024,
            # A second line behind the cgroups, with room for their own answer to come first.
            "NPROC": limits.processes * 4 + 64,
            "CPU": math.ceil(limits.total_timeout_s) * 4 + 5,
        }
        warm = language.name == "python"
        return Command(mode if warm else "exec", (*argv, *arguments), environment, rlimits)  # type: ignore[arg-type]

    def build(
        self,
        sandbox: Sandbox,
        setting: Setting,
        builds: tuple[Template, ...],
        source: str,
        started: float,
        cancelled: Cancellation,
        entry: str = "",
    ) -> Reading | None:
        """Run the build commands; None when all succeeded, otherwise what every case has as its outcome."""
        for template in builds:
            command = self.command(setting, template, source, "exec", entry=entry)
            signs, words = run_command(
                sandbox,
                command,
                stdin=b"",
                output_bytes=_BUILD_OUTPUT,
                end=started + setting.limits.total_timeout_s,
                cancelled=cancelled,
            )
            if signs.ending is not None and signs.ending.exit_code == 0:
                continue
            reading = read_signs(signs)
            if reading.outcome is Outcome.EXITED:
                return Reading(Outcome.COMPILE_ERROR, "CompileError", words.strip()[-_WORDS:])
            return reading
        return None


def telling(way_out: RelayProcess | None, sink: ProgramSink) -> ProgramSink:
    """The sink, which is told with a result what the way out refused."""
    if way_out is None:
        return sink

    def told(event: ProgramEvent) -> None:
        sink(replace(event, refused=way_out.refused()) if isinstance(event, ProgramResult) else event)

    return told


def raised(limits: Limits, language: Language) -> Limits:
    """The limits, at least what the runtime needs to start."""
    return Limits(
        limits.case_timeout_s,
        limits.total_timeout_s,
        max(limits.memory_bytes, language.memory_floor_bytes),
        limits.output_bytes,
        limits.processes + language.processes_floor,
    )
