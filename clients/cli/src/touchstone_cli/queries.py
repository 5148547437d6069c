"""`touchstone queries`: what people search for, and what becomes of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.brought import how_many, in_batches, lines_of, object_of, pages, say_if_cut
from touchstone_cli.errors import CliError
from touchstone_cli.how_far import HowFar
from touchstone_cli.output import counted, one_line, print_json, print_table, say, to_dict
from touchstone_cli.services import connect

_BATCH = 200
# As the retriever has it: what is longer is refused there.
_MOST_CHARACTERS = 2000

app = typer.Typer(
    help="Queries that codes are proposed and judged for.",
    epilog="Example: touchstone queries import queries.txt",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("import", epilog="Example: touchstone queries import queries.jsonl --origin support-tickets")
def import_queries(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Text or JSON lines; - reads standard input.")],
    origin: Annotated[str, typer.Option(help="Where they come from; the file's name by default.")] = "",
    candidates: Annotated[int, typer.Option(min=1, max=100, help="Codes to propose for each.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Import queries: codes are proposed for each, and judged.

    A line is a query, or a JSON object whose `text` or `query` is one. Empty ones, those that are too long and those
    that were met before are left out and counted; white space makes no other query.
    """
    origin = origin or ("standard input" if str(file) == "-" else file.name)
    retriever = connect("retriever")
    taken = _Taken()
    ids: list[str] = []
    known = 0
    far = HowFar("lines read", how_many(file))
    for batch in in_batches(taken.distinct(file), _BATCH):
        queries = [retriever.messages.Query(text=text, origin=origin) for text in batch]
        request = retriever.messages.ImportQueriesRequest(queries=queries, candidates=candidates)
        answer = retriever.call("ImportQueries", request, timeout_s=600.0)
        ids += answer.query_ids
        known += answer.met_before
        far.at(len(ids) + sum(taken.left_out.values()))
    taken.left_out["met before"] += known
    if as_json:
        print_json({"imported": len(ids) - known, "left_out": taken.left_out, "query_ids": ids})
    if not ids:
        raise CliError(f"{file}: holds no query that could be imported ({taken.words() or 'it is empty'})")
    if as_json:
        return
    print(f"{counted(len(ids) - known, 'query', 'queries')} imported from {one_line(origin)}")
    if taken.words():
        say(f"left out: {taken.words()}")
    say("Codes are proposed and judged by and by: touchstone queries list; touchstone pairs list")


class _Taken:
    """Queries of a file, and what was left out of it."""

    def __init__(self) -> None:
        self.left_out = {"too long": 0, "met before": 0, "empty": 0}

    def distinct(self, file: Path) -> Iterator[str]:
        """Each query once."""
        seen: set[str] = set()
        for number, line in lines_of(file):
            text = " ".join(_text(file, number, line).split())
            why = (
                "empty"
                if not text
                else "too long"
                if len(text) > _MOST_CHARACTERS
                else "met before"
                if text in seen
                else ""
            )
            if why:
                self.left_out[why] += 1
                continue
            seen.add(text)
            yield text

    def words(self) -> str:
        """What was left out, for people."""
        return ", ".join(f"{count} {why}" for why, count in self.left_out.items() if count)


def _text(file: Path, number: int, line: str) -> str:
    if not line.lstrip().startswith("{"):
        return line
    content = object_of(file, number, line)
    found: Any = content.get("text", content.get("query"))
    if not isinstance(found, str):
        raise CliError(f"{file}:{number}: has no `text` and no `query`")
    return found


@app.command("list", epilog="Example: touchstone queries list --limit 20 --json")
def list_queries(
    limit: Annotated[int, typer.Option(min=0, help="At most so many; 0 is all.")] = 100, as_json: AsJson = False
) -> None:
    """List queries, with how many codes were proposed for each."""
    retriever = connect("retriever")

    def ask(size: int, token: str) -> tuple[Any, int]:
        request = retriever.messages.ListQueriesRequest(limit=size, page_token=token)
        answer = retriever.call("ListQueries", request)
        return answer, len(answer.queries)

    answers = list(pages(ask, limit))
    found = [to_dict(query) for answer in answers for query in answer.queries]
    say_if_cut(answers, limit, "queries")
    if as_json:
        print_json(found)
        return
    rows = [
        (query["query_id"][:8], one_line(query["text"]), one_line(query["origin"]), query["proposed"])
        for query in found
    ]
    print_table(("id", "query", "from", "proposed"), rows, right=("proposed",))
    if not rows:
        say("There is no query yet; bring some with `touchstone queries import FILE`.")


@app.command(epilog="Example: touchstone queries pools --json")
def pools(
    query: Annotated[str, typer.Option(metavar="ID", help="One query's pool with its versions.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show how much of the candidates the models share, or how one query's pool grew.

    The candidates of a query are a pool with versions: code that comes to stand among the nearest enters with the next
    one, and only what enters is judged.
    """
    retriever = connect("retriever")
    found = to_dict(retriever.call("DescribePools", retriever.messages.DescribePoolsRequest(query_id=query)))
    if as_json:
        print_json(found)
        return
    if query:
        rows = [(one["version"], one["entered"], one["made_at"][:19]) for one in found["versions"]]
        print_table(("version", "entered", "made"), rows, right=("version", "entered"))
    shares = [(one["first"], one["second"], f"{one['shared']:.2f}", one["pools"]) for one in found["overlaps"]]
    print_table(("model", "and", "shared", "pools"), shares, right=("shared", "pools"))
    if not shares:
        say("There is no pool yet; bring queries with `touchstone queries import FILE`.")
