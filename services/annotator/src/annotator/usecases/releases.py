"""Releases: freeze what is labelled, show it, and hand it out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from annotator.domain.copies import copies_of, with_copies
from annotator.domain.release import (
    LABELS,
    PARTS,
    PORTION,
    QUERIES,
    Changes,
    Json,
    NotAManifestError,
    PooledLabel,
    Row,
    Selection,
    Tally,
    key_of,
    line_of,
    manifest_of,
    read_manifest,
)
from annotator.domain.withheld import with_withheld
from annotator.errors import (
    BadSelectionError,
    BrokenReleaseError,
    ReleaseExistsError,
    UnknownFormatError,
    UnknownReleaseError,
)
from annotator.ports import Portions, RecordStore
from annotator.ports.releases import ExportedPiece, Exporter, FrozenPool, Pool, ReleaseRow, Releases
from touchstone_contracts.manifests import canonical, sha256, well_named

CHECKSUMS = "SHA256SUMS"
MANIFEST = "manifest.json"
ABOUT = "export.json"
PORTIONS_FOLDER = "parts"
# One more where the same release is laid out in other files in a format, so that nobody compares what cannot be equal.
_LAYOUTS = {"beir": 2, "cosqa": 2, "triples": 3}
DEFAULT_FORMAT = "beir"
# What a release is compared with where somebody wants that with none.
NOTHING = "none"
_BROUGHT_BACK = "bring the blob back from a copy of the store, or create the release anew under another name"


@dataclass(frozen=True, slots=True)
class Shown:
    """A release with its manifest."""

    row: ReleaseRow
    manifest: Json
    data: bytes


class ReleaseDesk:
    """Makes releases and answers for them.

    Args:
        pool: What is labelled.
        releases: Where releases are kept.
        blobs: Where manifests and portions are put.
        portions: The same store, read without checks.
        exporters: By format.
    """

    def __init__(
        self,
        pool: Pool,
        releases: Releases,
        blobs: RecordStore,
        portions: Portions,
        exporters: Mapping[str, Exporter],
    ) -> None:
        self._pool = pool
        self._releases = releases
        self._blobs = blobs
        self._portions = portions
        self._exporters = exporters

    async def create(self, name: str, selection: Selection, since: str = "") -> tuple[ReleaseRow, bool]:
        """Freeze the labels that match; gives the release, and whether it was there before with the same content.

        Args:
            name: Small letters, digits, dots, dashes and underscores.
            selection: Which labels.
            since: The release whose differences the manifest tells; empty is the newest other one, "none" is none.
                Where the newest cannot be read, the manifest says why nobody compared.

        Raises:
            BadSelectionError: the name does not fit, or nothing matches.
            UnknownReleaseError: there is no release to compare with.
            BrokenReleaseError: the release that was named to compare with cannot be read, or a portion of this one lies
                damaged in the store already.
            ReleaseExistsError: the name belongs to other content.
        """
        if not well_named(name):
            raise BadSelectionError(
                "no name for a release",
                thing=name or "(empty)",
                way_out="use up to 64 small letters, digits, dots, dashes and underscores, for example 2026-06",
            )
        before = await self._before(name, since)
        tally = Tally()
        parts: dict[str, list[Json]] = {}
        async with self._pool.freeze(selection) as frozen:
            parts["queries"] = await self._portioned("queries", frozen.queries(), tally)
            parts["codes"] = await self._portioned("codes", frozen.codes(), tally)
            parts["labels"] = await self._portioned("labels", _told(frozen, selection), tally)
        if not tally.labels:
            raise BadSelectionError("no label matches", way_out="see `touchstone pairs list`, or ask for less")
        told = await self._compared(before, parts, named=bool(since)) if before else None
        manifest = manifest_of(name, selection, tally, parts, told)
        manifest_digest = await self._blobs.put(canonical(manifest))
        row = ReleaseRow(name, manifest["digest"], manifest_digest, tally.queries, tally.codes, tally.labels)
        saved, new = await self._releases.save(row)
        if saved.digest != row.digest:
            raise ReleaseExistsError(
                f"there is a release of this name with other content: {saved.pairs} pairs, digest {saved.digest[:12]}; "
                f"yours would hold {row.pairs}, digest {row.digest[:12]}",
                thing=name,
                way_out="releases never change; choose another name",
            )
        return saved, not new

    async def flaws_of_since(self, manifest: Json) -> tuple[str, ...]:
        """Where a manifest says something else of what changed than its rows and those of the release before.

        Nothing is said where one of the two cannot be read.
        """
        since = manifest.get("since")
        if since is None:
            return ()
        row = await self._releases.find(str(since.get("name")))
        if row is None or row.digest != since.get("digest"):
            has = f"has the digest {row.digest}" if row else "is none here"
            return (f"it was compared with {since.get('name')}, digest {since.get('digest')}: that release {has}",)
        if since.get("changes") is None:
            return ()
        try:
            changes = await self._changes((await self._opened(row)).manifest, manifest["parts"])
        except BrokenReleaseError:
            return ()
        differ = sorted(name for name in changes if changes[name] != since["changes"].get(name))
        return (f"what changed since {row.name} is something else: {', '.join(differ)}",) if differ else ()

    async def list(self) -> Sequence[ReleaseRow]:
        """Every release, oldest first."""
        return await self._releases.all()

    async def show(self, name: str) -> Shown:
        """A release with its manifest.

        Raises:
            UnknownReleaseError: there is none of this name.
            BrokenReleaseError: its manifest is missing or damaged.
        """
        return await self._opened(await self._row(name))

    async def _row(self, name: str) -> ReleaseRow:
        row = await self._releases.find(name)
        if row is None:
            raise UnknownReleaseError(
                "no release has this name", thing=name or "(empty)", way_out="see `touchstone labels release list`"
            )
        return row

    async def _opened(self, row: ReleaseRow) -> Shown:
        data = await self._portions.get(row.manifest_digest)
        if data is None or sha256(data) != row.manifest_digest:
            raise BrokenReleaseError(
                f"its manifest is {'missing' if data is None else 'damaged'}: "
                f"{self._portions.place(row.manifest_digest)}",
                thing=row.name,
                way_out=_BROUGHT_BACK,
            )
        try:
            return Shown(row, read_manifest(data), data)
        except NotAManifestError as error:
            raise BrokenReleaseError(f"its manifest cannot be read: {error}", thing=row.name) from error

    async def export(self, name: str, export_format: str) -> AsyncIterator[ExportedPiece]:
        """The files of an export, in pieces; its checksums come last of all, so that a folder that has them is whole.

        Raises:
            UnknownFormatError: there is no such format.
            UnknownReleaseError: there is no such release.
            BrokenReleaseError: a portion is missing or damaged.
        """
        wanted = export_format or DEFAULT_FORMAT
        if wanted not in self._exporters:
            raise UnknownFormatError(
                "no such format", thing=wanted, way_out=f"one of {', '.join(sorted(self._exporters))}"
            )
        shown = await self.show(name)
        sums = Checksums()
        async for piece in export_pieces(shown, self._portions, wanted, self._exporters[wanted]):
            sums.add(piece)
            yield piece
        yield ExportedPiece(CHECKSUMS, sums.text())

    async def stream(self, name: str, *, copies: bool = False) -> AsyncIterator[tuple[str, Json]]:
        """Queries and then labels of a release, each with the name of its part; those of now where no name is given.

        Args:
            name: Of the release.
            copies: Copies of a code that was judged for a query have its label, too, as in exports.

        Raises:
            UnknownReleaseError: there is no such release.
            BrokenReleaseError: a portion is missing or damaged.
        """
        if name:
            manifest = (await self.show(name)).manifest
            parts = (rows_of(self._portions, manifest["parts"][part]) for part in PARTS)
            async for each in _streamed(*parts, copies=copies):
                yield each
            return
        async with self._pool.freeze(Selection()) as frozen:
            rows = map(_as_rows, (frozen.queries(), frozen.codes(), _told(frozen, Selection())))
            async for each in _streamed(*rows, copies=copies):
                yield each

    async def _before(self, name: str, since: str) -> ReleaseRow | None:
        if since == NOTHING:
            return None
        if since:
            return await self._row(since)
        others = [row for row in await self._releases.all() if row.name != name]
        return others[-1] if others else None

    async def _portioned(self, part: str, rows: AsyncIterator[Row], tally: Tally) -> list[Json]:
        """Store rows in portions; gives digest and number of rows of each."""
        stored: list[Json] = []
        lines: list[bytes] = []
        async for row in rows:
            tally.add(part, asdict(row))
            lines.append(line_of(row))
            if len(lines) == PORTION:
                stored.append({"digest": await self._stored(b"".join(lines)), "rows": len(lines)})
                lines = []
        if lines:
            stored.append({"digest": await self._stored(b"".join(lines)), "rows": len(lines)})
        return stored

    async def _stored(self, data: bytes) -> str:
        digest = await self._blobs.put(data)
        if await self._portions.get(digest) != data:
            # The store leaves what lies there, so that the release would be broken from its first day.
            raise BrokenReleaseError(
                "a portion of it lies damaged in the store already",
                thing=self._portions.place(digest),
                way_out="remove the blob; the same call writes it anew",
            )
        return digest

    async def _compared(self, before: ReleaseRow, parts: Mapping[str, list[Json]], *, named: bool) -> Json:
        """What changed since another release; where nobody named it and it cannot be read, why that is not known."""
        told: Json = {"name": before.name, "digest": before.digest}
        try:
            return told | {"changes": await self._changes((await self._opened(before)).manifest, parts)}
        except BrokenReleaseError as error:
            if named:
                raise BrokenReleaseError(
                    f"what changed since {before.name} cannot be told: {error.message}",
                    thing=error.thing,
                    way_out=f"name another release, or --since {NOTHING}",
                ) from error
            # What changed is for people, and no part of what is released.
            return told | {"changes": None, "why": error.message}

    async def _changes(self, before: Json, parts: Mapping[str, list[Json]]) -> Json:
        changes = Changes()
        for part in PARTS:
            old, new = rows_of(self._portions, before["parts"][part]), rows_of(self._portions, parts[part])
            async for was, now in side_by_side(old, new, lambda row, part=part: key_of(part, row)):
                changes.add(part, was, now)
        return changes.to_dict()


async def _streamed(
    queries: AsyncIterator[Json], codes: AsyncIterator[Json], labels: AsyncIterator[Json], *, copies: bool
) -> AsyncIterator[tuple[str, Json]]:
    """Queries and then labels, also those of copies of the codes where these are wanted."""
    async for query in queries:
        yield QUERIES, query
    async for label in with_copies(labels, await copies_of(codes)) if copies else labels:
        yield LABELS, label


async def _as_rows(rows: AsyncIterator[Row]) -> AsyncIterator[Json]:
    async for row in rows:
        yield asdict(row)


async def _told(frozen: FrozenPool, selection: Selection) -> AsyncIterator[PooledLabel]:
    """The labels as a release tells them."""
    same_text = await frozen.same_text()
    of_query: list[PooledLabel] = []
    async for row in frozen.labels():
        if of_query and of_query[0].query_id != row.query_id:
            for told in with_withheld(of_query, selection, same_text):
                yield told
            of_query = []
        of_query.append(row)
    for told in with_withheld(of_query, selection, same_text):
        yield told


class Checksums:
    """The checksums of files that come in pieces."""

    def __init__(self) -> None:
        self._by_path: dict[str, Any] = {}

    def add(self, piece: ExportedPiece) -> None:
        """Take one piece."""
        self._by_path.setdefault(piece.path, hashlib.sha256()).update(piece.data)

    def items(self) -> dict[str, str]:
        """Digest of each file."""
        return {path: seen.hexdigest() for path, seen in sorted(self._by_path.items())}

    def text(self) -> bytes:
        """As `sha256sum -c` reads them."""
        return "".join(f"{digest}  {path}\n" for path, digest in self.items().items()).encode()


def layout_of(export_format: str) -> int:
    """The number of how a format lays files out now."""
    return _LAYOUTS.get(export_format, 1)


async def export_pieces(
    shown: Shown, portions: Portions, export_format: str, exporter: Exporter
) -> AsyncIterator[ExportedPiece]:
    """The files of an export but its checksums: manifest, portions, and what the format makes of them.

    The same release and format give the same bytes.

    Raises:
        BrokenReleaseError: a portion is missing or damaged.
    """
    manifest = shown.manifest
    layout = layout_of(export_format)
    about = {"format": export_format, "layout": layout, "release": manifest["name"], "digest": manifest["digest"]}
    yield ExportedPiece(ABOUT, canonical(about))
    yield ExportedPiece(MANIFEST, shown.data)
    written: set[str] = set()
    for part in PARTS:
        for portion in manifest["parts"][part]:
            if portion["digest"] not in written:
                written.add(portion["digest"])
                path = f"{PORTIONS_FOLDER}/{portion['digest']}"
                yield ExportedPiece(path, await portion_of(portions, portion["digest"]))

    def rows(part: str) -> AsyncIterator[Json]:
        return rows_of(portions, manifest["parts"][part])

    async for piece in exporter.files(rows):
        yield piece


async def portion_of(portions: Portions, digest: str) -> bytes:
    """The bytes of a portion.

    Raises:
        BrokenReleaseError: they are missing or damaged.
    """
    data = await portions.get(digest)
    if data is None or sha256(data) != digest:
        raise BrokenReleaseError(
            f"a portion of it is {'missing' if data is None else 'damaged'}",
            thing=portions.place(digest),
            way_out=_BROUGHT_BACK,
        )
    return data


async def rows_of(portions: Portions, listed: Sequence[Json]) -> AsyncIterator[Json]:
    """The rows of a part, portion by portion.

    Raises:
        BrokenReleaseError: a portion is missing or damaged.
    """
    for portion in listed:
        for line in (await portion_of(portions, portion["digest"])).splitlines():
            yield json.loads(line)


async def side_by_side(
    old: AsyncIterator[Json], new: AsyncIterator[Json], key: Callable[[Json], tuple[str, ...]]
) -> AsyncIterator[tuple[Json | None, Json | None]]:
    """Two ordered streams as pairs of rows of the same key; None where a side has none."""
    left, right = await anext(old, None), await anext(new, None)
    while left is not None or right is not None:
        if right is None or (left is not None and key(left) < key(right)):
            yield left, None
            left = await anext(old, None)
        elif left is None or key(right) < key(left):
            yield None, right
            right = await anext(new, None)
        else:
            yield left, right
            left, right = await anext(old, None), await anext(new, None)
