"""Datasets: files of the blob store that a job finds, read-only, beneath `/data`."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass

from sandbox_executor.domain.paths import JobError, check_path

MOST_DATASETS = 50
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, order=True)
class Dataset:
    """A file beneath `/data`: its relative path there, and the SHA-256 of its content, hexadecimal."""

    path: str
    digest: str


def check_datasets(datasets: tuple[Dataset, ...]) -> None:
    """Prove that datasets can lie side by side.

    Raises:
        JobError: they cannot.
    """
    if len(datasets) > MOST_DATASETS:
        raise JobError(f"at most {MOST_DATASETS} datasets")
    paths = {dataset.path for dataset in datasets}
    if len(paths) != len(datasets):
        raise JobError("two datasets have the same path")
    for dataset in datasets:
        if _DIGEST.fullmatch(dataset.digest) is None:
            raise JobError(f"digest {dataset.digest[:80]!r} is not 64 hexadecimal characters, lower case")
        parts = check_path(dataset.path).split("/")
        for size in range(1, len(parts)):
            if "/".join(parts[:size]) in paths:
                raise JobError(f"dataset {dataset.path[:80]!r} lies beneath another")


def view_id(datasets: tuple[Dataset, ...]) -> str:
    """The name of what a job sees: a hash of paths and digests."""
    text = "\n".join(f"{dataset.path}\0{dataset.digest}" for dataset in sorted(datasets))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
