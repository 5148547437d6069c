"""Query sets as people have them: what is no query set is said in a line, and who is scored was asked."""

from __future__ import annotations

import json
from argparse import Namespace
from pathlib import Path

import pytest

import evaluator.offline
from touchstone_runtime.errors import PermanentError
from touchstone_runtime.query_sets import languages_of, read_beir

HEADING = "query-id\tcorpus-id\tscore\n"
CORPUS = '{"_id": "a", "text": "x"}\n{"_id": "b", "text": "y"}\n'
QUERIES = '{"_id": "q0", "text": "ask"}\n{"_id": "q1", "text": "more"}\n'


@pytest.fixture
def query_set(tmp_path):
    """Makes a folder of a query set."""

    def made(qrels=HEADING + "q0\ta\t1\n", queries=QUERIES, corpus=CORPUS, encoding="utf-8"):
        for name, text in {"qrels_test.tsv": qrels, "queries.jsonl": queries, "corpus.jsonl": corpus}.items():
            (tmp_path / name).write_text(text, encoding)
        return tmp_path

    return made


@pytest.mark.parametrize("heading", [HEADING, "query\tcode\tlabel\n", "qid\tdocid\trel\n", ""])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_a_set_means_the_same_with_a_heading_and_with_a_mark_of_its_encoding(query_set, heading, encoding):
    queries = read_beir(query_set(heading + "q0\ta\t1\nq1\tb\t-1\n", encoding=encoding), "test")
    assert queries.labels == {"q0": frozenset("a")} and queries.judged["q1"] == frozenset("b")
    assert list(queries.queries) == ["q0", "q1"] and list(queries.codes) == ["a", "b"]


@pytest.mark.parametrize("label", ["1.0", "--1", "²", "१", "", "1e3", "nan", "9" * 5000])
@pytest.mark.parametrize("before", ["", HEADING])
def test_a_label_that_is_no_whole_number_is_refused_with_its_line_the_first_one_too(query_set, before, label):
    line = 1 + bool(before)
    with pytest.raises(PermanentError, match=f"line {line} is not query, code and label"):
        read_beir(query_set(f"{before}q0\ta\t{label}\nq1\ta\t1\n"), "test")


@pytest.mark.parametrize("line", ["q0 a 1", "q0\ta", "q0\ta\t1\tmore", "score"])
def test_a_first_line_that_names_no_columns_is_no_heading(query_set, line):
    with pytest.raises(PermanentError, match="line 1 is not query, code and label"):
        read_beir(query_set(f"{line}\nq1\ta\t1\n"), "test")


@pytest.mark.parametrize(("first", "second"), [("1", "0"), ("0", "1"), ("2", "1")])
def test_a_pair_with_two_labels_is_refused_with_its_line(query_set, first, second):
    with pytest.raises(PermanentError, match="line 3 gives a pair another label"):
        read_beir(query_set(f"q0\ta\t{first}\nq1\tb\t1\nq0\ta\t{second}\n"), "test")
    twice = read_beir(query_set("q0\ta\t2\nq1\tb\t0\nq0\ta\t2\nq1\tb\t0\n"), "test")
    assert twice.grades == {"q0": {"a": 2}} and twice.judged == {"q0": frozenset("a"), "q1": frozenset("b")}


@pytest.mark.parametrize("part", ["queries", "corpus"])
def test_an_id_with_two_texts_is_refused(query_set, part):
    text = {"queries": QUERIES, "corpus": CORPUS}[part]
    same = read_beir(query_set(**{part: text + text}), "test")
    assert len(same.queries) == 2 == len(same.codes)
    with pytest.raises(PermanentError, match=f"{part}.jsonl: has two texts with the id"):
        read_beir(query_set(**{part: text + text.replace('"text": "', '"text": "other ')}), "test")


DEEP = f'{{"_id": "a", "text": {"[" * 100_000}{"]" * 100_000}}}\n'


@pytest.mark.parametrize(("text", "why"), [(DEEP, "line 1 has no id and text"), ("[]\n", "line 1 has no id and text")])
def test_rows_that_nobody_can_read_are_told_by_file_and_line(query_set, text, why):
    for part in ("queries", "corpus"):
        with pytest.raises(PermanentError, match=why) as told:
            read_beir(query_set(**{part: text}), "test")
        assert f"{part}.jsonl" in str(told.value)
    with pytest.raises(PermanentError, match=why):
        languages_of(query_set(corpus=text))


@pytest.mark.parametrize("part", ["qrels", "queries", "corpus"])
def test_a_file_of_another_encoding_is_told_by_its_name(query_set, part):
    folder = query_set()
    [file] = folder.glob(f"{part}*")
    file.write_bytes(file.read_bytes() + b"\xe9\n")
    with pytest.raises(PermanentError, match="is not UTF-8 at byte"):
        read_beir(folder, "test")


def options(folder, **more):
    runs = {"run": [folder / "mine.run"], "baseline": folder / "base.run", "judge": 0} | more
    return Namespace(beir=folder, split="test", identity=None, annotator="127.0.0.1:9", language="python", **runs)


async def test_a_set_that_no_code_answers_is_refused(query_set, capsys):
    folder = query_set(HEADING + "q0\ta\t0\n")
    (folder / "mine.run").write_text("q0 Q0 a 1 1 t\n")
    assert await evaluator.offline.retrieval(options(folder, baseline=None)) == 1
    told = capsys.readouterr()
    assert "no query has a correct code" in told.err and not told.out


async def test_only_queries_with_a_correct_code_count_are_judged_and_are_scored(query_set, capsys):
    """A retriever was asked no others: a new label of one would be held against whoever was not asked."""
    folder = query_set(HEADING + "q0\ta\t1\nq1\tb\t0\n")
    (folder / "mine.run").write_text("q0 Q0 a 1 1 t\nq1 Q0 a 1 1 t\n")
    (folder / "base.run").write_text("q0 Q0 a 1 1 t\n")
    # Nothing is left to judge, so the annotator, which is away, is not asked.
    assert await evaluator.offline.retrieval(options(folder, judge=10)) == 0
    [result] = json.loads(capsys.readouterr().out)
    assert (result["queries"], result["ndcg_at_10"], result["unjudged_at_10"]) == (1, 1.0, 0)
    assert result["ndcg_at_10_gain"][0] == 0.0 and result["rests_on_new_labels"] == []


@pytest.mark.parametrize("text", ["q0 Q0 b 1 2 t\nq0 Q0 a 2 1 t\n", ""])
async def test_the_gain_of_a_run_over_itself_is_nothing_whatever_its_path(query_set, capsys, monkeypatch, text):
    folder = query_set()
    (folder / "mine.run").write_text(text)
    monkeypatch.chdir(folder)
    asked = options(folder, run=[Path("mine.run")], baseline=folder / "mine.run")
    assert await evaluator.offline.retrieval(asked) == 0
    [result] = json.loads(capsys.readouterr().out)
    assert result["mrr_gain"] == [0.0, 0.0, 0.0]
