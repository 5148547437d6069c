"""`touchstone release`: freeze sets of tasks, prove them again, hand them out, take tasks back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from touchstone_cli.choices import KINDS, LANGUAGES, RELEASE_FORMATS, each_of, listed, one_of
from touchstone_cli.errors import CliError
from touchstone_cli.named import task_named, tasks_named
from touchstone_cli.output import counted, one_line, print_json, print_table, say, shown, to_dict
from touchstone_cli.release_files import write_export
from touchstone_cli.release_import import import_set
from touchstone_cli.release_verify import Verification, of_folder, of_release
from touchstone_cli.services import connect
from touchstone_contracts.task_releases import retractions_digest
from touchstone_runtime.bands import BANDS
from touchstone_runtime.shares import percent
from touchstone_runtime.source_kinds import own_sources

FORMATS = RELEASE_FORMATS
_LONG_S = 24 * 3600.0

app = typer.Typer(
    help="Freeze, verify, export and import sets of tasks; take tasks back.",
    epilog="Example: touchstone release create 2026-06 --kind SC",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
Name = Annotated[str, typer.Argument(metavar="NAME", help="The release's name.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command(epilog="Example: touchstone release create 2026-06 --kind SC --since 2026-01-01")
def create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Small letters, digits, dots, dashes, underscores.")],
    kind: Annotated[str, typer.Option(help="SC or WSC; both when left out.")] = "",
    language: Annotated[list[str] | None, typer.Option(help="Only tasks certified in it; may be repeated.")] = None,
    since: Annotated[str, typer.Option(metavar="DATE", help="Only code of this day (YYYY-MM-DD) or later.")] = "",
    tasks: Annotated[list[str] | None, typer.Option(metavar="IDS", help="Only these; commas, or repeated.")] = None,
    band: Annotated[str, typer.Option(help="usual or hard (complexity above 10); usual when left out.")] = "",
    as_json: AsJson = False,
) -> None:
    """Freeze the released tasks that match.

    A release never changes; the same call on the same tasks gives the same release.
    """
    kind, languages = one_of(kind, KINDS, "--kind"), each_of(listed(language, "--language"), LANGUAGES, "--language")
    band = one_of(band, BANDS, "--band")
    generator = connect("pbt-generator")
    request = generator.messages.CreateReleaseRequest(
        name=name,
        kind=kind,
        languages=languages,
        since=since,
        task_ids=tasks_named(listed(tasks, "--tasks"), generator),
        band=band,
    )
    answer = generator.call("CreateRelease", request, timeout_s=600.0)
    release = answer.release
    frozen = generator.call("GetRelease", generator.messages.GetReleaseRequest(name=release.name or name))
    own = _own(json.loads(frozen.manifest_json))
    if as_json:
        print_json({**to_dict(release), "already": answer.already, "own_sources": own})
        return
    print(f"{one_line(release.name)}: {counted(release.tasks, 'task')}, digest {release.digest}")
    if answer.already:
        say("It was there before, with the same content.")
    _warn(own)


def _own(manifest: Any) -> list[dict[str, Any]]:
    """Sources of a release that others do not get; manifests of before do not say it themselves."""
    return own_sources(task["source"] for task in manifest["tasks"])


def _warn(own: list[dict[str, Any]]) -> None:
    """Say that a release holds code from where others do not get it: whoever is given an export reads it all."""
    if not own:
        return
    which = counted(sum(each["tasks"] for each in own), "task holds", "tasks hold")
    places = ", ".join(one_line(f"{each['kind']} {each['name']}") for each in own)
    say(
        f"warning: {which} code that others do not get elsewhere, of {places}: whoever gets an export of this release "
        "can read it, and nobody else can take that code in again"
    )


@app.command("list", epilog="Example: touchstone release list --json")
def list_releases(as_json: AsJson = False) -> None:
    """List releases, oldest first."""
    answer = connect("pbt-generator").call("ListReleases")
    if as_json:
        print_json([to_dict(release) for release in answer.releases])
        return
    rows = [(each.name, each.tasks, each.retracted, each.created_at[:19], each.digest) for each in answer.releases]
    print_table(("name", "tasks", "retracted", "created", "digest"), rows, right=("tasks", "retracted"))
    if not rows:
        say("There is no release yet; make one with `touchstone release create NAME`.")


@app.command(epilog="Example: touchstone release show 2026-06 --json")
def show(name: Name, as_json: AsJson = False) -> None:
    """Show a release with its tasks and their origin."""
    generator = connect("pbt-generator")
    answer = generator.call("GetRelease", generator.messages.GetReleaseRequest(name=name))
    manifest = json.loads(answer.manifest_json)
    notes = {each.task_id: each.note for each in answer.retractions}
    if as_json:
        told = {"manifest": manifest, "retractions": notes, "own_sources": _own(manifest)}
        print_json({**to_dict(answer.release), **told, "retractions_digest": retractions_digest(notes)})
        return
    release = answer.release
    rows = [
        (
            task["task_id"][:8],
            task["kind"],
            task["difficulty"],
            task["entry_point"],
            f"{task['source']['name']} {task['source']['version']}",
            task["licence"] or "unknown",
            task["cases"],
            f"{percent(task['mutation_score'], 0)}%" if task["mutation_score"] >= 0 else "not measured",
            f"retracted: {notes[task['task_id']]}" if task["task_id"] in notes else "",
        )
        for task in manifest["tasks"]
    ]
    names = ("id", "kind", "difficulty", "function", "from", "licence", "cases", "mutants", "state")
    print_table(names, rows, right=("cases", "mutants"))
    counts = manifest["counts"]
    held = f"{counted(release.tasks, 'task')}, {counted(counts['cases'], 'case')}"
    say(f"{release.name}, made {release.created_at[:19]}: {held}")
    for group in ("by_kind", "by_difficulty", "by_language", "by_licence"):
        words = ", ".join(f"{key} {count}" for key, count in counts[group].items())
        say(f"{group.replace('_', ' ')}: {words}")
    say(f"digest {release.digest}")
    # What the folder of an export is compared with: its own list of them is its own word.
    say(f"retractions {retractions_digest(notes)}")
    _warn(_own(manifest))


@app.command(epilog="Example: touchstone release verify ./2026-06 --json")
def verify(
    release: Annotated[str, typer.Argument(metavar="NAME|PATH", help="A release, or the folder of an export.")],
    language: Annotated[list[str] | None, typer.Option(help="Replay in it only; may be repeated.")] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Measure coverage, mutants and misreadings again as well.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check digests and replay certificates.

    Every program of every certificate goes through the sandbox again; exit code 1 where something
    differs. The folder of an export is verified on this machine alone: no platform is needed, only a sandbox. What lies
    in it and is no part of the release counts as a difference.
    """
    languages = each_of(listed(language, "--language"), LANGUAGES, "--language")
    found = Verification(release)
    folder = exported_folder(release)
    answers = of_folder(folder, languages, full=full) if folder else of_release(release, languages, _LONG_S, full=full)
    for answer in answers:
        for line in found.take(answer):
            say(one_line(line))
    if as_json:
        print_json(found.to_dict())
    else:
        print(shown(found.words()))
    if not found.verified:
        raise typer.Exit(1)


