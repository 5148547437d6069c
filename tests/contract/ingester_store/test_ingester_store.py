"""What every store of the ingester does."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from ingester.domain.analysis import analyse_file
from ingester.domain.identity import function_id, source_id
from ingester.ports import Extracted, Source

NOW = datetime(2026, 11, 1, tzinfo=UTC)
COUNT = """
def count_words(text, least=1):
    counts = {}
    for word in text.split():
        if len(word) >= least:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
"""
SIGN = "def sign(x):\n    if x > 0:\n        return 1\n    return -1 if x < 0 else 0\n"


def made(kind, name):
    return Source(source_id(kind, name, ""), kind, name)


def found(text, path="a.py"):
    return analyse_file(text.encode(), path).functions[0]


def extracted(text, path="a.py", version="v1", rejected_by="", rejection=""):
    function = found(text, path)
    return Extracted(function_id(version, path, function), path, function, rejected_by, rejection, None)


async def claim(store, source_id, version_id, functions):
    """Verdict and words for pairs of function id and function."""
    items = [Extracted(identifier, each.path, each, "", "", None) for identifier, each in functions]
    return [(item.rejected_by, item.rejection) for item in await store.take(source_id, version_id, items)]


async def test_sources_are_added_once_recorded_removed_and_followed_again(store):
    first, second = made("package", "one"), made("git", "https://example.org/r")
    assert await store.add(first) == first
    await store.add(second)
    after = replace(
        first,
        state="ingested",
        latest_version="2",
        detail="é",
        released_at=NOW,
        licence="MIT",
        functions=3,
        failures=1,
        candidates=2,
        looked_at=NOW,
        rules="rules 1, 365 days",
    )
    await store.record(after, NOW)
    assert await store.get(first.source_id) == after
    assert await store.add(replace(first, window_days=7)) == replace(after, window_days=7)
    assert await store.add(first) == replace(after, window_days=7)
    assert [source.name for source in await store.sources()] == ["https://example.org/r", "one"]
    assert [source.name for source in await store.due(NOW)] == ["one"]
    assert await store.due(NOW - timedelta(seconds=1)) == []
    assert await store.remove(first.source_id)
    assert not await store.remove(first.source_id)
    assert await store.get(first.source_id) is None
    assert await store.due(NOW) == []
    assert (await store.add(first)).latest_version == "2"


async def test_names_trees_and_near_copies_belong_to_the_first(store):
    source = made("package", "one")
    await store.add(source)
    count = extracted(COUNT)
    assert await claim(store, source.source_id, "v1", [(count.function_id, count.found)]) == [("", "")]
    await store.take(source.source_id, "v1", [count])
    renamed = found(COUNT.replace("count_words", "tally").replace("counts", "table"), "b.py")
    same_name = found(SIGN.replace("sign", "count_words"), "c.py")
    near = found(COUNT.replace("count_words", "near").replace("least=1", "least=2"), "d.py")
    sign = found(SIGN, "e.py")
    told = await claim(store, source.source_id, "v1", [("r", renamed), ("n", same_name), ("m", near), ("s", sign)])
    assert told == [
        ("duplicate_tree", "of one a.py::count_words"),
        ("duplicate_name", "of one a.py::count_words"),
        ("near_duplicate", "of one a.py::count_words"),
        ("", ""),
    ]
    # A replay meets its own keys.
    assert await claim(store, source.source_id, "v1", [(count.function_id, count.found), ("s", sign)]) == [
        ("", ""),
        ("", ""),
    ]
    # A refused function has claimed nothing.
    assert await claim(
        store, source.source_id, "v1", [("t", found(COUNT.replace("count_words", "tally") + "\n", "f.py"))]
    ) == [told[0]]


async def test_a_name_that_was_given_back_is_free_and_the_code_is_not(store):
    source = made("package", "one")
    await store.add(source)
    count = extracted(COUNT)
    await claim(store, source.source_id, "v1", [(count.function_id, count.found)])
    await store.take(source.source_id, "v1", [count])
    assert await store.give_back(count.function_id)
    assert not await store.give_back(count.function_id)
    same_code = found(COUNT.replace("count_words", "tally"), "b.py")
    near = found(COUNT.replace("count_words", "near").replace("least=1", "least=2"), "d.py")
    same_name = found(SIGN.replace("sign", "count_words"), "c.py")
    told = await claim(store, source.source_id, "v1", [("r", same_code), ("m", near), ("n", same_name)])
    assert told == [("duplicate_tree", "of one a.py::count_words"), ("", ""), ("", "")]


async def test_newer_code_of_a_function_goes_by_its_name_and_unchanged_code_is_not_new(store):
    one, two = made("package", "one"), made("package", "two")
    for source in (one, two):
        await store.add(source)
    first = extracted(COUNT)
    await claim(store, one.source_id, "v1", [(first.function_id, first.found)])
    await store.take(one.source_id, "v1", [first])
    same = extracted("\n" + COUNT, version="v2")
    # Nearly its old code, and a tree of its own.
    newer = extracted(COUNT.replace("least=1", "least=2"), version="v3")
    told = await claim(store, one.source_id, "v2", [(same.function_id, same.found)])
    assert told == [("unchanged", "of one a.py::count_words")]
    await store.take(one.source_id, "v2", [replace(same, rejected_by="unchanged")])
    second = found(SIGN.replace("sign", "count_words"))
    told = await claim(store, one.source_id, "v3", [(newer.function_id, newer.found), ("again", second)])
    assert told == [("", ""), ("duplicate_name", "of one a.py::count_words")]
    await store.take(one.source_id, "v3", [newer])
    # Neither another source nor another place of this one gets the name, and what stood before stands on a replay.
    other = found(SIGN.replace("sign", "count_words"), "b.py")
    for source, version in ((two, "w1"), (one, "v4")):
        assert (await claim(store, source.source_id, version, [("o", other)]))[0][0] == "duplicate_name"
    for item, version in ((first, "v1"), (newer, "v3")):
        assert await claim(store, one.source_id, version, [(item.function_id, item.found)]) == [("", "")]
    # What was there before that is back: it was a candidate once.
    back = extracted("\n\n" + COUNT, version="v4")
    assert (await claim(store, one.source_id, "v4", [(back.function_id, back.found)]))[0][0] == "unchanged"


async def test_a_name_goes_to_newer_code_when_the_older_gives_it_back(store):
    one, two = made("package", "one"), made("package", "two")
    for source in (one, two):
        await store.add(source)
    first, newer = extracted(COUNT), extracted(COUNT.replace("least=1", "least=2"), version="v2")
    for item, version in ((first, "v1"), (newer, "v2")):
        assert await claim(store, one.source_id, version, [(item.function_id, item.found)]) == [("", "")]
        await store.take(one.source_id, version, [item])
    other = found(SIGN.replace("sign", "count_words"), "b.py")
    assert await store.give_back(first.function_id)
    told = await claim(store, two.source_id, "w1", [("o", other)])
    assert told == [("duplicate_name", "of one a.py::count_words")]
    assert await store.give_back(newer.function_id)
    assert not await store.give_back(newer.function_id)
    assert await claim(store, two.source_id, "w1", [("o", other)]) == [("", "")]


async def test_funnel_and_counts(store):
    source = made("package", "one")
    await store.add(source)
    await store.record(replace(source, state="ingested"), NOW)
    await store.add(made("package", "two"))
    items = [
        extracted(COUNT),
        extracted(SIGN, "b.py", rejected_by="duplicate_name", rejection="of another"),
        extracted("import math\ndef w(x):\n    return math.pi\n", "c.py", rejected_by="complexity", rejection="1"),
        extracted("def d(x):\n    return y\n", "d.py", rejected_by="dependencies", rejection="y"),
        extracted("def e(x):\n    return y\n", "e.py", rejected_by="dependencies", rejection="y"),
        extracted("class K: pass\n", "f.py", rejected_by="class", rejection="is a class"),
    ]
    await store.take(source.source_id, "v1", items)
    await store.take(source.source_id, "v1", items)
    stages, reasons = await store.funnel()
    assert stages == {
        "functions": 5,
        "python_functions": 5,
        "self_contained_or_weakly": 3,
        "SC": 2,
        "WSC": 1,
        "task_candidates": 1,
        "slices": 0,
        "records": 0,
        "sequences": 0,
    }
    assert [(each.reason, each.count) for each in reasons] == [
        ("dependencies", 2),
        ("complexity", 1),
        ("duplicate_name", 1),
    ]
    assert reasons[0].example == "d.py::d: y"
    assert await store.counts() == {
        "sources": 2,
        "sources_done": 1,
        "sources_failed": 0,
        "functions": 5,
        "codes": 6,
        "task_candidates": 1,
    }


FORMS = """
def plain(text):
    return text.strip()

