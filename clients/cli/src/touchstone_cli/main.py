"""The `touchstone` command: its subcommands are imported only when they are called."""

from __future__ import annotations

import importlib
import importlib.util
import os
import re
import sys
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from touchstone_cli import output
from touchstone_cli.errors import BROKEN_PIPE, INTERRUPTED, NOT_UNDERSTOOD, OUR_FAULT, CliError


@dataclass(frozen=True)
class Entry:
    """Where a subcommand lives.

    Attributes:
        module: Module of this package.
        attribute: A function, or an app with subcommands of its own.
        summary: One line for the list of commands.
        reads_addresses: Whether its options take addresses from the environment.
        beside: The command on whose line the list shows it.
    """

    module: str
    attribute: str
    summary: str
    reads_addresses: bool = False
    beside: str = ""


ENTRIES: dict[str, Entry] = {
    "run": Entry("run", "run", "Start the platform and do the main job."),
    "up": Entry("machine", "up", "Start the platform; stop it, data stays."),
    "down": Entry("machine", "down", "Stop the platform; data stays.", beside="up"),
    "status": Entry("machine", "status", "Every process and what it does; what it says."),
    "logs": Entry("machine", "logs", "Show the log of one process, or of all.", beside="status"),
    "doctor": Entry("doctor", "doctor", "Check this machine and say what to do."),
    "dlq": Entry("dlq", "app", "Messages that could not be handled.", reads_addresses=True),
    "sources": Entry("sources", "app", "Where code comes from; yours; a change of it."),
    "classify": Entry("classify", "classify", "Class and reason of each function of some code."),
    "try": Entry("try_task", "try_task", "From one function to a task.", reads_addresses=True),
    "funnel": Entry("funnel", "funnel", "From functions to tasks, with reasons."),
    "tasks": Entry("tasks", "app", "The tasks built so far."),
    "release": Entry("release", "app", "Freeze, verify and export sets of tasks.", reads_addresses=True),
    "explain": Entry("explain", "explain", "What a reason or an outcome means, and what to do."),
    "sandbox": Entry("sandbox", "app", "Run code isolated.", reads_addresses=True),
    "evaluate": Entry("evaluate", "evaluate", "Let a model solve tasks; how models did."),
    "leaderboard": Entry("leaderboard", "leaderboard", "How models did.", beside="evaluate"),
    "ablation": Entry("ablation", "ablation", "What each part of a strategy is worth.", beside="evaluate"),
    "runs": Entry("runs", "app", "Runs of models: list, compare, export, end.", beside="evaluate"),
    "search": Entry("search", "search", "Find code by a description; score what finds it."),
    "index": Entry("index", "app", "What made the search index.", reads_addresses=True, beside="search"),
    "mcp": Entry("mcp", "mcp", "Search for models: an MCP server.", beside="search"),
    "cost": Entry("cost", "cost", "What questions to models took.", reads_addresses=True, beside="status"),
    "token": Entry("token", "app", "Who may use the platform, and how far."),
    "retrieval": Entry("retrieval", "app", "Score search engines.", reads_addresses=True, beside="search"),
    "annotate": Entry("annotate", "annotate", "Does code answer a query?", reads_addresses=True),
    "queries": Entry("queries", "app", "What people search for.", reads_addresses=True, beside="annotate"),
    "pairs": Entry("pairs", "app", "What was judged.", reads_addresses=True, beside="annotate"),
    "labels": Entry("labels", "app", "Your labels; releases of labels.", reads_addresses=True, beside="annotate"),
    "open": Entry("open_page", "open_page", "The page of a task, run or release.", beside="evaluate"),
    "init": Entry("init", "init", "Follow your own code, see its tasks.", reads_addresses=True, beside="sources"),
    "ci": Entry("ci", "ci", "Tasks from the functions that a change touches.", reads_addresses=True, beside="sources"),
    "completion": Entry("completion", "completion", "Completion for bash, zsh or fish."),
}


class LazyGroup(TyperGroup):
    """Lists subcommands from a table; imports one when it is called."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for name, entry in ENTRIES.items():
            if importlib.util.find_spec(f"touchstone_cli.{entry.module}") is not None:
                self.commands[name] = TyperCommand(name, help=entry.summary, rich_markup_mode=None)

    def list_commands(self, ctx: Any) -> list[str]:
        """Names in the order of the table."""
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write a list of the commands that fits a screen."""
        formatter.write("Usage: touchstone [--quiet] [--version] COMMAND [ARGUMENTS]      (each command has --help)\n")
        formatter.write(f"{self.help}\n\n")
        for name, command in self.commands.items():
            if ENTRIES[name].beside not in self.commands:
                beside = [other for other, entry in ENTRIES.items() if entry.beside == name and other in self.commands]
                formatter.write(f"  {', '.join([name, *beside]):<28} {command.help}\n")
        formatter.write(f"\n{self.epilog}\n")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the named command before it is parsed."""
        if args and args[0] in self.commands:
            self.commands[args[0]] = load(args[0])
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the options of the whole command; a wrong one is a line and an exit code as well."""
        try:
            return super().parse_args(ctx, args)
        except Exception as error:
            if misuse := misused(error):
                raise _end(misuse, NOT_UNDERSTOOD) from error
            raise

    def invoke(self, ctx: Any) -> Any:
        """Run the command; whatever goes wrong ends in one line and an exit code, never in a traceback."""
        try:
            found = super().invoke(ctx)
            # Now and not at the end of the process, where nobody can catch what happens.
            sys.stdout.flush()
        except CliError as error:
            raise _end(str(error), error.exit_code) from error
        except KeyboardInterrupt:
            raise _end(
                "interrupted; what was asked of the services goes on: `touchstone status`", INTERRUPTED
            ) from None
        except BrokenPipeError:
            # Who reads us has enough, as in `touchstone tasks list | head`.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(BROKEN_PIPE) from None
        except Exception as error:
            line = expected(error)
            if line:
                raise _end(line, 1) from error
            if misuse := misused(error):
                raise _end(misuse, NOT_UNDERSTOOD) from error
            if _is_the_parsers(error):
                raise
            raise _end(our_fault(error), OUR_FAULT) from error
        return found


