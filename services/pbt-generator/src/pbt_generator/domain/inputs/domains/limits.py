"""Ranges, choices and lengths of one parameter's values, and how docstrings, guards and names state them."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from pbt_generator.domain.inputs.shapes import Scalar
from pbt_generator.domain.oracle.syntax import NO_LITERAL, FunctionNode, named_parameters

# What a field's name fixes wherever it is used: calendar, clock, network, shares of a whole, places on the globe.
NAMED: dict[str, tuple[float, float]] = {
    "month": (1, 12), "day": (1, 31), "hour": (0, 23), "minute": (0, 59), "second": (0, 59), "weekday": (0, 7),
    "year": (1900, 2100), "port": (1, 65535), "percent": (0, 100), "percentage": (0, 100), "probability": (0, 1),
    "latitude": (-90, 90), "longitude": (-180, 180),
}  # fmt: skip

_NUMBER = r"(-?\d+(?:\.\d+)?)"
_KIND = r"(?:int(?:eger)?|number|float|real|value|decimal|amount|count)s?"
_UNITS = r"(?!\s*(?:chars?|characters?|items?|elements?|digits?|letters?|words?|bytes?|bits?|entries|times)\b)"
_BETWEEN = re.compile(rf"\bbetween\s+{_NUMBER}\s+and\s+{_NUMBER}{_UNITS}", re.IGNORECASE)
_INTERVAL = re.compile(rf"\b(?:in|range|interval)\s*(?:of|from)?\s*:?\s*([\[(])\s*{_NUMBER}\s*,\s*{_NUMBER}\s*([\])])")
_MUST = r"\b(?:must|should|has to|needs to|shall)\s+be\s+(?:an?\s+)?(?:strictly\s+)?"
_POSITIVE = re.compile(
    rf"(?:^\s*|\ba\s+|\bany\s+|\bstrictly\s+|{_MUST})positive(?:\s+{_KIND}\b|$|[.,;)])", re.IGNORECASE
)
_NON_NEGATIVE = re.compile(r"\bnon-?negative\b", re.IGNORECASE)
# A count begins like this; of time there may be less than none.
_COUNT = re.compile(
    r"\W*(?:how many|(?:(?:the|an?)\s+)?(?:(?:max(?:imum)?|min(?:imum)?|total|desired|exact)\.?\s+)?"
    r"(?:number|count)\s+of)\s+"
    r"(?!\s*(?:\w+\s+)?(?:(?:nano|micro|milli)?seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b)\w",
    re.IGNORECASE,
)
_BELOW_NONE = re.compile(r"negative|minus|(?<![\w.-])-\s?\d", re.IGNORECASE)
_CONDITIONAL = re.compile(r"\b(?:if|when|unless|otherwise)\b[^.;]*$", re.IGNORECASE)
_LEAST = re.compile(
    rf"{_MUST}(at least|>=|greater than or equal to|greater than|larger than|>)\s*{_NUMBER}{_UNITS}", re.I
)
_MOST = re.compile(rf"{_MUST}(at most|<=|less than or equal to|less than|smaller than|<)\s*{_NUMBER}{_UNITS}", re.I)
_ONE_OF = re.compile(r"\b(?:one of|either|must be)\b\s*:?\s*[\[({]?\s*(?=[`'\"])", re.IGNORECASE)
_QUOTED = re.compile(r"\s*(?:``|[`'\"])+([^`'\"\n]{1,40})(?:``|[`'\"])+\s*(,?\s*(?:or|and)\b|,|\||/)?")


@dataclass(frozen=True)
class Limits:
    """What values a parameter may take, beyond their kinds.

    Attributes:
        low: Least number; infinite where there is none.
        high: Largest number.
        open_low: The least number itself is left out.
        open_high: The largest number itself is left out.
        choices: The only values, where they are known.
        least: Least length of a text or container.
    """

    low: float = -math.inf
    high: float = math.inf
    open_low: bool = False
    open_high: bool = False
    choices: tuple[Scalar, ...] = ()
    least: int = 0

    def hold(self, value: object) -> bool:
        """Whether a value lies inside; kinds of which the limits do not speak do.

        Example:
            >>> [Limits(low=0, open_low=True).hold(value) for value in (0, 0.5, "a")]
            [False, True, True]
        """
        if self.choices and isinstance(value, str | int | float) and not isinstance(value, bool):
            alike = [choice for choice in self.choices if isinstance(choice, str) == isinstance(value, str)]
            if alike and value not in alike:
                return False
        if isinstance(value, int | float) and not isinstance(value, bool):
            low = value > self.low if self.open_low else value >= self.low
            high = value < self.high if self.open_high else value <= self.high
            return low and high
        if self.least and isinstance(value, str | bytes | list | tuple | dict | set | frozenset):
            return len(value) >= self.least  # pyright: ignore[reportUnknownArgumentType]
        return True

    @property
    def known(self) -> bool:
        """Whether anything is limited."""
        return self != Limits()

    @property
    def words(self) -> str:
        """The limits in words.

        Example:
            >>> Limits(low=1, high=12).words, Limits(low=0, open_low=True).words, Limits(choices=("a", 2)).words
            ('from 1 to 12', 'above 0', "one of 'a', 2")
        """
        parts: list[str] = []
        if self.choices:
            parts.append("one of " + ", ".join(map(repr, self.choices)))
        low, high = math.isfinite(self.low), math.isfinite(self.high)
        if low and high and not (self.open_low or self.open_high):
            parts.append(f"from {self.low:g} to {self.high:g}")
        else:
            parts += [f"{'above' if self.open_low else 'at least'} {self.low:g}"] if low else []
            parts += [f"{'below' if self.open_high else 'at most'} {self.high:g}"] if high else []
        if self.least:
            parts.append("not empty" if self.least == 1 else f"of length {self.least} or more")
        return ", ".join(parts)


def narrower(first: Limits, second: Limits) -> Limits:
    """What holds where both do; choices of the first stand before those of the second."""
    low, high = max(first.low, second.low), min(first.high, second.high)
    return Limits(
        low,
        high,
        any(each.open_low for each in (first, second) if each.low == low),
        any(each.open_high for each in (first, second) if each.high == high),
        first.choices or second.choices,
        max(first.least, second.least),
    )


def in_words(text: str) -> Limits:
    """Limits that the words about a parameter state; what stands behind an "if" is no limit.

    Example:
        >>> in_words("The month, between 1 and 12.").words, in_words("If positive, from the left.").known
        ('from 1 to 12', False)
    """
    found = Limits(choices=_choices(text))
    between = _BETWEEN.search(text)
    interval = _INTERVAL.search(text)
    if between and not _conditional(text, between):
        low, high = sorted((float(between[1]), float(between[2])))
        found = narrower(found, Limits(low, high))
    elif interval and float(interval[2]) < float(interval[3]) and not _conditional(text, interval):
        ends = float(interval[2]), float(interval[3])
        found = narrower(found, Limits(*ends, interval[1] == "(", interval[4] == ")"))
    positive, natural = _POSITIVE.search(text), _NON_NEGATIVE.search(text)
    if natural and not _conditional(text, natural):
        found = narrower(found, Limits(low=0))
    elif positive and not _conditional(text, positive):
        found = narrower(found, Limits(low=0, open_low=True))
    least, most = _LEAST.search(text), _MOST.search(text)
    if least and not _conditional(text, least):
        found = narrower(found, Limits(low=float(least[2]), open_low=least[1] in _STRICT))
    if most and not _conditional(text, most):
        found = narrower(found, Limits(high=float(most[2]), open_high=most[1] in _STRICT))
    return found if found.low <= found.high else Limits(choices=found.choices)


def counted(text: str) -> Limits:
    """No less than none, where the words about a parameter say that it is a count and speak of no negative one.

    Example:
        >>> counted("How many spaces stand between two columns.").words, counted("Number of splits, -1 for all.").known
        ('at least 0', False)
    """
    return Limits(low=0) if _COUNT.match(text) and not _BELOW_NONE.search(text) else Limits()


_STRICT = {"greater than", "larger than", ">", "less than", "smaller than", "<"}


def _conditional(text: str, found: re.Match[str]) -> bool:
    return _CONDITIONAL.search(text[: found.start()]) is not None


def _choices(text: str) -> tuple[str, ...]:
    start = _ONE_OF.search(text)
    if start is None or _conditional(text, start):
        return ()
    values: list[str] = []
    place = start.end()
    while True:
        quoted = _QUOTED.match(text, place)
        if quoted is None:
            return ()
        values.append(quoted[1])
        if quoted[2] is None:
            break
        place = quoted.end()
    return tuple(values) if len(values) > 1 else ()


def in_guards(tree: FunctionNode) -> dict[str, Limits]:
    """Limits of parameters that the first statements of a function hold to by raising.

    Example:
        >>> guard = "def f(n, way):\\n if not 1 <= n <= 9 or way not in ('up', 'down'): raise ValueError\\n return n"
        >>> {name: limits.words for name, limits in in_guards(ast.parse(guard).body[0]).items()}
        {'n': 'from 1 to 9', 'way': "one of 'up', 'down'"}
    """
    open_names = {each.arg for each in named_parameters(tree.args)}
    found: dict[str, Limits] = {}
    for statement in tree.body:
        for name, limits in _guarded(statement):
            if name in open_names:
                found[name] = narrower(found.get(name, Limits()), limits)
        # Behind another value of the name, or a way out, a test no longer speaks of every input.
        bound = {
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        open_names -= bound
        if any(isinstance(node, ast.Return | ast.Yield | ast.YieldFrom) for node in ast.walk(statement)):
            break
    return {name: limits for name, limits in found.items() if limits.known and limits.low <= limits.high}


def _guarded(statement: ast.stmt) -> Iterator[tuple[str, Limits]]:
    match statement:
        case ast.If(test=test, body=[ast.Raise()], orelse=[]):
            yield from _where(test, holds=False)
        case ast.If(test=test, body=[ast.Raise()], orelse=[ast.If() as later]):
            yield from _where(test, holds=False)
            yield from _guarded(later)
        case ast.Assert(test=test):
            yield from _where(test, holds=True)
        case _:
            return


_OPPOSITE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE}


def _where(test: ast.expr, *, holds: bool) -> Iterator[tuple[str, Limits]]:
    """Limits of names where a test holds, or fails."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            if isinstance(inner, ast.Name) and not holds:
                return
            yield from _where(inner, holds=not holds)
        case ast.BoolOp(op=op, values=values) if isinstance(op, ast.And) == holds:
            for value in values:
                yield from _where(value, holds=holds)
        case ast.Compare(left=left, ops=ops, comparators=others) if holds or len(ops) == 1:
            for first, op, second in zip([left, *others], ops, others, strict=False):
                kind = type(op) if holds else _OPPOSITE.get(type(op))
                if kind is not None:
                    yield from _compared(first, kind, second)
        case _:
            return


