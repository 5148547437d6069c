"""How a ground truth writes values into texts: forms of Python's own that a solver in another language must know."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from pbt_generator.domain.oracle.syntax import NO_LITERAL
from pbt_generator.domain.task.wording.constants import ground_truth

_FLOAT = re.compile(r"\d\.\d|\de[+-]?\d|\binf\b|\bnan\b")
_TRUTH = re.compile(r"\b(?:True|False)\b")
_NOTHING = re.compile(r"\bNone\b")
_HELD = re.compile(r"[\[({](?:['\"\[({\d-]|None|True|False)[^\[\](){}]*[\])}]")
_WHOLE = re.compile(r"(?<![\w.])\d+\.\d+(?:e[+-]?\d+)?(?![\w.])")
# A number that rounding or a product made of one below 0, and its sign.
_SIGNED_ZERO = re.compile(r"(?<![\w.-])-0\.0+(?![\w.])")
_ROUNDED_ZERO = re.compile(r"(?<![\w.-])-0(?:\.0+)?(?![\w.-])")
# Numbers in brackets, which somebody may have put there himself.
_NUMBERS_HELD = re.compile(r"[\[({][-\d\s.,;:|/]+[\])}]")
_DECIMALS = re.compile(r"[feg%]$", re.IGNORECASE)
# Forms in which 3.0 is 3, calls that may take ".0" off, and calls with which whole numbers are told from others.
_GENERAL = re.compile(r"[gn]$", re.IGNORECASE)
_GENERAL_PLACE = re.compile(r"\{[^{}]*:[^{}]*[gn]\}|%[-+ 0#]*\d*(?:\.\d+)?g", re.IGNORECASE)
_CUTTING = {"rstrip", "strip", "removesuffix", "replace", "endswith", "partition", "rpartition", "split"}
_TO_WHOLE = {"int", "math.floor", "math.trunc", "floor", "trunc", "round", "math.ceil", "ceil"}
# What would end or quote a value in brackets.
_QUOTING = frozenset("[](){}'\"\\")

TRUTH = "A truth value inside a text is written True or False."
NOTHING = "Nothing (null) inside a text is written None."
NUMBER = (
    "A number that is not an integer is written into a text with the fewest digits that read back as the same number "
    "and always with a decimal point (3.0, 0.1), with an exponent below 0.0001 (1e-05) and from 1e16 on (1e+16)."
)
NUMBERS_DIFFER = "An integer and a number with a decimal point are different results: 0 is not 0.0."
ROUNDING = (
    "Where a number is rounded or cut to some decimals, its exact value decides, and a half goes to the even digit "
    "(0.5 gives 0, 1.5 gives 2)."
)
# What begins so is a rule that a program keeps at some places alone, beside another one that excludes it.
PLACES_DIFFER = "Places differ: at one "
# Where a program adds a half and cuts, or says in which way a half goes, beside.
ROUNDING_AT_PLACES = (
    f"{PLACES_DIFFER}the exact value of a number that is rounded or cut to some decimals decides, and a half "
    "goes to the even digit (0.5 gives 0, 1.5 gives 2); at another the program rounds in a way of its own."
)
HELD = "Sequences and maps inside a text are written as Python shows them: [1, 'a'], (1, 'a'), {'a': 1}."

SIGN = "A zero that comes of a number below 0 keeps its sign inside a text: -0.0."


def rendering_rules(source: str, cases: Sequence[tuple[str, str]]) -> list[str]:
    """What the results show of Python's own way to write values into texts, a sentence each.

    Args:
        source: The ground truth.
        cases: Arguments and result as portable texts.

    Example:
        >>> rendering_rules("def f(x):\\n    return f'is {x}'\\n", [("[true]", '"is True"'), ('["a"]', '"is a"')])
        ['A truth value inside a text is written True or False.']
    """
    tree = _Results().visit(ground_truth(source))
    otherwise = any(map(_rounds_otherwise, ast.walk(tree)))
    rounded = [ROUNDING_AT_PLACES if otherwise else ROUNDING] if any(map(_rounds, ast.walk(tree))) else []
    plainly = any(map(_writes_plainly, ast.walk(tree)))
    # Without rounding a zero has decimals: -0 may be a sign of the function's own before a number.
    zero = _ROUNDED_ZERO if rounded else _SIGNED_ZERO
    signed = [SIGN] if (plainly or rounded) and any(_has_signed_zero(case, zero) for case in cases) else []
    if any(map(_puts_sign, ast.walk(tree))):
        signed = []
    if not plainly:
        return [*rounded, *signed]
    own = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    found: dict[str, None] = {}
    for arguments, expected in cases:
        given: list[Any] | dict[str, Any] = json.loads(arguments)
        # That the arguments stand in a list, or in a map of their names, is no value.
        values: list[Any] = list(given.values()) if isinstance(given, dict) else given
        kinds: set[type] = {type(node) for value in values for node in _nodes(value)}
        had = {*texts_in(given)} | own
        for text in texts_in(json.loads(expected)):
            for kind, pattern, rule in (
                (bool, _TRUTH, TRUTH), (type(None), _NOTHING, NOTHING), (float, _FLOAT, NUMBER), (list, _HELD, HELD),
                (dict, _HELD, HELD),
            ):  # fmt: skip
                # What stood in a text before was not written by the function.
                seen = kind in kinds or (kind is float and _divides(tree))
                if seen and any(not any(match in each for each in had) for match in pattern.findall(text)):
                    found[rule] = None
    pointless = any(map(_takes_point_off, ast.walk(tree))) or any(map(_lacks_point, cases))
    if NUMBER in found and (pointless or not _shortest(cases)):
        del found[NUMBER]
    if HELD in found and any(map(_brackets_itself, cases)):
        del found[HELD]
    return [*rounded, *signed, *(rule for rule in (TRUTH, NOTHING, NUMBER, HELD) if rule in found)]


class _Results(ast.NodeTransformer):
    """A program without its errors: what is written into their messages is no result."""

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        return ast.copy_location(ast.Pass(), node)


def numbers_of_both_kinds(results: Iterable[str]) -> bool:
    """Whether some results hold integers and some other numbers, so that a solver could take one for the other."""
    kinds: set[type] = {type(node) for result in results for node in _nodes(json.loads(result))}
    return {int, float} <= kinds


def _shortest(cases: Sequence[tuple[str, str]]) -> bool:
    """Whether all numbers in the texts of results are written with the fewest digits: not 3.00."""
    texts = (text for _, expected in cases for text in texts_in(json.loads(expected)))
    return all(repr(float(number)) == number for text in texts for number in _WHOLE.findall(text))


def _takes_point_off(node: ast.AST) -> bool:
    """Whether a node may write a number that is no integer as one: without its point, or in the shorter of two forms.

    Example:
        >>> codes = ("s.rstrip('0')", "x == int(x)", "x.is_integer()", "f'{x:g}'", "x % 1", "s.rstrip('a')")
        >>> [any(map(_takes_point_off, ast.walk(ast.parse(code)))) for code in codes]
        [True, True, True, True, True, False]
    """
    match node:
        case ast.Call(func=ast.Attribute(attr=name), args=[ast.Constant(value=str() as text), *_]) if text:
            return (name in _CUTTING and not text.strip(".0")) or (name == "sub" and ".0" in text.replace("\\", ""))
        case ast.Call(func=ast.Attribute(attr="is_integer")):
            return True
        case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=others):
            sides = [left, *others]
            return any(isinstance(side, ast.Call) and ast.unparse(side.func) in _TO_WHOLE for side in sides)
        case ast.BinOp(op=ast.Mod(), right=ast.Constant(value=1)):
            return True
        case ast.Constant(value=str() as form):
            return bool(_GENERAL_PLACE.search(form.replace("%%", "")))
        case _:
            return any(map(_GENERAL.search, _forms(node)))


def _lacks_point(case: tuple[str, str]) -> bool:
    """Whether a number of the arguments stands in a text of the result without its point: 3 for 3.0."""
    arguments, expected = case
    texts = [*texts_in(json.loads(expected))]
    whole = {node for node in _nodes(json.loads(arguments)) if isinstance(node, float) and node.is_integer()}
    return any(
        re.search(rf"(?<![\w.]){int(number)}(?![\w.])", text) and not re.search(rf"(?<![\w.]){int(number)}\.0", text)
        for number in whole
        for text in texts
    )


def _has_signed_zero(case: tuple[str, str], zero: re.Pattern[str]) -> bool:
    """Whether a text of a result holds a negative zero that stands nowhere in the arguments."""
    arguments, expected = case
    texts = texts_in(json.loads(expected))
    return not zero.search(arguments) and any(map(zero.search, texts))


def _brackets_itself(case: tuple[str, str]) -> bool:
    """Whether a text of a result has values in brackets otherwise than Python shows any: [1,2], (1 2), [1, b]."""
    arguments, expected = case
    texts = texts_in(json.loads(expected))
    patterns = [_NUMBERS_HELD]
    # What a text of the input brings along may look like anything.
    if not any(_QUOTING & {*text} for text in texts_in(json.loads(arguments))):
        patterns.append(_HELD)
    return any(not _as_python_shows(held) for text in texts for each in patterns for held in each.findall(text))


def _as_python_shows(text: str) -> bool:
    try:
        return repr(ast.literal_eval(text)) == text
    except NO_LITERAL:
        return False


def _rounds(node: ast.AST) -> bool:
    """Whether a node rounds, or writes a number with so many decimals."""
    match node:
        case ast.Call(func=ast.Name(id="round")):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as form), attr="format")):
            return bool(re.search(r"\{[^{}]*:[^{}]*[feg%]\}", form))
        case ast.BinOp(left=ast.Constant(value=str() as form), op=ast.Mod()):
            return bool(re.search(r"%[-+ 0#]*\d*(?:\.\d+)?[feg]", form.replace("%%", "")))
        case _:
            return any(map(_DECIMALS.search, _forms(node)))


def _forms(node: ast.AST) -> list[str]:
    """The form in which a node of an f-string, or a call of `format`, writes a value, as far as it is written down."""
    match node:
        case ast.FormattedValue(format_spec=ast.JoinedStr(values=[*parts])):
            return [str(part.value) for part in parts if isinstance(part, ast.Constant)]
        case ast.Call(func=ast.Name(id="format"), args=[_, ast.Constant(value=str() as form)]):
            return [form]
        case _:
            return []


def _rounds_otherwise(node: ast.AST) -> bool:
    """Whether a node rounds by a half that is added before the rest is cut, or in a way that it names."""
    match node:
        case ast.Call(func=ast.Name(id="int") | ast.Attribute(attr="floor" | "trunc"), args=[cut]):
            halves = (each for each in ast.walk(cut) if isinstance(each, ast.BinOp) and isinstance(each.op, ast.Add))
            return any(isinstance(part, ast.Constant) and part.value == 0.5 for each in halves
                       for part in (each.left, each.right))  # fmt: skip
        case ast.Call(func=ast.Attribute(attr="quantize"), args=[_, *further], keywords=named):
            return bool(further or named)
        case _:
            return False


def _puts_sign(node: ast.AST) -> bool:
    """Whether a minus of the program's own stands right before a value in a text.

    Example:
        >>> [_puts_sign(ast.parse(each, mode="eval").body) for each in ("f'-{x}'", "'-%d' % x", "'-' + x", "f'{x}-'")]
        [True, True, True, False]
    """
    match node:
        case ast.JoinedStr(values=parts):
            before = [each.value for each in parts[:-1] if isinstance(each, ast.Constant)]
            return any(isinstance(each, str) and each.endswith("-") for each in before)
        case ast.Constant(value=str() as form):
            return bool(re.search(r"-(?:%[^%\s]|\{)", form))
        case ast.BinOp(left=ast.Constant(value=str() as form), op=op):
            return form.endswith("-") if isinstance(op, ast.Add) else "-%" in form
        case _:
            return False


def _writes_plainly(node: ast.AST) -> bool:
    """Whether a node writes a value into a text without saying in which form."""
    match node:
        case ast.FormattedValue(format_spec=None):
            return True
        case ast.Call(func=ast.Name(id="str" | "repr" | "format"), args=[_]):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as form), attr="format")):
            return "{}" in form or bool(re.search(r"\{\w+(?:![rs])?\}", form))
        case ast.BinOp(left=ast.Constant(value=str() as form), op=ast.Mod()):
            return bool(re.search(r"%[sr]", form.replace("%%", "")))
        case ast.Call(func=ast.Name(id="map"), args=[ast.Name(id="str" | "repr"), *_]):
            return True
        case _:
            return False


def _divides(tree: ast.AST) -> bool:
    return any(
        (isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div))
        or (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or (isinstance(node, ast.Name) and node.id == "float")
        for node in ast.walk(tree)
    )


def texts_in(tree: Any) -> Iterator[str]:
    """The texts that a parsed portable value holds."""
    return (node for node in _nodes(tree) if isinstance(node, str))


def _nodes(tree: Any) -> Iterator[Any]:
    yield tree
    if isinstance(tree, list):
        for item in cast("list[Any]", tree):
            yield from _nodes(item)
    elif isinstance(tree, dict):
        for key, item in cast("dict[str, Any]", tree).items():
            if key != "$":
                yield from _nodes(item)
