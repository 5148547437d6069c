"""A release desk on fakes, with tasks that were certified without a search."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

import touchstone_values as values
from pbt_generator.adapters.exporters import EXPORTERS, judges, same_content
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.domain.oracle.certificate import Certificate, Coverage, MutationScore, Weight
from pbt_generator.domain.task.record import BuiltTask
from pbt_generator.ports import ForeignProgram, Judgement
from pbt_generator.usecases.build import BUILDER
from pbt_generator.usecases.certify import Certifier, SuiteFacts
from pbt_generator.usecases.exported import ExportCheck
from pbt_generator.usecases.releases import ReleaseDesk
from pbt_generator.usecases.serve import TaskDesk
from pbt_generator.usecases.verify import Verifier
from touchstone_contracts.manifests import sha256
from touchstone_runtime.exported import ExportedFolder

CLAMP = '''\
def clamp(x: int, low: int = 0, high: int = 10) -> int:
    """Old words."""
    # Both ends count.
    if x < low:
        return low
    return high if x > high else x
'''
HALVES = '''\
import math

def halves(pair, scale=1.0):
    if not pair:
        raise ValueError("empty")
    text = """a
  b"""
    return tuple(math.floor(item) / 2 * scale for item in pair), len(text)
'''
SPREAD = "def spread(*items, twice=False): return [len(items)] * (2 if twice else 1)\n"
CASES: dict[str, tuple[str, str, list[Any]]] = {
    "clamp": (CLAMP, "SC", [[n, 0, 10] for n in range(-20, 40)]),
    "halves": (HALVES, "WSC", [[(1.5, n)] for n in range(8)]),
    "spread": (SPREAD, "SC", [{"twice": n % 2 == 1} for n in range(2)]),
}
# As the platform writes them: the types are those that the cases show.
HEADS = {
    "clamp": "def clamp(x: int, low: int = 0, high: int = 10) -> int",
    "halves": "def halves(pair: list[float], scale: float = 1.0) -> object",
    "spread": "def spread(*items: object, twice: bool = False) -> list[int]",
}


async def certified(sandbox: Any, name: str) -> tuple[BuiltTask, dict[str, Any], dict[str, bytes]]:
    """A task with its function's record and its blobs, made without a search."""
    source, kind, given = CASES[name]
    space: dict[str, Any] = {}
    exec(compile(source, name, "exec"), space)
    cases = []
    for arguments in given:
        result = space[name](**arguments) if isinstance(arguments, dict) else space[name](*arguments)
        cases.append((values.encode(arguments), values.encode(result)))
    comparison = "portable" if kind == "SC" else "exact"
    suite = ContractFreezer().freeze(comparison, name, 7, cases)
    texts = tuple(zip(*cases, strict=True))
    facts = SuiteFacts(suite.data, *texts, name, kind == "SC")
    trials, languages = await Certifier(sandbox, TablePrograms(), ContractFreezer()).certify(source, facts)
    raising = ("[[]]",) if name == "halves" else ()
    certificate = Certificate(
        suite.digest, BUILDER, tuple(trials), languages, Coverage(2, 2 - len(raising), len(raising), 0), raising, (), 4,
        4, MutationScore(40, 39, (), ("line 1: a → b",), ()), Weight(40, 10, (), ()), (), 0.96, 5, 0.2, 7,
    )  # fmt: skip
    data = json.dumps(certificate.to_dict(), sort_keys=True, ensure_ascii=False).encode()
    heads = {"python": HEADS.get(name, f"def {name}(x)"), "go": f"func {name}()"}
    task = BuiltTask(
        ContractFreezer().task_id(f"function-{name}", suite.digest, BUILDER), f"function-{name}", kind, "Easy",
        "heuristic", name, f'Do what {name} does: "the\\n" rule.', heads,
        "import math\n" if name == "halves" else "", suite.digest, sha256(data), sha256(source.encode()), len(cases),
        1.0, 0.975, tuple(languages), 1.25, track="described" if name == "clamp" else "by_example",
    )  # fmt: skip
    place = {"kind": "package", "name": "wordkit", "version": "1.2", "source_id": "s", "source_version_id": "v"}
    place |= {"licence": "" if name == "spread" else "MIT", "released_at": "2026-03-04T00:00:00Z"}
    function = {
        "function_id": task.function_id, "source": place, "path": "wordkit/a.py", "qualname": name, "line_start": 1,
        "line_end": 6, "imports": [], "libraries": [], "complexity": 3, "language": "python",
        "changed_at": "2026-01-05T00:00:00Z" if name == "halves" else None,
        "first_seen": "2025-11-07T00:00:00Z" if name == "clamp" else None,
    }  # fmt: skip
    return task, function, {sha256(part): part for part in (suite.data, data, source.encode())}


