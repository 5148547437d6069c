"""`touchstone sources`: where code comes from."""

from __future__ import annotations

import re
import time
import tomllib
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote, urlsplit

import typer

from touchstone_cli.choices import one_of
from touchstone_cli.errors import CliError
from touchstone_cli.followed import alike
from touchstone_cli.named import demand_one_meaning
from touchstone_cli.output import counted, one_line, print_json, print_table, say, to_dict
from touchstone_cli.services import Caller, connect
from touchstone_runtime.source_kinds import FOLLOWED

_PACKAGE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
# Where git reads from over a network: a URL, or `user@host:path` as ssh writes it.
_REMOTE = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*://|[^/\\s]+@[^/\\s:]+:")
_LOOK_AGAIN_S = 1.0
ARCHIVES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip", ".whl")

app = typer.Typer(
    help="List, add and remove the packages, repositories, folders and archives that code comes from.",
    epilog="Example: touchstone sources add boltons",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True)
class Wanted:
    """A source as a user names it."""

    kind: str
    name: str
    revision: str = ""
    window_days: int = 0


@app.command("list", epilog="Example: touchstone sources list --json")
def list_sources(as_json: AsJson = False) -> None:
    """List every source with its newest version and what came of it."""
    found = connect("ingester").call("ListSources").sources
    if as_json:
        print_json([to_dict(source) for source in found])
        return
    rows = [
        (
            source.source_id[:8],
            source.kind,
            source.name,
            source.latest_version or source.revision,
            source.released_at[:10],
            source.state,
            source.functions or "",
            source.detail,
        )
        for source in found
    ]
    print_table(
        ("id", "kind", "name", "version", "released", "state", "functions", "detail"), rows, right=("functions",)
    )
    if not rows:
        say("There are no sources; add one with `touchstone sources add NAME`, or those of sources.toml with `--file`.")


@app.command(epilog="Example: touchstone sources add https://example.org/project.git --revision v2.1")
def add(
    name: Annotated[str, typer.Argument(help="Package name, repository URL or path, folder, or archive file.")] = "",
    kind: Annotated[str, typer.Option(help="package, git, folder or archive; told from the name when left out.")] = "",
    revision: Annotated[str, typer.Option(help="Version or revision; the newest when left out.")] = "",
    window_days: Annotated[int, typer.Option(min=0, help="Only code dated within so many days; 0: default.")] = 0,
    file: Annotated[Path | None, typer.Option(help="Add every source of a file like sources.toml.")] = None,
    sync: Annotated[bool, typer.Option(help="Take the source in now.")] = True,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until it is taken in; 1 where it fails.")] = False,
    as_json: AsJson = False,
) -> None:
    """Follow a source and take it in."""
    if bool(name) == (file is not None):
        raise CliError("give either a NAME or --file; see `touchstone sources add --help`", exit_code=2)
    wanted = read_file(file) if file is not None else [named(name, kind, revision, window_days)]
    ingester = connect("ingester")
    added = [add_one(ingester, source) for source in wanted]
    asked_at = take_in(ingester, [source.source_id for source in added]) if sync else ""
    if not as_json:
        for source in added:
            say(f"following {source.kind} {source.name} ({source.source_id[:8]})")
    if sync and wait:
        added = wait_for(ingester, [source.source_id for source in added], asked_at)
    elif sync and not as_json:
        say("It is being taken in; `touchstone sources list` shows whether it was, or why not; --wait waits for it.")
    if as_json:
        print_json([to_dict(source) for source in added])
    elif wait:
        for source in added:
            detail = f": {source.detail}" if source.detail else f", {counted(source.functions, 'function')}"
            state = source.state.replace("_", " ")
            print(one_line(f"{source.kind} {source.name} {source.latest_version}: {state}{detail}"))
    if any(source.state == "failed" for source in added):
        raise typer.Exit(1)


def take_in(ingester: Caller, identities: list[str]) -> str:
    """Ask for a pass over sources; gives when that was, for `wait_for`."""
    return ingester.call("Sync", ingester.messages.SyncRequest(source_ids=identities)).asked_at


def wait_for(ingester: Caller, identities: list[str], asked_at: str) -> list[Any]:
    """The sources, as soon as each had a pass that began when it was asked for or later.

    Args:
        ingester: Follows them.
        identities: Their ids.
        asked_at: As `take_in` gave it. A source that was taken in before says nothing of what came since.
    """
    while True:
        known = {source.source_id: source for source in ingester.call("ListSources").sources}
        ours = [known[identity] for identity in identities if identity in known]
        if all(source.state not in ("", "waiting") and _had_pass(source, asked_at) for source in ours):
            return ours
        time.sleep(_LOOK_AGAIN_S)


def _had_pass(source: Any, asked_at: str) -> bool:
    if not asked_at:
        return True
    return bool(source.looked_at) and datetime.fromisoformat(source.looked_at) >= datetime.fromisoformat(asked_at)


