"""What a method or an operator does with a value that a program writes down, as a sentence with room for the rest."""

from __future__ import annotations

import ast

from pbt_generator.domain.task.wording.phrases import Phrases

# Where the value stands in a sentence: sentences that differ in nothing else are told as one.
HERE = "\0"
# What a method does, asked of {} with the value.
METHODS = {
    "split": "{} is split at \0.", "rsplit": "{} is split at \0, from the right.",
    "partition": "{} is split at the first \0.", "rpartition": "{} is split at the last \0.",
    "startswith": "It matters whether {} begins with \0.", "endswith": "It matters whether {} ends with \0.",
    "strip": "At both ends of {} every \0 is taken off.", "lstrip": "At the beginning of {} every \0 is taken off.",
    "rstrip": "At the end of {} every \0 is taken off.",
    "removeprefix": "At the beginning of {} one \0 is taken off.",
    "removesuffix": "At the end of {} one \0 is taken off.",
    "find": "{} is searched for \0.", "rfind": "{} is searched for \0, from the right.",
    "index": "{} is searched for \0.", "rindex": "{} is searched for \0, from the right.",
    "count": "It matters how often \0 is in {}.",
    "get": "Of {} the entry \0 is read.", "pop": "Of {} the entry \0 is read.",
    "encode": "{} is encoded as \0.", "decode": "{} is decoded as \0.",
    "zfill": "{} is filled with zeros to a length of \0.", "ljust": "{} is filled to a length of \0.",
    "rjust": "{} is filled to a length of \0.", "center": "{} is filled to a length of \0.",
    "strftime": "Moments are written as \0.", "strptime": "Moments are read as \0.",
}  # fmt: skip
# After how many arguments a method is asked of a part of its text alone.
_OF_A_PART = {"startswith": 1, "endswith": 1, "find": 1, "rfind": 1, "index": 1, "rindex": 1, "count": 1}
ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Mult: "{} is multiplied by \0.", ast.Div: "{} is divided by \0.",
    ast.FloorDiv: "{} is divided by \0, down to a whole number.", ast.Mod: "The remainder of {} by \0 is taken.",
    ast.Add: "\0 is added to {}.", ast.Sub: "\0 is subtracted from {}.", ast.Pow: "The power \0 of {} is taken.",
    ast.BitAnd: "Of the bits of {} those of \0 are kept.", ast.BitOr: "The bits of \0 are set in {}.",
    ast.BitXor: "The bits of \0 are turned in {}.", ast.RShift: "The bits of {} are moved right by \0.",
    ast.LShift: "The bits of {} are moved left by \0.",
}  # fmt: skip
FROM: dict[type[ast.operator], str] = {
    ast.Div: "\0 is divided by {}.", ast.FloorDiv: "\0 is divided by {}, down to a whole number.",
    ast.Mod: "The remainder of \0 by {} is taken.", ast.Sub: "{} is subtracted from \0.",
    ast.Pow: "\0 is raised to the power {}.", ast.RShift: "The bits of \0 are moved right by {}.",
    ast.LShift: "The bits of \0 are moved left by {}.",
}  # fmt: skip
ORDERS: dict[type[ast.cmpop], str] = {
    ast.Gt: "above \0", ast.GtE: "\0 or more", ast.Lt: "below \0", ast.LtE: "\0 or less",
}  # fmt: skip
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Gt: ast.Lt, ast.GtE: ast.LtE, ast.Lt: ast.Gt, ast.LtE: ast.GtE,
}  # fmt: skip
_LIMITED = {"split": "maxsplit", "rsplit": "maxsplit", "replace": "count"}


def asked(call: ast.Call, phrases: Phrases) -> str:
    """The sentence on a method with its first argument, asked of {}; empty for a method of which none is known.

    Example:
        >>> call = ast.parse("s.split(';', 1)", mode="eval").body
        >>> asked(call, Phrases(ast.parse(""))).replace(HERE, "`;`")
        '{} is split at `;`, at most once.'
    """
    name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
    form = METHODS.get(name, "")
    if len(call.args) > _OF_A_PART.get(name, len(call.args)):
        form = form.replace("{}", "a part of {}")
    return form and f"{form.removesuffix('.')}{at_most(_limit(call, name), phrases)}."


def at_most(times: ast.expr | None, phrases: Phrases, without: int = -1) -> str:
    """How often something is done at most, as the end of a sentence; nothing where there is no limit.

    Args:
        times: What limits it.
        phrases: On the program's expressions.
        without: The number that sets no limit.
    """
    match times:
        case None:
            return ""
        case ast.Constant(value=int() as limit):
            return "" if limit == without else ", at most once" if limit == 1 else f", at most `{limit}` times"
        case _:
            return f", at most {phrases.of(times)} times"


def replaced_at_most(call: ast.Call, phrases: Phrases) -> str:
    """How often a text is replaced at most, as the end of a sentence."""
    return at_most(_limit(call, "replace"), phrases)


def _limit(call: ast.Call, name: str) -> ast.expr | None:
    """What limits how often a method does its work."""
    place = 2 if name == "replace" else 1
    named = (each.value for each in call.keywords if each.arg == _LIMITED[name]) if name in _LIMITED else iter(())
    placed = call.args[place] if name in _LIMITED and len(call.args) > place else None
    return placed or next(named, None)
