"""Releases whose digests all fit, and which are not what they say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pbt_generator.adapters.exporters import EXPORTERS
from pbt_generator.adapters.foreign import record_of_foreign
from pbt_generator.adapters.suites import ContractFreezer
from pbt_generator.domain.foreign import ForeignSet, ForeignTask
from pbt_generator.domain.release import Json, Selection, counts_of, digest_of, entry_of, manifest_of, read_manifest
from pbt_generator.ports import ReleaseRow
from pbt_generator.usecases.build import BUILDER
from pbt_generator.usecases.importing import Importer
from pbt_generator.usecases.releases import CHECKSUMS, Shown, export_files
from touchstone_contracts.manifests import canonical, sha256
from touchstone_contracts.task_releases import retractions_digest
from touchstone_runtime.exported import ExportedFolder

Change = Callable[[Json], object]


def nothing(_: Json) -> None:
    """As it was."""


async def entry_of_forged(
    house: Any, entry: Json, task: Change, certificate: Change, function: Change = nothing
) -> Json:
    """A task's lines in a manifest after its parts were changed, with digests that fit."""
    record = json.loads(house.blobs.stored[entry["digests"]["record"]])
    proved = json.loads(house.blobs.stored[entry["digests"]["certificate"]])
    task(record["task"])
    function(record["function"])
    certificate(proved)
    ids = record["task"]["function_id"], record["task"]["suite_digest"], proved["builder"]
    record["task"]["task_id"] = ContractFreezer().task_id(*ids)
    record["task"]["certificate_digest"] = await house.blobs.put(canonical(proved))
    await house.blobs.put(canonical(record))
    return entry_of(record, proved)


async def verified(house: Any, manifest: Json) -> list[str]:
    """Everything that verifying finds."""
    found = house.verifier.verify(manifest, house.parts, {})
    return [problem async for checked in found for problem in checked.problems]


@pytest.fixture
async def clamp(house: Any) -> Json:
    await house.desk.create("honest", Selection(task_ids=(house.ids["clamp"],)))
    (entry,) = (await house.desk.show("honest")).manifest["tasks"]
    return entry


async def theirs(house: Any) -> Json:
    importer = Importer(
        house.sandbox, ContractFreezer(), house.blobs, house.decisions, house.announcer, record_of_foreign
    )
    half = "def half(x: int) -> int:\n    return x // 2\n"
    foreign = ForeignTask("Their/7", "half", half, "Halve.", "def half(x: int) -> int", ("[1]", "[8]"))
    taken = await importer.take(ForeignSet("TheirSet", "0.1", "Apache-2.0"), foreign)
    assert taken.task is not None
    await house.desk.create("theirs", Selection(task_ids=(taken.task.task_id,)))
    (entry,) = (await house.desk.show("theirs")).manifest["tasks"]
    return entry


# -- what nobody proved ----------------------------------------------------------------------------------------------


def imported(certificate: Json) -> None:
    certificate["imported"] = {"name": "wordkit", "version": "1.2", "licence": "MIT", "foreign_id": "x"}
    certificate["trials"] = [each for each in certificate["trials"] if each["program"].startswith("ground_truth")]


async def test_no_part_alone_calls_a_task_imported(house: Any, clamp: Json) -> None:
    def foreign(function: Json) -> None:
        function["source"]["kind"] = "benchmark"

    def builder(certificate: Json) -> None:
        certificate["builder"] = "import/2"

    for certificate, function in ((imported, nothing), (nothing, foreign), (builder, nothing), (imported, foreign)):
        entry = await entry_of_forged(house, clamp, nothing, certificate, function)
        (line,) = await verified(house, manifest_of("a", Selection(), [entry]))
        assert "that it was imported" in line and entry["builder"] in line


async def test_an_imported_task_has_no_figures_and_is_of_whom_its_certificate_says(house: Any) -> None:
    entry = await theirs(house)
    assert await verified(house, manifest_of("a", Selection(), [entry])) == []

    def flattered(task: Json) -> None:
        task.update(mutation_score=1.0, branch_coverage=1.0, languages=["go", "python"])

    house.sandbox.sandbox.offered = ("python", "go")

    def renamed(certificate: Json) -> None:
        certificate["imported"] |= {"name": "OtherSet", "licence": "MIT"}

    lines = await verified(
        house, manifest_of("a", Selection(), [await entry_of_forged(house, entry, flattered, renamed)])
    )
    assert lines == [
        "it is of TheirSet by its record and of OtherSet by its certificate",
        "it is of Apache-2.0 by its record and of MIT by its certificate",
        "languages is ['python'] by the certificate, the record says ['go', 'python']",
        "branch coverage is -1.0 by the certificate, the record says 1.0",
        "mutation score is -1.0 by the certificate, the record says 1.0",
    ]


