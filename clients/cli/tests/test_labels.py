"""`touchstone labels` against an annotator that answers as told."""

import json

import pytest

from touchstone.common.v1 import progress_pb2
from touchstone_cli.how_far import HowFar
from touchstone_contracts.manifests import canonical, sha256


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
    world.answers["GetRelease"] = world.pb.annotator.GetReleaseResponse(
        release=release, manifest_json=json.dumps(manifest())
    )
    done = touchstone(
        "labels", "release", "create", "2026-06", "--language", "Python", "--licence", "MIT", "--decided-by", "person",
        "--since", "2026-05",
    )  # fmt: skip
    assert done.out == f"2026-06: 2 queries, 5 codes, 6 pairs, digest {'d' * 64}\n" and "It was there" in done.err
    (request,) = world.asked("CreateRelease")
    assert (list(request.languages), list(request.licences)) == (["python"], ["MIT"])
    assert (list(request.decided_by), request.since) == (["person"], "2026-05")
    assert json.loads(touchstone("labels", "release", "create", "2026-06", "--json").out)["already"] is True


def test_a_release_that_was_compared_with_none_since_that_one_is_broken_says_so(touchstone, world, release):
    world.answers["CreateRelease"] = world.pb.annotator.CreateReleaseResponse(release=release)
    since = {"name": "2026-05", "digest": "c" * 64, "changes": None, "why": "a portion of it is missing"}
    world.answers["GetRelease"] = world.pb.annotator.GetReleaseResponse(
        release=release, manifest_json=json.dumps(manifest(since))
    )
    told = "what changed since 2026-05 (digest cccccccccccc) is not known"
    done = touchstone("labels", "release", "create", "2026-06", "--json")
    assert done.code == 0 and told in done.err and "a portion of it is missing" in done.err and json.loads(done.out)
    assert told in touchstone("labels", "release", "show", "2026-06").out


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
    assert "since 2026-05 (digest cccccccccccc):\n  added: 1 query, 3 labels\n  removed: nothing" in shown.out
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


def test_what_lies_in_a_folder_beside_the_release_is_named(touchstone, tmp_path):
    content = {"format": "touchstone-labels/1", "counts": {}, "methods": []}
    content["parts"] = {"queries": [], "codes": [], "labels": []}
    written = {"name": "a", "digest": sha256(canonical(content)), **content}
    (tmp_path / "manifest.json").write_bytes(canonical(written))
    (tmp_path / ".DS_Store").write_bytes(b"")
    (tmp_path / "a\nb").write_bytes(b"")
    done = touchstone("labels", "release", "verify", tmp_path, "--json")
    answer = json.loads(done.out)
    assert (done.code, answer["strays"]) == (1, [".DS_Store", "a\nb"])
    assert f"{tmp_path}/.DS_Store is a file that is no part of the release" in answer["problems"]
    assert f"{tmp_path}/.DS_Store is a file that is no part of the release\n" in done.err
    assert f"{tmp_path}/a b is a file that is no part of the release\n" in done.err, "a name makes no line of its own"


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


# -- queries, pairs and labels that are brought -------------------------------------------------------------------


def test_queries_are_imported_from_text_and_json_each_once(touchstone, world, tmp_path):
    pb = world.pb.retriever
    world.answers["ImportQueries"] = lambda request: pb.ImportQueriesResponse(
        query_ids=[f"id {query.text}" for query in request.queries]
    )
    file = tmp_path / "queries.txt"
    file.write_text('sort a list\n\n{"text": "sum  a list"}\n{"query": "sort a  list"}\n{"text": " "}\n' + "x" * 2001)
    done = touchstone("queries", "import", file, "--candidates", "5")
    assert (done.code, done.out) == (0, "2 queries imported from queries.txt\n")
    assert "left out: 1 too long, 1 met before, 1 empty" in done.err
    (request,) = world.asked("ImportQueries")
    assert [(query.text, query.origin) for query in request.queries] == [
        ("sort a list", "queries.txt"), ("sum a list", "queries.txt"),
    ]  # fmt: skip
    assert request.candidates == 5
    answer = json.loads(touchstone("queries", "import", file, "--json", "--origin", "me").out)
    assert answer["imported"] == 2 and answer["query_ids"][0] == "id sort a list"
    # What the platform met before is left out and counted as well.
    world.answers["ImportQueries"] = pb.ImportQueriesResponse(query_ids=["a", "b"], met_before=2)
    done = touchstone("queries", "import", file)
    assert (done.code, done.out) == (0, "0 queries imported from queries.txt\n") and "3 met before" in done.err
    answer = json.loads(touchstone("queries", "import", file, "--json").out)
    assert (answer["imported"], answer["left_out"]["met before"], answer["query_ids"]) == (0, 3, ["a", "b"])


