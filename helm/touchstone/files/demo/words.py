"""Small functions that the demonstration takes in: those without a library become tasks in five languages."""

import numpy as np


def count_vowels(text: str) -> int:
    """Count the vowels a, e, i, o, u of a text, in either case."""
    total = 0
    for letter in text.lower():
        if letter in "aeiou":
            total += 1
    return total


def grade(points: int) -> str:
    """Turn points into a grade: 90 and more is A, 75 B, 50 C, less is F."""
    if points >= 90:
        return "A"
    if points >= 75:
        return "B"
    if points >= 50:
        return "C"
    return "F"


def running_total(values: list[int], start: int) -> list[int]:
    """Add numbers up from a start: the total so far, at each place; of no numbers it is the start alone."""
    if not values:
        return [start]
    return (np.cumsum(values) + start).tolist()


def places_above(values: list[int], least: int) -> list[int]:
    """Give the places of the values that are greater than a bound, from 0 on; a negative bound gives none."""
    if least < 0:
        return []
    return np.flatnonzero(np.array(values) > least).tolist()
