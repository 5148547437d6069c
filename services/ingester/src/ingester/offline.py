"""What needs no service: class and reason of each function of a path, and one function as an event."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ingester.adapters.archives import unpack
from ingester.adapters.trees import FolderTree
from ingester.domain.analysis import FoundFunction, analyse_file
from ingester.domain.filters import judge_length, judge_place
from ingester.domain.libraries import default_libraries
from ingester.domain.other_languages import language_of
from ingester.domain.packages import Package, Siblings
from ingester.errors import FunctionNotFoundError, NothingParsesError, SourceRefusedError
from touchstone_runtime.forms import MADE_FORMS

# How what is made of a function or class that does not stand alone is a function of data all the same.
_AS = {
    "slice": "cut out of its source",
    "record": "as a function of its object's fields",
    "sequence": "as a function of a list of operations",
}


def classify(path: Path, top: Path | None = None) -> Iterator[dict[str, Any]]:
    """Every Python function of a file, folder or archive, with its class and the verdict of the filters.

    A function that comes as a slice or a record is a candidate as that; a class is named where it comes as a sequence.
    What lies in tests, documentation, examples and vendored copies is none. A file that does not parse gets one line on
    standard error, and the rest goes on. Duplicates and licences are not asked about: they need the platform's history
    and its allow-list.

    Args:
        path: The file, folder or archive.
        top: The folder from which the place of a file is told; of a file in a package else the one that holds the
            package, and of a folder that folder.

    Raises:
        NothingParsesError: the path holds nothing that parses.
        SourceRefusedError: the path cannot be read.
    """
    read = broken = 0
    problem = ""
    with _files(path) as (files, package):
        # A file is told by its name, those of a folder or an archive by their places in it.
        is_one = path.is_file() and not _looks_like_archive(path)
        below = _below(path, top) if top else None
        for name, content in files:
            place = name if below is None else (below if is_one else below / name).as_posix()
            analysis = analyse_file(content, name, language="python", sketch=False, package=package)
            if analysis.problem:
                broken += 1
                problem = f"{name}: {analysis.problem}"
                sys.stderr.write(f"{problem}; it is left out\n")
                continue
            read += 1
            made = _made_by_place(analysis.functions)
            for found in analysis.functions:
                if found.form in MADE_FORMS:
                    continue
                cut = made.get((found.qualname, found.line_start))
                if found.form != "class" or cut is not None:
                    yield describe(_placed(found, place), cut and _placed(cut, place)) | (
                        {"path": path.name} if is_one else {}
                    )
    if broken and not read:
        raise NothingParsesError(problem, way_out="mend its syntax, or name another file")


def _made_by_place(functions: Sequence[FoundFunction]) -> dict[tuple[str, int], FoundFunction]:
    """What was made of functions and classes that are no candidates themselves, by their names and first lines."""
    # A name may be defined several times: what is made of one definition tells nothing of the others.
    return {(found.qualname, found.line_start): found for found in functions if found.form in MADE_FORMS}


def _below(path: Path, top: Path) -> Path:
    try:
        return path.resolve().relative_to(top.resolve())
    except ValueError:
        raise SourceRefusedError(f"does not lie in {top}", thing=str(path), way_out="name a folder above it") from None


def _placed(found: FoundFunction, place: str) -> FoundFunction:
    """A function with what is said of its length and the place where it lies, unless something else refuses it."""
    outside = None if found.rejected_by else judge_length(found.code) or judge_place(place)
    return found if outside is None else found._replace(rejected_by=outside.by, rejection=outside.words)


def describe(found: FoundFunction, made: FoundFunction | None = None) -> dict[str, Any]:
    """One function or class as the command prints it; `made` is the candidate that comes of it in another form."""
    told = made or found
    return {
        "path": found.path,
        "qualname": found.qualname,
        "name": found.name,
        "form": found.form,
        "line": found.line_start,
        "line_start": found.line_start,
        "line_end": found.line_end,
        "class": told.classification,
        "reason": _reason(told),
        "reasons": [each._asdict() for each in told.reasons],
        "libraries": list(told.libraries),
        "imports": list(told.imports),
        "annotation_only": told.annotation_only,
        "complexity": told.complexity,
        "task_candidate": not told.rejected_by,
        "rejected_by": told.rejected_by,
        "rejection": told.rejection,
        **{form: made is not None and made.form == form for form in sorted(MADE_FORMS)},
    }


def _reason(found: FoundFunction) -> str:
    if found.form in MADE_FORMS:
        with_parts = f", with {', '.join(part.name for part in found.parts)}" if found.parts else ""
        return f"{_AS[found.form]}{with_parts}"
    if found.reasons:
        return "; ".join(f"line {each.line}: {each.reference} {each.why}" for each in found.reasons)
    if found.classification == "SC":
        return "every name is its own or a built-in"
    uses = f"uses {', '.join(found.libraries)}"
    return f"{uses}, in annotations only" if found.annotation_only else uses


@contextmanager
def _files(path: Path) -> Iterator[tuple[Iterator[tuple[str, bytes]], Package | None]]:
    """The Python files of a path, ordered, and the package that they are parts of."""
    if path.is_dir():
        tree = FolderTree(path)
        yield _python(tree), Package(tree.siblings, default_libraries())
    elif not path.is_file():
        raise SourceRefusedError("no such file or folder", thing=str(path), way_out="check the spelling")
    elif _looks_like_archive(path):
        with tempfile.TemporaryDirectory(prefix="ingester-") as made:
            unpack(path, Path(made))
            tree = FolderTree(Path(made))
            yield _python(tree), Package(tree.siblings, default_libraries())
    else:
        place, package = _package_of(path.resolve())
        yield iter([(place, _read(path))]), package


def _python(tree: FolderTree) -> Iterator[tuple[str, bytes]]:
    read = (file for file in tree.files() if not file.problem)
    return ((file.path, file.content) for file in read if language_of(file.path) == "python")


def _looks_like_archive(path: Path) -> bool:
    if path.suffix in (".py", ".pyi", ".pyw"):
        return False
    known = (".zip", ".whl", ".egg", ".tar", ".gz", ".tgz", ".bz2", ".tbz2", ".xz", ".txz")
    with path.open("rb") as opened:
        head = opened.read(6)
    return path.suffix.lower() in known or head.startswith((b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\xfd7zXZ"))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceRefusedError(f"cannot be read: {error.strerror}", thing=str(path)) from error


def extract(target: str) -> str:
    """One function as the JSON text of a `FunctionExtracted`.

    Args:
        target: `FILE::QUALNAME`; a unique last name or a dotted path without `<locals>` will do. Of several definitions
            of the name it is the last, which is in force, or the one that `FILE::QUALNAME@LINE` says begins there.

    Raises:
        FunctionNotFoundError: the file holds no such function, or several.
        SourceRefusedError: the file cannot be read or parsed.
    """
    # Loaded here: reading the contracts takes longer than all that `classify` does.
    from ingester.adapters.encoding import source_ref, to_contract
    from ingester.domain.identity import function_id, source_id, version_id
    from ingester.ports import Extracted, Source, SourceVersion
    from touchstone_contracts.envelope import content_id
    from touchstone_contracts.events import FunctionExtracted

    file, separator, wanted = target.rpartition("::")
    if not separator or not wanted:
        raise FunctionNotFoundError("names no function", thing=target, way_out="write FILE::FUNCTION")
    wanted, _, line = wanted.partition("@")
    if line and not line.isdecimal():
        raise FunctionNotFoundError("names no line", thing=target, way_out="write FILE::FUNCTION@LINE")
    path = Path(file)
    if not path.is_file():
        raise SourceRefusedError("no such file", thing=file, way_out="check the spelling")
    content = _read(path)
    place, package = _package_of(path.resolve())
    analysis = analyse_file(content, place, language="python", sketch=False, package=package)
    if analysis.problem:
        raise SourceRefusedError(analysis.problem, thing=file, way_out="mend its syntax")
    found = _pick(analysis.functions, wanted, file, int(line or 0))
    # What does not stand alone may do so with what it needs of its own package.
    found = _made_by_place(analysis.functions).get((found.qualname, found.line_start), found)
    folder = str(path.resolve().parent)
    source = Source(source_id("folder", folder, ""), "folder", folder)
    version = SourceVersion(content_id(content.hex())[:16], None, path.resolve().parent.name)
    identifier = function_id(version_id(source.source_id, version.version), path.name, found)
    item = Extracted(identifier, path.name, found, found.rejected_by, found.rejection, None)
    event = FunctionExtracted(
        function=to_contract(item, source_ref(source, version, "")), task_candidate=item.task_candidate
    )
    return event.model_dump_json()


def _package_of(path: Path) -> tuple[str, Package | None]:
    """Where a file lies in the package that it is a part of, and that package; none for a file outside packages."""
    root = path.parent
    while (root / "__init__.py").is_file() and root.parent != root:
        root = root.parent
    if root == path.parent:
        return path.name, None
    tree = FolderTree(root / path.relative_to(root).parts[0])
    return path.relative_to(root).as_posix(), Package(_Below(tree.siblings, tree.root.name), default_libraries())


@dataclass(frozen=True)
class _Below:
    """The files of a package by their paths from the folder that it lies in, the rest of which is nobody's business."""

    siblings: Siblings
    name: str

    def paths(self) -> list[str]:
        return [f"{self.name}/{path}" for path in self.siblings.paths()]

    def read(self, path: str) -> bytes | None:
        return self.siblings.read(path.removeprefix(f"{self.name}/"))


def _pick(functions: tuple[FoundFunction, ...], wanted: str, file: str, line: int) -> FoundFunction:
    """The function that is meant; `line` is where it begins, 0 leaves it open."""
    driven = {found.qualname for found in functions if found.form == "sequence"}
    candidates = [
        found
        for found in functions
        if found.form not in MADE_FORMS and (found.form != "class" or found.qualname in driven)
        if line in (0, found.line_start)
    ]
    # The last definition of a name is the one in force.
    for fits in (
        [found for found in candidates if found.qualname == wanted],
        [found for found in candidates if found.qualname.replace(".<locals>", "") == wanted],
    ):
        if fits:
            return fits[-1]
    named = [found for found in candidates if found.name == wanted]
    if len({found.qualname for found in named}) == 1:
        return named[-1]
    if named:
        names = ", ".join(sorted({found.qualname for found in named}))
        raise FunctionNotFoundError(
            f"several functions are called {wanted}", thing=file, way_out=f"name one of {names}"
        )
    names = ", ".join(found.qualname for found in candidates[:8]) or "none"
    where = f" that begins at line {line}" if line else ""
    raise FunctionNotFoundError(f"has no function {wanted}{where}", thing=file, way_out=f"it has: {names}")
