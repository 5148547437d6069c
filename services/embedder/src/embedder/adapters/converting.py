"""Conversion of sentence-transformers models for OpenVINO, in a process of its own (`python -m` this module).

Torch, and the model as it came, take gigabytes, which a service that goes on would never give back.
"""

# OpenVINO and torch ship few types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingTypeStubs=false, reportPrivateImportUsage=false

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import warnings
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from embedder.adapters.broken import first_line
from embedder.adapters.scratch import scratch_in
from embedder.domain.vectors import normalised
from embedder.errors import ModelUnavailableError

_LEAST_COSINE = 0.999
_PROBES = (
    "sort a list of pairs by the second item",
    "def area(w, h):\n    return w * h",
    "class Cart:\n    def total(self):\n        return sum(item.price for item in self.items)",
    "def parse(text):\n" + "    value = text.strip().split(',')[0]\n" * 40 + "    return value",
    "naïve Bäume ☃ 漢字",
)
# Exit statuses.
_NOT_CONVERTIBLE, _NOT_KEPT = 3, 4


class NotConvertibleError(Exception):
    """The folder holds something that this runtime cannot stand for; the message says what."""


class NotKeptError(NotConvertibleError):
    """A conversion cannot be kept where conversions are; the model is as good as it was, on torch."""


@dataclass(frozen=True)
class Card:
    """What has to be known about a converted model beside its graph."""

    dimensions: int
    most_tokens: int
    padding: int
    precision: str


def demand_torch(folder: Path) -> None:
    """Raise a ModelUnavailableError where torch is not installed: images for processors come without it."""
    if find_spec("torch") is None or find_spec("sentence_transformers") is None:
        raise ModelUnavailableError(
            "it is not converted for this processor, or not wholly, and torch, which does that, is not installed here",
            thing=folder.name,
            way_out="convert it where torch is (`make tools TOOLS=conversion`) and name the folder by "
            "TOUCHSTONE_CONVERTED_MODELS_DIR, or build the image with GPU=1",
        )


def convert(folder: Path, target: Path, threads: int) -> None:
    """Have a folder converted, compared with the original, and kept.

    Args:
        folder: The model's folder.
        target: Where the conversion goes.
        threads: How many may compute.

    Raises:
        NotConvertibleError: this runtime cannot stand for it, or the conversion cannot be kept.
        ModelUnavailableError: it cannot be converted here, or its folder is broken.
    """
    demand_torch(folder)
    command = [sys.executable, "-m", __name__, str(folder), str(target), str(threads)]
    # As much as the calling thread stands back, so does what it starts.
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode == _NOT_CONVERTIBLE:
        raise NotConvertibleError(done.stdout.strip())
    if done.returncode == _NOT_KEPT:
        raise NotKeptError(f"its conversion cannot be kept in {target.parent}: {done.stdout.strip()}")
    if done.returncode:
        said = done.stderr.strip().splitlines()
        # Who was killed, for want of memory for example, could say nothing of it.
        why = said[-1] if said and done.returncode > 0 else f"its conversion ended with {done.returncode}"
        raise ModelUnavailableError(
            f"cannot be loaded from {folder}: {why}",
            thing=folder.name,
            way_out=f"delete {folder} and fetch the model again",
        )


def main() -> int:
    """Convert what the command line names."""
    folder, target, threads = sys.argv[1:]
    try:
        _convert(Path(folder), Path(target), int(threads))
    except NotConvertibleError as error:
        sys.stdout.write(str(error))
        return _NOT_KEPT if isinstance(error, NotKeptError) else _NOT_CONVERTIBLE
    return 0


def compiled(core: Any, graph: Any, precision: str, hint: str, threads: int, *, streams: int = 1) -> Any:
    """A graph as the processor runs it: each answer soon ("LATENCY"), or many of them ("THROUGHPUT")."""
    wanted = {"INFERENCE_PRECISION_HINT": precision, "PERFORMANCE_HINT": hint}
    return core.compile_model(graph, "CPU", wanted | {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": streams})


def _convert(folder: Path, target: Path, threads: int) -> None:
    """Convert, compare with the original, and keep."""
    import openvino
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    torch.set_num_threads(threads)
    core = openvino.Core()
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
        vectors = normalised(np.asarray(compiled(core, graph, precision, "LATENCY", threads)(fed)[0]))
        least = float(np.min(np.sum(vectors * expected, axis=1)))
        if least >= _LEAST_COSINE:
            break
    else:
        raise NotConvertibleError(f"its vectors are not those of the original: cosine {least:.4f}")
    card = Card(expected.shape[1], int(original.max_seq_length), int(original.tokenizer.pad_token_id or 0), precision)
    keep(graph, card, target)


def keep(graph: Any, card: Card, target: Path) -> None:
    """Keep a conversion.

    Raises:
        NotKeptError: it cannot be written there.
    """
    try:
        _write(graph, card, target)
    except (OSError, RuntimeError) as error:
        raise NotKeptError(first_line(error)) from error


def _write(graph: Any, card: Card, target: Path) -> None:
    import openvino

    with scratch_in(target.parent) as scratch:
        openvino.save_model(graph, scratch / "model.xml", compress_to_fp16=False)
        (scratch / "card.json").write_text(json.dumps(asdict(card)))
        try:
            scratch.rename(target)
        except OSError:
            # Two replicas on one folder: the second takes what the first one made. What bears no card is no conversion.
            if not (target / "card.json").is_file():
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


if __name__ == "__main__":
    sys.exit(main())
