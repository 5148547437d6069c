"""Folders and archives: each function is as old as its own file says, and nothing is newer than the pass."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from ingester.adapters.archives import UnpackLimits, unpack
from ingester.adapters.git_repository import GitRepository
from ingester.adapters.package_index import PackageIndex
from ingester.adapters.reader import Reader

SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1 if x < 0 else 0\n"
CLAMP = "def clamp(x, low, high):\n    return low if x < low else high if x > high else x\n"
WORDS = "def words(text):\n    return [each for each in text.split(',') if each and each != text]\n"
OLD = datetime(2011, 3, 13, tzinfo=UTC)
NEW = datetime(2026, 10, 20, tzinfo=UTC)
FUTURE = datetime(2042, 11, 19, tzinfo=UTC)


@pytest.fixture
def taken_in(world, tmp_path, monkeypatch):
    # In a process of its own it is slower, and does the same.
    monkeypatch.setattr("ingester.adapters.reader.unpack_apart", unpack)

    async def take_in(kind, path):
        index = PackageIndex("http://127.0.0.1:9/simple/")
        reader = Reader(index, GitRepository(), tmp_path / "scratch", UnpackLimits(file_bytes=4000))
        ingestion = replace(world.ingestion, reader=reader)
        source = await ingestion.add(kind, str(path))
        summary = await ingestion.ingest(source.source_id)
        assert summary.state == "ingested", summary
        return summary, {
            (item.found.name, item.found.form): (item.rejected_by, item.dating.first_seen, item.changed_at)
            for item in world.heard.functions
        }

    return take_in


def written(folder, at, name, text):
    (folder / name).write_text(text)
    os.utime(folder / name, (at.timestamp(), at.timestamp()))


async def test_a_function_of_a_folder_is_as_old_as_its_file(world, tmp_path, taken_in):
    folder = tmp_path / "folder"
    folder.mkdir()
    written(folder, OLD, "old.py", SIGN)
    written(folder, NEW, "new.py", CLAMP)
    written(folder, FUTURE, "future.py", WORDS)
    _, told = await taken_in("folder", folder)
    assert told == {
        ("sign", "function"): ("outside_window", OLD, OLD),
        ("clamp", "function"): ("", NEW, NEW),
        ("words", "function"): ("", world.now, world.now),
    }
    (kept,) = await world.store.sources()
    assert kept.released_at == world.now


async def test_what_was_made_of_files_of_several_ages_is_as_old_as_most_of_it(tmp_path, taken_in):
    folder = tmp_path / "folder" / "shop"
    folder.mkdir(parents=True)
    written(folder, OLD, "__init__.py", "")
    written(folder, OLD, "old.py", SIGN)
    written(folder, NEW, "new.py", "from .old import sign\ndef main(x):\n    return sign(x) if x else None\n")
    written(folder, NEW, "more.py", "from .old import sign\n" + CLAMP.replace("else x", "else sign(x) + high - low"))
    _, told = await taken_in("folder", folder.parent)
    forms = {name: verdict for (name, form), (verdict, _, _) in told.items() if form == "slice"}
    assert forms == {"main": "outside_window", "clamp": ""}


@pytest.mark.parametrize("kind", ["tar", "zip"])
async def test_a_function_of_an_archive_is_as_old_as_its_member(tmp_path, taken_in, kind):
    nothing = datetime(1980, 1, 1, tzinfo=UTC) if kind == "zip" else datetime(1970, 1, 1, tzinfo=UTC)
    members = {"x/old.py": (OLD, SIGN), "x/new.py": (NEW, CLAMP), "x/timeless.py": (nothing, WORDS)}
    path = tmp_path / f"x.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as archive:
            for name, (at, text) in members.items():
                archive.writestr(zipfile.ZipInfo(name, at.timetuple()[:6]), text)
    else:
        with tarfile.open(path, "w") as archive:
            for name, (at, text) in members.items():
                member = tarfile.TarInfo(name)
                member.size, member.mtime = len(text), at.timestamp()
                archive.addfile(member, io.BytesIO(text.encode()))
    _, told = await taken_in("archive", path)
    assert told == {
        ("sign", "function"): ("outside_window", OLD, OLD),
        ("clamp", "function"): ("", NEW, NEW),
        ("words", "function"): ("undated", None, None),
    }


@pytest.mark.parametrize("date", [(1980, 0, 0, 0, 0, 0), (2026, 13, 45, 31, 63, 60)])
async def test_a_member_s_day_that_no_calendar_has_is_none(tmp_path, taken_in, date):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("x.py", date), SIGN)
    _, told = await taken_in("archive", path)
    assert told == {("sign", "function"): ("undated", None, None)}


@pytest.mark.parametrize("mtime", ["99999999999999", "-5", "nan", "inf"])
async def test_a_member_s_time_that_no_calendar_has_stops_nothing(tmp_path, taken_in, mtime):
    path = tmp_path / "x.tar"
    with tarfile.open(path, "w", format=tarfile.PAX_FORMAT, pax_headers={}) as archive:
        member = tarfile.TarInfo("x.py")
        member.size, member.pax_headers = len(SIGN), {"mtime": mtime}
        archive.addfile(member, io.BytesIO(SIGN.encode()))
    _, told = await taken_in("archive", path)
    assert set(told) == {("sign", "function")}
