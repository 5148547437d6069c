"""A code without what its author wrote in words: what is left can be read, and speaks to nobody.

Comments go; names, texts and uncommon numbers are numbered, and what is no ASCII disappears. Nothing of it parses the
code, so that broken codes and other versions of a language are no way around it: of words nothing is left but those of
the language and of its libraries, whatever the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import cast

from annotator.domain.pair import Pair
from annotator.domain.vocabulary import KNOWN, SAID_OF_ERRORS

# What is said above a code that is shown so.
_NOTE = "ident1, ident2, ..., literal1, ... and numeral1, ... stand for the author's own names, texts and numbers."

_STRINGS = {
    "python": r"""(?:[rRbBuUfF]{1,2})?(?:\"{3}(?:\\.|[^\\])*?(?:\"{3}|\Z)|'{3}(?:\\.|[^\\])*?(?:'{3}|\Z)"""
    r"""|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)""",
    "php": r""""(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])*'?""",
    "javascript": r"""`(?:\\.|[^`\\])*`?|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?""",
    "java": r"""\"{3}(?:\\.|[^\\])*?(?:\"{3}|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?""",
    "go": r"""`[^`]*`?|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?""",
}
_STRINGS["typescript"] = _STRINGS["javascript"]
_C_COMMENT = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_COMMENTS = {"python": r"\#[^\n]*", "php": rf"{_C_COMMENT}|\#(?!\[)[^\n]*"}
_DIGITS = r"[0-9](?:[eE][+-]?[0-9]+|[\w.])*"
_TOKENS = {
    language: re.compile(
        rf"(?P<comment>{_COMMENTS.get(language, _C_COMMENT)})|(?P<text>{strings})|(?P<number>{_DIGITS})|(?P<name>\w+)"
        r"|(?P<foreign>[^\x00-\x7f]+)",
        re.DOTALL,
    )
    for language, strings in _STRINGS.items()
}
_WORDS = re.compile(rf"(?P<number>{_DIGITS})|(?P<name>\w+)|(?P<foreign>[^\x00-\x7f]+)")
_DECLARED = re.compile(r"\b(?:def|class|function|func|interface|trait|enum)\s+&?(\w+)")
# Numbers as every code has them; others may be letters by their numbers.
_NUMBER = re.compile(
    r"(?:[0-9](?:\.[0-9]?)?|10|12|16|24|30|31|50|60|64|100|128|255|256|360|365|400|500|512|1000|1024|3600|86400"
    r"|0x[fF]{2}|[0-9][eE][+-]?[0-9]{1,2})[lLfFdDn]?"
)
# A text of signs alone, or of the letters by which formats and files are named.
_SIGNS = re.compile(r"(?:[\t\n -/:-@\[\]^_`{-~]|\\[nrt0\\'\"]|%[-#0.]*[dsfrxYmHMSjp]){0,16}")
_MODES = frozenset(("r", "w", "a", "b", "rb", "wb", "ab", "r+", "w+", "utf-8", "utf8", "ascii", "latin-1", "__main__"))
_SIMPLE = re.compile(r"[A-Za-z0-9_.:/%\-]{1,40}")
_PLACEHOLDER = re.compile(r"\b(?:ident|literal|numeral)\d+\b")
_QUOTES = re.compile(r"""[rRbBuUfF]{0,2}("{3}|'{3}|["'`])""")
# So many names of a single letter say nothing.
_LETTERS = 3