@pytest.mark.parametrize(
    ("text", "words"),
    [("", "holds no query"), ('{"text": 3}', ":1: has no `text`"), ("{", ":1: is no JSON"), (None, "cannot be read")],
)
def test_files_without_queries_are_told_in_one_line(touchstone, world, tmp_path, text, words):
    file = tmp_path / "queries.txt"
    if text is not None:
        file.write_text(text)
    done = touchstone("queries", "import", file)
    assert done.code == 1 and words in done.err and len(done.err.splitlines()) == 1 and not done.out
    # Who reads the answer as data is told it by the exit code too, with what was left out.
    as_data = touchstone("queries", "import", file, "--json")
    assert (as_data.code, as_data.err) == (done.code, done.err)
    assert text or text is None or json.loads(as_data.out)["imported"] == 0


def test_many_queries_travel_in_batches(touchstone, world, tmp_path):
    pb = world.pb.retriever
    world.answers["ImportQueries"] = lambda request: pb.ImportQueriesResponse(query_ids=["i"] * len(request.queries))
    (tmp_path / "q").write_text("".join(f"query {number}\n" for number in range(450)))
    assert touchstone("queries", "import", tmp_path / "q").out.startswith("450 queries")
    assert [len(request.queries) for request in world.asked("ImportQueries")] == [200, 200, 50]


def test_lists_go_on_by_their_cursor(touchstone, world):
    pb = world.pb.retriever

    def answer(request):
        start = int(request.page_token or 0)
        places = range(start, start + request.limit)
        queries = [pb.QueryInfo(query_id=f"{n:032}", text=f"q{n}", proposed=n) for n in places]
        return pb.ListQueriesResponse(queries=queries, next_page_token=str(start + request.limit))

    world.answers["ListQueries"] = answer
    found = json.loads(touchstone("queries", "list", "--limit", "700", "--json").out)
    assert [query["text"] for query in found] == [f"q{n}" for n in range(700)]
    assert [request.limit for request in world.asked("ListQueries")] == [500, 200]
    world.answers["ListQueries"] = pb.ListQueriesResponse()
    assert "queries import" in touchstone("queries", "list").err


def labelled(world, **more):
    fields = {
        "pair_id": "ab" * 16, "query": "reverse\na string", "code": "def f(x): ...", "label": 1, "outcome": "yes",
        "decided_by": "arbiter", "method_id": "full-1", "reason": "it [does]", "score": 0.75, "licence": "MIT",
        "qualname": "f", "repository": "boltons",
    }  # fmt: skip
    return world.pb.annotator.LabelledPair(**{**fields, **more})


def test_pairs_are_listed_as_asked(touchstone, world):
    world.answers["ListPairs"] = world.pb.annotator.ListPairsResponse(pairs=[labelled(world)])
    done = touchstone("pairs", "list", "--outcome", "YES", "--language", "Go", "--disputed", "--decided-by", "arbiter")
    assert "abababab\tyes\tarbiter\t0.75\treverse a string\tboltons f" in done.out
    (request,) = world.asked("ListPairs")
    assert (request.outcome, request.language, request.disputed, request.decided_by) == ("yes", "go", True, "arbiter")
    assert json.loads(touchstone("pairs", "list", "--json").out)[0]["score"] == 0.75
    refused = touchstone("pairs", "list", "--outcome", "maybe")
    assert refused.code == 2 and "yes, no, undecided" in refused.err


