"""Codes of a query set as the index holds them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from retriever.domain.code import ALL_FORMS, IndexedCode

_NAMES = (
    re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+(\w+)|^[ \t]*class[ \t]+(\w+)", re.MULTILINE),
    re.compile(r"\b(?:function|func|fn)\b[ \t]*(?:\([^)\n]*\)[ \t]*)?(\w+)"),
    re.compile(r"\b(\w+)[ \t]*\("),
)
_DOCSTRING = re.compile(r'("""|\'\'\')(.*?)\1', re.DOTALL)


def code_of_row(function_id: str, row: Mapping[str, Any]) -> IndexedCode:
    """A code of a corpus; each at a place of its own, where the row names none.

    Args:
        function_id: The row's id.
        row: Columns of BEIR or CoIR: `text` or `code`, and where there are `title`, `language` and
            `meta_information` with `repository`, `path`, `qualname`, `form` and `licence`.
    """
    told = row.get("meta_information")
    facts: Mapping[str, Any] = told if isinstance(told, dict) else {}
    code = str(row["text"] if "text" in row else row["code"])
    docstring = _DOCSTRING.search(code)
    form = str(facts.get("form", ""))
    return IndexedCode(
        function_id=function_id,
        source_id="",
        source_version_id="",
        repository=str(facts.get("repository", "")),
        version=str(facts.get("version", "")),
        dated_at="",
        language=str(row.get("language") or "python"),
        # Codes of one place would replace one another.
        path=f"{facts['path']}#{function_id}" if facts.get("path") else function_id,
        qualname=str(facts.get("qualname") or row.get("title") or _name_in(code)),
        form=form if form in ALL_FORMS else "function",
        code=code,
        docstring=docstring.group(2) if docstring else "",
        searchable_pair=True,
        record="",
        licence=str(facts.get("licence", "")),
    )


def _name_in(code: str) -> str:
    for pattern in _NAMES:
        if found := pattern.search(code):
            return next(name for name in found.groups() if name)
    return ""
