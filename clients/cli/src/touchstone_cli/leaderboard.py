"""`touchstone leaderboard`: how models did."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any

import typer

from touchstone_cli.choices import LANGUAGES, one_of
from touchstone_cli.errors import CliError
from touchstone_cli.languages import show_languages
from touchstone_cli.output import (
    console,
    counted,
    duration,
    print_json,
    print_table,
    say,
    shown,
    to_dict,
)
from touchstone_cli.services import connect
from touchstone_runtime.costs import cost_is_unknown, is_submitted, told_costs, usd_in_words
from touchstone_runtime.shares import percent, points, told_shares
from touchstone_runtime.tracks import TRACKS
from touchstone_runtime.ways import sampled_words, ways_apart

if TYPE_CHECKING:
    from rich.table import Table

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]

# What stands first is dropped last where a terminal is narrow; `--json` has all.
_COLUMNS: tuple[tuple[str, Callable[[Any], str]], ...] = (
    ("rank", lambda row: _rank(row)),
    ("model", lambda row: row.model),
    ("strategy", lambda row: _way(row)),
    ("Pass@1 %", lambda row: _share(row)),
    ("95 %", lambda row: _interval(row.pass_at_1, 0) if _whole(row) else ""),
    ("tasks", lambda row: _tasks(row)),
    ("pending", lambda row: str(row.pending or "")),
    ("lost", lambda row: str(row.infrastructure - row.cancelled or "")),
    ("CPU ×", lambda row: f"{row.cpu_ratio:.2f}" if row.cpu_ratio else ""),
    ("memory gap", lambda row: memory_words(row.memory) if row.HasField("memory") else ""),
    ("near", lambda row: str(row.near_misses)),
    ("USD", lambda row: _cost(row)),
    ("by kind", lambda row: _groups(row, row.by_kind)),
    ("by difficulty", lambda row: _groups(row, row.by_difficulty)),
    ("failures", lambda row: _failures(row)),
    ("tokens", lambda row: _tokens(row)),
    ("model time", lambda row: duration(row.model_seconds) if row.HasField("model_seconds") else "–"),
    ("retracted", lambda row: str(row.retracted or "")),
)
_ALWAYS = 6
# How the board is seen that a row does not stand on.
_SHOW = {"described": "touchstone leaderboard --by-example", "by_example": "touchstone leaderboard"}
# Tasks of the two kinds are ranked apart.
WORDINGS = {
    "described": "over tasks whose words suffice by our rules",
    "by_example": "over tasks that are told by examples, ranked apart",
}
_WORDS = ("model", "strategy", "by kind", "by difficulty", "failures")
# The longest name of a model that other columns make room for.
_LONGEST_MODEL = 24
# How few columns a narrow terminal has, and how few letters words have there; letters between two columns.
_LEAST, _NARROWEST, _BETWEEN = 4, 16, 3


def leaderboard(
    language: Annotated[str, typer.Option(help="Only runs in this language.")] = "",
    track: Annotated[str, typer.Option(help=f"Only what was asked so: {', '.join(TRACKS)}.")] = "",
    by_example: Annotated[bool, typer.Option("--by-example", help="Over tasks by example, ranked apart.")] = False,
    by_language: Annotated[
        bool, typer.Option("--by-language", help="The languages of one set of tasks beside one another, and over all.")
    ] = False,
    release: Annotated[
        str, typer.Option(help="With --by-language: the release, or another set of tasks; else the board in front.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show how models did: Pass@1 with its 95 % interval, failures, near misses, cost.

    A wider terminal shows more columns; --json has all.

    Example: touchstone leaderboard --json
    """
    language = one_of(language, LANGUAGES, "--language")
    track = one_of(track, TRACKS, "--track")
    if (language or track) and by_language:
        raise CliError("--by-language: shows all languages, of what is written; leave the other out", exit_code=2)
    if release and not by_language:
        raise CliError(f"--release {release}: goes with --by-language", exit_code=2)
    evaluator = connect("evaluator")
    if by_language:
        wanted = evaluator.messages.GetLanguagesRequest(scope=release, wording="by_example" if by_example else "")
        seen = evaluator.call("GetLanguages", wanted)
        if as_json:
            print_json(told_shares({name: value for name, value in to_dict(seen).items() if name != "scopes"}))
        else:
            show_languages(seen)
        return
    answer = evaluator.call(
        "Leaderboard",
        evaluator.messages.LeaderboardRequest(language=language, wording="by_example" if by_example else ""),
    )
    if track:
        rows = [row for row in answer.rows if (row.track or TRACKS[0]) == track]
        del answer.rows[:]
        answer.rows.extend(rows)
    if as_json:
        print_json(told_shares(told_costs([to_dict(row) for row in answer.rows])))
        return
    show_leaderboard(answer)
    if not answer.rows:
        say(_nobody(language, track, by_example=by_example))


