"""Draws texts: plain, in named formats, and composed of the pieces that a program looks for."""

from __future__ import annotations

import base64
import json
import random
import re
from collections.abc import Callable

from pbt_generator.domain.inputs.drawing.formats import FORMATS, FormatSampler
from pbt_generator.domain.inputs.drawing.matching import matching_texts
from pbt_generator.domain.inputs.drawing.moments import MomentSampler
from pbt_generator.domain.inputs.drawing.numerals import Numerals
from pbt_generator.domain.inputs.drawing.words import ACCENTED, ASCII, CATEGORIES, PUNCTUATION, WORDS
from pbt_generator.domain.inputs.shapes import TextShape

__all__ = ["WORDS", "TextSampler"]

# Formats outside of which a program does nothing but complain.
_STRICT = (
    "date:", "uuid", "ip", "base64", "json", "time:", "hex", "bits", "encoding", "errors", "literal",
)  # fmt: skip


class TextSampler(MomentSampler, Numerals):
    """Draws texts with one random generator.

    Args:
        rng: The only source of chance.
        pieces: Short texts of the program (constants), mixed into plain texts now and then.
        numbers: Integers of the program: spans of days and seconds worth trying."""

    def __init__(self, rng: random.Random, pieces: tuple[str, ...] = (), numbers: tuple[int, ...] = ()) -> None:
        super().__init__(rng, numbers)
        self.growth = 1
        self.pieces = tuple(piece for piece in pieces if 0 < len(piece) <= 40)
        self._counts = tuple(number for number in self.numbers if 5 < number <= 300)
        # How many parts a program may ask for.
        self.few = tuple(number for number in self.numbers if 2 <= number <= 8)
        self._written = FormatSampler(rng, self.pieces)
        self._formats: dict[str, Callable[[], str]] = {
            "integer": self.integer, "float": self.number, "digits": self.digits, "letters": self.letters,
            "alnum": self.alnum, "blank": self.blank, "upper": lambda: self.words().upper(),
            "lower": lambda: self.words().lower(), "title": lambda: self.words().title(), "mixed": self.mixed,
            "identifier": self.identifier, "lines": self.lines, "words": self.words, "char": self.char,
            "json": self.json, "hex": self.hex, "base64": self.base64, "accents": self.accents,
            "unicode": self.unicode, "bits": lambda: f"{rng.getrandbits(rng.choice((1, 3, 8, 12))):b}",
        }  # fmt: skip

    def text(self, shape: TextShape) -> str:
        """One text of a shape."""
        if shape.length == 1:
            return self._single(shape)
        text = self._text(shape)
        return text if shape.length is None else text[: shape.length].ljust(shape.length, "a")

    def _single(self, shape: TextShape) -> str:
        """A text of one character: one that the program asks for, or its neighbour, or any."""
        rng = self.rng
        known = shape.hints or [token for token in shape.tokens if len(token) == 1]
        if known and rng.random() < 0.4:
            return self.near_char(rng.choice(known), 0.4)
        return rng.choice(CATEGORIES) if "unicode" in shape.formats and rng.random() < 0.6 else self.char()

    def _text(self, shape: TextShape) -> str:
        rng = self.rng
        roll = rng.random()
        if roll < 0.03:
            return ""
        if shape.patterns and rng.random() < 0.4:
            return self.matched(shape)
        if self._counts and {"words", "lines"} & {*shape.formats} and rng.random() < 0.05:
            return self.counted(shape)
        if roll < 0.7 and any(name.startswith(_STRICT) for name in shape.formats):
            text = self.dressed(self.formatted(rng.choice(shape.formats)), shape)
            if shape.tokens and rng.random() < 0.3:
                # A name of what follows, or a mark at the end: `Basic dXNlcg==`, `2024-05-17 UTC`.
                token, gap = rng.choice(shape.tokens), rng.choice(("", " ", " "))
                text = f"{text}{gap}{token}" if rng.random() < 0.3 else f"{token}{gap}{text}"
            return self.vary(text, 0.12)
        if shape.hints and roll < 0.28:
            return self.vary(rng.choice(shape.hints))
        if shape.formats and roll < 0.56:
            return self.vary(self.dressed(self.formatted(rng.choice(shape.formats)), shape), 0.2)
        if shape.tokens and roll < 0.74:
            return self.separated(shape)
        if shape.tokens and roll < 0.9:
            return self.composed(shape)
        if self.pieces and roll < 0.93:
            return self.vary(rng.choice(self.pieces))
        return self.plain()

    def counted(self, shape: TextShape) -> str:
        """As many words or lines as a number of the program, or one more or less."""
        rng = self.rng
        count = rng.choice(self._counts) + rng.choice((-1, 0, 0, 1))
        glue = rng.choice([{"words": " ", "lines": "\n"}[name] for name in shape.formats if name in {"words", "lines"}])
        return glue.join(rng.choice(WORDS) for _ in range(count))

    def matched(self, shape: TextShape) -> str:
        """A text that one of the patterns matches: alone, amid other text, or several in a row."""
        rng = self.rng
        roll = rng.random()
        if roll < 0.4:
            text = self._match(shape)
        elif roll < 0.7:
            glue = rng.choice((" ", " ", "", "\n", ", "))
            text = glue.join((rng.choice(("", self.words())), self._match(shape), rng.choice(("", self.words()))))
        else:
            glue = rng.choice((" ", "\n", "", ", ", self.words()))
            text = glue.join(self._match(shape) for _ in range(rng.choice((2, 2, 3))))
        return self.vary(text, 0.12)

    def _match(self, shape: TextShape, held: str | None = None) -> str:
        """A text that one of the patterns matches, often with something else in one of its groups: programs read on."""
        rng = self.rng
        pattern = rng.choice(shape.patterns)
        texts = matching_texts(pattern)
        if not texts:
            return self.words()
        text = rng.choice(texts)
        found = re.search(pattern, text)
        if found is None or not found.re.groups or (held is None and rng.random() < 0.4):
            return text
        start, end = found.span(rng.randrange(found.re.groups) + 1)
        if held is None:
            held = self.formatted(rng.choice(shape.formats or ("words",)))
        return text[:start] + held + text[end:] if start >= 0 else text

    def around(self, text: str, shape: TextShape) -> str:
        """JSON as it stands in other text: fenced, amid prose, between tokens, with a comma too many."""
        rng = self.rng
        roll = rng.random()
        if shape.tokens and roll < 0.4:
            return rng.choice(shape.tokens) + text + rng.choice(("", *shape.tokens))
        if shape.tokens and roll < 0.6:
            wrapped = (
                f"```json\n{text}\n```", f"```\n{text}\n```", f"{self.words()} {text}", f"{text}\n{self.words()}",
                f"{self.words()}\n{text}\n{self.words()}", f"{text} {text}", f" {text}\n",
            )  # fmt: skip
            return rng.choice(wrapped)
        if shape.patterns and roll < 0.65:
            return self._match(shape, text)
        if shape.patterns and roll < 0.7 and len(text) > 2 and text[-1] in "}]":
            return rng.choice((f"{text[:-1]},{text[-1]}", f"{text[:-1]}, {text[-1]}", text.replace('"', "'")))
        return text

    def dressed(self, text: str, shape: TextShape) -> str:
        """A number with what the program strips from numbers: separators of thousands, currencies, units."""
        rng = self.rng
        bare = text.lstrip("+-").replace(".", "", 1)
        if not shape.tokens or not bare.isdigit() or rng.random() < 0.5:
            return text
        token = rng.choice(shape.tokens)
        if token in {",", "_", " ", "'"} and "." not in text[:4]:
            whole, dot, rest = text.partition(".")
            if len(whole) < 4:
                whole += "".join(rng.choice("0123456789") for _ in range(3))
            return f"{whole[:-3]}{token}{whole[-3:]}{dot}{rest}"
        if len(token) > 4:
            return text
        return rng.choice((text + token, text + token, token + text, f"{text} {token}"))

    def near_char(self, text: str, chance: float = 0.1) -> str:
        """A single character or, now and then, its neighbour: programs ask for ranges of characters."""
        if len(text) != 1 or self.rng.random() >= chance:
            return text
        code = ord(text) + self.rng.choice((-1, 1))
        if code < 32 or 0xD800 <= code < 0xE000 or code > 0xFFFF >= ord(text):
            return text
        return chr(min(code, 0x10FFFF))

    def vary(self, text: str, chance: float = 0.5) -> str:
        """A text or something near it: other case, padding, a piece more or less."""
        rng = self.rng
        if rng.random() >= chance:
            return text
        match rng.randrange(10):
            case 0:
                return text.upper()
            case 1:
                return text.lower()
            case 2:
                return text.swapcase()
            case 3:
                return f" {text}"
            case 4:
                return f"{text} "
            case 5:
                return f"{text}{rng.choice(WORDS)}"
            case 6:
                return f"{rng.choice(WORDS)}{text}"
            case 7:
                place = rng.randrange(len(text) + 1)
                return text[:place] + text[place + 1 :]
            case 8:
                place = rng.randrange(len(text) + 1)
                return text[:place] + rng.choice(PUNCTUATION + ASCII) + text[place:]
            case _:
                return text + text

    def formatted(self, name: str) -> str:
        """A text in a named format."""
        if name in FORMATS:
            return self._written.text(name)
        if name.startswith("date"):
            return self.date(name.partition(":")[2]) if self.rng.random() < 0.9 else self._written.text("no date")
        maker = self._formats.get(name)
        return maker() if maker is not None else self.words()

    def separated(self, shape: TextShape) -> str:
        """Items between one separator: what a program that splits may meet; padded and empty items among them."""
        rng = self.rng
        short = [token for token in shape.tokens if len(token) <= 4] or [",", " ", ":"]
        # A number that the program compares with is an item, no separator.
        signs = [token for token in short if not token.isalnum()] or short
        separator = rng.choice(signs)
        # Lists of pairs have two: `a=1; b=2`.
        inside = rng.choice(signs) if len(signs) > 1 and rng.random() < 0.3 else ""
        kinds = shape.formats or ("integer", "words")
        one_kind = rng.choice(kinds) if rng.random() < 0.7 else ""
        count = rng.choice((1, 2, 2, 3, 3, 3, 4, 5)) * self.growth
        if self.few and rng.random() < 0.5:
            count = rng.choice(self.few)
        if one_kind and rng.random() < 0.5:
            return separator.join(self.formatted(one_kind) for _ in range(count))
        return separator.join(self.some_items(shape, count, one_kind, inside))

    def some_items(self, shape: TextShape, count: int, one_kind: str, inside: str) -> list[str]:
        """Items of several kinds, some of them padded, empty or twice."""
        rng = self.rng
        items: list[str] = []
        for _ in range(count):
            roll = rng.random()
            if roll < 0.45 and one_kind:
                item = self.formatted(one_kind)
            elif roll < 0.7:
                item = self.digits() if rng.random() < 0.5 else rng.choice(WORDS)
            elif roll < 0.9:
                item = rng.choice(shape.tokens) + (
                    rng.choice((" ", "", "=")) + self.digits() if rng.random() < 0.5 else ""
                )
            else:
                item = ""
            if rng.random() < 0.15:
                item = rng.choice((f" {item}", f"{item} ", f" {item} "))
            if inside and rng.random() < 0.8:
                item = rng.choice(WORDS) + inside + item
            items.append(rng.choice(items) if items and rng.random() < 0.12 else item)
        return items

    def composed(self, shape: TextShape) -> str:
        """Tokens between fillers: what a parser of those tokens may meet."""
        rng = self.rng
        tokens = shape.tokens if not self.pieces or rng.random() < 0.7 else (*shape.tokens, *self.pieces)
        near = 0.4 if "char" in shape.formats else 0.08
        few = rng.sample(tokens, min(len(tokens), rng.choice((1, 1, 2, 3))))
        parts: list[str] = []
        broken = any("\n" in token for token in tokens) or "lines" in shape.formats
        glue = rng.choice(("", "\n", "\n", " \n") if broken else ("", "", " "))
        for _ in range(rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 6)) * self.growth):
            roll = rng.random()
            if roll < 0.5:
                parts.append(self.near_char(rng.choice(few), near))
            elif shape.formats and roll < 0.68:
                parts.append(self.formatted(rng.choice(shape.formats)))
            elif roll < 0.8:
                parts.append(self.integer() if rng.random() < 0.5 else self.letters())
            else:
                parts.append(rng.choice(WORDS))
            if rng.random() < 0.08:
                parts[-1] = rng.choice((f" {parts[-1]}", f"{parts[-1]} "))
        text = glue.join(parts)
        return text if rng.random() < 0.9 else self.vary(text, 1.0)

    def plain(self) -> str:
        """A text of which nothing is known."""
        rng = self.rng
        match rng.randrange(10):
            case 0:
                return self.letters()
            case 1 | 2 | 3:
                return self.words()
            case 4:
                if rng.random() < 0.25:
                    # By these the alphabets of base64 differ.
                    return "".join(rng.choice("?>~") for _ in range(rng.randrange(2, 7)))
                return "".join(rng.choice(ASCII + PUNCTUATION) for _ in range(rng.randrange(1, 12)))
            case 5:
                return "".join(rng.choice("ab") for _ in range(rng.randrange(1, 8)))
            case 6:
                return self.integer()
            case 7:
                return self.accents() if rng.random() < 0.4 else self.mixed()
            case 8:
                return rng.choice((" ", "\t", "\n", "  x ", "a\nb", "a b  c", "0", "A", "-", "None", "true", "?~>?~>"))
            case _:
                return rng.choice(WORDS)

    def blank(self) -> str:
        """Blanks, with a word at times."""
        rng = self.rng
        return rng.choice((" ", "  ", "\t", "\n", " \n ", " x ", "a b", "  a", "b  "))

    def mixed(self) -> str:
        """Words in mixed case."""
        return "".join(char.upper() if self.rng.random() < 0.3 else char for char in self.words())

    def identifier(self) -> str:
        """A name as in code: snake, camel, dotted."""
        rng = self.rng
        words = [rng.choice(WORDS).lower() for _ in range(rng.randrange(1, 4))]
        style = rng.randrange(5)
        if style == 0:
            return "".join(word.title() for word in words)
        if style == 1:
            return words[0] + "".join(word.title() for word in words[1:])
        return ("_" if style == 2 else "-" if style == 3 else ".").join(words) + rng.choice(("", "", "1", "_"))

    def lines(self) -> str:
        """Several lines, some blank, some indented or marked."""
        rng = self.rng
        marks = ("", "", "", "  ", "\t", "# ", "- ", "* ", "1. ", "> ", "    ")
        tails = ("", "", "", "", " ", "  ", "\t")
        lines = [
            rng.choice(marks) + (self.words() if rng.random() < 0.8 else "") + rng.choice(tails)
            for _ in range(rng.randrange(1, 6))
        ]
        return "\n".join(lines) + rng.choice(("", "\n"))

    def words(self) -> str:
        """A few words; where the program has words of its own, often those."""
        rng = self.rng
        count = rng.choice((1, 1, 2, 2, 3, 4, 6)) * self.growth
        own = self.pieces if self.pieces and rng.random() < 0.5 else ()
        words = [rng.choice(own).strip() if own and rng.random() < 0.7 else rng.choice(WORDS) for _ in range(count)]
        if count > 2 and rng.random() < 0.3:
            words[1] = words[0]
        return rng.choice((" ", " ", " ", "  ", ", ")).join(words) + rng.choice(("", "", "", ".", "!", "?"))

    def char(self) -> str:
        """One character."""
        rng = self.rng
        return rng.choice(ASCII) if rng.random() < 0.75 else rng.choice(PUNCTUATION)

    def json(self) -> str:
        """JSON, broken at times."""
        rng = self.rng
        value = {
            rng.choice(WORDS): rng.choice((1, "x", None, True, [1, 2], {"a": 1}, 2.5)) for _ in range(rng.randrange(3))
        }
        chosen = rng.choice((value, [1, "a", None], 5, "text", [value], None, True))
        text = json.dumps(value if rng.random() < 0.6 else chosen)
        return text if rng.random() < 0.85 else text[:-1]

    def base64(self) -> str:
        """Base64."""
        rng = self.rng
        # Marks and question marks side by side give the characters by which the alphabets differ.
        marks = "".join(rng.choice("?>~ÿ") for _ in range(rng.randrange(1, 7)))
        pair = f"{rng.choice(WORDS)}:{rng.choice((*WORDS, ''))}"
        held = rng.choice((self.words(), self.json(), self.digits(), self.accents(), "\x00\x01", "", marks, pair))
        text = base64.b64encode(held.encode("utf-8", "replace")).decode()
        return (
            text
            if rng.random() < 0.85
            else rng.choice(
                (text.rstrip("="), f"{text}!", text[1:], "not base64!", f" {text}", text.translate({43: "-", 47: "_"}))
            )
        )

    def accents(self) -> str:
        """Letters beyond ASCII."""
        rng = self.rng
        return "".join(
            rng.choice(ACCENTED) if rng.random() < 0.4 else rng.choice(ASCII[:26]) for _ in range(rng.randrange(1, 7))
        )

    def unicode(self) -> str:
        """Characters of many categories; letters with one or more marks."""
        rng = self.rng
        parts: list[str] = []
        if rng.random() < 0.3:
            return rng.choice(CATEGORIES)
        for _ in range(rng.choice((1, 2, 3, 4, 6))):
            roll = rng.random()
            if roll < 0.3:
                parts.append(rng.choice(WORDS))
            elif roll < 0.5:
                parts.append(
                    rng.choice("aeonxQ")
                    + "".join(rng.choice("\u0301\u0308\u0327\u20dd") for _ in range(rng.choice((1, 1, 2, 3))))
                )
            else:
                parts.append(rng.choice(CATEGORIES))
        return rng.choice(("", "", " ")).join(parts)
