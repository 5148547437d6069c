"""Sizes that every reader and writer of portable values keeps, in every language."""

from __future__ import annotations

# Largest integer that every language's number type holds exactly; larger ones are tagged.
MAX_PLAIN_INT = 2**53
# Python refuses longer decimal conversions by default, and they grow with the square of the length.
MAX_INT_DIGITS = 4300
# Nesting of values (not of brackets): a list in a list is 2.
MAX_DEPTH = 200
# Values in one tree, containers included.
MAX_NODES = 4_000_000
# Characters of one text.
MAX_TEXT = 64 * 1024 * 1024