def test_what_waits_is_listed_in_its_order_with_the_budget_and_why_it_is_held(touchstone, world):
    pb = world.pb.annotator
    held = "3 proposed pairs are held: 2 of 2 pairs a day are begun (goes on 2026-11-26 00:00 UTC; …)"
    state = pb.WaitingState(
        waiting=4, begun=1, aside=1, held=held, period="day", ends="2026-11-26T00:00:00+00:00",
        pairs=pb.PoolSpending(spent=2, most=2), tokens=pb.PoolSpending(spent=900),
    )  # fmt: skip
    pairs = [
        pb.WaitingPair(pair_id="a" * 32, query="sort a list", qualname="f", priority=1.5, judged=0, begun=True),
        pb.WaitingPair(pair_id="b" * 32, query="sum\nit", qualname="g", priority=0.75, judged=3, aside="it broke"),
    ]
    world.answers["ListWaiting"] = pb.ListWaitingResponse(pairs=pairs, state=state)
    told = touchstone("pairs", "waiting", "--limit", "7")
    assert world.asked("ListWaiting")[0].limit == 7
    assert "aaaaaaaa\t1.50\t0\tbegun\tsort a list\tf" in told.out and "set aside\tsum it\tg" in told.out
    assert "bbbbbbbb: set aside: it broke" in told.err and "4 pairs waiting, 1 set aside" in told.err
    assert "budget of pairs a day: 2 of 2" in told.err and held in told.err and "tokens" not in told.err
    assert "not taken in" not in told.err
    # What is announced and was not taken in stands in no list, and is told with the reason all the same.
    stands = ["judging f for: sort", "touchstone.pair.proposed.v1: waiting: NoModelError: no model is called 'x'"]
    counters = [progress_pb2.Counter(name="pairs_held", value=3)]
    progress = progress_pb2.Progress(lag=5, counters=counters, activities=stands)
    world.answers["ANNOTATOR.Progress"] = pb.ProgressResponse(progress=progress)
    told = touchstone("pairs", "waiting").err
    assert f"4 proposals more announced and not taken in yet; {stands[1]}" in told and stands[0] not in told
    answer = json.loads(touchstone("pairs", "waiting", "--json").out)
    assert answer["state"]["pairs"] == {"spent": 2.0, "most": 2.0} and answer["pairs"][1]["aside"] == "it broke"


def test_a_pair_is_shown_with_labels_of_before(touchstone, world):
    other = labelled(world, outcome="no", label=0, decided_by="screener", reason="was\nwrong")
    world.answers["GetPair"] = world.pb.annotator.GetPairResponse(pair=labelled(world), others=[other])
    world.answers["GetPair"].pair.steps.add(name="test_program", outcome="2 cases", content="f([1]) == [2]")
    done = touchstone("pairs", "show", "abab")
    assert "1. test_program: 2 cases\nf([1]) == [2]\n" in done.out
    assert "The code answers the query: it [does]" in done.out and "def f(x): ..." in done.out
    assert "before: no by screener (full-1): was wrong" in done.err and "licence: MIT" in done.err
    assert json.loads(touchstone("pairs", "show", "abab", "--json").out)["others"][0]["outcome"] == "no"


def test_training_data_is_written_whole_or_not_at_all(touchstone, world, tmp_path):
    pb, out = world.pb.annotator, tmp_path / "labels.jsonl"
    world.answers["ExportPairs"] = lambda request: iter([pb.ExportPairsResponse(lines=["{}", "[]"])] * 2)
    assert touchstone("pairs", "export", "--out", out).out == f"4 labelled pairs in {out}\n"
    assert out.read_text() == "{}\n[]\n{}\n[]\n"
    assert "--force" in touchstone("pairs", "export", "--out", out).err

    def broken(request):
        yield pb.ExportPairsResponse(lines=["x"])
        raise RuntimeError

    world.answers["ExportPairs"] = broken
    assert touchstone("pairs", "export", "--out", out, "--force").code == 1
    assert out.read_text() == "{}\n[]\n{}\n[]\n" and [path.name for path in tmp_path.glob("labels*")] == [out.name]


