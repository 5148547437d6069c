"""Weights of the ranking's parts, as they are kept: one TOML file, a table for each set of models."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from retriever.domain.ensemble import CROWDING, TEXT, Weights
from touchstone_runtime.errors import PermanentError


def load_weights(path: Path | None) -> tuple[Weights, ...]:
    """The weights of each set of models, shipped or of a file.

    Raises:
        PermanentError: the file is missing, or not of the form.
    """
    named = str(path or "the shipped weights")
    try:
        text = (
            path.read_text("utf-8")
            if path
            else resources.files("retriever.resources").joinpath("weights.toml").read_text("utf-8")
        )
        return tuple(_weights(table) for table in tomllib.loads(text)["weights"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise PermanentError(
            f"holds no weights: {error}", thing=named, way_out="write it with `touchstone retrieval fit`"
        ) from error


def _weights(table: dict[str, Any]) -> Weights:
    models = {str(name): float(weight) for name, weight in table["models"].items()}
    return Weights(models, text=float(table[TEXT]), crowding=float(table[CROWDING]))


def weights_text(weights: Weights, words: str) -> str:
    """One table of the file, with a line of words about where it comes from."""
    models = ", ".join(f'"{name}" = {weight:g}' for name, weight in sorted(weights.models.items()))
    return (
        f"# {words}\n[[weights]]\nmodels = {{ {models} }}\ntext = {weights.text:g}\ncrowding = {weights.crowding:g}\n"
    )
