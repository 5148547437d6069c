"""What cannot be written down is left out and counted; a source that nobody understands waits alone."""

from __future__ import annotations

import os
import tarfile
from dataclasses import replace

import pytest

from ingester.adapters.archives import UnpackLimits, unpack
from ingester.adapters.git_repository import GitRepository
from ingester.adapters.package_index import PackageIndex
from ingester.adapters.reader import Reader
from ingester.domain.analysis import analyse_file
from touchstone_runtime.errors import RetryableError

SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1 if x < 0 else 0\n"


@pytest.fixture
def following(world, tmp_path, monkeypatch):
    # In a process of its own it is slower, and does the same.
    monkeypatch.setattr("ingester.adapters.reader.unpack_apart", unpack)
    index = PackageIndex("http://127.0.0.1:9/simple/")
    return replace(world.ingestion, reader=Reader(index, GitRepository(), tmp_path / "scratch", UnpackLimits()))


@pytest.mark.parametrize("kind", ["folder", "archive"])
async def test_a_file_whose_name_is_no_text_is_counted_and_the_rest_taken_in(world, following, tmp_path, kind):
    top = tmp_path / "top"
    (top / "tests").mkdir(parents=True)
    (top / "a.py").write_text("from .sign import sign\n")
    os.utime(top / "a.py", (world.now.timestamp(),) * 2)
    for name in (b"caf\xe9.py", b"tests/test_\xe9.py", b"caf\xe9.js"):
        (top / os.fsdecode(name)).write_text(SIGN if name.endswith(b".py") else "function f(x) { return x; }\n")
    (top / "b.py").write_text(SIGN)
    path = top
    if kind == "archive":
        path = tmp_path / "x.tar"
        with tarfile.open(path, "w") as archive:
            archive.add(top, "x")
    source = await following.add(kind, str(path))
    summary = await following.ingest(source.source_id)
    assert (summary.state, summary.files, summary.reasons) == ("ingested", 5, {"file_does_not_parse": 3})
    assert [item.found.name for item in world.heard.functions] == ["sign"]
    for item in world.heard.functions:
        item.path.encode()


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", SIGN.replace("sign", "s" * 9000)),
        ("a.js", f"function {'s' * 9000}(x) {{ return x; }}\n"),
        ("a.py", f"class {'S' * 9000}:\n    pass\n"),
    ],
)
async def test_a_definition_whose_name_nothing_keeps_is_left_out_and_counted(world, path, text):
    world.shelf.files = {path: text + (SIGN if path.endswith(".py") else "function sign(x) { return x; }\n")}
    source = await world.ingestion.add("package", "shelf")
    summary = await world.ingestion.ingest(source.source_id)
    assert summary.reasons["name_too_long"] == 1
    assert [item.found.name for item in world.heard.functions] == ["sign"]


@pytest.mark.parametrize("path", ["a.js", "a.ts", "a.java", "a.go", "a.php", "a.py"])
def test_a_file_with_null_bytes_is_no_text(path):
    assert analyse_file(b"x = {'a\0b': function(x) { return x }}\n", path).problem == "holds null bytes"


@pytest.mark.parametrize("broken", [ValueError("surrogates\nand more"), UnicodeEncodeError("u", "\udce9", 0, 1, "no")])
async def test_a_source_that_breaks_a_reader_fails_with_its_words(world, broken):
    world.shelf.broken = broken
    source = await world.ingestion.add("package", "shelf")
    summary = await world.ingestion.ingest(source.source_id)
    assert summary.state == "failed" and f"could not be read: {type(broken).__name__}: " in summary.detail
    assert "and more" not in summary.detail
    kept = await world.store.get(source.source_id)
    assert (kept.state, kept.failures, world.heard.passes) == ("failed", 1, [summary])


@pytest.mark.parametrize("fault", [RetryableError("the broker is away"), ConnectionError("the broker is away")])
async def test_a_fault_of_the_platform_is_none_of_the_source(world, fault):
    world.shelf.files = {"a.py": SIGN}

    async def away(*_):
        raise fault

    world.heard.extracted = away
    source = await world.ingestion.add("package", "shelf")
    with pytest.raises(type(fault)):
        await world.ingestion.ingest(source.source_id)
    assert world.heard.passes == []
