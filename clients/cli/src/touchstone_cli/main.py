"""The `touchstone` command: its subcommands are imported only when they are called."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from touchstone_cli.errors import CliError


@dataclass(frozen=True)
class Entry:
    """Where a subcommand lives.

    Attributes:
        module: Module of this package.
        attribute: A function, or an app with subcommands of its own.
        summary: One line for the list of commands.
        reads_addresses: Whether its options take addresses from the environment.
    """

    module: str
    attribute: str
    summary: str
    reads_addresses: bool = False


ENTRIES: dict[str, Entry] = {
    "run": Entry("run", "run", "Start the platform and do the main job."),
    "up": Entry("machine", "up", "Start the platform."),
    "down": Entry("machine", "down", "Stop the platform; data stays."),
    "status": Entry("machine", "status", "Show every process and what it does."),
    "logs": Entry("machine", "logs", "Show the log of one process, or of all."),
    "doctor": Entry("doctor", "doctor", "Check this machine and say what to do."),
    "dlq": Entry("dlq", "app", "Messages that could not be handled.", reads_addresses=True),
    "sources": Entry("sources", "app", "Where code comes from."),
    "classify": Entry("classify", "classify", "Class and reason of each function of some code."),
    "try": Entry("try_task", "try_task", "From one function to a task.", reads_addresses=True),
    "funnel": Entry("funnel", "funnel", "From functions to tasks, with reasons."),
    "tasks": Entry("tasks", "app", "The tasks built so far."),
    "release": Entry("release", "app", "Freeze, verify and export sets of tasks.", reads_addresses=True),
    "sandbox": Entry("sandbox", "app", "Run code isolated.", reads_addresses=True),
    "evaluate": Entry("evaluate", "evaluate", "Let a model solve tasks."),
    "leaderboard": Entry("evaluate", "leaderboard", "How models did."),
    "search": Entry("search", "search", "Find code by a description."),
    "annotate": Entry("annotate", "annotate", "Does code answer a query?", reads_addresses=True),
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
        formatter.write("Usage: touchstone COMMAND [ARGUMENTS]      (each command has --help)\n")
        formatter.write(f"{self.help}\n\n")
        for name, command in self.commands.items():
            formatter.write(f"  {name:<12} {command.help}\n")
        formatter.write(f"\n{self.epilog}\n")

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Import the named command before it is parsed."""
        if args and args[0] in self.commands:
            self.commands[args[0]] = load(args[0])
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; its expected faults end in one line and an exit code."""
        try:
            return super().invoke(ctx)
        except CliError as error:
            sys.stderr.write(f"{error}\n")
            raise typer.Exit(error.exit_code) from error
        except KeyboardInterrupt:
            sys.stderr.write("interrupted\n")
            raise typer.Exit(130) from None
        except Exception as error:
            line = expected(error)
            if not line:
                raise
            sys.stderr.write(f"{line}\n")
            raise typer.Exit(1) from error


def expected(error: Exception) -> str:
    """The one line for a fault of the machine or of a service; empty for a fault of ours."""
    if type(error).__name__ == "LocalError" or isinstance(error, BrokenPipeError):
        return str(error)
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
    command = typer.main.get_command(target)
    command.name = name
    return command


app = typer.Typer(
    cls=LazyGroup,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@app.callback(epilog="Example: touchstone run")
def root() -> None:
    """Recent code in; tasks with proven oracles, scores and search out."""


def main() -> None:
    """Entry point of the `touchstone` command."""
    app(prog_name="touchstone")


if __name__ == "__main__":
    main()
