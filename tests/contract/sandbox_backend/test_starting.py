"""A program that we cannot start is our fault, and no end of the candidate's."""

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest

import sandbox_executor
from sandbox_executor.adapters.local.backend import LocalBackend, LocalOptions
from sandbox_executor.adapters.toolchains import Toolchains
from sandbox_executor.adapters.toolchains.runtimes import RuntimePaths
from sandbox_executor.domain.jobs import CasesJob, ProgramJob
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.domain.outcomes import Outcome
from sandbox_executor.errors import SandboxFaultError
from sandbox_executor.usecases.stopping import Stop

NOTHING = ("/nothing",)
PYTHON = LANGUAGES["python"]
TOOLS = ("{runtime}", "-c")
# Of the language that they are called after, these take its place alone: their runtime is Python's.
MADE = {
    "javascript": {"run": NOTHING, "execute": NOTHING},
    "java": {"build": (NOTHING,), "execute_build": (NOTHING,)},
    # What ends so by itself, and says so, is no such case.
    "php": {
        "run": (*TOOLS, "import os; os.write(2, b'sandbox: /nothing: No such file\\n'); os._exit(125)"),
        "execute": (*TOOLS, "import os; os.write(1, str(os.listdir('/proc/self/fd')).encode()); os._exit(125)"),
    },
    "typescript": {"execute": (*TOOLS, "import os; os.kill(os.getpid(), 15)")},
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Runs a job in one of the made languages; gives what came."""
    languages = {**LANGUAGES}
    for name, changes in MADE.items():
        languages[name] = replace(PYTHON, name=name, environment={"PATH": "/usr/bin"}, **changes)
    state = tmp_path_factory.mktemp("starting")
    toolchains = Toolchains(state, Path(sandbox_executor.__file__).parent / "harness", RuntimePaths())
    # Nothing is fetched or built: all of them are Python.
    toolchains.places = lambda *_, **__: Toolchains.places(toolchains, "python")
    backend = LocalBackend(languages, toolchains, LocalOptions(state, 1))

    def work(start, job):
        found = []
        with contextlib.closing(Stop()) as stop:
            start(job, found.append, stop)
        return found

    yield (
        lambda name: work(backend.run_cases, CasesJob(name, "def f(): return 1", "f", ("[]", "[]"), DEFAULT)),
        lambda name, *given: work(backend.run_program, ProgramJob(name, "print(1)", (), b"", given, DEFAULT)),
    )
    backend.close()


@pytest.mark.parametrize("name", ["javascript", "java"])
def test_what_does_not_start_is_a_fault(run, name):
    for each in run:
        with pytest.raises(SandboxFaultError, match="did not start"):
            each(name)


def test_what_started_ended_by_itself(run):
    cases, program = run
    assert [result.outcome for result in cases("php")] == [Outcome.EXITED, Outcome.EXITED]
    printed, result = program("php")
    assert (result.outcome, result.exit_code) == (Outcome.EXITED, 125)
    # Its own three, and the folder that it looks into.
    assert printed.data == b"['0', '1', '2', '3']"
    assert program("typescript")[-1].outcome is Outcome.KILLED
    assert [result.outcome for result in cases("python")] == [Outcome.RETURNED, Outcome.RETURNED]


def test_arguments_that_are_too_long_are_the_callers(run):
    _, program = run
    *_, result = program("php", "x" * 131_080)
    assert (result.outcome, result.exit_code) == (Outcome.EXITED, 125)
