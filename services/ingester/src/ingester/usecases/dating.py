"""Dates the candidates of a pass: when their code appeared, with the evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from ingester.domain.analysis import FoundFunction, shares_of
from ingester.domain.dating import NO_DATE, Dating, Fingerprint, Held, Released, Wanted, date_by_versions, of_shares
from ingester.domain.extraction import code_rows
from ingester.domain.sequences import rows_left_out
from ingester.errors import SourceRefusedError
from ingester.ports import Analyser, Extracted, OpenSource, Source, SourceFile, SourceReader, SourceVersion, Step
from ingester.usecases.threads import in_thread, stepwise

# Most cost a download and little else: what is the same from release to release is analysed once.
MOST_LOOKS = 48
# Files of one version that may end the process that reads them: each takes minutes, in which no other source is read.
MOST_ENDED = 5
# Stands for a function of which nothing is known: no version holds it.
_UNKNOWN = ""


@dataclass(frozen=True)
class Dater:
    """Finds out when code appeared.

    Attributes:
        reader: Finds and opens earlier versions.
        analyser: Reads their files.
        now: When the pass began: no code is newer.
        most_looks: How many earlier releases of a package, or commits of a repository, are read in one pass at most.
    """

    reader: SourceReader
    analyser: Analyser
    now: datetime
    most_looks: int = MOST_LOOKS

    async def date(
        self, source: Source, version: SourceVersion, tree: OpenSource, since: datetime, functions: Sequence[Extracted]
    ) -> list[Extracted]:
        """The functions with their dating.

        Args:
            source: Where they come from.
            version: The version that holds them.
            tree: That version, opened.
            since: Begin of the window.
            functions: Candidates.

        Raises:
            SourceUnavailableError: the index or the repository does not answer.
        """
        if not functions:
            return []
        if source.kind == "git":
            found = await self._by_history(tree, since, functions)
        elif source.kind != "package":
            found = await in_thread(lambda: [_by_files(tree, version, item) for item in functions])
        elif version.released_at is None:
            found = list(functions)
        else:
            found = await self._by_releases(source, version, version.released_at, since, functions)
        # Clocks of others go wrong, and some are put forward.
        return [
            replace(item, dating=replace(item.dating, first_seen=self.now))
            if item.dating.first_seen is not None and item.dating.first_seen > self.now
            else item
            for item in found
        ]

    async def _by_releases(
        self, source: Source, version: SourceVersion, at: datetime, since: datetime, functions: Sequence[Extracted]
    ) -> list[Extracted]:
        shares = _Shares(functions)
        wanted = shares.wanted
        known = {each.version: each for each in await in_thread(self.reader.earlier, source, version)}
        # Most files are the same from release to release, and analysing them is what this costs.
        read: dict[bytes, Held] = {}
        earlier = [Released(each.version, each.released_at or NO_DATE) for each in known.values()]

        async def look(release: Released) -> Held:
            try:
                opened = self.reader.open(source, known[release.version])
                tree = await in_thread(opened.__enter__)
            except SourceRefusedError:
                return Held()
            try:
                return await self._held(wanted, tree.held(), read)
            finally:
                await in_thread(opened.__exit__, None, None, None)

        datings = await date_by_versions(
            shares.keys, earlier, Released(version.version, at), since, look, self.most_looks
        )  # fmt: skip
        return [
            replace(item, dating=of_shares([(datings[key], length) for key, length in shares.of(item)]))
            for item in functions
        ]

    async def _by_history(self, tree: OpenSource, since: datetime, functions: Sequence[Extracted]) -> list[Extracted]:
        """The commit from which on the tree holds most of a function's code dates it.

        Its newest line dates it where that is older. A line that was touched makes no code new that stood before.
        """
        recent = [item for item in functions if item.changed_at is not None and item.changed_at >= since]
        shares = _Shares(recent)
        past = await self._held(shares.wanted, tree.before(since)) if recent else Held(lacks_others=True)
        found = await self._in_history(tree, since, shares, past) if recent else {}
        # Of what stood at the beginning of a history that is cut off nobody knows how old it is.
        cut = tree.begins if tree.begins is not None and tree.begins >= since else None
        before = Dating() if cut is not None else Dating(since - timedelta(seconds=1), "history", at_latest=True)
        dated: list[Extracted] = []
        for item in functions:
            at = item.changed_at
            unknown = at is None or (at >= since and (not past.lacks_others or (cut is not None and at <= cut)))
            newest = Dating() if unknown else Dating(at, "history")
            later = {} if unknown else found
            parts = [
                (before if key in past.keys else later.get(key, newest), length) for key, length in shares.of(item)
            ]
            own, length = parts[0]
            if newest.first_seen is not None and own.first_seen is not None and newest.first_seen < own.first_seen:
                parts[0] = newest, length
            dated.append(replace(item, dating=of_shares(parts)))
        return dated

    async def _in_history(self, tree: OpenSource, since: datetime, shares: _Shares, before: Held) -> dict[str, Dating]:
        """When the tree began to hold each piece of code, by halving over the commits as over releases."""
        steps = await in_thread(tree.steps, since)
        keys = [key for key in shares.keys if key not in before.keys]
        if not steps or not keys:
            return {}
        read: dict[bytes, Held] = {}
        # Commits come in the order of the line, whatever clocks said: what is before the window is before all others.
        past = int(steps[0].at < since)
        line = [Released(str(place), since + timedelta(seconds=place - past)) for place in range(len(steps))]

        holds: dict[str, int] = {}

        async def look(release: Released) -> Held:
            place = int(release.version)
            held = await self._held(shares.wanted, tree.files_at(steps[place].commit), read)
            holds.update((key, min(place, holds.get(key, place))) for key in held.keys)
            return held

        # The commit before the window is read in any case, or nothing could be called new.
        datings = await date_by_versions(keys, line[:-1], line[-1], since, look, self.most_looks + past)
        last = len(steps) - 1
        return {
            key: _of_step(dating, steps, holds.get(key, last)) for key, dating in datings.items() if key != _UNKNOWN
        }

    async def _held(self, wanted: Wanted, files: Iterable[SourceFile], read: dict[bytes, Held] | None = None) -> Held:
        """Which of the wanted functions the files hold; what files of the same content held is kept in `read`."""
        known = {} if read is None else read
        held: set[str] = set()
        whole, ended = True, 0
        async for file in stepwise(files):
            if file.problem:
                whole = False
                continue
            if ended > MOST_ENDED:
                break
            digest = hashlib.sha256(file.content).digest()
            if digest not in known:
                prints = await self.analyser.fingerprints(file.content)
                names = frozenset(name for each in prints or () for name in wanted.held_by(each))
                known[digest] = Held(names, prints is not None)
                ended += prints is None
            held |= known[digest].keys
            whole = whole and known[digest].lacks_others
        return Held(frozenset(held), whole)


def _by_files(tree: OpenSource, version: SourceVersion, item: Extracted) -> Extracted:
    """A function is as old as its file, what was made of several as most of it."""
    found = item.found
    parts = [(part.path or item.path, len(text)) for part, text in zip(found.parts, found.texts, strict=False)]
    rest = len(found.code) - sum(length for _, length in parts)
    shares = [(item.path, 0 if found.form == "sequence" else max(1, rest)), *parts]
    dated = [(Dating(tree.modified(path), "file_time", version.version), length) for path, length in shares]
    dating = of_shares(dated)
    return replace(item, dating=dating if dating.first_seen is not None else Dating())


def _of_step(dating: Dating, steps: Sequence[Step], holds: int) -> Dating:
    """The dating by a commit, of one by its place in the line; the one at `holds` has the code for certain."""
    place = int(dating.version)
    # Where commits were left unread, each of those up to it may have brought the code in, with a branch or older date.
    first = min(step.earliest for step in steps[place : holds + 1])
    absent = steps[int(dating.absent_from)].commit if dating.absent_from else ""
    return replace(dating, first_seen=first, by="history", version=steps[place].commit, absent_from=absent)


class _Shares:
    """What functions are made of, each piece under a key of its own."""

    def __init__(self, functions: Sequence[Extracted]) -> None:
        self._of: dict[str, list[tuple[str, int]]] = {}
        prints: dict[str, Fingerprint] = {}
        for item in functions:
            found = shares_of(item.found)
            keys = [f"{item.function_id} {place}" for place in range(len(found))]
            prints |= dict(zip(keys, (each for each, _ in found), strict=True))
            pieces = list(zip(keys, (length for _, length in found), strict=True))
            # No one function of it stands for a sequence: it is as old as most of its code and never older.
            self._of[item.function_id] = [(_UNKNOWN, 0), *pieces] if item.found.form == "sequence" else pieces
        self.wanted = Wanted(prints)

    @property
    def keys(self) -> list[str]:
        """All of them."""
        return [key for pieces in self._of.values() for key, _ in pieces] + [_UNKNOWN]

    def of(self, item: Extracted) -> list[tuple[str, int]]:
        """The pieces of a function with their lengths, itself first."""
        return self._of.get(item.function_id) or [(_UNKNOWN, 1)]


def changed_at(file: SourceFile, found: FoundFunction) -> datetime | None:
    """Date of the newest line of a function's code; docstrings, comments and empty lines do not count.

    Of a slice the function alone counts, of a sequence the class without the methods that it leaves out. That most of
    the rest may be older is told by what the source held before.
    """
    code = found.origin or found.code
    if found.form in ("slice", "sequence"):
        lines = file.content.decode("utf-8", "replace").split("\n")
        code = "\n".join(lines[found.line_start - 1 : found.line_end])
    gone = rows_left_out(found.code, found.origin, found.qualname) if found.form == "sequence" else set[int]()
    rows = [found.line_start - 1 + row for row in code_rows(code) if row not in gone]
    return max((file.line_dates[row] for row in rows if row < len(file.line_dates)), default=None)
