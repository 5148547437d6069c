"""`touchstone labels` against an annotator that answers as told."""

import json

import pytest


@pytest.fixture
def release(world):
    return world.pb.annotator.Release(
        name="2026-06", digest="d" * 64, manifest_digest="e" * 64, queries=2, codes=5, pairs=6,
        created_at="2026-06-01T10:00:00+00:00",
    )  # fmt: skip


def manifest(since=None):
    counts = {"queries": 2, "queries_with_an_answer": 1, "codes": 5, "pairs": 6, "yes": 2, "no": 2, "undecided": 2}
    groups = {"codes_by_language": {"python": 5}, "codes_by_licence": {"MIT": 5}, "pairs_by_decider": {"person": 6}}
    return {"name": "2026-06", "counts": counts | groups, "methods": ["full-1"], "since": since}


CHANGES = {
    "added": {"queries": 1, "codes": 0, "labels": 3},
    "removed": {"queries": 0, "codes": 0, "labels": 0},
    "labels_changed": {"no to yes": 2},
    "labels_the_same_and_judged_anew": 1,
    "changed": [{"pair_id": "p" * 32, "was": "no", "now": "yes", "by": "person", "reason": "read\n\x1b[2Jit"}],
    "changed_and_not_listed": 1,
}


def test_a_release_of_labels_is_created_from_filters(touchstone, world, release):
    world.answers["CreateRelease"] = world.pb.annotator.CreateReleaseResponse(release=release, already=True)
    done = touchstone(
        "labels", "release", "create", "2026-06", "--language", "Python", "--licence", "MIT", "--decided-by", "person",
        "--since", "2026-05",
    )  # fmt: skip
    assert done.out == f"2026-06: 2 queries, 5 codes, 6 pairs, digest {'d' * 64}\n" and "It was there" in done.err
    (request,) = world.asked("CreateRelease")
    assert (list(request.languages), list(request.licences)) == (["python"], ["MIT"])
    assert (list(request.decided_by), request.since) == (["person"], "2026-05")
    assert json.loads(touchstone("labels", "release", "create", "2026-06", "--json").out)["already"] is True


def test_releases_of_labels_are_listed(touchstone, world, release):
    world.answers["ListReleases"] = world.pb.annotator.ListReleasesResponse(releases=[release])
    assert "2026-06\t2\t5\t6\t2026-06-01T10:00:00" in touchstone("labels", "release", "list").out
    (listed,) = json.loads(touchstone("labels", "release", "list", "--json").out)
    assert listed["pairs"] == 6
    world.answers["ListReleases"] = world.pb.annotator.ListReleasesResponse()
    assert "labels release create" in touchstone("labels", "release", "list").err


def test_a_release_of_labels_is_shown_with_what_changed(touchstone, world, release):
    since = {"name": "2026-05", "digest": "c" * 64, "changes": CHANGES}
    world.answers["GetRelease"] = world.pb.annotator.GetReleaseResponse(
        release=release, manifest_json=json.dumps(manifest(since))
    )
    shown = touchstone("labels", "release", "show", "2026-06")
    assert "undecided\t2" in shown.out and "codes by licence: MIT\t5" in shown.out
    assert "since 2026-05 (digest cccccccccccc):\n  added: 1 queries, 3 labels\n  removed: nothing" in shown.out
    assert "labels changed: 2 from no to yes" in shown.out and "and 1 more" in shown.out
    assert "pppppppp: no to yes, by person: read �[2Jit" in shown.out
    answer = json.loads(touchstone("labels", "release", "show", "2026-06", "--json").out)
    assert answer["manifest"] == manifest(since)
    world.answers["GetRelease"] = world.pb.annotator.GetReleaseResponse(
        release=release, manifest_json=json.dumps(manifest())
    )
    assert "since" not in touchstone("labels", "release", "show", "2026-06").out


def checked(world, *problems):
    pb = world.pb.annotator
    return [
        pb.VerifyReleaseResponse(part="labels", done=number, total=len(problems), problems=lines)
        for number, lines in enumerate(problems, 1)
    ]


def test_verification_says_what_differs(touchstone, world):
    world.answers["VerifyRelease"] = lambda request: iter(checked(world, [], []))
    done = touchstone("labels", "release", "verify", "2026-06")
    assert (done.code, done.out) == (0, "2026-06: verified, 2 of 2 portions\n")
    world.answers["VerifyRelease"] = lambda request: iter(checked(world, [], ["pair 1: label is 1"]))
    done = touchstone("labels", "release", "verify", "2026-06", "--json")
    assert done.code == 1 and "pair 1: label is 1" in done.err
    assert json.loads(done.out)["verified"] is False
    world.answers["VerifyRelease"] = lambda request: iter(checked(world, [], [])[:1])
    assert "NOT verified" in touchstone("labels", "release", "verify", "2026-06").out


def test_a_folder_without_a_release_is_told_in_one_line(touchstone, tmp_path):
    (tmp_path / "manifest.json").write_text("{}")
    done = touchstone("labels", "release", "verify", tmp_path)
    assert done.code == 1 and "its format is None" in done.err and len(done.err.splitlines()) == 1


def test_an_export_is_written_to_a_folder(touchstone, world, tmp_path):
    pb = world.pb.annotator
    pieces = [("corpus.jsonl", b"a"), ("corpus.jsonl", b"b"), ("qrels/test.tsv", b"c"), ("SHA256SUMS", b"")]
    world.answers["ExportRelease"] = lambda request: iter(
        [pb.ExportReleaseResponse(path=path, data=data) for path, data in pieces]
    )
    done = touchstone("labels", "release", "export", "2026-06", "--out", tmp_path / "out", "--format", "COSQA")
    assert "3 files" in done.out and (tmp_path / "out/corpus.jsonl").read_bytes() == b"ab"
    assert world.asked("ExportRelease")[0].format == "cosqa"
    refused = touchstone("labels", "release", "export", "2026-06", "--out", tmp_path / "more", "--format", "csv")
    assert refused.code == 2 and "beir, cosqa" in refused.err


def test_commands_two_levels_down_are_completed():
    from touchstone_cli.completion import words_for

    assert words_for(["touchstone", "labels", "release", "ver"], 3) == ["verify"]
    assert "--format" in words_for(["touchstone", "labels", "release", "export", "--f"], 4)
