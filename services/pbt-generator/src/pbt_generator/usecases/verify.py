"""Replays the certificates of a release: every program goes through the candidates' path once more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pbt_generator.domain.oracle.certificate import Trial
from pbt_generator.domain.release import Json, ReleasedTask, Selection, faults_of
from pbt_generator.errors import SandboxRefusedError, SandboxUnavailableError
from pbt_generator.ports import ForeignProgram, Freezer, Parts, Sandbox, Tables
from pbt_generator.usecases.certify import LIMITS, Certifier, SuiteFacts
from pbt_generator.usecases.opening import open_task, trial_names
from pbt_generator.usecases.remeasure import Remeasurer
from touchstone_runtime.exported import UNREADABLE

# A sandbox that restarts is back sooner than this; what lasts longer is told to the caller.
_TRIES = 3
_PAUSE_S = 2.0


@dataclass(frozen=True)
class Checked:
    """One task that was verified, or with an empty id the release as a whole.

    Attributes:
        task_id: Its id.
        entry_point: The function.
        done: How many tasks are verified with it.
        total: How many there are.
        trials: Programs that were run.
        problems: What differs, one line each.
        cpu_s: CPU-seconds of the sandbox.
        retracted: Why it was taken back; empty while it stands.
    """

    task_id: str = ""
    entry_point: str = ""
    done: int = 0
    total: int = 0
    trials: int = 0
    problems: tuple[str, ...] = ()
    cpu_s: float = 0.0
    retracted: str = ""


class Verifier:
    """Checks digests and replays certificates.

    Args:
        sandbox: Where the programs run.
        tables: Writes table programs.
        freezer: Reads suites.
        workers: Tasks that are replayed side by side.
        pause_s: Seconds between two tries of a task when the sandbox is away.
        remeasurer: Measures coverage and mutation again, where the caller asks for all.
    """

    def __init__(
        self, sandbox: Sandbox, tables: Tables, freezer: Freezer, workers: int = 2, pause_s: float = _PAUSE_S,
        remeasurer: Remeasurer | None = None,
    ) -> None:  # fmt: skip
        self._remeasurer = remeasurer
        self._sandbox = sandbox
        self._tables = tables
        self._freezer = freezer
        self._workers = workers
        self._pause_s = pause_s

    async def verify(
        self,
        manifest: Json,
        parts: Parts,
        retractions: Mapping[str, str],
        languages: Collection[str] = (),
        *,
        full: bool = False,
    ) -> AsyncIterator[Checked]:
        """Verify every task, in the manifest's order.

        Args:
            manifest: Its own digest is proved already.
            parts: Where the tasks' parts lie.
            retractions: Notes of tasks that were taken back, by id; they are verified like the others.
            languages: Replay table programs in these only; empty takes all that the certificates name.
            full: Measure coverage and mutation again as well.

        Raises:
            SandboxUnavailableError: the sandbox cannot be reached, or went away for good.
        """
        entries: list[Json] = manifest["tasks"]
        offered = await self._offered()
        if faults := faults_of(manifest):
            yield Checked(total=len(entries), problems=tuple(f"the manifest: {each}" for each in faults))
        certified = {language for entry in entries for language in entry["languages"]}
        wanted = certified & set(languages) if languages else certified
        if uncertified := sorted(set(languages) - certified):
            words = f"{', '.join(uncertified)}: no task of this release is certified there, so nothing was replayed"
            yield Checked(total=len(entries), problems=(words,))
        missing = sorted(wanted - set(offered))
        if missing:
            words = f"{', '.join(missing)}: not replayed, since this sandbox cannot run it; see `touchstone doctor`"
            yield Checked(total=len(entries), problems=(words,))
        replayed = wanted - set(missing)
        gate = asyncio.Semaphore(self._workers)

        async def one(entry: Json) -> Checked:
            async with gate:
                note = retractions.get(entry["task_id"], "")
                return await self._checked(entry, parts, note, replayed, manifest.get("inputs"), full=full)

        running = [asyncio.create_task(one(entry)) for entry in entries]
        try:
            for number, task in enumerate(running, 1):
                checked = await task
                yield replace(checked, done=number, total=len(entries))
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)

    async def _offered(self) -> Sequence[str]:
        try:
            return await self._sandbox.languages()
        except SandboxUnavailableError as error:
            # The words of the transport would name an address that means nothing to who asked.
            raise SandboxUnavailableError(
                "the sandbox-executor is not reachable",
                thing=error.thing,
                way_out="see `touchstone status`; start it with `touchstone up`",
            ) from error

    async def _checked(
        self, entry: Json, parts: Parts, retracted: str, languages: Collection[str], inputs: Any, *, full: bool
    ) -> Checked:
        head = Checked(entry["task_id"], entry["entry_point"], retracted=retracted)
        opened = await open_task(entry, parts, self._freezer, retracted)
        if opened.task is None:
            return replace(head, problems=opened.problems)
        if outside := _outside(opened.task, inputs):
            return replace(head, problems=(f"{outside}, which the release excludes by what was asked for",))
        for left in reversed(range(_TRIES)):
            try:
                trials, problems, cpu_s = await self._replay(opened.task, languages)
                if full and self._remeasurer is not None and not opened.task.imported:
                    again = await self._remeasurer.measure(opened.task)
                    problems, cpu_s = [*problems, *again.problems], cpu_s + again.cpu_s
                return replace(head, trials=len(trials), problems=tuple(problems), cpu_s=cpu_s)
            except SandboxRefusedError as error:
                return replace(head, problems=(f"the sandbox refuses the job: {error}",))
            except UNREADABLE as error:
                # What one task's parts or programs say takes no other task along.
                return replace(head, problems=(f"it cannot be verified: {type(error).__name__}: {error}",))
            except SandboxUnavailableError:
                if not left:
                    raise
                await asyncio.sleep(self._pause_s)
        raise AssertionError("unreachable")

    async def _replay(self, task: ReleasedTask, languages: Collection[str]) -> tuple[list[Trial], list[str], float]:
        suite = SuiteFacts(
            data=task.suite,
            arguments=tuple(arguments for arguments, _ in task.cases),
            expected=tuple(expected for _, expected in task.cases),
            entry_point=task.entry["entry_point"],
            portable=task.entry["kind"] == "SC",
        )
        if task.imported:
            # Somebody else's suite: that known-wrong programs pass it is said in its certificate, and promised nowhere.
            truth = Certifier(self._sandbox, None, self._freezer)
            ran = await truth.truths(task.source, suite)
            return ran, compare(task.certificate, ran, ()), truth.cpu_s
        certified = set(task.certificate["languages"]) & set(languages)
        certifier = Certifier(self._sandbox, _Some(self._tables, certified), self._freezer)
        trials, _ = await certifier.certify(task.source, suite)
        problems = compare(task.certificate, trials, certified)
        # Certificates of builders up to `pbt-25` keep none that show an edge to be no case's.
        shown: Sequence[str] = task.certificate.get("weight", {}).get("refused", ())
        raising = [*task.certificate["raising_inputs"], *shown]
        program = ForeignProgram(task.source, suite.entry_point)
        others, cpu_s = await not_raising(self._sandbox, program, raising)
        return trials, [*problems, *others], certifier.cpu_s + cpu_s


async def not_raising(sandbox: Sandbox, program: ForeignProgram, inputs: Sequence[str]) -> tuple[list[str], float]:
    """Where inputs that are said to raise do anything else, one line each; with the sandbox's CPU-seconds.

    What ends a process, or takes its time, says nothing of the inputs behind it: each of these runs once more alone.
    """
    if not inputs:
        return [], 0.0
    result = await sandbox.run_cases(program, inputs, limits=LIMITS)
    problems, cpu_s = list[str](), result.cpu_s
    returned = sum(each.outcome == "returned" for each in result.outcomes)
    if returned:
        problems.append(f"{returned} of {len(inputs)} inputs return, the certificate says that they raise")
    for given, ended in zip(inputs, result.outcomes, strict=True):
        if ended.outcome in {"returned", "raised"}:
            continue
        alone = await sandbox.run_cases(program, [given], limits=LIMITS)
        cpu_s += alone.cpu_s
        if alone.outcomes[0].outcome != "raised":
            # One is enough: each may take all the time that it is given.
            words = alone.outcomes[0].outcome.replace("_", " ")
            problems.append(f"an input does not raise, as the certificate says that it does, but {words}: {given:.200}")
            break
    return problems, cpu_s


def _outside(task: ReleasedTask, inputs: Any) -> str:
    """Why a task does not belong to a release for which something else was asked; empty where it does."""
    try:
        asked = Selection.of(inputs)
    except (KeyError, TypeError, ValueError, AttributeError):
        # It is told of the manifest as a whole.
        return ""
    return asked.excludes(task.entry["kind"], task.entry["languages"], task.record["function"])


class _Some:
    """Table programs in some of the languages; see `Tables`."""

    def __init__(self, tables: Tables, languages: Collection[str]) -> None:
        self._tables = tables
        self._languages = languages

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(language for language in self._tables.languages if language in self._languages)

    def program(self, language: str, entry_point: str, arguments: Sequence[str], expected: Sequence[str]) -> str | None:
        return self._tables.program(language, entry_point, arguments, expected)


def compare(certificate: Mapping[str, Any], trials: Sequence[Trial], languages: Collection[str]) -> list[str]:
    """What a replay did otherwise than the certificate says, one line each.

    A wrong program may fail in another way than it did; what must fail, must fail, and what must pass, must pass.
    """
    if not certificate["holds"]:
        return ["the certificate itself says that a trial did not go as it should"]
    problems: list[str] = []
    for trial in trials:
        if trial.as_it_should:
            continue
        name = f"{trial.program.replace('_', ' ')} in {trial.language}"
        ending = f"{trial.verdict}, {trial.passed} of {trial.cases} cases passed"
        problems.append(f"{name} must {'pass' if trial.must_pass else 'fail'}: {ending}")
    if problems:
        return problems
    ran = {(trial.program, trial.language) for trial in trials}
    missing = [
        (program, language)
        for program, language in trial_names(dict(certificate))
        if (program, language) not in ran and (language in languages or not program.startswith("table"))
    ]
    return [
        f"{program.replace('_', ' ')} in {language} is in the certificate and was not replayed"
        for program, language in missing
    ]