class Remembering:
    """A sandbox that runs each program once a session: the same program on the same cases gives the same."""

    known: ClassVar[dict[Any, Any]] = {}

    def __init__(self, sandbox: Any) -> None:
        self.sandbox = sandbox

    async def languages(self) -> Sequence[str]:
        return await self.sandbox.languages()

    async def judge(self, program: ForeignProgram, suite: bytes, **named: Any) -> Judgement:
        key = (program, suite, named["hash_seed"], named["stop_after_failures"])
        if key not in self.known:
            self.known[key] = await self.sandbox.judge(program, suite, **named)
        return self.known[key]

    async def run_cases(self, program: ForeignProgram, inputs: Sequence[str], **named: Any) -> Any:
        return await self.sandbox.run_cases(program, inputs, **named)


@pytest.fixture(scope="session")
def made() -> dict[str, Any]:
    """What `certified` makes of every function; made once."""
    return {}


class DictParts:
    def __init__(self, stored: dict[str, bytes]) -> None:
        self.stored = stored

    async def get(self, digest: str) -> bytes | None:
        return self.stored.get(digest)

    def place(self, digest: str) -> str:
        return f"blob {digest}"


class House:
    """A release desk on fakes, with three tasks."""

    cases = CASES

    def __init__(self, sandbox: Any, decisions: Any, releases: Any, announcer: Any, blobs: Any) -> None:
        self.sandbox, self.decisions, self.blobs, self.announcer = sandbox, decisions, blobs, announcer
        self.tasks = tasks = TaskDesk(None, BUILDER, decisions, announcer, blobs)  # type: ignore[arg-type]  builds nothing here
        self.verifier = Verifier(sandbox, TablePrograms(), ContractFreezer(), pause_s=0.0)
        self.parts = DictParts(blobs.stored)
        self.desk = ReleaseDesk(tasks, releases, blobs, self.parts, ContractFreezer(), self.verifier, EXPORTERS)
        self.check = ExportCheck(self.verifier, ContractFreezer(), EXPORTERS, same_content, judges)
        self.ids: dict[str, str] = {}

    async def fill(self, made: dict[str, Any], names: Sequence[str] = tuple(CASES)) -> None:
        for name in names:
            if name not in made:
                made[name] = await certified(self.sandbox, name)
            task, function, parts = made[name]
            self.blobs.stored.update(parts)
            await self.decisions.save(task.function_id, BUILDER, task.kind, task, function, task.cpu_s)
            self.ids[name] = task.task_id

    async def verify(self, name: str, languages: Sequence[str] = ()) -> list[Any]:
        return [checked async for checked in self.desk.verify(name, languages)]

    async def export(self, name: str, export_format: str) -> dict[str, bytes]:
        return {file.path: file.data async for file in self.desk.export(name, export_format)}

    @staticmethod
    def write(files: dict[str, bytes], folder: Path) -> Path:
        for name, data in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(data)
        return folder

    async def check_folder(self, folder: Path) -> list[Any]:
        """What is said of an exported folder; of its files only where something is wrong with them."""
        found = [checked async for checked in self.check.verify(ExportedFolder(folder))]
        return found if found[0].problems else found[1:]


@pytest.fixture
async def house(sandbox, decisions, releases, announcer, blobs, made) -> House:
    built = House(Remembering(sandbox), decisions, releases, announcer, blobs)
    await built.fill(made)
    return built
