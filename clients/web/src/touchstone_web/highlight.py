"""Code in colours, line by line: classes only, since the security policy forbids inline style."""

from __future__ import annotations

from functools import cache

from markupsafe import Markup, escape
from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

# Lexers are regular expressions over whatever somebody wrote; what is longer is shown without colours.
_MOST_CHARACTERS = 20_000
_FORMATTER = HtmlFormatter(nowrap=True)


def lines(code: str, language: str, most: int = 0) -> list[Markup]:
    """The lines of some code as markup.

    Args:
        code: Foreign text.
        language: Its language's name, for example "python"; of an unknown one there are no colours.
        most: So many lines; 0 means all.

    Example:
        >>> lines("x = '<'", "python")
        [Markup('<span class="n">x</span> <span class="o">=</span> <span class="s1">&#39;&lt;&#39;</span>')]
    """
    # By line feeds alone, as lexers and editors count.
    kept = code.split("\n")[: most or None]
    lexer = _lexer(language)
    text = "\n".join(kept)
    if lexer is None or len(text) > _MOST_CHARACTERS:
        return [escape(line) for line in kept]
    coloured = highlight(text, lexer, _FORMATTER).removesuffix("\n").split("\n")
    # A lexer may read line ends its own way; then the lines count, and not the colours.
    return [Markup(line) for line in coloured] if len(coloured) == len(kept) else [escape(line) for line in kept]


@cache
def _lexer(language: str) -> Lexer | None:
    options = {"startinline": True} if language == "php" else {}
    try:
        return get_lexer_by_name(language, stripnl=False, **options)
    except ClassNotFound:
        return None
