"""What cannot be read may have held the code: releases without an archive or a date, files that no parser takes."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypi_simple import DistributionPackage

from ingester.adapters.package_index import PackageIndex
from ingester.domain.analysis import fingerprint_file
from ingester.domain.dating import Dating, Held, Released, Wanted, date_by_versions, of_shares
from ingester.errors import SourceRefusedError, SourceUnavailableError
from ingester.ports import Source

SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1 if x < 0 else 0\n"
WORDS = """
def count_words(text, least=1):
    counts = {}
    for word in text.split():
        if len(word) >= least:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
"""
DAMAGE = {
    "an older Python": "def shout(x):\n    print >>out, `x`\n    raise ValueError, 'x'\n",
    "an older Python's handler": "def shout(x):\n    try:\n        pass\n    except ValueError, e:\n        return e\n",
    "a broken definition": "def later(:\n    pass\n",
    "a bracket that is never closed": "x = [1, (2,\n",
    "a name that is a keyword now": "def q(async):\n    return async\n",
    "another language": "cdef int half(int x):\n    return x / 2\n",
    "no text": "\0\n",
}


def days(world, number):
    return world.now - timedelta(days=number)


async def dated(world, kind="package"):
    source = await world.ingestion.add(kind, "shelf")
    await world.ingestion.ingest(source.source_id)
    return {item.found.name: item for item in world.heard.functions}


@pytest.mark.parametrize("place", ["before", "behind", "in a class behind"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_tells_of_the_functions_around_the_damage(damage, place):
    inside = "class Words:" + WORDS.replace("\n", "\n    ") + "\n"
    text = {
        "before": WORDS + DAMAGE[damage],
        "behind": DAMAGE[damage] + WORDS,
        "in a class behind": DAMAGE[damage] + inside,
    }[place]
    wanted = Wanted({"w": fingerprint_file(WORDS.encode())[0]})
    assert any(wanted.held_by(each) for each in fingerprint_file(text.encode()))
    assert not any(wanted.held_by(each) for each in fingerprint_file((DAMAGE[damage] + SIGN).encode()))


@pytest.mark.parametrize("name", ["a.py", "a.pyx"])
async def test_code_of_a_damaged_file_of_an_earlier_release_is_as_old_as_that(world, name):
    world.shelf.files = {"a.py": WORDS + SIGN}
    damaged = "".join(DAMAGE.values())
    world.shelf.past = {"0.9": (days(world, 900), {name: damaged + WORDS})}
    found = await dated(world)
    assert {each: item.rejected_by for each, item in found.items()} == {"count_words": "outside_window", "sign": ""}
    assert found["sign"].dating.absent_from == "0.9"


class Blind:
    """An analyser that cannot tell what some files hold."""

    def __init__(self, inner):
        self.inner, self.width = inner, inner.width

    def analyse(self, file, own_names, siblings=None):
        return self.inner.analyse(file, own_names, siblings)

    async def fingerprints(self, content):
        return None if b"kills" in content else await self.inner.fingerprints(content)


@pytest.mark.parametrize("unread", ["too large", "ends its process"])
async def test_a_release_with_a_file_that_cannot_be_read_lacks_nothing(world, unread):
    world.shelf.files = {"a.py": WORDS + SIGN}
    world.shelf.past = {
        "0.8": (days(world, 900), {"a.py": ""}),
        "0.9": (days(world, 100), {"a.py": WORDS, "b.py": "kills = 1\n"}),
    }
    if unread == "too large":
        world.shelf.problems = {"b.py": "is larger than 4 bytes"}
    ingestion = replace(world.ingestion, analyser=Blind(world.ingestion.analyser))
    source = await ingestion.add("package", "shelf")
    await ingestion.ingest(source.source_id)
    told = {item.found.name: item.dating for item in world.heard.functions}
    assert {name: (each.version, each.absent_from) for name, each in told.items()} == {
        "count_words": ("0.9", "0.8"),
        "sign": ("0.9", "0.8"),
    }
    assert (told["count_words"].at_latest, told["sign"].at_latest) == (False, True)


async def test_what_a_repository_held_in_a_file_that_cannot_be_read_has_no_date(world):
    world.shelf.files = {"a.py": SIGN, "b.py": WORDS}
    world.shelf.dates = {"a.py": [days(world, 2)] * 4, "b.py": [days(world, 900)] * 9}
    world.shelf.history = {"c.py": ""}
    world.shelf.problems = {"c.py": "is larger than 4 bytes"}
    world.shelf.version = replace(world.shelf.version, released_at=None)
    told = {name: item.rejected_by for name, item in (await dated(world, "git")).items()}
    assert told == {"sign": "undated", "count_words": "outside_window"}


async def test_a_release_without_a_date_may_be_the_oldest(world):
    world.shelf.files = {"a.py": SIGN + WORDS}
    world.shelf.past = {"0.1": (None, {"a.py": SIGN}), "0.9": (days(world, 100), {})}
    found = await dated(world)
    assert (found["sign"].rejected_by, found["count_words"].rejected_by) == ("undated", "")
    assert "it may have been in 0.1, which has no date" in found["sign"].rejection
    assert found["count_words"].dating.version == "1.0"


def test_what_has_no_date_counts_as_the_oldest():
    new, old = (Dating(datetime(year, 1, 1, tzinfo=UTC), "history") for year in (2026, 2012))
    assert of_shares([(new, 10), (Dating(), 20)]) == Dating()
    assert of_shares([(new, 20), (Dating(), 10)]) == new
    assert of_shares([(new, 10), (old, 9), (Dating(), 2)]) == old
    assert of_shares([(Dating(), 1), (new, 20)]) == Dating()


def listed(monkeypatch, *files, size=None):
    """An index of one package with these files, each with its age in days, None for no date."""
    packages = [
        DistributionPackage.from_json_data(
            {
                "filename": name, "url": f"http://127.0.0.1:9/{name}", "hashes": {"sha256": "0" * 64}, "size": size,
                **({"upload-time": f"{datetime.now(UTC) - timedelta(days=age):%Y-%m-%dT%H:%M:%SZ}"} if age else {}),
            },
            "shelf",
        )
        for name, age in files
    ]  # fmt: skip
    monkeypatch.setattr(PackageIndex, "_packages", lambda self, name: packages)
    return PackageIndex("http://127.0.0.1:9/simple/")


def source(revision=""):
    return Source("s", "package", "shelf", revision)


def test_releases_that_cannot_be_read_are_releases_all_the_same(monkeypatch):
    index = listed(
        monkeypatch, ("shelf-0.4.tar.gz", None), ("shelf-0.1.tar.bz2", 3000), ("shelf-0.2-py2.7.egg", 2000),
        ("shelf-0.3.win32.exe", 1000), ("shelf-1.0.tar.gz", 5), ("shelf", 400),
    )  # fmt: skip
    assert [each.version for each in index.published(source())] == ["0.4", "0.1", "0.2", "0.3", "shelf", "1.0"]
    assert index.archive_of(source(), "0.1").filename == "shelf-0.1.tar.bz2"
    for unreadable in ("0.2", "0.3", "shelf"):
        with pytest.raises(SourceRefusedError, match="with an archive"):
            index.archive_of(source(), unreadable)


@pytest.mark.parametrize(
    ("name", "revision", "found"),
    [
        ("shelf-2026.01.05.tar.gz", "", "2026.1.5"),
        ("shelf-1.0.tar.gz", "1.0.0", "1.0.0"),
        ("shelf-1.0.tar.gz", "v1.0", "v1.0"),
    ],
)
def test_a_version_is_the_same_however_it_is_written(monkeypatch, name, revision, found):
    index = listed(monkeypatch, (name, 5))
    version, archive = index.newest(source(revision))
    assert (version.version, archive.filename) == (found, name)
    assert index.archive_of(source(revision), version.version) == archive


@pytest.mark.parametrize(
    ("status", "fault"), [(403, SourceRefusedError), (404, SourceRefusedError), (410, SourceRefusedError),
                          (500, SourceUnavailableError), (429, SourceUnavailableError)],
)  # fmt: skip
def test_a_file_that_is_gone_for_good_is_not_asked_for_again(monkeypatch, tmp_path, status, fault):
    index = listed(monkeypatch, ("shelf-1.0.tar.gz", 5))

    @contextmanager
    def answer(method, url, **options):
        yield httpx.Response(status, request=httpx.Request(method, url))

    monkeypatch.setattr(httpx, "stream", answer)
    monkeypatch.setattr("time.sleep", lambda _: None)
    with pytest.raises(fault, match=f"HTTP {status}"):
        index.download(index.archive_of(source(), "1.0"), tmp_path / "archive")


def test_a_file_is_asked_for_again_when_the_index_says_so(monkeypatch, tmp_path):
    """One pass reads dozens of releases: an index that is asked too often for a while must not end it."""
    index = listed(monkeypatch, ("shelf-1.0.tar.gz", 5))
    statuses, slept = [429, 503, 200], []

    @contextmanager
    def answer(method, url, **options):
        yield httpx.Response(statuses.pop(0), headers={"Retry-After": "7"}, request=httpx.Request(method, url))

    monkeypatch.setattr(httpx, "stream", answer)
    monkeypatch.setattr("time.sleep", slept.append)
    with pytest.raises(SourceRefusedError, match="SHA-256 differs"):
        index.download(index.archive_of(source(), "1.0"), tmp_path / "archive")
    assert (statuses, slept) == ([], [7.0, 7.0])


@given(
    held=st.lists(st.lists(st.booleans(), min_size=8, max_size=8), min_size=1, max_size=4),
    most=st.integers(0, 9),
)
async def test_code_that_was_taken_out_and_came_back_may_be_as_old_as_any_version_before_one_that_holds_it(held, most):
    """A version that lacks it tells nothing of those before an earlier one that holds it."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    versions = [Released(f"0.{place}", start + timedelta(days=place)) for place in range(9)]
    read: list[int] = []

    async def look(release):
        read.append(int(release.version.removeprefix("0.")))
        return Held(frozenset(str(each) for each, there in enumerate(held) if there[read[-1]]), lacks_others=True)

    keys = [str(each) for each in range(len(held))]
    found = await date_by_versions(keys, versions[:-1], versions[-1], start, look, most)
    for each, there in enumerate(held):
        earliest = min((place for place in read if there[place]), default=8)
        lacking = max((place for place in read if place < earliest), default=-1)
        assert found[str(each)].version == f"0.{lacking + 1}"
