"""A small model is trained by the real trainer, broken off, and goes on where it was."""

import json

import pytest

from embedder.adapters.training import ABOUT, Training, finetune

pytestmark = pytest.mark.real
WORDS = ["add", "sub", "sort", "turn", "read", "write", "list", "text", "file", "number"]


@pytest.fixture
def model(tmp_path):
    """A folder of sentence-transformers with a vector for each of a few words."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import Whitespace

    tokenizer = Tokenizer(WordLevel({word: number for number, word in enumerate(["[UNK]", *WORDS])}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    folder = tmp_path / "tiny"
    SentenceTransformer(modules=[StaticEmbedding(tokenizer, embedding_dim=8)], device="cpu").save_pretrained(
        str(folder)
    )
    return folder


@pytest.fixture
def triples(tmp_path):
    path = tmp_path / "train.jsonl"
    rows = [
        {"anchor": f"{one} {other} {number}", "positive": f"{other} {one}", "negative": f"{one} {one}"}
        for number in range(3)
        for one in WORDS
        for other in WORDS[:4]
        if one != other
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_a_training_that_is_broken_off_goes_on(model, triples, tmp_path, capfd):
    out, training, said = tmp_path / "out", Training(batch=4, checkpoint_steps=2, learning_rate=0.01), []

    def power_cut(words):
        said.append(words)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        finetune(model, triples, out, training, "cpu", power_cut)
    assert said[0].startswith("step 10 of ") and "finished" not in json.loads((out / ABOUT).read_text())
    said.clear()
    done = finetune(model, triples, out, training, "cpu", said.append)
    assert said[0].startswith("goes on from checkpoint-"), said
    assert done["finished"] and done["triples"] == len(triples.read_text().splitlines())
    assert not (out / "checkpoints").exists() and (out / "modules.json").is_file()
    assert capfd.readouterr().out == "", "standard output belongs to the result"
    said.clear()
    assert finetune(model, triples, out, training, "cpu", said.append) == done
    assert said == [f"{out} holds this training already"]
