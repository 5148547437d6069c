"""What one expression may be changed to: the operators of the mutants, each on its own."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping
from typing import cast

from pbt_generator.domain.oracle.mutation.joining import JOINED, kind_of
from pbt_generator.domain.oracle.mutation.tables import (
    ARITHMETIC,
    BOUNDARY,
    COMPARISON_OPPOSITE,
    DROPPABLE_FUNCTIONS,
    DROPPABLE_METHODS,
    FUNCTION_SWAPS,
    METHOD_SWAPS,
    PURE_METHODS,
    UNSWAPPABLE,
)
from pbt_generator.domain.oracle.proofs.flow import PURE_FUNCTIONS
from pbt_generator.domain.oracle.syntax import named_parameters, whole_number

NOTHING: Mapping[str, str] = {}
Literal = str | int | float | bool
_NAMED_ATTRIBUTES = {"isinstance", "issubclass", "getattr", "hasattr"}


def alternatives(
    node: ast.expr, above: ast.AST | None = None, names: Mapping[str, str] = NOTHING
) -> list[tuple[str, str, Callable[[], ast.expr]]]:
    """The mutants of one expression's own operator: operator name, text, and how to make it.

    Args:
        node: The expression.
        above: What it stands in.
        names: The kinds of what names hold (see `joining`).
    """
    found: list[tuple[str, ast.expr]] = []
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            opposite = COMPARISON_OPPOSITE[type(op)]
            found.append(("comparison", ast.Compare(left, [opposite()], [right])))
            near = BOUNDARY.get(type(op))
            if near is not None:
                found.append(("boundary", ast.Compare(left, [near()], [right])))
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for place, op in enumerate(ops):
                near = BOUNDARY.get(type(op), COMPARISON_OPPOSITE[type(op)])
                found.append(("boundary", ast.Compare(left, [*ops[:place], near(), *ops[place + 1 :]], comparators)))
        case ast.BoolOp(op=op, values=values):
            other = ast.Or() if isinstance(op, ast.And) else ast.And()
            found.append(("connective", ast.BoolOp(other, values)))
            for place in range(len(values)):
                rest = [*values[:place], *values[place + 1 :]]
                found.append(("operand", rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)))
        case ast.BinOp(left=left, op=op, right=right):
            found.extend(_arithmetic(left, op, right, names))
        case ast.UnaryOp(op=ast.Not() | ast.USub() | ast.Invert(), operand=operand) if not isinstance(
            operand, ast.Constant
        ):
            found.append(("negation", operand))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()) | ast.Constant():
            found.extend(("constant", changed) for changed in near_literals(node))
        case ast.Subscript(value=value, slice=ast.Slice() as bounds):
            found.extend(("slice", ast.Subscript(value, other, ast.Load())) for other in _slices(bounds))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            found.append(("negate", ast.IfExp(test, orelse, body)))
        case ast.Call():
            # Division makes a float anyway.
            idle = isinstance(above, ast.BinOp) and isinstance(above.op, ast.Div) and _is_float(node)
            found.extend(each for each in _calls(node, names) if not (idle and each[0] == "drop call"))
        case _:
            pass
    if not is_constant(node):
        # A number that is compared or computed with may matter on a few values only.
        kinds = ((ast.Compare, "limit"), (ast.BinOp, "number"))
        operator = next((name for kind, name in kinds if isinstance(node, kind)), "constant")
        operator = "index" if _cuts(node) else operator
        found.extend((operator, changed) for changed in _constant_parts(node))
    return [(name, short(changed), lambda changed=changed: copy.deepcopy(changed)) for name, changed in found]


def _is_float(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "float"


def _cuts(node: ast.expr) -> bool:
    """Whether an expression takes a part of a value: nearly every input that comes by shows what its literals do."""
    match node:
        case ast.Subscript():
            return True
        case ast.Call(func=ast.Attribute(attr="strip" | "lstrip" | "rstrip" | "split" | "rsplit" | "zfill")):
            return True
        case _:
            return False


def is_constant(node: ast.AST) -> bool:
    """Whether a node is a literal, with or without a sign."""
    match node:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case _:
            return False


def near_literals(node: ast.AST) -> list[ast.expr]:
    """Literals near a literal."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return [ast.Constant(value), ast.UnaryOp(ast.USub(), ast.Constant(value + 1))]
        case ast.Constant(value=value):
            return [ast.Constant(near) for near in _near(value)]
        case _:
            return []


