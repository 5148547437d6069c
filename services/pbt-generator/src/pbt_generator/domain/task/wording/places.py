"""What words leave to the reader: the places of a result that is always so long, and code that is not given."""

from __future__ import annotations

import builtins
import re
import sys
from collections.abc import Collection, Sequence

from pbt_generator.domain.task.wording.observed import Observed
from pbt_generator.domain.task.wording.prose import Prose

_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.)", re.MULTILINE)
_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n\s*\n")
# Names in parentheses or brackets, one beside the other.
_NAME = r"[A-Za-z_][\w ]*+[`'\"*]*+"
_NAMED = re.compile(rf"[(\[<]\s*[`'\"*]*{_NAME}(?:\s*+,\s*+[`'\"*]*+{_NAME})+\s*[)\]>]")
# Things one beside the other; two verbs at the beginning of a sentence are none.
_BESIDE = re.compile(r"\b(?:and|then|followed by|plus|along with|together with|first|respectively)\b", re.IGNORECASE)
# A sentence that changes something on a condition: add quotes if there are blanks.
_CHANGES = re.compile(
    r"(?:adds?|appends?|prepends?|inserts?|quotes?|escapes?|wraps?|surrounds?|encloses?|strips?|removes?|replaces?|drops?|cuts?"
    r"|truncates?|shortens?|pads?)\b[^.;]*\b(?:if|when|unless)\s",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(r"\b(?:otherwise|else|always|and)\b", re.IGNORECASE)
_AS_ANOTHER = re.compile(
    r"\b(?:equivalent\s+to|identical\s+(?:to|with)|(?:the\s+)?same\s+as|alias\s+(?:of|for)|shorthand\s+for|opposite\s+of"
    r"|inverse\s+of)\s+`(?P<name>[A-Za-z_][\w.]*)(?:\(\))?`",
    re.IGNORECASE,
)
# A constant of the package by its name; one word in capitals (`ASCII`) is a name of the world.
_OF_THE_PACKAGE = re.compile(r"`\.?(?P<name>[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`")
# What every reader of Python knows.
_COMMON = frozenset({*dir(builtins), *sys.stdlib_module_names})
_TWO_VERBS = re.compile(r"^\W*\w+(?:\s*,\s*\w+)*,?\s+(?:and|then)\s+\w+", re.IGNORECASE)
_COMES_BACK = re.compile(
    r"\b(?:return|result|give|yield|tuple|pair|split|comput|find|get|pars|calculat|divid|extract|encod|decod|convert"
    r"|separat|contain|consist)",
    re.IGNORECASE,
)


def placeless(prose: Prose, result: Observed, shown: bool = False) -> str:
    """A phrase where neither words nor examples of the docstring say what the places of a result hold; else nothing.

    They are said by names in brackets, by a section that names them, by things one beside the other in a sentence on
    what comes back, or by a word of as many capitals (RGB).

    Args:
        prose: The words.
        result: The results as the cases show them.
        shown: The docstring's examples show a result.

    Example:
        >>> pair = Observed("list", parts=(Observed("text"), Observed("text")))
        >>> placeless(Prose("Split off the sheet of a range."), pair)
        'it does not say what stands at the 2 places of the result'
        >>> placeless(Prose("Split a range into its sheet and its cells."), pair)
        ''
    """
    if len(result.parts) < 2 or shown:
        return ""
    spoken = "\n".join(line for line in prose.text.splitlines() if not _DOCTEST.match(line))
    capitals = re.search(rf"\b[A-Z]{{{len(result.parts)}}}\b", f"{spoken} {prose.returns}")
    if capitals or _NAMED.search(f"{spoken}\n{prose.returns}") or _says(prose.returns):
        return ""
    if any(_COMES_BACK.search(each) and _says(each) for each in _SENTENCE.split(spoken)):
        return ""
    return f"it does not say what stands at the {len(result.parts)} places of the result"


def leaning(prose: Prose, known: Collection[str]) -> str:
    """A phrase where words lean on what a solver is not given; else nothing.

    So they do where they say that the function does as another one does, and where they name a constant of the package.

    Args:
        prose: The words.
        known: Names that a solver reads of: parameters, the function's own, and those of tables that are told.

    Example:
        >>> leaning(Prose("Without a scheme it is equivalent to `host_of`."), ["url"])
        'it leans on `host_of`, which is not given'
        >>> leaning(Prose("The same as `str.split`, or as `url`; it equals `host_of`."), ["url"])
        ''
        >>> leaning(Prose("Replaces separators; nothing stands for `.PATH_SEPS`."), ["separators"])
        'it leans on `PATH_SEPS`, which is not given'
    """
    spoken = "\n".join(line for line in prose.text.splitlines() if not _DOCTEST.match(line))
    spoken = "\n".join([spoken, prose.returns, *prose.parameters.values()])
    for found in [*_AS_ANOTHER.finditer(spoken), *_OF_THE_PACKAGE.finditer(spoken)]:
        first = found["name"].split(".")[0]
        if first not in known and first not in _COMMON:
            return f"it leans on `{found['name']}`, which is not given"
    return ""


def unconditional(prose: Prose, cases: Sequence[tuple[str, str]]) -> str:
    """A phrase where words change a text on a condition alone, and no case leaves its text as it is; else nothing.

    Args:
        prose: The words.
        cases: Arguments and result as portable texts.

    Example:
        >>> said = Prose("Add quotes around names if they contain spaces.")
        >>> unconditional(said, [('["a"]', '"\\'a\\'"'), ('["a b"]', '"\\'a b\\'"')])
        'it changes its text on a condition, and the cases on none'
        >>> unconditional(said, [('["a"]', '"a"'), ('["a b"]', '"\\'a b\\'"')])
        ''
    """
    sentences = [each for each in _SENTENCE.split(prose.text) if each.strip()]
    changing = [each for each in sentences if _CHANGES.match(each.strip())]
    if len(sentences) != 1 or not changing or _OTHERWISE.search(changing[0]):
        return ""
    if any(not expected.startswith('"') or not arguments.startswith('["') for arguments, expected in cases):
        return ""
    alike = any(arguments.startswith(f"[{expected}") for arguments, expected in cases)
    return "" if alike else "it changes its text on a condition, and the cases on none"


def _says(sentence: str) -> bool:
    return ";" in sentence or _BESIDE.search(_TWO_VERBS.sub("", sentence)) is not None


__all__ = ["leaning", "placeless", "unconditional"]
