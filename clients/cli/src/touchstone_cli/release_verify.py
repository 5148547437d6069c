"""Follows the verification of a release, on the platform or of a folder on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from touchstone_cli.main_job import Stage
from touchstone_cli.offline import answers_of
from touchstone_cli.output import counted, duration, to_dict
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_cli.services import connect

LINE_EVERY_S = 15.0
Answer = Mapping[str, Any]


def of_release(name: str, languages: Sequence[str], timeout_s: float, *, full: bool = False) -> Iterator[Answer]:
    """What the platform says of a release, a task each.

    Raises:
        CliError: there is no such release, or no sandbox.
    """
    generator = connect("pbt-generator")
    request = generator.messages.VerifyReleaseRequest(name=name, languages=languages, full=full)
    for answer in generator.stream("VerifyRelease", request, timeout_s=timeout_s):
        yield to_dict(answer)


def of_folder(folder: Path, languages: Sequence[str], *, full: bool = False) -> Iterator[Answer]:
    """What the generator's offline command says of an exported folder, a task each.

    Raises:
        CliError: the folder holds no release, or the sandbox does not start.
    """
    with sandbox_address() as address:
        command = ["verify", str(folder), "--sandbox", address]
        for language in languages:
            command += ["--language", language]
        command += ["--full"] if full else []
        yield from answers_of("pbt_generator", *command, who="the generator")


@dataclass
class Verification:
    """What is verified so far.

    Attributes:
        release: Name or folder.
        clock: Seconds, for rates.
    """

    release: str
    clock: Callable[[], float] = time.monotonic
    done: int = 0
    total: int = 0
    trials: int = 0
    cpu_s: float = 0.0
    problems: list[str] = field(default_factory=list[str])
    strays: list[str] = field(default_factory=list[str])
    retractions: str = ""
    tasks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    _told: float = -1.0

    def __post_init__(self) -> None:
        self._stage = Stage("tasks verified")
        self._stage.update(0, 0, self.clock())
        self._told = self.clock()

    def take(self, answer: Answer) -> list[str]:
        """Take what is said of one task, or of the whole release; gives the lines that the user should see."""
        self.total = answer["total"] or self.total
        if not answer["task_id"]:
            self.problems += answer["problems"]
            # Only a folder has some, and only its check names them.
            self.strays += answer.get("strays", ())
            self.retractions = answer.get("retractions") or self.retractions
            return list(answer["problems"])
        self.done = answer["done"]
        self.trials += answer["trials"]
        self.cpu_s += answer["cpu_s"]
        self.tasks.append(
            {
                "task_id": answer["task_id"],
                "entry_point": answer["entry_point"],
                "verified": not answer["problems"],
                "problems": list(answer["problems"]),
                "trials": answer["trials"],
                "retracted": answer["retracted"] or None,
            }
        )
        lines = []
        if answer["problems"]:
            lines.append(f"{answer['task_id']} {answer['entry_point']}: {'; '.join(answer['problems'])}")
        return lines + self._progress()

    def _progress(self) -> list[str]:
        now = self.clock()
        self._stage.update(self.done, self.total, now, finished=self.done == self.total)
        if now - self._told < LINE_EVERY_S or self.done == self.total:
            return []
        self._told = now
        left = self._stage.seconds_left
        return [
            f"{self.done} of {counted(self.total, 'task')} verified, {self._stage.rate * 60:.0f} a minute"
            f"{f', about {duration(left)} left' if left else ''}"
        ]

    @property
    def failed(self) -> int:
        """How many tasks are not as the manifest says."""
        return sum(not task["verified"] for task in self.tasks)

    @property
    def verified(self) -> bool:
        """Whether everything is as the manifest says."""
        return not self.problems and not self.failed and self.done == self.total

    def words(self) -> str:
        """The result in one line."""
        retracted = sum(task["retracted"] is not None for task in self.tasks)
        more = f"; {retracted} retracted since" if retracted else ""
        if self.retractions:
            # Whoever has a folder can write there what was taken back.
            more = f"; {retracted} retracted by this folder, not proved here: retractions {self.retractions}"
        good = self.done - self.failed
        work = f"{counted(self.trials, 'program')} replayed, {self.cpu_s:.1f} CPU-seconds{more}"
        if self.verified:
            return f"{self.release}: verified, {good} of {counted(self.total, 'task')}, {work}"
        others = f", {counted(len(self.problems), 'more problem')}" if self.problems else ""
        tasks = counted(self.total, "task is", "tasks are")
        return f"{self.release}: NOT verified, {good} of {tasks} as the manifest says{others}, {work}"

    def to_dict(self) -> dict[str, Any]:
        """The result as data."""
        return {
            "release": self.release,
            "verified": self.verified,
            "tasks": self.total,
            "failed": self.failed,
            "trials": self.trials,
            "cpu_s": round(self.cpu_s, 3),
            "problems": self.problems,
            "strays": self.strays,
            "retractions": self.retractions or None,
            "results": self.tasks,
        }
