"""Heads of functions in five languages with their names changed and their types as they were."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pbt_generator.domain.task.reserved import free_name

_OPEN, _CLOSE = "([{<", ")]}>"
_IDENTIFIER = r"[^\W\d]\w*"
# Where a parameter's name stands in its part of a head.
_NAMES = {
    "python": re.compile(rf"^\**(?P<name>{_IDENTIFIER})(?=:|$)"),
    "javascript": re.compile(rf"^(?:\.\.\.)?(?P<name>{_IDENTIFIER})(?= = |$)"),
    "typescript": re.compile(rf"^(?:\.\.\.)?(?P<name>{_IDENTIFIER})(?=\??:)"),
    "java": re.compile(rf"(?<= )(?P<name>{_IDENTIFIER})$"),
    "go": re.compile(rf"^(?P<name>{_IDENTIFIER})(?= )"),
}
_QUOTED = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_DOCUMENTED = re.compile(rf"^(?P<before> \* @param \{{.*\}} )(?P<name>{_IDENTIFIER})$")


def renamed_heads(
    heads: Mapping[str, str], entry_point: str, new_entry_point: str, parameters: Mapping[str, str]
) -> dict[str, str] | None:
    """The heads under other names.

    Args:
        heads: By language, as `wording.heads.signatures` writes them.
        entry_point: The function's name.
        new_entry_point: What it becomes.
        parameters: What becomes of each parameter, in order.

    Returns:
        None where a head is not in that form or has other parameters.

    Example:
        >>> renamed_heads({"go": "func clip(text string, map_ map[string]int) string"}, "clip", "f",
        ...               {"text": "a", "map": "b"})
        {'go': 'func f(a string, b map[string]int) string'}
    """
    found: dict[str, str] = {}
    for language, head in heads.items():
        renamed = _renamed(language, head, entry_point, new_entry_point, parameters)
        if renamed is None:
            return None
        found[language] = renamed
    return found


def _renamed(language: str, head: str, entry_point: str, new: str, parameters: Mapping[str, str]) -> str | None:
    *notes, line = head.split("\n")
    if line.strip() == "" and notes:
        return None
    at = re.search(rf"(?<!\w){re.escape(entry_point)}\(", line)
    end = _closing(line, at.end()) if at else -1
    if at is None or end < 0 or language not in _NAMES:
        return None
    parts = _parts(line[at.end() : end])
    names = [_NAMES[language].search(part) for part in parts]
    free = {free_name(name, language): free_name(other, language) for name, other in parameters.items()}
    if [name and name["name"] for name in names] != list(free):
        return None
    told = [
        part[: name.start("name")] + free[name["name"]] + part[name.end("name") :]
        for part, name in zip(parts, names, strict=True)
        if name
    ]
    documented = [_documented(note, free) for note in notes]
    return "\n".join([*documented, f"{line[: at.start()]}{new}({', '.join(told)}{line[end:]}"])


def _documented(note: str, parameters: Mapping[str, str]) -> str:
    found = _DOCUMENTED.match(note)
    return f"{found['before']}{parameters.get(found['name'], found['name'])}" if found else note


def _closing(line: str, start: int) -> int:
    """Where the parenthesis that was opened before `start` is closed; -1 where it is not."""
    depth = 1
    for at, sign in _signs(line[start:]):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return start + at
    return -1


def _parts(text: str) -> list[str]:
    """Parameters between commas that stand in no bracket."""
    cuts, depth = [-1], 0
    for at, sign in _signs(text):
        depth += (sign in _OPEN) - (sign in _CLOSE)
        if sign == "," and not depth:
            cuts.append(at)
    ends = [*cuts[1:], len(text)]
    return [text[start + 1 : end].strip() for start, end in zip(cuts, ends, strict=True)] if text.strip() else []


def _signs(text: str) -> list[tuple[int, str]]:
    """Characters outside of quotes, with their places."""
    found: list[tuple[int, str]] = []
    at = 0
    while at < len(text):
        quoted = _QUOTED.match(text, at)
        if quoted:
            at = quoted.end()
            continue
        found.append((at, text[at]))
        at += 1
    return found