def _nobody(language: str, track: str, *, by_example: bool) -> str:
    """What there is to say of an empty leaderboard: of what was asked for alone, others may have rows."""
    asked = [
        *([f"in {language}"] if language else []),
        *([f"in the track {track}"] if track else []),
        *(["over tasks by example"] if by_example else []),
    ]
    if not asked:
        return "No model was evaluated yet; start with `touchstone evaluate`."
    return f"No model was evaluated {' '.join(asked)} yet; `touchstone leaderboard` shows the others."


def show_leaderboard(answer: Any) -> None:
    """Print the rows of a leaderboard, best first, and where its page is."""
    if sys.stdout.isatty():
        out = console()
        for heading, rows in boards_of(answer.rows):
            out.print(f"\n{heading}", style="bold", markup=False)
            out.print(drawn(rows, out.width))
    else:
        names = ("tasks of", "language", "mode", *(heading for heading, _ in _COLUMNS))
        cells = [
            (row.task_set, row.language, row.mode, *line)
            for _, rows in boards_of(answer.rows)
            for row, line in zip(rows, zip(*_cells(rows).values(), strict=True), strict=True)
        ]
        print_table(names, cells)
    for note in elsewhere(answer.rows):
        say(note)
    if any(row.pass_at_1.total and not _whole(row) for row in answer.rows):
        say(
            "least–most in square brackets where verdicts are missing: such a row has no rank; the same call asks again"
        )
    for each in answer.retractions:
        of = f" of {each.source}" if each.source else ""
        say(f"retracted, counted nowhere: {each.task_id[:8]} {each.entry_point}{of}: {each.note}")
    if answer.report_url:
        say(f"report: {answer.report_url}")


def boards_of(rows: Sequence[Any]) -> list[tuple[str, list[Any]]]:
    """The rows of each board under its heading: ranks hold within one board alone."""
    found: list[tuple[str, list[Any]]] = []
    for (_, language, mode, _), some in groupby(rows, lambda row: (row.scope, row.language, row.mode, row.wording)):
        board = list(some)
        tasks, way = board[0].task_set, ", sampled" if mode == "sampled" else ""
        found.append((f"{tasks}, in {language}{way}" if tasks else f"In {language}{way}", board))
    return found


def elsewhere(rows: Sequence[Any]) -> list[str]:
    """Which tasks each board rests on, and how to see the others: a line for each set of tasks and language."""
    boards = {(row.task_set, row.language, row.wording, row.tasks, row.tasks_elsewhere): None for row in rows}
    return [
        f"{name}, in {language}: ranked over {counted(tasks, 'task')} "
        + ("that are described" if wording == "described" else "by example, which the described ones never mix with")
        + (f"; {others} more on the other board: `{_SHOW[wording]}`" if others else "")
        for name, language, wording, tasks, others in boards
        if wording
    ]


def drawn(rows: Sequence[Any], width: int) -> Table:
    """Rows over one set of tasks as a table that fits a terminal, a line each unless strategies are long.

    Args:
        rows: Of the leaderboard, best first.
        width: Of the terminal, in letters.
    """
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    cells = {heading: [shown(cell) for cell in some] for heading, some in _cells(rows).items()}
    needs = {heading: max(map(len, (heading, *some))) + _BETWEEN for heading, some in cells.items()}
    needs["model"] = min(needs["model"], _LONGEST_MODEL + _BETWEEN)
    chosen = list(cells)[:_ALWAYS]
    left = width - 2 - sum(needs[heading] for heading in chosen)
    # Words may stand in several lines. Then figures go from the right, since one that is cut would be another one.
    folded = max(0, min(-left, needs["strategy"] - _BETWEEN - _NARROWEST))
    left += folded
    while left < 0 and len(chosen) > _LEAST:
        gone = next((heading for heading in reversed(chosen[_LEAST:]) if not any(cells[heading])), chosen[-1])
        chosen.remove(gone)
        left += needs[gone]
    unfolded = min(max(0, left), folded)
    folded, left = folded - unfolded, left - unfolded
    if len(chosen) == _ALWAYS:
        for heading in list(cells)[_ALWAYS:]:
            if needs[heading] <= left and any(cells[heading]):
                chosen.append(heading)
                left -= needs[heading]
    # Only the name of a model may be cut.
    room = max(_NARROWEST, needs["model"] - _BETWEEN + left)
    cells["model"] = [name if len(name) <= room else f"{name[: room - 1]}…" for name in cells["model"]]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in chosen:
        most = max(needs[heading] - _BETWEEN - folded, _NARROWEST) if heading == "strategy" and folded else None
        justify = "left" if heading in _WORDS else "right"
        # A narrow terminal folds words alone: a figure that is cut would be another one.
        table.add_column(heading, justify=justify, max_width=most, overflow="fold", no_wrap=heading not in _WORDS)
    for line in zip(*(cells[heading] for heading in chosen), strict=True):
        table.add_row(*map(Text, line))
    return table


