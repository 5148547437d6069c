"""Portable values: one codec and one comparator for arguments and results of every language."""

from touchstone_values.comparing import Difference, Mode, compare, compare_trees, compare_values
from touchstone_values.decoding import build, decode
from touchstone_values.encoding import dump, encode, tree_of
from touchstone_values.errors import MalformedValueError, UnportableError, ValueFormError
from touchstone_values.limits import MAX_DEPTH, MAX_INT_DIGITS, MAX_NODES, MAX_PLAIN_INT, MAX_TEXT
from touchstone_values.parsing import parse
from touchstone_values.record import Record
from touchstone_values.words import call_written, written

__all__ = [
    "MAX_DEPTH",
    "MAX_INT_DIGITS",
    "MAX_NODES",
    "MAX_PLAIN_INT",
    "MAX_TEXT",
    "Difference",
    "MalformedValueError",
    "Mode",
    "Record",
    "UnportableError",
    "ValueFormError",
    "build",
    "call_written",
    "compare",
    "compare_trees",
    "compare_values",
    "decode",
    "dump",
    "encode",
    "parse",
    "tree_of",
    "written",
]
