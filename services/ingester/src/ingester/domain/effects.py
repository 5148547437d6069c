"""What a function does besides computing: side effects, sources of chance, code made at run time."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from tree_sitter import Node

from ingester.domain.dependencies import LibraryUse
from ingester.domain.extraction import ParameterText
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.libraries import Libraries
from ingester.domain.packages import Module, Package
from ingester.domain.scopes import Role, ScopeGraph, Site
from ingester.domain.uses import Uses

EffectKind = Literal["side_effects", "nondeterminism", "dynamic"]

_IDENTIFIER = kind_set("identifier")
_ATTRIBUTE = kind_set("attribute")
_SUBSCRIPT = kind_set("subscript")
_CALL = kind_set("call")
_TARGETED = kind_set("assignment", "augmented_assignment", "for_statement", "for_in_clause")
_DELETE = kind_set("delete_statement")
_DEFAULTS = kind_set("default_parameter", "typed_default_parameter")
# Their bodies are run at each call; the defaults of what is defined in them are made anew.
_MADE_AT_CALLS = kind_set("function_definition", "lambda")
_ARGUMENTS = kind_set("argument_list")
_NAMING = kind_set("assignment", "named_expression", "default_parameter")
# Attributes of a function that its text gives it, and what reads others by name.
_OF_THE_TEXT = frozenset({"__name__", "__qualname__", "__doc__"})
_ASKING = frozenset({
    "setattr", "getattr", "hasattr", "delattr", "vars", "dir", "get_type_hints", "get_annotations", "signature",
    "getfullargspec", "attrgetter", "update_wrapper",
})  # fmt: skip

_BUILTINS: dict[str, tuple[EffectKind, str]] = {
    "print": ("side_effects", "prints"),
    "open": ("side_effects", "opens a file"),
    "input": ("side_effects", "reads from the terminal"),
    "breakpoint": ("side_effects", "starts a debugger"),
    "exec": ("dynamic", "runs code made at run time"),
    "eval": ("dynamic", "runs code made at run time"),
    "compile": ("dynamic", "compiles code at run time"),
    "__import__": ("dynamic", "imports by a computed name"),
    "globals": ("dynamic", "reads its module's namespace"),
    "locals": ("dynamic", "reads its own namespace"),
    "id": ("nondeterminism", "reads an object's address"),
    "hash": ("nondeterminism", "reads a hash, which differs between processes"),
}
# Without an argument these read a namespace; with one they describe an object.
_BARE = frozenset({"vars", "dir"})


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_EMPTY_CALL = re.compile(rb"\s*\(\s*\)")
_INPUT_OUTPUT = _words(
    """
    read readline readlines write writelines flush seek fileno send sendall sendto recv recvfrom
    accept listen execute executemany commit rollback cursor fetchone fetchmany fetchall mkdir rmdir
    unlink touch chmod read_text read_bytes write_text write_bytes iterdir glob rglob exists is_file is_dir
    urlopen getresponse
    """
)
# Methods by which a path reaches the file system; asked about where `pathlib` is used at all.
_PATH_METHODS = _words(
    "absolute chmod exists expanduser glob hardlink_to is_block_device is_dir is_file is_mount is_symlink "
    "iterdir lchmod lstat mkdir open owner read_bytes read_text readlink rename resolve rglob rmdir samefile stat "
    "symlink_to touch unlink walk write_bytes write_text"
)
_SEEDED = frozenset({"Random", "default_rng", "RandomState"})
# With these texts they give the time now.
_OF_TIMES = frozenset({"Timestamp", "to_datetime", "datetime64", "DatetimeIndex", "Period", "date_range", "array"})
_NOW = re.compile(r"""["'](?:now|today)["']""", re.IGNORECASE)
# With fewer arguments they ask for the zone that the computer is in.
_LOCAL = {"fromtimestamp": 2, "astimezone": 1}
# What is written of a moment that has a zone of its own; without one its seconds are those of the computer's zone.
_ZONE = re.compile(r"\b(tz\w*|timezone|utc|UTC|ZoneInfo|gettz|pytz)\b")
_HINTS = frozenset({"get_type_hints", "get_annotations"})
_INTERPRETER = _words(
    """
    __globals__ __code__ __closure__ __subclasses__ __builtins__ __bases__ __mro__ gi_frame f_locals f_globals
    f_back tb_frame cr_frame __module__
    """
)
MUTABLE_DEFAULT = re.compile(
    r"^(\[|\{|(\w+\.)*(list|dict|set|bytearray|defaultdict|OrderedDict|Counter|deque|array|ChainMap)\()"
)


class Effect(NamedTuple):
    """One thing a function does besides computing."""

    kind: EffectKind
    line: int
    what: str


def find_effects(
    graph: ScopeGraph,
    site: Site,
    uses: tuple[LibraryUse, ...],
    parameters: tuple[ParameterText, ...],
    libraries: Libraries,
    package: Package | None = None,
    path: str = "",
) -> list[Effect]:
    """Everything found, in the order of lines.

    Args:
        graph: The file.
        site: The function, or what else is cut out.
        uses: What it uses of libraries.
        parameters: What it takes.
        libraries: The allowed libraries.
        package: The other files, where what the function needs of them is taken along.
        path: Where the file lies in them.
    """
    found = [*_kept_defaults(graph, site, package, path)]
    for use in uses:
        effect = libraries.effect(use.path)
        if use.path.rpartition(".")[2] in _HINTS:
            found.append(Effect("dynamic", use.line, f"uses {use.path}, which evaluates texts where they stand"))
        elif effect is not None:
            found.append(Effect(effect, use.line, f"uses {use.path}"))
    for reference in graph.references[site.references.first : site.references.last]:
        known = _BUILTINS.get(reference.name)
        bare = reference.name in _BARE
        if (known is None and not bare) or graph.found(reference) is not None:
            continue
        line = graph.line(reference.start)
        if known is not None:
            found.append(Effect(known[0], line, known[1]))
        elif _EMPTY_CALL.match(graph.source, reference.start + len(reference.name)):
            found.append(Effect("dynamic", line, "reads its own namespace"))
    _walk(graph, site, parameters, found, paths=any(use.path.startswith("pathlib") for use in uses))
    found.extend(_of_functions(graph, site))
    found.extend(_library_calls(graph, site, [use.path for use in uses], libraries))
    return sorted(found, key=lambda effect: effect.line)


def _kept_defaults(graph: ScopeGraph, site: Site, package: Package | None, path: str) -> Iterator[Effect]:
    """Defaults that one call may leave to the next: of a function, or of the methods of a class."""
    root = site.outer
    while root.parent is not None:
        root = root.parent
    module, uses = Module(path, graph, root), Uses(package)
    waiting = [site.outer]
    while waiting:
        node = waiting.pop()
        kind = node.kind_id
        if kind in _DEFAULTS and uses.default_changed(module, node):
            name = text_of(node.child_by_field_id(Field.NAME))
            yield Effect("side_effects", graph.line(node.start_byte), f"keeps state in the default of {name}")
        body = node.child_by_field_id(Field.BODY) if kind in _MADE_AT_CALLS else None
        waiting.extend(each for each in node.named_children if each != body)


def _of_functions(graph: ScopeGraph, site: Site) -> Iterator[Effect]:
    """What is read of functions of the file, or kept on them, otherwise than by calling them."""
    for reference in graph.references[site.references.first : site.references.last]:
        scope = graph.found(reference)
        bound = scope.bindings[reference.name] if scope is not None and scope.kind in ("module", "function") else []
        sites = [graph.sites[each.site] for each in bound if each.site >= 0]
        if (
            reference.role != Role.BODY
            or not any(each.form != "class" for each in sites)
            or scope is None
            or site.owns(scope)
        ):
            continue
        node = site.outer.named_descendant_for_byte_range(reference.start, reference.start)
        above = node.parent if node is not None else None
        if node is None or above is None:
            continue
        kind, line = above.kind_id, graph.line(reference.start)
        asked = kind in _ARGUMENTS and text_of(_called(above)).rpartition(".")[2] in _ASKING
        if asked or (kind in _ATTRIBUTE and text_of(above.child_by_field_id(Field.ATTRIBUTE)) not in _OF_THE_TEXT):
            yield Effect("side_effects", line, f"reads or sets what is kept on the function {reference.name}")
        elif kind in _NAMING and site in sites:
            yield Effect("side_effects", line, f"gives {reference.name}, the function itself, another name")


def _library_calls(graph: ScopeGraph, site: Site, paths: list[str], libraries: Libraries) -> Iterator[Effect]:
    """Calls that do more than compute, or differ from run to run, by what they are given or of whatever they are."""
    waiting = [site.outer] if paths else []
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        function = node.child_by_field_id(Field.FUNCTION) if node.kind_id in _CALL else None
        arguments = node.child_by_field_id(Field.ARGUMENTS)
        if function is None or arguments is None:
            continue
        line = graph.line(node.start_byte)
        name = text_of(function).rpartition(".")[2]
        given = [text_of(each) for each in arguments.named_children if each.type != "comment"]
        last = any(path.rpartition(".")[2] == name for path in paths)
        if function.kind_id in _ATTRIBUTE and (effect := libraries.method_effect(paths, name, given=bool(given))):
            yield Effect(effect, line, f"calls {name}, as a library that it uses has it")
        elif name in _SEEDED and last and given in ([], ["None"]):
            yield Effect("nondeterminism", line, f"calls {name} without a seed")
        elif name in _OF_TIMES and any(_NOW.search(each) for each in given):
            yield Effect("nondeterminism", line, f"calls {name} with a text that means the time now")
        elif len(given) < _LOCAL.get(name, 0) and not any(each.startswith("tz") for each in given):
            yield Effect("nondeterminism", line, f"calls {name}, which depends on where the computer is")
        elif _local_seconds(site, function, given, paths):
            yield Effect("nondeterminism", line, f"calls {name} of a moment that may have no zone of its own")


def _local_seconds(site: Site, function: Node, given: list[str], paths: list[str]) -> bool:
    """Whether a method of a moment gives its seconds, which are those of the computer's zone where it shows none."""
    moment = function.child_by_field_id(Field.OBJECT)
    if moment is None or not any(path.partition(".")[0] == "datetime" for path in paths):
        return False
    name = text_of(function.child_by_field_id(Field.ATTRIBUTE))
    asked = (name == "timestamp" and not given) or (name == "strftime" and any("%s" in each for each in given))
    return asked and not any(_ZONE.search(text) for text in (text_of(moment), *_given_to(site, text_of(moment))))


def _given_to(site: Site, name: str) -> Iterator[str]:
    """The texts of what a function gives to one of its names."""
    waiting = [site.outer]
    while waiting:
        node = waiting.pop()
        waiting.extend(node.named_children)
        for left, right in ((Field.LEFT, Field.RIGHT), (Field.NAME, Field.VALUE)):
            if node.kind_id in (_TARGETED | _NAMING) and text_of(node.child_by_field_id(left)) == name:
                yield text_of(node.child_by_field_id(right))


def _called(arguments: Node) -> Node | None:
    return arguments.parent.child_by_field_id(Field.FUNCTION) if arguments.parent is not None else None


def _walk(
    graph: ScopeGraph, site: Site, parameters: tuple[ParameterText, ...], found: list[Effect], *, paths: bool
) -> None:
    names = {parameter.name for parameter in parameters}
    imported = {
        definition.name
        for definition, _ in graph.imports[site.imports.first : site.imports.last]
        if definition.imported is not None and not definition.imported.name
    }
    own = {name for scope in graph.scopes[site.body_scope.index : site.scopes.last] for name in scope.bindings}
    stack = [site.body]
    while stack:
        node = stack.pop()
        kind = node.kind_id
        if kind in _CALL:
            _call(graph, node, names, found, paths)
        elif kind in _ATTRIBUTE:
            attribute = text_of(node.child_by_field_id(Field.ATTRIBUTE))
            if attribute in _INTERPRETER:
                found.append(
                    Effect("dynamic", graph.line(node.start_byte), f"reaches into the interpreter ({attribute})")
                )
        elif kind in _TARGETED or kind in _DELETE:
            targets = node.named_children if kind in _DELETE else [node.child_by_field_id(Field.LEFT)]
            for target in targets:
                for root in _changed(target):
                    line = graph.line(node.start_byte)
                    if root in imported or root not in own:
                        found.append(Effect("side_effects", line, f"changes {root}, which is not its own"))
        stack.extend(node.named_children)


def _call(graph: ScopeGraph, node: Node, names: set[str], found: list[Effect], paths: bool) -> None:
    function = node.child_by_field_id(Field.FUNCTION)
    if function is None or function.kind_id not in _ATTRIBUTE:
        return
    method = text_of(function.child_by_field_id(Field.ATTRIBUTE))
    receiver = function.child_by_field_id(Field.OBJECT)
    root = _root(receiver)
    line = graph.line(node.start_byte)
    if method in _INPUT_OUTPUT and root in names and receiver is not None:
        found.append(Effect("side_effects", line, f"calls {root}.{method}, which reads or writes outside"))
    elif paths and method in _PATH_METHODS:
        found.append(Effect("side_effects", line, f"calls {method} where it works on paths"))


def _root(node: Node | None) -> str:
    while node is not None and (node.kind_id in _ATTRIBUTE or node.kind_id in _SUBSCRIPT):
        node = node.named_children[0]
    return text_of(node) if node is not None and node.kind_id in _IDENTIFIER else ""


def _changed(target: Node | None) -> list[str]:
    """Roots of the attributes and items that an assignment changes."""
    if target is None:
        return []
    if target.kind_id in _ATTRIBUTE or target.kind_id in _SUBSCRIPT:
        root = _root(target)
        return [root] if root else []
    if target.kind_id in _IDENTIFIER:
        return []
    return [root for child in target.named_children for root in _changed(child)]
