"""Two checkouts whose platforms run beside one another: `up`, `up` after a change, `down` from another folder.

    python tests/chaos/checkouts.py

clones this commit twice, calls the command line as a person would, and prints one JSON line for each call: what it did
to either platform. The exit code is 1 when a call did what nobody would expect.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
import platforms
import psutil

from touchstone.ingester.v1 import ingester_pb2, ingester_pb2_grpc
from touchstone_runtime.dialling import Identity, dial_blocking

ROOT = platforms.ROOT
CALL_TIMEOUT_S = 900.0
# What would make one platform of both.
OF_ONE_PLATFORM = ("TOUCHSTONE_STATE", "TOUCHSTONE_TOKEN", "TOUCHSTONE_TOKEN_FILE", "TOUCHSTONE_PORT_BASE")
SETTING = "TOUCHSTONE_EVALUATOR_WORKERS"


@dataclass
class Checkout:
    """A clone of this commit; its commands run with this one's packages and its own sources.

    Args:
        folder: Where it lies.
        settings: What its commands are told by the environment.
    """

    folder: Path
    settings: dict[str, str]
    said: str = field(default="", init=False)

    @classmethod
    def clone(cls, folder: Path, settings: Mapping[str, str]) -> Checkout:
        """Clone this commit."""
        subprocess.run(["git", "clone", "--quiet", "--shared", str(ROOT), str(folder)], check=True)
        return cls(folder, dict(settings))

    @property
    def state(self) -> Path:
        """Where its platform lies."""
        return self.folder / ".state"

    def call(self, *words: str, where: Path | None = None) -> int:
        """`touchstone WORDS` of this checkout, called in a folder (its own by default); gives the exit code."""
        sources = [str(path) for path in [*sorted(self.folder.glob("*/*/src")), self.folder / "local" / "src"]]
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TOUCHSTONE_")}
        environment |= {"PYTHONPATH": os.pathsep.join(sources), **self.settings}
        done = subprocess.run(
            [sys.executable, "-m", "touchstone_cli.main", *words],
            cwd=where or self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=CALL_TIMEOUT_S,
            check=False,
        )
        self.said = done.stdout + done.stderr
        return done.returncode

    def processes(self) -> dict[str, int]:
        """Process ids of its platform's parts that run."""
        if self.call("status", "--json") not in (0, 1):
            raise AssertionError(self.said)
        rows = json.loads(self.said[self.said.index("[") :])
        return {row["name"]: row["pid"] for row in rows if row["pid"] and _living([row["pid"]])}

    def addresses(self) -> set[str]:
        """Where its services listen."""
        content = json.loads((self.state / "platform.json").read_text())
        return {address for where in content["services"].values() for address in (where["grpc"], where["http"])}

    def asked(self, token: Path) -> str:
        """The code by which its ingester answers whoever shows a token."""
        address = json.loads((self.state / "platform.json").read_text())["services"]["ingester"]["grpc"]
        with dial_blocking(address, Identity(token_file=token)) as channel:
            try:
                stub = ingester_pb2_grpc.IngesterServiceStub(channel)
                stub.ListSources(ingester_pb2.ListSourcesRequest(), timeout=120, wait_for_ready=True)
            except grpc.RpcError as error:
                return error.code().name if isinstance(error, grpc.Call) else str(error)
        return "OK"


