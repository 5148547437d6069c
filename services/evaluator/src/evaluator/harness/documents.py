"""Documentation of the packages that a sandbox has: docstrings, heads of functions, and what a package says of itself.

Runs in the sandbox; the platform reads this file as text and never imports it.
"""

# pyright: basic

from __future__ import annotations

import importlib
import inspect
import json
import sys
import types
import zlib
from importlib import metadata

_TEXT = 2000
_HEAD = 300
_DEPTH = 2
_STANDARD = [
    "array", "base64", "bisect", "calendar", "cmath", "collections", "colorsys", "copy", "csv", "dataclasses",
    "datetime", "decimal", "difflib", "enum", "fractions", "functools", "hashlib", "heapq", "html", "inspect", "io",
    "itertools", "json", "math", "operator", "os", "pathlib", "random", "re", "shlex", "statistics", "string",
    "struct", "textwrap", "time", "types", "typing", "unicodedata", "urllib.parse", "uuid",
]  # fmt: skip


def packages():
    """Each installed distribution with its version and its modules, Python's own library among them."""
    version = ".".join(str(part) for part in sys.version_info[:3])
    found = [["cpython", version, _STANDARD]]
    for distribution in metadata.distributions():
        files = distribution.files or []
        heads = {file.parts[0].removesuffix(".py") for file in files if file.name.endswith((".py", ".so"))}
        modules = sorted(head for head in heads if head.isidentifier() and not head.startswith("_"))
        if modules:
            found.append([distribution.metadata["Name"], distribution.version, modules])
    return sorted(found)


def documents(name, modules):
    """Documents of a package, packed: names with heads and texts."""
    found = {}
    for module in modules:
        _walk(importlib.import_module(module), module, _DEPTH, found, set())
    if name != "cpython":
        about = metadata.metadata(name)
        words = about.get_payload() or about["Description"] or about["Summary"] or ""
        if isinstance(words, str) and words.strip():
            found[name] = ["", words.strip()[:_TEXT]]
    # Not escaped: what no UTF-8 can hold, half a pair of surrogates, is replaced here and not found by who reads it.
    return zlib.compress(json.dumps(found, sort_keys=True, ensure_ascii=False).encode("utf-8", "replace"))


def _walk(module, path, deep, found, seen):
    """Documents of a module, by the path on which a program reaches them; what it has itself before its modules."""
    top, modules = path.partition(".")[0], []
    _add(found, path, module)
    public = getattr(module, "__all__", None) or dir(module)
    for name in sorted({str(name) for name in public if not str(name).startswith("_")}):
        try:
            value = getattr(module, name)
        except Exception:  # noqa: BLE001  a lazy attribute may want what is not installed
            continue
        if isinstance(value, types.ModuleType):
            own = value.__name__.startswith(f"{top}.") and "._" not in value.__name__ and "test" not in name
            if own and deep and value.__name__ not in seen:
                seen.add(value.__name__)
                modules.append((value, f"{path}.{name}"))
        elif callable(value) and id(value) not in seen and _belongs(value, top):
            seen.add(id(value))
            _add(found, f"{path}.{name}", value)
            if isinstance(value, type):
                _members(value, f"{path}.{name}", found, seen)
    for inner, name in modules:
        _walk(inner, name, deep - 1, found, seen)


def _members(owner, name, found, seen):
    for member in dir(owner):
        if member.startswith("_"):
            continue
        static = inspect.getattr_static(owner, member)
        if id(static) not in seen and (callable(static) or isinstance(static, property | classmethod | staticmethod)):
            seen.add(id(static))
            _add(found, f"{name}.{member}", getattr(owner, member, static))


def _belongs(value, top):
    """Whether it is the package's own, also where its code is compiled in a private module."""
    return isinstance(value, types.BuiltinFunctionType) or str(getattr(value, "__module__", None) or top).partition(
        "."
    )[0].lstrip("_") == top.partition(".")[0].lstrip("_")


def _add(found, name, value):
    try:
        words = inspect.getdoc(value)
    except Exception:  # noqa: BLE001  a property of somebody's may do anything
        return
    if not isinstance(words, str) or not words.strip():
        return
    try:
        head = str(inspect.signature(value))[:_HEAD]
    except (TypeError, ValueError):
        head = ""
    found[name] = [head, words.strip()[:_TEXT]]