def _is_the_parsers(error: Exception) -> bool:
    """Whether it is how the library that parses commands says usage errors and ends."""
    return any(base.__module__.split(".")[0] in ("click", "typer") for base in type(error).__mro__)


# What a message of a service says of a number that has no place in it.
_TOO_LARGE = re.compile(r"Value out of range: (-?\d+)")
# What the parser says of a wrong command line; its bases are public only by this one of them.
_USAGE: Any = typer.BadParameter.__mro__[1]


def misused(error: Exception) -> str:
    """The one line for what was not understood: which command, what is wrong, where help is; else empty."""
    if isinstance(error, ValueError) and (told := _TOO_LARGE.match(str(error))):
        return f"touchstone: {told[1]} is no number that a service takes"
    # The parser says help, too, as an error: it is a page and stays one.
    if not isinstance(error, _USAGE) or type(error).__name__ == "NoArgsIsHelpError":
        return ""
    said: Any = error
    path = said.ctx.command_path if said.ctx is not None else "touchstone"
    words = " ".join(said.format_message().split()).rstrip(".").replace(". Did you mean", "; did you mean")
    see = " See" if words.endswith("?") else "; see"
    return f"{path}: {words[:1].lower()}{words[1:]}{see} `{path} --help`"


def _end(line: str, exit_code: int) -> typer.Exit:
    sys.stderr.write(f"{output.shown(line)}\n")
    return typer.Exit(exit_code)


def our_fault(error: Exception) -> str:
    """The one line for a defect of ours; its traceback goes to a file, and is shown where TOUCHSTONE_TRACEBACK asks."""
    import traceback

    from touchstone_cli.settings import wants_traceback

    words = " ".join(str(error).split())[:200]
    what = (
        "out of memory" if isinstance(error, MemoryError) else f"{type(error).__name__}{f': {words}' if words else ''}"
    )
    details = "".join(traceback.format_exception(error))
    if wants_traceback():
        sys.stderr.write(details)
    try:
        from touchstone_cli.settings import state_folders

        log = state_folders().logs / "touchstone.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("a") as stream:
            stream.write(f"touchstone {' '.join(sys.argv[1:])}\n{details}\n")
        where = f"details are in {log}"
    except (CliError, OSError):
        where = "set TOUCHSTONE_TRACEBACK=1 for details"
    return f"touchstone failed: {what}; this is a defect of ours, {where}"


def expected(error: Exception) -> str:
    """The one line for a fault of the machine or of a service; empty for a fault of ours."""
    if type(error).__name__ == "LocalError":
        return str(error)
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        # A file or folder that a user named: it is theirs to mend.
        return f"{error.filename}: {error.strerror}"
    if "grpc" in sys.modules:
        from grpc import RpcError

        from touchstone_cli.services import explain

        if isinstance(error, RpcError):
            return str(explain("service", "its address", error))
    return ""


def load(name: str) -> Any:
    """The command of an entry, as Typer runs it."""
    entry = ENTRIES[name]
    if entry.reads_addresses:
        from touchstone_cli.settings import export_addresses

        export_addresses()
    module = importlib.import_module(f"touchstone_cli.{entry.module}")
    target = getattr(module, entry.attribute, None) or module.app
    if not isinstance(target, typer.Typer):
        alone = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
        alone.command(name)(target)
        target = alone
    # Completion belongs to the whole command, and its options would fill half a screen of each help.
    target._add_completion = False  # pyright: ignore[reportPrivateUsage]
    # One look of all help, with or without a terminal.
    target.rich_markup_mode = None
    command = typer.main.get_command(target)
    command.name = name
    return command


app = typer.Typer(
    cls=LazyGroup,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_EPILOG = (
    "Exit codes: 0 done, 1 it cannot be done or does not hold, 2 not understood, 70 a defect of ours, 130 Ctrl-C.\n"
    "Example: touchstone run"
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"touchstone {version('touchstone-cli')}")
        raise typer.Exit


@app.callback(epilog=_EPILOG)
def root(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Results and errors only.")] = False,
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Say it.")] = False,  # noqa: ARG001
) -> None:
    """Recent code in; tasks with proven oracles, scores and search out."""
    output.be_quiet(quiet)


def main() -> None:
    """Entry point of the `touchstone` command."""
    from touchstone_cli.settings import completion_request

    asked = completion_request()
    if asked is not None:
        from touchstone_cli.completion import words_for

        print("\n".join(words_for(*asked)))
        return
    try:
        app(prog_name="touchstone")
    except KeyboardInterrupt:
        # Pressed while libraries were still being loaded.
        sys.stderr.write("interrupted\n")
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
