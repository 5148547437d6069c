"""What releases need from outside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from annotator.domain.release import PooledCode, PooledLabel, PooledQuery, Selection
from annotator.ports import Portions
from touchstone_runtime.exported import Stray


@dataclass(frozen=True, slots=True)
class ReleaseRow:
    """A release as the store keeps it.

    Attributes:
        digest: Digest of what it holds.
        manifest_digest: Key of its manifest in the blob store.
        created_at: ISO 8601; empty before it is stored.
    """

    name: str
    digest: str
    manifest_digest: str
    queries: int
    codes: int
    pairs: int
    created_at: str = ""


class Releases(Protocol):
    """The releases that were made."""

    async def save(self, row: ReleaseRow) -> tuple[ReleaseRow, bool]:
        """Keep a release, and say whether it is new; when there is one of this name, that one stands and is given."""
        ...

    async def find(self, name: str) -> ReleaseRow | None:
        """One release."""
        ...

    async def all(self) -> Sequence[ReleaseRow]:
        """Every release, oldest first."""
        ...


class FrozenPool(Protocol):
    """The current labels as they are at one moment, whatever is labelled meanwhile; judgements on demand left out.

    Rows come in the order of `release.key_of`, by code points.
    """

    def queries(self) -> AsyncIterator[PooledQuery]:
        """The queries of the labels."""
        ...

    def codes(self) -> AsyncIterator[PooledCode]:
        """The codes of the labels."""
        ...

    def labels(self) -> AsyncIterator[PooledLabel]:
        """The label of each pair of these queries and codes, undecided ones and those by others among them."""
        ...

    async def same_text(self) -> Mapping[str, str]:
        """For each code whose text and language another one has too, what `identities.code_id` makes of them."""
        ...


class Pool(Protocol):
    """What is labelled."""

    def freeze(self, selection: Selection) -> AbstractAsyncContextManager[FrozenPool]:
        """A view of what a selection takes."""
        ...


@dataclass(frozen=True, slots=True)
class ExportedPiece:
    """A piece of a file of an export; pieces of one file follow each other. `path` is relative, with slashes."""

    path: str
    data: bytes


class Exporter(Protocol):
    """Lays a release out in files. The same rows give the same bytes."""

    def files(self, rows: Callable[[str], AsyncIterator[dict[str, Any]]]) -> AsyncIterator[ExportedPiece]:
        """The files.

        Args:
            rows: Gives the rows of a part of `release.PARTS`, in order, each time anew.
        """
        ...


class Folder(Protocol):
    """An exported folder."""

    @property
    def name(self) -> str:
        """Where it is, for people."""
        ...

    @property
    def parts(self) -> Portions:
        """The portions in it."""
        ...

    async def read(self, path: str) -> bytes | None:
        """The bytes of a small file; None when there is none inside of the folder."""
        ...

    async def digest(self, path: str) -> str:
        """SHA-256 of a file; empty when there is none inside of the folder."""
        ...

    async def strays(self, belonging: Collection[str]) -> Sequence[Stray]:
        """What lies in the folder beside these files, by path."""
        ...
