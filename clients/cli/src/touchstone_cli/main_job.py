"""The main job, step by step: sources in, tasks built, a model scored, pairs labelled.

Every step asks the services how far they are and starts what can be started; nothing waits for a stage to be over that
can do with a part of it. The order in which they are asked matters: a service that has no messages left has published
all that follows from them, so that the next one's count of waiting messages is complete when it is read.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from touchstone_cli.asking import Asking, Goals, Seen
from touchstone_cli.errors import CliError
from touchstone_cli.estimating import Rest
from touchstone_cli.evaluate import GOES_ON
from touchstone_cli.output import counted
from touchstone_cli.services import Caller, PassingError
from touchstone_cli.sources import Wanted, add_one

WATCHED = ("ingester", "pbt-generator", "embedder", "retriever", "evaluator", "annotator")
# A service that was killed is back within a minute; what answers no sooner will not come back by itself.
SILENCE_S = 180.0
STALL_S = 900.0
# How long something that says that it waits may do so before the job goes on without it.
HALT_S = 120.0
RATE_WINDOW_S = 60.0
# Words by which services say that nothing moves, beside what they merely do.
STANDSTILL = (": waiting: ", ": stopped, ", ": halted: ")


@dataclass
class Stage:
    """One line of the progress display.

    Attributes:
        name: What is counted.
        done: How many are done.
        total: How many are expected; 0 when nobody knows.
        finished: Whether nothing more comes.
        note: What it waits for, or what went wrong.
        growing: Whether more may be expected than are known yet: how long it takes is then not said.
    """

    name: str
    done: int = 0
    total: int = 0
    finished: bool = False
    note: str = ""
    growing: bool = False
    _rest: Rest = field(default_factory=lambda: Rest(RATE_WINDOW_S))

    def update(
        self, done: int, total: int, now: float, *, finished: bool = False, note: str = "", growing: bool = False
    ) -> None:
        """Take a new count."""
        self.done, self.total, self.finished, self.note, self.growing = done, total, finished, note, growing
        self._rest.note(now, done, total - done)

    @property
    def rate(self) -> float:
        """How many a second over the last minute; 0 when nothing is known."""
        return self._rest.rate

    @property
    def seconds_left(self) -> float:
        """Estimated rest; 0 when nobody can say."""
        rest = self.total - self.done
        known = not (self.finished or self.growing)
        return rest / self.rate if known and rest > 0 and self.rate > 0 else 0.0


class MainJob:
    """Drives the services through the main job.

    Args:
        services: Connections by service name.
        sources: What to follow.
        goals: How much is wanted.
        tell: Takes one line for the user.
        memory: What earlier calls asked the model; see `Asking`.
        clock: Seconds, for rates and patience.
        pause: Waits so many seconds.
    """

    def __init__(
        self,
        services: Mapping[str, Caller],
        sources: Sequence[Wanted],
        goals: Goals,
        tell: Callable[[str], None],
        memory: MutableMapping[str, str],
        clock: Callable[[], float] = time.monotonic,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._services = services
        self._sources = sources
        self._goals = goals
        self._tell = tell
        self._clock = clock
        self._pause = pause
        names = ("sources", "functions embedded", "functions indexed", "candidates", "tasks", "verdicts", "pairs")
        self.stages = {name: Stage(name) for name in names}
        self.problems: list[str] = []
        self._source_ids: list[str] = []
        self._told: set[str] = set()
        self._before: dict[str, str] = {}
        self._tasks: Sequence[Any] = ()
        self._fresh: list[tuple[str, str]] = []
        self._asking = Asking(lambda method, **fields: self._call("evaluator", method, **fields), goals, memory)
        self._imported = False
        self._progress: dict[str, Any] = {}
        self._silent_since: dict[str, float] = {}
        self._last_change = clock()
        self._signature: object = None

    # -- starting -----------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Follow the sources and ask for a pass over them; what is known already is asked for nothing.

        Raises:
            CliError: no source can be followed.
        """
        while True:
            try:
                return self._begin()
            except PassingError as error:
                self._bear(error, self._clock())
                self._pause(1.0)

    def _begin(self) -> None:
        ingester = self._services["ingester"]
        self._source_ids = []
        self._before = {
            source.source_id: source.latest_version for source in self._call("ingester", "ListSources").sources
        }
        for wanted in self._sources:
            try:
                self._source_ids.append(add_one(ingester, wanted).source_id)
            except PassingError:
                raise
            except CliError as error:
                self._problem(f"{wanted.kind} {wanted.name}: {error}")
        if not self._source_ids:
            raise CliError("no source can be followed; see the lines above and sources.toml")
        self._call("ingester", "Sync", source_ids=self._source_ids)
        self._last_change = self._clock()

    def _call(self, service: str, method: str, **fields: Any) -> Any:
        caller = self._services[service]
        return caller.call(method, getattr(caller.messages, f"{method}Request")(**fields))

    # -- one step -----------------------------------------------------------------------------------------------

    def step(self) -> bool:
        """Look at every service once and start what can be started.

        Returns:
            True when the job is done, or when what is left stands still; `problems` says which. Unless everything is
            wanted, it is done when there is something of each: tasks, verdicts of every run, a label.

        Raises:
            CliError: a service is away for minutes, or nothing has moved for a quarter of an hour.
        """
        now = self._clock()
        try:
            self._look()
            taken_in = self._sources_step(now)
            built = self._tasks_step(now, taken_in)
            indexed = self._index_step(now, taken_in)
            judged, begun = self._evaluation_step(now, taken_in, built, indexed)
            labelled = self._pairs_step(now, indexed, early=taken_in and begun and not self._goals.everything)
        except PassingError as error:
            self._bear(error, now)
            return False
        self._silent_since.clear()
        self._notice_stall(now)
        if not self._goals.everything:
            return taken_in and judged and labelled
        return taken_in and built and indexed and judged and labelled

    def left(self) -> list[str]:
        """What goes on after the job, a few words each; empty when all is done."""
        words: list[str] = []
        for stage in self.stages.values():
            if stage.finished or stage.name == "tasks":
                continue
            of = f" of {stage.total:,}" if stage.total else ""
            words.append(f"{stage.name} {stage.done:,}{of}")
        return words

    def _look(self) -> None:
        for name in WATCHED:
            self._progress[name] = self._call(name, "Progress").progress

    def _bear(self, error: PassingError, now: float) -> None:
        since = self._silent_since.setdefault(str(error), now)
        if now - since > SILENCE_S:
            raise CliError(f"{error}; see `touchstone status`") from error

    def _counter(self, service: str, name: str) -> tuple[int, int]:
        for counter in self._progress[service].counters:
            if counter.name == name:
                return counter.value, counter.total
        return 0, 0

    def _idle(self, service: str) -> bool:
        return self._progress[service].lag == 0

    def _waits_for(self, service: str) -> str:
        return "; ".join(self._progress[service].activities)

    def _problem(self, line: str) -> None:
        if line not in self._told:
            self._told.add(line)
            self.problems.append(line)
            self._tell(line)

    def _sources_step(self, now: float) -> bool:
        known = {source.source_id: source for source in self._call("ingester", "ListSources").sources}
        ours = [known[identity] for identity in self._source_ids if identity in known]
        for source in ours:
            if source.state in ("failed", "outside_window"):
                reason = f": {source.detail}" if source.detail else ""
                self._problem(f"{source.kind} {source.name}: {source.state.replace('_', ' ')}{reason}")
        self._fresh = [
            (source.name, source.latest_version)
            for source in ours
            if source.state == "ingested" and source.latest_version != self._before.get(source.source_id, "")
        ]
        settled = sum(source.state not in ("", "waiting") for source in ours)
        finished = self._idle("ingester") and settled == len(ours)
        functions = counted(sum(source.functions for source in ours), "function")
        note = functions if finished else self._waits_for("ingester") or functions
        self.stages["sources"].update(settled, len(self._source_ids), now, finished=finished, note=note)
        return finished

    def _tasks_step(self, now: float, taken_in: bool) -> bool:
        answer = self._call("pbt-generator", "ListTasks")
        released, refused = len(answer.tasks), answer.refused
        candidates, _ = self._counter("ingester", "task_candidates")
        finished = taken_in and self._idle("pbt-generator")
        decided = released + refused + answer.retracted
        total = max(decided, candidates)
        note = "" if finished else self._waits_for("pbt-generator")
        self.stages["candidates"].update(decided, total, now, finished=finished, note=note, growing=not taken_in)
        packages = len({task.location.repository for task in answer.tasks})
        self.stages["tasks"].update(
            released, 0, now, finished=finished, note=f"from {counted(packages, 'source')}, {refused} refused"
        )
        self._tasks = answer.tasks
        return finished

    def _index_step(self, now: float, taken_in: bool) -> bool:
        embedded, seen = self._counter("embedder", "functions_embedded")
        waiting = max(0, self._progress["embedder"].lag)
        all_embedded = taken_in and self._idle("embedder")
        # Messages are no codes: slices and records are told as well, and what is read again is told once more.
        codes, _ = self._counter("ingester", "codes")
        total = max(seen, codes or embedded + waiting)
        note = "" if all_embedded else self._waits_for("embedder")
        self.stages["functions embedded"].update(
            embedded, total, now, finished=all_embedded, note=note, growing=not taken_in
        )
        indexed, _ = self._counter("retriever", "functions_indexed")
        # Queries wait on the retriever's topics too, and only for the index: they do not count as not indexed.
        finished = all_embedded and (self._imported or self._idle("retriever"))
        self.stages["functions indexed"].update(
            indexed,
            codes,
            now,
            finished=finished,
            note="" if finished else self._waits_for("retriever"),
            growing=not taken_in,
        )
        return finished

    # -- evaluation ---------------------------------------------------------------------------------------------

    def _evaluation_step(self, now: float, taken_in: bool, built: bool, indexed: bool) -> tuple[bool, bool]:
        """Whether all verdicts are there, and whether the direct run has one."""
        known, _ = self._counter("evaluator", "tasks_known")
        retracted, _ = self._counter("evaluator", "tasks_retracted")
        seen = Seen(self._tasks, known + retracted, len(self._source_ids), self._fresh, taken_in, built, indexed)
        asked = self._asking.look(seen)
        done = asked.everything and asked.finished >= asked.total
        notes = [*asked.notes, *([asked.halted] if asked.halted else [])]
        if done and not asked.total:
            notes = ["there are no tasks"]
        self.stages["verdicts"].update(asked.finished, asked.total, now, finished=done, note=", ".join(notes))
        if asked.halted and asked.everything and self._still(HALT_S):
            self._problem(f"evaluation stands still: {asked.halted}; {GOES_ON}")
            return True, asked.begun
        return done, asked.begun

    # -- pairs --------------------------------------------------------------------------------------------------

    def _pairs_step(self, now: float, indexed: bool, *, early: bool) -> bool:
        """Ask for pairs and follow them.

        Args:
            now: The clock.
            indexed: Whether every function is searchable.
            early: Whether what is searchable by now will do; what comes nearer afterwards enters the queries' pools.
        """
        functions, _ = self._counter("retriever", "functions_indexed")
        if not self._goals.queries or (indexed and not functions):
            self.stages["pairs"].update(0, 0, now, finished=indexed, note="" if functions else "nothing is indexed")
            return indexed or not self._goals.queries
        labelled, total = self._counter("annotator", "pairs_labelled")
        if not self._imported and (indexed or (early and functions)):
            queries = [{"text": text, "origin": origin} for text, origin in self._goals.queries]
            self._call("retriever", "ImportQueries", queries=queries, candidates=self._goals.candidates)
            self._imported = True
            # What was read before the import knows nothing of the new queries.
            return False
        finished = self._imported and self._idle("retriever") and self._idle("annotator")
        note = "" if finished else self._waits_for("annotator")
        self.stages["pairs"].update(labelled, total, now, finished=finished, note=note)
        if self._imported and any(word in note for word in STANDSTILL) and self._still(HALT_S):
            self._problem(f"labelling stands still: {note}; it goes on by itself once that is mended")
            return True
        return finished or (self._imported and labelled > 0 and not self._goals.everything)

    # -- patience -----------------------------------------------------------------------------------------------

    def _still(self, seconds: float) -> bool:
        return self._clock() - self._last_change > seconds

    def _notice_stall(self, now: float) -> None:
        counts = tuple((stage.name, stage.done, stage.finished) for stage in self.stages.values())
        lags = tuple(self._progress[name].lag for name in WATCHED)
        if (counts, lags) != self._signature:
            self._signature, self._last_change = (counts, lags), now
        elif self._still(STALL_S):
            open_stages = [stage for stage in self.stages.values() if not stage.finished]
            what = ", ".join(f"{stage.name}{f' ({stage.note})' if stage.note else ''}" for stage in open_stages)
            raise CliError(f"nothing has moved for {STALL_S / 60:.0f} minutes: {what}; see `touchstone status`")