def _compared(first: ast.expr, kind: type[ast.cmpop], second: ast.expr) -> Iterator[tuple[str, Limits]]:
    if kind in _TURNED and not isinstance(second, ast.Constant | ast.UnaryOp):
        first, kind, second = second, _TURNED[kind], first
    try:
        value: Any = ast.literal_eval(second)
    except NO_LITERAL:
        return
    match first, value:
        case ast.Name(id=name), int() | float() if not isinstance(value, bool):
            if kind in (ast.Gt, ast.GtE):
                yield name, Limits(low=value, open_low=kind is ast.Gt)
            elif kind in (ast.Lt, ast.LtE):
                yield name, Limits(high=value, open_high=kind is ast.Lt)
        case ast.Name(id=name), list() | tuple() | set() if kind is ast.In:
            members = (
                sorted(cast("set[object]", value), key=repr)
                if isinstance(value, set)
                else [*cast("list[object]", value)]
            )
            plain = tuple(each for each in members if isinstance(each, str | int | float))
            if plain and len(plain) == len(members):
                yield name, Limits(choices=plain)
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]), int():
            if kind in (ast.Gt, ast.GtE):
                yield name, Limits(least=value + (kind is ast.Gt))
            elif kind is ast.NotEq and value == 0:
                yield name, Limits(least=1)
        case _:
            return


def named(name: str) -> Limits:
    """The range that a field's name fixes, from a short list.

    Example:
        >>> named("start_month").words, named("months").known
        ('from 1 to 12', False)
    """
    parts = name.lower().strip("_").split("_")
    ends = NAMED.get(parts[-1]) if not {"of", "per", "num", "n"} & set(parts) else None
    return Limits(*ends) if ends else Limits()
