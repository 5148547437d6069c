"""What a library may ask of an object that a program hands to it, though the program says no such name.

A library that is handed a text asks it for `replace` or `split`, and whatever takes a text's place is asked so too. One
that calls back, as a parser calls `start` and `comment` of its target, asks for names of its own.
"""

from __future__ import annotations

import ast
import csv
import datetime
import decimal
import fractions
import io
import json
import logging
import pathlib
from collections import defaultdict, deque

# Modules that ask of what they are handed nothing but what the language itself asks: their names between underscores,
# or that it is of one kind.
_SILENT = {
    "__future__", "abc", "bisect", "cmath", "collections", "contextlib", "dataclasses", "datetime", "decimal", "enum",
    "functools", "heapq", "itertools", "math", "numbers", "operator", "re", "types", "typing", "typing_extensions",
    "unicodedata",
}  # fmt: skip
# Modules that ask for what the kinds of the language's library have, and for no name of their own: they take texts,
# numbers, files and collections, and call nobody back. Any other module may ask for anything.
_ASKING_OF_KINDS = {
    "base64", "binascii", "calendar", "codecs", "colorsys", "copy", "csv", "difflib", "errno", "fnmatch", "fractions",
    "glob", "hashlib", "html", "io", "json", "keyword", "locale", "ntpath", "os", "pathlib", "platform", "posixpath",
    "pprint", "quopri", "random", "reprlib", "secrets", "shlex", "statistics", "string", "struct", "textwrap", "time",
    "token", "urllib.parse", "uuid", "warnings", "zlib",
}  # fmt: skip
# Of this module these are values, and streams; by others it may be told whom to ask when something is imported.
_SYSTEM, _OF_SYSTEM = "sys", {
    "argv", "byteorder", "exc_info", "executable", "exit", "float_info", "getdefaultencoding", "getrecursionlimit",
    "getsizeof", "hash_info", "hexversion", "implementation", "int_info", "intern", "maxsize", "maxunicode", "platform",
    "prefix", "stderr", "stdin", "stdout", "version", "version_info",
}  # fmt: skip
# A logger asks filters, handlers and formatters for what classes of these have.
_LOGGING = (
    logging.Filter,
    logging.Handler,
    logging.Formatter,
    logging.Logger,
    logging.LoggerAdapter,
    logging.LogRecord,
)
# All of this module but these are texts.
_STRING, _ASKING_OF_STRING = "string", {"capwords", "Formatter", "Template"}
# What libraries know and take other objects for.
_KINDS = (
    str, bytes, bytearray, memoryview, int, float, complex, list, tuple, range, dict, set, frozenset, deque,
    fractions.Fraction, decimal.Decimal, datetime.datetime, datetime.timedelta, datetime.tzinfo, pathlib.Path,
    io.TextIOWrapper, io.BytesIO, io.StringIO, io.FileIO, io.BufferedRandom, csv.Dialect, json.JSONEncoder,
    json.JSONDecoder,
)  # fmt: skip
NAMES_OF_KINDS = frozenset(name for kind in _KINDS for name in dir(kind) if not name.startswith("_"))
_LOGGED = frozenset(name for kind in _LOGGING for name in dir(kind) if not name.startswith("_"))
_FORMATTING = {"format", "format_map", "vformat"}


def asked_by_libraries(module: ast.Module) -> frozenset[str] | None:
    """Names that a library may ask an object of the program for; None where that may be any.

    What calls back, and what others than the language's own libraries ask for, is not known.
    """
    asked = frozenset[str]()
    for library, name in _used(module):
        root = library.partition(".")[0]
        if library == "logging":
            asked |= NAMES_OF_KINDS | _LOGGED
        elif library == _STRING and name and name not in _ASKING_OF_STRING:
            pass
        elif {library, root} & _ASKING_OF_KINDS or (library == _SYSTEM and name in _OF_SYSTEM):
            asked |= NAMES_OF_KINDS
        elif root not in _SILENT:
            return None
    return asked


def formats_unseen(module: ast.Module) -> bool:
    """Whether a program fills in a text that it puts together: its fields may say any attribute of an object."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in _FORMATTING and not isinstance(node.value, ast.Constant)
        for node in ast.walk(module)
    )


def _used(module: ast.Module) -> list[tuple[str, str]]:
    """What a program uses of libraries outside of declarations: the library, and the name where one is said."""
    bound: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for node in ast.walk(module):
        match node:
            case ast.Import(names=names):
                for each in names:
                    bound[each.asname or each.name.split(".")[0]].add((each.name, ""))
            case ast.ImportFrom(module=library, names=names):
                for each in names:
                    whole = f"{library or ''}.{each.name}"
                    found = (whole, "") if whole in _ASKING_OF_KINDS else (library or "", each.name)
                    bound[each.asname or each.name].add(found)
            case _:
                pass
    declared = {id(inner) for node in ast.walk(module) for part in _declaring(node) for inner in ast.walk(part)}
    used: list[tuple[str, str]] = []
    said: set[int] = set()
    for node in ast.walk(module):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and id(node) not in declared:
            said.add(id(node.value))
            used += [(library, name or node.attr) for library, name in bound.get(node.value.id, ())]
    for node in ast.walk(module):
        if isinstance(node, ast.Name) and node.id in bound and id(node) not in declared | said:
            used += bound[node.id]
    return used


def _declaring(node: ast.AST) -> list[ast.AST]:
    """The parts of a node that say what something is, and hand nothing to anybody."""
    match node:
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *node.keywords]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            return [*node.decorator_list, *([node.returns] if node.returns is not None else [])]
        case ast.arg(annotation=ast.expr() as annotation) | ast.AnnAssign(annotation=annotation):
            return [annotation]
        case ast.ExceptHandler(type=ast.expr() as kind):
            return [kind]
        case ast.Call(func=ast.Name(id="isinstance" | "issubclass"), args=[_, kinds]):
            return [kinds]
        case ast.Raise(exc=ast.expr() as error):
            return [error] if isinstance(error, ast.Name | ast.Attribute) else []
        case _:
            return []
