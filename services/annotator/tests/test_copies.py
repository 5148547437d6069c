"""Codes that are the very same stand for each other in exports: who finds a copy has found what was judged."""

import json
from collections import defaultdict

import pytest

from annotator.adapters.exporters import EXPORTERS
from annotator.domain.release import Selection
from annotator.usecases.releases import ReleaseDesk
from touchstone_contracts.identities import pair_id, query_id

TEXT = "def f(x):\n    return x[::-1]"


@pytest.mark.parametrize("label", [1, 0, None])
async def test_a_copy_of_a_code_that_was_judged_for_a_query_has_its_label(
    judged, memory_pool, releases, records, label
):
    labels = [
        judged("reverse a string", TEXT, label, decided_by="execution", function_id="one"),
        judged("sum a list", f"    {TEXT.replace(chr(10), chr(10) + '    ')}\n", 0, function_id="copy"),
        judged("sum a list", "def g(x): return sum(x)", 1, function_id="sum"),
        judged("sum a list", "func g() int { return 1 }", 0, language="go", function_id="other"),
    ]
    desk = ReleaseDesk(memory_pool(labels), releases, records, records, EXPORTERS)
    await desk.create("a", Selection())
    files = defaultdict(bytes)
    for export_format in ("beir", "cosqa"):
        async for piece in desk.export("a", export_format):
            files[piece.path] += piece.data
    asked, other = query_id("reverse a string"), query_id("sum a list")
    told = {tuple(line.split("\t")) for line in files["qrels/test.tsv"].decode().splitlines()[1:]}
    undecided = {tuple(line.split("\t")) for line in files["undecided.tsv"].decode().splitlines()[1:]}
    of_both = {(asked, code) for code in ("one", "copy")}
    assert undecided == (of_both if label is None else set())
    of_other = {(other, "copy", "0"), (other, "one", "0"), (other, "sum", "1"), (other, "other", "0")}
    assert told == of_other | ({(*pair, str(label)) for pair in of_both} if label is not None else set())
    pairs = json.loads(files["query_code_pairs.json"]) + json.loads(files["undecided.json"])
    assert {(row["query-idx"], row["code-idx"]) for row in pairs} == of_both | {each[:2] for each in of_other}
    assert all(row["pair-idx"] == pair_id(row["query-idx"], row["code-idx"]) for row in pairs)
    # So are they handed to whoever scores searches here, of a release and of now.
    for name in ("a", ""):
        rows = [row async for part, row in desk.stream(name, copies=True) if part == "labels"]
        streamed = {(row["query_id"], row["function_id"]): row["label"] for row in rows}
        assert streamed == {(query, code): int(said) for query, code, said in of_other} | dict.fromkeys(of_both, label)
        assert len([row async for part, row in desk.stream(name) if part == "labels"]) == 4
