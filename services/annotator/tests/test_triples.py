"""Triples for fine-tuning: hard negatives, and no query and no repository on both sides."""

import json
from collections import defaultdict
from dataclasses import replace

import pytest

from annotator.adapters.exporters import EXPORTERS
from annotator.domain.release import Selection
from annotator.domain.triples import NEGATIVES, Places, side_of, triples_of
from annotator.usecases.releases import ReleaseDesk
from touchstone_contracts import identities


@pytest.fixture
def labelled(judged):
    """120 queries, each with two answers, five codes that are none and one that nobody could tell of."""
    found = []
    for query in range(120):
        for number, label in enumerate((1, 1, 0, 0, 0, 0, 0, None)):
            code = f"def f{query}_{number}(x):\n    return x + {number}"
            where = f"repository-{(query + number // 4) % 11}" if number != 6 else ""
            found.append(judged(f"query number {query}", code, label, repository=where))
    return found


@pytest.fixture
async def files(labelled, memory_pool, releases, records):
    desk = ReleaseDesk(memory_pool(labelled), releases, records, records, EXPORTERS)
    await desk.create("one", Selection())
    found = defaultdict(bytes)
    async for piece in desk.export("one", "triples"):
        found[piece.path] += piece.data
    return found


def rows(data):
    return [json.loads(line) for line in data.splitlines()]


def test_no_query_and_no_repository_is_on_both_sides(files, labelled):
    of_code = {label.pair.function_id: label.pair for label in labelled}
    seen = {}
    for side in ("train", "kept"):
        triples = rows(files[f"{side}.jsonl"])
        assert triples, side
        codes = {of_code[row[name]] for row in triples for name in ("positive_id", "negative_id")}
        seen[side] = {row["anchor"] for row in triples}, {code.repository or code.function_id for code in codes}
    assert not seen["train"][0] & seen["kept"][0] and not seen["train"][1] & seen["kept"][1]


def test_negatives_were_judged_and_never_what_is_undecided(files, labelled):
    said = {(label.pair.query_id, label.pair.function_id): label.label for label in labelled}
    for row in rows(files["train.jsonl"]) + rows(files["kept.jsonl"]):
        assert said[row["query_id"], row["positive_id"]] == 1 and said[row["query_id"], row["negative_id"]] == 0
        assert row["positive"].startswith("def f") and row["positive"] != row["negative"]


def test_what_is_kept_back_can_be_scored(files, labelled):
    queries = {row["_id"] for row in rows(files["queries_kept.jsonl"])}
    corpus = {row["_id"] for row in rows(files["corpus.jsonl"])}
    head, *lines = files["qrels/kept.tsv"].decode().splitlines()
    assert head == "query-id\tcorpus-id\tscore" and lines and queries and corpus
    for line in lines:
        query, code, label = line.split("\t")
        assert query in queries and code in corpus and label in "01"
    about = json.loads(files["split.json"])
    assert about["kept_labels"] == len(lines) and about["undecided_labels"] == 120
    assert about["kept_labels"] + about["train_labels"] + about["left_out_labels"] + 120 == len(labelled)
    assert about["train_triples"] == len(rows(files["train.jsonl"]))


def test_what_nobody_could_tell_is_named_beside_what_is_kept_back(files, labelled):
    corpus = {row["_id"] for row in rows(files["corpus.jsonl"])}
    queries = {row["_id"] for row in rows(files["queries_kept.jsonl"])}
    head, *lines = files["undecided.tsv"].decode().splitlines()
    unsure = {(one.pair.query_id, one.pair.function_id) for one in labelled if one.label is None}
    assert head == "query-id\tcorpus-id" and lines
    assert {tuple(line.split("\t")) for line in lines} == {
        (query, code) for query, code in unsure if query in queries and code in corpus
    }


