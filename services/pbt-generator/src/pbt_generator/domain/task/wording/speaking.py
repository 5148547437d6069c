"""Whether words speak of a parameter: by its name, by what the name is short for, by its role, or in examples."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from pbt_generator.domain.inputs.inference.docstrings import read_docstring
from pbt_generator.domain.oracle.syntax import is_call_of

_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SAID = re.compile(r"[A-Za-z]+")
# What programmers write for a word.
_SHORT = {
    "arg": "argument", "args": "arguments", "arr": "array", "attr": "attribute", "attrs": "attributes",
    "c": "character", "cfg": "configuration", "ch": "character", "char": "character", "chars": "characters",
    "cls": "class", "col": "column", "cols": "columns", "conf": "configuration", "cur": "current", "curr": "current",
    "d": "dictionary", "dct": "dictionary", "def": "default", "delim": "delimiter", "dest": "destination",
    "dict": "dictionary", "dicts": "dictionaries", "dim": "dimension", "dims": "dimensions", "dir": "directory",
    "dst": "destination", "dt": "datetime", "elem": "element", "elems": "elements", "elt": "element", "enc": "encoding",
    "err": "error", "exc": "exception", "expr": "expression", "ext": "extension", "fmt": "format", "fn": "function",
    "freq": "frequency", "func": "function", "i": "index", "idx": "index", "img": "image", "info": "information",
    "int": "integer",
    "it": "iterable", "iter": "iterable", "kw": "keyword", "kwargs": "keywords", "lang": "language",
    "len": "length", "lhs": "left", "lst": "list", "mat": "matrix", "max": "maximum",
    "min": "minimum", "msg": "message",
    "n": "number", "num": "number", "nums": "numbers", "obj": "object", "objs": "objects", "orig": "original",
    "param": "parameter", "params": "parameters", "pat": "pattern", "pct": "percentage", "perm": "permutation",
    "pos": "position", "pred": "predicate", "pref": "prefix", "prev": "previous", "prob": "probability",
    "ref": "reference", "repl": "replacement", "res": "result", "rhs": "right", "s": "string", "sec": "second",
    "secs": "seconds", "sep": "separator", "seq": "sequence", "seqs": "sequences", "src": "source", "st": "string",
    "str": "string", "strs": "strings", "tmpl": "template", "tup": "tuple", "txt": "text", "uri": "url",
    "val": "value", "vals": "values", "vec": "vector", "ver": "version", "ws": "whitespace",
}  # fmt: skip
# Words that stand for one thing: a function with one parameter of a role has it spoken of by any of them.
_ROLES: tuple[frozenset[str], ...] = (
    frozenset({"text", "string", "str"}),
    frozenset({"list", "sequence", "iterable", "items", "elements", "values", "array", "collection", "iterator"}),
    frozenset({"dictionary", "dict", "mapping", "map", "dictionaries"}),
    frozenset({"number", "integer", "int", "float", "numeral"}),
    frozenset({"datetime", "date", "timestamp", "moment"}),
    frozenset({"separator", "delimiter"}),
    frozenset({"path", "filename", "file"}),
)
# Endings that turn a verb into the name of what it needs, and nouns into verbs.
_ENDING = re.compile(r"(?:ions?|ers?|ors?|ings?|ments?|ed|es|s|e)$")
_DOUBLED = re.compile(r"([b-df-hj-np-tv-z])\1$")
_LEAST_STEM = 4


def silent(
    meanings: Mapping[str, str], spoken: str, parameters: Sequence[str], examples: str = "", entry_point: str = ""
) -> list[str]:
    """Parameters that words do not speak of.

    One is spoken of where it has a meaning of its own, where its name stands among the words (in the plural, in parts,
    written out, as the verb that it comes from), where the last part of its name does and no other parameter ends
    like it, where it is the only one of a role (a text, a sequence, a map, a number …) and the words name that role, or
    where examples give it two values. A name of one letter without a role says nothing that words could take up.

    Args:
        meanings: What an author says of parameters, by name.
        spoken: His other words, in plain text without examples.
        parameters: Names of the parameters that cases give.
        examples: The text with its examples.
        entry_point: The function's name.

    Example:
        >>> silent({}, "Cut a string at the maximum width, with an ellipsis behind.", ["s", "max_width", "mark"])
        ['mark']
    """
    words = set(_forms(spoken))
    heads = [_written_out(name)[-1] for name in parameters]
    shown = _varied(examples, entry_point, parameters) if entry_point else set[str]()
    found: list[str] = []
    for name, head in zip(parameters, heads, strict=True):
        if meanings.get(name) or name in shown or _named(name, spoken, words):
            continue
        if heads.count(head) == 1 and len(head) > 2 and _said(head, words):
            continue
        role = _role(head)
        if role and sum(_role(each) is role for each in heads) == 1 and any(_said(word, words) for word in role):
            continue
        found.append(name)
    return found


def _named(name: str, spoken: str, words: set[str]) -> bool:
    plain = name.strip("_").lower()
    together = [plain, plain.replace("_", " "), plain.replace("_", ""), plain.replace("_", "-")]
    together += [form.removesuffix("s") for form in together if len(form) > 3]
    if any(re.search(rf"\b{re.escape(form)}s?\b", spoken.lower()) for form in together if form):
        return True
    return all(len(part) > 2 and _said(part, words) for part in _written_out(name))


def _written_out(name: str) -> list[str]:
    """The words of a name, each written out.

    Example:
        >>> _written_out("max_strLen")
        ['maximum', 'string', 'length']
    """
    found: list[str] = _PART.findall(name)
    parts = [part.lower() for part in found if not part.isdigit()] or [name.lower()]
    return [_SHORT.get(part, part) for part in parts]


def _forms(spoken: str) -> list[str]:
    found: list[str] = _SAID.findall(spoken)
    words = [word.lower() for word in found]
    return [*words, *(_SHORT[word] for word in words if len(word) > 1 and word in _SHORT)]


def _said(word: str, words: set[str]) -> bool:
    return word in words or _stem(word) in {_stem(each) for each in words}


def _stem(word: str) -> str:
    """A word without its ending: what a verb, its doer and its doing share.

    Example:
        >>> _stem("separator") == _stem("separated"), _stem("indention") == _stem("indents"), _stem("date")
        (True, True, 'date')
        >>> _stem("formatted") == _stem("format"), _stem("normalization") == _stem("normalize")
        (True, True)
    """
    cut = word
    while (shorter := _ENDING.sub("", cut)) != cut and len(shorter) >= _LEAST_STEM:
        cut = shorter
    cut = cut.removesuffix("at") if len(cut) > _LEAST_STEM + 2 else cut
    cut = _DOUBLED.sub(r"\1", cut)
    return f"{cut[:-1]}y" if cut.endswith("i") else cut


def _role(head: str) -> frozenset[str] | None:
    return next((role for role in _ROLES if head in role), None)


def _varied(examples: str, entry_point: str, parameters: Sequence[str]) -> set[str]:
    """Parameters that calls in examples give at least two values."""
    values: dict[str, set[str]] = {}
    for source in read_docstring(examples).calls:
        try:
            calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
        except (SyntaxError, ValueError):
            continue
        for call in (each for each in calls if is_call_of(each, entry_point)):
            given = dict(zip(parameters, call.args, strict=False))
            given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
            for name in parameters:
                values.setdefault(name, set()).add(ast.unparse(given[name]) if name in given else "")
    return {name for name, seen in values.items() if len(seen) > 1}
