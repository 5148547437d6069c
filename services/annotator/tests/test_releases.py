"""Releases of labels: frozen, told apart by a manifest, exported and proved again."""

import json
from collections import defaultdict
from dataclasses import replace

import pytest

from annotator.adapters.exporters import EXPORTERS
from annotator.domain import release as domain
from annotator.domain.release import NotAManifestError, Selection, digest_of, flaw_of, grade_of, read_manifest
from annotator.errors import (
    BadSelectionError,
    BrokenReleaseError,
    ReleaseExistsError,
    UnknownFormatError,
    UnknownReleaseError,
)
from annotator.usecases import releases as usecases
from annotator.usecases.releases import ReleaseDesk
from annotator.usecases.verify_releases import FolderCheck, Verifier
from touchstone_contracts import identities
from touchstone_contracts.manifests import canonical, sha256
from touchstone_runtime.exported import ExportedFolder

ALL = Selection()


@pytest.fixture
def labelled(judged):
    """Two queries: one with two answers and an undecided code, one without an answer."""
    return [
        judged("reverse a string", "def f(x): return x[::-1]", 1, licence="MIT", decided_by="execution"),
        judged("reverse a string", "def f(x): return ''.join(reversed(x))", 1, licence="MIT"),
        judged("reverse a string", "def f(x): return x", 0, licence="BSD-3-Clause"),
        judged("reverse a string", "def f(x): return run(x)", None),
        judged("sum a list", "def f(x): return x", 0, licence="BSD-3-Clause"),
        judged("sum a list", "func f() int { return 1 }", None, language="go"),
        judged("sum a list", "def f(x): return 3", 0, on_demand=True),
    ]


@pytest.fixture
def desk(labelled, memory_pool, releases, records):
    return ReleaseDesk(memory_pool(labelled), releases, records, records, EXPORTERS)


async def exported(desk, name, export_format=""):
    files = defaultdict(bytes)
    async for piece in desk.export(name, export_format):
        files[piece.path] += piece.data
    return dict(files)


async def verified(verifier, manifest):
    return [problem async for checked in verifier.verify(manifest) for problem in checked.problems]


def lines(data):
    return [json.loads(line) for line in data.splitlines()]


async def test_a_release_holds_the_labels_of_now(desk, records):
    row, already = await desk.create("2026-06", ALL)
    assert not already and (row.queries, row.codes, row.pairs) == (2, 5, 6)
    manifest = (await desk.show("2026-06")).manifest
    assert manifest["counts"] | {"pairs_by_decider": 0} == {
        "queries": 2, "queries_with_an_answer": 1, "codes": 5, "pairs": 6, "yes": 2, "no": 2, "undecided": 2,
        "codes_by_language": {"go": 1, "python": 4},
        "codes_by_licence": {"BSD-3-Clause": 1, "MIT": 2, "unknown": 2},
        "pairs_by_decider": 0,
    }  # fmt: skip
    assert manifest["since"] is None and manifest["methods"] == ["full-1"]
    assert not await verified(Verifier(records, records=True), manifest)


async def test_the_same_labels_give_the_same_release_whatever_its_name(desk):
    first, _ = await desk.create("a", ALL)
    again, already = await desk.create("a", ALL)
    other, _ = await desk.create("b", ALL)
    assert already and again == first and other.digest == first.digest
    changes = (await desk.show("b")).manifest["since"]
    assert (changes["name"], changes["digest"]) == ("a", first.digest)
    assert changes["changes"]["labels_changed"] == {}
    assert not any((*changes["changes"]["added"].values(), *changes["changes"]["removed"].values()))


async def test_the_next_release_says_what_changed(desk, labelled, judged):
    await desk.create("a", ALL)
    labelled[2:4] = [
        judged("reverse a string", "def f(x): return x", 1, method="person-1", decided_by="person", reason="read it"),
        judged("reverse a string", "def f(x): return run(x)", 0),
        judged("reverse a list", "def f(x): return x[::-1]", 1),
    ]
    labelled[0] = judged("reverse a string", "def f(x): return x[::-1]", 1, method="full-2")
    del labelled[1]
    await desk.create("b", ALL)
    changes = (await desk.show("b")).manifest["since"]["changes"]
    assert changes["added"] == {"queries": 1, "codes": 0, "labels": 1}
    assert changes["removed"] == {"queries": 0, "codes": 1, "labels": 1}
    assert changes["labels_changed"] == {"no to yes": 1, "undecided to no": 1}
    assert changes["labels_the_same_and_judged_anew"] == 1
    told = {(each["was"], each["now"], each["by"]): each["reason"] for each in changes["changed"]}
    assert told[("no", "yes", "person")] == "read it" and changes["changed_and_not_listed"] == 0


