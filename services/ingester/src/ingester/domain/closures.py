"""Functions that other functions make and give, and what they share with one another."""

from __future__ import annotations

import re
from typing import Literal

from tree_sitter import Node

from ingester.domain.changes import written
from ingester.domain.grammar import Field, kind_set, text_of
from ingester.domain.packages import Module
from ingester.domain.scopes import Site
from ingester.domain.standard_names import READERS

_ATTRIBUTE = kind_set("attribute")
_CALL = kind_set("call")
_READ = kind_set(
    "binary_operator", "comparison_operator", "interpolation", "not_operator", "subscript", "unary_operator",
)  # fmt: skip
_LAMBDA = re.compile(r"\blambda\b")
_WORD = re.compile(r"\w+")


def functions_given(module: Module, site: Site) -> Literal["", "plain", "keeping"]:
    """Whether a function gives functions that are made in it: alone, and none of which changes what they share.

    Returns:
        Nothing where it gives other things, "keeping" where one call of what it gives may change the next.
    """
    inner = [each for each in module.graph.sites if each.parent is site]
    named = {each.name for each in inner if each.form != "class"}
    given = [each.named_children[0] for each in site.returns if each.named_child_count]
    whole = [each.type == "lambda" or text_of(each) in named for each in given]
    if not any(whole) and not any(
        _LAMBDA.search(text) or named & {*_WORD.findall(text)} for text in map(text_of, given)
    ):
        return ""
    declared = module.graph.declarations[site.declarations.first : site.declarations.last]
    if any(each.kind == "nonlocal" and each.scope is not site.body_scope for each in declared):
        return "keeping"
    for reference in module.graph.references[site.references.first : site.references.last]:
        if reference.scope is site.body_scope or module.graph.found(reference) is not site.body_scope:
            continue
        node = module.root.named_descendant_for_byte_range(reference.start, reference.start)
        if reference.name not in named and not _only_read(node):
            return "keeping"
    return "plain" if all(whole) and not site.has_yield else ""


def _only_read(node: Node | None) -> bool:
    """Whether what a function shares with the one around it is called, compared or asked for something plain."""
    above = node.parent if node is not None else None
    if node is None or above is None or written(node):
        return False
    if above.kind_id in _CALL or above.kind_id in _READ:
        return True
    name = text_of(above.child_by_field_id(Field.ATTRIBUTE)) if above.kind_id in _ATTRIBUTE else ""
    return name in READERS
