"""Draws texts that a regular expression matches, quickly, with given texts inside where the expression is wide.

Hypothesis draws a few well-spread matches once (`strategies`); this draws one whenever a text is drawn, and lets the
caller fill what the expression leaves open: what a program cuts out of a text it often reads further. Nothing is
matched here, so that an expression that takes for ever to match costs nothing; assertions are not checked. One whose
repeats alone take for ever is not read at all.
"""

from __future__ import annotations

import importlib
import random
import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeAlias

Filler: TypeAlias = Callable[[], str]

# The parser of `re` has no public name; Hypothesis reads expressions through it as well.
_parser: Any = importlib.import_module("re._parser")
_PRINTABLE = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;-_/'\"()[]{}<>@#$%&*+=!?|~^\\`"
_WORD = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
_SPACES = "      \t\n"
# How the groups are named that stand for a part that only running knows.
HOLE = "hole"
_MOST = 300
# What is longer is cut off.
_CUT = 2000
# Parts that are drawn for one text: who asks for more repeats nothing, or hides the few texts among repeats of nothing.
_MOST_PARTS = 20_000
# One more digit than `int` reads: the only way to make it refuse what `\d+` has matched.
_TOO_MANY_DIGITS = 4301
_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT"})
# So many repeats cut a text up in more ways than can be tried.
_MANY = 10
# What only a regular expression has, and neither a sentence, a date format nor a path.
_SIGNS = re.compile(
    r"\\[dwsbDWSB]|\.[*+]|\[\^?[^\]\s]+\][*+?{]|\(\?[:P=!<i]|\)[*+?]|^\^|[^\s$]\$$|\\[.()\[\]*+?|${}]|\w\+\w*\)"
)


def looks_like_pattern(text: str) -> bool:
    """Whether a constant of a program reads like a regular expression."""
    return 2 < len(text) <= _MOST and _SIGNS.search(text) is not None and is_readable(text)


def is_readable(pattern: str) -> bool:
    """Whether texts can be drawn that a regular expression matches: it is one, and its repeats come to an end.

    Example:
        >>> [is_readable(each) for each in ("(a+)+", "(?:x{900}){900}", "(", "(?:(?:x{0}){900}){900}")]
        [True, True, False, False]
    """
    return _parsed(pattern) is not None


def may_stall(pattern: str) -> bool:
    """Whether trying an expression on a text that was drawn by it may take for ever.

    It may where repeats hold repeats or alternatives, so that one text is cut up in many ways, and something in it lets
    a text fail that was drawn by it: an assertion, or another alternative.

    Example:
        >>> [may_stall(each) for each in (r"^(\\.\\w+)*$", r"(a+)+$(?<!a)", r"(?:ab|a)*\\b-", r"\\w+(?=x)")]
        [False, True, True, False]
    """
    parsed = _parsed(pattern)
    if parsed is None:
        return False
    inner = list(parsed)
    # Both ends of a text are where it is matched as a whole.
    while inner and str(inner[0][0]) == "AT":
        inner = inner[1:]
    while inner and str(inner[-1][0]) == "AT":
        inner = inner[:-1]
    parts = list(_all_parts(inner))
    deciding = any(op in ("ASSERT", "ASSERT_NOT", "AT", "BRANCH", "GROUPREF", "GROUPREF_EXISTS") for op, _ in parts)
    repeats = (list(_all_parts(value[2])) for op, value in parts if op in _REPEATS and int(value[1]) >= _MANY)
    return deciding and any(
        op == "BRANCH" or (op in _REPEATS and int(value[1]) > int(value[0])) for held in repeats for op, value in held
    )


def _all_parts(items: Any) -> Iterator[tuple[str, Any]]:
    for op, value in items:
        yield str(op), value
        for held in _held(str(op), value):
            yield from _all_parts(held)


