"""`touchstone retrieval`: our retrievers and foreign runs against labels, and weights that hold."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from touchstone_cli.errors import CliError
from touchstone_cli.offline import answer_of
from touchstone_cli.retrieval import holds
from touchstone_runtime.query_sets import run_files


def test_retrieval_scores_a_run_in_a_table(touchstone, tmp_path):
    (tmp_path / "corpus.jsonl").write_text('{"id": "a", "code": "def a(): ..."}\n')
    (tmp_path / "queries_dev.jsonl").write_text('{"id": "1", "text": "find a"}\n')
    (tmp_path / "qrels_dev.tsv").write_text("query-id\tcode-id\tscore\n1\ta\t1\n")
    (tmp_path / "our.run").write_text("1 Q0 a 1 0.5 t\n")
    (tmp_path / "base.run").write_text("1 Q0 b 1 0.5 t\n")
    files = ("--beir", tmp_path, "--split", "dev", "--run", tmp_path / "our.run")
    shown = touchstone("retrieval", "evaluate", *files, "--baseline", tmp_path / "base.run")
    assert shown.out.splitlines()[0].startswith("run\tqueries\tNDCG@10")
    assert "1.0000 (+1.0000, -1.0000 to +1.0000)" in shown.out, "one query shows nothing of others"
    (result,) = json.loads(touchstone("retrieval", "evaluate", *files, "--json").out)
    assert result["success_at_1"] == 1.0
    assert touchstone("retrieval", "evaluate", "--beir", tmp_path, "--run", tmp_path / "our.run").code == 1
    both = touchstone("retrieval", "evaluate", *files, "--release", "r")
    assert both.code == 2 and "one of the two" in both.err


def test_our_retrievers_are_scored_by_name_beside_a_run_and_written_as_runs(touchstone, query_set):
    files = ("--beir", query_set, "--split", "dev", "--run", query_set / "our.run")
    done = touchstone(
        "retrieval", "evaluate", *files, "--retriever", "bm25", "--baseline", "bm25",
        "--write-run", query_set / "runs", "--json",
    )  # fmt: skip
    ours, theirs = json.loads(done.out)
    assert (ours["run"], ours["mrr"], ours["mrr_gain"]) == ("bm25", 1.0, [0.0, 0.0, 0.0])
    assert ours["seconds_per_query"] > 0 and theirs["mrr_gain"][0] == -0.5
    assert (query_set / "runs/bm25.run").read_text().startswith("1 Q0 a 1 ")
    again = touchstone("retrieval", "evaluate", *files, "--run", query_set / "runs/bm25.run", "--json")
    assert json.loads(again.out)[1]["mrr"] == 1.0


def test_a_retriever_that_is_not_there_ends_in_a_line(touchstone, query_set, monkeypatch, capfd):
    monkeypatch.setenv("TOUCHSTONE_EMBEDDER_ADDRESS", "127.0.0.1:9")
    done = touchstone("retrieval", "evaluate", "--beir", query_set, "--split", "dev", "--retriever", "plain")
    assert done.code == 1 and "nothing was ranked" in done.err
    assert "127.0.0.1:9" in capfd.readouterr().err


@pytest.fixture
def ranker(query_set, monkeypatch):
    """Ranks in the retriever's place, and tells more of each retriever as told; the evaluator is the real one."""
    told = {}

    def answer(service, command, *arguments, fault):
        if service != "retriever":
            return answer_of(service, command, *arguments, fault=fault)
        out = Path(arguments[arguments.index("--out") + 1])
        out.mkdir(parents=True, exist_ok=True)
        names = [value for flag, value in pairwise(arguments) if flag == "--retriever"]
        found = []
        for name in names:
            run_files(out, names)[name].write_text("1 Q0 a 1 0.5 t\n")
            one = {"retriever": name, "file": str(run_files(out, names)[name]), "queries": 1, "seconds": 1.0}
            found.append(one | {"tokens": 0, "incomplete": {}, "models": []} | told.get(name, {}))
        return found

    monkeypatch.setattr("touchstone_cli.retrieval.answer_of", answer)
    return told


