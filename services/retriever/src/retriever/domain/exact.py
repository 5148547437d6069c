"""Exact questions: symbols, paths and regular expressions, in one meaning for every index."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator
from functools import lru_cache

import regex

from retriever.errors import BadRequestError

MOST_PATTERN_CHARACTERS = 300
# The engine writes repetitions out, a third of a kilobyte a piece; so many are compiled in a tenth of a second.
MOST_PIECES = 10_000
# One piece of code is matched in microseconds; what takes as long as this goes through exponentially many ways.
_PATTERN_SECONDS = 0.2
# What digests of twins begin with: the way they are made. Kept ones of another way are made anew.
TWINS = "3-"
# A text that nothing ends goes on to where the line, or all, ends: else each such quote would be followed to the end.
_QUOTED = (
    r'"""(?:\\.|[^\\])*?(?:"""|\Z)|\'\'\'(?:\\.|[^\\])*?(?:\'\'\'|\Z)'
    r'|"(?:\\.|[^"\\\n])*"?|\'(?:\\.|[^\'\\\n])*\'?|`(?:\\.|[^`\\])*`?'
)
# A quote within a comment begins no text; a comment to the end of its line takes away what stands before that. What is
# escaped outside of texts, as slashes are in patterns, begins neither.
_BLOCK = r"(?P<block>\\.|/\*.*?(?:\*/|\Z))"
_TEXT = re.compile(rf"(?P<line>//[^\n]*)|{_BLOCK}|{_QUOTED}", re.DOTALL)
_PHP_TEXT = re.compile(rf"(?P<line>(?://|#(?!\[))[^\n]*)|{_BLOCK}|{_QUOTED}", re.DOTALL)
_PYTHON_TEXT = re.compile(rf"(?P<line>#[^\n]*)|{_QUOTED}", re.DOTALL)
# What no code holds, in place of a text, and of the end of a comment's line.
_OF_TEXT, _OF_LINE = "\0", "\1"
# Escapes, which may name characters in braces; sets; comments; repetitions; and braces that are none.
_PIECES = r"\\[pPN]\{[^}]*\}|\\.|(?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])|\(\?#[^)]*\)|\{(?:\d+(?:,\d*)?|,\d*)\}|\{"
_PIECE = re.compile(_PIECES, re.DOTALL)
_VERBOSE_PIECE = re.compile(rf"#[^\n]*|{_PIECES}", re.DOTALL)
_ANY_PIECE, _ANY_VERBOSE_PIECE = (re.compile(f"{one}|.", re.DOTALL) for one in (_PIECES, rf"#[^\n]*|{_PIECES}"))
# Where spaces and comments begin or cease to mean nothing, or may.
_VERBOSE = re.compile(r"\(\?[a-z]*x")
_VERBOSE_WITHIN = re.compile(r"\(\?[a-zA-Z]*-?[a-zA-Z]*x[a-zA-Z-]*:|.\(\?[a-zA-Z]*x", re.DOTALL)


def symbol_expression(symbol: str) -> str:
    """A regular expression that a lower-case qualified name must match as a whole; Python and PostgreSQL read it alike.

    The symbol is the name or its last parts; `*` stands for characters other than dots.

    Example:
        >>> bool(re.fullmatch(symbol_expression("Cart.total"), "shop.cart.total"))
        True
    """
    parts = "[^.]*".join(re.escape(part) for part in re.split(r"\*+", symbol.strip().lower()))
    return rf"(?:.*\.)?{parts}"


def path_expression(path: str) -> str:
    """The same for a path: a file, a folder, or a glob in which `**` crosses folders and `*` and `?` do not.

    Example:
        >>> bool(re.fullmatch(path_expression("src/**/test_*.py"), "src/test_a.py"))
        True
    """
    path = path.strip().removeprefix("./")
    if not re.search(r"[*?]", path):
        return re.escape(path.rstrip("/")) + "(?:/.*)?"
    # Side by side they say no more than one; each would be one more way of sharing what they stand for.
    path = re.sub(r"(?:\*\*/)+", "**/", re.sub(r"\*{3,}", "**", path))
    expression = ""
    for piece in re.findall(r"\*\*/|\*\*|\*|\?|[^*?]+", path):
        expression += {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(piece) or re.escape(piece)
    return expression + ("(?:.*)?" if path.endswith("/") else "")


def demand_pattern(pattern: str) -> None:
    """Refuse a regular expression that cannot be used.

    Raises:
        BadRequestError: it is too long, repeats too much, or is none.
    """
    if len(pattern) > MOST_PATTERN_CHARACTERS:
        raise BadRequestError(
            f"the pattern has {len(pattern)} characters",
            thing="pattern",
            way_out=f"use at most {MOST_PATTERN_CHARACTERS}",
        )
    if (pieces := pieces_at_most(pattern)) > MOST_PIECES:
        raise BadRequestError(
            f"is no regular expression that is compiled here: it repeats up to {min(pieces, 10**9):,} pieces",
            thing=pattern[:80],
            way_out=f"repeat at most {MOST_PIECES:,} in all, those of repetitions within one another multiplied",
        )
    try:
        _compiled(pattern)
    except (regex.error, ValueError) as error:
        raise BadRequestError(f"is no regular expression: {error}", thing=pattern[:80]) from error


def holds(pattern: str, code: str) -> bool:
    """Whether the pattern matches somewhere in the code; blocks for a fifth of a second at most.

    Raises:
        BadRequestError: it takes longer.
    """
    try:
        return _compiled(pattern).search(code, timeout=_PATTERN_SECONDS, concurrent=True) is not None
    except TimeoutError as error:
        raise BadRequestError(
            "takes too long on one piece of code", thing=pattern[:80], way_out="nest no repetitions in one another"
        ) from error


def needed_literal(pattern: str) -> str:
    """The longest run of letters, digits and underscores that whatever matches must hold; empty where none is sure.

    Example:
        >>> needed_literal(r"def get_\\w+\\(self"), needed_literal("a|b"), needed_literal("total_?x")
        ('get_', '', 'total')
    """
    # Alternatives, flags, verbose and fuzzy forms, references and classes with escapes: nothing is sure then.
    if re.search(r"\||\(\?|\\[xuUNpPgkL0-9]|\[[^\]]*[\\\[]|\[\^?\]|\{(?!\d+,?\d*\}|,\d*\})", pattern):
        return ""
    without = re.sub(r"\\.|\[[^\]]*\]", ".", pattern, flags=re.DOTALL)
    while (shorter := re.sub(r"\([^()]*\)", ".", without)) != without:
        without = shorter
    # What may be repeated may be missing as well.
    without = re.sub(r".(?:[?*]|\{[^}]*\})", ".", without, flags=re.DOTALL)
    return max(re.findall(r"\w+", without, re.ASCII), key=len, default="")


def twin_digest(code: str, language: str) -> str:
    """The same for codes that differ in white space at most, where that tells nothing.

    Within texts it does, so does the end of a comment's line, and in Python so do ends of lines and how lines are
    indented to one another.

    Example:
        >>> twin_digest("f( a )\\n", "go") == twin_digest("f(  a )", "go") != twin_digest('f(" a")', "go")
        True
    """
    texts: list[str] = []

    def apart(found: re.Match[str]) -> str:
        if found.lastgroup == "block":
            return found.group()
        if found.lastgroup == "line":
            return found.group().rstrip() + _OF_LINE
        texts.append(found.group())
        return _OF_TEXT

    name = language.lower()
    text = {"python": _PYTHON_TEXT, "php": _PHP_TEXT}.get(name, _TEXT).sub(apart, code.replace("\r\n", "\n"))
    told = [*(_levelled(text) if name == "python" else [" ".join(text.split())]), *texts]
    digest = hashlib.sha256("\0".join(told).encode("utf-8", "surrogatepass")).hexdigest()
    return f"{TWINS}{digest[:30]}"


def _levelled(text: str) -> Iterator[str]:
    """Lines that hold something, each with how deep it stands."""
    widths: list[int] = []
    for line in text.split("\n"):
        words = line.split()
        if not words:
            continue
        whole = line.expandtabs()
        width = len(whole) - len(whole.lstrip())
        while widths and widths[-1] > width:
            widths.pop()
        if not widths or widths[-1] < width:
            widths.append(width)
        yield f"{len(widths)} {' '.join(words)}"


def pieces_at_most(pattern: str) -> int:
    """Of how many pieces a pattern is at most, repetitions written out as often as they must match.

    Example:
        >>> pieces_at_most("ab{3}"), pieces_at_most("(?:ab{3}){2,9}") >= 8, pieces_at_most("a{,9}")
        (4, True, 1)
    """
    if _VERBOSE_WITHIN.search(pattern):
        # Which braces follow what nobody knows before the engine has read it.
        least = [_least(found.group()) for found in _PIECE.finditer(pattern) if _is_repetition(found.group())]
        return len(pattern) * math.prod(least)
    # Of each group that is open: its pieces, and those of its last part, which a repetition repeats.
    counted = [[0, 0]]
    for found in (_ANY_VERBOSE_PIECE if _VERBOSE.match(pattern) else _ANY_PIECE).finditer(pattern):
        piece, group = found.group(), counted[-1]
        if piece == "(":
            counted.append([1, 0])
        elif piece == ")" and len(counted) > 1:
            inner, _last = counted.pop()
            counted[-1] = [counted[-1][0] + inner, inner]
        elif _is_repetition(piece):
            group[0], group[1] = group[0] + (_least(piece) - 1) * group[1], _least(piece) * group[1]
        elif piece in "?*+" or piece.isspace() or piece.startswith(("(?#", "#")):
            # What stands before it is still what a repetition after it may repeat.
            group[0], group[1] = group[0] + 1, max(group[1], 1)
        else:
            group[0], group[1] = group[0] + 1, 1
    return sum(pieces for pieces, _last in counted)


def _is_repetition(piece: str) -> bool:
    return piece.startswith("{") and piece != "{"


def _least(repetition: str) -> int:
    return max(1, int(repetition[1:-1].partition(",")[0] or 0))


@lru_cache(maxsize=64)
def _compiled(pattern: str) -> regex.Pattern[str]:
    return regex.compile(_as_python_reads(pattern), regex.MULTILINE | regex.VERSION0)


def _as_python_reads(pattern: str) -> str:
    """The pattern for an engine that reads more into braces and brackets than Python does.

    To it `x{e}` is an x with any number of errors, and `[[:alpha:]]` any letter; in Python both stand for themselves,
    and `{e}` is what f-strings are full of.
    """
    return (_VERBOSE_PIECE if _VERBOSE.match(pattern) else _PIECE).sub(_piece_as_python_reads, pattern)


def _piece_as_python_reads(found: re.Match[str]) -> str:
    piece = found.group()
    if piece == "{":
        return r"\{"
    if found.lastgroup == "set":
        return piece[0] + re.sub(r"(\\.)|\[", lambda one: one.group(1) or r"\[", piece[1:], flags=re.DOTALL)
    return piece


def matches(expression: str, text: str) -> bool:
    """Whether an expression of `symbol_expression` or `path_expression` matches; blocks a fifth of a second at most.

    Raises:
        BadRequestError: it takes longer.
    """
    try:
        return _expression(expression).fullmatch(text, timeout=_PATTERN_SECONDS) is not None
    except TimeoutError as error:
        raise BadRequestError(
            "takes too long on one name", thing="symbol or path", way_out="use fewer wildcards"
        ) from error


@lru_cache(maxsize=1024)
def _expression(text: str) -> regex.Pattern[str]:
    return regex.compile(text, regex.DOTALL | regex.VERSION0)