def tail_of(text, width):
    return plain(text)[-width:] if width > 0 else ""

def head_of(text, width):
    return plain(text)[:width] if width > 0 else ""

class Box:
    def __init__(self, width):
        self.width = width

    @property
    def room(self):
        return self.width if self.width > 0 else 0

    @room.setter
    def room(self, value):
        print(value)

class Door:
    def __init__(self, path):
        self.path = path

    @property
    def key(self):
        return open(self.path).read()

    @key.setter
    def key(self, value):
        print(value)

class Pile:
    def __init__(self, limit):
        self.limit = limit
        self.items = []

    def push(self, item):
        if len(self.items) >= self.limit:
            return False
        self.items.append(item)
        return True

    def pop(self):
        return self.items.pop() if self.items else 0
"""


async def test_a_function_counts_once_in_the_funnel_whatever_was_made_of_it(store):
    source = made("package", "one")
    await store.add(source)
    found = analyse_file(FORMS.encode(), "a.py").functions
    forms = [each.form for each in found]
    assert "slice" in forms and "record" in forms and "sequence" in forms
    items = [
        Extracted(function_id("v", "a.py", each), "a.py", each, each.rejected_by, each.rejection, None)
        for each in found
    ]
    at = next(place for place, each in enumerate(found) if each.form == "slice" and each.name == "head_of")
    items[at] = replace(items[at], rejected_by="outside_window", rejection="old")
    await store.take(source.source_id, "v", items)
    stages, reasons = await store.funnel()
    lost = {each.reason: each.count for each in reasons}
    assert stages["task_candidates"] - stages["sequences"] + sum(lost.values()) == stages["functions"]
    assert (stages["slices"], stages["sequences"], lost["outside_window"]) == (1, 1, 1)
    # The setter of a property that is a record, which has its name, is lost; of `key` both are, for different reasons.
    assert stages["records"] == sum(form == "record" for form in forms)
    assert lost["method"] + lost.get("dependencies", 0) == 6


async def test_a_file_of_thousands_of_functions_is_saved(store):
    source = made("package", "one")
    await store.add(source)
    text = "\n".join(f"def f{number}(x):\n    return {number}\n" for number in range(4000))
    functions = analyse_file(text.encode(), "big.py").functions
    items = [Extracted(function_id("v", "big.py", each), "big.py", each, "complexity", "1", None) for each in functions]
    await store.take(source.source_id, "v", items)
    stages, _ = await store.funnel()
    assert stages["functions"] == 4000


async def test_what_nobody_was_told_of_is_forgotten_when_a_newer_version_comes(store):
    one, two = made("package", "one"), made("package", "two")
    for source in (one, two):
        await store.add(source)
    count, sign = extracted(COUNT), extracted(SIGN, "b.py")
    assert [item.task_candidate for item in await store.take(one.source_id, "v1", [count, sign])] == [True, True]
    await store.told([sign.function_id])
    # The same version meets what it wrote, and other sources what is claimed.
    await store.forget_untold(one.source_id, "v1")
    await store.forget_untold(two.source_id, "w1")
    assert (await claim(store, two.source_id, "w1", [("o", found(COUNT, "c.py"))]))[0][0] == "duplicate_name"
    await store.forget_untold(one.source_id, "v2")
    assert (await store.funnel())[0]["task_candidates"] == 1
    newer = [extracted(COUNT, version="v2"), extracted(SIGN, "b.py", version="v2")]
    assert [item.rejected_by for item in await store.take(one.source_id, "v2", newer)] == ["", "unchanged"]


async def test_code_that_may_have_been_told_keeps_its_id_while_its_name_is_free(store):
    one, two = made("package", "one"), made("package", "two")
    for source in (one, two):
        await store.add(source)
    count, sign = extracted(COUNT), extracted(SIGN, "b.py")
    await store.take(one.source_id, "v1", [count, sign])
    await store.told([sign.function_id])
    assert await store.free_untold(one.source_id, "v1") == {} == await store.free_untold(two.source_id, "w1")
    untold = {count.found.tree_key: count.function_id}
    assert await store.free_untold(one.source_id, "v2") == untold == await store.free_untold(one.source_id, "v3")
    # Its name is free for other code, the code itself is not.
    other = found(SIGN.replace("sign", "count_words").replace("0", "7"), "c.py")
    assert (await claim(store, two.source_id, "w1", [("o", found(COUNT, "c.py"))]))[0][0] == "duplicate_tree"
    assert await claim(store, two.source_id, "w1", [("p", other)]) == [("", "")]
    assert await store.give_back("p")
    # It may have moved. Under its own id it is taken, and once told it is what any version before held.
    moved = replace(extracted(COUNT, "d.py", version="v2"), function_id=count.function_id)
    assert [item.rejected_by for item in await store.take(one.source_id, "v2", [moved])] == [""]
    await store.told([moved.function_id])
    await store.forget_untold(one.source_id, "v2")
    later = extracted(COUNT, "d.py", version="v3")
    assert [item.rejected_by for item in await store.take(one.source_id, "v3", [later])] == ["unchanged"]


async def test_a_name_that_was_claimed_and_never_told_of_goes_to_newer_code_or_is_free(store):
    one, two = made("package", "one"), made("package", "two")
    for source in (one, two):
        await store.add(source)
    first, newer = extracted(COUNT), extracted(COUNT.replace("least=1", "least=2"), version="v2")
    for item, version in ((first, "v1"), (newer, "v2")):
        assert [each.rejected_by for each in await store.take(one.source_id, version, [item])] == [""]
    await store.told([newer.function_id])
    await store.forget_untold(one.source_id, "v3")
    other = found(SIGN.replace("sign", "count_words"), "b.py")
    assert await claim(store, two.source_id, "w1", [("o", other)]) == [("duplicate_name", "of one a.py::count_words")]
    assert await claim(store, two.source_id, "w1", [("p", found(COUNT.replace("count_words", "t"), "d.py"))]) != [
        ("", "")
    ]
    assert await store.give_back(newer.function_id)
    assert await claim(store, two.source_id, "w1", [("o", other)]) == [("", "")]


async def test_what_is_taken_in_again_is_as_it_was_judged_last_and_its_sketch_is_made_anew(store):
    source = made("package", "one")
    await store.add(source)
    old = extracted(COUNT, rejected_by="outside_window", rejection="of 2012")
    await store.take(source.source_id, "v1", [old])
    now = replace(old, rejected_by="", rejection="", found=old.found._replace(signature=tuple(range(64))))
    assert [item.rejected_by for item in await store.take(source.source_id, "v1", [now])] == [""]
    assert (await store.funnel())[0]["task_candidates"] == 1
    await store.take(source.source_id, "v1", [replace(now, found=old.found)])
    near = found(COUNT.replace("count_words", "near").replace("least=1", "least=2"), "d.py")
    assert (await claim(store, source.source_id, "v1", [("m", near)]))[0][0] == "near_duplicate"