@dataclass
class Story:
    """What is called, one call after the other, and what each did.

    Args:
        first: The checkout whose platform runs before the other's.
        second: The other.
        tell: Gets a line for each call.
    """

    first: Checkout
    second: Checkout
    tell: Callable[[dict[str, Any]], None]

    def run(self) -> None:
        """Call everything; a later call stands on what the ones before it did."""
        self._step("up", self._up)
        self._step("up in a second checkout", self._second)
        self._step("up where nothing changed", self._again)
        self._step("up with another setting", self._setting)
        self._step("up after an update", self._update)
        self._step("down from the other's folder", self._down)
        self._step("down", self._last)

    def _step(self, what: str, work: Callable[[], None]) -> None:
        began, problem = time.monotonic(), ""
        try:
            work()
        except (AssertionError, OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            problem = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
            sys.stderr.write(f"{error}\n{self.first.said}\n{self.second.said}\n")
        took = round(time.monotonic() - began, 1)
        self.tell({"chaos": "checkouts", "what": what, "took_s": took, "problem": problem})

    def _up(self) -> None:
        _expect(self.first.call("up") == 0, "up failed")
        _expect(len(self.first.processes()) >= 9, "not every process runs")

    def _second(self) -> None:
        before = self.first.processes()
        _expect(self.second.call("up") == 0, "up failed")
        _expect(self.first.processes() == before, "the first platform's processes changed")
        _expect(len(self.second.processes()) >= 9, "not every process runs")
        _expect(not self.first.addresses() & self.second.addresses(), "both listen at one address")
        both = (self.first, self.second)
        answers = [[one.asked(other.state / "token") for other in both] for one in both]
        _expect(answers == [["OK", "UNAUTHENTICATED"], ["UNAUTHENTICATED", "OK"]], f"tokens open {answers}")

    def _again(self) -> None:
        before = self.first.processes(), self.second.processes()
        _expect(self.first.call("up") == 0, "up failed")
        _expect("Changed" not in self.first.said, "a change is told of")
        _expect((self.first.processes(), self.second.processes()) == before, "processes changed")

    def _setting(self) -> None:
        self.first.settings[SETTING] = "3"
        self._anew(f"Changed since the platform was started: {SETTING}.")
        environment = psutil.Process(self.first.processes()["evaluator"]).environ()
        _expect(environment.get(SETTING) == "3", "the evaluator was not told of the setting")

    def _update(self) -> None:
        source = self.first.folder / "services" / "evaluator" / "src" / "evaluator" / "__main__.py"
        source.write_text(f"{source.read_text()}# Of an update.\n")
        self._anew("Changed since the platform was started: the code.")

    def _anew(self, words: str) -> None:
        old, other = self.first.processes(), self.second.processes()
        _expect(self.first.call("up") == 0, "up failed")
        _expect(words in " ".join(self.first.said.split()), f"{words!r} is not said")
        new = self.first.processes()
        _expect(new.keys() == old.keys(), f"other processes run: {sorted(new.keys() ^ old.keys())}")
        _expect(not set(new.values()) & set(old.values()), "old processes stay")
        _expect(not _living(old.values()), "old processes live on")
        _expect(self.second.processes() == other, "the other platform's processes changed")

    def _down(self) -> None:
        before = self.first.processes()
        old = self.second.processes()
        _expect(self.second.call("down", where=self.first.folder) == 0, "down failed")
        _expect(str(self.second.state) in self.second.said.replace("\n", ""), "it is not said which platform stops")
        _expect(not _living(old.values()), "processes of the second live on")
        _expect(self.first.processes() == before, "the first platform's processes changed")
        _expect(self.first.asked(self.first.state / "token") == "OK", "the first platform does not answer")

    def _last(self) -> None:
        old = self.first.processes()
        _expect(self.first.call("down") == 0, "down failed")
        _expect(not _living(old.values()), "processes live on")
        _expect(not self.first.processes(), "processes run")
        _expect(self.first.call("down") == 0 and "Nothing runs" in self.first.said, "it is not said that nothing runs")


def _living(pids: Iterable[int]) -> list[int]:
    """Those that run; what has ended and was not collected yet by who inherited it does not."""
    found: list[int] = []
    for pid in pids:
        with contextlib.suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
    return found


def _expect(holds: bool, words: str) -> None:
    if not holds:
        raise AssertionError(words)


def main() -> int:
    """Tell the story."""
    lines: list[dict[str, Any]] = []

    def tell(line: dict[str, Any]) -> None:
        lines.append(line)
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    with tempfile.TemporaryDirectory(prefix="checkouts-", ignore_cleanup_errors=True) as made:
        chaos = platforms.Platforms(Path(made))
        chaos.start_model()
        settings = {
            name: value
            for name, value in chaos.environment().items()
            if name.startswith("TOUCHSTONE_") and name not in OF_ONE_PLATFORM
        }
        story = Story(*(Checkout.clone(Path(made) / name, settings) for name in ("first", "second")), tell)
        try:
            story.run()
        finally:
            for checkout in (story.first, story.second):
                checkout.call("down")
            chaos.stop_model()
    return 1 if any(line["problem"] for line in lines) else 0


if __name__ == "__main__":
    raise SystemExit(main())
