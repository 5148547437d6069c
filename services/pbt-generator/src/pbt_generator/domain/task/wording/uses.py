"""What a value that a program writes down is for, as a sentence, where the place at which it stands tells that."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from pbt_generator.domain.oracle.syntax import NO_LITERAL, last_name
from pbt_generator.domain.task.wording.doing import (
    ARITHMETIC,
    FROM,
    HERE,
    METHODS,
    ORDERS,
    TURNED,
    asked,
    replaced_at_most,
)
from pbt_generator.domain.task.wording.phrases import Phrases
from pbt_generator.domain.task.wording.regular_expressions import PATTERN_CALLS, used
from pbt_generator.domain.task.wording.standing import Standing

# A longer value is cut: of what is cut the rest is unknown, so that is seldom done.
_CHARACTERS = 4000
# A whole number up to this, without a use that a sentence could tell, is noise.
SMALL = 10
_FALLBACKS = {"get", "pop", "setdefault"}
_STRIPPED = {"strip": "At both ends of {}", "lstrip": "At the beginning of {}", "rstrip": "At the end of {}"}
_FORMS = re.compile(r"\{[^{}]*\}|%[-+ #0-9.]*[sdrfgxX]")
# What stands for a value in a text that is put together.
_GAP = "…"


class Uses:
    """What the values that a program writes down are for.

    Args:
        tree: The program.
        named: The names of the task's parameters: others say nothing to a reader. Empty: any may be said.
        texts: Names of those that are texts.
    """

    def __init__(self, tree: ast.Module, named: Collection[str] = (), texts: Collection[str] = ()) -> None:
        self._parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self._standing = Standing(tree)
        self._phrases = Phrases(tree, named, texts)
        self._pieces = _template_pieces(tree, self._parents)

    def above(self, node: ast.AST) -> ast.AST | None:
        """What holds a node."""
        return self._parents.get(id(node))

    def is_piece(self, node: ast.Constant) -> bool:
        """Whether a template is put together from this text."""
        return id(node) in self._pieces

    def is_default(self, node: ast.Constant) -> bool:
        """Whether it is the default of a parameter of the task, or a part of it, which stands with that."""
        above = self.above(node)
        while isinstance(above, ast.expr) and not isinstance(above, ast.Lambda):
            above = self.above(above)
        return isinstance(above, ast.arguments) and not self._phrases.reads(node)

    def is_pattern(self, node: ast.Constant) -> bool:
        """Whether a text is a regular expression with something to it: code, more than a word of the task."""
        text = node.value if isinstance(node.value, str) else ""
        return re.escape(text) != text and self._in_pattern(node)

    def is_template(self, node: ast.Constant) -> bool:
        """Whether values are put into a text at its places: nothing tells which."""
        return any(
            (
                isinstance(above := self.above(place), ast.BinOp)
                and isinstance(above.op, ast.Mod)
                and above.left is place
            )
            or (isinstance(above, ast.Attribute) and above.attr in ("format", "format_map"))
            for place in [*self._standing.uses(node), node]
        ) and isinstance(node.value, str)

    def is_stripped(self, node: ast.Constant) -> bool:
        """Whether a text names several characters that are taken off: an example that holds them shows that of none."""
        return bool(_taken_off(self.above(node), node, node.value))

    def is_member(self, node: ast.Constant) -> bool:
        """Whether a value is one of those that a program tells from all others: an example shows that of no set."""
        above = self.above(node)
        held = above if isinstance(above, ast.List | ast.Tuple | ast.Set) else node
        return (held is not node or isinstance(node.value, str)) and bool(self._members_looked_for(held))

    def of(self, nodes: Sequence[ast.Constant]) -> str:
        """What a value is for, by the first of its places that tells; empty when none does.

        Where the sentence names the value alone, `HERE` stands for it.
        """
        return next((said for node in nodes if not self.is_piece(node) and (said := self._of(node))), "")

    def beside(self, node: ast.Constant) -> str:
        """On which parameters a value bears of which nothing more can be said."""
        part: ast.AST = node
        while (above := self.above(part)) is not None and not isinstance(part, ast.stmt):
            part = above
            if sources := self._phrases.sources(part):
                return f"What is made of {sources} depends on {HERE}."
        return f"Values that decide: {HERE}."

    def _of(self, node: ast.Constant) -> str:
        whole: ast.expr = node
        while isinstance(above := self.above(whole), ast.IfExp) and above.test is not whole:
            whole = above
        places = [*self._standing.uses(whole), *self._phrases.reads(whole), node]
        said = (self._at(place, node) for place in places)
        return next(filter(None, said), "") or self._among_others(whole)

    def _among_others(self, value: ast.expr) -> str:
        """What a value is for that a name holds among others."""
        for name in self._standing.uses(value, alone=False):
            match self.above(name):
                case ast.Return() as given if self._phrases.calls(given) is None:
                    return f"The result may be {HERE}."
                case ast.FormattedValue() | ast.BinOp(op=ast.Add() | ast.Mod()):
                    return f"A text that is put together may hold {HERE}."
                case _:
                    pass
        return ""

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
            holds.left
            for place, holds in zip(places, above, strict=True)
            if isinstance(holds, ast.Compare)
            and isinstance(holds.ops[-1], ast.In | ast.NotIn)
            and holds.comparators[-1] is place
        ]
        return self._among(looked, held) if looked and len(looked) == len(above) else ""

    def _among(self, looked: Sequence[ast.expr], held: ast.expr) -> str:
        """That it matters whether something is one of the members of a literal, or stands in a text."""
        phrases = {self._phrases.of(each) for each in looked}
        what = phrases.pop() if len(phrases) == 1 else "a value"
        match held:
            case ast.Constant(value=str() as text):
                return f"It matters whether {what} is in {quoted(text)}."
            case _:
                return f"It matters whether {what} is one of {_listed(held)}." if _listed(held) else ""

    def _at(self, node: ast.expr, constant: ast.Constant) -> str:
        """What a constant is for at a place where it, or the name that stands for it, is read."""
        above, value = self.above(node), constant.value
        if off := _taken_off(above, node, value):
            return self._on(f"{_STRIPPED[off.attr]} all characters that are among {HERE} are taken off.", off.value)
        if call := self._call_with_pattern(node):
            return used(call, str(value), quoted(value), self._parents, self._standing, self._phrases)
        match above:
            case ast.Compare():
                return self._compared(above, node, constant)
            case ast.MatchValue():
                return self._matched(above)
            case ast.List() | ast.Tuple() | ast.Set():
                return self._members_looked_for(above) or self._members(above)
            case ast.Dict():
                return self._members(above)
            case ast.Call(func=ast.Attribute(value=of, attr=name), args=[first, *_]) if (
                name in METHODS and first is node and not self._is_of_library(of)
            ):
                return self._on(asked(above, self._phrases), of)
            case ast.Call(func=ast.Attribute(attr=name), args=[_, other, *_]) if name in _FALLBACKS and other is node:
                return f"Where an entry is missing, {HERE} stands for it."
            case ast.Call(func=ast.Attribute(value=of, attr="replace"), args=[old, new, *_]) if isinstance(
                value, str
            ) and not self._is_of_library(of):
                return self._replaced(of, old, new, node, above)
            case ast.Call(func=ast.Attribute(attr="append" | "add"), args=[_]):
                return f"A sequence or set gets {HERE}."
            case ast.Attribute(attr="split") if isinstance(cut := self.above(above), ast.Call):
                at = f"pieces between {_shown(cut.args[0])}" if cut.args else "words"
                return self._table(cut, f"the {at} of {quoted(value)}")
            case ast.Call(func=ast.Attribute(attr="normalize"), args=[first, *_]) if first is node:
                return f"The Unicode normal form is {HERE}."
            case ast.Attribute(attr="join"):
                return f"Parts are joined with {HERE}."
            case ast.Call(func=ast.Name(id="divmod"), args=[of, last]) if last is node:
                return self._on(f"{ARITHMETIC[ast.FloorDiv][:-1]}, and the remainder is taken.", of)
            case ast.Call(func=ast.Name(id="round"), args=[_, last]) if last is node:
                return f"Numbers are rounded to {HERE} decimals."
            case ast.Call(func=ast.Name(id="int"), args=[of, last]) if last is node:
                return self._on("{} is read as a number of base \0.", of)
            case ast.Call(func=ast.Name(id="min" | "max" as name), args=[one, other]):
                bound = "at most" if name == "min" else "at least"
                return self._on(f"{{}} counts as {HERE} {bound}.", other if one is node else one)
            case ast.Subscript(value=of, slice=place, ctx=ctx) if place is node and isinstance(value, str):
                read = isinstance(ctx, ast.Load)
                return self._on(f"Of {{}} the entry {HERE} is read.", of) if read else f"A map gets the entry {HERE}."
            case ast.BinOp(op=ast.Add() | ast.Sub()) | ast.AugAssign() if (
                isinstance(value, int) and abs(value) <= SMALL
            ):
                # A step from one place to the next: said alone it tells nothing.
                return ""
            case ast.BinOp(left=left, op=op, right=right) if type(op) in ARITHMETIC and isinstance(value, int | float):
                forms = ARITHMETIC if right is node else ARITHMETIC | FROM
                return self._on(forms[type(op)], left if right is node else right)
            case ast.AugAssign(target=target, op=op) if type(op) in ARITHMETIC:
                return self._on(ARITHMETIC[type(op)], target)
            case ast.Attribute(attr="format" | "format_map") | ast.BinOp(op=ast.Mod()) if isinstance(value, str):
                return "" if is_form(value) else f"Texts are written by the form {HERE}."
            case ast.JoinedStr() | ast.BinOp(op=ast.Add()) if isinstance(value, str):
                return self._form(above, "regular expression" if self._in_pattern(constant) else "text")
            case ast.IfExp(test=test) if test is not node:
                return self._at(above, constant)
            case ast.BoolOp(op=ast.Or(), values=[*_, last]) if last is node:
                return f"Where a value is zero, false, empty or nothing, {HERE} stands for it."
            case ast.Return():
                calls = self._phrases.calls(above)
                if calls is None:
                    return f"The result may be {HERE}."
                return next(filter(None, (self._at(call, constant) for call in calls)), "")
            case ast.keyword(arg=str() as option) if name := self._library_call(self.above(above)):
                return f"`{option}` of `{name}` is {HERE}."
            case ast.Call(func=ast.Name(id="ord" | "int" | "float" | "Decimal" | "frozenset" | "set")):
                return self._at(above, constant)
            case ast.Call(func=ast.Name(id="range"), args=given) if value not in (1, -1):
                return _counted(given, node)
            case ast.Call(func=ast.Attribute()) if name := self._library_call(above):
                return f"`{name}` is given {HERE}."
            case _:
                return ""

    def _library_call(self, call: ast.AST | None) -> str:
        """The name of a function of the language or a library that is called; empty for another."""
        return last_name(call.func) if isinstance(call, ast.Call) and self._is_of_library(call.func) else ""

    def _is_of_library(self, root: ast.expr) -> bool:
        """Whether a dotted name begins with one that the program gives no value."""
        while isinstance(root, ast.Attribute):
            root = root.value
        return isinstance(root, ast.Name) and not self._standing.is_given(root.id)

    def _on(self, form: str, of: ast.expr) -> str:
        """A sentence on what a method, or an operator, is asked of."""
        return _sentence(form.replace("{}", self._phrases.of(of)))

    def _compared(self, test: ast.Compare, node: ast.expr, held: ast.expr) -> str:
        """What it is that is compared with a constant, and how; `node` is it, or the name that stands for it."""
        sides = [test.left, *test.comparators]
        at = next(place for place, side in enumerate(sides) if side is node)
        op, other = (test.ops[at - 1], sides[at - 1]) if at else (test.ops[0], sides[1])
        kind = type(op) if at else TURNED.get(type(op), type(op))
        if kind in (ast.In, ast.NotIn):
            return self._among([other], held) if at else self._on(f"It matters whether {HERE} is in {{}}.", other)
        return self._on(f"It matters whether {{}} is {ORDERS.get(kind, HERE)}.", other)

    def _matched(self, pattern: ast.AST) -> str:
        while (above := self.above(pattern)) is not None and not isinstance(above, ast.Match):
            pattern = above
        return self._on(f"It matters whether {{}} is {HERE}.", above.subject) if above is not None else ""

    def _replaced(self, of: ast.expr, old: ast.expr, new: ast.expr, node: ast.expr, call: ast.Call) -> str:
        times = replaced_at_most(call, self._phrases)
        match old, new:
            case ast.Constant(value=str() as one), ast.Constant(value=str() as other):
                said = self._on(f"In {{}} \0 is replaced by \1{times}.", of)
                return said.replace(HERE, quoted(one)).replace("\1", quoted(other))
            case _:
                return (
                    self._on(f"In {{}} \0 is replaced{times}.", of)
                    if old is node
                    else f"What is replaced becomes {HERE}."
                )

    def _form(self, part: ast.AST, kind: str) -> str:
        """The whole of a text that is put together, with a sign for what is put in."""
        while isinstance(above := self.above(part), ast.BinOp) and isinstance(above.op, ast.Add):
            part = above
        text = _filled(part)
        told = f"A {kind} is put together: {quoted(text)}, where {_GAP} stands for another part."
        return "" if is_form(text.replace(_GAP, "")) else told

    def _members(self, node: ast.Dict | ast.List | ast.Tuple | ast.Set) -> str:
        """What a sequence or map that the program writes down is for, told whole."""
        held: ast.expr = node
        while isinstance(above := self.above(held), ast.Dict | ast.List | ast.Tuple | ast.Set):
            held = above
        shown, listed = _shown(held), _listed(held)
        if isinstance(above, ast.Call) and _is_collection(above):
            held, above = above, self.above(above)
        match above:
            case ast.Compare() if listed:
                return self._compared(above, held, held).replace(HERE, listed)
            case ast.Call(func=ast.Attribute(value=of, attr="startswith" | "endswith")) if listed:
                return self._on(asked(above, self._phrases), of).replace(HERE, listed)
            case ast.For() | ast.comprehension() if listed:
                return f"{listed} are gone through in this order."
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as joint), attr="join")):
                return f"These parts are joined with {quoted(joint)}: `{shown}`."
            case ast.Return():
                given_back = self._phrases.calls(above) is None
                return f"{'The result may be' if given_back else 'This may be made on the way:'} `{shown}`."
            case ast.Assign(targets=[ast.Subscript()]):
                return f"A map gets the value `{shown}`."
            case ast.Assign(targets=[ast.Name()]) | ast.AnnAssign():
                return self._table(held, f"`{shown}`")
            case ast.Subscript() | ast.Attribute(attr="get" | "items"):
                return f"A table {self._asked(held) or 'that is used'}: `{shown}`."
            case ast.Call() | ast.keyword() if isinstance(held, ast.Dict):
                return f"A map is made: `{shown}`."
            case _:
                return ""

    def _table(self, held: ast.expr, shown: str) -> str:
        """A table that a name stands for, with what is looked up in it."""
        name = self._standing.name(held)
        called = f" `{name}`" if name.isupper() else ""
        asked = next((said for use in self._standing.uses(held) if (said := self._asked(use))), "that is used")
        return f"A table{called} {asked}: {shown}."

    def _asked(self, table: ast.expr) -> str:
        """What is looked up in a table where it is read."""
        match self.above(table):
            case ast.Subscript(value=held, slice=place) if held is table:
                return f"in which {self._phrases.of(place)} is looked up"
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()]) if left is not table:
                return f"in which {self._phrases.of(left)} is looked up"
            case ast.Attribute(attr="get") as got if isinstance(call := self.above(got), ast.Call) and call.args:
                return f"in which {self._phrases.of(call.args[0])} is looked up"
            case ast.Call(func=ast.Attribute(value=of, attr="startswith" | "endswith" as name)) if of is not table:
                return f"with one of which {self._phrases.of(of)} may {name.removesuffix('swith')}"
            case ast.Attribute(attr="items") | ast.For() | ast.comprehension():
                return "that is gone through in this order"
            case _:
                return ""


def _counted(given: Sequence[ast.expr], node: ast.expr) -> str:
    """What an argument of `range` is for."""
    at = next((place for place, each in enumerate(given) if each is node), 0)
    if len(given) == 1 or at == 1:
        return f"Numbers are counted to {HERE}, itself left out."
    return f"Numbers are counted from {HERE} on." if at == 0 else f"Numbers are counted in steps of {HERE}."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _filled(part: ast.AST) -> str:
    """A text that is put together, with a gap for each value that is put in."""
    match part:
        case ast.JoinedStr(values=parts):
            return "".join(map(_filled, parts))
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _filled(left) + _filled(right)
        case ast.Constant(value=str() as text):
            return text
        case _:
            return _GAP


def _shown(node: ast.expr) -> str:
    """A literal as JSON, with a sign for each part that the program computes; a set in the order of its members."""
    match node:
        case ast.Constant(value=bytes()):
            return _GAP
        case ast.Constant(value=value):
            return json.dumps(value, ensure_ascii=False)
        case ast.Dict(keys=keys, values=values):
            entries = zip(keys, values, strict=True)
            return f"{{{', '.join(f'{_shown(key)}: {_shown(value)}' if key else _GAP for key, value in entries)}}}"
        case ast.Set(elts=members):
            return f"[{', '.join(sorted(map(_shown, members)))}]"
        case ast.List(elts=members) | ast.Tuple(elts=members):
            return f"[{', '.join(map(_shown, members))}]"
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return str(-value)
        case _:
            return _GAP


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
    except NO_LITERAL:
        return ""


def _in_order(members: object) -> list[object]:
    """Members of a literal sequence as they stand, those of a set by kind and value."""
    held = list(cast("list[object]", members))
    return sorted(held, key=lambda each: (type(each).__name__, each)) if isinstance(members, set) else held  # pyright: ignore[reportUnknownLambdaType, reportArgumentType, reportCallIssue]


def _taken_off(above: ast.AST | None, node: ast.expr, value: object) -> ast.Attribute | None:
    """The method by which a text's characters, several of them, are taken off; None where they are not."""
    match above:
        case ast.Call(func=ast.Attribute(attr=name) as method, args=[first, *_]) if name in _STRIPPED and first is node:
            return method if isinstance(value, str) and len(value) > 1 else None
        case _:
            return None