def test_no_run_that_is_to_be_compared_and_none_of_before_is_replaced(touchstone, query_set, ranker):
    runs, yesterday = query_set / "runs", "1 Q0 b 1 0.5 t\n1 Q0 a 2 0.4 t\n"
    runs.mkdir()
    (runs / "plain.run").write_text(yesterday)
    asked = ("retrieval", "evaluate", "--beir", query_set, "--split", "dev", "--retriever", "plain", "--json")
    old = ("--run", runs / "plain.run", "--baseline", runs / "plain.run")
    for more in (old, old[:2], old[2:], (*old, "--force")):
        refused = touchstone(*asked, *more, "--write-run", runs)
        assert refused.code == 2 and "plain.run" in refused.err and "another" in refused.err, more
    refused = touchstone(*asked, "--write-run", runs)
    assert refused.code == 2 and "--force" in refused.err and (runs / "plain.run").read_text() == yesterday
    ours, theirs = json.loads(touchstone(*asked, *old, "--write-run", query_set / "today").out)
    assert ours["mrr_gain"][0] == 0.5 and theirs["mrr_gain"] == [0.0, 0.0, 0.0]
    assert (query_set / "today/plain.run").read_text() == "1 Q0 a 1 0.5 t\n"
    assert touchstone(*asked, "--write-run", runs, "--force").code == 0
    assert (runs / "plain.run").read_text() == "1 Q0 a 1 0.5 t\n"
    refused = touchstone(*asked, "--write-run", query_set / "corpus.jsonl")
    assert refused.code == 1 and "corpus.jsonl" in refused.err and "Traceback" not in refused.err


def test_models_whose_names_differ_in_a_stroke_have_runs_of_their_own(touchstone, query_set, ranker):
    names = [part for name in ("a/b", "a-b") for part in ("--retriever", name)]
    asked = ("retrieval", "evaluate", "--beir", query_set, "--split", "dev", *names, "--write-run", query_set / "runs")
    assert [one["run"] for one in json.loads(touchstone(*asked, "--json").out)] == ["a/b", "a-b"]
    assert sorted(file.name for file in (query_set / "runs").iterdir()) == ["a-b-2.run", "a-b.run"]


def test_the_runs_of_retrievers_before_a_fault_are_kept(touchstone, query_set, ranker, monkeypatch):
    def breaking(_service, _command, *arguments, fault):
        out = Path(arguments[arguments.index("--out") + 1])
        out.mkdir(parents=True, exist_ok=True)
        (out / "plain.run").write_text("1 Q0 a 1 0.5 t\n")
        raise CliError(fault)

    monkeypatch.setattr("touchstone_cli.retrieval.answer_of", breaking)
    names = [part for name in ("plain", "augmented") for part in ("--retriever", name)]
    asked = ("retrieval", "evaluate", "--beir", query_set, "--split", "dev", *names, "--write-run", query_set / "runs")
    assert touchstone(*asked).code == 1
    assert [file.name for file in (query_set / "runs").iterdir()] == ["plain.run"]


def test_weights_in_force_are_not_replaced_by_the_way(touchstone, query_set):
    (query_set / "weights.toml").write_text("in force")
    asked = ("retrieval", "fit", "--beir", query_set, "--split", "dev", "--out", query_set / "weights.toml")
    refused = touchstone(*asked)
    assert refused.code == 2 and "--force" in refused.err and (query_set / "weights.toml").read_text() == "in force"


@pytest.fixture
def fitter(query_set, monkeypatch):
    """Fits in the retriever's place, gives what it was asked, and runs of two models; the evaluator is the real one."""
    asked, a, b = [], "1 Q0 a 1 0.5 t\n", "1 Q0 b 1 0.5 t\n1 Q0 a 2 0.4 t\n"

    def answer(service, command, *arguments, fault):
        if service != "retriever":
            return answer_of(service, command, *arguments, fault=fault)
        asked.append(dict(pairwise(arguments)))
        files = {"fitted": a, "unfitted": b, "weak": b, "strong": a}
        for name, text in files.items():
            (query_set / f"{name}.run").write_text(text)
        paths = {name: str(query_set / f"{name}.run") for name in files}
        alone = {name: paths[name] for name in ("weak", "strong")}
        return {"queries": 1, "weights": {}, "file": "[[weights]]\n", "runs": paths, "alone": alone}

    monkeypatch.setattr("touchstone_cli.retrieval.answer_of", answer)
    return asked


def test_weights_must_be_better_than_the_best_model_alone_whichever_is_the_first(touchstone, query_set, fitter):
    asked = ("retrieval", "fit", "--beir", query_set, "--out", query_set / "w.toml")
    done = touchstone(*asked, "--json")
    found = json.loads(done.out)
    assert done.code == 1 and found["best"] == "strong" and found["gains"]["alone"] == [0.0, 0.0, 0.0]
    assert not found["holds"] and not (query_set / "w.toml").exists()
    assert "gain over strong, the best model alone: +0.0000" in touchstone(*asked).out
    assert {one["--split"] for one in fitter} == {"dev"}


@pytest.mark.parametrize("out", ["missing/w.toml", "."])
def test_weights_that_cannot_be_kept_are_not_fitted(touchstone, query_set, fitter, out):
    refused = touchstone("retrieval", "fit", "--beir", query_set, "--out", query_set / out, "--force")
    assert refused.code == 2 and "cannot be written" in refused.err and not fitter


