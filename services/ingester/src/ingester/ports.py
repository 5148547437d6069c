"""What the use cases need from outside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal, NamedTuple, Protocol

from ingester.domain.analysis import FileAnalysis, FoundFunction
from ingester.domain.dating import Dating, Fingerprint
from ingester.domain.packages import Siblings
from touchstone_runtime.source_kinds import Followed

# The problem of a file that no process survives, or that none reads in time.
ENDS_ITS_PROCESS = "ends the process that reads it"
SourceState = Literal["waiting", "ingested", "outside_window", "failed"]


@dataclass(frozen=True)
class Source:
    """Something that is followed, and how far.

    `name` is a package's name, a repository's URL or path, or a file's path; `revision` empty follows the newest.
    """

    source_id: str
    kind: Followed
    name: str
    revision: str = ""
    window_days: int = 0
    latest_version: str = ""
    state: SourceState = "waiting"
    detail: str = ""
    released_at: datetime | None = None
    licence: str = ""
    functions: int = 0
    failures: int = 0
    candidates: int | None = None
    # When the last pass over it began.
    looked_at: datetime | None = None
    # Under which rules its newest version was taken in.
    rules: str = ""


@dataclass(frozen=True)
class SourceVersion:
    """One version of a source: its name, its date, and how people call what it belongs to.

    `tests_digest` names the archive of its own tests, where they are kept.
    """

    version: str
    released_at: datetime | None
    repository: str
    tests_digest: str = ""


@dataclass(frozen=True)
class SourceFile:
    """One file: path inside the source, content, and the date of each line's last change where history tells.

    `problem` says why it was not read, and is empty where it was.
    """

    path: str
    content: bytes
    line_dates: Sequence[datetime] = ()
    problem: str = ""


class Step(NamedTuple):
    """One commit of a history's main line.

    Attributes:
        commit: Its name.
        at: When it was committed, or the commit after it where that is said to be earlier.
        earliest: The oldest date among it and what it brought in: a branch was written before it was merged.
    """

    commit: str
    at: datetime
    earliest: datetime


class OpenSource(Protocol):
    """An unpacked source; gone when its context ends."""

    @property
    def licence(self) -> str:
        """SPDX expression, or ""."""
        ...

    @property
    def siblings(self) -> Siblings:
        """The Python files as other processes can read them while the context lasts."""
        ...

    def files(self) -> Iterator[SourceFile]:
        """The source files one by one, ordered by path."""
        ...

    def tests(self) -> Iterator[tuple[str, bytes]]:
        """Path and content of everything that lies where the source's own tests are, ordered."""
        ...

    @property
    def begins(self) -> datetime | None:
        """Where history is cut off: the date of what it begins with; none where it is whole, or there is none."""
        ...

    def modified(self, path: str) -> datetime | None:
        """The time that a file bears; none where it bears no time of its own."""
        ...

    def held(self) -> Iterator[SourceFile]:
        """Every file that may hold Python functions, those with a problem too that could not be read."""
        ...

    def before(self, date: datetime) -> Iterator[SourceFile]:
        """What `held` would have given of every line of history that leads into the time after a date.

        Nothing where there is no history. Where it is cut off, what it begins with counts as older.

        Raises:
            SourceRefusedError: there is more than may be read.
            SourceUnavailableError: the history cannot be read.
        """
        ...

    def steps(self, since: datetime) -> Sequence[Step]:
        """The last commit of the main line before a date and those since, oldest first; none without a history.

        Raises:
            SourceUnavailableError: the history cannot be read.
        """
        ...

    def files_at(self, commit: str) -> Iterator[SourceFile]:
        """What `held` would have given of a commit.

        Raises:
            SourceRefusedError: there is more than may be read.
            SourceUnavailableError: the history cannot be read.
        """
        ...


class SourceReader(Protocol):
    """Finds and opens versions of sources. Blocking: called in a thread."""

    def find(self, source: Source) -> SourceVersion:
        """The newest version, or the one that the source names.

        Raises:
            SourceRefusedError: there is none, or it must not be used.
            SourceUnavailableError: nobody answers.
        """
        ...

    def earlier(self, source: Source, version: SourceVersion) -> Sequence[SourceVersion]:
        """Versions that were published before one, oldest first; none for kinds without releases.

        Those that nobody can read are among them, and first of all those without a date.

        Raises:
            SourceRefusedError: the source is gone.
            SourceUnavailableError: nobody answers.
        """
        ...

    def open(self, source: Source, version: SourceVersion) -> AbstractContextManager[OpenSource]:
        """Fetch and unpack a version; nothing of it is executed.

        Raises:
            SourceRefusedError: it is damaged, hostile or too large.
            SourceUnavailableError: the download broke.
        """
        ...


