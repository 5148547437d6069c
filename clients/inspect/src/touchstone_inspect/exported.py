"""The folder that `touchstone release export` writes, in whichever format: what is asked, and the suites that judge."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from touchstone_contracts.manifests import sha256
from touchstone_contracts.task_releases import FORMAT, digest_of, flaws_of, retractions_digest
from touchstone_runtime.source_kinds import BENCHMARK, cluster_of
from touchstone_runtime.wordings import wording_built

# So many flaws of a manifest are told.
_LISTED = 10
_MANIFEST, _RETRACTIONS, _PARTS = "manifest.json", "retractions.json", "parts"


class NotAnExportError(ValueError):
    """A folder is no whole export that this version reads; the message names the file and says what is wrong."""


@dataclass(frozen=True)
class ExportedTask:
    """A task of a release that stands.

    Attributes:
        task_id: Its whole id.
        entry_point: The function that an answer defines.
        kind: "SC" or "WSC".
        difficulty: As its makers judged it.
        repository: The package or repository that it comes from; of an imported task its own id.
        wording: "described" or "by_example": two boards, and two scores.
        instruction: What a solver is told.
        signatures: The head of the function, by language.
        prelude: Imports that a Python program is given.
        languages: The suite is certified in these.
        suite: The frozen suite as it lies in the export; whoever solves must never see it.
    """

    task_id: str
    entry_point: str
    kind: str
    difficulty: str
    repository: str
    wording: str
    instruction: str
    signatures: Mapping[str, str]
    prelude: str
    languages: tuple[str, ...]
    suite: bytes


@dataclass(frozen=True)
class Export:
    """A release as an export holds it.

    Attributes:
        name: Of the release.
        digest: Of what it holds.
        tasks: Those that stand, in the manifest's order; retracted ones are left out.
        retracted: Ids of those that were left out, by the folder's own word.
        retractions: Digest of which they are, and why; `touchstone release show` tells the platform's.
    """

    name: str
    digest: str
    tasks: tuple[ExportedTask, ...]
    retracted: tuple[str, ...]
    retractions: str


def read_export(folder: Path) -> Export:
    """Read an export; the manifest and every part that is used are held against their digests.

    Raises:
        NotAnExportError: Something is missing, or is not what its digest says.
    """
    manifest = _object(folder / _MANIFEST)
    if manifest.get("format") != FORMAT:
        raise NotAnExportError(f"{folder / _MANIFEST}: its format is {manifest.get('format')!r}, not {FORMAT!r}")
    try:
        if digest_of(manifest) != manifest["digest"]:
            raise NotAnExportError(f"{folder / _MANIFEST}: its content has another digest than it states")
        if flaws := flaws_of(manifest):
            raise NotAnExportError(f"{folder / _MANIFEST}: {'; '.join(flaws[:_LISTED])}")
        notes = _object(folder / _RETRACTIONS)
        tasks = tuple(_task(folder, entry) for entry in manifest["tasks"] if entry["task_id"] not in notes)
        retracted = tuple(entry["task_id"] for entry in manifest["tasks"] if entry["task_id"] in notes)
        return Export(str(manifest["name"]), manifest["digest"], tasks, retracted, retractions_digest(notes))
    except (KeyError, TypeError) as error:
        raise NotAnExportError(f"{folder / _MANIFEST}: not laid out as a manifest is: {error}") from error


def _task(folder: Path, entry: Mapping[str, Any]) -> ExportedTask:
    digests, source = entry["digests"], entry["source"]
    record = json.loads(_part(folder, digests["record"]))["task"]
    return ExportedTask(
        task_id=entry["task_id"],
        entry_point=entry["entry_point"],
        kind=entry["kind"],
        difficulty=entry["difficulty"],
        repository=cluster_of(entry["task_id"], source["name"], imported=source["kind"] == BENCHMARK),
        wording=wording_built(record.get("track", ""), source["kind"]),
        instruction=record["instruction"],
        signatures=record["signatures"],
        prelude=record["prelude"],
        languages=tuple(entry["languages"]),
        suite=_part(folder, digests["suite"]),
    )


def _part(folder: Path, digest: str) -> bytes:
    data = _bytes(folder / _PARTS / digest)
    if sha256(data) != digest:
        raise NotAnExportError(f"{folder / _PARTS / digest}: its content has another digest than its name")
    return data


def _object(path: Path) -> dict[str, Any]:
    try:
        found: object = json.loads(_bytes(path))
    except ValueError as error:
        raise NotAnExportError(f"{path}: not JSON: {error}") from error
    if not isinstance(found, dict):
        raise NotAnExportError(f"{path}: not an object")
    return found


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        words = f"{path}: {error.strerror}; name the folder that `touchstone release export` wrote"
        raise NotAnExportError(words) from error
