"""`touchstone dlq`: messages that could not be handled, and a way to have them handled again."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from touchstone_cli import output
from touchstone_cli.errors import CliError
from touchstone_cli.settings import kafka_access

if TYPE_CHECKING:
    from touchstone_cli.dlq_kafka import DeadLetterLog
    from touchstone_cli.dlq_letters import Letter

T = TypeVar("T")

app = typer.Typer(
    name="dlq",
    help="List, show, replay and drop messages that could not be handled.",
    epilog="Example: touchstone dlq replay --all",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Wanted = Annotated[str, typer.Argument(metavar="ID", help="topic:partition:offset, or how the event id begins.")]


@app.command("list", epilog="Example: touchstone dlq list --waiting")
def list_letters(
    as_json: AsJson = False,
    waiting: Annotated[bool, typer.Option("--waiting", help="Only those that were not replayed.")] = False,
) -> None:
    """List dead letters, oldest first. The id of one is topic:partition:offset."""
    from touchstone_cli.dlq_letters import as_object

    letters = [letter for letter in _with_log(_read) if not (waiting and letter.replayed)]
    if as_json:
        output.print_json([as_object(letter) for letter in letters])
        return
    if not letters:
        output.say("There are no dead letters.")
        return
    columns = ["topic", "partition", "offset", "service", "attempts", "replayed", "reason"]
    rows = [
        [
            item.letter.topic,
            item.letter.partition,
            item.letter.offset,
            item.letter.service,
            item.letter.attempts,
            "yes" if item.replayed else "no",
            item.letter.reason.partition("\n")[0],
        ]
        for item in letters
    ]
    output.print_table(columns, rows, right=("partition", "offset", "attempts"))


@app.command(epilog="Example: touchstone dlq show touchstone.pair.proposed.v1:0:12")
def show(wanted: Wanted, as_json: AsJson = False) -> None:
    """Show a dead letter with the message that could not be handled."""
    from touchstone_cli.dlq_letters import as_object, body_of, select

    letters = select(_with_log(_read), wanted)
    shown = [{**as_object(item), "headers": item.letter.headers, "body": body_of(item)} for item in letters]
    if as_json:
        output.print_json(shown[0] if len(shown) == 1 else shown)
        return
    rows = [
        (name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))
        for fields in shown
        for name, value in fields.items()
    ]
    output.print_table(["field", "value"], rows)


@app.command("replay", epilog="Example: touchstone dlq replay --all")
def replay_letters(
    wanted: Wanted = "",
    everything: Annotated[bool, typer.Option("--all", help="All that were not replayed yet.")] = False,
    as_json: AsJson = False,
) -> None:
    """Publish the original messages again on their topics."""
    from touchstone_cli.dlq_letters import replay, select

    if bool(wanted) == everything:
        raise CliError("give either an ID or --all; see `touchstone dlq list`", exit_code=2)

    done: list[str] = []

    def tell(identity: str) -> None:
        done.append(identity)
        if not as_json:
            output.say(f"replayed {identity}")

    async def work(log: DeadLetterLog) -> None:
        letters = await _read(log)
        chosen = [letter for letter in letters if not letter.replayed] if everything else select(letters, wanted)
        await replay(log, chosen, tell)

    try:
        _with_log(work)
    except CliError:
        # Whatever went wrong beside them, these are on their way.
        if as_json and done:
            output.print_json(done)
        raise
    if as_json:
        output.print_json(done)
    elif not done:
        output.say("There is nothing to replay.")


@app.command("drop", epilog="Example: touchstone dlq drop --days 90")
def drop_letters(
    days: Annotated[int, typer.Option(min=0, max=36_500, help="Keep what is younger than so many days.")] = 30,
    unreplayed: Annotated[
        bool, typer.Option("--unreplayed", help="Drop what was never replayed as well; its messages are lost then.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Delete old dead letters for good, up to the first one of each partition that stays: nothing else deletes any.

    A letter stays that was never replayed, or is younger than --days.
    """
    from touchstone_cli.dlq_letters import Dropped, droppable

    async def work(log: DeadLetterLog) -> Dropped:
        dropped = droppable(await log.read(), int((time.time() - days * 86_400) * 1000), unreplayed=unreplayed)
        if dropped.until:
            await log.delete(dropped.until)
        return dropped

    dropped = _with_log(work)
    if as_json:
        output.print_json({"dropped": dropped.letters, "unreplayed": dropped.unreplayed, "stay": dropped.stay})
        return
    lost = f", {dropped.unreplayed} of them never replayed" if dropped.unreplayed else ""
    output.say(f"dropped {output.counted(dropped.letters, 'letter')}{lost}; {dropped.stay} stay")


async def _read(log: DeadLetterLog) -> list[Letter]:
    from touchstone_cli.dlq_letters import letters_in

    return letters_in(await log.read())


def _with_log(work: Callable[[DeadLetterLog], Coroutine[Any, Any, T]]) -> T:
    from touchstone_cli.dlq_kafka import KafkaLog
    from touchstone_runtime.errors import TouchstoneError

    # What it says of an absent broker is said by us, in one line.
    logging.getLogger("aiokafka").setLevel(logging.CRITICAL)

    access = kafka_access()

    async def whole() -> T:
        async with KafkaLog(access) as log:
            return await work(log)

    try:
        return asyncio.run(whole())
    except TouchstoneError as error:
        raise CliError(str(error)) from error
