"""Checks an exported folder with nothing but the folder itself."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, cast

from pbt_generator.domain.release import PARTS, NotAManifestError, read_manifest
from pbt_generator.errors import BrokenReleaseError
from pbt_generator.ports import ExportedFile, Exporter, Freezer, Parts, ReleaseRow
from pbt_generator.usecases.releases import (
    ABOUT,
    CHECKSUMS,
    LAYOUT,
    MANIFEST,
    PARTS_FOLDER,
    RETRACTIONS,
    Shown,
    export_files,
)
from pbt_generator.usecases.verify import Checked, Verifier
from touchstone_contracts.manifests import sha256
from touchstone_contracts.task_releases import retractions_digest
from touchstone_runtime.exported import LISTED, UNREADABLE, Stray, listed_sums, stray_lines


class Folder(Protocol):
    """An exported folder."""

    @property
    def name(self) -> str:
        """Where it is, for people."""
        ...

    @property
    def parts(self) -> Parts:
        """The parts of the tasks in it."""
        ...

    async def read(self, path: str) -> bytes | None:
        """The bytes of a file; None when there is none."""
        ...

    async def strays(self, belonging: Collection[str]) -> Sequence[Stray]:
        """What lies in the folder beside these files, by path."""
        ...


@dataclass(frozen=True)
class CheckedFolder(Checked):
    """What is known of the files of an exported folder.

    Attributes:
        strays: Paths of what lies there and is no part of the release, as far as `problems` names them.
        retractions: Digest of which tasks the folder says were taken back: that is its own word, and proved by nothing
            in it. The platform tells the digest of what was taken back there.
    """

    strays: tuple[str, ...] = ()
    retractions: str = ""


class ExportCheck:
    """Verifies exports.

    Args:
        verifier: Replays certificates.
        freezer: Reads suites.
        exporters: Makers of exporters, by format.
        same: Whether two versions of a file say the same, given its path.
        judges: Whether a file decides verdicts, given its path.
    """

    def __init__(
        self,
        verifier: Verifier,
        freezer: Freezer,
        exporters: Mapping[str, Callable[[], Exporter]],
        same: Callable[[str, bytes, bytes], bool],
        judges: Callable[[str], bool],
    ) -> None:
        self._verifier = verifier
        self._freezer = freezer
        self._exporters = exporters
        self._same = same
        self._judges = judges

    async def verify(
        self, folder: Folder, languages: Sequence[str] = (), *, full: bool = False
    ) -> AsyncIterator[Checked]:
        """Check every file, then every digest, then replay every certificate; see `Verifier.verify`.

        What is said first is of the folder's files.

        Raises:
            BrokenReleaseError: the folder holds no manifest that can be read.
        """
        shown = await _open(folder)
        total = len(shown.manifest["tasks"])
        problems, belonging = await self._files(folder, shown)
        strays = await folder.strays([*belonging, CHECKSUMS])
        problems += stray_lines(folder.name, strays)
        notes = shown.row.retractions
        held = {entry["task_id"] for entry in shown.manifest["tasks"]}
        problems += [
            f"{folder.name}/{RETRACTIONS} takes back {task_id}, which the release does not hold"
            for task_id in sorted(set(notes) - held)
        ]
        named = tuple(stray.path for stray in strays[:LISTED])
        yield CheckedFolder(total=total, problems=tuple(problems), strays=named, retractions=retractions_digest(notes))
        async for checked in self._verifier.verify(shown.manifest, folder.parts, notes, languages, full=full):
            yield checked

    async def _files(self, folder: Folder, shown: Shown) -> tuple[list[str], set[str]]:
        """What is wrong with files, and the files of the release.

        Whether parts of tasks have their digests is left to the check of the tasks.
        """
        problems: list[str] = []
        named: set[str] = set()
        parts = {entry["digests"][part] for entry in shown.manifest["tasks"] for part in PARTS}
        sums = await folder.read(CHECKSUMS)
        if sums is None:
            problems.append(f"{folder.name}/{CHECKSUMS} is missing: was the export interrupted?")
        listed = listed_sums(sums or b"")
        for stated, path in listed:
            if (digest := path.removeprefix(f"{PARTS_FOLDER}/")) in parts:
                if stated != digest:
                    problems.append(f"{folder.name}/{path} has the digest {digest}, {CHECKSUMS} says {stated}")
                continue
            data = await folder.read(path)
            if data is None:
                problems.append(f"{folder.name}/{path} is missing")
            elif sha256(data) != stated:
                problems.append(
                    f"{folder.name}/{path} has the digest {sha256(data)}, {CHECKSUMS} says {stated or 'nothing'}"
                )
            else:
                continue
            named.add(path)
        there = {path for _, path in listed}
        more, made = await self._remade(folder, shown, named)
        problems += more
        if sums is not None:
            problems += [f"{folder.name}/{CHECKSUMS} does not name {path}" for path in sorted(made - there)]
        # What cannot be made again is what lists and manifest name.
        known = {ABOUT, MANIFEST, RETRACTIONS, *(f"{PARTS_FOLDER}/{digest}" for digest in parts)}
        return problems, made or known | there

    async def _remade(self, folder: Folder, shown: Shown, named: set[str]) -> tuple[list[str], set[str]]:
        """Files that say something else than the release's parts, though checksums may have been made to fit.

        And all files that the release makes; none where it cannot be made again.
        """
        about = _object(await folder.read(ABOUT))
        if about.get("digest") != shown.manifest["digest"]:
            told = f"{folder.name}/{ABOUT} names the release {about.get('digest')}, {MANIFEST} {shown.row.digest}"
            return [told], set()
        export_format = str(about.get("format"))
        if about.get("layout") != LAYOUT or export_format not in self._exporters:
            told = (
                f"{folder.name} is laid out as {export_format} {about.get('layout')}, and not as this version does it: "
                "export the release again, or verify with the version that wrote it"
            )
            return [told], set()
        problems: list[str] = []
        made: set[str] = set()
        exporter = self._exporters[export_format]()
        try:
            async for file in export_files(shown, folder.parts, self._freezer, export_format, exporter):
                made.add(file.path)
                found = await folder.read(file.path)
                if file.path in named or (found is not None and self._same(file.path, found, file.data)):
                    continue
                problems.append(f"{folder.name}/{file.path} {self._told(file, found)}")
        except BrokenReleaseError:
            # The check of the tasks says it, each with its parts.
            return problems, set()
        except UNREADABLE as error:
            told = f"{folder.name} cannot be made again from its parts: {type(error).__name__}: {error}"
            return [*problems, told], set()
        return problems, made

    def _told(self, file: ExportedFile, found: bytes | None) -> str:
        if found is None:
            return f"is missing, the release makes it {sha256(file.data)}"
        if self._judges(file.path):
            return (
                f"judges by other code than this version does: its digest is {sha256(found)}, and not "
                f"{sha256(file.data)}; export the release again, or verify with the version that wrote it"
            )
        return f"has the digest {sha256(found)}, the release makes it {sha256(file.data)}"


async def _open(folder: Folder) -> Shown:
    data = await folder.read(MANIFEST)
    if data is None:
        raise BrokenReleaseError(
            f"there is no {MANIFEST}", thing=folder.name, way_out="name the folder that `release export` wrote"
        )
    try:
        manifest = read_manifest(data)
    except NotAManifestError as error:
        raise BrokenReleaseError(str(error), thing=f"{folder.name}/{MANIFEST}", way_out="export it again") from error
    retractions = {str(task_id): str(note) for task_id, note in _object(await folder.read(RETRACTIONS)).items()}
    row = ReleaseRow(
        str(manifest.get("name")), manifest["digest"], sha256(data), len(manifest["tasks"]), retractions=retractions
    )
    return Shown(row, manifest, data)


def _object(data: bytes | None) -> dict[str, Any]:
    """A JSON object, empty where the bytes are none: what is wrong with a file is said elsewhere."""
    try:
        found: object = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}