async def test_what_changed_is_told_since_the_release_that_is_named(desk, labelled):
    await desk.create("a", ALL)
    labelled.pop()
    labelled.pop(0)
    await desk.create("b", ALL)
    await desk.create("c", ALL, "a")
    assert (await desk.show("c")).manifest["since"]["name"] == "a"
    with pytest.raises(UnknownReleaseError):
        await desk.create("d", ALL, "nothing")


@pytest.mark.parametrize("lost", ["codes", "manifest", "of tomorrow"])
async def test_a_release_that_cannot_be_read_stands_in_no_later_ones_way(desk, labelled, records, judged, lost):
    row, _ = await desk.create("a", ALL)
    manifest = (await desk.show("a")).manifest
    if lost == "codes":
        del records.blobs[manifest["parts"]["codes"][0]["digest"]]
    elif lost == "manifest":
        del records.blobs[row.manifest_digest]
    else:
        data = canonical(manifest | {"format": "touchstone-labels/9"})
        records.blobs[sha256(data)] = data
        desk._releases.rows["a"] = replace(row, manifest_digest=sha256(data))
    labelled.append(judged("sum a list", "def f(x): return sum(x)", 1))
    await desk.create("b", ALL)
    since = (await desk.show("b")).manifest["since"]
    assert (since["name"], since["digest"], since["changes"]) == ("a", row.digest, None) and since["why"]
    with pytest.raises(BrokenReleaseError, match="--since none"):
        await desk.create("c", ALL, "a")
    await desk.create("c", ALL, "none")
    assert (await desk.show("c")).manifest["since"] is None
    await desk.create("d", ALL)
    assert (await desk.show("d")).manifest["since"]["changes"] is not None


async def test_no_release_is_made_of_a_portion_that_is_damaged_already(desk, records):
    await desk.create("a", ALL)
    digest = (await desk.show("a")).manifest["parts"]["codes"][0]["digest"]
    records.blobs[digest] = b"damaged"
    with pytest.raises(BrokenReleaseError, match="remove the blob"):
        await desk.create("b", ALL, "none")
    del records.blobs[digest]
    await desk.create("b", ALL, "none")
    assert await exported(desk, "a") and await exported(desk, "b")


async def test_a_name_belongs_to_its_content(desk, labelled):
    await desk.create("a", ALL)
    labelled.pop(0)
    with pytest.raises(ReleaseExistsError, match="other content: 6 pairs"):
        await desk.create("a", ALL)


@pytest.mark.parametrize(
    ("selection", "pairs"),
    [
        (Selection(languages=("go",)), 1),
        (Selection(licences=("MIT",)), 2),
        (Selection(decided_by=("execution", "default")), 3),
    ],
)
async def test_a_selection_takes_what_fits(desk, selection, pairs):
    row, _ = await desk.create("a", selection)
    assert row.pairs == pairs
    assert (await desk.show("a")).manifest["inputs"] == selection.to_dict()


@pytest.mark.parametrize(("name", "selection"), [("../a", ALL), ("", ALL), ("a", Selection(licences=("GPL-2.0",)))])
async def test_what_makes_no_release_is_refused_in_words(desk, name, selection):
    with pytest.raises(BadSelectionError):
        await desk.create(name, selection)


async def test_beir_has_every_label_and_no_undecided_pair_as_a_zero(desk, labelled):
    await desk.create("a", ALL)
    files = await exported(desk, "a")
    rows = [line.split("\t") for line in files["qrels/test.tsv"].decode().splitlines()]
    graded = [line.split("\t") for line in files["qrels/graded.tsv"].decode().splitlines()]
    undecided = [tuple(line.split("\t")) for line in files["undecided.tsv"].decode().splitlines()[1:]]
    assert rows[0] == graded[0] == ["query-id", "corpus-id", "score"]
    keys = {label.label: set() for label in labelled}
    for label in labelled[:-1]:
        keys[label.label].add((label.pair.query_id, label.pair.function_id))
    for value in (0, 1):
        assert {(query, code) for query, code, score in rows[1:] if score == str(value)} == keys[value]
    assert set(undecided) == keys[None]
    assert sorted(score for _, _, score in graded[1:]) == ["0", "0", "1", "2"]
    corpus = {row["_id"]: row for row in lines(files["corpus.jsonl"])}
    assert set(corpus) == {label.pair.function_id for label in labelled[:-1]}
    assert corpus[labelled[0].pair.function_id]["meta_information"]["licence"] == "MIT"
    assert {row["text"] for row in lines(files["queries.jsonl"])} == {"reverse a string", "sum a list"}
    for row in (*corpus.values(), *lines(files["queries.jsonl"])):
        assert {"_id", "partition", "text", "title", "language", "meta_information"} == set(row)


