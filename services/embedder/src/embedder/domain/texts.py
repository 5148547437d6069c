"""The text of a piece of code that goes into the models."""

from __future__ import annotations

import hashlib
import re
import textwrap
from collections.abc import Sequence

from embedder.domain.units import CodeUnit

# How many callees and how much of each are put behind a function that mostly calls.
MOST_CALLEES = 3
CALLEE_CHARACTERS = 600

_SPACE = re.compile(r"\s+")
# Raised whenever `embedding_text` gives another text for the same code.
_FORM = "code-docstring-callees-1"
_FORM_OF_OWN_WORDS = "code-docstring-1"


def text_form(limit: int, *, callees: bool = True) -> str:
    """Name of the way in which code becomes text; part of an index generation.

    Args:
        limit: Most characters of the text.
        callees: Whether the bodies of callees are put behind functions that mostly call.
    """
    return f"{_FORM if callees else _FORM_OF_OWN_WORDS}:{limit}"


def embedding_text(unit: CodeUnit, callees: Sequence[str], limit: int) -> str:
    """Signature, docstring and code, then the bodies of callees, cut to a length.

    Python keeps the docstring behind the signature, where the language puts it; where a language writes it
    outside of the function (doc comments), it comes first. A class gives its heads rather than its bodies.

    Args:
        unit: What is embedded.
        callees: Code of callees whose bodies stand for the calls.
        limit: Most characters of the text.
    """
    code = textwrap.dedent(unit.code).strip()
    if unit.form == "class":
        code = _class_outline(code)
    parts = [code]
    if unit.docstring and not _holds(code, unit.docstring):
        parts.insert(0, unit.docstring.strip())
    parts.extend(textwrap.dedent(callee).strip()[:CALLEE_CHARACTERS] for callee in callees[:MOST_CALLEES])
    return "\n".join(parts)[:limit]


def text_digest(text: str) -> str:
    """Key of a text in the store of vectors."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _holds(code: str, docstring: str) -> bool:
    first = next((line.strip() for line in docstring.splitlines() if line.strip()), "")
    return _SPACE.sub(" ", first) in _SPACE.sub(" ", code)


def _class_outline(code: str) -> str:
    """Everything up to the first method, then the heads of all methods."""
    lines = code.split("\n")
    heads = [number for number, line in enumerate(lines) if re.match(r"\s+(?:async\s+)?(?:def|class)\s+\w", line)]
    if not heads:
        return code
    return "\n".join([*lines[: heads[0]], *(lines[number] for number in heads)])
