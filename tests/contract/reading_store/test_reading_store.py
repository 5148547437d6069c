"""What every store of readings does."""

from retriever.adapters.reading_store import places_of
from retriever.domain.versions import Reading
from retriever.ports import ReadingRecord


def record(version, at, *, whole=True, digest="", source_id="s"):
    return ReadingRecord(source_id, f"{source_id}-{version}", f"k{version}", at, whole, "shapes", version, digest)


async def test_the_last_whole_reading_counts_with_those_before_it(store):
    readings, keep = store
    assert await readings.readings(["s"]) == {}
    first, second = await keep({("a.py", "f")}), await keep({("a.py", "g")})
    await readings.add(record("2", "2026-02-01T00:00:00+00:00", digest=second))
    await readings.add(record("1", "2026-01-01T00:00:00+00:00", digest=first))
    await readings.add(record("3", "2026-03-01T00:00:00+00:00", whole=False))
    await readings.add(record("1", "2026-01-01T00:00:00+00:00", source_id="other"))
    assert await readings.readings(["s", "nobody"]) == {
        "s": Reading("s-2", frozenset({"s-1"}), frozenset({("a.py", "g")}), "k2")
    }
    await readings.add(record("3", "2026-03-02T00:00:00+00:00"))
    assert (await readings.readings(["s"]))["s"] == Reading("s-3", frozenset({"s-1", "s-2"}), None, "k3")


async def test_a_pass_that_broke_off_takes_no_reading_back(store):
    readings, keep = store
    digest = await keep({("a.py", "f")})
    await readings.add(record("1", "2026-01-01T00:00:00+00:00", digest=digest))
    await readings.add(record("1", "2026-01-02T00:00:00+00:00", whole=False))
    await readings.add(record("1", "2025-12-01T00:00:00+00:00"))
    assert (await readings.readings(["s"]))["s"].standing == frozenset({("a.py", "f")})


def test_places_lose_the_folder_that_names_the_version():
    assert places_of(b'[["shapes-1.0/a.py", "f"], ["b.py", "C.m"]]', "Shapes", "1.0") == {
        ("a.py", "f"),
        ("b.py", "C.m"),
    }
