"""Passes over sources: what is published, what is kept, what happens when something fails."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from ingester.domain import following
from ingester.errors import SourceRefusedError, SourceUnavailableError, UnknownSourceError
from touchstone_runtime.errors import RetryableError

CLAMP = "def clamp(x, low, high):\n    return low if x < low else high if x > high else x\n"
SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1 if x < 0 else 0\n"
USES = "from . import clamp\ndef twice(x):\n    return clamp(x, 0, 1) if x else 2\n"


async def test_a_pass_publishes_every_function_with_its_verdict(world):
    world.shelf.files = {
        "a.py": CLAMP + "\nclass K:\n    def m(self, x):\n        return x\n",
        "b.py": USES,
        "c.go": "package p\nfunc F(a int) int { return a }\n",
    }
    source = await world.ingestion.add("package", "shelf")
    summary = await world.ingestion.ingest(source.source_id)
    verdicts = {item.found.qualname: item.rejected_by for item in world.heard.functions}
    assert verdicts == {"clamp": "", "K": "class", "K.m": "method", "twice": "dependencies", "F": "language"}
    assert summary.places == {(item.path, item.found.qualname) for item in world.heard.functions}
    assert (summary.state, summary.files, summary.functions, summary.candidates, summary.classes) == (
        "ingested",
        3,
        4,
        1,
        1,
    )
    assert summary.reasons == {"dependencies": 1, "language": 1, "method": 1}
    kept = await world.store.get(source.source_id)
    assert (kept.state, kept.latest_version, kept.licence, kept.functions, kept.candidates) == (
        "ingested",
        "1.0",
        "MIT",
        4,
        1,
    )
    stages, reasons = await world.store.funnel()
    assert stages["functions"] == 4
    assert stages["task_candidates"] == 1
    assert {each.reason for each in reasons} == {"dependencies", "language", "method"}


async def test_what_is_too_long_to_be_told_is_no_candidate_and_claims_nothing(world):
    table = ", ".join(f"'{number}': {number}" for number in range(12_000))
    long = f"def sign(x):\n    known = {{{table}}}\n    if x:\n        return known.get(x)\n    return 0\n"
    world.shelf.files = {"a.py": long, "b.py": CLAMP}
    source = await world.ingestion.add("package", "shelf")
    summary = await world.ingestion.ingest(source.source_id)
    assert (summary.functions, summary.candidates, summary.reasons) == (2, 1, {"too_long": 1})
    # What stands in its version is what others were told of.
    assert {item.found.name for item in world.heard.functions} == {"clamp"} == {name for _, name in summary.places}
    assert {item.rejected_by for *_, item in world.store.functions.values()} == {"", "too_long"}
    world.shelf.files = {"c.py": SIGN}
    other = await world.ingestion.add("package", "other")
    assert (await world.ingestion.ingest(other.source_id)).candidates == 1


async def test_only_new_versions_are_taken_in(world):
    world.shelf.files = {"a.py": CLAMP}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    assert (await world.ingestion.ingest(source.source_id)).state == "unchanged"
    assert world.shelf.opened == 1
    world.shelf.version = replace(world.shelf.version, version="1.1")
    world.shelf.files["b.py"] = SIGN
    summary = await world.ingestion.ingest(source.source_id)
    assert (summary.state, summary.candidates) == ("ingested", 1)
    assert summary.reasons == {"unchanged": 1}


async def test_a_function_that_was_edited_is_a_candidate_again_and_was_looked_at_when_the_pass_began(world):
    world.shelf.files = {"a.py": CLAMP, "b.py": SIGN}
    source = await world.ingestion.add("git", "/mine")
    world.shelf.dates = {name: [world.now] * 9 for name in ("a.py", "b.py")}
    await world.ingestion.ingest(source.source_id)
    world.now += timedelta(hours=1)
    world.shelf.version = replace(world.shelf.version, version="1.1")
    world.shelf.files["a.py"] = CLAMP.replace("low if x < low", "low if x <= low")
    world.shelf.dates = {name: [world.now] * 9 for name in ("a.py", "b.py")}
    _, asked_at = await world.ingestion.request([source.source_id])
    assert (await world.store.get(source.source_id)).looked_at < asked_at
    world.heard.functions.clear()
    summary = await world.ingestion.ingest(source.source_id)
    assert (summary.candidates, summary.reasons) == (1, {"unchanged": 1})
    told = {item.found.name: (item.rejected_by, item.rejection) for item in world.heard.functions}
    assert told == {"clamp": ("", ""), "sign": ("unchanged", "of /mine b.py::sign")}
    assert next(item for item in world.heard.functions if item.found.name == "clamp").dating.first_seen == world.now
    assert (await world.store.get(source.source_id)).looked_at >= asked_at


async def test_a_pass_cut_short_ends_in_the_same_candidates(world):
    world.shelf.files = {"a.py": CLAMP, "b.py": SIGN}
    source = await world.ingestion.add("package", "shelf")
    world.heard.fail_after = 0
    with pytest.raises(RetryableError):
        await world.ingestion.ingest(source.source_id)
    world.heard.fail_after = -1
    await world.ingestion.ingest(source.source_id)
    first = [(item.function_id, item.task_candidate) for item in world.heard.functions]
    assert [candidate for _, candidate in first] == [True, True]
    await world.store.record(replace(source, latest_version=""), world.now)
    world.heard.functions.clear()
    await world.ingestion.ingest(source.source_id)
    assert [(item.function_id, item.task_candidate) for item in world.heard.functions] == first


@pytest.mark.parametrize("cut", ["before its last word", "after it"])
@pytest.mark.parametrize("state", ["ingested", "outside_window", "failed"])
async def test_the_last_word_of_a_pass_that_was_cut_short_is_said_when_it_is_asked_for_again(world, state, cut):
    world.shelf.files = {"a.py": CLAMP, "b.py": SIGN}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    del world.shelf.files["b.py"]
    released = world.now - timedelta(days=9000) if state == "outside_window" else world.shelf.version.released_at
    world.shelf.version = replace(world.shelf.version, version="1.1", released_at=released)
    world.shelf.broken = SourceUnavailableError("the index is away") if state == "failed" else None
    world.heard.passes.clear()
    record = world.store.record
    if cut == "before its last word":
        world.heard.speechless = True
    else:
        world.store.record = _away
    with pytest.raises(RetryableError):
        await world.ingestion.ingest(source.source_id)
    # Nobody takes the version for one that others know of.
    assert (await world.store.get(source.source_id)).latest_version == "1.0"
    world.heard.speechless, world.store.record = False, record
    assert (await world.ingestion.ingest(source.source_id)).state == state
    said = world.heard.passes
    assert said and all(each == said[0] for each in said) and said[0].state == state
    assert said[0].places == (frozenset({("a.py", "clamp")}) if state == "ingested" else frozenset())
    kept = await world.store.get(source.source_id)
    assert (kept.state, kept.failures) == (state, int(state == "failed"))


async def _away(*_):
    raise RetryableError("the database is away")


async def test_duplicates_are_found_over_the_whole_history(world):
    world.shelf.files = {"a.py": CLAMP}
    first = await world.ingestion.add("package", "one")
    await world.ingestion.ingest(first.source_id)
    same_name = "def clamp(text):\n    return text.strip() if text else None\n"
    world.shelf.files = {"b.py": same_name, "c.py": CLAMP.replace("clamp", "limit").replace("x", "value")}
    second = await world.ingestion.add("package", "two")
    await world.ingestion.ingest(second.source_id)
    told = {item.found.name: (item.rejected_by, item.rejection) for item in world.heard.functions[1:]}
    assert told == {
        "clamp": ("duplicate_name", "of one a.py::clamp"),
        "limit": ("duplicate_tree", "of one a.py::clamp"),
    }


async def test_old_releases_are_reported_as_outside_the_window(world):
    world.shelf.files = {"a.py": CLAMP}
    world.shelf.version = replace(world.shelf.version, released_at=world.now - timedelta(days=400))
    source = await world.ingestion.add("package", "shelf")
    summary = await world.ingestion.ingest(source.source_id)
    assert summary.state == "outside_window"
    assert "older than 365 days" in summary.detail
    assert world.heard.functions == []
    await world.ingestion.add("package", "shelf", window_days=500)
    assert (await world.ingestion.ingest(source.source_id)).state == "ingested"


async def test_a_window_is_no_longer_than_the_calendar_goes_back(world):
    for days in (2**31 - 1, following.MOST_WINDOW_DAYS + 1):
        with pytest.raises(SourceRefusedError, match="36500 at most"):
            await world.ingestion.add("package", "shelf", window_days=days)
    assert await world.ingestion.store.sources() == []
    source = await world.ingestion.add("package", "shelf", window_days=following.MOST_WINDOW_DAYS)
    assert (await world.ingestion.ingest(source.source_id)).state == "ingested"


async def test_functions_of_a_repository_have_dates_of_their_own(world):
    world.shelf.files = {"a.py": CLAMP + SIGN}
    old, new = world.now - timedelta(days=900), world.now - timedelta(days=2)
    world.shelf.dates = {"a.py": [old, old, old, old, new, old]}
    world.shelf.version = replace(world.shelf.version, released_at=None)
    source = await world.ingestion.add("git", "https://example.org/r.git")
    await world.ingestion.ingest(source.source_id)
    told = {item.found.name: (item.rejected_by, item.changed_at) for item in world.heard.functions}
    assert told == {"clamp": ("outside_window", old), "sign": ("", new)}


async def test_what_does_not_parse_is_counted_and_the_rest_goes_on(world):
    world.shelf.files = {"a.py": "def broken(:\n", "b.py": CLAMP}
    source = await world.ingestion.add("folder", "/somewhere")
    summary = await world.ingestion.ingest(source.source_id)
    assert (summary.files, summary.functions, summary.candidates) == (2, 1, 1)
    assert summary.reasons == {"file_does_not_parse": 1}


@pytest.mark.parametrize(
    ("path", "reason"),
    [("package/tests/a.py", "test_file"), ("package/_vendor/a.py", "vendored"), ("package/a.py", "")],
)
async def test_tests_and_copies_give_no_tasks(world, path, reason):
    world.shelf.files = {path: CLAMP}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for *_, item in world.store.functions.values()] == [reason]
    # Tests are counted, and nobody searches them.
    assert len(world.heard.functions) == (reason != "test_file")


async def test_licences_off_the_list_give_no_tasks(world):
    world.shelf.files = {"a.py": CLAMP}
    world.shelf.licence = "GPL-3.0-only"
    world.policy = replace(world.policy, licences=("MIT", "BSD-3-Clause"))
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    (item,) = world.heard.functions
    assert (item.rejected_by, item.rejection) == ("licence", "licence GPL-3.0-only is not on the allow-list")


async def test_a_library_gives_no_tasks_that_use_itself(world):
    world.shelf.files = {"a.py": "import networkx as nx\ndef f(x):\n    return nx.Graph(x) if x else None\n"}
    source = await world.ingestion.add("package", "networkx")
    await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["own_library"]


@pytest.mark.parametrize("error", [SourceRefusedError("is no package"), SourceUnavailableError("no answer")])
async def test_a_failing_source_is_marked_and_waits_longer_each_time(world, error):
    world.shelf.broken = error
    source = await world.ingestion.add("package", "shelf")
    waits = []
    for _ in range(8):
        assert (await world.ingestion.ingest(source.source_id)).state == "failed"
        waits.append(world.store.next[source.source_id] - world.now)
    assert waits == sorted(waits)
    assert waits[0] < waits[-1] <= timedelta(days=1)
    assert (await world.store.get(source.source_id)).detail == str(error)
    world.shelf.broken = None
    await world.ingestion.ingest(source.source_id)
    assert world.store.next[source.source_id] - world.now == world.policy.interval
    assert (await world.store.get(source.source_id)).failures == 0


async def test_sources_are_asked_for_when_due(world):
    ingestion = world.ingestion
    first, second = await ingestion.add("package", "one"), await ingestion.add("package", "two")
    assert await ingestion.add("package", "one") == first
    assert set((await ingestion.request([]))[0]) == {first.source_id, second.source_id}
    await world.store.record(first, world.now)
    await world.store.record(second, world.now + timedelta(hours=1))
    world.heard.requests.clear()
    assert await ingestion.request_due() == 1
    assert [source for source, _ in world.heard.requests] == [first.source_id]
    # A pass takes its time: looking again meanwhile asks for nothing.
    assert await ingestion.request_due() == 0
    assert len(world.heard.requests) == 1


async def test_unknown_sources_are_refused(world):
    with pytest.raises(UnknownSourceError):
        await world.ingestion.ingest("nothing")
    with pytest.raises(UnknownSourceError):
        await world.ingestion.request(["nothing"])
    with pytest.raises(UnknownSourceError):
        await world.ingestion.remove("nothing")
    with pytest.raises(SourceRefusedError):
        await world.ingestion.add("package", " ")


async def test_candidates_that_stand_alone_are_handed_on_before_those_cut_out_with_their_helpers(world):
    helper = "def _inner(x):\n    return x + 1 if x else 0\n\n\n"
    helped = helper + "def outer(x):\n    return _inner(x) if x > 2 else _inner(-x)\n"
    world.shelf.files = {"a.py": helped, "b.py": SIGN}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    candidates = [(item.found.form, item.found.qualname) for item in world.heard.functions if item.task_candidate]
    assert [form for form, _ in candidates] == ["function", "function", "slice"]
    assert candidates[-1] == ("slice", "outer")
