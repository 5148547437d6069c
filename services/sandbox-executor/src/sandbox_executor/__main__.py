"""`python -m sandbox_executor` serves; `serve --listen unix:PATH --no-broker` does so without Kafka and PostgreSQL."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path

from sandbox_executor.adapters.pods.channel import PORT
from sandbox_executor.settings import SandboxSettings
from touchstone_runtime.errors import TouchstoneError
from touchstone_runtime.settings import settings_or_end
from touchstone_runtime.telemetry import configure


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m sandbox_executor", description="Runs foreign code isolated.")
    commands = parser.add_subparsers(dest="command")
    server = commands.add_parser("serve", help="serve until told to stop (the default)")
    server.add_argument("--listen", default="", help="host:port or unix:PATH for gRPC")
    server.add_argument("--no-broker", action="store_true", help="gRPC only, without Kafka and PostgreSQL")
    running = commands.add_parser("runner", help="run one job for an executor that connects, and end")
    running.add_argument("--listen", default=f"0.0.0.0:{PORT}", help="host:port")
    commands.add_parser("provision-gvisor", help="build gVisor's runsc from source and print its path")
    commands.add_parser("provision-languages", help="fetch and build what the languages need")
    adding = commands.add_parser("add-dataset", help="store a file for jobs to name, and print its digest")
    adding.add_argument("file", type=Path)
    arguments = parser.parse_args()
    settings = settings_or_end(SandboxSettings)
    if arguments.command == "runner":
        from sandbox_executor.runner_app import LINGER_S, run_job

        configure("sandbox-runner", settings.log_level)
        host, _, port = arguments.listen.rpartition(":")
        return _told(lambda _: run_job(settings, host, int(port), LINGER_S))
    # What a runner has no use for takes longer to load than a job in it.
    from sandbox_executor.app import add_dataset, provision_gvisor, provision_languages, serve, serve_alone

    if arguments.command == "provision-gvisor":
        return _told(lambda tell: print(provision_gvisor(settings, tell)))
    if arguments.command == "add-dataset":
        return _told(lambda _: print(asyncio.run(add_dataset(settings, arguments.file))))
    if arguments.command == "provision-languages":
        return _told(lambda tell: provision_languages(settings, tell))
    if not getattr(arguments, "no_broker", False):
        if getattr(arguments, "listen", ""):
            settings = settings.model_copy(update={"grpc_listen": arguments.listen})
        serve(settings)
        return 0
    configure("sandbox-executor", settings.log_level)
    try:
        asyncio.run(serve_alone(settings, arguments.listen or settings.grpc_listen))
    except TouchstoneError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _told(provision: Callable[[Callable[[str], None]], None]) -> int:
    try:
        provision(lambda words: print(words, file=sys.stderr, flush=True))
    except TouchstoneError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
