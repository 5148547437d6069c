"""From objects to text.

Only exact types are values: an instance of a subclass may answer differently each time it is asked, so it
is refused. Every container is read through the methods of its own built-in type, never through the
object's attributes, and nothing of numpy or pandas is looked at unless the program loaded it itself.
"""

# Readers and writers share one signature.
# ruff: noqa: ARG001
# JSON trees and foreign objects have no static types; `type(x) is dict` narrows to unknown parts.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportMissingTypeStubs=false, reportUnknownParameterType=false
# pyright: reportArgumentType=false
from __future__ import annotations

import base64
import collections
import dataclasses
import datetime
import decimal
import fractions
import json
import math
import pathlib
import sys
import zoneinfo
from collections.abc import Callable, Iterable
from typing import Any

from touchstone_values.errors import UnportableError
from touchstone_values.limits import MAX_DEPTH, MAX_INT_DIGITS, MAX_NODES, MAX_PLAIN_INT, MAX_TEXT
from touchstone_values.parsing import FACTORIES, TAG, Path, is_name, path_text
from touchstone_values.record import Record

_INT_BOUND = 10**MAX_INT_DIGITS


def encode(value: object) -> str:
    """Write a value as one JSON text in the portable form.

    Args:
        value: Any nesting of exact built-in types, records, and numpy or pandas objects.

    Returns:
        Canonical text: equal values of equal kinds give equal texts (sets are sorted, maps keep their order).

    Raises:
        UnportableError: something in it has no portable form.

    Example:
        >>> encode([1, 2.0, (3,), {"a": None}])
        '[1,2.0,{"$":"tuple","v":[3]},{"a":null}]'
    """
    try:
        text = dump(tree_of(value))
    except RecursionError:
        raise UnportableError("$", "nesting deeper than the stack allows") from None
    if len(text) > MAX_TEXT:
        raise UnportableError("$", f"a text longer than {MAX_TEXT} characters")
    return text


def tree_of(value: object, *, whole: bool = False) -> Any:
    """The checked tree of a value: what `parse(encode(value))` gives, without the text.

    Args:
        value: As `encode` takes it.
        whole: Refuse a map with a factory of the program's own, which the tree does not hold: what is written down as
            an input would answer otherwise without it.

    Raises:
        UnportableError: something in it has no portable form.
    """
    try:
        return Encoder(whole).node(value, (), 1)
    except RecursionError:
        raise UnportableError("$", "nesting deeper than the stack allows") from None


def dump(tree: Any) -> str:
    """Write a tree as compact JSON."""
    return json.dumps(tree, ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)


class Encoder:
    """Turns one value into a tree; counts what it has seen, so that shared references cannot explode."""

    def __init__(self, whole: bool = False) -> None:
        self._nodes = 0
        self.whole = whole

    def node(self, value: Any, path: Path, depth: int) -> Any:
        """Give the tree of one value.

        Raises:
            UnportableError: it has none.
        """
        kind = type(value)
        if kind is str:
            return self.text(value)
        if kind is int:
            return value if -MAX_PLAIN_INT <= value <= MAX_PLAIN_INT else self.big_int(value, path)
        if kind is float:
            return value if math.isfinite(value) else {TAG: "float", "v": str(value)}
        if kind is bool or value is None:
            return value
        if kind is list:
            return self.items(value, path, depth)
        writer = _WRITERS.get(kind) or _library_writer(kind) or _record_writer(kind)
        if writer is None:
            raise UnportableError(path_text(path), type_name(kind))
        return writer(self, value, path, depth)

    def enter(self, children: int, path: Path, depth: int) -> None:
        """Count a container in.

        Raises:
            UnportableError: too deep or too large.
        """
        if depth > MAX_DEPTH:
            raise UnportableError(path_text(path), f"nesting deeper than {MAX_DEPTH}")
        self._nodes += children
        if self._nodes > MAX_NODES:
            raise UnportableError(path_text(path), f"a tree of more than {MAX_NODES} values")

    def items(self, values: list[Any] | tuple[Any, ...], path: Path, depth: int) -> list[Any]:
        """Give the trees of a sequence's items; long runs of one simple type take a short way."""
        self.enter(len(values), path, depth)
        kinds = set(map(type, values))
        if len(kinds) == 1:
            (kind,) = kinds
            if kind is int and min(values) >= -MAX_PLAIN_INT and max(values) <= MAX_PLAIN_INT:
                return list(values)
            if kind is float and all(map(math.isfinite, values)):
                return list(values)
            if kind is bool:
                return list(values)
        # No comprehension: it would take one more frame of the stack for each level of nesting.
        trees: list[Any] = []
        for index, item in enumerate(values):
            trees.append(self.node(item, (path, index), depth + 1))
        return trees

    def text(self, value: str) -> Any:
        """Plain text, or its code units when it holds a lone surrogate."""
        if value.isascii():
            return value
        try:
            value.encode()
        except UnicodeEncodeError:
            raw = value.encode("utf-16-le", "surrogatepass")
            return {TAG: "str", "v": [raw[i] | raw[i + 1] << 8 for i in range(0, len(raw), 2)]}
        return value

    def big_int(self, value: int, path: Path) -> dict[str, Any]:
        """An integer beyond 2^53."""
        return {TAG: "int", "v": self.digits(value, path)}

    def digits(self, value: int, path: Path) -> str:
        """The decimal text of an integer."""
        if not -_INT_BOUND < value < _INT_BOUND:
            raise UnportableError(path_text(path), f"an integer of more than {MAX_INT_DIGITS} digits")
        return str(value)

    def pairs(self, pairs: Iterable[tuple[Any, Any]], size: int, path: Path, depth: int) -> list[Any]:
        """The trees of a map's keys and values."""
        self.enter(size, path, depth)
        trees: list[Any] = []
        for key, item in pairs:
            step = key if type(key) is str or (type(key) is int and -_INT_BOUND < key < _INT_BOUND) else "value"
            name = self.node(key, (path, "key"), depth + 1)
            trees.append([name, self.node(item, (path, str(step)[:40]), depth + 1)])
        return trees

    def fields(self, name: str, names: list[str], values: list[Any], path: Path, depth: int) -> dict[str, Any]:
        """The tree of a record."""
        self.enter(len(names), path, depth)
        if len(set(names)) < len(names) or not all(map(is_name, [name, *names])):
            raise UnportableError(path_text(path), "a record with a repeated, empty, overlong or unprintable name")
        fields: list[Any] = []
        for field, item in zip(names, values, strict=True):
            fields.append([field, self.node(item, (path, field), depth + 1)])
        return {TAG: "record", "name": name, "fields": fields}


