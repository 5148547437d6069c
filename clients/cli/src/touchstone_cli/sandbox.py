"""`touchstone sandbox`: foreign code, isolated; needs no running platform."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.choices import LANGUAGES, PREPARED, one_of
from touchstone_cli.datasets import Datasets, given
from touchstone_cli.errors import CliError
from touchstone_cli.output import counted, escaped, one_line, print_json, print_table, say, to_dict
from touchstone_cli.sandbox_server import sandbox
from touchstone_cli.sandbox_session import app as session_app
from touchstone_cli.sandbox_session import demand_result, ended, refusals, say_refused
from touchstone_cli.services import Service
from touchstone_runtime.members import member_name
from touchstone_values import MalformedValueError, compare, parse

app = typer.Typer(
    no_args_is_help=True,
    help="Run code isolated.",
    epilog="Example: touchstone sandbox run --language python job.py",
    rich_markup_mode=None,
)
app.add_typer(session_app, name="session")

_LONGEST_S = 3600.0

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Language = Annotated[str, typer.Option("--language", "-l", help=f"One of {', '.join(LANGUAGES)}.")]
Backend = Annotated[str, typer.Option(help="local or gvisor; by default the service's own.")]
MemoryMb = Annotated[int, typer.Option(min=0, help="Memory of all processes, in MiB; 0: the default.")]
TypeCheck = Annotated[bool, typer.Option("--type-check", help="TypeScript: check types first.")]
Egress = Annotated[
    list[str] | None, typer.Option(help="host:port that it may reach, by the proxy of its variables; may be repeated.")
]
Environment = Annotated[str, typer.Option(help="Prepared dependencies, from `prepare`.")]


@app.command()
def describe(as_json: Json = False) -> None:
    """Languages with versions, isolation in force, limits, queue.

    Example: touchstone sandbox describe --json
    """
    with sandbox() as service:
        answer = service.call("Describe", timeout_s=120.0)
        described = to_dict(answer)
        for language, raw in zip(described["languages"], answer.languages, strict=True):
            language["language"] = _language_name(service, raw.language)
    if as_json:
        print_json(described)
        return
    rows = [
        (x["language"], "yes" if x["available"] else "no", x["version"], x["detail"]) for x in described["languages"]
    ]
    print_table(("language", "available", "version", "detail"), rows)
    layers = [
        (backend["name"], layer["name"], "yes" if layer["in_force"] else "NO", layer["detail"])
        for backend in described["backends"]
        for layer in backend["layers"] or [{"name": "-", "in_force": backend["available"], "detail": ""}]
    ]
    print_table(("backend", "layer", "in force", "detail"), layers)
    say(f"egress, where it is allowed: {', '.join(x['name'] for x in described['backends'] if x['egress']) or 'none'}")
    for backend in described["backends"]:
        if backend["detail"]:
            say(f"{backend['name']}: {backend['detail']}")


@app.command()
def selftest(backend: Backend = "", as_json: Json = False) -> None:
    """Attack the sandbox for real and say which layers hold; exit code 1 when one does not.

    Example: touchstone sandbox selftest --backend gvisor
    """
    with sandbox() as service:
        answer = to_dict(
            service.call("SelfTest", service.messages.SelfTestRequest(backend=backend), timeout_s=_LONGEST_S)
        )
    if as_json:
        print_json(answer)
    else:
        rows = [(x["name"], "held" if x["passed"] else "NOT HELD", x["detail"]) for x in answer["checks"]]
        print_table(("attack", "result", "detail"), rows)
    if not answer["passed"]:
        raise typer.Exit(1)


@app.command()
def prepare(
    requirements: Annotated[
        list[str],
        typer.Argument(help="Such as attrs==26.1.0, left-pad@1.3.0 (JavaScript), org.json:json:20240303 (Java)."),
    ],
    language: Annotated[
        str, typer.Option("--language", "-l", help="python, java, javascript or typescript; the last two share.")
    ] = "python",
    as_json: Json = False,
) -> None:
    """Build an environment of packages: wheels of Python, archives of Java, or packages of npm; nothing of them runs.

    Exit code 1 when one cannot be had, or is not allowed.

    Example: touchstone sandbox prepare -l javascript left-pad@1.3.0
    """
    known = one_of(language, PREPARED, "--language", empty=False)
    with sandbox() as service:
        number = _number_of(service, known)
        request = service.messages.PrepareRequest(language=number, requirements=requirements)
        answer = to_dict(service.call("Prepare", request, timeout_s=_LONGEST_S))
    if as_json:
        print_json(answer)
    elif answer["ready"]:
        print(answer["environment_id"])
        for package in answer["packages"]:
            digest = f"sha256:{package['sha256']}" if package["sha256"] else package["integrity"]
            say(one_line(f"{package['name']} {package['version']} {digest}"))
    if not answer["ready"]:
        if not as_json:
            say(one_line(answer["detail"]))
        raise typer.Exit(1)


@app.command()
def run(
    file: Annotated[Path, typer.Argument(help="The program's source.")],
    language: Language,
    arguments: Annotated[list[str] | None, typer.Argument(help="Arguments of the program.")] = None,
    stdin: Annotated[Path | None, typer.Option(help="File for its standard input.")] = None,
    timeout: Annotated[float, typer.Option(min=0, help="Seconds, compilation included; 0: the default.")] = 0.0,
    memory_mb: MemoryMb = 0,
    artefact: Annotated[list[str] | None, typer.Option(help="File to bring back; may be repeated.")] = None,
    out: Annotated[Path, typer.Option(help="Folder for files that are brought back.")] = Path(),
    environment: Environment = "",
    dataset: Datasets = None,
    egress: Egress = None,
    type_check: TypeCheck = False,
    backend: Backend = "",
    as_json: Json = False,
) -> None:
    """Run a whole program; without --json its exit code is passed on, and none of 0 where it did not end by itself.

    Example: touchstone sandbox run --language python job.py --stdin data.txt --timeout 10
    """
    printed: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    result: Any = None
    with sandbox() as service:
        messages = service.messages
        request = messages.ExecuteRequest(
            language=_language_number(service, language),
            source=_read(file),
            stdin=_read_bytes(stdin) if stdin is not None else b"",
            arguments=arguments or [],
            limits=messages.Limits(total_timeout_s=timeout, memory_bytes=memory_mb << 20),
            artefacts=artefact or [],
            environment_id=environment,
            datasets=given(service, dataset),
            egress=egress or [],
            backend=backend,
            type_check=type_check,
        )
        for event in service.stream("Execute", request, timeout_s=_LONGEST_S):
            kind = event.WhichOneof("event")
            if kind == "result":
                result = event.result
            elif kind == "artefact":
                _save(out, event.artefact)
            elif as_json:
                printed[kind].append(getattr(event, kind))
            else:
                stream = sys.stdout if kind == "stdout" else sys.stderr
                stream.buffer.write(getattr(event, kind))
                stream.flush()
        demand_result(result)
        outcome = _outcome_name(service, result.outcome)
    if as_json:
        texts = {name: b"".join(parts).decode("utf-8", "replace") for name, parts in printed.items()}
        numbers = {"wall_s": result.wall_s, "cpu_s": result.cpu_s, "memory_bytes": result.memory_bytes}
        more = {"detail": result.detail, "refused": refusals(result.refused)}
        print_json({"outcome": outcome, "exit_code": result.exit_code, **texts, **numbers, **more})
        return
    say_refused(result.refused)
    raise typer.Exit(ended(outcome, result))


@app.command()
def cases(
    file: Annotated[Path, typer.Argument(help="The candidate's source.")],
    language: Language,
    entry: Annotated[str, typer.Option(help="Function, or Class.method, to call.")],
    inputs: Annotated[Path, typer.Option(help="Per line one JSON array of arguments, or an object of named ones.")],
    expected: Annotated[Path | None, typer.Option(help="Per line one expected value; prints the verdict.")] = None,
    exact: Annotated[bool, typer.Option("--exact", help="A tuple is no list, 1 is not 1.0.")] = False,
    timeout: Annotated[float, typer.Option(min=0, help="Seconds of one case; 0: the default.")] = 0.0,
    total_timeout: Annotated[float, typer.Option(min=0, help="Seconds of all cases; 0: the default.")] = 0.0,
    memory_mb: MemoryMb = 0,
    environment: Environment = "",
    dataset: Datasets = None,
    egress: Egress = None,
    type_check: TypeCheck = False,
    backend: Backend = "",
    as_json: Json = False,
) -> None:
    """Call one entry point on many inputs; values are compared outside of the sandbox.

    Without --expected each value is a line of JSON, `{"$": "outcome", …}` where a case gave none. Exit code 1 unless
    every case passed, 2 where there is none.

    Example: touchstone sandbox cases -l python --entry f f.py --inputs in.jsonl --expected out.jsonl
    """
    lines = _lines(inputs, of_arguments=True)
    wanted = _lines(expected) if expected is not None else None
    if wanted is not None and len(wanted) != len(lines):
        raise CliError(
            f"{expected} has {counted(len(wanted), 'line')}, {inputs} has {len(lines)}; they must be as many"
        )
    if not lines:
        raise CliError(f"{inputs}: holds no case, and none that passed says nothing", exit_code=2)
    with sandbox() as service:
        messages = service.messages
        request = messages.RunCasesRequest(
            language=_language_number(service, language),
            source=_read(file),
            entry_point=entry,
            inputs=lines,
            limits=messages.Limits(case_timeout_s=timeout, total_timeout_s=total_timeout, memory_bytes=memory_mb << 20),
            environment_id=environment,
            datasets=given(service, dataset),
            egress=egress or [],
            type_check=type_check,
            backend=backend,
            nothing_returned=wanted is not None and "null" in wanted,
        )
        started = time.monotonic()
        results = list(service.stream("RunCases", request, timeout_s=_LONGEST_S))
        wall_s = time.monotonic() - started
        if len(results) != len(lines):
            raise CliError(f"the sandbox answered {len(results)} of {counted(len(lines), 'case')}; try again")
        outcomes = [_outcome_name(service, result.outcome) for result in results]
    answer = judge(results, outcomes, wanted, exact=exact) | {
        "wall_s": wall_s,
        "cpu_s": results[-1].job_cpu_s if results else 0.0,
    }
    refused = [each for result in results for each in result.refused]
    if refused:
        answer["refused"] = refusals(refused)
    if wanted is None:
        answer["values"] = [result.value or None for result in results]
    if as_json:
        print_json(answer)
    else:
        say_refused(refused)
        for failure in answer["failed"]:
            say(one_line(f"case {failure['index']}: {failure['outcome']}: {failure['detail']}"))
        summary = (
            f"{answer['verdict']}: {answer['cases'] - len(answer['failed'])} of {counted(answer['cases'], 'case')}"
        )
        if wanted is None:
            for result, outcome in zip(results, outcomes, strict=True):
                # No value has this kind, so that none can be taken for it.
                print(escaped(result.value) or json.dumps({"$": "outcome", "v": outcome}))
            say(summary)
        else:
            print(summary)
    if answer["verdict"] != "passed":
        raise typer.Exit(1)


def judge(results: list[Any], outcomes: list[str], wanted: list[str] | None, *, exact: bool) -> dict[str, Any]:
    """The verdict over the results; without expected values a case passes when it returned."""
    failed: list[dict[str, Any]] = []
    for result, outcome in zip(results, outcomes, strict=True):
        if outcome != "returned":
            words = ": ".join(part for part in (result.error_type, result.error_message) if part)
            failed.append({"index": result.index, "outcome": outcome, "detail": words})
        elif wanted is not None:
            difference = compare(wanted[result.index], result.value, "exact" if exact else "portable")
            if difference is not None:
                failed.append({"index": result.index, "outcome": "wrong_output", "detail": str(difference)})
    verdict = failed[0]["outcome"] if failed else "passed"
    return {"verdict": verdict, "cases": len(results), "failed": failed}


def _lines(path: Path, *, of_arguments: bool = False) -> list[str]:
    """The values of a file, one a line, each proved to be in the portable form."""
    texts = [line for line in _read(path).split("\n") if line.strip()]
    for number, text in enumerate(texts, 1):
        try:
            value = parse(text)
        except MalformedValueError as error:
            raise CliError(f"{path}:{number}: {error}") from error
        if of_arguments and not (isinstance(value, list) or (isinstance(value, dict) and "$" not in value)):
            raise CliError(f"{path}:{number}: neither an array of arguments nor an object of named ones")
    return texts


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: {getattr(error, 'strerror', None) or 'not UTF-8 text'}") from error


def _read_bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CliError(f"{path}: {error.strerror}") from error


def _save(folder: Path, file: Any) -> None:
    target = folder / file.path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(file.content)
    say(f"brought back {target} ({counted(len(file.content), 'byte')})")


def _language_number(service: Service, name: str) -> int:
    return _number_of(service, one_of(name, LANGUAGES, "--language", empty=False))


def _number_of(service: Service, known: str) -> int:
    return service.messages.Language.Value(f"LANGUAGE_{known.upper()}")


def _language_name(service: Service, number: int) -> str:
    return member_name(service.messages.Language, number, "LANGUAGE_")


def _outcome_name(service: Service, number: int) -> str:
    return member_name(service.messages.Outcome, number, "OUTCOME_")
