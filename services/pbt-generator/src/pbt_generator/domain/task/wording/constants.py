"""Values that decide results and that a reader could not guess, each said with what it is for."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import cast

from pbt_generator.domain.oracle.syntax import ASKING

# A longer value is cut: its beginning tells what it is.
_CHARACTERS = 500
# Constants that need no word: everybody tries them.
_OBVIOUS = (True, False, None, 0, 1, -1, 2, "", " ", 0.0, 1.0)
_SMALL = 10
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
_WITH_FALLBACK = {"get", "pop", "setdefault", "replace"}
_PLACES = re.compile(r"\{[^{}]*\}|%[-+ #0-9.]*[sdrfgxX]")
# A sentence on one value; pieces of a text stand each alone, where their order counts.
_PIECE = re.compile(r"written into results|regular expression")
_ALONE = re.compile(r"^(?P<before>[^`]*)(?P<value>`[^`]*`)(?P<after>[^`]*)$")
_PATTERNS = {"compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Mult: "A factor is {}.", ast.Div: "A divisor is {}.", ast.FloorDiv: "A divisor is {}.",
    ast.Mod: "A remainder by {} is taken.", ast.Add: "{} is added.", ast.Sub: "{} is subtracted.",
    ast.Pow: "A power with {} is taken.",
}  # fmt: skip

_COMPUTED: dict[type[ast.operator], str] = {
    ast.Mod: "remainder", ast.Div: "quotient", ast.FloorDiv: "quotient", ast.Mult: "product", ast.Add: "sum",
    ast.Sub: "difference",
}  # fmt: skip


def ground_truth(source: str) -> ast.Module:
    """The definitions of a program, its imports left out: the function, and what a slice took along."""
    body = [node for node in ast.parse(source).body if not isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.Module(body, [])


def deciding_constants(source: str) -> list[object]:
    """Constants of a program that a reader could not guess, in order of appearance.

    Names of keys and separators count as much as numbers; docstrings and messages of raised errors do not.
    """
    found: list[object] = []
    for node in _constants(ground_truth(source)):
        value = node.value
        if not any(value == each and type(value) is type(each) for each in (*_OBVIOUS, *found)):
            found.append(value)
    return found


def _constants(tree: ast.Module) -> list[ast.Constant]:
    skipped = {id(node) for raised in ast.walk(tree) if isinstance(raised, ast.Raise) for node in ast.walk(raised)}
    # Forms of numbers inside texts are no values; a rule says how numbers are written.
    forms = [node.format_spec for node in ast.walk(tree) if isinstance(node, ast.FormattedValue) and node.format_spec]
    skipped |= {id(node) for form in forms for node in ast.walk(form)}
    skipped |= {id(statement.value) for statement in ast.walk(tree) if isinstance(statement, ast.Expr)}
    # What a value is asked for by name is how the program looks at it.
    skipped |= {
        id(node.args[1])
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ASKING
        if len(node.args) > 1
    }
    for node in ast.walk(tree):
        noted = [node.annotation] if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation else []
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            noted += [each for each in (node.returns, *node.decorator_list) if each is not None]
        skipped |= {id(inner) for each in noted for inner in ast.walk(each)}
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and id(node) not in skipped and isinstance(node.value, int | float | str)
    ]


def never_keys(source: str) -> set[str]:
    """Texts of a program that it never looks up in a map: as a key of an input they stand by chance.

    A text that reaches a name may be looked up by it: as an argument, a default, or what a helper gives back.

    Example:
        >>> sorted(never_keys("def f(x):\\n    return '%d!' % x['a'] if 'b' in x else x.get('c', 'none')\\n"))
        ['%d!', 'none']
        >>> never_keys("def f(x, key='a'):\\n    return pick(x, 'b') + x[key]\\n")
        set()
    """
    tree = ground_truth(source)
    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    keys: set[int] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Subscript(slice=place):
                keys |= {id(each) for each in ast.walk(place)}
            case ast.Compare(ops=[*_], left=left, comparators=[*others]):
                keys |= {id(each) for part in (left, *others) for each in ast.walk(part)}
            case ast.Call(func=called_one, args=given, keywords=named):
                # The other argument of these is what is given where the key is missing.
                one = isinstance(called_one, ast.Attribute) and called_one.attr in _WITH_FALLBACK
                handed = [*given[: 1 if one else None], *(each.value for each in named)]
                keys |= {id(each) for part in handed for each in _alternatives(part)}
            case ast.arguments(defaults=defaults, kw_defaults=named_defaults):
                handed = [*defaults, *(each for each in named_defaults if each is not None)]
                keys |= {id(each) for part in handed for each in _alternatives(part)}
            case ast.FunctionDef(name=name) if name in called:
                given_back = [each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value]
                keys |= {id(each) for part in given_back for each in _alternatives(part)}
            case (
                ast.Dict() | ast.List() | ast.Tuple() | ast.Set() | ast.For() | ast.comprehension()
                | ast.Assign() | ast.AnnAssign() | ast.NamedExpr() | ast.MatchMapping() | ast.MatchValue()
            ):  # fmt: skip
                keys |= {id(each) for each in ast.walk(node) if isinstance(each, ast.Constant)}
            case _:
                pass
    found = {node.value for node in _constants(tree) if isinstance(node.value, str) and id(node) not in keys}
    used = {node.value for node in _constants(tree) if isinstance(node.value, str) and id(node) in keys}
    return found - used


def _alternatives(node: ast.expr) -> list[ast.expr]:
    """What an expression may give as it stands: itself, or each side of a choice."""
    match node:
        case ast.IfExp(body=one, orelse=other):
            return [*_alternatives(one), *_alternatives(other)]
        case ast.BoolOp(values=values):
            return [each for value in values for each in _alternatives(value)]
        case ast.NamedExpr(value=value):
            return _alternatives(value)
        case _:
            return [node]


def unmentioned(constants: Sequence[object], text: str) -> list[object]:
    """The constants that a text does not mention as a value of their own (sufficiency check).

    Example:
        >>> unmentioned([7, "ab"], "at most 17, or `ab`")
        [7]
    """
    return [value for value in constants if not _stands_in(value, text)]


def _stands_in(value: object, text: str) -> bool:
    shown = cut(str(value))
    if isinstance(value, str) and not shown.strip():
        return repr(shown)[1:-1] in text or json.dumps(shown)[1:-1] in text
    before = r"(?<![\w.])" if re.match(r"\w", shown) else ""
    after = r"(?![\w]|\.\d)" if re.search(r"\w$", shown) else ""
    return re.search(f"{before}{re.escape(shown)}{after}", text) is not None


def cut(text: str) -> str:
    """The text, cut where it is very long."""
    return text if len(text) <= _CHARACTERS else f"{text[:_CHARACTERS]}…"


def silent_constants(source: str) -> list[object]:
    """Constants of which an example tells nothing even where it holds them: limits, tolerances, regular expressions.

    Example:
        >>> silent_constants("def f(x):\\n    return re.sub('a+', 'b', x) if len(x) < 7 else x[3]\\n")
        [7, 'a+']
    """
    tree = ground_truth(source)
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    found: list[object] = []
    for node in _constants(tree):
        value, above = node.value, parents.get(id(node))
        ordered = isinstance(above, ast.Compare) and not isinstance(
            above.ops[0], ast.Eq | ast.NotEq | ast.In | ast.NotIn
        )
        limit = ordered and isinstance(value, int | float) and value not in _OBVIOUS
        if (limit or is_pattern(node, parents)) and value not in found:
            found.append(value)
    return found


def is_pattern(node: ast.Constant, parents: Mapping[int, ast.AST]) -> bool:
    """Whether a text is a regular expression with something to it: code, more than a word of the task."""
    text = node.value if isinstance(node.value, str) else ""
    return re.escape(text) != text and _in_pattern(node, parents)


def _in_pattern(node: ast.Constant, parents: Mapping[int, ast.AST]) -> bool:
    """Whether a regular expression is this value, or put together from it."""
    part: ast.AST = node
    while isinstance(above := parents.get(id(part)), ast.BinOp | ast.JoinedStr | ast.FormattedValue):
        part = above
    match above:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re" | "regex"), attr=name), args=[first, *_]):
            return name in _PATTERNS and first is part
        case _:
            return False


def unexplained(source: str, values: Sequence[object]) -> list[object]:
    """Those of the values of which a sentence does not say enough to write the function from.

    A regular expression alone is code whose purpose nothing tells; what has no use that could be said is a riddle; of a
    table that is cut the rest is unknown.

    Example:
        >>> unexplained("def f(x):\\n    return re.sub('a+', '', x) + g(400)[x * 60]\\n", ["a+", 400, 60])
        ['a+', 400]
    """
    tree = ground_truth(source)
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    pieces = _template_pieces(tree, parents)
    found: list[object] = []
    for value in values:
        places = [n for n in _constants(tree) if n.value == value and type(n.value) is type(value)]
        said = next(
            (text for text in (_use(place, parents) for place in places if id(place) not in pieces) if text), ""
        )
        small = isinstance(value, int | float) and abs(value) <= _SMALL and value == int(value)
        cut_off = len(str(value)) > _CHARACTERS or "…`" in said
        if (
            cut_off
            or any(is_pattern(place, parents) for place in places)
            or (not said and not small and not _is_form(value))
        ):
            found.append(value)
    return found


def sentences(source: str, values: Sequence[object]) -> list[str]:
    """What the values are for, a sentence each, as the program uses them; small numbers without a use are left out.

    Args:
        source: The ground truth.
        values: Constants of it.

    Example:
        >>> sentences("def f(s):\\n    return s.split(';') if len(s) > 40 else []\\n", [";", 40])
        ['Texts are split at `";"`.', 'The length of `s` is compared with `40`.']
    """
    tree = ground_truth(source)
    parents = {id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    pieces = _template_pieces(tree, parents)
    found: dict[str, None] = {}
    rest: list[object] = []
    for value in values:
        places = [n for n in _constants(tree) if n.value == value and type(n.value) is type(value)]
        places = [each for each in places if id(each) not in pieces]
        if not places:
            continue
        said = next((text for text in (_use(place, parents) for place in places) if text), "")
        if said:
            found[said] = None
        elif not (isinstance(value, int | float) and abs(value) <= _SMALL and value == int(value)) and not _is_form(
            value
        ):
            rest.append(value)
    if rest:
        found[f"Values that decide and that no example shows: {', '.join(map(_quoted, rest))}."] = None
    return _merged(found)


def _merged(told: Iterable[str]) -> list[str]:
    """Sentences that say the same of several values as one.

    Example:
        >>> _merged(["The key `1` is read.", "Parts are joined with `2`.", "The key `3` is read."])
        ['The key `1`, `3` is read.', 'Parts are joined with `2`.']
    """
    values: dict[str, list[str]] = {}
    for sentence in told:
        quoted = None if _PIECE.search(sentence) else _ALONE.match(sentence)
        form = f"{quoted['before']}\0{quoted['after']}" if quoted else sentence
        values.setdefault(form, []).append(quoted["value"] if quoted else "")
    return [form.replace("\0", ", ".join(held)) for form, held in values.items()]


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


def _is_form(value: object) -> bool:
    """Whether a text only says where values are put: what is made with it shows in the results."""
    return isinstance(value, str) and not _PLACES.sub("", value).strip(" ,.:;()[]{}<>/\"'_-=\n")


def _quoted(value: object) -> str:
    return f"`{cut(json.dumps(value, ensure_ascii=False))}`"


def _use(node: ast.Constant, parents: dict[int, ast.AST]) -> str:
    """What a constant is for at its place; empty when the place does not tell."""
    above = parents.get(id(node))
    shown = _quoted(node.value)
    match above:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, ast.In | ast.NotIn):
            return f"Whether {shown} is contained decides." if left is node else _told_apart(right)
        case ast.Compare(left=left, comparators=[*others]):
            return _compared(next(each for each in (left, *others) if each is not node), shown)
        case ast.List() | ast.Tuple() | ast.Set():
            outer = parents.get(id(above))
            if isinstance(outer, ast.Compare):
                return _told_apart(above)
            made = parents.get(id(outer))
            if isinstance(outer, ast.Call) and isinstance(made, ast.Assign | ast.AnnAssign):
                return _table(made)
            if isinstance(outer, ast.Call) and isinstance(made, ast.Compare):
                return _told_apart(above)
            return _members(above, outer)
        case ast.Dict() | ast.Assign() | ast.AnnAssign():
            return _table(above)
        case ast.Call(func=ast.Attribute(attr=name), args=[first, *_]) if name in _METHODS and first is node:
            return _METHODS[name].format(shown)
        case ast.Call(func=ast.Attribute(attr="replace"), args=[ast.Constant(value=old), ast.Constant(value=new), *_]):
            return f"{_quoted(old)} is replaced by {_quoted(new)}."
        case ast.Call(func=ast.Attribute(value=ast.Name(id="re"), attr=name), args=[first, *_]) if (
            name in _PATTERNS and first is node
        ):
            return f"Texts are matched against the regular expression {shown}."
        case ast.Call(func=ast.Attribute(attr="normalize"), args=[first, *_]) if first is node:
            return f"The Unicode normal form is {shown}."
        case ast.Attribute(attr="join"):
            return _METHODS["join"].format(shown)
        case ast.Call(func=ast.Name(id="divmod"), args=[_, last]) if last is node:
            return f"A divisor is {shown}."
        case ast.Call(func=ast.Name(id="round"), args=[_, last]) if last is node:
            return f"Numbers are rounded to {shown} decimals."
        case ast.Subscript(slice=place) if place is node and isinstance(node.value, str):
            return f"The key {shown} is used."
        case ast.BinOp(op=ast.Add() | ast.Sub()) if isinstance(node.value, int) and abs(node.value) <= _SMALL:
            # A step from one place to the next: said alone it tells nothing.
            return ""
        case ast.BinOp(op=op) if type(op) in _ARITHMETIC and isinstance(node.value, int | float):
            return _ARITHMETIC[type(op)].format(shown)
        case ast.JoinedStr() | ast.BinOp(op=ast.Add()) if isinstance(node.value, str) and _in_pattern(node, parents):
            return f"A regular expression holds {shown}."
        case ast.JoinedStr() | ast.BinOp(op=ast.Add()) if isinstance(node.value, str):
            return f"{shown} is written into results." if not _is_form(node.value) else ""
        case ast.Return():
            return f"{shown} is one of the results."
        case _:
            return ""


def _members(node: ast.List | ast.Tuple | ast.Set, outer: ast.AST | None) -> str:
    """What the members of a sequence that the program writes down are for, told together."""
    match outer:
        case ast.Dict() | ast.Assign() | ast.AnnAssign():
            return _table(outer)
        case ast.Call(func=ast.Attribute(attr="startswith" | "endswith" as name), args=[first, *_]) if first is node:
            return _METHODS[name].format(_listed(node)) if _listed(node) else ""
        case ast.For(iter=walked) | ast.comprehension(iter=walked) if walked is node and _listed(node):
            return f"Each of {_listed(node)} is taken in this order."
        case ast.Return() if _listed(node):
            return f"The sequence {_listed(node)} is one of the results."
        case _:
            return ""


def _listed(node: ast.expr) -> str:
    """The members of a literal sequence one after another; empty where one is no literal."""
    try:
        members = cast("list[object] | set[object]", ast.literal_eval(node))
        return ", ".join(map(_quoted, sorted(members, key=str) if isinstance(members, set) else members))
    except (ValueError, TypeError):
        return ""


def _compared(other: ast.expr, shown: str) -> str:
    match other:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            return f"The length of `{name}` is compared with {shown}."
        case ast.Name(id=name):
            return f"`{name}` is compared with {shown}."
        case ast.Call(func=ast.Name(id="abs"), args=[ast.Name(id=name)]):
            return f"`{name}`, its sign left out, is compared with {shown}."
        case ast.Call(func=ast.Name(id="ord"), args=[_]):
            return f"A code point is compared with {shown}."
        case ast.Subscript(value=ast.Name(id=name)):
            return f"A part of `{name}` is compared with {shown}."
        case ast.BinOp(op=op) if type(op) in _COMPUTED:
            return f"A {_COMPUTED[type(op)]} is compared with {shown}."
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="lower" | "upper" | "casefold"), args=[]):
            return f"`{name}`, its case ignored, is compared with {shown}."
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as key), *_]):
            return f"The entry {_quoted(key)} is compared with {shown}."
        case _:
            return ""


def _told_apart(node: ast.expr | ast.AST) -> str:
    try:
        members = ast.literal_eval(node) if isinstance(node, ast.expr) else None
    except (ValueError, TypeError):
        return ""
    if isinstance(members, str):
        return f"The characters of {_quoted(members)} are told from others."
    if isinstance(members, list | tuple | set | frozenset):
        listed = sorted(members, key=str) if isinstance(members, set | frozenset) else list(members)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        return f"{', '.join(_quoted(each) for each in listed)} are told from other values."  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return ""


def _table(node: ast.AST | None) -> str:
    """A literal table or constant, whole."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else node
    name = node.targets[0] if isinstance(node, ast.Assign) else node.target if isinstance(node, ast.AnnAssign) else None
    match value:
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple" | "list"), args=[inner], keywords=[]):
            value = inner
        case _:
            pass
    try:
        held: object = ast.literal_eval(value) if isinstance(value, ast.expr) else None
        held = sorted(cast("set[str]", held), key=str) if isinstance(held, set) else held
        text = json.dumps(held, ensure_ascii=False)
    except (ValueError, TypeError):
        return ""
    if isinstance(held, dict | list | tuple):
        called = f", `{name.id}`" if isinstance(name, ast.Name) and name.id.isupper() else ""
        return f"A table that is used{called}: `{cut(text)}`."
    return ""
