"""An edit of code changes what it is recognised by around itself alone."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ingester.domain.analysis import fingerprint_file

RANGES = """
def merge_ranges(ranges, gap):
    ordered = sorted(ranges)
    merged = []
    for start, end in ordered:
        if merged and start - merged[-1][1] <= gap:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    total = 0
    for start, end in merged:
        total += end - start
    longest = max((end - start for start, end in merged), default=0)
    return merged, total, longest
"""
METHOD = "class R:" + RANGES.replace("\n", "\n    ").replace("(ranges, gap)", "(self, ranges, gap)")
EDITS = {
    "a parameter more": RANGES.replace("ranges, gap)", "ranges, gap, debug=False)"),
    "a parameter more at the front": RANGES.replace("(ranges, gap)", "(log, ranges, gap)"),
    "a statement more": RANGES.replace("    ordered =", "    log = None\n    ordered =", 1),
    "a method": METHOD,
    "parameters in another order": RANGES.replace("(ranges, gap)", "(gap, ranges)"),
}


@pytest.mark.parametrize("edit", EDITS)
async def test_old_code_with_a_name_more_is_as_old_as_it_was(world, edit):
    world.shelf.files = {"a.py": RANGES}
    world.shelf.past = {"0.9": (world.now - timedelta(days=3000), {"a.py": EDITS[edit]})}
    source = await world.ingestion.add("package", "shelf")
    await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["outside_window"]


@pytest.mark.parametrize("edit", [name for name in EDITS if name != "a method"])
async def test_a_renamed_copy_with_a_name_more_is_a_near_duplicate(world, edit):
    for name, text in (("one", RANGES), ("two", EDITS[edit].replace("merge_ranges", "join").replace("merged", "m"))):
        world.shelf.files = {"a.py": text}
        source = await world.ingestion.add("package", name)
        await world.ingestion.ingest(source.source_id)
    assert [item.rejected_by for item in world.heard.functions] == ["", "near_duplicate"]


def test_a_name_from_outside_is_no_name_of_the_function_s_own():
    own, foreign, swapped = fingerprint_file(
        b"def f(x, y):\n    return [x - y, y + x, x * y, y % x]\n"
        b"def f(x, v1):\n    global v0\n    return [v0 - v1, v1 + v0, v0 * v1, v1 % v0]\n"
        b"def f(x, y):\n    return [y - x, y + x, x * y, y % x]\n"
    )
    assert len(own.shingles & foreign.shingles) < len(own.shingles) / 2
    assert own.tree != swapped.tree
