"""`touchstone retrieval`: how well a search engine finds what is labelled."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.errors import CliError
from touchstone_cli.output import counted, print_json, print_table, say
from touchstone_cli.settings import offline_environment

app = typer.Typer(
    no_args_is_help=True,
    help="How well a search engine finds what is labelled.",
    epilog="Example: touchstone retrieval evaluate --beir cosqa --split dev --run mine.run",
)

_COLUMNS = {
    "NDCG@10": "ndcg_at_10",
    "MRR": "mrr",
    "Recall@10": "recall_at_10",
    "MAP@10 of R": "map_at_10_of_all",
    "MAP@10 of min(10, R)": "map_at_10_of_reachable",
    "Success@1": "success_at_1",
    "Success@10": "success_at_10",
}


@app.callback(epilog="Example: touchstone retrieval evaluate --beir cosqa --split dev --run mine.run")
def root() -> None:
    """How well a search engine finds what is labelled."""


@app.command()
def evaluate(
    beir: Annotated[Path, typer.Option(help="Folder in BEIR form: corpus, queries, qrels.", show_default=False)],
    split: Annotated[str, typer.Option(help="Which qrels.")] = "test",
    run: Annotated[list[Path] | None, typer.Option(help="A run in TREC form; may be given several times.")] = None,
    model: Annotated[
        list[str] | None, typer.Option(help="A model of the embedder; of several their mean is scored, too.")
    ] = None,
    baseline: Annotated[Path | None, typer.Option(help="The run that gains are over.")] = None,
    write_run: Annotated[Path | None, typer.Option(help="Folder for the runs of the models.")] = None,
    judge: Annotated[int, typer.Option(min=0, help="Have so many unjudged pairs of the top ten judged.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON array.")] = False,
) -> None:
    """Score search engines against labels.

    Example: touchstone retrieval evaluate --beir cosqa --split dev --run mine.run --baseline bm25.run
    """
    command = [sys.executable, "-m", "evaluator", "retrieval", "--beir", str(beir), "--split", split]
    for name, values in (("--run", run), ("--model", model)):
        for value in values or ():
            command += [name, str(value)]
    for name, value in (("--baseline", baseline), ("--write-run", write_run)):
        if value is not None:
            command += [name, str(value)]
    command += ["--judge", str(judge)] if judge else []
    # Progress of the models is drawn by the command itself.
    done = subprocess.run(command, env=offline_environment(), stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise CliError("the runs were not scored", exit_code=1)
    results: list[dict[str, Any]] = json.loads(done.stdout)
    if as_json:
        print_json(results)
        return
    rows = [[one["run"], one["queries"], *(_cell(one, field) for field in _COLUMNS.values())] for one in results]
    print_table(("run", "queries", *_COLUMNS), rows, right=("queries", *_COLUMNS))
    for one in results:
        for line in _resting(one):
            say(line)


def _resting(result: dict[str, Any]) -> list[str]:
    """What of a result rests on labels that its query set does not have, and what nobody judged."""
    lines: list[str] = []
    if new := result.get("new_labels"):
        held = ", ".join(f"{new[outcome]} {outcome}" for outcome in ("yes", "no", "undecided"))
        named = {field: column for column, field in _COLUMNS.items()}
        changed = [
            f"{named[field]} ({result['before'][field]:.4f} without)"
            for field in result["rests_on_new_labels"]
            if field in named
        ]
        lines.append(
            f"{result['run']}: new labels: {held}, {new['judged_now']} judged now; "
            f"resting on them: {', '.join(changed) or 'no figure'}"
        )
    if result.get("unjudged_at_10"):
        pairs = counted(result["unjudged_at_10"], "pair")
        lines.append(f"{result['run']}: {pairs} of the first ten places without a label, counted as wrong")
    return lines


def _cell(result: dict[str, Any], field: str) -> str:
    gain = result.get(f"{field}_gain")
    return f"{result[field]:.4f}" + (f" ({gain[0]:+.4f}, {gain[1]:+.4f} to {gain[2]:+.4f})" if gain else "")
