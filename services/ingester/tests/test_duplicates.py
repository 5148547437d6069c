"""Copies are recognised whatever their names, comments and layout."""

from __future__ import annotations

from collections.abc import Callable

from ingester.domain.analysis import FoundFunction, analyse_file
from ingester.domain.near_duplicates import BANDS, THRESHOLD, bands, signature, similarity

Analyse = Callable[[str], dict[str, FoundFunction]]

ORIGINAL = '''
def count_words(text, least=1):
    """Count."""
    counts = {}
    for word in text.split():
        # longer words only
        if len(word) >= least:
            counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
'''
COPY = """
def tally(s: str, minimum: int = 1) -> list:
    table = {}
    for w in (s.split()):
        if len(w) >= minimum:
            table[w] = (table.get(w, 0) + 1)
    return sorted(table.items(), key=lambda p: (-p[1], p[0]))
"""
FAR = """
def gcd_like(a, b):
    while b:
        a, b = b, a % b
        if a == 1:
            return a + b * a - 3
    return a
"""
CHANGED = COPY.replace("int = 1", "int = 2").replace("tally", "other")


def test_copies_share_their_tree_and_others_do_not(analyse: Analyse) -> None:
    original = analyse(ORIGINAL)["count_words"]
    assert original.tree_key == analyse(COPY)["tally"].tree_key
    assert original.tree_key != analyse(CHANGED)["other"].tree_key


def test_names_from_outside_are_not_interchangeable(analyse: Analyse) -> None:
    first = analyse("def f(x):\n    return min(x) if x else 0\n")["f"]
    second = analyse("def f(x):\n    return max(x) if x else 0\n")["f"]
    third = analyse("def f(x):\n    return x.a if x else 0\n")["f"]
    fourth = analyse("def f(x):\n    return x.b if x else 0\n")["f"]
    assert len({each.tree_key for each in (first, second, third, fourth)}) == 4


def test_swapped_arguments_differ(analyse: Analyse) -> None:
    first = analyse("def f(x, y):\n    return x - y if x else 0\n")["f"]
    second = analyse("def f(x, y):\n    return y - x if x else 0\n")["f"]
    assert first.tree_key != second.tree_key


def test_near_duplicates_meet_in_a_band() -> None:
    def sketch(text: str) -> tuple[int, ...]:
        return analyse_file(text.encode(), "m.py").functions[0].signature

    original, copy, near = sketch(ORIGINAL), sketch(COPY), sketch(CHANGED)
    far = sketch(FAR)
    assert original == copy
    assert THRESHOLD <= similarity(original, near) < 1
    assert set(bands(original)) & set(bands(near))
    assert len(bands(original)) == BANDS
    assert similarity(original, far) < 0.3
    assert all(0 <= value < 1 << 32 for value in original)


def test_a_function_too_small_to_tell_has_no_signature() -> None:
    assert signature({b"a", b"b"}) == ()
