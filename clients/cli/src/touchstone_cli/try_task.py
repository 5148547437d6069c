"""`touchstone try`: one function, from source to certified suite, without a running platform."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import print_json, print_table, say
from touchstone_cli.release_files import demand_room
from touchstone_cli.sandbox_server import sandbox_address
from touchstone_cli.settings import offline_environment
from touchstone_runtime.shares import percent


def try_task(
    function: Annotated[
        str, typer.Argument(metavar="FILE::FUNCTION", help="A function of a Python file; @LINE: that definition.")
    ],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    no_llm: Annotated[bool, typer.Option("--no-llm", help="Decide by heuristics alone.")] = False,
    out: Annotated[Path | None, typer.Option(help="Write the task with its frozen cases to this folder.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")] = False,
) -> None:
    """Build the task of one function: its class, suite and certificate, or why there is none (exit code 1).

    The function runs in a sandbox only; no broker is needed.

    Example: touchstone try src/words.py::shorten --json
    """
    file, separator, name = function.partition("::")
    if not separator or not name:
        raise CliError(f"{function}: name a function as FILE::FUNCTION", exit_code=2)
    if not Path(file).is_file():
        raise CliError(f"{file}: no such file")
    if out is not None:
        demand_room(out, force=force)
    extracted = extract(function)
    with sandbox_address() as address:
        answer = build(extracted, address, no_llm=no_llm, out=out)
    if as_json:
        print_json(answer)
    else:
        _show(answer, name, out)
    if not answer["released"]:
        why = f": {answer['detail']}" if answer["detail"] else ""
        raise CliError(f"{name}: no task, {answer['reason']}{why}")


def extract(function: str) -> bytes:
    """A function of a file, `FILE::FUNCTION` or `FILE::FUNCTION@LINE`, as the generator takes it.

    Raises:
        CliError: the file holds no such function, or several.
    """
    return _run([sys.executable, "-m", "ingester", "extract", function], b"", "the ingester")


def build(extracted: bytes, sandbox: str, *, no_llm: bool, out: Path | None = None) -> dict[str, Any]:
    """What becomes of an extracted function: `released`, `reason`, `detail`, and the evidence.

    Args:
        extracted: As `extract` gives it.
        sandbox: Address of the sandbox-executor.
        no_llm: Decide by heuristics alone.
        out: Folder to write the task to.

    Raises:
        CliError: the generator fails.
    """
    command = [sys.executable, "-m", "pbt_generator", "try", "--sandbox", sandbox]
    command += ["--no-llm"] if no_llm else []
    command += ["--out", str(out)] if out is not None else []
    return json.loads(_run(command, extracted, "the generator"))


def _run(command: list[str], standard_input: bytes, who: str) -> bytes:
    done = subprocess.run(command, input=standard_input, capture_output=True, env=offline_environment(), check=False)
    if done.returncode != 0:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CliError(lines[-1] if lines else f"{who} ended with exit code {done.returncode}")
    return done.stdout


def _show(answer: dict[str, Any], name: str, out: Path | None) -> None:
    score = answer["mutation_score"]
    rows = [
        ("released", "yes" if answer["released"] else "no"),
        ("reason", answer["detail"] or "-"),
        ("class", answer["kind"]),
        ("branch coverage", f"{percent(answer['branch_coverage'], 0)}%{_branches(answer)}"),
        ("cases", str(answer["cases"])),
        ("mutation score", "-" if score is None else f"{percent(score)}%{_mutants(answer)}"),
        ("certified in", ", ".join(answer["languages"]) or "-"),
        ("CPU", f"{answer['cpu_s']:.2f} s"),
    ]
    print_table((name, ""), rows)
    if out is not None and answer["released"]:
        say(f"written to {out}")


def _branches(answer: dict[str, Any]) -> str:
    """How the branches of a released suite were reached; empty for a refusal."""
    if not answer["released"]:
        return ""
    return f": {answer['returning']} by cases, {answer['raising']} by inputs that raise, {answer['dead']} proved dead"


def _mutants(answer: dict[str, Any]) -> str:
    """What became of the mutants of a released suite; empty for a refusal."""
    if not answer["released"]:
        return ""
    return f": {answer['killed']} killed, {answer['survivors']} alive, {answer['proved']} proved equivalent"
