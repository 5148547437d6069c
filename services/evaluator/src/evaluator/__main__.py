"""`python -m evaluator` serves; `python -m evaluator retrieval` scores retrievers."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from evaluator.settings import EvaluatorSettings
from touchstone_runtime.settings import settings_or_end


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m evaluator", description="Lets models solve tasks; keeps scores.")
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve until told to stop (the default)")
    scores = commands.add_parser("retrieval", help="score retrievers; prints one JSON array")
    scores.add_argument("--beir", type=Path, required=True, help="folder with corpus, queries and qrels")
    scores.add_argument("--split", default="test", help="which qrels")
    scores.add_argument("--run", type=Path, action="append", help="a run in TREC form; may be given several times")
    scores.add_argument("--baseline", type=Path, help="the run that gains are over")
    scores.add_argument("--judge", type=int, default=0, help="judge so many unjudged pairs of the first ten places")
    scores.add_argument("--language", default="python", help="of codes whose corpus names none")
    scores.add_argument("--annotator", default="", help="the annotator's address")
    options = parser.parse_args()
    settings = settings_or_end(EvaluatorSettings)
    # Each imports what it needs alone: the service's libraries take seconds to load.
    if options.command == "retrieval":
        from evaluator.offline import retrieval

        options.annotator = options.annotator or settings.annotator_address
        options.identity = settings.identity()
        sys.exit(asyncio.run(retrieval(options)))
    from evaluator.app import serve

    serve(settings)


if __name__ == "__main__":
    main()
