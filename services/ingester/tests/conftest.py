"""What several tests of the ingester share."""

from __future__ import annotations

import textwrap
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ingester.domain.analysis import FileAnalysis, FoundFunction, analyse_file, fingerprint_file
from ingester.domain.dating import Fingerprint
from ingester.domain.filters import Limits
from ingester.domain.grammar import python_parser
from ingester.domain.libraries import default_libraries
from ingester.domain.near_duplicates import THRESHOLD, bands, similarity
from ingester.domain.packages import Package, Siblings
from ingester.domain.places import is_run
from ingester.domain.scope_builder import build_scope_graph
from ingester.domain.scopes import ScopeGraph
from ingester.errors import SourceRefusedError
from ingester.ports import Extracted, FunnelReason, Source, SourceFile, SourceVersion, Step, Summary
from ingester.usecases.ingestion import Ingestion, Policy
from touchstone_runtime.errors import RetryableError
from touchstone_runtime.forms import MADE_FORMS

Analyse = Callable[[str], dict[str, FoundFunction]]
Ran = Callable[[FoundFunction], dict[str, Any]]


@pytest.fixture(scope="session")
def analyse() -> Analyse:
    """Functions of a source text by qualified name; the text must parse."""

    def run(text: str) -> dict[str, FoundFunction]:
        found = analyse_file(textwrap.dedent(text).encode(), "package/module.py", sketch=False)
        assert not found.problem, found.problem
        return {function.qualname: function for function in found.functions}

    return run


@pytest.fixture(scope="session")
def records(analyse: Analyse) -> Analyse:
    """Those of them that are records, methods as functions of fields."""
    return lambda text: {name: each for name, each in analyse(text).items() if each.form == "record"}


@pytest.fixture(scope="session")
def sequences(analyse: Analyse) -> Analyse:
    """Those of them that are sequences, classes as functions of a list of operations."""
    return lambda text: {name: each for name, each in analyse(text).items() if each.form == "sequence"}


@pytest.fixture(scope="session")
def ran() -> Ran:
    """Names of a function's code, run in an empty module."""

    def run(found: FoundFunction) -> dict[str, Any]:
        space: dict[str, Any] = {"__name__": "alone"}
        exec(compile("\n".join((*found.imports, found.code)), "alone", "exec", dont_inherit=True), space)
        return space

    return run


@pytest.fixture(scope="session")
def graph() -> Callable[[str], ScopeGraph]:
    """The scope graph of a source text."""

    def run(text: str) -> ScopeGraph:
        source = textwrap.dedent(text).encode()
        return build_scope_graph(python_parser().parse(source), source)

    return run


@dataclass(frozen=True, eq=False)
class Texts:
    """Python files in memory, as siblings of each other."""

    files: Mapping[str, str]

    def paths(self) -> list[str]:
        return sorted(self.files)

    def read(self, path: str) -> bytes | None:
        return self.files[path].encode() if path in self.files else None


@pytest.fixture(scope="session")
def candidates() -> Callable[..., dict[str, FoundFunction]]:
    """The candidates called `f` of `pkg/main.py` by form; other files of the package by name, or by path."""

    def run(main: str, name: str = "f", **others: str) -> dict[str, FoundFunction]:
        files = {f"pkg/{path.replace('__in__', '/')}.py": textwrap.dedent(text) for path, text in others.items()}
        files = {"pkg/__init__.py": "", **files, "pkg/main.py": textwrap.dedent(main)}
        package = Package(Texts(files), default_libraries())
        found = analyse_file(files["pkg/main.py"].encode(), "pkg/main.py", package=package)
        assert not found.problem, found.problem
        mine = [each for each in found.functions if each.qualname.rpartition(".")[2] == name]
        return {each.form: each for each in mine if not each.rejected_by}

    return run


NOW = datetime(2026, 11, 1, tzinfo=UTC)


