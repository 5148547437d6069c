"""`python -m ingester` serves; `classify PATH` and `extract FILE::QUALNAME` need no service."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ingester.errors import NothingParsesError
from touchstone_runtime.errors import TouchstoneError

# Exit code where all of a path was read and none of it parses: known, where any other fault leaves it open.
NOTHING_PARSES = 3


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m ingester", description="Takes recent code in; without a command it serves."
    )
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve until told to stop (the default)")
    classifier = commands.add_parser("classify", help="class, reason and complexity of each function of a path")
    classifier.add_argument("path", type=Path, help="Python file, folder, or archive")
    classifier.add_argument("--top", type=Path, help="folder from which the places of files are told, a folder above")
    classifier.add_argument("--json", action="store_true", help="print one JSON array")
    extractor = commands.add_parser("extract", help="one function as an event, JSON on standard output")
    extractor.add_argument("target", metavar="FILE::QUALNAME[@LINE]")
    arguments = parser.parse_args()
    if arguments.command in (None, "serve"):
        from ingester.app import main as serve

        serve()
        return 0
    try:
        return _offline(arguments)
    except NothingParsesError as error:
        print(error, file=sys.stderr)
        return NOTHING_PARSES
    except TouchstoneError as error:
        print(error, file=sys.stderr)
        return 1
    except BrokenPipeError:
        return 0


def _offline(arguments: argparse.Namespace) -> int:
    from ingester.offline import classify, extract

    if arguments.command == "extract":
        print(extract(arguments.target))
        return 0
    rows = classify(arguments.path, arguments.top)
    if arguments.json:
        # One array, written as it is found: memory stays flat over a large archive.
        separator = "["
        for row in rows:
            sys.stdout.write(separator + json.dumps(row, ensure_ascii=True))
            separator = ",\n"
        sys.stdout.write("[]\n" if separator == "[" else "]\n")
        return 0
    for row in rows:
        place = f"{row['path']}:{row['line_start']}"
        print(f"{row['class']:9}  {row['complexity']:>3}  {place} {row['qualname']}: {row['reason']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
