"""`touchstone ablation`: what each part of a strategy is worth, task by task."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from touchstone_cli.choices import LANGUAGES, one_of
from touchstone_cli.errors import CliError
from touchstone_cli.evaluate import follow, known_strategy, lost_words, unfinished
from touchstone_cli.output import counted, print_json, print_table, say, to_dict
from touchstone_cli.services import Service, connect
from touchstone_runtime.costs import told_costs
from touchstone_runtime.shares import percent, points, told_shares
from touchstone_runtime.wordings import BY_EXAMPLE, DESCRIBED, IN_WORDS, wording_named


def ablation(
    model: Annotated[str, typer.Option(help="A name from models.toml, or name@http://host:port/v1.")] = "",
    strategy: Annotated[str, typer.Option(help="A strategy with parts.", show_default=False)] = "cocost",
    baseline: Annotated[str, typer.Option(help="Compared too; none when empty.", show_default=False)] = "direct",
    release: Annotated[str, typer.Option(help="Only the tasks of this release.")] = "",
    limit: Annotated[int, typer.Option(min=0, help="A sample spread over packages and kinds.", show_default=False)] = 0,
    language: Annotated[str, typer.Option(help="Language of the solutions.", show_default=False)] = "python",
    by_example: Annotated[bool, typer.Option("--by-example", help="Over tasks by example, compared apart.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Run a strategy whole and without each of its parts on the same tasks, and compare the runs in pairs.

    Tasks that are described and tasks told by example are never compared together. Each run is an ordinary one:
    what is there already is not asked again, and the same call goes on where it stopped.

    Example: touchstone ablation --model qwen2.5-coder-0.5b --release 2026-06
    """
    language = one_of(language, LANGUAGES, "--language", empty=False)
    evaluator = connect("evaluator")
    strategy, parts = known_strategy(evaluator, strategy.partition(":")[0])
    if not parts:
        raise CliError(f"--strategy {strategy}: it has no parts to leave out", exit_code=2)
    variants = [strategy, *(f"{strategy}:no-{part}" for part in parts), *filter(None, [baseline])]
    # All are asked for at once: their questions share the model as those of any runs do.
    wanted = [
        evaluator.messages.StartRunRequest(
            model=model, strategy=variant, release=release, limit=limit, language=language
        )
        for variant in variants
    ]
    started = [evaluator.call("StartRun", request) for request in wanted]
    say(f"{counted(len(variants), 'run')} over {counted(started[0].tasks, 'task')} ({started[0].task_set})")
    halted: list[str] = []
    lost: list[str] = []
    for number, (variant, run) in enumerate(zip(variants, started, strict=True), 1):
        say(f"{number} of {len(variants)}: {variant}, run {run.run_id[:12]}")
        state = follow(evaluator, run.run_id)
        if state.finished < state.tasks:
            halted.append(unfinished(state, variant))
        elif state.summary.infrastructure:
            lost.append(f"{variant}: {lost_words(state)}")
    board = _board(evaluator, started[0].run_id, language, BY_EXAMPLE if by_example else "")
    rows = _compared(board, variants, [run.run_id for run in started])
    if as_json:
        print_json(told_shares(rows))
    else:
        _show(rows, strategy)
        say(_over(board))
    if lost or halted:
        raise CliError("; ".join([*lost, *halted]))


def _board(evaluator: Service, run_id: str, language: str, wording: str) -> Any:
    """The board of the tasks of a run, over those of one wording."""
    spec = evaluator.call("GetRun", evaluator.messages.GetRunRequest(run_id=run_id)).summary.spec
    scope = spec.tasks.release or spec.tasks.digest
    request = evaluator.messages.GetBoardRequest(scope=scope, language=language, wording=wording)
    return evaluator.call("GetBoard", request)


def _over(board: Any) -> str:
    """Which tasks all of it rests on, and how to see the others."""
    are = "is" if board.tasks == 1 else "are"
    words = f"Over {counted(board.tasks, 'task')} that {are} {IN_WORDS[wording_named(board.wording)]}"
    if not board.tasks_elsewhere:
        return f"{words}."
    other = "with --by-example" if board.wording == DESCRIBED else "without --by-example"
    return f"{words}; {board.tasks_elsewhere} of the other kind are compared apart, {other}."


def _compared(board: Any, variants: list[str], runs: list[str]) -> list[dict[str, Any]]:
    """One object a variant, the whole strategy first."""
    found = {row.run.run_id: row for row in board.rows}
    rows: list[dict[str, Any]] = []
    for variant, run_id in zip(variants, runs, strict=True):
        row: dict[str, Any] = {"variant": variant, "run": run_id, "wording": board.wording}
        if share := found.get(run_id):
            row |= {"value": share.value, "low": share.low, "high": share.high, "judged": share.judged}
            row |= {"tasks": share.tasks, "passed": share.passed, "least": share.least, "most": share.most}
            tokens = share.run.tokens_in + share.run.tokens_out
            row |= {"tokens": tokens, "cost_usd": told_costs(to_dict(share.run))["cost_usd"]}
        if pair := _pair(board.pairs, run_id, runs[0]):
            row["gain"] = pair
        rows.append(row)
    return rows


def _pair(pairs: Any, run_id: str, whole: str) -> dict[str, Any] | None:
    """The variant against the whole; negative where what was left out helps."""
    for pair in pairs:
        if (pair.run_a, pair.run_b) == (run_id, whole):
            gain = (pair.difference, pair.low, pair.high)
        elif (pair.run_a, pair.run_b) == (whole, run_id):
            # From nothing: no difference is not a negative one.
            gain = (0.0 - pair.difference, 0.0 - pair.high, 0.0 - pair.low)
        else:
            continue
        return dict(zip(("value", "low", "high"), gain, strict=True)) | {"p": pair.p_holm, "decided": pair.decided}
    return None


def _show(rows: list[dict[str, Any]], strategy: str) -> None:
    shown: list[tuple[object, ...]] = []
    for row in rows:
        gain = row.get("gain")
        whole = "value" in row and row["judged"] == row["tasks"]
        missing = f"[{percent(row['least'])}–{percent(row['most'])}]" if "value" in row else "–"
        shown.append(
            (
                row["variant"],
                percent(row["value"]) if whole else missing,
                f"{percent(row['low'], 0)}–{percent(row['high'], 0)}" if whole else "",
                f"{row.get('judged', 0)}/{row.get('tasks', 0)}",
                points(gain["value"]) if gain else "",
                f"{points(gain['low'])} to {points(gain['high'])}" if gain else "",
                (f"{gain['p']:.3f}" + (" *" if gain["decided"] else "")) if gain else "",
                f"{row.get('tokens', 0):,}",
            )
        )
    names = ("variant", "Pass@1 %", "95 %", "judged", f"against {strategy}", "95 % of it", "p (Holm)", "tokens")
    print_table(names, shown, right=names[1:])
    if any("value" in row and row["judged"] < row["tasks"] for row in rows):
        say("Least–most in square brackets where verdicts are missing; such a run is compared with none.")
    say("Paired by task, intervals by repository; p is held over all pairs of the board; * is decided.")
