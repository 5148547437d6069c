"""Everything that tests and languages need and that is fetched or built once a machine: `make tools`.

What is there already is left as it is; an interrupted download or build goes on where it stopped.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from touchstone_local import chromium, jars, models, promtool, resources, vscode, weaviate
from touchstone_local.download import Progress, human
from touchstone_local.errors import LocalError
from touchstone_local.settings import Folders, environment, folders

Tell = Callable[[str], None]
_A_LINE_EVERY_S = 10.0
_WORDS = 1500


@dataclass(frozen=True)
class Tool:
    """One thing to have.

    Attributes:
        name: What it is called on the command line.
        what: What it is, and how large or long.
        there: Whether it is here already; None where only getting it can tell, which is quick then.
        get: Has it; told to say how far it is.
        by_name: Had only where it is named.
    """

    name: str
    what: str
    there: Callable[[], bool] | None
    get: Callable[[Tell], object]
    by_name: bool = False


def catalogue(here: Folders) -> list[Tool]:
    """Every tool, in the order in which they are had: what is quick and what others need first."""
    return [
        *(_jars(group, what, here) for group, what in (("ecj", "Java compiler"), ("kafka", "Apache Kafka"))),
        *(
            _model(model, here) for model in models.catalogue().values()
            if model.kind == "chat" or model.default or model.later
        ),
        Tool(
            "conversion", "the embedding models, converted for this processor: half a minute", None,
            lambda tell: _service("embedder", "convert", here, tell),
        ),
        Tool(
            "chromium", f"Chromium, for tests of pages: {human(chromium.SIZE_BYTES)}",
            lambda: chromium.find(here.cache) is not None, lambda tell: chromium.ensure(here.cache, tell),
        ),
        Tool(
            "vscode", f"packages of the VS Code extension: {human(vscode.SIZE_BYTES)}",
            lambda: vscode.find(here.cache) is not None, lambda _tell: vscode.ensure(here.cache),
        ),
        Tool(
            "languages", "PHP, TypeScript's checker, Go's library, the Java harness: 45 MB, a minute or two", None,
            lambda tell: _service("sandbox_executor", "provision-languages", here, tell),
        ),
        Tool(
            "gvisor", "gVisor, built from source: some minutes", None,
            lambda tell: _service("sandbox_executor", "provision-gvisor", here, tell),
        ),
        Tool(
            "promtool", "Prometheus' tool for rules and queries, built from source: some minutes",
            lambda: promtool.find(here.cache) is not None, lambda tell: promtool.ensure(here.cache, tell),
        ),
        Tool(
            "resources", "definitions of custom resources that the chart's are checked by: 20 MB",
            lambda: resources.find(here.cache) is not None, lambda tell: resources.ensure(here.cache, tell),
        ),
        Tool(
            "weaviate", "Weaviate, built from source: five minutes and 5 GB of disk meanwhile",
            lambda: weaviate.find(here.cache) is not None, lambda tell: weaviate.ensure(here.cache, tell),
        ),
    ]  # fmt: skip


def _jars(group: str, what: str, here: Folders) -> Tool:
    size = human(sum(jar.size_bytes for jar in jars.locked(group)))
    return Tool(
        group, f"{what}: {size}", lambda: not jars.missing(group, here.cache),
        lambda tell: jars.ensure(group, cache=here.cache, report=_told(tell)),
    )  # fmt: skip


def _model(model: models.Model, here: Folders) -> Tool:
    return Tool(
        model.name, f"{model.kind} model: {human(model.download_bytes)}",
        lambda: models.present(model, here.models),
        lambda tell: models.ensure(model, here, report=_told(tell)),
        by_name=model.later or model.kind == "chat",
    )  # fmt: skip


def _told(tell: Tell) -> Callable[[Progress], None]:
    return lambda progress: tell(f"{human(progress.done_bytes)} of {human(progress.total_bytes)}")


def _service(module: str, command: str, here: Folders, tell: Tell) -> None:
    """Let a service have what is its own; services are no libraries, so it is asked as a process."""
    variables = {
        "TOUCHSTONE_STATE_DIR": str(here.state),
        "TOUCHSTONE_TOOLCHAINS_DIR": str(here.cache),
        "TOUCHSTONE_MODELS_DIR": str(here.models),
        "TOUCHSTONE_CONVERTED_MODELS_DIR": str(here.converted_models),
        "TOUCHSTONE_ECJ_JAR": str(jars.folder_of("ecj", here.cache) / jars.locked("ecj")[0].name),
    }
    words = ""
    with subprocess.Popen(
        [sys.executable, "-m", module, command],
        env=environment() | variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    ) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                words = (words + line)[-_WORDS:]
                tell(line.strip())
        except BaseException:
            process.terminate()
            raise
    if process.returncode != 0:
        raise LocalError(words.strip() or f"ended with code {process.returncode}")


def seldom(tell: Tell, every_s: float = _A_LINE_EVERY_S) -> Tell:
    """Tell the first of all words, and then some now and then: how many bytes of a file are here is soon past."""
    last = -every_s

    def told(words: str) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= every_s:
            last = now
            tell(words)

    return told


class _Lines:
    """Progress of one tool: redrawn on a terminal, a line every ten seconds elsewhere."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._terminal = sys.stderr.isatty()
        self._tell = seldom(self._write, 0.1 if self._terminal else _A_LINE_EVERY_S)

    def __call__(self, words: str) -> None:
        self._tell(words)

    def _write(self, words: str) -> None:
        line = f"  {self._name}: {words}"
        sys.stderr.write(f"\r\x1b[K{line[:150]}" if self._terminal else f"{line}\n")
        sys.stderr.flush()

    def close(self) -> None:
        """Leave the line to what comes next."""
        if self._terminal:
            sys.stderr.write("\r\x1b[K")


def have(tools: Sequence[Tool]) -> list[str]:
    """Have all of these; one that cannot be had does not keep the others from it.

    Returns:
        What went wrong, one text for each tool that is not there.
    """
    problems: list[str] = []
    for tool in tools:
        if tool.there is not None and tool.there():
            print(f"{tool.name}: here")
            continue
        lines = _Lines(tool.name)
        print(f"{tool.name}: {tool.what}", flush=True)
        began = time.monotonic()
        try:
            tool.get(lines)
        except (LocalError, OSError) as error:
            lines.close()
            problems.append(f"{tool.name}: {error}")
            print(problems[-1], file=sys.stderr, flush=True)
            continue
        lines.close()
        print(f"{tool.name}: here after {time.monotonic() - began:.0f} s", flush=True)
    return problems


def main(arguments: Sequence[str] | None = None) -> int:
    """Have the named tools, or all but those that are had by name only."""
    here = folders().create()
    known = {tool.name: tool for tool in catalogue(here)}
    named = ", ".join(name for name, tool in known.items() if tool.by_name)
    words = f"one of {', '.join(known)}; all but {named} when left out"
    parser = argparse.ArgumentParser(prog="python -m touchstone_local.tools", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=words)
    names: list[str] = parser.parse_args(arguments).names
    strange = [name for name in names if name not in known]
    if strange:
        parser.error(f"unknown: {', '.join(strange)}; known are {', '.join(known)}")
    try:
        problems = have([tool for name, tool in known.items() if (name in names if names else not tool.by_name)])
    except KeyboardInterrupt:
        print("Stopped; run the same command again to go on: what is done is kept.", file=sys.stderr)
        return 130
    if problems:
        print(f"\n{len(problems)} not there:", *problems, sep="\n  ", file=sys.stderr)
        print("Run the same command again when that is mended: what is done is kept.", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
