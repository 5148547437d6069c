"""A named tuple or a dataclass as data: its class stays where it was defined."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    """Name and fields, in order, of what was an instance of a named tuple or a dataclass."""

    name: str
    fields: tuple[tuple[str, object], ...]