def test_a_correct_code_has_few_negatives_and_the_same_ones_each_time():
    query = "some query"
    labels = [{"function_id": str(number), "label": int(number == 0)} for number in range(9)]
    sides, codes = {str(number): "train" for number in range(9)}, {str(number): f"code {number}" for number in range(9)}
    found = list(triples_of(query, labels, sides, "train", codes))
    assert len(found) == NEGATIVES and found == list(triples_of(query, labels[::-1], sides, "train", codes))
    assert list(triples_of(query, labels, {"0": "kept"}, "train", codes)) == []
    assert list(triples_of(query, labels, {}, "train", codes)) == [], "what stands on both sides is on neither"
    assert len(list(triples_of(query, labels, sides, "train", {}))) == NEGATIVES, "codes of which nothing is known"


def copied(judged, query, code, label, repository, place=""):
    """A label of a code that stands in a repository, or was brought by its text alone."""
    one = judged(query, code, label, repository=repository)
    function = identities.code_id(code, place) if place else one.pair.function_id
    pair = replace(one.pair, function_id=function, pair_id=identities.pair_id(one.pair.query_id, function))
    return replace(one, pair=pair)


def forks(judged):
    """Each function stands in two followed repositories, and each query is there in two spellings."""
    for number in range(120):
        for fork in ("up", "fork"):
            for label in (1, 0):
                code = f"def f{number}_{label}(x):\n    return x + {number} * {label}"
                # One of them has other white space.
                code = code if fork == "up" else f"{code}\n"
                for query in (f"query {number}", f"Query {number}."):
                    yield copied(judged, query, code, label, f"{fork}-{number % 20}", f"{fork}{number}")


def brought(judged):
    """People's set by its text, of functions that also stand in pools of other queries."""
    for number in range(120):
        for label, code in ((1, f"def f{number}(x):\n    return x + 1"), (0, f"def g{number}(x):\n    return x - 1")):
            yield copied(judged, f"how to add {number}", code, label, "")
            yield copied(judged, f"add {number} please", code, label, f"repo-{number % 40}", "place")


@pytest.mark.parametrize("pool", [forks, brought])
async def test_no_copy_of_a_code_and_no_spelling_of_a_query_is_on_both_sides(
    judged, memory_pool, releases, records, pool
):
    desk = ReleaseDesk(memory_pool(list(pool(judged))), releases, records, records, EXPORTERS)
    await desk.create("one", Selection())
    out = defaultdict(bytes)
    async for piece in desk.export("one", "triples"):
        out[piece.path] += piece.data
    sides = {}
    for side in ("train", "kept"):
        triples = rows(out[f"{side}.jsonl"])
        assert triples, side
        codes = {"".join(row[name].split()) for row in triples for name in ("positive", "negative")}
        sides[side] = codes, {row["anchor"].lower().rstrip(".") for row in triples}
    assert not sides["train"][0] & sides["kept"][0] and not sides["train"][1] & sides["kept"][1]
    corpus = rows(out["corpus.jsonl"])
    assert corpus and not sides["train"][0] & {"".join(row["text"].split()) for row in corpus}
    about = json.loads(out["split.json"])
    assert about["copied_codes"] == 240 and (about["codes_on_both_sides"] > 0) == (pool is forks)


def test_a_text_has_the_side_of_the_places_where_it_stands():
    train, kept = (next(f"r{n}" for n in range(99) if side_of(f"r{n}") == side) for side in ("train", "kept"))
    places = Places()
    for name, text, repository in (
        ("both-1", "a = 1", train), ("both-2", "a  =  1\n", kept), ("there", "b = 1", kept), ("brought", "b = 1", ""),
        ("alone", "c = 1", ""), ("again", "c = 1", ""),
    ):  # fmt: skip
        places.add({"function_id": name, "code": text, "repository": repository})
    sides = places.sides()
    assert "both-1" not in sides and "both-2" not in sides
    assert sides["there"] == sides["brought"] == "kept" and sides["alone"] == sides["again"]
    assert places.copies == 3


def test_no_code_is_the_negative_of_its_own_copy():
    code = "def f(x):\n    return x"
    codes = {"right": code, "copy": f"{code}\n", "other": "def f(x):\n    return -x"}
    labels = [{"function_id": name, "label": int(name == "right")} for name in codes]
    found = triples_of("some query", labels, dict.fromkeys(codes, "train"), "train", codes)
    assert [(each.positive, each.negative) for each in found] == [("right", "other")]
