"""Sessions on every backend: one sandbox, many programs."""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import PurePosixPath

from sandbox_executor.adapters.attempt import CancelledError
from sandbox_executor.adapters.hosting.layout import LIBRARY, SITE
from sandbox_executor.adapters.programs import ARTEFACT_BYTES, run_command, run_program
from sandbox_executor.adapters.running import DISK_BYTES, SandboxRunner, Setting, raised, telling
from sandbox_executor.adapters.sandbox import Command, Sandbox
from sandbox_executor.domain.jobs import ProgramEvent, ProgramJob, ProgramResult, ProgramSink
from sandbox_executor.domain.languages.definition import COMMON_ENVIRONMENT
from sandbox_executor.domain.outcomes import Outcome, Reading
from sandbox_executor.domain.sessions import SessionJob, Step
from sandbox_executor.ports import Cancellation, SessionSandbox
from sandbox_executor.usecases.stopping import Stop

_WRITER = f"{LIBRARY}/sandbox_executor/launcher/write_file.py"
_WRITE_WITHIN_S = 60.0
_WORDS = 300
# Looks a program up on the PATH, and says in its own words when there is none.
_LOOK_UP = ("/bin/sh", "-c", 'exec "$@"', "sh")
_ENVIRONMENT = "/runtime/environment"


class SessionRunner(SandboxRunner):
    """Runs jobs, and keeps sessions."""

    def open_session(self, job: SessionJob) -> SessionSandbox:
        """A sandbox that stays until it is closed; blocks while it is made."""
        language = self.language(job.language)
        places = self._toolchains.places(language.name)
        limits, files = raised(job.limits, language), {file.path: file.content for file in job.files}
        with ExitStack() as opened:
            way_out = opened.enter_context(self.way_out(job.egress))
            setting = Setting(language, "", limits, job.environment_id, 1, places, job.data_view, way_out)
            sandbox = opened.enter_context(self.open(setting, files))
            return _RunnerSession(self, setting, sandbox, opened.pop_all())


class _RunnerSession:
    """One session.

    Args:
        runner: Knows the commands of languages.
        setting: What its sandbox was made for; its limits are those of steps that name none.
        sandbox: Where its programs run.
        opened: Ends it.
    """

    def __init__(self, runner: SessionRunner, setting: Setting, sandbox: Sandbox, opened: ExitStack) -> None:
        self._runner = runner
        self._setting = setting
        self._sandbox = sandbox
        self._opened = opened
        self._closing = threading.Lock()
        self._closed = False

    @property
    def alive(self) -> bool:
        """Whether what earlier steps left is still there."""
        return not self._closed and self._sandbox.alive

    def run(self, step: Step, sink: ProgramSink, cancelled: Cancellation) -> None:
        """Run one step; the sink gets what it prints, its artefacts, and last its result."""
        started = time.monotonic()
        limits = replace(self._setting.limits, total_timeout_s=step.timeout_s, output_bytes=step.output_bytes)
        setting = replace(self._setting, limits=limits)
        before = self._sandbox.usage().cpu_s

        def own(event: ProgramEvent) -> None:
            """Tell of the step what was measured of the session."""
            told = telling(setting.way_out, sink)
            told(replace(event, cpu_s=event.cpu_s - before) if isinstance(event, ProgramResult) else event)

        job = ProgramJob(
            setting.language.name, step.source, (), step.stdin, step.arguments, limits, artefacts=step.artefacts
        )
        try:
            command = self._command(setting, step, started, cancelled, own)
            if command is not None:
                run_program(self._sandbox, setting.language, job, command, own, cancelled, started)
        except CancelledError:
            return

    def _command(
        self, setting: Setting, step: Step, started: float, cancelled: Cancellation, sink: ProgramSink
    ) -> Command | None:
        """What the step runs, its source laid out and compiled; None when that failed, which the sink was told."""
        language = setting.language
        source = f"/work/{language.source_file}"
        if step.command:
            plain = self._runner.command(setting, _LOOK_UP, source, "exec", step.command)
            return replace(plain, mode="exec", environment=self._variables(setting, plain))
        problem = self.write(language.source_file, step.source.encode("utf-8", "surrogatepass"))
        if problem:
            words = f"the source cannot be written to {language.source_file}: {problem}"
            reading = Reading(Outcome.COMPILE_ERROR, "CompileError", words)
        else:
            reading = self._runner.build(self._sandbox, setting, language.execute_build, source, started, cancelled)
        if reading is None:
            return self._runner.command(setting, language.execute, source, "program", step.arguments)
        usage, wall_s = self._sandbox.usage(), time.monotonic() - started
        sink(ProgramResult(reading.outcome, -1, wall_s, usage.cpu_s, usage.memory_bytes, reading.error_message))
        return None

    def _variables(self, setting: Setting, command: Command) -> dict[str, str]:
        """The language's own runtime is found first, and its packages are."""
        variables = {**COMMON_ENVIRONMENT, **command.environment}
        runtime = setting.places.get("runtime")
        if runtime:
            variables["PATH"] = f"{PurePosixPath(runtime).parent}:{variables['PATH']}"
        if setting.language.name == "python":
            variables["PYTHONPATH"] = f"{_ENVIRONMENT}:{SITE}"
        return variables

    def write(self, path: str, content: bytes) -> str:
        """Put a file into the working folder in place of what is there; gives why not, in words, or nothing."""
        plain = self._runner.command(self._setting, (), "", "exec")
        command = replace(plain, mode="program", argv=(_WRITER, path))
        with closing(Stop()) as never:
            signs, words = run_command(
                self._sandbox,
                command,
                stdin=content,
                output_bytes=_WORDS * 4,
                end=time.monotonic() + _WRITE_WITHIN_S,
                cancelled=never,
            )
        if signs.ending is not None and signs.ending.exit_code == 0:
            return ""
        if signs.usage.oom_kills:
            return "the session's memory limit was reached"
        return " ".join(words.split())[-_WORDS:] or "no words"

    def read(self, path: str) -> bytes | None:
        """A regular file of the working folder; None when there is none, or when it cannot be opened safely."""
        return dict(self._sandbox.collect((path,), min(ARTEFACT_BYTES, DISK_BYTES))).get(path)

    def close(self) -> None:
        """End everything in it and remove it."""
        with self._closing:
            if not self._closed:
                self._closed = True
                self._opened.close()
