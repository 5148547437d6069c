"""`touchstone labels release`: freeze what is labelled, prove it again, hand it out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.choices import LABEL_FORMATS, LANGUAGES, each_of, one_of
from touchstone_cli.how_far import HowFar
from touchstone_cli.offline import answers_of
from touchstone_cli.output import counted, one_line, print_json, print_table, say, shown, to_dict, waiting
from touchstone_cli.release import exported_folder
from touchstone_cli.release_files import write_export
from touchstone_cli.services import connect

_LONG_S = 24 * 3600.0
_ONE_OF = {"queries": "query", "codes": "code", "labels": "label"}

app = typer.Typer(
    help="Freeze, verify and export queries, codes and labels.",
    epilog="Example: touchstone labels release create 2026-06",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The release's name.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command(epilog="Example: touchstone labels release create 2026-06 --language python --licence MIT")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits, dots, dashes, underscores.")],
    language: Annotated[list[str] | None, typer.Option(help="Only codes in it; may be repeated.")] = None,
    licence: Annotated[list[str] | None, typer.Option(help="Only codes under it (SPDX); may be repeated.")] = None,
    decided_by: Annotated[list[str] | None, typer.Option(help="Only labels by it, as `person`; repeatable.")] = None,
    since: Annotated[
        str, typer.Option(metavar="NAME", help="Release to compare with, or none; by default the newest.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Freeze the labels of now.

    What is undecided stays undecided: it belongs to the pools and is exported as no label. So does what others than
    --decided-by names decided of the same queries and codes, and methods' contradicting labels of one text. A release
    never changes; the same call on the same labels gives the same release.
    """
    annotator = connect("annotator")
    request = annotator.messages.CreateReleaseRequest(
        name=name,
        languages=each_of(language or [], LANGUAGES, "--language"),
        licences=licence or [],
        decided_by=decided_by or [],
        since=since,
    )
    with waiting("freezing what is labelled"):
        answer = annotator.call("CreateRelease", request, timeout_s=_LONG_S)
        made = annotator.call("GetRelease", annotator.messages.GetReleaseRequest(name=answer.release.name))
    for line in _not_compared(json.loads(made.manifest_json or "{}").get("since")):
        say(line)
    if as_json:
        print_json({**to_dict(answer.release), "already": answer.already})
        return
    release = answer.release
    print(f"{one_line(release.name)}: {_held(release)}, digest {release.digest}")
    if answer.already:
        say("It was there before, with the same content.")


def _held(release: Any) -> str:
    queries = counted(release.queries, "query", "queries")
    return f"{queries}, {counted(release.codes, 'code')}, {counted(release.pairs, 'pair')}"


@app.command("list", epilog="Example: touchstone labels release list --json")
def list_releases(as_json: AsJson = False) -> None:
    """List releases, oldest first."""
    answer = connect("annotator").call("ListReleases")
    if as_json:
        print_json([to_dict(release) for release in answer.releases])
        return
    rows = [
        (each.name, each.queries, each.codes, each.pairs, each.created_at[:19], each.digest) for each in answer.releases
    ]
    names = ("name", "queries", "codes", "pairs", "created", "digest")
    print_table(names, rows, right=("queries", "codes", "pairs"))
    if not rows:
        say("There is no release of labels yet; make one with `touchstone labels release create NAME`.")


@app.command(epilog="Example: touchstone labels release show 2026-06 --json")
def show(name: Name, as_json: AsJson = False) -> None:
    """Show what a release holds, and what changed since the one before."""
    annotator = connect("annotator")
    answer = annotator.call("GetRelease", annotator.messages.GetReleaseRequest(name=name))
    manifest = json.loads(answer.manifest_json)
    if as_json:
        print_json({**to_dict(answer.release), "manifest": manifest})
        return
    counts = manifest["counts"]
    rows = [(key.replace("_", " "), value) for key, value in counts.items() if isinstance(value, int)]
    for group in ("codes_by_language", "codes_by_licence", "pairs_by_decider"):
        rows += [(f"{group.replace('_', ' ')}: {key}", value) for key, value in counts[group].items()]
    print_table(("what", "count"), rows, right=("count",))
    for line in _changes(manifest["since"]):
        print(shown(line))
    say(f"{answer.release.name}, made {answer.release.created_at[:19]}: {_held(answer.release)}")
    say(f"methods: {', '.join(manifest['methods'])}")
    say(f"digest {answer.release.digest}")