class Analyser(Protocol):
    """Analyses files, several at a time where there are several cores."""

    @property
    def width(self) -> int:
        """How many files are worth handing over at a time."""
        ...

    async def analyse(
        self, file: SourceFile, own_names: frozenset[str], siblings: Siblings | None = None
    ) -> FileAnalysis:
        """Functions and classes of one file; a file that does not parse is an answer.

        Args:
            file: Path and content.
            own_names: Import names of the source itself: what uses them is no task.
            siblings: The files of the source, from which slices take what this one imports.
        """
        ...

    async def fingerprints(self, content: bytes) -> Sequence[Fingerprint] | None:
        """Fingerprints of the functions of one Python file; None where nobody can tell what it holds."""
        ...


@dataclass(frozen=True)
class Extracted:
    """A function of a source version, with the verdict of every filter.

    `licence` is the one that its file names; empty where that is the source's.
    """

    function_id: str
    path: str
    found: FoundFunction
    rejected_by: str
    rejection: str
    changed_at: datetime | None
    dating: Dating = field(default_factory=Dating)
    licence: str = ""

    @property
    def task_candidate(self) -> bool:
        """Whether it passed every filter."""
        return not self.rejected_by


@dataclass(frozen=True)
class Summary:
    """What one pass over a source gave; `places` are path and qualified name of everything that was published."""

    state: Literal["ingested", "outside_window", "failed", "unchanged"]
    detail: str = ""
    files: int = 0
    functions: int = 0
    candidates: int = 0
    classes: int = 0
    reasons: dict[str, int] = field(default_factory=dict[str, int])
    places: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class FunnelReason:
    """How many functions one filter rejected, and one of them."""

    stage: str
    reason: str
    count: int
    example: str


class Store(Protocol):
    """Sources, functions, and who came first with a name or a tree."""

    async def add(self, source: Source) -> Source:
        """Add a source, or give the one that is there; a window that is named counts from now on."""
        ...

    async def remove(self, source_id: str) -> bool:
        """Stop following; what was extracted stays. False when it is unknown."""
        ...

    async def get(self, source_id: str) -> Source | None:
        """One source."""
        ...

    async def sources(self) -> list[Source]:
        """All sources, by kind and name."""
        ...

    async def due(self, now: datetime) -> list[Source]:
        """Sources that are to be looked at again."""
        ...

    async def postpone(self, source_id: str, next_attempt_at: datetime) -> None:
        """Say when a source is due again, and nothing else of it."""
        ...

    async def record(self, source: Source, next_attempt_at: datetime) -> None:
        """Write a source's state."""
        ...

    async def free_untold(self, source_id: str, version_id: str) -> dict[str, str]:
        """Free the names of what was taken in of other versions, and nobody is known to have been told of.

        A pass was cut short there, perhaps behind the telling. So its code stays claimed, and where a newer version
        holds it, it is to go by the same id: told twice, it is one function all the same.

        Returns:
            Ids of the functions by `tree_key`.
        """
        ...

    async def forget_untold(self, source_id: str, version_id: str) -> None:
        """Forget what was taken in of other versions of a source, and nobody was told of: a pass was cut short there.

        What it claimed is free again.
        """
        ...

    async def take(self, source_id: str, version_id: str, functions: Sequence[Extracted]) -> list[Extracted]:
        """Write functions, and claim names and trees for the candidates among them: all of it, or nothing.

        First come, first served over the whole history. Newer code of a function, at the same place of the same source,
        goes by the name that an earlier version of it holds; while any of them holds it, no other function gets it. A
        function that owns its keys already is no duplicate. What is written twice is as it was written last.

        Args:
            source_id: Where the functions come from.
            version_id: The version of it.
            functions: In order.

        Returns:
            The functions; candidates that others came before are refused ("unchanged" where an earlier version of the
            function has the same tree, "duplicate_name", "duplicate_tree", "near_duplicate").
        """
        ...

    async def told(self, function_ids: Sequence[str]) -> None:
        """Note that others were told of functions."""
        ...

    async def give_back(self, function_id: str) -> bool:
        """Give up a function's claim on its name, and on what is nearly its code; False when it held none.

        Newer code of it that goes by the name keeps it.
        Its very code stays claimed: it would be refused again.
        """
        ...

    async def funnel(self) -> tuple[dict[str, int], list[FunnelReason]]:
        """Counts by stage, and the rejections by filter.

        What was made of a function stands for it, so that candidates without sequences, which are made of classes, and
        rejections are all functions.
        """
        ...

    async def counts(self) -> dict[str, int]:
        """Counts for progress displays."""
        ...


class Events(Protocol):
    """Facts that others hear."""

    async def requested(self, source_id: str, request_id: str) -> None:
        """Somebody wants one pass over a source."""
        ...

    async def keep_tests(self, archive: bytes) -> str:
        """Keep the tests of a version where others can have them; gives their digest."""
        ...

    async def extracted(
        self, source: Source, version: SourceVersion, licence: str, functions: Sequence[Extracted]
    ) -> None:
        """Functions were found."""
        ...

    async def ingested(self, source: Source, version: SourceVersion | None, licence: str, summary: Summary) -> None:
        """One pass is done."""
        ...
