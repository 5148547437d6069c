"""What a reader who knows another language has to be told: rules that cases tell from that language's own."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable

from pbt_generator.domain.oracle.certificate import Reading
from pbt_generator.domain.task.wording.rendering import PLACES_DIFFER, texts_in

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
    "blanks": (
        "Blanks are all white space of Unicode (tabs, ends of lines and no-break spaces too), and U+001C to U+001F."
    ),
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
        "The first character of a text, where it is a letter, becomes that of a title (ß becomes Ss, ǆ becomes ǅ), and "
        "all others become small, as in Unicode's tables.",
    ),
    (
        "case mapping",
        ".title() →",
        "A letter becomes that of a title (ß becomes Ss, ǆ becomes ǅ) where no letter that has small and large forms "
        "stands right before it, and a small one elsewhere, as in Unicode's tables: they're becomes They'Re.",
    ),
    ("digits", ".isdigit() →", "Digits are those of all scripts, superscripts among them (٣, ²)."),
    ("digits", ".isdecimal() →", "Digits are the decimal ones of all scripts (٣, but not ²)."),
    ("digits", ".isnumeric() →", "Digits are all numeric characters of Unicode (٣, ², ½, Ⅷ)."),
)
UNPLACED = "a rule holds at some places alone, and it does not say at which"
_EXCLUDE = (
    {_WORDS["ASCII digits"], *(words for rule, _, words in _BY_CHANGE if rule == "digits")},
    {_WORDS["ASCII letters"], _WORDS["letters"]},
    {words for _, change, words in _BY_CHANGE if change in (".casefold() →", ".lower() →")},
    {words for _, change, words in _BY_CHANGE if change in (".capitalize() →", ".title() →")},
)
# What becomes of Σ where it stands at an end shows what a program makes small: the whole, or each letter.
OF_ENDS = "Σ becomes ς in lower case at the end of a word of several letters, and σ elsewhere."
_OF_EACH = "Σ becomes σ in lower case, at the end of a word too."


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
    sigma = _of_sigma(cases, source)
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
    return _of_places(list(found))


def _of_places(rules: list[str]) -> list[str]:
    """The rules, those in one sentence that exclude one another: each holds at another place.

    Example:
        >>> _of_places(["Letters are those of all scripts.", "Letters are those of ASCII."])
        ['Places differ: at one letters are those of all scripts; at another letters are those of ASCII.']
    """
    for group in _EXCLUDE:
        several = [rule for rule in rules if rule in group]
        if len(several) > 1:
            told = "; at another ".join(f"{rule[:1].lower()}{rule[1:]}".removesuffix(".") for rule in several)
            at = rules.index(several[0])
            rules = [rule for rule in rules if rule not in group]
            rules.insert(at, f"{PLACES_DIFFER}{told}.")
    return rules


def unplaced(rules: Iterable[str]) -> list[str]:
    """What words lack where rules hold at some places of the program alone."""
    return [UNPLACED] if any(rule.startswith(PLACES_DIFFER) for rule in rules) else []


def shows_wide(shown: Iterable[tuple[str, str]]) -> bool:
    """Whether an example holds an integer of more than 32 bits: no reader needs to be told of such ones then.

    Example:
        >>> shows_wide([("[2147483648]", "1")]), shows_wide([('["2147483648"]', "1.5")])
        (True, False)
    """
    return any(int(found) >= 2**31 for case in shown for text in case for found in _WHOLE.findall(text))


def _of_sigma(cases: Iterable[tuple[str, str]], source: str) -> str:
    """What becomes of Σ at the end of a word, where all cases that show it agree; else nothing.

    Who goes letter by letter does not see where Σ stands in its word. A Σ elsewhere shows nothing of that, nor does a
    ς that was there before.

    Example:
        >>> _of_sigma([('["ΟΔΟΣ"]', '"οδοσ"')], ""), _of_sigma([('["Σa"]', '"σa"')], "")
        ('Σ becomes σ in lower case, at the end of a word too.', '')
    """
    found: set[str] = set()
    for arguments, gave in cases:
        if "Σ" not in arguments:
            continue
        results = " ".join(texts_in(json.loads(gave)))
        if "ς" in results and "ς" not in arguments + source:
            found.add(OF_ENDS)
        for piece in (piece for text in texts_in(json.loads(arguments)) for piece in text.split()):
            whole, each = piece.lower(), "".join(letter.lower() for letter in piece)
            shown = {whole: OF_ENDS, each: _OF_EACH} if whole != each and piece not in (whole, each) else {}
            for small, rule in shown.items():
                made = small not in arguments + source
                if made and re.search(rf"(?<!\w){re.escape(small)}(?!\w)", results):
                    found.add(rule)
    return found.pop() if len(found) == 1 else ""


def _reads_numbers(source: str) -> bool:
    """Whether a program makes numbers of what it is given."""
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    used = (each for call in calls for each in (call.func, *call.args))
    return any(getattr(each, "id", getattr(each, "attr", "")) in _READERS for each in used)


def _is_written_down(reading: Reading) -> bool:
    return reading.rule == "negative position" and _NUMBERED.search(reading.change) is not None
