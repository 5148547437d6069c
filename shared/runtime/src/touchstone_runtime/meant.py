"""What is meant by an id or its beginning: the same everywhere, and in the same words where nothing is."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from touchstone_runtime.errors import TouchstoneError

T = TypeVar("T")


def meant(beginning: str, things: Iterable[T], id_of: Callable[[T], str] = str) -> list[T]:
    """The things whose ids begin so; one whose id is just that stands alone, and nothing begins with nothing.

    Example:
        >>> meant("a", ["ab", "ac", "b"]), meant("ab", ["abc", "ab"]), meant("", ["a"])
        (['ab', 'ac'], ['ab'], [])
    """
    found = [thing for thing in things if beginning and id_of(thing).startswith(beginning)]
    return [thing for thing in found if id_of(thing) == beginning] or found


def the_one(
    beginning: str, found: Sequence[T], names: tuple[str, str], error: type[TouchstoneError], *, way_out: str
) -> T:
    """The only one of what is meant.

    Args:
        beginning: What was asked for.
        found: What has an id that begins so, as `meant` finds it.
        names: What such things are called, one of them and several, with how many they are where that is known.
        error: What is raised.
        way_out: Where their ids are seen.

    Raises:
        TouchstoneError: `error`, where nothing is meant, or several are.

    Example:
        >>> the_one("a", ["ab"], ("run", "1 runs"), TouchstoneError, way_out="")
        'ab'
    """
    if len(found) == 1:
        return found[0]
    one, several = names
    words = f"{several} have ids that begin so" if found else f"no {one} has this id"
    raise error(words, thing=beginning, way_out=way_out)