async def test_figures_and_languages_are_those_of_the_certificate(house: Any, clamp: Json) -> None:
    def scored(task: Json) -> None:
        task.update(mutation_score=1.0, branch_coverage=1.0, languages=["cobol", "python"])

    def low(certificate: Json) -> None:
        certificate["coverage"] |= {"branches": 4, "returning": 2, "share": 0.5}
        certificate["mutation"] |= {"killed": 4, "survivors": [f"line 1: {n}" for n in range(36)], "score": 0.1}

    entry = await entry_of_forged(house, clamp, scored, low)
    house.sandbox.sandbox.offered = ("python", "cobol")
    assert await verified(house, manifest_of("a", Selection(), [entry])) == [
        "languages is ['python'] by the certificate, the record says ['cobol', 'python']",
        "branch coverage is 0.5 by the certificate, the record says 1.0",
        "mutation score is 0.1 by the certificate, the record says 1.0",
        "its certificate states 4 branches, and 2 + 0 + 0 of them in returning, raising and dead",
    ]


@pytest.mark.parametrize(
    ("part", "change", "line"),
    [
        ("mutation", {"proved": ["line 9: nobody's"]}, "states 40 mutants, and 39 + 1 + 1 of them in killed, proved"),
        ("mutation", {"score": 7.0}, "mutation.score is 0.975 by what its certificate lists, and it states 7.0"),
        ("coverage", {"share": 7.0}, "coverage.share is 1.0 by what its certificate lists, and it states 7.0"),
        ("coverage", {"returning": 1, "dead": 1}, "states 1 dead branches, and proves 0"),
        ("weight", {"floor": 1}, "weight.floor is 10 by what its certificate lists, and it states 1"),
        ("weight", {"mutants": 41}, "weight.mutants is 40 by what its certificate lists, and it states 41"),
        ("weight", {"told_apart": 3}, "weight.told_apart is 0 by what its certificate lists, and it states 3"),
        ("weight", {"holds": False}, "weight.holds is True by what its certificate lists, and it states False"),
        ("", {"goals_reached": 5}, "its certificate states 5 for goals_reached, of at most 4"),
        ("", {"score_first_25": 1.5}, "its certificate states 1.5 for score_first_25, of at most 1"),
        ("mutation", {"killed": -1}, "its certificate states -1 for mutation.killed, which is no count"),
        ("", {"readings": [{"rule": "misreading"}] * 2}, ""),
    ],
)
async def test_what_a_certificate_lists_makes_up_what_it_states(
    house: Any, clamp: Json, part: str, change: Json, line: str
) -> None:
    def forge(certificate: Json) -> None:
        (certificate[part] if part else certificate).update(change)

    entry = await entry_of_forged(house, clamp, nothing, forge)
    problems = await verified(house, manifest_of("a", Selection(), [entry]))
    assert (line in "\n".join(problems)) if line else problems == []


async def test_a_score_on_too_little_is_told_whatever_the_certificate_calls_enough(house: Any, clamp: Json) -> None:
    def small(certificate: Json) -> None:
        certificate["mutation"] |= {"mutants": 4, "killed": 4, "survivors": [], "score": 1.0}
        certificate["weight"] |= {"mutants": 4, "floor": 1, "offered": ["leap year"], "evidence": "mutants"}

    entry = await entry_of_forged(house, clamp, lambda task: task.update(mutation_score=1.0), small)
    problems = await verified(house, manifest_of("a", Selection(), [entry]))
    assert problems[-1] == (
        "what its score rests on does not suffice: it rests on 4 mutants and 0 of 0 misreadings, "
        "and no case holds: leap year"
    )


