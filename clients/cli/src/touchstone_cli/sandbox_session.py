"""`touchstone sandbox session`: a sandbox that stays from one command to the next."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.choices import LANGUAGES, one_of
from touchstone_cli.datasets import Datasets, given
from touchstone_cli.errors import CliError
from touchstone_cli.output import counted, one_line, print_json, say, warn
from touchstone_cli.replicas import AtHome, home_of
from touchstone_cli.services import connect
from touchstone_cli.settings import named_address
from touchstone_runtime.members import member_name

app = typer.Typer(
    no_args_is_help=True,
    help="Work in a sandbox step by step.",
    epilog="Example: touchstone sandbox session open -l python",
    rich_markup_mode=None,
)

_LONGEST_S = 7200.0

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Session = Annotated[str, typer.Argument(help="The session, from `open`.")]
Inside = Annotated[str, typer.Argument(help="Path in the session's working folder.")]


def refusals(refused: Iterable[Any]) -> list[dict[str, str]]:
    """What a job tried to reach in vain, for JSON."""
    return [{"target": each.target, "reason": each.reason} for each in refused]


def say_refused(refused: Iterable[Any]) -> None:
    """The same for people."""
    for each in refused:
        say(one_line(f"refused: {each.target}: {each.reason}"))


def demand_result(result: Any) -> None:
    """Refuse what a program printed without how it ended: nobody knows whether it is all.

    Raises:
        CliError: there is no result.
    """
    if result is None:
        raise CliError("the sandbox answered without a result; what was printed may be cut: give the command again")


def ended(outcome: str, result: Any) -> int:
    """The exit code that stands for a program's end, and a word where it was not its own.

    What was cut, timed out or did not compile is no 0, whatever code the program ended with.
    """
    if outcome in ("returned", "exited"):
        return result.exit_code if 0 <= result.exit_code <= 255 else 1
    warn(one_line(f"{outcome}: {result.detail}" if result.detail else outcome))
    return result.exit_code if 1 <= result.exit_code <= 255 else 1


@contextlib.contextmanager
def _running(session: str = "") -> Generator[AtHome]:
    """The executor that is running: a session lives in it, so that none can be started for one command."""
    address = named_address("sandbox-executor")
    if not address:
        raise CliError(
            "a session needs a sandbox-executor that stays: start one with `make run`, or `python -m sandbox_executor "
            "serve --listen ADDRESS --no-broker`, and set TOUCHSTONE_SANDBOX_ADDRESS"
        )
    service = connect("sandbox-executor", *home_of(session, address))
    try:
        yield AtHome(service)
    finally:
        service.close()


@app.command("open")
def open_session(
    language: Annotated[str, typer.Option("--language", "-l", help=f"One of {', '.join(LANGUAGES)}.")] = "python",
    memory_mb: Annotated[int, typer.Option(min=0, help="Memory of all processes, in MiB; 0: the default.")] = 0,
    idle: Annotated[float, typer.Option(min=0, help="Seconds without a call that end it; 0: the default.")] = 0.0,
    lifetime: Annotated[float, typer.Option(min=0, help="Seconds after which it ends anyway; 0: the default.")] = 0.0,
    environment: Annotated[str, typer.Option(help="Prepared dependencies, from `sandbox prepare`.")] = "",
    dataset: Datasets = None,
    egress: Annotated[
        list[str] | None, typer.Option(help="host:port that its steps may reach; may be repeated.")
    ] = None,
    backend: Annotated[str, typer.Option(help="local or gvisor; by default the service's own.")] = "",
    as_json: Json = False,
) -> None:
    """Open a session and print its id, which only whoever opened it can use.

    Example: touchstone sandbox session open --language python --idle 300
    """
    known = one_of(language, LANGUAGES, "--language", empty=False)
    with _running() as service:
        messages = service.messages
        request = messages.OpenSessionRequest(
            language=messages.Language.Value(f"LANGUAGE_{known.upper()}"),
            limits=messages.Limits(memory_bytes=memory_mb << 20),
            environment_id=environment,
            datasets=given(service, dataset),
            egress=egress or [],
            backend=backend,
            idle_timeout_s=idle,
            lifetime_s=lifetime,
        )
        opened = service.call("OpenSession", request, timeout_s=_LONGEST_S)
    times = {"idle_timeout_s": opened.idle_timeout_s, "lifetime_s": opened.lifetime_s}
    if as_json:
        print_json({"session_id": opened.session_id, "memory_bytes": opened.limits.memory_bytes, **times})
    else:
        print(opened.session_id)
        say(f"ends after {opened.idle_timeout_s:g} s without a call, and after {opened.lifetime_s:g} s in any case")


@app.command("exec")
def execute(
    session: Session,
    command: Annotated[list[str] | None, typer.Argument(help="Program and arguments; after -- .")] = None,
    source: Annotated[Path | None, typer.Option(help="Run this file in the session's language instead.")] = None,
    stdin: Annotated[Path | None, typer.Option(help="File for its standard input.")] = None,
    timeout: Annotated[float, typer.Option(min=0, help="Seconds of this step; 0: the session's.")] = 0.0,
    as_json: Json = False,
) -> None:
    """Run one step; without --json its exit code is passed on. What it leaves running ends with it.

    Example: touchstone sandbox session exec SESSION -- python3 -c "print(1)"
    """
    if (source is None) == (not command):
        raise CliError("give a command, or --source with a file", exit_code=2)
    printed: dict[str, list[bytes]] = {"stdout": [], "stderr": []}
    result: Any = None
    with _running(session) as service:
        messages = service.messages
        program = {"source": _text(source)} if source else {"command": messages.Command(argv=command or [])}
        request = messages.ExecuteInSessionRequest(
            session_id=session, stdin=_bytes(stdin) if stdin else b"", timeout_s=timeout, **program
        )
        for event in service.stream("ExecuteInSession", request, timeout_s=_LONGEST_S):
            kind = event.WhichOneof("event")
            if kind == "result":
                result = event.result
            elif as_json:
                printed[kind].append(getattr(event, kind))
            else:
                stream = sys.stdout if kind == "stdout" else sys.stderr
                stream.buffer.write(getattr(event, kind))
                stream.flush()
        demand_result(result)
        outcome = member_name(messages.Outcome, result.outcome, "OUTCOME_")
    if as_json:
        texts = {name: b"".join(parts).decode("utf-8", "replace") for name, parts in printed.items()}
        numbers = {"wall_s": result.wall_s, "cpu_s": result.cpu_s, "memory_bytes": result.memory_bytes}
        more = {"detail": result.detail, "refused": refusals(result.refused)}
        print_json({"outcome": outcome, "exit_code": result.exit_code, **texts, **numbers, **more})
        return
    say_refused(result.refused)
    raise typer.Exit(ended(outcome, result))


@app.command()
def write(
    session: Session,
    path: Inside,
    file: Annotated[Path | None, typer.Argument(help="What to write; by default standard input.")] = None,
    as_json: Json = False,
) -> None:
    """Put a file into the session in place of what is there.

    Example: touchstone sandbox session write SESSION data/in.csv in.csv
    """
    content = _bytes(file) if file is not None else sys.stdin.buffer.read()
    with _running(session) as service:
        messages = service.messages
        request = messages.WriteFileRequest(session_id=session, file=messages.File(path=path, content=content))
        service.call("WriteFile", request)
    if as_json:
        print_json({"path": path, "bytes": len(content)})
    else:
        say(f"wrote {path} ({counted(len(content), 'byte')})")


@app.command()
def read(
    session: Session,
    path: Inside,
    out: Annotated[Path | None, typer.Option(help="File to write to; by default standard output.")] = None,
    as_json: Json = False,
) -> None:
    """Bring a file of the session back.

    Example: touchstone sandbox session read SESSION result.json --out result.json
    """
    with _running(session) as service:
        request = service.messages.ReadFileRequest(session_id=session, path=path)
        content = service.call("ReadFile", request).file.content
    if out is not None:
        out.write_bytes(content)
    elif not as_json:
        sys.stdout.buffer.write(content)
        sys.stdout.flush()
    if as_json:
        words = {"content": content.decode("utf-8", "replace")} if out is None else {"out": str(out)}
        print_json({"path": path, "bytes": len(content), **words})


@app.command()
def close(session: Session, as_json: Json = False) -> None:
    """End a session, and a step that runs in it.

    Example: touchstone sandbox session close SESSION
    """
    with _running(session) as service:
        service.call("CloseSession", service.messages.CloseSessionRequest(session_id=session))
    if as_json:
        print_json({"session_id": session, "closed": True})


def _text(path: Path) -> str:
    try:
        return _bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise CliError(f"{path}: not UTF-8 text") from error


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CliError(f"{path}: {error.strerror}") from error