async def test_the_papers_form_has_six_fields_a_row(desk, labelled):
    await desk.create("a", ALL)
    files = await exported(desk, "a", "cosqa")
    pairs = json.loads(files["query_code_pairs.json"])
    assert {(row["pair-idx"], row["label"], row["query"], row["code"]) for row in pairs} == {
        (label.pair.pair_id, label.label, label.pair.query, label.pair.code)
        for label in labelled[:-1]
        if label.label is not None
    }
    matching = json.loads(files["query_code_pairs_for_search.json"])
    assert len(matching) == 2 and all(row["label"] == 1 for row in matching)
    assert [row["label"] for row in json.loads(files["undecided.json"])] == [None, None]
    names = {"pair-idx", "query-idx", "code-idx", "query", "code", "label"}
    for path in ("query.json", "codebase.json", "query_code_pairs.json"):
        assert all(set(row) == names for row in json.loads(files[path]))
    assert len(json.loads(files["codebase.json"])) == 5 and len(json.loads(files["query.json"])) == 2


async def test_an_empty_list_is_still_a_file(desk, labelled):
    del labelled[:3], labelled[1:]
    await desk.create("a", ALL)
    files = await exported(desk, "a", "cosqa")
    assert json.loads(files["query_code_pairs.json"]) == []
    assert (await exported(desk, "a"))["qrels/test.tsv"] == b"query-id\tcorpus-id\tscore\n"


@pytest.mark.parametrize("export_format", sorted(EXPORTERS))
async def test_the_same_release_gives_the_same_bytes_with_checksums_last(desk, export_format):
    await desk.create("a", ALL)
    paths = [piece.path async for piece in desk.export("a", export_format)]
    assert paths[-1] == usecases.CHECKSUMS
    files = await exported(desk, "a", export_format)
    assert files == await exported(desk, "a", export_format)
    sums = dict(line.split("  ")[::-1] for line in files.pop(usecases.CHECKSUMS).decode().splitlines())
    assert sums == {path: sha256(data) for path, data in files.items()}


async def test_many_rows_lie_in_portions(monkeypatch, desk, records):
    whole, _ = await desk.create("a", ALL)
    files = await exported(desk, "a")
    monkeypatch.setattr(usecases, "PORTION", 2)
    small, _ = await desk.create("b", ALL)
    manifest = (await desk.show("b")).manifest
    assert [portion["rows"] for portion in manifest["parts"]["codes"]] == [2, 2, 1]
    assert not await verified(Verifier(records, records=True), manifest)
    same = await exported(desk, "b")
    assert all(same[path] == data for path, data in files.items() if path.startswith(("corpus", "queries", "qrels")))
    assert not any((await desk.show("b")).manifest["since"]["changes"]["labels_changed"])
    assert whole.digest != small.digest


async def test_unknown_names_and_formats_are_refused(desk):
    await desk.create("a", ALL)
    with pytest.raises(UnknownReleaseError):
        await exported(desk, "b")
    with pytest.raises(UnknownFormatError, match="no such format"):
        await exported(desk, "a", "csv")


async def test_damage_is_named(desk, records):
    row, _ = await desk.create("a", ALL)
    manifest = (await desk.show("a")).manifest
    [portion] = manifest["parts"]["labels"]
    whole = records.blobs[portion["digest"]]
    records.blobs[portion["digest"]] = whole.replace(b'"label":0', b'"label":1')
    assert any("has the digest" in problem for problem in await verified(Verifier(records, records=True), manifest))
    with pytest.raises(BrokenReleaseError, match="damaged"):
        await exported(desk, "a")
    del records.blobs[portion["digest"]]
    assert any("is missing" in problem for problem in await verified(Verifier(records, records=True), manifest))
    del records.blobs[row.manifest_digest]
    with pytest.raises(BrokenReleaseError, match="missing"):
        await desk.show("a")


