"""How models did in each language of one set of tasks, and over all of them."""

from __future__ import annotations

from typing import Any

from touchstone_cli.output import counted, print_table, say
from touchstone_runtime.shares import percent
from touchstone_runtime.ways import way_of, ways_apart

_ALL = "all languages"


def show_languages(answer: Any) -> None:
    """Print a row for each way of asking: its share over all languages, then each language's own, with intervals.

    What is not judged to its end shows the least and the most that its share can be, and so does a row over all
    languages that lacks one: it cannot gain by what was left out.
    """
    _tell_left_out(answer)
    if not answer.rows:
        say("No model was evaluated so yet; start with `touchstone evaluate --release NAME --language go`.")
        return
    languages = [column.language for column in answer.columns]
    heads = ("model", "strategy", _ALL, *languages)
    ids = [next((cell.run_id for cell in row.cells), "") for row in answer.rows]
    ways = ways_apart([row.spec.model for row in answer.rows], [way_of(row.spec) for row in answer.rows], ids)
    lines = [_line(row, way, languages) for row, way in zip(answer.rows, ways, strict=True)]
    print_table(heads, lines, right=(_ALL, *languages))
    tasks = ", ".join(f"{counted(column.tasks, 'task')} in {column.language}" for column in answer.columns)
    wording = "tasks told by examples" if answer.wording == "by_example" else "described tasks"
    say(f"{answer.scope.name}, {wording}, {answer.mode}: {tasks}")
    say("% of questions solved (95 %), a question being a task in a language")
    say("least–most in square brackets where verdicts or languages are missing; nothing is ranked across languages")


def _tell_left_out(answer: Any) -> None:
    if not answer.left_out:
        return
    named: list[str] = []
    for column in answer.left_out:
        otherwise = f" ({counted(column.tasks_elsewhere, 'task')} worded otherwise)" if column.tasks_elsewhere else ""
        named.append(f"{column.language}{otherwise}")
    say(f"left out, without a task of this wording: {', '.join(named)}")


def _line(row: Any, way: str, languages: list[str]) -> tuple[str, ...]:
    cells = {cell.language: _cell(cell) for cell in row.cells}
    own = (cells.get(language, "–") for language in languages)
    return (row.spec.model, way, _together(row, languages), *own)


def _together(row: Any, languages: list[str]) -> str:
    if list(row.whole) == languages:
        return _interval(row.together)
    over = f" ({percent(row.together.value)} over {', '.join(row.whole)})" if row.whole else ""
    return f"{_bounds(row)}{over}"


def _cell(cell: Any) -> str:
    return (
        _interval(cell) if cell.tasks and cell.judged == cell.tasks else f"{_bounds(cell)} {cell.judged}/{cell.tasks}"
    )


def _interval(share: Any) -> str:
    return f"{percent(share.value)} ({percent(share.low, 0)}–{percent(share.high, 0)})"


def _bounds(share: Any) -> str:
    return f"[{percent(share.least)}–{percent(share.most)}]"