def _cells(rows: Sequence[Any]) -> dict[str, list[str]]:
    """What each column says of the rows of one board; of two runs that are told alike the strategy says which it is."""
    cells = {heading: [cell(row) for row in rows] for heading, cell in _COLUMNS}
    return cells | {"strategy": ways_apart(cells["model"], cells["strategy"], [row.run_id for row in rows])}


def row_words(row: Any) -> str:
    """A row of a leaderboard in two lines of words."""
    share = row.pass_at_1
    pending = f", {row.pending} pending" if row.pending else ""
    lost = row.infrastructure - row.cancelled
    pending += f", {lost} lost to faults and counted nowhere" if lost else ""
    pending += f", {row.cancelled} cancelled" if row.cancelled else ""
    name = f"{row.model}, {_way(row)}, {row.language}"
    if not share.total:
        failures = f"; failures: {_failures(row)}" if row.failures else ""
        return f"{name}: nothing is judged yet{pending}{failures}"
    if _whole(row):
        of = f"{share.passed} of {counted(share.total, 'answer')} to {counted(row.judged, 'task')}"
        of = of if _sampled(row) else f"{share.passed} of {counted(row.judged, 'task')}"
        parts = [f"Pass@1 {_share(row)} % (95 %: {_interval(share, 1)}), {of}{pending}"]
    else:
        of = f"{share.passed} of {counted(share.total, 'judged answer')} to {counted(row.tasks, 'task')}"
        of += f", {row.judged} of them whole" if _sampled(row) else ""
        parts = [f"Pass@1 between {percent(row.least)} and {percent(row.most)} %, {of}{pending}"]
    parts += [groups for groups in (_groups(row, row.by_kind), _groups(row, row.by_difficulty)) if groups]
    return (
        f"{name}: {'; '.join(parts)}\n"
        f"  failures: {_failures(row) or 'none'}; near misses: {row.near_misses}; "
        f"{_tokens_words(row)}; {_time_words(row)}; sandbox {row.sandbox_cpu_s:.1f} CPU-seconds; "
        f"{'cost unknown' if (cost := _cost(row)) == 'unknown' else f'{cost} USD'}"
    )


def _time_words(row: Any) -> str:
    # Answers of a batch, or from elsewhere, took nobody knows how long.
    return f"model {duration(row.model_seconds)}" if row.HasField("model_seconds") else "model time unknown"


def _tokens_words(row: Any) -> str:
    return "tokens unknown" if is_submitted(row.strategy) else f"{row.tokens_in:,} tokens in, {row.tokens_out:,} out"


def memory_words(gap: Any) -> str:
    """A memory gap in points with its 95 % interval: what is solved more under the names that a model may know."""
    ends = f"{points(gap.gap.low, 0)} to {points(gap.gap.high, 0)}"
    return f"{points(gap.gap.value)} ({ends})"


def _failures(row: Any) -> str:
    return ", ".join(f"{failure.outcome.replace('_', ' ')} {failure.count}" for failure in row.failures)


def _way(row: Any) -> str:
    return sampled_words(row.strategy, row.samples, row.temperature)


def _rank(row: Any) -> str:
    """The ranks that the data allow, within one set of tasks; none where tasks are missing."""
    if not row.rank_low:
        return "–"
    return str(row.rank_low) if row.rank_low == row.rank_high else f"{row.rank_low}–{row.rank_high}"


def _whole(row: Any) -> bool:
    """Whether every verdict of its board is there: what is judged so far is no figure of the board."""
    return bool(row.rank_low)


def _share(row: Any) -> str:
    """Its share, or the least and the most that it can be; nothing where nothing is judged."""
    if not row.pass_at_1.total:
        return ""
    return percent(row.pass_at_1.value) if _whole(row) else f"[{percent(row.least)}–{percent(row.most)}]"


def _sampled(row: Any) -> bool:
    """Whether its tasks have several answers: what is counted of answers is no count of tasks then."""
    return row.pass_at_1.total != row.judged


def _tasks(row: Any) -> str:
    """Tasks solved, of several samples the sum of their shares, of those that are judged whole."""
    done = f"{round(row.solved, 1):.12g}/{row.judged}"
    return done if _whole(row) or not row.tasks else f"{done} of {row.tasks}"


def _cost(row: Any) -> str:
    unknown = cost_is_unknown(row.model, row.cost_usd, row.tokens_in + row.tokens_out, row.unpriced)
    return usd_in_words(row.cost_usd, unknown=unknown)


def _tokens(row: Any) -> str:
    return "unknown" if is_submitted(row.strategy) else f"{row.tokens_in + row.tokens_out:,}"


def _interval(share: Any, digits: int) -> str:
    """Its bounds in percent; none where nothing is judged."""
    return f"{percent(share.low, digits)}–{percent(share.high, digits)}" if share.total else ""


def _groups(row: Any, shares: Any) -> str:
    told = ", ".join(
        f"{share.group} {share.passed}/{share.total}" + (f" of {share.asked}" if share.total < share.asked else "")
        for share in shares
    )
    return f"{told} answers" if told and _sampled(row) else told
