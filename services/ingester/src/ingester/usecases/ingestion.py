"""Follow sources, take their functions in, and say what became of each."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable, Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from ingester.domain import following, licences, own_tests
from ingester.domain.analysis import FileAnalysis, FoundFunction
from ingester.domain.dating import Dating
from ingester.domain.filters import judge_length, judge_place
from ingester.domain.identity import function_id, source_id, version_id
from ingester.domain.naming import one_spelling, shows_secret
from ingester.domain.packages import tops
from ingester.domain.places import is_test
from ingester.errors import SourceRefusedError, SourceUnavailableError, UnknownSourceError
from ingester.ports import (
    ENDS_ITS_PROCESS,
    Analyser,
    Events,
    Extracted,
    OpenSource,
    Source,
    SourceFile,
    SourceReader,
    SourceVersion,
    Store,
    Summary,
)
from ingester.usecases.dating import MOST_ENDED, MOST_LOOKS, Dater, changed_at
from touchstone_runtime.faults import is_the_platforms
from touchstone_runtime.forms import MADE_FORMS
from touchstone_runtime.source_kinds import Followed
from touchstone_runtime.telemetry import get_logger

_log = get_logger()
_BATCH = 200
# Candidates that are dated at a time: a million functions hold some tens of thousands.
_DATED_BATCH = 2000
_WORDS = 300
_CALLED_NAMES = 20_000
_CALLS_OF_ONE = 40


@dataclass(frozen=True)
class Policy:
    """What is taken in.

    Attributes:
        window_days: Default window, in days.
        interval: How often a healthy source is looked at.
        licences: SPDX identifiers whose code may become tasks; empty allows all.
        skip_tests: Whether functions of test files are counted only: no task candidates, and not searchable.
        dating_looks: How many earlier releases or commits are read in one pass at most, to date its candidates.
    """

    window_days: int = following.DEFAULT_WINDOW_DAYS
    interval: timedelta = timedelta(hours=1)
    licences: tuple[str, ...] = ()
    skip_tests: bool = True
    dating_looks: int = MOST_LOOKS


@dataclass
class Ingestion:
    """Takes sources in.

    Args:
        store: Sources, functions, duplicates.
        reader: Finds and opens versions.
        analyser: Reads files.
        events: Tells others.
        clock: The time now, with zone.
        policy: What is taken in.
        busy: Lines that say what is going on, for progress displays.
    """

    store: Store
    reader: SourceReader
    analyser: Analyser
    events: Events
    clock: Callable[[], datetime]
    policy: Policy = field(default_factory=Policy)
    busy: list[str] = field(default_factory=list[str])

    @property
    def _dater(self) -> Dater:
        return Dater(self.reader, self.analyser, self.clock(), self.policy.dating_looks)

    async def add(self, kind: Followed, name: str, revision: str = "", window_days: int = 0) -> Source:
        """Follow a source; naming the same one twice changes nothing but the window, where one is named.

        Raises:
            SourceRefusedError: the name is empty, or has a secret in it, or the window is longer than any.
        """
        if window_days > following.MOST_WINDOW_DAYS:
            raise SourceRefusedError(
                f"a window of {window_days} days is longer than any",
                thing=kind,
                way_out=f"use {following.MOST_WINDOW_DAYS} at most, or 0 for the default",
            )
        name = name.strip()
        if not name:
            raise SourceRefusedError("a source needs a name", thing=kind, way_out="name a package, URL or path")
        if shows_secret(name):
            raise SourceRefusedError(
                "the address has a password or token in it, and every reader is told addresses",
                thing=kind,
                way_out="leave it out, and set TOUCHSTONE_GIT_TOKEN and TOUCHSTONE_GIT_TOKEN_HOST",
            )
        name = await self._followed_as(kind, name, revision)
        return await self.store.add(Source(source_id(kind, name, revision), kind, name, revision, window_days))

    async def _followed_as(self, kind: Followed, name: str, revision: str) -> str:
        """The name under which a source is followed by another spelling, for its id is made of that; else its own."""
        followed = [each for each in await self.store.sources() if (each.kind, each.revision) == (kind, revision)]
        wanted = one_spelling(kind, name)
        same = [each.name for each in followed if one_spelling(kind, each.name) == wanted]
        return name if name in same or not same else same[0]

    async def remove(self, identifier: str) -> None:
        """Stop following a source; what was taken in stays.

        Raises:
            UnknownSourceError: nobody added it.
        """
        if not await self.store.remove(identifier):
            raise UnknownSourceError("no such source", thing=identifier, way_out="see `touchstone sources list`")

    async def request(self, identifiers: Sequence[str]) -> tuple[list[str], datetime]:
        """Ask for one pass over the sources, or over all; gives their ids, and when it was asked for.

        A source is as it was asked for once its `looked_at` is that late.
        """
        known = {source.source_id for source in await self.store.sources()}
        for identifier in identifiers:
            if identifier not in known:
                raise UnknownSourceError("no such source", thing=identifier, way_out="see `touchstone sources list`")
        wanted = list(identifiers) or sorted(known)
        now = self.clock()
        for identifier in wanted:
            await self.events.requested(identifier, now.isoformat())
        return wanted, now

    async def request_due(self) -> int:
        """Ask for a pass over every source whose time has come; gives how many."""
        now = self.clock()
        due = await self.store.due(now)
        for source in due:
            # Two replicas that look within the same minute make the same request.
            await self.events.requested(source.source_id, now.strftime("%Y-%m-%dT%H:%M"))
            # Asked for once: the pass itself says when the next one is due, or another look does, should it get lost.
            await self.store.postpone(source.source_id, now + self.policy.interval)
        return len(due)

    async def ingest(self, identifier: str) -> Summary:
        """One pass over one source: newest version found, opened, analysed, published.

        A source that fails is marked and looked at again later; it stops no other source.

        Raises:
            UnknownSourceError: nobody added it.
        """
        source = await self.store.get(identifier)
        if source is None:
            raise UnknownSourceError("no such source", thing=identifier, way_out="it was removed meanwhile")
        line = f"{source.kind} {source.name}"
        self.busy.append(line)
        try:
            return await self._pass(source)
        finally:
            self.busy.remove(line)

    async def _pass(self, source: Source) -> Summary:
        version: SourceVersion | None = None
        licence = ""
        source = replace(source, looked_at=self.clock())
        try:
            version = self._not_of_the_future(await asyncio.to_thread(self.reader.find, source))
            known = version.version == source.latest_version and source.rules == self._rules(source)
            if known and source.state == "ingested":
                summary = Summary("unchanged", f"{version.version} is in already")
            elif version.released_at is None and source.kind != "git":
                # A repository's functions have dates of their own.
                summary = Summary("outside_window", f"{version.version} has no date, so nothing shows it to be recent")
            elif version.released_at and version.released_at < self._since(source):
                dated = version.released_at.date().isoformat()
                summary = Summary(
                    "outside_window", f"{version.version} of {dated} is older than {self._window(source)} days"
                )
            else:
                summary, licence = await self._take_in(source, version)
        except (SourceRefusedError, SourceUnavailableError) as error:
            summary = Summary("failed", _plain(str(error)))
        except Exception as error:
            if is_the_platforms(error):
                raise
            # What others wrote may break what we wrote in ways that nobody thought of: this source waits, no other.
            _log.exception("ingester.source_not_understood", source=source.name, kind=source.kind)
            words = (str(error).splitlines() or [""])[0][:_WORDS]
            way_out = "it is tried again later; tell the makers of Touchstone of it"
            summary = Summary("failed", _plain(f"could not be read: {type(error).__name__}: {words} ({way_out})"))
        # Said first and noted second: of a version that is noted as in nothing is said again.
        await self.events.ingested(source, version, licence, summary)
        await self._record(source, version, licence, summary)
        return summary

    def _window(self, source: Source) -> int:
        return source.window_days or self.policy.window_days

    def _rules(self, source: Source) -> str:
        return following.rules(self._window(source), self.policy.licences, self.policy.skip_tests)

    def _since(self, source: Source) -> datetime:
        return self.clock() - timedelta(days=self._window(source))

    def _not_of_the_future(self, version: SourceVersion) -> SourceVersion:
        return replace(version, released_at=version.released_at and min(version.released_at, self.clock()))

    async def refused(self, function_id: str) -> None:
        """A function got no task: what it claimed is free for others."""
        await self.store.give_back(function_id)

    async def _record(self, source: Source, version: SourceVersion | None, licence: str, summary: Summary) -> None:
        failures = source.failures + 1 if summary.state == "failed" else 0
        after = replace(source, failures=failures)
        if summary.state == "unchanged":
            after = replace(after, state="ingested")
        else:
            after = replace(after, state=summary.state, detail=summary.detail)
        if version is not None and summary.state == "ingested":
            after = replace(
                after,
                latest_version=version.version,
                released_at=version.released_at,
                licence=licence,
                functions=summary.functions,
                candidates=summary.candidates,
                rules=self._rules(source),
            )
        elif version is not None and summary.state == "outside_window":
            after = replace(after, released_at=version.released_at, latest_version=version.version)
        await self.store.record(after, following.next_attempt(self.clock(), failures, self.policy.interval))

    async def _take_in(self, source: Source, version: SourceVersion) -> tuple[Summary, str]:
        summary = _Count()
        taken = version_id(source.source_id, version.version)
        untold = await self.store.free_untold(source.source_id, taken)
        opened: AbstractContextManager[OpenSource] = self.reader.open(source, version)
        tree = await asyncio.to_thread(opened.__enter__)
        try:
            licence = await asyncio.to_thread(lambda: tree.licence)
            refused = "" if licences.allowed(licence, self.policy.licences) else f"licence {licence or 'unknown'}"
            if not refused:
                version = await self._with_tests(version, tree)
            since = self._since(source)
            pending: list[Extracted] = []
            # Candidates wait for their date: earlier versions are read once for many of them.
            undated: list[Extracted] = []
            callers = Callers()
            async for file, analysis in self._analysed(source, tree):
                summary.note_file(file, analysis)
                if summary.ended > MOST_ENDED:
                    raise SourceRefusedError(
                        f"more than {MOST_ENDED} of its files end the process that reads them",
                        thing=source.name,
                        way_out="remove the source, or tell the makers of Touchstone of it",
                    )
                callers.note(file.path, analysis)
                for found in analysis.functions:
                    changed = self._changed_at(source, version, tree, file, found)
                    item = self._judge(source, version, file, found, refused, changed)
                    if item.task_candidate and found.tree_key in untold:
                        # A pass that was cut short may have told of it.
                        item = replace(item, function_id=untold.pop(found.tree_key))
                    (undated if item.task_candidate else pending).append(item)
                if len(pending) >= _BATCH:
                    await self._hand_on(source, version, licence, pending, summary)
                    pending = []
                if len(undated) >= _DATED_BATCH:
                    pending += await self._dated(source, version, tree, since, undated)
                    undated = []
            undated = [replace(item, found=callers.told(item.found)) for item in undated]
            # What stands alone becomes a task more often than what is cut out with its helpers, and sooner.
            undated.sort(key=lambda item: item.found.form in MADE_FORMS)
            pending += await self._dated(source, version, tree, since, undated)
            await self._hand_on(source, version, licence, pending, summary)
            await self.store.forget_untold(source.source_id, taken)
        finally:
            await asyncio.to_thread(opened.__exit__, None, None, None)
        return summary.result(), licence

    async def _with_tests(self, version: SourceVersion, tree: OpenSource) -> SourceVersion:
        """The version, with its own tests kept for those who run them."""
        archive = await asyncio.to_thread(lambda: own_tests.packed(tree.tests()))
        return replace(version, tests_digest=await self.events.keep_tests(archive)) if archive else version

    async def _analysed(self, source: Source, tree: OpenSource) -> AsyncIterator[tuple[SourceFile, FileAnalysis]]:
        """Files with what is in them, in order; a few are read ahead, never more."""
        own = own_names(source, await asyncio.to_thread(tree.siblings.paths))
        files = tree.files()
        ahead: deque[tuple[SourceFile, asyncio.Task[FileAnalysis]]] = deque()
        try:
            while True:
                file = await asyncio.to_thread(next, files, None)
                if file is not None:
                    ahead.append((file, asyncio.create_task(self._read(file, own, tree))))
                if not ahead:
                    return
                if file is None or len(ahead) > self.analyser.width:
                    first, task = ahead.popleft()
                    yield first, await task
        finally:
            for _, task in ahead:
                task.cancel()

    async def _read(self, file: SourceFile, own: frozenset[str], tree: OpenSource) -> FileAnalysis:
        return FileAnalysis((), file.problem) if file.problem else await self.analyser.analyse(file, own, tree.siblings)

    def _changed_at(
        self, source: Source, version: SourceVersion, tree: OpenSource, file: SourceFile, found: FoundFunction
    ) -> datetime | None:
        """When a function's text was changed last, as far as its source tells."""
        if file.line_dates:
            changed = changed_at(file, found)
        else:
            changed = tree.modified(file.path) if source.kind in ("folder", "archive") else version.released_at
        return changed and min(changed, self.clock())

    def _judge(
        self,
        source: Source,
        version: SourceVersion,
        file: SourceFile,
        found: FoundFunction,
        refused: str,
        changed: datetime | None,
    ) -> Extracted:
        """The filters that look beyond the file: licence, window, test files."""
        identifier = function_id(version_id(source.source_id, version.version), file.path, found)
        rejected, words = found.rejected_by, found.rejection
        if not rejected and refused:
            rejected, words = "licence", f"{refused} is not on the allow-list"
        if not rejected and (outside := judge_length(found.code)):
            rejected, words = outside
        if not rejected and (outside := judge_place(file.path, skip_tests=self.policy.skip_tests)):
            rejected, words = outside
        own = licences.named_in(file.content)
        if not rejected and own and not licences.allowed(own, self.policy.licences):
            rejected, words = "licence", f"licence {own} of {file.path} is not on the allow-list"
        for part in found.parts:
            if not rejected and part.licence and not licences.allowed(part.licence, self.policy.licences):
                rejected, words = "licence", f"licence {part.licence} of {part.path} is not on the allow-list"
        return Extracted(identifier, file.path, found, rejected, words, changed, licence=own)

    async def _dated(
        self, source: Source, version: SourceVersion, tree: OpenSource, since: datetime, functions: list[Extracted]
    ) -> list[Extracted]:
        """Candidates with their dates; what is not shown to be recent is refused."""
        days = self._window(source)
        found: list[Extracted] = []
        for item in await self._dater.date(source, version, tree, since, functions):
            dating = item.dating
            if dating.first_seen is None:
                item = replace(item, rejected_by="undated", rejection=_why_undated(dating, tree))
            elif dating.first_seen < since:
                where = f" in {dating.version}" if dating.version else ""
                seen = f"its code was there{where} by {dating.first_seen.date().isoformat()}"
                item = replace(item, rejected_by="outside_window", rejection=f"{seen}, more than {days} days ago")
            found.append(item)
        return found

    async def _hand_on(
        self, source: Source, version: SourceVersion, licence: str, functions: list[Extracted], summary: _Count
    ) -> None:
        if not functions:
            return
        taken = version_id(source.source_id, version.version)
        settled = await self.store.take(source.source_id, taken, functions)
        summary.note(settled)
        # More than half of what a source archive holds are its tests: they are counted, and searched by nobody.
        shared = [
            item
            for item in settled
            if not (self.policy.skip_tests and is_test(item.path)) and not judge_length(item.found.code)
        ]
        await self.events.extracted(source, version, licence, shared)
        await self.store.told([item.function_id for item in settled])
        summary.places.update((item.path, item.found.qualname) for item in shared)


