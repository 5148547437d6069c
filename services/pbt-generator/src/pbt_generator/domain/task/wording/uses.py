"""What a value that a program writes down is for, as a sentence, where the place at which it stands tells that."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from pbt_generator.domain.task.wording.regular_expressions import PATTERN_CALLS, used
from pbt_generator.domain.task.wording.standing import Standing

# A longer value is cut: of what is cut the rest is unknown, so that is seldom done.
_CHARACTERS = 4000
# A whole number up to this, without a use that a sentence could tell, is noise.
SMALL = 10
_METHODS = {
    "split": "Texts are split at {}.", "rsplit": "Texts are split at {}, from the right.",
    "partition": "Texts are split once at {}.", "rpartition": "Texts are split once at the last {}.",
    "join": "Parts are joined with {}.", "startswith": "Texts that begin with {} are told apart.",
    "endswith": "Texts that end with {} are told apart.", "strip": "{} is taken off both ends.",
    "lstrip": "{} is taken off the beginning.", "rstrip": "{} is taken off the end.",
    "removeprefix": "{} is taken off the beginning.", "removesuffix": "{} is taken off the end.",
    "find": "{} is looked for.", "rfind": "{} is looked for, from the right.", "index": "{} is looked for.",
    "count": "{} is counted.", "get": "The key {} is read.", "pop": "The key {} is read.",
    "encode": "The encoding is {}.", "decode": "The encoding is {}.",
    "zfill": "Texts are filled with zeros to a length of {}.",
    "strftime": "Moments are written as {}.", "strptime": "Moments are read as {}.",
}  # fmt: skip
_STRIPPED = {"strip": "at both ends", "lstrip": "at the beginning", "rstrip": "at the end"}
_FORMS = re.compile(r"\{[^{}]*\}|%[-+ #0-9.]*[sdrfgxX]")
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Mult: "A factor is {}.", ast.Div: "A divisor is {}.", ast.FloorDiv: "A divisor is {}.",
    ast.Mod: "A remainder by {} is taken.", ast.Add: "{} is added.", ast.Sub: "{} is subtracted.",
    ast.Pow: "A power with {} is taken.",
}  # fmt: skip

_COMPUTED: dict[type[ast.operator], str] = {
    ast.Mod: "remainder", ast.Div: "quotient", ast.FloorDiv: "quotient", ast.Mult: "product", ast.Add: "sum",
    ast.Sub: "difference",
}  # fmt: skip


class Uses:
    """What the values that a program writes down are for.

    Args:
        tree: The program.
        named: The names of the task's parameters: others say nothing to a reader. Empty: any name may be said.
    """

    def __init__(self, tree: ast.Module, named: Collection[str] = ()) -> None:
        self._named = named
        self._parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self._standing = Standing(tree)
        self._pieces = _template_pieces(tree, self._parents)

    def above(self, node: ast.AST) -> ast.AST | None:
        """What holds a node."""
        return self._parents.get(id(node))

    def is_piece(self, node: ast.Constant) -> bool:
        """Whether a template is put together from this text."""
        return id(node) in self._pieces

    def is_pattern(self, node: ast.Constant) -> bool:
        """Whether a text is a regular expression with something to it: code, more than a word of the task."""
        text = node.value if isinstance(node.value, str) else ""
        return re.escape(text) != text and self._in_pattern(node)

    def is_stripped(self, node: ast.Constant) -> bool:
        """Whether a text names several characters that are taken off: an example that holds them shows that of none."""
        return bool(_taken_off(self.above(node), node, node.value))

    def is_member(self, node: ast.Constant) -> bool:
        """Whether a value is one of those that a program tells from all others: an example shows that of no set."""
        above = self.above(node)
        held = above if isinstance(above, ast.List | ast.Tuple | ast.Set) else node
        return (held is not node or isinstance(node.value, str)) and bool(self._members_looked_for(held))

    def of(self, nodes: Sequence[ast.Constant]) -> str:
        """What a value is for, by the first of its places that tells; empty when none does."""
        return next((said for node in nodes if not self.is_piece(node) and (said := self._of(node))), "")

    def _of(self, node: ast.Constant) -> str:
        shown = quoted(node.value)
        for name in self._standing.uses(node):
            if said := self._at(name, node, shown):
                return said
        return self._at(node, node, shown)

    def _in_pattern(self, node: ast.Constant) -> bool:
        """Whether a regular expression is this value, or put together from it."""
        for place in [*self._standing.uses(node), node]:
            part: ast.AST = place
            while isinstance(above := self.above(part), ast.BinOp | ast.JoinedStr | ast.FormattedValue):
                part = above
            if self._call_with_pattern(part) is not None:
                return True
        return False

    def _call_with_pattern(self, part: ast.AST) -> ast.Call | None:
        """The call of `re` whose regular expression this is."""
        match self.above(part):
            case ast.Call(func=ast.Attribute(value=ast.Name(id="re" | "regex"), attr=name), args=[first, *_]) as call:
                return call if name in PATTERN_CALLS and first is part else None
            case _:
                return None

    def _members_looked_for(self, held: ast.expr) -> str:
        """A literal sequence or text of which each use asks whether something is in it, in words; empty for others."""
        outer = self.above(held)
        made = outer if isinstance(outer, ast.Call) and _is_collection(outer) else held
        places = [made, *self._standing.uses(made)]
        above = [self.above(place) for place in places]
        if isinstance(above[0], ast.Assign | ast.AnnAssign):
            places, above = places[1:], above[1:]
        looked = [
            isinstance(holds, ast.Compare)
            and isinstance(holds.ops[-1], ast.In | ast.NotIn)
            and holds.comparators[-1] is place
            for place, holds in zip(places, above, strict=True)
        ]
        return _told_apart(held) if looked and all(looked) else ""

    def _at(self, node: ast.expr, constant: ast.Constant, shown: str) -> str:
        """What a constant is for at a place where it, or the name that stands for it, is read."""
        above, value = self.above(node), constant.value
        if place := _taken_off(above, node, value):
            return f"All characters {place} that are among {shown} are taken off."
        if call := self._call_with_pattern(node):
            return used(call, shown, self._parents, self._standing)
        match above:
            case ast.Compare(left=left, ops=[op], comparators=[_]) if isinstance(op, ast.In | ast.NotIn):
                return f"Whether {shown} is contained decides." if left is node else _told_apart(constant)
            case ast.Compare(left=left, comparators=[*others]):
                return _compared(next(each for each in (left, *others) if each is not node), shown, self._named)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._members_looked_for(above) or self._members(above)
            case ast.Dict() | ast.Assign() | ast.AnnAssign():
                return _table(above)
            case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _METHODS and first is node:
                return _METHODS[name].format(shown)
            case ast.Call(
                func=ast.Attribute(attr="replace"), args=[ast.Constant(value=old), ast.Constant(value=new), *_]
            ):
                return f"{quoted(old)} is replaced by {quoted(new)}."
            case ast.Call(func=ast.Attribute(attr="normalize"), args=[first, *_]) if first is node:
                return f"The Unicode normal form is {shown}."
            case ast.Attribute(attr="join"):
                return _METHODS["join"].format(shown)
            case ast.Call(func=ast.Name(id="divmod"), args=[_, last]) if last is node:
                return f"A divisor is {shown}."
            case ast.Call(func=ast.Name(id="round"), args=[_, last]) if last is node:
                return f"Numbers are rounded to {shown} decimals."
            case ast.Subscript(slice=place) if place is node and isinstance(value, str):
                return f"The key {shown} is used."
            case ast.BinOp(op=ast.Add() | ast.Sub()) if isinstance(value, int) and abs(value) <= SMALL:
                # A step from one place to the next: said alone it tells nothing.
                return ""
            case ast.BinOp(op=op) if type(op) in _ARITHMETIC and isinstance(value, int | float):
                return _ARITHMETIC[type(op)].format(shown)
            case ast.JoinedStr() | ast.BinOp(op=ast.Add()) if isinstance(value, str) and self._in_pattern(constant):
                return f"A regular expression holds {shown}."
            case ast.JoinedStr() | ast.BinOp(op=ast.Add()) if isinstance(value, str):
                return f"{shown} is written into results." if not is_form(value) else ""
            case ast.Return():
                return f"{shown} is one of the results."
            case _:
                return ""

    def _members(self, node: ast.List | ast.Tuple | ast.Set) -> str:
        """What the members of a sequence that the program writes down are for, told together."""
        outer = self.above(node)
        if isinstance(outer, ast.Compare):
            return _told_apart(node)
        made = self.above(outer) if isinstance(outer, ast.Call) else None
        if isinstance(made, ast.Assign | ast.AnnAssign):
            return _table(made)
        match outer:
            case ast.Dict() | ast.Assign() | ast.AnnAssign():
                return _table(outer)
            case ast.Call(func=ast.Attribute(attr="startswith" | "endswith" as name), args=[first, *_]) if (
                first is node
            ):
                return _METHODS[name].format(_listed(node)) if _listed(node) else ""
            case ast.For(iter=walked) | ast.comprehension(iter=walked) if walked is node and _listed(node):
                return f"Each of {_listed(node)} is taken in this order."
            case ast.Return() if _listed(node):
                return f"The sequence {_listed(node)} is one of the results."
            case _:
                return ""


def _is_collection(call: ast.Call) -> bool:
    match call:
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple" | "list"), args=[_], keywords=[]):
            return True
        case _:
            return False


def _template_pieces(tree: ast.Module, parents: Mapping[int, ast.AST]) -> set[int]:
    """Ids of texts from which a template is put together: what a number's form leaves in results is no piece of it."""
    names: set[str] = set()
    templates: list[ast.expr] = []
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=template, attr="format" | "format_map")):
                templates.append(template)
            case ast.BinOp(op=ast.Mod(), left=template):
                templates.append(template)
            case ast.Call(func=ast.Name(id="format"), args=[_, template]):
                templates.append(template)
            case _:
                continue
        if isinstance(template, ast.Name):
            names.add(template.id)
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=template) if name in names:
                templates.append(template)
            case _:
                pass
    return {
        id(node)
        for template in templates
        for node in ast.walk(template)
        if isinstance(node, ast.Constant) and _is_part(parents.get(id(node)))
    }


