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
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embedder.adapters.broken import first_line
from embedder.adapters.priority import standing_back
from embedder.domain.vectors import normalised
from embedder.errors import ModelUnavailableError
from embedder.ports import Lane, Role
from touchstone_runtime.telemetry import get_logger

# Changes when what is kept on disk is made in another way.
_FORMAT = 1
_LEAST_COSINE = 0.999
# Tokens of one request, with padding: what the layers hand on stays in the caches of a processor.
_MOST_TOKENS = 1024
_log = get_logger()
_PROBES = (
    "sort a list of pairs by the second item",
    "def area(w, h):\n    return w * h",
    "class Cart:\n    def total(self):\n        return sum(item.price for item in self.items)",
    "def parse(text):\n" + "    value = text.strip().split(',')[0]\n" * 40 + "    return value",
    "naïve Bäume ☃ 漢字",
)


class NotConvertibleError(Exception):
    """The folder holds something that this runtime cannot stand for; the message says what."""


@dataclass(frozen=True)
class _Card:
    """What has to be known about a converted model beside its graph."""

    dimensions: int
    most_tokens: int
    padding: int
    precision: str


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
        self._waiting = _compile(core, graph, self._card.precision, "LATENCY", threads)
        # Once, so that the threads which help it are there: they are shared, and not to stand back.
        self._waiting(self._padded([[self._card.padding] * 8]))
        # Streams of one thread each: several threads of one request wait for the slowest of them.
        bulk = standing_back(
            bulk_nice, lambda: _compile(core, graph, self._card.precision, "THROUGHPUT", threads, streams=threads)
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


def demand_torch(folder: Path) -> None:
    """Raise a ModelUnavailableError where torch is not installed: images for processors come without it."""
    if find_spec("torch") is None or find_spec("sentence_transformers") is None:
        raise ModelUnavailableError(
            "it is not converted for this processor, or not wholly, and torch, which does that, is not installed here",
            thing=folder.name,
            way_out="convert it where torch is (`make tools TOOLS=conversion`) and name the folder by "
            "TOUCHSTONE_CONVERTED_MODELS_DIR, or build the image with GPU=1",
        )


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


def _compile(core: Any, graph: Any, precision: str, hint: str, threads: int, *, streams: int = 1) -> Any:
    wanted = {"INFERENCE_PRECISION_HINT": precision, "PERFORMANCE_HINT": hint}
    return core.compile_model(graph, "CPU", wanted | {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": streams})


def _kept(folder: Path, converted: Path, core: Any, threads: int) -> tuple[_Card, Any]:
    """The conversion that is kept; made where there is none, and anew where it cannot be read."""
    if not (converted / "card.json").is_file():
        _convert(folder, converted, core, threads)
    try:
        return _opened(converted, core)
    except (OSError, ValueError, TypeError, RuntimeError) as error:
        _log.warning("conversion_unreadable", folder=str(converted), error=first_line(error))
    demand_torch(folder)
    shutil.rmtree(converted)
    _convert(folder, converted, core, threads)
    return _opened(converted, core)


def _opened(converted: Path, core: Any) -> tuple[_Card, Any]:
    card = _Card(**json.loads((converted / "card.json").read_text()))
    return card, core.read_model(converted / "model.xml")


def _convert(folder: Path, target: Path, core: Any, threads: int) -> None:
    """Convert, compare with the original, and keep."""
    demand_torch(folder)
    import openvino
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            original: Any = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
            original.eval()
            graph = _graph_of(original)
    except RuntimeError as error:
        raise NotConvertibleError(first_line(error)) from error
    expected = normalised(np.asarray(original.encode(list(_PROBES), show_progress_bar=False), dtype=np.float32))
    tokens = original.tokenizer(list(_PROBES), padding=True, truncation=True, max_length=original.max_seq_length)
    fed = [np.asarray(tokens[name], dtype=np.int64) for name in ("input_ids", "attention_mask")]
    can = core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
    for precision in ("bf16", "f32") if "BF16" in can else ("f32",):
        vectors = normalised(np.asarray(_compile(core, graph, precision, "LATENCY", threads)(fed)[0]))
        least = float(np.min(np.sum(vectors * expected, axis=1)))
        if least >= _LEAST_COSINE:
            break
    else:
        raise NotConvertibleError(f"its vectors are not those of the original: cosine {least:.4f}")
    card = _Card(expected.shape[1], int(original.max_seq_length), int(original.tokenizer.pad_token_id or 0), precision)
    target.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=target.parent, prefix=".converting"))
    # A folder for one run is its maker's alone; services that run as another user read what is kept.
    scratch.chmod(0o755)
    openvino.save_model(graph, scratch / "model.xml", compress_to_fp16=False)
    (scratch / "card.json").write_text(json.dumps(asdict(card)))
    try:
        scratch.rename(target)
    except OSError:
        # Two replicas on one folder: the second takes what the first one made. What bears no card is no conversion.
        if (target / "card.json").is_file():
            shutil.rmtree(scratch, ignore_errors=True)
        else:
            shutil.rmtree(target)
            scratch.rename(target)


def _graph_of(original: Any) -> Any:
    import openvino
    import torch

    class Pooled(torch.nn.Module):
        """The transformer with mean pooling over real tokens."""

        def __init__(self, transformer: Any) -> None:
            super().__init__()
            self.transformer = transformer

        def forward(self, input_ids: Any, attention_mask: Any) -> Any:
            hidden = self.transformer(input_ids=input_ids, attention_mask=attention_mask).last_hidden_state
            real = attention_mask.unsqueeze(-1).to(hidden.dtype)
            return (hidden * real).sum(1) / real.sum(1).clamp(min=1e-9)

    example = original.tokenizer(["two short texts", "of one length"], padding=True, return_tensors="pt")
    fed = {"input_ids": example["input_ids"], "attention_mask": example["attention_mask"]}
    with torch.no_grad():
        return openvino.convert_model(Pooled(original[0].auto_model), example_input=fed)
