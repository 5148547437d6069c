"""Real repositories: when their code appeared, by the commits of their main line."""

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

CLAMP = "def clamp(x, low, high):\n    return low if x < low else high if x > high else x\n"
SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1 if x < 0 else 0\n"
WORDS = """
def count_words(text, least=1):
    counts = {}
    for word in text.split():
        if len(word) >= least:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
"""


@pytest.fixture
def git(tmp_path):
    folder = tmp_path / "repository"
    folder.mkdir()

    def git(*arguments, at="2026-01-01T00:00:00Z", written=""):
        environment = {
            "PATH": os.defpath, "HOME": str(tmp_path), "GIT_AUTHOR_DATE": written or at, "GIT_COMMITTER_DATE": at,
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
        }  # fmt: skip
        subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    git.folder = folder
    return git


@pytest.fixture
def functions(git, tmp_path, world):
    reader = Reader(PackageIndex("http://127.0.0.1:9/simple/"), GitRepository(), tmp_path / "scratch", UnpackLimits())

    async def ingested(looks=16):
        ingestion = replace(world.ingestion, reader=reader, policy=replace(world.policy, dating_looks=looks))
        source = await ingestion.add("git", str(git.folder))
        summary = await ingestion.ingest(source.source_id)
        assert summary.state == "ingested", summary
        return {item.found.name: item for item in world.heard.functions}

    return ingested


def commit(git, at, written="", **files):
    """A commit that leaves these files alone in the repository; rebased, where it was written before."""
    for path in git.folder.glob("*.py"):
        path.unlink()
    for name, text in files.items():
        (git.folder / f"{name}.py").write_text(text)
    git("add", "-A")
    git("commit", "-q", "--allow-empty", "-m", "some", at=f"{at}T00:00:00Z", written=written and f"{written}T00:00:00Z")


async def test_a_real_repository_is_dated_by_what_it_held_before_the_window(git, functions):
    commit(git, "2020-01-01", old=CLAMP)
    commit(git, "2026-10-30", new=CLAMP.replace("clamp", "limit") + SIGN)
    found = await functions()
    told = {name: (item.rejected_by, item.dating.by) for name, item in found.items()}
    assert told == {"limit": ("outside_window", "history"), "sign": ("", "history")}
    assert found["sign"].dating.first_seen == datetime(2026, 10, 30, tzinfo=UTC)


async def test_code_of_a_real_repository_is_as_old_as_before_a_line_of_it_was_touched(git, functions):
    commit(git, "2019-12-31")
    commit(git, "2026-03-01", a=WORDS)
    commit(git, "2026-05-01", b=WORDS, c=SIGN)
    commit(git, "2026-10-01", b=WORDS.replace("least=1", "least=2"), c=SIGN)
    found = {name: item.dating.first_seen for name, item in (await functions()).items()}
    assert found == {"count_words": datetime(2026, 3, 1, tzinfo=UTC), "sign": datetime(2026, 5, 1, tzinfo=UTC)}


async def test_a_repository_that_began_within_the_window_is_dated_too(git, functions):
    commit(git, "2026-03-01", a=WORDS)
    commit(git, "2026-10-01", b=WORDS.replace("least=1", "least=2"))
    assert (await functions())["count_words"].dating.first_seen == datetime(2026, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("tool", "#!/usr/bin/env python3\n"),
        ("SConscript", ""),
        (".hook", "#! /usr/bin/python -u\n"),
        ("A.PY", ""),
        ("a.py.in", "VERSION = @VERSION@\n"),
        ("a.py.orig", ""),
        ("a.pyx.in", ""),
    ],
)
async def test_code_is_as_old_as_a_script_that_held_it_whatever_its_name_ends_in(git, functions, name, head):
    (git.folder / name).write_text(f"{head}{WORDS}")
    commit(git, "2019-01-01")
    commit(git, "2026-10-01", tool=WORDS + SIGN + CLAMP)
    found = {name: item.rejected_by for name, item in (await functions()).items()}
    assert found == {"count_words": "outside_window", "sign": "", "clamp": ""}