def _is_part(above: ast.AST | None) -> bool:
    return isinstance(above, ast.JoinedStr) or (isinstance(above, ast.BinOp) and isinstance(above.op, ast.Add))


def is_form(value: object) -> bool:
    """Whether a text only says where values are put: what is made with it shows in the results."""
    return isinstance(value, str) and not _FORMS.sub("", value).strip(" ,.:;()[]{}<>/\"'_-=\n")


def quoted(value: object) -> str:
    """A value as JSON in backticks."""
    return f"`{cut(json.dumps(value, ensure_ascii=False))}`"


def is_cut(value: object) -> bool:
    """Whether so much is written down that an instruction shows its beginning alone."""
    return len(str(value)) > _CHARACTERS


def cut(text: str) -> str:
    """The text, cut where it is very long."""
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]}…"


def _listed(node: ast.expr) -> str:
    """The members of a literal sequence one after another; empty where one is no literal."""
    try:
        return ", ".join(map(quoted, _in_order(ast.literal_eval(node))))
    except (ValueError, TypeError):
        return ""


def _in_order(members: object) -> list[object]:
    """Members of a literal sequence as they stand, those of a set by kind and value."""
    held = list(cast("list[object]", members))
    return sorted(held, key=lambda each: (type(each).__name__, each)) if isinstance(members, set) else held  # pyright: ignore[reportUnknownLambdaType, reportArgumentType, reportCallIssue]


