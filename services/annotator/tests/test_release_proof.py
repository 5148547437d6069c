"""What a release says of queries, codes and labels is proved by ids and records, not by digests that fit."""

import json
from dataclasses import replace

import pytest

from annotator.adapters.exporters import EXPORTERS
from annotator.domain.execution import Report
from annotator.domain.method import Method
from annotator.domain.proof import differing
from annotator.domain.record import Exchange, Record, Step
from annotator.domain.release import (
    PARTS,
    WITHHELD,
    NotAManifestError,
    Selection,
    Tally,
    digest_of,
    read_manifest,
)
from annotator.rpc import AnnotatorServicer
from annotator.usecases.labelling import summary
from annotator.usecases.releases import ReleaseDesk
from annotator.usecases.verify_releases import FolderCheck, Verifier
from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone_contracts.manifests import canonical, sha256
from touchstone_runtime.exported import ExportedFolder


@pytest.fixture
def labelled(judged):
    by_test = {"decided_by": "execution", "licence": "MIT", "repository": "here"}
    return [
        judged("reverse a string", "def f(x): return x[::-1]", 1, score=0.25, audit=1, **by_test),
        judged("reverse a string", "def f(x): return x", 0, licence="MIT"),
        judged("sum a list", "def f(x): return x", 0, licence="MIT"),
        judged("sum a list", "def f(x): return run(x)", None),
    ]


@pytest.fixture
def desk(labelled, memory_pool, releases, records):
    return ReleaseDesk(memory_pool(labelled), releases, records, records, EXPORTERS)


def rows_of(records, manifest, part):
    data = b"".join(records.blobs[portion["digest"]] for portion in manifest["parts"][part])
    return [json.loads(line) for line in data.splitlines()]


def forged(records, manifest, part, change):
    """A manifest whose digests and counts fit rows of a part that were changed."""
    rows = rows_of(records, manifest, part)
    for row in rows:
        change(row)
    data = b"".join(map(canonical, rows))
    records.blobs[sha256(data)] = data
    made = json.loads(json.dumps(manifest))
    made["parts"][part] = [{"digest": sha256(data), "rows": len(rows)}]
    tally = Tally()
    for each in PARTS:
        for row in rows_of(records, made, each):
            tally.add(each, row)
    made["counts"], made["methods"] = tally.counts(), sorted(tally.methods)
    made["digest"] = digest_of(made)
    return read_manifest(canonical(made))


async def proved(records, manifest, *, platform=True):
    verifier = Verifier(records, records=platform)
    return "\n".join([line async for checked in verifier.verify(manifest) for line in checked.problems])


async def test_what_was_not_changed_is_proved(desk, records):
    await desk.create("a", Selection())
    assert not await proved(records, (await desk.show("a")).manifest)


@pytest.mark.parametrize("platform", [False, True])
async def test_other_words_under_the_id_of_a_query_are_found(desk, records, platform):
    await desk.create("a", Selection())
    manifest = forged(records, (await desk.show("a")).manifest, "queries", lambda row: row.update(text="parse a date"))
    assert "is not the id of its words: 'parse a date'" in await proved(records, manifest, platform=platform)


@pytest.mark.parametrize(
    "change", [{"code": "def f(x): return 1"}, {"language": "go"}, {"path": "b.py"}, {"name": "g"}]
)
async def test_another_code_than_that_of_the_records_is_found(desk, records, labelled, change):
    await desk.create("a", Selection())
    manifest = forged(records, (await desk.show("a")).manifest, "codes", lambda row: row.update(change))
    found = await proved(records, manifest)
    assert all(f"code {label.pair.function_id}: its text" in found for label in labelled)


@pytest.mark.parametrize(
    "change",
    [
        {"reason": "forged"}, {"score": 0.99}, {"executed": True}, {"audit": 0}, {"reading": "x"},
        {"self_reported": True}, {"method_id": "full-9"},
    ],
)  # fmt: skip
async def test_no_field_of_a_label_is_another_one_than_its_records(desk, records, change):
    await desk.create("a", Selection())
    manifest = forged(records, (await desk.show("a")).manifest, "labels", lambda row: row.update(change))
    [(name, value)] = change.items()
    assert f"{name} is {value!r}, its record says" in await proved(records, manifest)


