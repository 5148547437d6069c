"""Runtimes, harnesses run directly, and one local backend for all tests of languages."""

from __future__ import annotations

import contextlib
import json
import os
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from sandbox_executor.adapters.gvisor.backend import GvisorBackend, GvisorOptions
from sandbox_executor.adapters.hosting.cgroups import Cgroups
from sandbox_executor.adapters.local.backend import LocalBackend, LocalOptions
from sandbox_executor.adapters.running import SandboxRunner
from sandbox_executor.adapters.toolchains import RuntimePaths, Toolchains
from sandbox_executor.domain.jobs import CasesJob, File, Printed, ProgramJob, ProgramResult
from sandbox_executor.domain.languages import LANGUAGES
from sandbox_executor.domain.limits import DEFAULT
from sandbox_executor.domain.outcomes import CaseResult
from touchstone_local.settings import folders

REPO = Path(__file__).resolve().parents[4]
HARNESS = REPO / "services" / "sandbox-executor" / "src" / "sandbox_executor" / "harness"


@pytest.fixture(scope="session")
def toolchains() -> Toolchains:
    """Built once a machine for each version of the harnesses; the platform itself uses the same folder."""
    return Toolchains(folders().cache, HARNESS, RuntimePaths())


@pytest.fixture(scope="session")
def places(toolchains: Toolchains) -> Callable[[str], dict[str, str]]:
    """A language that cannot be had fails its tests: every one of them is brought by `make tools`."""
    return toolchains.places


@dataclass
class Answers:
    """What a harness wrote, and how it ended."""

    frames: list[str]
    exit_code: int
    stdout: str
    stderr: str

    @property
    def values(self) -> list[str]:
        """The values of all answers; every one must have returned."""
        found = []
        for index, text in enumerate(self.frames[1:]):
            head = f'{{"i":{index},"o":"returned","v":'
            assert text.startswith(head), text
            found.append(text[len(head) : -1])
        return found

    @property
    def raised(self) -> list[tuple[str, str]]:
        """Type and message of all answers; every one must have raised."""
        found = []
        for text in self.frames[1:]:
            answer = json.loads(text)
            assert answer["o"] == "raised", text
            found.append((answer["t"], answer["m"]))
        return found


@pytest.fixture
def harness(places: Callable[[str], dict[str, str]], toolchains: Toolchains, tmp_path: Path) -> Callable[..., Answers]:
    """Run a language's harness directly, without any isolation: `harness(language, source, entry, cases)`."""
    binds = {inside: outside for outside, inside in toolchains.binds()}

    def outside(path: str) -> str:
        for inside, folder in binds.items():
            if path.startswith(inside):
                return folder + path[len(inside) :]
        return path

    def run(language: str, source: str, entry: str, cases: list[str]) -> Answers:
        found = {name: outside(path) for name, path in places(language).items()}
        definition = LANGUAGES[language]
        file = tmp_path / definition.source_file
        file.write_bytes(source.encode("utf-8", "surrogatepass"))
        command = {
            "javascript": [found["runtime"], "--disable-warning=ExperimentalWarning", f"{HARNESS}/javascript/main.js"],
            "java": [found["runtime"], "-XX:TieredStopAtLevel=1", "-jar", f"{found['toolchain']}/harness.jar"],
            "go": [str(tmp_path / "program")],
            "php": [found["runtime"], "-d", "display_errors=stderr", "-d", "log_errors=0", f"{HARNESS}/php/main.php"],
        }
        command["typescript"] = command["javascript"]
        if language == "go":
            build = [f"{found['toolchain']}/gobuild", "cases", found["toolchain"], found["root"], str(file), entry]
            done = subprocess.run([*build, command["go"][0]], capture_output=True, text=True, check=False)
            if done.returncode:
                return Answers([], done.returncode, done.stdout, done.stderr)
        variables = {"LD_LIBRARY_PATH": f"{found['root']}/lib"} if language == "php" else {}
        return drive(command[language], file, entry, cases, variables)

    return run


# Starts a command with two descriptors moved to 3 and 4; by way of high numbers, for one may be the other's target.
_MOVE = """
import os, sys
for source, high in ((sys.argv[1], 203), (sys.argv[2], 204)):
    os.dup2(int(source), high, inheritable=False)
for high, target in ((203, 3), (204, 4)):
    os.dup2(high, target)
os.execv(sys.argv[3], sys.argv[3:])
"""


