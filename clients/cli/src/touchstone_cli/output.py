"""How answers are shown: tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from touchstone_runtime.counts import counted as counted

if TYPE_CHECKING:
    from rich.console import Console


# Controls of terminals (C0 but for tab and newline, C1), what turns the order of letters around, and halves of letters.
_CONTROLS = dict.fromkeys(
    (
        *(code for code in range(0x20) if chr(code) not in "\t\n"), *range(0x7F, 0xA0), 0x061C, 0x200E, 0x200F,
        *range(0x202A, 0x202F), *range(0x2066, 0x206A), *range(0xD800, 0xE000),
    ), "\ufffd",
)  # fmt: skip
# JSON writes the first of them as escapes by itself.
_ESCAPES = {code: f"\\u{code:04x}" for code in _CONTROLS if code >= 0x7F}
# Letters between two columns of a table, and how few a column of words has.
_BETWEEN, _NARROWEST = 3, 8
_LINES = {ord("\t"): " ", ord("\n"): " ", 0x2028: " ", 0x2029: " "}


def shown(text: str) -> str:
    """Text of whoever wrote it, with nothing in it that a terminal would obey."""
    return text.translate(_CONTROLS)


def one_line(text: str) -> str:
    """The same in one line, which looks like no other line of ours."""
    return shown(text).translate(_LINES)


def console(*, stderr: bool = False) -> Console:
    """A terminal writer; lines are as long as they are where the output is not a terminal."""
    from rich.console import Console

    class Cleaning(Console):
        def print(self, *objects: Any, **options: Any) -> None:
            super().print(*(shown(each) if isinstance(each, str) else each for each in objects), **options)

    stream = sys.stderr if stderr else sys.stdout
    return Cleaning(file=stream, highlight=False, soft_wrap=not stream.isatty())


def print_json(value: object) -> None:
    """One JSON text on standard output."""
    text = json.dumps(value, ensure_ascii=False, indent=None if isinstance(value, str) else 1)
    sys.stdout.write(escaped(text) + "\n")


def escaped(text: str) -> str:
    """A JSON text of the same meaning, with nothing in it that a terminal would obey."""
    return text.translate(_ESCAPES)


def to_dict(message: Any) -> dict[str, Any]:
    """A protobuf message as plain values, every field present, whole numbers as numbers, None for what nobody told."""
    content: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.type == field.TYPE_MESSAGE:
            if field.message_type.GetOptions().map_entry:
                content[field.name] = {key: _member(value[key]) for key in sorted(value)}
            elif field.is_repeated:
                content[field.name] = [to_dict(item) for item in value]
            elif message.HasField(field.name):
                content[field.name] = to_dict(value)
            else:
                content[field.name] = None
        elif field.has_presence and not message.HasField(field.name):
            content[field.name] = None
        else:
            content[field.name] = [_plain(item) for item in value] if field.is_repeated else _plain(value)
    return content


def _member(value: Any) -> Any:
    return to_dict(value) if hasattr(value, "DESCRIPTOR") else _plain(value)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def print_table(columns: Sequence[str], rows: Iterable[Sequence[object]], *, right: Iterable[str] = ()) -> None:
    """A table on standard output: drawn in a terminal, tab-separated elsewhere.

    A figure that a terminal cuts in two is another one: where its columns have no room, each row is a list of its own.

    Args:
        columns: Headings.
        rows: Cells; anything with a text form.
        right: Headings of columns of figures: aligned to the right, and never cut.
    """
    cells = [[shown(str(cell)) for cell in row] for row in rows]
    if not sys.stdout.isatty():
        for row in [list(columns), *cells]:
            sys.stdout.write("\t".join(one_line(cell) for cell in row) + "\n")
        return
    from rich.box import SIMPLE_HEAD
    from rich.cells import cell_len
    from rich.table import Table
    from rich.text import Text

    out, figures = console(), set(right)

    def longest(texts: Iterable[str]) -> int:
        return max(map(cell_len, texts), default=0)

    # Of two columns with one heading, as of two runs of one model, each is its own.
    written = [[row[place] for row in cells] for place in range(len(columns))]
    whole = [
        longest([name, *(line for cell in some for line in cell.split("\n"))])
        for name, some in zip(columns, written, strict=True)
    ]
    least = [
        longest([*name.split(), *some]) if name in figures else min(width, _NARROWEST)
        for name, some, width in zip(columns, written, whole, strict=True)
    ]
    room = out.width - _BETWEEN * len(columns)
    if sum(least) > room:
        for row in cells:
            record = Table.grid(padding=(0, 2))
            record.add_column(no_wrap=True)
            record.add_column(overflow="fold")
            for name, cell in zip(columns, row, strict=True):
                record.add_row(Text(name, "bold"), Text(cell))
            out.print(record)
            out.print()
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name, width in zip(columns, least, strict=True):
        tight = name in figures and sum(whole) > room
        justify = "right" if name in figures else "left"
        table.add_column(name, justify=justify, width=width if tight else None, overflow="fold")
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    out.print(table)


_quiet = False


def be_quiet(quiet: bool) -> None:
    """Whether `say` says nothing; results and errors are shown all the same."""
    global _quiet
    _quiet = quiet


def say(text: str) -> None:
    """A line for people on standard error, so that standard output stays clean for results."""
    if _quiet:
        return
    # Where both streams go to one file, what was said first must stand first.
    sys.stdout.flush()
    sys.stderr.write(shown(text) + "\n")
    sys.stderr.flush()


def warn(text: str) -> None:
    """A line on standard error that `--quiet` does not hide: something is wrong with the result."""
    sys.stdout.flush()
    sys.stderr.write(shown(text) + "\n")
    sys.stderr.flush()


def is_quiet() -> bool:
    """Whether only results and errors are wanted."""
    return _quiet


def say_progress(text: str, *, redrawn: bool) -> None:
    """How far something is, on standard error; on a terminal the next line takes its place where `redrawn`."""
    if _quiet:
        return
    sys.stdout.flush()
    end = "\r" if redrawn and sys.stderr.isatty() else "\n"
    sys.stderr.write(f"{one_line(text)}   {end}")
    sys.stderr.flush()


@contextmanager
def waiting(text: str, first_s: float = 3.0, every_s: float = 15.0) -> Iterator[None]:
    """Says on standard error that something takes long, once it does.

    Args:
        text: What is waited for.
        first_s: After how many seconds it is said.
        every_s: And then again how often, with the seconds that have passed; a terminal shows every second.
    """
    over = threading.Event()

    def tell() -> None:
        began = time.monotonic()
        redraws = sys.stderr.isatty()
        wait = first_s
        while not over.wait(wait):
            say_progress(f"{text} … {duration(time.monotonic() - began)}", redrawn=True)
            wait = 1.0 if redraws else every_s

    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        if not _quiet and sys.stderr.isatty():
            # What was drawn makes room for the answer.
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def duration(seconds: float) -> str:
    """A time for people, for example `3 min 20 s`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