def _taken_off(above: ast.AST | None, node: ast.expr, value: object) -> str:
    """Where a text's characters, several of them, are taken off; empty where they are not."""
    match above:
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _STRIPPED and first is node:
            return _STRIPPED[name] if isinstance(value, str) and len(value) > 1 else ""
        case _:
            return ""


def _compared(other: ast.expr, shown: str, named: Collection[str]) -> str:
    def of(name: str) -> str:
        return f"`{name}`" if name in named or not named else "a value"

    match other:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            said = f"the length of {of(name)}"
        case ast.Name(id=name):
            said = of(name)
        case ast.Call(func=ast.Name(id="abs"), args=[ast.Name(id=name)]):
            said = f"{of(name)}, its sign left out,"
        case ast.Call(func=ast.Name(id="ord"), args=[_]):
            said = "a code point"
        case ast.Subscript(value=ast.Name(id=name)):
            said = f"a part of {of(name)}"
        case ast.BinOp(op=op) if type(op) in _COMPUTED:
            said = f"a {_COMPUTED[type(op)]}"
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="lower" | "upper" | "casefold"), args=[]):
            said = f"{of(name)}, its case ignored,"
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as key), *_]):
            said = f"the entry {quoted(key)}"
        case _:
            return ""
    return f"{said[:1].upper()}{said[1:]} is compared with {shown}."


def _told_apart(node: ast.expr | ast.AST) -> str:
    try:
        members = ast.literal_eval(node) if isinstance(node, ast.expr) else None
        if isinstance(members, str):
            return f"The characters of {quoted(members)} are told from others."
        if isinstance(members, list | tuple | set):
            return f"{', '.join(map(quoted, _in_order(members)))} are told from other values."  # pyright: ignore[reportUnknownArgumentType]
    except (ValueError, TypeError):
        pass
    return ""


def _table(node: ast.AST | None) -> str:
    """A literal table or constant, whole."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else node
    name = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
    if isinstance(value, ast.Call) and _is_collection(value):
        value = value.args[0]
    try:
        held: object = ast.literal_eval(value) if isinstance(value, ast.expr) else None
        held = _in_order(held) if isinstance(held, set) else held  # pyright: ignore[reportUnknownArgumentType]
        text = json.dumps(held, ensure_ascii=False)
    except (ValueError, TypeError):
        return ""
    if isinstance(held, dict | list | tuple):
        called = f", `{name.id}`" if isinstance(name, ast.Name) and name.id.isupper() else ""
        return f"A table that is used{called}: `{cut(text)}`."
    return ""
