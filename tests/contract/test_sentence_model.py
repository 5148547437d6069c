"""The default embedding model, where its folder lies on this machine."""

import os
from pathlib import Path

import numpy as np
import pytest

from embedder.adapters.models import load_model

FOLDERS = [Path(os.environ.get("TOUCHSTONE_MODELS_DIR", "")), Path(__file__).parents[2] / ".state/models"]
NAME = "all-MiniLM-L6-v2"

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def model():
    folder = next((folder for folder in FOLDERS if (folder / NAME / "config.json").is_file()), None)
    if folder is None:
        pytest.skip(f"no folder {NAME} in TOUCHSTONE_MODELS_DIR or .state/models; `make run` fetches it")
    return load_model(NAME, folder, "cpu", 16, 2)


def test_vectors_are_normalised_and_near_what_means_the_same(model):
    assert model.dimensions == 384 and model.device == "cpu"
    [question] = model.encode(["how to remove duplicates from a list and keep the order"], "query")
    codes = [
        "def unique(items):\n    '''Drop repeated elements.'''\n    return list(dict.fromkeys(items))",
        "def connect(host, port):\n    '''Open a socket.'''\n    return socket.create_connection((host, port))",
    ]
    vectors = model.encode(codes, "code")
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert question @ vectors[0] > question @ vectors[1] + 0.2


def test_the_same_batch_has_the_same_bytes(model):
    texts = ["def a(): return 1", "def bb(x):\n    return x" * 5]
    assert model.encode(texts, "code").tobytes() == model.encode(texts, "code").tobytes()
    assert model.encode([], "code").shape == (0, 384)
