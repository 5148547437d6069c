"""What an expression gives, by the kinds, ranges and lengths of what it reads."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import replace

from pbt_generator.domain.oracle.proofs.abstract_values import (
    ANY,
    DATA,
    DATA_KINDS,
    FIXED,
    NUMBERS,
    SIZED,
    WHOLE,
    Value,
    constant,
    joined,
    of_kind,
)

TEXT = frozenset({"str"})
_TEXT_TO_TEXT = {
    "strip", "lstrip", "rstrip", "lower", "upper", "casefold", "title", "capitalize", "swapcase", "replace", "zfill",
    "ljust", "rjust", "center", "removeprefix", "removesuffix", "expandtabs", "join", "format", "translate",
}  # fmt: skip
_TEXT_TO_TRUTH = {
    "startswith", "endswith", "isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isnumeric",
    "isdecimal", "istitle", "isidentifier", "isprintable", "isascii",
}  # fmt: skip
# Methods that no value of a library has, of those that may be inputs.
_TEXT_ALONE = {
    "strip", "lstrip", "rstrip", "lower", "upper", "casefold", "swapcase", "capitalize", "zfill", "ljust", "rjust",
    "split", "rsplit", "splitlines", "partition", "rpartition", "startswith", "endswith", "removeprefix", "encode",
    "removesuffix", "isdigit", "isalpha", "isalnum", "isspace", "isupper", "islower", "isnumeric", "isdecimal",
}  # fmt: skip
_CLASSES: dict[str, type] = {
    "str": str, "bytes": bytes, "list": list, "tuple": tuple, "dict": dict, "int": int, "float": float, "bool": bool,
    "none": type(None), "set": set,
}  # fmt: skip


def binary(left: Value, op: ast.operator, right: Value) -> Value:
    """What an arithmetic operator gives."""
    if left.only(WHOLE) and right.only(WHOLE):
        return _whole(left, op, right)
    if left.only(NUMBERS) and right.only(NUMBERS):
        if isinstance(op, (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)):
            return of_kind("int", "float") if left.kinds & WHOLE and right.kinds & WHOLE else of_kind("float")
        # A negative base with a broken exponent gives a complex number.
        return of_kind("float") if isinstance(op, ast.Div) else ANY
    if isinstance(op, ast.Add):
        for kind in ("str", "list", "tuple", "bytes"):
            if left.only(frozenset({kind})) and right.only(frozenset({kind})):
                return of_kind(kind, least=left.least + right.least, most=left.most + right.most)
    if isinstance(op, ast.Mod) and left.only(TEXT):
        return of_kind("str")
    if isinstance(op, ast.Mult):
        for one, other in ((left, right), (right, left)):
            for kind in ("str", "list", "tuple"):
                if one.only(frozenset({kind})) and other.only(WHOLE):
                    return of_kind(kind)
    # What is computed from data is data.
    return DATA if all(side.data or side.only(FIXED) for side in (left, right)) else ANY


def _whole(left: Value, op: ast.operator, right: Value) -> Value:
    match op:
        case ast.Add():
            return of_kind("int", low=left.low + right.low, high=left.high + right.high)
        case ast.Sub():
            return of_kind("int", low=left.low - right.high, high=left.high - right.low)
        case ast.Mult():
            if left.low >= 0 and right.low >= 0:
                return of_kind("int", low=left.low * right.low)
            return of_kind("int")
        case ast.Div():
            return of_kind("float")
        case ast.FloorDiv():
            return of_kind("int", low=0) if left.low >= 0 and right.low >= 0 else of_kind("int")
        case ast.Mod():
            return of_kind("int", low=0, high=right.high - 1) if right.low >= 0 else of_kind("int")
        case ast.Pow():
            # A negative exponent gives a fraction.
            return of_kind("int") if right.low >= 0 else of_kind("int", "float")
        case ast.BitAnd() | ast.BitOr() | ast.BitXor():
            return of_kind("int", "bool") if left.kinds & right.kinds & {"bool"} else of_kind("int")
        case ast.LShift() | ast.RShift():
            return of_kind("int")
        case _:
            return ANY


def method(receiver: Value, name: str, arguments: Sequence[Value], keywords: int) -> tuple[Value, Value]:
    """What a method gives, and what its receiver must have been for it to return at all."""
    kinds = frozenset(
        kind
        for kind in receiver.kinds
        if kind not in _CLASSES or hasattr(_CLASSES[kind], name) or (kind == "set" and hasattr(frozenset, name))
    )
    if name in _TEXT_ALONE:
        kinds -= {"other"}
    if any(argument.only(TEXT) for argument in arguments) and name not in {"encode", "decode"}:
        # The methods of bytes take no texts.
        kinds -= {"bytes"} if name in _TEXT_ALONE or name == "replace" else frozenset()
    if name == "replace" and len(arguments) >= 2 and all(argument.only(TEXT) for argument in arguments[:2]):
        # Dates and times take numbers there.
        kinds -= {"other"} if receiver.data and not keywords else frozenset()
    narrowed = replace(receiver, kinds=kinds) if kinds != receiver.kinds and not receiver.constant else receiver
    if kinds == TEXT:
        return _text_method(name, arguments), narrowed
    if kinds == TEXT | {"bytes"} and name in _TEXT_TO_TEXT - {"join", "format", "translate"}:
        return of_kind("str", "bytes"), narrowed
    if kinds == frozenset({"dict"}):
        part = receiver.element
        if name == "keys":
            return of_kind("other", least=receiver.least, most=receiver.most, data=receiver.data), narrowed
        if name == "values":
            return of_kind("other", least=receiver.least, most=receiver.most, data=receiver.data), narrowed
        if name == "items":
            piece = Value(DATA_KINDS, data=True) if receiver.data else ANY
            pair = of_kind("tuple", items=(piece, piece), least=2, most=2)
            return of_kind("other", least=receiver.least, most=receiver.most, element=pair), narrowed
        if name == "get" and receiver.data and part is None:
            default = arguments[1] if len(arguments) > 1 else constant(None)
            return joined(Value(DATA_KINDS, data=True), default), narrowed
    if name == "copy" and kinds <= SIZED - {"other"}:
        return narrowed, narrowed
    return ANY, narrowed


def _text_method(name: str, arguments: Sequence[Value]) -> Value:
    text = of_kind("str")
    if name in _TEXT_TO_TEXT:
        return text
    if name in _TEXT_TO_TRUTH:
        return of_kind("bool")
    match name:
        case "split" | "rsplit":
            # Splitting at nothing in particular leaves no part of a blank text.
            given = arguments[0] if arguments else None
            least = 1 if given is not None and given.only(TEXT) else 0
            return of_kind("list", element=text, least=least)
        case "splitlines":
            return of_kind("list", element=text)
        case "partition" | "rpartition":
            return of_kind("tuple", items=(text, text, text), least=3, most=3)
        case "find" | "rfind":
            return of_kind("int", low=-1)
        case "index" | "rindex" | "count":
            return of_kind("int", low=0)
        case "encode":
            return of_kind("bytes")
        case _:
            return ANY


def function(name: str, arguments: Sequence[Value], keywords: int) -> Value:
    """What a builtin function gives."""
    first = arguments[0] if arguments else None
    match name:
        case "len":
            if first is None or "object" in first.kinds:
                return of_kind("int", low=0)
            return of_kind("int", low=first.least, high=first.most)
        case "str" | "repr" | "chr" | "ascii" | "hex" | "bin" | "oct" | "format" | "input":
            return of_kind("str")
        case "ord":
            return of_kind("int", low=0, high=0x10FFFF)
        case "int":
            if first is not None and first.only(WHOLE) and len(arguments) == 1:
                return of_kind("int", low=first.low, high=first.high)
            return of_kind("int")
        case "float":
            return of_kind("float")
        case "bool" | "isinstance" | "issubclass" | "callable" | "hasattr" | "any" | "all":
            return of_kind("bool")
        case "round":
            if first is not None and first.only(WHOLE):
                return of_kind("int", low=first.low, high=first.high) if len(arguments) == 1 else of_kind("int")
            return of_kind("int") if first is not None and first.only(NUMBERS) and len(arguments) == 1 else ANY
        case "abs":
            return of_kind("int", low=0) if first is not None and first.only(WHOLE) else ANY
        case "min" | "max":
            if len(arguments) > 1 and not keywords and all(argument.only(WHOLE) for argument in arguments):
                pick = min if name == "min" else max
                low, high = pick(a.low for a in arguments), pick(a.high for a in arguments)
                return Value(frozenset[str]().union(*(a.kinds for a in arguments)), low=low, high=high)
            return ANY
        case "list" | "tuple" | "sorted" | "set" | "frozenset":
            return _collected(name, first)
        case "dict":
            return of_kind("dict")
        case "range":
            return _range(arguments)
        case "enumerate":
            return _numbered(arguments)
        case "reversed":
            if first is not None and first.only(DATA_KINDS):
                return of_kind("object", least=first.least, most=first.most, element=first.part())
            return ANY
        case _:
            return ANY


def _collected(name: str, given: Value | None) -> Value:
    kind = {"sorted": "list", "frozenset": "set"}.get(name, name)
    if given is None:
        return of_kind(kind, least=0, most=0)
    if not _counted(given):
        return of_kind(kind)
    # Equal members of a set are one.
    least = min(given.least, 1) if kind == "set" else given.least
    # A number or None would have raised.
    iterated = replace(given, kinds=given.kinds & (SIZED | {"object"})) if given.kinds & SIZED else given
    return of_kind(kind, least=least, most=given.most, element=iterated.part())


def _counted(value: Value) -> bool:
    """Whether the length of a value is the number of its parts: true for data, and for iterators made here."""
    return "object" not in value.kinds or (value.only(frozenset({"object"})) and value.element is not None)


def _range(arguments: Sequence[Value]) -> Value:
    if not arguments or len(arguments) > 2 or not all(argument.only(WHOLE) for argument in arguments):
        return of_kind("other", element=of_kind("int"))
    start, stop = (constant(0), arguments[0]) if len(arguments) == 1 else (arguments[0], arguments[1])
    numbers = of_kind("int", low=start.low, high=stop.high - 1)
    return of_kind("other", least=max(0, stop.low - start.high), most=max(0, stop.high - start.low), element=numbers)


def _numbered(arguments: Sequence[Value]) -> Value:
    if not arguments or not _counted(arguments[0]):
        return ANY
    given = arguments[0]
    low = 0 if len(arguments) == 1 else arguments[1].low if arguments[1].only(WHOLE) else -float("inf")
    number = of_kind("int", low=low)
    iterated = replace(given, kinds=given.kinds & (SIZED | {"object"})) if given.kinds & SIZED else given
    pair = of_kind("tuple", items=(number, iterated.part()), least=2, most=2)
    return of_kind("object", least=given.least, most=given.most, element=pair)


def subscript(owner: Value, index: Value, *, sliced: bool) -> Value:
    """What an index or a slice gives."""
    kinds = owner.kinds & (SIZED | {"object"})
    if sliced:
        plain = kinds & {"str", "list", "tuple", "bytes"}
        if kinds and kinds == plain:
            known = owner.element if owner.element is not None else joined(*owner.items) if owner.items else None
            return Value(kinds, element=known, data=owner.data)
        return Value(DATA_KINDS, data=True) if owner.data and "object" not in kinds else ANY
    if owner.items is not None and owner.only(frozenset({"list", "tuple"})) and index.constant:
        place = index.constant[0]
        if isinstance(place, int) and -len(owner.items) <= place < len(owner.items):
            return owner.items[place]
    if kinds and kinds <= {"str", "list", "tuple", "bytes"}:
        return replace(owner, kinds=kinds).part()
    return Value(DATA_KINDS, data=True) if owner.data and "object" not in kinds else ANY


Evaluate = Callable[[ast.expr], Value]

__all__ = ["FIXED", "TEXT", "Evaluate", "binary", "function", "method", "subscript"]
