"""`python -m embedder` serves; `convert` converts the models for this processor and ends."""

from __future__ import annotations

import argparse
import sys

from embedder.app import convert, serve
from embedder.settings import EmbedderSettings
from touchstone_runtime.errors import TouchstoneError


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m embedder", description="Turns functions and queries to vectors.")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve until told to stop (the default)")
    commands.add_parser("convert", help="convert the models for this processor, once a machine")
    settings = EmbedderSettings()  # pyright: ignore[reportCallIssue]  every field has a default
    if parser.parse_args().command != "convert":
        serve(settings)
        return 0
    try:
        convert(settings, lambda words: print(words, file=sys.stderr, flush=True))
    except TouchstoneError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
