"""`python -m annotator` serves; `python -m annotator export` writes the labels as training data."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from sqlalchemy.exc import SQLAlchemyError

from annotator.app import export, serve
from annotator.offline_verify import verify_folder
from annotator.settings import AnnotatorSettings
from touchstone_runtime.errors import words_of
from touchstone_runtime.settings import settings_or_end


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m annotator", description="Labels pairs of query and code.")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve until told to stop (the default)")
    verifier = commands.add_parser("verify", help="verify the folder of an exported release; prints JSON lines")
    verifier.add_argument("folder", type=Path)
    writer = commands.add_parser("export", help="write labels as training data: JSON lines of query, code, label")
    writer.add_argument("--out", type=Path, default=None, help="file to write; standard output when left out")
    arguments = parser.parse_args()
    settings = settings_or_end(AnnotatorSettings)
    if arguments.command == "verify":
        return asyncio.run(verify_folder(arguments.folder))
    if arguments.command != "export":
        serve(settings)
        return 0
    try:
        count = asyncio.run(export(settings, arguments.out))
    except (SQLAlchemyError, OSError) as error:
        why = words_of(error) or type(error).__name__
        print(f"cannot export: {why} (is the database up? see TOUCHSTONE_DATABASE_URL)", file=sys.stderr)
        return 1
    print(f"{count} labelled pairs", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
