"""Kinds of sources, where tasks come from: the ingester follows, the generator imports, others tell them apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

# What can be followed.
Followed = Literal["package", "git", "folder", "archive"]
FOLLOWED: tuple[Followed, ...] = get_args(Followed)
# Somebody else's set of tasks, imported as it is.
BENCHMARK = "benchmark"


def is_own(kind: str, name: str) -> bool:
    """Whether code comes from where others do not get it.

    That is a folder or an archive on a disk, and a repository that is read by a path or with a key.

    Example:
        >>> is_own("git", "https://example.org/a.git"), is_own("git", "/home/me/shop"), is_own("package", "toolz")
        (False, True, False)
    """
    return kind in ("folder", "archive") or (kind == "git" and not name.startswith(("https://", "http://")))


def own_sources(sources: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Those of some tasks' sources that are our own, each with its kind and with how many of the tasks come from it."""
    own = Counter(
        (str(source.get("kind") or ""), str(source["name"]))
        for source in sources
        if is_own(str(source.get("kind") or ""), str(source["name"]))
    )
    return [{"kind": kind, "name": name, "tasks": count} for (kind, name), count in sorted(own.items())]
