"""`touchstone labels finetune`: a search model that learns from labels."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.choices import one_of
from touchstone_cli.offline import answer_of
from touchstone_cli.output import counted, print_json, say

_DEVICES = ("auto", "cpu", "cuda", "mps")


def finetune(
    triples: Annotated[Path, typer.Option(help="train.jsonl of an export as triples.", show_default=False)],
    out: Annotated[Path, typer.Option(help="Folder of the trained copy.", show_default=False)],
    model: Annotated[str, typer.Option(help="A model of the embedder, or the path of one.")] = "all-MiniLM-L6-v2",
    epochs: Annotated[float, typer.Option(min=0, help="Passes over the triples.")] = 1.0,
    batch: Annotated[int, typer.Option(min=1, help="Triples that one step sees.")] = 16,
    longest: Annotated[int, typer.Option(min=8, help="Tokens of a text that are seen, at most.")] = 256,
    device: Annotated[str, typer.Option(help=f"One of {', '.join(_DEVICES)}.")] = "auto",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Train a copy of a search model on labels, by sentence-transformers' own trainer.

    The same call goes on where it was broken off. The copy is a model like any other: put its folder beside the others
    and name it in TOUCHSTONE_EMBEDDING_MODELS, or score it before.
    """
    one_of(device, _DEVICES, "--device", empty=False)
    command = ["finetune", "--triples", str(triples), "--out", str(out)]
    for name, value in (("model", model), ("epochs", epochs), ("batch", batch), ("longest", longest)):
        command += [f"--{name}", str(value)]
    # How far it is, is said by the command itself.
    command += ["--device", device]
    about: dict[str, Any] = answer_of("embedder", *command, fault="the model was not trained")
    if as_json:
        print_json({"out": str(out), **about})
        return
    print(f"{out}: {about['model']} trained on {counted(about['triples'], 'triple')}")
    say(f"{about['seconds']:g} s on {about['device']}")