class MemoryStore:
    """The store in memory; the contract suite holds it to the real one."""

    def __init__(self) -> None:
        self.kept: dict[str, Source] = {}
        self.gone: set[str] = set()
        self.next: dict[str, datetime] = {}
        self.keys: dict[tuple[str, str], str] = {}
        self.sketches: dict[str, tuple[int, ...]] = {}
        self.functions: dict[str, tuple[str, str, Extracted]] = {}
        self.successors: set[tuple[str, str]] = set()
        self.heard_of: set[str] = set()

    async def add(self, source: Source) -> Source:
        self.gone.discard(source.source_id)
        before = self.kept.get(source.source_id, source)
        self.kept[source.source_id] = replace(before, window_days=source.window_days or before.window_days)
        return self.kept[source.source_id]

    async def remove(self, source_id: str) -> bool:
        if source_id not in self.kept or source_id in self.gone:
            return False
        self.gone.add(source_id)
        return True

    async def get(self, source_id: str) -> Source | None:
        return None if source_id in self.gone else self.kept.get(source_id)

    async def sources(self) -> list[Source]:
        found = [source for source in self.kept.values() if source.source_id not in self.gone]
        return sorted(found, key=lambda source: (source.kind, source.name))

    async def due(self, now: datetime) -> list[Source]:
        never = datetime.max.replace(tzinfo=UTC)
        return [source for source in await self.sources() if self.next.get(source.source_id, never) <= now]

    async def postpone(self, source_id: str, next_attempt_at: datetime) -> None:
        self.next[source_id] = next_attempt_at

    async def record(self, source: Source, next_attempt_at: datetime) -> None:
        self.kept[source.source_id] = source
        self.next[source.source_id] = next_attempt_at

    async def free_untold(self, source_id: str, version_id: str) -> dict[str, str]:
        untold = [
            identifier
            for identifier, (source, version, _) in self.functions.items()
            if source == source_id and version != version_id and identifier not in self.heard_of
        ]
        for identifier in untold:
            await self.give_back(identifier)
        return {key: owner for (kind, key), owner in self.keys.items() if kind == "tree" and owner in untold}

    async def forget_untold(self, source_id: str, version_id: str) -> None:
        for identifier, (source, version, _) in list(self.functions.items()):
            if source == source_id and version != version_id and identifier not in self.heard_of:
                await self.give_back(identifier)
                self.keys = {key: owner for key, owner in self.keys.items() if owner != identifier}
                del self.functions[identifier]

    async def take(self, source_id: str, version_id: str, functions: Sequence[Extracted]) -> list[Extracted]:
        taken: list[Extracted] = []
        places: set[tuple[str, str]] = set()
        for item in functions:
            if item.task_candidate:
                place = (item.found.path, item.found.qualname)
                own = set[str]() if place in places else self._own(source_id, version_id, place)
                places.add(place)
                rejected, words = self._claim(own, item.function_id, item.found)
                item = replace(item, rejected_by=rejected, rejection=words)
            taken.append(item)
        for item in taken:
            before = self.functions.get(item.function_id, (source_id, version_id, item))
            self.functions[item.function_id] = (source_id, before[1], item)
        return taken

    async def told(self, function_ids: Sequence[str]) -> None:
        self.heard_of.update(function_ids)

    def _own(self, source_id: str, version_id: str, place: tuple[str, str]) -> set[str]:
        return {
            other
            for other, (source, version, item) in self.functions.items()
            if source == source_id and version != version_id and (item.path, item.found.qualname) == place
        }

    def _claim(self, own: set[str], identifier: str, found: FoundFunction) -> tuple[str, str]:
        keys = {"name": found.name_key, "tree": found.tree_key}
        tree = self.keys.get(("tree", found.tree_key), identifier)
        if tree in own and tree != identifier:
            return "unchanged", self._of(tree)
        for kind, key in keys.items():
            owner = self.keys.get((kind, key), identifier)
            if owner not in {identifier, *own}:
                return f"duplicate_{kind}", self._of(owner)
        if found.signature:
            for other in sorted(self.sketches.keys() - own) if identifier not in self.sketches else ():
                alike = set(bands(found.signature)) & set(bands(self.sketches[other]))
                if alike and similarity(found.signature, self.sketches[other]) >= THRESHOLD:
                    return "near_duplicate", self._of(other)
            self.sketches[identifier] = found.signature
        for kind, key in keys.items():
            if self.keys.setdefault((kind, key), identifier) != identifier:
                self.successors.add((found.name_key, identifier))
        return "", ""

    async def give_back(self, function_id: str) -> bool:
        names = [key for key, owner in self.keys.items() if key[0] == "name" and owner == function_id]
        shared = {each for each in self.successors if each[1] == function_id}
        self.successors -= shared
        for key in names:
            del self.keys[key]
            heirs = sorted(each for each in self.successors if each[0] == key[1])
            if heirs:
                self.successors.discard(heirs[0])
                self.keys[key] = heirs[0][1]
        self.sketches.pop(function_id, None)
        return bool(names or shared)

    def _of(self, identifier: str) -> str:
        if identifier not in self.functions:
            return f"of function {identifier}"
        source_id, _, item = self.functions[identifier]
        return f"of {self.kept[source_id].name} {item.path}::{item.found.qualname}"

    async def funnel(self) -> tuple[dict[str, int], list[FunnelReason]]:
        kept = [item for *_, item in self.functions.values()]
        real = [item for item in kept if item.found.form != "class" and item.found.form not in MADE_FORMS]
        candidates = [item for item in kept if item.task_candidate]
        kinds = Counter(item.found.classification for item in real)
        stages = {
            "functions": len(real),
            "python_functions": len(real) - kinds["NOT_CLASSIFIED"],
            "self_contained_or_weakly": kinds["SC"] + kinds["WSC"],
            "SC": kinds["SC"],
            "WSC": kinds["WSC"],
            "task_candidates": len(candidates),
            "slices": sum(item.found.form == "slice" for item in candidates),
            "records": sum(item.found.form == "record" for item in candidates),
            "sequences": sum(item.found.form == "sequence" for item in candidates),
        }
        replacing = [each for each in self.functions.values() if each[2].found.form in ("slice", "record")]
        left = Counter((version, item.path, item.found.qualname) for _, version, item in replacing)
        judged = [item for *_, item in replacing]
        for _, version, item in sorted(self.functions.values(), key=lambda each: each[2].function_id):
            place = (version, item.path, item.found.qualname)
            if item.found.form == "class" or item.found.form in MADE_FORMS:
                continue
            if item.rejected_by and left[place]:
                left[place] -= 1
            else:
                judged.append(item)
        rejected: dict[str, list[str]] = {}
        for item in judged:
            if item.rejected_by:
                example = f"{item.path}::{item.found.qualname}: {item.rejection}"
                rejected.setdefault(item.rejected_by, []).append(example)
        ordered = sorted(rejected.items(), key=lambda each: (-len(each[1]), each[0]))
        return stages, [FunnelReason("filters", name, len(found), min(found)) for name, found in ordered]

    async def counts(self) -> dict[str, int]:
        stages, _ = await self.funnel()
        states = Counter(source.state for source in await self.sources())
        return {
            "sources": states.total(),
            "sources_done": states.total() - states["waiting"],
            "sources_failed": states["failed"],
            "functions": stages["functions"],
            "codes": sum(item.found.form not in MADE_FORMS for *_, item in self.functions.values()),
            "task_candidates": stages["task_candidates"],
        }