def drive(command: list[str], file: Path, entry: str, cases: list[str], variables: dict[str, str]) -> Answers:
    """Start a harness with its channels as descriptors 3 and 4."""
    request_read, request_write = os.pipe()
    response_read, response_write = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", _MOVE, str(request_read), str(response_write), *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **variables},
        pass_fds=(request_read, response_write),
        text=True,
        errors="replace",
    )
    os.close(request_read)
    os.close(response_write)
    texts = [json.dumps({"source": str(file), "entry": entry, "options": {}})]
    texts += [f'{{"i":{index},"args":{case}}}' for index, case in enumerate(cases)]

    def send() -> None:
        with os.fdopen(request_write, "wb") as stream:
            for text in texts:
                data = text.encode()
                stream.write(struct.pack(">I", len(data)) + data)

    def send_safely() -> None:
        # A harness that ends early tells so by its answers.
        with contextlib.suppress(BrokenPipeError):
            send()

    sender = threading.Thread(target=send_safely)
    sender.start()
    frames = []
    with os.fdopen(response_read, "rb") as stream:
        while len(head := stream.read(4)) == 4:
            frames.append(stream.read(struct.unpack(">I", head)[0]).decode())
    stdout, stderr = process.communicate(timeout=300)
    sender.join()
    return Answers(frames, process.returncode, stdout, stderr)


class Never:
    """A cancellation that never comes."""

    requested = False

    def __init__(self) -> None:
        self.descriptor, self._other = os.pipe()

    def close(self) -> None:
        os.close(self.descriptor)
        os.close(self._other)


@pytest.fixture(scope="session", params=["local", "gvisor"])
def backend(
    request: pytest.FixtureRequest, toolchains: Toolchains, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[SandboxRunner]:
    state = tmp_path_factory.mktemp("sandbox")
    cgroups: list[Cgroups] = []
    if request.param == "local":
        made = LocalBackend(LANGUAGES, toolchains, LocalOptions(state, 2))
    else:

        def own() -> Cgroups:
            return cgroups[0] if cgroups else cgroups.append(Cgroups()) or cgroups[0]

        options = GvisorOptions(request.getfixturevalue("runsc"), state)
        made = GvisorBackend(LANGUAGES, toolchains, options, own)
    yield made
    made.close()
    for found in cgroups:
        found.close()


@pytest.fixture
def run_cases(
    backend: SandboxRunner, places: Callable[[str], dict[str, str]]
) -> Iterator[Callable[..., list[CaseResult]]]:
    """`run_cases(language, source, entry, inputs, **limits)` in the sandbox."""
    never = Never()

    def run(
        language: str, source: str, entry: str, inputs: list[str], type_check: bool = False,
        nothing_returned: bool = False, **limits: float,
    ) -> list[CaseResult]:  # fmt: skip
        places(language)
        found: list[CaseResult] = []
        options = {"type_check": type_check, "nothing_returned": nothing_returned}
        job = CasesJob(language, source, entry, tuple(inputs), replace(DEFAULT, **limits), **options)
        backend.run_cases(job, found.append, never)
        return found

    yield run
    never.close()


@dataclass
class Ran:
    """A program's result with all that it printed."""

    result: ProgramResult
    stdout: str
    stderr: str
    artefacts: dict[str, bytes]


@pytest.fixture
def run_program(backend: SandboxRunner, places: Callable[[str], dict[str, str]]) -> Iterator[Callable[..., Ran]]:
    """`run_program(language, source, files, stdin, arguments, artefacts, **limits)` in the sandbox."""
    never = Never()

    def run(
        language: str,
        source: str,
        files: dict[str, str] | None = None,
        stdin: str = "",
        arguments: tuple[str, ...] = (),
        artefacts: tuple[str, ...] = (),
        type_check: bool = False,
        **limits: float,
    ) -> Ran:
        places(language)
        events: list[object] = []
        given = tuple(File(path, content.encode()) for path, content in (files or {}).items())
        job = ProgramJob(
            language,
            source,
            given,
            stdin.encode(),
            arguments,
            replace(DEFAULT, **limits),
            artefacts=artefacts,
            type_check=type_check,
        )
        backend.run_program(job, events.append, never)

        def text(stream: str) -> str:
            return b"".join(e.data for e in events if isinstance(e, Printed) and e.stream == stream).decode()

        (result,) = [event for event in events if isinstance(event, ProgramResult)]
        brought = {event.path: event.content for event in events if isinstance(event, File)}
        return Ran(result, text("stdout"), text("stderr"), brought)

    yield run
    never.close()
