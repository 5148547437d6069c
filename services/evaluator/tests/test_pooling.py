"""Unjudged pairs are judged for an evaluation, and the evaluation says what rests on them."""

import json
from argparse import Namespace

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.adapters.judging import how_far, judge, parts_of
from evaluator.domain.judged import PairAsked
from evaluator.domain.labelled import Labelled, measured
from evaluator.domain.pooling import still_unjudged, unjudged
from evaluator.domain.retrieval import condensed
from evaluator.offline import queries_scored, retrieval
from touchstone.annotator.v1 import annotator_pb2 as pb
from touchstone.annotator.v1 import annotator_pb2_grpc as rpc
from touchstone_runtime.query_sets import QuerySet

codes = st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, max_size=16)


@given(st.lists(codes, max_size=3), st.sets(st.sampled_from("abcdefgh")), st.sets(st.sampled_from("ijk")))
def test_nothing_is_asked_that_has_a_label_or_stands_lower(rankings, judged, undecided):
    found = unjudged([{"q": ranking} for ranking in rankings], {"q": judged}, {"q": undecided})
    shown = {code for ranking in rankings for code in [code for code in ranking if code not in undecided][:10]}
    assert {code for _, code in found} == shown - judged and len(found) == len(set(found))


def test_what_many_engines_show_comes_first_and_queries_of_no_label_are_left_out():
    runs = [{"q": ["a", "b", "c"], "r": ["a"]}, {"q": ["c", "b"]}, {"q": ["d"]}]
    assert unjudged(runs, {"q": set()}, {}) == [("q", "c"), ("q", "b"), ("q", "a"), ("q", "d")]
    assert still_unjudged({"q": [f"{n}" for n in range(30)]}, {"q": {"0"}}, {"q": {"1"}}) == 9


@given(codes, st.sets(st.sampled_from("abcdefgh")), st.sets(st.sampled_from("cdefghijklm")))
def test_what_is_measured_and_has_no_label_is_counted_and_asked(ranking, judged, undecided):
    """Undecided codes leave the ranking before it is measured, so that what stood below comes among the ten."""
    queries = QuerySet({}, {"q": "ask"}, {"q": frozenset("a")}, {"q": frozenset(judged | {"a"})}, {"q": undecided})
    measured_places = condensed({"q": ranking}, queries.undecided)["q"][:10]
    [result] = queries_scored(queries, {"run": {"q": ranking}}, None)
    unlabelled = set(measured_places) - judged - {"a"}
    assert result["unjudged_at_10"] == len(unlabelled)
    assert {code for _, code in unjudged([{"q": ranking}], queries.judged, queries.undecided)} == unlabelled
    held = Labelled("one", "d", queries.queries, queries.labels, queries.judged, queries.undecided)
    assert measured(held, {"q": ranking}).unjudged_at_10 == len(unlabelled)


class Annotator(rpc.AnnotatorServiceServicer):
    """Says yes to codes that hold a y, no to those with an n; nobody can tell about others."""

    def __init__(self):
        self.requests = []

    async def Judge(self, request, context):
        self.requests.append(request)
        for place, asked in enumerate(request.pairs):
            answer = pb.JudgeResponse(place=place, done=place + 1, total=len(request.pairs))
            if place >= request.budget:
                answer.refused = "the budget is spent"
            else:
                outcome = "yes" if "y" in asked.code else "no" if "n" in asked.code else "undecided"
                answer.pair.CopyFrom(pb.LabelledPair(outcome=outcome))
                answer.fresh = True
            yield answer


@pytest.fixture
async def annotator():
    server, servicer = grpc.aio.server(), Annotator()
    rpc.add_AnnotatorServiceServicer_to_server(servicer, server)
    servicer.address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
    await server.start()
    yield servicer
    await server.stop(None)


@pytest.fixture
def options(tmp_path, annotator):
    texts = {"a": "label", "b": "y code", "c": "n code", "d": "odd code", "e": "never"}
    rows = [{"_id": name, "text": text, "language": "go" if name == "b" else ""} for name, text in texts.items()]
    files = {
        "corpus.jsonl": "".join(f"{json.dumps(row)}\n" for row in rows),
        "queries.jsonl": '{"_id": "q", "text": "ask"}\n',
        "qrels_test.tsv": "query-id\tcorpus-id\tscore\nq\ta\t1\n",
        "mine.run": "q Q0 b 1 5 t\nq Q0 d 2 4 t\nq Q0 a 3 3 t\nq Q0 c 4 2 t\nq Q0 gone 5 1 t\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return Namespace(
        beir=tmp_path, split="test", run=[tmp_path / "mine.run"], baseline=None, identity=None, judge=10,
        annotator=annotator.address, language="python",
    )  # fmt: skip


