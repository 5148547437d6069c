"""`touchstone release import`: somebody else's set of tasks as a release, judged here."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.choices import one_of
from touchstone_cli.errors import CliError
from touchstone_cli.foreign_sets import SET_FORMATS, Foreign, LeftOut, read_set
from touchstone_cli.output import counted, one_line, print_json, print_table, say, say_progress
from touchstone_cli.services import Caller, connect
from touchstone_contracts.manifests import well_named
from touchstone_runtime.source_kinds import BENCHMARK

# Of the ground truths of a set so many must pass, else something is wrong with it or with how it is read.
LEAST = 0.99
_TASK_S = 900.0


@dataclass(frozen=True)
class Taken:
    """What became of one task; `problems` is empty where every input of the set is a case.

    `retracted` says why it was taken back, by its makers or since an earlier import; empty while it stands.
    """

    foreign_id: str
    task_id: str
    inputs: int
    cases: int
    problems: tuple[str, ...]
    weak: tuple[str, ...] = ()
    passes: bool = False
    retracted: str = ""

    @property
    def ran(self) -> bool:
        """Whether its ground truth was to run: it is not of those that its makers took back."""
        return bool(self.task_id) or not self.retracted


def import_set(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The set's file, or its folder.")],
    name: Annotated[str, typer.Option(help="Name of the release.")],
    of: Annotated[str, typer.Option("--set", metavar="NAME", help="Whose tasks: the name of the set.")],
    version: Annotated[str, typer.Option("--set-version", metavar="VERSION", help="Its version.")],
    licence: Annotated[str, typer.Option(metavar="SPDX", help="Its licence, as its makers state it.")],
    set_format: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(SET_FORMATS)}.", metavar="FORMAT")
    ] = next(iter(SET_FORMATS)),
    origin: Annotated[str, typer.Option(help="Where it was taken from, for people.")] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make a release of somebody else's set: its ground truths are run first, and every exception is told.

    Its tasks are judged as ours are and stand apart: in no list of ours, in no release and no ranking with ours. Where
    fewer than 99 % of the ground truths pass, there is no release.
    """
    set_format = one_of(set_format, tuple(SET_FORMATS), "--format", empty=False)
    generator = connect("pbt-generator")
    whose = {"set": of, "set_version": version, "licence": licence, "origin": origin}
    found = read_set(path, set_format)
    _demand_name(generator, name, of, version)
    taken = _take(generator, found, whose)
    tried = [one for one in taken if one.ran]
    passed = sum(one.passes for one in tried)
    share = passed / len(tried) if tried else 1.0
    made: dict[str, Any] | None = None
    if share >= LEAST:
        taken = _told_retracted(generator, taken)
        ids = [one.task_id for one in taken if one.task_id and not one.retracted]
        # A request that names none asks for every task of ours.
        if ids:
            request = generator.messages.CreateReleaseRequest(name=name, task_ids=ids)
            answer = generator.call("CreateRelease", request, timeout_s=600.0)
            made = {"name": answer.release.name, "digest": answer.release.digest, "tasks": answer.release.tasks}
    _tell(taken, made, as_json=as_json)
    if made is None and share >= LEAST:
        raise CliError(f"{path}: every task of it was taken back: no release")
    if made is None:
        # In per cent a share just below would be told as the limit itself.
        all_of_them = counted(len(tried), "ground truth")
        few = f"{path}: {passed:,} of {all_of_them} pass, fewer than {LEAST:.0%}: no release"
        kept = sum(bool(one.task_id) for one in taken)
        stored = f"; {counted(kept, 'task is', 'tasks are')} kept without one: touchstone tasks list --imported"
        raise CliError(few + (stored if kept else ""))