@pytest.mark.parametrize("withheld", sorted(WITHHELD))
async def test_a_label_that_is_withheld_tells_none_and_why(desk, records, withheld):
    await desk.create("a", Selection())
    manifest = (await desk.show("a")).manifest
    other = forged(records, manifest, "labels", lambda row: row.update(decided_by=withheld, label=1, reason="so"))
    found = await proved(records, other)
    assert "label is 1, a withheld label has None" in found and "reason is 'so', a withheld label has" in found


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"languages": ["rust"]}, "asked for those of rust"),
        ({"licences": ["MIT"]}, "asked for those of MIT"),
        ({"decided_by": ["person"]}, "asked for those of person"),
    ],
)
@pytest.mark.parametrize("platform", [False, True])
async def test_a_release_holds_what_it_was_asked_for(desk, records, inputs, words, platform):
    await desk.create("a", Selection())
    manifest = (await desk.show("a")).manifest
    changed = manifest | {"inputs": manifest["inputs"] | inputs}
    assert changed["digest"] == manifest["digest"] and words in await proved(records, changed, platform=platform)


async def test_what_changed_since_is_counted_again(desk, labelled, judged):
    await desk.create("a", Selection())
    first = (await desk.show("a")).manifest
    labelled.append(judged("sum a list", "def f(x): return sum(x)", 1))
    await desk.create("b", Selection())
    manifest = (await desk.show("b")).manifest
    since = manifest["since"]
    assert await desk.flaws_of_since(first) == await desk.flaws_of_since(manifest) == ()
    added = since | {"changes": since["changes"] | {"added": {}}}
    assert "something else: added" in (await desk.flaws_of_since(manifest | {"since": added}))[0]
    for other, words in (({"name": "x"}, "is none here"), ({"digest": "0" * 64}, "has the digest")):
        assert words in (await desk.flaws_of_since(manifest | {"since": since | other}))[0]
    unknown = since | {"changes": None, "why": "it was away"}
    assert await desk.flaws_of_since(manifest | {"since": unknown}) == ()


async def test_verifying_over_grpc_tells_what_did_not_change_so(desk, records, releases, labelled, judged):
    await desk.create("a", Selection())
    labelled.append(judged("sum a list", "def f(x): return sum(x)", 1))
    row, _ = await desk.create("b", Selection())
    servicer = AnnotatorServicer(None, None, desk, Verifier(records, records=True), *[None] * 6)
    asked = pb.VerifyReleaseRequest(name="b")
    assert not [line async for answer in servicer.VerifyRelease(asked, None) for line in answer.problems]
    manifest = (await desk.show("b")).manifest
    manifest["since"]["changes"]["labels_changed"] = {"no to yes": 7}
    releases.rows["b"] = replace(row, manifest_digest=await records.put(canonical(manifest)))
    answers = [answer async for answer in servicer.VerifyRelease(asked, None)]
    assert [answer.done for answer in answers] == [1, 2, 3, 3] and answers[-1].total == 3
    assert list(answers[-1].problems) == ["what changed since a is something else: labels_changed"]


def test_a_real_record_proves_its_label(pair):
    """Whatever a record has, the label that is stored of it says the same."""
    ran = Report("passed", "fine")
    exchange = Exchange((("user", "?"),), "!", "m", seconds=1.5)
    steps = (
        Step("screener", "unclear", exchanges=(exchange,)),
        Step("execution", "error", interpretation=1, report=replace(ran, result="error")),
        Step("execution", "passed", interpretation=1, report=ran),
        Step("execution", "simulated passed", interpretation=2, report=replace(ran, result="error", simulated=True)),
    )
    for given, executed in ((steps, True), (steps[:2], False), (steps[3:], None), ((), None)):
        method = Method("full")
        record = Record(
            pair, method, "full-1", given, 1, "it\0 \ud800does", "execution", audit=0, reading="so", score=0.1234567891
        )
        stored = summary(record, "d")
        assert stored.executed is executed
        row = {name: getattr(stored, name) for name in stored.__dataclass_fields__ if name != "pair"}
        row |= {"pair_id": pair.pair_id, "query_id": pair.query_id, "function_id": pair.function_id}
        row["reason"] = "it\ufffd ?does"
        assert differing(row, json.loads(record.to_bytes())) == []
        assert len(differing(row | {"executed": 3, "score": 0.5}, json.loads(record.to_bytes()))) == 2


