"""`python -m evaluator` serves."""

from __future__ import annotations

import argparse

from evaluator.app import serve
from evaluator.settings import EvaluatorSettings


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m evaluator", description="Lets models solve tasks; keeps scores.")
    parser.add_subparsers(dest="command").add_parser("serve", help="serve until told to stop (the default)")
    parser.parse_args()
    serve(EvaluatorSettings())  # pyright: ignore[reportCallIssue]  every field has a default


if __name__ == "__main__":
    main()
