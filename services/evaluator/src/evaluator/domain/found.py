"""What searches of a strategy find."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Snippet:
    """Code that a search found."""

    repository: str
    path: str
    qualname: str
    code: str
    function_id: str
    score: float


@dataclass(frozen=True)
class Document:
    """Documentation that a search found.

    Attributes:
        package: The distribution that it belongs to.
        name: The documented module, function, class or member; the distribution's name for what it says of itself.
        text: Head and words.
    """

    package: str
    version: str
    name: str
    text: str
    score: float