async def test_an_evaluation_says_what_rests_on_new_labels(options, annotator, capsys):
    assert await retrieval(options) == 0
    [result] = json.loads(capsys.readouterr().out)
    [request] = annotator.requests
    assert [(each.query, each.code, each.language, each.function_id) for each in request.pairs] == [
        ("ask", "y code", "go", "b"), ("ask", "odd code", "python", "d"), ("ask", "n code", "python", "c"),
    ]  # fmt: skip
    assert result["new_labels"] == {"yes": 1, "no": 1, "undecided": 1, "judged_now": 3}
    assert (result["mrr"], result["before"]["mrr"]) == (1.0, pytest.approx(1 / 3))
    # Of the first places only a code that the corpus lacks is left.
    assert (result["unjudged_at_10"], result["before"]["unjudged_at_10"]) == (1, 4)
    assert {"mrr", "ndcg_at_10", "success_at_1", "unjudged_at_10"} <= set(result["rests_on_new_labels"])
    assert "queries" not in result["rests_on_new_labels"] and "success_at_10" not in result["rests_on_new_labels"]


async def test_what_comes_among_the_ten_where_undecided_codes_leave_is_judged_too(options, annotator, capsys):
    corpus = [{"_id": f"{n:02}", "text": "odd code" if n < 12 else "n code"} for n in range(14)]
    (options.beir / "corpus.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in corpus))
    (options.beir / "mine.run").write_text("".join(f"q Q0 {n:02} 0 {99 - n} t\n" for n in range(14)))
    options.judge = 100
    assert await retrieval(options) == 0
    [result] = json.loads(capsys.readouterr().out)
    assert [len(request.pairs) for request in annotator.requests] == [10, 4]
    assert [request.budget for request in annotator.requests] == [100, 90]
    assert result["new_labels"] == {"yes": 0, "no": 2, "undecided": 12, "judged_now": 14}
    assert (result["unjudged_at_10"], result["before"]["unjudged_at_10"]) == (0, 10)


async def test_what_the_budget_leaves_stays_unjudged(options, capsys):
    options.judge = 1
    assert await retrieval(options) == 0
    [result] = json.loads(capsys.readouterr().out)
    assert result["new_labels"]["judged_now"] == 1 and result["unjudged_at_10"] == 3


async def test_nobody_is_asked_unless_it_is_wished(options, annotator, capsys):
    options.judge = 0
    assert await retrieval(options) == 0
    [result] = json.loads(capsys.readouterr().out)
    assert not annotator.requests and "new_labels" not in result and result["unjudged_at_10"] == 4


async def test_more_pairs_than_a_message_holds_are_asked_within_one_budget(annotator):
    pairs = [PairAsked("q", f"c{n}", "ask", "y" * 1_500_000, "go") for n in range(6)]
    found = await judge(annotator.address, None, pairs, 3)
    assert [(len(request.pairs), request.budget) for request in annotator.requests] == [(2, 3), (2, 1), (2, 0)]
    assert [each.code_id for each in found] == ["c0", "c1", "c2"]


@given(st.lists(st.integers(0, 9), max_size=9))
def test_parts_hold_all_pairs_in_their_order_and_no_more_than_a_message_holds(sizes):
    pairs = [PairAsked("q", f"c{n}", "", "x" * size, "go") for n, size in enumerate(sizes)]
    parts = list(parts_of(pairs, 9))
    assert [pair for _, part in parts for pair in part] == pairs
    for before, part in parts:
        assert part and pairs[before] is part[0]
        assert sum(len(pair.text) for pair in part) <= 9


async def test_an_annotator_that_is_away_is_told_in_one_line(options, capsys):
    options.annotator = "127.0.0.1:9"
    assert await retrieval(options) == 1
    told = capsys.readouterr()
    assert "127.0.0.1:9" in told.err and len(told.err.splitlines()) == 1 and not told.out


@pytest.mark.parametrize(
    ("so_far", "line"),
    [
        ((3, 9, 0, 5, 1.0), "judged: 3 of 9"),
        ((3, 1009, 2, 5, 120.0), "judged: 3 of 1,009, about 3 min left"),
        ((8, 9, 5, 5, 99.0), "judged: 8 of 9"),
        ((9, 9, 5, 8, 99.0), "judged: 9 of 9"),
        ((8, 9, 8, 20, 8.0), "judged: 8 of 9, about 1 min left"),
    ],
)
def test_a_long_judgement_says_how_far_it_is(so_far, line):
    assert how_far(*so_far) == line
