"""Boards: computed beside the event loop from compact rows, and again only when something changed."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from evaluator.domain.board import (
    Board,
    BoardRow,
    Entry,
    Standing,
    build_board,
    enters,
    entry_of,
    mode_of,
    rank_entries,
    standing,
    wording_shown,
)
from evaluator.domain.languages import Languages, across
from evaluator.domain.memory import MemoryGap, beside, way_of, widest_gap
from evaluator.domain.profile import Profile, build_profile
from evaluator.domain.results import RunResults, Scope, TaskFacts, is_cancelled, scope_digest
from evaluator.domain.retracting import Change, changes
from evaluator.domain.runs import Run, run_named
from evaluator.domain.scores import Tally, TaskScore, scores_of, tally_of
from evaluator.domain.tasks import Retraction
from evaluator.domain.wording import facts_of, wording_of
from evaluator.errors import UnknownScopeError, UnknownTaskError
from evaluator.ports import Store, TaskLists
from touchstone_runtime import collecting
from touchstone_runtime.bands import HARD, band_of
from touchstone_runtime.meant import meant, the_one
from touchstone_runtime.wordings import DESCRIBED, WORDINGS

Value = TypeVar("Value")

# Answers that are read before they are left out of the collector's rounds.
_MANY = 20_000
# Boards that are kept: one for each scope, language and mode that somebody looks at.
_KEPT = 64
# Ways of choosing tasks, the one that says most of them first.
_TELLING = ("release", "all", "sample", "named")


@dataclass
class _Kept:
    """The tasks of a board, and what each run brings to it: of one run more, or of one verdict, only that is new."""

    tasks: Standing
    entries: dict[str, tuple[tuple[object, ...], Entry]] = field(
        default_factory=dict[str, tuple[tuple[object, ...], Entry]]
    )
    gaps: dict[str, tuple[tuple[object, ...], MemoryGap | None]] = field(
        default_factory=dict[str, tuple[tuple[object, ...], MemoryGap | None]]
    )


@dataclass
class _Known:
    """What was read at one moment, complete."""

    runs: tuple[tuple[Run, int], ...] = ()
    results: dict[str, RunResults] = field(default_factory=dict[str, RunResults])
    read_at: dict[str, int] = field(default_factory=dict[str, int])
    facts: dict[str, TaskFacts] = field(default_factory=dict[str, TaskFacts])
    # How many tasks there were, and of how many the wording was told, when the facts were read.
    facts_at: tuple[int, int] = (0, 0)
    retracted: frozenset[str] = frozenset()

    def counting(self) -> list[Run]:
        """Runs that count on boards: neither withdrawn nor cancelled as a whole."""
        runs = [run for run, _ in self.runs if not run.withdrawn]
        return [run for run in runs if not is_cancelled(self.results[run.run_id], self.retracted)]

    def of(self, run_id: str) -> RunResults:
        """The results of the run that begins so."""
        return self.results[run_named(run_id, (run for run, _ in self.runs)).run_id]


class Boards:
    """Keeps what boards are computed from, and the boards.

    A run is read again when its revision rose; a board is computed again when one of its runs, the retractions or the
    tasks changed. The computing is done in a thread, so that the event loop goes on.

    Args:
        store: The evaluator's memory.
        lists: The ids of sets of tasks that the store does not hold.
    """

    def __init__(self, store: Store, lists: TaskLists) -> None:
        self._store = store
        self._lists = lists
        self._known = _Known()
        self._sets: dict[str, frozenset[str]] = {}
        self._boards: dict[tuple[object, ...], Board] = {}
        self._kept: dict[tuple[object, ...], _Kept] = {}
        self._scores: dict[tuple[object, ...], dict[str, TaskScore]] = {}
        self._tallies: dict[str, tuple[int, Tally]] = {}
        self._reading = asyncio.Lock()
        self._new_cells = 0

    async def board(
        self, scope: str = "", language: str = "", mode: str = "", wording: str = ""
    ) -> tuple[Board, list[Scope], list[Run]]:
        """The board of a scope.

        Args:
            scope: Digest, its unambiguous beginning, or a release's name; empty takes the one with most runs,
                one of the usual band before one of hard tasks.
            language: Empty takes the one with most runs in the scope, of the mode where one is named.
            mode: "greedy" or "sampled"; empty is the one that has runs in the language, greedy first.
            wording: "described" or "by_example"; empty is the described tasks where the scope has one.

        Returns:
            The board, every scope, and every run that counts.

        Raises:
            UnknownScopeError: There is no such scope, mode or wording.
        """
        known, runs, scopes, chosen, inside = await self._opened(scope)
        language = language or _most([run.spec.language for run in inside if mode in ("", mode_of(run))]) or "python"
        mode = _demand_mode(mode, [run for run in inside if run.spec.language == language])
        return await self._computed(known, chosen, language, mode, demand_wording(wording)), scopes, runs

    async def languages(
        self, scope: str = "", mode: str = "", wording: str = ""
    ) -> tuple[Languages, list[Scope], list[Run]]:
        """A scope across the languages in which it was asked.

        Args:
            scope: As for a board.
            mode: As for a board.
            wording: "described" or "by_example"; empty is the described tasks where some language has one.

        Returns:
            The languages beside one another, every scope, and every run that counts.

        Raises:
            UnknownScopeError: There is no such scope, mode or wording.
        """
        known, runs, scopes, chosen, inside = await self._opened(scope)
        mode = _demand_mode(mode, inside)
        asked = sorted({run.spec.language for run in inside if mode_of(run) == mode})
        wording = demand_wording(wording) or min(
            (wording_shown(chosen, language, known.facts, known.retracted) for language in asked),
            key=lambda each: each != DESCRIBED,
            default=DESCRIBED,
        )
        boards = {language: await self._computed(known, chosen, language, mode, wording) for language in asked}
        kept = {language: self._kept.get(_tasks_key(known, chosen, language, mode, wording)) for language in asked}
        return await asyncio.to_thread(_across, known, chosen, mode, wording, boards, kept), scopes, runs

    async def _opened(self, scope: str) -> tuple[_Known, list[Run], list[Scope], Scope, list[Run]]:
        """What is known, every run that counts, every scope, the one that is asked for, and the runs in it."""
        known = await self._read()
        runs = known.counting()
        scopes = await self._scopes(runs)
        chosen = _chosen_scope(scopes, runs, scope, known.facts)
        inside = [run for run in runs if scope_digest(run) == chosen.digest]
        return known, runs, scopes, chosen, inside

    async def every(self, wording: str = "") -> list[Board]:
        """The board of every scope, language and mode that has runs; described ones first, those with most tasks first.

        Args:
            wording: "described", "by_example" or "both"; empty is of each scope the described tasks where it has one.

        Raises:
            UnknownScopeError: There is no such wording.
        """
        wordings = WORDINGS if wording == "both" else (demand_wording(wording),)
        known = await self._read()
        runs = known.counting()
        scopes = {scope.digest: scope for scope in await self._scopes(runs)}
        wanted = sorted({(scope_digest(run), run.spec.language, mode_of(run)) for run in runs})
        boards = [
            await self._computed(known, scopes[digest], language, mode, each)
            for digest, language, mode in wanted
            for each in wordings
        ]
        # A set of one kind has no other board.
        there = [board for board in boards if board.tasks or not wording]
        return sorted(
            there,
            key=lambda each: (each.wording != DESCRIBED, -each.tasks, each.language, each.mode, each.scope.digest),
        )

    async def profile(self, run_id: str, cutoff_of: Callable[[str, str], str], wording: str = "") -> Profile:
        """One run by slices of its tasks, and around its model's cutoff.

        Args:
            run_id: The id, or an unambiguous beginning of it.
            cutoff_of: Month of the newest text that a model was trained on, by its identity and what it was asked for
                by; empty when nobody told.
            wording: Which of its tasks; empty is the described ones where it has one.

        Raises:
            UnknownRunError: No run, or more than one, begins so.
            UnknownScopeError: There is no such wording.
        """
        demand_wording(wording)
        known = await self._read()
        results = known.of(run_id)
        cutoff = cutoff_of(results.run.spec.model, results.run.spec.endpoint)
        ids, unlisted = await self._ids(results)
        others = [known.results[run.run_id] for run in beside([results.run], (run for run, _ in known.runs))]
        return await asyncio.to_thread(
            build_profile, results, ids, known.facts, known.retracted, cutoff, others, wording, unlisted
        )

    async def results(self, run_id: str) -> tuple[RunResults, frozenset[str]]:
        """How the answers of one run ended, and the retracted tasks.

        Args:
            run_id: The id, or an unambiguous beginning of it.

        Raises:
            UnknownRunError: No run, or more than one, begins so.
        """
        known = await self._read()
        return known.of(run_id), known.retracted

    async def effect(self, task_id: str) -> tuple[Retraction, list[Change]]:
        """What taking a task back changed on every board that it stood on; all other retractions hold on both sides.

        Args:
            task_id: Whole id, or an unambiguous beginning.

        Raises:
            UnknownTaskError: No task that was taken back, or more than one, begins so.
        """
        fitting = meant(task_id, await self._store.retractions(), lambda each: each.task_id)
        names = ("task that was taken back", f"{len(fitting)} tasks that were taken back")
        retraction = the_one(task_id, fitting, names, UnknownTaskError, way_out="the board's retractions name them")
        known, gone = await self._read(), retraction.task_id
        runs = known.counting()
        # It stood on the board of its kind; on the other one nothing changed.
        wording = wording_of(known.facts[gone]) if gone in known.facts else ""
        found: list[Change] = []
        for scope in await self._scopes(runs):
            if gone not in scope.task_ids:
                continue
            inside = [run for run in runs if scope_digest(run) == scope.digest]
            results = [known.results[run.run_id] for run in inside]
            for language, mode in sorted({(run.spec.language, mode_of(run)) for run in inside}):
                before, after = [
                    await asyncio.to_thread(
                        build_board, scope, language, mode, known.facts, retracted, results, wording
                    )
                    for retracted in (known.retracted - {gone}, known.retracted | {gone})
                ]
                found += changes(before, after)
        return retraction, found

    async def summaries(self) -> list[tuple[Run, RunResults, frozenset[str]]]:
        """Every run with its results, and the retracted tasks."""
        known = await self._read()
        return [(run, known.results[run.run_id], known.retracted) for run, _ in known.runs]

    async def task_scores(self) -> dict[str, TaskScore]:
        """How every task was answered over all runs that write it, and how hard that makes it."""
        known = await self._read()
        # How hard a task is to write is not told by how hard it is to repair.
        runs = [run for run in known.counting() if not run.spec.track]
        key = (tuple((run.run_id, *_version(known, run)) for run in runs), known.retracted, known.facts_at)
        if key not in self._scores:
            _keep(self._scores, key, await asyncio.to_thread(self._scored, known, runs), 1)
        return self._scores[key]

    def _scored(self, known: _Known, runs: Sequence[Run]) -> dict[str, TaskScore]:
        tallies: dict[str, tuple[int, Tally]] = {}
        for run in runs:
            revision, before = known.read_at[run.run_id], self._tallies.get(run.run_id)
            if before is None or before[0] != revision:
                before = (revision, tally_of(known.results[run.run_id]))
            tallies[run.run_id] = before
        self._tallies = tallies
        return scores_of([tally for _, tally in tallies.values()], known.retracted, known.facts)

    async def _read(self) -> _Known:
        async with self._reading:
            now = await self._store.overview()
            known = self._known
            there = {run.run_id for run, _ in now.runs}
            facts = known.facts
            results = {run_id: kept for run_id, kept in known.results.items() if run_id in there}
            read_at = {run_id: revision for run_id, revision in known.read_at.items() if run_id in there}
            facts_at = (now.tasks, now.worded)
            if known.facts_at != facts_at:
                facts = {each.task_id: each for each in await self._store.task_facts()}
            for run, revision in now.runs:
                if read_at.get(run.run_id) != revision or results[run.run_id].run != run:
                    # One run at a time: between two of them the loop serves others.
                    results[run.run_id] = await self._store.results_of(run)
                    read_at[run.run_id] = revision
                    self._keep_cells(results[run.run_id])
            self._known = _Known(tuple(now.runs), results, read_at, facts, facts_at, now.retracted)
            return self._known

    def _keep_cells(self, results: RunResults) -> None:
        self._new_cells += sum(map(len, results.cells.values()))
        if self._new_cells >= _MANY:
            self._new_cells = 0
            collecting.keep()

    async def _ids(self, results: RunResults) -> tuple[frozenset[str], int]:
        """The ids of a run's set, and how many it has beside them: where its list is not there, those it met are known.

        A run of before specifications grew while it ran: what it met is all that it has.
        """
        tasks = results.run.spec.tasks
        ids = self._sets.get(tasks.digest)
        if ids is None and tasks.digest:
            # A list may come later: only what is there is kept.
            found = await self._store.task_ids_of(tasks.digest) or await self._lists.get(tasks.digest)
            if found:
                ids = self._sets[tasks.digest] = frozenset(found)
        met = frozenset(results.cells)
        return (met, max(0, tasks.count - len(met))) if ids is None else (ids, 0)

    async def _scopes(self, runs: Sequence[Run]) -> list[Scope]:
        found: dict[str, Scope] = {}
        for run in runs:
            digest, tasks = scope_digest(run), run.spec.tasks
            ids, unlisted = await self._ids(self._known.results[run.run_id])
            before = found[digest].task_ids if digest in found else frozenset[str]()
            unlisted = max(unlisted, found[digest].unlisted) if digest in found else unlisted
            name = tasks.name if tasks.digest else "tasks of before specifications"
            name += f", {run.spec.track}" if run.spec.track else ""
            # A release is met in parts: what another language cannot express is not in that run's set.
            kind = tasks.kind if tasks.digest else "named"
            if digest in found:
                # Runs may have chosen the same tasks in several ways: which run came last names nothing.
                ways = [(found[digest].kind, found[digest].name), (kind, name)]
                kind, name = min(ways, key=lambda way: (_TELLING.index(way[0]), way[1]))
            exercise = run.spec.exercise if run.spec.track else 0
            found[digest] = Scope(digest, kind, name, before | ids, run.spec.track, exercise, unlisted)
        labels = Counter(scope.label for scope in found.values())
        scopes = [replace(scope, ambiguous=labels[scope.label] > 1) for scope in found.values()]
        return sorted(scopes, key=lambda scope: (-len(scope.task_ids), scope.digest))

    async def _computed(self, known: _Known, scope: Scope, language: str, mode: str, wording: str) -> Board:
        inside = [run for run in known.counting() if scope_digest(run) == scope.digest and enters(run, language, mode)]
        wording = wording or wording_shown(scope, language, known.facts, known.retracted)
        tasks = _tasks_key(known, scope, language, mode, wording)
        others = beside(inside, (run for run, _ in known.runs))
        key = (*tasks, *(tuple((run.run_id, *_version(known, run)) for run in runs) for runs in (inside, others)))
        if key not in self._boards:
            if tasks not in self._kept:
                found = await asyncio.to_thread(standing, scope, language, known.facts, known.retracted, wording)
                _keep(self._kept, tasks, _Kept(found))
            board = await asyncio.to_thread(_compute, known, scope, language, mode, self._kept[tasks], inside, others)
            _keep(self._boards, key, board)
        return self._boards[key]


def _tasks_key(known: _Known, scope: Scope, language: str, mode: str, wording: str) -> tuple[object, ...]:
    gone = known.retracted & scope.task_ids
    return (scope.digest, scope.label, language, mode, wording, gone, known.facts_at, scope.task_ids, scope.unlisted)


def _across(
    known: _Known,
    scope: Scope,
    mode: str,
    wording: str,
    boards: Mapping[str, Board],
    kept: Mapping[str, _Kept | None],
) -> Languages:
    found: dict[str, tuple[Standing, list[tuple[BoardRow, Entry]]]] = {}
    for language, board in boards.items():
        before = kept[language] or _Kept(standing(scope, language, known.facts, known.retracted, wording))
        rows: list[tuple[BoardRow, Entry]] = []
        for row in board.rows:
            version, entry = before.entries.get(row.run.run_id, ((), None))
            if entry is None or version != _version(known, row.run):
                entry = entry_of(known.results[row.run.run_id], before.tasks)
            rows.append((row, entry))
        found[language] = (before.tasks, rows)
    return across(scope, mode, wording, found)


def _compute(
    known: _Known, scope: Scope, language: str, mode: str, kept: _Kept, runs: Sequence[Run], others: Sequence[Run]
) -> Board:
    entries: list[Entry] = []
    for run in runs:
        version = _version(known, run)
        before = kept.entries.get(run.run_id)
        if before is None or before[0] != version:
            before = (version, entry_of(known.results[run.run_id], kept.tasks))
            kept.entries[run.run_id] = before
        entries.append(before[1])
    board = rank_entries(scope, language, mode, kept.tasks, known.retracted, entries)
    if not others:
        return board
    by_way: dict[object, list[Run]] = {}
    for run in others:
        by_way.setdefault(way_of(run), []).append(run)
    rows = [replace(row, memory=_gap(known, kept, row.run, by_way.get(way_of(row.run), []))) for row in board.rows]
    return replace(board, rows=tuple(rows))


def _gap(known: _Known, kept: _Kept, run: Run, others: Sequence[Run]) -> MemoryGap | None:
    """The memory gap of a run, computed anew where the run or one of those beside it changed."""
    version = tuple((each.run_id, *_version(known, each)) for each in (run, *others))
    if kept.gaps.get(run.run_id, ((), None))[0] != version:
        dressed = [known.results[each.run_id] for each in others]
        facts = facts_of(kept.tasks.wording, known.facts)
        gap = widest_gap(known.results[run.run_id], dressed, facts, known.retracted)
        kept.gaps[run.run_id] = (version, gap)
    return kept.gaps[run.run_id][1]


def _demand_mode(mode: str, runs: Sequence[Run]) -> str:
    """The mode that a caller names; where it names none, the one that there are runs of, greedy before sampled."""
    mode = mode or ("sampled" if runs and all(mode_of(run) == "sampled" for run in runs) else "greedy")
    if mode not in ("greedy", "sampled"):
        raise UnknownScopeError("a board is greedy or sampled", thing=mode)
    return mode


def demand_wording(wording: str) -> str:
    """The wording that a caller names; empty where it names none.

    Raises:
        UnknownScopeError: There is no such wording.
    """
    if wording and wording not in WORDINGS:
        raise UnknownScopeError("a board is of tasks that are described or by_example", thing=wording)
    return wording


def _version(known: _Known, run: Run) -> tuple[object, ...]:
    # All of a run that changes and stands on its row.
    return known.read_at[run.run_id], run.withdrawn, run.halted, run.paused


def _keep(kept: dict[tuple[object, ...], Value], key: tuple[object, ...], value: Value, most: int = _KEPT) -> None:
    if key not in kept and len(kept) >= most:
        kept.pop(next(iter(kept)))
    kept[key] = value


def _chosen_scope(scopes: Sequence[Scope], runs: Sequence[Run], wanted: str, facts: Mapping[str, TaskFacts]) -> Scope:
    if wanted:
        fitting = [scope for scope in scopes if wanted in (scope.digest, scope.name, scope.label)]
        # The digest of a release is the beginning of each of its tracks' own: without one named, writing is meant.
        fitting = fitting or [
            scope for scope in scopes if scope.digest.startswith(wanted) and (":" in wanted or not scope.track)
        ]
        if len({scope.unversioned for scope in fitting}) == 1:
            # They differ in the version of their exercises alone: without one named, what is made now is meant.
            fitting = [max(fitting, key=lambda scope: scope.exercise)]
        if len(fitting) != 1:
            raise UnknownScopeError(
                "no set of tasks with runs is called so" if not fitting else "several sets of tasks begin so",
                thing=wanted,
                way_out=f"known are: {', '.join(scope.label for scope in scopes[:20]) or 'none yet'}",
            )
        return fitting[0]
    if not scopes:
        return Scope("", "all", "nothing yet", frozenset())
    numbers = Counter(scope_digest(run) for run in runs if not run.withdrawn)

    def is_hard(scope: Scope) -> bool:
        known = [facts[task_id] for task_id in scope.task_ids if task_id in facts]
        return bool(known) and all(band_of(task.complexity) == HARD for task in known)

    def rank(scope: Scope) -> tuple[object, ...]:
        number = numbers[scope.digest]
        # Tasks of the hard band are asked for by name: a release of them stands behind one of the usual band.
        asked_for = not number, is_hard(scope)
        return (bool(scope.track), scope.kind != "release", *asked_for, -number, -len(scope.task_ids), scope.digest)

    return min(scopes, key=rank)


def _most(names: Sequence[str]) -> str:
    counted: Mapping[str, int] = Counter(names)
    return min(counted, key=lambda name: (-counted[name], name), default="")
