"""Rules that an instruction tells hold of the ground truth, to the letter."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from pbt_generator.domain.oracle.certificate import Reading
from pbt_generator.domain.task.wording.reading_rules import reading_rules, unplaced
from pbt_generator.domain.task.wording.rendering import (
    PLACES_DIFFER,
    ROUNDING,
    ROUNDING_AT_PLACES,
    SIGN,
    rendering_rules,
)

_LETTERWISE = ["Σ becomes σ in lower case, at the end of a word too."]
_WHOLE = ["Σ becomes ς in lower case at the end of a word of several letters, and σ elsewhere."]
# The property White_Space of Unicode.
_WHITE_SPACE = {*range(9, 14), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}


def _read(rule: str, change: str) -> Reading:
    return Reading(rule, 1, change, told_apart=True)


def test_blanks_are_what_the_language_takes_for_blanks() -> None:
    (rule,) = reading_rules([_read("blanks", "s.strip() → s.strip(' ')")])
    assert "white space of Unicode" in rule and rule.endswith("and U+001C to U+001F.")
    blank = {code for code in range(sys.maxunicode + 1) if chr(code).isspace()}
    assert blank == _WHITE_SPACE | {*range(0x1C, 0x20)}


def test_numerals_have_white_space_of_unicode_alone_around() -> None:
    (rule,) = reading_rules([_read("numerals", "int(s) → …")])
    assert "all white space of Unicode" in rule and "U+" not in rule
    for code in (code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code))[0] in "ZC"):
        try:
            read = int(f"{chr(code)}5") == 5
        except ValueError:
            read = False
        assert read is (code in _WHITE_SPACE), hex(code)


@pytest.mark.parametrize(
    ("given", "gave", "told"),
    [
        ("Σa", "σa", []),
        ("ςaΣ", "ςaσ", _LETTERWISE),
        ("ςaΣ", "ςaς", _WHOLE),
        ("aΣ b", "b aς", _WHOLE),
        # A letter is joined to it before it becomes small: Σ stands at no end there.
        ("aΣ", "aσx", []),
        # An apostrophe goes on a word.
        ("aΣ'b", "aσ'b", []),
        ("Σ", "σ", []),
    ],
)
def test_what_is_told_of_sigma_holds_where_it_stands_at_an_end(given: str, gave: str, told: list[str]) -> None:
    rules = reading_rules([_read("case mapping", "s.lower() → …")], [(f'["{given}"]', f'"{gave}"')])
    assert rules[1:] == told


def test_of_sigma_nothing_is_told_where_cases_show_both() -> None:
    cases = [('["aΣ"]', '"aσ"'), ('["bΣ"]', '"bς"')]
    assert len(reading_rules([_read("case mapping", "s.lower() → …")], cases)) == 1


def test_a_text_that_begins_with_no_letter_has_no_letter_of_a_title() -> None:
    (capitalized,) = reading_rules([_read("case mapping", "s.capitalize() → …")])
    (titled,) = reading_rules([_read("case mapping", "s.title() → …")])
    assert "first character of a text, where it is a letter" in capitalized and "1abc".capitalize() == "1abc"
    assert "they're becomes They'Re" in titled and "they're".title() == "They'Re"


@pytest.mark.parametrize(
    "readings",
    [
        [("digits", "s.isdigit() → s.isdecimal()"), ("ASCII digits", "c in '0123456789' → …")],
        [("digits", "s.isdigit() → s.isdecimal()"), ("digits", "s.isnumeric() → …")],
        [("letters", "s.isalpha() → …"), ("ASCII letters", "'a' <= c <= 'z' → …")],
        [("case mapping", "a.lower() → …"), ("case mapping", "b.casefold() → …")],
    ],
)
def test_rules_that_exclude_one_another_are_told_as_of_different_places(readings: list[tuple[str, str]]) -> None:
    rules = reading_rules([_read(*each) for each in [*readings, ("lengths", "len(s) → …")]])
    assert len(rules) == 2 and rules[0].startswith(PLACES_DIFFER) and "; at another " in rules[0]
    assert unplaced(rules) and not unplaced(rules[1:])


@pytest.mark.parametrize(
    ("body", "cases", "told"),
    [
        ("'%d%% free' % x", [("[2]", '"2% free"')], []),
        ("'%d%%s' % x", [("[2]", '"2%s"')], []),
        ("round(x) + int(x + 0.5)", [("[2]", "4")], [ROUNDING_AT_PLACES]),
        ("round(x) + math.floor(0.5 + x)", [("[2]", "4")], [ROUNDING_AT_PLACES]),
        ("[round(x), x.quantize(Decimal(1), ROUND_HALF_UP)]", [("[2]", "[2,2]")], [ROUNDING_AT_PLACES]),
        ("round(x) + int(x + 1)", [("[2]", "5")], [ROUNDING]),
        ("f'-{round(x)}'", [("[0.2]", '"-0"')], [ROUNDING]),
        ("'-%.0f' % x", [("[0.2]", '"-0"')], [ROUNDING]),
        ("'-' + f'{x:.0f}'", [("[0.2]", '"-0"')], [ROUNDING]),
        ("f'{round(x, 0):.0f}'", [("[-0.2]", '"-0"')], [ROUNDING, SIGN]),
    ],
)
def test_rules_on_numbers_hold_of_all_places(body: str, cases: list[tuple[str, str]], told: list[str]) -> None:
    assert rendering_rules(f"def f(x):\n    return {body}\n", cases) == told
    assert unplaced(told) == unplaced([each for each in told if each == ROUNDING_AT_PLACES])
