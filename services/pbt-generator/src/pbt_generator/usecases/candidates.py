"""What a suite is built from, and the seed of everything that chance decides in it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from pbt_generator.domain.inputs.traced import Seen

BUILDER = "pbt-29"


@dataclass(frozen=True)
class Candidate:
    """A function that passed every filter before this service."""

    function_id: str
    name: str
    qualname: str
    code: str
    imports: tuple[str, ...]
    kind: str
    form: str = "function"
    complexity: int = 0
    libraries: tuple[str, ...] = ()
    calls: tuple[str, ...] = ()
    seen: Seen = field(default_factory=Seen)

    @property
    def portable(self) -> bool:
        """Whether the task is for five languages."""
        return self.kind == "SC"


def seed_of(candidate: Candidate) -> int:
    """The seed of everything that chance decides: a hash of the function's own text."""
    text = "\0".join((BUILDER, candidate.kind, candidate.name, *candidate.imports, candidate.code))
    return seed_from(text)


def seed_from(text: str) -> int:
    """The seed that a text stands for."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:6], "big")


__all__ = ["BUILDER", "Candidate", "seed_from", "seed_of"]
