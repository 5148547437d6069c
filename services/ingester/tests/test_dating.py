"""When code appeared: by earlier releases, by a repository's history, and never by the date of a release alone."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from ingester.domain.analysis import analyse_file, fingerprint_file
from ingester.domain.dating import Held, Released, Wanted, date_by_versions
from ingester.domain.extraction import code_rows
from ingester.ports import Source, SourceVersion
from ingester.usecases.dating import Dater

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


def days(world, number):
    return world.now - timedelta(days=number)


async def dated(world, **package):
    source = await world.ingestion.add("package", "shelf", **package)
    await world.ingestion.ingest(source.source_id)
    return {item.found.name: item for item in world.heard.functions}


async def test_old_code_in_a_new_release_is_old(world):
    world.shelf.files = {"new_place.py": CLAMP.replace("clamp", "limit").replace("x", "value") + SIGN}
    world.shelf.past = {"0.8": (days(world, 900), {"a.py": CLAMP}), "0.9": (days(world, 30), {"a.py": CLAMP})}
    found = await dated(world)
    assert found["limit"].rejected_by == "outside_window"
    assert "in 0.8 by" in found["limit"].rejection
    assert found["limit"].dating.at_latest
    sign = found["sign"]
    assert (sign.rejected_by, sign.dating.first_seen) == ("", days(world, 3))
    assert (sign.dating.version, sign.dating.absent_from, sign.dating.at_latest) == ("1.0", "0.9", False)


async def test_code_that_was_edited_a_little_is_as_old_as_it_was(world):
    world.shelf.files = {"a.py": WORDS.replace("least=1", "least=2")}
    world.shelf.past = {"0.8": (days(world, 900), {"b.py": WORDS})}
    assert (await dated(world))["count_words"].rejected_by == "outside_window"


async def test_the_release_in_which_code_appeared_is_found_by_halving(world):
    world.shelf.files = {"a.py": CLAMP + SIGN}
    for number in range(20):
        files = {"a.py": (CLAMP if number >= 7 else "") + (SIGN if number >= 13 else "")}
        world.shelf.past[f"0.{number}"] = (days(world, 300 - number), files)
    found = await dated(world)
    seen = {name: (item.dating.version, item.dating.absent_from) for name, item in found.items()}
    assert seen == {"clamp": ("0.7", "0.6"), "sign": ("0.13", "0.12")}
    assert len(world.shelf.read) < 12


async def test_each_of_many_functions_that_came_one_by_one_in_many_releases_has_the_date_of_its_own(world):
    text = "def grow_{0}(x):\n    if x > {0}:\n        return x + {0}\n    return x\n"
    texts = [text.format(each) for each in range(12)]
    world.shelf.files = {"a.py": "".join(texts)}
    for number in range(60):
        files = {"a.py": "".join(texts[: number // 5 + 1])}
        world.shelf.past[f"0.{number}"] = (days(world, 300 - number), files)
    found = await dated(world)
    assert [found[f"grow_{each}"].dating.version for each in range(12)] == [f"0.{5 * each}" for each in range(12)]
    assert not any(item.dating.at_latest for item in found.values())


async def test_a_file_that_stays_the_same_from_release_to_release_is_analysed_once(world):
    class Counting:
        def __init__(self, inner):
            self.inner, self.contents = inner, []

        def __getattr__(self, name):
            return getattr(self.inner, name)

        async def fingerprints(self, content):
            self.contents.append(content)
            return await self.inner.fingerprints(content)

    analyser = Counting(world.ingestion.analyser)
    world.shelf.files = {"a.py": CLAMP + SIGN}
    for number in range(8):
        files = {"a.py": CLAMP, "b.py": SIGN if number >= 5 else "", "same.py": WORDS}
        world.shelf.past[f"0.{number}"] = (days(world, 300 - number), files)
    ingestion = replace(world.ingestion, analyser=analyser)
    source = await ingestion.add("package", "shelf")
    await ingestion.ingest(source.source_id)
    seen = {item.found.name: item.dating.version for item in world.heard.functions}
    assert seen == {"clamp": "0.0", "sign": "0.5"}
    assert len(world.shelf.read) > 3 and len(analyser.contents) == len(set(analyser.contents))


async def test_a_release_that_cannot_be_read_may_have_held_the_code(world):
    world.shelf.files = {"a.py": CLAMP}
    world.shelf.past = {"0.8": (days(world, 900), {}), "0.9": (days(world, 200), None)}
    item = (await dated(world))["clamp"]
    assert (item.dating.version, item.dating.first_seen) == ("0.9", days(world, 200))
    assert item.dating.at_latest
    world.heard.functions.clear()
    world.shelf.version = replace(world.shelf.version, version="2.0")
    world.shelf.past = {"0.8": (days(world, 900), None)}
    world.shelf.files = {"a.py": SIGN}
    assert (await dated(world))["sign"].rejected_by == "outside_window"


async def test_where_too_many_releases_would_have_to_be_read_the_earliest_date_counts(world):
    world.policy = replace(world.policy, dating_looks=2)
    world.shelf.files = {"a.py": CLAMP}
    for number in range(40):
        world.shelf.past[f"0.{number}"] = (days(world, 200 - number), {})
    item = (await dated(world))["clamp"]
    assert len(world.shelf.read) == 2
    assert item.dating.at_latest
    assert item.dating.first_seen < days(world, 160)


async def test_what_has_no_date_is_not_recent(world):
    world.shelf.files = {"a.py": CLAMP}
    world.shelf.version = replace(world.shelf.version, released_at=None)
    source = await world.ingestion.add("package", "shelf")
    summary = await world.ingestion.ingest(source.source_id)
    assert summary.state == "outside_window"
    assert "has no date" in summary.detail
    repository = await world.ingestion.add("git", "https://example.org/r.git")
    await world.ingestion.ingest(repository.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["undated"]


async def test_a_repository_s_function_moved_lately_is_old(world):
    world.shelf.files = {"a.py": CLAMP + SIGN}
    world.shelf.dates = {"a.py": [days(world, 2)] * 6}
    world.shelf.history = {"other.py": CLAMP}
    world.shelf.version = replace(world.shelf.version, released_at=None)
    repository = await world.ingestion.add("git", "https://example.org/r.git")
    await world.ingestion.ingest(repository.source_id)
    assert {i.found.name: i.rejected_by for i in world.heard.functions} == {"clamp": "outside_window", "sign": ""}


async def of_commits(world, changed):
    """The functions of a repository of which every line was last touched so long ago."""
    world.shelf.dates = {"a.py": [days(world, changed)] * 20}
    world.shelf.version = replace(world.shelf.version, released_at=None)
    repository = await world.ingestion.add("git", "https://example.org/r.git")
    await world.ingestion.ingest(repository.source_id)
    return {item.found.name: item.dating for item in world.heard.functions}


async def test_a_line_that_was_touched_within_the_window_makes_no_code_of_a_repository_new(world):
    world.shelf.files = {"a.py": WORDS.replace("least=1", "least=2") + SIGN}
    world.shelf.history = {"z.py": CLAMP}
    for number in range(30):
        files = {"z.py": CLAMP} | ({"old_place.py": WORDS} if number >= 11 else {})
        world.shelf.commits.append((f"c{number}", days(world, 300 - number), files))
    found = await of_commits(world, 2)
    words, sign = found["count_words"], found["sign"]
    assert (words.first_seen, words.by, words.version) == (days(world, 289), "history", "c11")
    assert (words.absent_from, words.at_latest) == ("c10", False)
    assert (sign.first_seen, sign.version, sign.absent_from, sign.at_latest) == (days(world, 2), "head", "c29", False)


async def test_code_of_a_branch_is_as_old_as_the_branch_where_it_was_merged_later(world):
    world.shelf.files = {"a.py": WORDS}
    world.shelf.history = {"z.py": CLAMP}
    world.shelf.commits = [("c", days(world, 200), {}), ("merge", days(world, 20), {"a.py": WORDS})]
    world.shelf.branched = {"merge": days(world, 90)}
    assert (await of_commits(world, 20))["count_words"].first_seen == days(world, 90)


async def test_where_too_many_commits_would_have_to_be_read_the_earliest_date_counts(world):
    world.policy = replace(world.policy, dating_looks=2)
    world.shelf.files = {"a.py": WORDS}
    world.shelf.history = {"z.py": CLAMP}
    world.shelf.commits = [(f"c{number}", days(world, 200 - number), {}) for number in range(40)]
    found = (await of_commits(world, 9))["count_words"]
    assert len(world.shelf.read) == 3 and found.at_latest
    assert days(world, 200) < found.first_seen < days(world, 160)


async def test_words_about_code_do_not_make_it_new(world):
    words = '    """Sign.\n\n    New words.\n    """\n    # a comment\n'
    text = f"def sign(x):\n{words}    if x > 0:\n        return 1\n    return 0\n"
    assert code_rows(text) == [0, 6, 7, 8]
    old, new = days(world, 900), days(world, 2)
    world.shelf.files = {"a.py": text}
    world.shelf.dates = {"a.py": [old, new, new, new, new, new, old, old, old]}
    world.shelf.version = replace(world.shelf.version, released_at=None)
    repository = await world.ingestion.add("git", "https://example.org/r.git")
    await world.ingestion.ingest(repository.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["outside_window"]


async def test_a_refused_function_gives_its_name_back(world):
    world.shelf.files = {"a.py": CLAMP}
    first = (await dated(world))["clamp"]
    other = "def clamp(text):\n    return text.strip() if text else None\n"
    await world.ingestion.refused(first.function_id)
    world.shelf.files = {"b.py": other, "c.py": CLAMP.replace("clamp", "limit")}
    source = await world.ingestion.add("package", "two")
    await world.ingestion.ingest(source.source_id)
    told = {item.found.name: item.rejected_by for item in world.heard.functions[1:]}
    # The same code would be refused again.
    assert told == {"clamp": "", "limit": "duplicate_tree"}


@given(
    appeared=st.lists(st.integers(0, 12), min_size=1, max_size=6),
    unreadable=st.sets(st.integers(0, 11)),
    most=st.integers(0, 14),
    window=st.integers(0, 12),
)
async def test_a_date_is_never_later_than_the_code(appeared, unreadable, most, window):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    versions = [Released(str(number), start + timedelta(days=number)) for number in range(13)]
    keys = [str(number) for number in range(len(appeared))]
    reads = []

    async def look(version):
        reads.append(version.version)
        number = int(version.version)
        held = frozenset(key for key, first in zip(keys, appeared, strict=True) if first <= number)
        return Held() if number in unreadable else Held(held, lacks_others=True)

    since = start + timedelta(days=window)
    found = await date_by_versions(keys, versions[:-1], versions[-1], since, look, most)
    assert len(reads) == len(set(reads)) <= most
    for key, first in zip(keys, appeared, strict=True):
        dating = found[key]
        too_old = dating.first_seen < since
        if first < window:
            assert too_old
        elif not dating.at_latest:
            assert dating.first_seen == versions[first].at
        assert dating.first_seen <= versions[max(first, window - 1)].at
        if most == 14 and not unreadable and first >= window:
            assert not dating.at_latest


@given(
    places=st.lists(
        st.tuples(st.integers(1, 4), st.integers(0, 3), st.booleans()), min_size=1, max_size=12, unique=True
    ),
    appeared=st.lists(st.sets(st.integers(0, 11), max_size=3), min_size=1, max_size=4),
    unreadable=st.sets(st.integers(0, 11), max_size=3),
    most=st.integers(0, 16),
    window=st.integers(0, 12),
)
async def test_a_date_is_never_later_than_the_code_where_lines_of_versions_go_side_by_side(
    places, appeared, unreadable, most, window
):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    names = [f"{major}.{minor}{'rc1' if early else ''}" for major, minor, early in places]
    versions = [Released(name, start + timedelta(days=number)) for number, name in enumerate(names)]
    last = len(versions) - 1

    def after(one, other):
        return one >= other and Version(names[one]) >= Version(names[other])

    # Whatever a version holds, those hold that are both later and higher.
    holders = {
        str(key): {
            place for place in range(last + 1) if any(after(place, each) for each in {*first, last} if each <= last)
        }
        for key, first in enumerate(appeared)
    }

    async def look(version):
        number = names.index(version.version)
        held = frozenset(key for key, places in holders.items() if number in places)
        return Held() if number in unreadable else Held(held, lacks_others=True)

    since = start + timedelta(days=window)
    found = await date_by_versions(list(holders), versions[:-1], versions[-1], since, look, most)
    for key, held in holders.items():
        first = versions[min(held)].at
        assert found[key].first_seen <= first or (found[key].first_seen < since and first < since)
        if most == 16 and not unreadable and first >= since:
            assert (found[key].first_seen, found[key].at_latest) == (first, False)


async def test_a_pre_release_before_the_window_that_an_older_line_outlived_is_read(world):
    world.shelf.files = {"a.py": CLAMP + SIGN}
    world.shelf.version = replace(world.shelf.version, version="2.0")
    world.shelf.past = {
        "1.0": (days(world, 900), {}),
        "2.0a1": (days(world, 500), {"a.py": CLAMP}),
        "1.9.5": (days(world, 400), {}),
    }
    found = await dated(world)
    assert (found["clamp"].rejected_by, found["clamp"].dating.version) == ("outside_window", "2.0a1")
    sign = found["sign"].dating
    assert (sign.version, sign.absent_from, sign.looked_at, sign.at_latest) == ("2.0", "1.9.5", 2, False)


async def test_within_the_window_a_line_that_lacks_the_code_tells_nothing_of_a_higher_one(world):
    world.shelf.files = {"a.py": CLAMP}
    world.shelf.version = replace(world.shelf.version, version="2.0")
    world.shelf.past = {
        "1.0": (days(world, 900), {}),
        "2.0b1": (days(world, 90), {"a.py": CLAMP}),
        "1.9.6": (days(world, 60), {}),
        "1.9.7": (days(world, 30), {}),
    }
    found = (await dated(world))["clamp"].dating
    assert (found.version, found.absent_from, found.at_latest) == ("2.0b1", "1.0", False)


async def test_a_version_that_is_no_version_is_below_all_others(world):
    world.shelf.files = {"a.py": CLAMP}
    world.shelf.past = {"final-7": (days(world, 900), {}), "0.9": (days(world, 400), {})}
    assert (await dated(world))["clamp"].dating.looked_at == 1


def test_a_function_is_recognised_from_its_text_alone():
    inner = "        def g(y):\n            return y if y else x\n        return g(x)\n"
    text = f"class K:\n    @staticmethod\n    def f(x):\n{inner}"
    whole = fingerprint_file((text + WORDS).encode())
    functions = [each for each in analyse_file((text + WORDS).encode(), "a.py").functions if each.form != "class"]
    assert [fingerprint_file(each.code.encode())[0] for each in functions] == list(whole)
    assert [each.tree_key for each in functions if each.tree_key] == [
        print.tree for each, print in zip(functions, whole, strict=True) if each.tree_key
    ]
    wanted = Wanted({"w": whole[-1]})
    assert wanted.held_by(whole[-1]) == ["w"]
    assert wanted.held_by(whole[0]) == []


async def test_files_are_dated_by_the_time_that_they_bear(world):
    world.shelf.files = {"a.py": CLAMP}
    item_source = Source("f", "folder", "/somewhere")
    found = await world.ingestion.add("folder", item_source.name)
    await world.ingestion.ingest(found.source_id)
    (item,) = world.heard.functions
    assert (item.dating.by, item.dating.first_seen) == ("file_time", days(world, 3))
    dater = Dater(world.shelf, world.ingestion.analyser, world.now)
    assert await dater.date(found, SourceVersion("1", None, "x"), None, world.now, []) == []