@dataclass
class Shelf:
    """Sources as written files; `broken` is raised where the version is looked for."""

    files: dict[str, str] = field(default_factory=dict)
    version: SourceVersion = field(default_factory=lambda: SourceVersion("1.0", NOW - timedelta(days=3), "shelf"))
    licence: str = "MIT"
    broken: Exception | None = None
    dates: dict[str, list[datetime]] = field(default_factory=dict)
    opened: int = 0
    # What was published before: version to its date and files; files None cannot be read.
    past: dict[str, tuple[datetime | None, dict[str, str] | None]] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)
    # A repository's files before the window, and where it is cut off; its commits since, oldest first, and where
    # branches of them began.
    history: dict[str, str] = field(default_factory=dict)
    begins: datetime | None = None
    commits: list[tuple[str, datetime, dict[str, str]]] = field(default_factory=list)
    branched: dict[str, datetime] = field(default_factory=dict)
    # What files bear, where it is not the date of the version, and why some cannot be read.
    times: dict[str, datetime | None] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def earlier(self, source: Source, version: SourceVersion) -> Sequence[SourceVersion]:
        found = [SourceVersion(name, at, "shelf") for name, (at, _) in self.past.items()]
        return sorted(found, key=lambda each: each.released_at or NOW - timedelta(days=99_999))

    def find(self, source: Source) -> SourceVersion:
        if self.broken:
            raise self.broken
        return self.version

    @contextmanager
    def open(self, source: Source, version: SourceVersion) -> Iterator[Any]:
        if version.version in self.past:
            self.read.append(version.version)
            files = self.past[version.version][1]
            if files is None:
                raise SourceRefusedError("is damaged")
            yield self._Tree(self, files)
            return
        self.opened += 1
        yield self._Tree(self, self.files)

    @dataclass
    class _Tree:
        shelf: Shelf
        texts: dict[str, str]

        @property
        def licence(self) -> str:
            return self.shelf.licence

        @property
        def siblings(self) -> Texts:
            return Texts(self.texts)

        def files(self) -> Iterator[SourceFile]:
            for path, text in sorted(self.texts.items()):
                yield SourceFile(path, text.encode(), self.shelf.dates.get(path, ()), self.shelf.problems.get(path, ""))

        def tests(self) -> Iterator[tuple[str, bytes]]:
            return ((path, text.encode()) for path, text in sorted(self.texts.items()) if is_run(path))

        @property
        def begins(self) -> datetime | None:
            return self.shelf.begins

        def modified(self, path: str) -> datetime | None:
            return self.shelf.times.get(path, self.shelf.version.released_at)

        def held(self) -> Iterator[SourceFile]:
            for path, text in sorted(self.texts.items()):
                if path.endswith((".py", ".pyx")):
                    yield SourceFile(path, text.encode(), problem=self.shelf.problems.get(path, ""))

        def before(self, date: datetime) -> Iterator[SourceFile]:
            for path, text in sorted(self.shelf.history.items()):
                yield SourceFile(path, text.encode(), problem=self.shelf.problems.get(path, ""))

        def steps(self, since: datetime) -> Sequence[Step]:
            before = [("before", since - timedelta(seconds=1), self.shelf.history)]
            touched = max((day for dates in self.shelf.dates.values() for day in dates), default=since)
            line = [*before, *self.shelf.commits, ("head", touched, self.texts)]
            return [Step(name, at, self.shelf.branched.get(name, at)) for name, at, _ in line]

        def files_at(self, commit: str) -> Iterator[SourceFile]:
            self.shelf.read.append(commit)
            found = {name: files for name, _, files in self.shelf.commits} | {
                "before": self.shelf.history,
                "head": self.texts,
            }
            for path, text in sorted(found[commit].items()):
                yield SourceFile(path, text.encode())


