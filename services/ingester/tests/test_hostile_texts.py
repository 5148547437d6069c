"""Texts that are made to keep a reader busy are read like others; as long as this takes, the test lasts."""

from __future__ import annotations

import pytest

from ingester.domain.analysis import analyse_file
from ingester.domain.changes import attribute_is_set
from ingester.ports import ENDS_ITS_PROCESS
from ingester.usecases.dating import MOST_ENDED

CLASS = b"class C:\n    LIMIT = 5\n    def f(self, x):\n        return x if x > self.LIMIT else 0\n\ndef g(m):\n"


@pytest.mark.parametrize("many", [60, 20_000])
def test_many_subscripts_are_read_at_once(many):
    text = CLASS + b"    return m.LIMIT" + b"[0]" * min(many, 60) + b"\n"
    assert not analyse_file(text, "a.py").problem
    assert not attribute_is_set([b"m.LIMIT" + b"[0]" * many + b"\n"], "LIMIT")
    assert attribute_is_set([b"m.LIMIT" + b"[0]" * many + b" = 1\n"], "LIMIT")


@pytest.mark.parametrize(
    ("text", "is_set"),
    [
        ("m.LIMIT = 1", True), ("m.LIMIT[x[0]] = 1", True), ("m.LIMIT[0] [1]+= 1", True), ("m.LIMIT == 1", False),
        ("m.LIMIT[0].append(1)", True), ("m.LIMIT[0].index(1)", False), ("y = m.LIMIT[0]", False),
        ("setattr(m, 'LIMIT', 1)", True), ("m.LIMITS[0] = 1", False), ("del m.LIMIT", True),
    ],
)  # fmt: skip
def test_an_attribute_is_set_by_what_sets_it(text, is_set):
    assert attribute_is_set([text.encode()], "LIMIT") == is_set


@pytest.mark.parametrize("blank", [b" ", b"\t ", b" *"])
def test_a_comment_of_blanks_is_read_at_once(blank):
    text = b"/*" + blank * 300_000 + b"x*/\nfunction f(x) { return x + 1; }\n"
    (found,) = analyse_file(text, "a.js").functions
    assert found.docstring


def test_the_marks_of_a_comment_are_no_words_of_it():
    text = b"/** Adds one.\n *  And more.   */\n/** */\n/** One. **/\nfunction f(x) { return x + 1; }\n"
    (found,) = analyse_file(text, "a.js").functions
    assert found.docstring.endswith("One. *")


async def test_a_source_of_files_that_end_their_process_is_refused(world):
    world.shelf.files = {f"a{number}.py": "x = 1\n" for number in range(MOST_ENDED + 1)}
    world.shelf.problems = dict.fromkeys(world.shelf.files, ENDS_ITS_PROCESS)
    source = await world.ingestion.add("package", "shelf")
    summary = await world.ingestion.ingest(source.source_id)
    assert summary.state == "failed" and f"more than {MOST_ENDED} of its files end" in summary.detail
    world.shelf.problems.popitem()
    assert (await world.ingestion.ingest(source.source_id)).state == "ingested"