def _constant_parts(node: ast.expr) -> list[ast.expr]:
    """The expression with one of its own literals changed.

    The change is made here and not at the literal, so that one can see whether it makes a difference: a comparison
    with 3600 and one with 3599 mostly agree, the two numbers never do.
    """
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _NAMED_ATTRIBUTES:
        # What is asked for is a name; what stands for it where it is not there is a value.
        default = node.args[2:] if node.func.id == "getattr" else []
        return [_with(node, "args", 2, near) for each in default for near in near_literals(each)]
    found: list[ast.expr] = []
    for name, value in ast.iter_fields(node):
        if isinstance(value, ast.AST):
            # A single literal, or the bounds of a slice.
            if is_constant(value):
                found.extend(_with(node, name, None, near) for near in near_literals(value))
            elif isinstance(value, ast.Slice):
                for bound in ("lower", "upper", "step"):
                    inner = getattr(value, bound)
                    for near in near_literals(inner) if inner is not None else ():
                        changed = copy.deepcopy(value)
                        setattr(changed, bound, near)
                        found.append(_with(node, name, None, changed))
        elif isinstance(value, list):
            for place, item in enumerate(cast("list[object]", value)):
                if isinstance(item, ast.keyword) and is_constant(item.value):
                    held = characters(node, item)
                    changed = near_literals(item.value) if held is None else [ast.Constant(text) for text in held]
                    found.extend(_with(node, name, place, ast.keyword(item.arg, near)) for near in changed)
                elif isinstance(item, ast.AST) and is_constant(item) and not _no_format(node, item):
                    held = characters(node, item)
                    changed = near_literals(item) if held is None else [ast.Constant(text) for text in held]
                    found.extend(_with(node, name, place, near) for near in changed)
    return found


# Characters that `urllib.parse.quote` never quotes: in `safe` they make no difference.
_NEVER_QUOTED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"


def characters(node: ast.expr, item: ast.AST) -> list[str] | None:
    """What replaces a text that an expression uses as a set of characters; None for a text that is used whole.

    Such a text loses members: who looks for one more character has to wait for an input that nobody writes.
    """
    match node, item:
        case (ast.Compare(ops=[ast.In() | ast.NotIn()]), ast.Constant(value=str() as text)):
            return without_ends(text, text)
        case (
            ast.Call(func=ast.Attribute(attr="strip" | "lstrip" | "rstrip"), args=[_], keywords=[]),
            ast.Constant(value=str() as text),
        ):
            return without_ends(text, text)
        case (
            ast.Call(func=ast.Name(id="quote" | "quote_plus") | ast.Attribute(attr="quote" | "quote_plus")),
            ast.keyword(arg="safe", value=ast.Constant(value=str() as text)),
        ):
            quoted = "".join(character for character in text if character not in _NEVER_QUOTED)
            return without_ends(text, quoted) if quoted else ["/"]
        case _:
            return None


def without_ends(text: str, members: str) -> list[str]:
    """A text without any of these members, without the first of them, and without the last."""
    kept = ["".join(character for character in text if character not in members)] if members != text else [""]
    kept += [text.replace(members[0], ""), text.replace(members[-1], "")] if members else []
    return list(dict.fromkeys(near for near in kept if near != text))


def _no_format(node: ast.expr, item: ast.AST) -> bool:
    """Whether a literal is the empty format of a part of a formatted text: nobody wrote it."""
    named = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "_ts_format"
    return named and isinstance(item, ast.Constant) and item.value == ""


def _with(node: ast.expr, name: str, place: int | None, part: ast.AST) -> ast.expr:
    changed = copy.deepcopy(node)
    if place is None:
        setattr(changed, name, part)
    else:
        getattr(changed, name)[place] = part
    return changed


def _slices(bounds: ast.Slice) -> list[ast.Slice]:
    """The slice without one of its bounds."""
    found: list[ast.Slice] = []
    for name in ("lower", "upper", "step"):
        bound = getattr(bounds, name)
        if bound is None or (name == "lower" and isinstance(bound, ast.Constant) and bound.value == 0):
            continue
        changed = copy.deepcopy(bounds)
        setattr(changed, name, None)
        found.append(changed)
    return found


