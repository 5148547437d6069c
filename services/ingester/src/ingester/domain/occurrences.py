"""Where a file names something, and how that stands there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from tree_sitter import Node

from ingester.domain.extraction import read_parameters
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.packages import Module
from ingester.domain.scopes import Site

_IDENTIFIER = kind_set("identifier")
_ATTRIBUTE = kind_set("attribute")
_CALL = kind_set("call")
_ARGUMENTS = kind_set("argument_list")
_KEYWORD = kind_set("keyword_argument")
_SPLATS = kind_set("list_splat", "dictionary_splat")
_DECORATOR = kind_set("decorator")
_ASSIGNMENT = kind_set("assignment")
_FUNCTION = kind_set("function_definition")
_COMMENT = kind_set("comment")
_STRING = kind_set("string")
_COPIES = re.compile(r"(?:(?:copy\.)?(?:deep)?copy|dict|list|set|sorted|frozenset|tuple)\(|[\[{]|[\w.]+\.copy\(\)")


# Built-ins that set attributes of what they are given first.
_SETTERS = frozenset({"setattr", "delattr", "__setattr__", "__delattr__"})


def arguments(call: Node) -> list[Node]:
    """What a call is given, by place or by name."""
    given = call.child_by_field_id(Field.ARGUMENTS)
    each = [node for node in given.named_children if node.kind_id not in _COMMENT] if given is not None else []
    return [node.named_children[-1] if node.kind_id in _KEYWORD else node for node in each]


def names_inside(node: Node) -> Iterator[Node]:
    """All names inside of an expression."""
    if node.kind_id in _IDENTIFIER:
        yield node
    for each in node.named_children:
        yield from names_inside(each)


def sets(name: str, call: Node, attribute: str) -> bool:
    """Whether a call of a built-in may set an attribute, any one where it is empty, of what it is given first."""
    given = arguments(call)
    literal = given[1].kind_id in _STRING if len(given) > 1 else False
    return name in _SETTERS and (not attribute or not literal or text_of(given[1])[1:-1] == attribute)


def is_called(above: Node, node: Node) -> bool:
    """Whether an attribute is what a call calls or what decorates."""
    return above.kind_id in _DECORATOR or (
        above.kind_id in _CALL and above.child_by_field_id(Field.FUNCTION) == node
    )  # fmt: skip


def place_of(node: Node) -> int | str | None:
    """The place or the name of an argument; none where a collection is spread over several."""
    above = node.parent
    if above is None or node.kind_id in _SPLATS:
        return None
    if above.kind_id in _KEYWORD:
        return text_of(above.named_children[0])
    if above.kind_id not in _ARGUMENTS:
        return 0
    before = [each for each in above.named_children[: above.named_children.index(node)] if each.kind_id not in _COMMENT]
    return None if any(each.kind_id in _SPLATS for each in before) else len(before)


def parameters_for(site: Site, source: bytes, place: int | str | None) -> tuple[list[str], list[str]]:
    """The parameters that an argument is for, and those that would hold it among others.

    Args:
        site: The function.
        source: Its file.
        place: The argument's place or name; none for any of them.
    """
    parameters = read_parameters(site, source)
    if place is None:
        several = [each.name for each in parameters if each.kind.startswith("var")]
        return [each.name for each in parameters if each.name not in several], several
    if isinstance(place, int):
        plain = [each.name for each in parameters if each.kind in ("positional_only", "positional")]
        chosen, holds = plain[place : place + 1], "var_positional"
    else:
        chosen = [each.name for each in parameters if each.name == place and not each.kind.startswith("var")]
        holds = "var_keyword"
    return chosen, [each.name for each in parameters if each.kind == holds and not chosen]


def copied_until(site: Site, name: str) -> int:
    """The end of the first statement of a body that gives a name a copy of something; -1 where there is none."""
    for statement in site.body.named_children:
        inner = statement.named_children[0] if statement.named_child_count == 1 else None
        if inner is None or inner.kind_id not in _ASSIGNMENT:
            continue
        if text_of(inner.child_by_field_id(Field.LEFT)) == name and _COPIES.match(
            text_of(inner.child_by_field_id(Field.RIGHT))
        ):
            return statement.end_byte
    return -1


def function_around(node: Node | None) -> Node | None:
    """The definition of the function that something stands in; none outside of functions."""
    while node is not None and node.kind_id not in _FUNCTION:
        node = node.parent
    return node


def site_of(module: Module, function: Node | None) -> Site | None:
    """The site of a function's definition; none for what is none."""
    if function is None:
        return None
    return next((each for each in module.graph.sites if each.node.start_byte == function.start_byte
                 and each.form != "class"), None)  # fmt: skip


def names_for(module: Module, name: str) -> set[str]:
    """The names under which a file may know another one's."""
    found = {each.name for each, _ in module.graph.imports if each.imported is not None and each.imported.name == name}
    return found | {name}


def occurrences(module: Module, names: Iterable[str]) -> Iterator[Node]:
    """The places of a file that may mean another file's name: the name, or an attribute of a module."""
    for name in names:
        for match in re.finditer(rb"(?<![\w])" + re.escape(name.encode()) + rb"(?![\w])", module.graph.source):
            node = module.root.named_descendant_for_byte_range(match.start(), match.end())
            above = node.parent if node is not None and node.kind_id in _IDENTIFIER else None
            if node is not None and above is not None:
                yield above if above.kind_id in _ATTRIBUTE and above.named_children[-1] == node else node


def attributes(module: Module, name: str) -> Iterator[Node]:
    """The attributes of a name in a file, of whatever object."""
    for match in re.finditer(rb"\.\s*(" + re.escape(name.encode()) + rb")(?![\w])", module.graph.source):
        node = module.root.named_descendant_for_byte_range(match.start(1), match.end(1))
        above = node.parent if node is not None and node.kind_id in _IDENTIFIER else None
        if above is not None and above.kind_id in _ATTRIBUTE and above.named_children[-1] == node:
            yield above


def together(fates: Iterable[int]) -> int:
    """What becomes of a value at several places, as the bits of all."""
    found = 0
    for each in fates:
        found |= each
    return found
