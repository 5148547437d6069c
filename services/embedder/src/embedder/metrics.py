"""The embedder's metrics."""

from __future__ import annotations

from prometheus_client import Counter, Gauge, Histogram

TEXTS_ENCODED = Counter("touchstone_embedder_texts_encoded_total", "Texts that went through a model", ["model"])
ENCODE_SECONDS = Histogram(
    "touchstone_embedder_encode_seconds",
    "Time of one turn of a model",
    ["model"],
    buckets=(0.001, 0.005, 0.02, 0.1, 0.3, 0.6, 1, 2, 5, 15),
)
MODELS_AVAILABLE = Gauge("touchstone_embedder_models_available_count", "Configured models that answer")
MODELS_MISSING = Gauge("touchstone_embedder_models_missing_count", "Configured models that could not be loaded")


def observe_turn(model: str, texts: int, seconds: float) -> None:
    """Count one turn of a model."""
    TEXTS_ENCODED.labels(model).inc(texts)
    ENCODE_SECONDS.labels(model).observe(seconds)
