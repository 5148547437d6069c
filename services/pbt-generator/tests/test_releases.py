"""Releases: made, shown, verified, exported, checked as files, and tasks taken back."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, ClassVar

import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import touchstone_values as values
from pbt_generator.adapters.exporters import EXPORTERS, prompt_and_solution, same_content
from pbt_generator.adapters.releases import ExportedFolder
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.adapters.tables import TablePrograms
from pbt_generator.domain.certificate import Certificate, Trial
from pbt_generator.domain.release import (
    NotAManifestError,
    Selection,
    canonical,
    digest_of,
    entry_of,
    manifest_of,
    read_manifest,
    record_of,
    sha256,
    well_named,
)
from pbt_generator.domain.task import BuiltTask
from pbt_generator.errors import (
    BadSelectionError,
    BrokenReleaseError,
    ReleaseExistsError,
    RetractedTaskError,
    SandboxUnavailableError,
    UnknownFormatError,
    UnknownReleaseError,
    UnknownTaskError,
)
from pbt_generator.ports import ForeignProgram, Judgement
from pbt_generator.usecases.build import BUILDER
from pbt_generator.usecases.certify import Certifier, SuiteFacts
from pbt_generator.usecases.exported import ExportCheck
from pbt_generator.usecases.releases import ReleaseDesk
from pbt_generator.usecases.serve import TaskDesk
from pbt_generator.usecases.verify import Verifier, compare

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
    trials, languages = await Certifier(sandbox, TablePrograms()).certify(source, facts)
    raising = ("[[]]",) if name == "halves" else ()
    certificate = Certificate(
        suite.digest, BUILDER, tuple(trials), languages, 2, 1.0, len(raising), raising, (), 4, 4, 20, 20, (), (),
        0.975, 0.96, 5, 0.2, 7,
    )  # fmt: skip
    data = json.dumps(certificate.to_dict(), sort_keys=True, ensure_ascii=False).encode()
    task = BuiltTask(
        ContractFreezer().task_id(f"function-{name}", suite.digest, BUILDER), f"function-{name}", kind, "Easy",
        "heuristic", name, f'Do what {name} does: "the\\n" rule.', {"python": f"def {name}(x)", "go": f"func {name}()"},
        "import math\n" if name == "halves" else "", suite.digest, sha256(data), sha256(source.encode()), len(cases),
        1.0, 0.975, tuple(languages), 1.25,
    )  # fmt: skip
    place = {"kind": "package", "name": "wordkit", "version": "1.2", "source_id": "s", "source_version_id": "v"}
    place |= {"licence": "" if name == "spread" else "MIT", "released_at": "2026-03-04T00:00:00Z"}
    function = {
        "function_id": task.function_id, "source": place, "path": "wordkit/a.py", "qualname": name, "line_start": 1,
        "line_end": 6, "imports": [], "libraries": [], "complexity": 3, "language": "python",
        "changed_at": "2026-01-05T00:00:00Z" if name == "halves" else None,
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

    def __init__(self, sandbox: Any, decisions: Any, releases: Any, announcer: Any, blobs: Any) -> None:
        self.sandbox, self.decisions, self.blobs, self.announcer = sandbox, decisions, blobs, announcer
        tasks = TaskDesk(None, BUILDER, decisions, announcer, blobs)  # type: ignore[arg-type]  builds nothing here
        self.verifier = Verifier(sandbox, TablePrograms(), ContractFreezer(), pause_s=0.0)
        self.parts = DictParts(blobs.stored)
        self.desk = ReleaseDesk(tasks, releases, blobs, self.parts, ContractFreezer(), self.verifier, EXPORTERS)
        self.check = ExportCheck(self.verifier, ContractFreezer(), EXPORTERS, same_content)
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

    async def check_folder(self, folder: Path) -> list[Any]:
        return [checked async for checked in self.check.verify(ExportedFolder(folder))]


@pytest.fixture
async def house(sandbox, decisions, releases, announcer, blobs, made) -> House:
    built = House(Remembering(sandbox), decisions, releases, announcer, blobs)
    await built.fill(made)
    return built


def write(files: dict[str, bytes], folder: Path) -> Path:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


# -- creating -----------------------------------------------------------------------------------------------------


async def test_a_release_holds_what_matches_and_says_where_it_comes_from(house: House) -> None:
    row, already = await house.desk.create("first", Selection())
    assert (row.tasks, already) == (3, False)
    shown = await house.desk.show("first")
    tasks = {task["entry_point"]: task for task in shown.manifest["tasks"]}
    assert [task["task_id"] for task in shown.manifest["tasks"]] == sorted(house.ids.values())
    clamp, spread = tasks["clamp"], tasks["spread"]
    assert (clamp["licence"], spread["licence"]) == ("MIT", None)
    assert clamp["source"]["path"] == "wordkit/a.py" and clamp["source"]["released_at"].startswith("2026-03-04")
    assert (clamp["mutation_score"], clamp["branch_coverage"], clamp["languages"]) == (0.975, 1.0, ["python"])
    assert all(hashlib.sha256(house.blobs.stored[digest]).hexdigest() == digest for digest in clamp["digests"].values())
    assert shown.manifest["counts"]["by_licence"] == {"MIT": 2, "unknown": 1}
    assert shown.manifest["counts"]["by_kind"] == {"SC": 2, "WSC": 1}
    assert house.blobs.stored[row.manifest_digest] == canonical(shown.manifest)
    # What its making cost differs from machine to machine.
    assert "cpu_s" not in json.loads(house.blobs.stored[clamp["digests"]["record"]])["task"]


async def test_the_same_call_gives_the_same_release_and_another_content_is_refused(house: House) -> None:
    row, _ = await house.desk.create("first", Selection())
    again, already = await house.desk.create("first", Selection(task_ids=tuple(reversed(house.ids.values()))))
    assert already and (again.digest, again.manifest_digest) == (row.digest, row.manifest_digest)
    other, _ = await house.desk.create("second", Selection())
    assert other.digest == row.digest
    with pytest.raises(ReleaseExistsError, match=r"first: there is a release .* 3 tasks.*choose another name"):
        await house.desk.create("first", Selection(kind="SC"))
    assert [each.name for each in await house.desk.list()] == ["first", "second"]


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(kind="WSC"), ["halves"]),
        (Selection(languages=("python",)), ["clamp", "halves", "spread"]),
        # The day of the last change counts before the day of the release.
        (Selection(since="2026-02-01"), ["clamp", "spread"]),
        (Selection(since="2026-01-05", kind="WSC"), ["halves"]),
    ],
)
async def test_filters(house: House, selection: Selection, names: list[str]) -> None:
    await house.desk.create("some", selection)
    tasks = (await house.desk.show("some")).manifest["tasks"]
    assert sorted(task["entry_point"] for task in tasks) == names


@pytest.mark.parametrize(
    ("name", "selection", "words"),
    [
        ("a", Selection(languages=("go",)), "none of 3 tasks matches"),
        ("A B", Selection(), "A B: no name for a release"),
        ("a", Selection(kind="XX"), "XX: no kind of task"),
        ("a", Selection(since="last week"), "last week: no day"),
        ("a", Selection(languages=("cobol",)), "cobol: no target language"),
    ],
)
async def test_what_cannot_be_released_is_said(house: House, name: str, selection: Selection, words: str) -> None:
    with pytest.raises(BadSelectionError, match=words):
        await house.desk.create(name, selection)


async def test_named_tasks_must_exist_stand_and_fit(house: House) -> None:
    clamp = house.ids["clamp"]
    row, _ = await house.desk.create("one", Selection(task_ids=(clamp[:12],)))
    assert row.tasks == 1
    assert (await house.desk.show("one")).manifest["inputs"]["task_ids"] == [clamp]
    with pytest.raises(UnknownTaskError, match="nothing-like-it"):
        await house.desk.create("x", Selection(task_ids=("nothing-like-it",)))
    with pytest.raises(BadSelectionError, match=f"{clamp}: it is SC, which the release excludes"):
        await house.desk.create("x", Selection(kind="WSC", task_ids=(clamp,)))
    await house.desk.retract(clamp, "it is wrong")
    with pytest.raises(RetractedTaskError, match="it was taken back: it is wrong"):
        await house.desk.create("x", Selection(task_ids=(clamp,)))


@pytest.mark.parametrize("part", ["suite_digest", "certificate_digest", "ground_truth_digest"])
async def test_a_missing_blob_stops_a_release_and_is_named(house: House, part: str, made: dict[str, Any]) -> None:
    digest = getattr(made["clamp"][0], part)
    del house.blobs.stored[digest]
    with pytest.raises(BrokenReleaseError, match=digest):
        await house.desk.create("first", Selection())


@given(order=st.permutations(range(6)), name=st.sampled_from(["a", "b"]), since=st.sampled_from(["", "2020-01-01"]))
@settings(max_examples=40, deadline=None)
def test_the_digest_depends_on_the_tasks_alone(order: list[int], name: str, since: str) -> None:
    def entry(number: int) -> dict[str, Any]:
        task = BuiltTask(
            f"task{number % 5}{number}", f"f{number}", "SC", "Hard", "heuristic", "f", "Do.", {}, "", f"s{number}",
            "c", "g", 10 + number, 1.0, 0.5, ("go", "python") if number % 2 else ("python", "go"), float(number),
        )  # fmt: skip
        # A database gives the keys of a record in another order.
        place = {"kind": "git", "name": "n", "version": "abc", "released_at": None, "licence": ""}
        place = dict(reversed(place.items())) if order[0] % 2 else place
        function = {"source": place, "path": "p", "qualname": "f", "line_start": 1, "line_end": 2}
        return entry_of(record_of(task, function), {"builder": BUILDER})

    first = manifest_of("one", Selection(), [entry(number) for number in range(6)])
    second = manifest_of(name, Selection(since=since), [entry(number) for number in order])
    assert first["digest"] == second["digest"] and first["tasks"] == second["tasks"]
    assert read_manifest(canonical(second)) == second
    assert first["tasks"][0]["source"]["revision"] == "abc"
    fewer = manifest_of("one", Selection(), [entry(number) for number in order[1:]])
    assert fewer["digest"] != first["digest"]


def test_what_is_no_manifest_is_said() -> None:
    good = manifest_of("a", Selection(), [])
    for data, words in (
        (b"\xff", "no JSON"),
        (b"[]", "its format is None"),
        (canonical({"format": good["format"]}), "lacks 'builders'"),
        (canonical({**good, "builders": ["other"]}), f"states {digest_of(good)}"),
        (canonical({**good, "tasks": [{}]}), "it lacks"),
    ):
        with pytest.raises(NotAManifestError, match=words):
            read_manifest(data)
    assert [well_named(text) for text in ("2026-06", "", ".a", "A", "a/b", "a" * 65)] == [True] + [False] * 5


# -- verifying ----------------------------------------------------------------------------------------------------


async def test_every_certificate_is_replayed(house: House) -> None:
    await house.desk.create("first", Selection())
    checked = await house.verify("first")
    assert [each.problems for each in checked] == [(), (), ()]
    assert [(each.done, each.total) for each in checked] == [(1, 3), (2, 3), (3, 3)]
    assert [each.task_id for each in checked] == sorted(house.ids.values())
    # Ground truth twice, twelve wrong programs, a table program and its broken twin.
    assert all(each.trials >= 16 for each in checked)


async def test_a_ground_truth_that_no_longer_passes_is_one_line(house: House, made: dict[str, Any]) -> None:
    task, function, _ = made["clamp"]
    wrong = CLAMP.replace("x > high", "x >= 10 ** 9").encode()
    spoilt = replace(task, ground_truth_digest=sha256(wrong), task_id=house.ids["clamp"])
    house.blobs.stored[sha256(wrong)] = wrong
    house.decisions.kept[task.function_id, BUILDER] = ("SC", spoilt, function)
    await house.desk.create("bad", Selection(task_ids=(house.ids["clamp"],)))
    (checked,) = await house.verify("bad")
    (line,) = checked.problems
    assert line == "ground truth seed 1 in python must pass: wrong_output, 31 of 60 cases passed"


async def test_damage_is_named_with_part_and_digests(house: House, made: dict[str, Any]) -> None:
    await house.desk.create("first", Selection())
    suite, truth = made["clamp"][0].suite_digest, made["halves"][0].ground_truth_digest
    house.blobs.stored[suite] += b"x"
    del house.blobs.stored[truth]
    lines = {each.entry_point: each.problems for each in await house.verify("first")}
    (damaged,), (missing,) = lines["clamp"], lines["halves"]
    assert damaged.startswith("suite has the digest") and suite in damaged
    assert missing == f"ground truth {truth} is missing: blob {truth}"
    assert lines["spread"] == ()
    with pytest.raises(BrokenReleaseError, match=r"task \w+: suite has the digest"):
        await house.export("first", "code2bench")


async def test_parts_that_contradict_each_other(house: House, made: dict[str, Any]) -> None:
    await house.desk.create("first", Selection())
    shown = await house.desk.show("first")
    entries = {entry["entry_point"]: entry for entry in shown.manifest["tasks"]}
    entries["clamp"]["difficulty"] = "Hard"
    entries["halves"]["digests"]["suite"] = entries["clamp"]["digests"]["suite"]
    manifest = manifest_of("forged", Selection(), entries.values())
    verifier = Verifier(Failing(house.sandbox), TablePrograms(), ContractFreezer())
    found = {each.entry_point: each.problems async for each in verifier.verify(manifest, house.parts, {})}
    assert found["clamp"] == ("difficulty is 'Easy', the manifest says 'Hard'",)
    suites = [made[name][0].suite_digest for name in ("halves", "clamp")]
    assert found["halves"][0] == "digests.suite is {!r}, the manifest says {!r}".format(*suites)


class Failing:
    """A sandbox that is away for so many jobs, or lets everything pass."""

    def __init__(self, sandbox: Any, away: int = 0, languages: Sequence[str] = ("python",)) -> None:
        self.sandbox, self.away, self.offered = sandbox, away, languages

    async def languages(self) -> Sequence[str]:
        if self.away < 0:
            raise SandboxUnavailableError("failed to connect to all addresses", thing="unix:/nobody")
        return self.offered

    async def judge(self, *arguments: Any, **named: Any) -> Judgement:
        if self.away:
            self.away -= 1
            raise SandboxUnavailableError("busy", thing="unix:/nobody")
        return Judgement("passed", 60, 60, (), 0.1)

    async def run_cases(self, *arguments: Any, **named: Any) -> Any:
        return await self.sandbox.run_cases(*arguments, **named)


async def test_a_sandbox_that_lets_wrong_programs_pass_is_noticed(house: House) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    manifest = (await house.desk.show("one")).manifest
    verifier = Verifier(Failing(house.sandbox, 2), TablePrograms(), ContractFreezer(), pause_s=0.0)
    (checked,) = [each async for each in verifier.verify(manifest, house.parts, {})]
    assert "returns nothing in python must fail: passed, 60 of 60 cases passed" in checked.problems
    assert "table broken in python must fail: passed, 60 of 60 cases passed" in checked.problems


async def test_a_sandbox_that_stays_away_ends_the_verification(house: House) -> None:
    await house.desk.create("first", Selection())
    manifest = (await house.desk.show("first")).manifest
    for away, words in ((99, "busy"), (-1, r"not reachable \(see `touchstone status`")):
        verifier = Verifier(Failing(house.sandbox, away), TablePrograms(), ContractFreezer(), pause_s=0.0)
        with pytest.raises(SandboxUnavailableError, match=words):
            _ = [each async for each in verifier.verify(manifest, house.parts, {})]


async def test_a_language_that_the_sandbox_lacks_is_said_once(house: House) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["halves"],)))
    manifest = (await house.desk.show("one")).manifest
    verifier = Verifier(Failing(house.sandbox, languages=()), TablePrograms(), ContractFreezer())
    first, *_ = [each async for each in verifier.verify(manifest, house.parts, {})]
    assert first.task_id == "" and first.problems[0].startswith("python: not replayed")


def test_replays_are_compared_with_the_certificate() -> None:
    def trial(program: str, language: str, passed: bool = True, must: bool = True) -> Trial:
        return Trial(program, language, must, "passed" if passed else "raised", 3 if passed else 0, 3)

    full = [trial("ground_truth_seed_1", "python"), trial("table", "go"), trial("table_broken", "go", False, False)]
    certificate = {"holds": True, "trials": [asdict(each) for each in full]}
    assert compare(certificate, full, ["go"]) == []
    assert compare(certificate, full[:1], []) == []
    assert compare(certificate, full[:1], ["go"]) == [
        "table in go is in the certificate and was not replayed",
        "table broken in go is in the certificate and was not replayed",
    ]
    assert compare({**certificate, "holds": False}, full, ["go"])[0].startswith("the certificate itself")


# -- exporting ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("export_format", sorted(EXPORTERS))
async def test_exports_are_the_same_bytes_and_verify_alone(house: House, export_format: str, tmp_path: Path) -> None:
    await house.desk.create("first", Selection())
    files = await house.export("first", export_format)
    assert files == await house.export("first", export_format)
    sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert sums == {name: sha256(data) for name, data in files.items() if name != "SHA256SUMS"}
    checked = await house.check_folder(write(files, tmp_path))
    assert [each.problems for each in checked] == [(), (), ()]


async def test_unknown_names_and_formats(house: House) -> None:
    with pytest.raises(UnknownReleaseError, match="nobody: no release has this name"):
        await house.desk.show("nobody")
    with pytest.raises(UnknownFormatError, match=r"csv: no such format \(one of code2bench, evalplus, parquet"):
        await house.export("first", "csv")


async def test_changed_files_of_an_export_are_named(house: House, tmp_path: Path) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    files = await house.export("one", "code2bench")
    folder = write(files, tmp_path)
    task = house.ids["clamp"]
    cases = folder / task / "cases.jsonl"
    cases.write_text(cases.read_text().replace("10", "11", 1))
    (folder / task / "instruction.txt").unlink()
    first, second = await house.check_folder(folder)
    was = sha256(files[f"{task}/cases.jsonl"])
    lines = sorted(first.problems)
    assert lines[0] == f"{cases} has the digest {sha256(cases.read_bytes())}, SHA256SUMS says {was}"
    assert lines[1] == f"{folder}/{task}/instruction.txt is missing" and len(lines) == 2
    assert second.problems == ()

    # Whoever changes the checksums too is found out by what the release's parts make of it.
    sums = folder / "SHA256SUMS"
    sums.write_text(sums.read_text().replace(was, sha256(cases.read_bytes())))
    (folder / task / "instruction.txt").write_bytes(files[f"{task}/instruction.txt"])
    first, _ = await house.check_folder(folder)
    assert first.problems == (f"{cases} has the digest {sha256(cases.read_bytes())}, the release makes it {was}",)


async def test_a_changed_part_a_changed_manifest_and_no_manifest(house: House, tmp_path: Path) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    folder = write(await house.export("one", "evalplus"), tmp_path)
    suite = folder / "parts" / (await house.desk.show("one")).manifest["tasks"][0]["digests"]["suite"]
    suite.write_bytes(b"other")
    (checked,) = await house.check_folder(folder)
    assert checked.problems[0] == f"suite has the digest {sha256(b'other')}, the manifest says {suite.name}: {suite}"
    (folder / "SHA256SUMS").unlink()
    manifest = folder / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"Easy"', '"Hard"'))
    with pytest.raises(BrokenReleaseError, match=r"manifest.json: its content has the digest"):
        await house.check_folder(folder)
    manifest.unlink()
    with pytest.raises(BrokenReleaseError, match=r"there is no manifest.json \(name the folder"):
        await house.check_folder(folder)


async def test_the_folder_of_a_task_runs_alone(house: House, tmp_path: Path) -> None:
    await house.desk.create("first", Selection())
    folder = write(await house.export("first", "code2bench"), tmp_path)
    for name, task_id in house.ids.items():
        task = folder / task_id
        (task / "tested.py").write_bytes((task / "groundtruth.py").read_bytes())
        done = subprocess.run(
            [sys.executable, "-I", "-c", "import runpy, sys; sys.path.insert(0, '.'); runpy.run_path('runner.py', run_name='__main__')"],  # noqa: E501
            cwd=task, capture_output=True, text=True, check=False, env={"PATH": os.defpath},
        )  # fmt: skip
        assert json.loads(done.stdout)["passed"] == len(CASES[name][2]), done.stderr
    case = json.loads((folder / house.ids["clamp"] / "test_cases" / "test_cases.json").read_text())[0]
    assert case == {"Inputs": {"x": -20, "low": 0, "high": 10}, "Expected": 0}
    metadata = json.loads((folder / house.ids["spread"] / "metadata.json").read_text())
    assert metadata["licence"] is None and metadata["comparison"] == "portable"


async def test_evalplus_lines_work_as_evalplus_uses_them(house: House) -> None:
    await house.desk.create("first", Selection())
    files = await house.export("first", "evalplus")
    rows = {row["entry_point"]: row for row in map(json.loads, files["evalplus.jsonl"].splitlines())}
    fields = {"task_id", "prompt", "entry_point", "canonical_solution", "base_input", "plus_input", "contract", "atol"}
    assert all(fields <= set(row) for row in rows.values())
    clamp, halves, spread = rows["clamp"], rows["halves"], rows["spread"]
    space: dict[str, Any] = {}
    exec(clamp["prompt"] + clamp["canonical_solution"], space)
    outputs = [space["clamp"](*given) for given in clamp["base_input"] + clamp["plus_input"]]
    mine = clamp["touchstone"]
    assert outputs == mine["base_expected"] + mine["plus_expected"]
    assert (len(clamp["base_input"]), len(clamp["plus_input"]), clamp["atol"]) == (25, 35, 0)
    assert "Old words" not in clamp["prompt"] and "Both ends count" in clamp["canonical_solution"]
    assert space["clamp"].__doc__.strip() == 'Do what clamp does: "the\\n" rule.'
    # A tuple is no JSON: it stays in the portable form, and the line says so.
    assert halves["touchstone"]["input_form"] == "portable" and halves["atol"] == 1e-6
    assert halves["base_input"][0] == [{"$": "tuple", "v": [1.5, 0]}]
    assert (spread["touchstone"]["call"], spread["touchstone"]["input_form"]) == ("named", "portable")
    plain = [json.loads(line)["entry_point"] for line in files["evalplus-plain.jsonl"].splitlines()]
    assert plain == ["clamp"]


@pytest.mark.parametrize(
    "source",
    [
        CLAMP,
        HALVES,
        SPREAD,
        "import functools\n\n@functools.cache\ndef f(n):\n\t'''Doc.'''\n\tdef g(m):\n\t\treturn m\n\treturn g(n)\n",
        "def f(a, /, b=2, *rest, c: int = 3, **more) -> 'int':\n  if a: return b\n  return c\n",
        'def f(x):\n    """Only words."""\n',
        "def f(x): 'doc'; y = x; return y\n",
        "def f(x):\n    @staticmethod\n    def g(): return 1\n    return g\n",
    ],
)
def test_prompt_and_solution_make_the_ground_truth(source: str) -> None:
    entry = next(node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef))
    prompt, solution = prompt_and_solution(source, entry, 'Give """x""" back.\n\nA \\ sign.')

    def code(text: str) -> str:
        function = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)][-1]
        if ast.get_docstring(function) is not None and len(function.body) > 1:
            function.body = function.body[1:]
        return ast.dump(function)

    assert code(prompt + solution) == code(source)
    function = ast.parse(prompt).body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert (ast.get_docstring(function) or "").startswith('Give """x""" back.\n\nA \\ sign.')


async def test_parquet_has_typed_columns(house: House) -> None:
    await house.desk.create("first", Selection())
    await house.desk.retract(house.ids["halves"], "it is wrong")
    files = await house.export("first", "parquet")
    tasks = pq.read_table(io.BytesIO(files["tasks.parquet"]))
    cases = pq.read_table(io.BytesIO(files["cases.parquet"]))
    rows = {row["entry_point"]: row for row in tasks.to_pylist()}
    assert str(tasks.schema.field("released_at").type) == "timestamp[us, tz=UTC]"
    assert str(tasks.schema.field("cases").type) == "int32"
    assert rows["spread"]["licence"] is None and rows["halves"]["retracted"] == "it is wrong"
    assert rows["clamp"]["ground_truth"] == CLAMP and rows["clamp"]["signatures"]["go"] == "func clamp()"
    assert rows["halves"]["changed_at"].day == 5 and rows["clamp"]["changed_at"] is None
    assert cases.num_rows == sum(len(given) for _, _, given in CASES.values())
    first = next(row for row in cases.to_pylist() if row["task_id"] == house.ids["halves"])
    assert (first["index"], first["arguments"], first["plain_json"]) == (0, '[{"$":"tuple","v":[1.5,0]}]', False)
    assert tasks.schema.metadata[b"touchstone.release"] == b"first"


# -- taking back --------------------------------------------------------------------------------------------------


async def test_a_retraction_leaves_lists_and_stays_in_releases(house: House, made: dict[str, Any]) -> None:
    row, _ = await house.desk.create("first", Selection())
    clamp = house.ids["clamp"]
    stored, already, releases = await house.desk.retract(clamp[:10], "  it\nis wrong ")
    assert (stored.task.task_id, stored.retracted, already, releases) == (clamp, "it is wrong", False, ["first"])
    assert clamp not in {each.task.task_id for each in await house.decisions.tasks()}
    again, already, _ = await house.desk.retract(clamp, "for another reason")
    assert (again.retracted, already) == ("it is wrong", True)
    assert house.announcer.said == [("retracted", clamp, "it is wrong")] * 2
    later, _ = await house.desk.create("later", Selection())
    assert later.tasks == 2
    shown = await house.desk.show("first")
    assert shown.row.retractions == {clamp: "it is wrong"} and shown.row.digest == row.digest
    task = next(
        each
        for each in (await house.export("first", "evalplus"))["evalplus.jsonl"].splitlines()
        if clamp.encode() in each
    )
    assert json.loads(task)["touchstone"]["retracted"] == "it is wrong"
    counts = await house.decisions.counts()
    assert counts == {"tasks": 2, "retracted": 1}
    with pytest.raises(BadSelectionError, match="needs a note"):
        await house.desk.retract(clamp, "  ")
    with pytest.raises(UnknownTaskError):
        await house.desk.retract("nothing", "why")