def _arithmetic(
    left: ast.expr, op: ast.operator, right: ast.expr, names: Mapping[str, str]
) -> list[tuple[str, ast.expr]]:
    here, there = kind_of(left, names), kind_of(right, names)
    if isinstance(op, ast.Add) and (texty(left) or texty(right) or {here, there} & JOINED):
        swapped = [] if ast.dump(left) == ast.dump(right) else [("swap", ast.BinOp(right, op, left))]
        return [*swapped, ("drop", left), ("drop", right)]
    if isinstance(op, ast.Mod) and (texty(left) or here == "str"):
        return []
    if isinstance(op, ast.Mult) and {here, there} & JOINED:
        return [("drop", left if here in JOINED else right)]
    if isinstance(op, ast.Div) and (here == "path" or there == "str"):
        return [("drop", left)]
    if isinstance(op, ast.Sub) and "set" in (here, there):
        return [("arithmetic", ast.BinOp(left, ast.BitOr(), right))]
    if isinstance(op, ast.BitOr) and "dict" in (here, there):
        return [("swap", ast.BinOp(right, op, left)), ("drop", left), ("drop", right)]
    other = ARITHMETIC.get(type(op))
    return [("arithmetic", ast.BinOp(left, other(), right))] if other is not None else []


def _calls(node: ast.Call, names: Mapping[str, str]) -> list[tuple[str, ast.expr]]:
    found: list[tuple[str, ast.expr]] = []
    plain = not node.keywords and not any(isinstance(argument, ast.Starred) for argument in node.args)
    match node.func:
        case ast.Attribute(value=value, attr=attr):
            if attr in DROPPABLE_METHODS and not isinstance(value, ast.Constant):
                found.append(("drop call", value))
            # A list knows no place from its end.
            if attr in METHOD_SWAPS and not (attr == "index" and kind_of(value, names) == "list"):
                found.append(
                    (
                        "swap call",
                        ast.Call(ast.Attribute(value, METHOD_SWAPS[attr], ast.Load()), node.args, node.keywords),
                    )
                )
            if (
                attr in {"split", "rsplit", "replace", "get"}
                and plain
                and len(node.args) == (3 if attr == "replace" else 2)
            ):
                found.append(("drop argument", ast.Call(node.func, node.args[:-1], [])))
        case ast.Name(id=name):
            if name in DROPPABLE_FUNCTIONS and len(node.args) >= 1 and plain and not texty(node.args[0]):
                found.append(("drop call", node.args[0]))
            if name in FUNCTION_SWAPS:
                found.append(
                    ("swap call", ast.Call(ast.Name(FUNCTION_SWAPS[name], ast.Load()), node.args, node.keywords))
                )
            if name == "range" and plain and node.args:
                found += [("range", other) for other in _other_ends(node)]
            if name in {"sorted", "reversed"} and len(node.args) == 1:
                found.append(("drop call", ast.Call(ast.Name("list", ast.Load()), node.args, [])))
        case _:
            pass
    name = (
        node.func.attr
        if isinstance(node.func, ast.Attribute)
        else node.func.id
        if isinstance(node.func, ast.Name)
        else ""
    )
    if plain and len(node.args) == 2 and name not in UNSWAPPABLE and ast.dump(node.args[0]) != ast.dump(node.args[1]):
        found.append(("swap arguments", ast.Call(node.func, [node.args[1], node.args[0]], [])))
    for place, keyword in enumerate(node.keywords):
        if keyword.arg in {"key", "reverse", "default"}:
            rest = [*node.keywords[:place], *node.keywords[place + 1 :]]
            found.append(("drop argument", ast.Call(node.func, node.args, rest)))
    return found


def _other_ends(node: ast.Call) -> list[ast.expr]:
    """A range of one round more, and of one less, as far as they do not come of changed literals.

    A literal end is changed with the other literals; 0 becomes 1 alone there, which downwards is a round less: whether
    the first of all is taken is what is forgotten. In wider steps one place more or less is often no other round.
    """
    place = min(len(node.args) - 1, 1)
    end, step = node.args[place], node.args[2:]
    downwards = bool(step) and ast.unparse(step[0]) == "-1"
    ends: list[ast.expr] = []
    if step and not downwards:
        return []
    if not is_constant(end):
        ends = [ast.BinOp(end, op, ast.Constant(1)) for op in (ast.Add(), ast.Sub())]
    elif isinstance(end, ast.Constant) and end.value in (0, 1) and downwards:
        ends = [ast.UnaryOp(ast.USub(), ast.Constant(1)) if end.value == 0 else ast.Constant(2)]
    return [ast.Call(node.func, [*node.args[:place], other, *node.args[place + 1 :]], []) for other in ends]


