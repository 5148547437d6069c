"""Repositories: which commit a revision is, and what their history tells of the age of code."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ingester.adapters.archives import UnpackLimits
from ingester.adapters.git_repository import GitRepository
from ingester.adapters.package_index import PackageIndex
from ingester.adapters.reader import Reader
from ingester.errors import SourceRefusedError

RANGES = """
def merge_ranges(ranges, gap):
    ordered = sorted(ranges)
    merged = []
    for start, end in ordered:
        if merged and start - merged[-1][1] <= gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged
"""
RENAMED = RANGES.replace("gap", "least").replace("merged", "joined").replace("ordered", "inline")
SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1 if x < 0 else 0\n"


class Repository:
    """A repository in a folder."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self("init", "-q", "-b", "main")

    def __call__(self, *words, at="2026-01-01T00:00:00Z", given=None):
        environment = {
            "PATH": os.defpath, "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_DATE": at,
            "GIT_COMMITTER_DATE": at, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@b",
        }  # fmt: skip
        done = subprocess.run(
            ["git", *words], cwd=self.folder, env=environment, check=True, capture_output=True, text=True, input=given
        )
        return done.stdout.strip()

    def commit(self, at, **files):
        for name, text in files.items():
            (self.folder / f"{name}.py").write_text(text)
        self("add", "-A")
        self("commit", "-qm", "one", "--allow-empty", at=at)
        return self("rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "repository")


@pytest.fixture
def taken_in(world, tmp_path):
    async def take_in(folder, *, most_bytes=1 << 30, file_bytes=4 << 20):
        limits = UnpackLimits(file_bytes=file_bytes)
        index, git = PackageIndex("http://127.0.0.1:9/simple/"), GitRepository(most_bytes=most_bytes)
        ingestion = replace(world.ingestion, reader=Reader(index, git, tmp_path / "scratch", limits))
        source = await ingestion.add("git", str(folder))
        return await ingestion.ingest(source.source_id)

    return take_in


def told(world):
    return {item.found.name: item.rejected_by for item in world.heard.functions}


def test_a_revision_is_the_branch_or_tag_of_exactly_this_name(repository):
    main = repository.commit("2026-10-20T00:00:00Z", a="x = 1\n")
    repository("checkout", "-q", "-b", "feature/main")
    other = repository.commit("2026-10-21T00:00:00Z", a="x = 2\n")
    repository("checkout", "-q", "main")
    for branch in ("release/1.0", "both", "zzz/refs/heads/main"):
        repository("branch", branch, other)
    for tag in ("1.0", "both", "old/only"):
        repository("tag", tag, main)
    repository("tag", "-a", "v2", "-m", "x", main)
    repository("tag", "-a", "old/v2", "-m", "x", other)
    repository("tag", "same", other)
    repository("branch", "same", other)
    repository("update-ref", "refs/pull/7/head", other)
    git = GitRepository()

    def head(revision):
        return git.head(str(repository.folder), revision)

    assert [head(each) for each in ("", "HEAD", "main", "1.0", "v2", "refs/heads/main", "refs/tags/v2")] == [main] * 7
    others = ("feature/main", "release/1.0", "old/v2", "refs/heads/both", "same", "pull/7/head")
    assert [head(each) for each in others] == [other] * 6
    with pytest.raises(SourceRefusedError, match="names several things of it: refs/heads/both, refs/tags/both"):
        head("both")
    for nothing in ("only", "head", "1"):
        with pytest.raises(SourceRefusedError, match=f"has no revision {nothing}"):
            head(nothing)


def test_a_tag_s_commit_may_be_on_no_branch(repository, tmp_path):
    main = repository.commit("2026-10-20T00:00:00Z", a="x = 1\n")
    repository("checkout", "-q", "--detach", main)
    repository.commit("2026-10-22T00:00:00Z", a=SIGN)
    repository("tag", "-a", "3.0", "-m", "x")
    repository("checkout", "-q", "main")
    git = GitRepository()
    git.checkout(str(repository.folder), git.head(str(repository.folder), "3.0"), tmp_path / "clone")
    assert (tmp_path / "clone" / "a.py").read_text() == SIGN
    with pytest.raises(SourceRefusedError, match="git failed"):
        git.checkout(str(repository.folder), "0" * 40, tmp_path / "again")


async def test_every_line_of_history_that_leads_into_the_window_is_read(repository, taken_in, world):
    repository.commit("2015-01-01T00:00:00Z", readme="x = 1\n")
    repository("checkout", "-q", "-b", "side")
    repository.commit("2025-10-30T00:00:00Z", side="y = 2\n")
    repository("checkout", "-q", "main")
    repository.commit("2016-01-01T00:00:00Z", a=RANGES)
    repository("merge", "-q", "--no-edit", "side", at="2026-02-01T00:00:00Z")
    (repository.folder / "a.py").unlink()
    repository.commit("2026-03-01T00:00:00Z", b=RENAMED + SIGN)
    await taken_in(repository.folder)
    assert told(world) == {"merge_ranges": "outside_window", "sign": ""}


async def test_what_lies_before_an_empty_beginning_is_nothing(repository, taken_in, world):
    repository.commit("2024-01-01T00:00:00Z")
    repository.commit("2026-09-01T00:00:00Z", a=SIGN)
    assert (await taken_in(repository.folder)).state == "ingested"
    assert told(world) == {"sign": ""}


async def test_code_that_stood_at_the_end_of_a_history_that_is_cut_off_has_no_date(
    repository, taken_in, world, tmp_path
):
    repository.commit("2012-01-01T00:00:00Z", a=RANGES)
    repository.commit("2026-10-20T00:00:00Z", b="x = 1\n")
    (repository.folder / "a.py").unlink()
    repository.commit("2026-10-25T00:00:00Z", c=RENAMED, b="x = 1\n" + SIGN)
    shallow = tmp_path / "shallow"
    url = f"file://{repository.folder}"
    subprocess.run(["git", "clone", "-q", "--depth", "2", url, str(shallow)], check=True, capture_output=True)
    await taken_in(shallow)
    assert told(world) == {"merge_ranges": "undated", "sign": ""}
    world.heard.functions.clear()
    shallower = tmp_path / "shallower"
    subprocess.run(["git", "clone", "-q", "--depth", "1", url, str(shallower)], check=True, capture_output=True)
    await taken_in(shallower)
    assert told(world) == {"merge_ranges": "undated", "sign": "undated"}
    assert "`git fetch --unshallow` makes it whole" in world.heard.functions[0].rejection


async def test_a_history_that_is_cut_off_before_the_window_tells_what_it_tells(repository, taken_in, world, tmp_path):
    for at in ("2011-01-01T00:00:00Z", "2012-01-01T00:00:00Z"):
        repository.commit(at, a=RANGES)
    repository.commit("2026-10-20T00:00:00Z", b=SIGN)
    shallow = tmp_path / "shallow"
    url = f"file://{repository.folder}"
    subprocess.run(["git", "clone", "-q", "--depth", "2", url, str(shallow)], check=True, capture_output=True)
    await taken_in(shallow)
    assert told(world) == {"merge_ranges": "outside_window", "sign": ""}


async def test_a_date_that_no_calendar_holds_is_not_after_the_pass(repository, taken_in, world):
    (repository.folder / "a.py").write_text(SIGN)
    repository("add", "-A")
    tree = repository("write-tree")
    for seconds in ("999999999999999", "2114380800"):
        text = f"tree {tree}\nauthor a <a@b> {seconds} +0000\ncommitter a <a@b> {seconds} +0000\n\nx\n"
        commit = repository("hash-object", "-t", "commit", "-w", "--stdin", "--literally", given=text)
        repository("update-ref", "refs/heads/main", commit)
        await taken_in(repository.folder)
    dates = {(item.changed_at, item.dating.first_seen) for item in world.heard.functions}
    assert dates == {(world.now, world.now)}


async def test_text_that_looks_like_a_date_is_none(repository, taken_in, world):
    lines = "".join(f"# \x0ccommitter-time {word}\n" for word in ("soon", *["1790000000"] * 30))
    repository.commit("2012-09-01T00:00:00Z", a=lines + SIGN)
    await taken_in(repository.folder)
    (item,) = world.heard.functions
    assert item.changed_at == datetime(2012, 9, 1, tzinfo=UTC)


async def test_no_more_of_the_past_is_read_than_a_clone_may_hold(repository, taken_in, world):
    large = {f"big{number}": f"x = {number}\n" * 100_000 for number in range(12)}
    repository.commit("2024-01-01T00:00:00Z", **large, a="")
    for name in large:
        (repository.folder / f"{name}.py").unlink()
    repository.commit("2026-09-01T00:00:00Z", a=SIGN)
    summary = await taken_in(repository.folder, most_bytes=3 << 20)
    assert summary.state == "failed" and "takes more than 3145728 bytes" in summary.detail


async def test_a_file_of_the_past_that_is_too_large_may_have_held_the_code(repository, taken_in, world):
    repository.commit("2024-01-01T00:00:00Z", data="x = 1\n" * 1000, more="x = 1\n")
    repository.commit("2026-09-01T00:00:00Z", a=SIGN)
    await taken_in(repository.folder, file_bytes=2000)
    assert told(world) == {"sign": ""}
    world.heard.functions.clear()
    (repository.folder / "data.py").write_text("x = 1\n" * 1000 + "def f(x): return x\n")
    repository("commit", "-qam", "one", "--amend", at="2024-01-01T00:00:00Z")
    repository.commit("2026-09-01T00:00:00Z", b=RANGES)
    await taken_in(repository.folder, file_bytes=2000)
    assert told(world) == {"sign": "outside_window", "merge_ranges": "undated"}
