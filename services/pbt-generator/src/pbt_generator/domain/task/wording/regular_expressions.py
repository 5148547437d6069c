"""What a program does with a regular expression that it writes down, in words: where it matches, and by which flags."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pbt_generator.domain.task.wording.standing import Standing

# What each function or method of a pattern does with a text; those that cut texts say what with.
_DOES = {
    "match": "The beginning of a text is matched against the regular expression {}.",
    "fullmatch": "Whole texts are matched against the regular expression {}.",
    "search": "Texts are searched for the first match of the regular expression {}.",
    "findall": "Texts are searched for all matches of the regular expression {}.",
    "finditer": "Texts are searched for all matches of the regular expression {}.",
    "split": "Texts are split at the matches of the regular expression {}.",
    "sub": "What matches the regular expression {} is replaced.",
    "subn": "What matches the regular expression {} is replaced.",
}
_UNKNOWN = "Texts are matched against the regular expression {}."
PATTERN_CALLS = {"compile", *_DOES}
# At which place of a call flags stand.
_FLAGS_AT = {"compile": 1, "match": 2, "fullmatch": 2, "search": 2, "findall": 2, "finditer": 2, "split": 3} | {
    "sub": 4, "subn": 4,
}  # fmt: skip
_FLAGS = {
    "I": "the case of letters is ignored", "IGNORECASE": "the case of letters is ignored",
    "M": "`^` and `$` match at every line", "MULTILINE": "`^` and `$` match at every line",
    "S": "`.` matches the end of a line too", "DOTALL": "`.` matches the end of a line too",
    "X": "blanks and comments in it mean nothing", "VERBOSE": "blanks and comments in it mean nothing",
    "A": "its classes of characters are those of ASCII", "ASCII": "its classes of characters are those of ASCII",
}  # fmt: skip
_MODULES = {"re", "regex"}


def used(call: ast.Call, shown: str, parents: Mapping[int, ast.AST], standing: Standing) -> str:
    """What is done with the regular expression that is the first argument of a call, with its flags.

    Args:
        call: A call of one of the functions of `re`.
        shown: The expression as the instruction shows it.
        parents: Of each node by its id the one that holds it.
        standing: Where names stand for what the program writes down once.

    Example:
        >>> from pbt_generator.domain.task.wording.constants import sentences
        >>> sentences("P = re.compile('a+', re.I)\\ndef f(s):\\n    return P.sub('b', s)\\n", ["a+"])
        ['What matches the regular expression `"a+"` is replaced; the case of letters is ignored.']
    """
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    done = _methods(call, parents, standing) if name == "compile" else [name]
    # Several uses say too much in one sentence, an unknown one nothing.
    sentences = dict.fromkeys(_DOES.get(each, _UNKNOWN) for each in done)
    sentence = next(iter(sentences)) if len(sentences) == 1 else _UNKNOWN
    flags = [_FLAGS[each] for each in _flags(call, name, standing) if each in _FLAGS]
    told = sentence.format(shown)
    return f"{told[:-1]}; {', '.join(flags)}." if flags else told


def _methods(call: ast.Call, parents: Mapping[int, ast.AST], standing: Standing) -> list[str]:
    """The methods that are called on a compiled pattern: at once, or on the name that it was given."""
    above = parents.get(id(call))
    if isinstance(above, ast.Attribute):
        return [above.attr]
    uses = standing.uses(call)
    return [use.attr if isinstance(use := parents.get(id(each)), ast.Attribute) else "" for each in uses]


def _flags(call: ast.Call, name: str, standing: Standing) -> list[str]:
    at = _FLAGS_AT.get(name, 1)
    given = next((each.value for each in call.keywords if each.arg == "flags"), None)
    given = call.args[at] if given is None and len(call.args) > at else given
    if isinstance(given, ast.Name):
        given = standing.written(given.id) or given
    return list(dict.fromkeys(_named(given)))


def _named(node: ast.expr | None) -> list[str]:
    match node:
        case ast.BinOp(left=left, op=ast.BitOr() | ast.Add(), right=right):
            return [*_named(left), *_named(right)]
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in _MODULES:
            return [name]
        case ast.Name(id=name):
            return [name]
        case _:
            return []
