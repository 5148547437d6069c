"""Embedding models: folders of sentence-transformers, and the one that needs none."""

from __future__ import annotations

import hashlib
import re
import warnings
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedder.domain.bag_of_words import embed_words
from embedder.domain.vectors import normalised
from embedder.errors import ModelUnavailableError
from embedder.ports import EmbeddingModel, Role

_HASHED = re.compile(r"bow-hash-(\d+)")
_WEIGHTS = (".safetensors", ".bin", ".json", ".txt", ".model")


class BagOfWordsModel:
    """Hashed bag of words; implements `EmbeddingModel` without any download."""

    device = "cpu"

    def __init__(self, name: str, dimensions: int) -> None:
        self.name = name
        self.dimensions = dimensions
        self.identity = f"{name}:1"

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Vectors of the texts: (n, dimensions) float32, L2-normalised."""
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([embed_words(text, self.dimensions, code=role == "code") for text in texts])


class SentenceModel:
    """A folder of sentence-transformers; implements `EmbeddingModel`.

    Args:
        name: Name by which callers choose it.
        folder: The model's folder.
        device: "cpu", "cuda" or "mps".
        batch: Texts that go through the model together.
        float_threads: Threads that torch may use on the CPU.

    Raises:
        ModelUnavailableError: the folder is not a model.
    """

    def __init__(self, name: str, folder: Path, device: str, batch: int, float_threads: int) -> None:
        # Importing torch takes seconds; the service answers probes meanwhile, since this runs in a thread.
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        # A bar that redraws itself has no place in structured logs.
        transformers_logging.disable_progress_bar()
        if device == "cpu":
            torch.set_num_threads(float_threads)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._model: Any = SentenceTransformer(str(folder), device=device, local_files_only=True)
        except (OSError, ValueError, RuntimeError, KeyError) as error:
            raise ModelUnavailableError(
                f"cannot be loaded from {folder}: {str(error).splitlines()[0]}",
                thing=name,
                way_out="delete the folder and fetch the model again",
            ) from error
        self._model.eval()
        self.name = name
        self.device = device
        self.dimensions = int(self._model.get_embedding_dimension())
        self.identity = f"{name}:{_digest_of(folder)}:{device}"
        self._batch = batch

    def encode(self, texts: Sequence[str], role: Role) -> NDArray[np.float32]:
        """Vectors of the texts: (n, dimensions) float32, L2-normalised."""
        encode = self._model.encode_query if role == "query" else self._model.encode_document
        vectors = encode(list(texts), batch_size=self._batch, convert_to_numpy=True, show_progress_bar=False)
        return normalised(np.asarray(vectors, dtype=np.float32).reshape(len(texts), self.dimensions))


def model_loaders(
    names: Sequence[str], models_dir: Path, device: str, batch: int, float_threads: int
) -> dict[str, Callable[[], EmbeddingModel]]:
    """What loads each configured model, in the configured order.

    Args:
        names: `bow-hash-<dimensions>`, or the name of a folder in `models_dir`.
        models_dir: Where the folders lie.
        device: "auto", "cpu", "cuda" or "mps".
        batch: Texts that go through a model together.
        float_threads: Threads that torch may use on the CPU.
    """
    return {name: partial(load_model, name, models_dir, device, batch, float_threads) for name in dict.fromkeys(names)}


def load_model(name: str, models_dir: Path, device: str, batch: int, float_threads: int) -> EmbeddingModel:
    """Load one model by name.

    Raises:
        ModelUnavailableError: its folder is missing or broken, or the device is not there.
    """
    if hashed := _HASHED.fullmatch(name):
        return BagOfWordsModel(name, int(hashed.group(1)))
    folder = models_dir / name
    if not (folder / "config.json").is_file() and not (folder / "modules.json").is_file():
        raise ModelUnavailableError(
            f"there is no such model folder: {folder}",
            thing=name,
            way_out=f"`make run` fetches {name}; or copy its sentence-transformers folder to {folder}, "
            "or take the name out of TOUCHSTONE_EMBEDDING_MODELS; then restart the embedder",
        )
    return SentenceModel(name, folder, choose_device(name, device), batch, float_threads)


def choose_device(name: str, wanted: str) -> str:
    """The device to compute on; "auto" takes CUDA, then MPS, then the CPU.

    Raises:
        ModelUnavailableError: the wanted device is not there.
    """
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


def _digest_of(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix in _WEIGHTS:
            digest.update(path.relative_to(folder).as_posix().encode() + b"\0")
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
    return digest.hexdigest()[:16]
