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


def cluster_of(task_id: str, source: str, *, imported: bool) -> str:
    """What a task stands or falls together with: its repository.

    The source of an imported task is the set that it is of, which is no repository: nobody knows where its tasks come
    from, and each counts as a repository of its own.

    Example:
        >>> cluster_of("t1", "toolz", imported=False), cluster_of("t1", "HumanEval+", imported=True)
        ('toolz', 't1')
    """
    return task_id if imported else source


def own_sources(sources: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Those of some tasks' sources that are our own, each with its kind and with how many of the tasks come from it."""
    own = Counter(
        (str(source.get("kind") or ""), str(source["name"]))
        for source in sources
        if is_own(str(source.get("kind") or ""), str(source["name"]))
    )
    return [{"kind": kind, "name": name, "tasks": count} for (kind, name), count in sorted(own.items())]
