"""Embedding models: folders of sentence-transformers, and the one that needs none."""

from __future__ import annotations

import hashlib
import re
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedder.adapters.broken import loading
from embedder.adapters.converting import NotConvertibleError, demand_torch
from embedder.adapters.openvino_model import OpenVinoModel, available
from embedder.domain.bag_of_words import embed_words
from embedder.domain.vectors import normalised
from embedder.errors import ModelUnavailableError
from embedder.ports import EmbeddingModel, Lane, Role
from touchstone_runtime.telemetry import get_logger

_HASHED = re.compile(r"bow-hash-([0-9]+)")
# What a store of vectors keeps, and a process has room for: names come with requests.
_MOST_DIMENSIONS = 16_000
_NAME = re.compile(r"(?=.{1,200}\Z)\w[\w.+-]*(/\w[\w.+-]*)?", re.ASCII)
_WEIGHTS = (".safetensors", ".bin", ".json", ".txt", ".model")
_log = get_logger()


class BagOfWordsModel:
    """Hashed bag of words; implements `EmbeddingModel` without any download."""

    device = "cpu"

    def __init__(self, name: str, dimensions: int) -> None:
        self.name = name
        self.dimensions = dimensions
        # Raised whenever words are cut in another way: vectors of the two do not meet.
        self.identity = f"{name}:2"

    def encode(self, texts: Sequence[str], role: Role, lane: Lane) -> NDArray[np.float32]:
        """Vectors of the texts: (n, dimensions) float32, L2-normalised."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([embed_words(text, self.dimensions, code=role == "code") for text in texts])


class SentenceModel:
    """A folder of sentence-transformers; implements `EmbeddingModel`.

    Args:
        name: Name by which callers choose it.
        folder: The model's folder.
        digest: Digest of its weights.
        device: "cpu", "cuda" or "mps".
        batch: Texts that go through the model together.
        float_threads: Threads that torch may use on the CPU.

    Raises:
        ModelUnavailableError: torch is not installed.
        Exception: the folder is broken; see `broken.loading`.
    """

    def __init__(self, name: str, folder: Path, digest: str, device: str, batch: int, float_threads: int) -> None:
        demand_torch(folder)
        # Importing torch takes seconds; the service answers probes meanwhile, since this runs in a thread.
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        # A bar that redraws itself has no place in structured logs.
        transformers_logging.disable_progress_bar()
        if device == "cpu":
            torch.set_num_threads(float_threads)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._model: Any = SentenceTransformer(str(folder), device=device, local_files_only=True)
        self._model.eval()
        self.name = name
        self.device = device
        self.dimensions = int(self._model.get_embedding_dimension())
        self.identity = f"{name}:{digest}"
        self._batch = batch
        # Its tokenizer takes one caller at a time. Bulk work comes in short turns, so who waits waits for one of them.
        self._one_at_a_time = threading.Lock()

    def encode(self, texts: Sequence[str], role: Role, lane: Lane) -> NDArray[np.float32]:
        """Vectors of the texts: (n, dimensions) float32, L2-normalised."""
        turn = self._batch if lane == "bulk" else len(texts)
        by_length = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for start in range(0, len(texts), max(turn, 1)):
            numbers = by_length[start : start + turn]
            with self._one_at_a_time:
                vectors[numbers] = self._turn([texts[number] for number in numbers], role)
        return vectors

    def _turn(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        encode = self._model.encode_query if role == "query" else self._model.encode_document
        vectors = encode(list(texts), batch_size=self._batch, convert_to_numpy=True, show_progress_bar=False)
        return normalised(np.asarray(vectors, dtype=np.float32).reshape(len(texts), self.dimensions))


@dataclass(frozen=True)
class ModelFolders:
    """Where models lie and how they run.

    Args:
        models_dir: One folder for each model.
        kept_in: Where converted models are kept.
        device: "auto", "cpu", "cuda" or "mps".
        batch: Texts that go through a model of torch together.
        threads: Threads of one model on the processor.
        bulk_nice: How far bulk work stands back behind who waits, 0 to 19.
    """

    models_dir: Path
    kept_in: Path
    device: str = "auto"
    batch: int = 8
    threads: int = 2
    bulk_nice: int = 0

    def loader(self, name: str) -> Callable[[], EmbeddingModel]:
        """What loads a model: `bow-hash-<dimensions>`, or the name of a folder in `models_dir`."""
        return partial(load_model, name, self)


def load_model(name: str, folders: ModelFolders) -> EmbeddingModel:
    """Load one model by name.

    On the processor it runs on OpenVINO where that gives its vectors, else on torch, as on every other device.

    Raises:
        ModelUnavailableError: its folder is missing or broken, the device is not there, or it has too many dimensions.
    """
    if hashed := _HASHED.fullmatch(name):
        number = hashed.group(1)
        # Digits without end are no number that Python reads.
        if len(number) > len(str(_MOST_DIMENSIONS)) or not 1 <= int(number) <= _MOST_DIMENSIONS:
            raise ModelUnavailableError(
                "has no such number of dimensions", thing=name[:80], way_out=f"take 1 to {_MOST_DIMENSIONS}"
            )
        return BagOfWordsModel(name, int(number))
    if not _NAME.fullmatch(name):
        # Names come with requests too: as a path, one could lead out of the folder, or be none at all.
        raise ModelUnavailableError("is no name of a model", thing=name[:80], way_out="see `touchstone status`")
    folder = folders.models_dir / name
    way_out = f"let the service read {folder}, or delete it and fetch the model again"
    # A file system that cannot be asked is a fault of that model alone too.
    with loading(folder, name, way_out):
        if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
            raise ModelUnavailableError(
                f"there is no such model folder: {folder}",
                thing=name,
                way_out=f"`make run` fetches {name}; or copy its sentence-transformers folder to {folder}, "
                "or take the name out of TOUCHSTONE_EMBEDDING_MODELS; the embedder looks for it every minute",
            )
        device = choose_device(name, folders.device)
        digest = digest_of(folder)
        if device == "cpu" and available():
            try:
                return OpenVinoModel(name, folder, digest, folders.kept_in, folders.threads, folders.bulk_nice)
            except NotConvertibleError as error:
                _log.warning("embedding_model_not_converted", model=name, error=str(error))
        return SentenceModel(name, folder, digest, device, folders.batch, folders.threads)


def choose_device(name: str, wanted: str) -> str:
    """The device to compute on; "auto" takes CUDA, then MPS, then the CPU.

    Raises:
        ModelUnavailableError: the wanted device is not there.
    """
    if wanted == "cpu" or (wanted == "auto" and not _accelerated()):
        return "cpu"
    import torch

    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if wanted == "auto":
        return next(device for device in ("cuda", "mps", "cpu") if there[device])
    if not there.get(wanted, False):
        raise ModelUnavailableError(
            f"the device {wanted} is not there",
            thing=name,
            way_out=f"set TOUCHSTONE_EMBEDDING_DEVICE to auto or one of {', '.join(d for d in there if there[d])}",
        )
    return wanted


def _accelerated() -> bool:
    """Whether the machine may have a device for torch; importing torch to find out takes seconds."""
    return Path("/dev/nvidiactl").exists() or sys.platform == "darwin" or sys.platform == "win32"


def digest_of(folder: Path) -> str:
    """Digest of everything in a model's folder that its vectors hang on."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _WEIGHTS:
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
