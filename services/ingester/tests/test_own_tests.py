"""A source's own tests are kept, as one archive that their version names."""

from __future__ import annotations

import io
import zipfile

from ingester.adapters.trees import FolderTree
from ingester.domain import own_tests
from ingester.domain.own_tests import packed
from ingester.domain.places import is_run

TWICE = "def twice(x):\n    return x * 2 if x else 0\n"


def names(archive: bytes) -> list[str]:
    return zipfile.ZipFile(io.BytesIO(archive)).namelist()


def test_what_a_test_runner_would_run_is_told_from_documentation():
    wanted = ("a-1/tests/data/x.txt", "a/test/util.py", "test_a.py", "src/a/a_test.py", "conftest.py")
    others = ("docs/conf.py", "a/testimony.py", "examples/run.py", "contest.py")
    assert [is_run(path) for path in (*wanted, *others)] == [True] * 5 + [False] * 4


def test_everything_beside_tests_is_taken_and_links_and_large_files_are_not(tmp_path):
    folder = tmp_path / "a-1" / "tests"
    folder.mkdir(parents=True)
    (tmp_path / "a-1" / "a.py").write_text(TWICE)
    (folder / "test_a.py").write_text("import a\n")
    (tmp_path / "a-1" / "pyproject.toml").write_text("")
    (folder / "pyproject.toml").write_text("")
    (folder / "data.txt").write_bytes(b"x")
    (folder / "large.bin").write_bytes(bytes((1 << 20) + 1))
    (folder / "link.py").symlink_to("/etc/passwd")
    assert [path for path, _ in FolderTree(tmp_path).tests()] == [
        "a-1/pyproject.toml", "a-1/tests/data.txt", "a-1/tests/pyproject.toml", "a-1/tests/test_a.py",
    ]  # fmt: skip


def test_an_archive_has_a_bound_and_the_same_files_make_the_same_one(monkeypatch):
    monkeypatch.setattr(own_tests, "MOST_BYTES", 10)
    monkeypatch.setattr(own_tests, "MOST_FILES", 2)
    files = [("test_a.py", b"x" * 8), ("test_b.py", b"y" * 8), ("c.py", b"z"), ("d.py", b"")]
    assert names(packed(files)) == ["test_a.py", "c.py"]
    assert packed(files) == packed(files)
    assert packed([]) == packed([("a-1/pyproject.toml", b"")]) == b""


async def test_functions_name_the_tests_of_their_version(world):
    world.shelf.files = {"a.py": TWICE, "tests/test_a.py": "from a import twice\n"}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    assert [names(archive) for archive in world.heard.archives] == [["tests/test_a.py"]]
    assert {version.tests_digest for version in world.heard.versions} == {"digest 1"}


async def test_a_source_without_tests_or_with_another_licence_keeps_none(world):
    world.shelf.files = {"a.py": TWICE}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    assert world.heard.archives == [] and {version.tests_digest for version in world.heard.versions} == {""}


def test_a_file_whose_name_is_no_text_is_left_out() -> None:
    assert packed([("tests/test_a.py", b"a"), ("tests/\udcff.py", b"b")]) == packed([("tests/test_a.py", b"a")])