@pytest.mark.parametrize(("builder", "stands"), [("pbt-27", True), ("pbt-28", False), ("another", False)])
async def test_half_of_no_misreadings_is_nothing_to_rest_on(
    house: Any, clamp: Json, builder: str, *, stands: bool
) -> None:
    def small(certificate: Json) -> None:
        certificate["builder"] = builder
        certificate["mutation"] |= {"mutants": 4, "killed": 4, "survivors": [], "score": 1.0}
        certificate["weight"] |= {"mutants": 4, "offered": [], "met": [], "evidence": "misreadings and edges"}

    entry = await entry_of_forged(house, clamp, lambda task: task.update(mutation_score=1.0), small)
    problems = await verified(house, manifest_of("a", Selection(), [entry]))
    # What builders before certified stays as it is.
    assert stands is not any("what its score rests on does not suffice" in line for line in problems)


async def test_inputs_that_show_an_edge_to_be_no_cases_raise(house: Any, clamp: Json) -> None:
    entry = await entry_of_forged(house, clamp, nothing, lambda it: it["weight"].update(refused=["[1, 0, 10]", "[]"]))
    assert await verified(house, manifest_of("a", Selection(), [entry])) == [
        "1 of 2 inputs return, the certificate says that they raise"
    ]


@pytest.mark.parametrize("builder", [BUILDER, "pbt-9", "pbt-8"])
@pytest.mark.parametrize("gone", ["mutation.proved", "weight", "readings", "weight.told_apart", "largest_share"])
async def test_what_a_builder_states_is_not_left_out(house: Any, clamp: Json, builder: str, gone: str) -> None:
    def without(certificate: Json) -> None:
        part, _, name = gone.rpartition(".")
        del (certificate[part] if part else certificate)[name]
        certificate["builder"] = builder

    entry = await entry_of_forged(house, clamp, nothing, without)
    problems = await verified(house, manifest_of("a", Selection(), [entry]))
    # Builders before said nothing of it, and what they certified stays as it is.
    assert problems == ([] if builder == "pbt-8" else [f"its certificate does not state {gone}"])


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda it: it.pop("holds"), "it cannot be verified: KeyError: 'holds'"),
        (lambda it: it.pop("trials"), "it cannot be verified: KeyError: 'trials'"),
        (lambda it: it.update(trials=[7]), "it cannot be verified: TypeError: 'int' object is not subscriptable"),
        (lambda it: it.pop("languages"), "its parts cannot be read: KeyError: 'languages'"),
        (lambda it: it.update(coverage=7), "its certificate does not state coverage"),
    ],
)
async def test_a_certificate_that_cannot_be_read_is_one_line_and_the_others_go_on(
    house: Any, clamp: Json, change: Change, line: str
) -> None:
    await house.desk.create("both", Selection(task_ids=(house.ids["spread"],)))
    (other,) = (await house.desk.show("both")).manifest["tasks"]
    # The manifest's lines are those of before, wherever the certificate says nothing.
    forged = await entry_of_forged(house, clamp, nothing, change)
    manifest = manifest_of("a", Selection(), [forged, other])
    found = {each.task_id: each async for each in house.verifier.verify(manifest, house.parts, {})}
    assert found[forged["task_id"]].problems == (line,)
    assert found[other["task_id"]].problems == () and found[other["task_id"]].trials


async def test_parts_of_lists_within_lists_without_end_are_one_line(house: Any, clamp: Json) -> None:
    digest = await house.blobs.put(b"[" * 200_000)
    forged = clamp | {"digests": clamp["digests"] | {"certificate": digest}}
    (line,) = await verified(house, manifest_of("a", Selection(), [forged]))
    assert line.startswith("its parts cannot be read: RecursionError")


# -- a manifest that does not say what it holds ------------------------------------------------------------------------


async def written(
    house: Any,
    manifest: Json,
    folder: Path,
    export_format: str = "code2bench",
    retractions: dict[str, str] | None = None,
) -> Path:
    """What an export of a manifest is, with checksums that fit."""
    data = canonical(manifest)
    tasks = len(manifest["tasks"])
    row = ReleaseRow(manifest["name"], manifest["digest"], sha256(data), tasks, retractions=retractions or {})
    shown = Shown(row, read_manifest(data), data)
    exporter = EXPORTERS[export_format]()
    made = export_files(shown, house.parts, ContractFreezer(), export_format, exporter)
    files = {file.path: file.data async for file in made}
    files[CHECKSUMS] = "".join(f"{sha256(each)}  {path}\n" for path, each in sorted(files.items())).encode()
    return house.write(files, folder)


