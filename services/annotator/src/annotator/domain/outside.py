"""Parts of a code that stand outside of its texts and comments: only these are taken for what they look like."""

from __future__ import annotations

import re

from annotator.domain.declarations import blanked, pages

_OPENING = re.compile(r"\A\s*<\?(?:php\b|(?![=\w]))")


def heads(pattern: re.Pattern[str], code: str, language: str) -> list[str]:
    """What of a code matches, and begins in no text and no comment.

    Args:
        pattern: Of whole lines.
        code: The code.
        language: That of the code.

    Example:
        >>> heads(re.compile(r"^import .*$", re.MULTILINE), "import a\\nvar s = `\\nimport b\\n`", "go")
        ['import a']
    """
    text = blanked(code, language)
    return [found.group() for found in pattern.finditer(code) if _begins(found, text)]


def without(pattern: re.Pattern[str], code: str, language: str) -> str:
    """A code without what `heads` tells of it."""
    text = blanked(code, language)
    return pattern.sub(lambda found: "" if _begins(found, text) else found.group(), code)


def without_tags(code: str) -> str:
    """PHP that goes on after a tag which stands before it, and before whatever is put behind it.

    Tags in its middle stay, and so do the signs of one inside a text or a pattern.

    Example:
        >>> without_tags("<?php\\nreturn '<?xml ?>'; ?>\\n")
        "\\nreturn '<?xml ?>';"
    """
    code = _OPENING.sub("", code.rstrip(), count=1)
    last = next((page for page in pages(code) if page.end() == len(code) and not page.group(1)), None)
    if last is None:
        return code
    before = code[: last.start()].rstrip()
    if last.group()[2:].strip():
        return f"{code}\n<?php"
    # The tag ends a statement, too.
    return before if not before or before[-1] in ";{}" else f"{before}\n;"


def _begins(found: re.Match[str], text: str) -> bool:
    place = found.start() + len(found.group()) - len(found.group().lstrip())
    return place < found.end() and text[place] == found.string[place]