def forged(records, manifest, change):
    """A manifest whose digests fit labels that were changed."""
    [portion] = manifest["parts"]["labels"]
    data = change(lines(records.blobs[portion["digest"]]))
    records.blobs[sha256(data)] = data
    made = json.loads(json.dumps(manifest))
    made["parts"]["labels"] = [{"digest": sha256(data), "rows": len(data.splitlines())}]
    made["digest"] = digest_of(made)
    return read_manifest(canonical(made))


def rewritten(**changes):
    def change(rows):
        first = next(row for row in rows if row["label"] == 0)
        first.update(changes)
        return b"".join(map(canonical, rows))

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (rewritten(label=1), "its record says 0"),
        (rewritten(decided_by="person"), "its record says 'screener'"),
        (rewritten(label=2), "label is 2"),
        (rewritten(label=False), "label is False"),
        (rewritten(pair_id="p"), "is not the pair of its query and code"),
        (rewritten(record_digest="0" * 64), "is missing"),
        (rewritten(reason=3), "reason is 3"),
        (rewritten(more=3), "more too much or too little"),
        (rewritten(query_id="a\tb"), "no table of labels can hold"),
        (lambda rows: b"".join(map(canonical, rows[1:])), "the manifest says"),
        (lambda rows: b"".join(map(canonical, [*rows, rows[-1]])), "out of order, or there twice"),
        (lambda rows: b"".join(map(canonical, rows[::-1])), "out of order, or there twice"),
        (lambda rows: b"".join(json.dumps(row).encode() + b"\n" for row in rows), "not in canonical form"),
        (lambda rows: b"nonsense\n", "no JSON lines"),
        (lambda rows: b"[]\n", "not in canonical form"),
        (lambda rows: b"[" * 200_000 + b"\n", "is no JSON lines"),
    ],
)
async def test_labels_that_were_changed_with_their_digests_are_found(desk, records, change, words):
    await desk.create("a", ALL)
    manifest = forged(records, (await desk.show("a")).manifest, change)
    problems = await verified(Verifier(records, records=True), manifest)
    assert any(words in problem for problem in problems), problems


async def test_a_label_of_a_query_that_the_release_lacks_is_found(desk, records):
    await desk.create("a", ALL)

    def change(rows):
        rows[0] |= {"query_id": "0", "pair_id": identities.pair_id("0", rows[0]["function_id"])}
        return b"".join(map(canonical, rows))

    manifest = forged(records, (await desk.show("a")).manifest, change)
    problems = await verified(Verifier(records, records=False), manifest)
    assert any("names queries that the release lacks: 0" in problem for problem in problems)


@pytest.mark.parametrize("data", [b"{", b"[" * 200_000, b"[]", b"{}", b'{"format":"touchstone-labels/1"}'])
def test_what_is_no_manifest_is_none(data):
    with pytest.raises(NotAManifestError):
        read_manifest(data)


async def test_a_changed_manifest_is_none(desk):
    await desk.create("a", ALL)
    shown = await desk.show("a")
    with pytest.raises(NotAManifestError, match="it states"):
        read_manifest(canonical({**shown.manifest, "methods": []}))


@pytest.fixture
async def folder(desk, tmp_path):
    await desk.create("a", ALL)
    for path, data in (await exported(desk, "a")).items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    return tmp_path


async def checked(folder):
    check = FolderCheck(EXPORTERS)
    return [problem async for found in check.verify(ExportedFolder(folder)) for problem in found.problems]


async def test_a_folder_proves_itself(folder):
    assert await checked(folder) == []


@pytest.mark.parametrize("fitting", [False, True])
@pytest.mark.parametrize("path", ["qrels/test.tsv", "corpus.jsonl", "undecided.tsv"])
async def test_a_changed_file_is_found_even_where_its_checksum_fits(folder, path, fitting):
    was = (folder / path).read_bytes()
    (folder / path).write_bytes(was + b"more\n")
    if fitting:
        sums = folder / usecases.CHECKSUMS
        sums.write_text(sums.read_text().replace(sha256(was), sha256(was + b"more\n")))
    problems = await checked(folder)
    assert any(path in problem and "not what the release makes it" in problem for problem in problems)


async def test_a_folder_that_lacks_something_says_so(folder):
    (folder / "queries.jsonl").unlink()
    assert any("queries.jsonl is missing" in problem for problem in await checked(folder))
    (folder / usecases.CHECKSUMS).unlink()
    assert any("interrupted" in problem for problem in await checked(folder))
    (folder / usecases.ABOUT).write_text("{}")
    assert any("names the release None" in problem for problem in await checked(folder))
    (folder / usecases.MANIFEST).unlink()
    with pytest.raises(BrokenReleaseError, match="no manifest"):
        await checked(folder)


