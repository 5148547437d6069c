"""Everything that is taken away, killed and thrown at the platform, one after the other: `make chaos`.

    python tests/chaos/run.py --seconds 20 --only kafka,doors --count 100

prints the JSON lines of each step, and how far it is on standard error. What was done for this commit, with the same
options and without a finding, is not done again: its lines are printed as they were, and an interrupted call goes on
where it stood. The exit code is 1 when something was found.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import malformed
import outages

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
RECORDS = ROOT / ".state" / "chaos"
Line = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """One script of this folder.

    Attributes:
        name: What `--only` calls it.
        script: Its file, without the ending.
        minutes: What it takes on two quiet cores, for the time that is left.
        options: For the script.
        parts: What it can be told to do only a part of, by `--only`; none where it cannot.
        part_of: The part that a line is about.
    """

    name: str
    script: str
    minutes: float
    options: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    part_of: Callable[[Line], str] = lambda _line: ""


def steps(seconds: float, count: int) -> list[Step]:
    """All steps, short ones first.

    Args:
        seconds: How long each dependency is away.
        count: Malformed requests to each RPC and events to each topic, and a tenth as many archives.
    """
    disturbances = [f"away:{name}" for name in outages.AWAY] + [f"killed:{name}" for name in outages.KILLED]
    paths = [f"/{method.containing_service.full_name}/{method.name}" for method in malformed.rpcs()]
    share = count / 10_000
    return [
        Step("doors", "doors", 2),
        Step("rolling", "rolling", 2),
        Step("endpoints", "endpoints", 8),
        Step("checkouts", "checkouts", 8),
        Step("quiet", "quiet", 7),
        Step("archives", "archives", 3 * share, ("--count", str(max(1, count // 10)))),
        Step(
            "requests",
            "hostile",
            1 + 15 * share,
            ("--requests", str(count), "--events", "0"),
            tuple(paths),
            lambda line: str(line.get("what", "")),
        ),
        Step("events", "hostile", 1 + 10 * share, ("--requests", "0", "--events", str(count))),
        Step(
            "outages",
            "outages",
            6 * (2 + seconds / 60),
            ("--seconds", f"{seconds:g}"),
            tuple(disturbances),
            lambda line: f"{line.get('chaos')}:{line.get('what')}",
        ),
    ]


def chosen(every: Sequence[Step], only: Sequence[str]) -> list[tuple[Step, tuple[str, ...]]]:
    """The steps, and what of each, that some names stand for: of steps, of parts, or the end of a part's name.

    Raises:
        ValueError: A name stands for nothing.
    """
    if not only:
        return [(step, step.parts) for step in every]
    found: list[tuple[Step, tuple[str, ...]]] = []
    known: set[str] = set()
    for step in every:
        if step.name in only:
            known.add(step.name)
            found.append((step, step.parts))
            continue
        named = {part: name for part in step.parts for name in only if _is_called(part, name)}
        known |= set(named.values())
        if named:
            found.append((step, tuple(part for part in step.parts if part in named)))
    if strange := [name for name in only if name not in known]:
        raise ValueError(f"nothing is called {', '.join(strange)}")
    return found


def _is_called(part: str, name: str) -> bool:
    return part == name or part.endswith((f":{name}", f"/{name}"))


class Record:
    """What was done for one state of the sources: the lines of each step, and whether it found nothing.

    Args:
        path: The file; a line of it for each line of a step, and one for its end.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: list[Line] = []
        if path.is_file():
            # The last line is cut short where the writer was killed.
            whole = path.read_text().rpartition("\n")[0]
            self._kept = [json.loads(line) for line in whole.splitlines()]
            path.write_text(f"{whole}\n" if whole else "")

    def lines(self, step: Step) -> list[Line]:
        """The lines of a step, done with the same options, that say of no finding; the newest of each part."""
        mine = [each["line"] for each in self._kept if _is_of(each, step) and "line" in each]
        good = [line for line in mine if not found_something(line)]
        return list({step.part_of(line): line for line in good}.values()) if step.parts else good

    def is_whole(self, step: Step) -> bool:
        """Whether a step without parts ended without a finding."""
        return any(_is_of(each, step) and each.get("ended") == 0 for each in self._kept)

    def add(self, step: Step, **what: Any) -> None:
        """Note a line or an end."""
        entry = {"step": step.name, "options": list(step.options), **what}
        self._kept.append(entry)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a") as file:
            file.write(json.dumps(entry) + "\n")