def _not_compared(since: Mapping[str, Any] | None) -> Iterator[str]:
    """Why nobody knows what changed since the release before; nothing where that is known, or there is none."""
    if since is not None and since["changes"] is None:
        yield (
            f"what changed since {one_line(since['name'])} (digest {since['digest'][:12]}) is not known, since that "
            f"release cannot be read: {one_line(since.get('why', ''))}"
        )


def _changes(since: Mapping[str, Any] | None) -> Iterator[str]:
    """What changed since the release before, in lines."""
    yield from _not_compared(since)
    if since is None or since["changes"] is None:
        return
    changes = since["changes"]
    yield f"since {one_line(since['name'])} (digest {since['digest'][:12]}):"
    for word in ("added", "removed"):
        held = ", ".join(
            counted(count, _ONE_OF.get(str(part), str(part)), str(part))
            for part, count in changes[word].items()
            if count
        )
        yield f"  {word}: {held or 'nothing'}"
    changed = ", ".join(f"{count} from {words}" for words, count in changes["labels_changed"].items())
    yield f"  labels changed: {changed or 'none'}"
    for each in changes["changed"]:
        yield f"    pair {each['pair_id'][:8]}: {each['was']} to {each['now']}, by {each['by']}: " + one_line(
            each["reason"]
        )
    if changes["changed_and_not_listed"]:
        yield f"    and {changes['changed_and_not_listed']} more"


@app.command(epilog="Example: touchstone labels release verify ./2026-06")
def verify(
    release: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A release, or the folder of an export.")],
    as_json: AsJson = False,
) -> None:
    """Check digests, rows and counts; on the platform also each label against its record.

    Exit code 1 where something differs. The folder of an export is verified on this machine alone; what lies in it and
    is no part of the release counts as a difference.
    """
    folder = exported_folder(release)
    problems: list[str] = []
    strays: list[str] = []
    done = total = 0
    far = HowFar("portions verified")
    for answer in _of_folder(folder) if folder else _of_release(release):
        done, total = max(done, answer["done"]), max(total, answer["total"])
        far.at(done, total)
        problems += answer["problems"]
        # Only a folder has some, and only its check names them.
        strays += answer.get("strays", ())
        for line in answer["problems"]:
            say(one_line(line))
    verified = not problems and done == total
    if as_json:
        found = {"release": release, "verified": verified, "portions": total, "problems": problems, "strays": strays}
        print_json(found)
    else:
        words = "verified" if verified else f"NOT verified, {counted(len(problems), 'problem')}"
        print(shown(f"{release}: {words}, {done} of {counted(total, 'portion')}"))
    if not verified:
        raise typer.Exit(1)


def _of_release(name: str) -> Iterator[Mapping[str, Any]]:
    annotator = connect("annotator")
    request = annotator.messages.VerifyReleaseRequest(name=name)
    for answer in annotator.stream("VerifyRelease", request, timeout_s=_LONG_S):
        yield to_dict(answer)


def _of_folder(folder: Path) -> Iterator[Mapping[str, Any]]:
    """What the annotator's offline command says of an exported folder.

    Raises:
        CliError: the folder holds no release of labels.
    """
    yield from answers_of("annotator", "verify", str(folder), who="the annotator")


@app.command(epilog="Example: touchstone labels release export 2026-06 --out ./2026-06")
def export(
    name: Name,
    out: Annotated[Path, typer.Option(help="Folder to write to; made when missing.")],
    export_format: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(LABEL_FORMATS)}.", metavar="FORMAT")
    ] = LABEL_FORMATS[0],
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a release as files.

    In the layout of BEIR and CoIR, in the files of CoSQA+, or as triples to fine-tune a search model on. The same
    release gives the same bytes. Manifest, rows and checksums go with it, so that anybody can verify it.
    """
    export_format = one_of(export_format, LABEL_FORMATS, "--format", empty=False)
    annotator = connect("annotator")
    request = annotator.messages.ExportReleaseRequest(name=name, format=export_format)
    count, size = write_export(out, annotator.stream("ExportRelease", request, timeout_s=_LONG_S), force=force)
    if as_json:
        print_json({"release": name, "format": export_format, "out": str(out), "files": count, "bytes": size})
    else:
        print(f"{name}: {counted(count, 'file')}, {size / 1e6:.1f} MB in {out}")
        say(f"Whoever gets it can prove it: touchstone labels release verify {out}")