def _plain(words: str) -> str:
    """Words as everything that keeps them takes them."""
    return words.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _why_undated(dating: Dating, tree: OpenSource) -> str:
    nothing = "nothing tells when its code appeared"
    if dating.version:
        return f"{nothing}: it may have been in {dating.version}, which has no date"
    if tree.begins is not None:
        return f"{nothing}: the repository's history is cut off; `git fetch --unshallow` makes it whole"
    return nothing


@dataclass
class Callers:
    """How a source's tests call its functions, by name; a name that several functions have tells nothing."""

    calls: dict[str, dict[str, None]] = field(default_factory=dict[str, dict[str, None]])
    defined: Counter[str] = field(default_factory=Counter[str])

    def note(self, path: str, analysis: FileAnalysis) -> None:
        """Take in a file: the calls that it writes down, and the names that it defines."""
        for name, text in analysis.calls:
            if len(self.calls) < _CALLED_NAMES or name in self.calls:
                known = self.calls.setdefault(name, {})
                if len(known) < _CALLS_OF_ONE:
                    known[text] = None
        if not is_test(path):
            self.defined.update(found.name for found in analysis.functions if found.form in ("function", "method"))

    def told(self, found: FoundFunction) -> FoundFunction:
        """A function with the calls of it; as it is where its name is not its own."""
        calls = self.calls.get(found.name, {}) if self.defined[found.name] == 1 else {}
        return found._replace(calls=tuple(calls)) if calls else found


