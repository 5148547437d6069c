"""Fine-tuning of a search model by sentence-transformers' own trainer."""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from embedder.adapters.broken import loading
from embedder.domain.triples import FIELDS, Triple, read_triples
from embedder.errors import ModelUnavailableError, TrainingExistsError

FORMAT = "touchstone-finetuning/1"
ABOUT = "training.json"
_CHECKPOINTS = "checkpoints"
_KEPT_CHECKPOINTS = 2


@dataclass(frozen=True)
class Training:
    """How a model is trained.

    Attributes:
        epochs: Passes over the triples.
        batch: Triples that one step sees; the others' codes are further wrong answers of each.
        learning_rate: At its height; it warms up over a tenth of the steps and falls to zero.
        longest: Tokens of a text that are seen, at most.
        checkpoint_steps: Steps between two states that a later start goes on from.
        seed: Of the order of triples.
    """

    epochs: float = 1.0
    batch: int = 16
    learning_rate: float = 2e-5
    longest: int = 256
    checkpoint_steps: int = 50
    seed: int = 1


def finetune(
    folder: Path, triples: Path, out: Path, training: Training, device: str, tell: Callable[[str], None]
) -> dict[str, Any]:
    """Train a copy of a model, or go on where an earlier start was broken off; gives what the copy's folder says.

    Source: MultipleNegativesRankingLoss with hard negatives (Henderson et al. 2017; Karpukhin et al. 2020).

    Args:
        folder: A model of sentence-transformers.
        triples: JSON lines of anchor, positive, negative.
        out: Folder of the copy; it may be used as a model at once.
        training: How.
        device: "auto", "cpu", "cuda" or "mps".
        tell: Told how far it is.

    Raises:
        BadTriplesError: the triples cannot be read.
        ModelUnavailableError: the model or the device is not there.
        TrainingExistsError: the folder holds another training, or something else.
    """
    rows = read_triples(triples.read_text("utf-8").split("\n"), str(triples))
    about: dict[str, Any] = {
        "format": FORMAT,
        "model": folder.name,
        "triples": len(rows),
        "triples_sha256": hashlib.sha256(triples.read_bytes()).hexdigest(),
        **asdict(training),
    }
    if _begun(out, about).get("finished"):
        tell(f"{out} holds this training already")
        return json.loads((out / ABOUT).read_text("utf-8"))
    model = _model(folder, device)
    # Some models have no bound, and take none.
    seen = model.max_seq_length if isinstance(model.max_seq_length, int) else None
    if seen is not None:
        model.max_seq_length = min(training.longest, seen)
    started = time.monotonic()
    trainer = _trainer(model, rows, out / _CHECKPOINTS, training, tell)
    last = _last_checkpoint(out / _CHECKPOINTS)
    if last:
        tell(f"goes on from {last.name}")
    trainer.train(resume_from_checkpoint=str(last) if last else None)
    if seen is not None:
        # Who uses it sees as much of a text as before.
        model.max_seq_length = seen
    model.save_pretrained(str(out))
    shutil.rmtree(out / _CHECKPOINTS, ignore_errors=True)
    done = {**about, "finished": True, "device": str(model.device), "seconds": round(time.monotonic() - started, 1)}
    (out / ABOUT).write_text(json.dumps(done, sort_keys=True) + "\n", "utf-8")
    return done


def _begun(out: Path, about: dict[str, Any]) -> dict[str, Any]:
    """What the folder says of itself; it is made for this training where it is not there."""
    note = out / ABOUT
    if not note.is_file():
        if out.is_dir() and any(out.iterdir()):
            raise TrainingExistsError("is not empty, and no training", thing=str(out), way_out="name another folder")
        out.mkdir(parents=True, exist_ok=True)
        note.write_text(json.dumps(about, sort_keys=True) + "\n", "utf-8")
        return about
    found: dict[str, Any] = json.loads(note.read_text("utf-8"))
    other = sorted(name for name, value in about.items() if found.get(name) != value)
    if other:
        raise TrainingExistsError(
            f"holds a training with another {', '.join(other)}", thing=str(out), way_out="name another folder"
        )
    return found


def _model(folder: Path, device: str) -> Any:
    # Importing torch takes seconds, and wrong arguments are told before.
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging as transformers_logging

    transformers_logging.disable_progress_bar()
    there = {"auto": True, "cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if not there[device]:
        raise ModelUnavailableError(f"there is no device {device}", thing=folder.name, way_out="take auto or cpu")
    with loading(folder, str(folder), "name a folder of sentence-transformers"):
        chosen = None if device == "auto" else device
        model: Any = SentenceTransformer(str(folder), device=chosen, local_files_only=True)
    return model


def _trainer(model: Any, rows: list[Triple], checkpoints: Path, training: Training, tell: Callable[[str], None]) -> Any:
    from datasets import Dataset
    from sentence_transformers import SentenceTransformerTrainer, SentenceTransformerTrainingArguments
    from sentence_transformers.base.sampler import BatchSamplers
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from transformers import PrinterCallback, TrainerCallback

    class Progress(TrainerCallback):
        """Says how far it is."""

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
            if logs and "loss" in logs:
                tell(f"step {state.global_step} of {state.max_steps}, loss {float(logs['loss']):.4f}")

    data: Any = Dataset.from_dict({name: [getattr(row, name) for row in rows] for name in FIELDS})
    arguments: Any = SentenceTransformerTrainingArguments(
        output_dir=str(checkpoints),
        num_train_epochs=training.epochs,
        per_device_train_batch_size=training.batch,
        learning_rate=training.learning_rate,
        warmup_steps=0.1,
        # Two triples of one query are no wrong answers of each other.
        batch_sampler=BatchSamplers.NO_DUPLICATES,
        save_strategy="steps",
        save_steps=training.checkpoint_steps,
        save_total_limit=_KEPT_CHECKPOINTS,
        logging_steps=10,
        seed=training.seed,
        use_cpu=str(model.device) == "cpu",
        report_to="none",
        disable_tqdm=True,
    )
    trainer: Any = SentenceTransformerTrainer(
        model=model,
        args=arguments,
        train_dataset=data,
        loss=MultipleNegativesRankingLoss(model),
        callbacks=[Progress()],
    )
    # It prints to standard output, where the result alone belongs.
    trainer.remove_callback(PrinterCallback)
    return trainer


def _last_checkpoint(folder: Path) -> Path | None:
    """The newest whole checkpoint; the trainer writes its state last."""
    whole = [path for path in folder.glob("checkpoint-*") if (path / "trainer_state.json").is_file()]
    return max(whole, key=lambda path: int(path.name.rpartition("-")[2]), default=None)