def _demand_name(generator: Caller, name: str, of: str, version: str) -> None:
    """Refuse a name under which no release of this set can be made, before its ground truths run for a long time.

    Raises:
        CliError: it is no name, or that of a release which is another one in any case.
    """
    if not well_named(name):
        way_out = "use up to 64 small letters, digits, dots, dashes and underscores, for example humanevalplus"
        raise CliError(f"{name}: no name for a release ({way_out})", exit_code=2)
    if name not in {release.name for release in generator.call("ListReleases").releases}:
        return
    answer = generator.call("GetRelease", generator.messages.GetReleaseRequest(name=name))
    sources = [task["source"] for task in json.loads(answer.manifest_json)["tasks"]]
    other = "choose another name; releases never change"
    if any((each["kind"], each["name"], each["version"]) != (BENCHMARK, of, version) for each in sources):
        raise CliError(f"{name}: there is a release of this name with other tasks ({other})", exit_code=2)
    if answer.retractions:
        since = counted(len(answer.retractions), "task was", "tasks were")
        raise CliError(f"{name}: {since} taken back since this release was made ({other})", exit_code=2)


def _told_retracted(generator: Caller, taken: Sequence[Taken]) -> list[Taken]:
    """What was taken, and of tasks that were taken back since an earlier import the reason: no release holds them."""
    answer = generator.call("ListTasks", generator.messages.ListTasksRequest(imported=True))
    standing = {task.task_id for task in answer.tasks}
    told: list[Taken] = []
    for one in taken:
        if one.task_id and one.task_id not in standing:
            request = generator.messages.GetTaskRequest(task_id=one.task_id)
            if note := generator.call("GetTask", request).task.retracted:
                told.append(replace(one, retracted=note))
                continue
        told.append(one)
    return told


def _take(generator: Caller, found: Sequence[Foreign | LeftOut], whose: dict[str, str]) -> list[Taken]:
    taken: list[Taken] = []
    for number, one in enumerate(found, 1):
        if isinstance(one, LeftOut):
            problems, note = ((), one.reason) if one.retracted else ((one.reason,), "")
            taken.append(Taken(one.foreign_id, "", 0, 0, problems, retracted=note))
        else:
            # What a set states of a task itself is more than what is said of the whole.
            stated = {name: value for name, value in asdict(one).items() if value}
            request = generator.messages.ImportTaskRequest(**(whose | stated))
            answer = generator.call("ImportTask", request, timeout_s=_TASK_S)
            weak = tuple(answer.weak)
            taken.append(
                Taken(
                    one.foreign_id,
                    answer.task_id,
                    answer.inputs,
                    answer.cases,
                    tuple(answer.problems),
                    weak,
                    answer.passes,
                )
            )
        say_progress(f"{number} of {counted(len(found), 'task')} tried", redrawn=number < len(found))
    return taken


def _reasons(one: Taken) -> list[str]:
    return [*one.problems, *([f"it was taken back: {one.retracted}"] if one.retracted else [])]


def _tell(taken: list[Taken], made: dict[str, Any] | None, *, as_json: bool) -> None:
    exceptions = [one for one in taken if one.problems or one.retracted]
    ran = [one for one in taken if one.ran]
    passed, whole = (sum(each) for each in ((one.passes for one in ran), (not one.problems for one in ran)))
    weak = [one for one in taken if one.weak]
    if as_json:
        print_json(
            {
                "release": made,
                "tasks": len(taken),
                "passed": passed,
                "whole": whole,
                "cases": sum(one.cases for one in taken),
                "exceptions": [asdict(one) for one in exceptions],
                "weak": {one.foreign_id: list(one.weak) for one in weak},
            }
        )
        return
    if exceptions:
        rows = [
            (one.foreign_id, f"{one.cases}/{one.inputs}", one_line("; ".join(_reasons(one))),
             "left out" if one.retracted or not one.task_id else "kept")
            for one in exceptions
        ]  # fmt: skip
        print_table(("task", "cases", "why", ""), rows, right=("cases",))
    told = f"{passed} of {counted(len(ran), 'ground truth')} pass, {whole} with every input of the set"
    say(f"{told}; {counted(sum(one.cases for one in taken), 'case')}")
    if weak:
        say(f"{counted(len(weak), 'task')} cannot tell a known-wrong program from the ground truth; --json names them")
    if made is not None:
        print(f"{made['name']}: {counted(made['tasks'], 'task')}, digest {made['digest']}")