def test_labels_are_imported_and_refusals_name_their_line(touchstone, world, tmp_path):
    pb = world.pb.annotator
    world.answers["ImportLabels"] = pb.ImportLabelsResponse(
        stored=1, already=1, refused=[pb.RefusedLabel(place=1, reason="its code is empty")]
    )
    file = tmp_path / "mine.jsonl"
    file.write_text(
        '{"query": "q", "code": "c", "label": 1, "licence": "MIT", "id": 7}\n\n{"query": "q", "code": "", "label": 0}\n'
    )
    done = touchstone("labels", "import", file)
    assert done.out == "1 label imported from mine.jsonl, 1 known before\n" and done.code == 0
    assert f"{file}:3: refused: its code is empty" in done.err
    (request,) = world.asked("ImportLabels")
    assert (request.origin, request.labels[0].licence, request.labels[1].label) == ("mine.jsonl", "MIT", 0)
    assert request.unnamed, "another's file may have this name"
    touchstone("labels", "import", file, "--origin", "me")
    assert (world.asked("ImportLabels")[-1].origin, world.asked("ImportLabels")[-1].unnamed) == ("me", False)
    other = "pair ab: people's label was no\nfake: line"
    world.answers["ImportLabels"] = pb.ImportLabelsResponse(
        stored=1, already=1, refused=[pb.RefusedLabel(place=1, reason="its code is empty")],
        contradicting=[pb.RefusedLabel(place=0, reason=other)],
    )  # fmt: skip
    told = touchstone("labels", "import", file).err
    assert f"{file}:1: stored, but people said otherwise: pair ab: people's label was no fake: line\n" in told
    answer = json.loads(touchstone("labels", "import", file, "--json", "--unfiltered").out)
    assert answer["contradicting"] == [{"line": 1, "reason": other}]
    assert answer["refused"] == [{"line": 3, "reason": "its code is empty"}]
    assert world.asked("ImportLabels")[-1].unfiltered
    world.answers["ImportLabels"] = pb.ImportLabelsResponse(refused=[pb.RefusedLabel(reason="x")])
    assert touchstone("labels", "import", file).code == 1


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"query": "q", "code": "c"}', "label is None"),
        ('{"query": "q", "code": "c", "label": true}', "label is True"),
        ('{"query": "q", "label": 1}', "code is missing"),
        ('{"query": "q", "code": 3, "label": 1}', "code is no text"),
        ('{"query": "q", "code": "c", "label": 1, "labels": 2}', "labels is not known"),
        ("[1]", "is no JSON object"),
        ('{"query": "\\ud800", "code": "c", "label": 1}', "half of a letter"),
        (f'{{"query": {"[" * 100_000}', "nested too deeply"),
        ("{'query'", "is no JSON ("),
    ],
)
def test_lines_that_are_no_labels_are_told_with_their_number(touchstone, world, tmp_path, line, words):
    (tmp_path / "mine.jsonl").write_text(f"\n{line}\n")
    done = touchstone("labels", "import", tmp_path / "mine.jsonl")
    assert done.code == 1 and words in done.err and ":2: " in done.err and len(done.err.splitlines()) == 1


def test_long_labels_travel_in_calls_that_a_token_may_make(touchstone, world, tmp_path):
    world.answers["ImportLabels"] = lambda request: world.pb.annotator.ImportLabelsResponse(stored=len(request.labels))
    line = json.dumps({"query": "q", "code": "é" * 190_000, "label": 1})
    # A mark of the encoding is no part of the first line.
    (tmp_path / "mine.jsonl").write_text(f"\ufeff{line}\n" * 1 + f"{line}\n" * 4)
    assert touchstone("labels", "import", tmp_path / "mine.jsonl").out.startswith("5 labels imported")
    asked = world.asked("ImportLabels")
    assert [len(request.labels) for request in asked] == [2, 2, 1]
    assert max(request.ByteSize() for request in asked) < 4 << 20


def test_how_far_a_long_import_is_is_said_with_the_time_left(capsys):
    seconds = iter(range(0, 1000, 2))
    far = HowFar("lines read", 20_000, lambda: float(next(seconds)))
    for done in range(0, 20_001, 100):
        far.at(done)
    said = capsys.readouterr().err.splitlines()
    assert "9,900 of 20,000 lines read, about 3 min 24 s left" in "\n".join(said) and "20,000 of" not in said[-1]


def test_an_evaluation_has_unjudged_pairs_judged_and_says_what_rests_on_them(touchstone, world, tmp_path):
    pb = world.pb.annotator

    def judged(request):
        for place in range(request.budget):
            pair = pb.LabelledPair(outcome="yes")
            yield pb.JudgeResponse(place=place, done=place + 1, total=len(request.pairs), pair=pair, fresh=True)

    world.answers["Judge"] = judged
    (tmp_path / "corpus.jsonl").write_text("".join(f'{{"_id": "{name}", "text": "code {name}"}}\n' for name in "abc"))
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "find a"}\n')
    (tmp_path / "qrels_test.tsv").write_text("query-id\tcode-id\tscore\n1\ta\t1\n")
    run = tmp_path / "our.run"
    run.write_text("1 Q0 b 1 0.5 t\n1 Q0 a 2 0.4 t\n1 Q0 c 3 0.3 t\n")
    done = touchstone("retrieval", "evaluate", "--beir", tmp_path, "--run", run, "--judge", "1")
    assert f"{run}: new labels: 1 yes, 0 no, 0 undecided, 1 judged now; resting on them: " in done.err
    assert "MRR (0.5000 without)" in done.err and "Success@10" not in done.err
    assert f"{run}: 1 pair of the first ten places without a label, counted as wrong" in done.err
    (request,) = world.asked("Judge")
    assert [pair.code for pair in request.pairs] == ["code b", "code c"] and request.budget == 1


