from __future__ import annotations

import json
import math
import subprocess
import sys

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluator.domain.clustered import Interval
from evaluator.domain.retrieval import (
    average_precision_at,
    condensed,
    gain,
    mean_of,
    ndcg_at,
    recall_at,
    reciprocal_rank,
    retrieval_scores,
    scores_by_query,
)
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.query_sets import ranked, read_beir, read_run, run_lines

codes = st.lists(st.sampled_from([f"c{n}" for n in range(30)]), unique=True, max_size=30)
correct_codes = st.sets(st.sampled_from([f"c{n}" for n in range(30)]), min_size=1, max_size=15)
MEASURES = (ndcg_at, average_precision_at, recall_at)


def test_the_measures_by_hand():
    ranking, correct = ["a", "x", "b", "y"], {"a", "b", "z"}
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert ndcg_at(10, ranking, correct) == pytest.approx((1 + 1 / math.log2(4)) / best)
    assert average_precision_at(10, ranking, correct) == pytest.approx((1 + 2 / 3) / 3)
    assert recall_at(10, ranking, correct) == pytest.approx(2 / 3)
    assert reciprocal_rank(["x", *ranking], correct) == 0.5


@given(codes, correct_codes)
def test_all_lie_between_zero_and_one(ranking, correct):
    for measure in MEASURES:
        assert 0 <= measure(10, ranking, correct) <= 1 + 1e-12
    assert 0 <= reciprocal_rank(ranking, correct) <= 1


@given(correct_codes, codes)
def test_a_perfect_ranking_scores_one(correct, others):
    ranking = [*sorted(correct), *(code for code in others if code not in correct)]
    assert ndcg_at(10, ranking, correct) == pytest.approx(1)
    assert average_precision_at(10, ranking, correct) == pytest.approx(1)
    assert reciprocal_rank(ranking, correct) == 1
    assert recall_at(10, ranking, correct) == min(10, len(correct)) / len(correct)


@given(codes, correct_codes, st.data())
def test_moving_a_correct_code_up_never_lowers_a_score(ranking, correct, data):
    places = [n for n, code in enumerate(ranking) if n and code in correct and ranking[n - 1] not in correct]
    if not places:
        return
    n = data.draw(st.sampled_from(places))
    better = [*ranking[: n - 1], ranking[n], ranking[n - 1], *ranking[n + 1 :]]
    for measure in MEASURES:
        assert measure(10, better, correct) >= measure(10, ranking, correct) - 1e-12
    assert reciprocal_rank(better, correct) >= reciprocal_rank(ranking, correct)


@given(codes, correct_codes)
def test_repeating_a_code_earns_nothing(ranking, correct):
    doubled = [code for code in ranking for _ in range(2)]
    for measure in MEASURES:
        assert measure(10, doubled, correct) == measure(10, ranking, correct)


def test_means_leave_out_queries_without_a_correct_code_and_count_unanswered_ones():
    scores = retrieval_scores({"q1": ["a"], "q3": ["x"]}, {"q1": {"a"}, "q2": {"b"}, "q3": set()})
    assert (scores.queries, scores.mrr, scores.recall_at_10) == (2, 0.5, 0.5)


def test_no_queries_score_zero():
    assert retrieval_scores({}, {}).mrr == 0.0


