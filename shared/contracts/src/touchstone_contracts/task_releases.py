"""What a manifest of a release of tasks says of itself, for whoever reads one: its digest, its counts, its flaws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from touchstone_contracts.manifests import canonical, sha256

FORMAT = "touchstone-release/1"
# What the digest of a release is made of.
_DIGESTED = ("format", "builders", "counts", "tasks")

Entry = Mapping[str, Any]


def digest_of(manifest: Mapping[str, Any]) -> str:
    """The digest of what a release holds."""
    return sha256(canonical({name: manifest[name] for name in _DIGESTED}))


def retractions_digest(notes: Mapping[str, str]) -> str:
    """The digest of which tasks of a release were taken back, and why: it goes with figures beside the release's own.

    Args:
        notes: By the task's id.
    """
    return sha256(canonical(dict(notes)))


def builders_of(tasks: Iterable[Entry]) -> list[str]:
    """The versions of the builder that made some tasks."""
    return sorted({str(entry["builder"]) for entry in tasks})


def counts_of(tasks: Sequence[Entry]) -> dict[str, Any]:
    """How much there is of what."""

    def by(values: Iterable[str]) -> dict[str, int]:
        return dict(sorted(Counter(values).items()))

    return {
        "tasks": len(tasks),
        "cases": sum(entry["cases"] for entry in tasks),
        "by_kind": by(entry["kind"] for entry in tasks),
        "by_difficulty": by(entry["difficulty"] for entry in tasks),
        "by_language": by(language for entry in tasks for language in entry["languages"]),
        "by_licence": by(entry["licence"] or "unknown" for entry in tasks),
    }


def flaws_of(manifest: Mapping[str, Any]) -> list[str]:
    """Where a manifest says something else than its own tasks, one line each.

    A digest shows only that nothing was changed since; whoever writes a manifest writes its digest too.
    """
    try:
        tasks: Sequence[Entry] = manifest["tasks"]
        ids = [str(entry["task_id"]) for entry in tasks]
        stated = {"builders": manifest["builders"], "counts": manifest["counts"]}
        problems = differences(stated, {"builders": builders_of(tasks), "counts": counts_of(tasks)})
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        return [f"it is not laid out as a manifest is: {type(error).__name__}: {error}"]
    problems += [f"task {task_id} stands in it {count} times" for task_id, count in Counter(ids).items() if count > 1]
    if ids != sorted(ids):
        problems.append("its tasks are not in the order of their ids")
    return problems if tasks else [*problems, "it holds no task"]


def differences(stated: Mapping[str, Any], computed: Mapping[str, Any], path: str = "") -> list[str]:
    """Where lines of a manifest say something else than what they are made of."""
    found: list[str] = []
    for name in sorted({*stated, *computed}):
        said, real = stated.get(name), computed.get(name)
        if isinstance(said, dict) and isinstance(real, dict):
            found += differences(cast("Entry", said), cast("Entry", real), f"{path}{name}.")
        elif said != real:
            found.append(f"{path}{name} is {real!r}, the manifest says {said!r}")
    return found
