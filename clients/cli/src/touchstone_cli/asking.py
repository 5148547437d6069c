"""What the main job asks the model: when, which tasks, and nothing twice.

The first tasks are asked for as soon as several packages have given some, while others are still being built: which
they are hangs on when that was. What was asked is therefore remembered, and a later call follows the same runs instead
of drawing another sample from tasks that have become more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from touchstone_cli.errors import CliError
from touchstone_cli.services import PassingError


@dataclass(frozen=True)
class Goals:
    """How much of the main job is wanted.

    Attributes:
        model: Model under test; empty is the evaluator's default.
        tasks_limit: At most so many tasks for the direct run; 0 takes all, once all are built.
        cocost_limit: So many of these tasks are also solved by CoCoST.
        queries: Text and origin of the queries to propose pairs for.
        candidates: Pairs to propose for each.
        everything: Whether the job waits until nothing is left to do, rather than until there is something of each.
    """

    model: str = ""
    tasks_limit: int = 10
    cocost_limit: int = 1
    queries: Sequence[tuple[str, str]] = ()
    candidates: int = 3
    everything: bool = False


@dataclass(frozen=True)
class Seen:
    """How far the rest of the job is.

    Attributes:
        tasks: Released tasks, with their places.
        known: How many tasks the evaluator knows, those that were taken back included.
        sources: How many sources are followed.
        fresh: Name and version of what was taken in since the job began.
        taken_in: Whether every source was looked at.
        built: Whether every candidate is decided.
        indexed: Whether every function is searchable.
    """

    tasks: Collection[Any]
    known: int
    sources: int
    fresh: Collection[tuple[str, str]]
    taken_in: bool
    built: bool
    indexed: bool


@dataclass
class Asked:
    """What became of it.

    Attributes:
        finished: Verdicts that are there.
        total: Verdicts that are wanted.
        everything: Whether all was asked for.
        begun: Whether the direct run has a verdict: the model may be asked for more beside it.
        halted: Why nothing moves; empty while it does.
        notes: A few words for each run.
    """

    finished: int = 0
    total: int = 0
    everything: bool = False
    begun: bool = False
    halted: str = ""
    notes: list[str] = field(default_factory=list[str])


def enough(packages: Iterable[str], limit: int, sources: int, *, taken_in: bool) -> bool:
    """Whether a sample of so many tasks can be drawn that does not come from a few packages only.

    Args:
        packages: The package of each task that stands.
        limit: Size of the sample.
        sources: How many are followed.
        taken_in: Whether all of them were read, so that no other will give candidates.
    """
    of_each = list(packages)
    wanted, there = min(limit, sources), len(set(of_each))
    return len(of_each) >= limit and (there >= wanted or (taken_in and 3 * there >= wanted))


class Asking:
    """Asks the model and follows what it was asked.

    Args:
        call: Calls a method of the evaluator with fields of its request.
        goals: How much is wanted.
        memory: Run ids by what they were asked for; kept from call to call.
    """

    def __init__(self, call: Callable[..., Any], goals: Goals, memory: MutableMapping[str, str]) -> None:
        self._call = call
        self._goals = goals
        self._memory = memory
        self._runs: dict[str, Any] = {}
        self._from_before = False

    def look(self, seen: Seen) -> Asked:
        """Ask what can be asked by now, and count verdicts."""
        goals = self._goals
        self._refresh()
        if "direct" not in self._runs and not self._adopt("direct", goals.tasks_limit) and self._ready(seen):
            self._start("direct", goals.tasks_limit, limit=goals.tasks_limit)
        direct = self._runs.get("direct")
        if direct is not None and goals.cocost_limit and "cocost" not in self._runs:
            chosen = [result.task_id for result in direct.results[: goals.cocost_limit]]
            # Beside the rest of the direct run: answers that are written side by side cost less each.
            begun = seen.indexed or direct.finished
            if not self._adopt("cocost", goals.cocost_limit) and chosen and begun:
                self._start("cocost", goals.cocost_limit, strategy="cocost", task_ids=chosen)
        rest = self._ask_for_fresh(seen)
        return self._asked(rest and self._all_asked(seen))

    def _ready(self, seen: Seen) -> bool:
        if not seen.tasks or seen.known < min(len(seen.tasks), self._goals.tasks_limit or len(seen.tasks)):
            return False
        if seen.built:
            return seen.known >= len(seen.tasks)
        packages = [task.location.repository for task in seen.tasks]
        return bool(self._goals.tasks_limit) and enough(
            packages, self._goals.tasks_limit, seen.sources, taken_in=seen.taken_in
        )

    def _all_asked(self, seen: Seen) -> bool:
        if seen.built and not seen.tasks and not self._runs:
            return True
        return "direct" in self._runs and ("cocost" in self._runs or not self._goals.cocost_limit)

    def _ask_for_fresh(self, seen: Seen) -> bool:
        """In a later call, ask for tasks of what came new with it; True when there is nothing more of it to ask."""
        if not self._from_before or not seen.fresh or "fresh" in self._runs:
            return seen.taken_in
        if not seen.built or seen.known < len(seen.tasks):
            return False
        places = set(seen.fresh)
        ids = [task.task_id for task in seen.tasks if (task.location.repository, task.location.version) in places]
        if ids:
            self._start("fresh", 0, task_ids=ids, limit=self._goals.tasks_limit)
        return True

    def _start(self, purpose: str, remembered_with: int, **fields: Any) -> None:
        run_id = self._call("StartRun", model=self._goals.model, **fields).run_id
        if remembered_with:
            self._memory[self._key(purpose, remembered_with)] = run_id
        self._runs[purpose] = self._call("GetRun", run_id=run_id)

    def _adopt(self, purpose: str, limit: int) -> bool:
        """Go on with the run of an earlier call, where there is one."""
        run_id = self._memory.get(self._key(purpose, limit), "")
        if not run_id:
            return False
        try:
            self._runs[purpose] = self._call("GetRun", run_id=run_id)
        except PassingError:
            raise
        except CliError:
            # Of a platform that is no more.
            del self._memory[self._key(purpose, limit)]
            return False
        self._from_before = True
        return True

    def _key(self, purpose: str, limit: int) -> str:
        return f"{purpose} {limit} {self._goals.model}".strip()

    def _refresh(self) -> None:
        for purpose, run in self._runs.items():
            if run.finished < run.tasks:
                self._runs[purpose] = self._call("GetRun", run_id=run.run_id)

    def _asked(self, everything: bool) -> Asked:
        direct = self._runs.get("direct")
        asked = Asked(everything=everything, begun=direct is not None and direct.finished > 0)
        for purpose, run in self._runs.items():
            asked.finished, asked.total = asked.finished + run.finished, asked.total + run.tasks
            strategy = "cocost" if purpose == "cocost" else "direct"
            asked.notes.append(f"{run.model} {strategy} {run.finished}/{run.tasks}")
            asked.halted = run.halted or asked.halted
        return asked
