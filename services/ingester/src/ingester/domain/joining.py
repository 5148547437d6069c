"""Pieces of several files in one module: their order, their names, their text.

The files keep the order in which they would be imported, the definitions the order of their file. The text of a
definition stays as it is but for references that lead to other files (`names.LIMIT` becomes `LIMIT`) and for a helper
or constant whose name another one has too, which gets the name of its file behind its own.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ingester.domain.grammar import Field, is_shown
from ingester.domain.pieces import Piece
from ingester.domain.scopes import Reference

_DOTTED_IMPORT = re.compile(r"^import ([\w.]+)$")
_TOLD_NAMES = re.compile(r"\b__(qual)?name__\b")

# File and name of a definition.
Owner = tuple[str, str]


class NotCutError(Exception):
    """The function cannot be cut out; the message says why."""


class Joined(NamedTuple):
    """Pieces as one text, in order."""

    pieces: tuple[Piece, ...]
    code: str


def join(entry: Piece, pieces: Sequence[Piece]) -> Joined:
    """Put pieces together.

    Args:
        entry: The function that the slice is for; its name stays.
        pieces: All that it needs, itself among it.

    Raises:
        NotCutError: files need each other, or names cannot be kept apart.
    """
    ordered = _ordered(entry, pieces)
    if all(piece.file is entry.file for piece in pieces):
        return Joined(tuple(ordered), "\n\n\n".join(piece.text for piece in ordered))
    names = _named(entry, ordered)
    return Joined(tuple(ordered), "\n\n\n".join(_edited(piece, names) for piece in ordered))


def _ordered(entry: Piece, pieces: Sequence[Piece]) -> list[Piece]:
    """What a file needs of another stands before it."""
    files: dict[str, list[Piece]] = defaultdict(list)
    for piece in pieces:
        files[piece.file.path].append(piece)
    taken = {(piece.file.path, name) for piece in pieces for name in piece.names}
    before = {
        path: {
            each.target.module.path
            for piece in found
            for each in piece.file.needs(piece).borrowed
            if (each.target.module.path, each.target.name) in taken and each.target.module.path != path
        }
        for path, found in files.items()
    }
    ordered: list[str] = []
    while len(ordered) < len(files):
        free = sorted(path for path in files if path not in ordered and before[path] <= set(ordered))
        if not free:
            raise NotCutError("its files need each other in a circle")
        # The function's own file comes as late as it may.
        ordered.append(next((path for path in free if path != entry.file.path), free[0]))
    return [piece for path in ordered for piece in sorted(files[path], key=lambda each: each.site.outer.start_byte)]


# Names.


def _named(entry: Piece, pieces: Sequence[Piece]) -> dict[Owner, str]:
    """The name of each definition in the joined text."""
    names: dict[Owner, str] = {}
    owners: dict[str, set[str]] = defaultdict(set)
    by_owner = {(piece.file.path, name): piece for piece in pieces for name in piece.names}
    for path, name in by_owner:
        names[path, name] = name
        owners[name].add(path)
    _imports_agree(pieces)
    read: dict[str, set[str]] = defaultdict(set)
    for piece in pieces:
        for name in _read_otherwise(piece):
            read[name].add(piece.file.path)
    known = {name for piece in pieces for scope in piece.file.graph.scopes for name in scope.bindings}
    known |= {reference.name for piece in pieces for reference in piece.file.graph.references}
    for name, paths in sorted(owners.items()):
        others = read[name] - paths if len(paths) == 1 else read[name]
        if len(paths) == 1 and not others:
            continue
        kept = entry.file.path if entry.file.path in paths and not others - {entry.file.path} else ""
        for path in sorted(paths - {kept}):
            piece = by_owner[path, name]
            if piece is entry or piece.kind == "class":
                raise NotCutError(f"{name} means something else in another of its files")
            if any(_TOLD_NAMES.search(each.text) for each in pieces):
                raise NotCutError(f"{name} is called otherwise in another of its files, and names are read")
            stem = re.sub(r"\W", "_", path.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")[2])
            new = f"{name}_{stem.strip('_')}"
            if new in known:
                raise NotCutError(f"{name} of {path} cannot be told apart by the name of its file")
            known.add(new)
            names[path, name] = new
    for _, name in by_owner:
        if name.startswith("__") and not name.endswith("__"):
            raise NotCutError(f"{name} is read otherwise inside classes")
    return names


def _bound(statement: str) -> str:
    """The name that an import statement binds."""
    dotted = _DOTTED_IMPORT.match(statement)
    return dotted[1].partition(".")[0] if dotted else statement.split()[-1]


def _imports_agree(pieces: Sequence[Piece]) -> None:
    bound: dict[str, str] = {}
    for piece in pieces:
        for statement in piece.file.needs(piece).dependencies.imports:
            name = _bound(statement)
            before = bound.setdefault(name, statement)
            if before != statement and not (_DOTTED_IMPORT.match(before) and _DOTTED_IMPORT.match(statement)):
                raise NotCutError(f"{name} is imported from different libraries by its files")


def _read_otherwise(piece: Piece) -> set[str]:
    """Names that a piece reads from libraries or the language, not from definitions."""
    found = piece.file.needs(piece)
    names = {_bound(statement) for statement in found.dependencies.imports if "__future__" not in statement}
    borrowed = {each.reference.start for each in found.borrowed}
    for reference in _references(piece):
        if reference.start not in borrowed and piece.file.graph.found(reference) is None:
            names.add(reference.name)
    return names


def _references(piece: Piece) -> Sequence[Reference]:
    span = piece.site.references
    return piece.file.graph.references[span.first : span.last]


# Text.


def _edited(piece: Piece, names: Mapping[Owner, str]) -> str:
    graph, path = piece.file.graph, piece.file.path
    edits: dict[int, tuple[int, str]] = {}
    borrowed = {each.reference.start: each for each in piece.file.needs(piece).borrowed}
    for reference in _references(piece):
        lent = borrowed.get(reference.start)
        if lent is not None:
            new = names.get((lent.target.module.path, lent.target.name))
            if new is not None:
                _edit(piece, reference, lent.end, new, edits)
        elif graph.found(reference) is graph.module:
            new = names.get((path, reference.name), reference.name)
            if new != reference.name:
                _edit(piece, reference, reference.start + len(reference.name.encode()), new, edits)
    for name in piece.names:
        new = names[path, name]
        if new != name:
            node = piece.site.node.child_by_field_id(Field.NAME) if piece.kind != "constant" else None
            start = node.start_byte if node is not None else graph.module.bindings[name][0].start
            edits[start] = start + len(name.encode()), new
    outer = piece.site.outer
    text, last = b"", outer.start_byte
    for start, (end, new) in sorted(edits.items()):
        text += graph.source[last:start] + new.encode()
        last = end
    return (text + graph.source[last : outer.end_byte]).decode("utf-8", "replace")


def _edit(piece: Piece, reference: Reference, end: int, new: str, edits: dict[int, tuple[int, str]]) -> None:
    graph, start = piece.file.graph, reference.start
    scope = reference.scope.lookup(new)
    if scope is not None and scope is not graph.module:
        raise NotCutError(f"{new} is a name of its own inside {piece.names[0]}")
    if graph.source[start : start + len(reference.name.encode())] != reference.name.encode() or end < 0:
        raise NotCutError(f"{reference.name} is spelled otherwise")
    if graph.source[start:end] == new.encode():
        return
    node = piece.file.root.named_descendant_for_byte_range(start, start) if piece.file.root is not None else None
    if node is None or is_shown(node):
        raise NotCutError(f"the text shows how {reference.name} is written")
    edits[start] = end, new
