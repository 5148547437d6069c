"""Draws texts: plain, in named formats, and composed of the pieces that a program looks for."""

from __future__ import annotations

import base64
import datetime
import json
import random
from collections.abc import Callable

from pbt_generator.domain.shapes import TextShape

WORDS = (
    "alpha", "beta", "gamma", "data", "test", "hello", "world", "foo", "bar", "item", "value", "name", "user", "blue",
    "red", "cat", "dog", "tree", "one", "two", "three", "the", "a", "an", "of", "and", "is", "run", "box", "city",
    "error", "key", "x", "y", "Zed", "Apple", "NASA", "iPhone", "Bob", "main", "order", "price",
)  # fmt: skip
# Formats outside of which a program does nothing but complain.
_STRICT = ("date:", "uuid", "ip", "base64", "json", "python", "time:", "hex")
_MOMENTS = (
    "2024-02-29", "2023-12-31T23:59:59", "2000-01-01", "1970-01-01", "2024-06-15T12:00", "2021-03-28T02:30",
)  # fmt: skip
_PUNCTUATION = ".,;:!?-_/\\()[]{}<>'\"@#$%^&*+=|~` "
_ACCENTED = ("e\u0301", "n\u0303", "é", "ü", "ñ", "中", "Ω", "ß", "ж", "—", "“", "°")
_ASCII = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


