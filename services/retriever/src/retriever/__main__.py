"""`python -m retriever` serves; `python -m retriever queries` prints the shipped queries as JSON."""

import argparse
import json

from retriever.adapters.shipped import shipped_queries
from retriever.app import serve


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m retriever", description=__doc__)
    parser.add_argument("command", nargs="?", choices=["serve", "queries"], default="serve")
    if parser.parse_args().command == "queries":
        print(json.dumps([{"text": text, "origin": origin} for text, origin in shipped_queries()], indent=2))
    else:
        serve()


if __name__ == "__main__":
    main()