def stating(manifest: Json, **changes: Any) -> Json:
    """A manifest that says something else, under a digest of its own."""
    changed = {**manifest, **changes}
    return {**changed, "digest": digest_of(changed)}


@pytest.mark.parametrize(
    ("changes", "lines"),
    [
        (
            lambda manifest: {"counts": {**manifest["counts"], "tasks": 500, "by_licence": {"MIT": 500}}},
            ["by_licence.MIT is 2, the manifest says 500", "by_licence.unknown is 1", "counts.tasks is 3"],
        ),
        (lambda _: {"builders": ["pbt-99"]}, ["builders is ['"]),
        (lambda manifest: {"tasks": manifest["tasks"][::-1]}, ["not in the order of their ids"]),
        (
            lambda manifest: {"tasks": manifest["tasks"][:1] * 3, "counts": counts_of(manifest["tasks"][:1] * 3)},
            ["stands in it 3 times"],
        ),
        (lambda _: {"tasks": [], "counts": counts_of([]), "builders": []}, ["it holds no task"]),
        (lambda _: {"inputs": None}, ["what was asked for is not laid out"]),
        (lambda _: {"own_sources": [{"kind": "folder", "name": "/a", "tasks": 3}]}, ["own_sources is []"]),
        (
            lambda manifest: {"inputs": {**manifest["inputs"], "task_ids": ["f" * 32]}},
            [f"task {'f' * 32} was asked for, and is not in it", *["is in it, and others were asked for"] * 3],
        ),
        (lambda manifest: {"inputs": {**manifest["inputs"], "kind": "WSC"}}, ["it is SC, which the release"] * 2),
        (
            lambda manifest: {"inputs": {**manifest["inputs"], "since": "2026-01-06"}},
            ["its code is of 2025-11-07", "its code is of 2026-01-05"],
        ),
        (lambda manifest: {"inputs": {**manifest["inputs"], "languages": ["go"]}}, ["not certified in go"] * 3),
        (lambda manifest: {"inputs": {**manifest["inputs"], "band": "hard"}}, ["it is in the usual band"] * 3),
    ],
)  # fmt: skip
async def test_a_manifest_that_says_something_else_than_its_tasks_is_not_verified(
    house: Any, tmp_path: Path, changes: Callable[[Json], Json], lines: list[str]
) -> None:
    await house.desk.create("honest", Selection())
    honest = (await house.desk.show("honest")).manifest
    assert await verified(house, honest) == []
    manifest = stating(honest, **changes(honest))
    found = sorted(await verified(house, manifest))
    assert len(found) == len(lines) and all(any(words in line for line in found) for words in lines), found
    folder = await written(house, manifest, tmp_path)
    assert sorted(line for each in await house.check_folder(folder) for line in each.problems) == found


# -- a folder that judges or leaves out otherwise ----------------------------------------------------------------------


def refitted(folder: Path) -> Path:
    """The folder with checksums of what lies there now."""
    sums = folder / CHECKSUMS
    paths = [line[66:] for line in sums.read_text().splitlines()]
    sums.write_text("".join(f"{sha256((folder / path).read_bytes())}  {path}\n" for path in paths))
    return folder


@pytest.mark.parametrize(
    ("export_format", "path", "more"),
    [
        ("lm-eval", "lm_eval/touchstone_judge.py", "def judge(doc, source):\n    return True\n"),
        ("lm-eval", "lm_eval/touchstone_extraction.py", "def extract(*given):\n    return given\n"),
        ("code2bench", "touchstone_values/__init__.py", "def compare(*given):\n    return None\n"),
    ],
)
async def test_an_export_that_judges_by_other_code_is_not_verified(
    house: Any, clamp: Json, tmp_path: Path, export_format: str, path: str, more: str
) -> None:
    folder = house.write(await house.export("honest", export_format), tmp_path)
    assert [each.problems for each in await house.check_folder(folder)] == [()]
    with (folder / path).open("a") as judge:
        judge.write(more)
    (line,) = (await house.check_folder(refitted(folder)))[0].problems
    assert line.startswith(f"{folder}/{path} judges by other code than this version does: its digest is ")


