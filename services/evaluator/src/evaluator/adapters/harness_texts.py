"""Loads the program texts that run beside or behind a draft in the sandbox."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def harness_text(name: str) -> str:
    """A text of `evaluator/harness`, read as text: this process never imports it."""
    return (files("evaluator") / "harness" / f"{name}.py").read_text("utf-8")