def _is_of(entry: Line, step: Step) -> bool:
    return entry["step"] == step.name and entry["options"] == list(step.options)


def found_something(line: Line) -> bool:
    """Whether a line tells of anything that should not be."""
    return bool(
        line.get("problem")
        or line.get("problems")
        or line.get("lost")
        or line.get("same") is False
        or (line.get("chaos") in ("away", "killed") and line.get("dead_letters"))
    )


def state_of_sources() -> str:
    """The commit, and where the work tree differs from it a digest of how."""
    commit = _git("rev-parse", "--short=12", "HEAD").decode().strip()
    different = _git("diff", "HEAD") + _git("ls-files", "--others", "--exclude-standard")
    return f"{commit}-{hashlib.sha256(different).hexdigest()[:8]}" if different else commit


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout


class Progress:
    """How far it is, on standard error.

    Args:
        left: What remains to be done, with how much of it: 1 is all.
    """

    def __init__(self, left: Sequence[tuple[Step, float]]) -> None:
        self._left = list(left)
        self._all = len(left)

    def begin(self, step: Step) -> None:
        """Tell that a step begins."""
        minutes = sum(each.minutes * share for each, share in self._left)
        number = self._all - len(self._left) + 1
        sys.stderr.write(f"[{number}/{self._all}] {step.name}; about {minutes:.0f} min are left of all\n")

    def tell(self, step: Step, line: Line, done: int, of: int) -> None:
        """Tell of a line."""
        which = f" {done}/{of}" if of else ""
        sys.stderr.write(
            f"    {step.name}{which} {line.get('what', '')}: {'FOUND' if found_something(line) else 'ok'}\n"
        )

    def end(self) -> None:
        """A step is done."""
        self._left.pop(0)


def do(step: Step, parts: Sequence[str], record: Record, progress: Progress) -> int:
    """Run a step, or some parts of it; gives its exit code."""
    command = [sys.executable, str(HERE / f"{step.script}.py"), *step.options]
    if step.parts:
        command += ["--only", ",".join(parts)]
    began, done = time.monotonic(), 0
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for text in process.stdout:
            line = json.loads(text)
            done += step.part_of(line) in parts
            record.add(step, line=line)
            sys.stdout.write(text)
            sys.stdout.flush()
            progress.tell(step, line, done, len(parts))
    code = process.returncode
    if step.parts and done < len(parts):
        # It ended early, whatever it says.
        code = code or 1
    record.add(step, ended=code, took_s=round(time.monotonic() - began, 1))
    return code


def main() -> int:
    """Do what is not done yet, and say what was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="how long each dependency is away")
    parser.add_argument("--count", type=int, default=10_000, help="malformed requests to an RPC, events to a topic")
    parser.add_argument("--only", default="", help="steps, or parts of them such as kafka or StartRun, by commas")
    parser.add_argument("--list", action="store_true", help="name the steps and their parts, and do nothing")
    given = parser.parse_args()
    every = steps(given.seconds, given.count)
    if given.list:
        for step in every:
            sys.stdout.write(f"{step.name}: {', '.join(step.parts) or 'whole'}\n")
        return 0
    try:
        wanted = chosen(every, [name for name in given.only.split(",") if name])
    except ValueError as error:
        parser.error(str(error))
    record = Record(RECORDS / f"{state_of_sources()}.jsonl")
    due: list[tuple[Step, tuple[str, ...]]] = []
    for step, parts in wanted:
        before = [line for line in record.lines(step) if not parts or step.part_of(line) in parts]
        held = {step.part_of(line) for line in before}
        missing = tuple(part for part in parts if part not in held)
        if missing or not (parts or record.is_whole(step)):
            due.append((step, missing))
        if parts or record.is_whole(step):
            for line in before:
                sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
    progress = Progress([(step, len(parts) / len(step.parts) if step.parts else 1.0) for step, parts in due])
    failed: list[str] = []
    for step, parts in due:
        progress.begin(step)
        if do(step, parts, record, progress):
            failed.append(step.name)
        progress.end()
    if failed:
        sys.stderr.write(f"something was found by: {', '.join(failed)}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
