"""Names of models, taken apart: what people ask for, and what runs are called by.

A model's own name may hold an `@`, as the ids of some clouds do, so the first one says nothing.
"""

from __future__ import annotations

import re

_ASKED_AT = re.compile(r"(.+?)@(https?://.+)", re.IGNORECASE | re.DOTALL)


def asked_at(name: str) -> tuple[str, str]:
    """A model and the address of its endpoint, of a catalogue name or `name@base_url`; empty where it has none.

    Example:
        >>> asked_at("claude@20250514@https://user:word@cloud.example/v1")
        ('claude@20250514', 'https://user:word@cloud.example/v1')
        >>> asked_at("claude@20250514")
        ('claude@20250514', '')
    """
    found = _ASKED_AT.fullmatch(name)
    return (found[1], found[2]) if found else (name, "")


def served_at(identity: str) -> tuple[str, str]:
    """A model's id and the place where it is served, of the name that runs have; empty where it has none.

    The last `@` parts the two. The platform's own models have no place: an id of theirs that holds an `@` is told from
    the others by the whole name alone.

    Example:
        >>> served_at("claude@20250514@cloud.example"), served_at("qwen2.5-coder-0.5b")
        (('claude@20250514', 'cloud.example'), ('qwen2.5-coder-0.5b', ''))
    """
    model, at, place = identity.rpartition("@")
    return (model, place) if at else (identity, "")
