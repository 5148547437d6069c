"""`touchstone labels scores`: how well the platform's own retrievers find what is labelled."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from touchstone_cli.output import counted, print_json, print_table, say, to_dict
from touchstone_cli.services import connect

_MEASURES = {
    "NDCG@10": "ndcg_at_10",
    "MRR": "mrr",
    "Recall@10": "recall_at_10",
    "MAP@10 of R": "map_at_10_of_all",
    "Success@1": "success_at_1",
}


def scores(
    release: Annotated[str, typer.Argument(metavar="[RELEASE]", help="Only on this release of labels.")] = "",
    current: Annotated[bool, typer.Option("--current", help="Only on the labels of now.")] = False,
    history: Annotated[bool, typer.Option("--history", help="Every score ever taken, not the newest only.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with all measures and intervals.")] = False,
) -> None:
    """How well the platform's retrievers find what is labelled, on each release and on the labels of now.

    They are scored by themselves: on every release once there are codes to find, and again when labels come or the
    index changes. Those on other labels, or of another index, cannot be compared: they are in the history.

    Each measure counts codes without a label as wrong; beside it stands the most, with these codes taken out of the
    rankings. Their places among the first ten are counted.
    """
    evaluator = connect("evaluator")
    request = evaluator.messages.ListRetrievalScoresRequest(labels="(current)" if current else release, history=history)
    found = evaluator.call("ListRetrievalScores", request).scores
    if as_json:
        print_json([to_dict(score) for score in found])
        return
    names = ("labels", "retriever", "queries", *_MEASURES, "unjudged", "digest", "index", "scored")
    rows = [
        (
            one.labels,
            one.retriever,
            f"{one.queries} of {one.answerable}",
            *(_cell(one, field) for field in _MEASURES.values()),
            one.unjudged_at_10,
            one.labels_digest[:12],
            f"{one.generation or '–'}, {counted(one.indexed, 'code')} {one.index_digest[:12]}".rstrip(),
            one.scored_at[:19],
        )
        for one in found
    ]
    print_table(names, rows, right=("queries", *_MEASURES, "unjudged"))
    if found:
        say(f"{counted(len(found), 'score')}; 95 % intervals by Student's t over the queries; unjudged: places @10")
        say("What nobody judged counts as wrong; the most is what a score is with it left out.")
    else:
        say("Nothing is scored yet; it takes labels with a yes, and an index.")


def _cell(score: Any, field: str) -> str:
    """A measure with its interval, and what it is without the codes that have no label where that is another figure."""
    told: list[str] = []
    if field in score.measures:
        mean = score.measures[field]
        told.append(f"{mean.value:.4f} ({mean.low:.4f} to {mean.high:.4f})")
    most = f"{score.condensed[field].value:.4f}" if field in score.condensed else ""
    if most and not (told and told[0].startswith(most)):
        told.append(f"most {most}")
    return ", ".join(told)
