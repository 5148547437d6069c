"""`touchstone labels`: labels that a user brings, and what is labelled as releases."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli import label_release
from touchstone_cli.brought import how_many, in_batches, lines_of, object_of
from touchstone_cli.errors import CliError
from touchstone_cli.how_far import HowFar
from touchstone_cli.label_scores import scores
from touchstone_cli.label_training import finetune
from touchstone_cli.output import counted, one_line, print_json, say
from touchstone_cli.services import connect

_BATCH = 100
_SHOWN = 20
# Fields of a line; the first three must be there.
_FIELDS = ("query", "code", "label", "language", "function_id", "name", "repository", "path", "licence", "reason")

app = typer.Typer(
    help="Labels that you bring, and releases of what is labelled.",
    epilog="Example: touchstone labels import mine.jsonl --origin me",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.add_typer(label_release.app, name="release")
app.command("finetune", epilog="Example: touchstone labels finetune --triples labels/train.jsonl --out ./tuned")(
    finetune
)
app.command("scores", epilog="Example: touchstone labels scores 2026-06")(scores)


@app.command("import", epilog="Example: touchstone labels import mine.jsonl --origin me")
def import_labels(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="JSON lines; - reads standard input.")],
    origin: Annotated[str, typer.Option(help="Who gave them; by default the file's name, with yours.")] = "",
    unfiltered: Annotated[bool, typer.Option("--unfiltered", help="Take codes that a corpus leaves out.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Import people's labels.

    A line is a JSON object with `query`, `code` and `label` (1 or 0), and where they are known `language`, `licence`,
    `function_id`, `name`, `repository`, `path`, `reason`. Such a label outranks every judgement of a method, and none
    of two reviewers. Of one origin the first label of a pair stands; files of one name that two people bring without
    --origin are two origins. Codes without a parameter or a returned value are
    refused, as in CoSQA+.
    """
    unnamed = not origin
    origin = origin or ("standard input" if str(file) == "-" else file.name)
    annotator = connect("annotator")
    stored = already = read = 0
    refused: list[dict[str, Any]] = []
    against: list[dict[str, Any]] = []
    far = HowFar("lines read", how_many(file))
    for batch in in_batches(_given(file), _BATCH, _size_of):
        labels = [annotator.messages.ImportedLabel(**fields) for _, fields in batch]
        request = annotator.messages.ImportLabelsRequest(
            origin=origin, labels=labels, unfiltered=unfiltered, unnamed=unnamed
        )
        answer = annotator.call("ImportLabels", request, timeout_s=600.0)
        stored, already = stored + answer.stored, already + answer.already
        refused += [{"line": batch[each.place][0], "reason": each.reason} for each in answer.refused]
        against += [{"line": batch[each.place][0], "reason": each.reason} for each in answer.contradicting]
        read += len(batch)
        far.at(read)
    if as_json:
        print_json({"stored": stored, "already": already, "refused": refused, "contradicting": against})
    else:
        print(f"{counted(stored, 'label')} imported from {one_line(origin)}, {already} known before")
        for word, found in (("refused", refused), ("stored, but people said otherwise", against)):
            for each in found[:_SHOWN]:
                say(f"{file}:{each['line']}: {word}: {one_line(each['reason'])}")
            if len(found) > _SHOWN:
                say(f"and {len(found) - _SHOWN} more; --json names each")
    if refused and not stored + already:
        raise typer.Exit(1)


def _size_of(given: tuple[int, dict[str, Any]]) -> int:
    return sum(len(value) for value in given[1].values() if isinstance(value, str))


def _given(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Line number and fields of each label."""
    for number, line in lines_of(file):
        content = object_of(file, number, line)
        unknown = sorted(set(content) - {*_FIELDS, "id"})
        if unknown:
            raise CliError(f"{file}:{number}: {unknown[0]} is not known; one of {', '.join(_FIELDS)}")
        if content.get("label") not in (0, 1) or isinstance(content.get("label"), bool):
            raise CliError(f"{file}:{number}: label is {content.get('label')!r}, not 0 or 1")
        fields = {name: content[name] for name in _FIELDS if content.get(name) is not None}
        wrong = [name for name in fields if name != "label" and not isinstance(fields[name], str)]
        missing = [name for name in _FIELDS[:2] if name not in fields]
        if wrong or missing:
            raise CliError(f"{file}:{number}: {(wrong or missing)[0]} is {'no text' if wrong else 'missing'}")
        yield number, {**fields, "label": int(content["label"])}
