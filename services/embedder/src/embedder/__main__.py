"""`python -m embedder` serves; `convert` converts models for this processor, `finetune` trains one, and they end."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from embedder.adapters.training import Training, finetune
from embedder.app import convert, serve
from embedder.settings import EmbedderSettings
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.settings import settings_or_end


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m embedder", description="Turns functions and queries to vectors.")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve until told to stop (the default)")
    commands.add_parser("convert", help="convert the models for this processor, once a machine")
    trainer = commands.add_parser("finetune", help="train a copy of a model on triples; prints one JSON object")
    trainer.add_argument("--triples", type=Path, required=True, help="JSON lines of anchor, positive, negative")
    trainer.add_argument("--model", required=True, help="a folder in models_dir, or the path of one")
    trainer.add_argument("--out", type=Path, required=True, help="folder of the copy; goes on where it was broken off")
    trainer.add_argument("--device", choices=("auto", "cpu", "cuda", "mps"), default="", help="where it computes")
    for name, value in asdict(Training()).items():
        trainer.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value)
    settings = settings_or_end(EmbedderSettings)
    options = parser.parse_args()
    if options.command not in ("convert", "finetune"):
        serve(settings)
        return 0
    try:
        if options.command == "convert":
            convert(settings, _tell)
        else:
            print(json.dumps(_finetuned(options, settings)))
    except OSError as error:
        print(f"{error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except TouchstoneError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _finetuned(options: argparse.Namespace, settings: EmbedderSettings) -> dict[str, Any]:
    known = settings.models_dir / options.model
    folder = known if known.is_dir() else Path(options.model)
    training = Training(**{name: getattr(options, name) for name in asdict(Training())})
    device = options.device or settings.embedding_device
    return finetune(folder, options.triples, options.out, training, device, _tell)


def _tell(words: str) -> None:
    print(words, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
