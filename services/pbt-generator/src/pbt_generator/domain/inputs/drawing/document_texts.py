"""Documents: XML, TOML, INI and template texts with the names that the program at hand looks for."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from xml.sax.saxutils import escape, quoteattr

from pbt_generator.domain.inputs.drawing.words import WORDS

_NAME = re.compile(r"[A-Za-z_][\w.-]*")


class DocumentTexts:
    """Draws documents.

    Args:
        rng: The only source of chance.
        pieces: Texts of the program: paths, tags, keys and values are taken from them.
        text: Draws a text to hold.
    """

    def __init__(self, rng: random.Random, pieces: tuple[str, ...], text: Callable[[], str]) -> None:
        self.rng = rng
        self._text = text
        # What a path names stands inside one another.
        paths = [
            tuple(_NAME.findall(re.sub(r"\{[^}]*\}|\[[^\]]*\]", "", piece))) for piece in pieces if " " not in piece
        ]
        self._paths = tuple(path for path in paths if 0 < len(path) <= 4)
        self._names = tuple(dict.fromkeys(name for path in self._paths for name in path))

    def name(self) -> str:
        """A tag or key, mostly one of the program's."""
        own = self._names
        return self.rng.choice(own) if own and self.rng.random() < 0.7 else self.rng.choice(WORDS[:20])

    def value(self) -> str:
        """What an element or key holds."""
        rng = self.rng
        numbers = (str(rng.randrange(100)), f"{rng.uniform(-9, 99):.2f}", "0", "true", "2024-05-17")
        return rng.choice((self._text(), rng.choice(WORDS), rng.choice(numbers), rng.choice(numbers), "", " x "))

    def xml(self) -> str:
        """An XML document, broken at times."""
        rng = self.rng
        text = self._element(0)
        roll = rng.random()
        if roll < 0.15:
            text = f'<?xml version="1.0"?>\n{text}'
        elif roll < 0.2:
            return rng.choice((text[:-2], f"{text}{text}", text.replace("</", "<", 1), self.value(), ""))
        return text

    def _element(self, depth: int, tag: str = "") -> str:
        rng = self.rng
        tag = tag or self.name()
        names = dict.fromkeys(self.name() for _ in range(rng.choice((0, 0, 1, 1, 2))))
        attributes = "".join(f" {name}={quoteattr(_plain(self.value()))}" for name in names)
        count = rng.choice((0, 1, 1, 2, 3)) if depth < 3 else 0
        if not count:
            body = escape(_plain(self.value()))
            return f"<{tag}{attributes}>{body}</{tag}>" if body or rng.random() < 0.5 else f"<{tag}{attributes}/>"
        glue = rng.choice(("", "\n" + "  " * (depth + 1)))
        children: list[str] = []
        for _ in range(count):
            path = rng.choice(self._paths) if self._paths and rng.random() < 0.6 else (self.name(),)
            inner = self._element(depth + 1, path[-1])
            for outer in reversed(path[:-1]):
                inner = f"<{outer}>{inner}</{outer}>"
            children.append(inner)
        # The same tag often comes more than once.
        children += children[:1] if rng.random() < 0.2 else []
        lead = escape(_plain(self.value())) if rng.random() < 0.15 else ""
        return f"<{tag}{attributes}>{lead}{''.join(glue + child for child in children)}{glue[:1]}</{tag}>"

    def toml(self) -> str:
        """A TOML document, broken at times."""
        rng = self.rng
        lines: list[str] = []
        for table in (False, *(True for _ in range(rng.choice((0, 1, 1, 2))))):
            if table:
                name = ".".join(rng.choice(self._paths)) if self._paths and rng.random() < 0.6 else self.name()
                lines.append(rng.choice((f"[{name}]", f"[{name}]", f"[[{name}]]")))
            for name in dict.fromkeys(self.name() for _ in range(rng.choice((0, 1, 2, 3)))):
                held = _plain(self.value()).replace("\\", "").replace('"', "'").replace("\n", " ").replace("\t", " ")
                value = rng.choice(
                    (f'"{held}"', f'"{held}"', str(rng.randrange(100)), "true", "1.5", f'["{held}", "b"]', "[1, 2]",
                     f'{{{self.name()} = "{held}"}}', "2024-05-17")
                )  # fmt: skip
                lines.append(f"{name} = {value}")
        text = "\n".join(lines) + rng.choice(("", "\n"))
        return text if rng.random() < 0.9 else f"{text}\n{rng.choice(('[', 'a =', 'x', '= 1'))}"

    def ini(self) -> str:
        """Sections with options, with comments and broken lines at times."""
        rng = self.rng
        lines: list[str] = []
        for _ in range(rng.choice((1, 1, 2, 3))):
            lines.append(f"[{self.name()}]")
            for _ in range(rng.choice((0, 1, 2, 3))):
                value = self.value().replace("\n", " ")
                lines.append(f"{self.name()}{rng.choice((' = ', '=', ': '))}{value}")
            if rng.random() < 0.15:
                lines.append(rng.choice(("# a comment", "; another", "", "no value", "  continued")))
        return "\n".join(lines if rng.random() < 0.9 else lines[1:])

    def template(self) -> str:
        """A text with names to fill in."""
        rng = self.rng
        return " ".join(
            rng.choice((f"${self.name()}", f"${{{rng.choice(WORDS)}}}", "$$", rng.choice(WORDS)))
            for _ in range(rng.randrange(1, 4))
        )

    def indented(self) -> str:
        """An indented block."""
        pad = self.rng.choice(("  ", "    ", "\t"))
        return "\n".join(pad * self.rng.randrange(3) + self.rng.choice(WORDS) for _ in range(self.rng.randrange(1, 5)))

    def csv(self) -> str:
        """Values with commas."""
        rng = self.rng
        return rng.choice((",", ", ", ",", ";")).join(
            rng.choice((rng.choice(WORDS), str(rng.randrange(-9, 1000)), "", " x ", '"q, r"'))
            for _ in range(rng.randrange(1, 6))
        )


def _plain(text: str) -> str:
    """The text without what no document may hold."""
    return "".join(char for char in text if char in "\t\n" or (char.isprintable() and char != "\ufeff"))
