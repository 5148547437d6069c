"""A long bench, task by task: each has its line when it is done, and a run that is cut short keeps what it has.

A line names the bench, the builder and the files of its task, so that another run may take it over (`--resume`).
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import signal
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from corpora import Bench, CorpusTask, tasks_in

from pbt_generator.offline import advisor_named
from pbt_generator.usecases.candidates import BUILDER
from touchstone_cli.estimating import Rest
from touchstone_cli.output import duration

Line = dict[str, Any]


def add_resume(parser: argparse.ArgumentParser) -> None:
    """The option of every bench that goes task by task."""
    told = "take over the lines of an earlier output: of the same bench and builder, for tasks whose files are the same"
    parser.add_argument("--resume", type=Path, metavar="OUTPUT", help=told)


def add_platform(parser: argparse.ArgumentParser) -> None:
    """What a platform may have, and a bench has not unless it is asked for: a model, and tests of packages."""
    parser.add_argument("--model", default="", metavar="NAME@URL", help="a model that helps to build and word tasks")
    parser.add_argument(
        "--tests", type=float, default=0.0, help="seconds for the tests of each package; 0: none is run"
    )


@dataclass
class Piecewise:
    """Goes through the tasks of a folder, and prints JSON lines on stdout and progress on stderr.

    Args:
        bench: Its name.
        folder: The corpus.
        summed: The lines of the end, from those of the tasks that are done.
        earlier: The output of an earlier run, whose tasks are not measured again.
        model: A catalogue name or `name@base_url` of the model that helps to build suites; empty asks nobody.
        tests_s: Seconds for which the tests of a task's package are run, to see what callers send; 0 runs none.
    """

    bench: str
    folder: Path
    summed: Callable[[list[Line]], list[Line]]
    earlier: Path | None = None
    model: str = ""
    tests_s: float = 0.0
    lines: dict[str, Line] = field(default_factory=dict, init=False)
    stopped: signal.Signals | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self._heads = {path.parent.name: self._head(path.parent) for path in sorted(self.folder.glob("*/task.json"))}

    async def run(self, address: str, measured: Callable[[Bench, CorpusTask], Awaitable[Line]]) -> int:
        """Measure every task; what is done is summed up also when a signal or an error ends the run.

        Args:
            address: Where the sandbox listens.
            measured: Gives what a task's line holds.

        Returns:
            The exit status: that of the signal which ended the run, or 0.
        """
        self._take_over()
        loop, own = asyncio.get_running_loop(), asyncio.current_task()
        assert own is not None
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, number, own)
        try:
            await self._measure(address, measured)
        except (asyncio.CancelledError, Exception):
            # An interrupt of a terminal reaches the sandbox, too, so that a call may fail before it is cancelled.
            if self.stopped is None:
                raise
        finally:
            self._sum_up()
        return 128 + self.stopped if self.stopped else 0

    async def _measure(self, address: str, measured: Callable[[Bench, CorpusTask], Awaitable[Line]]) -> None:
        rest = Rest()
        rest.note(time.monotonic(), len(self.lines), len(self._heads) - len(self.lines))
        async with Bench(address, advisor=advisor_named(self.model)) as bench:
            for task in tasks_in(self.folder, frozenset(self.lines)):
                before = bench.cpu_s
                known = await bench.with_callers(task, self.tests_s) if self.tests_s else task
                line = self._heads[task.name] | await measured(bench, known)
                self._done(task.name, line | {"cpu_s": round(bench.cpu_s - before, 1)})
                done = len(self.lines)
                rest.note(time.monotonic(), done, len(self._heads) - done)
                left = f", about {duration(rest.seconds)} left" if rest.seconds else ""
                print(f"{done} of {len(self._heads)}{left}: {task.name}", file=sys.stderr, flush=True)

    def _done(self, name: str, line: Line) -> None:
        self.lines[name] = line
        print(json.dumps(line), flush=True)

    def _stop(self, number: signal.Signals, own: asyncio.Task[Any]) -> None:
        self.stopped = number
        own.cancel()

    def _sum_up(self) -> None:
        done, total = len(self.lines), len(self._heads)
        partial = {"partial": f"{done} of {total} tasks"} if done < total else {}
        for line in self.summed(list(self.lines.values())):
            print(json.dumps({"bench": self.bench, "builder": BUILDER} | partial | line), flush=True)

    def _take_over(self) -> None:
        if self.earlier is None:
            return
        for text in self.earlier.read_text().splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                # A run that was killed leaves half a line.
                continue
            head = self._heads.get(line.get("task", "")) if isinstance(line, dict) else None
            if head is not None and head.items() <= line.items() and line["task"] not in self.lines:
                self._done(line["task"], line)
        print(f"{len(self.lines)} of {len(self._heads)} taken over from {self.earlier}", file=sys.stderr, flush=True)

    def _head(self, folder: Path) -> Line:
        files = hashlib.sha256()
        for path in sorted(path for path in folder.iterdir() if path.is_file()):
            files.update(f"{path.name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\0".encode())
        return {
            "bench": self.bench, "builder": BUILDER, **({"model": self.model} if self.model else {}),
            **({"tests_s": self.tests_s} if self.tests_s else {}),
            "task": folder.name, "files": files.hexdigest()[:16],
        }  # fmt: skip