def type_name(kind: type) -> str:
    """A type's full name, whatever its metaclass says about it."""
    module, name = type.__dict__["__module__"].__get__(kind), type.__dict__["__qualname__"].__get__(kind)
    return str(name) if module == "builtins" else f"{module}.{name}"


Writer = Callable[[Encoder, Any, Path, int], Any]


def _dict(encoder: Encoder, value: dict[Any, Any], path: Path, depth: int) -> Any:
    encoder.enter(len(value), path, depth)
    plain: dict[str, Any] = {}
    for key, item in value.items():
        if type(key) is not str or key == TAG or type(encoder.text(key)) is not str:
            return {TAG: "map", "v": encoder.pairs(value.items(), len(value), path, depth)}
        plain[key] = encoder.node(item, (path, key), depth + 1)
    return plain


def _map_of(kind: str) -> Writer:
    def write(encoder: Encoder, value: dict[Any, Any], path: Path, depth: int) -> Any:
        return {TAG: kind, "v": encoder.pairs(dict.items(value), len(value), path, depth)}

    return write


def _default_map(encoder: Encoder, value: collections.defaultdict[Any, Any], path: Path, depth: int) -> Any:
    # A factory of the program's own stays behind: what the map holds is the answer, and no comparison asks for more.
    name = next((n for n in FACTORIES if getattr(_BUILTINS, n) is value.default_factory), None)
    if encoder.whole and name is None and value.default_factory is not None:
        raise UnportableError(path_text(path), "a map with a factory of the program's own")
    return {TAG: "default_map", "factory": name, "v": encoder.pairs(value.items(), len(value), path, depth)}


def _sequence_of(kind: str) -> Writer:
    def write(encoder: Encoder, value: tuple[Any, ...], path: Path, depth: int) -> Any:
        return {TAG: kind, "v": encoder.items(value, path, depth)}

    return write


def _set_of(kind: str) -> Writer:
    def write(encoder: Encoder, value: set[Any], path: Path, depth: int) -> Any:
        return {TAG: kind, "v": sorted(encoder.items(list(value), path, depth), key=dump)}

    return write


def _deque(encoder: Encoder, value: collections.deque[Any], path: Path, depth: int) -> Any:
    return {TAG: "deque", "maxlen": value.maxlen, "v": encoder.items(list(value), path, depth)}


def _bytes_of(kind: str) -> Writer:
    def write(encoder: Encoder, value: bytes, path: Path, depth: int) -> Any:
        return {TAG: kind, "v": base64.b64encode(value).decode("ascii")}

    return write


def _float(value: float) -> Any:
    return value if math.isfinite(value) else {TAG: "float", "v": str(value)}


def _complex(encoder: Encoder, value: complex, path: Path, depth: int) -> Any:
    return {TAG: "complex", "v": [_float(value.real), _float(value.imag)]}


def _decimal(encoder: Encoder, value: decimal.Decimal, path: Path, depth: int) -> Any:
    text = str(value)
    if len(text) > MAX_INT_DIGITS or (value.is_finite() and abs(value.adjusted()) > 10**6 - MAX_INT_DIGITS):
        raise UnportableError(path_text(path), "a decimal of such a size")
    return {TAG: "decimal", "v": text}


