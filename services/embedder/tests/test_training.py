"""Fine-tuning: what is learnt from is read strictly, and a folder belongs to one training."""

import json

import pytest

from embedder.adapters.training import ABOUT, Training, finetune
from embedder.domain.triples import Triple, read_triples
from embedder.errors import BadTriplesError, ModelUnavailableError, TrainingExistsError

ROW = {"anchor": "sum a list", "positive": "def f(x): return sum(x)", "negative": "def g(x): return x", "query_id": "q"}


def test_triples_are_read_and_what_is_more_is_passed_over():
    line = json.dumps(ROW)
    assert read_triples([line, "", line], "f") == [Triple(ROW["anchor"], ROW["positive"], ROW["negative"])] * 2


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([], "no triple"),
        (["{"], "line 1 is no JSON"),
        (["[]"], "line 1 is not"),
        ([json.dumps(ROW), json.dumps({**ROW, "negative": " "})], "line 2 is not"),
        ([json.dumps({**ROW, "positive": 1})], "line 1 is not"),
    ],
)
def test_what_is_no_triple_is_named(lines, words):
    with pytest.raises(BadTriplesError, match=words):
        read_triples(lines, "train.jsonl")


@pytest.fixture
def triples(tmp_path):
    path = tmp_path / "train.jsonl"
    path.write_text(json.dumps(ROW) + "\n")
    return path


def begin(tmp_path, triples, out, **changes):
    return finetune(tmp_path / "no-model", triples, out, Training(**changes), "cpu", lambda _words: None)


def test_a_folder_belongs_to_one_training(tmp_path, triples):
    out = tmp_path / "out"
    with pytest.raises(ModelUnavailableError, match="no-model"):
        begin(tmp_path, triples, out)
    with pytest.raises(TrainingExistsError, match="another epochs"):
        begin(tmp_path, triples, out, epochs=2.0)
    triples.write_text((json.dumps(ROW) + "\n") * 2)
    with pytest.raises(TrainingExistsError, match="another triples, triples_sha256"):
        begin(tmp_path, triples, out)
    other = tmp_path / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    with pytest.raises(TrainingExistsError, match="not empty"):
        begin(tmp_path, triples, other)


def test_what_is_finished_is_not_trained_again(tmp_path, triples):
    out = tmp_path / "out"
    with pytest.raises(ModelUnavailableError):
        begin(tmp_path, triples, out)
    note = json.loads((out / ABOUT).read_text())
    (out / ABOUT).write_text(json.dumps({**note, "finished": True, "seconds": 9.0}))
    assert begin(tmp_path, triples, out)["seconds"] == 9.0
