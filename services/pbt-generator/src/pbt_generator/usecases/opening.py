"""Reads the parts of a released task and checks each against the manifest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from pbt_generator.domain.proved import unproved
from pbt_generator.domain.release import PARTS, Json, ReleasedTask, entry_of
from pbt_generator.domain.task.record import amended_version
from pbt_generator.errors import BrokenReleaseError
from pbt_generator.ports import Freezer, Parts
from pbt_generator.usecases.candidates import BUILDER
from touchstone_contracts.manifests import sha256
from touchstone_contracts.task_releases import differences
from touchstone_runtime.exported import UNREADABLE


@dataclass(frozen=True)
class Opened:
    """A task of a release with the bytes of its parts by name, or what is wrong with them, one line each."""

    task: ReleasedTask | None
    problems: tuple[str, ...] = ()
    parts: Mapping[str, bytes] = field(default_factory=dict[str, bytes])


async def open_task(entry: Json, parts: Parts, freezer: Freezer, retracted: str = "") -> Opened:
    """Read a task's parts; what is missing or differs is named, and then there is no task.

    Args:
        entry: The task's lines in the manifest.
        parts: Where its parts lie.
        freezer: Reads suites.
        retracted: Why it was taken back; empty while it stands.
    """
    data: dict[str, bytes] = {}
    problems: list[str] = []
    for part in PARTS:
        digest = str(entry["digests"][part])
        found = await parts.get(digest)
        words = part.replace("_", " ")
        if found is None:
            problems.append(f"{words} {digest} is missing: {parts.place(digest)}")
        elif sha256(found) != digest:
            problems.append(
                f"{words} has the digest {sha256(found)}, the manifest says {digest}: {parts.place(digest)}"
            )
        else:
            data[part] = found
    if problems:
        return Opened(None, tuple(problems))
    try:
        return _read(entry, data, freezer, retracted)
    except UNREADABLE as error:
        return Opened(None, (f"its parts cannot be read: {type(error).__name__}: {error}",))


async def must_open(
    entry: Json, parts: Parts, freezer: Freezer, retracted: str = ""
) -> tuple[ReleasedTask, Mapping[str, bytes]]:
    """Read a task's parts; gives the task, and the bytes of the parts by name.

    Raises:
        BrokenReleaseError: one is missing or differs.
    """
    opened = await open_task(entry, parts, freezer, retracted)
    if opened.task is None:
        raise BrokenReleaseError(
            opened.problems[0],
            thing=f"task {entry['task_id']}",
            way_out="`touchstone release verify` lists everything; bring the blob back from a copy of the store",
        )
    return opened.task, opened.parts


def _read(entry: Json, data: dict[str, bytes], freezer: Freezer, retracted: str) -> Opened:
    record = _object(data["record"])
    certificate = _object(data["certificate"])
    suite = freezer.open(data["suite"])
    task = record["task"]
    computed = entry_of(record, certificate)
    if entry.get("licence") == (alone := record["function"]["source"].get("licence") or None):
        # A manifest from before states the licence of the source alone, whatever files a slice took parts of.
        computed["licence"] = alone
    problems = [*differences(entry, computed), *unproved(record, certificate)]
    if certificate["suite_digest"] != task["suite_digest"]:
        problems.append(f"the certificate is of another suite, {certificate['suite_digest']}")
    made = [freezer.task_id(task["function_id"], task["suite_digest"], builder) for builder in _builders(certificate)]
    if task["task_id"] not in made:
        problems.append(f"function, suite and builder make the task id {made[0]}, the record says {task['task_id']}")
    if (len(suite.cases), suite.entry_point) != (task["cases"], task["entry_point"]):
        problems.append(
            f"the suite has {len(suite.cases)} cases of {suite.entry_point}, "
            f"the record says {task['cases']} of {task['entry_point']}"
        )
    if problems:
        return Opened(None, tuple(problems))
    source = data["ground_truth"].decode("utf-8", "surrogatepass")
    opened = ReleasedTask(entry, record, certificate, source, suite.comparison, suite.cases, data["suite"], retracted)
    return Opened(opened, parts=data)


def _builders(certificate: Json) -> list[str]:
    """The versions of the builder that may name a task; certificates of amended ones named the first builder once."""
    builder = str(certificate["builder"])
    history: list[Json] = certificate.get("blind") or []
    if not history:
        return [builder]
    replaced = str(history[-1]["task_id"])
    return [builder, *(amended_version(version, replaced) for version in _since(builder))]


def _since(builder: str) -> list[str]:
    """A version of the builder and all later ones: under which of them a task was amended, nobody noted once."""
    name, _, number = builder.rpartition("-")
    newest = BUILDER.rpartition("-")[2]
    if not number.isdecimal():
        return [builder]
    return [builder, *(f"{name}-{each}" for each in range(int(number) + 1, int(newest) + 1))]


def _object(data: bytes) -> Json:
    found: Any = json.loads(data)
    if not isinstance(found, dict):
        raise ValueError("a part is no JSON object")
    return cast("Json", found)


def trial_names(certificate: Json) -> Sequence[tuple[str, str]]:
    """Program and language of every trial of a certificate."""
    return [(trial["program"], trial["language"]) for trial in certificate["trials"]]
