"""Sentence-transformers models on OpenVINO: on a processor several times as fast as they come, with the same vectors.

A folder is converted once and kept; later starts need neither torch nor transformers in memory. The conversion
is trusted only after it gave the vectors of sentence-transformers for some probes.
"""

# OpenVINO and torch ship few types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false, reportPrivateImportUsage=false

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedder.adapters.broken import first_line
from embedder.adapters.converting import Card, NotConvertibleError, NotKeptError, compiled, convert, demand_torch
from embedder.adapters.priority import standing_back
from embedder.adapters.scratch import remove_left
from embedder.domain.vectors import normalised
from embedder.ports import Lane, Role
from touchstone_runtime.telemetry import get_logger

# Changes when what is kept on disk is made in another way.
_FORMAT = 1
# Tokens of one request, with padding: what the layers hand on stays in the caches of a processor.
_MOST_TOKENS = 1024
_log = get_logger()


class OpenVinoModel:
    """A converted folder of sentence-transformers; implements `EmbeddingModel`.

    Args:
        name: Name by which callers choose it.
        folder: The model's folder.
        digest: Digest of its weights.
        kept_in: Where conversions are kept.
        threads: Threads of one lane.
        bulk_nice: How far threads of bulk work stand back behind those of who waits, 0 to 19.

    Raises:
        NotConvertibleError: the folder is of another form, or the conversion's vectors are not the model's.
        ModelUnavailableError: it has to be converted, and cannot be here.
        Exception: the folder is broken; see `broken.loading`.
    """

    device = "cpu"

    def __init__(self, name: str, folder: Path, digest: str, kept_in: Path, threads: int, bulk_nice: int = 0) -> None:
        import openvino
        from tokenizers import Tokenizer

        _demand_known_form(folder)
        self.name = name
        self.identity = f"{name}:{digest}"
        converted = kept_in / f"{name}-{digest}-{openvino.__version__.split('-')[0]}-{_FORMAT}"
        core = openvino.Core()
        self._card, graph = _kept(folder, converted, core, threads)
        self.dimensions = self._card.dimensions
        # Two compilations with threads of their own: the processor leaves bulk work as soon as somebody waits.
        self._waiting = compiled(core, graph, self._card.precision, "LATENCY", threads)
        # Once, so that the threads which help it are there: they are shared, and not to stand back.
        self._waiting(self._padded([[self._card.padding] * 8]))
        # Streams of one thread each: several threads of one request wait for the slowest of them.
        bulk = standing_back(
            bulk_nice, lambda: compiled(core, graph, self._card.precision, "THROUGHPUT", threads, streams=threads)
        )
        self._bulk: Any = openvino.AsyncInferQueue(bulk)
        self._tokenizers = {lane: Tokenizer.from_file(str(folder / "tokenizer.json")) for lane in ("waiting", "bulk")}
        for tokenizer in self._tokenizers.values():
            tokenizer.enable_truncation(self._card.most_tokens)
            tokenizer.no_padding()

    def encode(self, texts: Sequence[str], role: Role, lane: Lane) -> NDArray[np.float32]:
        """Vectors of the texts: (n, dimensions) float32, L2-normalised.

        On the waiting lane each text goes through alone: its vector then never depends on who else asks.
        """
        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        tokens = [encoded.ids for encoded in self._tokenizers[lane].encode_batch(list(texts))]
        if lane == "waiting":
            for number, ids in enumerate(tokens):
                vectors[number] = self._waiting(self._padded([ids]))[0]
        else:

            def keep(request: Any, numbers: list[int]) -> None:
                vectors[numbers] = request.get_output_tensor(0).data

            self._bulk.set_callback(keep)
            by_length = sorted(range(len(tokens)), key=lambda number: len(tokens[number]))
            for numbers in _requests(by_length, tokens):
                self._bulk.start_async(self._padded([tokens[number] for number in numbers]), numbers)
            self._bulk.wait_all()
        return normalised(vectors)

    def _padded(self, rows: Sequence[Sequence[int]]) -> list[NDArray[np.int64]]:
        longest = max(len(row) for row in rows)
        ids = np.full((len(rows), longest), self._card.padding, dtype=np.int64)
        mask = np.zeros((len(rows), longest), dtype=np.int64)
        for number, row in enumerate(rows):
            ids[number, : len(row)] = row
            mask[number, : len(row)] = 1
        return [ids, mask]


def _requests(by_length: Sequence[int], tokens: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Texts that go through the model together, the shortest first."""
    numbers: list[int] = []
    for number in by_length:
        if numbers and (len(numbers) + 1) * len(tokens[number]) > _MOST_TOKENS:
            yield numbers
            numbers = []
        numbers.append(number)
    if numbers:
        yield numbers


def available() -> bool:
    """Whether the runtime is installed."""
    return find_spec("openvino") is not None


def _demand_known_form(folder: Path) -> None:
    """Transformer, mean pooling, normalisation, no prompts: what the conversion stands for."""
    try:
        modules = [str(one["type"]).rpartition(".")[2] for one in json.loads((folder / "modules.json").read_text())]
        pooling = json.loads((folder / "1_Pooling/config.json").read_text())
        settings = json.loads((folder / "config_sentence_transformers.json").read_text())
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise NotConvertibleError(f"its description cannot be read: {error}") from error
    if modules[:2] != ["Transformer", "Pooling"] or modules[2:] not in ([], ["Normalize"]):
        raise NotConvertibleError(f"it is made of {', '.join(modules)}")
    modes = [key for key, value in pooling.items() if key.startswith("pooling_mode") and value is True]
    if modes != ["pooling_mode_mean_tokens"] and pooling.get("pooling_mode") != "mean":
        raise NotConvertibleError(f"it pools by {', '.join(modes)}")
    if any((settings.get("prompts") or {}).values()):
        raise NotConvertibleError("it has prompts")
    if not (folder / "tokenizer.json").is_file():
        raise NotConvertibleError("it has no tokenizer.json")


def _kept(folder: Path, converted: Path, core: Any, threads: int) -> tuple[Card, Any]:
    """The conversion that is kept; made where there is none, and anew where it cannot be read."""
    remove_left(converted.parent)
    if not (converted / "card.json").is_file():
        convert(folder, converted, threads)
    try:
        return _opened(converted, core)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        _log.warning("conversion_unreadable", folder=str(converted), error=first_line(error))
    demand_torch(folder)
    try:
        shutil.rmtree(converted)
    except OSError as error:
        raise NotKeptError(f"its conversion in {converted} cannot be made anew: {first_line(error)}") from error
    convert(folder, converted, threads)
    return _opened(converted, core)


def _opened(converted: Path, core: Any) -> tuple[Card, Any]:
    card = Card(**json.loads((converted / "card.json").read_text()))
    return card, core.read_model(converted / "model.xml")