def test_weights_are_fitted_on_a_release_whose_split_nobody_need_name(touchstone, world, query_set, fitter):
    files = {"corpus.jsonl": "corpus.jsonl", "queries.jsonl": "queries_dev.jsonl", "qrels/test.tsv": "qrels_dev.tsv"}
    piece = world.pb.annotator.ExportReleaseResponse
    world.answers["ExportRelease"] = lambda _request: [
        piece(path=path, data=(query_set / name).read_bytes()) for path, name in files.items()
    ]
    done = touchstone("retrieval", "fit", "--release", "2026-06", "--out", query_set / "w.toml", "--json")
    assert [one["--split"] for one in fitter] == ["test"] and json.loads(done.out)["queries"] == 1


def test_by_which_models_codes_were_ranked_is_told_beside_the_figures(touchstone, query_set, ranker):
    """`plain` and `ensemble` are other retrievers where other models are configured."""
    ranker["plain"], ranker["mini"] = {"models": ["big", "mini"]}, {"models": ["mini"]}
    names = [part for name in ("plain", "mini", "bm25") for part in ("--retriever", name)]
    asked = ("retrieval", "evaluate", "--beir", query_set, "--split", "dev", *names)
    found = json.loads(touchstone(*asked, "--json").out)
    assert {one["run"]: one["models"] for one in found} == {"plain": ["big", "mini"], "mini": ["mini"], "bm25": []}
    told = [line for line in touchstone(*asked).err.splitlines() if "ranked by" in line]
    assert told == ["plain: ranked by big and mini"], "a model's name says it all"


def test_queries_that_a_model_did_in_part_are_told_beside_the_figures(touchstone, query_set, ranker):
    why = ["the query was not enriched: no JSON", "no code was written: no JSON"]
    ranker["augmented"] = {"queries": 9, "incomplete": {"1": why[0], "2": why[0], "3": why[1]}}
    asked = ("retrieval", "evaluate", "--beir", query_set, "--split", "dev", "--retriever", "augmented")
    compared = (*asked[:-1], "bm25", "--baseline", "augmented")
    (result,) = json.loads(touchstone(*asked, "--json").out)
    assert (result["run"], result["incomplete"], result["incomplete_why"]) == ("augmented", 3, why)
    shown = touchstone(*asked)
    assert f"augmented: 3 of 9 queries without all steps: {why[0]}; {why[1]}" in shown.err
    assert "augmented: 3 of 9 queries without all steps" in touchstone(*compared).err, "a baseline as well"
    ranker["augmented"] = {"incomplete": {}}
    (result,) = json.loads(touchstone(*asked, "--json").out)
    assert (result["incomplete"], result["incomplete_why"]) == (0, [])
    assert "without all steps" not in touchstone(*asked).err


def test_a_release_of_labels_is_exported_and_scored(touchstone, world, query_set):
    pieces = {
        "corpus.jsonl": (query_set / "corpus.jsonl").read_bytes(),
        "queries.jsonl": (query_set / "queries_dev.jsonl").read_bytes(),
        "qrels/test.tsv": (query_set / "qrels_dev.tsv").read_bytes(),
    }
    pb = world.pb.annotator
    world.answers["ExportRelease"] = lambda _request: [
        pb.ExportReleaseResponse(path=path, data=data) for path, data in pieces.items()
    ]
    done = touchstone("retrieval", "evaluate", "--release", "2026-06", "--retriever", "bm25", "--json")
    [result] = json.loads(done.out)
    assert (result["run"], result["mrr"]) == ("bm25", 1.0)
    [request] = world.asked("ExportRelease")
    assert (request.name, request.format) == ("2026-06", "beir")


@pytest.fixture
def query_set(tmp_path):
    """Two codes and a query, whose words are in one of them; a run that prefers the other."""
    (tmp_path / "corpus.jsonl").write_text(
        '{"id": "a", "code": "def count_vowels(): ..."}\n{"id": "b", "code": "def other(): ..."}\n'
    )
    (tmp_path / "queries_dev.jsonl").write_text('{"id": "1", "text": "count vowels"}\n')
    (tmp_path / "qrels_dev.tsv").write_text("query-id\tcode-id\tscore\n1\ta\t1\n")
    (tmp_path / "our.run").write_text("1 Q0 b 1 0.5 t\n1 Q0 a 2 0.4 t\n")
    return tmp_path


@pytest.mark.parametrize(
    ("over_alone", "over_unfitted", "expected"),
    [
        ([0.04, 0.02, 0.06], [0.001, -0.01, 0.01], True),
        ([0.04, -0.001, 0.06], [0.001, -0.01, 0.01], False),
        ([0.04, 0.02, 0.06], [-0.001, -0.01, 0.01], False),
    ],
)
def test_fitted_weights_hold_only_if_they_surely_gain_and_lose_nothing(over_alone, over_unfitted, expected):
    assert holds(over_alone, over_unfitted) is expected
