"""`python -m pbt_generator` serves; its subcommands `try` and `verify` need no broker."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path


def main() -> int:
    """Parse the command line; exit code 0 when the command did its work, refusals included."""
    parser = argparse.ArgumentParser(prog="python -m pbt_generator", description=__doc__)
    commands = parser.add_subparsers(dest="command")
    commands.add_parser("serve", help="serve until told to stop (the default)")
    trial = commands.add_parser("try", help="read one FunctionExtracted on standard input, print one JSON object")
    trial.add_argument("--sandbox", required=True, help="address of a sandbox-executor: host:port or unix:PATH")
    trial.add_argument("--no-llm", action="store_true", help="decide by heuristics even where a model is configured")
    trial.add_argument("--out", type=Path, help="folder to write the task to")
    verify = commands.add_parser("verify", help="verify an exported release, print one JSON object a task")
    verify.add_argument("folder", type=Path, help="what `touchstone release export` wrote")
    verify.add_argument("--sandbox", required=True, help="address of a sandbox-executor: host:port or unix:PATH")
    verify.add_argument("--language", action="append", default=[], help="replay in this one only; may be repeated")
    verify.add_argument("--full", action="store_true", help="measure coverage, mutants and misreadings again as well")
    arguments = parser.parse_args()
    if arguments.command == "try":
        # The service's wiring takes long to import and is not needed here.
        from pbt_generator.offline import try_function

        return asyncio.run(
            try_function(sys.stdin.read(), arguments.sandbox, arguments.out, use_model=not arguments.no_llm)
        )
    if arguments.command == "verify":
        from pbt_generator.offline_verify import verify_folder

        return asyncio.run(verify_folder(arguments.folder, arguments.sandbox, arguments.language, full=arguments.full))
    from pbt_generator.app import main as serve

    serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