@dataclass
class _Count:
    files: int = 0
    ended: int = 0
    functions: int = 0
    candidates: int = 0
    classes: int = 0
    reasons: Counter[str] = field(default_factory=Counter[str])
    places: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def note_file(self, file: SourceFile, analysis: FileAnalysis) -> None:
        self.files += 1
        self.ended += analysis.problem == ENDS_ITS_PROCESS
        if analysis.unnamed:
            self.reasons["name_too_long"] += analysis.unnamed
        if analysis.problem:
            self.reasons["file_does_not_parse"] += 1

    def note(self, functions: Sequence[Extracted]) -> None:
        for item in functions:
            if item.found.form == "class":
                self.classes += 1
                continue
            self.functions += item.found.form not in MADE_FORMS
            if item.task_candidate:
                self.candidates += 1
            else:
                self.reasons[item.rejected_by] += 1

    def result(self) -> Summary:
        return Summary(
            "ingested",
            files=self.files,
            functions=self.functions,
            candidates=self.candidates,
            classes=self.classes,
            reasons=dict(sorted(self.reasons.items())),
            places=frozenset(self.places),
        )


def own_names(source: Source, paths: Collection[str] = ()) -> frozenset[str]:
    """What a source is imported as, as far as its name tells, if it is a package, and what lies at its top.

    Args:
        source: The source.
        paths: Its Python files.
    """
    plain = source.name.lower().replace("-", "_").replace(".", "_")
    named = {plain, plain.removeprefix("python_")} if source.kind == "package" else set[str]()
    return frozenset(named | tops(paths))