@given(
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3", "q4"]),
        st.dictionaries(
            st.sampled_from(["a", "b", "c", "d", "e"] + [f"x{n:02}" for n in range(12)]), st.integers(0, 6)
        ),
        min_size=1,
    ),
    st.dictionaries(
        st.sampled_from(["q1", "q2", "q3", "q4"]),
        st.dictionaries(
            st.sampled_from(["a", "b", "c", "d", "e"] + [f"x{n:02}" for n in range(12)]), st.integers(-1, 3)
        ),
        min_size=1,
    ),
)
def test_measures_are_those_of_the_reference_implementation(tmp_path_factory, run, qrels):
    """To 1e-9, grades of labels, ties of scores and unanswered queries among them."""
    folder = tmp_path_factory.mktemp("beir")
    (folder / "corpus.jsonl").write_text("")
    (folder / "queries.jsonl").write_text("")
    lines = [f"{query}\t{code}\t{grade}\n" for query, of_query in qrels.items() for code, grade in of_query.items()]
    (folder / "qrels_test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    labels = read_beir(folder, "test").gains
    assert {query: set(codes) for query, codes in labels.items()} == {
        query: {code for code, grade in of_query.items() if grade > 0}
        for query, of_query in qrels.items()
        if any(grade > 0 for grade in of_query.values())
    }
    reference = {
        "ndcg_at_10": ir_measures.nDCG @ 10,
        "mrr": ir_measures.RR,
        "recall_at_10": ir_measures.R @ 10,
        "map_at_10_of_all": ir_measures.AP @ 10,
        "success_at_1": ir_measures.Success @ 1,
        "success_at_10": ir_measures.Success @ 10,
    }
    scored = {query: {code: float(score) for code, score in codes.items()} for query, codes in run.items() if codes}
    expected = {
        (one.query_id, one.measure): one.value for one in ir_measures.iter_calc(reference.values(), qrels, scored)
    }
    rankings = {query: ranked(codes) for query, codes in scored.items()}
    for name, measure in reference.items():
        for query, score in scores_by_query(name, rankings, labels).items():
            assert score == pytest.approx(expected.get((query, measure), 0.0), abs=1e-9)


def test_a_perfect_ranking_of_many_correct_codes_shows_the_two_divisors():
    labels = {"q": {f"c{n}" for n in range(20)}}
    rankings = {"q": sorted(labels["q"])}
    assert scores_by_query("map_at_10_of_reachable", rankings, labels) == {"q": 1.0}
    assert scores_by_query("map_at_10_of_all", rankings, labels) == {"q": 0.5}


def test_a_gain_on_every_query_is_sure_and_one_by_chance_is_not():
    base = [n / 80 for n in range(80)]
    sure = gain([one + 0.1 for one in base], base)
    assert sure.value == pytest.approx(0.1) and 0.0 < sure.low < 0.1 < sure.high
    mixed = gain([one + (0.1 if n % 2 else -0.1) for n, one in enumerate(base)], base)
    assert mixed.low < 0 < mixed.high
    for ours, theirs in (([], []), ([0.5], [0.5, 0.5])):
        with pytest.raises(ValueError, match="queries"):
            gain(ours, theirs)


def test_one_query_shows_nothing_of_others_and_few_show_little():
    assert mean_of([]) == Interval(0.0, 0.0, 1.0)
    assert (mean_of([1.0]), mean_of([0.5])) == (Interval(1.0, 0.0, 1.0), Interval(0.5, 0.0, 1.0))
    assert gain([1.0], [0.0]) == Interval(1.0, -1.0, 1.0) and gain([0.5], [0.5]) == Interval(0.0, -1.0, 1.0)
    two, many = mean_of([1.0, 1.0]), mean_of([1.0] * 300)
    assert two.low < 0.2 and 0.98 < many.low < 1.0 == many.high
    for count in range(1, 5):
        assert gain([0.6] * count, [0.5] * count).low < 0.0 < gain([0.6] * 200, [0.5] * 200).low


@pytest.mark.parametrize("number", [1, 2, 3, 5, 10, 20, 50])
def test_intervals_hold_the_true_mean_however_few_the_queries(number):
    """Drawn from 100 queries as scores of retrievers are spread: many of 0, of 1 and of one half."""
    random = np.random.default_rng(3)
    population = np.concatenate([np.zeros(30), np.ones(25), np.full(25, 0.5), random.uniform(0.1, 0.9, 20)])
    other = population[random.permutation(100)]
    held = sure = 0
    for _ in range(300):
        drawn = random.integers(0, 100, number)
        mine, theirs = list(population[drawn]), list(other[drawn])
        found, over = mean_of(mine), gain(mine, theirs, resamples=200)
        held += found.low <= population.mean() <= found.high
        sure += over.low <= 0.0 <= over.high
    # Three standard errors below 95 %.
    assert held >= 273 and sure >= 273


@pytest.fixture
def beir(tmp_path):
    """A query set of two queries and three codes, with a run that answers one of them."""
    (tmp_path / "qrels").mkdir()
    (tmp_path / "corpus.jsonl").write_text(
        "".join(f'{{"_id": "{name}", "text": "def {name}(): ..."}}\n' for name in "abc")
    )
    (tmp_path / "queries.jsonl").write_text('{"_id": "1", "text": "find a"}\n{"_id": "2", "text": "find b"}\n')
    (tmp_path / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n1\ta\t1\n2\tb\t1\n2\tc\t0\n")
    (tmp_path / "our.run").write_text("1 Q0 b 1 0.5 t\n1 Q0 a 2 0.25 t\n")
    (tmp_path / "base.run").write_text("2 Q0 c 1 0.5 t\n")
    return tmp_path


def command(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "evaluator", "retrieval", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_scores_a_foreign_run_against_a_baseline(beir):
    done = command("--beir", beir, "--run", beir / "our.run", "--baseline", beir / "base.run")
    [result] = json.loads(done.stdout)
    assert (result["queries"], result["mrr"], result["recall_at_10"], result["success_at_1"]) == (2, 0.25, 0.5, 0.0)
    assert result["mrr_gain"][0] == 0.25 and result["mrr_gain"][1] < 0 < result["mrr_gain"][2]
    [itself] = json.loads(command("--beir", beir, "--run", beir / "our.run", "--baseline", beir / "our.run").stdout)
    assert itself["mrr_gain"] == [0.0, 0.0, 0.0], "a run is as good as itself on every query"


def test_the_command_gains_as_much_from_a_code_as_its_label_says(beir):
    (beir / "qrels/test.tsv").write_text("query-id\tcorpus-id\tscore\n1\tb\t1\n1\ta\t3\n")
    [result] = json.loads(command("--beir", beir, "--run", beir / "our.run").stdout)
    assert result["ndcg_at_10"] == pytest.approx((1 + 3 / math.log2(3)) / (3 + 1 / math.log2(3)))
    assert (result["mrr"], result["recall_at_10"], result["map_at_10_of_all"]) == (1.0, 1.0, 1.0)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--split", "dev", "--run", "our.run"), "qrels_dev.tsv"),
        ((), "--run"),
        (("--run", "corpus.jsonl"), "line 1 is not"),
    ],
)
def test_the_command_says_what_is_wrong(beir, arguments, words):
    named = [beir / one if one.endswith((".run", ".jsonl")) else one for one in arguments]
    done = command("--beir", beir, *named)
    assert done.returncode == 1 and words in done.stderr and "Traceback" not in done.stderr


scores = st.floats(min_value=-50, max_value=50, allow_nan=False) | st.sampled_from([1.0, 1.0 + 1e-9, 0.1, 0.1 + 1e-10])


@given(st.dictionaries(st.sampled_from([f"c{n}" for n in range(14)]), scores, min_size=1), correct_codes)
def test_runs_are_read_as_the_reference_implementation_reads_them(tmp_path_factory, of_codes, correct):
    """Scores that differ less than single precision tells are equal there, and ordered by id."""
    file = tmp_path_factory.mktemp("runs") / "a.run"
    file.write_text("".join(f"q Q0 {code} 0 {score!r} t\n" for code, score in of_codes.items()))
    measures = {"ndcg_at_10": ir_measures.nDCG @ 10, "mrr": ir_measures.RR, "map_at_10_of_all": ir_measures.AP @ 10}
    qrels = {"q": dict.fromkeys(correct, 1)}
    expected = {
        one.measure: one.value
        for one in ir_measures.iter_calc(measures.values(), qrels, list(ir_measures.read_trec_run(str(file))))
    }
    for name, measure in measures.items():
        [score] = scores_by_query(name, read_run(file), {"q": correct}).values()
        assert score == pytest.approx(expected[measure], abs=1e-9)


@given(st.lists(scores, min_size=1, max_size=14))
def test_an_exported_run_keeps_the_order_wherever_it_is_read(tmp_path_factory, given_scores):
    ranking = [(f"c{n:02}", score) for n, score in enumerate(sorted(given_scores, reverse=True))]
    file = tmp_path_factory.mktemp("runs") / "a.run"
    file.write_text("".join(f"{line}\n" for line in run_lines({"q": ranking}, "our retriever")))
    assert read_run(file) == {"q": [code for code, _score in ranking]}
    [last] = ir_measures.iter_calc(
        [ir_measures.RR], {"q": {ranking[-1][0]: 1}}, list(ir_measures.read_trec_run(str(file)))
    )
    assert last.value == pytest.approx(1 / len(ranking), abs=1e-9)


@pytest.mark.parametrize(
    "data", [b"q Q0 a 1 nan x\nq Q0 b 2 1.0 x\n", b"q Q0 a 1 1.0 x\nq Q0 b 2 -NaN x\n", b"\xff\xfe"]
)
def test_a_run_whose_scores_have_no_order_is_refused(tmp_path, data):
    file = tmp_path / "a.run"
    file.write_bytes(data)
    with pytest.raises(PermanentError, match=r"a\.run"):
        read_run(file)


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_ids_with_spaces_come_back_as_they_were_written(tmp_path, separator):
    rankings = {
        "q1": [("src/a b.py", 9.0), ("src/a c.py", 8.0), ("plain.py", 7.0)],
        "q 2": [("plain.py", 9.0), ("b\u00a0c", 8.0), ("d\x85e\u2028f", 7.0), ("g\fh", 6.0)],
        "q3": [("17", 3.0)],
    }
    file = tmp_path / "a.run"
    file.write_text("".join(f"{line}\n" for line in run_lines(rankings, "ours")) + f"q4{separator}Q0 plain.py 1 9 t\n")
    expected = {query: [code for code, _score in ranking] for query, ranking in rankings.items()}
    assert read_run(file) == expected | {"q4": ["plain.py"]}


@pytest.mark.parametrize("name", ["", " ", "a\tb", "a\nb", "a\rb", " a", "a "])
def test_an_id_that_no_line_of_a_run_can_hold_is_refused(name):
    for rankings in ({name: [("a", 1.0)]}, {"q": [(name, 1.0)]}):
        with pytest.raises(PermanentError, match="cannot stand in a run"):
            list(run_lines(rankings, "ours"))


@pytest.mark.parametrize(
    "line",
    [
        "q Q0 src/a b.py 1 9.0 t",
        "q Q0 src/a b.py 1 9.0",
        "q 2 Q0 plain.py 1 9.0 t",
        "q 2 Q0 plain.py 1 9.0",
        "q 2 Q0 17 1 9.0",
        "q Q0 a 1 9.0",
        "q Q0 a 1 9.0 our run",
        "q Q0 a first 9.0 t",
        "q a 1 9.0",
        "q\tQ0\ta\t1\t9.0\tt\tmore",
    ],
)
def test_a_line_that_may_be_read_in_two_ways_is_refused_with_its_number(tmp_path, line):
    file = tmp_path / "a.run"
    file.write_text(f"q Q0 b 1 10.0 t\n\n{line}\n")
    with pytest.raises(PermanentError, match=r"line 3 is not `query Q0 code rank score tag`"):
        read_run(file)


@pytest.mark.parametrize("line", ["q 0 a 1 9.0 t", "q q0 a 0 9 t", "q\tQ0\ta\t1\t9.0\tt", "q  Q0\ta   1 9.0 t "])
def test_runs_as_other_engines_write_them_are_read(tmp_path, line):
    file = tmp_path / "a.run"
    file.write_text(f"{line}\n")
    assert read_run(file) == {"q": ["a"]}


def test_undecided_pairs_count_neither_way(tmp_path):
    files = {
        "corpus.jsonl": '{"_id": "a", "text": "x"}\n{"_id": "b", "text": "y"}\n{"_id": "c", "text": "z"}\n',
        "queries.jsonl": '{"_id": "q", "text": "ask"}\n',
        "qrels_test.tsv": "query-id\tcorpus-id\tscore\nq\ta\t1\nq\tc\t0\n",
        "undecided.tsv": "query-id\tcorpus-id\nq\tb\n",
        "mine.run": "q Q0 b 1 3 t\nq Q0 a 2 2 t\nq Q0 c 3 1 t\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    queries = read_beir(tmp_path, "test")
    assert (queries.judged, queries.undecided) == ({"q": frozenset("ac")}, {"q": frozenset("b")})
    ranking = condensed({"q": ["b", "a", "c"]}, queries.undecided)
    assert ranking == {"q": ["a", "c"]} and reciprocal_rank(ranking["q"], queries.labels["q"]) == 1.0
    (tmp_path / "undecided.tsv").write_text("query-id\tcorpus-id\nq b\n")
    with pytest.raises(PermanentError, match="line 2 is not query and code"):
        read_beir(tmp_path, "test")


def test_separators_of_lines_within_ids_and_texts_part_no_rows(tmp_path):
    strange = "a\u2028b\x0cc"
    files = {
        "corpus.jsonl": f'{{"_id": "{strange[:3]}", "text": "x\u2028y"}}\n',
        "queries_test.jsonl": f'{{"_id": "{strange[:3]}", "text": "x\u2028y"}}\n',
        "qrels_test.tsv": f"query-id\tcorpus-id\tscore\n{strange}\t{strange}\t1\n\n",
        "undecided.tsv": f"query-id\tcorpus-id\n{strange}\t{strange}\n",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, "utf-8")
    queries = read_beir(tmp_path, "test")
    assert queries.labels == queries.undecided == {strange: frozenset([strange])}
