"""The beginning of a tree as text, at a cost that does not hang on the size of the tree."""

# JSON trees have no static types.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

SHOWN = 120


def excerpt(tree: Any, longest: int = SHOWN) -> str:
    """Write the beginning of a tree as compact JSON; `…` stands for the rest.

    Example:
        >>> excerpt([1, {"a": "b"}]), excerpt(list(range(10**6)), 8)
        ('[1,{"a":"b"}]', '[0,1,2,…')
    """
    pieces: list[str] = []
    length = 0
    for piece in _pieces(tree, longest):
        pieces.append(piece)
        length += len(piece)
        if length > longest:
            return "".join(pieces)[: longest - 1] + "…"
    return "".join(pieces)


def _pieces(tree: Any, longest: int) -> Iterator[str]:
    """The text in order, piece by piece; an explicit stack, as trees may be deeper than Python's."""
    stack: list[Iterator[tuple[str, Any]]] = [iter([("", tree)])]
    closing: list[str] = [""]
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
            yield closing.pop()
            continue
        lead, node = item
        yield lead
        if type(node) is list:
            yield "["
            stack.append(("," if place else "", child) for place, child in enumerate(node))
            closing.append("]")
        elif type(node) is dict:
            yield "{"
            stack.append(
                (("," if place else "") + _scalar(key, longest) + ":", child)
                for place, (key, child) in enumerate(node.items())
            )
            closing.append("}")
        else:
            yield _scalar(node, longest)


def _scalar(node: Any, longest: int) -> str:
    if type(node) is str:
        node = node[: longest + 1]
    return json.dumps(node, ensure_ascii=False)