@dataclass(slots=True)
class Wordless:
    """A code as it is shown without its author's words, and what stands for what.

    Attributes:
        code: What is shown.
        spoke: Whether anything was taken out that could say something to a reader.
    """

    language: str
    code: str = ""
    spoke: bool = False
    _known: frozenset[str] = frozenset()
    _names: dict[str, str] = field(default_factory=dict[str, str])
    _texts: dict[str, str] = field(default_factory=dict[str, str])
    _numbers: dict[str, str] = field(default_factory=dict[str, str])
    _gone: set[str] = field(default_factory=set[str])

    def cut(self, text: str) -> str:
        """Another piece of the code, its signature for example, as it is shown."""
        return _TOKENS[self.language].sub(self._token, text)

    def hide(self, text: str) -> str:
        """A message about the code, by an interpreter for example, without the author's words."""
        return _WORDS.sub(lambda found: self._word(found, SAID_OF_ERRORS), text)

    def rename(self, text: str) -> str:
        """A text about the code that is no work of its author, with its names as they are shown."""
        both = {**self._names, **self._texts}
        return re.sub(r"[\w.:/%\-]+|\w+", lambda found: self._renamed(found[0], both), text) if both else text

    def reveal(self, text: str) -> str:
        """What somebody wrote who was shown this code, with the author's names again."""
        back = {shown: own for own, shown in (*self._names.items(), *self._texts.items(), *self._numbers.items())}
        return _PLACEHOLDER.sub(lambda found: back.get(found[0], found[0]), text)

    def revealed(self, value: object) -> object:
        """The same for every text inside of a JSON value."""
        if isinstance(value, str):
            return self.reveal(value)
        if isinstance(value, list):
            return [self.revealed(item) for item in cast("list[object]", value)]
        if isinstance(value, dict):
            fields = cast("dict[str, object]", value)
            return {self.reveal(name): self.revealed(item) for name, item in fields.items()}
        return value

    def read(self, code: str) -> None:
        """Make what is shown of a code."""
        declared = frozenset(_DECLARED.findall(code))
        self._known = KNOWN[self.language] - declared
        self.code = _tidy(self.cut(code))

    def _renamed(self, word: str, both: dict[str, str]) -> str:
        if word in both:
            return both[word]
        return re.sub(r"\w+", lambda found: self._names.get(found[0], found[0]), word)

    def _token(self, found: re.Match[str]) -> str:
        if found["comment"] is not None:
            self._take(found["comment"])
            # What stood around it grows together to no word.
            return " "
        if found["text"] is not None:
            return self._text(found["text"])
        return self._word(found, frozenset())

    def _word(self, found: re.Match[str], also: frozenset[str]) -> str:
        if found["foreign"] is not None:
            self._take(found["foreign"])
            return " "
        if (number := found["number"]) is not None:
            if _NUMBER.fullmatch(number):
                return number
            self._take(number)
            return self._numbers.setdefault(number, f"numeral{len(self._numbers) + 1}")
        name = found["name"]
        if name in self._known or name in also or not name.strip("_"):
            return name
        self._take(name)
        return self._names.setdefault(name, f"ident{len(self._names) + 1}")

    def _text(self, whole: str) -> str:
        opened = _QUOTES.match(whole)
        quote = opened[1] if opened else whole[:1]
        inner = whole[opened.end() if opened else 1 :].removesuffix(quote)
        if inner in _MODES or _SIGNS.fullmatch(inner):
            return f"{quote}{inner}{quote}"
        self._take(inner)
        if not _SIMPLE.fullmatch(inner):
            return f"{quote[0]}...{quote[0]}"
        shown = self._texts.setdefault(inner, f"literal{len(self._texts) + 1}")
        return f"{quote[0]}{shown}{quote[0]}"

    def _take(self, text: str) -> None:
        self._gone.add(text)
        says = any(sign.isalnum() or not sign.isascii() for sign in text)
        self.spoke = self.spoke or (says and len(text) > 1) or not text.isascii() or len(self._gone) > _LETTERS


def wordless(code: str, language: str) -> Wordless:
    """A code without its author's words.

    Example:
        >>> shown = wordless('def add_up(xs):  # say yes\\n    return sum(xs) + len("abc")', "python")
        >>> print(shown.code)
        def ident1(ident2):
            return sum(ident2) + len("literal1")
        >>> shown.spoke, shown.reveal("assert ident1([1]) == 4")
        (True, 'assert add_up([1]) == 4')
    """
    found = Wordless(language)
    found.read(code)
    return found


def without_words(pair: Pair, shown: Wordless) -> Pair:
    """A pair whose code is shown so, and says it."""
    mark = "#" if pair.language == "python" else "//"
    return replace(pair, code=f"{mark} {_NOTE}\n{shown.code}")


def _tidy(code: str) -> str:
    lines: Iterable[str] = (line.rstrip() for line in code.split("\n"))
    return "\n".join(line for line in lines if line)
