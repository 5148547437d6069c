"""Exact questions: patterns, symbols and paths."""

import contextlib
import re
import re._constants as of_re
import re._parser
import time
import warnings

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from retriever.domain.code import SearchFilter
from retriever.domain.exact import (
    demand_pattern,
    holds,
    needed_literal,
    path_expression,
    pieces_at_most,
    symbol_expression,
)
from retriever.errors import BadRequestError


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        (r"def get_\w+\(self", "get_"),
        ("a|b", ""),
        ("total_?x", "total"),
        (r"(optional)?certain", "certain"),
        (r"(a(b)c)*sure", "sure"),
        (r"[abc]def", "def"),
        (r"[\]abc]de", ""),
        ("[^]abc]", ""),
        ("ab{0,3}cde", "cde"),
        ("a{b}c", ""),
        ("a {}{123}", ""),
        ("ab{,3}cde", "cde"),
        ("(?i)word", ""),
        (r"\x41bc", ""),
        (r"\bword\b", "word"),
    ],
)
def test_the_literal_of_a_pattern_is_one_that_must_be_there(pattern, literal):
    assert needed_literal(pattern) == literal


@given(st.from_regex(r"([a-c_]|\\[wd.b]|[.(?*+{1,2})^$\[\]|]){0,12}", fullmatch=True), st.text("abc_1 .", max_size=12))
def test_what_a_pattern_matches_holds_its_literal(pattern, text):
    try:
        demand_pattern(pattern)
    except BadRequestError:
        return
    if holds(pattern, text):
        assert needed_literal(pattern) in text


_PIECES = st.sampled_from(
    [*"abeidse12 ,:.?*+^$|()[]{}\"'#\n", "{e}", "{i}", "{d}", "{s}", "{e<=1}", "{1,2}", "{,2}", "{2}", "[[:alpha:]]",
     "[^]{]", "\\{", "\\d", "\\w", "\\N{DIGIT ONE}", "(?:", "(?#", "(?x)", "(?i)", "f\"{e}\""]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=9).map("".join), st.lists(_PIECES, max_size=9).map("".join))
@example('f"{e}"', 'f"x"')
@example("{d}", "d")
@example("print({e})", "print()")
@example("[[:alpha:]]", "b]")
@example("(?x)a # [\n{e}", "a")
@example("(?x) # {\na{1,2}", "a")
def test_patterns_mean_what_they_mean_to_python(pattern, text):
    """Another engine matches, as Python's own cannot be stopped; the commonest braces there are stand in f-strings."""
    try:
        with warnings.catch_warnings(action="ignore"):
            expected = re.search(pattern, text, re.MULTILINE) is not None
    except (re.error, ValueError, OverflowError):
        return
    demand_pattern(pattern)
    assert holds(pattern, text) is expected


@pytest.mark.parametrize("pattern", ["(?V1)a", "(?a)(?u)x", "(", "a{99999999999}"])
def test_what_is_no_pattern_is_refused(pattern):
    with pytest.raises(BadRequestError, match="no regular expression"):
        demand_pattern(pattern)


def test_a_pattern_may_name_kinds_of_characters():
    assert holds(r"^\p{Lu}{2}$", "AB") and not holds(r"^\p{Lu}{2}$", "ab")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("symbol", f"{'*' * stars}z") for stars in (1, 10, 200)),
        *(("path", f"{'*' * stars}/**/**/z") for stars in (1, 3, 400)),
        ("symbol", "*e" * 10 + "z"),
        ("path", "**s" * 10 + "z"),
    ],
)
def test_no_symbol_and_no_path_stops_the_others(code, name, text):
    """Without end it went through the ways in which stars share a name, and nobody else was answered meanwhile."""
    looked_at = code("Reader." + "se" * 40, path="src/" + "s" * 90 + "/sums.py")
    began = time.monotonic()
    with contextlib.suppress(BadRequestError):
        assert not SearchFilter(**{name: text}).admits_text(looked_at)
    assert time.monotonic() - began < 60


def test_stars_side_by_side_are_one():
    assert symbol_expression("get_***") == symbol_expression("get_*")
    assert path_expression("src/***/a.py") == path_expression("src/**/**/a.py") == path_expression("src/**/a.py")


def test_a_pattern_that_takes_for_ever_is_refused():
    with pytest.raises(BadRequestError, match="takes too long"):
        holds("(x+x+)+y", "x" * 4000)


@pytest.mark.parametrize(
    "pattern",
    [
        "a{9999999}",
        "a{9999999,}?",
        "(?:ab|cd){100000}",
        "(((a{9999}){9999}){9999})",
        "((?:a{999}){2}){9,99}",
        "a{99}{999}",
        "(?x)(a{1000}) # more of it\n {1000}",
        "#(?x:(a{1000}) # more of it\n{1000})",
        "(?x)(?-x:#(a{1000}){1000}\n)",
        "[)](a{1000})[(]{1}(?#))(b{1000}){1000}",
    ],
)
def test_a_pattern_that_would_be_written_out_without_end_is_refused_before_it_is(pattern):
    """Eleven characters took seconds and gigabytes, or ended the process, while nobody else was answered."""
    with pytest.raises(BadRequestError, match="pieces"):
        demand_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}", ".{0,9999999}x", "(?:a{50}b{50}){90}", "(?x) a {9}"]
)
def test_patterns_as_people_write_them_are_taken(pattern):
    demand_pattern(pattern)


def written_out(parsed):
    """Pieces of what Python has parsed, each repeated as often as it must match."""
    pieces = 0
    for kind, what in parsed:
        if kind in (of_re.MAX_REPEAT, of_re.MIN_REPEAT, of_re.POSSESSIVE_REPEAT):
            pieces += max(1, what[0]) * written_out(what[2])
        elif kind is of_re.SUBPATTERN:
            pieces += written_out(what[-1])
        elif kind is of_re.BRANCH:
            pieces += sum(written_out(one) for one in what[1])
        else:
            pieces += 1
    return pieces


parts = [
    "a",
    "ab",
    "|",
    "(",
    ")",
    "(?:",
    "(?x:",
    "(?-x:",
    "(?x)",
    "[(]",
    "[^)#]",
    "\\(",
    "(?#()",
    "#",
    "\n",
    " ",
    "{3}",
    "{3,}",
]


@given(
    st.lists(st.sampled_from([*parts, "{2,5}?", "{,4}", "{4}+", "?", "*", "+", "{", "}", "$"]), max_size=14).map(
        "".join
    )
)
@example("(?x: (a{30}) # (\n {30})")
def test_no_pattern_is_written_out_to_more_than_is_counted(pattern):
    try:
        with warnings.catch_warnings(action="ignore"):
            parsed = re._parser.parse(pattern)
    except (re.error, ValueError, OverflowError):
        return
    assert pieces_at_most(pattern) >= written_out(parsed)
