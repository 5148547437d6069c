"""Members of enumerations that another version may have added to."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class _Members(Protocol):
    # An enumeration as protobuf generates it.
    def keys(self) -> Sequence[str]: ...

    def values(self) -> Sequence[int]: ...


def member_name(members: _Members, number: int, prefix: str) -> str:
    """A member by its name, lower case and without prefix; one of a later version by its number, `unknown_17`.

    Example:
        >>> from touchstone.sandbox.v1 import sandbox_pb2
        >>> member_name(sandbox_pb2.Outcome, sandbox_pb2.OUTCOME_TIMED_OUT, "OUTCOME_")
        'timed_out'
    """
    names = dict(zip(members.values(), members.keys(), strict=True))
    return names.get(number, f"unknown_{number}").removeprefix(prefix).lower()