@app.command(epilog="Example: touchstone sources remove boltons")
def remove(
    source: Annotated[str, typer.Argument(help="Its id, the beginning of its id, or its name.")],
) -> None:
    """Stop following a source; what came from it stays."""
    ingester = connect("ingester")
    known = list(ingester.call("ListSources").sources)
    called = {one.source_id: f"{one.kind} {one.name}" for one in known if one.name == source}
    begun = {one.source_id: f"{one.kind} {one.name}" for one in known if source and one.source_id.startswith(source)}
    if source in begun:
        called, begun = {}, {source: begun[source]}
    demand_one_meaning(source, called, begun)
    fitting = [one for one in known if one.source_id in (called or begun)]
    if len(fitting) != 1:
        what = "no such source" if not fitting else f"{len(fitting)} sources fit"
        others = alike(source, [one.name for one in known]) if not fitting else []
        meant = f"did you mean {' or '.join(others)}?" if others else "see `touchstone sources list`"
        raise CliError(f"{source}: {what}; {meant}")
    ingester.call("RemoveSource", ingester.messages.RemoveSourceRequest(source_id=fitting[0].source_id))
    say(f"no longer following {fitting[0].kind} {fitting[0].name}")


def named(name: str, kind: str = "", revision: str = "", window_days: int = 0) -> Wanted:
    """What a user means by a name.

    Raises:
        CliError: the kind is unknown, or a path does not exist or is something else.
    """
    kind = one_of(kind, FOLLOWED, "--kind")
    path = Path(name).expanduser()
    kind = kind or _kind_of(name, path)
    if kind == "package" and not _PACKAGE.fullmatch(name):
        if _looks_like_path(name) and path.exists():
            raise CliError(f"{name}: is a path and no name of a package; leave --kind out", exit_code=2)
        raise CliError(f"{name!r}: no name of a package, and no path; see `touchstone sources add --help`", exit_code=2)
    if kind in ("folder", "archive") or (kind == "git" and not _REMOTE.match(name)):
        address = name.startswith("file://")
        _demand_there(kind, name, Path(unquote(urlsplit(name).path)) if address else path)
        name = name if address and kind == "git" else str(path.resolve())
    return Wanted(kind, name, revision, window_days)


def _demand_there(kind: str, name: str, path: Path) -> None:
    """Refuse a path that is not there, or is something else than its kind says: the service would find out late."""
    if not path.exists():
        other = " or the URL of a repository" if kind == "git" else ""
        raise CliError(f"{name}: no such file or folder; name one that is there{other}")
    # A working tree, a linked one, or a bare repository.
    repository = (path / ".git").exists() or ((path / "HEAD").is_file() and (path / "objects").is_dir())
    if kind == "git" and not repository:
        raise CliError(f"{name}: is no git repository; --kind folder takes a folder as it is")
    if kind == "folder" and not path.is_dir():
        raise CliError(f"{name}: is a file and no folder; --kind archive takes an archive")
    if kind == "archive" and not path.is_file():
        raise CliError(f"{name}: is a folder and no archive; --kind folder takes a folder as it is")


def _kind_of(name: str, path: Path) -> str:
    if "://" in name or name.startswith("git@") or name.endswith(".git"):
        return "git"
    looks_like_path = _looks_like_path(name)
    if path.is_dir() and looks_like_path:
        return "git" if (path / ".git").exists() else "folder"
    if name.endswith(ARCHIVES) and (path.is_file() or looks_like_path):
        return "archive"
    if looks_like_path:
        raise CliError(f"{name}: no such folder or archive; name one that is there")
    return "package"


def _looks_like_path(name: str) -> bool:
    return "/" in name or name.startswith((".", "~"))


def read_file(path: Path) -> list[Wanted]:
    """The sources of a file like sources.toml: tables `[[source]]` with kind, name, revision and window_days.

    Raises:
        CliError: the file cannot be read, or a table is not as it should be.
    """
    try:
        content = tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise CliError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CliError(f"{path}: is not valid TOML: {error}") from error
    tables: Any = content.get("source", [])
    wanted: list[Wanted] = []
    for number, table in enumerate(tables, start=1):
        unknown = set(table) - {"kind", "name", "revision", "window_days"}
        if unknown or not isinstance(table.get("name"), str):
            why = f"unknown keys {', '.join(sorted(unknown))}" if unknown else "it has no name"
            raise CliError(f"{path}: source {number}: {why}; keys are kind, name, revision and window_days")
        relative = table.get("kind") in ("folder", "archive", "git") and (path.parent / table["name"]).exists()
        name = str(path.parent / table["name"]) if relative else table["name"]
        wanted.append(
            named(name, table.get("kind", ""), str(table.get("revision", "")), int(table.get("window_days", 0)))
        )
    if not wanted:
        raise CliError(f"{path}: has no [[source]] tables")
    return wanted


def add_one(ingester: Caller, wanted: Wanted) -> Any:
    """Have the ingester follow a source; naming it twice changes nothing."""
    source = ingester.messages.Source(
        kind=wanted.kind, name=wanted.name, revision=wanted.revision, window_days=wanted.window_days
    )
    return ingester.call("AddSource", ingester.messages.AddSourceRequest(source=source)).source
