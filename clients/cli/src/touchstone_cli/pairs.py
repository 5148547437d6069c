"""`touchstone pairs`: queries with codes, and what was judged of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.annotate import show_pair
from touchstone_cli.brought import pages, say_if_cut
from touchstone_cli.choices import LANGUAGES, one_of
from touchstone_cli.drafts import draft_of
from touchstone_cli.errors import CliError
from touchstone_cli.how_far import HowFar
from touchstone_cli.output import console, counted, one_line, print_json, print_table, say, to_dict
from touchstone_cli.services import connect

OUTCOMES = ("yes", "no", "undecided")
_LONG_S = 24 * 3600.0

app = typer.Typer(
    help="Pairs of a query and a code, with their labels.",
    epilog="Example: touchstone pairs list --outcome undecided",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list", epilog="Example: touchstone pairs list --outcome undecided --limit 20")
def list_pairs(
    query: Annotated[str, typer.Option(help="Only of this query, word by word.")] = "",
    outcome: Annotated[str, typer.Option(help=f"One of {', '.join(OUTCOMES)}.")] = "",
    decided_by: Annotated[str, typer.Option(help="Whose label it is, for example person.")] = "",
    language: Annotated[str, typer.Option(help="Only codes in it.")] = "",
    disputed: Annotated[bool, typer.Option("--disputed", help="Only where the second agent disagrees.")] = False,
    limit: Annotated[int, typer.Option(min=0, help="At most so many; 0 is all.")] = 50,
    as_json: AsJson = False,
) -> None:
    """List judged pairs, the newest first."""
    outcome, language = one_of(outcome, OUTCOMES, "--outcome"), one_of(language, LANGUAGES, "--language")
    annotator = connect("annotator")

    def ask(size: int, token: str) -> tuple[Any, int]:
        request = annotator.messages.ListPairsRequest(
            limit=size, query=query, page_token=token, outcome=outcome, decided_by=decided_by, language=language,
            disputed=disputed,
        )  # fmt: skip
        answer = annotator.call("ListPairs", request)
        return answer, len(answer.pairs)

    answers = list(pages(ask, limit, 200))
    found = [to_dict(pair) for answer in answers for pair in answer.pairs]
    say_if_cut(answers, limit, "pairs")
    if as_json:
        print_json(found)
        return
    rows = [
        (
            pair["pair_id"][:8],
            pair["outcome"],
            pair["decided_by"],
            "" if pair["score"] is None else f"{pair['score']:.2f}",
            one_line(pair["query"])[:60],
            one_line(f"{pair['repository']} {pair['qualname']}".strip())[:60],
        )
        for pair in found
    ]
    print_table(("id", "label", "by", "score", "query", "code"), rows, right=("score",))
    if not rows:
        say("No such pair is judged yet; see `touchstone queries list`.")


@app.command(epilog="Example: touchstone pairs show 3f2a --json")
def show(
    pair_id: Annotated[str, typer.Argument(metavar="PAIR_ID", help="The pair's id, or how it begins.")],
    as_json: AsJson = False,
) -> None:
    """Show a pair with its code, its label, what led to it, and labels that do not count any more."""
    annotator = connect("annotator")
    answer = annotator.call("GetPair", annotator.messages.GetPairRequest(pair_id=pair_id))
    pair, others = to_dict(answer.pair), [to_dict(other) for other in answer.others]
    if as_json:
        print_json({**pair, "others": others})
        return
    console().print(f"query: {pair['query']}", markup=False)
    console().print(pair["code"], markup=False)
    show_pair(pair)
    facts = {
        "pair": pair["pair_id"],
        "code": f"{pair['repository']} {pair['path']} {pair['qualname']}".strip(),
        "licence": pair["licence"] or "unknown",
        "decided by": f"{pair['decided_by']} ({pair['method_id']})",
        "reading": pair["reading"],
        "score": "" if pair["score"] is None else f"{pair['score']:.3f}",
        "record": pair["record_digest"],
    }
    for name, value in facts.items():
        if value:
            say(f"{name}: {one_line(value)}")
    for other in others:
        say(f"before: {other['outcome']} by {other['decided_by']} ({other['method_id']}): {one_line(other['reason'])}")


@app.command(epilog="Example: touchstone pairs waiting --limit 10")
def waiting(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List proposed pairs that nobody has judged, in the order in which they will be, and what their budget has left.

    First comes what tells most of retrievers: near the top, where they disagree, of queries with few labels.
    """
    annotator = connect("annotator")
    answer = annotator.call("ListWaiting", annotator.messages.ListWaitingRequest(limit=limit))
    found, state = [to_dict(pair) for pair in answer.pairs], to_dict(answer.state)
    if as_json:
        print_json({"pairs": found, "state": state})
        return
    rows = [
        (
            pair["pair_id"][:8],
            f"{pair['priority']:.2f}",
            str(pair["judged"]),
            "set aside" if pair["aside"] else ("begun" if pair["begun"] else "waits"),
            one_line(pair["query"])[:60],
            one_line(f"{pair['repository']} {pair['qualname']}".strip())[:60],
        )
        for pair in found
    ]
    print_table(
        ("id", "priority", "labels of query", "state", "query", "code"), rows, right=("priority", "labels of query")
    )
    for pair in found:
        if pair["aside"]:
            say(f"{pair['pair_id'][:8]}: set aside: {one_line(pair['aside'])}")
    say(f"{counted(int(state['waiting']), 'pair')} waiting, {int(state['aside'])} set aside")
    for name in ("pairs", "tokens", "cost_usd"):
        account = state[name]
        if account and account["most"]:
            period = "" if state["period"] == "whole" else f" a {state['period']}"
            what = name.replace("_usd", " in USD")
            say(f"budget of {what}{period}: {account['spent']:,g} of {account['most']:,g}")
    if state["held"]:
        say(one_line(state["held"]))
    progress = annotator.call("Progress").progress
    # What was announced and not taken in yet, since no model can be asked for one, stands in no list.
    held = sum(each.value for each in progress.counters if each.name == "pairs_held")
    unread = progress.lag - (int(state["waiting"]) - held)
    if unread > 0:
        why = "".join(f"; {one_line(each)}" for each in progress.activities if "waiting:" in each)
        say(f"{counted(unread, 'proposal')} more announced and not taken in yet{why}")


@app.command(epilog="Example: touchstone pairs export --out labels.jsonl")
def export(
    out: Annotated[Path, typer.Option(help="File to write: JSON lines of query, code and label.")],
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write the labels of now as training data; undecided pairs are none.

    For a benchmark that others shall cite, see `touchstone labels release`.
    """
    annotator = connect("annotator")
    count, far = 0, HowFar("labelled pairs written")
    try:
        with draft_of(out, force=force) as draft, draft.open("w", encoding="utf-8") as stream:
            for answer in annotator.stream("ExportPairs", annotator.messages.ExportPairsRequest(), timeout_s=_LONG_S):
                stream.writelines(f"{line}\n" for line in answer.lines)
                count += len(answer.lines)
                far.at(count)
    except OSError as error:
        raise CliError(f"{out}: cannot be written ({error.strerror})") from error
    if as_json:
        print_json({"out": str(out), "pairs": count})
    else:
        print(f"{counted(count, 'labelled pair')} in {out}")
