"""Releases: freeze a set of tasks, show it, hand it out, and take tasks back."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pbt_generator.domain.foreign import set_of
from pbt_generator.domain.release import (
    PARTS,
    Json,
    NotAManifestError,
    Selection,
    entry_of,
    is_day,
    manifest_of,
    read_manifest,
    record_of,
)
from pbt_generator.domain.task.tables import TABLES
from pbt_generator.errors import (
    BadSelectionError,
    BrokenReleaseError,
    ReleaseExistsError,
    RetractedTaskError,
    UnknownFormatError,
    UnknownReleaseError,
)
from pbt_generator.ports import Blobs, ExportedFile, Exporter, Freezer, Parts, ReleaseRow, Releases
from pbt_generator.usecases.opening import must_open
from pbt_generator.usecases.serve import StoredTask, TaskDesk, similar_tasks
from pbt_generator.usecases.verify import Checked, Verifier
from touchstone_contracts.manifests import canonical, sha256, well_named
from touchstone_contracts.task_releases import retractions_digest
from touchstone_runtime.bands import BANDS

CHECKSUMS = "SHA256SUMS"
RETRACTIONS = "retractions.json"
MANIFEST = "manifest.json"
PARTS_FOLDER = "parts"
ABOUT = "export.json"
# Goes up when the same release is laid out in other files, so that nobody compares what cannot be equal.
LAYOUT = 4
DEFAULT_FORMAT = "code2bench"
LANGUAGES = tuple(TABLES)


@dataclass(frozen=True)
class Shown:
    """A release with its manifest."""

    row: ReleaseRow
    manifest: Json
    data: bytes


class ReleaseDesk:
    """Makes releases and answers for them.

    Args:
        tasks: Knows the tasks.
        releases: Where releases are kept.
        blobs: Where manifests and parts of tasks lie.
        parts: The same store, read without checks.
        freezer: Reads suites.
        verifier: Replays certificates.
        exporters: Makers of exporters, by format.
    """

    def __init__(
        self,
        tasks: TaskDesk,
        releases: Releases,
        blobs: Blobs,
        parts: Parts,
        freezer: Freezer,
        verifier: Verifier,
        exporters: Mapping[str, Callable[[], Exporter]],
    ) -> None:
        self._tasks = tasks
        self._releases = releases
        self._blobs = blobs
        self._parts = parts
        self._freezer = freezer
        self._verifier = verifier
        self._exporters = exporters

    # -- making and showing -------------------------------------------------------------------------------------

    async def create(self, name: str, selection: Selection) -> tuple[ReleaseRow, bool]:
        """Freeze the tasks that match; gives the release, and whether it was there before with the same content.

        Args:
            name: Small letters, digits, dots, dashes and underscores.
            selection: Which tasks; ids may be unambiguous prefixes.

        Raises:
            BadSelectionError: the name, a filter or a named task does not fit, or nothing matches.
            UnknownTaskError: a named task does not exist.
            RetractedTaskError: a named task was taken back.
            BrokenReleaseError: a part of a task is missing or damaged.
            ReleaseExistsError: the name belongs to other content.
        """
        _check(name, selection)
        chosen = await self._chosen(selection)
        entries: list[Json] = []
        for stored in chosen:
            record = record_of(stored.task, stored.function)
            await self._blobs.put(canonical(record))
            entry = entry_of(record, await self._certificate(stored))
            await must_open(entry, self._parts, self._freezer)
            entries.append(entry)
        manifest = manifest_of(name, _whole(selection, chosen), entries)
        manifest_digest = await self._blobs.put(canonical(manifest))
        row = ReleaseRow(name, manifest["digest"], manifest_digest, len(entries))
        saved, new = await self._releases.save(row, [entry["task_id"] for entry in entries])
        if saved.digest != row.digest:
            raise ReleaseExistsError(
                f"there is a release of this name with other content: {saved.tasks} tasks, digest {saved.digest[:12]}; "
                f"yours would hold {row.tasks}, digest {row.digest[:12]}",
                thing=name,
                way_out="releases never change; choose another name",
            )
        return saved, not new

    async def _chosen(self, selection: Selection) -> list[StoredTask]:
        if not selection.task_ids:
            stored = await self._tasks.decisions.tasks()
            matching = [each for each in stored if not selection.refuses(each.task, each.function)]
            # One question that is asked several times ranks once.
            alike = similar_tasks(matching)
            chosen = [each for each in matching if each.task.task_id not in alike]
            if not chosen:
                raise BadSelectionError(
                    f"none of {len(stored)} tasks matches", way_out="see `touchstone tasks list`, or ask for less"
                )
            return chosen
        named: dict[str, StoredTask] = {}
        for identifier in selection.task_ids:
            each = await self._tasks.find(identifier)
            thing = f"task {each.task.task_id}"
            if each.retracted:
                raise RetractedTaskError(f"it was taken back: {each.retracted}", thing=thing, way_out="leave it out")
            refused = selection.refuses(each.task, each.function)
            if refused:
                raise BadSelectionError(f"{refused}, which the release excludes", thing=thing, way_out="leave it out")
            named[each.task.task_id] = each
        sets = sorted({set_of(each.function) or "this platform" for each in named.values()})
        if len(sets) > 1:
            raise BadSelectionError(
                f"tasks of {' and of '.join(sets)} are never in one release", way_out="make a release of each"
            )
        return list(named.values())

    async def _certificate(self, stored: StoredTask) -> Json:
        found = await self._parts.get(stored.task.certificate_digest)
        if found is None or sha256(found) != stored.task.certificate_digest:
            raise BrokenReleaseError(
                f"its certificate {stored.task.certificate_digest} is {'missing' if found is None else 'damaged'}",
                thing=f"task {stored.task.task_id}",
                way_out="bring the blob back from a copy of the store, or retract the task",
            )
        return json.loads(found)

    async def list(self) -> Sequence[ReleaseRow]:
        """Every release, oldest first."""
        return await self._releases.all()

    async def show(self, name: str) -> Shown:
        """A release with its manifest.

        Raises:
            UnknownReleaseError: there is none of this name.
            BrokenReleaseError: its manifest is missing or damaged.
        """
        row = await self._releases.find(name)
        if row is None:
            raise UnknownReleaseError(
                "no release has this name", thing=name or "(empty)", way_out="see `touchstone release list`"
            )
        data = await self._parts.get(row.manifest_digest)
        if data is None or sha256(data) != row.manifest_digest:
            raise BrokenReleaseError(
                f"its manifest is {'missing' if data is None else 'damaged'}: {self._parts.place(row.manifest_digest)}",
                thing=name,
                way_out="bring the blob back from a copy of the store, or create the release anew under another name",
            )
        try:
            return Shown(row, read_manifest(data), data)
        except NotAManifestError as error:
            raise BrokenReleaseError(f"its manifest cannot be read: {error}", thing=name) from error

    # -- handing out --------------------------------------------------------------------------------------------

    async def verify(self, name: str, languages: Sequence[str] = (), *, full: bool = False) -> AsyncIterator[Checked]:
        """Check every digest and replay every certificate; see `Verifier.verify`."""
        shown = await self.show(name)
        notes = shown.row.retractions
        async for checked in self._verifier.verify(shown.manifest, self._parts, notes, languages, full=full):
            yield checked

    async def export(self, name: str, export_format: str) -> AsyncIterator[ExportedFile]:
        """The files of an export.

        Raises:
            UnknownFormatError: there is no such format.
            UnknownReleaseError: there is no such release.
            BrokenReleaseError: a part is missing or damaged.
        """
        wanted = export_format or DEFAULT_FORMAT
        if wanted not in self._exporters:
            raise UnknownFormatError(
                "no such format", thing=wanted, way_out=f"one of {', '.join(sorted(self._exporters))}"
            )
        shown = await self.show(name)
        exporter = self._exporters[wanted]()
        sums: list[str] = []
        async for file in export_files(shown, self._parts, self._freezer, wanted, exporter):
            sums.append(f"{sha256(file.data)}  {file.path}\n")
            yield file
        # Last of all: a folder that has it is whole.
        yield ExportedFile(CHECKSUMS, "".join(sorted(sums, key=lambda line: line[66:])).encode())

    # -- taking back --------------------------------------------------------------------------------------------

    async def retract(self, identifier: str, note: str) -> tuple[StoredTask, bool, Sequence[str]]:
        """Take a task back; gives it, whether it was taken back before, and the releases that hold it.

        Raises:
            UnknownTaskError: no task has this id, or several do.
            BadSelectionError: the note is empty.
        """
        if not note.strip():
            raise BadSelectionError(
                "a retraction needs a note that says why", thing=identifier, way_out='add --note "why"'
            )
        stored, already = await self._tasks.retract(identifier, " ".join(note.split()))
        return stored, already, await self._releases.holding(stored.task.task_id)


async def export_files(
    shown: Shown, parts: Parts, freezer: Freezer, export_format: str, exporter: Exporter
) -> AsyncIterator[ExportedFile]:
    """The files of an export but its checksums: manifest, parts of the tasks, and what the format makes of them.

    The same release, retractions and format give the same bytes.

    Raises:
        BrokenReleaseError: a part is missing or damaged.
    """
    manifest, retractions = shown.manifest, shown.row.retractions
    about = {"format": export_format, "layout": LAYOUT, "release": manifest["name"], "digest": manifest["digest"]}
    taken_back = retractions_digest(retractions)
    yield ExportedFile(ABOUT, canonical(about | {"retractions": taken_back}))
    yield ExportedFile(MANIFEST, shown.data)
    yield ExportedFile(RETRACTIONS, canonical(dict(retractions)))
    for file in exporter.start(manifest, taken_back):
        yield file
    written: set[str] = set()
    for entry in manifest["tasks"]:
        task, data = await must_open(entry, parts, freezer, retractions.get(entry["task_id"], ""))
        for part in PARTS:
            digest = entry["digests"][part]
            # Two tasks may share a part, such as a suite of equal functions.
            if digest not in written:
                written.add(digest)
                yield ExportedFile(f"{PARTS_FOLDER}/{digest}", data[part])
        for file in exporter.task(task):
            yield file
    for file in exporter.finish():
        yield file


def _check(name: str, selection: Selection) -> None:
    if not well_named(name):
        raise BadSelectionError(
            "no name for a release", thing=name or "(empty)",
            way_out="use up to 64 small letters, digits, dots, dashes and underscores, for example 2026-06",
        )  # fmt: skip
    if selection.kind not in ("", "SC", "WSC"):
        raise BadSelectionError("no kind of task", thing=selection.kind, way_out="SC or WSC")
    if selection.band not in ("", *BANDS):
        raise BadSelectionError("no band of tasks", thing=selection.band, way_out=" or ".join(BANDS))
    if selection.since and not is_day(selection.since):
        raise BadSelectionError("no day", thing=selection.since, way_out="write it as YYYY-MM-DD")
    unknown = sorted(set(selection.languages) - set(LANGUAGES))
    if unknown:
        raise BadSelectionError("no target language", thing=unknown[0], way_out=f"one of {', '.join(LANGUAGES)}")


def _whole(selection: Selection, chosen: Sequence[StoredTask]) -> Selection:
    """The selection as the manifest states it: named tasks by their whole ids."""
    ids = tuple(each.task.task_id for each in chosen) if selection.task_ids else ()
    return replace(selection, task_ids=ids)
