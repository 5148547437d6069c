"""Loads the program texts that run before a ground truth inside the sandbox."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pbt_generator.ports import Harness


@cache
def load_harness() -> Harness:
    """The texts of `pbt_generator/harness`, read as text: this process never imports them."""
    folder = files("pbt_generator") / "harness"

    def joined(*names: str) -> str:
        return "\n\n".join((folder / f"{name}.py").read_text("utf-8") for name in names)

    return Harness(
        explore=joined("common", "explore"),
        mutate=joined("common", "misread", "state", "mutate"),
        trace=joined("trace"),
    )
