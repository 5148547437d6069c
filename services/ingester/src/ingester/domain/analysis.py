"""One file from bytes to functions with class, complexity and verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple

from tree_sitter import Node

from ingester.domain.calls import LiteralCall, literal_calls
from ingester.domain.changes import FileChanges, library_set, named_libraries
from ingester.domain.control_flow import count_complexity
from ingester.domain.damaged import functions_around_errors
from ingester.domain.dating import Fingerprint
from ingester.domain.dependencies import Dependencies, Reason, find_dependencies, in_import_order
from ingester.domain.extraction import (
    ParameterText,
    file_imports,
    read_code,
    read_decorators,
    read_docstring,
    read_parameters,
    read_returns,
)
from ingester.domain.filters import Limits, Rejection, Subject, judge, judge_slice
from ingester.domain.fingerprints import fingerprint, normalised_tokens, program_tokens, shingles, tree_hash
from ingester.domain.grammar import python_parser
from ingester.domain.libraries import Libraries, default_libraries
from ingester.domain.near_duplicates import signature
from ingester.domain.other_languages import OtherDefinition, find_definitions, language_of
from ingester.domain.packages import Module, Package, View
from ingester.domain.places import is_test
from ingester.domain.reading import UnparsableError, decode, parse
from ingester.domain.records import Records, lift
from ingester.domain.scope_builder import build_scope_graph
from ingester.domain.scopes import ScopeGraph, Site
from ingester.domain.sequences import COPYING, Driven, NotDrivenError, drive, finished
from ingester.domain.slicing import Part, Slice, Slicer

Class = Literal["SC", "WSC", "DISCARDED", "NOT_CLASSIFIED"]
# A slice is a function with what it needs of its own package, a record a method as a function of its object's fields,
# with what that needs, a sequence a class with a driver of its operations; the function or class itself is there too,
# as what it is.
Form = Literal["function", "method", "nested", "class", "slice", "record", "sequence"]
# What a method may be refused for and yet be a function of its object's fields.
_OF_OBJECTS = frozenset({"dependencies", "own_library", "method", "no_parameters", "constant_return", "complexity"})

# Methods that the language calls with one object of the class alone.
_OF_ONE_OBJECT = frozenset({
    "__init__", "__call__", "__str__", "__repr__", "__format__", "__len__", "__contains__", "__getitem__",
    "__setitem__", "__delitem__", "__missing__", "__next__", "__bool__", "__int__", "__float__", "__index__",
    "__bytes__", "__neg__", "__abs__", "__round__",
})  # fmt: skip

_NOT_CLASSIFIED = Dependencies("SC")
_NAME_CHARACTERS = 200


class FoundFunction(NamedTuple):
    """A function or class of a file, with everything that the event carries.

    `name_key`, `tree_key` and `signature` (a MinHash) are filled for what passed every filter: they meet the history
    later.
    """

    language: str
    path: str
    qualname: str
    name: str
    form: Form
    line_start: int
    line_end: int
    code: str
    docstring: str
    parameters: tuple[ParameterText, ...]
    returns: str
    decorators: tuple[str, ...]
    enclosing_class: str
    file_imports: tuple[str, ...]
    classification: Class
    reasons: tuple[Reason, ...]
    libraries: tuple[str, ...]
    imports: tuple[str, ...]
    annotation_only: bool
    complexity: int
    rejected_by: str
    rejection: str
    searchable_pair: bool
    name_key: str = ""
    tree_key: str = ""
    signature: tuple[int, ...] = ()
    # What a slice took along, the function itself left out.
    parts: tuple[Part, ...] = ()
    # Why a function that does not stand alone is no slice either; empty where that was not asked.
    no_slice: str = ""
    # How the source's own tests call it, as source texts with literal arguments; filled when the whole source was read.
    calls: tuple[str, ...] = ()
    # The text of what a slice, record or sequence was made of, as its file has it.
    origin: str = ""
    # The text of each part as its file has it; of what was lifted from a method that method's.
    texts: tuple[str, ...] = ()


class FileAnalysis(NamedTuple):
    """What a file holds; `problem` says why nothing of it is used, and is empty when it parsed.

    `calls` are those of a test file whose arguments are literals, `unnamed` counts the definitions that are left out
    since their names are longer than anything that keeps names takes.
    """

    functions: tuple[FoundFunction, ...]
    problem: str = ""
    calls: tuple[LiteralCall, ...] = ()
    unnamed: int = 0


def analyse_file(
    content: bytes,
    path: str,
    *,
    language: str | None = None,
    limits: Limits | None = None,
    libraries: Libraries | None = None,
    sketch: bool = True,
    package: Package | None = None,
) -> FileAnalysis:
    """Functions and classes of a file, in the order of the text.

    Args:
        content: the file as it is stored.
        path: where it lies in its source, with slashes; its ending names the language.
        language: overrides the ending.
        limits: what the filters are set to.
        libraries: the allowed libraries; the list that the package ships when left out.
        sketch: whether to compute MinHash signatures, which only the platform's history needs.
        package: the other files of the source, from which slices take what the file imports.
    """
    spoken = language or language_of(path)
    try:
        if spoken == "python":
            allowed = libraries or default_libraries()
            found = _analyse_python(decode(content), path, limits or Limits(), allowed, sketch, package)
            return _named(found, _calls(content, path, package) if is_test(path) else ())
        if b"\0" in content:
            raise UnparsableError("holds null bytes")
        text = content.decode("utf-8", "replace").replace("\r\n", "\n").encode()
        return _named(_searchable(each, path, spoken) for each in find_definitions(text, spoken))
    except UnparsableError as error:
        return FileAnalysis((), str(error))
    except RecursionError:
        return FileAnalysis((), "is nested too deeply")


def _calls(content: bytes, path: str, package: Package | None) -> tuple[LiteralCall, ...]:
    return literal_calls(content, path, package.tops if package is not None else None)


def _named(found: Iterable[FoundFunction], calls: tuple[LiteralCall, ...] = ()) -> FileAnalysis:
    every = tuple(found)
    kept = tuple(each for each in every if len(each.name) <= _NAME_CHARACTERS)
    return FileAnalysis(kept, calls=calls, unnamed=len(every) - len(kept))


def _searchable(found: OtherDefinition, path: str, language: str) -> FoundFunction:
    """A function of another language: found for search, never a task."""
    return FoundFunction(
        language=language,
        path=path,
        qualname=found.qualname,
        name=found.name,
        form=found.form,
        line_start=found.line_start,
        line_end=found.line_end,
        code=found.code,
        docstring=found.docstring,
        parameters=tuple(ParameterText(name, "positional", kind, None) for name, kind in found.parameters),
        returns=found.returns,
        decorators=(),
        enclosing_class=found.enclosing_class,
        file_imports=(),
        classification="NOT_CLASSIFIED",
        reasons=(),
        libraries=(),
        imports=(),
        annotation_only=False,
        complexity=0,
        rejected_by="class" if found.form == "class" else "language",
        rejection="is a class" if found.form == "class" else f"is {language}; tasks are made from Python",
        searchable_pair=bool(found.parameters) and found.returns_value,
    )


class _Reading(NamedTuple):
    """What the functions of one Python file are read with, those that are made of them too."""

    path: str
    imports: tuple[str, ...]
    limits: Limits
    libraries: Libraries
    sketch: bool
    package: Package | None
    view: View | None
    changes: FileChanges


def _analyse_python(
    source: bytes, path: str, limits: Limits, libraries: Libraries, sketch: bool, package: Package | None
) -> Iterator[FoundFunction]:
    tree = parse(python_parser(), source)
    graph = build_scope_graph(tree, source)
    view = View(package, Module(path, graph, tree.root_node)) if package is not None else None
    reading = _Reading(
        path, file_imports(graph), limits, libraries, sketch, package, view, FileChanges(graph, tree.root_node)
    )
    described = [_describe(graph, site, reading) for site in graph.sites]
    made_of = _records(graph, tree.root_node, described, reading) | _sequences(graph, tree.root_node, reading)
    slicer = Slicer(graph, libraries, path, package)
    for site, found in zip(graph.sites, described, strict=True):
        made = made_of.get(site.index)
        if made is not None:
            yield from (found, made) if isinstance(made, FoundFunction) else (found._replace(no_slice=made),)
            continue
        if found.rejected_by not in ("dependencies", "own_library"):
            yield found
            continue
        cut = slicer.cut(site)
        sliced = _sliced(graph, site, found, cut, reading) if isinstance(cut, Slice) else cut
        if isinstance(sliced, FoundFunction):
            yield from (found, sliced)
        else:
            yield found._replace(no_slice=sliced)


def _records(
    graph: ScopeGraph,
    root: Node,
    described: Sequence[FoundFunction],
    reading: _Reading,
) -> dict[int, FoundFunction | str]:
    """Methods that are refused, as functions of what they read of their object; by site, or why they are none."""
    asked = frozenset(
        site.index
        for site, found in zip(graph.sites, described, strict=True)
        if site.form == "method" and found.rejected_by in _OF_OBJECTS and not _is_called_otherwise(site)
    )
    records = lift(graph, root, reading.path, reading.package, asked)
    if records is None:
        return {}
    made: dict[int, FoundFunction | str] = dict(records.refused)
    if not records.placed:
        return made
    tree = parse(python_parser(), records.source)
    longer = build_scope_graph(tree, records.source)
    slicer = Slicer(longer, reading.libraries, reading.path, reading.package)
    sites = {site.node.start_byte: site for site in longer.sites if site.parent is None}
    for start, lifted in records.placed:
        method = described[lifted.site.index]
        site = sites[start]
        found = _describe(longer, site, reading)
        answer: FoundFunction | str = found
        if found.rejected_by in ("dependencies", "own_library"):
            cut = slicer.cut(site)
            answer = _sliced(longer, site, found, cut, reading) if isinstance(cut, Slice) else cut
        elif found.rejected_by:
            answer = f"{found.rejected_by}: {found.rejection}"
        made[lifted.site.index] = (
            _of_method(answer, method, records, described) if isinstance(answer, FoundFunction) else answer
        )
    return made


def _sequences(graph: ScopeGraph, root: Node, reading: _Reading) -> dict[int, FoundFunction | str]:
    """Classes as functions of a list of operations; by site, or why they are none."""
    if is_test(reading.path):
        return {}
    made: dict[int, FoundFunction | str] = {}
    for each in drive(graph, root, reading.path, reading.package):
        if not isinstance(each, Driven):
            made[each[0].index] = each[1]
            continue
        longer = build_scope_graph(parse(python_parser(), each.source), each.source)
        driver = next(site for site in longer.sites if site.node.start_byte == each.start)
        found = _describe(longer, driver, reading)
        cut = Slicer(longer, reading.libraries, reading.path, reading.package).cut(driver)
        if not isinstance(cut, Slice):
            made[each.site.index] = cut or "needs nothing of its class"
            continue
        try:
            whole = replace(cut, code=finished(cut.code, each))
        except NotDrivenError as error:
            made[each.site.index] = str(error)
            continue
        answer = _sliced(longer, driver, found, whole, reading)
        made[each.site.index] = _of_class(answer, graph, each.site) if isinstance(answer, FoundFunction) else answer
    return made


def _of_class(found: FoundFunction, graph: ScopeGraph, site: Site) -> FoundFunction:
    """A driver with the place of its class, and with what copies results."""
    bare = found.classification == "SC" or found.annotation_only
    return found._replace(
        form="sequence",
        qualname=site.qualname,
        line_start=site.outer.start_point[0] + 1,
        line_end=site.outer.end_point[0] + 1,
        docstring=read_docstring(site.body, graph.source),
        classification="WSC",
        libraries=tuple(sorted({*found.libraries, "copy"})),
        imports=in_import_order({*found.imports, COPYING}),
        annotation_only=bare,
        origin=read_code(site, graph.source),
    )


def _is_called_otherwise(site: Site) -> bool:
    """Whether a method is one that the language calls with other objects, a test, or no plain function."""
    special = site.name.startswith("__") and site.name.endswith("__") and site.name not in _OF_ONE_OBJECT
    return special or site.name.startswith("test_") or site.is_async or site.has_yield


def _of_method(
    found: FoundFunction, method: FoundFunction, records: Records, described: Sequence[FoundFunction]
) -> FoundFunction:
    """A lifted function with the place of its method."""
    methods = {each.line_start: each.code for each in described if each.form == "method"}
    parts: list[Part] = []
    texts: list[str] = []
    for part, text in zip(found.parts, found.texts, strict=True):
        lines = records.lines(part.line_start) if part.path == method.path else None
        parts.append(part if lines is None else part._replace(line_start=lines[0], line_end=lines[1]))
        texts.append(text if lines is None else methods.get(lines[0], text))
    return found._replace(
        form="record",
        qualname=method.qualname,
        line_start=method.line_start,
        line_end=method.line_end,
        enclosing_class=method.enclosing_class,
        decorators=method.decorators,
        parts=tuple(parts),
        texts=tuple(texts),
        origin=method.code,
    )


def _sliced(graph: ScopeGraph, site: Site, found: FoundFunction, cut: Slice, reading: _Reading) -> FoundFunction | str:
    """The slice of a function as a candidate of its own; the words of the filter that refuses it."""
    dependencies = Dependencies(cut.kind, (), cut.libraries, cut.imports, cut.annotation_only, cut.uses)
    complexity = count_complexity(cut.branches)
    subject = Subject(graph, site, cut.code, found.parameters, dependencies, complexity)
    try:
        refused = judge_slice(subject, cut.effect, reading.limits)
        if refused is not None:
            return f"{refused.by}: {refused.words}"
    except RecursionError:
        return "is nested too deeply to be judged"
    # Two slices are the same when everything in them is.
    whole = _graph_of(cut.code)
    entry = next(each for each in whole.sites if each.parent is None and each.name == site.name)
    tokens = program_tokens(whole, entry)
    return found._replace(
        form="slice",
        code=cut.code,
        classification=cut.kind,
        reasons=(),
        libraries=cut.libraries,
        imports=cut.imports,
        annotation_only=cut.annotation_only,
        complexity=complexity,
        rejected_by="",
        rejection="",
        name_key=found.name,
        tree_key=tree_hash(tokens),
        signature=signature(shingles(tokens)) if reading.sketch else (),
        parts=cut.parts,
        texts=cut.texts,
        origin=found.code,
    )


def fingerprint_file(content: bytes) -> tuple[Fingerprint, ...]:
    """Fingerprints of every function of a Python file, in the order of the text.

    Of one that does not parse those that can be told all the same, some of them twice.
    """
    try:
        source = decode(content)
        graph = build_scope_graph(parse(python_parser(), source), source)
        sites = [(graph, site) for site in graph.sites if site.form != "class"]
        return tuple(fingerprint(*each) for each in sites)
    except (UnparsableError, RecursionError):
        return tuple(fingerprint(*each) for each in functions_around_errors(python_parser(), content))


def shares_of(found: FoundFunction) -> tuple[tuple[Fingerprint, int], ...]:
    """What a candidate is made of: each function of it by its fingerprint, and how long that is, in shingles.

    The function itself comes first; a sequence, whose driver nobody wrote, is all that it drives. Methods of classes
    count each for itself, values not at all.
    """
    parts = tuple(share for text in found.texts for share in _shares(_graph_of(text)))
    if found.form == "sequence":
        return parts
    own = fingerprint_of(found)
    return ((own, len(own.shingles)), *parts) if own is not None else ()


def _shares(graph: ScopeGraph) -> Iterator[tuple[Fingerprint, int]]:
    for site in graph.sites:
        if site.form in ("function", "method"):
            piece = fingerprint(graph, site)
            yield piece, len(piece.shingles)


def _graph_of(code: str) -> ScopeGraph:
    source = decode(code.encode())
    return build_scope_graph(parse(python_parser(), source), source)


def fingerprint_of(found: FoundFunction) -> Fingerprint | None:
    """The fingerprint of a function; of what was made of one that of the function itself, which is not newer."""
    graph = _graph_of(found.origin or found.code)
    sites = [site for site in graph.sites if site.form != "class"]
    return fingerprint(graph, sites[0]) if sites else None


def _dependencies(graph: ScopeGraph, site: Site, reading: _Reading) -> Dependencies:
    """What a function needs from outside itself; a library whose state its package sets is none that stands alone."""
    found = find_dependencies(graph, site, reading.libraries, around=reading.view)
    if hidden := reading.changes.hidden(site):
        why = Reason(hidden, graph.line(site.node.start_byte), "is set by its file as a name of its module")
        return Dependencies("DISCARDED", (*found.reasons, why))
    if found.kind != "WSC":
        return found
    named = named_libraries(graph, site) | {use.path.partition(".")[0] for use in found.uses}
    top, why = library_set(reading.package, reading.path, reading.changes, named)
    return Dependencies("DISCARDED", (Reason(top, graph.line(site.node.start_byte), why),)) if top else found


def _describe(graph: ScopeGraph, site: Site, reading: _Reading) -> FoundFunction:
    source = graph.source
    is_class = site.form == "class"
    parameters = () if is_class else read_parameters(site, source)
    code = read_code(site, source)
    dependencies, rejection, complexity, pair = _NOT_CLASSIFIED, None, 0, False
    tree, sketched = "", ()
    if not is_class:
        dependencies = _dependencies(graph, site, reading)
        complexity = count_complexity(site.branches)
        pair = bool(parameters) and any(node.named_child_count for node in site.returns)
        subject = Subject(graph, site, code, parameters, dependencies, complexity)
        try:
            rejection = judge(subject, reading.libraries, reading.limits)
        except RecursionError:
            rejection = Rejection("syntax", "is nested too deeply to be judged")
        if rejection is None:
            tokens = normalised_tokens(graph, site)
            tree = tree_hash(tokens)
            sketched = signature(shingles(tokens)) if reading.sketch else ()
    enclosing = site.parent.qualname if site.parent is not None and site.parent.form == "class" else ""
    return FoundFunction(
        language="python",
        path=reading.path,
        qualname=site.qualname,
        name=site.name,
        form=site.form,
        line_start=site.outer.start_point[0] + 1,
        line_end=site.outer.end_point[0] + 1,
        code=code,
        docstring=read_docstring(site.body, source),
        parameters=parameters,
        returns="" if is_class else read_returns(site, source),
        decorators=read_decorators(site, source),
        enclosing_class=enclosing,
        file_imports=reading.imports,
        classification="NOT_CLASSIFIED" if is_class else dependencies.kind,
        reasons=dependencies.reasons,
        libraries=dependencies.libraries,
        imports=dependencies.imports,
        annotation_only=dependencies.annotation_only,
        complexity=complexity,
        rejected_by="class" if is_class else rejection.by if rejection else "",
        rejection="is a class" if is_class else rejection.words if rejection else "",
        searchable_pair=pair,
        name_key=site.name if tree else "",
        tree_key=tree,
        signature=sketched,
    )
