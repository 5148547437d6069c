"""Exports: the same bytes each time, checked as files."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from pbt_generator.adapters.exporters import EXPORTERS
from pbt_generator.domain.release import (
    Selection,
)
from pbt_generator.errors import (
    BrokenReleaseError,
    UnknownFormatError,
    UnknownReleaseError,
)
from touchstone_contracts.manifests import sha256


@pytest.mark.parametrize("export_format", sorted(EXPORTERS))
async def test_exports_are_the_same_bytes_and_verify_alone(house: Any, export_format: str, tmp_path: Path) -> None:
    await house.desk.create("first", Selection())
    files = await house.export("first", export_format)
    assert files == await house.export("first", export_format)
    sums = dict(reversed(line.split("  ")) for line in files["SHA256SUMS"].decode().splitlines())
    assert sums == {name: sha256(data) for name, data in files.items() if name != "SHA256SUMS"}
    checked = await house.check_folder(house.write(files, tmp_path))
    assert [each.problems for each in checked] == [(), (), ()]


async def test_unknown_names_and_formats(house: Any) -> None:
    with pytest.raises(UnknownReleaseError, match="nobody: no release has this name"):
        await house.desk.show("nobody")
    with pytest.raises(
        UnknownFormatError, match=r"csv: no such format \(one of code2bench, evalplus, livecodebench, lm-eval, parquet"
    ):
        await house.export("first", "csv")


async def test_changed_files_of_an_export_are_named(house: Any, tmp_path: Path) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    files = await house.export("one", "code2bench")
    folder = house.write(files, tmp_path)
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


async def test_a_changed_part_a_changed_manifest_and_no_manifest(house: Any, tmp_path: Path) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    folder = house.write(await house.export("one", "evalplus"), tmp_path)
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


async def test_what_is_no_part_of_an_export_is_named(house: Any, tmp_path: Path) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    folder = house.write(await house.export("one", "code2bench"), tmp_path / "out")
    task = house.ids["clamp"]
    (folder / ".DS_Store").write_bytes(b"")
    (folder / "empty").mkdir()
    (folder / task / "__pycache__").mkdir()
    (folder / task / "__pycache__" / "runner.pyc").write_bytes(b"")
    (folder / task / "sitecustomize.py").write_text("raise SystemExit")
    (folder / "parts").rename(tmp_path / "parts")
    (folder / "parts").symlink_to(tmp_path / "parts")
    # Whoever lists a file in the checksums makes it no part of the release; whoever leaves one out is found out too.
    sums = folder / "SHA256SUMS"
    kept = [line for line in sums.read_text().splitlines(keepends=True) if not line.endswith("groundtruth.py\n")]
    sums.write_text("".join([*kept, f"{sha256(b'')}  .DS_Store\n"]))
    first, second = await house.check_folder(folder)
    below = [f"{task}/{name}" for name in ("__pycache__", "sitecustomize.py")]
    assert sorted(first.strays) == sorted([".DS_Store", "empty", "parts", *below])
    assert f"{folder}/{task}/__pycache__ is a folder that is no part of the release" in first.problems
    assert f"{folder}/parts is a link where the release has a folder" in first.problems
    assert f"{sums} does not name {task}/groundtruth.py" in first.problems
    assert second.problems == ()


async def test_strays_beside_a_damaged_part_are_named(house: Any, tmp_path: Path) -> None:
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    folder = house.write(await house.export("one", "evalplus"), tmp_path)
    (folder / "parts" / (await house.desk.show("one")).manifest["tasks"][0]["digests"]["suite"]).write_bytes(b"other")
    (folder / "more").write_text("x")
    with (folder / "SHA256SUMS").open("ab") as sums:
        sums.write(b"x" * 64 + b"  a\0b\n" + b"x" * 64 + b"  " + b"y" * 5000 + b"\n")
    first, _ = await house.check_folder(folder)
    assert f"{folder}/more is a file that is no part of the release" in first.problems
    (folder / "export.json").write_bytes((folder / "export.json").read_bytes().replace(b"evalplus", b"of tomorrow"))
    other, _ = await house.check_folder(folder)
    told = f"{folder} is laid out as of tomorrow 4, and not as this version does it: "
    way_out = "export the release again, or verify with the version that wrote it"
    assert f"{told}{way_out}" in other.problems
    assert other.strays == first.strays
    assert [line for line in first.problems if line.endswith("y is missing") or "\0" in line] and first.strays == (
        "more",
    )


async def test_the_folder_of_a_task_runs_alone(house: Any, tmp_path: Path) -> None:
    await house.desk.create("first", Selection())
    folder = house.write(await house.export("first", "code2bench"), tmp_path)
    for name, task_id in house.ids.items():
        task = folder / task_id
        (task / "tested.py").write_bytes((task / "groundtruth.py").read_bytes())
        done = subprocess.run(
            [sys.executable, "-I", "-c", "import runpy, sys; sys.path.insert(0, '.'); runpy.run_path('runner.py', run_name='__main__')"],  # noqa: E501
            cwd=task, capture_output=True, text=True, check=False, env={"PATH": os.defpath},
        )  # fmt: skip
        assert json.loads(done.stdout)["passed"] == len(house.cases[name][2]), done.stderr
    case = json.loads((folder / house.ids["clamp"] / "test_cases" / "test_cases.json").read_text())[0]
    assert case == {"Inputs": {"x": -20, "low": 0, "high": 10}, "Expected": 0}
    metadata = json.loads((folder / house.ids["spread"] / "metadata.json").read_text())
    assert metadata["licence"] is None and metadata["comparison"] == "portable"


async def test_evalplus_lines_work_as_evalplus_uses_them(house: Any) -> None:
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


async def test_parquet_has_typed_columns(house: Any) -> None:
    await house.desk.create("first", Selection())
    await house.desk.retract(house.ids["halves"], "it is wrong")
    files = await house.export("first", "parquet")
    tasks = pq.read_table(io.BytesIO(files["tasks.parquet"]))
    cases = pq.read_table(io.BytesIO(files["cases.parquet"]))
    rows = {row["entry_point"]: row for row in tasks.to_pylist()}
    assert str(tasks.schema.field("released_at").type) == "timestamp[us, tz=UTC]"
    assert str(tasks.schema.field("cases").type) == "int32"
    assert rows["spread"]["licence"] is None and rows["halves"]["retracted"] == "it is wrong"
    assert (
        rows["clamp"]["ground_truth"] == house.cases["clamp"][0] and rows["clamp"]["signatures"]["go"] == "func clamp()"
    )
    assert rows["halves"]["changed_at"].day == 5 and rows["clamp"]["changed_at"] is None
    assert rows["clamp"]["first_seen"].month == 11 and rows["halves"]["first_seen"] is None
    assert cases.num_rows == sum(len(given) for _, _, given in house.cases.values())
    first = next(row for row in cases.to_pylist() if row["task_id"] == house.ids["halves"])
    assert (first["index"], first["arguments"], first["plain_json"]) == (0, '[{"$":"tuple","v":[1.5,0]}]', False)
    assert tasks.schema.metadata[b"touchstone.release"] == b"first"


async def test_problems_of_livecodebench_hold_the_cases_that_it_can_express(house):
    await house.desk.create("r", Selection())
    (line,) = (await house.export("r", "livecodebench"))["livecodebench.jsonl"].splitlines()
    row = json.loads(line)
    # Of the three tasks one is plain JSON by position.
    assert row["question_id"] == house.ids["clamp"] and json.loads(row["metadata"])["func_name"] == "clamp"
    # The date that is held against a model's cutoff is that of the code, not of its last release or change.
    assert datetime.fromisoformat(row["contest_date"]) == datetime(2025, 11, 7)
    # The loader of LiveCodeBench takes these fields and no other, and knows three platforms.
    assert set(row) == {
        "question_title", "question_content", "platform", "question_id", "contest_id", "contest_date", "starter_code",
        "difficulty", "public_test_cases", "private_test_cases", "metadata",
    }  # fmt: skip
    assert row["platform"] == "leetcode" and row["difficulty"] in {"easy", "medium", "hard"}
    assert json.loads(row["metadata"])["touchstone"] == {"wording": "described"}
    public, private = (json.loads(row[f"{name}_test_cases"]) for name in ("public", "private"))
    assert len(public) == 3 and {test["testtype"] for test in public + private} == {"functional"}
    # Read back as the format's own tools read it, the cases are those of the suite.
    pairs = [
        (list(map(json.loads, test["input"].split("\n"))), json.loads(test["output"])) for test in public + private
    ]
    source, _, given = house.cases["clamp"]
    space = {}
    exec(source, space)
    assert pairs == [(arguments, space["clamp"](*arguments)) for arguments in given]


async def test_every_row_tells_by_which_kind_of_words_its_task_is_scored(house: Any) -> None:
    await house.desk.create("r", Selection())
    told: dict[str, dict[str, str]] = {}
    lines = (await house.export("r", "evalplus"))["evalplus.jsonl"].splitlines()
    told["evalplus"] = {row["entry_point"]: row["touchstone"]["wording"] for row in map(json.loads, lines)}
    table = pq.read_table(io.BytesIO((await house.export("r", "parquet"))["tasks.parquet"]))
    told["parquet"] = {row["entry_point"]: row["wording"] for row in table.to_pylist()}
    lines = (await house.export("r", "lm-eval"))["lm_eval/tasks.jsonl"].splitlines()
    told["lm-eval"] = {row["entry_point"]: row["wording"] for row in map(json.loads, lines)}
    files = await house.export("r", "code2bench")
    told["code2bench"] = {
        name: json.loads(files[f"{task_id}/metadata.json"])["wording"] for name, task_id in house.ids.items()
    }
    words = {"clamp": "described", "halves": "by_example", "spread": "by_example"}
    assert told == dict.fromkeys(told, words)
