"""The default embedding model, where its folder lies on this machine."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from embedder.adapters.converting import NotConvertibleError
from embedder.adapters.models import ModelFolders, SentenceModel, digest_of, load_model
from embedder.adapters.openvino_model import OpenVinoModel
from embedder.errors import ModelUnavailableError
from touchstone_local.settings import folders

NAME = "all-MiniLM-L6-v2"

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def folder():
    found = folders().models / NAME
    assert (found / "config.json").is_file(), f"there is no {found}: run `make tools`"
    return found


@pytest.fixture(scope="module")
def kept_in(tmp_path_factory):
    return tmp_path_factory.mktemp("converted")


@pytest.fixture(scope="module", params=["openvino", "torch"])
def model(folder, kept_in, request):
    if request.param == "torch":
        return SentenceModel(NAME, folder, digest_of(folder), "cpu", 8, 2)
    loaded = load_model(NAME, ModelFolders(folder.parent, kept_in, "cpu"))
    assert isinstance(loaded, OpenVinoModel)
    return loaded


def test_vectors_are_normalised_and_near_what_means_the_same(model):
    assert model.dimensions == 384 and model.device == "cpu"
    [question] = model.encode(["how to remove duplicates from a list and keep the order"], "query", "waiting")
    codes = [
        "def unique(items):\n    '''Drop repeated elements.'''\n    return list(dict.fromkeys(items))",
        "def connect(host, port):\n    '''Open a socket.'''\n    return socket.create_connection((host, port))",
    ]
    vectors = model.encode(codes, "code", "bulk")
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert question @ vectors[0] > question @ vectors[1] + 0.2


def test_the_same_batch_has_the_same_bytes(model):
    texts = ["def a(): return 1", "def bb(x):\n    return x" * 5]
    assert model.encode(texts, "code", "bulk").tobytes() == model.encode(texts, "code", "bulk").tobytes()
    assert model.encode([], "code", "bulk").shape == (0, 384)


def test_the_conversion_gives_the_models_vectors_on_both_lanes(folder, kept_in):
    from sentence_transformers import SentenceTransformer

    texts = [f"def f{number}(x):\n    return {'x + ' * number}{number}" for number in range(0, 90, 5)]
    reference = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    expected = reference.encode(texts, normalize_embeddings=True, show_progress_bar=False)
    converted = OpenVinoModel(NAME, folder, "d", kept_in, 2)
    for lane in ("waiting", "bulk"):
        assert np.sum(converted.encode(texts, "code", lane) * expected, axis=1).min() >= 0.999


def said_last(code):
    """The last line that a program says in a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split("\n")[-2]


def test_a_kept_conversion_is_taken_without_torch(folder, kept_in):
    OpenVinoModel(NAME, folder, "d", kept_in, 2)
    # What a conversion that was killed left goes with the next start.
    (kept_in / ".convertingab12").mkdir()
    code = (
        "import sys; from pathlib import Path; from embedder.adapters.openvino_model import OpenVinoModel\n"
        f"model = OpenVinoModel({NAME!r}, Path({str(folder)!r}), 'd', Path({str(kept_in)!r}), 2)\n"
        "print(model.encode(['x'], 'query', 'waiting').shape, 'torch' in sys.modules)"
    )
    assert said_last(code) == "(1, 384) False"
    assert not list(kept_in.glob(".converting*"))


def test_a_conversion_leaves_nothing_of_torch_in_the_service(folder, tmp_path):
    code = (
        "import sys; from pathlib import Path; from embedder.adapters.models import ModelFolders, load_model\n"
        f"model = load_model({NAME!r}, ModelFolders(Path({str(folder.parent)!r}), Path({str(tmp_path)!r}), 'cpu'))\n"
        "print(type(model).__name__, 'torch' in sys.modules)"
    )
    assert said_last(code) == "OpenVinoModel False"


def test_who_waits_gets_the_same_vector_in_any_company(folder, kept_in):
    model = OpenVinoModel(NAME, folder, "d", kept_in, 2)
    alone = model.encode(["sort a list"], "query", "waiting")
    assert (model.encode(["x" * 900, "sort a list"], "query", "waiting")[1] == alone[0]).all()


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("modules.json", '[{"type": "x.Transformer"}, {"type": "x.Pooling"}, {"type": "x.Dense"}]', "Dense"),
        ("1_Pooling/config.json", '{"pooling_mode_cls_token": true}', "cls"),
        ("config_sentence_transformers.json", '{"prompts": {"query": "query: "}}', "prompts"),
    ],
)
def test_other_forms_of_models_are_left_to_torch(folder, tmp_path, file, content, words):
    copy = tmp_path / NAME
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.safetensors", "*.bin"))
    (copy / file).write_text(content)
    with pytest.raises(NotConvertibleError, match=words):
        OpenVinoModel(NAME, copy, "d", tmp_path / "kept", 2)


def _cut(file):
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def _emptied(file):
    file.write_bytes(b"")


@pytest.mark.parametrize(
    ("file", "harm"),
    [
        ("model.safetensors", _cut),
        ("model.safetensors", Path.unlink),
        ("tokenizer.json", _cut),
        ("1_Pooling/config.json", Path.unlink),
    ],
)
def test_a_folder_whose_files_are_broken_is_an_unavailable_model_with_the_way_out(folder, tmp_path, file, harm):
    shutil.copytree(folder, tmp_path / NAME)
    harm(tmp_path / NAME / file)
    with pytest.raises(ModelUnavailableError, match="fetch the model again"):
        load_model(NAME, ModelFolders(tmp_path, tmp_path / "kept", "cpu"))


@pytest.mark.parametrize(
    ("file", "harm"), [("card.json", _cut), ("card.json", Path.unlink), ("model.xml", _emptied), ("model.bin", _cut)]
)
def test_a_conversion_that_cannot_be_read_is_made_anew(folder, kept_in, tmp_path, file, harm):
    places = ModelFolders(folder.parent, tmp_path / "kept", "cpu")
    load_model(NAME, ModelFolders(folder.parent, kept_in, "cpu"))
    [whole] = [one for one in kept_in.iterdir() if digest_of(folder) in one.name]
    shutil.copytree(whole, places.kept_in / whole.name)
    harm(places.kept_in / whole.name / file)
    model = load_model(NAME, places)
    assert isinstance(model, OpenVinoModel) and model.encode(["x"], "query", "waiting").shape == (1, 384)
    assert [one.name for one in places.kept_in.iterdir()] == [whole.name]


def test_bulk_work_is_done_by_threads_that_stand_back_and_questions_by_others(folder, kept_in):
    ours = os.getpriority(os.PRIO_PROCESS, 0)
    behind = min(19, ours + 7)
    model = OpenVinoModel(NAME, folder, "d", kept_in, 2, bulk_nice=7)
    texts = [f"def f{number}(x):\n    return {'x + ' * 90}{number}" for number in range(30)]
    for lane, expected in (("bulk", behind), ("waiting", ours)):
        before = _ticks_by_nice()
        model.encode(texts, "code", lane)
        used = _ticks_by_nice()
        used.subtract(before)
        assert used[expected] > 0.8 * used.total() > 0, f"{lane}: {used}"


def _ticks_by_nice():
    """Processor time of the threads of this process by what they are weighed with."""
    used = Counter()
    for thread in Path("/proc/self/task").iterdir():
        fields = (thread / "stat").read_text().rpartition(")")[2].split()
        used[int(fields[16])] += int(fields[11]) + int(fields[12])
    return used
