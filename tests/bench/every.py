"""Runs the benches one after the other, whatever comes of each, and says at the end which failed: `make bench`.

    python tests/bench/every.py [NAME ...] [--list]

What benches print goes to standard output, as JSON lines; how far it is goes to standard error. Without names those of
`BENCHES`; any other file of this folder that is a bench can be named. `--list` says what each measures and needs.
"""

from __future__ import annotations

import argparse
import ast
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Bench:
    """How a bench is run among others.

    Attributes:
        needs: What it needs beside what `make tools` brings.
        arguments: Its own; whoever runs it by itself gives others.
    """

    needs: str
    arguments: tuple[str, ...] = ()


BENCHES: dict[str, Bench] = {
    "bus": Bench("Kafka, which it starts itself"),
    "ingester_speed": Bench("nothing else"),
    "ingester_memory": Bench("nothing else"),
    "tasks": Bench("the sandbox"),
    "suites": Bench("the sandbox and the package index"),
    "sandbox": Bench("the sandbox, and an idle machine for its bars"),
    "languages": Bench("the sandbox"),
    # A million, as it does by itself, take hours.
    "fuzz_frames": Bench("nothing else", ("--frames", "20000")),
    # 200,000 codes, as it does by itself, take most of an hour to be taken in.
    "search": Bench("PostgreSQL and Weaviate, which it starts itself", ("--codes", "20000")),
    "embedding": Bench("nothing else"),
    "board": Bench("PostgreSQL, which it starts itself"),
    "board_statistics": Bench("nothing else"),
    "board_replays": Bench("PostgreSQL, which it starts itself"),
    "neutral_dress": Bench("nothing else"),
    "annotation_many": Bench("PostgreSQL, which it starts itself", ("--rounds", "100")),
}


def measures(name: str) -> str:
    """What a bench measures: the first line of its description.

    Raises:
        FileNotFoundError: There is no such bench.
    """
    described = ast.get_docstring(ast.parse((HERE / f"{name}.py").read_text("utf-8")))
    return (described or name).splitlines()[0]


def run_each(
    names: Sequence[str], commands: Mapping[str, Sequence[str]], say: Callable[[str], None] = lambda _: None
) -> list[str]:
    """Run benches and go on after whatever fails.

    Args:
        names: In this order.
        commands: What is run for each.
        say: Takes a line on how far it is.

    Returns:
        Those that failed, each with its exit code.

    Raises:
        KeyboardInterrupt: Somebody pressed Ctrl-C; what was not run is not run.
    """
    failed: list[str] = []
    for number, name in enumerate(names, 1):
        say(f"[{number} of {len(names)}] {name}: {measures(name)}")
        began = time.monotonic()
        code = subprocess.run(commands[name], check=False).returncode
        how = "done" if code == 0 else f"FAILED with exit code {code}"
        say(f"[{number} of {len(names)}] {name}: {how} after {time.monotonic() - began:.0f} s")
        if code != 0:
            failed.append(f"{name} ({code})")
    return failed


def main() -> int:
    """Run the benches; 1 when one failed, 130 when it was stopped."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="benches; those of `BENCHES` when left out")
    parser.add_argument("--list", action="store_true", help="say what each measures and needs, and run none")
    arguments = parser.parse_args()
    names = arguments.names or list(BENCHES)
    strange = [name for name in names if not (HERE / f"{name}.py").is_file()]
    if strange:
        parser.error(f"no such bench: {', '.join(strange)}; there are {', '.join(BENCHES)}")
    if arguments.list:
        for name in names:
            print(
                f"{name}: {measures(name)} Needs "
                f"{BENCHES[name].needs if name in BENCHES else 'what its description says'}."
            )
        return 0
    commands = {
        name: [sys.executable, str(HERE / f"{name}.py"), *(BENCHES[name].arguments if name in BENCHES else ())]
        for name in names
    }
    try:
        failed = run_each(names, commands, lambda line: print(line, file=sys.stderr, flush=True))
    except KeyboardInterrupt:
        print("stopped; name the benches that are left: python tests/bench/every.py NAME ...", file=sys.stderr)
        return 130
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
