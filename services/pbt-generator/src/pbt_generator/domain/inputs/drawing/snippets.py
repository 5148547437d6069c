"""Python source texts and literals: a small grammar with the names and texts of the program at hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from pbt_generator.domain.inputs.drawing.words import WORDS

_BUILTINS = ("print", "len", "str", "int", "range", "open", "super", "list")
_PAD = "    "


class SnippetSampler:
    """Draws snippets.

    Args:
        rng: The only source of chance.
        names: Identifiers of the program that reads the snippets.
        text: Draws a text to quote.
        mentioned: Names that other arguments hold; snippets use them, and add what they define.
    """

    def __init__(
        self, rng: random.Random, names: Sequence[str], text: Callable[[], str], mentioned: Callable[[], Sequence[str]]
    ) -> None:
        self.rng = rng
        self._names = tuple(names)
        self._text = text
        self._mentioned = mentioned
        self.defined: list[str] = []

    def source(self) -> str:
        """A few statements, broken at times."""
        rng = self.rng
        self.defined = []
        count = rng.choice((1, 1, 1, 2, 2, 3, 4))
        text = rng.choice(("\n", "\n", "\n\n")).join(self._statement(0, "") for _ in range(count))
        if rng.random() < 0.1:
            text = f"{text}\n\n{self._main()}"
        text += rng.choice(("", "", "\n"))
        roll = rng.random()
        if roll < 0.04:
            return text + rng.choice(("\nx(", "\n  y", "\ndef", "\n'''", "\n1 +"))
        return text[: rng.randrange(len(text) + 1)] if roll < 0.06 else text

    def literal(self, depth: int = 0) -> str:
        """A literal as `repr` writes it or as people do, padded and broken at times."""
        rng = self.rng
        roll = rng.random()
        items = [self.literal(depth + 1) for _ in range(rng.choice((0, 1, 2, 2, 3)))] if depth < 2 else []
        if depth < 2 and roll < 0.45:
            opening, closing = rng.choice(("[]", "[]", "[]", "()"))
            comma = "," if opening == "(" and len(items) == 1 else ""
            text = opening + ", ".join(items) + comma + closing
        elif depth < 2 and roll < 0.62:
            text = "{" + ", ".join(f"{self._quoted(self.name())}: {item}" for item in items) + "}"
        elif roll < 0.8:
            held = rng.choice((self.name(), self._text(), rng.choice(WORDS), ""))
            text = self._quoted(rng.choice((held, held, f" {held}", f"{held} ", f" {held} ")))
        else:
            text = rng.choice(
                ("1", "0", "-3", str(rng.randrange(1000)), "1.5", "-0.25", "None", "True", "False", "1e3")
            )
        if depth:
            return text
        roll = rng.random()
        if roll < 0.8:
            return text
        return rng.choice(
            (f" {text}", f"{text} ", f"{text}\n", text[:-1], f"{text},", f"x = {text}", rng.choice(WORDS))
        )

    def name(self) -> str:
        """An identifier: the program's, another argument's, or any."""
        rng = self.rng
        roll = rng.random()
        others = self._mentioned()
        if others and roll < 0.35:
            return rng.choice(others)
        if self._names and roll < 0.6:
            return rng.choice(self._names)
        return rng.choice(WORDS[:20])

    def _define(self) -> str:
        name = self.name()
        self.defined.append(name)
        return name

    def _quoted(self, text: str) -> str:
        if "\n" in text or '"' in text or "\\" in text or self.rng.random() < 0.6:
            return repr(text)
        return f'"{text}"'

    def _statement(self, depth: int, pad: str) -> str:
        rng = self.rng
        roll = rng.random()
        if depth == 0 and roll < 0.07:
            sign = rng.choice(("==", "==", "==", "!=", "in", "is", "<"))
            test = f"{self._call(0)} {sign} {self.literal(1)}" if rng.random() < 0.7 else self._expression(0)
            return f"assert {test}" + (f", {self._quoted(self._text())}" if rng.random() < 0.2 else "")
        if depth < 2 and roll < 0.3:
            return self._function(depth, pad)
        if depth < 1 and roll < 0.38:
            return self._class(pad)
        if depth < 2 and roll < 0.44:
            return self._block(depth, pad)
        if roll < 0.62:
            return f"{pad}{self._call(0)}"
        if roll < 0.8:
            target = self._define()
            kind = rng.choice((" = ", " = ", " = ", ": int = ", " += "))
            return f"{pad}{target}{kind}{self._expression(0)}"
        if roll < 0.9:
            module, name = self.name(), self.name()
            return pad + rng.choice(
                (f"import {module}", f"from {module} import {name}", f"import {module} as {name}",
                 f"from {module}.{name} import {rng.choice(WORDS)}", f"from . import {name}", f"import {module}.{name}")
            )  # fmt: skip
        return pad + rng.choice(
            (f"assert {self._expression(1)}", f"# {rng.choice(WORDS)} {self.name()}", f'"""{self._text()}"""', "pass",
             f"del {self.name()}", f"x = {self.literal(1)}")
        )  # fmt: skip

    def _body(self, depth: int, pad: str) -> str:
        rng = self.rng
        lines = [self._statement(depth + 1, pad) for _ in range(rng.choice((1, 1, 1, 2)))]
        if rng.random() < 0.2:
            lines.insert(0, f'{pad}"""{rng.choice(WORDS).title()} {self.name()}."""')
        return "\n".join(lines)

    def _function(self, depth: int, pad: str, first: str = "") -> str:
        rng = self.rng
        # Methods stand alone as well, where somebody cuts them out.
        first = first or rng.choice(("",) * 8 + ("self", "cls"))
        arguments = [first] if first else []
        for place in range(rng.choice((0, 1, 1, 2, 3))):
            name = ("a", "b", "c")[place] if rng.random() < 0.5 else f"{self.name()}{place or ''}"
            arguments.append(name + rng.choice(("", "", "", ": int", ": str")))
        if rng.random() < 0.2:
            arguments.append(
                rng.choice(("k=1", "*args", "*, only=None", "**options", "*_, k: int", "flag: bool = True"))
            )
        elif arguments and rng.random() < 0.1:
            arguments.append("/")
        head = rng.choice(("def", "def", "def", "def", "async def"))
        decorator = f"{pad}@{self.name()}{rng.choice(('', '()'))}\n" if rng.random() < 0.12 else ""
        returns = rng.choice((" -> int", " -> None", " -> str")) if rng.random() < 0.2 else ""
        name = self._define()
        body = self._body(depth, pad + _PAD)
        if rng.random() < 0.5:
            body += f"\n{pad}{_PAD}return {self._expression(0)}"
        return f"{decorator}{pad}{head} {name}({', '.join(dict.fromkeys(arguments))}){returns}:\n{body}"

    def _class(self, pad: str) -> str:
        rng = self.rng
        bases = rng.choice(("", "", "(Base)", f"({self.name()})"))
        parts = [self._function(1, pad + _PAD, "self") for _ in range(rng.choice((0, 1, 1, 2)))]
        if not parts or rng.random() < 0.3:
            parts.insert(0, f"{pad}{_PAD}{self.name()} = {self.literal(1)}")
        return f"{pad}class {self._define()}{bases}:\n" + "\n".join(parts)

    def _block(self, depth: int, pad: str) -> str:
        body = self._body(depth, pad + _PAD)
        test = self._expression(1)
        match self.rng.randrange(6):
            case 0:
                return f"{pad}if {test}:\n{body}"
            case 1:
                return f"{pad}if {test}:\n{body}\n{pad}else:\n{self._body(depth, pad + _PAD)}"
            case 2:
                return f"{pad}for i in range({self.rng.randrange(5)}):\n{body}"
            case 3:
                return f"{pad}while {test}:\n{body}"
            case 4:
                return f"{pad}try:\n{body}\n{pad}except ValueError:\n{pad}{_PAD}pass"
            case _:
                return f"{pad}with {self._call(1)} as f:\n{body}"

    def _main(self) -> str:
        quote = self.rng.choice("'\"")
        return f"if __name__ == {quote}__main__{quote}:\n{self._body(1, _PAD)}"

    def _call(self, depth: int) -> str:
        rng = self.rng
        name = rng.choice(_BUILTINS) if rng.random() < 0.35 else self.name()
        if rng.random() < 0.2:
            name = f"{rng.choice(WORDS[:20])}.{name}"
        arguments = [self._expression(depth + 1) for _ in range(rng.choice((0, 1, 1, 1, 2)))]
        if rng.random() < 0.12:
            arguments.append(f"{self.name()}={self._expression(depth + 1)}")
        return f"{name}({', '.join(arguments)})"

    def _expression(self, depth: int) -> str:
        rng = self.rng
        roll = rng.random()
        if roll < 0.3:
            return self._quoted(self._text())
        if roll < 0.5:
            return str(rng.randrange(20))
        if roll < 0.7 or depth > 2:
            return self.name()
        match rng.randrange(7):
            case 0 | 1:
                return self._call(depth)
            case 2:
                return f"{self._expression(depth + 1)} {rng.choice(('+', '==', '>', 'and', '%'))} {self.name()}"
            case 3:
                return f"{rng.choice(WORDS[:20])}.{self.name()}"
            case 4:
                return f"[{self._expression(depth + 1)}, {self._expression(depth + 1)}]"
            case 5:
                return f"[i for i in {self.name()}]"
            case _:
                return rng.choice((f'f"{{{self.name()}}}"', "None", "True", f"lambda x: {self.name()}", "{'a': 1}"))
