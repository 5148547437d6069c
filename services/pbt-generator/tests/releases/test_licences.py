"""The licences of everything that a task holds are in its release and in every row that holds its code."""

from __future__ import annotations

import io
import json
from typing import Any

import pyarrow.parquet as pq
import pytest

from pbt_generator.domain.release import Selection, manifest_of
from pbt_generator.rpc import PbtGeneratorServicer
from pbt_generator.usecases.build import BUILDER
from touchstone.pbt_generator.v1 import pbt_generator_pb2 as pb
from touchstone_contracts.licences import licence_of

VENDORED = {"kind": "function", "name": "g", "path": "wordkit/_vendored.py", "licence": "Apache-2.0"}


@pytest.fixture
async def sliced(house: Any, made: dict[str, Any]) -> Any:
    """A release of a slice that took a helper of a file under another licence."""
    task, function, _ = made["clamp"]
    function = {**function, "form": "slice", "parts": [VENDORED, {**VENDORED, "path": "wordkit/a.py", "licence": ""}]}
    house.decisions.kept[task.function_id, BUILDER] = (task.kind, task, function)
    await house.desk.create("one", Selection(task_ids=(house.ids["clamp"],)))
    return house


async def test_a_part_keeps_its_licence_in_manifest_and_exports(sliced: Any) -> None:
    manifest = (await sliced.desk.show("one")).manifest
    both, parts = "MIT AND Apache-2.0", [{"path": "wordkit/_vendored.py", "licence": "Apache-2.0"}]
    assert manifest["tasks"][0]["licence"] == both and manifest["counts"]["by_licence"] == {both: 1}
    folders = await sliced.export("one", "code2bench")
    metadata = json.loads(folders[f"{sliced.ids['clamp']}/metadata.json"])
    row = json.loads((await sliced.export("one", "evalplus"))["evalplus.jsonl"])["touchstone"]
    table = pq.read_table(io.BytesIO((await sliced.export("one", "parquet"))["tasks.parquet"])).to_pylist()[0]
    assert [(each["licence"], each["part_licences"]) for each in (metadata, row, table)] == [(both, parts)] * 3
    assert [each.problems for each in await sliced.verify("one")] == [()]


async def test_whoever_asks_for_a_task_is_told_the_licence_of_all_of_it(sliced: Any) -> None:
    servicer = PbtGeneratorServicer(sliced.tasks, sliced.desk, None, None, None, None, None)  # type: ignore[arg-type]
    for name, licence in {"clamp": "MIT AND Apache-2.0", "halves": "MIT", "spread": ""}.items():
        answer = await servicer.RetractTask(pb.RetractTaskRequest(task_id=sliced.ids[name], note="wrong"), None)
        assert answer.task.location.licence == licence


async def test_a_manifest_of_before_is_verified_and_another_licence_is_not(sliced: Any) -> None:
    (entry,) = (await sliced.desk.show("one")).manifest["tasks"]
    for stated, problems in (("MIT", ()), ("Apache-2.0", ("licence is 'MIT AND Apache-2.0', the manifest says",))):
        manifest = manifest_of("one", Selection(), [{**entry, "licence": stated}])
        (checked,) = [each async for each in sliced.verifier.verify(manifest, sliced.parts, {})]
        assert len(checked.problems) == len(problems)
        assert all(line.startswith(words) for line, words in zip(checked.problems, problems, strict=True))


@pytest.mark.parametrize(
    ("own", "parts", "all_of_them"),
    [
        ("MIT", [], "MIT"),
        ("MIT", ["MIT"], "MIT"),
        ("MIT", ["BSD-3-Clause", "Apache-2.0"], "MIT AND Apache-2.0 AND BSD-3-Clause"),
        ("MIT OR Apache-2.0", ["MIT"], "(MIT OR Apache-2.0) AND MIT"),
        ("MIT AND BSD-3-Clause", ["BSD-3-Clause"], "MIT AND BSD-3-Clause"),
        ("MIT OR Apache-2.0", ["MIT OR Apache-2.0"], "MIT OR Apache-2.0"),
        ("", ["MIT"], None),
    ],
)
def test_licences_that_hold_one_beside_the_other(own: str, parts: list[str], all_of_them: str | None) -> None:
    files = [{"path": f"p/{number}.py", "licence": each} for number, each in enumerate(parts)]
    assert licence_of({"source": {"licence": own}, "parts": files}) == all_of_them
