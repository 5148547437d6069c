"""Releases are made and shown, and tasks are taken back."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbt_generator.domain.release import (
    NotAManifestError,
    Selection,
    digest_of,
    entry_of,
    manifest_of,
    read_manifest,
    record_of,
)
from pbt_generator.domain.task.record import BuiltTask
from pbt_generator.errors import (
    BadSelectionError,
    BrokenReleaseError,
    ReleaseExistsError,
    RetractedTaskError,
    UnknownTaskError,
)
from pbt_generator.rpc import PbtGeneratorServicer
from pbt_generator.usecases.build import BUILDER
from pbt_generator.usecases.serve import similar_tasks
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone_contracts.manifests import canonical, well_named

# -- creating -----------------------------------------------------------------------------------------------------


async def test_a_release_holds_what_matches_and_says_where_it_comes_from(house: Any) -> None:
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


async def test_the_same_call_gives_the_same_release_and_another_content_is_refused(house: Any) -> None:
    row, _ = await house.desk.create("first", Selection())
    again, already = await house.desk.create("first", Selection(task_ids=tuple(reversed(house.ids.values()))))
    assert already and (again.digest, again.manifest_digest) == (row.digest, row.manifest_digest)
    other, _ = await house.desk.create("second", Selection())
    assert other.digest == row.digest
    with pytest.raises(ReleaseExistsError, match=r"first: there is a release .* 3 tasks.*choose another name"):
        await house.desk.create("first", Selection(kind="SC"))
    assert [each.name for each in await house.desk.list()] == ["first", "second"]


async def test_one_of_tasks_that_are_nearly_the_same_is_released_and_the_others_say_for_whom(house: Any) -> None:
    clamp = await house.decisions.find("function-clamp", BUILDER)
    code = house.cases["clamp"][0]
    (stored,) = [each for each in await house.decisions.tasks() if each.task.task_id == clamp.task_id]
    stored.function["code"] = code
    twin = {**stored.function, "qualname": "cramp", "code": code.replace("<", ">=").replace("x", "y")}
    elsewhere = {**twin, "path": "wordkit/b.py"}
    for number, function in enumerate((twin, elsewhere)):
        task = replace(clamp, task_id=f"{number}" * 32, function_id=f"other-{number}", track="by_example")
        await house.decisions.save(task.function_id, BUILDER, "SC", task, function, 0.0)
    assert similar_tasks(await house.decisions.tasks()) == {"0" * 32: clamp.task_id}
    chosen = await house.desk._chosen(Selection(kind="SC"))
    ids = {each.task.task_id for each in chosen}
    assert clamp.task_id in ids and "1" * 32 in ids and "0" * 32 not in ids
    assert len(await house.desk._chosen(Selection(task_ids=("0" * 32, clamp.task_id)))) == 2
    servicer = PbtGeneratorServicer(house.tasks, house.desk, None, None, Tried(""), None, None)  # type: ignore[arg-type]
    listed = await servicer.ListTasks(pb.ListTasksRequest(kind="SC"), None)
    assert {each.task_id: each.similar_to for each in listed.tasks if each.similar_to} == {"0" * 32: clamp.task_id}


async def test_a_function_of_which_two_versions_of_the_builder_made_tasks_is_released_once(house: Any) -> None:
    clamp = await house.decisions.find("function-clamp", BUILDER)
    (stored,) = [each for each in await house.decisions.tasks() if each.task.task_id == clamp.task_id]
    earlier = replace(clamp, task_id="0" * 32, track="by_example")
    await house.decisions.save(clamp.function_id, "pbt-1", "SC", earlier, stored.function, 0.0)
    chosen = [each.task.task_id for each in await house.desk._chosen(Selection(kind="SC"))]
    assert sorted(chosen) == sorted((clamp.task_id, house.ids["spread"]))


@pytest.mark.parametrize(
    ("selection", "names"),
    [
        (Selection(kind="WSC"), ["halves"]),
        (Selection(languages=("python",)), ["clamp", "halves", "spread"]),
        # The day on which the code appeared counts first, then that of its last change, then that of the release.
        (Selection(since="2026-02-01"), ["spread"]),
        (Selection(since="2026-01-05"), ["halves", "spread"]),
        (Selection(since="2025-11-07"), ["clamp", "halves", "spread"]),
        (Selection(since="2026-01-05", kind="WSC"), ["halves"]),
    ],
)
async def test_filters(house: Any, selection: Selection, names: list[str]) -> None:
    await house.desk.create("some", selection)
    tasks = (await house.desk.show("some")).manifest["tasks"]
    assert sorted(task["entry_point"] for task in tasks) == names


@pytest.mark.parametrize(
    ("name", "selection", "words"),
    [
        ("a", Selection(languages=("go",)), "none of 3 tasks matches"),
        ("A B", Selection(), "A B: no name for a release"),
        ("a", Selection(kind="XX"), "XX: no kind of task"),
        ("a", Selection(band="XX"), "XX: no band of tasks"),
        ("a", Selection(band="hard"), "none of 3 tasks matches"),
        ("a", Selection(since="last week"), "last week: no day"),
        ("a", Selection(languages=("cobol",)), "cobol: no target language"),
    ],
)
async def test_what_cannot_be_released_is_said(house: Any, name: str, selection: Selection, words: str) -> None:
    with pytest.raises(BadSelectionError, match=words):
        await house.desk.create(name, selection)


@pytest.mark.parametrize(
    ("complexity", "selection", "taken"),
    [
        (10, Selection(), True),
        (11, Selection(), False),
        (11, Selection(band="hard"), True),
        (10, Selection(band="hard"), False),
        (11, Selection(task_ids=("t",)), True),
        (11, Selection(task_ids=("t",), band="usual"), False),
    ],
)
def test_the_hard_band_is_released_by_name_alone(complexity: int, selection: Selection, taken: bool) -> None:
    task = BuiltTask("t", "f", "SC", "Hard", "heuristic", "f", "Do.", {}, "", "s", "c", "g", 9, 1.0, 1.0, ("python",))
    refused = selection.refuses(task, {"complexity": complexity, "source": {}})
    assert (not refused) == taken and (taken or "band" in refused)


async def test_named_tasks_must_exist_stand_and_fit(house: Any) -> None:
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
async def test_a_missing_blob_stops_a_release_and_is_named(house: Any, part: str, made: dict[str, Any]) -> None:
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


def test_a_manifest_says_which_code_others_do_not_get_and_keeps_its_digest() -> None:
    def entry(kind: str, name: str, number: int) -> dict[str, Any]:
        task = BuiltTask(
            f"task{number}", f"f{number}", "SC", "Hard", "heuristic", "f", "Do.", {}, "", "s", "c", "g", 10, 1.0, 0.5,
            ("python",), 1.0,
        )  # fmt: skip
        place = {"kind": kind, "name": name, "version": "abc", "released_at": None, "licence": ""}
        function = {"source": place, "path": "p", "qualname": "f", "line_start": 1, "line_end": 2}
        return entry_of(record_of(task, function), {"builder": BUILDER})

    public = [entry("package", "toolz", 1), entry("git", "https://example.org/a.git", 2)]
    own = [entry("folder", "/home/me/shop", 3), entry("git", "/home/me/shop", 4), entry("folder", "/home/me/shop", 5)]
    # Of public code alone it has the bytes that it had before.
    assert "own_sources" not in manifest_of("r", Selection(), public)
    told = manifest_of("r", Selection(), [*public, *own])
    assert told["own_sources"] == [
        {"kind": "folder", "name": "/home/me/shop", "tasks": 2},
        {"kind": "git", "name": "/home/me/shop", "tasks": 1},
    ]
    # It is told beside what is digested: one of before, which does not say it, is read and verified as ever.
    before = {name: value for name, value in told.items() if name != "own_sources"}
    assert read_manifest(canonical(told)) == told and read_manifest(canonical(before)) == before
    assert before["digest"] == told["digest"]


def test_what_is_no_manifest_is_said() -> None:
    good = manifest_of("a", Selection(), [])
    for data, words in (
        (b"\xff", "no JSON"),
        (b"[" * 200_000, "no JSON"),
        (b"[]", "its format is None"),
        (canonical({"format": good["format"]}), "lacks 'builders'"),
        (canonical({**good, "builders": ["other"]}), f"states {digest_of(good)}"),
        (canonical({**good, "tasks": [{}]}), "it lacks"),
    ):
        with pytest.raises(NotAManifestError, match=words):
            read_manifest(data)
    assert [well_named(text) for text in ("2026-06", "", ".a", "A", "a/b", "a" * 65)] == [True] + [False] * 5


# -- taking back --------------------------------------------------------------------------------------------------


async def test_a_retraction_leaves_lists_and_stays_in_releases(house: Any, made: dict[str, Any]) -> None:
    row, _ = await house.desk.create("first", Selection())
    clamp = house.ids["clamp"]
    stored, already, releases = await house.desk.retract(clamp[:10], "  it\nis wrong ")
    assert (stored.task.task_id, stored.retracted, already, releases) == (clamp, "it is wrong", False, ["first"])
    assert clamp not in {each.task.task_id for each in await house.decisions.tasks()}
    again, already, _ = await house.desk.retract(clamp, "for another reason")
    assert (again.retracted, already) == ("it is wrong", True)
    assert house.announcer.said == [("retracted", clamp, "it is wrong")] * 2
    # What was stored and could not be published is told by the sweep.
    house.announcer.said.clear()
    await house.tasks.tell_again()
    assert house.announcer.said == [("retracted", clamp, "it is wrong")]
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


# -- as callers see it --------------------------------------------------------------------------------------------


class Tried:
    """One task was tried, by one model."""

    def __init__(self, task_id: str) -> None:
        self._task_id = task_id

    async def solved_by(self) -> dict[str, dict[str, str]]:
        return {self._task_id: {"m": "2/3"}}


async def test_releases_over_grpc(house: Any) -> None:
    clamp = house.ids["clamp"]
    other = next(each for each in house.ids.values() if each != clamp)
    # No broker is asked, and nobody for exercises.
    servicer = PbtGeneratorServicer(house.tasks, house.desk, None, None, Tried(other), None, None)  # type: ignore[arg-type]
    request = pb.CreateReleaseRequest(name="one", kind="SC", task_ids=[clamp])
    made = await servicer.CreateRelease(request, None)
    assert (made.release.name, made.release.tasks, made.already) == ("one", 1, False)
    answers = [each async for each in servicer.VerifyRelease(pb.VerifyReleaseRequest(name="one"), None)]
    assert [(each.task_id, each.done, each.total, list(each.problems)) for each in answers] == [(clamp, 1, 1, [])]
    files: dict[str, bytes] = {}
    async for piece in servicer.ExportRelease(pb.ExportReleaseRequest(name="one"), None):
        files[piece.path] = files.get(piece.path, b"") + piece.data
    assert files == await house.export("one", "code2bench") and files["retractions.json"] == b"{}\n"
    taken = await servicer.RetractTask(pb.RetractTaskRequest(task_id=clamp, note="it is wrong"), None)
    assert (taken.task.retracted, taken.already, list(taken.releases)) == ("it is wrong", False, ["one"])
    shown = await servicer.GetRelease(pb.GetReleaseRequest(name="one"), None)
    assert json.loads(shown.manifest_json)["digest"] == shown.release.digest
    assert [(each.task_id, each.note) for each in shown.retractions] == [(clamp, "it is wrong")]
    (listed,) = (await servicer.ListReleases(pb.ListReleasesRequest(), None)).releases
    assert listed.retracted == 1
    tasks = await servicer.ListTasks(pb.ListTasksRequest(), None)
    assert (len(tasks.tasks), tasks.refused, tasks.retracted) == (2, 0, 1)
    assert {each.task_id: dict(each.solved_by) for each in tasks.tasks}[other] == {"m": "2/3"}