@pytest.fixture
def scored(world):
    names = ("ndcg_at_10", "mrr", "recall_at_10", "map_at_10_of_all", "success_at_1", "success_at_10")
    interval = world.pb.evaluator.Interval(value=0.5, low=0.4, high=0.625)
    most = world.pb.evaluator.Interval(value=0.75, low=0.5, high=1.0)
    return world.pb.evaluator.RetrievalScore(
        labels="2026-06", labels_digest="d" * 64, retriever="plain:text", queries=40, answerable=41,
        measures=dict.fromkeys(names, interval), condensed=dict.fromkeys(names, most),
        unjudged_at_10=7, indexed=9999, generation="g-12ab", index_digest="e" * 64,
        scored_at="2026-06-02T10:00:00+00:00",
    )  # fmt: skip


def test_scores_of_retrievers_are_listed_with_their_intervals(touchstone, world, scored):
    answer = world.answers["ListRetrievalScores"] = world.pb.evaluator.ListRetrievalScoresResponse(scores=[scored])
    shown = touchstone("labels", "scores", "2026-06")
    cell = "0.5000 (0.4000 to 0.6250), most 0.7500"
    row = [
        "2026-06",
        "plain:text",
        "40 of 41",
        cell,
        cell,
        cell,
        cell,
        cell,
        "7",
        "d" * 12,
        f"g-12ab, 9,999 codes {'e' * 12}",
    ]
    row.append("2026-06-02T10:00:00")
    assert shown.out.splitlines()[-1].split("\t") == row and "1 score" in shown.err
    (told,) = json.loads(touchstone("labels", "scores", "--current", "--history", "--json").out)
    assert told["measures"]["success_at_10"] == {"value": 0.5, "low": 0.4, "high": 0.625}
    asked = world.asked("ListRetrievalScores")
    assert [(each.labels, each.history) for each in asked] == [("2026-06", False), ("(current)", True)]
    answer.scores[0].measures["mrr"].value = 0.75
    del answer.scores[0].measures["recall_at_10"]
    cells = touchstone("labels", "scores", "2026-06").out.splitlines()[-1].split("\t")
    assert cells[3:6] == [cell, "0.7500 (0.4000 to 0.6250)", "most 0.7500"], "what nobody measured is no zero"
    world.answers["ListRetrievalScores"] = world.pb.evaluator.ListRetrievalScoresResponse()
    assert "Nothing is scored yet" in touchstone("labels", "scores").err


def test_pools_are_shown_by_what_the_models_share_and_by_version(touchstone, world):
    pb = world.pb.retriever
    overlap = pb.ModelOverlap(first="a", second="b", shared=0.456, pools=7)
    versions = [pb.PoolVersion(version=1, entered=20, made_at="2026-11-23T01:02:03+00:00"), pb.PoolVersion(version=2)]
    world.answers["DescribePools"] = lambda request: pb.DescribePoolsResponse(
        overlaps=[overlap], versions=versions if request.query_id else []
    )
    assert touchstone("queries", "pools").out.splitlines() == ["model\tand\tshared\tpools", "a\tb\t0.46\t7"]
    one = touchstone("queries", "pools", "--query", "q1").out.splitlines()
    assert one[:2] == ["version\tentered\tmade", "1\t20\t2026-11-23T01:02:03"] and one[-1].startswith("a\tb")
    assert json.loads(touchstone("queries", "pools", "--json").out)["overlaps"][0]["pools"] == 7
    world.answers["DescribePools"] = pb.DescribePoolsResponse()
    assert "no pool yet" in touchstone("queries", "pools").err


def test_finetuning_is_the_embedders_work(touchstone, tmp_path):
    (tmp_path / "train.jsonl").write_text("{}\n")
    done = touchstone("labels", "finetune", "--triples", str(tmp_path / "train.jsonl"), "--out", str(tmp_path / "o"))
    assert done.code == 1 and "the model was not trained" in done.err
    wrong = touchstone("labels", "finetune", "--triples", "t", "--out", "o", "--device", "tpu")
    assert wrong.code == 2 and "--device" in wrong.err and "cuda" in wrong.err
