"""What of a program stands in words on it: an author may have written it down as well, and a model may give it away."""

from __future__ import annotations

import ast
import keyword
import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

from pbt_generator.domain.oracle.syntax import FunctionNode, entry_function, named_parameters
from pbt_generator.domain.task.wording.constants import ground_truth
from pbt_generator.domain.task.wording.prose import Prose

# A shorter line of a program tells nothing of how it works.
_TELLING_LINE = 12
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.)(?:\s|$)")
# What a list or markup puts around a line of a program.
_LIST_MARK = re.compile(r"^(?:[-*+•]|\d+[.)])\s+")
_SIGN = re.compile(r"\w+|['\"]+|[^\s\w`]")
# A prefix that says how a text is written down, and a line that goes on.
_SPELLING = re.compile(r"\b[rRuU](?=['\"])|\\$")
# Stands where an example does: what is around it is no one line.
_BARRIER = ">>>"
_ALIKE = {"elif": "if"}
_HEADS = re.compile(r"(?:elif|except|case|else|try|finally)\b")
_WORDS_ALONE = re.compile(r"[A-Za-z]+(?: [A-Za-z]+)*:?")
_WORK = (
    ast.BinOp, ast.AugAssign, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda, ast.Subscript,
    ast.JoinedStr, ast.NamedExpr, ast.Starred, ast.IfExp, ast.FunctionDef, ast.AsyncFunctionDef, ast.Match,
)  # fmt: skip


@dataclass(frozen=True)
class OwnLines:
    """Lines of a ground truth, each without its margin, as a parser writes them and as their author did.

    Attributes:
        telling: Those that say how it works.
        every: All of them: what many programs hold (`return False`) is everyday words where it stands alone.
    """

    telling: tuple[str, ...]
    every: frozenset[str] = frozenset()


def own_lines(source: str, entry_point: str) -> OwnLines:
    """The lines of a ground truth.

    Words are none of them, whatever in the program they are on: its author may have written them twice.
    """
    tree = ground_truth(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | FunctionNode):
            node.body = [each for each in node.body if not _is_docstring(each)]
    named = [node for node in tree.body if isinstance(node, FunctionNode) and node.name == entry_point]
    beside = [node for node in tree.body if getattr(node, "name", "") != entry_point]
    parts = [*named[-1].body, *beside]
    lines = [line.strip() for part in parts for line in ast.unparse(part).splitlines()]
    simple = [node for part in parts for node in ast.walk(part) if isinstance(node, ast.stmt) and not _holds_more(node)]
    lines += [" ".join((ast.get_source_segment(source, node) or "").split()) for node in simple]
    telling = [line for line in dict.fromkeys(lines) if len(line) >= _TELLING_LINE and not _is_everyday(line)]
    return OwnLines(tuple(telling), frozenset(filter(None, lines)))


def _is_everyday(line: str) -> bool:
    """Whether a line of a program only names things, asks one question of them, or raises an error: many others do.

    Example:
        >>> [_is_everyday(line) for line in ("return (low, 'a')", "elif x is None:", "for x in xs:", "raise E('no')")]
        [True, True, True, True]
        >>> [_is_everyday(line) for line in ("return len(x)", "if a < b < c:", "total = total + x")]
        [False, False, False]
    """
    if _WORDS_ALONE.fullmatch(line):
        return True
    if _HEADS.match(line):
        if not line.startswith("elif"):
            return not (line.startswith("case") and re.search(r"[(\[{]", line))
        line = line.removeprefix("el")
    try:
        tree = ast.parse(f"{line} pass" if line.endswith(":") else line)
    except (SyntaxError, ValueError):
        return False
    if isinstance(tree.body[0], ast.Raise):
        return True
    nodes = list(ast.walk(tree))
    called = [node for node in nodes if isinstance(node, ast.Call)]
    # A set without members can only be written as a call.
    works = any(each.args or each.keywords or not isinstance(each.func, ast.Name) for each in called)
    compared = sum(len(node.ops) for node in nodes if isinstance(node, ast.Compare))
    return not works and compared < 2 and not any(isinstance(node, _WORK) for node in nodes)


def _holds_more(statement: ast.stmt) -> bool:
    """Whether there are statements inside of one."""
    return any(
        isinstance(each, ast.stmt | ast.excepthandler | ast.match_case) for each in ast.iter_child_nodes(statement)
    )


def _is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a text that stands by itself."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def without_lines(prose: Prose, own: OwnLines) -> Prose:
    """A description without lines of the program that it describes: its author may have written them down as well.

    Such a line holds one that tells how the program works, or stands beside another and is any line of it. Examples
    stay: what a call gives is no line of the program.

    Example:
        >>> without_lines(Prose("Adds up.\\n\\n    total = total + x\\n\\nAll."), OwnLines(("total = total + x",))).text
        'Adds up.\\n\\nAll.'
    """

    def kept(text: str) -> str:
        lines = text.splitlines()
        code = _code_among(lines, own)
        left = [line for place, line in enumerate(lines) if place not in code]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(left)).strip() if code else text

    words = {name: kept(meaning) for name, meaning in prose.parameters.items()}
    meanings = {name: text for name, text in words.items() if text}
    return Prose(kept(prose.text), meanings, kept(prose.returns), tuple(filter(None, map(kept, prose.raises))))


