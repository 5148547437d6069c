"""What a reader who knows another language has to be told: rules that cases tell from that language's own."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pbt_generator.domain.oracle.certificate import Reading

OVERFLOW = "Integers, results on the way among them, may be larger than 32 bits."
_WHOLE = re.compile(r"(?<![\w.\"])\d+(?![\w.\"])")
# A sentence for each rule; halves are told where anything is rounded, see `rendering`.
_WORDS = {
    "division": "Division to whole numbers rounds down: -7 by 2 gives -4.",
    "remainder": "A remainder has the sign of the divisor: -7 by 3 leaves 2, 7 by -3 leaves -2.",
    "lengths": "Lengths and positions in texts count code points: a character beyond 16 bits is one.",
    "bytes": "Lengths and positions in texts count characters, not bytes.",
    "overflow": OVERFLOW,
    "letters": "Letters are those of all scripts.",
    "ASCII digits": "A digit is one of 0 to 9.",
    "ASCII letters": "Letters are those of ASCII.",
    "blanks": "Blanks are all white space of Unicode: tabs, ends of lines and no-break spaces too.",
    "lines": (
        "A line ends at each line break of Unicode (\\n, \\r, \\r\\n, \\v, \\f, U+001C to U+001E, U+0085, U+2028, "
        "U+2029); behind the last one no further line begins."
    ),
    "numerals": "A text of a number may have blanks (all white space of Unicode) at its ends, and a plus sign.",
    "negative position": "A negative position counts from the end: -1 is the last.",
    "negative count": "Repeated a negative number of times, a text or sequence is empty.",
    "equality": "Sequences and maps are equal when what they hold is.",
    "kinds": "A text never equals a number that it shows.",
    "text order": "Numbers are sorted by size.",
    "truth": "Zero, an empty text, an empty sequence and an empty map count as false, as nothing does.",
    "truth is no number": "A truth value counts as an integer here.",
}
# Where the program reads numbers from texts, the rule on kinds is that of the others.
_KINDS_OF_OTHERS = "A text that is not read as a number never equals the number that it shows."
_READERS = frozenset({"int", "float", "complex", "Decimal", "Fraction"})
# A place that the program itself writes down, such as the last one, is how it works and no rule of the task. It is the
# one that was changed: what stands within an expression that another rule changed says nothing of that rule.
_NUMBERED = re.compile(r"^[^→]*\[:?-\d+:?\] →")
_BY_CHANGE = (
    ("case mapping", ".casefold() →", "Case is folded by Unicode's rules: ß is the same as ss."),
    (
        "case mapping",
        ".lower() →",
        "In lower case ß stays ß, İ becomes i with U+0307, and every other letter follows Unicode's table.",
    ),
    ("case mapping", ".upper() →", "In upper case a letter may become several, as in Unicode's table: ß becomes SS."),
    (
        "case mapping",
        ".capitalize() →",
        "The first letter becomes that of a title (ß becomes Ss, ǆ becomes ǅ) and the others small, as in Unicode's "
        "tables.",
    ),
    (
        "case mapping",
        ".title() →",
        "Every word begins with the letter of a title (ß becomes Ss, ǆ becomes ǅ) and goes on in small ones, as in "
        "Unicode's tables.",
    ),
    ("digits", ".isdigit() →", "Digits are those of all scripts, superscripts among them (٣, ²)."),
    ("digits", ".isdecimal() →", "Digits are the decimal ones of all scripts (٣, but not ²)."),
    ("digits", ".isnumeric() →", "Digits are all numeric characters of Unicode (٣, ², ½, Ⅷ)."),
)


def reading_rules(readings: Iterable[Reading], cases: Iterable[tuple[str, str]] = (), source: str = "") -> list[str]:
    """The rules that cases hang on, a sentence each, every one once.

    Args:
        readings: Rules of other languages, and whether a case tells each apart.
        cases: Arguments and result of each case as portable texts.
        source: The ground truth.

    Example:
        >>> reading_rules([Reading("division", 1, "x // 2 → -(-x // 2) if x // 2 < 0 else x // 2", True)])
        ['Division to whole numbers rounds down: -7 by 2 gives -4.']
        >>> reading_rules([Reading("division", 1, "x // 2 → …", False)])
        []
        >>> reading_rules([Reading("negative position", 1, "parts[-1] → …", True)])
        []
        >>> reading_rules([Reading("division", 1, "parts[-1] // 2 → …", True)])
        ['Division to whole numbers rounds down: -7 by 2 gives -4.']
    """
    found: dict[str, None] = {}
    told = [reading for reading in readings if reading.told_apart and not _is_written_down(reading)]
    rules = {reading.rule for reading in told}
    cases = list(cases)
    sigma = _of_sigma(cases)
    texts = not cases or any('"' in arguments for arguments, _ in cases)
    for reading in told:
        if reading.rule == "kinds" and not texts:
            # Nobody compares a number with a text where none is given.
            continue
        if reading.rule == "kinds" and _reads_numbers(source):
            found[_KINDS_OF_OTHERS] = None
            continue
        # Who counts code points counts no bytes.
        if reading.rule in _WORDS and not (reading.rule == "bytes" and "lengths" in rules):
            found[_WORDS[reading.rule]] = None
        for rule, shown, words in _BY_CHANGE:
            if reading.rule == rule and shown in reading.change:
                found[words] = None
                if sigma and ".lower()" in shown:
                    found[sigma] = None
    return list(found)


def shows_wide(shown: Iterable[tuple[str, str]]) -> bool:
    """Whether an example holds an integer of more than 32 bits: no reader needs to be told of such ones then.

    Example:
        >>> shows_wide([("[2147483648]", "1")]), shows_wide([('["2147483648"]', "1.5")])
        (True, False)
    """
    return any(int(found) >= 2**31 for case in shown for text in case for found in _WHOLE.findall(text))


def _of_sigma(cases: Iterable[tuple[str, str]]) -> str:
    """What becomes of Σ: who goes letter by letter does not see where it stands in its word."""
    given = [gave for arguments, gave in cases if "Σ" in arguments]
    if any("ς" in gave for gave in given):
        return "Σ at the end of a word becomes ς in lower case."
    return "Σ becomes σ in lower case, at the end of a word too." if any("σ" in gave for gave in given) else ""


def _reads_numbers(source: str) -> bool:
    """Whether a program makes numbers of what it is given."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    used = (each for call in calls for each in (call.func, *call.args))
    return any(getattr(each, "id", getattr(each, "attr", "")) in _READERS for each in used)


def _is_written_down(reading: Reading) -> bool:
    return reading.rule == "negative position" and _NUMBERED.search(reading.change) is not None
