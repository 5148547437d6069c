"""Methods that change their object, as functions that return what the changed fields hold afterwards.

`def push(self, x): self.items.append(x)` becomes `def stack_push(items, x): items.append(x); return {"items": items}`:
each way out of the method gives a map of what it returned, under `result` where it returns anything, and of the fields
that its text stores to or changes in place. A field that is stored before anything reads it is no parameter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from tree_sitter import Node

from ingester.domain.grammar import Field

RESULT = "result"
_Edit = tuple[int, int, str]
_OWN_SCOPES = frozenset({"function_definition", "class_definition", "lambda", "decorated_definition"})


def ways_out(function: Node) -> list[Node]:
    """The return statements of a function, those of functions inside left out."""
    found: list[Node] = []
    waiting = [child for child in (function.child_by_field_id(Field.BODY),) if child is not None]
    while waiting:
        node = waiting.pop()
        if node.type == "return_statement":
            found.append(node)
        elif node.type not in _OWN_SCOPES:
            waiting.extend(node.named_children)
    return sorted(found, key=lambda node: node.start_byte)


def problem(function: Node) -> str:
    """Why the ways out of a function cannot be rewritten; empty where they can."""
    body = function.child_by_field_id(Field.BODY)
    if body is None or body.start_point[0] == function.start_point[0]:
        return "stands on one line"
    for node in ways_out(function):
        above = node.parent
        while above is not None and above != function:
            if any(child.type == "finally_clause" for child in above.named_children):
                # What is returned would be put together before that is run.
                return "returns where something is still done finally"
            above = above.parent
    return ""


def is_stored_first(function: Node, places: Collection[int], storing: Sequence[Node] = ()) -> bool:
    """Whether a field is stored on every way through a function before it is read, and before the function returns.

    Args:
        function: The method's definition.
        places: Where the method names the field, or calls what reads it, in bytes.
        storing: Calls of methods that store it on every way before anything reads it.
    """
    body = function.child_by_field_id(Field.BODY)
    for statement in body.named_children if body is not None else []:
        first, last = statement.start_byte, statement.end_byte
        inside = [place for place in places if first <= place < last]
        calls = [node for node in storing if first <= node.start_byte < last]
        if not inside and not calls:
            continue
        stored = statement.named_children[0] if statement.type == "expression_statement" else None
        if stored is None or len(inside) + len(calls) > 1 or any(n.start_byte < first for n in ways_out(function)):
            return False
        left, value = stored.child_by_field_id(Field.LEFT), stored.child_by_field_id(Field.RIGHT)
        if calls:
            return calls[0] in (stored, value) and (stored == calls[0] or stored.type == "assignment")
        return (
            stored.type == "assignment"
            and left is not None
            and value is not None
            and [left.start_byte] == inside
            and left.type == "attribute"
        )
    return False


def says(function: Node) -> bool:
    """Whether a method returns anything, so that the map that its function gives has a result."""
    values = map(_value, ways_out(function))
    return any(value is not None and value.type != "none" for value in values)


def edits(function: Node, fields: Sequence[str], names: Mapping[str, str]) -> list[_Edit]:
    """What to write where, so that each way out gives the changed fields too.

    Args:
        function: The method's definition.
        fields: The fields that it changes.
        names: The local name of each.
    """
    returned = ways_out(function)
    held = ", ".join(f'"{each.strip("_")}": {names[each]}' for each in fields)
    values = {node.start_byte: value for node in returned if (value := _value(node)) is not None}
    told = says(function)
    nothing = f'{{"{RESULT}": None, {held}}}' if told else f"{{{held}}}"
    found: list[_Edit] = []
    for node in returned:
        value = values.get(node.start_byte)
        if value is None:
            found.append((node.end_byte, node.end_byte, f" {nothing}"))
        elif not told:
            found.append((value.start_byte, value.end_byte, nothing))
        else:
            found.append((value.start_byte, value.start_byte, f'{{"{RESULT}": ('))
            found.append((value.end_byte, value.end_byte, f"), {held}}}"))
    body = function.child_by_field_id(Field.BODY)
    assert body is not None
    if _falls_through(body):
        last = f"\n{' ' * (_first(body).start_point[1] - function.start_point[1])}return {nothing}"
        start, end, text = (
            found.pop() if found and found[-1][1] == function.end_byte else (function.end_byte,) * 2 + ("",)
        )
        found.append((start, end, text + last))
    return found


def _value(node: Node) -> Node | None:
    return next((child for child in node.named_children if child.type != "comment"), None)


def _first(body: Node) -> Node:
    return next(child for child in body.named_children if child.type != "comment")


def _falls_through(block: Node | None) -> bool:
    """Whether the end of a block may be reached; a way that is only thought to be there does no harm."""
    statements = [child for child in block.named_children if child.type != "comment"] if block is not None else []
    if not statements:
        return True
    last = statements[-1]
    if last.type in ("return_statement", "raise_statement"):
        return False
    if last.type == "if_statement":
        others = last.children_by_field_name("alternative")
        blocks = [last.child_by_field_name("consequence")]
        blocks += [each.child_by_field_name("consequence") or each.child_by_field_name("body") for each in others]
        ends = bool(others) and others[-1].type == "else_clause"
        return not ends or any(map(_falls_through, blocks))
    if last.type == "while_statement":
        condition = last.child_by_field_name("condition")
        endless = condition is not None and condition.type == "true"
        return not endless or any(node.type == "break_statement" for node in _within(last))
    return True


def _within(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        yield child
        yield from _within(child)
