"""Small number functions: a source whose every function the end-to-end tests know."""

_LIMIT = 10


def clamp(value: int, low: int, high: int) -> int:
    """Keep a value between two ends; the ends may come in either order."""
    if low > high:
        low, high = high, low
    if value < low:
        return low
    if value > high:
        return high
    return value


def grade(points: int) -> str:
    """Turn points into a grade: 90 and more is A, 75 B, 50 C, less is F."""
    if points >= 90:
        return "A"
    if points >= 75:
        return "B"
    if points >= 50:
        return "C"
    return "F"


def digits_sum(number: int) -> int:
    """Add the decimal digits of a whole number; the sign does not count."""
    number = abs(number)
    total = 0
    while number:
        total += number % 10
        number //= 10
    return total


def running_maximum(values: list[int]) -> list[int]:
    """The largest value so far, at each place."""
    result: list[int] = []
    for value in values:
        if not result or value > result[-1]:
            result.append(value)
        else:
            result.append(result[-1])
    return result


def within_limit(value: int) -> str:
    """Say where a value lies: within or beyond the module's limit."""
    return "within" if value <= _LIMIT else "beyond"
