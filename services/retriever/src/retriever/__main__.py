"""`python -m retriever` serves; `queries` prints the shipped queries, `rank` and `fit` work on a query set, as JSON."""

import argparse
import asyncio
import json
import sys
from pathlib import Path

from retriever.adapters.shipped import shipped_queries
from retriever.settings import RetrieverSettings
from touchstone_runtime.settings import settings_or_end


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m retriever", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve until told to stop (the default)")
    commands.add_parser("queries", help="print the shipped queries")
    rank = commands.add_parser("rank", help="write the runs of retrievers on a query set")
    rank.add_argument("--retriever", action="append", required=True, help="its name; may be given several times")
    fit = commands.add_parser("fit", help="fit the weights of the ranking, and write runs that show whether they hold")
    for one in (rank, fit):
        one.add_argument("--beir", type=Path, required=True, help="folder with corpus, queries and qrels")
        one.add_argument("--split", default="test", help="which qrels")
        one.add_argument("--out", type=Path, required=True, help="folder for the runs")
    options = parser.parse_args()
    if options.command == "queries":
        print(json.dumps([{"text": text, "origin": origin} for text, origin in shipped_queries()], indent=2))
        return
    # Each imports what it needs alone: the service's libraries take seconds to load.
    if options.command in ("rank", "fit"):
        from retriever.offline import command

        sys.exit(asyncio.run(command(options, settings_or_end(RetrieverSettings))))
    from retriever.app import serve

    serve()


if __name__ == "__main__":
    main()