class PatternSampler:
    """Draws texts that expressions match.

    Args:
        rng: The only source of chance.
    """

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._groups: dict[int, str] = {}
        self._fill: Filler | None = None
        self._long = False
        self._depth = 0
        self._hole: Filler | None = None
        self._holes: frozenset[int] = frozenset()

    def match(
        self, pattern: str, fill: Filler | None = None, *, hole: Filler | None = None, long: bool = False
    ) -> str | None:
        """A text that the expression most likely matches as a whole; None for one that cannot be read.

        Args:
            pattern: The expression, with its flags written in it.
            fill: Draws what may stand where the expression allows nearly anything.
            hole: Draws what stands for a part that only running knows.
            long: Write more digits than `int` reads where the expression allows them.
        """
        parsed = _parsed(pattern)
        if parsed is None:
            return None
        outer = self._groups, self._fill, self._long, self._hole, self._holes
        # What fills a match may hold a match, but that one is filled with nothing: this must end.
        self._groups, self._fill, self._long = {}, fill if self._depth == 0 else None, long
        self._hole = hole
        self._holes = frozenset(place for name, place in parsed.state.groupdict.items() if name.startswith(HOLE))
        self._depth += 1
        try:
            text = self._sequence(list(parsed), int(parsed.state.flags))
        except RecursionError:
            return None
        finally:
            self._depth -= 1
            self._groups, self._fill, self._long, self._hole, self._holes = outer
        return text[: 2 * _TOO_MANY_DIGITS if long else _CUT]

    def _sequence(self, items: list[tuple[Any, Any]], flags: int) -> str:
        last = len(items) - 1
        return "".join(self._item(str(op), value, flags, place == last) for place, (op, value) in enumerate(items))

    def _item(self, op: str, value: Any, flags: int, last: bool) -> str:
        rng = self.rng
        match op:
            case "LITERAL":
                char = chr(value)
                return char.swapcase() if flags & re.IGNORECASE and rng.random() < 0.25 else char
            case "NOT_LITERAL" | "ANY" | "IN":
                return self._char(op, value, flags)
            case "BRANCH":
                return self._sequence(list(rng.choice(value[1])), flags)
            case "SUBPATTERN":
                group, added, removed, inner = value
                known = self._hole is not None and group in self._holes
                text = self._hole() if known and self._hole else self._sequence(list(inner), (flags | added) & ~removed)
                if group is not None:
                    self._groups[group] = text
                return text
            case "ATOMIC_GROUP":
                return self._sequence(list(value), flags)
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                return self._repeat(value, flags)
            case "GROUPREF":
                return self._groups.get(value, "")
            case "GROUPREF_EXISTS":
                group, then, other = value
                chosen = then if group in self._groups else other
                return self._sequence(list(chosen), flags) if chosen is not None else ""
            case "ASSERT":
                # What must stand before is written; what must follow only where nothing else follows.
                return self._sequence(list(value[1]), flags) if value[0] < 0 or last else ""
            case _:
                return ""

    def _repeat(self, value: Any, flags: int) -> str:
        rng = self.rng
        low, high = int(value[0]), int(value[1])
        inner: list[tuple[Any, Any]] = list(value[2])
        while len(inner) == 1 and str(inner[0][0]) == "SUBPATTERN" and inner[0][1][0] is None:
            inner = list(inner[0][1][3])
        single = len(inner) == 1 and str(inner[0][0]) in {"NOT_LITERAL", "ANY", "IN"}
        if single and high > 4 and self._fill is not None and rng.random() < 0.7:
            op, allowed = str(inner[0][0]), inner[0][1]
            text = self._fill()
            kept = "".join(char for char in text if _allows(op, allowed, flags, char))[: min(high, _MOST)]
            if kept and len(kept) >= max(low, (len(text) + 1) // 2):
                return kept
        if self._long and single and high > _TOO_MANY_DIGITS and _about(inner[0], "_DIGIT"):
            return self._sequence(inner, flags) * _TOO_MANY_DIGITS
        narrow = single and _about(inner[0], "_SPACE")
        steps = (0, 1, 1, 1) if narrow else (0, 1, 1, 2, 3, 5) if single else (0, 1, 1, 2)
        count = min(high, low + (rng.choice(steps) if low < high else 0), low + 20)
        text = ""
        for _ in range(count):
            text += self._sequence(inner, flags)
            if len(text) > _CUT:
                # The rest is cut off: repeats in repeats multiply.
                break
        return text

    def _char(self, op: str, value: Any, flags: int) -> str:
        rng = self.rng
        if op == "IN" and str(value[0][0]) != "NEGATE":
            return self._member(rng.choice(value), flags)
        for _ in range(8):
            char = rng.choice(_WORD if rng.random() < 0.7 else _PRINTABLE)
            if _allows(op, value, flags, char):
                return char
        return next((char for char in _PRINTABLE if _allows(op, value, flags, char)), "")

    def _member(self, item: tuple[Any, Any], flags: int) -> str:
        rng = self.rng
        op, value = str(item[0]), item[1]
        if op == "LITERAL":
            char = chr(value)
            return char.swapcase() if flags & re.IGNORECASE and rng.random() < 0.25 else char
        if op == "RANGE":
            code = rng.choice((value[0], value[1], rng.randint(*value), rng.randint(*value), rng.randint(*value)))
            # Half of a pair is no character.
            return chr(code) if not 0xD800 <= code < 0xE000 else chr(value[0] if value[0] < 0xD800 else 0xE000)
        pool = {"DIGIT": "0123456789", "WORD": _WORD, "SPACE": _SPACES}.get(str(value).rpartition("_")[2], _PRINTABLE)
        if "NOT" in str(value):
            pool = "".join(char for char in _PRINTABLE if char not in pool)
        return rng.choice(pool)


def _allows(op: str, value: Any, flags: int, char: str) -> bool:
    if op == "ANY":
        return char != "\n" or bool(flags & re.DOTALL)
    if op == "NOT_LITERAL":
        return ord(char) != value
    negated = str(value[0][0]) == "NEGATE"
    forms = (char, char.swapcase()) if flags & re.IGNORECASE else (char,)
    return any(_holds(item, form) for item in value for form in forms if len(form) == 1) != negated


def _holds(item: tuple[Any, Any], char: str) -> bool:
    op, value = str(item[0]), item[1]
    if op == "LITERAL":
        return ord(char) == value
    if op == "RANGE":
        return value[0] <= ord(char) <= value[1]
    if op != "CATEGORY":
        return False
    kind = str(value).rpartition("_")[2]
    held = {"DIGIT": char.isdigit(), "WORD": char.isalnum() or char == "_", "SPACE": char.isspace()}.get(kind, False)
    return held != ("NOT" in str(value))


def _about(item: tuple[Any, Any], kind: str) -> bool:
    """Whether one character of a pattern is a blank (`_SPACE`) or a digit (`_DIGIT`) in any case."""
    if str(item[0]) != "IN":
        return False
    usual = str.isspace if kind == "_SPACE" else str.isdigit
    return all(
        (op == "CATEGORY" and value.endswith(kind) and "NOT" not in value)
        or (op == "LITERAL" and usual(chr(int(value))))
        or (op == "RANGE" and usual(chr(item[1][place][1][0])) and usual(chr(item[1][place][1][1])))
        for place, (op, value) in enumerate((str(op), str(value)) for op, value in item[1])
    )


@lru_cache(maxsize=512)
def _parsed(pattern: str) -> Any:
    try:
        parsed = _parser.parse(pattern)
        return parsed if _parts(parsed) <= _MOST_PARTS else None
    except (re.error, OverflowError, RecursionError, ValueError):
        return None


def _parts(items: Any) -> int:
    """How many parts are drawn for one text, on the average of the repeats and for the longest of the alternatives."""
    return sum(1 + _parts_within(str(op), value) for op, value in items)


def _parts_within(op: str, value: Any) -> int:
    longest = max(map(_parts, _held(op, value)), default=0)
    if op not in _REPEATS and op != "POSSESSIVE_REPEAT":
        return longest
    low, high, width = int(value[0]), int(value[1]), int(value[2].getwidth()[0])
    count = low + (low < high)
    # What has grown too long is cut off.
    return (min(count, _CUT // width + 1) if width else count) * (1 + longest)


def _held(op: str, value: Any) -> list[Any]:
    """The sequences of parts that a part of an expression holds."""
    match op:
        case "SUBPATTERN":
            return [value[3]]
        case "ATOMIC_GROUP":
            return [value]
        case "ASSERT" | "ASSERT_NOT":
            return [value[1]]
        case "BRANCH":
            return list(value[1])
        case "GROUPREF_EXISTS":
            return [each for each in value[1:] if each is not None]
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return [value[2]]
        case _:
            return []