def exported_folder(text: str) -> Path | None:
    """The folder that is meant; None where the text is a release's name.

    Raises:
        CliError: it is a path, and there is no folder.
    """
    path = Path(text)
    if path.name == "manifest.json" and path.is_file():
        return path.parent
    if path.is_dir() and ((path / "manifest.json").is_file() or "/" in text or text in (".", "..")):
        return path
    if "/" in text or path.is_file():
        raise CliError(f"{text}: no such folder; name a release, or the folder that `release export` wrote")
    return None


@app.command(epilog="Example: touchstone release export 2026-06 --out ./2026-06 --format parquet")
def export(
    name: Name,
    out: Annotated[Path, typer.Option(help="Folder to write to; made when missing.")],
    export_format: Annotated[
        str, typer.Option("--format", help=f"One of {', '.join(FORMATS)}.", metavar="FORMAT")
    ] = FORMATS[0],
    force: Annotated[bool, typer.Option("--force", help="Write into a folder that is not empty.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write a release as files.

    In the folder layout of Code2Bench, as JSONL of EvalPlus or LiveCodeBench, or as Parquet. The same release gives the
    same bytes. Manifest, certificates and checksums go with it, so that anybody can verify it.
    """
    export_format = one_of(export_format, FORMATS, "--format", empty=False)
    generator = connect("pbt-generator")
    request = generator.messages.ExportReleaseRequest(name=name, format=export_format)
    count, size = write_export(out, generator.stream("ExportRelease", request, timeout_s=_LONG_S), force=force)
    if as_json:
        print_json({"release": name, "format": export_format, "out": str(out), "files": count, "bytes": size})
    else:
        print(f"{name}: {counted(count, 'file')}, {size / 1e6:.1f} MB in {out}")
        say(f"Whoever gets it can prove it: touchstone release verify {out}")


app.command(
    "import",
    epilog="Example: touchstone release import HumanEvalPlus.jsonl.gz --name humanevalplus --set HumanEval+ "
    "--set-version 0.1.10 --licence Apache-2.0",
)(import_set)


@app.command(epilog='Example: touchstone release retract 3f2a --note "it rounds wrongly"')
def retract(
    task_id: Annotated[
        str, typer.Argument(metavar="TASK_ID", help="The task's id, how it begins, or its function's name.")
    ],
    note: Annotated[str, typer.Option(help="Why, for everybody to read.")],
    as_json: AsJson = False,
) -> None:
    """Take a task back for good.

    It leaves lists, later releases and all scores. Releases that hold it stay as they are and show it as retracted.
    """
    generator = connect("pbt-generator")
    named = task_named(task_id, generator)
    answer = generator.call("RetractTask", generator.messages.RetractTaskRequest(task_id=named, note=note))
    if as_json:
        print_json({**to_dict(answer.task), "already": answer.already, "releases": list(answer.releases)})
        return
    task = answer.task
    print(one_line(f"{task.task_id} {task.entry_point}: retracted: {task.retracted}"))
    if answer.already:
        say("It was taken back before; the first note stays.")
    if answer.releases:
        say(f"held by {', '.join(answer.releases)}, which show it as retracted")
