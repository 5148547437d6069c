"""What the executor says of itself and of its backends."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox_executor.domain.selftest import Check
from sandbox_executor.ports import LanguageStatus, Layer


@dataclass(frozen=True)
class Load:
    """How busy the executor is."""

    queued: int
    running: int
    workers: int
    done: int


@dataclass(frozen=True)
class Described:
    """A backend as it stands: whether it takes jobs, and why not."""

    name: str
    available: bool
    layers: tuple[Layer, ...]
    languages: tuple[LanguageStatus, ...]
    detail: str
    egress: bool = False


def read_layer(layer: Layer) -> Check:
    """A layer as a check: one that jobs are not refused for passes, and says what is missing."""
    missing = "" if layer.in_force else "not in force: "
    return Check(f"layer {layer.name}", layer.in_force or not layer.required, missing + layer.detail)
