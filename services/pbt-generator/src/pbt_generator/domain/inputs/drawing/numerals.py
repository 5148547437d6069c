"""Short runs of digits and letters: numbers as people and machines write them."""

from __future__ import annotations

import random

from pbt_generator.domain.inputs.drawing.words import ASCII


class Numerals:
    """Draws digits, numbers and letters with the random generator of the class that it is part of."""

    rng: random.Random

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
        return "".join(self.rng.choice(ASCII[:52]) for _ in range(self.rng.randrange(1, 7)))

    def alnum(self) -> str:
        """Letters and digits."""
        return "".join(self.rng.choice(ASCII) for _ in range(self.rng.randrange(1, 8)))

    def hex(self) -> str:
        """Hexadecimal digits."""
        rng = self.rng
        text = "".join(rng.choice("0123456789abcdefABCDEF") for _ in range(rng.choice((2, 3, 4, 6, 6, 8))))
        return rng.choice(("", "", "#", "0x")) + text