@dataclass
class Heard:
    """What was published, in order; `fail_after` breaks the bus after so many batches, `speechless` at a last word."""

    requests: list[tuple[str, str]] = field(default_factory=list)
    functions: list[Extracted] = field(default_factory=list)
    passes: list[Summary] = field(default_factory=list)
    fail_after: int = -1
    speechless: bool = False
    versions: list[SourceVersion] = field(default_factory=list)
    archives: list[bytes] = field(default_factory=list)

    async def keep_tests(self, archive: bytes) -> str:
        self.archives.append(archive)
        return f"digest {len(self.archives)}"

    async def requested(self, source_id: str, request_id: str) -> None:
        self.requests.append((source_id, request_id))

    async def extracted(
        self, source: Source, version: SourceVersion, licence: str, functions: Sequence[Extracted]
    ) -> None:
        if self.fail_after == 0:
            raise RetryableError("the broker is away")
        self.fail_after -= 1
        self.functions.extend(functions)
        self.versions.append(version)

    async def ingested(self, source: Source, version: SourceVersion | None, licence: str, summary: Summary) -> None:
        if self.speechless:
            raise RetryableError("the broker is away")
        self.passes.append(summary)


class InlineAnalyser:
    """Analyses in this process."""

    width = 2

    async def analyse(
        self, file: SourceFile, own_names: frozenset[str], siblings: Siblings | None = None
    ) -> FileAnalysis:
        package = Package(siblings, default_libraries()) if siblings is not None else None
        return analyse_file(file.content, file.path, limits=Limits(own_names=own_names), package=package)

    async def fingerprints(self, content: bytes) -> Sequence[Fingerprint]:
        return fingerprint_file(content)


@dataclass
class World:
    """An ingestion with everything around it written by hand."""

    store: MemoryStore = field(default_factory=MemoryStore)
    shelf: Shelf = field(default_factory=Shelf)
    heard: Heard = field(default_factory=Heard)
    now: datetime = NOW
    policy: Policy = field(default_factory=Policy)

    @property
    def ingestion(self) -> Ingestion:
        return Ingestion(self.store, self.shelf, InlineAnalyser(), self.heard, lambda: self.now, self.policy)


@pytest.fixture
def world() -> World:
    return World()
