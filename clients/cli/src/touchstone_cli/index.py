"""`touchstone index`: the generations of the search index."""

from __future__ import annotations

import time
from typing import Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import counted, duration, print_json, print_table, say, say_progress, to_dict
from touchstone_cli.services import connect

app = typer.Typer(
    help="The search index: which models made it, which of its generations answers.",
    epilog="Example: touchstone index status",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
_LOOK_EVERY_S = 1.0
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="As `touchstone index status` shows it.")]


@app.command(epilog="Example: touchstone index status --json")
def status(as_json: AsJson = False) -> None:
    """Show the generations: which answers, which is made now, and what each lacks."""
    _show(connect("retriever").call("DescribeIndex").index, as_json)


@app.command(epilog="Example: touchstone index build --wait")
def build(
    wait: Annotated[bool, typer.Option("--wait", help="Until it is done, saying how far it is.")] = False,
    as_json: AsJson = False,
) -> None:
    """Read again what was embedded, from the broker: after an index was lost.

    What is there answers meanwhile. A build that was interrupted goes on by itself.
    """
    retriever = connect("retriever")
    index = retriever.call("BuildIndex").index
    while wait and index.HasField("build"):
        left = f", {counted(index.build.left, 'message is', 'messages are')} left" if index.build.left >= 0 else ""
        say_progress(f"{counted(index.build.taken, 'event')} taken in{left}", redrawn=True)
        time.sleep(_LOOK_EVERY_S)
        index = retriever.call("DescribeIndex").index
    _show(index, as_json)


@app.command(epilog="Example: touchstone index switch g-1f2e3d4c")
def switch(
    name: Annotated[str, typer.Argument(metavar="[NAME]", help="As `touchstone index status` shows it.")] = "",
    newest: Annotated[bool, typer.Option("--newest", help="Let new ones take over by themselves again.")] = False,
    anyway: Annotated[bool, typer.Option("--anyway", help="Even if codes lack its vectors.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let a generation answer, an earlier one too, until you say otherwise."""
    if bool(name) == newest:
        raise CliError("give either a NAME or --newest; see `touchstone index status`", exit_code=2)
    retriever = connect("retriever")
    request = retriever.messages.SwitchIndexRequest(generation=name, anyway=anyway)
    _show(retriever.call("SwitchIndex", request).index, as_json)


@app.command(epilog="Example: touchstone index drop g-1f2e3d4c")
def drop(name: Name, as_json: AsJson = False) -> None:
    """Let go of a generation that does not answer, with the vectors that no other one has."""
    retriever = connect("retriever")
    _show(retriever.call("DropIndex", retriever.messages.DropIndexRequest(generation=name)).index, as_json)


def _show(index: Any, as_json: bool) -> None:
    if as_json:
        print_json(to_dict(index))
        return
    rows = [
        (
            one.name,
            _role(one),
            ", ".join(model.identity or f"{model.name} (weights unknown)" for model in one.models),
            one.text_form,
            one.lacking,
            one.made_at,
        )
        for one in index.generations
    ]
    print_table(("generation", "state", "models", "text", "lacking", "made"), rows, right=("lacking",))
    if not rows:
        say("There is no generation yet: the embedder has not told its models; see `touchstone status`.")
    if index.HasField("build"):
        say(f"the index is built from what the broker keeps: {counted(index.build.taken, 'event')} taken in")
    say(f"{counted(index.indexed, 'code is', 'codes are')} indexed, {index.superseded:,} of them replaced")
    if index.HasField("later"):
        say(_later(index.later))
    for one in index.generations:
        if one.left_out:
            say(_left_out(one))
    for one in index.missing:
        say(f"goes on without {one.name}: {one.reason}")
    if index.memory not in ("", "off"):
        say(f"held in memory: {index.memory}")


def _later(later: Any) -> str:
    """How far the models are whose vectors come behind all other work."""
    share = f", {100 * later.done / later.total:.0f} %" if later.total else ""
    done = f"{', '.join(later.models)}: {later.done:,} of {counted(later.total, 'function')}{share}"
    if 0 < later.total == later.done:
        return f"{done}; what is new follows when nothing new comes for a while"
    left = f"about {duration(later.left_s)} left" if later.left_s >= 0 else "how long it takes is not known yet"
    return f"{done}, {left}; {'goes on' if later.rests else 'waits until nothing new comes for a while'}"


def _left_out(one: Any) -> str:
    """What keeps a generation from taking over no more, and why."""
    codes = counted(one.left_out, "code gets", "codes get")
    return (
        f"{codes} no vector of {one.name}: they were given back to the embedder, and none came. They are "
        "found by what they have; `touchstone dlq list` shows what could not be handled"
    )


def _role(one: Any) -> str:
    if one.active:
        return "answers, chosen by hand" if one.pinned else "answers"
    if one.current:
        return "is built" if one.lacking > one.left_out else "whole"
    return "kept"
