"""The piece of code that gets a vector."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """Where a definition stands: one file of one version of one source, and the qualified name in it."""

    source_version_id: str
    path: str
    qualname: str


@dataclass(frozen=True)
class CodeUnit:
    """A function, method, nested function or class.

    `record` is the whole fact as it came, opaque here; it travels on with the vectors.
    """

    function_id: str
    source_version_id: str
    language: str
    path: str
    qualname: str
    form: str
    code: str
    docstring: str
    enclosing_class: str
    record: str


@dataclass(frozen=True)
class EmbeddedUnit:
    """A unit with one L2-normalised float32 vector, as bytes, for each model."""

    unit: CodeUnit
    vectors: tuple[tuple[str, bytes], ...]
