"""The embedder's settings."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from touchstone_runtime.settings import ServiceSettings


class EmbedderSettings(ServiceSettings):
    """What is embedded with, where, and in what portions."""

    embedding_models: tuple[str, ...] = Field(
        ("all-MiniLM-L6-v2", "all-mpnet-base-v2"),
        description="Models, as a JSON array: folders in models_dir, or bow-hash-<dimensions>; the first embeds "
        "functions as they come, the others later, behind all other work",
    )
    embedding_rest_s: float = Field(
        120.0, ge=0, description="How long nothing new has come when the later models begin, in seconds"
    )
    embedding_device: Literal["auto", "cpu", "cuda", "mps"] = Field("auto", description="Where models compute")
    embedding_threads: int = Field(2, ge=1, description="Threads of one model on the CPU")
    embedding_bulk_nice: int = Field(
        15, ge=0, le=19, description="How far embedding in bulk stands back behind questions and other processes"
    )
    embedding_batch: int = Field(8, ge=1, description="Texts that go through a model of torch together")
    converted_models_dir: Path | None = Field(
        None, description="Where models converted for this processor are kept; openvino in state_dir when left out"
    )
    embedding_characters: int = Field(6000, ge=200, description="Most characters of a function that are embedded")
    embedding_callees: bool = Field(
        False, description="Whether the bodies of callees are embedded with a function that mostly calls"
    )
    embedding_records: int = Field(64, ge=1, description="Functions taken from the topic at a time")
    embedding_wait_s: float = Field(0.2, gt=0, description="Longest wait for a full batch, in seconds")
