"""Proves a release again: digests, rows, counts, and the records of its labels; on the platform or in a folder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from annotator.domain.proof import code_in, differing
from annotator.domain.release import (
    COUNTED,
    PARTS,
    Json,
    NotAManifestError,
    Tally,
    flaw_of,
    key_of,
    read_manifest,
    selection_of,
)
from annotator.errors import BrokenReleaseError
from annotator.ports import Portions
from annotator.ports.releases import Exporter, Folder, ReleaseRow
from annotator.usecases.releases import (
    ABOUT,
    CHECKSUMS,
    MANIFEST,
    PORTIONS_FOLDER,
    Checksums,
    Shown,
    export_pieces,
    layout_of,
)
from touchstone_contracts.manifests import canonical, sha256
from touchstone_runtime.exported import LISTED, UNREADABLE, listed_sums, stray_lines

# What a single portion has against it at most, in words; more would tell no more.
_MOST = 20


@dataclass(frozen=True, slots=True)
class Checked:
    """What is known of one portion, or of the whole.

    Attributes:
        part: One of `PARTS`, "records" where labels were compared with their records, or "files"; empty for the whole.
        done: Portions done so far.
        total: Portions in all.
        problems: What is not as the manifest says, in words.
    """

    part: str
    done: int
    total: int
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedFolder(Checked):
    """What is known of the files of an exported folder.

    Attributes:
        strays: Paths of what lies there and is no part of the release, as far as `problems` names them.
    """

    strays: tuple[str, ...] = ()


@dataclass(slots=True)
class _Known:
    """Ids of queries and codes that went by, and digests of the codes that no record has proven yet."""

    queries: set[str] = field(default_factory=set[str])
    codes: set[str] = field(default_factory=set[str])
    unproven: dict[str, bytes] = field(default_factory=dict[str, bytes])


class Verifier:
    """Verifies releases.

    Args:
        portions: Where manifest, portions and records lie.
        records: Whether records lie there too.
    """

    def __init__(self, portions: Portions, *, records: bool) -> None:
        self._portions = portions
        self._records = records

    async def verify(self, manifest: Json) -> AsyncIterator[Checked]:
        """Check every portion, then the counts; one answer a portion.

        A row has its own form, its place in the order, and names a query and a code of the release; a query has the id
        of its words, and all is what the release was asked for. Where records are at hand, each label says what its
        record says, and each code is the one in the record of one of its labels.
        """
        total = sum(len(manifest["parts"][part]) for part in PARTS)
        tally, done = Tally(), 0
        known = _Known()
        for part in PARTS:
            last: tuple[str, ...] = ()
            for portion in manifest["parts"][part]:
                done += 1
                rows, problems = await self._rows(portion)
                for row in rows:
                    if flaw := flaw_of(part, row):
                        problems.append(f"{part}: {flaw}")
                        continue
                    key = key_of(part, row)
                    if key <= last:
                        problems.append(f"{part}: {'/'.join(key)} is out of order, or there twice")
                    last = key
                    tally.add(part, row)
                    if part == "queries":
                        known.queries.add(row["query_id"])
                    elif part == "codes":
                        known.codes.add(row["function_id"])
                        if self._records:
                            known.unproven[row["function_id"]] = _digest(code_in(row))
                    else:
                        problems += await self._label(row, known)
                yield Checked(part, done, total, tuple(problems[:_MOST]))
        whole = [
            f"code {code}: its text, language or place is in the record of none of its labels"
            for code in known.unproven
        ][:_MOST]
        whole += selection_of(manifest).beyond(tally.counts())
        if whole:
            yield Checked("", done, total, tuple(whole))
        stated = {"counts": manifest["counts"], "methods": manifest["methods"]}
        found = {"counts": tally.counts(), "methods": sorted(tally.methods)}
        if stated != found:
            yield Checked("", done, total, (f"its rows make {_short(found)}, the manifest says {_short(stated)}",))

    async def _rows(self, portion: Mapping[str, Any]) -> tuple[list[Json], list[str]]:
        digest = portion["digest"]
        data = await self._portions.get(digest)
        place = self._portions.place(digest)
        if data is None:
            return [], [f"{place} is missing"]
        if sha256(data) != digest:
            return [], [f"{place} has the digest {sha256(data)}"]
        try:
            rows: list[Any] = [json.loads(line) for line in data.splitlines()]
        except (ValueError, RecursionError) as error:
            return [], [f"{place} is no JSON lines: {error}"]
        if len(rows) != portion["rows"]:
            return [], [f"{place} has {len(rows)} rows, the manifest says {portion['rows']}"]
        if any(not isinstance(row, dict) for row in rows) or b"".join(map(canonical, rows)) != data:
            return [], [f"{place} is not in canonical form"]
        return rows, []

    async def _label(self, row: Json, known: _Known) -> list[str]:
        problems = [
            f"pair {row['pair_id']} names {part} that the release lacks: {row[name]}"
            for part, name, there in (("queries", "query_id", known.queries), ("codes", "function_id", known.codes))
            if row[name] not in there
        ]
        if self._records:
            problems += await self._record(row, known)
        return problems

    async def _record(self, row: Json, known: _Known) -> list[str]:
        """Where a label says something else than the record that it names; its code is proven by it."""
        digest = row["record_digest"]
        data = await self._portions.get(digest)
        if data is None or sha256(data) != digest:
            return [f"the record of pair {row['pair_id']} is {'missing' if data is None else 'damaged'}: {digest}"]
        record = _object(data)
        try:
            pair = cast("Json", record.get("pair") or {})
            if known.unproven.get(row["function_id"]) == _digest(code_in(pair)):
                del known.unproven[row["function_id"]]
            return [f"pair {row['pair_id']}: {difference}" for difference in differing(row, record)]
        except UNREADABLE as error:
            return [f"the record of pair {row['pair_id']} cannot be read: {type(error).__name__}: {error}"]


class FolderCheck:
    """Verifies exported folders with nothing but the folder itself.

    Args:
        exporters: By format.
    """

    def __init__(self, exporters: Mapping[str, Exporter]) -> None:
        self._exporters = exporters

    async def verify(self, folder: Folder) -> AsyncIterator[Checked]:
        """Check every file against its checksum and against what the release makes of it, then every portion.

        What else lies in the folder is told last, as `CheckedFolder`.

        Raises:
            BrokenReleaseError: the folder holds no manifest that can be read.
        """
        shown = await _open(folder)
        yield Checked("files", 0, sum(len(shown.manifest["parts"][part]) for part in PARTS), await self._files(folder))
        async for checked in Verifier(folder.parts, records=False).verify(shown.manifest):
            yield checked
        made, remade = await self._remade(folder, shown)
        if remade:
            yield Checked("files", 0, 0, remade)
        strays = await folder.strays([*(made or await self._named(folder, shown)), CHECKSUMS])
        if strays:
            told = tuple(stray_lines(folder.name, strays))
            yield CheckedFolder("files", 0, 0, told, tuple(stray.path for stray in strays[:LISTED]))

    async def _named(self, folder: Folder, shown: Shown) -> set[str]:
        """The files of a release that cannot be made again: what lists and manifest name."""
        portions = {portion["digest"] for part in PARTS for portion in shown.manifest["parts"][part]}
        listed = [path for _, path in listed_sums(await folder.read(CHECKSUMS) or b"")]
        return {ABOUT, MANIFEST, *listed, *(f"{PORTIONS_FOLDER}/{digest}" for digest in portions)}

    async def _files(self, folder: Folder) -> tuple[str, ...]:
        sums = await folder.read(CHECKSUMS)
        if sums is None:
            return (f"{folder.name}/{CHECKSUMS} is missing: was the export interrupted?",)
        problems: list[str] = []
        for stated, path in listed_sums(sums):
            found = await folder.digest(path)
            if found != stated:
                has = f"has the digest {found}" if found else "is missing"
                problems.append(f"{folder.name}/{path} {has}, {CHECKSUMS} says {stated or 'nothing'}")
        return tuple(problems[:_MOST])

    async def _remade(self, folder: Folder, shown: Shown) -> tuple[set[str], tuple[str, ...]]:
        """The files that the release makes, and what is wrong with them, though checksums may have been made to fit.

        There are none of the former where it cannot be made again.
        """
        about = _object(await folder.read(ABOUT) or b"{}")
        if about.get("digest") != shown.manifest["digest"]:
            told = f"{folder.name}/{ABOUT} names the release {about.get('digest')}, {MANIFEST} {shown.row.digest}"
            return set(), (told,)
        export_format = str(about.get("format"))
        if about.get("layout") != layout_of(export_format) or export_format not in self._exporters:
            told = (
                f"{folder.name} is laid out as {export_format} {about.get('layout')}, and not as this version does it: "
                "export the release again, or verify with the version that wrote it"
            )
            return set(), (told,)
        made = Checksums()
        try:
            async for piece in export_pieces(shown, folder.parts, export_format, self._exporters[export_format]):
                made.add(piece)
        except BrokenReleaseError:
            # Its portion is told of already.
            return set(), ()
        except UNREADABLE as error:
            told = f"{folder.name} cannot be made again from its parts: {type(error).__name__}: {error}"
            return set(), (told,)
        digests = made.items()
        problems = [
            f"{folder.name}/{path} is not what the release makes it"
            for path, digest in digests.items()
            if await folder.digest(path) != digest
        ]
        sums = await folder.read(CHECKSUMS)
        lacking = set(digests) - {path for _, path in listed_sums(sums)} if sums is not None else ()
        problems += [f"{folder.name}/{CHECKSUMS} does not name {path}" for path in sorted(lacking)]
        return set(digests), tuple(problems[:_MOST])


async def _open(folder: Folder) -> Shown:
    data = await folder.read(MANIFEST)
    if data is None:
        raise BrokenReleaseError(
            f"there is no {MANIFEST}", thing=folder.name, way_out="name the folder that `labels release export` wrote"
        )
    try:
        manifest = read_manifest(data)
    except NotAManifestError as error:
        raise BrokenReleaseError(str(error), thing=f"{folder.name}/{MANIFEST}", way_out="export it again") from error
    queries, codes, pairs = (int(manifest["counts"].get(name, 0)) for name in COUNTED)
    row = ReleaseRow(str(manifest.get("name")), manifest["digest"], sha256(data), queries, codes, pairs)
    return Shown(row, manifest, data)


def _object(data: bytes) -> Json:
    """A JSON object, empty where the bytes are none: what is wrong with a file is said elsewhere."""
    try:
        found: object = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return cast("Json", found) if isinstance(found, dict) else {}


def _digest(content: Json) -> bytes:
    return hashlib.sha256(canonical(content)).digest()


def _short(content: object) -> str:
    return canonical(content).decode().strip()[:600]
