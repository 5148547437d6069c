"""The embedder's metrics."""

from __future__ import annotations

from collections.abc import Sized

from prometheus_client import Counter, Gauge, Histogram

from touchstone_runtime.metrics import SHORT_S

TEXTS_ENCODED = Counter("touchstone_embedder_texts_encoded_total", "Texts that went through a model", ["model"])
ENCODE_SECONDS = Histogram(
    "touchstone_embedder_encode_seconds",
    "Time of one turn of a model",
    ["model"],
    buckets=SHORT_S,
)
MODELS_AVAILABLE = Gauge("touchstone_embedder_models_available", "Configured models that answer")
MODELS_MISSING = Gauge("touchstone_embedder_models_missing", "Configured models that could not be loaded")


def tell_models(there: Sized, missing: Sized) -> None:
    """Say how many configured models answer, and how many do not."""
    MODELS_AVAILABLE.set(len(there))
    MODELS_MISSING.set(len(missing))


def observe_turn(model: str, texts: int, seconds: float) -> None:
    """Count one turn of a model."""
    TEXTS_ENCODED.labels(model).inc(texts)
    ENCODE_SECONDS.labels(model).observe(seconds)