def _near(value: object) -> list[Literal]:
    match value:
        case bool():
            return [not value]
        case int():
            return [value + 1, value - 1] if value not in (0, 1) else [1 - value] if value == 1 else [1]
        case float():
            return [value + 1.0] if value else [1.0]
        case str():
            # What is compared with it is often in one case only, and more often in this one.
            longer = value + ("X" if value.isupper() else "x")
            return ["", longer] if len(value) > 1 else [longer]
        case _:
            return []


def pure(node: ast.expr) -> bool:
    """Whether an expression can be evaluated twice."""
    for inner in ast.walk(node):
        if isinstance(inner, (ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await)):
            return False
        if isinstance(inner, ast.Call):
            if isinstance(inner.func, ast.Attribute) and inner.func.attr not in PURE_METHODS:
                return False
            if isinstance(inner.func, ast.Name) and not _reads_only(inner.func.id):
                return False
    return True


def _reads_only(name: str) -> bool:
    """Whether a function of this name leaves its arguments as they are: builtins, classes, and parts of formats."""
    return name in PURE_FUNCTIONS - {"print"} or name[:1].isupper() or name.startswith("_ts_")


def texty(node: ast.expr) -> bool:
    """Whether an expression is a text by its own form."""
    match node:
        case ast.JoinedStr():
            return True
        case ast.Constant(value=str()):
            return True
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() | ast.Mod(), right=right):
            return texty(left) or texty(right)
        case ast.Call(
            func=ast.Attribute(attr="join" | "strip" | "lower" | "upper" | "format" | "replace" | "title" | "zfill")
        ):
            return True
        case ast.Call(func=ast.Name(id="str" | "repr" | "chr" | "hex" | "bin" | "_ts_join")):
            return True
        case ast.IfExp(body=body, orelse=orelse):
            return texty(body) or texty(orelse)
        case ast.Subscript(slice=ast.Slice()):
            return True
        case _:
            return False


def short(node: ast.AST) -> str:
    """The first line of a tree as text, cut."""
    try:
        text = ast.unparse(ast.fix_missing_locations(copy.deepcopy(node)))
    except (ValueError, AttributeError):
        return type(node).__name__
    line = text.splitlines()[0] if text else ""
    return line if len(line) <= 70 else f"{line[:67]}..."


def names_read(node: ast.expr) -> frozenset[str]:
    """Names that an expression reads, apart from common builtins."""
    known = {"len", "isinstance", "str", "int", "float", "bool", "list", "dict", "tuple", "set", "abs", "min", "max"}
    return frozenset(inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)) - known


def untouched_parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> frozenset[str]:
    """Parameters that are never written: what they are at the entry, they are everywhere."""
    arguments = function.args
    names = {argument.arg for argument in named_parameters(arguments)}
    written = {
        node.id
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del))
    }
    return frozenset(names - written)


def shifted(test: ast.Compare, *, wider: bool) -> list[ast.Compare]:
    """A comparison, or a chain of them, that is true a little more often, or less often, one link changed.

    Example:
        >>> test = ast.parse("0 < x <= 9", mode="eval").body
        >>> [ast.unparse(other) for wide in (True, False) for other in shifted(test, wider=wide)]
        ['0 <= x <= 9', '0 < x <= 10', '1 < x <= 9', '0 < x < 9']
    """
    found: list[ast.Compare] = []
    sides = [test.left, *test.comparators]
    for place, op in enumerate(test.ops):
        kind = type(op)
        if kind not in BOUNDARY:
            continue
        changed = copy.deepcopy(test)
        if isinstance(op, (ast.Lt, ast.Gt)) == wider:
            changed.ops[place] = BOUNDARY[kind]()
            found.append(changed)
            continue
        # Greater numbers make `x < 9` true more often, and `9 < x` less often.
        step = 1 if isinstance(op, (ast.Lt, ast.LtE)) == wider else -1
        first, last = whole_number(sides[place]), whole_number(sides[place + 1])
        if last is not None and place == len(test.ops) - 1:
            changed.comparators[place] = _number(last + step)
            found.append(changed)
        elif first is not None and place == 0:
            changed.left = _number(first - step)
            found.append(changed)
    return found


def _number(value: int) -> ast.expr:
    return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))


def symbol(op: ast.operator) -> str:
    """How an augmented assignment with an operator is written."""
    symbols: dict[type[ast.operator], str] = {
        ast.Add: "+=",
        ast.Sub: "-=",
        ast.Mult: "*=",
        ast.Div: "/=",
        ast.FloorDiv: "//=",
        ast.Mod: "%=",
    }
    return symbols.get(type(op), type(op).__name__)
