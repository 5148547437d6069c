"""What of a program stands in words on it: an author may have written it down as well, and a model may give it away."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from pbt_generator.domain.oracle.syntax import FunctionNode, entry_function, named_parameters
from pbt_generator.domain.task.wording.constants import ground_truth
from pbt_generator.domain.task.wording.prose import Prose

# A shorter line of a program tells nothing of how it works.
_TELLING_LINE = 12
_DOCTEST = re.compile(r"^\s*(?:>>>|\.\.\.)(?:\s|$)")


def own_lines(source: str, entry_point: str) -> list[str]:
    """Lines of a ground truth that say how it works, each without its margin: shorter ones say nothing.

    Words are none of them, whatever in the program they are on: its author may have written them twice.
    """
    tree = ground_truth(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | FunctionNode):
            node.body = [each for each in node.body if not _is_docstring(each)]
    named = [node for node in tree.body if isinstance(node, FunctionNode) and node.name == entry_point]
    beside = [node for node in tree.body if getattr(node, "name", "") != entry_point]
    lines = [line.strip() for part in (*named[-1].body, *beside) for line in ast.unparse(part).splitlines()]
    return [line for line in dict.fromkeys(lines) if len(line) >= _TELLING_LINE]


def _is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is a text that stands by itself."""
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def without_lines(prose: Prose, code: Iterable[str]) -> Prose:
    """A description without lines of the program that it describes: its author may have written them down as well.

    Examples stay: what a call gives is no line of the program.

    Example:
        >>> without_lines(Prose("Adds up.\\n\\n    total = total + x\\n\\nAll."), ["total = total + x"]).text
        'Adds up.\\n\\nAll.'
    """
    told = list(code)

    def kept(text: str) -> str:
        lines = [
            line
            for line in text.splitlines()
            if _DOCTEST.match(line) or not any(each in " ".join(line.split()) for each in told)
        ]
        return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()

    words = {name: kept(meaning) for name, meaning in prose.parameters.items()}
    meanings = {name: text for name, text in words.items() if text}
    return Prose(kept(prose.text), meanings, kept(prose.returns), tuple(filter(None, map(kept, prose.raises))))


def leaks(instruction: str, source: str, entry_point: str, docstring: str) -> list[str]:
    """Lines and inner names of the ground truth that an instruction gives away; the docstring's own are no leak.

    Args:
        instruction: The text.
        source: The ground truth.
        entry_point: Its name.
        docstring: What its author published.
    """
    tree = entry_function(source, entry_point)
    found = [line for line in own_lines(source, entry_point) if line in instruction and line not in docstring]
    arguments = tree.args
    public = {each.arg for each in named_parameters(arguments)} | {entry_point}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id not in public:
            telling = len(node.id) > 5 and "_" in node.id
            if telling and re.search(rf"\b{re.escape(node.id)}\b", instruction) and node.id not in docstring:
                found.append(node.id)
    return sorted(set(found))


__all__ = ["leaks", "own_lines", "without_lines"]
