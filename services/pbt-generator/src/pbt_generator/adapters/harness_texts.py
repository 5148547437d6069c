"""Loads the program texts that run behind a ground truth inside the sandbox."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from pbt_generator.ports import Harness


@cache
def load_harness() -> Harness:
    """The texts of `pbt_generator/harness`, read as text: this process never imports them."""
    folder = files("pbt_generator") / "harness"
    common, explore, mutate = ((folder / f"{name}.py").read_text("utf-8") for name in ("common", "explore", "mutate"))
    return Harness(explore=f"{common}\n\n{explore}", mutate=f"{common}\n\n{mutate}")