def _code_among(lines: Sequence[str], own: OwnLines) -> dict[int, str]:
    """Places of the lines of words that are lines of the program, and the line of each."""
    found = _telling_in(lines, own)
    whole: dict[int, str] = {}
    every = {_signs(line): line for line in own.every}
    for place, line in enumerate(lines):
        signs = () if _DOCTEST.match(line) else _signs(_LIST_MARK.sub("", line.strip()))
        if signs in every and place not in found:
            whole[place] = every[signs]
    together: dict[int, str] = {}
    for place in range(len(lines) + 1):
        if place in found or place in whole:
            together[place] = found.get(place, "") or whole[place]
            continue
        if len(together) > 1 and any(len(each) >= _TELLING_LINE for each in together.values()):
            found |= together
        together = {}
    return found


def _telling_in(lines: Sequence[str], own: OwnLines, *, examples: bool = False) -> dict[int, str]:
    """Places of the lines of words over which a telling line of the program goes, and the line of each.

    Args:
        lines: The words.
        own: The program.
        examples: Look into the calls of examples as well.
    """
    placed = _placed(lines, examples=examples)
    held = _joined(sign for sign, _ in placed)
    ends = [*accumulate(len(sign) + 1 for sign, _ in placed)]
    found: dict[int, str] = {}
    for line in own.telling:
        sought = _joined(_signs(line))
        start = held.find(sought)
        while start >= 0:
            first, last = bisect_right(ends, start), bisect_right(ends, start + len(sought) - 1)
            for _, place in placed[first:last]:
                found.setdefault(place, line)
            start = held.find(sought, start + 1)
    return found


def _joined(signs: Iterable[str]) -> str:
    return "".join(f"\n{sign}" for sign in signs) + "\n"


@lru_cache(maxsize=4096)
def _signs(text: str) -> tuple[str, ...]:
    """Words and signs of a piece of code, however it is spelt: blanks, quotes and needless brackets do not matter.

    Example:
        >>> _signs("return (x*2).join(['a', 'b'],)") == _signs('return  x * 2 . join(["a", "b"])')
        True
    """
    return tuple(sign for sign, _ in _placed(text.splitlines(), examples=True))


def _placed(lines: Sequence[str], *, examples: bool) -> list[tuple[str, int]]:
    """The same of lines, each sign with the place of its line."""
    kept: list[tuple[str, int]] = []
    # Per bracket that is open, whether it stays: the one of a call does.
    stays: list[bool] = []
    for place, line in enumerate(lines):
        if not examples and _DOCTEST.match(line):
            kept.append((_BARRIER, place))
            continue
        for sign in _SIGN.findall(_SPELLING.sub("", line).replace("\\\\", "\\")):
            before = kept[-1][0] if kept else ""
            if sign in ")]}" and before == ",":
                kept.pop()
            if sign == "(":
                stays.append(before in ("]", ")") or (before.isidentifier() and not keyword.iskeyword(before)))
            if sign not in "()" or (stays[-1] if sign == "(" else not stays or stays.pop()):
                kept.append((_ALIKE.get(sign, "'" if sign[0] in "'\"" else sign), place))
    return kept


def leaks(instruction: str, source: str, entry_point: str, docstring: str) -> list[str]:
    """Lines and inner names of the ground truth that an instruction gives away; the docstring's own are no leak.

    Args:
        instruction: The text.
        source: The ground truth.
        entry_point: Its name.
        docstring: What its author published.
    """
    tree = entry_function(source, entry_point)
    own = own_lines(source, entry_point)
    lines = instruction.splitlines()
    given = {*_telling_in(lines, own, examples=True).values(), *_code_among(lines, own).values()}
    published = _joined(_signs(docstring))
    found = {line for line in given if _joined(_signs(line)) not in published}
    public = {each.arg for each in named_parameters(tree.args)} | {entry_point}
    found |= _retold(lines, source, own, public, published)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in public:
            telling = len(node.id) > 5 and "_" in node.id
            if telling and re.search(rf"\b{re.escape(node.id)}\b", instruction) and node.id not in docstring:
                found.add(node.id)
    return sorted(found)


def _retold(lines: Sequence[str], source: str, own: OwnLines, public: Collection[str], published: str) -> set[str]:
    """Lines of the ground truth that stand in words with other names for what is local; one may be so by chance."""
    tree = ground_truth(source)
    local = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    local |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    told = _joined(sign for sign, _ in _placed(lines, examples=False))
    found: dict[str, str] = {}
    for line in own.telling:
        pattern = _with_any_names(_signs(line), local - {*public})
        again = pattern.search(told)
        if again and not pattern.search(published):
            found.setdefault(again[0], line)
    return {*found.values()} if len(found) > 1 else set()


def _with_any_names(signs: Sequence[str], local: Collection[str]) -> re.Pattern[str]:
    """What finds a line of a program, whatever its local names are, each the same one throughout."""
    numbers: dict[str, int] = {}
    parts: list[str] = []
    for sign in signs:
        if sign not in local:
            parts.append(re.escape(sign))
        elif sign in numbers:
            parts.append(f"(?P=n{numbers[sign]})")
        else:
            numbers[sign] = len(numbers)
            parts.append(rf"(?P<n{numbers[sign]}>\w+)")
    return re.compile("".join(f"\n{part}" for part in parts) + r"(?=\n)")


__all__ = ["OwnLines", "leaks", "own_lines", "without_lines"]
