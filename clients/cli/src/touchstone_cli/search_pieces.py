"""An augmented search as it goes on: what stands already, and what the model does."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from touchstone_cli.errors import CliError
from touchstone_cli.output import console, counted, duration, one_line, say
from touchstone_cli.services import Streaming

if TYPE_CHECKING:
    from rich.console import RenderableType

_LAST = "answer"


def in_pieces(retriever: Streaming, request: Any, timeout_s: float, tell: Callable[[Any], None]) -> Any:
    """The answer to a search, each piece of which is told when it comes.

    Args:
        retriever: Where to ask.
        request: The search.
        timeout_s: Deadline.
        tell: Takes each piece but the last.

    Raises:
        CliError: the service cannot be reached, or refuses.
    """
    wanted = retriever.messages.StreamSearchRequest(search=request)
    pieces: Iterator[Any] = retriever.stream("StreamSearch", wanted, timeout_s=timeout_s)
    for piece in pieces:
        if piece.step == _LAST:
            return piece.answer
        tell(piece)
    raise CliError("the retriever ended its answer before it was whole")


def step_words(piece: Any) -> str:
    """What was done, where there is something to tell, and what goes on now."""
    now = one_line(piece.going_on) or "the search goes on"
    if piece.step == "look_up":
        looked_up = ", ".join(f'"{one_line(one.text)}"' for one in piece.look_ups)
        return f"looked up {looked_up}; {now}"
    return now


def redrawn(
    retriever: Streaming, request: Any, timeout_s: float, line: Callable[[Any], str], keep: Callable[[Any], None]
) -> Any:
    """The same on a terminal: results so far are drawn anew with every piece, and make room for the answer.

    Args:
        retriever: Where to ask.
        request: The search.
        timeout_s: Deadline.
        line: A result in one line.
        keep: Takes each result that stood already where the search breaks off.

    Raises:
        CliError: the service cannot be reached, or refuses.
    """
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    began = time.monotonic()
    so_far: list[Any] = []

    def drawn() -> RenderableType:
        rows: list[RenderableType] = []
        doing = "searching"
        if so_far:
            piece = so_far[-1]
            doing = step_words(piece)
            # What does not fit would be cut by the terminal, with the last line.
            fitting = max(out.height - 4, 1)
            rows += [Text(one_line(line(each)), no_wrap=True) for each in piece.answer.results[:fitting]]
            if piece.answer.augmented_query:
                words = f"as the model put it: {one_line(piece.answer.augmented_query)}"
                rows.append(Text(words, style="dim", no_wrap=True, overflow="ellipsis"))
        rows.append(Text(f"{doing} … {duration(time.monotonic() - began)}", style="dim", no_wrap=True))
        return Group(*rows)

    out = console()
    try:
        with Live(console=out, get_renderable=drawn, transient=True, refresh_per_second=4) as live:

            def tell(piece: Any) -> None:
                so_far.append(piece)
                live.refresh()

            return in_pieces(retriever, request, timeout_s, tell)
    except CliError:
        # What was drawn is wiped by now.
        if so_far and (stood := so_far[-1].answer.results):
            for each in stood:
                keep(each)
            say(f"{counted(len(stood), 'result')} so far; the search broke off")
        raise
