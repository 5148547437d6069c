"""Small text functions: a source whose every function the end-to-end tests know."""

import re


def count_vowels(text: str) -> int:
    """Count the vowels a, e, i, o, u of a text, in either case."""
    total = 0
    for letter in text.lower():
        if letter in "aeiou":
            total += 1
    return total


def shorten(text: str, width: int) -> str:
    """Cut a text to a width; a cut text ends with two dots.

    A width of two or less cuts without dots.
    """
    if len(text) <= width:
        return text
    if width <= 2:
        return text[: max(width, 0)]
    return text[: width - 2] + ".."


def run_lengths(items: list[int]) -> list[list[int]]:
    """Group equal neighbours: each group is the item and how often it stands in a row."""
    groups: list[list[int]] = []
    for item in items:
        if groups and groups[-1][0] == item:
            groups[-1][1] += 1
        else:
            groups.append([item, 1])
    return groups


def plural(count: int, noun: str) -> str:
    """Put a count before a noun, with an s unless the count is one."""
    if count == 1:
        return f"{count} {noun}"
    return f"{count} {noun}s"


def split_key(text: str) -> list[str]:
    """Split a dotted key into its parts; empty parts are left out, an empty key is one star."""
    if not text:
        return ["*"]
    parts = []
    for part in text.split("."):
        if part:
            parts.append(part)
    return parts


def snake_case(name: str) -> str:
    """Turn a camel-case name into snake case."""
    spaced = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    if spaced.startswith("_"):
        spaced = spaced[1:]
    return spaced.lower()


def announce(text: str) -> None:
    """Print a text."""
    print(text)
