"""When one number meets another: the only place where a tolerance is applied.

An exact number (an integer, a decimal, a fraction) is met by that number only, whatever kind carries it. A float is
met by what lies within the tolerance of it, because no two ways of computing it round alike.
"""

# Foreign numbers have no static types.
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportArgumentType=false
from __future__ import annotations

import decimal
import math
from fractions import Fraction
from typing import Any

from touchstone_values.limits import MAX_INT_DIGITS

Number = Any
"""An int, float, complex, `decimal.Decimal` or `Ratio`."""

NUMBERS = frozenset({"int", "float", "complex", "decimal", "fraction"})
# A product of two coefficients, exactly; exponents of the portable form lie far within.
_EXACT = decimal.Context(prec=3 * MAX_INT_DIGITS, Emax=10**9, Emin=-(10**9), traps=[])


class Ratio:
    """A fraction as it was written: reducing thousands of digits would cost more than any comparison."""

    __slots__ = ("denominator", "numerator")

    def __init__(self, numerator: int, denominator: int) -> None:
        self.numerator = numerator
        self.denominator = denominator


def number_of(node: Any, kind: str) -> Number:
    """The number of a checked node of one of the kinds in `NUMBERS`."""
    if type(node) is not dict:
        return node
    if kind == "int":
        return int(node["v"])
    if kind == "float":
        return float(node["v"])
    if kind == "decimal":
        return decimal.Decimal(node["v"])
    if kind == "fraction":
        return Ratio(int(node["v"][0]), int(node["v"][1]))
    real, imaginary = (number_of(part, "float") for part in node["v"])
    return complex(real, imaginary)


def meets(expected: Number, actual: Number, tolerance: float) -> bool:
    """Whether a number is what was expected.

    Args:
        expected: What the ground truth returned. An exact number wants exactly this number; a float, or each part
            of a complex number, whatever lies within `tolerance + tolerance * |expected|` of it.
        actual: What a candidate returned.
        tolerance: Largest absolute error, and largest error relative to the expected number.

    Example:
        >>> meets(500000, 500000.5, 1e-6), meets(500000.0, 500000.4, 1e-6), meets(4, 4.0, 1e-6)
        (False, True, True)
    """
    if type(expected) is complex:
        other = actual if type(actual) is complex else as_float(actual)
        if other is None:
            return False
        return close(expected.real, other.real, tolerance) and close(expected.imag, other.imag, tolerance)
    if type(actual) is complex:
        return actual.imag == 0 and meets(expected, actual.real, tolerance)
    if type(expected) is float:
        other = as_float(actual)
        return other is not None and close(expected, other, tolerance)
    return _equal(expected, actual)


def close(expected: float, actual: float, tolerance: float) -> bool:
    """Whether a float lies within the tolerance of another; NaN meets NaN, infinities meet themselves."""
    if expected == actual:
        return True
    if math.isnan(expected) or math.isnan(actual):
        return math.isnan(expected) and math.isnan(actual)
    if math.isinf(expected) or math.isinf(actual):
        return False
    return abs(expected - actual) <= tolerance + tolerance * abs(expected)


def reach(expected: Number, tolerance: float) -> tuple[Number, Number]:
    """The least and the largest real number that meets a finite real one; a hair too wide rather than too narrow."""
    if type(expected) is not float:
        return expected, expected
    width = (tolerance + tolerance * abs(expected)) * (1 + 1e-12)
    return expected - width, expected + width


def as_float(number: Number) -> float | None:
    """The nearest float; None where a finite number is beyond all floats, or a NaN signals."""
    kind = type(number)
    if kind is float:
        return number
    try:
        if kind is Ratio:
            return number.numerator / number.denominator
        if kind is decimal.Decimal:
            if number.is_snan():
                return None
            found = float(number)
            return None if math.isinf(found) and number.is_finite() else found
        return float(number)
    except OverflowError:
        return None


def comparable(number: Number) -> int | float | Fraction | None:
    """A finite real number as one that Python orders and writes exactly; None for a decimal of an extreme exponent."""
    if type(number) is Ratio:
        return Fraction(number.numerator, number.denominator)
    if type(number) is decimal.Decimal:
        exponent = number.as_tuple().exponent
        return Fraction(number) if type(exponent) is int and abs(exponent) <= MAX_INT_DIGITS else None
    return number


def _equal(a: Number, b: Number) -> bool:
    """Whether an exact real number and any real number are the same, without rounding either."""
    if type(a) is decimal.Decimal and type(b) is decimal.Decimal:
        if a.is_nan() or b.is_nan():
            return a.is_nan() and b.is_nan() and a.is_snan() == b.is_snan()
        return a == b
    if type(a) is decimal.Decimal and not a.is_finite():
        return type(b) is float and not a.is_snan() and close(float(a), b, 0.0)
    if type(b) is decimal.Decimal and not b.is_finite():
        return False
    if type(b) is float and not math.isfinite(b):
        return False
    if type(a) is Ratio or type(b) is Ratio:
        return _equal_ratios(a, b)
    return bool(a == b)


def _equal_ratios(a: Number, b: Number) -> bool:
    if type(a) is not Ratio:
        a, b = b, a
    if type(b) is decimal.Decimal:
        return _EXACT.multiply(b, decimal.Decimal(a.denominator)) == decimal.Decimal(a.numerator)
    if type(b) is float:
        b = Ratio(*b.as_integer_ratio())
    elif type(b) is int:
        b = Ratio(b, 1)
    return a.numerator * b.denominator == b.numerator * a.denominator