async def test_a_checksum_never_leads_out_of_the_folder(folder):
    with (folder / usecases.CHECKSUMS).open("a") as sums:
        sums.write(f"{'0' * 64}  ../../../../etc/passwd\n")
    assert any("passwd is missing" in problem for problem in await checked(folder))


async def test_what_is_no_part_of_the_release_is_named(folder):
    (folder / ".DS_Store").write_bytes(b"\0")
    (folder / "notes").mkdir()
    (folder / "notes" / "mine.txt").write_text("x")
    (folder / "qrels" / "train.tsv").write_text("query-id\tcorpus-id\tscore\n")
    queries = folder / "queries.jsonl"
    (folder.parent / "elsewhere.jsonl").write_bytes(queries.read_bytes())
    queries.unlink()
    queries.symlink_to(folder.parent / "elsewhere.jsonl")
    # Whoever lists a file in the checksums makes it no part of the release.
    with (folder / usecases.CHECKSUMS).open("a") as sums:
        sums.write(f"{sha256((folder / 'qrels/train.tsv').read_bytes())}  qrels/train.tsv\n")
    found = [each async for each in FolderCheck(EXPORTERS).verify(ExportedFolder(folder))]
    assert [path for each in found for path in getattr(each, "strays", ())] == [
        ".DS_Store", "notes", "qrels/train.tsv", "queries.jsonl",
    ]  # fmt: skip
    problems = [problem for each in found for problem in each.problems]
    assert f"{folder}/.DS_Store is a file that is no part of the release" in problems
    assert f"{folder}/notes is a folder that is no part of the release" in problems
    assert f"{folder}/queries.jsonl is a link where the release has a file" in problems


async def test_strays_are_named_where_the_release_cannot_be_made_again(folder):
    (folder / "more").write_text("x")
    (next((folder / "parts").iterdir())).write_bytes(b"other")
    assert f"{folder}/more is a file that is no part of the release" in await checked(folder)
    (folder / usecases.ABOUT).write_bytes(canonical({"format": "of tomorrow", "layout": 9}))
    assert f"{folder}/more is a file that is no part of the release" in await checked(folder)


async def test_checksums_that_lack_a_file_or_make_no_sense_are_told(folder):
    sums = folder / usecases.CHECKSUMS
    lines = sums.read_text().splitlines(keepends=True)
    sums.write_text("".join(line for line in lines if "corpus.jsonl" not in line))
    assert await checked(folder) == [f"{sums} does not name corpus.jsonl"]
    sums.write_bytes(sums.read_bytes() + b"\0\xff\n" + b"x" * 64 + b"  " + b"y" * 5000 + b"\n")
    assert len(await checked(folder)) == 3


def test_grades_tell_what_a_yes_rests_on():
    def grade(label, by):
        return grade_of({"label": label, "decided_by": by})

    assert [grade(1, by) for by in ("execution", "person", "arbiter", "screener", "score")] == [2, 2, 1, 1, 1]
    assert (grade(0, "person"), grade(None, "default")) == (0, None)


def test_rows_of_the_wrong_form_are_told():
    assert flaw_of("queries", {"query_id": identities.query_id("t"), "text": " t"}) == ""
    assert flaw_of("queries", {"query_id": identities.query_id("t\0"), "text": "t\ufffd"}) == "", "stores keep no NUL"
    assert "not the id of its words" in flaw_of("queries", {"query_id": identities.query_id("t"), "text": "u"})
    assert "licence" in flaw_of("codes", dict.fromkeys(domain.PooledCode.__dataclass_fields__, "x") | {"licence": 3})


async def test_labels_are_streamed_of_a_release_and_of_now(desk, labelled, judged):
    await desk.create("one", ALL)
    before = [(part, row) async for part, row in desk.stream("one")]
    assert [part for part, _ in before] == ["queries"] * 2 + ["labels"] * 6, "judgements on demand are left out"
    assert before == [(part, row) async for part, row in desk.stream("")], "the same rows, frozen or not"
    labelled.append(judged("sum a list", "def f(x): return sum(x)", 1))
    assert before == [(part, row) async for part, row in desk.stream("one")]
    assert len([row async for row in desk.stream("")]) == len(before) + 1
    with pytest.raises(UnknownReleaseError):
        await anext(desk.stream("two"))