class TextSampler:
    """Draws texts with one random generator.

    Args:
        rng: The only source of chance.
        pieces: Short texts of the program (constants), mixed into plain texts now and then.
        numbers: Integers of the program: spans of days and seconds worth trying.
    """

    def __init__(self, rng: random.Random, pieces: tuple[str, ...] = (), numbers: tuple[int, ...] = ()) -> None:
        self.rng = rng
        self.pieces = tuple(piece for piece in pieces if 0 < len(piece) <= 40)
        self.numbers = tuple(number for number in numbers if 1 <= number <= 4000)
        self.last_moment: datetime.datetime | None = None
        self._formats: dict[str, Callable[[], str]] = {
            "integer": self.integer, "float": self.number, "digits": self.digits, "letters": self.letters,
            "alnum": self.alnum, "blank": self.blank, "upper": lambda: self.words().upper(),
            "lower": lambda: self.words().lower(), "title": lambda: self.words().title(), "mixed": self.mixed,
            "identifier": self.identifier, "lines": self.lines, "words": self.words, "char": self.char,
            "json": self.json, "path": self.path, "url": self.url, "email": self.email, "version": self.version,
            "hex": self.hex, "base64": self.base64, "uuid": self.uuid, "ip": self.ip, "ipnet": self.ip_network,
            "html": self.html, "csv": self.csv, "query": self.query, "percent": self.percent, "accents": self.accents,
            "indented": self.indented, "glob": self.glob, "regex": self.regex, "literal": self.literal,
            "xml": self.html, "python": self.python, "time:iso": self.iso_time, "dateformat": self.date_format,
        }  # fmt: skip

    def text(self, shape: TextShape) -> str:
        """One text of a shape."""
        if shape.length == 1:
            return self.char() if not shape.hints or self.rng.random() < 0.6 else self.rng.choice(shape.hints)
        text = self._text(shape)
        return text if shape.length is None else text[: shape.length].ljust(shape.length, "a")

    def _text(self, shape: TextShape) -> str:
        rng = self.rng
        roll = rng.random()
        if roll < 0.03:
            return ""
        if roll < 0.7 and any(name.startswith(_STRICT) for name in shape.formats):
            return self.vary(self.formatted(rng.choice(shape.formats)), 0.12)
        if shape.hints and roll < 0.28:
            return self.vary(rng.choice(shape.hints))
        if shape.formats and roll < 0.56:
            return self.vary(self.formatted(rng.choice(shape.formats)), 0.2)
        if shape.tokens and roll < 0.74:
            return self.separated(shape)
        if shape.tokens and roll < 0.9:
            return self.composed(shape)
        if self.pieces and roll < 0.93:
            return self.vary(rng.choice(self.pieces))
        return self.plain()

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
                return text[:place] + rng.choice(_PUNCTUATION + _ASCII) + text[place:]
            case _:
                return text + text

    def formatted(self, name: str) -> str:
        """A text in a named format."""
        if name.startswith("date"):
            return self.date(name.partition(":")[2])
        maker = self._formats.get(name)
        return maker() if maker is not None else self.words()

    def separated(self, shape: TextShape) -> str:
        """Items between one separator: what a program that splits may meet; padded and empty items among them."""
        rng = self.rng
        short = [token for token in shape.tokens if len(token) <= 4] or [",", " ", ":"]
        separator = rng.choice(short)
        kinds = shape.formats or ("integer", "words")
        one_kind = rng.choice(kinds) if rng.random() < 0.6 else ""
        items: list[str] = []
        for _ in range(rng.choice((1, 2, 2, 3, 3, 3, 4, 5))):
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
            items.append(rng.choice(items) if items and rng.random() < 0.12 else item)
        return separator.join(items)

    def composed(self, shape: TextShape) -> str:
        """Tokens between fillers: what a parser of those tokens may meet."""
        rng = self.rng
        tokens = shape.tokens if not self.pieces or rng.random() < 0.7 else (*shape.tokens, *self.pieces)
        few = rng.sample(tokens, min(len(tokens), rng.choice((1, 1, 2, 3))))
        parts: list[str] = []
        broken = any("\n" in token for token in tokens) or "lines" in shape.formats
        glue = rng.choice(("", "\n", "\n", " \n") if broken else ("", "", " "))
        for _ in range(rng.choice((1, 1, 2, 2, 3, 3, 4, 5, 6))):
            roll = rng.random()
            if roll < 0.5:
                parts.append(rng.choice(few))
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
                return "".join(rng.choice(_ASCII + _PUNCTUATION) for _ in range(rng.randrange(1, 12)))
            case 5:
                return "".join(rng.choice("ab") for _ in range(rng.randrange(1, 8)))
            case 6:
                return self.integer()
            case 7:
                return self.accents() if rng.random() < 0.4 else self.mixed()
            case 8:
                return rng.choice((" ", "\t", "\n", "  x ", "a\nb", "a b  c", "0", "A", "-", "None", "true"))
            case _:
                return rng.choice(WORDS)

    def integer(self) -> str:
        """Digits with a sign at times."""
        rng = self.rng
        value = str(rng.choice((rng.randrange(10), rng.randrange(100), rng.randrange(1000), rng.randrange(100000))))
        return rng.choice(("", "", "", "", "-", "+", "0")) + value

    def number(self) -> str:
        """A number as people write it."""
        rng = self.rng
        if rng.random() < 0.4:
            return self.integer()
        text = f"{rng.uniform(-100, 100):.{rng.randrange(1, 4)}f}"
        return (
            text
            if rng.random() < 0.85
            else rng.choice((f"{text}e{rng.randrange(-3, 4)}", "1,234.5", "12%", ".5", "3."))
        )

    def digits(self) -> str:
        """Digits only."""
        return "".join(self.rng.choice("0123456789") for _ in range(self.rng.randrange(1, 6)))

    def letters(self) -> str:
        """Letters only."""
        return "".join(self.rng.choice(_ASCII[:52]) for _ in range(self.rng.randrange(1, 7)))

    def alnum(self) -> str:
        """Letters and digits."""
        return "".join(self.rng.choice(_ASCII) for _ in range(self.rng.randrange(1, 8)))

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
        count = rng.choice((1, 1, 2, 2, 3, 4, 6))
        own = self.pieces if self.pieces and rng.random() < 0.5 else ()
        words = [rng.choice(own).strip() if own and rng.random() < 0.7 else rng.choice(WORDS) for _ in range(count)]
        if count > 2 and rng.random() < 0.3:
            words[1] = words[0]
        return rng.choice((" ", " ", " ", "  ", ", ")).join(words) + rng.choice(("", "", "", ".", "!", "?"))

    def char(self) -> str:
        """One character."""
        rng = self.rng
        return rng.choice(_ASCII) if rng.random() < 0.75 else rng.choice(_PUNCTUATION)

    def json(self) -> str:
        """JSON, broken at times."""
        rng = self.rng
        value = {
            rng.choice(WORDS): rng.choice((1, "x", None, True, [1, 2], {"a": 1}, 2.5)) for _ in range(rng.randrange(3))
        }
        chosen = rng.choice((value, [1, "a", None], 5, "text", [value], None, True))
        text = json.dumps(value if rng.random() < 0.6 else chosen)
        return text if rng.random() < 0.85 else text[:-1]

    def date(self, pattern: str) -> str:
        """A date in a format of `strftime`, "iso" or "isoday"."""
        rng = self.rng
        moment = self.near_moment()
        if pattern == "isoday":
            return moment.date().isoformat()
        if "%" in pattern:
            return moment.strftime(pattern)
        choices = (
            moment.date().isoformat(), moment.isoformat(), moment.isoformat(" "), moment.isoformat() + "Z",
            moment.isoformat() + "+02:00", moment.strftime("%d/%m/%Y"), moment.strftime("%Y%m%d"),
            moment.strftime("%B %d, %Y"),
        )  # fmt: skip
        return choices[min(rng.randrange(10), len(choices) - 1)] if rng.random() < 0.9 else self.words()

    def near_moment(self) -> datetime.datetime:
        """A moment; often one near the last, since programs measure how far apart two are."""
        rng = self.rng
        if self.last_moment is not None and rng.random() < 0.5:
            days = rng.choice(
                (0, 0, 1, -1, 6, 7, 8, 28, 29, 30, 31, 60, 90, 180, 300, 364, 365, 366, 400, 730, -30, -365)
            )
            seconds = rng.choice((0, 0, 0, 1, 59, 60, 3599, 3600, 43200))
            if self.numbers and rng.random() < 0.4:
                span = rng.choice(self.numbers) + rng.choice((-1, 0, 0, 1))
                days, seconds = rng.choice(
                    ((span, 0), (span, 0), (-span, 0), (0, span), (0, span * 60), (0, span * 3600))
                )
            moment = self.last_moment + datetime.timedelta(days=days, seconds=seconds)
            if not 1900 <= moment.year <= 2100:
                moment = self.last_moment
        elif rng.random() < 0.2:
            moment = datetime.datetime.fromisoformat(rng.choice(_MOMENTS))
        else:
            year = rng.choice((2024, 2023, 2022, 2000, 1999, 1970, 2021, 1900, 2030, rng.randrange(1950, 2050)))
            hour, minute, second = rng.randrange(24), rng.randrange(60), rng.choice((0, 0, rng.randrange(60)))
            moment = datetime.datetime(year, rng.randrange(1, 13), rng.randrange(1, 29), hour, minute, second)
        self.last_moment = moment
        return moment

    def iso_time(self) -> str:
        """A time of day."""
        rng = self.rng
        return rng.choice(
            (
                f"{rng.randrange(24):02}:{rng.randrange(60):02}",
                f"{rng.randrange(24):02}:{rng.randrange(60):02}:{rng.randrange(60):02}",
            )
        )

    def date_format(self) -> str:
        """A date format."""
        return self.rng.choice(("%Y-%m-%d", "%d/%m/%Y", "%H:%M:%S", "%Y-%m-%dT%H:%M:%S"))

    def path(self) -> str:
        """A file path, absolute, relative, with dots and extensions."""
        rng = self.rng
        parts = [rng.choice((*WORDS[:20], "..", ".", "src", "a b", ".hidden")) for _ in range(rng.randrange(1, 5))]
        name = rng.choice(WORDS) + rng.choice((".txt", ".py", ".tar.gz", "", ".JSON", ".", ".md"))
        head = rng.choice(("/", "", "", "./", "../", "~/", "C:\\", "//"))
        return head + "/".join([*parts, name]) + rng.choice(("", "", "", "/"))

    def url(self) -> str:
        """A web address."""
        rng = self.rng
        scheme = rng.choice(("http://", "https://", "https://", "ftp://", "", "//"))
        host = rng.choice(
            ("example.com", "www.example.org", "localhost", "127.0.0.1", "sub.domain.co.uk", "user:pw@host.io")
        )
        port = rng.choice(("", "", "", ":8080", ":80"))
        path = rng.choice(
            ("", "/", f"/{rng.choice(WORDS)}", f"/{rng.choice(WORDS)}/{rng.choice(WORDS)}.html", "/a//b/")
        )
        return scheme + host + port + path + rng.choice(("", "", "", "?q=1", "?a=1&b=two", "#top", "?x=%20y#z"))

    def email(self) -> str:
        """An e-mail address, broken at times."""
        rng = self.rng
        return rng.choice(
            (
                f"{rng.choice(WORDS)}@example.com",
                f"{rng.choice(WORDS)}.{rng.choice(WORDS)}@mail.org",
                "no-at",
                "a@b",
                "@x.com",
                "x@",
            )
        )

    def version(self) -> str:
        """A version number."""
        rng = self.rng
        text = ".".join(str(rng.randrange(rng.choice((3, 12, 40)))) for _ in range(rng.choice((1, 2, 2, 3, 3, 3, 4))))
        return (
            rng.choice(("", "", "", "v"))
            + text
            + rng.choice(("", "", "", "", "a1", "rc2", "-beta", ".dev0", "+local", "b"))
        )

    def hex(self) -> str:
        """Hexadecimal digits."""
        rng = self.rng
        text = "".join(rng.choice("0123456789abcdefABCDEF") for _ in range(rng.choice((2, 3, 4, 6, 6, 8))))
        return rng.choice(("", "", "#", "0x")) + text

    def base64(self) -> str:
        """Base64."""
        rng = self.rng
        held = rng.choice((self.words(), self.json(), self.digits(), self.accents(), "\x00\x01", ""))
        text = base64.b64encode(held.encode("utf-8", "replace")).decode()
        return (
            text
            if rng.random() < 0.85
            else rng.choice((text.rstrip("="), f"{text}!", text[1:], "not base64!", f" {text}"))
        )

    def uuid(self) -> str:
        """A UUID."""
        digits = f"{self.rng.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def ip(self) -> str:
        """An IP address, wrong at times."""
        rng = self.rng
        text = ".".join(str(rng.choice((0, 1, 10, 127, 192, 168, 255, rng.randrange(256)))) for _ in range(4))
        return text if rng.random() < 0.8 else rng.choice(("::1", "2001:db8::1", "256.1.1.1", "1.2.3", "fe80::1"))

    def ip_network(self) -> str:
        """A network with its prefix length."""
        return self.rng.choice(("10.0.0.0/8", "192.168.1.0/24", "172.16.0.0/12", "1.2.3.4/32", "2001:db8::/32"))

    def html(self) -> str:
        """Markup."""
        rng = self.rng
        tag = rng.choice(("p", "b", "div", "a", "br", "li"))
        body = rng.choice((self.words(), "1 &lt; 2", "&amp;", "<i>x</i>", ""))
        return rng.choice(
            (
                f"<{tag}>{body}</{tag}>",
                f"<{tag} class='k'>{body}</{tag}>",
                body,
                f"{body}<{tag}/>",
                f"a {body} <b>",
                "1 < 2 & 3 > 2",
            )
        )

    def csv(self) -> str:
        """Values with commas."""
        rng = self.rng
        return rng.choice((",", ", ", ",", ";")).join(
            rng.choice((rng.choice(WORDS), self.integer(), "", " x ", '"q, r"')) for _ in range(rng.randrange(1, 6))
        )

    def query(self) -> str:
        """A query string."""
        rng = self.rng
        return "&".join(
            f"{rng.choice(WORDS)}={rng.choice(('1', 'x', '', '%20', 'a+b'))}" for _ in range(rng.randrange(1, 4))
        )

    def percent(self) -> str:
        """Percent-escapes."""
        return self.rng.choice(("a%20b", "%41", "100%", "x%2Fy", "plain", "%zz", "a+b"))

    def accents(self) -> str:
        """Letters beyond ASCII."""
        rng = self.rng
        return "".join(
            rng.choice(_ACCENTED) if rng.random() < 0.4 else rng.choice(_ASCII[:26]) for _ in range(rng.randrange(1, 7))
        )

    def indented(self) -> str:
        """An indented block."""
        pad = self.rng.choice(("  ", "    ", "\t"))
        return "\n".join(pad * self.rng.randrange(3) + self.rng.choice(WORDS) for _ in range(self.rng.randrange(1, 5)))

    def glob(self) -> str:
        """A file pattern."""
        return self.rng.choice(("*", "*.txt", "a*", "?", "[ab]*", "src/*.py", "alpha", "**"))

    def regex(self) -> str:
        """A regular expression."""
        return self.rng.choice(("a+", "[a-z]+", r"\d+", "x", "^a", "b$", ".", r"\w+\s", "(a|b)"))

    def python(self) -> str:
        """A few statements of Python, broken at times."""
        rng = self.rng
        pieces = (
            "x = 1", "def f(a, b=2):\n    return a + b", "class C:\n    pass", "if x > 1:\n    y = 2", "import os",
            "assert f(1) == 2", "for i in range(3):\n    print(i)", "try:\n    x()\nexcept ValueError:\n    pass", "x(",
            "async def g():\n    await h()", "assert x", "f(1, 'a')", '"""Words."""', "from a import b",
        )  # fmt: skip
        return "\n".join(rng.choice(pieces) for _ in range(rng.choice((1, 1, 2, 3))))

    def literal(self) -> str:
        """A Python literal."""
        return self.rng.choice(("1", "[1, 2]", "'x'", "{'a': 1}", "None", "(1,)", "True", "1.5", "x", "[1,"))
