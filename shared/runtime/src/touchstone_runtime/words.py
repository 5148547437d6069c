"""Words out of code and out of questions, so that `parseHTTPDate` and "parse an HTTP date" meet."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z]+|\d+")
_FOREIGN = re.compile(r"[^\x00-\x7f]")
# Accents and the like of Latin, Greek and Cyrillic letters; marks of other scripts are vowels, which tell words apart.
_MARKS = re.compile(r"[\u0300-\u036f]")

# Words that say nothing about what a function does: English glue, question openers, keywords of the languages.
_GLUE = (
    "a an and any are as at be by can do does for from get has have how i if in into is it its me my not of on one or "
    "other same so some such than that the their them then there these this to use used uses using via was way we "
    "what when where which while who will with without you your"
)
_KEYWORDS = (
    "await async break case cls const continue def del elif else except export extends final finally fn func function "
    "import lambda let new none nil null package pass private protected public raise return returns self static super "
    "switch throw throws try type var void yield true false java javascript php python typescript"
)
STOP_WORDS = frozenset(_GLUE.split()) | frozenset(_KEYWORDS.split())


def split_words(text: str) -> list[str]:
    """Cut text or code into lower-case words at case changes, underscores, digits and punctuation.

    Example:
        >>> split_words("parseHTTPDate(raw_value2)")
        ['parse', 'http', 'date', 'raw', 'value', '2']

    Letters of all scripts are letters; accents tell no words apart, whichever way they are written.

    Example:
        >>> split_words("lireRésumé für GRÖSSE2")
        ['lire', 'resume', 'fur', 'grosse', '2']
    """
    if text.isascii():
        return [piece.lower() for piece in _PIECE.findall(text)]
    plain = unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFKD", text)))
    shape = _FOREIGN.sub(lambda found: _like(found.group()), plain)
    return [plain[piece.start() : piece.end()].casefold() for piece in _PIECE.finditer(shape)]


@lru_cache(maxsize=4096)
def _like(letter: str) -> str:
    """What stands in a pattern of plain letters for one of another script: it is cut where that would be."""
    if letter.isdecimal():
        return "0"
    if letter.isupper() or letter.islower():
        return "A" if letter.isupper() else "a"
    # Scripts without large and small letters, with their vowels and accents.
    return "ª" if unicodedata.category(letter)[0] in "LM" else " "


def stem(word: str) -> str:
    """Take the commonest English endings off, so that "sorted", "sorting" and "sorts" are one word.

    Light on purpose: it may leave two forms apart, and seldom joins two different words.

    Example:
        >>> [stem(word) for word in ("sorted", "sorting", "sorts", "entries", "classes", "class", "size")]
        ['sort', 'sort', 'sort', 'entry', 'class', 'class', 'siz']
    """
    stemmed = word
    for ending, instead in (
        ("sses", "ss"),
        ("ies", "y"),
        ("ing", ""),
        ("ers", "er"),
        ("ed", ""),
        ("es", ""),
        ("s", ""),
    ):
        if stemmed.endswith(ending) and len(stemmed) - len(ending) >= 3 and not stemmed.endswith("ss"):
            stemmed = stemmed[: -len(ending)] + instead
            break
    if len(stemmed) > 3 and stemmed.endswith("e"):
        stemmed = stemmed[:-1]
    if len(stemmed) > 3 and stemmed[-1] == stemmed[-2] and stemmed[-1] not in "ls":
        stemmed = stemmed[:-1]
    return stemmed


def terms(text: str) -> list[str]:
    """The words of a text that carry meaning, stemmed, in order, with repetitions.

    Example:
        >>> terms("How to sort the entries of a list in Python")
        ['sort', 'entry', 'list']
    """
    return [stem(word) for word in split_words(text) if len(word) > 1 and word not in STOP_WORDS]
