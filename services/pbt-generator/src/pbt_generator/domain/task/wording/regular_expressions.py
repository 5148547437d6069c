"""What a program does with a regular expression that it writes down, in words: where it matches, and by which flags."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping, Sequence

from pbt_generator.domain.task.wording.doing import at_most
from pbt_generator.domain.task.wording.phrases import Phrases
from pbt_generator.domain.task.wording.standing import Standing

# What each function or method of a pattern does with a text; those that cut texts say what with.
_DOES = {
    "match": "The beginning of {text} is matched against the regular expression {shown}",
    "fullmatch": "The whole of {text} is matched against the regular expression {shown}",
    "search": "{text} is searched for the first match of the regular expression {shown}",
    "findall": "{text} is searched for all matches of the regular expression {shown}",
    "finditer": "{text} is searched for all matches of the regular expression {shown}",
    "split": "{text} is split at the matches of the regular expression {shown}",
    "sub": "In {text} what matches the regular expression {shown} is replaced",
    "subn": "In {text} what matches the regular expression {shown} is replaced",
}
_UNKNOWN = "Texts are matched against the regular expression {shown}"
PATTERN_CALLS = {"compile", *_DOES}
# At which place of a call flags stand.
_FLAGS_AT = {"compile": 1, "match": 2, "fullmatch": 2, "search": 2, "findall": 2, "finditer": 2, "split": 3} | {
    "sub": 4, "subn": 4,
}  # fmt: skip
# What a flag does, and what an expression holds in which it does something.
_FLAGS = {
    "IGNORECASE": ("the case of letters is ignored", re.compile(r"[^\W\d_]")),
    "MULTILINE": ("`^` and `$` match at every line", re.compile(r"[\^$]")),
    "DOTALL": ("`.` matches the end of a line too", re.compile(r"\.")),
    "VERBOSE": ("blanks and comments in it mean nothing", re.compile(r"[\s#]")),
    "ASCII": ("its classes of characters are those of ASCII", re.compile(r"\\[wWdDsSbB]")),
}
# Which argument behind the expression limits how often a method does its work, and what its name is.
_LIMITS = {"sub": (2, "count"), "subn": (2, "count"), "split": (1, "maxsplit")}
_SHORT = {"I": "IGNORECASE", "M": "MULTILINE", "S": "DOTALL", "X": "VERBOSE", "A": "ASCII"}
_MODULES = {"re", "regex"}


def used(
    call: ast.Call, pattern: str, shown: str, parents: Mapping[int, ast.AST], standing: Standing, phrases: Phrases
) -> str:
    """What is done with the regular expression that is the first argument of a call, with its flags.

    Args:
        call: A call of one of the functions of `re`.
        pattern: The expression.
        shown: It as the instruction shows it.
        parents: Of each node by its id the one that holds it.
        standing: Where names stand for what the program writes down once.
        phrases: What each text is in which it is looked for.

    Example:
        >>> from pbt_generator.domain.task.wording.constants import sentences
        >>> sentences("P = re.compile('a+', re.I)\\ndef f(s):\\n    return P.sub('b', s)\\n", ["a+"])
        ['In `s` what matches the regular expression `"a+"` is replaced by `"b"`; the case of letters is ignored.']
    """
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    done = _methods(call, parents, standing) if name == "compile" else [(name, call.args[1:], call)]
    # Several uses say too much in one sentence, an unknown one nothing.
    sentences = dict.fromkeys(
        _done(method, given, shown, phrases, at, in_part=name == "compile" and len(given) > 1)
        for method, given, at in done
    )
    told = next(iter(sentences)) if len(sentences) == 1 else _UNKNOWN.format(shown=shown)
    flags = [_FLAGS[each] for each in _flags(call, name, standing) if each in _FLAGS]
    flags = [does for does, where in flags if where.search(pattern)]
    return f"{told[:1].upper()}{told[1:]}{'; ' if flags else ''}{', '.join(flags)}."


def _done(
    method: str, given: Sequence[ast.expr], shown: str, phrases: Phrases, call: ast.Call | None, *, in_part: bool
) -> str:
    """What a method of a pattern does with what it is given, in words; `in_part`: places in a text may be given too."""
    form = _DOES.get(method, _UNKNOWN)
    replaced = method in ("sub", "subn")
    text = phrases.of(given[replaced]) if len(given) > replaced else "a text"
    told = form.format(shown=shown, text=f"a part of {text}" if in_part and method not in _LIMITS else text)
    match given:
        case [ast.Constant(value=str() as other), _, *_] if replaced:
            told = f"{told} by `{json.dumps(other, ensure_ascii=False)}`"
        case _:
            pass
    if method not in _LIMITS:
        return told
    place, keyword = _LIMITS[method]
    named = next((each.value for each in call.keywords if each.arg == keyword), None) if call is not None else None
    return f"{told}{at_most(given[place] if len(given) > place else named, phrases, without=0)}"


def _methods(
    call: ast.Call, parents: Mapping[int, ast.AST], standing: Standing
) -> list[tuple[str, Sequence[ast.expr], ast.Call | None]]:
    """The methods that are called on a compiled pattern, at once or on the name it was given: arguments and call."""
    above = parents.get(id(call))
    uses = [above] if isinstance(above, ast.Attribute) else [parents.get(id(each)) for each in standing.uses(call)]
    found: list[tuple[str, Sequence[ast.expr], ast.Call | None]] = []
    for use in uses:
        # A name may stand for the method too.
        called = [use, *standing.uses(use)] if isinstance(use, ast.Attribute) else []
        calls = [(each, parents.get(id(each))) for each in called]
        given = [each for method, each in calls if isinstance(each, ast.Call) and each.func is method]
        name = use.attr if isinstance(use, ast.Attribute) else ""
        found += [(name, each.args, each) for each in given] or [(name, (), None)]
    return found


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
            return [_SHORT.get(name, name)]
        case ast.Name(id=name):
            return [_SHORT.get(name, name)]
        case _:
            return []
