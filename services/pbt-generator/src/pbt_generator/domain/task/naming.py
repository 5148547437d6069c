"""Public names for entry points: a solver is asked for a function that somebody would call."""

from __future__ import annotations

import io
import keyword
import tokenize

from pbt_generator.domain.task.reserved import free_entry


def public(name: str, code: str, *, portable: bool = False) -> tuple[str, str]:
    """A name without leading underscores, and the code with it; both as they were where that would change meaning.

    Args:
        name: The function's own name.
        code: Its source.
        portable: Whether it is asked for in other languages, which keep some names for themselves.

    Example:
        >>> public("_half", "def _half(x):\\n    return x / 2\\n")
        ('half', 'def half(x):\\n    return x / 2\\n')
        >>> public("_map", "def _map(x):\\n    return x\\n", portable=True)[0]
        'map_'
    """
    wanted = free_entry(name.strip("_")) if portable else name.strip("_")
    if wanted == name or not wanted.isidentifier() or keyword.iskeyword(wanted) or keyword.issoftkeyword(wanted):
        return name, code
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(code).readline))
    except (tokenize.TokenError, SyntaxError):
        return name, code
    names = {token.string for token in tokens if token.type == tokenize.NAME}
    # Another meaning of the name, or a text that may be looked up by it, keeps things as they are.
    texts = [token.string for token in tokens if token.type not in (tokenize.NAME, tokenize.COMMENT)]
    if wanted in names or any(name in text and not _documents(text) for text in texts):
        return name, code
    lines = code.splitlines(keepends=True)
    for token in reversed(tokens):
        if token.type == tokenize.NAME and token.string == name:
            row, column = token.start
            line = lines[row - 1]
            lines[row - 1] = f"{line[:column]}{wanted}{line[column + len(name) :]}"
    return wanted, "".join(lines)


def _documents(text: str) -> bool:
    """Whether a token is a text over several words or lines, as documentation is."""
    return text.lstrip("rRuU").startswith(('"""', "'''"))