async def test_a_folder_that_cannot_be_made_again_is_told_and_its_tasks_are_verified(
    house: Any, clamp: Json, tmp_path: Path
) -> None:
    entry = await entry_of_forged(house, clamp, lambda task: task.pop("instruction"), nothing)
    honest = (await house.desk.show("honest")).manifest
    manifest = manifest_of("honest", Selection(task_ids=(entry["task_id"],)), [entry])
    folder = house.write(await house.export("honest", "evalplus"), tmp_path)
    about = json.loads((folder / "export.json").read_bytes()) | {"digest": manifest["digest"]}
    parts = {f"parts/{digest}": house.blobs.stored[digest] for digest in entry["digests"].values()}
    house.write({"manifest.json": canonical(manifest), "export.json": canonical(about), **parts}, folder)
    assert manifest["digest"] != honest["digest"]
    (files, task) = [each async for each in house.check.verify(ExportedFolder(refitted(folder)))]
    assert f"{folder} cannot be made again from its parts: KeyError: 'instruction'" in files.problems
    assert task.task_id == entry["task_id"] and task.problems == () and task.trials


async def test_what_a_folder_takes_back_is_told_with_its_digest(house: Any, tmp_path: Path) -> None:
    await house.desk.create("all", Selection())
    folder = house.write(await house.export("all", "evalplus"), tmp_path)
    about, *_ = [each async for each in house.check.verify(ExportedFolder(folder))]
    assert (about.problems, about.retractions) == ((), retractions_digest({}))
    notes = {house.ids["halves"]: "it is unfair"}
    await house.desk.retract(house.ids["halves"], "it is unfair")
    files = await house.export("all", "evalplus")
    assert json.loads(files["export.json"])["retractions"] == retractions_digest(notes)
    # Written by whoever has the folder: nothing there proves it, and the digest is another one than the platform's.
    forged = {house.ids["halves"]: "it is unfair", house.ids["spread"]: "so is this"}
    shown = await house.desk.show("all")
    folder = await written(house, shown.manifest, tmp_path / "forged", "evalplus", forged)
    about, *tasks = [each async for each in house.check.verify(ExportedFolder(folder))]
    assert about.problems == () and about.retractions == retractions_digest(forged) != retractions_digest(notes)
    assert sum(bool(each.retracted) for each in tasks) == 2
    folder = await written(house, shown.manifest, tmp_path / "other", "evalplus", {"f" * 32: "nobody's"})
    about, *_ = [each async for each in house.check.verify(ExportedFolder(folder))]
    (line,) = about.problems
    assert line == f"{folder}/retractions.json takes back {'f' * 32}, which the release does not hold"


@pytest.mark.parametrize("name", ["tasks.parquet", "cases.parquet"])
async def test_a_table_that_names_another_release_or_other_retractions_is_not_verified(
    house: Any, clamp: Json, tmp_path: Path, name: str
) -> None:
    folder = house.write(await house.export("honest", "parquet"), tmp_path)
    table = pq.read_table(folder / name)
    # Writers of other versions lay the same out in other bytes.
    pq.write_table(table, folder / name, compression="none")
    assert [each.problems for each in await house.check_folder(refitted(folder))] == [()]
    for key in (b"touchstone.release", b"touchstone.digest", b"touchstone.retractions"):
        pq.write_table(table.replace_schema_metadata({**table.schema.metadata, key: b"other"}), folder / name)
        (line,) = (await house.check_folder(refitted(folder)))[0].problems
        assert line.startswith(f"{folder}/{name} has the digest ")


async def test_a_checksum_of_a_part_that_is_not_its_own_is_told(house: Any, clamp: Json, tmp_path: Path) -> None:
    folder = house.write(await house.export("honest", "evalplus"), tmp_path)
    sums = folder / CHECKSUMS
    suite = clamp["digests"]["suite"]
    sums.write_text(sums.read_text().replace(f"{suite}  parts/", f"{'0' * 64}  parts/"))
    files, task = await house.check_folder(folder)
    assert files.problems == (f"{folder}/parts/{suite} has the digest {suite}, SHA256SUMS says {'0' * 64}",)
    assert task.problems == ()


async def test_a_part_that_no_suite_is_stays_one_line(house: Any, clamp: Json) -> None:
    good = house.blobs.stored[clamp["digests"]["suite"]]
    for data in (good[:12] + b"\xff" * 4 + good[16:], good[:-9], b"\x1f\x8b", b"{}"):
        digest = await house.blobs.put(data)
        entry = {**clamp, "digests": {**clamp["digests"], "suite": digest}}
        (line,) = await verified(house, manifest_of("a", Selection(), [entry]))
        assert line.startswith("its parts cannot be read: ")
