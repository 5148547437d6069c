"""Whether words mention a value as one of its own: signs and everyday words stand in all prose."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, cast

from pbt_generator.domain.task.wording.uses import cut

# Words that prose holds whatever it is about, and those by which kinds are told: they are no values unless quoted.
_EVERYDAY = {
    "a", "about", "above", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "before",
    "behind", "below", "but", "by", "can", "character", "characters", "code", "count", "default", "does", "each",
    "either", "else", "empty", "end", "entry", "equal", "error", "even", "every", "false", "first", "float", "for",
    "form", "from", "function", "get", "given", "gives", "has", "have", "i", "if", "in", "index", "input", "inside",
    "integer", "integers", "into", "is", "it", "item", "items", "its", "key", "keys", "kind", "kinds", "last", "left",
    "length", "less", "like", "line", "lines", "list", "lists", "long", "map", "maps", "may", "more", "most", "must",
    "name", "names", "new", "next", "no", "none", "not", "nothing", "null", "number", "numbers", "object", "of", "on",
    "once", "one", "only", "or", "order", "other", "otherwise", "out", "output", "over", "part", "parts", "position",
    "result", "results", "return", "returned", "returns", "right", "s", "same", "sequence", "sequences", "set",
    "sets", "several", "should", "so", "start", "string", "strings", "t", "text", "texts", "than", "that", "the",
    "their", "them", "then", "there", "they", "this", "to", "true", "two", "type", "under", "up", "use", "used",
    "value", "values", "was", "were", "what", "when", "where", "whether", "which", "while", "will", "with", "within",
    "without", "word", "words", "zero",
}  # fmt: skip
# What a sign is called.
_CALLED = {
    ",": "commas?", ".": "dots?|periods?|points?|full stops?", ":": "colons?", ";": "semi-?colons?",
    "?": "question marks?",
    "-": "dash(?:es)?|hyphens?|minus(?:es)?(?: signs?)?", "_": "underscores?|underlines?", "/": "slash(?:es)?",
    "\\": "backslash(?:es)?", "|": "pipes?|vertical bars?", "+": "plus(?:es)?(?: signs?)?", "*": "stars?|asterisks?",
    "=": "equals?(?: signs?)?", "%": "percent(?: signs?)?", "&": "ampersands?", "@": "at(?: |-)signs?",
    "#": "hash(?:es)?|pound signs?|number signs?", "$": "dollars?(?: signs?)?", "~": "tildes?", "^": "carets?",
    "!": "exclamation marks?", "\"": "(?:double )?quot\\w*", "'": "apostrophes?|(?:single )?quot\\w*",
    "`": "back-?ticks?", "(": "paren\\w*|brackets?", ")": "paren\\w*|brackets?", "[": "(?:square )?brackets?",
    "]": "(?:square )?brackets?", "{": "braces?|curly brackets?", "}": "braces?|curly brackets?",
    "<": "angle brackets?|less.than signs?", ">": "angle brackets?|greater.than signs?",
}  # fmt: skip
# A value that is quoted in words.
_QUOTED = re.compile(r"``(.+?)``|`(.+?)`|\"((?:[^\"\\\n]|\\.)+)\"|(?<!\w)'((?:[^'\\\n]|\\.)+)'(?!\w)")


def unmentioned(constants: Sequence[object], text: str, examples: Sequence[str] = ()) -> list[object]:
    """The constants that a text does not mention as a value of their own (sufficiency check).

    A single sign and an everyday word (of, text, number) are mentioned where they are quoted, where the sign is called
    by its name, where examples hold the word as a whole text, or the sign in one.

    Args:
        constants: The values.
        text: The words.
        examples: Arguments and results of examples, as portable texts.

    Example:
        >>> unmentioned([7, "ab", ",", "of"], "at most 17, or `ab` of these")
        [7, ',', 'of']
        >>> unmentioned([",", "of"], "Between commas or 'of'."), unmentioned(["of", "-"], "", ['["of","a-b"]'])
        ([], [])
    """
    quoted = {*_quoted(text)}
    held = [each for example in examples for each in _texts(json.loads(example))]
    whole = "\n".join([text, *examples])
    return [value for value in constants if not _is_mentioned(value, text, whole, quoted, held)]


def _is_mentioned(value: object, text: str, whole: str, quoted: set[str], held: Sequence[str]) -> bool:
    bare = value.strip() if isinstance(value, str) else ""
    if not isinstance(value, str) or not bare or not _is_in_all_prose(bare):
        return _stands_in(value, whole)
    if quoted & {value, bare}:
        return True
    # In a text that holds a word there may be others; a sign, or a word between blanks, is seen there.
    seen_within = value != bare or _is_sign(bare)
    if value in held or (seen_within and any(value in each for each in held)):
        return True
    called = _CALLED.get(bare, "")
    return bool(called and re.search(rf"\b(?:{called})\b", text, re.IGNORECASE))


def _quoted(text: str) -> Iterator[str]:
    """What stands in quotes or backticks, and in quotes within backticks."""
    for found in _QUOTED.finditer(text):
        code, plain = found[1] or found[2], found[3] or found[4]
        if code:
            yield code
            yield from _quoted(code) if code[:1] != "`" else ()
        else:
            yield plain
            yield re.sub(r"\\(.)", r"\1", plain)


def _texts(tree: Any) -> Iterator[str]:
    """The texts of a parsed portable value, keys of maps among them."""
    match tree:
        case str():
            yield tree
        case list():
            for each in cast("list[Any]", tree):
                yield from _texts(each)
        case dict():
            for key, each in cast("dict[str, Any]", tree).items():
                if key != "$":
                    yield key
                    yield from _texts(each)
        case _:
            pass


def _is_in_all_prose(bare: str) -> bool:
    return _is_sign(bare) or bare in _EVERYDAY or (bare.istitle() and bare.lower() in _EVERYDAY)


def _is_sign(bare: str) -> bool:
    return len(bare) == 1 and bare.isascii() and not bare.isalnum()


def _stands_in(value: object, text: str) -> bool:
    shown = cut(str(value))
    if isinstance(value, str) and not shown.strip():
        return repr(shown)[1:-1] in text or json.dumps(shown)[1:-1] in text
    # A number below 0 is another one; what stands between two numbers is no sign.
    before = r"(?<![\w.])(?<!(?<!\w)-)" if re.match(r"\d", shown) else r"(?<![\w.])" if re.match(r"\w", shown) else ""
    after = r"(?![\w]|\.\d)" if re.search(r"\w$", shown) else ""
    return re.search(f"{before}{re.escape(shown)}{after}", text) is not None
