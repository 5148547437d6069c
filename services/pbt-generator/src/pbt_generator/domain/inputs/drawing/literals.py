"""Literals as programs write them, with the names and texts of the program at hand."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from pbt_generator.domain.inputs.drawing.words import WORDS


class LiteralSampler:
    """Draws literals.

    Args:
        rng: The only source of chance.
        names: Identifiers of the program that reads them.
        text: Draws a text to quote.
        mentioned: Names that other arguments hold.
    """

    def __init__(
        self, rng: random.Random, names: Sequence[str], text: Callable[[], str], mentioned: Callable[[], Sequence[str]]
    ) -> None:
        self.rng = rng
        self._names = tuple(names)
        self._text = text
        self._mentioned = mentioned

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

    def _quoted(self, text: str) -> str:
        if "\n" in text or '"' in text or "\\" in text or self.rng.random() < 0.6:
            return repr(text)
        return f'"{text}"'