def _fraction(encoder: Encoder, value: fractions.Fraction, path: Path, depth: int) -> Any:
    return {TAG: "fraction", "v": [encoder.digits(value.numerator, path), encoder.digits(value.denominator, path)]}


def _date(encoder: Encoder, value: datetime.date, path: Path, depth: int) -> Any:
    return {TAG: "date", "v": value.isoformat()}


def clock(kind: str, value: Any, path: Path) -> dict[str, Any]:
    """The tree of a moment or a time of day: ISO text with offset, and the zone's name where it has one."""
    zone = value.tzinfo
    name = None
    if type(zone) is zoneinfo.ZoneInfo and type(zone.key) is str:
        name = zone.key
    elif zone is not None and type(zone) is not datetime.timezone:
        raise UnportableError(path_text(path), f"a time zone of type {type_name(type(zone))}")
    return {TAG: kind, "v": value.isoformat(), "zone": name, "fold": value.fold}


def _clock_of(kind: str) -> Writer:
    def write(encoder: Encoder, value: Any, path: Path, depth: int) -> Any:
        return clock(kind, value, path)

    return write


def _timedelta(encoder: Encoder, value: datetime.timedelta, path: Path, depth: int) -> Any:
    return {TAG: "timedelta", "v": [value.days, value.seconds, value.microseconds]}


def _path_of(pure: bool) -> Writer:
    def write(encoder: Encoder, value: pathlib.PurePosixPath, path: Path, depth: int) -> Any:
        text = str(value)
        if type(encoder.text(text)) is not str:
            raise UnportableError(path_text(path), "a path that is not text")
        return {TAG: "path", "v": text, "pure": pure}

    return write


def _range(encoder: Encoder, value: range, path: Path, depth: int) -> Any:
    parts = [value.start, value.stop, value.step]
    if any(not -MAX_PLAIN_INT <= part <= MAX_PLAIN_INT for part in parts):
        raise UnportableError(path_text(path), "a range beyond 2^53")
    return {TAG: "range", "v": parts}


def _record(encoder: Encoder, value: Record, path: Path, depth: int) -> Any:
    names = [name for name, _ in value.fields]
    return encoder.fields(value.name, names, [item for _, item in value.fields], path, depth)


def _record_writer(kind: type) -> Writer | None:
    """Named tuples and dataclasses are records; both are read by their raw content, not by their methods."""
    names = kind.__dict__.get("_fields")
    bases: tuple[type, ...] = type.__dict__["__bases__"].__get__(kind)
    if bases == (tuple,) and type(names) is tuple:
        return lambda encoder, value, path, depth: _named_tuple(encoder, value, list(names), path, depth)
    if type(kind) is type and type(kind.__dict__.get("__dataclass_fields__")) is dict:
        return _dataclass
    return None


def _named_tuple(encoder: Encoder, value: Any, names: list[Any], path: Path, depth: int) -> Any:
    values = list(tuple.__iter__(value))
    if len(values) != len(names) or any(type(name) is not str for name in names):
        raise UnportableError(path_text(path), type_name(type(value)))
    return encoder.fields(type(value).__name__, names, values, path, depth)


def _dataclass(encoder: Encoder, value: Any, path: Path, depth: int) -> Any:
    try:
        # What only makes an instance, or belongs to the class, is no field; one that `==` passes over is no answer, but
        # may decide one where the value is an input.
        names = [field.name for field in dataclasses.fields(type(value)) if field.compare or encoder.whole]
        values = [object.__getattribute__(value, name) for name in names]
    except (AttributeError, TypeError):
        raise UnportableError(path_text(path), f"{type_name(type(value))} without all of its fields") from None
    return encoder.fields(type(value).__name__, names, values, path, depth)


def _library_writer(kind: type) -> Writer | None:
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    # Imported late: a program that never loads numpy shall not pay for its adapter.
    from touchstone_values.libraries import writer_of

    return writer_of(kind, numpy, sys.modules.get("pandas"))


_BUILTINS = sys.modules["builtins"]
_WRITERS: dict[type, Writer] = {
    dict: _dict,
    collections.OrderedDict: _map_of("ordered_map"),
    collections.Counter: _map_of("counter"),
    collections.defaultdict: _default_map,
    tuple: _sequence_of("tuple"),
    collections.deque: _deque,
    set: _set_of("set"),
    frozenset: _set_of("frozenset"),
    bytes: _bytes_of("bytes"),
    bytearray: _bytes_of("bytearray"),
    complex: _complex,
    decimal.Decimal: _decimal,
    fractions.Fraction: _fraction,
    datetime.date: _date,
    datetime.datetime: _clock_of("datetime"),
    datetime.time: _clock_of("time"),
    datetime.timedelta: _timedelta,
    pathlib.PurePosixPath: _path_of(True),
    pathlib.PosixPath: _path_of(False),
    range: _range,
    Record: _record,
}