async def test_what_a_program_of_another_language_holds_dates_nothing(git, functions):
    (git.folder / "tool").write_text(f"#!/usr/bin/env ruby\n{WORDS}")
    commit(git, "2019-01-01")
    commit(git, "2026-10-01", tool=WORDS)
    assert (await functions())["count_words"].rejected_by == ""


async def test_a_branch_of_a_real_repository_is_as_old_as_its_first_commit(git, functions):
    commit(git, "2026-01-01", a=CLAMP)
    git("checkout", "-q", "-b", "side")
    commit(git, "2026-02-01", a=CLAMP, b=WORDS)
    commit(git, "2026-06-01", a=CLAMP, b=WORDS.replace("least=1", "least=2"))
    git("checkout", "-q", "main")
    commit(git, "2026-04-01", a=CLAMP, c=SIGN)
    git("merge", "-q", "--no-ff", "-m", "merged", "side", at="2026-09-01T00:00:00Z")
    found = {name: item.dating.first_seen for name, item in (await functions()).items()}
    assert found["count_words"] == datetime(2026, 2, 1, tzinfo=UTC)
    assert found["sign"] == datetime(2026, 4, 1, tzinfo=UTC)


async def test_code_of_a_commit_that_was_rebased_is_as_old_as_it_was_written(git, functions):
    commit(git, "2026-01-01")
    commit(git, "2026-09-01", written="2026-02-01", a=WORDS)
    commit(git, "2026-10-01", b=WORDS.replace("least=1", "least=2"), c=SIGN)
    commit(git, "2026-10-02", written="2019-02-01", b=WORDS.replace("least=1", "least=2"), c=SIGN, d=CLAMP)
    found = {name: (item.rejected_by, item.dating.first_seen) for name, item in (await functions()).items()}
    # That one of them was written before the window says nothing of the others.
    assert found == {
        "count_words": ("", datetime(2026, 2, 1, tzinfo=UTC)),
        "sign": ("", datetime(2026, 10, 1, tzinfo=UTC)),
        "clamp": ("outside_window", datetime(2019, 2, 1, tzinfo=UTC)),
    }


async def test_code_was_there_before_the_commit_after_it_whatever_its_clock_said(git, functions):
    commit(git, "2026-02-01", a=SIGN)
    commit(git, "2026-09-01", a=SIGN, b=WORDS)
    commit(git, "2026-04-01", a=SIGN, b=WORDS, c=CLAMP)
    found = {name: item.dating.first_seen for name, item in (await functions()).items()}
    dates = {"sign": 2, "count_words": 4, "clamp": 4}
    assert found == {name: datetime(2026, month, 1, tzinfo=UTC) for name, month in dates.items()}


async def test_a_commit_that_was_not_read_may_have_brought_older_code_than_the_first_one(git, functions):
    commit(git, "2026-06-01", a=SIGN)
    git("checkout", "-q", "--orphan", "other")
    commit(git, "2026-02-01", b=WORDS)
    git("checkout", "-q", "main")
    git("merge", "-q", "--allow-unrelated-histories", "-m", "merged", "other", at="2026-09-01T00:00:00Z")
    commit(git, "2026-10-01", a=SIGN, b=WORDS.replace("least=1", "least=2"))
    found = (await functions(looks=0))["count_words"].dating
    assert found.at_latest and found.first_seen == datetime(2026, 2, 1, tzinfo=UTC)


async def test_what_came_after_a_commit_that_holds_the_code_makes_it_no_older(git, functions):
    commit(git, "2026-03-01")
    for month in range(4, 8):
        commit(git, f"2026-0{month}-01", a=WORDS)
    git("checkout", "-q", "--orphan", "other")
    commit(git, "2026-01-01", b=SIGN)
    git("checkout", "-q", "main")
    git("merge", "-q", "--allow-unrelated-histories", "-m", "merged", "other", at="2026-09-01T00:00:00Z")
    commit(git, "2026-10-01", a=WORDS.replace("least=1", "least=2"))
    found = (await functions(looks=1))["count_words"].dating
    assert found.at_latest and found.first_seen == datetime(2026, 3, 1, tzinfo=UTC)
