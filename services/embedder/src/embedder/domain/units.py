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
class UnitVector:
    """One model's vector of a unit.

    Args:
        model: The model's name.
        identity: Its name and the digest of its weights.
        data: Little-endian float32, L2-normalised.
    """

    model: str
    identity: str
    data: bytes


@dataclass(frozen=True)
class EmbeddedUnit:
    """A unit with one vector for each model, made of its text in this form."""

    unit: CodeUnit
    vectors: tuple[UnitVector, ...]
    text_form: str