@pytest.mark.parametrize("kept", ["half \ufffd", "half ?"], ids=["as texts are kept", "as they were kept before"])
def test_a_text_that_no_store_keeps_is_what_its_record_says(kept):
    assert differing({"reason": kept}, {"reason": "half \ud800"}) == []
    assert differing({"reason": kept}, {"reason": "whole"}) != []


# -- folders of others: what they say is a finding, and never a traceback ---------------------------------------------


async def laid_out(desk, records, folder, manifest):
    """A folder of a manifest with the portions that it names, and checksums that fit."""
    files = {piece.path: piece.data async for piece in desk.export("a", "beir")}
    about = json.loads(files["export.json"]) | {"digest": manifest["digest"]}
    files |= {"manifest.json": canonical(manifest), "export.json": canonical(about)}
    for part in PARTS:
        for portion in manifest["parts"][part]:
            files[f"parts/{portion['digest']}"] = records.blobs[portion["digest"]]
    del files["SHA256SUMS"]
    files["SHA256SUMS"] = "".join(f"{sha256(data)}  {path}\n" for path, data in sorted(files.items())).encode()
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return ExportedFolder(folder)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("value", [None, [], {"a": 1}])
async def test_rows_of_any_form_are_findings(desk, records, tmp_path, part, value):
    await desk.create("a", Selection())
    manifest = (await desk.show("a")).manifest
    for name in rows_of(records, manifest, part)[0]:
        rows = [row | {name: value} for row in rows_of(records, manifest, part)]
        if value is None:
            rows = [{each: row[each] for each in row if each != name} for row in rows]
        data = b"".join(map(canonical, rows))
        records.blobs[sha256(data)] = data
        made = {**manifest, "parts": {**manifest["parts"], part: [{"digest": sha256(data), "rows": len(rows)}]}}
        made["digest"] = digest_of(made)
        folder = await laid_out(desk, records, tmp_path / name, made)
        found = [line async for each in FolderCheck(EXPORTERS).verify(folder) for line in each.problems]
        assert any(line.startswith(f"{part}: ") for line in found), (name, found)


@pytest.mark.parametrize(
    "changes",
    [
        {"counts": []}, {"counts": {"queries": "many", "codes": 1, "pairs": 1}},
        {"counts": 3}, {"inputs": "x"}, {"inputs": {"languages": 5}}, {"inputs": {"licences": [[]]}}, {"parts": []},
        {"parts": {"queries": [{"digest": 3, "rows": 1}], "codes": [], "labels": []}},
    ],
    ids=json.dumps,
)  # fmt: skip
async def test_a_manifest_of_any_form_is_read_or_refused_in_words(desk, changes):
    await desk.create("a", Selection())
    made = (await desk.show("a")).manifest | changes
    with pytest.raises(NotAManifestError, match="it lacks"):
        read_manifest(canonical(made | {"digest": digest_of(made)}))


@pytest.mark.parametrize("record", [b"[]", b"{", b'{"pair":3}', b'{"pair":{"code":[]},"steps":3}', b'{"steps":[1]}'])
async def test_a_record_of_any_form_is_a_finding(desk, records, record):
    await desk.create("a", Selection())
    records.blobs[sha256(record)] = record
    manifest = forged(
        records, (await desk.show("a")).manifest, "labels", lambda row: row.update(record_digest=sha256(record))
    )
    assert "pair " in await proved(records, manifest)
