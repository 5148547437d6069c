"""`python -m touchstone_local.cluster up | images | install | rules | test | run … | down`: a real node in steps."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext, suppress
from typing import Any

from touchstone_local.cluster import building, installing, node, packages, program, runtimes, scaling, servers
from touchstone_local.cluster.layout import Layout
from touchstone_local.errors import LocalError
from touchstone_local.settings import checkout, folders


def main() -> int:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m touchstone_local.cluster", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, what in (
        ("up", "have the node's programs and start it"),
        ("servers", "have the programs of the demonstration's servers; two are built from their Go modules"),
        ("images", "have the platform's images and give them to the node"),
        ("scaling", "have KEDA on the node, by which the chart's services scale; built from its Go module"),
        ("install", "install or upgrade the chart with the demonstration's values"),
        ("test", "run the chart's tests and print what they tell"),
        ("rules", "check the alerts, and test each firing and silent"),
        ("all", "up, images, install, rules, test"),
    ):
        step = commands.add_parser(name, help=what)
        if name in ("install", "all"):
            step.add_argument(
                "--backend", choices=installing.BACKENDS, default="local",
                help="where foreign code runs: in the executor's own pod, or in runner pods",
            )  # fmt: skip
        if name in ("up", "all"):
            step.add_argument(
                "--runtime", choices=runtimes.CHOICES, default=runtimes.PACKAGED,
                help="runtimes: Debian's, or containerd 2 and gVisor, for pods whose users are nobody here or "
                "pods on a kernel of their own: some ten minutes the first time",
            )  # fmt: skip
        if name == "all":
            step.add_argument("--scaling", action="store_true", help="KEDA too: some twenty minutes the first time")
    ending = commands.add_parser("down", help="end the node and all that runs in it")
    ending.add_argument("--forget", action="store_true", help="remove its state too")
    inside = commands.add_parser("run", help="run a command in the node, for example kubectl get pods")
    inside.add_argument("words", nargs=argparse.REMAINDER)
    arguments = parser.parse_args()
    here = folders()
    layout = Layout(here.state / "cluster", here.cache)
    began = time.monotonic()

    def tell(words: str) -> None:
        print(json.dumps({"after_s": round(time.monotonic() - began, 1), "told": words}), flush=True)

    try:
        if arguments.command == "run":
            return subprocess.run(node.inside(layout, arguments.words), check=False).returncode
        if arguments.command == "down":
            (node.forget if arguments.forget else node.down)(layout)
            tell("the node is down")
            return 0
        given = vars(arguments)
        return _steps(arguments.command, layout, given, tell)
    except LocalError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped; run the same command again to go on: what is done is kept.", file=sys.stderr)
        return 130


@contextmanager
def _servers_ahead() -> Generator[None]:
    """Have the servers of the demonstration built behind what else is done, much of which waits for network and disk.

    Who needs them waits for that build. What it has compiled is kept where it is ended before its time.
    """
    command = ["nice", "-n", "10", sys.executable, "-m", "touchstone_local.cluster", "servers"]
    process = subprocess.Popen(command, start_new_session=True)
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()


def _steps(command: str, layout: Layout, given: dict[str, Any], tell: Callable[[str], None]) -> int:
    if command in ("up", "all"):
        packages.ensure(layout, tell)
        program.ensure(layout.cache, tell)
    ahead = command == "all" and not building.demo_archive(layout).is_file()
    with _servers_ahead() if ahead else nullcontext():
        return _on_node(command, layout, given, tell)


def _on_node(command: str, layout: Layout, given: dict[str, Any], tell: Callable[[str], None]) -> int:
    if command in ("up", "all"):
        node.up(layout, tell, given["runtime"])
    if command == "servers":
        servers.programs(layout, tell)
    if command in ("images", "all"):
        installing.give_images(layout, tell)
    if command == "scaling" or given.get("scaling"):
        scaling.install(layout, tell)
    if command in ("install", "all"):
        installing.have_models(tell)
        installing.install(layout, given["backend"], tell)
    if command in ("rules", "all"):
        _rules(layout, tell)
    if command in ("test", "all"):
        return installing.test(layout, tell)
    return 0


def _rules(layout: Layout, tell: Callable[[str], None]) -> None:
    """Let Prometheus' own program check the alerts, and run their tests: the one that comes with the node's server."""
    checker = str(packages.ensure_more(layout, ("prometheus",), tell) / "usr/bin/promtool")
    for words in (
        ("check", "rules", "helm/touchstone/files/alerts.yaml"),
        ("test", "rules", "tests/cluster/alerts.yaml"),
    ):
        done = subprocess.run([checker, *words], cwd=checkout(), capture_output=True, text=True, check=False)
        said = " ".join((done.stdout + done.stderr).split())
        if done.returncode != 0:
            raise LocalError(said[-1500:], thing=f"promtool {' '.join(words)}")
        tell(f"promtool: {said}")


if __name__ == "__main__":
    sys.exit(main())
